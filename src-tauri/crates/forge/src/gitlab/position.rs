//! Computes the position of a finding for GitLab: the exact pair of line numbers that identifies a line of its diff
//! (`lib/gitlab/diff/position.rb`, `lines_unfolder.rb`). An added line has a new number, a removed one an old number, an
//! unchanged one both. The pair must be correct, however far from a hunk the line is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

use diffsan_change::{FileChange, LineKind};
use diffsan_review::finding::{Anchor, Side};

/// The maximum size of a file's patch in bytes (GitLab's default). Lines of a larger patch cannot be commented.
const MAX_PATCH_BYTES: usize = 200 * 1024;

/// The commits that GitLab computes its diff from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DiffRefs {
    /// The merge base.
    pub base_sha: String,
    /// The commit of the target branch.
    pub start_sha: String,
    /// The head of the source branch.
    pub head_sha: String,
}

/// A position as GitLab's API expects it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// The commits of the diff.
    #[serde(flatten)]
    pub refs: DiffRefs,
    /// `text` or `file`.
    pub position_type: String,
    /// The path before the change, or the new path of an added file.
    pub old_path: String,
    /// The path after the change, or the old path of a deleted file.
    pub new_path: String,
    /// The line number before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_line: Option<u32>,
    /// The line number after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_line: Option<u32>,
    /// The highlighted lines, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_range: Option<LineRange>,
}

/// A range of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineRange {
    /// The first line.
    pub start: LineName,
    /// The last line.
    pub end: LineName,
}

/// A line of a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineName {
    /// The line code: `sha1(path)_old_new`.
    pub line_code: String,
    /// `new` for an added line, `old` for a removed one. `None` for an unchanged one.
    #[serde(rename = "type", default)]
    pub kind: Option<String>,
    /// The line number before the change.
    pub old_line: Option<u32>,
    /// The line number after the change.
    pub new_line: Option<u32>,
}

/// The parts of a range of lines that are sent. Older versions refuse some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RangeForm {
    /// No range: the comment is on the last line.
    Absent,
    /// Line codes, without line numbers. GitLab then shows no range in the comment's heading if it is a draft.
    Codes,
    /// Line codes and line numbers.
    Numbers,
}

impl RangeForm {
    /// Returns the form with the next fewer parts.
    #[must_use]
    pub fn reduced(self) -> Self {
        match self {
            Self::Numbers => Self::Codes,
            _ => Self::Absent,
        }
    }
}

impl Position {
    /// Returns whether GitLab's JSON describes this position. Numbers of a range are not compared, because some versions drop them.
    pub fn is(&self, saved: &Value) -> bool {
        let wanted = json!(self);
        let fields = [
            "/base_sha",
            "/start_sha",
            "/head_sha",
            "/position_type",
            "/old_path",
            "/new_path",
            "/old_line",
            "/new_line",
            "/line_range/start/line_code",
            "/line_range/end/line_code",
        ];
        let value = |position: &Value, field: &str| position.pointer(field).cloned().unwrap_or_default();
        fields.iter().all(|field| value(&wanted, field) == value(saved, field))
    }

    /// Returns the position as a request contains it.
    pub fn to_json(&self, form: RangeForm) -> Value {
        let mut position = json!(self);
        match (form, &mut position) {
            (RangeForm::Codes, position) => {
                for end in ["/line_range/start", "/line_range/end"] {
                    if let Some(Value::Object(end)) = position.pointer_mut(end) {
                        // Versions that refuse numbers refuse a null here, too.
                        end.retain(|name, value| name == "line_code" || name == "type" && !value.is_null());
                    }
                }
            }
            (RangeForm::Absent, Value::Object(position)) => drop(position.remove("line_range")),
            _ => {}
        }
        position
    }
}

/// The place of a posted finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Landing {
    /// At a line, or at a range that ends there.
    Line {
        /// The position.
        position: Box<Position>,
    },
    /// At a file of the change.
    File {
        /// The position.
        position: Box<Position>,
    },
    /// In the summary.
    Summary,
}

/// The numbers of a line on both sides. For an added or removed line, one of them is missing.
#[derive(Clone, Copy)]
struct Pair {
    old: Option<u32>,
    new: Option<u32>,
    /// The running counters of both sides, which make up the line code.
    counters: (u32, u32),
}

/// Returns where a finding is posted. `file` is the file of the finding in GitLab's diff.
pub fn landing(file: Option<&FileChange>, anchor: &Anchor, refs: &DiffRefs) -> Landing {
    let Some(file) = file else { return Landing::Summary };
    let text = |path: &Option<diffsan_change::RepoPath>| {
        path.as_ref().and_then(|path| std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned))
    };
    // A path that is not UTF-8 cannot be sent in JSON.
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
        kind: match (pair.old, pair.new) {
            (None, _) => Some("new".to_owned()),
            (_, None) => Some("old".to_owned()),
            _ => None,
        },
        old_line: pair.old,
        new_line: pair.new,
    };
    let line_range = first.map(|first| LineRange { start: name(first), end: name(last) });
    let position =
        Position { position_type: "text".to_owned(), old_line: last.old, new_line: last.new, line_range, ..on_file };
    Landing::Line { position: Box::new(position) }
}

/// Returns whether GitLab's diff of the file has lines. A pure rename, a binary file and a very large patch have none.
fn has_lines(file: &FileChange) -> bool {
    let bytes: usize = file.hunks().iter().flat_map(|hunk| hunk.lines.iter()).map(|line| line.text.len() + 2).sum();
    bytes > 0 && bytes <= MAX_PATCH_BYTES
}

/// Returns both numbers of a line of one side, or `None` if the line does not exist.
fn pair(file: &FileChange, side: Side, number: u32) -> Option<Pair> {
    let whole = file.old_path.is_none() || file.new_path.is_none();
    // The difference between the new and the old number, after the hunks so far.
    let mut offset: i64 = 0;
    for hunk in file.hunks() {
        // An empty side starts after the line that its header gives.
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
    // Outside of hunks, both sides are equal. An added or deleted file has no such lines.
    if whole {
        return None;
    }
    let (old, new) = match side {
        Side::New => (u32::try_from(i64::from(number) - offset).ok()?, number),
        Side::Old => (number, u32::try_from(i64::from(number) + offset).ok()?),
    };
    (old > 0 && new > 0).then_some(Pair { old: Some(old), new: Some(new), counters: (old, new) })
}

/// Returns the line code: the digest of the path, and the number on both sides.
fn line_code(path: &str, (old, new): (u32, u32)) -> String {
    format!("{}_{old}_{new}", hex::encode(Sha1::digest(path)))
}
