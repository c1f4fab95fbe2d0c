//! Patch text to a change: what `git diff`, `git show`, `git log -p` and `git format-patch` print, and plain unified
//! diffs. Lines are counted from hunk headers; a prefix seen in text never decides where a hunk ends. It never
//! drops a line silently: what is not understood is an error with its line, and what stood before it is kept.

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
    /// The line that cannot be read, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
    /// What was read before it, in whole hunks.
    pub readable: Box<Change>,
}

/// An error before what could be read is attached to it.
struct Fault {
    line: usize,
    message: String,
    /// The file it is in, as far as it was read.
    file: Option<Box<FileChange>>,
}

impl Fault {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), file: None }
    }
}

/// Reads a patch. Text without a diff is an error; nothing at all is an empty change.
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
            message: "this is not a patch: it has no `diff --git`, no `---` and `+++`, and no hunk".to_owned(),
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
            return Err(Fault::new(
                lines.number(),
                "a hunk without a file: `---` and `+++` lines must stand before it",
            ));
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
    // Mails stand oldest first, a log stands newest first.
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
