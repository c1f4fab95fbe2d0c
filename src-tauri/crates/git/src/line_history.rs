//! The history of a line: the commits that changed it, newest first. The first one is the blame.
//!
//! The walk follows one line from commit to parent through differences of its file. It can be cancelled between commits, and stops at
//! limits instead of running for long.

use git2::{Commit, ObjectType, Oid, Patch};

use super::{Repo, RepoError};
use diffsan_change::RepoPath;

/// The maximum number of commits that changed the line.
const MAX_CHANGES: usize = 50;
/// The maximum number of commits that are visited.
const MAX_VISITED: usize = 50_000;
/// The maximum size of a file whose lines are followed, in bytes.
const MAX_FOLLOWED_BYTES: usize = 2 * 1024 * 1024;
/// The maximum number of files of a commit that are compared to find the earlier path of a renamed file.
const MAX_RENAME_FILES: usize = 1_000;

/// The history of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineHistory {
    /// The commits that changed the line, newest first.
    pub changes: Vec<LineChange>,
    /// The reason why older commits are missing, if some are.
    pub stopped: Option<String>,
}

/// A commit that changed a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The full id of the commit.
    pub commit: String,
    /// The whole message.
    pub message: String,
    /// The name of the author.
    pub author: String,
    /// The time at which the author wrote it, in seconds since 1970.
    pub time: i64,
    /// The path of the file in that commit.
    pub path: String,
    /// The number of the line in that commit, from 1.
    pub line: u32,
    /// The text of the line in that commit, without its end.
    pub text: Vec<u8>,
    /// The commit that merged it, if the line came with a merge.
    pub merge: Option<MergeCommit>,
}

/// A merge commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeCommit {
    /// The full id.
    pub commit: String,
    /// The whole message, which may name a merge request.
    pub message: String,
}

/// A line of a file of a commit.
pub(super) struct Position<'a> {
    pub(super) commit: Commit<'a>,
    pub(super) path: Vec<u8>,
    pub(super) blob: Oid,
    /// From 1.
    pub(super) line: u32,
}

