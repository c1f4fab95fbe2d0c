//! A file of the work tree, accessed through its opened folder.
//!
//! In: the root of the work tree and a path. Out: the file's text, and the file with a new text. Folders are opened one by one, each
//! relative to its parent, without following links. Reading, writing and removing use the opened folder. If somebody replaces a folder by a
//! link between the check and the write, the write still goes to the checked folder.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use cap_tempfile::TempFile;

use super::{refused, unwritable};
use crate::error::Result;
use diffsan_change::WorkPath;

/// The maximum size of a file that is changed, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// A file of the work tree, or the place where it may be created.
#[derive(Debug)]
pub(super) struct HeldFile {
    /// The deepest existing folder of the path.
    folder: Dir,
    /// The names of the folders below it that do not exist yet.
    missing: Vec<String>,
    /// The name of the file.
    name: String,
    /// The path in the work tree, for messages.
    path: String,
}

impl HeldFile {
    /// Opens the folder of a file. Refuses links, and folders that are repositories themselves. Blocks.
    pub(super) fn open(root: &Path, path: &WorkPath) -> Result<Self> {
        let shown = path.as_str();
        let failed = |error: io::Error| unwritable(shown, &error);
        let mut folder = Dir::open_ambient_dir(root, ambient_authority()).map_err(failed)?;
        if folder.symlink_metadata(".git").is_err() && is_git_folder(&folder) {
            return Err(refused("the repository is bare: it has no work tree"));
        }
        let mut missing: Vec<String> = Vec::new();
        for name in path.folders() {
            if !missing.is_empty() {
                missing.push(name.to_owned());
                continue;
            }
            let kind = match folder.symlink_metadata(name) {
                Ok(about) => about.file_type(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    missing.push(name.to_owned());
                    continue;
                }
                Err(error) => return Err(failed(error)),
            };
            if kind.is_symlink() {
                return Err(is_link(shown));
            }
            if !kind.is_dir() {
                return Err(refused(&format!("`{shown}` cannot be created: `{name}` is not a folder")));
            }
            folder = folder.open_dir_nofollow(name).map_err(failed)?;
            if is_repository(&folder) {
                return Err(refused(&format!("`{shown}` is in a nested repository")));
            }
        }
        Ok(Self { folder, missing, name: path.file_name().to_owned(), path: shown.to_owned() })
    }

