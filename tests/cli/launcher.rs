//! The launcher of a system without namespaces, which another program has confined: `sandbox-exec` on macOS. It is tested here without that
//! program.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Stdio};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use serde_json::json;

use crate::serve::wait_until;
use crate::support::Installation;

/// Starts a shell script by a launcher. Returns it with diffsan's side of the socket.
fn launch(folder: &Path, script: &str) -> (Child, UnixStream) {
    let (mut own, passed) = UnixStream::pair().expect("sockets");
    fcntl(&passed, FcntlArg::F_SETFD(FdFlag::empty())).expect("inherited");
    let restriction = json!({
        "directory": folder.join("own"), "readable": [], "devices": [], "writable": [folder.join("own")],
        "links": [[folder.join("own/link"), folder.join("target")]], "with_unix_sockets": false, "confined": true,
    });
    let task = json!({ "Inside": {
        "socket": passed.as_raw_fd(), "ports": [], "copies": [[folder.join("state"), folder.join("own/state")]],
        "saves": [folder.join("own/state"), folder.join("own/missing")], "processes": u64::MAX, "written": 4096,
        "restriction": restriction,
    } });
    let mut command = Installation::new().command(folder, &["run-agent", &task.to_string(), "/bin/sh", "-c", script]);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.spawn().expect("started");
    drop(passed);
    own.read_exact(&mut [0]).expect("it is ready");
    (child, own)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("state"), "my state").expect("written");
    std::fs::write(folder.path().join("target"), "my target").expect("written");
    folder
}

#[test]
fn a_confined_launcher_prepares_folders_and_returns_the_state() {
    let folder = folder();
    let script = "cat state link; printf changed > state; head -c 9999 /dev/zero > large; wc -c < large; exit 7";
    let (child, mut own) = launch(folder.path(), script);
    let mut sent = Vec::new();
    own.read_to_end(&mut sent).expect("the end");
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(7));
    // A file has a limit. Only the copy of the state was changed.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "my statemy target4096\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("state")).expect("there"), "my state");
    let expected = [&0_u32.to_le_bytes()[..], &7_u64.to_le_bytes(), b"changed"].concat();
    assert_eq!(sent, expected);
}

#[test]
fn a_confined_launcher_ends_with_diffsan() {
    let folder = folder();
    let (mut child, own) = launch(folder.path(), "sleep 1000 & echo $! > id; wait");
    let id = folder.path().join("own/id");
    wait_until("the agent works", || std::fs::read_to_string(&id).is_ok_and(|id| id.ends_with('\n')));
    drop(own);
    assert_eq!(child.wait().expect("ended").signal(), Some(9));
    let id = std::fs::read_to_string(id).expect("an id");
    let stat = format!("/proc/{}/stat", id.trim());
    wait_until("its process has ended", || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")));
}
