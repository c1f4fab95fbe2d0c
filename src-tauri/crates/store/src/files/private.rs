//! Private folders of an agent for one request. They are outside the run folder, because their content (a copy of the agent's
//! settings, a prompt) must not be shared. They are removed afterwards; those of a killed process are removed by the next one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::places::{make_private_folder, random_word};

/// A temporary folder, a home folder and an empty folder for an agent. Dropping the value removes them.
#[derive(Debug)]
pub struct PrivateFolders {
    root: PathBuf,
    /// The folder for temporary files.
    pub temporary: PathBuf,
    /// The folder that the agent uses as its home.
    pub home: PathBuf,
    /// A folder that stays empty.
    pub empty: PathBuf,
    _lock: File,
}

impl PrivateFolders {
    /// Creates the folders below `parent`, and removes those that no process uses any more.
    pub fn create(parent: &Path) -> io::Result<Self> {
        remove_abandoned_folders(parent);
        let root = parent.join(random_word(8)?);
        make_private_folder(&root)?;
        let lock = File::create(root.join("lock"))?;
        lock.try_lock().map_err(|error| io::Error::other(error.to_string()))?;
        let folder = |name: &str| {
            let path = root.join(name);
            make_private_folder(&path).map(|()| path)
        };
        Ok(Self {
            temporary: folder("tmp")?,
            home: folder("home")?,
            empty: folder("empty")?,
            root: root.clone(),
            _lock: lock,
        })
    }
}

impl Drop for PrivateFolders {
    fn drop(&mut self) {
        // A later start removes leftovers.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Removes the folders below `parent` that no process uses any more. Blocks.
pub fn remove_abandoned_folders(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        // A folder without a lock is just being created by another process.
        let Ok(lock) = File::open(entry.path().join("lock")) else { continue };
        if lock.try_lock().is_ok() {
            // A later start tries again.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_folders_are_removed_and_used_ones_are_not() {
        let parent = tempfile::tempdir().expect("a folder");
        let used = PrivateFolders::create(parent.path()).expect("folders");
        let left = parent.path().join("left");
        fs::create_dir_all(left.join("home")).expect("a folder");
        fs::write(left.join("lock"), "").expect("written");
        let another = PrivateFolders::create(parent.path()).expect("folders");
        assert!(used.home.is_dir() && another.empty.is_dir() && !left.exists());
        drop((used, another));
        assert_eq!(fs::read_dir(parent.path()).expect("a folder").count(), 0);
    }
}
