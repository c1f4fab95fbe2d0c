//! Stability: how many runs of an agent found a finding, and how far the runs agree.
//!
//! The same prompt is put to an agent several times. Each run is a source of its own while findings are merged, so the one rule for equal
//! findings decides here too. Then the runs are counted, and the agent takes the place of its runs among the sources.
//!
//! The agreement of two runs is the number of findings that both found, divided by the number of findings that at least one of them found;
//! two runs without findings agree fully. The agreement of a review is the mean over all pairs of its answered runs.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Finding;

/// The runs of one agent, before they are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentRuns {
    /// The name of the agent.
    pub agent: String,
    /// The source of each answered run in the findings.
    pub sources: Vec<String>,
    /// The errors of the failed runs.
    pub failed: Vec<String>,
}

/// Returns the source of the findings of a run, from 1. No agent has such a name.
pub fn run_source(agent: &str, run: u32) -> String {
    format!("{agent}\u{1f}{run}")
}

/// The number of an agent's runs that found a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCount {
    /// The name of the agent.
    pub agent: String,
    /// The number of runs that found it.
    pub found: u32,
    /// The number of answered runs.
    pub of: u32,
    /// The number of failed runs, which are not among them.
    #[serde(default)]
    pub failed: u32,
}

impl RunCount {
    /// Returns `2 of 2 runs, 1 run failed`.
    fn text(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            1 => ", 1 run failed".to_owned(),
            more => format!(", {more} runs failed"),
        };
        format!("{} of {} {}{failed}", self.found, self.of, if self.of == 1 { "run" } else { "runs" })
    }
}

/// The runs of one agent, counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunsResult {
    /// The number of answered runs.
    pub answered: u32,
    /// The errors of the failed runs.
    #[serde(default)]
    pub failed: Vec<String>,
    /// The number of different findings.
    pub findings: u32,
    /// The number of findings that every answered run found.
    pub in_every_run: u32,
    /// The mean agreement of two runs, 0 to 1; `None` if fewer than two runs answered.
    pub agreement: Option<f64>,
}

impl RunsResult {
    /// Returns `2 of 3 runs answered, 1 of 4 findings in every run, pairwise agreement 44%`.
    pub fn sentence(&self) -> String {
        let asked = self.answered as usize + self.failed.len();
        let mut text = format!("{} of {asked} runs answered", self.answered);
        if let Some(agreement) = self.agreement {
            let findings = if self.findings == 1 { "finding" } else { "findings" };
            text += &format!(", {} of {} {findings} in every run", self.in_every_run, self.findings);
            text += &format!(", pairwise agreement {}%", (agreement * 100.0).round());
        }
        text
    }
}

/// Counts the runs of each finding, and replaces the runs among its sources by their agent. Returns the result of each agent.
pub fn count_runs(findings: &mut [Finding], agents: &[AgentRuns]) -> Vec<RunsResult> {
    let mut found: Vec<Vec<BTreeSet<usize>>> =
        agents.iter().map(|agent| vec![BTreeSet::new(); agent.sources.len()]).collect();
    for (index, finding) in findings.iter_mut().enumerate() {
        let mut sources: Vec<String> = Vec::new();
        for source in std::mem::take(&mut finding.sources) {
            let run = agents
                .iter()
                .enumerate()
                .find_map(|(at, agent)| Some((at, agent.sources.iter().position(|known| *known == source)?)));
            let name = match run {
                Some((at, run)) => {
                    found[at][run].insert(index);
                    agents[at].agent.clone()
                }
                None => source,
            };
            if !sources.contains(&name) {
                sources.push(name);
            }
        }
        finding.sources = sources;
        finding.runs = agents.iter().zip(&found).filter_map(|(agent, runs)| run_count(agent, runs, index)).collect();
    }
    agents.iter().zip(&found).map(|(agent, runs)| result(agent, runs)).collect()
}

fn run_count(agent: &AgentRuns, runs: &[BTreeSet<usize>], finding: usize) -> Option<RunCount> {
    let found = runs.iter().filter(|run| run.contains(&finding)).count();
    (found > 0).then(|| RunCount {
        agent: agent.agent.clone(),
        found: number(found),
        of: number(runs.len()),
        failed: number(agent.failed.len()),
    })
}

