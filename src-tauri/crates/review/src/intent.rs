//! Requirements: statements of the authors about a change, and whether its code meets them.
//!
//! In: the requirements in the answers of agents. Out: each requirement once, with the evidence that was found in the code. A verdict
//! without such evidence becomes "not found".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::anchor::Files;
use crate::quotes::{CheckedQuote, CodeQuote, QuoteCheck};
use diffsan_change::Change;

/// Whether the code does what a requirement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentVerdict {
    /// No code decides it.
    NotFound,
    /// The evidence does it.
    Met,
    /// The evidence does something else.
    Contradicted,
}

impl IntentVerdict {
    /// Returns the verdict as text for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Contradicted => "contradicted",
            Self::NotFound => "not found",
        }
    }
}

/// A requirement as an agent answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRequirement {
    /// What the change should do, in one sentence.
    pub requirement: String,
    /// Whether the code does it.
    pub verdict: IntentVerdict,
    /// The code that decides it.
    pub evidence: Vec<CodeQuote>,
}

/// A requirement with its checked evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// The requirement.
    pub requirement: String,
    /// The verdict that the evidence supports.
    pub verdict: IntentVerdict,
    /// The code that decides it. Empty if the verdict is "not found".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<CheckedQuote>,
    /// The number of quotes that are not in the code.
    #[serde(default)]
    pub unproven: u32,
    /// The names of the agents that named it.
    pub sources: Vec<String>,
}

impl Requirement {
    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { requirement, verdict: _, evidence, unproven: _, sources } = self;
        each(requirement);
        evidence.iter_mut().for_each(|quote| quote.for_each_text(each));
        sources.iter_mut().for_each(each);
    }
}

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
    use crate::finding::Side;

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
