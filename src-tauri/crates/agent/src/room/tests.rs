use std::sync::Arc;

use super::*;
use diffsan_redact::{Redactor, Session};

fn session() -> Session {
    let settings = diffsan_config::resolve(Vec::new(), false).expect("defaults").config;
    Arc::new(Redactor::new(&settings.redaction, [7; 32]).expect("an engine")).session()
}

fn files(list: &[(&str, &str)]) -> Vec<RoomFile> {
    list.iter().map(|(path, id)| RoomFile { path: (*path).to_owned(), id: (*id).to_owned() }).collect()
}

fn update(room: &Room, list: &[(&str, &str)]) -> RoomFacts {
    let mut session = session();
    let read = |file: &RoomFile, _: u64| Some(session.room_file(&file.path, file.id.as_bytes()));
    room.update("v", &files(list), read, None::<fn(&str, &[u8]) -> Option<Redacted<Vec<u8>>>>).expect("a room")
}

fn content(room: &Room) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.file_type().expect("a type") {
                _ if entry.file_name() == ".git" => {}
                kind if kind.is_dir() => walk(&entry.path(), found),
                _ => found.push(fs::read_to_string(entry.path()).unwrap_or_default()),
            }
        }
    }
    let mut found = Vec::new();
    walk(&room.files(), &mut found);
    found.sort();
    found
}

#[test]
fn a_room_is_updated_by_differences() {
    let rooms = tempfile::tempdir().expect("a folder");
    let room = Room::open(rooms.path(), "r").expect("a room");
    let facts = update(&room, &[("a", "1"), ("x/b", "2"), ("x/y/c", "3")]);
    assert_eq!((facts.files, facts.written, facts.removed), (3, 3, 0));
    let facts = update(&room, &[("a", "1"), ("x", "4"), ("d", "5")]);
    assert_eq!((facts.files, facts.written, facts.removed), (3, 2, 2));
    assert_eq!(content(&room), ["1", "4", "5"]);
    assert_eq!(update(&room, &[("a", "1"), ("x", "4"), ("d", "5")]).written, 0);
}

#[test]
fn changes_by_an_agent_are_reverted() {
    let rooms = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let room = Room::open(rooms.path(), "r").expect("a room");
    let list = [("a", "1"), ("x/b", "2"), ("x/c", "3")];
    update(&room, &list);
    let root = room.files();
    fs::write(root.join("a"), "9").expect("written");
    fs::write(root.join("new"), "9").expect("written");
    fs::remove_dir_all(root.join("x")).expect("removed");
    std::os::unix::fs::symlink(elsewhere.path(), root.join("x")).expect("a link");
    update(&room, &list);
    assert_eq!(content(&room), ["1", "2", "3"]);
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0, "no link is followed");
}

/// The paths of the files in a room.
fn paths(room: &Room) -> Vec<String> {
    let root = room.files();
    let walk = ignore::WalkBuilder::new(&root).standard_filters(false).build().flatten();
    let files = walk.filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir()));
    let inside = |entry: ignore::DirEntry| Some(entry.path().strip_prefix(&root).ok()?.to_str()?.to_owned());
    let mut paths: Vec<String> = files.filter_map(inside).filter(|path| !path.starts_with(".git/")).collect();
    paths.sort();
    paths
}

