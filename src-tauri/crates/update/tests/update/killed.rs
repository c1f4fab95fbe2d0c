//! Kills at any moment, and a full disk. The work runs in a process of its own: this test program, with a hidden test.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use diffsan_test_support::file_server::Answer;
use diffsan_update::Replaceable;

use crate::release::{FILE, OLD, Release, files};

const TASK: &str = "DIFFSAN_TEST_TASK";
const FOLDER: &str = "DIFFSAN_TEST_FOLDER";
const ADDRESS: &str = "DIFFSAN_TEST_ADDRESS";
const KEY: &str = "DIFFSAN_TEST_KEY";

/// The arguments that run the hidden test of this program.
const HIDDEN: [&str; 6] = ["killed::process", "--exact", "--ignored", "--nocapture", "--test-threads", "1"];

/// Does the work of the other process. It is not a test of its own.
#[test]
#[ignore = "the work of the other process"]
fn process() {
    let folder = std::env::var(FOLDER).expect("a folder");
    let target = Replaceable::new(Path::new(&folder).join("diffsan.AppImage"));
    match std::env::var(TASK).as_deref() {
        Ok("download") => {
            let address = std::env::var(ADDRESS).expect("an address");
            let keys = diffsan_manifest::keys(&std::env::var(KEY).expect("a key")).expect("a key");
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let result = runtime.block_on(async {
                let address = diffsan_update::Address::parse(&address)?;
                let source = diffsan_update::Source::new(address, diffsan_update::Limits::default())?;
                let offer = crate::release::offer_of(&source.manifest(&keys).await?.manifest)?;
                source.download(&offer, &target, &std::sync::Arc::default(), &Default::default()).await.map(drop)
            });
            match result {
                Ok(()) => println!("\ndownloaded"),
                Err(error) => println!("\nerror: {error}"),
            }
            println!("files {:?}", files(Path::new(&folder)).into_keys().collect::<Vec<_>>());
        }
        _ => loop {
            fs::write(target.verified(), "the new program").expect("a file");
            target.exchange().expect("exchanged");
            println!("exchanged");
            fs::write(target.verified(), OLD).expect("a file");
            target.exchange().expect("exchanged");
            println!("exchanged");
        },
    }
}

fn command(program: &Path, task: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(HIDDEN).env(TASK, task).env(FOLDER, folder).stdout(Stdio::piped());
    command
}

fn of_release(command: &mut Command, release: &Release) {
    command.env(ADDRESS, format!("{}/update.json", release.server.address)).env(KEY, release.keys.pk.to_base64());
}

fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("ended");
}

#[test]
fn a_killed_download_is_removed_by_the_next_start() {
    let release = Release::new(100_000);
    let this = std::env::current_exe().expect("this program");
    for sent in [1_usize, 20_000, 99_999] {
        release.server.set(FILE, Answer::Hangs(100_000, release.new[..sent].to_vec()));
        let mut work = command(&this, "download", release.folder.path());
        of_release(&mut work, &release);
        let child = work.spawn().expect("this program");
        let partial = release.folder.path().join(".diffsan.AppImage.partial");
        while partial.metadata().map_or(0, |meta| meta.len()) < sent as u64 {
            std::thread::yield_now();
        }
        // A start while the other process downloads leaves its file.
        release.target.remove_downloads();
        assert!(partial.exists());
        kill(child);
        assert_eq!(fs::read(release.target.path()).expect("a file"), OLD);
        release.target.remove_downloads();
        release.assert_unchanged("after the next start");
    }
}

#[test]
fn a_file_exists_whole_at_every_moment_of_an_exchange() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = Replaceable::new(folder.path().join("diffsan.AppImage"));
    fs::write(target.path(), OLD).expect("a file");
    let this = std::env::current_exe().expect("this program");
    for exchanges in 1..20 {
        let mut child = command(&this, "exchange", folder.path()).spawn().expect("this program");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        for _ in 0..exchanges {
            while lines.next().expect("a line").expect("a line") != "exchanged" {}
        }
        kill(child);
        let found = fs::read(target.path()).expect("the file exists");
        assert!([OLD, b"the new program"].contains(&&*found), "{:?}", String::from_utf8_lossy(&found));
        target.remove_downloads();
        let names = files(folder.path()).into_keys().collect::<Vec<_>>();
        assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
    }
}

/// Returns the output of a download on a disk of its own, of which `free` bytes are free. It is mounted in a namespace, so that root is
/// not needed.
fn on_a_small_disk(release: &Release, filler: &str) -> Vec<String> {
    let script = "mount -t tmpfs -o size=8m none \"$1\" || exit 1; cp -a \"$2\"/. \"$1\" || exit 1
        eval \"$3\"; shift 3; exec \"$@\"";
    let disk = tempfile::tempdir().expect("a folder");
    let mut work = Command::new("unshare");
    work.args(["--user", "--map-root-user", "--mount", "bash", "-c", script, "bash"]);
    work.args([disk.path(), release.folder.path()]).arg(filler.replace("DISK", &disk.path().display().to_string()));
    work.arg(std::env::current_exe().expect("this program")).args(HIDDEN);
    work.env(TASK, "download").env(FOLDER, disk.path());
    of_release(&mut work, release);
    let output = work.output().expect("unshare of util-linux");
    assert!(output.status.success(), "user namespaces are allowed: {output:?}");
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}

#[test]
fn a_disk_without_room_is_found_before_the_download() {
    let release = Release::new(5 << 20);
    let output = on_a_small_disk(&release, "");
    assert!(output.iter().any(|line| line.contains("free bytes, but the update needs")), "{output:?}");
    assert!(output.contains(&r#"files ["diffsan.AppImage"]"#.to_owned()), "{output:?}");
}

#[test]
fn a_disk_that_fills_during_the_download_leaves_nothing() {
    let release = Release::new(3 << 20);
    let other = tempfile::tempdir().expect("a folder");
    let full = other.path().join("full");
    // The rest is sent when the disk is full, so the check before has passed.
    release.server.set(FILE, Answer::Waits(release.new.clone(), full.clone()));
    let filler = format!(
        "(until [ -s DISK/.diffsan.AppImage.partial ]; do :; done; cat /dev/zero > DISK/rest 2> /dev/null; touch {}) &",
        full.display()
    );
    let output = on_a_small_disk(&release, &filler);
    assert!(output.iter().any(|line| line.ends_with("is full")), "{output:?}");
    assert!(output.contains(&r#"files ["diffsan.AppImage", "rest"]"#.to_owned()), "{output:?}");
}
