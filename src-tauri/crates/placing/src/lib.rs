//! Makes the review of a run from its record: reads the answers of the agents, places their findings, merges them and gives them keys.
//!
//! In: a [`PlacingRecord`] and the recorded answers, all masked. Out: the [`ReviewOutput`]. The live run uses the same function for the record
//! that it saves, so that the review can be made again from the record on any machine. It reads no file, and does not know the repository:
//! decisions that need the repository are in the record.

mod answers;
mod record;
mod summary;

use std::collections::HashMap;

use diffsan_anchor::Files;
use diffsan_change::Change;
use diffsan_review::answer::ReadAs;
use diffsan_review::finding::{AgentFinding, Finding};
use diffsan_review::merge::merge;
use diffsan_review::rounds::{assign_keys, short_digest};
use diffsan_review::stability::{AgentRuns, count_runs};
use diffsan_review::{ReviewOutput, UnreadableFinding};

pub use answers::{AgentAnswer, answers};
pub use record::{
    AnswerForm, Correction, Disclosures, FORMAT, PlacingRecord, RecordedAgent, RecordedAnswer, RecordedChange,
    RecordedCheck, RecordedFile, RecordedFileChange, RecordedHunk,
};

/// A record from which no review can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacingError {
    /// The record has a format of a later version.
    #[error("the record has the format {0}, which only a later version of diffsan reads")]
    Newer(u32),
    /// An answer of the record is missing.
    #[error("the answer {0} is missing")]
    Missing(String),
    /// An answer of the record cannot be read.
    #[error("the answer {path} cannot be read: {problem}")]
    Unreadable {
        /// The path of the answer in the run folder.
        path: String,
        /// The first problem.
        problem: String,
    },
    /// The record has no answer.
    #[error("the record has no answer")]
    Empty,
}

/// A function that returns the text of a file of the run folder, or `None` if there is none.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Makes the review of a record. Equal inputs give an equal review.
pub fn review(record: &PlacingRecord, read: ReadFile<'_>) -> Result<ReviewOutput, PlacingError> {
    if record.format > FORMAT {
        return Err(PlacingError::Newer(record.format));
    }
    let answers = answers(record, read)?;
    let mut meta = record.exact_meta();
    meta.read_as = answers.iter().map(|one| one.read_as).max().unwrap_or(ReadAs::Strict).name().to_owned();
    let named = |one: &AgentAnswer| {
        let agent = one.agent.clone();
        let named = move |finding: &UnreadableFinding| UnreadableFinding { agent: agent.clone(), ..finding.clone() };
        one.unreadable.iter().map(named).collect::<Vec<_>>()
    };
    meta.unreadable = answers.iter().flat_map(named).collect();
    for result in &mut meta.agents {
        let answer = answers.iter().find(|one| one.agent == result.name);
        let count = |one: &AgentAnswer| u32::try_from(one.output.findings.len()).unwrap_or(u32::MAX);
        result.findings = answer.map(count).filter(|_| result.error.is_none());
    }
    let found = answers.iter().map(|one| (one.source(), one.output.findings.clone())).collect();
    let mut findings = merge(placed(record, found));
    let runs = runs(record, &answers);
    for (agent, result) in runs.iter().zip(count_runs(&mut findings, &runs)) {
        if let Some(agent) = meta.agents.iter_mut().find(|known| known.name == agent.agent && known.error.is_none()) {
            agent.findings = Some(result.findings);
            agent.runs = Some(result);
        }
    }
    mark_unedited(record, &mut findings);
    let summary_markdown = summary::summary(record, &answers, &meta, &findings);
    assign_keys(&mut findings, &record.known);
    let mut output = ReviewOutput {
        summary_markdown,
        findings,
        intent: record.intent.clone(),
        chapters: record.chapters.clone(),
        second_opinion: None,
        meta,
    };
    correct(&mut output, &record.corrections);
    Ok(output)
}

/// Marks the findings on lines that were there before, if only the edits since an earlier version were reviewed.
fn mark_unedited(record: &PlacingRecord, findings: &mut [Finding]) {
    if let Some(edits) = &record.edits {
        edits.mark(findings);
    }
}

