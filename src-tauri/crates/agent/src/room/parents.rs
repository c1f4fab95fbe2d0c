//! The folders above those that agents are started in. Programs look upward for settings, so a folder above must not come from the
//! repository under review.
//!
//! In: the repository's work tree and diffsan's data folder. Out: the files between them that agents would read.

use std::path::{Path, PathBuf};

use super::RoomError;
use super::names::Names;

/// The folder in which runtimes look for modules, in every folder above the one that they are started in. In a room it is source.
const MODULES: &str = "node_modules";

/// The files and folders above the data folder that belong to the work tree under review and that configure agents. The user's own
/// home folder is not looked at: programs read the settings there in any case.
pub fn hostile_parents(work_tree: &Path, data: &Path) -> Result<Vec<PathBuf>, RoomError> {
    hostile_below(work_tree, data, std::env::home_dir().as_deref())
}

fn hostile_below(work_tree: &Path, data: &Path, home: Option<&Path>) -> Result<Vec<PathBuf>, RoomError> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (work_tree, data, home) = (real(work_tree), real(data), home.map(real));
    if !data.starts_with(&work_tree) {
        return Ok(Vec::new());
    }
    let names = Names::load()?;
    let mut found = Vec::new();
    let between = data.ancestors().take_while(|folder| folder.starts_with(&work_tree));
    for folder in between.filter(|folder| Some(*folder) != home.as_deref()) {
        for entry in std::fs::read_dir(folder)?.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // The boundary of the repository itself is no setting.
            let own = name == ".git" || name == ".gitmodules";
            if !own && (name == MODULES || names.configures(&name) || names.configures_folder(&name)) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_between_work_tree_and_data_folder_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path").join("repo");
        let data = root.join("a/data");
        std::fs::create_dir_all(data.join("rooms")).expect("folders");
        std::fs::create_dir_all(root.join(".git")).expect("a folder");
        std::fs::write(folder.path().join(".env"), "").expect("written");
        let hostile = |home: Option<&Path>| hostile_below(&root, &data, home).expect("read");
        assert_eq!(hostile(None), Vec::<PathBuf>::new());
        std::fs::write(root.join(".ENV"), "").expect("written");
        std::fs::create_dir_all(root.join("a/.opencode/plugin")).expect("a folder");
        assert_eq!(hostile(None), [root.join(".ENV"), root.join("a/.opencode")]);
        // What lies in the home folder is the user's own.
        assert_eq!(hostile(Some(&root)), [root.join("a/.opencode")]);
        assert_eq!(hostile_below(&root.join("a/other"), &data, None).expect("read"), Vec::<PathBuf>::new());
    }
}
