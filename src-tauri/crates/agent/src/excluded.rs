//! Folders from which nothing is run: the repository under review with its work trees, and the rooms.

use std::path::{Path, PathBuf};

#[cfg(unix)]
pub(super) use unix::Excluded;

/// A longer chain of links is not followed: it counts as leading into an excluded folder.
#[cfg(unix)]
const MAX_LINKS: usize = 40;

#[cfg(unix)]
mod unix {
    use std::collections::VecDeque;
    use std::ffi::OsString;
    use std::os::unix::fs::MetadataExt;
    use std::path::Component;

    use super::{MAX_LINKS, Path, PathBuf};

    /// Excluded folders by device and inode, so that other spellings, links and bind mounts of them are recognised.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Excluded(Vec<(u64, u64)>);

    impl Excluded {
        /// Excludes folders. One that is not there excludes nothing.
        pub(crate) fn new(folders: &[PathBuf]) -> Self {
            let identity = |folder: &PathBuf| std::fs::metadata(folder).ok().map(|about| (about.dev(), about.ino()));
            Self(folders.iter().filter_map(identity).collect())
        }

        /// Whether a path lies in an excluded folder, or passes through one on its way over links. Blocks.
        ///
        /// The path is resolved step by step: a link in the checkout that leads out of it may lead elsewhere a moment later.
        pub(crate) fn leads_into(&self, path: &Path) -> bool {
            if self.0.is_empty() {
                return false;
            }
            let parts =
                |path: &Path| -> Vec<OsString> { path.components().map(|part| part.as_os_str().to_owned()).collect() };
            let mut pending: VecDeque<OsString> = parts(path).into();
            let mut at = PathBuf::new();
            let mut links = 0;
            while let Some(part) = pending.pop_front() {
                if part == Component::ParentDir.as_os_str() {
                    at.pop();
                    continue;
                }
                // Joining the root folder begins anew.
                let next = at.join(&part);
                let Ok(about) = std::fs::symlink_metadata(&next) else { return false };
                if about.is_symlink() {
                    links += 1;
                    let Some(target) = std::fs::read_link(&next).ok().filter(|_| links <= MAX_LINKS) else {
                        return true;
                    };
                    for part in parts(&target).into_iter().rev() {
                        pending.push_front(part);
                    }
                    continue;
                }
                if self.0.contains(&(about.dev(), about.ino())) {
                    return true;
                }
                at = next;
            }
            false
        }
    }
}

/// Excluded folders by their real paths.
#[cfg(not(unix))]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Excluded(Vec<PathBuf>);

#[cfg(not(unix))]
impl Excluded {
    /// Excludes folders. One that is not there excludes nothing.
    pub(super) fn new(folders: &[PathBuf]) -> Self {
        Self(folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect())
    }

    /// Whether a path lies in an excluded folder, as it is written or with its links followed. Blocks.
    pub(super) fn leads_into(&self, path: &Path) -> bool {
        let real = path.canonicalize();
        let spellings = [Some(path), real.as_deref().ok()];
        spellings.into_iter().flatten().any(|path| self.0.iter().any(|folder| path.starts_with(folder)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_way_into_an_excluded_folder_is_recognised() {
        let place = tempfile::tempdir().expect("a folder");
        let place = place.path().canonicalize().expect("a folder");
        for folder in ["repo/bin", "outside/bin", "repository"] {
            fs::create_dir_all(place.join(folder)).expect("folders");
        }
        fs::write(place.join("repo/bin/tool"), "").expect("a file");
        fs::write(place.join("outside/bin/tool"), "").expect("a file");
        symlink("../repo/bin", place.join("outside/into")).expect("a link");
        symlink(place.join("repo/bin/tool"), place.join("outside/tool")).expect("a link");
        symlink(place.join("outside/bin"), place.join("repo/out")).expect("a link");
        symlink(place.join("repo/out"), place.join("outside/through")).expect("a link");
        symlink("loop", place.join("outside/loop")).expect("a link");
        let excluded = Excluded::new(&[place.join("repo"), place.join("missing")]);
        for inside in [
            "repo",
            "repo/bin",
            "repo/bin/tool",
            "outside/../repo/bin",
            "outside/into",
            "outside/into/tool",
            "outside/tool",
            "repo/out",
            "outside/through",
            "outside/through/tool",
            "outside/loop",
        ] {
            assert!(excluded.leads_into(&place.join(inside)), "{inside}");
        }
        for outside in ["outside", "outside/bin/tool", "repository", "missing", "outside/none"] {
            assert!(!excluded.leads_into(&place.join(outside)), "{outside}");
        }
        assert!(!Excluded::new(&[]).leads_into(&place.join("repo/bin")));
    }
}
