//! The facts in a few numbers, which a review keeps.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::types::{Facts, LineState};

/// The facts in a few numbers. Stale facts are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FactsSummary {
    /// The status of the head's pipeline.
    pub pipeline: Option<String>,
    /// The number of failed jobs.
    pub failed_jobs: u32,
    /// The number of failed tests.
    pub failed_tests: u32,
    /// The number of added lines that tests ran.
    pub covered_lines: u32,
    /// The number of added lines that no test ran.
    pub uncovered_lines: u32,
    /// The number of findings of tools on added lines.
    pub tool_findings: u32,
    /// Whether there are stale facts besides.
    pub stale: bool,
    /// The names of the sources that were read.
    pub sources: Vec<String>,
}

impl FactsSummary {
    /// Summarises facts. `added` returns the added lines of a file of the change.
    pub fn of(facts: &Facts, added: &dyn Fn(&str) -> BTreeSet<u32>) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (mut covered, mut uncovered) = (0, 0);
        for file in facts.coverage.iter().filter(|file| !file.stale) {
            for state in added(&file.path).into_iter().filter_map(|line| file.state(line)) {
                match state {
                    LineState::Uncovered => uncovered += 1,
                    LineState::Partial | LineState::Covered => covered += 1,
                }
            }
        }
        let touches = |path: &str, from: u32, to: u32| added(path).range(from..=to).next().is_some();
        let pipeline = facts.pipeline.as_ref().filter(|pipeline| !pipeline.stale);
        let failed_jobs = facts.jobs.iter().filter(|job| job.status == "failed").count();
        Self {
            pipeline: pipeline.map(|pipeline| pipeline.status.clone()),
            failed_jobs: if pipeline.is_some() { count(failed_jobs) } else { 0 },
            failed_tests: count(facts.failures.iter().filter(|failure| !failure.stale).count()),
            covered_lines: covered,
            uncovered_lines: uncovered,
            tool_findings: count(
                facts
                    .findings
                    .iter()
                    .filter(|found| !found.stale && touches(&found.path, found.line_start, found.line_end))
                    .count(),
            ),
            stale: facts.failures.iter().any(|failure| failure.stale)
                || facts.coverage.iter().any(|file| file.stale)
                || facts.findings.iter().any(|finding| finding.stale)
                || facts.pipeline.as_ref().is_some_and(|pipeline| pipeline.stale),
            sources: facts
                .sources
                .iter()
                .filter(|source| source.problem.is_none())
                .map(|source| source.name.clone())
                .collect(),
        }
    }

    /// Calls `each` for every text, so that it can be masked.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self {
            pipeline,
            failed_jobs: _,
            failed_tests: _,
            covered_lines: _,
            uncovered_lines: _,
            tool_findings: _,
            stale: _,
            sources,
        } = self;
        pipeline.iter_mut().chain(sources).for_each(each);
    }
}
