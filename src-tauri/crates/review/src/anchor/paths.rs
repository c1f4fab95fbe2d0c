//! Finds the file that an agent means. Agents add `a/` and `b/`, quotes, line numbers and the folder in which they work, encode paths, drop
//! folders, and change case.

use std::borrow::Cow;
use std::sync::LazyLock;

use diffsan_change::Change;
use percent_encoding::percent_decode_str;
use regex::Regex;

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
    let spellings = spellings(given);
    for candidate in spellings.iter().map(|one| one.as_ref()) {
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
    let given = spellings.last()?.to_lowercase();
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

/// Lines behind a path: `:12`, `:12-20`, `:12:5`, `#L12-L20`.
static LINES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:(?::L?\d+)+(?:-L?\d+)?|#L\d+(?:-L?\d+)?|\(\d+(?:,\d+)?\))$").ok());

/// The folder that contains the folders in which agents work.
const ROOMS: &str = "/rooms/";

/// Returns the path as given, and then with less and less of what agents add.
fn spellings(given: &str) -> Vec<Cow<'_, str>> {
    let mut all: Vec<Cow<'_, str>> = vec![given.into()];
    let mut add = |spelling: Cow<'_, str>| {
        if !spelling.is_empty() && all.last() != Some(&spelling) {
            all.push(spelling.into_owned().into());
        }
    };
    let unquoted = given.trim().trim_matches(['`', '"', '\'', '<', '>']);
    add(unquoted.into());
    let unnumbered = LINES.as_ref().map_or(unquoted.into(), |lines| lines.replace(unquoted, ""));
    add(unnumbered.clone());
    let decoded = percent_decode_str(&unnumbered).decode_utf8().unwrap_or_else(|_| unnumbered.clone());
    let slashes = decoded.strip_prefix("file://").unwrap_or(&decoded).replace('\\', "/");
    add(slashes.as_str().into());
    // Of `…/rooms/NAME/src/a.rs`, the part inside of the room.
    let inside = slashes.split_once(ROOMS).and_then(|(_, path)| path.split_once('/')).map(|(_, path)| path);
    let bare = inside.unwrap_or(&slashes).trim_start_matches("./").trim_start_matches('/');
    add(bare.into());
    add(bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/")).unwrap_or(bare).into());
    all
}
