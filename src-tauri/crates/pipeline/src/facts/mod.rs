//! Collects the facts about a change: from reports in the repository, reports that the user names, and the pipeline of a merge request.
//!
//! In: an opened change. Out: masked [`Facts`]. A source that cannot be read is listed with its reason and is no error.

mod gitlab;
mod local;
mod names;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::blocking;
use crate::error::{Error, ErrorCode, Result};
use crate::open::{GitlabAccess, OpenChange};
use diffsan_change::{LineKind, Target};
use diffsan_facts::{Collector, Facts, FactsSummary, Tree};
use diffsan_git::Repo;

/// The maximum time to read a pipeline from GitLab.
const GITLAB_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of files of the head that paths of reports are compared with.
const MAX_TREE_FILES: usize = 500_000;

/// Collects the facts about a change, and keeps them with it. `named` are reports that the user names, which count as reports about the
/// head. `access` is given for a merge request.
pub async fn collect(
    opened: &Arc<OpenChange>,
    named: Vec<PathBuf>,
    access: Option<GitlabAccess>,
    cancel: &CancellationToken,
) -> Result<Arc<Facts>> {
    let pipeline = match (&opened.target, access) {
        (Target::MergeRequest { base, project, iid }, Some(access)) if opened.settings.config.facts.gitlab => {
            let read = gitlab::read(opened, access, base, project, *iid);
            match cancel.run_until_cancelled(tokio::time::timeout(GITLAB_TIMEOUT, read)).await {
                None => return Err(Error::new(ErrorCode::Cancelled, "Reading the pipeline was cancelled.")),
                Some(Ok(read)) => Some(read),
                Some(Err(_)) => Some(Err(format!("GitLab did not answer within {} s", GITLAB_TIMEOUT.as_secs()))),
            }
        }
        _ => None,
    };
    let kept = Arc::clone(opened);
    blocking(move || {
        let facts = Arc::new(collected(&kept, &named, pipeline));
        kept.set_facts(Arc::clone(&facts));
        Ok(facts)
    })
    .await
}

/// Maps all reports and masks the result. Blocks.
fn collected(
    opened: &OpenChange,
    named: &[PathBuf],
    pipeline: Option<std::result::Result<gitlab::PipelineReports, String>>,
) -> Facts {
    let tree = Tree::new(|| head_files(opened));
    let mut collector = Collector::new(&tree, changed_paths(opened));
    collector.facts().commit.clone_from(&opened.change.head);
    match pipeline {
        Some(Ok(reports)) => reports.add_to(&mut collector, opened),
        Some(Err(problem)) => collector.add_problem("GitLab".to_owned(), problem),
        None => {}
    }
    local::add_named(&mut collector, opened, named);
    local::add_found(&mut collector, opened);
    let mut facts = collector.finish();
    let mut session = opened.prepared().session();
    facts.for_each_text(&mut |text| *text = session.contract("report", text).into_inner());
    facts
}

/// Returns the paths of the head's files, and of the files of the change.
fn head_files(opened: &OpenChange) -> BTreeSet<String> {
    let listed = || {
        let repo = Repo::open(opened.root.as_ref()?).ok()?;
        repo.tracked_files(opened.tree.as_ref()?).ok()
    };
    let files = listed().unwrap_or_default().into_iter().map(|file| file.path).take(MAX_TREE_FILES);
    files.chain(changed_paths(opened)).collect()
}

/// Returns the paths of the changed files that the head has.
fn changed_paths(opened: &OpenChange) -> impl Iterator<Item = String> {
    opened.change.files.iter().filter_map(|file| Some(file.new_path.as_ref()?.to_text().into_owned()))
}

/// Summarises facts for a review. Blocks.
pub fn summary(opened: &OpenChange, facts: &Facts) -> FactsSummary {
    FactsSummary::of(facts, &|path| added_lines(opened, path))
}

/// Returns the numbers of the added lines of a file.
pub(crate) fn added_lines(opened: &OpenChange, path: &str) -> BTreeSet<u32> {
    let of_path = |file: &&diffsan_change::FileChange| file.new_path.as_ref().is_some_and(|new| new.to_text() == path);
    let hunks = opened.change.files.iter().filter(of_path).flat_map(diffsan_change::FileChange::hunks);
    let lines = hunks.flat_map(diffsan_change::Hunk::numbered);
    lines.filter(|line| line.line.kind == LineKind::Added).filter_map(|line| line.new).collect()
}
