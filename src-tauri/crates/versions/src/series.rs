//! The commits of a change, one by one: their messages, the commits that they fix, their diffs, and the findings on lines that they
//! introduced or removed.

use diffsan_change::{Body, Change, FileChange, LineKind, RepoPath, Target};
use diffsan_git::{ChangeCommit, ReadOptions, Repo, VersionCommits, VersionLine};
use diffsan_interdiff::fixups;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::Side;
use diffsan_review::message::{commit_of_message, message_lines, message_path};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{ComparedFile, ComparedHunk, ComparedLine, FileNoteItem, HiddenLines, LineSource};

/// A commit of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitEntry {
    /// Its place in the change, from 1, oldest first.
    pub number: u32,
    /// The full id.
    pub id: String,
    /// The whole message.
    pub message: String,
    /// The path of findings about the message.
    pub message_path: String,
    /// The name of the author.
    pub author: String,
    /// The time at which the author wrote it, in seconds since 1970.
    pub time: i64,
    /// The number of the commit that it fixes, if it is a `fixup!`, `squash!` or `amend!` commit of the change.
    pub fixes: Option<u32>,
}

/// The place of a finding in the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingPlace {
    /// The key of the finding.
    pub key: String,
    /// The path as the change writes it, or the path of a finding about a message.
    pub path: String,
    /// The side of the line.
    pub side: Side,
    /// The line, from 1. None for a finding without lines.
    pub line: Option<u32>,
    /// The code or the words that it is about.
    pub quote: Option<String>,
}

/// The commit that introduced the line of a finding, or removed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitFinding {
    /// The key of the finding.
    pub key: String,
    /// The full id of the commit.
    pub commit: String,
    /// The path in the diff of the commit. None for a finding about the message.
    pub path: Option<String>,
    /// The side of the line in the diff of the commit.
    pub side: Side,
    /// The number of the line on that side, from 1; in the message, for a finding about it.
    pub line: u32,
}

/// The diff of a commit, or of adjacent commits.
#[derive(Clone, Debug)]
pub struct CommitDiff {
    /// The full id of the commit before the first one. None before a root commit.
    pub base: Option<String>,
    /// The full id of the last commit.
    pub head: String,
    /// The changed files.
    pub files: Vec<ComparedFile>,
}

