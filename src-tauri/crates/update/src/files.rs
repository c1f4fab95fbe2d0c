//! The files of an update, all in the folder of the program's file: the partial download, the verified file, and the old version.
//! The program's file is exchanged by renaming, so that it exists and is whole at every moment.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::UpdateError;

/// The free bytes that must remain beside the files of an update.
const RESERVE: u64 = 4 << 20;

/// The file of the running program, which the user can replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaceable {
    path: PathBuf,
}

impl Replaceable {
    /// Names the program's file.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the path of the program's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the old version while the new one has not started.
    pub fn previous(&self) -> PathBuf {
        self.beside("", ".previous")
    }

    /// Returns the path of the verified new version.
    pub fn verified(&self) -> PathBuf {
        self.beside(".", ".update")
    }

    fn partial_path(&self) -> PathBuf {
        self.beside(".", ".partial")
    }

    fn beside(&self, before: &str, after: &str) -> PathBuf {
        let mut name = std::ffi::OsString::from(before);
        name.push(self.path.file_name().unwrap_or_default());
        name.push(after);
        self.path.with_file_name(name)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Checks that the disk has room for a download.
    pub fn check_room(&self, size: u64) -> Result<(), UpdateError> {
        let Some(free) = free_bytes(self.folder()) else { return Ok(()) };
        let needed = size + RESERVE;
        if free >= needed {
            return Ok(());
        }
        Err(UpdateError::NoRoom { folder: self.folder().to_owned(), free, needed })
    }

    /// Creates the partial file. Fails if another process downloads.
    pub(crate) fn partial(&self) -> Result<Partial, UpdateError> {
        let path = self.partial_path();
        let fault = UpdateError::file(&path);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600).custom_flags(nix::libc::O_NOFOLLOW);
        }
        let file = options.open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(UpdateError::Busy),
            Err(TryLockError::Error(error)) => return Err(UpdateError::file(&path)(error)),
        }
        // From here on, the file is removed unless it is finished.
        let partial = Partial { file, path, target: self.clone(), finished: false };
        partial.file.set_len(0).map_err(|error| partial.fault(error))?;
        Ok(partial)
    }

    /// Removes what an interrupted download left. Files of another process that runs stay.
    pub fn remove_downloads(&self) {
        for path in [self.partial_path(), self.verified()] {
            if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
                // If a file cannot be removed, the next start tries again.
                let _ = fs::remove_file(path);
            }
        }
        // A copy of the old version that was not complete.
        let _ = fs::remove_file(self.beside(".", ".previous"));
    }

    /// Removes the old version.
    pub fn remove_previous(&self) {
        // It is only a copy. If it cannot be removed, the user sees it beside the program's file.
        let _ = fs::remove_file(self.previous());
    }

    /// Checks the verified file again, which may have changed since the download.
    pub fn check_verified(&self, size: u64, sum: &str) -> Result<(), UpdateError> {
        let path = self.verified();
        let read = || -> io::Result<(u64, String)> {
            let mut file = File::open(&path)?;
            let (mut digest, mut length, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
            loop {
                match file.read(&mut buffer)? {
                    0 => return Ok((length, hex::encode(digest.finalize()))),
                    count => {
                        length += count as u64;
                        digest.update(buffer.get(..count).unwrap_or_default());
                    }
                }
            }
        };
        let found = read().map_err(UpdateError::file(&path))?;
        if found == (size, sum.to_owned()) { Ok(()) } else { Err(UpdateError::Sum(path.display().to_string())) }
    }

    /// Puts the verified file in place of the program's file, and saves the old version.
    pub fn exchange(&self) -> Result<(), UpdateError> {
        self.save_previous().map_err(UpdateError::file(&self.previous()))?;
        let result = fs::rename(self.verified(), &self.path).and_then(|()| sync_folder(self.folder()));
        result.map_err(UpdateError::file(&self.path))
    }

    /// Puts the old version back.
    pub fn restore(&self) -> Result<(), UpdateError> {
        let result = fs::rename(self.previous(), &self.path).and_then(|()| sync_folder(self.folder()));
        result.map_err(UpdateError::file(&self.path))
    }

    /// Makes the old version available under its second name: a link, or a copy where the file system has no links.
    fn save_previous(&self) -> io::Result<()> {
        let new = self.beside(".", ".previous");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if fs::hard_link(&self.path, &new).is_err() {
            let copied = fs::copy(&self.path, &new).and_then(|_| File::open(&new)?.sync_all());
            if let Err(error) = copied {
                // The error that is reported is the first one.
                let _ = fs::remove_file(&new);
                return Err(error);
            }
        }
        fs::rename(&new, self.previous())?;
        // Renaming a file to another link of the same file does nothing.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => sync_folder(self.folder()),
        }
    }
}

/// A verified file. Other starts of the program leave it while this value exists.
#[derive(Debug)]
pub struct Verified {
    _file: File,
}

/// A download that has not ended. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct Partial {
    file: File,
    path: PathBuf,
    target: Replaceable,
    finished: bool,
}

impl Partial {
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn fault(&self, error: io::Error) -> UpdateError {
        UpdateError::file(&self.path)(error)
    }

    /// Saves the verified file under its own name, with the mode of the program's file.
    pub(crate) fn finish(mut self) -> Result<Verified, UpdateError> {
        let permissions = fs::metadata(&self.target.path).map_err(|error| self.fault(error))?.permissions();
        self.file.set_permissions(permissions).map_err(|error| self.fault(error))?;
        self.file.sync_all().map_err(|error| self.fault(error))?;
        fs::rename(&self.path, self.target.verified()).map_err(|error| self.fault(error))?;
        self.finished = true;
        sync_folder(self.target.folder()).map_err(|error| self.fault(error))?;
        // Both handles share the lock.
        Ok(Verified { _file: self.file.try_clone().map_err(|error| self.fault(error))? })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.finished {
            // The next start removes it otherwise.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the free bytes of a disk for this user, if the system tells them.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let stat = nix::sys::statvfs::statvfs(folder).ok()?;
    Some(stat.blocks_available().saturating_mul(stat.fragment_size()))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
