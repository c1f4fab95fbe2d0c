//! Navigation in a real repository: both sides, updates, the cache, unchanged callers.

use diffsan_app::{App, AppOptions, ChangeHandle, NamePlace};
use diffsan_change::Target;
use diffsan_pipeline::error::ErrorCode;
use diffsan_pipeline::open::{OpenRequest, Source, UnreadReason};
use diffsan_review::finding::Side;
use diffsan_test_support::repo::TestRepo;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

struct Fixture {
    app: Arc<App>,
    repo: TestRepo,
    data: tempfile::TempDir,
}

/// A project whose last commit changes the signature of `send`, renames the local variable, and edits one of two callers.
fn fixture() -> Fixture {
    let repo = TestRepo::new();
    repo.write("mail.py", "def send(to):\n    result = to\n    return result\n\ndef gone(x):\n    return x\n");
    repo.write("a.py", "from mail import send\n\ndef notify(user):\n    send(user)\n");
    repo.write(
        "b.py",
        "from mail import send, gone\n\ndef welcome(user):\n    send(user)\n\ndef other():\n    gone(1)\n",
    );
    repo.commit("one");
    repo.write("mail.py", "# Mail.\ndef send(to, subject):\n    value = to\n    return value\n");
    repo.write("a.py", "from mail import send\n\ndef notify(user):\n    send(user, 'x')\n");
    repo.commit("two");
    let data = tempfile::tempdir().expect("a folder");
    let options = AppOptions {
        data_dir: Some(data.path().join("data")),
        config_dir: Some(data.path().join("config")),
        ..AppOptions::default()
    };
    Fixture { app: App::start(options).expect("an app"), repo, data }
}

fn open(fixture: &Fixture, rev: &str) -> ChangeHandle {
    let request = OpenRequest {
        source: Source::Repository(fixture.repo.path().to_owned()),
        target: Target::Commit { rev: rev.to_owned() },
        overrides: Vec::new(),
        trusted: false,
        since: None,
        selected: None,
    };
    fixture.app.open(request).expect("a change")
}

fn at(side: Side, path: &str, line: u32, column: u32) -> NamePlace {
    NamePlace { side, path: path.to_owned(), line, column }
}

#[test]
fn a_name_is_found_on_its_own_side() {
    let fixture = fixture();
    let change = open(&fixture, "HEAD");
    for (side, line, first) in [(Side::New, 2, "def send(to, subject):"), (Side::Old, 1, "def send(to):")] {
        let found = fixture.app.find_definition(&change, &at(side, "a.py", 4, 5)).expect("an answer");
        assert!(found.certain, "{found:?}");
        assert_eq!((found.places[0].place.path.as_str(), found.places[0].place.line), ("mail.py", line));
        assert_eq!(found.places[0].lines[0], first);
    }
}

#[test]
fn references_name_the_functions_around_them() {
    let fixture = fixture();
    let change = open(&fixture, "HEAD");
    let found = fixture.app.find_references(&change, &at(Side::New, "mail.py", 2, 4), true).expect("an answer");
    let lines: Vec<String> = found
        .references
        .iter()
        .map(|one| format!("{}:{} {}", one.usage.path, one.usage.line, one.usage.within))
        .collect();
    assert_eq!(lines, ["a.py:4 notify", "b.py:4 welcome"]);
}

#[test]
fn unchanged_callers_of_changed_and_removed_signatures_are_listed() {
    let fixture = fixture();
    let change = open(&fixture, "HEAD");
    let found = fixture.app.changed_signatures(&change).expect("an answer");
    let shown: Vec<String> = found
        .iter()
        .flat_map(|one| {
            one.callers.iter().map(move |caller| {
                format!(
                    "{} -> {:?}: {}:{} {}",
                    one.before, one.after, caller.usage.path, caller.usage.line, caller.text
                )
            })
        })
        .collect();
    assert_eq!(
        shown,
        ["def send(to) -> Some(\"def send(to, subject)\"): b.py:4 send(user)", "def gone(x) -> None: b.py:7 gone(1)"]
    );
}

