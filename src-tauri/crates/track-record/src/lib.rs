//! The track record of agents: how the reviewer decided about their findings.
//!
//! In: decided findings, each once for every agent that found it. Out: counts by agent, model, category and severity, the likely share of
//! accepted findings, texts, and an order of new findings. This crate does not know where decisions are saved. It uses no times, so that a
//! wrong clock has no effect.

mod interval;
mod order;
mod sentences;

use std::collections::BTreeMap;

use diffsan_review::finding::{Category, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use interval::Interval;

/// The number of decisions from which on a share is given.
pub const MIN_DECISIONS: u32 = 10;
/// The maximum number of different reasons of one agent.
const MAX_REASONS: usize = 10;

/// The decisions about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedFinding {
    /// The name of the agent that found it.
    pub agent: String,
    /// The model that was asked for, if one was.
    pub model: Option<String>,
    /// Its category, as the agent wrote it.
    pub category: Category,
    /// Its severity, as the agent wrote it.
    pub severity: Severity,
    /// The reviewer's decision; `None` if there is none, because the finding was only posted or resolved.
    pub decision: Option<FindingDecision>,
    /// Whether it was posted.
    pub posted: bool,
    /// Whether an edit of its code resolved it: the reviewer applied its patch, or its code was edited and a later review did not
    /// report it again.
    pub resolved: bool,
}

/// The reviewer's decision about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingDecision {
    /// It is a problem.
    Accepted,
    /// It is none, or not an important one.
    Dismissed {
        /// The reviewer's reason, if one was given.
        reason: Option<String>,
    },
}

/// The counts of some findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// The number of accepted findings.
    pub accepted: u32,
    /// The number of dismissed findings.
    pub dismissed: u32,
    /// The number of posted findings.
    pub posted: u32,
    /// The number of findings that an edit resolved.
    pub resolved: u32,
    /// The likely share of accepted findings among the decided ones. `None` for fewer than ten decisions.
    pub accepted_share: Option<Interval>,
}

/// The counts of one category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryTally {
    /// The category.
    pub category: Category,
    /// The counts.
    pub tally: Tally,
}

/// The counts of one severity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeverityTally {
    /// The severity.
    pub severity: Severity,
    /// The counts.
    pub tally: Tally,
}

/// A reason of dismissals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonCount {
    /// The reason in the reviewer's words.
    pub reason: String,
    /// The number of dismissals with it.
    pub count: u32,
}

/// The record of an agent with one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRecord {
    /// The name of the agent.
    pub agent: String,
    /// The model that was asked for. `None` for the agent's own choice.
    pub model: Option<String>,
    /// The counts of all findings.
    pub total: Tally,
    /// The counts by category, most decisions first.
    pub categories: Vec<CategoryTally>,
    /// The counts by severity, the worst first.
    pub severities: Vec<SeverityTally>,
    /// The most frequent reasons of dismissals.
    pub reasons: Vec<ReasonCount>,
}

/// The records of all agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrackRecord {
    /// The agents over all their models, most decisions first. Their model is `None`.
    pub agents: Vec<AgentRecord>,
    /// The agents with each of their models, if an agent was used with several.
    pub models: Vec<AgentRecord>,
}

impl Tally {
    /// Returns the number of decisions.
    pub fn decided(&self) -> u32 {
        self.accepted + self.dismissed
    }

    fn add(&mut self, finding: &DecidedFinding) {
        match &finding.decision {
            Some(FindingDecision::Accepted) => self.accepted += 1,
            Some(FindingDecision::Dismissed { .. }) => self.dismissed += 1,
            None => {}
        }
        self.posted += u32::from(finding.posted);
        self.resolved += u32::from(finding.resolved);
        self.accepted_share =
            (self.decided() >= MIN_DECISIONS).then(|| Interval::wilson(self.accepted, self.decided()));
    }
}

impl TrackRecord {
    /// Counts findings.
    pub fn of(findings: &[DecidedFinding]) -> Self {
        let mut agents: BTreeMap<&str, BTreeMap<Option<&str>, Vec<&DecidedFinding>>> = BTreeMap::new();
        for finding in findings {
            let models = agents.entry(&finding.agent).or_default();
            models.entry(finding.model.as_deref()).or_default().push(finding);
        }
        let mut record = Self::default();
        for (agent, models) in &agents {
            let all: Vec<&DecidedFinding> = models.values().flatten().copied().collect();
            record.agents.push(agent_record(agent, None, &all));
            if models.len() > 1 {
                record.models.extend(models.iter().map(|(model, findings)| agent_record(agent, *model, findings)));
            }
        }
        record.agents.sort_by_key(|one| std::cmp::Reverse(one.total.decided()));
        record
    }

    /// Returns the record of an agent over all its models.
    pub fn agent(&self, name: &str) -> Option<&AgentRecord> {
        self.agents.iter().find(|record| record.agent == name)
    }
}

fn agent_record(agent: &str, model: Option<&str>, findings: &[&DecidedFinding]) -> AgentRecord {
    let mut total = Tally::default();
    let mut categories: Vec<CategoryTally> = Vec::new();
    let mut severities: Vec<SeverityTally> = Vec::new();
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for finding in findings {
        total.add(finding);
        match categories.iter_mut().find(|known| known.category == finding.category) {
            Some(known) => known.tally.add(finding),
            None => {
                let mut tally = Tally::default();
                tally.add(finding);
                categories.push(CategoryTally { category: finding.category, tally });
            }
        }
        match severities.iter_mut().find(|known| known.severity == finding.severity) {
            Some(known) => known.tally.add(finding),
            None => {
                let mut tally = Tally::default();
                tally.add(finding);
                severities.push(SeverityTally { severity: finding.severity, tally });
            }
        }
        if let Some(FindingDecision::Dismissed { reason: Some(reason) }) = &finding.decision
            && !reason.trim().is_empty()
        {
            *reasons.entry(reason.trim()).or_default() += 1;
        }
    }
    categories.sort_by_key(|one| (std::cmp::Reverse(one.tally.decided()), one.category.name()));
    severities.sort_by_key(|one| std::cmp::Reverse(one.severity));
    let mut reasons: Vec<ReasonCount> =
        reasons.into_iter().map(|(reason, count)| ReasonCount { reason: reason.to_owned(), count }).collect();
    reasons.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
    reasons.truncate(MAX_REASONS);
    AgentRecord { agent: agent.to_owned(), model: model.map(str::to_owned), total, categories, severities, reasons }
}

#[cfg(test)]
mod tests;
