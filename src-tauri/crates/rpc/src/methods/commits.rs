//! The commits of a change, one by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::ChangeIdParams;
use super::findings::FindingView;
use super::reviews::current_review;
use super::versions::{count, page_of};
use crate::registry::{Table, opened};
use diffsan_app::App;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_versions::{CommitEntry, CommitFinding, ComparedFile, FindingPlace};

/// The commits of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CommitsView {
    /// The commits without merges, oldest first.
    pub commits: Vec<CommitEntry>,
    /// The commits that the findings of the review belong to: those that introduced or removed their lines.
    pub findings: Vec<CommitFinding>,
}

/// Asks for the diff of a commit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CommitParams {
    /// The opened change.
    pub change_id: String,
    /// The full id of the commit; of a range, the first one.
    pub commit: String,
    /// The full id of the last commit of a range.
    #[serde(default)]
    pub until: Option<String>,
    /// The number of files to skip: those of earlier pages.
    #[serde(default)]
    pub from: u32,
}

/// The diff of a commit, or of a range of them. Files are sent in pages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CommitView {
    /// The full id of the commit before. None before a root commit.
    pub base: Option<String>,
    /// The full id of the commit; of a range, the last one.
    pub head: String,
    /// The number of changed files.
    pub file_count: u32,
    /// The files of this page. A page ends after 5,000 lines, and has at least one file.
    pub files: Vec<ComparedFile>,
    /// The number of files to skip for the next page. None at the end.
    pub next: Option<u32>,
}

pub(super) fn register(table: &mut Table) {
    table.query(
        "change.commits",
        "Returns the commits of a change, and which of them its findings belong to",
        |app, params: ChangeIdParams| Ok(commits(app, &opened(app, &params.change_id)?.opened)?),
    );
    table.query("change.commit", "Returns the diff of a commit of a change", |app, params: CommitParams| {
        let handle = opened(app, &params.change_id)?;
        Ok(commit(&handle.opened, &params)?)
    });
}

fn commits(app: &App, opened: &OpenChange) -> Result<CommitsView> {
    let repo = diffsan_versions::repository(opened)?;
    let version = diffsan_versions::opened_version(opened)?;
    let review = current_review(app, opened)?.review;
    let places: Vec<FindingPlace> = review.iter().flat_map(|review| &review.findings).map(place).collect();
    let findings = diffsan_versions::commit_findings(&repo, &version, &opened.change, &places)?;
    Ok(CommitsView { commits: diffsan_versions::commit_entries(&repo, &version)?, findings })
}

fn place(view: &FindingView) -> FindingPlace {
    let anchor = &view.finding.anchor;
    FindingPlace {
        key: view.finding.key.clone(),
        path: anchor.path.clone(),
        side: anchor.side,
        line: anchor.line_end,
        quote: view.finding.content.quote.clone(),
    }
}

fn commit(opened: &OpenChange, params: &CommitParams) -> Result<CommitView> {
    let repo = diffsan_versions::repository(opened)?;
    let version = diffsan_versions::opened_version(opened)?;
    let known = diffsan_versions::commit_entries(&repo, &version)?;
    let is_known = |id: &String| known.iter().any(|commit| commit.id == *id);
    if let Some(other) = [Some(&params.commit), params.until.as_ref()].into_iter().flatten().find(|id| !is_known(id)) {
        return Err(Error::new(
            diffsan_pipeline::error::ErrorCode::NotFound,
            format!("The change has no commit {other}."),
        )
        .hint("Read the list of commits again."));
    }
    let diff = diffsan_versions::commit_diff(&repo, &params.commit, params.until.as_deref())?;
    let (files, next) = page_of(&diff.files, params.from);
    Ok(CommitView { base: diff.base, head: diff.head, file_count: count(diff.files.len()), files, next })
}