/// Returns the runs of the agents that were asked several times.
fn runs(record: &PlacingRecord, answers: &[AgentAnswer]) -> Vec<AgentRuns> {
    let of = |agent: &RecordedAgent| {
        let own = answers.iter().filter(|one| one.agent == agent.name && one.run.is_some());
        let sources: Vec<String> = own.map(AgentAnswer::source).collect();
        (!sources.is_empty()).then(|| AgentRuns {
            agent: agent.name.clone(),
            sources,
            failed: agent.failed_runs.clone(),
        })
    };
    record.agents.iter().filter_map(of).collect()
}

/// Places and merges the findings of another answer about the same change. Claims that only the repository can decide are unchecked.
pub fn place_other(record: &PlacingRecord, agent: &str, findings: Vec<AgentFinding>) -> Vec<Finding> {
    let mut findings = merge(place_all(record, vec![(agent.to_owned(), findings)]));
    mark_unedited(record, &mut findings);
    assign_keys(&mut findings, &record.known);
    findings
}

/// Returns the record of the checks of placed findings that are not merged yet.
pub fn checks(placed: &[Finding]) -> Vec<RecordedCheck> {
    placed
        .iter()
        .map(|finding| RecordedCheck {
            finding: digest(finding),
            verdict: finding.verdict,
            claims: finding.claims.clone(),
            chain: finding.chain.clone(),
        })
        .collect()
}

/// Returns the texts of a review that differ from those of the same review before it was masked.
pub fn corrections(before: &ReviewOutput, after: &ReviewOutput) -> Vec<Correction> {
    let texts = |review: &ReviewOutput| {
        let mut texts = Vec::new();
        review.clone().for_each_text(&mut |text| texts.push(std::mem::take(text)));
        texts
    };
    let pairs = texts(before).into_iter().zip(texts(after)).enumerate();
    pairs.filter(|(_, (a, b))| a != b).map(|(at, (_, text))| Correction { at, text }).collect()
}

fn correct(output: &mut ReviewOutput, corrections: &[Correction]) {
    let mut known: HashMap<usize, &String> = corrections.iter().map(|one| (one.at, &one.text)).collect();
    let mut at = 0;
    output.for_each_text(&mut |text| {
        if let Some(other) = known.remove(&at) {
            text.clone_from(other);
        }
        at += 1;
    });
}

/// Places findings by agent, and adds the recorded results of the checks that need the repository.
fn placed(record: &PlacingRecord, found: Vec<(String, Vec<AgentFinding>)>) -> Vec<Finding> {
    let checks: HashMap<&str, &RecordedCheck> =
        record.checks.iter().map(|check| (check.finding.as_str(), check)).collect();
    let mut placed = place_all(record, found);
    for finding in &mut placed {
        // A finding that is placed elsewhere than in the run has no checks.
        if let Some(check) = checks.get(digest(finding).as_str()) {
            finding.verdict = check.verdict;
            finding.claims.clone_from(&check.claims);
            finding.chain.clone_from(&check.chain);
        }
    }
    placed
}

fn place_all(record: &PlacingRecord, found: Vec<(String, Vec<AgentFinding>)>) -> Vec<Finding> {
    let change: Change = record.change.to_change();
    let mut files = Files::default();
    for RecordedFile { path, side, text } in &record.files {
        files.insert(path, *side, text);
    }
    let place = |(name, findings): (String, Vec<AgentFinding>)| {
        diffsan_anchor::place_all(findings, &name, &change, &files, None)
    };
    found.into_iter().flat_map(place).collect()
}

/// Returns a digest of a finding as its agent wrote it, and of its place.
fn digest(finding: &Finding) -> String {
    let json = |value: serde_json::Result<String>| value.unwrap_or_default();
    let (content, place) = (serde_json::to_string(&finding.content), serde_json::to_string(&finding.anchor));
    short_digest([finding.sources.join(",").as_str(), &json(content), &json(place)])
}

#[cfg(test)]
mod tests;
