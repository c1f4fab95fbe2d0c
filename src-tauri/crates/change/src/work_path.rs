//! Paths that may be written in a work tree.
//!
//! In: a path from an agent. Out: a [`WorkPath`], or the reason why it is refused. Only the spelling is checked; the caller must
//! check whether there is a link, a repository or an ignored file. A name that any file system treats as another one is refused
//! everywhere, because a repository that is written on Linux may be checked out on Windows or macOS.

use std::fmt;

/// The maximum length of a path, in bytes.
const MAX_LENGTH: usize = 4096;

/// Names that Windows opens as devices, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A relative path of plain names, none of which any file system reads as `.git` or as another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkPath(String);

/// The reason why a path may not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathRefusal {
    /// The path is empty.
    #[error("the file name is missing")]
    Empty,
    /// The path is longer than file systems allow.
    #[error("the path is longer than {MAX_LENGTH} bytes")]
    TooLong,
    /// The path starts with `/`.
    #[error("`{0}` is an absolute path; only files inside the repository can be changed")]
    Absolute(Shown),
    /// The path contains a backslash, which separates folders on Windows.
    #[error("`{0}` contains a `\\`, which some systems treat as a path separator")]
    Backslash(Shown),
    /// The path contains a colon, which marks a drive letter or an alternate stream on Windows.
    #[error("`{0}` contains a `:`, which some systems treat as a drive or a file stream")]
    Colon(Shown),
    /// The path contains control characters, or characters that some file systems ignore.
    #[error("`{0}` contains an invisible character")]
    Invisible(Shown),
    /// The path has an empty component, `.` or `..`.
    #[error("`{0}` is not a plain path inside the repository")]
    NotPlain(Shown),
    /// A component is `.git`, in any case.
    #[error("`{0}` is in git's own folder, which diffsan never changes")]
    GitFolder(Shown),
    /// A component ends with a dot or a space, which Windows drops.
    #[error("a part of `{0}` ends with a dot or a space, which some systems remove")]
    TrailingDotOrSpace(Shown),
    /// A component looks like a short name that Windows gives to a long name.
    #[error("a part of `{0}` looks like the short name of another file")]
    ShortName(Shown),
    /// A component is a device on Windows.
    #[error("a part of `{0}` is the name of a device on some systems")]
    Device(Shown),
}

/// A refused path. Its `Display` output has code points in place of invisible characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match is_invisible(char) {
                true => write!(f, "<U+{:04X}>", u32::from(char))?,
                false => write!(f, "{char}")?,
            }
        }
        Ok(())
    }
}

impl WorkPath {
    /// Accepts a path if its spelling is safe on every file system.
    ///
    /// The rules for `.git` are those of git's `verify_path` with `core.protectNTFS` and `core.protectHFS`, made stricter where
    /// that is simpler: every short name, every ignorable character and every alternate stream is refused, not only those of
    /// `.git`.
    ///
    /// # Errors
    ///
    /// Returns the first reason why the path is refused.
    pub fn parse(path: &str) -> Result<Self, PathRefusal> {
        let shown = || Shown(path.to_owned());
        if path.is_empty() {
            return Err(PathRefusal::Empty);
        }
        if path.len() > MAX_LENGTH {
            return Err(PathRefusal::TooLong);
        }
        if path.starts_with('/') {
            return Err(PathRefusal::Absolute(shown()));
        }
        if path.chars().any(is_invisible) {
            return Err(PathRefusal::Invisible(shown()));
        }
        if path.contains('\\') {
            return Err(PathRefusal::Backslash(shown()));
        }
        if path.contains(':') {
            return Err(PathRefusal::Colon(shown()));
        }
        for part in path.split('/') {
            if matches!(part, "" | "." | "..") {
                return Err(PathRefusal::NotPlain(shown()));
            }
            if part.ends_with(['.', ' ']) {
                return Err(PathRefusal::TrailingDotOrSpace(shown()));
            }
            let name = fold_case(part);
            if name == ".git" {
                return Err(PathRefusal::GitFolder(shown()));
            }
            if is_short_name(&name) {
                return Err(PathRefusal::ShortName(shown()));
            }
            if is_device(&name) {
                return Err(PathRefusal::Device(shown()));
            }
        }
        Ok(Self(path.to_owned()))
    }

