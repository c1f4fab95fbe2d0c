//! Reads patches.

use std::path::Path;

use bytes::Bytes;

use crate::error::{Error, ErrorCode, Result};
use diffsan_change::{Body, Change, FileChange, Status, Target};

/// Reads a patch. If a partial result was requested for a patch that breaks off, returns the readable part, with the rest as an unread
/// file.
pub(super) fn read_patch(bytes: Bytes, target: &Target) -> Result<Change> {
    let partial = matches!(target, Target::Patch { partial: true, .. });
    match diffsan_change::parse_patch(bytes) {
        Ok(change) => Ok(change),
        Err(error) if partial && !error.readable.files.is_empty() => {
            let mut change = *error.readable;
            change.files.push(FileChange {
                old_path: None,
                new_path: Some("the rest of the patch".into()),
                status: Status::Modified,
                old_mode: None,
                new_mode: None,
                ids: None,
                similarity: None,
                body: Body::Unread(format!("not valid: line {}: {}", error.line, error.message)),
            });
            Ok(change)
        }
        Err(error) => Err(patch_error(&error, target)),
    }
}

fn patch_error(error: &diffsan_change::PatchError, target: &Target) -> Error {
    let name = match target {
        Target::Patch { path, .. } if path != "-" => format!("The patch {path}"),
        _ => "The patch".to_owned(),
    };
    let message = format!("{name} is not valid: line {}: {}.", error.line, error.message);
    let again = "Create it again with `git diff`, `git format-patch` or `diff -u`";
    let hint = match error.readable.files.len() {
        0 => format!("{again}."),
        1 => format!("{again}, or review only the valid file (--partial)."),
        files => format!("{again}, or review only the {files} valid files (--partial)."),
    };
    Error::new(ErrorCode::DiffParseFailed, message)
        .hint(hint)
        .with("line", error.line)
        .with("readable_files", error.readable.files.len())
}

/// Reads the bytes of a patch file. Blocks.
pub fn read_patch_file(path: &Path) -> Result<Bytes> {
    let bytes = diffsan_bounded::read(path, diffsan_bounded::MAX_PATCH_BYTES).map_err(|error| {
        Error::new(ErrorCode::DiffFetchFailed, format!("The patch {} cannot be read: {error}.", path.display()))
            .hint("Check the path. `-` reads standard input.")
    })?;
    Ok(Bytes::from(bytes))
}
