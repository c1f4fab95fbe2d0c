//! Several runs of one agent with the same prompts: how they are collected, and how their findings keep apart until they are counted.

use super::attempts::AcceptedAnswer;
use super::batches::add_facts;
use crate::error::{Error, ErrorCode, Result};
use diffsan_review::finding::AgentFinding;
use diffsan_review::stability::run_source;

/// The maximum number of runs of one agent in a review.
pub const MAX_RUNS: u32 = 20;

/// The runs of one agent so far.
#[derive(Default)]
pub(super) struct Runs {
    answered: Vec<(u32, AcceptedAnswer)>,
    failed: Vec<Error>,
}

/// The findings of the answered runs of one agent, and the errors of the others.
pub(super) struct RunFindings {
    /// The number of each answered run, from 1, with its findings.
    answered: Vec<(u32, Vec<AgentFinding>)>,
    failed: Vec<String>,
}

impl Runs {
    /// Adds the result of a run.
    pub(super) fn add(&mut self, run: u32, result: Result<AcceptedAnswer>) {
        match result {
            Ok(answer) => self.answered.push((run, answer)),
            Err(error) => self.failed.push(error),
        }
    }

    /// Joins the runs to one answer without findings: the summary of the first answered run, and the facts of all. Returns the first
    /// error if no run was answered.
    pub(super) fn join(self) -> Result<(AcceptedAnswer, RunFindings)> {
        let mut answered = Vec::with_capacity(self.answered.len());
        let mut whole: Option<AcceptedAnswer> = None;
        for (run, mut answer) in self.answered {
            answered.push((run, std::mem::take(&mut answer.answer.output.findings)));
            match &mut whole {
                Some(whole) => add_facts(whole, answer),
                None => whole = Some(answer),
            }
        }
        let failed = self.failed.iter().map(|error| error.message.clone()).collect();
        let first = self.failed.into_iter().next();
        let none = || first.unwrap_or_else(|| Error::new(ErrorCode::AgentOutputInvalid, "No agent was called."));
        Ok((whole.ok_or_else(none)?, RunFindings { answered, failed }))
    }
}

impl RunFindings {
    /// Returns the findings of each run with the name of its source. No agent has such a name.
    pub(super) fn take(&mut self, agent: &str) -> Vec<(String, Vec<AgentFinding>)> {
        self.answered.iter_mut().map(|(run, findings)| (run_source(agent, *run), std::mem::take(findings))).collect()
    }

    /// Returns the errors of the failed runs.
    pub(super) fn failed(&self) -> &[String] {
        &self.failed
    }
}

/// Fails if a number of runs is not possible.
pub fn check_runs(runs: u32) -> Result<()> {
    if runs <= MAX_RUNS {
        return Ok(());
    }
    let message = format!("A review can ask an agent at most {MAX_RUNS} times, not {runs} times.");
    Err(Error::new(ErrorCode::InvalidInput, message).hint("Choose fewer runs."))
}
