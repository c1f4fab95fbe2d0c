//! Finds the author's edits since an earlier version of a change. Lines of the target branch, such as from a rebase, are no edits. Only
//! hunks with an edit are sent, and findings on other lines are marked.

use std::collections::{HashMap, HashSet};

use super::prior_comments::latest_head;
use super::request::FetchedRequest;
use crate::error::{Error, ErrorCode, MISSING_COMMIT, Result};
use diffsan_change::{Change, FileChange, Hunk, LineKind, RepoPath};
use diffsan_config::GitlabConfig;
use diffsan_git::{Repo, VersionCommits};
use diffsan_interdiff::{FileComparison, compare_file};
use diffsan_review::finding::Side;
use diffsan_review::since::{EditedLines, EditsSince, runs_of_lines};

/// The author's edits since an earlier version of a change.
#[derive(Clone, Debug)]
pub struct AuthorEdits {
    /// A name of the version for the user.
    pub since: String,
    /// The edits of each file of the change, in its order. `None` for a file without an edit.
    files: Vec<Option<FileEdits>>,
    /// The edits of files that are not part of the change any more.
    others: Vec<(RepoPath, FileEdits)>,
}

/// The author's edits of a file.
#[derive(Clone, Debug, Default)]
struct FileEdits {
    /// The lines, as far as the comparison shows them as lines. `None` if the whole file counts as edited.
    lines: Option<LinesOfFile>,
}

/// The edited lines of a file.
#[derive(Clone, Debug, Default)]
struct LinesOfFile {
    /// The lines of the head that the author edited, or before which lines were removed.
    head: Vec<u32>,
    /// The lines of the head after which lines were removed.
    before_removed: Vec<u32>,
    /// The lines of the base that the author removed.
    base: Vec<u32>,
}

impl AuthorEdits {
    /// Returns for each hunk of each file whether it has no edit.
    pub(super) fn known_hunks(&self, change: &Change) -> Vec<Vec<bool>> {
        let of_file = |(file, edits): (&FileChange, &Option<FileEdits>)| {
            let all = |known: bool| vec![known; file.hunks().len().max(1)];
            match edits.as_ref().map(|edits| &edits.lines) {
                None => all(true),
                Some(Some(lines)) if !file.hunks().is_empty() && file.new_path.is_some() => {
                    let edited = |hunk: &Hunk| {
                        let range = hunk.new_start..=hunk.new_start + hunk.new_lines;
                        lines.head.iter().any(|line| range.contains(line))
                    };
                    file.hunks().iter().map(|hunk| !edited(hunk)).collect()
                }
                Some(_) => all(false),
            }
        };
        change.files.iter().zip(&self.files).map(of_file).collect()
    }

    /// Returns the edits with the paths of the masked change.
    pub(crate) fn listed(&self, masked: &Change) -> EditsSince {
        let mut files = Vec::new();
        for (file, edits) in masked.files.iter().zip(&self.files) {
            let Some(edits) = edits else { continue };
            let text = |path: &RepoPath| path.to_text().into_owned();
            files.extend(file.new_path.as_ref().map(|path| edits.of_side(text(path), Side::New)));
            files.extend(file.old_path.as_ref().map(|path| edits.of_side(text(path), Side::Old)));
        }
        for (path, edits) in &self.others {
            files.push(edits.of_side(path.to_text().into_owned(), Side::New));
        }
        files.retain(|file| file.lines.as_ref().is_none_or(|lines| !lines.is_empty()));
        EditsSince { since: self.since.clone(), files }
    }
}

impl FileEdits {
    fn of_side(&self, path: String, side: Side) -> EditedLines {
        let lines = self.lines.as_ref().map(|lines| match side {
            Side::New => runs_of_lines([lines.head.as_slice(), &lines.before_removed].concat()),
            Side::Old => runs_of_lines(lines.base.clone()),
        });
        EditedLines { path, side, lines }
    }
}

