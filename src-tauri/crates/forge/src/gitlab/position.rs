//! Where a finding lands in GitLab: the exact pair of line numbers that names a line of its diff (`lib/gitlab/diff/position.rb`,
//! `lines_unfolder.rb`). An added line has a new number, a removed one an old number, an unchanged one both, and those must be the
//! true pair, however far from a hunk the line is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use diffsan_change::{FileChange, LineKind};
use diffsan_review::finding::{Anchor, Side};

/// A larger patch of one file has no lines that can be commented, in bytes (GitLab's usual limit).
const MAX_PATCH_BYTES: usize = 200 * 1024;

/// The commits that GitLab computes its diff from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DiffRefs {
    /// The merge base.
    pub base_sha: String,
    /// The target branch's commit.
    pub start_sha: String,
    /// The source branch's commit.
    pub head_sha: String,
}

/// A place as GitLab's API has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// The commits.
    #[serde(flatten)]
    pub refs: DiffRefs,
    /// `text` or `file`.
    pub position_type: String,
    /// The path before the change; the path after it where there is none.
    pub old_path: String,
    /// The path after the change; the path before it where there is none.
    pub new_path: String,
    /// The line before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_line: Option<u32>,
    /// The line after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_line: Option<u32>,
    /// The lines that are highlighted, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_range: Option<LineRange>,
}

/// Several lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineRange {
    /// The first.
    pub start: LineName,
    /// The last.
    pub end: LineName,
}

/// A line of a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineName {
    /// `sha1(path)_old_new`
    pub line_code: String,
    /// `new` for an added line, else `old`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Before the change.
    pub old_line: Option<u32>,
    /// After the change.
    pub new_line: Option<u32>,
}

/// How a finding lands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Landing {
    /// On a line, or a range that ends there.
    Line {
        /// Where.
        position: Box<Position>,
    },
    /// On a file of the change.
    File {
        /// Where.
        position: Box<Position>,
    },
    /// In the summary.
    Summary,
}

/// A line by both of its numbers, one of which may be only the counter of its side.
#[derive(Clone, Copy)]
struct Pair {
    old: Option<u32>,
    new: Option<u32>,
    /// The running counters, which name the line.
    counters: (u32, u32),
}

/// Where a finding lands. `file` is the file of the change that it is about, as GitLab's diff has it.
pub fn landing(file: Option<&FileChange>, anchor: &Anchor, refs: &DiffRefs) -> Landing {
    let Some(file) = file else { return Landing::Summary };
    let text = |path: &Option<diffsan_change::RepoPath>| {
        path.as_ref().and_then(|path| std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned))
    };
    // A name that is no text has no place in JSON.
    let (Some(old_path), Some(new_path)) =
        (text(&file.old_path).or_else(|| text(&file.new_path)), text(&file.new_path).or_else(|| text(&file.old_path)))
    else {
        return Landing::Summary;
    };
    let on_file = Position {
        refs: refs.clone(),
        position_type: "file".to_owned(),
        old_path,
        new_path,
        old_line: None,
        new_line: None,
        line_range: None,
    };
    let lines = anchor.line_start.zip(anchor.line_end).filter(|_| has_lines(file));
    let Some((start, end)) = lines else { return Landing::File { position: Box::new(on_file) } };
    let Some(last) = pair(file, anchor.side, end) else { return Landing::File { position: Box::new(on_file) } };
    let first = (start < end).then(|| pair(file, anchor.side, start)).flatten();
    let name = |pair: Pair| LineName {
        line_code: line_code(&on_file.new_path, pair.counters),
        kind: if pair.old.is_none() { "new" } else { "old" }.to_owned(),
        old_line: pair.old,
        new_line: pair.new,
    };
    let line_range = first.map(|first| LineRange { start: name(first), end: name(last) });
    let position =
        Position { position_type: "text".to_owned(), old_line: last.old, new_line: last.new, line_range, ..on_file };
    Landing::Line { position: Box::new(position) }
}

/// Whether GitLab's diff of the file has lines: none of a mere rename, of a binary or a very large patch.
fn has_lines(file: &FileChange) -> bool {
    let bytes: usize = file.hunks().iter().flat_map(|hunk| hunk.lines.iter()).map(|line| line.text.len() + 2).sum();
    bytes > 0 && bytes <= MAX_PATCH_BYTES
}

/// Both numbers of a line of one side; none if it is not there.
fn pair(file: &FileChange, side: Side, number: u32) -> Option<Pair> {
    let whole = file.old_path.is_none() || file.new_path.is_none();
    // What the hunks so far added to the numbers.
    let mut offset: i64 = 0;
    for hunk in file.hunks() {
        // An empty side begins behind the line that it names.
        let old_start = hunk.old_start + u32::from(hunk.old_lines == 0);
        let new_start = hunk.new_start + u32::from(hunk.new_lines == 0);
        let start = if side == Side::New { new_start } else { old_start };
        if number < start {
            break;
        }
        let (mut old, mut new) = (old_start, new_start);
        for line in hunk.lines.iter() {
            let counters = (old, new);
            let found = match line.kind {
                LineKind::Added => {
                    new += 1;
                    (side == Side::New && counters.1 == number).then_some((None, Some(number)))
                }
                LineKind::Removed => {
                    old += 1;
                    (side == Side::Old && counters.0 == number).then_some((Some(number), None))
                }
                LineKind::Context => {
                    old += 1;
                    new += 1;
                    let here = if side == Side::New { counters.1 } else { counters.0 };
                    (here == number).then_some((Some(counters.0), Some(counters.1)))
                }
            };
            if let Some((old, new)) = found {
                return Some(Pair { old, new, counters });
            }
        }
        offset = i64::from(new) - i64::from(old);
    }
    // Between hunks, and before and behind them, both sides are alike. A file that is whole on one side has no such lines.
    if whole {
        return None;
    }
    let (old, new) = match side {
        Side::New => (u32::try_from(i64::from(number) - offset).ok()?, number),
        Side::Old => (number, u32::try_from(i64::from(number) + offset).ok()?),
    };
    (old > 0 && new > 0).then_some(Pair { old: Some(old), new: Some(new), counters: (old, new) })
}

/// A line's name: the digest of its path, and its number on both sides.
fn line_code(path: &str, (old, new): (u32, u32)) -> String {
    format!("{}_{old}_{new}", hex::encode(Sha1::digest(path)))
}
