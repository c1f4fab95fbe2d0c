//! Parses patches: the output of `git diff`, `git show`, `git log -p` and `git format-patch`, and plain unified diffs. Lines are
//! counted from hunk headers; a prefix in the text never decides where a hunk ends. No line is dropped silently: an unknown line
//! is an error with its number, and the parts before it are returned.

mod combined;
mod file;
mod header;
mod hunk;
mod lines;
mod message;

use bytes::Bytes;

use self::lines::Lines;
use super::{Body, Change, FileChange, RepoPath, Status};

/// A patch that cannot be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PatchError {
    /// The number of the line that cannot be read, from 1.
    pub line: usize,
    /// The description of the error.
    pub message: String,
    /// The part before the error, in whole hunks.
    pub readable: Box<Change>,
}

/// An error without the readable part of the patch.
struct Fault {
    line: usize,
    message: String,
    /// The incomplete file with the error.
    file: Option<Box<FileChange>>,
}

impl Fault {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), file: None }
    }
}

/// Parses a patch. Text without a diff is an error; empty text is an empty change.
pub fn parse_patch(bytes: Bytes) -> Result<Change, PatchError> {
    let mut lines = Lines::new(lines::as_utf8(bytes));
    let mut change = Change::default();
    let mut recognised = false;
    match read(&mut lines, &mut change, &mut recognised) {
        Err(fault) => {
            change.files.extend(fault.file.map(|file| *file));
            Err(PatchError { line: fault.line, message: fault.message, readable: Box::new(change) })
        }
        Ok(()) if !recognised && lines.any_text() => Err(PatchError {
            line: 1,
            message: "this is not a patch: it has no `diff --git` line, no `---` and `+++` lines and no hunk"
                .to_owned(),
            readable: Box::default(),
        }),
        Ok(()) => Ok(change),
    }
}

fn read(lines: &mut Lines, change: &mut Change, recognised: &mut bool) -> Result<(), Fault> {
    loop {
        if let Some(message) = message::mail(lines).or_else(|| message::log(lines)) {
            change.messages.push(message);
            *recognised = true;
            continue;
        }
        let Some(line) = lines.peek() else { break };
        let file = if line.starts_with(b"diff --git ") {
            file::git(lines)?
        } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            combined::file(lines)?
        } else if line.starts_with(b"--- ") && lines.peek_at(1).is_some_and(|next| next.starts_with(b"+++ ")) {
            file::plain(lines)?
        } else if line.starts_with(b"@@ -") && header::ranges(line).is_some() {
            return Err(Fault::new(lines.number(), "a hunk without a file: the lines `---` and `+++` must precede it"));
        } else {
            let file = match line.strip_prefix(b"* Unmerged path ") {
                Some(path) => Some(unmerged(header::name(path))),
                None => header::binary_files(line),
            };
            lines.skip();
            let Some(file) = file else { continue };
            file
        };
        change.files.push(file);
        *recognised = true;
    }
    // Mails are ordered oldest first, a log newest first.
    if lines.newest_first {
        change.messages.reverse();
    }
    Ok(())
}

fn unmerged(path: RepoPath) -> FileChange {
    FileChange {
        old_path: Some(path.clone()),
        new_path: Some(path),
        status: Status::Unmerged,
        old_mode: None,
        new_mode: None,
        ids: None,
        similarity: None,
        body: Body::Text(Vec::new()),
    }
}
