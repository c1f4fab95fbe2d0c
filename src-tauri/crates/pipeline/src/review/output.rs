//! Joins the answers of the agents to one review.
//!
//! In: the answers of the agents, and the placed findings. Out: a [`ReviewOutput`] with its summary and facts, not masked yet.

use super::attempts::AcceptedAnswer;
use super::capability::CapabilityAnalysis;
use super::intent::NamedRequirements;
use crate::agents::AgentChoice;
use crate::error::{Error, Result};
use crate::open::OpenChange;
use diffsan_prepare::prompt::with_disclosures;
use diffsan_review::finding::{AgentFinding, CAPABILITY_REVIEWER, Finding};
use diffsan_review::intent::Requirement;
use diffsan_review::{AgentResult, ReviewMeta, ReviewOutput, Timings, TokenUsage, UnreadableFinding};

/// An agent and the result of asking it.
pub(super) struct AgentOutcome {
    pub(super) choice: AgentChoice,
    pub(super) answered: Result<AcceptedAnswer>,
}

/// An agent and its answer.
struct Answer {
    name: String,
    title: String,
    answer: AcceptedAnswer,
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
        for AgentOutcome { choice, answered } in asked {
            let title = choice.agent.title().to_owned();
            match answered {
                Ok(answer) => answers.push(Answer { name: choice.agent.name, title, answer }),
                Err(error) => failures.push((title, error)),
            }
        }
        if answers.is_empty() {
            return Err(failures.swap_remove(0).1);
        }
        Ok(Self { agents, answers, failures })
    }

    /// Takes the findings out of the answers, by agent.
    pub(super) fn take_findings(&mut self) -> Vec<(String, Vec<AgentFinding>)> {
        let take = |one: &mut Answer| (one.name.clone(), std::mem::take(&mut one.answer.answer.output.findings));
        self.answers.iter_mut().map(take).collect()
    }

    /// Takes the requirements out of the answers, by agent.
    pub(super) fn take_intent(&mut self) -> NamedRequirements {
        let take = |one: &mut Answer| (one.name.clone(), std::mem::take(&mut one.answer.answer.output.intent));
        self.answers.iter_mut().map(take).collect()
    }

    /// Builds the review of the placed findings. `looked` is the capability reviewer's result, if there is one.
    pub(super) fn output(
        self,
        opened: &OpenChange,
        (findings, intent): (Vec<Finding>, Vec<Requirement>),
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
            facts: opened.facts().filter(|facts| !facts.is_empty()).map(|facts| crate::facts::summary(opened, &facts)),
            agents: self.agents,
        };
        ReviewOutput {
            summary_markdown: if alone { summary } else { with_disclosures(&summary, report, redacted) },
            findings,
            intent,
            second_opinion: None,
            meta,
        }
    }

    /// Joins the summaries of the agents, each under the agent's title if there are several, and lists the failures.
    fn summary(&self) -> String {
        let text = |one: &Answer| one.answer.answer.output.summary_markdown.clone();
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
        error: asked.answered.as_ref().err().map(|error| error.message.clone()),
    }
}
