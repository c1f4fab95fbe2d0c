//! The track record of agents, from the saved reviews and decisions.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::App;
use super::carry_over::own_reason;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::REVIEWER;
use diffsan_store::{FindingHistory, FindingId};
use diffsan_track_record::{DecidedFinding, FindingDecision, TrackRecord};

impl App {
    /// Returns the track record of all agents. Blocks.
    pub fn track_record(&self) -> Result<TrackRecord> {
        let resolved: HashSet<FindingId> = self.store.resolved_findings()?.into_iter().collect();
        Ok(TrackRecord::of(&decided(self.store.finding_histories()?, &resolved)))
    }

    /// Returns the text about its record for the prompt of each agent that has one, if the settings tell agents their records. Blocks.
    pub fn record_texts(&self, opened: &OpenChange) -> Result<BTreeMap<String, String>> {
        if !opened.settings.config.track_record.tell_agents {
            return Ok(BTreeMap::new());
        }
        let record = self.track_record()?;
        Ok(record.agents.iter().filter_map(|agent| Some((agent.agent.clone(), agent.prompt_text()?))).collect())
    }

    /// Returns the track record if the settings say to order findings by it. Blocks.
    pub(super) fn record_for_order(&self, opened: &OpenChange) -> Result<Option<TrackRecord>> {
        opened.settings.config.track_record.order_findings.then(|| self.track_record()).transpose()
    }
}

/// The decisions about a finding in all reviews of its change.
struct Fate {
    row: FindingHistory,
    posted: bool,
    resolved: bool,
}

/// Returns each finding once for every agent that found it. `rows` are in the order in which the reviews were saved; the latest decision is
/// valid.
fn decided(rows: Vec<FindingHistory>, resolved: &HashSet<FindingId>) -> Vec<DecidedFinding> {
    let mut places: HashMap<FindingId, usize> = HashMap::new();
    let mut fates: Vec<Fate> = Vec::new();
    for row in rows {
        let is_resolved = row.applied || resolved.contains(&row.id);
        let at = *places.entry(row.id.clone()).or_insert(fates.len());
        match fates.get_mut(at) {
            None => fates.push(Fate { posted: row.posted, resolved: is_resolved, row }),
            Some(fate) => {
                fate.posted |= row.posted;
                fate.resolved |= is_resolved;
                if row.decision.is_some() {
                    fate.row = row;
                }
            }
        }
    }
    fates.iter().flat_map(of_agents).collect()
}

/// Returns a finding once for every agent that found it. A finding with an unknown severity or category is left out.
fn of_agents(fate: &Fate) -> Vec<DecidedFinding> {
    let FindingHistory { severity, category, sources, agents, model, decision, reason, .. } = &fate.row;
    let known = |text: &str| Value::String(text.to_owned());
    let (Ok(severity), Ok(category)) =
        (serde_json::from_value(known(severity)), serde_json::from_value(known(category)))
    else {
        return Vec::new();
    };
    let sources: Vec<String> = serde_json::from_str(sources).unwrap_or_default();
    let agents: Vec<Value> = serde_json::from_str(agents).unwrap_or_default();
    let model_of = |name: &str| match agents.iter().find(|agent| agent["name"] == name) {
        Some(agent) => agent["model"].as_str().map(str::to_owned),
        None => model.clone(),
    };
    let decision = match decision.as_deref() {
        Some("accepted") => Some(FindingDecision::Accepted),
        Some("dismissed") => {
            let reason = reason.as_deref().and_then(own_reason).map(str::to_owned);
            Some(FindingDecision::Dismissed { reason })
        }
        _ => None,
    };
    let of_agent = |agent: String| DecidedFinding {
        model: model_of(&agent),
        agent,
        category,
        severity,
        decision: decision.clone(),
        posted: fate.posted,
        resolved: fate.resolved,
    };
    sources.into_iter().filter(|source| source != REVIEWER).map(of_agent).collect()
}

#[cfg(test)]
mod tests {
    use diffsan_review::finding::{Category, Severity};

    use super::*;

    fn row(key: &str, decision: Option<&str>, reason: Option<&str>) -> FindingHistory {
        FindingHistory {
            id: FindingId { repository: "/r".to_owned(), target: "{}".to_owned(), key: key.to_owned() },
            severity: "low".to_owned(),
            category: "style".to_owned(),
            sources: r#"["one","two"]"#.to_owned(),
            agents: r#"[{"name":"one","model":"large"},{"name":"two","model":null}]"#.to_owned(),
            model: Some("large".to_owned()),
            decision: decision.map(str::to_owned),
            reason: reason.map(str::to_owned),
            posted: false,
            applied: false,
        }
    }

    #[test]
    fn a_finding_counts_once_for_each_agent_with_its_latest_decision() {
        let posted = FindingHistory { posted: true, ..row("f1", None, None) };
        let carried = row("f1", Some("dismissed"), Some("Dismissed before: as wanted"));
        let rows = vec![row("f1", Some("accepted"), None), posted, carried];
        let found = decided(rows, &HashSet::new());
        let brief: Vec<_> = found.iter().map(|one| (one.agent.as_str(), one.model.as_deref(), one.posted)).collect();
        assert_eq!(brief, [("one", Some("large"), true), ("two", None, true)]);
        let dismissed = FindingDecision::Dismissed { reason: Some("as wanted".to_owned()) };
        assert!(found.iter().all(|one| one.decision == Some(dismissed.clone()) && !one.resolved));
        assert_eq!((found[0].category, found[0].severity), (Category::Style, Severity::Low));
    }

    #[test]
    fn own_findings_and_unknown_severities_do_not_count_and_edits_resolve() {
        let own = FindingHistory { sources: r#"["you"]"#.to_owned(), ..row("own", Some("accepted"), None) };
        let newer = FindingHistory { severity: "blocker".to_owned(), ..row("newer", Some("accepted"), None) };
        let resolved = HashSet::from([row("f1", None, None).id]);
        let applied = FindingHistory { applied: true, ..row("f2", Some("accepted"), None) };
        let found = decided(vec![own, newer, row("f1", Some("accepted"), None), applied], &resolved);
        assert_eq!(found.len(), 4, "two findings of two agents");
        assert!(found.iter().all(|one| one.resolved));
    }
}
