//! Finds the programs of agents on PATH and in the folders of package managers, because programs that are started from a desktop
//! menu have an incomplete PATH. It runs nothing.
//!
//! Programs in the repository under review are never used, even if PATH or a link leads there: npm scripts and direnv add folders of
//! the checkout to PATH, and the author of the branch wrote those programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::excluded::Excluded;

/// The folders in which programs are searched, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPath {
    /// Each folder once. None is relative, and none lies in an excluded folder.
    pub folders: Vec<PathBuf>,
    /// The folders of PATH that are excluded because they are in the repository.
    pub left_out: Vec<PathBuf>,
    excluded: Excluded,
}

impl SearchPath {
    /// PATH first, then the usual folders in `home` and of the system. Relative folders are omitted.
    pub fn new(path: Option<OsString>, home: Option<&Path>) -> Self {
        let mut folders: Vec<PathBuf> = path.iter().flat_map(std::env::split_paths).collect();
        if let Some(home) = home {
            for folder in [
                ".local/bin",
                ".npm-global/bin",
                ".npm/bin",
                ".bun/bin",
                ".deno/bin",
                ".cargo/bin",
                ".volta/bin",
                ".asdf/shims",
                ".local/share/mise/shims",
                ".local/share/pnpm",
                ".yarn/bin",
                "Library/pnpm",
                "bin",
            ] {
                folders.push(home.join(folder));
            }
            folders.extend(node_versions(&home.join(".nvm/versions/node")));
        }
        for folder in
            ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin"]
        {
            folders.push(PathBuf::from(folder));
        }
        let mut seen = std::collections::HashSet::new();
        // A folder that no PATH can name would make all of PATH empty.
        let can_be_joined = |folder: &PathBuf| std::env::join_paths([folder]).is_ok();
        folders.retain(|folder| folder.is_absolute() && can_be_joined(folder) && seen.insert(folder.clone()));
        Self { folders, ..Self::default() }
    }

    /// The search path of this process. Where a repository is open, call [`Self::outside`] next. Blocks.
    pub fn of_this_process() -> Self {
        Self::new(std::env::var_os("PATH"), std::env::home_dir().as_deref())
    }

    /// Removes every folder that is in one of these, or that a link in one of them leads to. Blocks.
    #[must_use]
    pub fn outside(self, folders: &[PathBuf]) -> Self {
        let excluded = Excluded::new(folders);
        let (left_out, folders) = self.folders.into_iter().partition(|folder| excluded.leads_into(folder));
        Self { folders, left_out, excluded }
    }

    /// The first program of that name, or the program at that absolute path. Blocks.
    ///
    /// Names are searched outside the excluded folders only. An absolute path is used as it is: only the settings of the user and of a
    /// trusted repository contain one.
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            return Some(PathBuf::from(program)).filter(|path| path.is_absolute() && is_program(path));
        }
        let candidates = self.folders.iter().map(|folder| folder.join(program));
        candidates.into_iter().find(|path| is_program(path) && !self.excluded.leads_into(path))
    }

    /// The program of that name that is not used because it is in the repository, for messages. Blocks.
    pub fn find_left_out(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            return None;
        }
        let folders = self.left_out.iter().chain(&self.folders);
        folders.map(|folder| folder.join(program)).find(|path| is_program(path) && self.excluded.leads_into(path))
    }

    /// The value of PATH for a started program: a script finds its interpreter, and nothing in the repository.
    pub fn joined(&self) -> OsString {
        std::env::join_paths(&self.folders).unwrap_or_else(|_| "/usr/bin:/bin".into())
    }
}

/// Whether a program is a relative path. Agents are started in folders of their own, where it would name another file.
pub fn is_relative(program: &str) -> bool {
    program.contains('/') && Path::new(program).is_relative()
}

/// `bin` folders of nvm's versions, newest first.
fn node_versions(folder: &Path) -> Vec<PathBuf> {
    let mut versions: Vec<(Vec<u32>, PathBuf)> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| {
            let name = entry.file_name();
            let numbers = name.to_string_lossy().trim_start_matches('v').split('.').flat_map(str::parse).collect();
            (numbers, entry.path().join("bin"))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, path)| path).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_comes_first_and_relative_entries_are_left_out() {
        let search = SearchPath::new(Some("/opt/x:relative:/usr/bin".into()), Some(Path::new("/home/a")));
        assert_eq!(search.folders[0], Path::new("/opt/x"));
        assert_eq!(search.folders[1], Path::new("/usr/bin"));
        assert!(search.folders.contains(&PathBuf::from("/home/a/.local/bin")));
        assert_eq!(search.folders.iter().filter(|folder| *folder == Path::new("/usr/bin")).count(), 1);
    }

    #[test]
    fn a_relative_path_names_no_program() {
        let search = SearchPath { folders: vec![PathBuf::from("/bin")], ..SearchPath::default() };
        assert_eq!(search.find("/bin/sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(search.find("sh"), Some(PathBuf::from("/bin/sh")));
        // From the root folder it would be there.
        let mut up = String::from("..");
        std::env::current_dir().expect("a folder").components().for_each(|_| up += "/..");
        assert_eq!(search.find(&format!("{up}/bin/sh")), None);
        assert!(is_relative("./sh") && is_relative("tools/sh") && !is_relative("sh") && !is_relative("/bin/sh"));
    }

    #[test]
    fn newest_node_comes_first() {
        let home = tempfile::tempdir().expect("folder");
        for version in ["v9.1.0", "v20.2.0", "v20.10.0"] {
            std::fs::create_dir_all(home.path().join(".nvm/versions/node").join(version)).expect("folder");
        }
        let found = node_versions(&home.path().join(".nvm/versions/node"));
        let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        assert!(names[0].ends_with("v20.10.0/bin") && names[2].ends_with("v9.1.0/bin"), "{names:?}");
    }
}
