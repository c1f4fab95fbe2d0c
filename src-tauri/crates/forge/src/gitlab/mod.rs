//! The door to GitLab: its REST interface, version 4.
//!
//! In: a base URL, a token, a merge request. Out: what GitLab has, every list to its end. A token goes into a header of requests to
//! its own host and nowhere else: never into an address, a log or an error. Reading is repeated where it failed for now; writing never is:
//! whoever writes looks for what landed before writing again.

mod client;
mod error;
mod position;
mod reference;
mod types;
mod write;

pub use client::Client;
pub use error::GitlabError;
pub use position::{DiffRefs, Landing, Position, landing};
pub use reference::Reference;
pub use types::{Approvals, Discussion, Draft, MergeRequest, Note, Person, TokenInfo, Version};

/// A token. It is never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Takes a token's text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}
