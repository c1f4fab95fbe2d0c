//! Prints where the findings of the corpus are placed, by class: exact, near, wrong, lost and dishonest, and wrong and lost fixes;
//! and the right and wrong verdicts on its claims.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]
#![allow(dead_code, reason = "the tests use the rest")]

#[path = "../core/findings_corpus/claims.rs"]
mod claims;
#[path = "../core/findings_corpus/corpus.rs"]
mod corpus;
#[path = "../core/findings_corpus/score.rs"]
mod score;

use corpus::Corpus;

fn main() {
    for (title, mut corpus) in
        [("public repositories", Corpus::public("public")), ("written changes", Corpus::written())]
    {
        score::placed(&mut corpus).print(&format!("{title}, placed"), usize::MAX);
        score::followed(&mut corpus).print(&format!("{title}, after a push"), usize::MAX);
    }
    claims::claims(&mut Corpus::written()).print(0);
}
