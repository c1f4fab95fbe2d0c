//! Starts of a new version: scripts that start, end at once, and hang.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use diffsan_update::{Location, NotOffered, StartError, start_and_wait};

/// A time that no test waits for.
const LONG: Duration = Duration::from_secs(60);

fn script(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("program");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    path
}

fn start(text: &str, limit: Duration) -> (Result<(), StartError>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = script(folder.path(), text);
    let result = start_and_wait(Command::new(program).current_dir(&folder), &folder.path().join("started"), limit);
    (result, folder)
}

#[test]
fn a_version_that_starts_is_left_running() {
    let (result, folder) = start(r#"echo $$ > pid; touch "$DIFFSAN_UPDATE_STARTED"; exec sleep 600"#, LONG);
    result.expect("started");
    let pid = fs::read_to_string(folder.path().join("pid")).expect("a file");
    let ended = Command::new("kill").arg(pid.trim()).status().expect("kill");
    assert!(ended.success(), "it still runs");
}

#[test]
fn a_version_that_ends_right_after_its_start_has_started() {
    start(r#"touch "$DIFFSAN_UPDATE_STARTED""#, LONG).0.expect("started");
}

#[test]
fn a_version_that_ends_at_once_is_reported() {
    let (result, _) = start("exit 3", LONG);
    assert!(matches!(&result, Err(StartError::Ended(status)) if status.code() == Some(3)), "{result:?}");
    let (result, _) = start("kill -9 $$", LONG);
    assert!(matches!(result, Err(StartError::Ended(_))), "{result:?}");
}

#[test]
fn a_version_that_hangs_is_ended_with_its_processes() {
    let (result, folder) = start("sleep 600 & echo $! > child; echo $$ > pid; wait", Duration::from_secs(2));
    assert!(matches!(result, Err(StartError::Hangs(_))), "{result:?}");
    for name in ["pid", "child"] {
        let pid = fs::read_to_string(folder.path().join(name)).expect("a file").trim().to_owned();
        // An ended process stays as a zombie until its parent has read its status.
        let ended = || match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Err(_) => true,
            Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        };
        while !ended() {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_file_that_is_not_a_program_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = folder.path().join("started");
    for bytes in [&b"\x7fELF and no more"[..], b""] {
        let program = folder.path().join("program");
        fs::write(&program, bytes).expect("a file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
        let result = start_and_wait(&mut Command::new(&program), &started, LONG);
        assert!(matches!(result, Err(StartError::Spawn(_) | StartError::Ended(_))), "{result:?}");
    }
    let result = start_and_wait(&mut Command::new(folder.path().join("missing")), &started, LONG);
    assert!(matches!(result, Err(StartError::Spawn(_))), "{result:?}");
}

#[test]
fn a_file_of_an_earlier_start_does_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = folder.path().join("started");
    fs::write(&started, "").expect("a file");
    let result = start_and_wait(&mut Command::new(script(folder.path(), "exit 1")), &started, LONG);
    assert!(matches!(result, Err(StartError::Ended(_))), "{result:?}");
}

/// The place of a program that runs from an AppImage in a folder.
fn location(folder: &Path) -> Location {
    let (image, mounted) = (folder.join("diffsan.AppImage"), folder.join("mounted"));
    fs::write(&image, b"\x7fELF\x02\x01\x01\0AI\x02 and the rest").expect("a file");
    fs::create_dir_all(mounted.join("usr/bin")).expect("a folder");
    let program = mounted.join("usr/bin/diffsan-desktop");
    fs::write(&program, "").expect("a file");
    Location { app_image: Some(image), mounted: Some(mounted), program: Some(program) }
}

#[test]
fn only_the_users_own_app_image_is_replaceable() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = location(folder.path());
    let replaceable = good.replaceable().expect("replaceable");
    assert_eq!(replaceable.path(), folder.path().canonicalize().expect("a path").join("diffsan.AppImage"));

    // A package of a distribution, started from the terminal of another program's AppImage, inherits the variables.
    let package = Location { program: Some("/usr/bin/env".into()), ..good.clone() };
    assert_eq!(package.replaceable(), Err(NotOffered::NoAppImage));
    for other in [
        Location { app_image: None, ..good.clone() },
        Location { mounted: None, ..good.clone() },
        Location { mounted: Some("/".into()), ..good.clone() },
        Location { app_image: Some("diffsan.AppImage".into()), ..good.clone() },
        Location { app_image: good.program.clone(), ..good.clone() },
    ] {
        assert_eq!(other.replaceable(), Err(NotOffered::NoAppImage), "{other:?}");
    }
}

#[test]
fn the_file_behind_a_link_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = location(folder.path());
    let link = folder.path().join("diffsan");
    std::os::unix::fs::symlink(folder.path().join("diffsan.AppImage"), &link).expect("a link");
    let found = Location { app_image: Some(link), ..good }.replaceable().expect("replaceable");
    assert!(found.path().ends_with("diffsan.AppImage"), "{found:?}");
}