impl Repo {
    /// Returns the history of a line of a file of a commit, given by a revision. `cancelled` is asked before each commit. Blocks.
    pub fn line_history(
        &self,
        rev: &str,
        path: &RepoPath,
        line: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<LineHistory, RepoError> {
        let failed = || RepoError::read("following the line");
        let commit = self.commit(rev)?;
        let mut history = LineHistory::default();
        let Some(blob) = self.blob_of(&commit, path.as_bytes()).map_err(failed())? else {
            history.stopped = Some("the file is in no commit yet".to_owned());
            return Ok(history);
        };
        let mut at = Position { commit, path: path.as_bytes().to_vec(), blob, line };
        let mut merge = None;
        for _ in 0..MAX_VISITED {
            if cancelled() {
                history.stopped = Some("the search was cancelled".to_owned());
                return Ok(history);
            }
            if history.changes.len() >= MAX_CHANGES {
                history.stopped = Some(format!("the line has more than {MAX_CHANGES} changes"));
                return Ok(history);
            }
            match self.step(at, &mut history, &mut merge).map_err(failed())? {
                Some(next) => at = next,
                None => return Ok(history),
            }
        }
        history.stopped = Some(format!("the history has more than {MAX_VISITED} commits"));
        Ok(history)
    }

    /// Goes to the parent that has the line, or records that the commit changed it and goes to the line that it replaced.
    pub(super) fn step<'a>(
        &'a self,
        at: Position<'a>,
        history: &mut LineHistory,
        merge: &mut Option<MergeCommit>,
    ) -> Result<Option<Position<'a>>, git2::Error> {
        let mut parents = Vec::new();
        for parent in at.commit.parents() {
            let found = match self.blob_of(&parent, &at.path)? {
                Some(blob) => Some((at.path.clone(), blob)),
                None => self.earlier_name(&at, &parent)?,
            };
            if let Some((path, blob)) = found {
                parents.push((parent, path, blob));
            }
        }
        if let Some(same) = parents.iter().position(|(_, _, blob)| *blob == at.blob) {
            note_merge(&at.commit, same, merge);
            let (commit, path, blob) = parents.swap_remove(same);
            return Ok(Some(Position { commit, path, blob, line: at.line }));
        }
        let Some(new) = self.followed(at.blob)? else {
            history.stopped = Some("the file is too large to follow its lines".to_owned());
            return Ok(None);
        };
        let mut replaced = None;
        for (index, (parent, path, blob)) in parents.into_iter().enumerate() {
            let Some(old) = self.followed(blob)? else { continue };
            match mapped(&old, &new, at.line)? {
                Mapped::Same(line) => {
                    note_merge(&at.commit, index, merge);
                    return Ok(Some(Position { commit: parent, path, blob, line }));
                }
                Mapped::Replaced(line) if replaced.is_none() => {
                    replaced = Some(Position { commit: parent, path, blob, line });
                }
                Mapped::Replaced(_) | Mapped::Added => {}
            }
        }
        let Some(text) = new.split(|byte| *byte == b'\n').nth(at.line.saturating_sub(1) as usize) else {
            history.stopped = Some("the file has no such line".to_owned());
            return Ok(None);
        };
        history.changes.push(LineChange {
            commit: at.commit.id().to_string(),
            message: String::from_utf8_lossy(at.commit.message_bytes()).trim_end().to_owned(),
            author: String::from_utf8_lossy(at.commit.author().name_bytes()).into_owned(),
            time: at.commit.author().when().seconds(),
            path: RepoPath::new(at.path).to_text().into_owned(),
            line: at.line,
            text: text.strip_suffix(b"\r").unwrap_or(text).to_vec(),
            merge: merge.take(),
        });
        Ok(replaced)
    }

    pub(super) fn blob_of(&self, commit: &Commit<'_>, path: &[u8]) -> Result<Option<Oid>, git2::Error> {
        let Some(path) = super::os_path::os_path(path) else { return Ok(None) };
        let found = commit.tree()?.get_path(&path);
        Ok(found.ok().filter(|entry| entry.kind() == Some(ObjectType::Blob)).map(|entry| entry.id()))
    }

    /// Returns the content of a file, unless it is too large.
    pub(super) fn followed(&self, blob: Oid) -> Result<Option<Vec<u8>>, git2::Error> {
        let odb = self.git.odb()?;
        let (size, _) = odb.read_header(blob)?;
        if size > MAX_FOLLOWED_BYTES { Ok(None) } else { Ok(Some(odb.read(blob)?.data().to_vec())) }
    }

    /// Returns the path and content in a parent of a file that the commit renamed.
    fn earlier_name(&self, at: &Position<'_>, parent: &Commit<'_>) -> Result<Option<(Vec<u8>, Oid)>, git2::Error> {
        let (old, new) = (parent.tree()?, at.commit.tree()?);
        let mut diff = self.git.diff_tree_to_tree(Some(&old), Some(&new), None)?;
        if diff.deltas().len() > MAX_RENAME_FILES {
            return Ok(None);
        }
        diff.find_similar(Some(git2::DiffFindOptions::new().renames(true)))?;
        let renamed = diff.deltas().find(|delta| {
            delta.status() == git2::Delta::Renamed && delta.new_file().path_bytes() == Some(at.path.as_slice())
        });
        Ok(renamed.and_then(|delta| Some((delta.old_file().path_bytes()?.to_vec(), delta.old_file().id()))))
    }
}

/// Remembers a merge commit whose other parent brought the line.
fn note_merge(commit: &Commit<'_>, parent: usize, merge: &mut Option<MergeCommit>) {
    if parent > 0 {
        let message = String::from_utf8_lossy(commit.message_bytes()).trim_end().to_owned();
        *merge = Some(MergeCommit { commit: commit.id().to_string(), message });
    }
}

/// The line of an older version that a line comes from.
pub(super) enum Mapped {
    Same(u32),
    Replaced(u32),
    Added,
}

/// Maps a line of a newer version to an older one.
pub(super) fn mapped(old: &[u8], new: &[u8], line: u32) -> Result<Mapped, git2::Error> {
    let mut options = git2::DiffOptions::new();
    options.context_lines(0);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options))?;
    // The number of lines that the older version has more before the line.
    let mut shift = 0i64;
    for index in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(index)?;
        // A hunk without new lines is behind its start.
        let first = if hunk.new_lines() == 0 { hunk.new_start() + 1 } else { hunk.new_start() };
        if line < first {
            break;
        }
        if line < first + hunk.new_lines() {
            let offset = (line - first).min(hunk.old_lines().saturating_sub(1));
            return Ok(match hunk.old_lines() {
                0 => Mapped::Added,
                _ => Mapped::Replaced(hunk.old_start() + offset),
            });
        }
        shift += i64::from(hunk.old_lines()) - i64::from(hunk.new_lines());
    }
    Ok(Mapped::Same(u32::try_from(i64::from(line) + shift).unwrap_or(line)))
}
