//! The summary of a review.

use crate::answers::AgentAnswer;
use crate::record::PlacingRecord;
use diffsan_prepare::prompt::with_disclosures;
use diffsan_review::ReviewMeta;
use diffsan_review::finding::Finding;
use diffsan_review::since::unedited_sentence;

/// Joins the summaries of the agents, each under the agent's title if there are several, lists the failures, and adds the disclosures and
/// the number of findings on lines that were there before.
pub(super) fn summary(
    record: &PlacingRecord,
    answers: &[AgentAnswer],
    meta: &ReviewMeta,
    findings: &[Finding],
) -> String {
    let joined = joined(record, answers, meta);
    let disclosed = match &record.disclosures {
        Some(disclosures) => with_disclosures(&joined, &disclosures.truncation, disclosures.redacted),
        None => joined,
    };
    match unedited_sentence(findings) {
        Some(sentence) => format!("{}\n\n{sentence}", disclosed.trim_end()),
        None => disclosed,
    }
}

fn joined(record: &PlacingRecord, answers: &[AgentAnswer], meta: &ReviewMeta) -> String {
    // Of several runs, the first one summarises.
    let is_first = |at: &usize| !answers[..*at].iter().any(|earlier| earlier.agent == answers[*at].agent);
    let firsts: Vec<&AgentAnswer> = (0..answers.len()).filter(is_first).map(|at| &answers[at]).collect();
    let text = |answer: &AgentAnswer| {
        let summary = &answer.output.summary_markdown;
        let runs = meta.agents.iter().find(|agent| agent.name == answer.agent).and_then(|agent| agent.runs.as_ref());
        runs.map_or_else(
            || summary.clone(),
            |runs| format!("{}\n\n**Stability:** {}.", summary.trim_end(), runs.sentence()),
        )
    };
    let failures: Vec<String> = record
        .agents
        .iter()
        .filter_map(|agent| Some(format!("{} returned no review: {}", agent.title, agent.error.as_ref()?)))
        .collect();
    if let ([only], []) = (firsts.as_slice(), failures.as_slice()) {
        return text(only);
    }
    let title = |answer: &AgentAnswer| {
        let agent = record.agents.iter().find(|agent| agent.name == answer.agent);
        agent.map_or_else(|| answer.agent.clone(), |agent| agent.title.clone())
    };
    let summaries = firsts.iter().map(|one| format!("### {}\n\n{}", title(one), text(one).trim()));
    summaries.chain(failures).collect::<Vec<_>>().join("\n\n")
}
