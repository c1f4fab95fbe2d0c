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
    let is_absolute = is_absolute(given);
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
    let in_change =
        only(&|path| path == given).or_else(|| only(&|path| ends_with(path, &given) || ends_with(&given, path)));
    in_change.or_else(|| {
        let bare = spellings.last()?;
        let mut others = shortened(bare).filter(|rest| is_absolute || rest.contains('/'));
        others.find(|rest| exists(rest)).map(|rest| Resolved::Other(rest.to_owned()))
    })
}

/// Lines behind a path: `:12`, `:12-20`, `:12:5`, `#L12-L20`, ` (line 12)`, `, lines 12-20`.
static LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x) (?: (?::L?\d+)+ (?:[-\u{2013}]L?\d+)? | [\#@]L?\d+ (?:-L?\d+)? | \s*\( (?:lines?\s+|L)? \d+ (?:\s*[-,\u{2013}]\s*L?\d+)? \) | ,?\s+(?:lines?\s+|L)\d+ (?:\s*(?:-|\u{2013}|to)\s*\d+)? ) :? $",
    )
    .ok()
});

/// The new name in a rename as git prints it: `src/{old => new}/a.rs`, `old.rs => new.rs`.
static RENAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<before>[^{}]*)\{[^{}]*\s=>\s(?P<new>[^{}]*)\}(?P<after>[^{}]*)$|^.+\s(?:=>|->|→)\s(?P<whole>.+)$")
        .ok()
});

/// The address of a file on a forge, up to its path.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^https?://[^/]+/.+?/(?:-/)?(?:blob|raw|src|tree)/[^/]+/").ok());

/// The text and the target of a link in Markdown.
static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\[[^\]]*\]\(([^()\s]+)\)$").ok());

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
    let replaced = |pattern: &LazyLock<Option<Regex>>, text: &str, by: &str| {
        pattern.as_ref().map_or_else(|| text.to_owned(), |pattern| pattern.replace(text, by).into_owned())
    };
    let unquoted = given.trim().trim_matches(['`', '"', '\'', '<', '>', '*']);
    add(unquoted.into());
    let linked = replaced(&LINK, unquoted, "$1");
    let unnumbered = replaced(&LINES, &linked, "");
    let unnumbered = unnumbered.trim_matches(['`', '"', '\'']);
    add(unnumbered.into());
    let renamed = replaced(&RENAME, unnumbered, "${before}${new}${after}${whole}").replace("//", "/");
    if !unnumbered.contains("://") {
        add(renamed.as_str().into());
    }
    let local = replaced(&ADDRESS, unnumbered, "");
    let decoded =
        percent_decode_str(if local == unnumbered && !unnumbered.contains("://") { &renamed } else { &local })
            .decode_utf8()
            .map_or_else(|_| local.clone(), Cow::into_owned);
    let slashes = decoded.strip_prefix("file://").unwrap_or(&decoded).replace('\\', "/");
    add(slashes.as_str().into());
    // Of `…/rooms/NAME/src/a.rs`, the part inside of the room.
    let inside = slashes.split_once(ROOMS).and_then(|(_, path)| path.split_once('/')).map(|(_, path)| path);
    let bare = inside.unwrap_or(&slashes).trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
    add(bare.into());
    add(["a/", "b/", "i/", "w/"].iter().find_map(|side| bare.strip_prefix(side)).unwrap_or(bare).into());
    all
}

/// Returns the paths that an absolute path, or one with additional folders, may mean: without its first folders, the longest first.
fn shortened(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[at + 1..]).filter(|rest| !rest.is_empty())
}

/// Returns whether a path begins at the root of a file system or at a home folder.
fn is_absolute(path: &str) -> bool {
    let path = path.trim().trim_matches(['`', '"', '\'', '<', '>', '*']);
    let drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path[1..].starts_with(":\\");
    path.starts_with(['/', '~']) || path.starts_with("file://") || drive
}
