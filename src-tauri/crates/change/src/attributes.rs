//! The attributes from `.gitattributes` that decide how the files of a change are sent.

use std::collections::HashMap;

use super::RepoPath;

/// The attributes of one file. `None` if an attribute is not specified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// `linguist-generated`.
    pub generated: Option<bool>,
    /// `linguist-vendored`.
    pub vendored: Option<bool>,
    /// `diff`; `false` for `-diff`.
    pub diff: Option<bool>,
}

/// The attributes of the files of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(HashMap<RepoPath, FileAttributes>);

impl Attributes {
    /// Returns the attributes of a path.
    pub fn get(&self, path: &RepoPath) -> FileAttributes {
        self.0.get(path).copied().unwrap_or_default()
    }
}

impl FromIterator<(RepoPath, FileAttributes)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (RepoPath, FileAttributes)>>(entries: I) -> Self {
        Self(entries.into_iter().filter(|(_, said)| *said != FileAttributes::default()).collect())
    }
}