#[test]
fn agent_settings_are_renamed_in_the_room() {
    let rooms = tempfile::tempdir().expect("a folder");
    let room = Room::open(rooms.path(), "r").expect("a room");
    let facts = update(
        &room,
        &[
            ("src/a.rs", "1"),
            ("AGENTS.md", "2"),
            ("deep/er/Claude.md", "3"),
            (".claude/settings.json", "4"),
            ("sub/.opencode/plugin/a.js", "5"),
            (".ENV", "6"),
            (".env.", "7"),
            (".gitignore", "8"),
            ("diffsan-copies/_.env.txt", "9"),
            (".git/config", "x"),
            ("../out", "x"),
            ("a/../../out", "x"),
            ("/etc/passwd", "x"),
        ],
    );
    assert_eq!((facts.files, facts.copies, facts.left_out), (1, 8, 4));
    assert_eq!(
        paths(&room),
        [
            "diffsan-copies/_.ENV.txt",
            "diffsan-copies/_.claude/_settings.json.txt",
            "diffsan-copies/_.env..txt",
            "diffsan-copies/_.gitignore.txt",
            "diffsan-copies/_AGENTS.md.txt",
            "diffsan-copies/_deep/_er/_Claude.md.txt",
            "diffsan-copies/_diffsan-copies/__.env.txt.txt",
            "diffsan-copies/_sub/_.opencode/_plugin/_a.js.txt",
            "src/a.rs",
        ]
    );
    assert!(!rooms.path().join("r/out").exists());
}

#[test]
fn a_renamed_copy_is_masked_like_its_original() {
    let rooms = tempfile::tempdir().expect("a folder");
    let room = Room::open(rooms.path(), "r").expect("a room");
    let mut seen = Vec::new();
    let mut session = session();
    let list = files(&[(".env", "1")]);
    let read = |file: &RoomFile, _: u64| {
        seen.push(file.path.clone());
        Some(session.room_file(&file.path, b"x"))
    };
    room.update("v", &list, read, None::<fn(&str, &[u8]) -> Option<Redacted<Vec<u8>>>>).expect("a room");
    let mut asked = Vec::new();
    let again = |path: &str, _: &[u8]| {
        asked.push(path.to_owned());
        None
    };
    room.update("v", &list, |_: &RoomFile, _: u64| None, Some(again)).expect("a room");
    assert_eq!((seen, asked), (vec![".env".to_owned()], vec![".env".to_owned()]));
}

#[test]
fn a_room_with_other_rules_is_rebuilt() {
    let rooms = tempfile::tempdir().expect("a folder");
    let room = Room::open(rooms.path(), "r").expect("a room");
    update(&room, &[("a", "1")]);
    // As a version of the program made it that knew nothing of `.env`.
    let root = room.files();
    fs::write(root.join(".env"), "old").expect("written");
    let stamp = disk::stamp(&root.join(".env"));
    let manifest = room.folder.join(MANIFEST);
    let mut known: Manifest = serde_json::from_slice(&fs::read(&manifest).expect("read")).expect("a manifest");
    known.version = "v".to_owned();
    known.files.insert(".env".to_owned(), ("2".to_owned(), stamp));
    fs::write(&manifest, serde_json::to_vec(&known).expect("text")).expect("written");
    let facts = update(&room, &[("a", "1"), (".env", "2")]);
    assert_eq!(paths(&room), ["a", "diffsan-copies/_.env.txt"]);
    assert_eq!((facts.written, facts.removed), (2, 2), "nothing of the old rules is taken over");
}

#[test]
fn two_runs_have_two_rooms() {
    let rooms = tempfile::tempdir().expect("a folder");
    let (one, two) = (Room::open(rooms.path(), "r").expect("one"), Room::open(rooms.path(), "r").expect("two"));
    assert_ne!(one.files(), two.files());
    let path = one.files();
    drop(one);
    assert_eq!(Room::open(rooms.path(), "r").expect("again").files(), path);
}

#[test]
fn other_rules_make_it_anew() {
    let rooms = tempfile::tempdir().expect("a folder");
    let room = Room::open(rooms.path(), "r").expect("a room");
    update(&room, &[("a", "1")]);
    let mut session = session();
    let read = |file: &RoomFile, _: u64| Some(session.room_file(&file.path, b"masked"));
    let never = None::<fn(&str, &[u8]) -> Option<Redacted<Vec<u8>>>>;
    assert_eq!(room.update("w", &files(&[("a", "1")]), read, never).expect("a room").written, 1);
    assert_eq!(content(&room), ["masked"]);
}
