//! Decides whether a merge request is reviewed.

use serde::Serialize;
use serde_json::json;

use super::log::Log;
use super::request::Outcome;
use crate::error::Result;
use crate::open::OpenChange;
use diffsan_change::Fingerprint;
use diffsan_prepare::prompt::Prior;
use diffsan_prepare::types::IgnoreReason;
use diffsan_store::event::EventName;

/// The maximum number of files that a reason names.
const FILES_NAMED: usize = 5;

/// The reason why a change is not reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkipCode {
    /// The merge request is set to merge automatically.
    AutoMerge,
    /// The latest summary is of the same diff.
    SameFingerprint,
    /// The change is empty, or has nothing new.
    NoDiff,
    /// The change is not empty, but all of it is ignored or over the limits.
    NothingSent,
}

impl SkipCode {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::AutoMerge => "AUTO_MERGE",
            Self::SameFingerprint => "SAME_FINGERPRINT",
            Self::NoDiff => "NO_DIFF",
            Self::NothingSent => "NOTHING_SENT",
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

/// Returns the reason why an agent would get no part of a change, if that is so. Blocks.
pub fn nothing_to_send(opened: &OpenChange) -> Option<SkipReason> {
    if opened.change.files.is_empty() {
        return Some(SkipReason { code: SkipCode::NoDiff, message: "There is no change to review.".to_owned() });
    }
    let prepared = &opened.prepared().prepared;
    if !prepared.change.get().files.is_empty() {
        return None;
    }
    let summary = &prepared.coverage.summary;
    let ignored = prepared.ignored.iter().filter(|file| file.reason != IgnoreReason::Reviewed);
    let cut = prepared.truncation.items.iter().map(|item| (&item.path, &item.details));
    let left_out: Vec<_> = ignored.map(|file| (&file.path, &file.details)).chain(cut).collect();
    if left_out.is_empty() {
        let message = format!("No part of the change would be sent: {summary}.");
        return Some(SkipReason { code: SkipCode::NoDiff, message });
    }
    let named = left_out.iter().take(FILES_NAMED).map(|(path, why)| format!("{path} ({why})"));
    let more = left_out.len().saturating_sub(FILES_NAMED);
    let named: Vec<String> = named.chain((more > 0).then(|| format!("and {more} more"))).collect();
    let message = format!(
        "The change was not reviewed, because no part of it would be sent: {summary}. Left out: {}.",
        named.join(", ")
    );
    Some(SkipReason { code: SkipCode::NothingSent, message })
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
