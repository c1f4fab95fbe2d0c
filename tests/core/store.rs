//! The state file under failure: killed processes, concurrent ones, a full disk, missing permissions, damage. The processes are
//! real.

mod taken_over;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use diffsan_store::{
    Conversation, HistoryQuery, MessageState, PostingPlace, Store, StoreError, StoredMessage, StoredPostingItem,
    StoredReview,
};

/// The variable that tells a child process its task and its folder.
const ORDER: &str = "DIFFSAN_STORE_ORDER";

fn state(folder: &Path) -> PathBuf {
    folder.join("diffsan.sqlite3")
}

fn review(id: &str) -> StoredReview {
    let output = serde_json::json!({ "summary_markdown": format!("Summary of {id}"), "meta": { "agent": "codex" },
        "findings": [{ "key": "f1", "severity": "high", "title": "Overflow", "body_markdown": "x".repeat(2_000), "path": "a.rs" }] });
    StoredReview {
        id: id.into(),
        repository: "/r".into(),
        target: r#"{"kind":"staged"}"#.into(),
        fingerprint: "f".into(),
        created_at: format!("2026-01-01T00:00:00.{id:>04}Z"),
        run_dir: String::new(),
        output: output.to_string(),
        facts: r#"{"masked":0,"cut_files":0}"#.into(),
    }
}

fn conversation(id: &str) -> Conversation {
    Conversation {
        id: id.into(),
        repository: "/r".into(),
        target: "{}".into(),
        title: "Why".into(),
        fingerprint: "f".into(),
        context: "context".into(),
        marker: "m".into(),
        agent: "codex".into(),
        model: None,
        created_at: "1".into(),
        updated_at: "1".into(),
    }
}

fn message(role: &str, text: &str, state: MessageState) -> StoredMessage {
    StoredMessage {
        number: 0,
        role: role.into(),
        state,
        text: text.into(),
        sent: String::new(),
        attached: "[]".into(),
        facts: "{}".into(),
        superseded: false,
        created_at: "2".into(),
    }
}

const PLACE: PostingPlace<'static> = PostingPlace { host: "https://h", project: "a/b", iid: 7 };

/// Repeatedly reviews, decides, adds messages and posts. Prints a line after each call that returned.
fn work(store: &Store, who: &str, rounds: usize) -> Result<(), StoreError> {
    store.add_conversation(&conversation(who))?;
    println!("done conversation {who}");
    for round in 0..rounds {
        let id = format!("{who}{round}");
        store.add_review(&review(&id))?;
        println!("done review {id}");
        store.decide(&id, &["f1".into(), "f2".into()], Some("accepted"), Some("it is so"), "t")?;
        println!("done decision {id}");
        let two = [message("user", &id, MessageState::Done), message("assistant", "", MessageState::Streaming)];
        let first = store.add_messages(who, &two, None)?;
        println!("done message {who} {first} {id}");
        store.write_answer(who, first + 1, "half", MessageState::Streaming, "{}")?;
        store.write_answer(who, first + 1, &format!("answer {id}"), MessageState::Done, "{}")?;
        println!("done answer {who} {} {id}", first + 1);
        let posting = store.begin_posting(PLACE, Some(&id), "{}", "t")?;
        let item = StoredPostingItem { key: id.clone(), state: "landed".into(), note: Some(1), detail: None };
        store.save_posting_item(posting, &item, "t")?;
        println!("done post {id}");
    }
    Ok(())
}

/// Not a test by itself: the child process of the tests below.
#[test]
#[ignore = "the other process of the tests here"]
fn process() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut words = order.split(' ');
    let (what, folder) = (words.next().unwrap_or_default(), PathBuf::from(words.next().unwrap_or_default()));
    let who = words.next().unwrap_or_default().to_owned();
    let store = match Store::open(&state(&folder)) {
        Ok(store) => store,
        Err(error) => return println!("refused {error}"),
    };
    if let Some(aside) = &store.opening().aside {
        println!("damaged {} {}", aside.place.display(), aside.saved_of("review"));
    }
    println!("full {}", store.opening().full);
    println!("open {}", store.opening().read_only);
    match what {
        "work" => match work(&store, &who, 10_000) {
            Ok(()) => println!("ended"),
            Err(error) => println!("failed {error}"),
        },
        "some" => work(&store, &who, 25).expect("everything is kept"),
        // Continues as soon as there is room again.
        "full" => {
            let error = work(&store, &who, 10_000).expect_err("there is no room");
            println!("failed {error}");
            let rows =
                store.history(&HistoryQuery { limit: 1_000, ..HistoryQuery::default() }).expect("it can be read");
            println!("rows {}", rows.len());
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).expect("told to go on");
            store.add_review(&review("after")).expect("there is room");
            println!("done review after");
        }
        "look" => {
            println!("decisions {}", store.decisions("a0").expect("read").len());
            println!("write {}", store.decide("a0", &["f1".into()], None, None, "t").expect_err("nothing is kept"));
        }
        "open" => {}
        other => panic!("{other}"),
    }
}

