//! Collects the answers of the agents to one record, from which the review is made.
//!
//! In: the answers of the agents, and the placed findings. Out: a [`PlacingRecord`] with the facts about the run, not masked yet.

use super::attempts::AcceptedAnswer;
use super::capability::CapabilityAnalysis;
use super::intent::ByAgent;
use super::reading::reading;
use super::runs::RunFindings;
use crate::agents::AgentChoice;
use crate::error::{Error, Result};
use crate::open::OpenChange;
use diffsan_anchor::Files;
use diffsan_evidence::AgentReading;
use diffsan_placing::{Disclosures, PlacingRecord, RecordedAgent, RecordedChange};
use diffsan_review::chapters::{AgentChapter, ChapterSentence};
use diffsan_review::finding::{AgentFinding, CAPABILITY_REVIEWER, Finding};
use diffsan_review::intent::{AgentRequirement, Requirement};
use diffsan_review::rounds::KnownFinding;
use diffsan_review::unsent::UnsentFiles;
use diffsan_review::{AgentResult, ReviewMeta, Timings, TokenUsage};

/// An agent and the result of asking it.
pub(super) struct AgentOutcome {
    pub(super) choice: AgentChoice,
    pub(super) answered: Result<AcceptedAnswer>,
    /// The findings of its runs, if it was asked several times. Then the answer has none.
    pub(super) runs: Option<RunFindings>,
}

/// The parts of the answers whose code was checked.
pub(super) struct Checked {
    /// The findings before they are merged.
    pub(super) placed: Vec<Finding>,
    /// The files that they name.
    pub(super) files: Files,
    pub(super) intent: Vec<Requirement>,
    pub(super) chapters: Vec<ChapterSentence>,
}

/// An agent and its answer.
struct Answer {
    name: String,
    title: String,
    answer: AcceptedAnswer,
    runs: Option<RunFindings>,
}

/// An agent that failed.
struct Failure {
    name: String,
    title: String,
    error: Error,
}

/// The answers of a run, at least one.
pub(super) struct Answers {
    agents: Vec<AgentResult>,
    answers: Vec<Answer>,
    failures: Vec<Failure>,
}

impl Answers {
    /// Collects the answers. Returns the first error if no agent answered.
    pub(super) fn of(asked: Vec<AgentOutcome>) -> Result<Self> {
        let agents = asked.iter().map(result_of).collect();
        let (mut answers, mut failures) = (Vec::new(), Vec::new());
        for AgentOutcome { choice, answered, runs } in asked {
            let title = choice.agent.title().to_owned();
            match answered {
                Ok(answer) => answers.push(Answer { name: choice.agent.name, title, answer, runs }),
                Err(error) => failures.push(Failure { name: choice.agent.name, title, error }),
            }
        }
        if answers.is_empty() {
            return Err(failures.swap_remove(0).error);
        }
        Ok(Self { agents, answers, failures })
    }

    /// Takes the findings out of the answers, by agent and run.
    pub(super) fn take_findings(&mut self) -> Vec<(String, Vec<AgentFinding>)> {
        let take = |one: &mut Answer| match &mut one.runs {
            Some(runs) => runs.take(&one.name),
            None => vec![(one.name.clone(), std::mem::take(&mut one.answer.answer.output.findings))],
        };
        self.answers.iter_mut().flat_map(take).collect()
    }

    /// Takes the requirements out of the answers, by agent.
    pub(super) fn take_intent(&mut self) -> ByAgent<AgentRequirement> {
        let take = |one: &mut Answer| (one.name.clone(), std::mem::take(&mut one.answer.answer.output.intent));
        self.answers.iter_mut().map(take).collect()
    }

    /// Takes the sentences about chapters out of the answers, by agent.
    pub(super) fn take_chapters(&mut self) -> ByAgent<AgentChapter> {
        let take = |one: &mut Answer| (one.name.clone(), std::mem::take(&mut one.answer.answer.output.chapters));
        self.answers.iter_mut().map(take).collect()
    }