/// Returns the author's edits in a change since the commit `since`, or the version `BASE..HEAD`; `last` is the head of the latest posted
/// review.
pub(super) fn author_edits(
    change: &Change,
    repo: Option<&Repo>,
    request: Option<&FetchedRequest>,
    since: &str,
    config: &GitlabConfig,
) -> Result<AuthorEdits> {
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
    let old = old_version(repo, change, request, &then)?;
    let new = VersionCommits { base: change.base.clone(), head: now };
    let compared = repo.compare_versions(&old, &new, &|sides, reader| compare_file(sides, reader, 1))?;
    let edited: Vec<&FileComparison> = compared.files.iter().filter(|file| !file.is_empty()).collect();
    let paths = |file: &FileComparison| [file.new_path.clone(), file.old_path.clone()].into_iter().flatten();
    let by_path: HashMap<RepoPath, usize> =
        edited.iter().enumerate().flat_map(|(at, file)| paths(file).map(move |path| (path, at))).collect();
    let place = |file: &FileChange| {
        [&file.new_path, &file.old_path].into_iter().flatten().find_map(|path| by_path.get(path)).copied()
    };
    let places: Vec<Option<usize>> = change.files.iter().map(place).collect();
    let used: HashSet<usize> = places.iter().copied().flatten().collect();
    let others = (0..edited.len()).filter(|at| !used.contains(at));
    Ok(AuthorEdits {
        since: old.head.chars().take(10).collect(),
        files: places.iter().map(|at| at.map(|at| file_edits(edited[at]))).collect(),
        others: others.filter_map(|at| Some((edited[at].new_path.clone()?, file_edits(edited[at])))).collect(),
    })
}

/// Returns the version that a commit or `BASE..HEAD` names. A commit's version starts where it leaves the target branch, or the base of the
/// change if the branch is unknown.
fn old_version(repo: &Repo, change: &Change, request: Option<&FetchedRequest>, name: &str) -> Result<VersionCommits> {
    let by_ids = VersionCommits::of_ids(name);
    let named = by_ids.clone().unwrap_or_else(|| VersionCommits { base: None, head: name.to_owned() });
    let is_full_id = |id: &&String| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(id) = named.ids().filter(is_full_id).find(|id| !repo.has_commit(id)) {
        let message = format!("The repository does not have the reviewed commit {id} any more.");
        let error = Error::new(ErrorCode::DiffFetchFailed, message).with(MISSING_COMMIT, id.clone());
        return Err(error.hint("Fetch the commit, or review the whole change, without --since."));
    }
    if let Some(version) = by_ids {
        return Ok(version);
    }
    let branch = request.map(|request| format!("origin/{}", request.target_branch)).or_else(|| repo.default_branch());
    let targets: Vec<&str> = branch.as_deref().into_iter().chain(change.base.as_deref()).collect();
    Ok(repo.version(&targets, name)?)
}

/// Returns the edited lines of a file. More than lines changed, or a place is not known: the whole file counts as edited.
fn file_edits(file: &FileComparison) -> FileEdits {
    if !file.notes.is_empty() {
        return FileEdits::default();
    }
    let mut found = LinesOfFile::default();
    for hunk in &file.hunks {
        // A removed line is before the next line of the head, or behind the last one.
        let (mut next, mut only_removed, mut last) = (None, false, LineKind::Context);
        for line in hunk.lines.iter().rev() {
            next = line.new.or(next);
            if line.kind != LineKind::Context || line.conflict {
                let Some(next) = next else { return FileEdits::default() };
                found.head.push(next);
                found.base.extend(line.target);
            }
            // Lines that were replaced have the new lines in their place.
            only_removed = match line.kind {
                LineKind::Removed => only_removed || last == LineKind::Context,
                LineKind::Added => false,
                LineKind::Context => {
                    found.before_removed.extend(line.new.filter(|_| only_removed));
                    false
                }
            };
            last = line.kind;
        }
    }
    FileEdits { lines: Some(found) }
}
