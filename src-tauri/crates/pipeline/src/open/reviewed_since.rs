//! Finds the author's edits since an earlier version of a change. Lines of the target branch, such as from a rebase, are no edits. Only
//! hunks with an edit are sent, and findings on other lines are marked. A file that the review of that version did not send counts as edited.

use std::collections::{HashMap, HashSet};

use super::prior_comments::posted_reviews;
use super::request::FetchedRequest;
use crate::error::{Error, ErrorCode, MISSING_COMMIT, Result};
use diffsan_change::{Change, FileChange, Hunk, LineKind, RepoPath};
use diffsan_git::{Repo, VersionCommits};
use diffsan_interdiff::{FileComparison, compare_file};
use diffsan_review::ReviewMeta;
use diffsan_review::finding::Side;
use diffsan_review::since::{EditedLines, EditsSince, runs_of_lines};
use diffsan_review::unsent::UnsentFiles;
use diffsan_store::Store;

/// The number of saved reviews among which that of the earlier version is searched.
const MAX_REVIEWS: u32 = 20;

/// The saved and posted reviews of a change, which know the files that were not sent.
pub(super) struct EarlierReviews<'a> {
    pub(super) store: &'a Store,
    /// The repository under which reviews of the change are saved.
    pub(super) home: &'a str,
    /// The target of the change for storage.
    pub(super) target: &'a str,
    pub(super) request: Option<&'a FetchedRequest>,
    /// The tag of posted summaries.
    pub(super) tag: &'a str,
}

impl EarlierReviews<'_> {
    /// Returns the head of the latest posted review.
    fn latest_head(&self) -> Option<String> {
        posted_reviews(self.request?, self.tag).next()?.reviewed_head().map(str::to_owned)
    }

    /// Returns the files that the latest saved review of a commit did not send, and those that the latest posted one did not: it may be
    /// of another machine.
    fn unsent(&self, head: &str) -> Result<UnsentFiles> {
        let of_saved = |output: &str| {
            let mut output: serde_json::Value = serde_json::from_str(output).ok()?;
            let meta: ReviewMeta = serde_json::from_value(output["meta"].take()).ok()?;
            (meta.reviewed_commits()?.head_sha == head).then_some(meta.unsent)
        };
        let saved = self.store.reviews_of_change(self.home, self.target, MAX_REVIEWS)?;
        let saved = saved.iter().find_map(|review| of_saved(&review.output)).unwrap_or_default();
        let mut posted = self.request.into_iter().flat_map(|request| posted_reviews(request, self.tag));
        let posted = posted.find(|marks| marks.reviewed_head() == Some(head)).and_then(|marks| marks.digest);
        let posted = posted.map(|digest| digest.unsent).unwrap_or_default();
        Ok(UnsentFiles { paths: [saved.paths, posted.paths].concat(), more: saved.more || posted.more })
    }
}

/// The author's edits since an earlier version of a change.
#[derive(Clone, Debug)]
pub struct AuthorEdits {
    /// A name of the version for the user.
    pub since: String,
    /// The edits of each file of the change, in its order. `None` for a file without an edit.
    files: Vec<Option<FileEdits>>,
    /// The edits of files that are not part of the change any more.
    others: Vec<(RepoPath, FileEdits)>,
    /// For each file of the change, whether the review of that version did not send it wholly.
    unsent: Vec<bool>,
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
        let of_file = |((file, edits), unsent): ((&FileChange, &Option<FileEdits>), &bool)| {
            let all = |known: bool| vec![known; file.hunks().len().max(1)];
            if *unsent {
                return all(false);
            }
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
        change.files.iter().zip(&self.files).zip(&self.unsent).map(of_file).collect()
    }

    /// Returns the number of files of the change that the review of that version did not send wholly.
    pub fn unsent_files(&self) -> usize {
        self.unsent.iter().filter(|unsent| **unsent).count()
    }

    /// Returns the edits with the paths of the masked change.
    pub(crate) fn listed(&self, masked: &Change) -> EditsSince {
        let mut files = Vec::new();
        let whole = FileEdits::default();
        for ((file, edits), unsent) in masked.files.iter().zip(&self.files).zip(&self.unsent) {
            let Some(edits) = (if *unsent { Some(&whole) } else { edits.as_ref() }) else { continue };
            let side = |path: &Option<RepoPath>, side| {
                let path = path.as_ref()?.to_text().into_owned();
                Some(EditedLines { unsent: *unsent, ..edits.of_side(path, side) })
            };
            files.extend([side(&file.new_path, Side::New), side(&file.old_path, Side::Old)].into_iter().flatten());
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
        EditedLines { path, side, lines, unsent: false }
    }
}

/// Returns the author's edits in a change since the commit `since`, or the version `BASE..HEAD`; `last` is the head of the latest posted
/// review.
pub(super) fn author_edits(
    change: &Change,
    repo: Option<&Repo>,
    since: &str,
    earlier: &EarlierReviews<'_>,
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
        "last" => earlier
            .latest_head()
            .ok_or_else(|| cannot("No review of this merge request has been posted yet.".to_owned()))?,
        named => named.to_owned(),
    };
    let old = old_version(repo, change, earlier.request, &then)?;
    let unsent = earlier.unsent(&old.head)?;
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
    // The file may have been renamed since.
    let is_unsent = |file: &FileChange| {
        let mut paths = [&file.new_path, &file.old_path].into_iter().flatten();
        paths.any(|path| unsent.contains(&path.to_text()))
    };
    Ok(AuthorEdits {
        since: old.head.chars().take(10).collect(),
        files: places.iter().map(|at| at.map(|at| file_edits(edited[at]))).collect(),
        others: others.filter_map(|at| Some((edited[at].new_path.clone()?, file_edits(edited[at])))).collect(),
        unsent: change.files.iter().map(is_unsent).collect(),
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