    /// Returns the record of the run. `looked` is the capability reviewer's result, if there is one.
    pub(super) fn record(
        self,
        opened: &OpenChange,
        checked: Checked,
        looked: Option<&CapabilityAnalysis>,
        timings: Timings,
        known: Vec<KnownFinding>,
    ) -> PlacingRecord {
        let prepared = opened.prepared();
        let (report, redacted) = (&prepared.prepared.truncation, prepared.redaction.found);
        // Nothing was prepared for the capability reviewer, which reads the files itself.
        let alone = self.answers.iter().all(|one| one.name == CAPABILITY_REVIEWER);
        let coverage = looked
            .filter(|_| alone)
            .map_or_else(|| prepared.prepared.coverage.summary.clone(), |looked| looked.coverage());
        let answered = || self.answers.iter().map(|one| &one.answer);
        let answering = self.answers.iter().map(|one| RecordedAgent {
            name: one.name.clone(),
            title: one.title.clone(),
            error: None,
            failed_runs: one.runs.as_ref().map(|runs| runs.failed().to_vec()).unwrap_or_default(),
        });
        let failed = self.failures.iter().map(|one| RecordedAgent {
            name: one.name.clone(),
            title: one.title.clone(),
            error: Some(one.error.message.clone()),
            failed_runs: Vec::new(),
        });
        let meta = ReviewMeta {
            fingerprint: opened.fingerprint.clone(),
            agent: self.answers.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", "),
            model: self.agents.iter().find(|one| one.findings.is_some()).and_then(|one| one.model.clone()),
            timings,
            token_usage: answered().filter_map(|one| one.usage).reduce(TokenUsage::plus),
            cost_usd: answered().filter_map(|one| one.cost).reduce(|a, b| a + b),
            truncated: report.truncated && !alone,
            redaction_found: redacted,
            base_sha: opened.change.base.clone(),
            head_sha: opened.change.head.clone(),
            coverage,
            attempts: answered().map(|one| one.attempts).max().unwrap_or(1),
            batches: u32::try_from(prepared.prepared.diffs().len()).unwrap_or(u32::MAX),
            // These two come from the answers when the review is made.
            read_as: String::new(),
            unreadable: Vec::new(),
            reading: (!alone).then(|| reading(opened, self.readings())),
            unsent: if alone { UnsentFiles::default() } else { prepared.unsent() },
            reviewed: None,
            facts: opened.facts().filter(|facts| !facts.is_empty()).map(|facts| crate::facts::summary(opened, &facts)),
            agents: self.agents.clone(),
        };
        PlacingRecord {
            format: diffsan_placing::FORMAT,
            answers: answered().flat_map(|one| one.recorded.clone()).collect(),
            agents: answering.chain(failed).collect(),
            intent: checked.intent,
            chapters: checked.chapters,
            disclosures: (!alone).then(|| Disclosures { truncation: report.clone(), redacted }),
            costs: PlacingRecord::costs_of(&meta),
            meta,
            checks: diffsan_placing::checks(&checked.placed),
            known,
            corrections: Vec::new(),
            edits: opened.edits.as_ref().map(|edits| edits.listed(prepared.masked.get())),
            files: PlacingRecord::files_of(&checked.files),
            change: RecordedChange::of(prepared.masked.get()),
        }
    }

    /// Returns the files that the agents opened, without the capability reviewer.
    fn readings(&self) -> Vec<AgentReading> {
        let agents = self.answers.iter().filter(|one| one.name != CAPABILITY_REVIEWER);
        agents
            .map(|one| AgentReading { agent: one.name.clone(), title: one.title.clone(), ..one.answer.reading.clone() })
            .collect()
    }
}

fn result_of(asked: &AgentOutcome) -> AgentResult {
    let answered = asked.answered.as_ref().ok();
    let findings = answered.map(|answered| answered.answer.output.findings.len());
    AgentResult {
        name: asked.choice.agent.name.clone(),
        model: asked.choice.model.clone(),
        findings: findings.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        attempts: answered.map_or(0, |answered| answered.attempts),
        token_usage: answered.and_then(|answered| answered.usage),
        cost_usd: answered.and_then(|answered| answered.cost),
        sandbox: answered.and_then(|answered| answered.sandbox.clone()),
        runs: None,
        error: asked.answered.as_ref().err().map(|error| error.message.clone()),
    }
}
