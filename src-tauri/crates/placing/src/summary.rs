//! The summary of a review.

use crate::answers::AgentAnswer;
use crate::record::PlacingRecord;
use diffsan_prepare::prompt::with_disclosures;

/// Joins the summaries of the agents, each under the agent's title if there are several, lists the failures, and adds the disclosures.
pub(super) fn summary(record: &PlacingRecord, answers: &[AgentAnswer]) -> String {
    let joined = joined(record, answers);
    match &record.disclosures {
        Some(disclosures) => with_disclosures(&joined, &disclosures.truncation, disclosures.redacted),
        None => joined,
    }
}

fn joined(record: &PlacingRecord, answers: &[AgentAnswer]) -> String {
    let failures: Vec<String> = record
        .agents
        .iter()
        .filter_map(|agent| Some(format!("{} returned no review: {}", agent.title, agent.error.as_ref()?)))
        .collect();
    if let ([only], []) = (answers, failures.as_slice()) {
        return only.output.summary_markdown.clone();
    }
    let title = |answer: &AgentAnswer| {
        let agent = record.agents.iter().find(|agent| agent.name == answer.agent);
        agent.map_or_else(|| answer.agent.clone(), |agent| agent.title.clone())
    };
    let summaries = answers.iter().map(|one| format!("### {}\n\n{}", title(one), one.output.summary_markdown.trim()));
    summaries.chain(failures).collect::<Vec<_>>().join("\n\n")
}
