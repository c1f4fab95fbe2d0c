//! Compares two rounds, which are reviews of the same change.

use std::collections::HashMap;
use std::path::Path;

use bytes::Bytes;

use super::{App, SavedReview};
use diffsan_anchor::{CodeDigests, finding_code_status, renamed_file};
use diffsan_change::{Change, FileChange, RepoPath, Target};
use diffsan_git::Repo;
use diffsan_pipeline::error::{Error, Result};
use diffsan_review::ReviewMeta;
use diffsan_review::finding::{Finding, Side};
use diffsan_review::rounds::{CodeStatus, Compared, compare};
use diffsan_store::files::artifacts::RunRecord;
use diffsan_store::{HistoryRow, StoredReview};

/// Two reviews of the same change, compared.
pub struct Rounds {
    /// The earlier review.
    pub earlier: SavedReview,
    /// The later review.
    pub later: SavedReview,
    /// Every finding of both reviews, once.
    pub findings: Vec<Compared>,
}

/// The files of a change as one review saw them.
struct ReviewedSide {
    repo: Option<Repo>,
    head: Option<String>,
    base: Option<String>,
    /// The diff in the run folder.
    diff: Option<Change>,
}

impl App {
    /// Returns all reviews of the same change, latest first. Blocks.
    pub fn rounds(&self, review_id: &str) -> Result<Vec<HistoryRow>> {
        let stored = self.stored(review_id)?;
        self.store.rounds(&stored.repository, &stored.target).map_err(Error::from)
    }

    /// Compares two reviews. Their times determine which one is the later. Blocks.
    pub fn compare_rounds(&self, one: &str, other: &str) -> Result<Rounds> {
        let (mut earlier, mut later) = (self.stored(one)?, self.stored(other)?);
        if earlier.created_at > later.created_at {
            std::mem::swap(&mut earlier, &mut later);
        }
        let (saved_earlier, saved_later) = (self.load_review(earlier.clone())?, self.load_review(later.clone())?);
        let before = ReviewedSide::of(&earlier, &saved_earlier.output.meta);
        let after = ReviewedSide::of(&later, &saved_later.output.meta);
        let mut known: HashMap<(String, Side), Texts> = HashMap::new();
        let mut status = |finding: &Finding| {
            let (path, side) = (&finding.anchor.path, finding.anchor.side);
            let now = after.path_of(path, &before);
            let Some(now) = now.or_else(|| after.diff.is_none().then(|| path.clone())) else {
                return CodeStatus::FileRemoved;
            };
            if side == Side::New && after.file(&now).is_some_and(|file| file.new_path.is_none()) {
                return CodeStatus::Removed;
            }
            let read = || Texts::new(before.text(path, side), after.text(&now, side));
            known.entry((path.clone(), side)).or_insert_with(read).status(finding)
        };
        let (a, b) = (&saved_earlier.output.findings, &saved_later.output.findings);
        let statuses: HashMap<String, CodeStatus> = a.iter().map(|one| (one.key.clone(), status(one))).collect();
        let findings = compare(a, b, |one| statuses.get(&one.key).copied().unwrap_or(CodeStatus::Unknown));
        Ok(Rounds { findings, earlier: saved_earlier, later: saved_later })
    }
}

/// The texts of a file in both reviews.
struct Texts {
    before: Option<String>,
    after: Option<(String, CodeDigests)>,
}

impl Texts {
    fn new(before: Option<String>, after: Option<String>) -> Self {
        let after = after.map(|after| {
            let digests = CodeDigests::of_text(&after);
            (after, digests)
        });
        Self { before, after }
    }

    fn status(&mut self, finding: &Finding) -> CodeStatus {
        let Some((after, digests)) = &mut self.after else { return CodeStatus::Unknown };
        finding_code_status(finding, self.before.as_deref(), after, digests)
    }
}

impl ReviewedSide {
    fn of(stored: &StoredReview, meta: &ReviewMeta) -> Self {
        let folder = Path::new(&stored.run_dir);
        let target: Option<Target> = serde_json::from_str(&stored.target).ok();
        // For local changes, the head is the commit that they are based on.
        let committed = !matches!(
            target,
            None | Some(Target::Unstaged | Target::Staged | Target::All { .. } | Target::Patch { .. })
        );
        let of_run = || RunRecord::read(folder)?.repository;
        let path = Some(stored.repository.clone()).filter(|path| !path.is_empty()).or_else(of_run);
        let repo = path.filter(|_| committed).and_then(|path| Repo::open(Path::new(&path)).ok());
        let commit =
            |sha: &Option<String>| sha.clone().filter(|sha| repo.as_ref().is_some_and(|repo| repo.has_commit(sha)));
        let (head, base) = (commit(&meta.head_sha), commit(&meta.base_sha));
        let diff =
            diffsan_bounded::read(&folder.join("diff.raw.patch"), u64::MAX).ok().filter(|_| !stored.run_dir.is_empty());
        let diff = diff.and_then(|bytes| diffsan_change::parse_patch(Bytes::from(bytes)).ok());
        Self { repo, head, base, diff }
    }

    fn file(&self, path: &str) -> Option<&FileChange> {
        self.diff.as_ref()?.files.iter().find(|file| file.path().to_text() == path)
    }

    /// Returns the path in this diff of a file that `earlier` has as `path`. A file that was renamed meanwhile has the same name at the base,
    /// or, if the change adds it, most of its lines.
    fn path_of(&self, path: &str, earlier: &Self) -> Option<String> {
        if let Some(file) = self.file(path) {
            return Some(file.path().to_text().into_owned());
        }
        let files = &self.diff.as_ref()?.files;
        let at_base = earlier.file(path).and_then(|file| file.old_path.as_ref());
        let at_base = at_base.map_or(path.into(), RepoPath::to_text);
        let renamed = |file: &&FileChange| file.old_path.as_ref().is_some_and(|old| old.to_text() == at_base);
        if let Some(file) = files.iter().find(renamed) {
            return Some(file.path().to_text().into_owned());
        }
        let new = files.iter().filter(|file| file.old_path.is_none()).map(|file| file.path().to_text().into_owned());
        let new = new.filter(|new| earlier.file(new).is_none());
        renamed_file(
            &earlier.text(path, Side::New)?,
            new.filter_map(|new| Some((new.clone(), self.text(&new, Side::New)?))),
        )
    }

    /// Returns the text of one side of a file as it was reviewed. If only the diff is known, its lines are at their line numbers and the other
    /// lines are empty.
    fn text(&self, path: &str, side: Side) -> Option<String> {
        let file = self.file(path);
        let commit = if side == Side::New { &self.head } else { &self.base };
        if let (Some(repo), Some(commit)) = (&self.repo, commit) {
            let old = file.and_then(|file| file.old_path.as_ref()).filter(|_| side == Side::Old);
            let path = old.map_or(path.into(), RepoPath::to_text);
            let bytes = repo.read_at(commit, &path).ok()??;
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        Some(file?.known_text(|line| if side == Side::New { line.new } else { line.old }))
    }
}
