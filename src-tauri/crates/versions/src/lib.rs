//! Versions of a change: a list of them, and the author's edits between two.
//!
//! In: a repository, and names of versions: two ranges, or an opened change with a version that was seen or reviewed before. Out: the
//! comparison as it is shown, with texts in place of bytes. Reading is done by `git`, deciding by `interdiff`.

mod commits;
mod compare;
mod names;
mod remarks;
mod series;
mod view;

pub use commits::{CommitItem, CommitRow, CommitState};
pub use compare::{CompareOptions, check_history, compare};
pub use names::{VersionItem, VersionOrigin, list, named, number, opened_version, record, repository, since};
pub use remarks::{ComparedRemark, Remark, RemarkKind, remarks};
pub use series::{
    CommitDiff, CommitEntry, CommitFinding, FindingPlace, commit_diff, commit_entries, commit_findings, message_quote,
};
pub use view::{
    ComparedFile, ComparedHunk, ComparedLine, Comparison, FileNoteItem, HiddenLines, LineSource, Verdict, VersionRange,
};
