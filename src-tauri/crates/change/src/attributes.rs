//! What `.gitattributes` say of the files of a change, as far as it decides what is sent.

use std::collections::HashMap;

use super::RepoPath;

/// What is said of one file; none where nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// `linguist-generated`
    pub generated: Option<bool>,
    /// `linguist-vendored`
    pub vendored: Option<bool>,
    /// `diff`; false for `-diff`
    pub diff: Option<bool>,
}

/// What is said of the files of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(HashMap<RepoPath, FileAttributes>);

impl Attributes {
    /// What is said of a path.
    pub fn get(&self, path: &RepoPath) -> FileAttributes {
        self.0.get(path).copied().unwrap_or_default()
    }
}

impl FromIterator<(RepoPath, FileAttributes)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (RepoPath, FileAttributes)>>(entries: I) -> Self {
        Self(entries.into_iter().filter(|(_, said)| *said != FileAttributes::default()).collect())
    }
}
