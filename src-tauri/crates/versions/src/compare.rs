//! Compares two versions.

use diffsan_git::{Repo, VersionCommits};
use diffsan_interdiff::{FileComparison, Hidden, compare_file, mark_moved};
use diffsan_pipeline::error::{Error, Result};

use crate::commits::commit_rows;
use crate::names::missing;
use crate::view::{Comparison, HiddenLines, Verdict, VersionRange};

/// Options of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareOptions {
    /// The number of unchanged lines around each edit.
    pub context: usize,
    /// Whether the commits are compared, too.
    pub commits: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { context: 3, commits: false }
    }
}

/// Compares two versions of a change. Blocks.
///
/// # Errors
///
/// Returns an error if a commit or a tree is missing. A file whose content is missing is listed with the reason.
pub fn compare(repo: &Repo, old: &VersionCommits, new: &VersionCommits, options: CompareOptions) -> Result<Comparison> {
    let compared = repo
        .compare_versions(old, new, &|sides, reader| compare_file(sides, reader, options.context))
        .map_err(|error| missing(Error::from(error), &old.head))?;
    let hidden: Hidden = compared.files.iter().map(|file| file.hidden).sum();
    let hidden = HiddenLines {
        target_files: u32::try_from(compared.target_files).unwrap_or(u32::MAX),
        ..HiddenLines::from(hidden)
    };
    let mut edited: Vec<FileComparison> = compared.files.into_iter().filter(|file| !file.is_empty()).collect();
    mark_moved(&mut edited);
    let verdict = match (old == new, compared.related, edited.is_empty()) {
        (true, ..) => Verdict::Same,
        (_, false, _) => Verdict::Unrelated,
        (_, _, true) => Verdict::NoEdits,
        _ => Verdict::Edited,
    };
    let commits = options.commits.then(|| commit_rows(repo, old, new)).transpose()?;
    Ok(Comparison {
        old: range(old),
        new: range(new),
        verdict,
        summary: summary(verdict, old, new, &edited),
        files: edited.into_iter().map(Into::into).collect(),
        hidden,
        commits,
    })
}

/// Checks that the clone has the history which a comparison of two versions needs.
///
/// # Errors
///
/// Returns an error if the clone is shallow and does not have it.
pub fn check_history(repo: &Repo, old: &VersionCommits, new: &VersionCommits) -> Result<()> {
    repo.are_related(old, new).map(drop).map_err(|error| missing(Error::from(error), &old.head))
}

fn range(version: &VersionCommits) -> VersionRange {
    VersionRange { base: version.base.clone(), head: version.head.clone() }
}

fn summary(verdict: Verdict, old: &VersionCommits, new: &VersionCommits, edited: &[FileComparison]) -> String {
    let conflicts = edited.iter().filter(|file| file.has_conflict()).count();
    match verdict {
        Verdict::Same => "Nothing changed: both versions have the same commits.".to_owned(),
        Verdict::NoEdits if old.base != new.base => "Only rebased: the author edited nothing.".to_owned(),
        Verdict::NoEdits => "The commits differ, but the files are equal.".to_owned(),
        Verdict::Edited => {
            let files = if edited.len() == 1 { "1 file".to_owned() } else { format!("{} files", edited.len()) };
            let in_conflict = if conflicts > 0 { format!(", {conflicts} with conflicts") } else { String::new() };
            format!("The author edited {files}{in_conflict}.")
        }
        Verdict::Unrelated => {
            "The versions start at unrelated commits, so everything that differs between their heads is shown."
                .to_owned()
        }
    }
}