/// Returns the commits of a version without merges, oldest first. Blocks.
pub fn commit_entries(repo: &Repo, version: &VersionCommits) -> Result<Vec<CommitEntry>> {
    let commits = repo.version_commits(version)?;
    let subject = |commit: &'_ ChangeCommit| commit.message.lines().next().unwrap_or_default().to_owned();
    let subjects: Vec<String> = commits.iter().map(subject).collect();
    let named: Vec<(&str, &str)> =
        commits.iter().zip(&subjects).map(|(commit, subject)| (commit.id.as_str(), subject.as_str())).collect();
    let fixes = fixups(&named);
    let entry = |(at, commit): (usize, ChangeCommit)| CommitEntry {
        number: number(at),
        message_path: message_path(&commit.id),
        id: commit.id,
        message: commit.message,
        author: commit.author,
        time: commit.time,
        fixes: fixes[at].map(number),
    };
    Ok(commits.into_iter().enumerate().map(entry).collect())
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// Returns the commit of a version that each finding belongs to. A finding on lines that are older than the version has none. Blocks.
pub fn commit_findings(
    repo: &Repo,
    version: &VersionCommits,
    change: &Change,
    findings: &[FindingPlace],
) -> Result<Vec<CommitFinding>> {
    let (about_messages, on_lines): (Vec<&FindingPlace>, Vec<&FindingPlace>) =
        findings.iter().partition(|finding| commit_of_message(&finding.path).is_some());
    let mut found = Vec::new();
    if !about_messages.is_empty() {
        let commits = repo.version_commits(version)?;
        found.extend(about_messages.into_iter().filter_map(|finding| on_message(&commits, finding)));
    }
    let placed: Vec<(&FindingPlace, VersionLine)> =
        on_lines.into_iter().filter_map(|finding| Some((finding, version_line(change, finding)?))).collect();
    let lines: Vec<VersionLine> = placed.iter().map(|(_, line)| line.clone()).collect();
    let commits = repo.commits_of_lines(version, &lines)?;
    for ((finding, _), line) in placed.into_iter().zip(commits) {
        let Some(line) = line else { continue };
        found.push(CommitFinding {
            key: finding.key.clone(),
            commit: line.commit,
            path: Some(line.path.to_text().into_owned()),
            side: finding.side,
            line: line.line,
        });
    }
    Ok(found)
}

/// Returns the commit of a finding about a message: the one that its path names, or after a rebase the one with the same words.
fn on_message(commits: &[ChangeCommit], finding: &FindingPlace) -> Option<CommitFinding> {
    let id = commit_of_message(&finding.path)?;
    let (line, quote) = (finding.line.unwrap_or(1), finding.quote.as_deref());
    let same = |commit: &&ChangeCommit| {
        quote.is_some_and(|quote| {
            let last = line + number(quote.lines().count()).saturating_sub(2);
            message_lines(&commit.message, line, last).as_deref() == Some(quote)
        })
    };
    let commit = commits.iter().find(|commit| commit.id.starts_with(id)).or_else(|| commits.iter().find(same))?;
    Some(CommitFinding { key: finding.key.clone(), commit: commit.id.clone(), path: None, side: Side::New, line })
}

/// Returns lines of the message that the path of a finding names. `None` if the change has no such commit or line. Blocks.
pub fn message_quote(opened: &OpenChange, path: &str, start: u32, end: u32) -> Result<Option<String>> {
    let Some(id) = commit_of_message(path) else { return Ok(None) };
    let commits = crate::repository(opened)?.version_commits(&crate::opened_version(opened)?)?;
    let commit = commits.iter().find(|commit| commit.id.starts_with(id));
    Ok(commit.and_then(|commit| message_lines(&commit.message, start, end)))
}

/// Returns the line of the version that a finding is on.
fn version_line(change: &Change, finding: &FindingPlace) -> Option<VersionLine> {
    let is = |path: &Option<RepoPath>| path.as_ref().is_some_and(|path| path.to_text() == finding.path);
    let file = change.files.iter().find(|file| is(&file.new_path) || is(&file.old_path));
    let path = match (finding.side, file) {
        (Side::New, Some(file)) => file.new_path.clone()?,
        (Side::Old, Some(file)) => file.old_path.clone()?,
        (_, None) => RepoPath::from(finding.path.as_str()),
    };
    Some(VersionLine { path, new: finding.side == Side::New, line: finding.line? })
}

/// Returns the diff of a commit against its first parent; with `until`, that of all commits up to it. Both are full ids. Blocks.
///
/// # Errors
///
/// Returns an error if a commit is missing.
pub fn commit_diff(repo: &Repo, commit: &str, until: Option<&str>) -> Result<CommitDiff> {
    let first = repo.commit_version(commit)?;
    let head = until.unwrap_or(commit);
    let target = match &first.base {
        Some(base) => Target::Range { base: base.clone(), head: head.to_owned(), merge_base: false },
        None if until.is_none_or(|until| until == commit) => Target::Commit { rev: commit.to_owned() },
        None => {
            return Err(Error::new(ErrorCode::InvalidInput, "A root commit can only be shown alone.")
                .hint("Choose a range that starts after it."));
        }
    };
    let change = repo.change(&target, &ReadOptions::default())?;
    Ok(CommitDiff {
        base: first.base,
        head: head.to_owned(),
        files: change.files.into_iter().map(ComparedFile::from).collect(),
    })
}

impl From<FileChange> for ComparedFile {
    fn from(file: FileChange) -> Self {
        let text = |path: &Option<RepoPath>| path.as_ref().map(|path| path.to_text().into_owned());
        let (old, new) = (text(&file.old_path), text(&file.new_path));
        let mut notes = Vec::new();
        match (&old, &new) {
            (None, _) => notes.push(FileNoteItem::Added),
            (_, None) => notes.push(FileNoteItem::Removed),
            (Some(old), Some(new)) if old != new => notes.push(FileNoteItem::Renamed { from: old.clone() }),
            _ => {}
        }
        if let (Some(from), Some(to)) = (file.old_mode, file.new_mode)
            && from != to
        {
            notes.push(FileNoteItem::Mode { from, to });
        }
        let hunks = match file.body {
            Body::Text(hunks) => hunks,
            Body::Binary(_) => {
                notes.push(FileNoteItem::Content);
                Vec::new()
            }
            Body::Unread(reason) => {
                notes.push(FileNoteItem::Unread { reason });
                Vec::new()
            }
        };
        let path = new.or_else(|| old.clone()).unwrap_or_default();
        let hunks = hunks.iter().map(|hunk| ComparedHunk { conflict: false, lines: lines(hunk) });
        Self {
            old_path: old.filter(|old| *old != path),
            path,
            conflict: false,
            notes,
            hunks: hunks.collect(),
            hidden: HiddenLines::default(),
        }
    }
}

fn lines(hunk: &diffsan_change::Hunk) -> Vec<ComparedLine> {
    let line = |numbered: diffsan_change::NumberedLine<'_>| ComparedLine {
        sign: match numbered.line.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        },
        source: if numbered.line.kind == LineKind::Added { LineSource::NewVersion } else { LineSource::Base },
        old: numbered.old,
        base: numbered.old,
        new: numbered.new,
        conflict: false,
        text: String::from_utf8_lossy(&numbered.line.text).into_owned(),
        no_newline: !numbered.line.newline,
    };
    hunk.numbered().map(line).collect()
}
