//! Recovery of a damaged state file under failure: killed, without room, without permission; a damaged log; a full disk.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use diffsan_store::{HistoryQuery, Store};

use super::{
    check_integrity, command, kept, lines, look, make_check_due, make_read_only, overwrite, overwrite_a_page, set_mode,
    state, told, usable, work,
};

/// Creates a folder with a damaged file with `more` additional rows. At least 40 of its reviews can be read.
fn damaged(more: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = state(folder.path());
    {
        let store = Store::open(&path).expect("made");
        work(&store, "a", 60).expect("kept");
    }
    let connection = rusqlite::Connection::open(&path).expect("opened");
    connection
        .execute(
            "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
             INSERT INTO state SELECT 'more' || n, hex(randomblob(2000)) FROM number",
            [more],
        )
        .expect("kept");
    drop(connection);
    make_check_due(&path);
    overwrite_a_page(&path);
    folder
}

fn copy_of(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    std::fs::copy(state(folder), state(copy.path())).expect("copied");
    copy
}

fn is_aside(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder).expect("listed").flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().contains(".damaged-"))
}

fn reviews(store: &Store) -> usize {
    let query = HistoryQuery { limit: 1_000, ..HistoryQuery::default() };
    store.history(&query).expect("listed").iter().filter(|row| row.id != "a").count()
}

#[test]
fn recovery_completes_after_a_kill_at_any_moment() {
    let damaged = damaged(1_500);
    for round in 0..16_u64 {
        let folder = copy_of(damaged.path());
        let mut child = command("open", folder.path(), "").spawn().expect("started");
        std::thread::sleep(Duration::from_millis(round * 24));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let untouched = !is_aside(folder.path());
        let store = Store::open(&state(folder.path())).expect("opened");
        assert!((40..60).contains(&reviews(&store)), "round {round}: {}", reviews(&store));
        assert!(store.state("more1500").expect("read").is_some(), "round {round}");
        assert!(is_aside(folder.path()), "round {round}: the damaged file is kept");
        assert!(!untouched || store.opening().aside.is_some(), "round {round}: it is told");
        usable(&store);
        check_integrity(folder.path());
        drop(store);
        let mut left: Vec<String> = std::fs::read_dir(folder.path())
            .expect("listed")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.contains(".damaged-"))
            .collect();
        left.sort();
        assert_eq!(left, ["diffsan.sqlite3", "diffsan.sqlite3.lock"], "round {round}");
    }
}

#[test]
fn a_complete_new_file_is_installed_after_a_kill() {
    let aside = "diffsan.damaged-20260101-000000.sqlite3";
    for moved in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, aside) = (state(folder.path()), folder.path().join(aside));
        {
            let store = Store::open(&path).expect("made");
            work(&store, "a", 3).expect("kept");
            let told = serde_json::json!({ "place": aside.file_name().and_then(|name| name.to_str()), "saved": [["review", 3]] });
            store.set_state("store.taken-over", Some(&told.to_string())).expect("kept");
        }
        std::fs::rename(&path, folder.path().join("diffsan.taken-over")).expect("moved");
        // The process ended before it removed the folder in which the file was made.
        std::fs::create_dir(folder.path().join("diffsan.taking-over")).expect("made");
        std::fs::write(if moved { &aside } else { &path }, "no database at all").expect("written");
        let store = Store::open(&path).expect("opened");
        let opening = store.opening().aside.clone().expect("it is told");
        assert_eq!((&opening.place, opening.saved_of("review")), (&aside, 3));
        assert_eq!(std::fs::read(&aside).expect("kept"), b"no database at all");
        assert_eq!(reviews(&store), 3);
        assert!(!folder.path().join("diffsan.taking-over").exists());
        drop(store);
        assert_eq!(Store::open(&path).expect("opened").opening().aside, None, "told once");
    }
}

