//! A cache of files by a key: one file for each entry, with a digest, so that a damaged entry is recognised. The total size is
//! bounded. The cache does not know the content of its entries.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::places::{make_private_folder, write_private};

/// The size in bytes above which the oldest entries are removed.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The number of bytes of the digest before the content.
const DIGEST: usize = 8;

/// A cache in a folder. Every error is a missing entry: the content can be made again.
#[derive(Clone, Debug)]
pub struct SymbolCache {
    folder: PathBuf,
    is_read_only: bool,
}

impl SymbolCache {
    /// Opens the cache below `parent` for one version of the content, and removes other versions.
    pub fn open(parent: &Path, version: u32) -> Option<Self> {
        let folder = parent.join(format!("v{version}"));
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            if entry.path() != folder {
                // A later start tries again.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        make_private_folder(parent).ok()?;
        fs::create_dir_all(&folder).ok()?;
        Some(Self { folder, is_read_only: false })
    }

    /// Opens an existing cache below `parent` for one version of the content. It is only read.
    pub fn open_read_only(parent: &Path, version: u32) -> Option<Self> {
        let folder = parent.join(format!("v{version}"));
        folder.is_dir().then_some(Self { folder, is_read_only: true })
    }

    /// Returns whether the cache is only read, so that [`put`](Self::put) does nothing.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns the content of an entry. Removes a damaged one.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let mut bytes = fs::read(&path).ok()?;
        let intact = bytes.len() >= DIGEST && bytes[..DIGEST] == digest(&bytes[DIGEST..]);
        if !intact {
            if !self.is_read_only {
                let _ = fs::remove_file(path);
            }
            return None;
        }
        Some(bytes.split_off(DIGEST))
    }

    /// Saves an entry. A full disk leaves it out.
    pub fn put(&self, key: &str, content: &[u8]) {
        let Some(path) = self.path(key).filter(|_| !self.is_read_only) else { return };
        let bytes = [&digest(content), content].concat();
        if let Some(folder) = path.parent()
            && fs::create_dir_all(folder).is_ok()
        {
            let _ = write_private(&path, &bytes);
        }
    }

    /// Removes the oldest entries until the cache is within its bound. Blocks.
    pub fn prune(&self) {
        self.prune_to(MAX_BYTES);
    }

    fn prune_to(&self, most: u64) {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for folder in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let Ok(facts) = entry.metadata() else { continue };
                entries.push((facts.modified().unwrap_or(SystemTime::UNIX_EPOCH), facts.len(), entry.path()));
            }
        }
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        entries.sort_unstable();
        for (_, size, path) in entries {
            if total <= most {
                return;
            }
            if fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }

    /// Returns the path of an entry. Keys have letters, digits, `.` and `-` only.
    fn path(&self, key: &str) -> Option<PathBuf> {
        let plain =
            key.len() > 2 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        let (folder, name) = key.split_at_checked(2).filter(|_| plain && !key.starts_with('.'))?;
        Some(self.folder.join(folder).join(name))
    }
}

fn digest(content: &[u8]) -> [u8; DIGEST] {
    let mut short = [0; DIGEST];
    short.copy_from_slice(&Sha256::digest(content)[..DIGEST]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_entry_is_missing() {
        let parent = tempfile::tempdir().expect("a folder");
        let cache = SymbolCache::open(parent.path(), 1).expect("a cache");
        cache.put("abcdef.rust", b"content");
        assert_eq!(cache.get("abcdef.rust").as_deref(), Some(b"content".as_slice()));
        let path = parent.path().join("v1/ab/cdef.rust");
        let mut bytes = fs::read(&path).expect("there");
        bytes[10] ^= 1;
        fs::write(&path, bytes).expect("written");
        assert_eq!(cache.get("abcdef.rust"), None);
        assert!(!path.exists());
        assert_eq!(cache.get("../escape"), None);
    }

    #[test]
    fn a_cache_that_is_only_read_does_not_change() {
        let parent = tempfile::tempdir().expect("a folder");
        assert!(SymbolCache::open_read_only(parent.path(), 1).is_none());
        SymbolCache::open(parent.path(), 1).expect("a cache").put("abcdef", b"content");
        let cache = SymbolCache::open_read_only(parent.path(), 1).expect("a cache");
        cache.put("bcdefa", b"other");
        assert_eq!((cache.get("abcdef").as_deref(), cache.get("bcdefa")), (Some(b"content".as_slice()), None));
        let path = parent.path().join("v1/ab/cdef");
        fs::write(&path, b"damaged").expect("written");
        assert_eq!((cache.get("abcdef"), path.exists()), (None, true));
    }

    #[test]
    fn another_version_removes_the_old_entries() {
        let parent = tempfile::tempdir().expect("a folder");
        SymbolCache::open(parent.path(), 1).expect("a cache").put("abcdef", b"old");
        let cache = SymbolCache::open(parent.path(), 2).expect("a cache");
        assert_eq!(cache.get("abcdef"), None);
        assert!(!parent.path().join("v1").exists());
    }

    #[test]
    fn the_oldest_entries_are_removed_first() {
        let parent = tempfile::tempdir().expect("a folder");
        let cache = SymbolCache::open(parent.path(), 1).expect("a cache");
        for (age, key) in [(30, "aaaa"), (20, "bbbb"), (10, "cccc")] {
            cache.put(key, &[0; 92]);
            let file = fs::File::options().write(true).open(cache.path(key).expect("a path")).expect("there");
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).expect("set");
        }
        cache.prune_to(250);
        assert_eq!((cache.get("aaaa"), cache.get("bbbb").is_some(), cache.get("cccc").is_some()), (None, true, true));
    }
}
