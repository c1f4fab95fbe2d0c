//! Checks the opinions of an agent: each belongs to a finding that it was asked about, and its evidence is in the code.

use std::collections::HashMap;

use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::check_quotes;
use diffsan_redact::Session;
use diffsan_review::opinion::{AgentOpinion, Opinion, OpinionVerdict};
use diffsan_review::quotes::CodeQuote;

/// The maximum number of characters of a reason.
const MAX_REASON_CHARS: usize = 2_000;
/// The maximum number of quotes of one opinion that are checked.
const MAX_QUOTES: usize = 20;

/// The source of opinions.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name of the agent.
    pub agent: &'a str,
    /// The requested model, if one was named.
    pub model: Option<&'a str>,
    /// The time (RFC 3339).
    pub at: &'a str,
}

/// Returns the opinions on findings with these keys, masked, in their order. Opinions on other findings are ignored. Blocks.
pub fn check(
    opened: &OpenChange,
    asked: &[String],
    answers: Vec<AgentOpinion>,
    source: Source<'_>,
    session: &mut Session,
) -> Vec<Opinion> {
    let mut by_key: HashMap<String, AgentOpinion> = HashMap::new();
    for answer in answers {
        match by_key.get_mut(&answer.finding) {
            Some(known) => join(known, answer),
            None => drop(by_key.insert(answer.finding.clone(), answer)),
        }
    }
    let answers: Vec<AgentOpinion> = asked.iter().filter_map(|key| by_key.remove(key)).collect();
    let quotes: Vec<Vec<CodeQuote>> =
        answers.iter().map(|one| one.evidence.iter().take(MAX_QUOTES).cloned().collect()).collect();
    let checked = check_quotes(opened, quotes, session);
    let opinion = |(answer, (evidence, unproven)): (AgentOpinion, _)| {
        let evidence: Vec<_> = evidence;
        let verdict = if evidence.is_empty() { OpinionVerdict::Unsure } else { answer.verdict };
        let reason: String = session.contract("agent output", answer.reason.trim()).into_inner();
        Opinion {
            finding: answer.finding,
            verdict,
            answered: answer.verdict,
            reason: reason.chars().take(MAX_REASON_CHARS).collect(),
            evidence,
            unproven,
            agent: source.agent.to_owned(),
            model: source.model.map(str::to_owned),
            given_at: source.at.to_owned(),
            previous: None,
            remembered: false,
        }
    };
    answers.into_iter().zip(checked).map(opinion).collect()
}

/// Joins two opinions of one answer on the same finding. Different verdicts are no verdict.
fn join(known: &mut AgentOpinion, other: AgentOpinion) {
    if known.verdict != other.verdict {
        known.verdict = OpinionVerdict::Unsure;
    }
    if known.reason.trim() != other.reason.trim() {
        known.reason = format!("{} / {}", known.reason.trim(), other.reason.trim());
    }
    known.evidence.extend(other.evidence);
}
