//! Patterns of `.gitattributes` and `.gitignore`, with git's meaning.
//!
//! In: a pattern, then paths relative to the folder of its file. Out: whether it matches. Matching takes time linear in the
//! length of the path, for every pattern; [`Pattern::cost`] returns the cost, so that a caller can limit the sum.

use std::sync::OnceLock;

use regex::bytes::Regex;

use super::wildmatch::{compile, literal_length};

/// The maximum length of a pattern in bytes. Git ignores longer lines of `.gitattributes`, and no path that a system can open is longer.
const MAX_PATTERN_BYTES: usize = 4096;

/// A pattern of a file.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The literal prefix of matching paths.
    prefix: Vec<u8>,
    rest: Rest,
    /// Whether only the last part of a path is matched.
    by_name: bool,
    /// Whether the pattern ends in a slash and so matches only folders.
    folders_only: bool,
    ignore_case: bool,
}

/// The part after the literal prefix of a pattern.
#[derive(Clone, Debug)]
enum Rest {
    Nothing,
    /// One star and a literal text, matched with the last part of the path.
    Ending(Vec<u8>),
    /// A pattern that is compiled at its first use. `None` matches nothing.
    Wild(Vec<u8>, OnceLock<Option<Regex>>),
}

impl Pattern {
    /// Parses a pattern without a leading `!`. Returns `None` if it is empty or too long.
    pub(super) fn new(text: &[u8], ignore_case: bool) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_PATTERN_BYTES {
            return None;
        }
        let (text, folders_only) = text.strip_suffix(b"/").map_or((text, false), |text| (text, true));
        let by_name = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        let (prefix, rest) = text.split_at(literal_length(text));
        let rest = match rest {
            [] => Rest::Nothing,
            [b'*', ending @ ..] if by_name && prefix.is_empty() && literal_length(ending) == ending.len() => {
                Rest::Ending(ending.to_vec())
            }
            wild => Rest::Wild(wild.to_vec(), OnceLock::new()),
        };
        Some(Self { prefix: prefix.to_vec(), rest, by_name, folders_only, ignore_case })
    }

    /// Returns whether the path of something other than a folder matches.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        !self.folders_only && self.matches_name(path)
    }

    /// Returns whether a path matches; `is_folder` says whether it is a folder.
    pub(super) fn matches_kind(&self, path: &[u8], is_folder: bool) -> bool {
        (is_folder || !self.folders_only) && self.matches_name(path)
    }

    fn matches_name(&self, path: &[u8]) -> bool {
        let path = match self.by_name {
            true => path.rsplit(|&byte| byte == b'/').next().unwrap_or_default(),
            false => path,
        };
        let Some((start, rest)) = path.split_at_checked(self.prefix.len()) else { return false };
        if !self.same(start, &self.prefix) {
            return false;
        }
        match &self.rest {
            // No file has an empty name.
            Rest::Nothing => rest.is_empty() && !path.is_empty(),
            Rest::Ending(ending) => {
                rest.len().checked_sub(ending.len()).is_some_and(|from| self.same(&rest[from..], ending))
            }
            Rest::Wild(pattern, regex) => self.regex(pattern, regex, rest),
        }
    }

    fn regex(&self, pattern: &[u8], regex: &OnceLock<Option<Regex>>, text: &[u8]) -> bool {
        // Like git, compile without the literal prefix, so that `a**/b` is `a` and then `**/b`.
        let regex = regex.get_or_init(|| compile(pattern, !self.by_name, self.ignore_case));
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    fn same(&self, one: &[u8], other: &[u8]) -> bool {
        if self.ignore_case { one.eq_ignore_ascii_case(other) } else { one == other }
    }

    /// Returns the cost of matching a path of `path` bytes, in steps of some nanoseconds.
    pub(super) fn cost(&self, path: usize) -> u64 {
        match self.rest {
            Rest::Wild(..) => 8 + path as u64,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_git_matches_them() {
        let cases: &[(&str, &str, bool)] = &[
            ("*.rs", "src/a.rs", true),
            ("*.rs", "a.rsx", false),
            ("/a.rs", "a.rs", true),
            ("/a.rs", "src/a.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/**/a.rs", "src/a.rs", true),
            ("src/**/a.rs", "src/x/y/a.rs", true),
            ("src/**", "src/x/y", true),
            ("**/gen/*", "a/b/gen/x", true),
            ("a*/b", "abc/b", true),
            ("a*/b", "abc/d/b", false),
            ("gen/", "gen", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]-]x", "]x", true),
            ("[[:digit:]].txt", "7.txt", true),
            ("\\*.txt", "*.txt", true),
            ("\\*.txt", "a.txt", false),
            ("foo?bar", "fooxbar", true),
        ];
        for (pattern, path, expected) in cases {
            let pattern_read = Pattern::new(pattern.as_bytes(), false);
            let matched = pattern_read.is_some_and(|pattern| pattern.matches(path.as_bytes()));
            assert_eq!(matched, *expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn patterns_of_many_stars_are_fast() {
        // A backtracking matcher needs more steps than there are nanoseconds in a year.
        let folders = "**/".repeat(30) + "[b]";
        for pattern in [
            "*a*a*a*a*a*a*a*a*a*a*a*a*a*b",
            "**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b",
            "x/*a*a*a*a*a*a*ab",
            &folders,
        ] {
            let read = Pattern::new(pattern.as_bytes(), false).expect("a pattern");
            assert!(!read.matches(&[b"x/".as_slice(), &b"a".repeat(250), b"/", &b"a/".repeat(900), b"a"].concat()));
        }
    }
}
