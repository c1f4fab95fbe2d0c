//! The versions of GitLab, and the features that they have.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The version of a GitLab server. Compares by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ServerVersion {
    /// The major number.
    pub major: u32,
    /// The minor number.
    pub minor: u32,
}

impl ServerVersion {
    const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Returns whether `raw_diffs` exists, which is the whole patch.
    pub fn has_raw_diffs(self) -> bool {
        self >= Self::new(17, 9)
    }

    /// Returns whether `diffs` exists, which is a list of files.
    pub fn has_diffs(self) -> bool {
        self >= Self::new(15, 7)
    }

    /// Returns whether a comment can be about a file.
    pub fn has_file_comments(self) -> bool {
        self >= Self::new(16, 4)
    }

    /// Returns whether the ends of a range of lines may have line numbers.
    pub fn accepts_range_numbers(self, draft: bool) -> bool {
        self >= if draft { Self::new(18, 6) } else { Self::new(17, 8) }
    }

    /// Returns whether an assigned reviewer can request changes.
    pub fn has_request_changes(self) -> bool {
        self >= Self::new(17, 0)
    }

    /// Returns whether publishing all drafts can add a summary.
    pub fn publishes_summary(self) -> bool {
        self >= Self::new(19, 2)
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for ServerVersion {
    type Err = ();

    /// Parses a version such as `17.5.2-ee`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(['.', '-']).map(str::parse);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(Self { major, minor }),
            _ => Err(()),
        }
    }
}