fn command(order: &str, folder: &Path, who: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["store::process", "--exact", "--ignored", "--nocapture", "--test-threads", "1"]);
    told(&mut command, order, folder, who);
    command
}

fn told(command: &mut Command, order: &str, folder: &Path, who: &str) {
    command
        .env(ORDER, format!("{order} {} {who}", folder.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
}

fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok)
}

/// Checks that all changes that a process reported as done are stored.
fn check_all_is_there(store: &Store, said: &[String]) {
    let mut checked = 0;
    for line in said {
        // Output of the test harness may precede the first line.
        let Some(at) = line.find("done ") else { continue };
        let words: Vec<&str> = line[at..].split(' ').collect();
        match words[1..] {
            ["conversation", id] => assert!(store.conversation(id).expect("read").is_some(), "{line}"),
            ["review", id] => assert!(store.review(id).expect("read").is_some(), "{line}"),
            ["decision", id] => assert_eq!(store.decisions(id).expect("read").len(), 2, "{line}"),
            ["message" | "answer", id, number, text] => {
                let number: i64 = number.parse().expect("a number");
                let all = store.messages(id).expect("read");
                let one = all.iter().find(|one| one.number == number).unwrap_or_else(|| panic!("{line}"));
                assert!(one.text.ends_with(text), "{line}: {one:?}");
                assert_eq!(one.state, MessageState::Done, "{line}");
            }
            ["post", id] => {
                let posted = store.latest_posting(PLACE).expect("read").expect("one");
                assert!(posted.id > 0, "{line} {id}");
            }
            _ => panic!("{line}"),
        }
        checked += 1;
    }
    assert!(checked > 0, "something was done: {said:?}");
}

fn check_integrity(folder: &Path) {
    let connection = rusqlite::Connection::open(state(folder)).expect("opened");
    let said: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("asked");
    assert_eq!(said, "ok");
}

#[test]
fn confirmed_writes_survive_a_kill_at_any_moment() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut said = Vec::new();
    for round in 0..24_u64 {
        let who = char::from(b'a' + u8::try_from(round).expect("small")).to_string();
        let mut child = command("work", folder.path(), &who).spawn().expect("started");
        let lines = lines(&mut child);
        let (sender, receiver) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || lines.for_each(|line| sender.send(line).expect("heard")));
        // Kills the process after it has opened the store, each time after another delay.
        let mut heard = vec![receiver.recv_timeout(Duration::from_secs(60)).expect("a line")];
        while !heard.iter().any(|line| line.contains("open ")) {
            heard.push(receiver.recv_timeout(Duration::from_secs(60)).expect("it opens"));
        }
        std::thread::sleep(Duration::from_micros(round * round * 331 % 90_000));
        child.kill().expect("killed");
        child.wait().expect("ended");
        reader.join().expect("read to the end");
        said.extend(receiver.try_iter());
    }
    let store = Store::open(&state(folder.path())).expect("opened");
    assert_eq!(store.opening().aside, None, "a killed process damages nothing");
    check_all_is_there(&store, &said);
    check_integrity(folder.path());
}

