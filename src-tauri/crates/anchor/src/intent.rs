//! Checks the requirements in the answers of agents.
//!
//! Out: each requirement once, with the evidence that was found in the code. A verdict without such evidence becomes "not found".

use crate::evidence::QuoteCheck;
use crate::files::Files;
use diffsan_change::Change;
use diffsan_review::intent::{AgentRequirement, IntentVerdict, Requirement};
use diffsan_review::quotes::CheckedQuote;

/// The maximum number of requirements of a review.
const MAX_REQUIREMENTS: usize = 100;

/// Checks the requirements of every agent, by its name, and joins those that have the same words. Of different verdicts the one is kept
/// that needs attention most: contradicted, then met, then not found.
pub fn check_intent(found: Vec<(String, Vec<AgentRequirement>)>, change: &Change, files: &Files) -> Vec<Requirement> {
    let check = QuoteCheck::new(change, files);
    let mut all: Vec<Requirement> = Vec::new();
    let each = found.into_iter().flat_map(|(source, list)| list.into_iter().map(move |one| (source.clone(), one)));
    for (source, AgentRequirement { requirement, verdict, evidence }) in each {
        let words = words(&requirement);
        if words.is_empty() {
            continue;
        }
        let (evidence, unproven) = check.check(evidence);
        let verdict = if evidence.is_empty() { IntentVerdict::NotFound } else { verdict };
        let evidence = if verdict == IntentVerdict::NotFound { Vec::new() } else { evidence };
        let known = all.iter().position(|one| self::words(&one.requirement) == words);
        let has_room = all.len() < MAX_REQUIREMENTS;
        match known.and_then(|at| all.get_mut(at)) {
            Some(known) => join(known, verdict, evidence, unproven, source),
            None if has_room => {
                all.push(Requirement { requirement, verdict, evidence, unproven, sources: vec![source] })
            }
            None => {}
        }
    }
    all
}

fn join(known: &mut Requirement, verdict: IntentVerdict, evidence: Vec<CheckedQuote>, unproven: u32, source: String) {
    known.unproven = known.unproven.saturating_add(unproven);
    if !known.sources.contains(&source) {
        known.sources.push(source);
    }
    // The evidence belongs to its verdict.
    if verdict > known.verdict {
        (known.verdict, known.evidence) = (verdict, evidence);
    } else if verdict == known.verdict {
        let new = evidence.into_iter().filter(|quote| !known.evidence.contains(quote)).collect::<Vec<_>>();
        known.evidence.extend(new);
    }
}

fn words(text: &str) -> String {
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_review::finding::Side;
    use diffsan_review::quotes::CodeQuote;

    fn quote(text: &str) -> CodeQuote {
        CodeQuote { path: "a.rs".to_owned(), line_start: 1, line_end: 1, quote: text.to_owned() }
    }

    fn requirement(text: &str, verdict: IntentVerdict, quotes: &[&str]) -> AgentRequirement {
        let evidence = quotes.iter().map(|text| quote(text)).collect();
        AgentRequirement { requirement: text.to_owned(), verdict, evidence }
    }

    fn checked(found: Vec<(&str, Vec<AgentRequirement>)>) -> Vec<(String, IntentVerdict, usize, u32)> {
        let mut files = Files::default();
        files.insert("a.rs", Side::New, "let limit = 10;\nlet retries = 3;\n");
        let found = found.into_iter().map(|(source, list)| (source.to_owned(), list)).collect();
        let all = check_intent(found, &Change::default(), &files);
        all.into_iter().map(|one| (one.requirement, one.verdict, one.evidence.len(), one.unproven)).collect()
    }

    #[test]
    fn a_verdict_needs_code_that_is_there() {
        use IntentVerdict::{Contradicted, Met, NotFound};
        let found = vec![
            requirement("It limits", Met, &["let limit = 10;"]),
            requirement("It retries thrice", Contradicted, &["let retries = 9;"]),
            requirement("It logs", Met, &[]),
            requirement("It stops", NotFound, &["let limit = 10;"]),
            requirement("It limits and retries", Met, &["let limit = 10;", "retry()"]),
            requirement(" … ", Met, &["let limit = 10;"]),
        ];
        assert_eq!(
            checked(vec![("codex", found)]),
            [
                ("It limits".to_owned(), Met, 1, 0),
                ("It retries thrice".to_owned(), NotFound, 0, 1),
                ("It logs".to_owned(), NotFound, 0, 0),
                ("It stops".to_owned(), NotFound, 0, 0),
                ("It limits and retries".to_owned(), Met, 1, 1),
            ]
        );
    }

    #[test]
    fn the_same_words_of_batches_and_agents_are_one_requirement() {
        use IntentVerdict::{Contradicted, Met, NotFound};
        let first = vec![requirement("It limits.", NotFound, &[]), requirement("it LIMITS", Met, &["let limit = 10;"])];
        let second = vec![requirement("It limits", Contradicted, &["let retries = 3;"])];
        assert_eq!(
            checked(vec![("codex", first), ("claude", second)]),
            [("It limits.".to_owned(), Contradicted, 1, 0)]
        );
    }
}