    /// Returns the path, with `/` between its components.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the names of the folders from the root of the work tree to the file.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let folder = self.0.rsplit_once('/').map(|(folder, _)| folder);
        folder.into_iter().flat_map(|folder| folder.split('/'))
    }

    /// Returns the name of the file.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name)
    }

    /// Returns the path with case folded, for comparisons that also hold on case-insensitive file systems.
    pub fn folded(&self) -> String {
        fold_case(&self.0)
    }
}

/// Folds upper and lower case. Both conversions are needed: `ſ` becomes `s` only through upper case, and the Kelvin sign (U+212A) becomes
/// `k` only through lower case.
pub fn fold_case(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}

/// Returns whether a character is a control character or default-ignorable in Unicode. HFS+ ignores some of the latter in names,
/// and a reader does not see them.
fn is_invisible(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a name has the form `BASE~1.EXT` that Windows gives to names that exceed eight and three characters.
fn is_short_name(name: &str) -> bool {
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let Some((base, number)) = stem.rsplit_once('~') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !base.is_empty() && stem.chars().count() <= 8 && ending.chars().count() <= 3
}

/// Returns whether a name, in lower case, is a device on Windows: `nul`, `com1.txt`.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let numbered =
        |rest: &str| matches!(rest.chars().next(), Some('0'..='9' | '¹' | '²' | '³')) && rest.chars().count() == 1;
    DEVICES.contains(&stem) || port.is_some_and(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_are_taken() {
        for path in [
            "a.rs",
            "src/main.rs",
            ".github/workflows/ci.yml",
            ".gitignore",
            "git/config",
            "a.git/x",
            ".git-blame-ignore-revs",
            "…/ä.txt",
            "with space/a b.txt",
            "~/x",
            "a~b",
            "backup~",
            "version~12345678",
            "common/console.rs",
            "com10.txt",
            "lpt",
            ".gitx/a",
        ] {
            assert_eq!(WorkPath::parse(path).map(|parsed| parsed.as_str().to_owned()).as_deref(), Ok(path));
        }
    }

    #[test]
    fn paths_that_a_file_system_reads_differently_are_refused() {
        let of = |path: &str| WorkPath::parse(path).expect_err(path).to_string();
        for (path, reason) in [
            ("", "file name is missing"),
            ("/etc/passwd", "absolute"),
            ("//host/share", "absolute"),
            ("a//b", "not a plain path"),
            ("a/", "not a plain path"),
            ("./a", "not a plain path"),
            ("../a", "not a plain path"),
            ("a/../../b", "not a plain path"),
            ("a\0b", "invisible character"),
            ("a\nb", "invisible character"),
            ("a\\b", "path separator"),
            ("..\\a", "path separator"),
            ("C:/a", "drive"),
            ("a.txt:stream", "drive"),
            (".git", "git's own folder"),
            (".git/config", "git's own folder"),
            ("sub/.GiT/hooks/x", "git's own folder"),
            (".g\u{131}t/config", "git's own folder"),
            (".git./config", "dot or a space"),
            (".git. . /config", "dot or a space"),
            (".git::$INDEX_ALLOCATION/config", "drive"),
            (".g\u{200c}it/config", "<U+200C>"),
            (".git\u{feff}/config", "invisible character"),
            ("\u{206a}.git/config", "invisible character"),
            (".git\u{fffb}/x", "invisible character"),
            ("git~1/config", "short name"),
            ("GIT~1", "short name"),
            ("GI7EBA~1", "short name"),
            ("CLAUDE~1.MD", "short name"),
            ("nul", "device"),
            ("x/Con.txt", "device"),
            ("COM1", "device"),
            ("lpt\u{b2}.c", "device"),
        ] {
            assert!(of(path).contains(reason), "{path}: {}", of(path));
        }
        assert!(WorkPath::parse(&"a/".repeat(3000)).is_err());
    }

    #[test]
    fn case_is_folded_over_letters_that_only_become_equal_in_one_direction() {
        assert_eq!(fold_case(".hus\u{212a}y"), ".husky");
        assert_eq!(fold_case(".v\u{17f}code"), ".vscode");
    }
}
