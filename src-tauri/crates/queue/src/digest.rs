//! Identifies a review before it runs: the diff, the agents and the settings.

use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::estimate_cost;
use diffsan_prepare::tokens;
use diffsan_review::finding::CAPABILITY_REVIEWER;
use diffsan_store::files::places::Places;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::budget::Estimate;

/// Returns a digest of the diff, the agents and all settings that take part in a review.
pub(crate) fn digest(opened: &OpenChange, agents: &[String]) -> String {
    let config = &opened.settings.config;
    let definitions: Vec<_> = agents.iter().map(|name| config.agents.get(name)).collect();
    let all = json!({
        "fingerprint": opened.fingerprint.value,
        "agents": agents,
        "definitions": definitions,
        "agent": config.agent,
        "limits": config.limits,
        "prepare": config.prepare,
        "redaction": config.redaction,
        "prompt": config.prompt,
        "capability": config.capability,
    });
    hex::encode(Sha256::digest(all.to_string()))
}

/// Returns the resources that a review is expected to need at least: the diff, once for each agent. Agents that read files need more. Blocks.
pub(crate) fn estimate(places: &Places, opened: &OpenChange, agents: &[String]) -> Result<Estimate> {
    let config = &opened.settings.config;
    let diffs = opened.prepared().prepared.diffs();
    let once: u64 = diffs.iter().map(|diff| tokens::count(diff.as_str())).sum();
    let mut estimate = Estimate::default();
    // The capability reviewer sends nothing.
    for name in agents.iter().filter(|name| *name != CAPABILITY_REVIEWER) {
        let own = config.agents.get(name).map(|agent| agent.model.as_str()).unwrap_or_default();
        let model = [own, config.agent.model.as_str()].into_iter().find(|model| !model.is_empty());
        estimate.tokens += once;
        estimate.cost += estimate_cost(places, model, once)?.unwrap_or(0.0);
    }
    Ok(estimate)
}