fn result(agent: &AgentRuns, runs: &[BTreeSet<usize>]) -> RunsResult {
    let all: BTreeSet<usize> = runs.iter().flatten().copied().collect();
    let in_every_run = all.iter().filter(|finding| runs.iter().all(|run| run.contains(finding))).count();
    RunsResult {
        answered: number(runs.len()),
        failed: agent.failed.clone(),
        findings: number(all.len()),
        in_every_run: number(in_every_run),
        agreement: agreement(runs),
    }
}

/// Returns the mean agreement of two runs.
fn agreement(runs: &[BTreeSet<usize>]) -> Option<f64> {
    let pairs = || runs.iter().enumerate().flat_map(|(at, one)| runs[at + 1..].iter().map(move |other| (one, other)));
    let of_pair = |(one, other): (&BTreeSet<usize>, &BTreeSet<usize>)| match one.union(other).count() {
        0 => 1.0,
        all => one.intersection(other).count() as f64 / all as f64,
    };
    let count = pairs().count();
    (count > 0).then(|| pairs().map(of_pair).sum::<f64>() / count as f64)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Finding {
    /// Returns how many runs found it: `3 of 3 runs`, or with the names of the agents if there are several. `None` after a single run.
    pub fn runs_text(&self) -> Option<String> {
        match &self.runs[..] {
            [] => None,
            [only] if self.sources.len() < 2 => Some(only.text()),
            several => {
                let texts = several.iter().map(|count| format!("{}: {}", count.agent, count.text()));
                Some(texts.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finding::{AgentFinding, Anchor, AnchorState, Category, Severity};

    fn finding(sources: &[&str]) -> Finding {
        let content = AgentFinding::new(Severity::Low, Category::Other, "a", (1, 1));
        let anchor = Anchor::new(AnchorState::File, "a", None, false);
        Finding {
            sources: sources.iter().map(|source| (*source).to_owned()).collect(),
            ..Finding::new(content, anchor)
        }
    }

    fn agent(name: &str, runs: usize, failed: &[&str]) -> AgentRuns {
        AgentRuns {
            agent: name.to_owned(),
            sources: (1..=runs).map(|run| format!("{name}{run}")).collect(),
            failed: failed.iter().map(|error| (*error).to_owned()).collect(),
        }
    }

    #[test]
    fn runs_are_counted_and_become_their_agent() {
        let mut findings = [finding(&["a1", "a2", "a3", "b1"]), finding(&["a2"]), finding(&["capability", "b2"])];
        let results = count_runs(&mut findings, &[agent("a", 3, &[]), agent("b", 2, &["stopped"])]);
        assert_eq!(findings[0].sources, ["a", "b"]);
        assert_eq!(findings[0].runs_text().as_deref(), Some("a: 3 of 3 runs; b: 1 of 2 runs, 1 run failed"));
        assert_eq!(findings[1].runs_text().as_deref(), Some("1 of 3 runs"));
        assert_eq!(findings[2].sources, ["capability", "b"]);
        // Of a: {0}, {0, 1}, {0}. Of b: {0}, {2}.
        assert_eq!((results[0].in_every_run, results[0].findings), (1, 2));
        assert_eq!(results[0].sentence(), "3 of 3 runs answered, 1 of 2 findings in every run, pairwise agreement 67%");
        assert_eq!(results[1].sentence(), "2 of 3 runs answered, 0 of 2 findings in every run, pairwise agreement 0%");
    }

    #[test]
    fn one_answered_run_has_no_agreement() {
        let mut findings = [finding(&["a1"])];
        let results = count_runs(&mut findings, &[agent("a", 1, &["stopped", "stopped"])]);
        assert_eq!(results[0].agreement, None);
        assert_eq!(findings[0].runs_text().as_deref(), Some("1 of 1 run, 2 runs failed"));
        assert_eq!(results[0].sentence(), "1 of 3 runs answered");
    }

    #[test]
    fn runs_without_findings_agree() {
        assert_eq!(count_runs(&mut [], &[agent("a", 3, &[])])[0].agreement, Some(1.0));
    }

    proptest! {
        #[test]
        fn agreement_is_a_share_that_does_not_depend_on_the_order_of_the_runs(
            mut runs in prop::collection::vec(prop::collection::btree_set(0..5_usize, 0..5), 2..5),
        ) {
            let before = agreement(&runs).expect("a share");
            prop_assert!((0.0..=1.0).contains(&before));
            runs.reverse();
            prop_assert!((agreement(&runs).expect("a share") - before).abs() < 1e-12);
            let equal = vec![runs[0].clone(); 3];
            prop_assert_eq!(agreement(&equal), Some(1.0));
        }
    }
}
