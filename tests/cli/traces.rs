//! The files that the real programs try to read in their room, in the empty folder and in the folders above: system calls of
//! reviews and conversations, compared with a list for each program. A new version that reads something new fails here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use diffsan_agent::room::is_left_out;
use diffsan_test_support::codex;
use regex::Regex;
use serde_json::{Value, json};

use crate::agents::{Case, Who, files, good};

/// Files of the reviewed repository that a program may open as settings of its runtime. Checks of their names are not recorded,
/// because every listing of a folder causes them.
const SOURCE: [&str; 9] = [
    "package.json",
    "tsconfig.json",
    "jsconfig.json",
    "Cargo.toml",
    "Makefile",
    "README.md",
    ".editorconfig",
    ".gitattributes",
    "pyproject.toml",
];
/// The reason in a list for a name that no file in a room can have.
const LEFT_OUT: &str = "left out";

/// The system calls with which a program searches for a file or reads it.
const LOOKS: [&str; 12] = [
    "open",
    "openat",
    "openat2",
    "stat",
    "lstat",
    "statx",
    "newfstatat",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
];

/// A program whose system calls are recorded.
struct Traced {
    case: Case,
    logs: PathBuf,
}

impl Traced {
    fn new(who: Who) -> Self {
        let mut case = Case::new(who, vec![who.says(&good())]);
        for name in SOURCE {
            case.repo.write(name, "");
        }
        case.repo.write("package.json", "{}\n");
        case.repo.write("tsconfig.json", "{}\n");
        case.repo.write("src/deep/b.rs", "fn b() {}\n");
        case.repo.write(".env", "MODE=dev\n");
        case.repo.git(["add", "-A", "-f"]);
        case.repo.git(["commit", "-q", "-m", "source"]);
        case.repo.write("a.rs", "fn main() {\n    for i in 0..3 - 1 {}\n}\n");
        let logs = case.repo.beside("traces");
        std::fs::create_dir_all(&logs).expect("a folder");
        let folder = case.repo.beside("bin");
        std::fs::create_dir_all(&folder).expect("a folder");
        let (program, log) = (program(who), logs.join("log"));
        let script = format!(
            "#!/bin/sh\nexec strace -f -y -qq --seccomp-bpf -s 4096 -e trace=%file -o '{}'.$$ '{}' \"$@\"\n",
            log.display(),
            program.display()
        );
        let wrapper = folder.join(who.name());
        std::fs::write(&wrapper, script).expect("written");
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).expect("a program");
        let installation = std::mem::replace(&mut case.installation, crate::support::Installation::new());
        case.installation = installation.with_path(&folder).with("DIFFSAN_AGENT__START_TIMEOUT_SECONDS", "180");
        let case = case.without_sandbox();
        Self { case, logs }
    }

    /// Records a review, a review with tool calls, and a conversation with tool calls.
    fn record(&self, who: Who) {
        let case = &self.case;
        let ran = case.review(&["--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let room = self.room().unwrap_or_default();
        let mut turns = Vec::new();
        if !room.as_os_str().is_empty() {
            turns.push(json!({ "tools": tools(who, &room.display().to_string()) }));
            case.server.play(json!({ "turns": [turns[0].clone(), who.says(&good())] }));
            let ran = case.review(&["--json"]);
            assert_eq!(ran.code, 0, "{ran:?}");
        }
        turns.push(json!({ "text": "The loop stops early." }));
        case.server.play(json!({ "turns": turns }));
        let ran = case.installation.run(case.repo.path(), &["chat", "-m", "What does the loop do?"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        case.check_nothing_is_left(&ran);
    }

    /// Returns the folder of the room, if there is one.
    fn room(&self) -> Option<PathBuf> {
        let marked = files(&self.case.installation.data().join("rooms")).into_keys();
        marked.filter(|path| path.ends_with("files/a.rs")).find_map(|path| Some(path.parent()?.to_owned()))
    }

    /// Returns the names that the program tried, in the form of the lists.
    fn tried(&self) -> BTreeSet<String> {
        // The first name is the file. A second name is the target of a link.
        let call = Regex::new(r#"^\d+ +(\w+)\((?:[A-Z_0-9]+<([^<>"]*)>, )?"((?:[^"\\]|\\.)*)""#).expect("a pattern");
        let data = self.case.installation.data();
        let mut tried = BTreeSet::new();
        for (_, log) in files(&self.logs) {
            let log = String::from_utf8_lossy(&log).into_owned();
            let start = start_folder(&log, &data);
            for line in log.lines() {
                let Some(found) =
                    call.captures(line).filter(|found| LOOKS.contains(&found.get(1).map_or("", |call| call.as_str())))
                else {
                    continue;
                };
                let folder_only = line.contains("O_DIRECTORY") || line.contains("O_PATH");
                let opened = found[1].starts_with("open") && !folder_only;
                let base = found.get(2).map_or(start.clone(), |base| PathBuf::from(base.as_str()));
                tried.extend(normal(&plain(&base.join(&found[3])), opened, &data));
            }
        }
        tried
    }
}

/// Returns the first working directory below the data folder. Empty if the log contains none.
fn start_folder(log: &str, data: &Path) -> PathBuf {
    let known = Regex::new(&format!(r#"AT_FDCWD<({}/[^<>"]*)>"#, regex::escape(&data.display().to_string())));
    known.expect("a pattern").captures(log).map(|found| PathBuf::from(&found[1])).unwrap_or_default()
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut all, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(all.pop()),
            part => all.push(part),
        }
        all
    })
}

/// Returns a path in the form of the lists: `{room}/NAME`, `{room}/*/NAME` in a folder of source, `{empty}/NAME`, and
/// `{above}/NAME` in a folder above these. Returns `None` for other paths, and for an existing file that was only listed.
fn normal(path: &Path, opened: bool, data: &Path) -> Option<String> {
    let parts: Vec<&str> = path.strip_prefix(data).ok()?.iter().filter_map(|part| part.to_str()).collect();
    let (place, rest) = match parts.as_slice() {
        ["rooms", _, _, "files", rest @ ..] => ("{room}", rest),
        ["private", _, "empty", rest @ ..] => ("{empty}", rest),
        // The agent's own home and temporary folder.
        ["private", _, "home" | "tmp", ..] | ["runs", ..] => return None,
        // The first name that is not part of the path to a room or to the empty folder.
        above => return above.iter().find(|part| !is_on_the_way(part)).map(|name| format!("{{above}}/{name}")),
    };
    let (folders, name) = match rest {
        [] | ["src"] | ["src", "deep"] => return None,
        ["src", "deep", name @ ..] | ["src", name @ ..] => ("/*", name),
        name => ("", name),
    };
    let source = name == ["a.rs"] || name == ["b.rs"];
    if source || (SOURCE.contains(&name.join("/").as_str()) && !opened) {
        return None;
    }
    // Below a name that is left out, further names do not matter.
    let shown = match (1..=name.len()).find(|end| is_kept_out(&name[..*end].join("/"))) {
        Some(end) if end == name.len() && is_left_out(&name.join("/")).expect("the rules") => name.join("/"),
        Some(end) => format!("{}/", name[..end].join("/")),
        None => name.join("/"),
    };
    Some(format!("{place}{folders}/{shown}"))
}

/// Returns whether a folder of diffsan's data can have this name: a fixed name, a room's number, or a random name.
fn is_on_the_way(name: &str) -> bool {
    let random = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    random || name.parse::<u8>().is_ok() || ["rooms", "private", "files", "home", "tmp", "empty"].contains(&name)
}

/// Returns whether no file of the repository can have this name in a room, neither as a file nor as a folder.
fn is_kept_out(name: &str) -> bool {
    is_left_out(name).expect("the rules") || is_left_out(&format!("{name}/x")).expect("the rules")
}

/// Returns the program from npm.
fn program(who: Who) -> PathBuf {
    match who {
        Who::Opencode => codex::opencode_folder().join("opencode"),
        _ => codex::folder().join(who.name()),
    }
}

/// Returns the tool calls with which an agent reads, searches and lists. opencode would download a program for searching.
fn tools(who: Who, room: &str) -> Vec<Value> {
    let (file, folder) = (format!("{room}/src/deep/b.rs"), format!("{room}/src"));
    match who {
        Who::Claude => vec![
            json!({ "name": "Read", "args": { "file_path": file } }),
            json!({ "name": "Grep", "args": { "pattern": "fn", "path": folder, "output_mode": "content" } }),
            json!({ "name": "Glob", "args": { "pattern": "**/*.rs", "path": folder } }),
        ],
        Who::Gemini => vec![
            json!({ "name": "read_file", "args": { "file_path": file } }),
            json!({ "name": "grep_search", "args": { "pattern": "fn", "dir_path": folder } }),
            json!({ "name": "glob", "args": { "pattern": "**/*.rs", "dir_path": folder } }),
            json!({ "name": "list_directory", "args": { "dir_path": folder } }),
        ],
        _ => vec![json!({ "name": "read", "args": { "filePath": file } })],
    }
}

/// Returns the list of a program: each name with the reason why it may be tried.
fn expected(who: Who) -> BTreeMap<String, String> {
    let text = match who {
        Who::Codex => include_str!("../fixtures/traces/codex.txt"),
        Who::Claude => include_str!("../fixtures/traces/claude.txt"),
        Who::Gemini => include_str!("../fixtures/traces/gemini.txt"),
        _ => include_str!("../fixtures/traces/opencode.txt"),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert!(lines.is_sorted(), "the list of {} is sorted", who.name());
    let entry = |line: &&str| line.split_once("  ").map(|(name, why)| (name.to_owned(), why.trim().to_owned()));
    lines.iter().map(|line| entry(line).unwrap_or_else(|| panic!("a name and why it may be tried: {line}"))).collect()
}

fn only_known_names_are_tried(who: Who) {
    let expected = expected(who);
    for (name, why) in &expected {
        let inside = name.strip_prefix("{room}/").map(|name| name.trim_start_matches("*/"));
        let left_out = inside.is_some_and(|inside| is_kept_out(inside.trim_end_matches('/')));
        assert_eq!(left_out, why == LEFT_OUT, "{name}: the list of {} and config/room.toml differ", who.name());
    }
    let traced = Traced::new(who);
    traced.record(who);
    let tried = traced.tried();
    let new: Vec<&String> = tried.iter().filter(|name| !expected.contains_key(*name)).collect();
    let mut lines = String::new();
    for name in &new {
        let _ = writeln!(lines, "  {name}");
    }
    assert!(
        new.is_empty(),
        "{} tries to read names that nobody has judged yet:\n{lines}Find out what the program does with each of them. If it takes settings, \
         instructions or programs from it, add the name to config/room.toml. If not, it is harmless. Either way, add a line to \
         tests/fixtures/traces/{}.txt, with the reason.",
        who.name(),
        who.name()
    );
    let known = tried.iter().filter(|name| expected.contains_key(*name)).count();
    assert!(known * 2 >= expected.len(), "the trace of {} has too few of the expected names: {tried:#?}", who.name());
}

#[test]
fn codex_tries_only_known_names() {
    only_known_names_are_tried(Who::Codex);
}

#[test]
fn claude_tries_only_known_names() {
    only_known_names_are_tried(Who::Claude);
}

#[test]
fn gemini_tries_only_known_names() {
    only_known_names_are_tried(Who::Gemini);
}

#[test]
fn opencode_tries_only_known_names() {
    only_known_names_are_tried(Who::Opencode);
}
