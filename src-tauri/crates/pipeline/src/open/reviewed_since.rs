//! Finds the hunks of a change that were reviewed before: those that the author has not edited since the last reviewed head. Lines
//! of the target branch, such as from a rebase, are no edits.

use std::collections::HashMap;

use super::change::FetchedRequest;
use super::prior_comments::latest_head;
use crate::error::{Error, ErrorCode, Result};
use diffsan_change::{Change, LineKind, RepoPath};
use diffsan_config::GitlabConfig;
use diffsan_git::{Repo, VersionCommits};
use diffsan_interdiff::{FileComparison, compare_file};

/// Returns for each hunk of each file whether it was reviewed at `since`, and a name of that commit for the user.
pub(super) fn known_hunks(
    change: &Change,
    repo: Option<&Repo>,
    request: Option<&FetchedRequest>,
    since: &str,
    config: &GitlabConfig,
) -> Result<(Vec<Vec<bool>>, String)> {
    let cannot = |message: String| {
        Error::new(ErrorCode::DiffFetchFailed, message).hint("Review the whole change, without --since.")
    };
    let Some(repo) = repo else {
        return Err(cannot("The new part cannot be determined, because the commits are not available.".to_owned()));
    };
    let Some(now) = change.head.clone() else {
        return Err(cannot("--since does not work with local changes.".to_owned()));
    };
    let then = match since {
        "last" => request
            .and_then(|request| latest_head(request, &config.summary_note_tag))
            .ok_or_else(|| cannot("No review of this merge request has been posted yet.".to_owned()))?,
        named => named.to_owned(),
    };
    // The old version starts where it leaves the target branch, or the base of the change if the branch is unknown.
    let branch = request.map(|request| format!("origin/{}", request.target_branch)).or_else(|| repo.default_branch());
    let targets: Vec<&str> = branch.as_deref().into_iter().chain(change.base.as_deref()).collect();
    let old = repo.version(&targets, &then)?;
    let new = VersionCommits { base: change.base.clone(), head: now };
    let compared = repo.compare_versions(&old, &new, &|sides, reader| compare_file(sides, reader, 1))?;
    // By path: the lines of the head that are new since then, and those before which lines were removed. `None` for a file that is
    // new as a whole.
    let edited: Vec<&FileComparison> = compared.files.iter().filter(|file| !file.is_empty()).collect();
    let touched: HashMap<&RepoPath, Option<Vec<u32>>> = edited
        .into_iter()
        .flat_map(|file| [&file.new_path, &file.old_path].into_iter().flatten().map(|path| (path, touched_lines(file))))
        .collect();
    let known = change.files.iter().map(|file| {
        let lines = [&file.new_path, &file.old_path].into_iter().flatten().find_map(|path| touched.get(path));
        match lines {
            None => vec![true; file.hunks().len().max(1)],
            Some(Some(lines)) if !file.hunks().is_empty() && file.new_path.is_some() => {
                let fresh = |hunk: &diffsan_change::Hunk| {
                    lines.iter().any(|line| (hunk.new_start..=hunk.new_start + hunk.new_lines).contains(line))
                };
                file.hunks().iter().map(|hunk| !fresh(hunk)).collect()
            }
            Some(_) => vec![false; file.hunks().len().max(1)],
        }
    });
    Ok((known.collect(), then.chars().take(10).collect()))
}

/// Returns the lines of the head that the author edited, or before which lines were removed. Returns `None` if more than lines changed.
fn touched_lines(file: &FileComparison) -> Option<Vec<u32>> {
    if !file.notes.is_empty() {
        return None;
    }
    let mut touched = Vec::new();
    for hunk in &file.hunks {
        // A removed line is before the next line of the head, or behind the last one.
        let mut next = None;
        for line in hunk.lines.iter().rev() {
            next = line.new.or(next);
            if line.kind != LineKind::Context || line.conflict {
                touched.push(next);
            }
        }
    }
    // Without a line of the head in the hunk, the place of the removed lines is not known, and the file counts as new.
    touched.into_iter().collect()
}