#[test]
fn many_processes_begin_and_write_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    // The file does not exist yet, so all processes create it at the same time.
    let mut children: Vec<Child> =
        (0..6).map(|who| command("some", folder.path(), &format!("p{who}")).spawn().expect("started")).collect();
    let said: Vec<Vec<String>> = children.iter_mut().map(|child| lines(child).collect()).collect();
    for (child, said) in children.iter_mut().zip(&said) {
        assert!(child.wait().expect("ended").success(), "{said:?}");
    }
    let store = Store::open(&state(folder.path())).expect("opened");
    let said = said.concat();
    check_all_is_there(&store, &said);
    let rows = store.history(&HistoryQuery { limit: 1_000, ..HistoryQuery::default() }).expect("listed");
    assert_eq!(rows.len(), 6 * 26);
    check_integrity(folder.path());
}

#[test]
fn a_full_disk_is_reported_and_writing_continues_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(&state(folder.path())).expect("made"));
    let program = std::env::current_exe().expect("this program");
    let mut shell = Command::new("bash");
    // Limits the size of files. With the signal ignored, writes beyond the limit fail as on a full disk.
    shell.args(["-c", "trap '' XFSZ; ulimit -S -f 400; exec \"$0\" \"$@\""]).arg(program);
    shell.args(["store::process", "--exact", "--ignored", "--nocapture", "--test-threads", "1"]);
    told(&mut shell, "full", folder.path(), "a");
    let mut child = shell.spawn().expect("started");
    let mut lines = lines(&mut child);
    let mut said = Vec::new();
    loop {
        let line = lines.next().expect("it says more");
        let ended = line.starts_with("rows ");
        said.push(line);
        if ended {
            break;
        }
    }
    let failed = said.iter().find(|line| line.starts_with("failed ")).expect("it failed");
    assert!(failed.contains("the disk is full"), "{failed}");
    let kept = said.iter().filter(|line| line.contains("done review")).count();
    let rows = format!("rows {}", kept + 1);
    assert_eq!(said.last(), Some(&rows), "what was confirmed can be read, nothing half");
    let id = child.id().to_string();
    let more =
        Command::new("prlimit").args(["--pid", &id, "--fsize=unlimited:"]).status().expect("prlimit of util-linux");
    assert!(more.success());
    drop(child.stdin.take());
    said.extend(lines);
    assert!(child.wait().expect("ended").success(), "{said:?}");
    let store = Store::open(&state(folder.path())).expect("opened");
    assert!(store.review("after").expect("read").is_some(), "the same process goes on");
    check_all_is_there(&store, &said);
    check_integrity(folder.path());
}

/// Runs the task `look` without permission to write in the folder.
fn look(folder: &Path) -> Vec<String> {
    let program = std::env::current_exe().expect("this program");
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").expect("a process")) == 0;
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        // Without its capabilities, root is a user like any other.
        command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.args(["store::process", "--exact", "--ignored", "--nocapture", "--test-threads", "1"]);
    told(&mut command, "look", folder, "a");
    let mut child = command.spawn().expect("started");
    let said = lines(&mut child).collect();
    assert!(child.wait().expect("ended").success(), "{said:?}");
    said
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

/// Creates a state file in a folder whose parents every user can enter.
fn kept() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().expect("a folder");
    set_mode(outer.path(), 0o755);
    let folder = outer.path().join("data");
    std::fs::create_dir(&folder).expect("a folder");
    let store = Store::open(&state(&folder)).expect("made");
    work(&store, "a", 2).expect("kept");
    (outer, folder)
}

fn make_read_only(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("listed").flatten() {
        set_mode(&entry.path(), 0o444);
    }
    set_mode(folder, 0o555);
}

#[test]
fn a_read_only_folder_can_be_read() {
    let (outer, folder) = kept();
    make_read_only(&folder);
    let said = look(&folder);
    assert!(said.iter().any(|line| line.ends_with("open true")), "{said:?}");
    assert!(said.contains(&"decisions 2".to_owned()), "{said:?}");
    let refused = said.iter().find(|line| line.starts_with("write ")).expect("it says so");
    assert!(refused.contains("cannot be written"), "{refused}");
    set_mode(&folder, 0o755);
    drop(outer);
}

