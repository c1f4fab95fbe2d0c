//! Decides whether a merge request is reviewed.

use serde::Serialize;
use serde_json::json;

use super::log::Log;
use super::request::Outcome;
use crate::error::Result;
use crate::open::OpenChange;
use diffsan_change::Fingerprint;
use diffsan_prepare::prompt::Prior;
use diffsan_store::event::EventName;

/// The reason why a change is not reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkipCode {
    /// The merge request is set to merge automatically.
    AutoMerge,
    /// The latest summary is of the same diff.
    SameFingerprint,
    /// The change is empty.
    NoDiff,
}

impl SkipCode {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::AutoMerge => "AUTO_MERGE",
            Self::SameFingerprint => "SAME_FINGERPRINT",
            Self::NoDiff => "NO_DIFF",
        }
    }
}

/// A reason for skipping a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkipReason {
    /// The kind of reason.
    pub code: SkipCode,
    /// The reason as text for people.
    pub message: String,
}

/// The decision in `skip.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkipDecision {
    /// Whether the change is skipped.
    pub should_skip: bool,
    /// The reasons.
    pub reasons: Vec<SkipReason>,
    /// The fingerprint of the diff.
    pub fingerprint: Fingerprint,
    /// The digest of earlier findings and comments.
    pub prior_digest: Option<serde_json::Value>,
}

/// Returns the reasons to skip a change. Unknown facts are not a reason. `anyway` disables all reasons.
pub(super) fn decide(opened: &OpenChange, latest: Option<&Fingerprint>, anyway: bool) -> Vec<SkipReason> {
    let Some(request) = opened.merge_request.as_deref().filter(|_| !anyway) else { return Vec::new() };
    let config = &opened.settings.config.skip;
    let mut reasons = Vec::new();
    if config.skip_on_auto_merge && request.auto_merge == Some(true) {
        let message = "This merge request is set to merge automatically.".to_owned();
        reasons.push(SkipReason { code: SkipCode::AutoMerge, message });
    }
    // A review of the rest is asked for.
    let is_rest = opened.edits.as_ref().is_some_and(|edits| edits.unsent_files() > 0);
    if config.skip_on_same_fingerprint && latest == Some(&opened.fingerprint) && !is_rest {
        let message = "The latest posted review is of this exact diff.".to_owned();
        reasons.push(SkipReason { code: SkipCode::SameFingerprint, message });
    }
    reasons
}

pub(super) fn no_diff(log: &mut Log<'_>, opened: &OpenChange, message: String) -> Result<Outcome> {
    skipped(log, opened, vec![SkipReason { code: SkipCode::NoDiff, message }], None)
}

pub(super) fn skipped(
    log: &mut Log<'_>,
    opened: &OpenChange,
    reasons: Vec<SkipReason>,
    prior: Option<&Prior>,
) -> Result<Outcome> {
    let outcome = Outcome::Skipped {
        reason: reasons.first().map_or("NO_DIFF", |reason| reason.code.name()),
        message: reasons.iter().map(|reason| reason.message.as_str()).collect::<Vec<_>>().join(" "),
    };
    decided(log, opened, reasons, prior)?;
    Ok(outcome)
}

pub(super) fn decided(
    log: &mut Log<'_>,
    opened: &OpenChange,
    reasons: Vec<SkipReason>,
    prior: Option<&Prior>,
) -> Result<()> {
    let decision = SkipDecision {
        should_skip: !reasons.is_empty(),
        reasons,
        fingerprint: opened.fingerprint.clone(),
        prior_digest: prior.map(|prior| json!(prior)),
    };
    log.report("skip.json", &decision)?;
    log.info(EventName::SkipDecided, json!({ "should_skip": decision.should_skip, "reasons": decision.reasons }));
    Ok(())
}
