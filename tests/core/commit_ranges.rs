//! The commits of a range are those of `git rev-list`, and of a long range the newest.

use std::collections::{HashMap, HashSet};

use diffsan_change::Target;
use diffsan_git::Repo;
use diffsan_test_support::history::Dice;
use diffsan_test_support::repo::TestRepo;

/// The number of commits of a range that are read.
const LIMIT: usize = 200;
const COMMITS: usize = 600;

/// Returns a repository with commits of random parents, often of the same second.
fn random_history(seed: u64) -> TestRepo {
    let mut dice = Dice::new(seed);
    let mut input = String::new();
    let mut time = 1_700_000_000;
    for mark in 1..=COMMITS {
        time += dice.roll(3);
        input +=
            &format!("commit refs/heads/c{mark}\nmark :{mark}\ncommitter A <a@example.com> {time} +0000\ndata 1\nx\n");
        let parent = |dice: &mut Dice| mark - 1 - dice.roll(mark.min(4) - 1);
        if mark > 1 {
            let first = parent(&mut dice);
            input += &format!("from :{first}\n");
            let second = parent(&mut dice);
            if second != first && dice.once_in(2) {
                input += &format!("merge :{second}\n");
            }
        }
        input += "\n";
    }
    let repo = TestRepo::new();
    repo.git_with(["fast-import", "--quiet"], input.as_bytes());
    repo
}

#[test]
fn the_commits_of_a_range_are_those_of_git() {
    let mut long = 0;
    for seed in 0..4 {
        let repo = random_history(seed);
        let opened = Repo::open(repo.path()).expect("a repository");
        let mut dice = Dice::new(seed);
        for _ in 0..12 {
            let (base, head) = (format!("c{}", 1 + dice.roll(COMMITS)), format!("c{}", 1 + dice.roll(COMMITS)));
            let target = Target::Range { base: base.clone(), head: head.clone(), merge_base: false };
            let found: Vec<String> =
                opened.commits_of(&target).expect("the commits").into_iter().map(|commit| commit.id).collect();
            let listed = repo.text(["rev-list", "--timestamp", "--parents", &format!("{base}..{head}")]);
            let mut times = HashMap::new();
            let mut parents: HashMap<&str, Vec<&str>> = HashMap::new();
            for line in listed.lines() {
                let mut words = line.split(' ');
                let time: u64 = words.next().and_then(|time| time.parse().ok()).expect("a time");
                let id = words.next().expect("an id");
                times.insert(id, time);
                parents.insert(id, words.collect());
            }
            assert!(found.iter().all(|id| times.contains_key(&**id)), "{seed} {base}..{head}");
            assert_eq!(found.len(), times.len().min(LIMIT), "{seed} {base}..{head}");
            let known: HashSet<&str> = found.iter().map(|id| &**id).collect();
            assert_eq!(known.len(), found.len(), "{seed} {base}..{head}");
            let oldest = found.iter().map(|id| times[&**id]).min().unwrap_or_default();
            let newer = times.iter().filter(|(_, time)| **time > oldest);
            assert!(newer.into_iter().all(|(id, _)| known.contains(id)), "{seed} {base}..{head}");
            long += usize::from(times.len() > LIMIT);
            let mut before: HashSet<&str> = HashSet::new();
            for id in &found {
                let own = parents[&**id].iter().filter(|parent| known.contains(**parent));
                assert!(own.into_iter().all(|parent| before.contains(parent)), "{seed} {base}..{head}: {id}");
                before.insert(id);
            }
        }
    }
    assert!(long > 4, "{long} long ranges");
}
