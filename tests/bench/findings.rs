//! Prints where the findings of the corpus are placed, by class: exact, near, wrong, lost and dishonest, and wrong and lost fixes;
//! and the right and wrong verdicts on its claims.
#![allow(dead_code, reason = "the tests use the rest")]

#[path = "../core/findings_corpus/claims.rs"]
mod claims;
#[path = "../core/findings_corpus/corpus.rs"]
mod corpus;
#[path = "../core/findings_corpus/score.rs"]
mod score;

use super::row::{Compared, row};
use corpus::Corpus;

pub(super) fn run(_: &[String]) {
    for (title, mut corpus) in
        [("public repositories", Corpus::public("public")), ("written changes", Corpus::written())]
    {
        show(&format!("{title}, placed"), &score::placed(&mut corpus));
        show(&format!("{title}, after a push"), &score::followed(&mut corpus));
    }
    claims::claims(&mut Corpus::written()).print(0);
}

fn show(title: &str, table: &score::Table) {
    table.print(title, usize::MAX);
    let (placeable, exact) = (table.sum(|one| one.placeable), table.sum(|one| one.exact));
    let size = format!("{placeable} findings");
    let share = 100.0 * exact as f64 / placeable.max(1) as f64;
    row(&format!("{title}, exact"), &size, share, "%", &Compared::AtLeast(99.8));
    row(&format!("{title}, wrong"), &size, table.sum(|one| one.wrong) as f64, "findings", &Compared::AtMost(0.0));
}
