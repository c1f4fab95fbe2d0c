//! The files of a change that a review did not send wholly. A later review of only the new part sends them as well.
//!
//! In: the paths of files of which a part was cut or not selected. Out: a bounded list, which is saved with the review and posted in its
//! summary.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum number of listed paths, and of their bytes.
const MAX_PATHS: usize = 1000;
const MAX_PATH_BYTES: usize = 64 * 1024;
/// The start of the text that replaces a secret.
const MASKED: &str = "[REDACTED";

/// The files of which a review did not send all hunks, although they are not ignored. It is empty in reviews of earlier versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnsentFiles {
    /// The paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Whether there are others, which are not listed. Then no file counts as sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

impl UnsentFiles {
    /// Lists paths, each once. A masked path does not name its file, so it is not listed.
    pub fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut listed = Self::default();
        let mut bytes = 0;
        for path in paths.collect::<BTreeSet<_>>() {
            bytes += path.len();
            if listed.paths.len() >= MAX_PATHS || bytes > MAX_PATH_BYTES || path.contains(MASKED) {
                return Self { paths: Vec::new(), more: true };
            }
            listed.paths.push(path.to_owned());
        }
        listed
    }

    /// Returns whether all files were sent.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.more
    }

    /// Returns whether a file may not have been sent wholly.
    pub fn contains(&self, path: &str) -> bool {
        self.more || self.paths.iter().any(|listed| listed == path)
    }

    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { paths, more: _ } = self;
        paths.iter_mut().for_each(each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_a_path_counts_every_file_as_not_sent() {
        let few = UnsentFiles::new(["b.rs", "a.rs", "b.rs"].into_iter());
        assert_eq!((few.paths.as_slice(), few.more), (&["a.rs".to_owned(), "b.rs".to_owned()][..], false));
        assert!(few.contains("a.rs") && !few.contains("c.rs") && !few.is_empty());
        let many: Vec<String> = (0..=MAX_PATHS).map(|number| format!("{number}.rs")).collect();
        let long = ["x".repeat(MAX_PATH_BYTES + 1)];
        let masked = ["a.rs".to_owned(), "[REDACTED:token:1].rs".to_owned()];
        for paths in [&many[..], &long, &masked] {
            let listed = UnsentFiles::new(paths.iter().map(String::as_str));
            assert_eq!(listed, UnsentFiles { paths: Vec::new(), more: true });
            assert!(listed.contains("c.rs"));
        }
        let read = |json: &str| serde_json::from_str::<UnsentFiles>(json).expect("a list");
        assert!(read("{}").is_empty() && !read("{}").contains("a.rs"));
    }
}