#[test]
fn the_last_writes_of_a_killed_process_are_read_from_a_read_only_folder() {
    let (outer, folder) = kept();
    // While a process has the file open, the last writes are in the log.
    let copy = outer.path().join("copy");
    std::fs::create_dir(&copy).expect("a folder");
    let store = Store::open(&state(&folder)).expect("opened");
    store.add_review(&review("late")).expect("kept");
    store.decide("a0", &["f3".into()], Some("dismissed"), None, "t").expect("kept");
    for ending in ["", "-wal"] {
        let name = format!("diffsan.sqlite3{ending}");
        std::fs::copy(folder.join(&name), copy.join(&name)).expect("copied");
    }
    make_read_only(&copy);
    let said = look(&copy);
    assert!(said.contains(&"decisions 3".to_owned()), "{said:?}");
    set_mode(&copy, 0o755);
}

/// Damages a file and opens it. Returns the store and the names of the other files in the folder.
fn opened_after(damage: impl Fn(&Path)) -> (tempfile::TempDir, Store, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let store = Store::open(&state(folder.path())).expect("made");
        work(&store, "a", 60).expect("kept");
    }
    make_check_due(&state(folder.path()));
    damage(&state(folder.path()));
    let store = Store::open(&state(folder.path())).expect("a fresh start");
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("listed")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("damaged"))
        .collect();
    names.sort();
    (folder, store, names)
}

/// Simulates that the last check of the whole file was more than a day ago.
fn make_check_due(path: &Path) {
    let connection = rusqlite::Connection::open(path).expect("opened");
    let changed = connection.execute("UPDATE state SET value = value - 90000 WHERE key = 'store.checked'", []);
    assert_eq!(changed.expect("changed"), 1);
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = std::fs::File::options().write(true).open(path).expect("opened");
    file.seek(SeekFrom::Start(at)).expect("there");
    file.write_all(bytes).expect("written");
}

fn usable(store: &Store) {
    store.add_review(&review("new")).expect("kept");
    store.decide("new", &["f1".into()], Some("accepted"), None, "t").expect("kept");
    assert_eq!(store.decisions("new").expect("read").len(), 1);
}

#[test]
fn a_foreign_file_is_moved_aside_and_a_new_one_created() {
    let text = b"This is a letter, and no database at all. ".repeat(200);
    let whole = |path: &Path| std::fs::write(path, &text).expect("written");
    let header = |path: &Path| overwrite(path, 0, &[0xff; 100]);
    for (damage, old) in [(&whole as &dyn Fn(&Path), Some(&text)), (&header, None)] {
        let (folder, store, aside) = opened_after(damage);
        let opening = store.opening().aside.clone().expect("it was put aside");
        assert_eq!(aside, [opening.place.file_name().expect("a name").to_string_lossy()]);
        assert!(aside[0].starts_with("diffsan.damaged-20") && aside[0].ends_with(".sqlite3"), "{aside:?}");
        if let Some(old) = old {
            assert_eq!(&std::fs::read(&opening.place).expect("read"), old, "as it was");
        }
        usable(&store);
        check_integrity(folder.path());
        drop(store);
        assert_eq!(Store::open(&state(folder.path())).expect("opened").opening().aside, None, "told once");
    }
}

/// Overwrites a page in the middle that belongs to one table. The other tables stay intact.
fn overwrite_a_page(path: &Path) {
    let connection = rusqlite::Connection::open(path).expect("opened");
    let page: i64 = connection
        .query_row("SELECT pageno FROM dbstat WHERE name = 'review' AND pagetype = 'leaf' ORDER BY pageno DESC LIMIT 1 OFFSET 4", [], |row| {
            row.get(0)
        })
        .expect("a page");
    drop(connection);
    overwrite(path, (u64::try_from(page).expect("a number") - 1) * 4096, &[0xa5; 4096]);
}

#[test]
fn readable_data_of_a_damaged_file_is_recovered() {
    let (folder, store, aside) = opened_after(overwrite_a_page);
    assert_eq!(aside.len(), 1);
    let opening = store.opening().aside.clone().expect("it was put aside");
    assert!((40..60).contains(&opening.saved_of("review")), "{opening:?}");
    assert!((80..120).contains(&opening.saved_of("decision")), "those of reviews that are there: {opening:?}");
    assert_eq!((opening.saved_of("conversation"), opening.saved_of("message")), (1, 120), "{opening:?}");
    assert_eq!(store.decisions("a0").expect("read").len(), 2);
    let query = HistoryQuery { words: "overflow".into(), limit: 1_000, ..HistoryQuery::default() };
    assert_eq!(store.history(&query).expect("searched").len() as u64, opening.saved_of("review"), "it is found, too");
    usable(&store);
    check_integrity(folder.path());
}

