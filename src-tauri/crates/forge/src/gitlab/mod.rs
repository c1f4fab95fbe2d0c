//! A client for GitLab's REST API, version 4, and for the GraphQL mutations that it lacks.
//!
//! In: a base URL, a token, a merge request. Out: GitLab's data, with complete lists. A token is sent only in a header, to its
//! own host, and never appears in an address, a log or an error. Reads are retried after temporary failures. Writes are never
//! retried: the caller checks which writes succeeded before it writes again.

mod client;
mod error;
mod inbox;
mod inbox_summaries;
mod known_responses;
mod known_versions;
mod pipelines;
mod position;
mod reference;
mod server_version;
mod types;
mod write;

pub use client::Client;
pub use error::GitlabError;
pub use inbox::{InboxList, ListedMergeRequest, MergeRequestDetails, RequestStatus};
pub use inbox_summaries::{RequestSummary, SummaryFields};
pub use known_responses::{KnownResponse, KnownResponses};
pub use known_versions::KnownVersions;
pub use pipelines::{PipelineInfo, PipelineJob};
pub use position::{DiffRefs, Landing, Position, RangeForm, landing};
pub use reference::Reference;
pub use server_version::ServerVersion;
pub use types::{
    Approvals, ClosedIssue, Discussion, Draft, IssueReferences, MergeRequest, Note, Person, Reviewer, TokenInfo,
    Version,
};

/// A token. Its `Debug` output does not contain it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Creates a token from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}