#[test]
fn a_damaged_cache_is_built_again() {
    let fixture = fixture();
    let change = open(&fixture, "HEAD");
    let before = fixture.app.prepare_symbols(&change, &CancellationToken::new()).expect("symbols");
    let mut entries = 0;
    for file in walk(&fixture.data.path().join("data/symbols")) {
        std::fs::write(&file, b"damaged").expect("written");
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries");
    let again = open(&fixture, "HEAD");
    assert_eq!(fixture.app.prepare_symbols(&again, &CancellationToken::new()).expect("symbols"), before);
    let found = fixture.app.find_definition(&again, &at(Side::New, "b.py", 4, 4)).expect("an answer");
    assert!(found.certain, "{found:?}");
}

#[test]
fn reading_in_the_background_can_be_cancelled_and_questions_are_still_answered() {
    let fixture = fixture();
    let change = open(&fixture, "HEAD");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = fixture.app.prepare_symbols(&change, &cancel).expect_err("cancelled");
    assert_eq!(error.code, ErrorCode::Cancelled);
    let found = fixture.app.find_definition(&change, &at(Side::New, "b.py", 4, 4)).expect("an answer");
    assert!(found.certain, "{found:?}");
}

/// Returns a message of Protocol Buffers as a field of another one.
fn message(number: u8, content: &[u8]) -> Vec<u8> {
    let mut length = Vec::new();
    let mut left = content.len();
    while left >= 128 {
        length.push(u8::try_from(left % 128).expect("a byte") | 128);
        left /= 128;
    }
    length.push(u8::try_from(left).expect("a byte"));
    [&[number << 3 | 2], &length[..], content].concat()
}

/// Returns a document of a SCIP index. An occurrence is a range, a symbol, and whether it defines the symbol.
fn document(path: &str, occurrences: &[([u8; 3], &str, bool)]) -> Vec<u8> {
    let one = |(range, symbol, defines): &([u8; 3], &str, bool)| {
        let roles: &[u8] = if *defines { &[3 << 3, 1] } else { &[] };
        message(2, &[&message(1, range)[..], &message(2, symbol.as_bytes()), roles].concat())
    };
    message(2, &[message(1, path.as_bytes()), occurrences.iter().flat_map(one).collect()].concat())
}

#[test]
fn a_scip_index_answers_where_its_documents_agree_with_the_files() {
    let repo = TestRepo::new();
    // The symbols alone do not say which class `it` has.
    repo.write("a.py", "class A:\n    def run(self): pass\n\nclass B:\n    def run(self): pass\n");
    repo.write("b.py", "from a import *\n\ndef go(it):\n    it.run()\n");
    repo.commit("one");
    repo.write("c.py", "x = 1\n");
    repo.commit("two");
    let (a, b) = ("p . . . a/A#run().", "p . . . a/B#run().");
    let data = tempfile::tempdir().expect("a folder");
    let options = AppOptions {
        data_dir: Some(data.path().join("data")),
        config_dir: Some(data.path().join("config")),
        ..AppOptions::default()
    };
    let fixture = Fixture { app: App::start(options).expect("an app"), repo, data };
    let call = at(Side::New, "b.py", 4, 7);
    let definition = |fixture: &Fixture| {
        let found = fixture.app.find_definition(&open(fixture, "HEAD"), &call).expect("an answer");
        (found.certain, found.places.iter().map(|one| one.place.line).collect::<Vec<_>>())
    };
    assert!(!definition(&fixture).0, "without an index, there are candidates");
    let own = document("a.py", &[([1, 8, 11], a, true), ([4, 8, 11], b, true)]);
    let index = [own, document("b.py", &[([3, 7, 10], b, false)])].concat();
    fixture.repo.write("index.scip", &index);
    assert_eq!(definition(&fixture), (true, vec![5]));
    let references = |line| {
        let place = at(Side::New, "a.py", line, 8);
        let found = fixture.app.find_references(&open(&fixture, "HEAD"), &place, false).expect("an answer");
        found
            .references
            .iter()
            .map(|one| format!("{}:{} {}", one.usage.path, one.usage.line, one.usage.certain))
            .collect::<Vec<_>>()
    };
    assert_eq!(references(5), ["b.py:4 true"]);
    assert!(references(2).is_empty(), "the call is one of the other method");
    // An index of an older text is not used.
    fixture.repo.write("a.py", "# New.\nclass A:\n    def run(self): pass\n\nclass B:\n    def run(self): pass\n");
    fixture.repo.commit("three");
    assert!(!definition(&fixture).0);
}

#[test]
fn a_place_without_a_name_says_so() {
    let fixture = fixture();
    let change = open(&fixture, "HEAD");
    for (path, line) in [("a.py", 2), ("a.py", 99), ("missing.py", 1)] {
        let found = fixture.app.find_definition(&change, &at(Side::New, path, line, 0)).expect("an answer");
        assert!(found.places.is_empty() && found.missing.is_some(), "{found:?}");
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn files_that_are_not_read_as_code_are_named_with_the_reason() {
    let fixture = fixture();
    let giant = |first: &str| format!("{first}\n{}", "x = 'a value that is repeated'\n".repeat(40_000));
    let repo = &fixture.repo;
    repo.write("giant.py", giant("y = 1"));
    repo.write("latin.py", "a = 1\n");
    repo.write("notes.unknown", "a\n");
    repo.write("broken.py", "def one(:\n    return two(3)\n");
    repo.commit("three");
    repo.write("giant.py", giant("y = 2"));
    repo.write("latin.py", b"a = '\xe9'\n");
    repo.write("notes.unknown", "b\n");
    repo.write("broken.py", "def one(:\n    return two(4)\n");
    repo.commit("four");
    let change = open(&fixture, "HEAD");
    let reading = change.opened.shown_reading();
    let order = change.opened.plan.order();
    let unread: Vec<(String, UnreadReason)> = reading
        .unread
        .iter()
        .map(|one| (change.opened.change.files[order[one.file as usize]].path().to_text().into_owned(), one.reason))
        .collect();
    let expected = [
        ("giant.py", UnreadReason::TooLarge),
        ("latin.py", UnreadReason::NotText),
        ("notes.unknown", UnreadReason::NoGrammar),
    ];
    assert_eq!(unread, expected.map(|(path, reason)| (path.to_owned(), reason)));
    let hunks: usize = reading.chapters.iter().map(|chapter| chapter.steps.len()).sum();
    assert_eq!(hunks, 4, "every hunk is shown");
    let names = fixture.app.names_on_line(&change, &at(Side::New, "broken.py", 2, 0)).expect("an answer");
    assert!(names.partial && names.names.iter().any(|one| one.name == "two"), "{names:?}");
    assert!(!fixture.app.names_on_line(&change, &at(Side::New, "a.py", 4, 0)).expect("an answer").partial);
}
