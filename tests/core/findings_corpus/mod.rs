//! The corpus of findings in `tests/fixtures/findings`: the share of damaged findings at their exact lines, at wrong ones, and with a wrong
//! fix, and the places of findings after a push. The damages were written by somebody who had not read the code.

mod claims;
mod corpus;
mod score;

use corpus::Corpus;
use score::{Table, followed, placed};

/// The minimum share, in tenths of a percent, of exact places. At the first run 89.6 % of the written changes were exact, with 91 places
/// and 62 fixes wrong; of the public ones 93.8 %, with 3 places and 6 fixes wrong. The rest is code that is in the file several times.
const MIN_EXACT: usize = 998;

fn check(table: &Table, title: &str) {
    table.print(title, 2);
    let sum = |count: fn(&score::Score) -> usize| table.sum(count);
    let (placeable, exact) = (sum(|one| one.placeable), sum(|one| one.exact));
    assert!(exact * 1000 >= placeable * MIN_EXACT, "{exact} of {placeable}");
    assert_eq!((sum(|one| one.wrong), sum(|one| one.dishonest), sum(|one| one.wrong_fixes)), (0, 0, 0));
}

#[test]
fn damaged_findings_of_the_corpus_are_placed() {
    check(&placed(&mut Corpus::written()), "written");
}

#[test]
fn damaged_findings_of_public_repositories_are_placed() {
    check(&placed(&mut Corpus::public("placed")), "public");
}

#[test]
fn findings_of_the_corpus_are_followed_through_a_push() {
    check(&followed(&mut Corpus::written()), "written");
}

#[test]
fn findings_of_public_repositories_are_followed_through_a_push() {
    check(&followed(&mut Corpus::public("followed")), "public");
}

#[test]
fn claims_of_the_corpus_are_decided() {
    claims::claims(&mut Corpus::written()).print(20);
}

#[test]
fn everything_zz() {
    let mut corpus = Corpus::public("everything");
    let mut known = std::collections::BTreeSet::new();
    for row in corpus.rows("changes.jsonl") {
        let id = row["id"].as_str().expect("an id").to_owned();
        if !known.insert(id.rsplit_once('-').expect("a name").0.to_owned()) {
            continue;
        }
        let state = corpus.state(&id);
        for verdict in [diffsan_review::finding::Verdict::Verified, diffsan_review::finding::Verdict::Contradicted] {
            let found = claims::about_everything(state, verdict);
            println!("## {id} {verdict:?} {}", found.len());
            for one in found {
                println!("{verdict:?} {id} {one}");
            }
        }
    }
}
