//! Files of the work tree, read without ever leaving it: no symbolic link is followed, neither the file itself nor
//! a folder on the way to it.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Repo;
use super::list::{SYMLINK, Side};

/// A path of the repository as the operating system has it; none if it cannot have it, or if it would lead out.
#[cfg(unix)]
pub(super) fn os_path(path: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    inside(Path::new(std::ffi::OsStr::from_bytes(path)))
}

/// A path of the repository as the operating system has it; none if it cannot have it, or if it would lead out.
#[cfg(not(unix))]
pub(super) fn os_path(path: &[u8]) -> Option<PathBuf> {
    inside(Path::new(std::str::from_utf8(path).ok()?))
}

/// A path of the operating system as the repository has it.
#[cfg(unix)]
pub(super) fn repo_path(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    Some(path.as_os_str().as_bytes().to_vec())
}

/// A path of the operating system as the repository has it.
#[cfg(not(unix))]
pub(super) fn repo_path(path: &Path) -> Option<Vec<u8>> {
    Some(path.to_str()?.replace('\\', "/").into_bytes())
}

/// Takes relative paths of plain names. Git tracks nothing below a `.git` in any case; what lies there may hold credentials.
fn inside(path: &Path) -> Option<PathBuf> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    let normal = path.components().all(plain);
    (normal && path.components().next().is_some()).then(|| path.to_owned())
}

/// The content of a file as it lies there; a symbolic link's is the path that it names. None if there is no file. Fails for a pipe, a
/// socket or a device, and for a file of more than `max` bytes.
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

/// The size of a file, 0 if there is none.
pub(super) fn size(root: &Path, path: &[u8]) -> u64 {
    let found = os_path(path).and_then(|path| look(root, &path).ok().flatten());
    found.filter(|(_, about)| about.is_file()).map_or(0, |(_, about)| about.len())
}

/// What lies at a path of the work tree, if no folder on the way is a link.
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
    /// The work tree's side of a path, if a file or a link is there.
    pub(super) fn work_side(&self, path: &[u8]) -> Option<Side> {
        let (_, about) = look(&self.root, &os_path(path)?).ok()??;
        let mode = if about.is_symlink() { SYMLINK } else { mode(&about) };
        (about.is_symlink() || about.is_file()).then_some(Side { mode, id: None, work: true })
    }
}
