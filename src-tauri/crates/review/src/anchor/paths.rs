//! Finds the file that an agent means. Agents add `a/` and `b/`, drop folders, and change case.

use diffsan_change::Change;

/// The file that a path resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The index of a file of the change.
    Changed(usize),
    /// The path of another file at the head.
    Other(String),
}

/// Finds the file for a path. An exact name has priority over a repaired one, and a repair must be unambiguous.
pub fn resolve_path(given: &str, change: &Change, exists: impl Fn(&str) -> bool) -> Option<Resolved> {
    for candidate in spellings(given) {
        if let Some(index) = change.files.iter().position(|file| file.path().to_text() == candidate) {
            return Some(Resolved::Changed(index));
        }
        let by_old_name =
            |file: &diffsan_change::FileChange| file.old_path.as_ref().is_some_and(|path| path.to_text() == candidate);
        if let Some(index) = change.files.iter().position(by_old_name) {
            return Some(Resolved::Changed(index));
        }
        if exists(candidate) {
            return Some(Resolved::Other(candidate.to_owned()));
        }
    }
    let given = spellings(given).last()?.to_lowercase();
    let only = |same: &dyn Fn(&str) -> bool| {
        let mut hits = change.files.iter().enumerate().filter(|(_, file)| same(&file.path().to_text().to_lowercase()));
        match (hits.next(), hits.next()) {
            (Some((index, _)), None) => Some(Resolved::Changed(index)),
            _ => None,
        }
    };
    let ends_with = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.ends_with('/')) && !short.is_empty()
    };
    only(&|path| path == given).or_else(|| only(&|path| ends_with(path, &given) || ends_with(&given, path)))
}

/// Returns the path as given, and without prefixes of patches and shells.
fn spellings(given: &str) -> impl Iterator<Item = &str> {
    let bare = given.trim().trim_start_matches("./").trim_start_matches('/');
    let without = bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/")).unwrap_or(bare);
    [given, bare, without].into_iter()
}