#[test]
fn a_truncated_file_is_moved_aside() {
    let cut = |path: &Path| {
        let length = std::fs::metadata(path).expect("there").len();
        std::fs::File::options().write(true).open(path).and_then(|file| file.set_len(length / 2)).expect("cut");
    };
    let (folder, store, aside) = opened_after(cut);
    assert_eq!(aside.len(), 1);
    usable(&store);
    check_integrity(folder.path());
    assert!(store.opening().aside.is_some());
}

#[test]
fn a_damaged_file_moves_with_its_log_and_an_emptied_one_is_not_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = state(folder.path());
    let store = Store::open(&path).expect("made");
    work(&store, "a", 3).expect("kept");
    // A killed process leaves its log. Then the file itself is lost.
    let wal = std::fs::read(folder.path().join("diffsan.sqlite3-wal")).expect("a log");
    drop(store);
    std::fs::write(&path, b"").expect("emptied");
    std::fs::write(folder.path().join("diffsan.sqlite3-wal"), &wal).expect("left");
    let store = Store::open(&path).expect("a fresh start");
    let aside = store.opening().aside.clone().expect("put aside");
    let mut log = aside.place.into_os_string();
    log.push("-wal");
    assert!(Path::new(&log).exists() || store.review("a0").expect("read").is_some(), "its log is kept, or was read");
    usable(&store);
    // A file that never had any contents is new.
    let fresh = tempfile::tempdir().expect("a folder");
    std::fs::write(state(fresh.path()), b"").expect("made");
    let store = Store::open(&state(fresh.path())).expect("opened");
    assert_eq!(store.opening().aside, None);
    usable(&store);
}

#[test]
fn damage_found_later_is_repaired_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = state(folder.path());
    {
        let store = Store::open(&path).expect("made");
        work(&store, "a", 60).expect("kept");
    }
    let connection = rusqlite::Connection::open(&path).expect("opened");
    let page: i64 = connection
        .query_row("SELECT max(pageno) FROM dbstat WHERE name = 'review' AND pagetype = 'leaf'", [], |row| row.get(0))
        .expect("a page");
    drop(connection);
    overwrite(&path, (u64::try_from(page).expect("a number") - 1) * 4096, &[0xa5; 4096]);
    {
        // The whole file has been checked today, so it opens. The damage is found when the page is read.
        let store = Store::open(&path).expect("opened");
        let met = (0..60).find_map(|round| store.review(&format!("a{round}")).err());
        assert!(matches!(met, Some(StoreError::Damaged)), "{met:?}");
    }
    let store = Store::open(&path).expect("opened");
    assert!(store.opening().aside.as_ref().is_some_and(|aside| aside.saved_of("review") > 0), "{:?}", store.opening());
}

#[test]
fn locked_newer_and_unreadable_files_are_not_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = state(folder.path());
    drop(Store::open(&path).expect("made"));
    let locked = rusqlite::Connection::open(&path).expect("opened");
    locked.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").expect("locked");
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)), "locked by another");
    drop(locked);
    let newer = rusqlite::Connection::open(&path).expect("opened");
    newer.pragma_update(None, "user_version", 999).expect("set");
    drop(newer);
    assert!(matches!(Store::open(&path), Err(StoreError::Newer { found: 999, .. })));
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("a folder in its place");
    assert!(matches!(Store::open(&path), Err(StoreError::Unreadable(_))));
    let damaged = std::fs::read_dir(folder.path()).expect("listed").flatten();
    assert_eq!(damaged.filter(|entry| entry.file_name().to_string_lossy().contains("damaged")).count(), 0);
}

#[test]
fn a_damaged_file_in_use_is_not_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = state(folder.path());
    let other = Store::open(&path).expect("made");
    work(&other, "a", 3).expect("kept");
    overwrite(&path, 0, &[0xff; 100]);
    let wal = folder.path().join("diffsan.sqlite3-wal");
    std::fs::write(&wal, b"").expect("what was written last is gone, too");
    assert!(matches!(Store::open(&path), Err(StoreError::DamagedInUse)));
    drop(other);
    assert!(Store::open(&path).expect("a fresh start").opening().aside.is_some());
}