    /// Returns the text of the file, or `None` if it does not exist. Blocks.
    pub(super) fn read(&self) -> Result<Option<String>> {
        let failed = |error: io::Error| unwritable(&self.path, &error);
        if !self.missing.is_empty() {
            return Ok(None);
        }
        let about = match self.folder.symlink_metadata(&self.name) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if about.is_symlink() {
            return Err(is_link(&self.path));
        }
        if !about.is_file() || about.len() > MAX_FILE {
            return Err(refused(&format!("`{}` is not a regular file, or is larger than {MAX_FILE} bytes", self.path)));
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            // A named pipe may have replaced the file; opening it must not wait.
            options.custom_flags(libc::O_NONBLOCK);
        }
        let file = self.folder.open_with(&self.name, &options).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(refused(&format!("`{}` changed while it was read", self.path)));
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(refused(&format!("`{}` is larger than {MAX_FILE} bytes", self.path)));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| refused(&format!("`{}` is not UTF-8 text", self.path)))
    }

    /// Replaces the whole file if it still has the text `before`. Keeps its permissions, and creates missing folders. Blocks.
    pub(super) fn write(&mut self, text: &str, before: Option<&str>) -> Result<()> {
        if self.read()?.as_deref() != before {
            return Err(refused(&format!("`{}` changed while it was read", self.path)));
        }
        self.create_folders().and_then(|()| self.replace(text)).map_err(|error| unwritable(&self.path, &error))
    }

    /// Removes the file. Blocks.
    pub(super) fn remove(&self) -> Result<()> {
        self.folder.remove_file(&self.name).map_err(|error| unwritable(&self.path, &error))
    }

    fn create_folders(&mut self) -> io::Result<()> {
        for name in std::mem::take(&mut self.missing) {
            self.folder.create_dir(&name)?;
            self.folder = self.folder.open_dir_nofollow(&name)?;
        }
        Ok(())
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let mut file = TempFile::new(&self.folder)?;
        file.write_all(text.as_bytes())?;
        match self.folder.symlink_metadata(&self.name) {
            Ok(about) if about.is_file() => file.as_file().set_permissions(about.permissions())?,
            Ok(_) => return Err(io::Error::other("another file replaced it")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        file.replace(OsStr::new(&self.name))
    }
}

fn is_link(path: &str) -> crate::error::Error {
    refused(&format!("`{path}` is or goes through a symbolic link"))
}

/// Returns whether a folder below the root belongs to another repository: a submodule, a clone or a repository without a work tree.
fn is_repository(folder: &Dir) -> bool {
    folder.symlink_metadata(".git").is_ok() || is_git_folder(folder)
}

/// Returns whether git would treat a folder itself as a repository.
fn is_git_folder(folder: &Dir) -> bool {
    let has = |name: &str| folder.symlink_metadata(name).is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn held(root: &Path, path: &str) -> Result<HeldFile> {
        let path = WorkPath::parse(path).map_err(|refusal| refused(&refusal.to_string()))?;
        HeldFile::open(root, &path)
    }

    #[test]
    fn a_folder_that_becomes_a_link_after_the_check_leads_nowhere_else() {
        let place = tempfile::tempdir().expect("a folder");
        let (root, outside) = (place.path().join("work"), place.path().join("outside"));
        fs::create_dir_all(root.join("below")).expect("folders");
        fs::create_dir_all(&outside).expect("a folder");
        for folder in [&root.join("below"), &outside] {
            fs::write(folder.join("a.txt"), "one\n").expect("a file");
        }
        let mut file = held(&root, "below/a.txt").expect("opened");
        assert_eq!(file.read().expect("read").as_deref(), Some("one\n"));
        fs::rename(root.join("below"), root.join("moved")).expect("moved");
        symlink(&outside, root.join("below")).expect("a link");
        file.write("two\n", Some("one\n")).expect("written where it was checked");
        assert_eq!(fs::read_to_string(outside.join("a.txt")).expect("read"), "one\n");
        assert_eq!(fs::read_to_string(root.join("moved/a.txt")).expect("read"), "two\n");
    }

    #[test]
    fn a_file_that_becomes_a_link_is_not_followed_when_read_or_written() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().join("work");
        fs::create_dir(&root).expect("a folder");
        fs::write(root.join("a.txt"), "one\n").expect("a file");
        fs::write(place.path().join("secret"), "one\n").expect("a file");
        let mut file = held(&root, "a.txt").expect("opened");
        fs::remove_file(root.join("a.txt")).expect("removed");
        symlink(place.path().join("secret"), root.join("a.txt")).expect("a link");
        file.write("two\n", Some("one\n")).expect_err("a link");
        file.replace("two\n").expect_err("a link");
        assert_eq!(fs::read_to_string(place.path().join("secret")).expect("read"), "one\n");
    }

    #[test]
    fn new_folders_are_made_and_permissions_are_kept() {
        let root = tempfile::tempdir().expect("a folder");
        let mut file = held(root.path(), "new/deep/run.sh").expect("opened");
        assert_eq!(file.read().expect("read"), None);
        file.write("one\n", None).expect("written");
        let path = root.path().join("new/deep/run.sh");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
        held(root.path(), "new/deep/run.sh").expect("opened").write("two\n", Some("one\n")).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "two\n");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(root.path().join("new/deep")).expect("there").count(), 1, "no temporary file stays");
        // A hard link to the file keeps the old text, because the file is replaced and not overwritten.
        fs::hard_link(&path, root.path().join("other")).expect("a link");
        held(root.path(), "new/deep/run.sh").expect("opened").write("three\n", Some("two\n")).expect("written");
        assert_eq!(fs::read_to_string(root.path().join("other")).expect("read"), "two\n");
        held(root.path(), "new/deep/run.sh").expect("opened").remove().expect("removed");
        assert!(!path.exists());
    }

    #[test]
    fn a_pipe_is_refused_and_not_waited_for() {
        let root = tempfile::tempdir().expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(root.path().join("pipe")).status().expect("mkfifo runs");
        assert!(made.success());
        assert!(held(root.path(), "pipe").expect("opened").read().is_err());
    }
}
