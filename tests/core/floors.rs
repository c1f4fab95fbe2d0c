//! The house: rooms on floors, importing downward only, and doors that do not know each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every room of the core and its floor: words, steps, doors, flows, face.
const FLOORS: [&[&str]; 5] = [
    &["bounded", "change", "config", "error", "event", "finding", "review"],
    &[
        "anchor",
        "answer",
        "capability",
        "compact",
        "export",
        "highlight",
        "merge",
        "outline",
        "post_plan",
        "prepare",
        "prices",
        "prompt",
        "redact",
        "tokens",
    ],
    &["agent", "files", "gitlab", "repo", "room", "secrets", "store"],
    &["chat", "policy", "post", "run"],
    &["app", "rpc", "schemas"],
];
const DOORS: usize = 2;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn floor_of(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Code by room: `src/agent/find.rs` and `src/agent.rs` belong to `agent`.
fn rooms() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    files(&source(), &mut found);
    let mut rooms: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    for path in found {
        let inside = path.strip_prefix(source()).expect("inside").to_owned();
        let room = inside.components().next().expect("component").as_os_str().to_string_lossy().replace(".rs", "");
        if room != "lib" {
            rooms.entry(room).or_default().push((inside, fs::read_to_string(&path).expect("text")));
        }
    }
    rooms
}

/// Rooms that a file names behind `crate::`, also inside `use crate::{a, b::C}`.
fn named_rooms(text: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        if text[line_start..at].trim_start().starts_with("//") || text[line_start..at].contains("pub(in ") {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        let word =
            |text: &str| -> String { text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect() };
        match rest.strip_prefix('{') {
            None => named.push(word(rest)),
            Some(group) => {
                let mut depth = 0;
                let mut item = String::new();
                for char in group.chars() {
                    match char {
                        '}' if depth == 0 => break,
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => named.push(word(std::mem::take(&mut item).trim())),
                        char => item.push(char),
                    }
                }
                named.push(word(item.trim()));
            }
        }
    }
    named.retain(|room| !room.is_empty());
    named
}

fn violations(rooms: &BTreeMap<String, Vec<(PathBuf, String)>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (room, files) in rooms {
        let Some(floor) = floor_of(room) else {
            wrong.push(format!("`{room}` stands on no floor: add it to this test and to DESIGN"));
            continue;
        };
        for (path, text) in files {
            for other in named_rooms(text).into_iter().filter(|other| other != room) {
                match floor_of(&other) {
                    Some(above) if above > floor => {
                        wrong.push(format!(
                            "{}: `{room}` (floor {floor}) imports `{other}` (floor {above})",
                            path.display()
                        ));
                    }
                    Some(DOORS) if floor == DOORS => {
                        wrong.push(format!("{}: the door `{room}` imports the door `{other}`", path.display()));
                    }
                    _ => {}
                }
            }
        }
    }
    wrong
}

#[test]
fn imports_go_downward_only() {
    let wrong = violations(&rooms());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn an_upward_import_would_be_found() {
    let room = |name: &str, text: &str| (name.to_owned(), vec![(PathBuf::from("x.rs"), text.to_owned())]);
    let upward = BTreeMap::from([room("change", "use crate::{error::Error, rpc::wire};")]);
    assert_eq!(violations(&upward), ["x.rs: `change` (floor 0) imports `rpc` (floor 4)"]);
    let doors = BTreeMap::from([room("store", "fn f() { crate::files::x() }")]);
    assert_eq!(violations(&doors), ["x.rs: the door `store` imports the door `files`"]);
    let downward = BTreeMap::from([room("rpc", "use crate::app::App;\nuse crate::change;\n// crate::nothing")]);
    assert!(violations(&downward).is_empty());
    assert_eq!(violations(&BTreeMap::from([room("attic", "")])).len(), 1);
}

#[test]
fn the_command_links_no_window_library() {
    let lock = fs::read_to_string(source().join("../../cli/Cargo.toml")).expect("manifest");
    assert!(!lock.contains("tauri"), "the command must not depend on the window");
}
