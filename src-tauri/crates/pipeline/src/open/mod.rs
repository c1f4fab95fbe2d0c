//! Opens a change: from a target to a change with its settings, trust and earlier comments.

mod change;
mod gitlab_access;
mod merge_request;
mod named_files;
mod patch;
mod prepared;
mod prior_comments;
mod reading;
mod request;
mod reviewed_since;
mod trust;

pub use change::{OpenChange, excluded_folders, millis, review_key};
pub use gitlab_access::{GitlabAccess, TokenPlace};
pub use merge_request::{
    LocalClone, fetch_commit, fetch_history, fetch_merge_request, local_diff, merge_request_target,
};
pub use patch::read_patch_file;
pub use prepared::PreparedChange;
pub use prior_comments::{earlier, last_placed_head, last_reviewed_head, own_notes, posted_findings, visible_text};
pub use reading::{
    FoldPlace, OrderKind, Reading, ShownChapter, ShownFold, ShownHunk, ShownReading, ShownSpan, ShownStep, UnreadFile,
    UnreadReason,
};
pub use request::{FetchedDiff, FetchedRequest, OpenRequest, Source, Threads};
pub use reviewed_since::AuthorEdits;
pub use trust::{Trust, TrustState, settings_here};
