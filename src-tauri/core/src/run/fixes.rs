//! Changes of files in the work tree on the reviewer's word, each kept before it is written and undone on a click.
//!
//! In: a file and what is to become of it. Out: the file with it. It must never write outside the repository, through a link, or
//! over something that changed since it was looked at.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::opened::{Opened, store_error};
use crate::change::Target;
use crate::error::{Error, ErrorCode, Result};
use crate::files::artifacts::now;
use crate::store::{FixSource, Store, StoredFix};

/// A larger file is not touched, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Writes a file anew: `make` gets its text (none where there is no file) and gives the new one, or why there is none. Blocking.
pub(crate) fn apply_fix(
    opened: &Opened,
    store: &Store,
    source: FixSource,
    path: &str,
    make: impl FnOnce(Option<&str>) -> std::result::Result<String, String>,
) -> Result<StoredFix> {
    let place = place(opened, path)?;
    let before = read(&place)?;
    let after = make(before.as_deref()).map_err(|why| refused(&why))?;
    let (at, old, new) = difference(before.as_deref().unwrap_or_default(), &after);
    let mut stored = StoredFix {
        id: 0,
        source,
        path: path.to_owned(),
        at: at as i64,
        old,
        new,
        created: before.is_none(),
        after: digest(&after),
        applied_at: now(),
        undone_at: None,
    };
    stored.id = store.add_fix(&stored).map_err(store_error)?;
    if let Err(error) = write(&place, &after, before.as_deref()) {
        let _ = store.undo_fix(stored.id, &now());
        return Err(error);
    }
    Ok(stored)
}

/// Takes a fix back. Blocking.
pub(crate) fn undo_fix(opened: &Opened, store: &Store, id: i64) -> Result<StoredFix> {
    let mut stored = store.fix(id).map_err(store_error)?.ok_or_else(|| refused("there is no such fix"))?;
    if stored.undone_at.is_some() {
        return Err(refused("it is undone already"));
    }
    let path = place(opened, &stored.path)?;
    let now_there = read(&path)?.ok_or_else(|| refused("the file is not there any more"))?;
    let unchanged = digest(&now_there) == stored.after;
    if stored.created {
        if !unchanged {
            return Err(refused("the file was changed since; remove it by hand"));
        }
        std::fs::remove_file(&path).map_err(|error| unwritable(&path, &error))?;
    } else {
        let at = usize::try_from(stored.at).unwrap_or(0);
        let here = |at: usize| now_there.get(at..).is_some_and(|rest| rest.starts_with(&stored.new));
        // Where the file changed elsewhere, the new text must stand there exactly once.
        let at = match unchanged && here(at) {
            true => at,
            false => {
                let mut places = now_there.match_indices(&stored.new).map(|(at, _)| at);
                match (stored.new.is_empty(), places.next(), places.next()) {
                    (false, Some(at), None) => at,
                    _ => return Err(refused("the file was changed since, and the fix cannot be told from the rest")),
                }
            }
        };
        let text = format!("{}{}{}", &now_there[..at], stored.old, &now_there[at + stored.new.len()..]);
        write(&path, &text, Some(&now_there))?;
    }
    let time = now();
    store.undo_fix(id, &time).map_err(store_error)?;
    stored.undone_at = Some(time);
    Ok(stored)
}

/// Where a file of the work tree is. Links are not followed, and what git does not look at is not touched.
fn place(opened: &Opened, path: &str) -> Result<PathBuf> {
    let local = matches!(opened.target, Target::Unstaged | Target::Staged | Target::All { .. });
    let root = opened.root.as_ref().ok_or_else(|| refused("this change has no repository on this machine"))?;
    if !local && !opened.is_checked_out() {
        return Err(refused("the work tree does not hold this change; check it out first"));
    }
    let mut at = root.clone();
    for part in path.split('/') {
        at.push(part);
        if std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.file_type().is_symlink()) {
            return Err(refused(&format!("`{path}` goes through a link")));
        }
    }
    Ok(at)
}

fn read(path: &Path) -> Result<Option<String>> {
    let meta = match std::fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unwritable(path, &error)),
    };
    if !meta.is_file() || meta.len() > LARGEST {
        return Err(refused("it is no plain file, or a very large one"));
    }
    let bytes = crate::bounded::read(path, LARGEST).map_err(|error| unwritable(path, &error))?;
    String::from_utf8(bytes).map(Some).map_err(|_| refused("the file is no UTF-8 text"))
}

/// Writes a file, if it still is what it was; whole or not at all, with the mode that it had.
fn write(path: &Path, text: &str, before: Option<&str>) -> Result<()> {
    if read(path)?.as_deref() != before {
        return Err(refused("the file changed this moment"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        let mode = std::fs::metadata(path).map(|meta| meta.permissions()).ok();
        match mode {
            Some(mode) => std::fs::set_permissions(file.path(), mode)?,
            None => usual_mode(file.path())?,
        }
        file.persist(path).map(drop).map_err(|error| error.error)
    });
    written.map_err(|error| unwritable(path, &error))
}

/// A new file is readable like those that others make.
fn usual_mode(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// Where two texts differ, and how.
fn difference(before: &str, after: &str) -> (usize, String, String) {
    let start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let start = (0..=start).rev().find(|at| before.is_char_boundary(*at) && after.is_char_boundary(*at)).unwrap_or(0);
    let (rest_before, rest_after) = (&before[start..], &after[start..]);
    let end = rest_before.bytes().rev().zip(rest_after.bytes().rev()).take_while(|(a, b)| a == b).count();
    let fits = |end: &usize| {
        rest_before.is_char_boundary(rest_before.len() - end) && rest_after.is_char_boundary(rest_after.len() - end)
    };
    let end = (0..=end).rev().find(fits).unwrap_or(0);
    let old = rest_before[..rest_before.len() - end].to_owned();
    (start, old, rest_after[..rest_after.len() - end].to_owned())
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn refused(why: &str) -> Error {
    Error::new(ErrorCode::FormatFailed, format!("The fix was not applied: {why}."))
        .hint("Ask the agent to look at the place again, or make the change by hand.")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorCode::FormatFailed, format!("{} cannot be written: {error}.", path.display()))
        .hint("Check that you may write there and that the disk is not full.")
}
