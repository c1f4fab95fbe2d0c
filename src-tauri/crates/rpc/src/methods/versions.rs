//! The versions of a change, and the author's edits since one of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::{Table, opened};
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_versions::{CommitRow, ComparedFile, Comparison, HiddenLines, Verdict, VersionItem, VersionRange};

/// The maximum number of lines after which a page ends.
const MAX_PAGE_LINES: usize = 5000;

/// Identifies an opened change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct VersionsParams {
    /// The opened change.
    pub change_id: String,
}

/// The known versions of a change, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VersionsView {
    /// The versions.
    pub versions: Vec<VersionItem>,
}

/// Asks for the edits since a version.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SinceParams {
    /// The opened change.
    pub change_id: String,
    /// The version: `last` for the last review, `v3` for the third known version, a commit, or the full ids of its base and its head
    /// as `BASE..HEAD`. Numbers can change when a version is added, ids do not.
    pub since: String,
    /// The later version, named in the same way. The opened one if absent.
    #[serde(default)]
    pub until: Option<String>,
    /// The number of files to skip: those of earlier pages.
    #[serde(default)]
    pub from: u32,
}

/// The edits of the author since a version. Files are sent in pages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SinceView {
    /// The earlier version.
    pub old: VersionRange,
    /// The later version.
    pub new: VersionRange,
    /// The result in one word.
    pub verdict: Verdict,
    /// The result in a sentence.
    pub summary: String,
    /// The number of files with edits.
    pub file_count: u32,
    /// The files of this page. A page ends after 5,000 lines, and has at least one file.
    pub files: Vec<ComparedFile>,
    /// The number of files to skip for the next page. None at the end.
    pub next: Option<u32>,
    /// The lines and files that are not shown.
    pub hidden: HiddenLines,
    /// The commits of both versions. Only in the first page.
    pub commits: Vec<CommitRow>,
}

pub(super) fn register(table: &mut Table) {
    table.async_query("change.versions", "Returns the known versions of a change", |app, params, _| async move {
        let params: VersionsParams = params;
        let handle = opened(&app, &params.change_id)?;
        Ok(VersionsView { versions: app.versions(&handle.opened).await? })
    });
    table.async_query(
        "change.since",
        "Returns the author's edits since a version, without those of the target branch",
        |app, params, ask| async move {
            let params: SinceParams = params;
            let handle = opened(&app, &params.change_id)?;
            let comparing = ask.cancel.run_until_cancelled(app.known_comparison(&handle, params.since, params.until));
            let stopped = || Error::new(ErrorCode::Cancelled, "Comparing the versions was cancelled.");
            let comparison = comparing.await.unwrap_or_else(|| Err(stopped()))?;
            Ok(page(&comparison, params.from))
        },
    );
}

/// Returns a page of a comparison.
fn page(comparison: &Comparison, from: u32) -> SinceView {
    let rest = comparison.files.get(from as usize..).unwrap_or_default();
    let mut lines = 0;
    let mut fits = |file: &&ComparedFile| {
        let fits = lines < MAX_PAGE_LINES;
        lines += file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>() + 1;
        fits
    };
    let files: Vec<ComparedFile> = rest.iter().take_while(|file| fits(file)).cloned().collect();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let next = from.saturating_add(count(files.len()));
    SinceView {
        old: comparison.old.clone(),
        new: comparison.new.clone(),
        verdict: comparison.verdict,
        summary: comparison.summary.clone(),
        file_count: count(comparison.files.len()),
        next: (files.len() < rest.len()).then_some(next),
        files,
        hidden: comparison.hidden,
        commits: if from == 0 { comparison.commits.clone().unwrap_or_default() } else { Vec::new() },
    }
}
