//! The places of posted comments, from exact to general.

use super::state::{MergeRequest, Position};

/// The place of a comment. The order is from exact to general.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placement {
    /// A range of lines with the numbers of its ends. GitLab shows "Comment on lines 2 to 5".
    Range,
    /// A range of lines with only `line_code` and `type`.
    RangeCodes,
    /// A line.
    Line,
    /// A file.
    File,
    /// No position: the summary note, or a thread of its own.
    Summary,
}

impl Placement {
    /// All placements, from exact to general.
    pub const ALL: [Self; 5] = [Self::Range, Self::RangeCodes, Self::Line, Self::File, Self::Summary];

    /// Returns the placement of a name in `versions.toml`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let names = ["range", "range-codes", "line", "file", "summary"];
        Some(Self::ALL[names.iter().position(|one| *one == name)?])
    }

    /// Returns the place of a position.
    pub fn of(position: Option<&Position>) -> Self {
        let Some(position) = position else { return Self::Summary };
        if position.position_type != "text" {
            return Self::File;
        }
        let Some(range) = &position.line_range else { return Self::Line };
        let numbered = |end: &str| range[end]["old_line"].is_u64() || range[end]["new_line"].is_u64();
        if numbered("start") && numbered("end") { Self::Range } else { Self::RangeCodes }
    }
}

/// A comment that a user posted: a note of its own, or the first note of a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    /// The text.
    pub body: String,
    /// The place.
    pub placement: Placement,
    /// The position as GitLab stored it.
    pub position: Option<Position>,
    /// Whether the comment is a thread, which can be resolved.
    pub thread: bool,
    /// Whether the comment was a draft.
    pub drafted: bool,
}

/// Returns the comments of a user, the oldest first.
pub(super) fn posted(request: &MergeRequest, user: u64) -> Vec<Posted> {
    let firsts = request.threads.iter().filter_map(|thread| thread.notes.first());
    let own = firsts.filter(|note| note.author == user && !note.system);
    let posted = own.map(|note| Posted {
        body: note.body.clone(),
        placement: Placement::of(note.position.as_ref()),
        position: note.position.clone(),
        thread: note.kind.is_some(),
        drafted: note.drafted,
    });
    posted.collect()
}
