//! A saved review, and how its parts are stored.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use diffsan_anchor::Relocated;
use diffsan_change::RepoPath;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::relocate;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{CAPABILITY_REVIEWER, Finding, Side};
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

impl SavedReview {
    /// Returns whether the opened change is another one than the reviewed one. A change that is opened for an earlier review shows the
    /// reviewed state, as far as it still exists.
    pub fn is_outdated(&self, opened: &OpenChange) -> bool {
        opened.fingerprint.value != self.fingerprint && opened.pinned().as_ref() != Some(&self.id)
    }

    /// Returns the findings at the current places of their code, or `None` if the saved places are those of the opened change. Blocks.
    pub fn relocated(&self, opened: &OpenChange) -> Option<Vec<Relocated>> {
        // A change that is shown from its run folder has no whole files, so the saved places are better.
        let differs = opened.fingerprint.value != self.fingerprint;
        (differs && (self.is_outdated(opened) || opened.tree.is_some())).then(|| {
            let mut session = opened.prepared().session();
            relocate(opened, Some(&self.output.meta), &self.output.findings, &mut session)
        })
    }
}

/// The facts about the prepared change that are stored with a review.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Facts {
    pub(super) masked: u32,
    pub(super) cut_files: u32,
    /// The keys of earlier accepted findings whose code was edited, and that the review does not report again.
    #[serde(default)]
    pub(super) resolved: Vec<String>,
    /// The digests of the files that findings without lines are about. Decisions about such findings rely on the whole file.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
}

impl Facts {
    /// Collects the facts about a review of a prepared change.
    pub(super) fn of(opened: &OpenChange, output: &ReviewOutput, resolved: Vec<String>) -> Self {
        let prepared = opened.prepared();
        // The capability reviewer examines also what is cut.
        let cut = prepared.prepared.truncation.items.iter().filter(|_| output.meta.agent != CAPABILITY_REVIEWER);
        let cut: HashSet<&str> = cut.map(|item| item.path.as_str()).collect();
        Self {
            masked: u32::try_from(prepared.redaction.matches.len()).unwrap_or(u32::MAX),
            cut_files: u32::try_from(cut.len()).unwrap_or(u32::MAX),
            resolved,
            files: file_digests(opened, &output.findings),
        }
    }
}

/// Returns the digests of the files that findings without lines are about, by path.
pub(super) fn file_digests(opened: &OpenChange, findings: &[Finding]) -> BTreeMap<String, String> {
    let paths = findings.iter().filter(|one| one.anchor.line_start.is_none()).map(|one| one.anchor.path.as_str());
    let paths: HashSet<&str> = paths.collect();
    paths.into_iter().filter_map(|path| Some((path.to_owned(), file_digest(opened, path)?))).collect()
}

/// Returns a digest of a whole file of a change, or of its hunks if the file is not available.
pub(super) fn file_digest(opened: &OpenChange, path: &str) -> Option<String> {
    let path = RepoPath::from(path);
    let file = opened.change.files.iter().find(|file| *file.path() == path);
    let side = if file.is_some_and(|file| file.new_path.is_none()) { Side::Old } else { Side::New };
    let mut digest = Sha256::new();
    match opened.file(&path, side) {
        Some(bytes) => digest.update(&bytes),
        None => {
            for line in file?.hunks().iter().flat_map(|hunk| hunk.lines.iter()) {
                digest.update(format!("{:?}\0", line.kind));
                digest.update(&line.text);
            }
        }
    }
    Some(hex::encode(&digest.finalize()[..16]))
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
