//! Reads files of the work tree without ever leaving it. No symbolic link is followed, neither the file itself nor a folder on the path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Repo;
use super::list::{SYMLINK, Side};
use super::os_path::os_path;

/// Returns the mode and content of a file; the content of a symbolic link is its target. Returns `None` if there is no file.
/// Fails for a pipe, a socket or a device, and for a file of more than `max` bytes.
pub(super) fn read(root: &Path, path: &[u8], max: u64) -> io::Result<Option<(u32, Vec<u8>)>> {
    let Some(path) = os_path(path) else { return Ok(None) };
    let Some((whole, about)) = look(root, &path)? else { return Ok(None) };
    if about.is_symlink() {
        return Ok(Some((SYMLINK, link_text(&fs::read_link(&whole)?))));
    }
    if about.is_dir() {
        return Ok(None);
    }
    let (file, about) = diffsan_bounded::open(&whole, false)?;
    diffsan_bounded::check_size(about.len(), max)?;
    Ok(Some((mode(&about), diffsan_bounded::read_file(file, &about, max)?)))
}

/// Returns the size of a file, or 0 if there is none.
pub(super) fn size(root: &Path, path: &[u8]) -> u64 {
    let found = os_path(path).and_then(|path| look(root, &path).ok().flatten());
    found.filter(|(_, about)| about.is_file()).map_or(0, |(_, about)| about.len())
}

/// Returns the full path and metadata at a path of the work tree, if no folder on the path is a link.
fn look(root: &Path, path: &Path) -> io::Result<Option<(PathBuf, fs::Metadata)>> {
    let mut whole = root.to_owned();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        whole.push(part);
        let about = match fs::symlink_metadata(&whole) {
            Ok(about) => about,
            Err(error) => return absent(error),
        };
        match parts.peek() {
            None => return Ok(Some((whole, about))),
            Some(_) if about.is_dir() => {}
            Some(_) => return Ok(None),
        }
    }
    Ok(None)
}

fn absent<T>(error: io::Error) -> io::Result<Option<T>> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
        _ => Err(error),
    }
}

#[cfg(unix)]
pub(super) fn mode(about: &fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt;
    super::list::canonical(0o100_000 | (about.mode() & 0o777))
}

#[cfg(not(unix))]
pub(super) fn mode(_: &fs::Metadata) -> u32 {
    0o100_644
}

#[cfg(unix)]
fn link_text(target: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    target.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn link_text(target: &Path) -> Vec<u8> {
    target.to_string_lossy().replace('\\', "/").into_bytes()
}

impl Repo {
    /// Returns the work tree's side of a path, if there is a file or a link.
    pub(super) fn work_side(&self, path: &[u8]) -> Option<Side> {
        let (_, about) = look(&self.root, &os_path(path)?).ok()??;
        let mode = if about.is_symlink() { SYMLINK } else { mode(&about) };
        (about.is_symlink() || about.is_file()).then_some(Side { mode, id: None, work: true })
    }
}
