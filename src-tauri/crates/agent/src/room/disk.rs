//! A room's folder on the disk. Links are never followed.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The metadata of a file on the disk. Every change of the file changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    size: u64,
    /// The time of the last change in nanoseconds: of the content or the name on Unix, else of the content.
    changed: i128,
    node: u64,
}

impl Stamp {
    #[cfg(unix)]
    fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let changed = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
        Self { size: meta.len(), changed, node: meta.ino() }
    }

    #[cfg(not(unix))]
    fn of(meta: &Metadata) -> Self {
        let since = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self { size: meta.len(), changed: since.map_or(0, |since| since.as_nanos() as i128), node: 0 }
    }
}

/// Returns the stamp of a plain file.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|meta| Stamp::of(&meta))
}

/// Removes everything that does not stay. Returns the number of removed files, without those of a `.git` folder and those whose names
/// are not UTF-8.
pub(super) fn clean(root: &Path, stays: &impl Fn(&str, &Stamp) -> bool) -> io::Result<usize> {
    fn folder(path: &Path, name: &str, stays: &impl Fn(&str, &Stamp) -> bool, removed: &mut usize) -> io::Result<bool> {
        let mut empty = true;
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            let own = entry.file_name();
            let Some(own) = own.to_str() else {
                remove(&entry.path(), &meta)?;
                continue;
            };
            let inside = if name.is_empty() { own.to_owned() } else { format!("{name}/{own}") };
            if meta.is_dir() {
                if inside == ".git" {
                    fs::remove_dir_all(entry.path())?;
                    continue;
                }
                if folder(&entry.path(), &inside, stays, removed)? {
                    fs::remove_dir(entry.path())?;
                } else {
                    empty = false;
                }
            } else if meta.is_file() && stays(&inside, &Stamp::of(&meta)) {
                empty = false;
            } else {
                remove(&entry.path(), &meta)?;
                *removed += 1;
            }
        }
        Ok(empty)
    }
    let mut removed = 0;
    folder(root, "", stays, &mut removed)?;
    Ok(removed)
}

/// Makes a folder an empty repository, so that programs that are started in it look no further up: it may lie in another
/// repository, which has instructions, settings and plugins of its own.
pub fn make_boundary(root: &Path) -> io::Result<()> {
    let git = root.join(".git");
    fs::create_dir_all(git.join("objects"))?;
    fs::create_dir_all(git.join("refs"))?;
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")
}

fn remove(path: &Path, meta: &Metadata) -> io::Result<()> {
    if meta.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Writes a file anew. What stood in its place was removed before.
pub(super) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = fs::File::create_new(path)?;
    io::Write::write_all(&mut file, content)
}

/// A folder for this user alone.
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
