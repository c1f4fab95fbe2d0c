//! Finds the hunks of a change that were reviewed before: those that no commit since the last reviewed head has
//! changed.

use std::collections::HashMap;

use super::change::FetchedRequest;
use super::merge_request::read_options;
use super::prior_comments::latest_head;
use crate::error::{Error, ErrorCode, Result};
use diffsan_change::{Change, LineKind, Target};
use diffsan_config::GitlabConfig;
use diffsan_git::Repo;

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
    let target = Target::Range { base: then.clone(), head: now, merge_base: false };
    let newer = repo.change(&target, &read_options())?;
    // By path: the lines of the head that are new since then, and those before which lines were removed.
    let mut touched: HashMap<&diffsan_change::RepoPath, Vec<u32>> = HashMap::new();
    for file in &newer.files {
        let mut lines = Vec::new();
        for hunk in file.hunks() {
            let mut number = hunk.new_start + u32::from(hunk.new_lines == 0);
            for line in hunk.lines.iter() {
                if line.kind != LineKind::Context {
                    lines.push(number);
                }
                number += u32::from(line.kind != LineKind::Removed);
            }
        }
        for path in [&file.new_path, &file.old_path].into_iter().flatten() {
            touched.entry(path).or_default().extend(&lines);
        }
    }
    let known = change.files.iter().map(|file| {
        let lines = [&file.new_path, &file.old_path].into_iter().flatten().find_map(|path| touched.get(path));
        let Some(lines) = lines else { return vec![true; file.hunks().len().max(1)] };
        if file.hunks().is_empty() || file.new_path.is_none() {
            return vec![false; file.hunks().len().max(1)];
        }
        let fresh = |hunk: &diffsan_change::Hunk| {
            lines.iter().any(|line| (hunk.new_start..=hunk.new_start + hunk.new_lines).contains(line))
        };
        file.hunks().iter().map(|hunk| !fresh(hunk)).collect()
    });
    Ok((known.collect(), then.chars().take(10).collect()))
}
