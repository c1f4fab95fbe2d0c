//! Joins the answers of the agents to one review.
//!
//! In: the answers of the agents, and the placed findings. Out: a [`ReviewOutput`] with its summary and facts, not masked yet.

use super::attempts::AcceptedAnswer;
use super::capability::CapabilityAnalysis;
use super::reading::reading;
use super::runs::RunFindings;
use crate::agents::AgentChoice;
use crate::error::{Error, Result};
use crate::open::OpenChange;
use diffsan_evidence::AgentReading;
use diffsan_prepare::prompt::with_disclosures;
use diffsan_review::finding::{AgentFinding, CAPABILITY_REVIEWER, Finding};
use diffsan_review::stability::{AgentRuns, count_runs};
use diffsan_review::{AgentResult, ReviewMeta, ReviewOutput, Timings, TokenUsage, UnreadableFinding};

/// An agent and the result of asking it.
pub(super) struct AgentOutcome {
    pub(super) choice: AgentChoice,
    pub(super) answered: Result<AcceptedAnswer>,
    /// The findings of its runs, if it was asked several times. Then the answer has none.
    pub(super) runs: Option<RunFindings>,
}

/// An agent and its answer.
struct Answer {
    name: String,
    title: String,
    answer: AcceptedAnswer,
    runs: Option<RunFindings>,
    /// A sentence about the agreement of its runs, if it was asked several times.
    stability: Option<String>,
}

/// The answers of a run, at least one.
pub(super) struct Answers {
    agents: Vec<AgentResult>,
    answers: Vec<Answer>,
    /// The titles of the agents that failed, with their errors.
    failures: Vec<(String, Error)>,
}

impl Answers {
    /// Collects the answers. Returns the first error if no agent answered.
    pub(super) fn of(asked: Vec<AgentOutcome>) -> Result<Self> {
        let agents = asked.iter().map(result_of).collect();
        let (mut answers, mut failures) = (Vec::new(), Vec::new());
        for AgentOutcome { choice, answered, runs } in asked {
            let title = choice.agent.title().to_owned();
            match answered {
                Ok(answer) => answers.push(Answer { name: choice.agent.name, title, answer, runs, stability: None }),
                Err(error) => failures.push((title, error)),
            }
        }
        if answers.is_empty() {
            return Err(failures.swap_remove(0).1);
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

    /// Counts the runs of each agent that was asked several times in the merged findings.
    pub(super) fn count_runs(&mut self, findings: &mut [Finding]) {
        let mut asked: Vec<&mut Answer> = self.answers.iter_mut().filter(|one| one.runs.is_some()).collect();
        let sources = asked.iter().filter_map(|one| Some(one.runs.as_ref()?.sources(&one.name)));
        let sources: Vec<AgentRuns> = sources.collect();
        for (answer, result) in asked.iter_mut().zip(count_runs(findings, &sources)) {
            answer.stability = Some(result.sentence());
            if let Some(agent) = self.agents.iter_mut().find(|agent| agent.name == answer.name && agent.error.is_none())
            {
                agent.findings = Some(result.findings);
                agent.runs = Some(result);
            }
        }
    }

    /// Builds the review of the placed findings. `looked` is the capability reviewer's result, if there is one.
    pub(super) fn output(
        self,
        opened: &OpenChange,
        findings: Vec<Finding>,
        looked: Option<&CapabilityAnalysis>,
        timings: Timings,
    ) -> ReviewOutput {
        let prepared = opened.prepared();
        let (report, redacted) = (&prepared.prepared.truncation, prepared.redaction.found);
        let answered = || self.answers.iter().map(|one| &one.answer);
        // Nothing was prepared for the capability reviewer, which reads the files itself.
        let alone = self.answers.iter().all(|one| one.name == CAPABILITY_REVIEWER);
        let summary = self.summary();
        let coverage = looked
            .filter(|_| alone)
            .map_or_else(|| prepared.prepared.coverage.summary.clone(), |looked| looked.coverage());
        let read_as = answered().map(|one| one.answer.read_as).max().map_or("strict", |read| read.name());
        let unreadable = self.answers.iter().flat_map(|one| {
            let of_agent =
                |finding: &UnreadableFinding| UnreadableFinding { agent: one.name.clone(), ..finding.clone() };
            one.answer.answer.unreadable.iter().map(of_agent)
        });
        let unreadable = unreadable.collect();
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
            read_as: read_as.to_owned(),
            unreadable,
            reading: (!alone).then(|| reading(opened, self.readings())),
            facts: opened.facts().filter(|facts| !facts.is_empty()).map(|facts| crate::facts::summary(opened, &facts)),
            agents: self.agents,
        };
        ReviewOutput {
            summary_markdown: if alone { summary } else { with_disclosures(&summary, report, redacted) },
            findings,
            meta,
        }
    }

    /// Returns the files that the agents opened, without the capability reviewer.
    fn readings(&self) -> Vec<AgentReading> {
        let agents = self.answers.iter().filter(|one| one.name != CAPABILITY_REVIEWER);
        agents
            .map(|one| AgentReading { agent: one.name.clone(), title: one.title.clone(), ..one.answer.reading.clone() })
            .collect()
    }

    /// Joins the summaries of the agents, each under the agent's title if there are several, and lists the failures.
    fn summary(&self) -> String {
        let text = |one: &Answer| {
            let summary = one.answer.answer.output.summary_markdown.clone();
            match &one.stability {
                Some(stability) => format!("{}\n\n**Stability:** {stability}.", summary.trim_end()),
                None => summary,
            }
        };
        if let ([only], []) = (self.answers.as_slice(), self.failures.as_slice()) {
            return text(only);
        }
        let summaries = self.answers.iter().map(|one| format!("### {}\n\n{}", one.title, text(one).trim()));
        let failed =
            self.failures.iter().map(|(title, error)| format!("{title} returned no review: {}", error.message));
        summaries.chain(failed).collect::<Vec<_>>().join("\n\n")
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
