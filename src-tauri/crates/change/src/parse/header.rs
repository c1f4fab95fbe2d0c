//! Parses header lines of patches: hunk ranges, and file names in all their spellings.

use bytes::Bytes;

use super::lines::trim;
use crate::{Body, FileChange, RepoPath, Status};

/// The line ranges of a hunk header.
pub(super) struct Ranges {
    pub(super) old_start: u32,
    pub(super) old_lines: u32,
    pub(super) new_start: u32,
    pub(super) new_lines: u32,
    /// The offset of the section in the line.
    pub(super) section: usize,
}

/// Parses `@@ -1,2 +3,4 @@ section`.
pub(super) fn ranges(line: &[u8]) -> Option<Ranges> {
    let mut rest = line.strip_prefix(b"@@ -")?;
    let (old_start, old_lines) = range(&mut rest)?;
    rest = rest.strip_prefix(b" +")?;
    let (new_start, new_lines) = range(&mut rest)?;
    rest = rest.strip_prefix(b" @@")?;
    rest = rest.strip_prefix(b" ").unwrap_or(rest);
    Some(Ranges { old_start, old_lines, new_start, new_lines, section: line.len() - rest.len() })
}

/// Parses `1,2` or `1`. Returns `None` if the number of the last line overflows.
pub(super) fn range(rest: &mut &[u8]) -> Option<(u32, u32)> {
    let start = number(rest)?;
    let count = match rest.strip_prefix(b",") {
        Some(after) => {
            *rest = after;
            number(rest)?
        }
        None => 1,
    };
    start.checked_add(count)?.checked_add(1)?;
    // Only a side without lines may start at 0.
    (count == 0 || start > 0).then_some((start, count))
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    *rest = &rest[digits..];
    Some(value)
}

/// Returns the object ids of both sides. Returns `None` if one of them is no hexadecimal number.
pub(super) fn ids(old: &str, new: &str) -> Option<(String, String)> {
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id(old) && is_id(new)).then(|| (old.to_owned(), new.to_owned()))
}

/// Parses an octal mode.
pub(super) fn mode(text: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(trim(text)).ok()?.trim(), 8).ok()
}

/// Prefix pairs of `git diff`: the default one, those of `diff.mnemonicPrefix`, and their reverses.
const PREFIXES: &[(&[u8], &[u8])] = &[
    (b"a/", b"b/"),
    (b"i/", b"w/"),
    (b"c/", b"i/"),
    (b"c/", b"w/"),
    (b"o/", b"w/"),
    (b"w/", b"i/"),
    (b"i/", b"c/"),
    (b"w/", b"c/"),
    (b"w/", b"o/"),
    (b"1/", b"2/"),
    (b"b/", b"a/"),
];

/// Parses a name after `rename from ` and the like: quoted or plain, without a prefix.
pub(super) fn name(text: &[u8]) -> RepoPath {
    let text = trim(text);
    match RepoPath::unquote(text) {
        Some((path, [])) => RepoPath::new(path),
        _ => RepoPath::new(text.to_vec()),
    }
}

/// A name of a `---` or `+++` line, which may have a time after a tab.
pub(super) struct Side {
    /// The name with its prefix. `None` for `/dev/null`.
    pub(super) name: Option<Vec<u8>>,
    /// Whether the time is the epoch, which means that the file does not exist on this side.
    pub(super) epoch: bool,
}

/// Parses the text after `--- ` or `+++ `.
pub(super) fn side(text: &[u8]) -> Side {
    let text = trim(text);
    let (name, rest) = match RepoPath::unquote(text) {
        Some((name, rest)) => (name, rest),
        None => {
            let end = memchr::memchr(b'\t', text).unwrap_or(text.len());
            (text[..end].to_vec(), &text[end..])
        }
    };
    let time = rest.trim_ascii_start();
    let epoch =
        time.starts_with(b"1970-01-01 0") || time.starts_with(b"1969-12-31 ") || time.starts_with(b"1970-01-01 1");
    Side { name: (name != b"/dev/null").then_some(name), epoch }
}

/// Removes the prefixes from both names, if they have a known pair of prefixes. If a side is absent, the other one decides.
pub(super) fn strip_prefixes(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<(Option<RepoPath>, Option<RepoPath>)> {
    PREFIXES.iter().find_map(|(old_prefix, new_prefix)| {
        let strip = |name: Option<&[u8]>, prefix: &[u8]| match name {
            Some(name) => name.strip_prefix(prefix).map(|rest| Some(RepoPath::new(rest.to_vec()))),
            None => Some(None),
        };
        Some((strip(old, old_prefix)?, strip(new, new_prefix)?))
    })
}

/// Returns the path of a `diff --git` line whose sides have the same one. For different paths, git has other headers.
pub(super) fn git_names(line: &[u8]) -> Option<RepoPath> {
    let text = trim(line.strip_prefix(b"diff --git ")?);
    if let Some((old, rest)) = RepoPath::unquote(text) {
        let rest = rest.strip_prefix(b" ")?;
        let new = RepoPath::unquote(rest).map_or_else(|| rest.to_vec(), |(new, _)| new);
        return same(&old, &new);
    }
    if text.ends_with(b"\"")
        && let Some(at) = memchr::memmem::find(text, b" \"")
        && let Some((new, _)) = RepoPath::unquote(&text[at + 1..])
    {
        return same(&text[..at], &new);
    }
    // Equal paths with prefixes of equal length have the space in the middle; other prefixes have it elsewhere.
    let middle = text.len() / 2;
    std::iter::once(middle)
        .chain(memchr::memchr_iter(b' ', text))
        .filter(|&at| text.get(at) == Some(&b' '))
        .find_map(|at| same(&text[..at], &text[at + 1..]))
}

/// Returns the common path of both names after their prefixes.
fn same(old: &[u8], new: &[u8]) -> Option<RepoPath> {
    if let Some((Some(old), Some(new))) = strip_prefixes(Some(old), Some(new))
        && old == new
    {
        return Some(old);
    }
    if old == new {
        return Some(RepoPath::new(old.to_vec()));
    }
    let behind = |name: &'_ [u8]| memchr::memchr(b'/', name).map(|at| name[at + 1..].to_vec());
    let (old, new) = (behind(old)?, behind(new)?);
    (old == new && !old.is_empty()).then(|| RepoPath::new(old))
}

/// Parses `Binary files a/x and b/x differ`, which plain `diff` prints without a header.
pub(super) fn binary_files(line: &[u8]) -> Option<FileChange> {
    let names = trim(line).strip_prefix(b"Binary files ")?.strip_suffix(b" differ")?;
    let at = memchr::memmem::find(names, b" and ")?;
    let (old, new) = (side(&names[..at]).name, side(&names[at + 5..]).name);
    let (old_path, new_path) = strip_prefixes(old.as_deref(), new.as_deref()).unwrap_or_else(|| {
        let path = |name: &Option<Vec<u8>>| name.clone().map(RepoPath::new);
        (path(&old).and(path(&new)).or(path(&old)), path(&new))
    });
    let (old_path, new_path, status) = match (old_path, new_path) {
        (None, None) => return None,
        (None, new) => (None, new, Status::Added),
        (old, None) => (old, None, Status::Deleted),
        // A plain diff has no renames: the file is named by the new side.
        (_, Some(new)) => (Some(new.clone()), Some(new), Status::Modified),
    };
    Some(FileChange {
        old_path,
        new_path,
        status,
        old_mode: None,
        new_mode: None,
        ids: None,
        similarity: None,
        body: Body::Binary(None::<Bytes>),
    })
}
