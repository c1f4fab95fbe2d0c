//! Restarts with real programs: scripts that take the place of each other.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use diffsan_store::Store;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;

const LONG: Duration = Duration::from_secs(60);
const OLD: &str = "#!/bin/sh\n# the old version\n";
/// Writes that the version ran, and says that it started.
const GOOD: &str = "#!/bin/sh\necho \"$@\" > ran; touch \"$DIFFSAN_UPDATE_STARTED\"\n";

/// A data folder with a draft, and a verified new version that waits for the restart.
struct Installation {
    folder: TempDir,
    places: Places,
    target: Replaceable,
}

impl Installation {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let places = Places { data: folder.path().join("data"), config: folder.path().join("config") };
        let target = Replaceable::new(folder.path().join("diffsan.AppImage"));
        let installation = Self { folder, places, target };
        installation.executable(installation.target.path(), OLD);
        let script = script.replace("FOLDER", &installation.folder.path().display().to_string());
        let script = script.replace("> ran", &format!("> {}/ran", installation.folder.path().display()));
        installation.executable(&installation.target.verified(), &script);
        let store = Store::open(&installation.places.store()).expect("opened");
        store.set_state("draft", Some("unposted")).expect("saved");
        installation.write_record(&script, false);
        installation
    }

    fn executable(&self, path: &Path, text: &str) {
        fs::write(path, text).expect("a script");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    fn write_record(&self, script: &str, exchanged: bool) {
        let record = Record {
            from: "1.2.0".to_owned(),
            to: "1.3.0".to_owned(),
            target: self.target.path().to_owned(),
            size: script.len() as u64,
            sha256: hex::encode(Sha256::digest(script)),
            exchanged,
        };
        UpdateFolder::of(&self.places).write(&record).expect("saved");
    }

    fn restart(&self, limit: Duration) -> Restarted {
        restart(&self.places, &["/a/repository".into()], limit)
    }

    fn outcome(&self) -> Option<String> {
        UpdateFolder::of(&self.places).read_outcome()
    }

    /// Asserts that the old version and everything unposted is there, and nothing else.
    #[track_caller]
    fn assert_old(&self) {
        assert_eq!(fs::read_to_string(self.target.path()).expect("a file"), OLD);
        let mode = self.target.path().metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        self.assert_nothing_left();
    }

    #[track_caller]
    fn assert_nothing_left(&self) {
        let mut names: Vec<_> = fs::read_dir(self.folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .filter(|name| name != "ran")
            .collect();
        names.sort();
        assert_eq!(names, ["data", "diffsan.AppImage"]);
        let folder = UpdateFolder::of(&self.places);
        assert!(folder.read().is_none() && !folder.state_copy().exists() && !folder.started().exists());
        let store = Store::open(&self.places.store()).expect("opened");
        assert_eq!(store.state("draft").expect("read").as_deref(), Some("unposted"));
    }
}

/// A new version that migrates the state file and does not start then.
const MIGRATES: &str = "#!/bin/sh
python3 - FOLDER/data/diffsan.sqlite3 <<'END' || exit 9
import sqlite3, sys
state = sqlite3.connect(sys.argv[1])
state.executescript('DROP TABLE state; PRAGMA user_version = 999;')
END
touch FOLDER/ran
";

#[test]
fn a_new_version_that_starts_replaces_the_old_one() {
    let installation = Installation::new(GOOD);
    assert_eq!(installation.restart(LONG), Restarted::New);
    assert!(fs::read_to_string(installation.target.path()).expect("a file").contains("touch"));
    let ran = fs::read_to_string(installation.folder.path().join("ran")).expect("a file");
    assert_eq!(ran, "/a/repository\n", "it shows the same repository");
    assert_eq!(installation.outcome(), None);
    installation.assert_nothing_left();
}

#[test]
fn a_new_version_that_ends_at_once_is_replaced_by_the_old_one() {
    let installation = Installation::new("#!/bin/sh\nexit 1\n");
    let path = installation.target.path().to_owned();
    assert_eq!(installation.restart(LONG), Restarted::Old(path));
    installation.assert_old();
    let outcome = installation.outcome().expect("a message");
    assert!(outcome.contains("Version 1.3.0 could not be installed: it ended at once"), "{outcome}");
    assert!(outcome.contains("Version 1.2.0 runs again"), "{outcome}");
}

#[test]
fn a_new_version_that_hangs_is_replaced_by_the_old_one() {
    let installation = Installation::new("#!/bin/sh\nsleep 600\n");
    let limit = Duration::from_secs(1);
    assert!(matches!(installation.restart(limit), Restarted::Old(_)));
    installation.assert_old();
    assert!(installation.outcome().expect("a message").contains("did not show its page within 1 seconds"));
}

#[test]
fn a_state_file_that_the_new_version_migrated_is_restored() {
    for ending in ["exit 1", "sleep 600"] {
        let installation = Installation::new(&format!("{MIGRATES}{ending}\n"));
        let limit = if ending == "exit 1" { LONG } else { Duration::from_secs(5) };
        assert!(matches!(installation.restart(limit), Restarted::Old(_)));
        assert!(installation.folder.path().join("ran").exists(), "the new version migrated");
        installation.assert_old();
    }
}

#[test]
fn a_file_that_changed_after_the_download_is_not_started() {
    let installation = Installation::new(GOOD);
    installation.executable(&installation.target.verified(), "#!/bin/sh\ntouch \"$DIFFSAN_UPDATE_STARTED\" # evil\n");
    assert!(matches!(installation.restart(LONG), Restarted::Old(_)));
    installation.assert_old();
    assert!(!installation.folder.path().join("ran").exists());
    assert!(installation.outcome().expect("a message").contains("SHA-256 sum"));
}

#[test]
fn without_a_request_nothing_happens() {
    let installation = Installation::new(GOOD);
    UpdateFolder::of(&installation.places).remove();
    assert_eq!(installation.restart(LONG), Restarted::Nothing);
    assert_eq!(fs::read_to_string(installation.target.path()).expect("a file"), OLD);
}

#[test]
fn a_restart_that_was_killed_before_the_exchange_is_undone() {
    let installation = Installation::new(GOOD);
    copy_state(&installation.places.store(), &UpdateFolder::of(&installation.places).state_copy()).expect("copied");
    recover(&installation.places, Some(&installation.target), "1.2.0");
    installation.assert_old();
    assert!(installation.outcome().expect("a message").contains("was interrupted"));
}

#[test]
fn the_previous_version_puts_itself_back_when_it_is_started_after_a_kill() {
    let installation = Installation::new(MIGRATES);
    let script = fs::read_to_string(installation.target.verified()).expect("a file");
    copy_state(&installation.places.store(), &UpdateFolder::of(&installation.places).state_copy()).expect("copied");
    installation.write_record(&script, true);
    installation.target.exchange().expect("exchanged");
    assert!(Command::new(installation.target.path()).status().expect("started").success());
    // The user starts the file `.previous`.
    recover(&installation.places, Some(&installation.target), "1.2.0");
    installation.assert_old();
}

#[test]
fn the_new_version_ends_the_update_if_nobody_waits_for_it() {
    let installation = Installation::new(GOOD);
    let script = fs::read_to_string(installation.target.verified()).expect("a file");
    installation.write_record(&script, true);
    installation.target.exchange().expect("exchanged");
    recover(&installation.places, Some(&installation.target), "1.3.0");
    assert!(installation.target.previous().exists(), "it has not started yet");
    started(&installation.places, "1.3.0").expect("recorded");
    installation.assert_nothing_left();
    assert_eq!(fs::read_to_string(installation.target.path()).expect("a file"), script);
}

#[test]
fn a_start_leaves_the_update_to_the_process_that_waits() {
    let installation = Installation::new(GOOD);
    let folder = UpdateFolder::of(&installation.places);
    let lock = folder.lock().expect("locked").expect("the lock");
    recover(&installation.places, Some(&installation.target), "1.2.0");
    started(&installation.places, "1.3.0").expect("recorded");
    assert!(folder.read().is_some() && installation.target.verified().exists());
    drop(lock);
}
