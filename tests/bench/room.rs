//! An agent's room for a tree of thousands of files: the first room, one for a head that differs in ten files, and one for the same head,
//! compared with git's own checkout. `cargo bench --bench benchmarks -- room`

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::row::{Compared, row};
use diffsan_change::Target;
use diffsan_pipeline::open::{OpenChange, OpenRequest, Source};
use diffsan_pipeline::review::prepare_room;
use diffsan_store::Store;
use diffsan_store::files::places::Places;
use diffsan_test_support::history::{Dice, line};
use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::timing::median;

const FILES: usize = 6000;
const ROUNDS: usize = 5;

pub(super) fn run(_: &[String]) {
    let mut dice = Dice::new(3);
    let repo = TestRepo::new();
    let text = |dice: &mut Dice| -> Vec<u8> {
        (0..60 + dice.roll(160)).flat_map(|_| [line(dice), b"\n".to_vec()].concat()).collect()
    };
    for index in 0..FILES {
        repo.write(format!("src/{}/{}/f{index}.rs", index % 37, index % 11), text(&mut dice));
    }
    repo.commit("all");
    for index in 0..10 {
        repo.write(format!("src/{}/{}/f{index}.rs", index % 37, index % 11), text(&mut dice));
    }
    repo.commit("ten");
    let data = tempfile::tempdir().expect("a folder");
    let places = Places { data: data.path().to_owned(), config: data.path().join("config") };
    let store = Store::open(&places.store()).expect("a store");
    let open = |rev: &str| {
        let request = OpenRequest {
            source: Source::Repository(repo.path().to_owned()),
            target: Target::Commit { rev: rev.to_owned() },
            overrides: Vec::new(),
            trusted: false,
            since: None,
            selected: None,
        };
        Arc::new(OpenChange::open(&places, &store, [7; 32], request).expect("a change"))
    };
    let (before, after) = (open("HEAD~1"), open("HEAD"));
    let make = |opened: &OpenChange| {
        let started = Instant::now();
        let room = prepare_room(&places, opened, opened.fresh_session()).expect("a room").expect("files");
        (started.elapsed(), room.facts)
    };
    let mut first: Vec<Duration> = Vec::new();
    let mut second: Vec<Duration> = Vec::new();
    let mut same: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        std::fs::remove_dir_all(places.rooms()).unwrap_or_default();
        let (took, facts) = make(&before);
        assert_eq!(facts.written, FILES);
        first.push(took);
        let (took, facts) = make(&after);
        assert_eq!(facts.written, 10);
        second.push(took);
        same.push(make(&after).0);
    }
    let folder = data.path().join("checkout");
    let git = median(ROUNDS, || {
        std::fs::remove_dir_all(&folder).unwrap_or_default();
        repo.git(["worktree", "prune"]);
        repo.git(["worktree", "add", "--force", "--detach", &folder.display().to_string(), "HEAD"]);
    });
    let middle = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let first = middle(&mut first);
    let milliseconds = |took: Duration| took.as_secs_f64() * 1e3;
    let size = format!("{FILES} files");
    let peer = |goal| Compared::Peer("git worktree add", milliseconds(git), goal);
    row("room, first", &size, milliseconds(first), "ms", &peer(Some(2.0)));
    println!("{FILES} files, median of {ROUNDS}");
    for (name, took) in [
        ("first room", first),
        ("head that differs in 10 files", middle(&mut second)),
        ("same head", middle(&mut same)),
        ("git worktree add", git),
    ] {
        if name.contains("head") {
            row(&format!("room, {name}"), &size, milliseconds(took), "ms", &peer(None));
        }
        println!(
            "{name:<32}{:>8.0} ms  {:>6.3} of the first",
            milliseconds(took),
            took.as_secs_f64() / first.as_secs_f64()
        );
    }
}