#[test]
fn a_damaged_file_is_not_moved_on_a_full_disk() {
    let damaged = damaged(0);
    for blocks in [60, 200, 350, 450] {
        let folder = copy_of(damaged.path());
        let program = std::env::current_exe().expect("this program");
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"")]).arg(program);
        shell.args(["store::process", "--exact", "--ignored", "--nocapture", "--test-threads", "1"]);
        told(&mut shell, "open", folder.path(), "");
        let mut child = shell.spawn().expect("started");
        let said: Vec<String> = lines(&mut child).collect();
        child.wait().expect("ended");
        let opened = said.iter().any(|line| line.ends_with("open false"));
        assert!(
            opened || said.iter().any(|line| line.contains("refused") && line.contains("the disk is full")),
            "{said:?}"
        );
        assert_eq!(is_aside(folder.path()), opened, "{blocks}: {said:?}");
        let store = Store::open(&state(folder.path())).expect("opened");
        assert_eq!(store.opening().aside.is_some(), !opened, "{blocks}: it is told once");
        assert!((40..60).contains(&reviews(&store)), "{blocks}: {}", reviews(&store));
    }
}

#[test]
fn readable_data_of_a_damaged_file_in_a_read_only_folder_is_shown() {
    let folder = damaged(0);
    make_read_only(folder.path());
    for _ in 0..2 {
        let said = look(folder.path());
        let path = state(folder.path()).display().to_string();
        let damaged = said.iter().find(|line| line.contains("damaged ")).expect("it says so");
        let count = damaged.split(&format!("damaged {path} ")).nth(1).expect("where it is, as it stays there");
        assert!((40..60).contains(&count.parse::<u32>().expect("a number")), "{said:?}");
        assert!(said.iter().any(|line| line.ends_with("open true")), "{said:?}");
        assert!(said.contains(&"decisions 2".to_owned()), "{said:?}");
    }
    set_mode(folder.path(), 0o755);
}

#[test]
fn a_damaged_log_is_ignored() {
    let kept = tempfile::tempdir().expect("a folder");
    let store = Store::open(&state(kept.path())).expect("made");
    work(&store, "a", 3).expect("kept");
    for (at, bytes) in [(0, [0xff_u8; 4].as_slice()), (16, &[0x5a; 8]), (0, &[0; 32]), (24, &[1; 4]), (4_000, &[1; 40])]
    {
        // The state that a killed process leaves.
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("diffsan.sqlite3-wal");
        std::fs::copy(state(kept.path()), state(folder.path())).expect("copied");
        std::fs::copy(kept.path().join("diffsan.sqlite3-wal"), &log).expect("copied");
        overwrite(&log, at, bytes);
        let store = Store::open(&state(folder.path())).expect("opened");
        usable(&store);
        check_integrity(folder.path());
    }
}

/// Returns the output on a separate full disk with a copy of the folder. The disk is mounted in a namespace, so that root is not
/// needed.
fn on_a_full_disk(folder: &Path) -> Vec<String> {
    let disk = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=4m none \"$1\" || exit 1; cp -a \"$2\"/. \"$1\" || exit 1
        cat /dev/zero > \"$1/rest\" 2> /dev/null; shift 2; exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "bash", "-c", script, "bash"]);
    command.args([disk.path(), folder]).arg(std::env::current_exe().expect("this program"));
    command.args(["store::process", "--exact", "--ignored", "--nocapture", "--test-threads", "1"]);
    told(&mut command, "look", disk.path(), "a");
    let mut child = command.spawn().expect("unshare of util-linux");
    let said: Vec<String> = lines(&mut child).collect();
    assert!(child.wait().expect("ended").success(), "user namespaces are allowed: {said:?}");
    said
}

#[test]
fn everything_can_be_read_on_a_full_disk() {
    let (_outer, folder) = kept();
    let said = on_a_full_disk(&folder);
    assert!(said.iter().any(|line| line.ends_with("full true")), "{said:?}");
    assert!(said.contains(&"open true".to_owned()), "{said:?}");
    assert!(said.contains(&"decisions 2".to_owned()), "{said:?}");
    assert!(
        said.iter().any(|line| line.starts_with("write ") && line.contains("the disk was full at the start")),
        "{said:?}"
    );
}
