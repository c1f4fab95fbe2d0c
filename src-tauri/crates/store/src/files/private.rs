//! Folders that one question to an agent has for itself. They are outside the run's folder, because what an agent keeps there (a
//! copy of its settings, a prompt) is nothing to be handed on, and are removed afterwards; those of a process that was killed are
//! removed by the next one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::places::{make_private_folder, random_word};

/// A temporary folder, a home and an empty folder. Dropping it removes them.
#[derive(Debug)]
pub struct PrivateFolders {
    root: PathBuf,
    /// For temporary files.
    pub temporary: PathBuf,
    /// For a home.
    pub home: PathBuf,
    /// With nothing in it.
    pub empty: PathBuf,
    _lock: File,
}

impl PrivateFolders {
    /// Makes them below `parent`, and removes those that nobody uses any more.
    pub fn create(parent: &Path) -> io::Result<Self> {
        sweep(parent);
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
        // A later start removes what is left.
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        // One that is just being made has no lock yet, and is younger than any that was left.
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
    fn what_was_left_is_removed_and_what_is_used_stays() {
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
