//! Places earlier findings and threads beside the edits that answered them.
//!
//! A remark is on lines of the commit that it was written for. If that is not the compared version, its lines are searched there.

use std::collections::HashMap;

use diffsan_anchor::code_status;
use diffsan_git::Repo;
use diffsan_review::rounds::CodeStatus;
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{ComparedFile, Comparison};

/// The kind of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemarkKind {
    /// A finding of the last review.
    Finding,
    /// A thread of the merge request.
    Thread,
}

/// An earlier finding or thread, and the lines that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The kind.
    pub kind: RemarkKind,
    /// The key of the finding, or the id of the thread.
    pub id: String,
    /// The full id of the commit whose lines it is about.
    pub commit: String,
    /// The path in that commit.
    pub path: String,
    /// The first and the last line, from 1.
    pub lines: (u32, u32),
}

/// A remark in a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedRemark {
    /// The kind.
    pub kind: RemarkKind,
    /// The key of the finding, or the id of the thread.
    pub id: String,
    /// The status of its code in the later version.
    pub status: CodeStatus,
    /// The path of the file with the edits, as the comparison names it. None if the file has none.
    pub path: Option<String>,
    /// The index of the edits of the file that are at its lines. None if none are.
    pub hunk: Option<u32>,
}

/// Returns the remarks whose lines the earlier version has, with the edits beside them. Blocks.
pub fn remarks(repo: &Repo, comparison: &Comparison, remarks: &[Remark]) -> Vec<ComparedRemark> {
    let mut texts = Texts { repo, known: HashMap::new() };
    remarks.iter().filter_map(|remark| compared(&mut texts, comparison, remark)).collect()
}

fn compared(texts: &mut Texts<'_>, comparison: &Comparison, remark: &Remark) -> Option<ComparedRemark> {
    let file = comparison.files.iter().find(|file| old_path(file) == remark.path);
    let old = texts.at(&comparison.old.head, &remark.path)?;
    let (start, end) = match remark.commit == comparison.old.head {
        true => remark.lines,
        false => {
            let then = texts.at(&remark.commit, &remark.path)?;
            let (start, end) = remark.lines;
            match code_status(&then, Some(&old), start, end) {
                CodeStatus::Unchanged => (start, end),
                CodeStatus::Moved { line: Some(line) } => (line, line + end.saturating_sub(start)),
                _ => return None,
            }
        }
    };
    let new = texts.at(&comparison.new.head, file.map_or(remark.path.as_str(), |file| &file.path));
    let hunk = file.and_then(|file| file.hunks.iter().position(|hunk| is_at(&hunk.lines, start, end)));
    Some(ComparedRemark {
        kind: remark.kind,
        id: remark.id.clone(),
        status: code_status(&old, new.as_deref(), start, end),
        path: file.map(|file| file.path.clone()),
        hunk: hunk.and_then(|hunk| u32::try_from(hunk).ok()),
    })
}

/// Returns whether a hunk shows a line of the old version between these.
fn is_at(lines: &[crate::view::ComparedLine], start: u32, end: u32) -> bool {
    lines.iter().filter_map(|line| line.old).any(|old| (start..=end).contains(&old))
}

fn old_path(file: &ComparedFile) -> &str {
    file.old_path.as_deref().unwrap_or(&file.path)
}

/// The texts of files in commits, each read once.
struct Texts<'a> {
    repo: &'a Repo,
    known: HashMap<(String, String), Option<String>>,
}

impl Texts<'_> {
    fn at(&mut self, commit: &str, path: &str) -> Option<String> {
        let read = || {
            let bytes = self.repo.read_at(commit, path).ok().flatten()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        self.known.entry((commit.to_owned(), path.to_owned())).or_insert_with(read).clone()
    }
}
