//! Orders new findings by the record of the agents that found them.

use diffsan_review::finding::Finding;

use super::{AgentRecord, Tally, TrackRecord};

impl TrackRecord {
    /// Orders findings of equal severity by the likely share of accepted findings: first those whose agents were accepted most often. The
    /// severity stays first. Findings without a record are in the middle, and equal ones keep their order.
    pub fn order(&self, findings: &mut [Finding]) {
        let key = |finding: &Finding| {
            let share = finding.sources.iter().filter_map(|source| self.expected(source, finding)).reduce(f64::max);
            // Whole percents, so that a small difference does not decide.
            std::cmp::Reverse((share.unwrap_or(0.5) * 100.0).round() as i64)
        };
        findings.sort_by_cached_key(|finding| (std::cmp::Reverse(finding.content.severity), key(finding)));
    }

    /// Returns the middle of the likely share for a finding: by the category, or else by the severity, or else by all findings of the agent.
    fn expected(&self, agent: &str, finding: &Finding) -> Option<f64> {
        let AgentRecord { categories, severities, total, .. } = self.agent(agent)?;
        let found = finding.as_found();
        let category = categories.iter().find(|one| one.category == found.category).map(|one| &one.tally);
        let severity = severities.iter().find(|one| one.severity == found.severity).map(|one| &one.tally);
        let middle = |tally: &Tally| tally.accepted_share.map(|share| f64::midpoint(share.low, share.high));
        [category, severity, Some(total)].into_iter().flatten().find_map(middle)
    }
}
