//! Which file an agent means: agents add `a/` and `b/`, drop folders, and change case.

use diffsan_change::Change;

/// The file that was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A file of the change, by its index.
    Changed(usize),
    /// Another file at the head.
    Other(String),
}

/// Finds the file; an exact name wins over a repaired one, and a repair must be the only one possible.
pub fn resolve_path(said: &str, change: &Change, exists: impl Fn(&str) -> bool) -> Option<Resolved> {
    for candidate in spellings(said) {
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
    let said = spellings(said).last()?.to_lowercase();
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
    only(&|path| path == said).or_else(|| only(&|path| ends_with(path, &said) || ends_with(&said, path)))
}

/// The path as given, and without what patches and shells put in front of it.
fn spellings(said: &str) -> impl Iterator<Item = &str> {
    let bare = said.trim().trim_start_matches("./").trim_start_matches('/');
    let without = bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/")).unwrap_or(bare);
    [said, bare, without].into_iter()
}
