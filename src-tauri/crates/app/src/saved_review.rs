//! A saved review, and how its parts are stored.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use diffsan_pipeline::open::{OpenChange, PreparedChange};
use diffsan_review::ReviewOutput;
use diffsan_review::rounds::assign_keys;
use diffsan_store::StoredDecision;

/// A saved review with its decisions.
#[derive(Clone, Debug)]
pub struct SavedReview {
    /// The review's id.
    pub id: String,
    /// The creation time, RFC 3339.
    pub created_at: String,
    /// Whether there is a later review of the same change.
    pub earlier: bool,
    /// The fingerprint of the reviewed diff.
    pub fingerprint: String,
    /// The run folder.
    pub run_dir: String,
    /// The result.
    pub output: ReviewOutput,
    /// The number of masked places.
    pub masked: u32,
    /// The number of files that were cut, completely or partly.
    pub cut_files: u32,
    /// The reviewer's decisions.
    pub decisions: Vec<StoredDecision>,
    /// The suggested patches that are applied to the work tree: the key of the finding and the id of the fix.
    pub applied: Vec<(String, i64)>,
}

/// The facts about the prepared change that are stored with a review.
#[derive(Serialize, Deserialize)]
pub(super) struct Facts {
    pub(super) masked: u32,
    pub(super) cut_files: u32,
}

impl Facts {
    /// Collects the facts of a prepared change.
    pub(super) fn of(prepared: &PreparedChange) -> Self {
        let cut: HashSet<&str> = prepared.prepared.truncation.items.iter().map(|item| item.path.as_str()).collect();
        Self {
            masked: u32::try_from(prepared.redaction.matches.len()).unwrap_or(u32::MAX),
            cut_files: u32::try_from(cut.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Reads a saved review. An earlier version that still runs may have written one without keys.
pub(super) fn read_output(text: &str) -> serde_json::Result<ReviewOutput> {
    let mut output: ReviewOutput = serde_json::from_str(text)?;
    assign_keys(&mut output.findings, &[]);
    Ok(output)
}

pub(super) fn target_text(opened: &OpenChange) -> String {
    opened.written_target().to_string()
}
