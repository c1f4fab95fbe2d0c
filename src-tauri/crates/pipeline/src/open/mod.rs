//! Opens a change: from a target to a change with its settings, trust and earlier comments.

mod change;
mod gitlab_access;
mod merge_request;
mod named_files;
mod prior_comments;
mod reviewed_since;
mod trust;

pub use change::{
    FetchedDiff, FetchedRequest, OpenChange, OpenRequest, PreparedChange, Source, Threads, excluded_folders, millis,
    read_patch_file, review_key,
};
pub use gitlab_access::{GitlabAccess, TokenPlace};
pub use merge_request::{LocalClone, fetch_merge_request, merge_request_target};
pub use prior_comments::{OwnNote, earlier, own_notes, posted_findings, visible_text};
pub use trust::{Trust, TrustState, settings_here};
