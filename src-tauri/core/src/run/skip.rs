//! Whether a merge request is reviewed at all.

use serde::Serialize;

use super::opened::Opened;
use crate::review::Fingerprint;

/// Why a change is not reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkipCode {
    /// It merges by itself as soon as it can.
    AutoMerge,
    /// The latest summary is of the same diff.
    SameFingerprint,
    /// There is nothing in it.
    NoDiff,
}

impl SkipCode {
    /// Its wire name.
    pub fn name(self) -> &'static str {
        match self {
            Self::AutoMerge => "AUTO_MERGE",
            Self::SameFingerprint => "SAME_FINGERPRINT",
            Self::NoDiff => "NO_DIFF",
        }
    }
}

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkipReason {
    /// Which.
    pub code: SkipCode,
    /// For people.
    pub message: String,
}

/// The decision: `skip.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkipDecision {
    /// Whether it is skipped.
    pub should_skip: bool,
    /// Why.
    pub reasons: Vec<SkipReason>,
    /// Of the diff.
    pub fingerprint: Fingerprint,
    /// What was said before, in few words.
    pub prior_digest: Option<serde_json::Value>,
}

/// Decides. What is not known is no reason; `anyway` is the reviewer's word.
pub(super) fn decide(opened: &Opened, latest: Option<&Fingerprint>, anyway: bool) -> Vec<SkipReason> {
    let Some(request) = opened.merge_request.as_deref().filter(|_| !anyway) else { return Vec::new() };
    let config = &opened.settings.config.skip;
    let mut reasons = Vec::new();
    if config.skip_on_auto_merge && request.auto_merge == Some(true) {
        let message = "This merge request is set to merge by itself.".to_owned();
        reasons.push(SkipReason { code: SkipCode::AutoMerge, message });
    }
    if config.skip_on_same_fingerprint && latest == Some(&opened.fingerprint) {
        let message = "The latest review that was posted is of this very diff.".to_owned();
        reasons.push(SkipReason { code: SkipCode::SameFingerprint, message });
    }
    reasons
}
