//! Files of the work tree, read without ever leaving it: no symbolic link is followed, neither the file itself nor
//! a folder on the way to it.

use std::fs::{self, File};
use std::io::{self, Read};
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

/// Takes relative paths of plain names. Git tracks nothing below a `.git` in any case; what lies there may hold credentials.
fn inside(path: &Path) -> Option<PathBuf> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    let normal = path.components().all(plain);
    (normal && path.components().next().is_some()).then(|| path.to_owned())
}

/// The content of a file as it lies there; a symbolic link's is the path that it names. None if there is none.
pub(super) fn read(root: &Path, path: &[u8]) -> io::Result<Option<(u32, Vec<u8>)>> {
    let Some(path) = os_path(path) else { return Ok(None) };
    let mut folder = root.to_owned();
    for part in path.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => return Ok(None),
            Err(error) => return absent(error),
        }
    }
    let whole = root.join(&path);
    let about = match fs::symlink_metadata(&whole) {
        Ok(about) => about,
        Err(error) => return absent(error),
    };
    if about.is_symlink() {
        return Ok(Some((SYMLINK, link_text(&fs::read_link(&whole)?))));
    }
    if !about.is_file() {
        return Ok(None);
    }
    let mut file = open(&whole)?;
    let mut content = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default().saturating_add(1));
    file.read_to_end(&mut content)?;
    Ok(Some((mode(&about), content)))
}

fn absent<T>(error: io::Error) -> io::Result<Option<T>> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
        _ => Err(error),
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // It was looked at a moment ago; a link or a pipe that took its place since then is not followed or waited for.
    fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn mode(about: &fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt;
    super::list::canonical(0o100_000 | (about.mode() & 0o777))
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
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
    /// The work tree's side of a path, if something is there.
    pub(super) fn work_side(&self, path: &[u8]) -> Option<Side> {
        let whole = self.root.join(os_path(path)?);
        let about = fs::symlink_metadata(whole).ok()?;
        let mode = if about.is_symlink() { SYMLINK } else { mode(&about) };
        (about.is_symlink() || about.is_file()).then_some(Side { mode, id: None, work: true })
    }
}
