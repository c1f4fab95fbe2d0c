//! The version of the server, and the features that a version has. Numbers of sections refer to the fact sheet about GitLab;
//! `[M]` marks a version that the sheet does not name.

use std::fmt;

/// A version of GitLab. The default is the newest that the fake knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl ServerVersion {
    /// Returns a version.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The newest version that the fake knows.
    pub const NEWEST: Self = Self::new(19, 2);

    /// The versions on which a test for all versions runs, the oldest first: each one has rules that the one before it lacks.
    pub const TESTED: [Self; 6] =
        [Self::new(15, 0), Self::new(16, 0), Self::new(17, 7), Self::new(18, 5), Self::new(18, 6), Self::NEWEST];

    fn since(self, major: u32, minor: u32) -> bool {
        self >= Self::new(major, minor)
    }

    /// Returns whether `GET /metadata` exists (§16).
    pub fn has_metadata(self) -> bool {
        self.since(15, 2)
    }

    /// Returns whether `GET /personal_access_tokens/self` exists (§16).
    pub fn has_own_token(self) -> bool {
        self.since(15, 5)
    }

    /// Returns whether a merge request has `detailed_merge_status` (§14).
    pub fn has_detailed_merge_status(self) -> bool {
        self.since(15, 6)
    }

    /// Returns whether `GET …/diffs` exists (§16).
    pub fn has_diffs(self) -> bool {
        self.since(15, 7)
    }

    /// Returns whether the API has draft notes and `bulk_publish` (§16).
    pub fn has_draft_notes(self) -> bool {
        self.since(15, 10)
    }

    /// Returns whether `position_type` can be `file` (§16).
    pub fn has_file_positions(self) -> bool {
        self.since(16, 4)
    }

    /// Returns whether diffs obey `unidiff=true` (§16).
    pub fn has_unidiff(self) -> bool {
        self.since(16, 5)
    }

    /// Returns whether files of a diff have `generated_file` (§14).
    pub fn has_generated_file(self) -> bool {
        self.since(16, 9)
    }

    /// Returns whether reviewers can be in the state `requested_changes` (§16; [M]).
    pub fn has_requested_changes(self) -> bool {
        self.since(16, 9)
    }

    /// Returns whether GraphQL has `mergeRequestRequestChanges` (§16; [M]).
    pub fn has_request_changes_mutation(self) -> bool {
        self.since(17, 0)
    }

    /// Returns whether reviewers can be in the states `approved`, `unapproved` and `review_started` (§16; [M]).
    pub fn has_review_started(self) -> bool {
        self.since(17, 0)
    }

    /// Returns whether the ends of `line_range` can have `old_line` and `new_line`, and a `type` of null (§16).
    pub fn has_lines_in_ranges(self) -> bool {
        self.since(17, 8)
    }

    /// Returns whether `GET …/raw_diffs` exists (§16).
    pub fn has_raw_diffs(self) -> bool {
        self.since(17, 9)
    }

    /// Returns whether files of a diff have `collapsed` and `too_large` (§5; [M]).
    pub fn has_size_flags(self) -> bool {
        self.since(17, 9)
    }

    /// Returns whether numbers in the `line_range` of a draft stay numbers. Earlier versions turn them into text, which the
    /// validator rejects (§16).
    pub fn has_lines_in_draft_ranges(self) -> bool {
        self.since(18, 6)
    }

    /// Returns whether `bulk_publish` takes `note`, `internal` and `reviewer_state` (§8, §16).
    pub fn has_bulk_publish_summary(self) -> bool {
        self.since(19, 2)
    }

    /// Returns `version` of `GET /version`.
    pub(super) fn full(self) -> String {
        format!("{self}.1-ee")
    }
}

impl Default for ServerVersion {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for ServerVersion {
    type Err = String;

    /// Parses `18.6`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        numbers.map(|(major, minor)| Self::new(major, minor)).ok_or_else(|| format!("not a version: {text}"))
    }
}
