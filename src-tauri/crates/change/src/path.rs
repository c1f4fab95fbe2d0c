//! Paths as git stores them: any bytes but NUL, separated by `/`. Paths that are not plain text are shown with git's quoting, so
//! that a path with a newline cannot forge a line of a patch or a prompt.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

/// A path inside a repository, relative to its root.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Bytes);

impl RepoPath {
    /// Creates a path from bytes.
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Self(bytes.into())
    }

    pub(crate) const fn empty() -> Self {
        Self(Bytes::new())
    }

    /// Returns the bytes, as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the path as text for users and agents: the path itself if it is printable UTF-8, or else git's quoted form without
    /// the surrounding quotes (`a
    /// b`, `caf\351`).
    pub fn to_text(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) if !text.chars().any(char::is_control) => Cow::Borrowed(text),
            _ => Cow::Owned(escape(&self.0)),
        }
    }

    /// Returns the path as in a patch header: with `prefix`, and quoted if git (with `core.quotePath` off) quotes it.
    pub fn quoted(&self, prefix: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() + prefix.len() + 2);
        if needs_quotes(&self.0) {
            out.push(b'"');
            out.extend_from_slice(prefix.as_bytes());
            for &byte in self.0.iter() {
                match byte {
                    b'"' => out.extend_from_slice(b"\\\""),
                    // Other bytes stay unchanged, even if they are not UTF-8.
                    0x80.. => out.push(byte),
                    _ => out.extend_from_slice(escape(&[byte]).as_bytes()),
                }
            }
            out.push(b'"');
        } else {
            out.extend_from_slice(prefix.as_bytes());
            out.extend_from_slice(&self.0);
        }
        out
    }

    /// Parses a path in git's double quotes at the start of `text`, the inverse of [`Self::quoted`]. Returns the path and the
    /// rest of the text.
    pub fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
        let mut rest = text.strip_prefix(b"\"")?;
        let mut out = Vec::with_capacity(rest.len());
        loop {
            let (&byte, after) = rest.split_first()?;
            rest = after;
            match byte {
                b'"' => return Some((out, rest)),
                b'\\' => {
                    let (&escaped, after) = rest.split_first()?;
                    rest = after;
                    out.push(match escaped {
                        b'a' => 0x07,
                        b'b' => 0x08,
                        b't' => b'\t',
                        b'n' => b'\n',
                        b'v' => 0x0b,
                        b'f' => 0x0c,
                        b'r' => b'\r',
                        b'0'..=b'3' => {
                            let (low, after) = rest.split_at_checked(2)?;
                            rest = after;
                            let digit = |byte: u8| matches!(byte, b'0'..=b'7').then(|| byte - b'0');
                            (escaped - b'0') * 64 + digit(low[0])? * 8 + digit(low[1])?
                        }
                        plain => plain,
                    });
                }
                plain => out.push(plain),
            }
        }
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// Returns the extension of the last component, in lower case and without the dot, if it has one.
    pub fn extension(&self) -> Option<String> {
        let name = self.file_name();
        let dot = name.iter().rposition(|&byte| byte == b'.')?;
        (dot > 0 && dot + 1 < name.len()).then(|| String::from_utf8_lossy(&name[dot + 1..]).to_lowercase())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_text())
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl From<&str> for RepoPath {
    fn from(path: &str) -> Self {
        Self(Bytes::copy_from_slice(path.as_bytes()))
    }
}

fn needs_quotes(path: &[u8]) -> bool {
    path.iter().any(|&byte| byte < 0x20 || byte == 0x7f || byte == b'"' || byte == b'\\')
}

/// Applies git's C-style escapes, except that of the quote. Bytes above 0x7f stay unchanged in valid UTF-8.
fn escape(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len() + 8);
    for chunk in path.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '\x07' => out.push_str("\\a"),
                '\x08' => out.push_str("\\b"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\x0b' => out.push_str("\\v"),
                '\x0c' => out.push_str("\\f"),
                '\r' => out.push_str("\\r"),
                '\\' => out.push_str("\\\\"),
                control if control.is_ascii_control() => out.push_str(&format!("\\{:03o}", control as u32)),
                plain => out.push(plain),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\{byte:03o}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_are_unchanged() {
        assert_eq!(RepoPath::from("src/über.rs").to_text(), "src/über.rs");
        assert_eq!(RepoPath::from("a b.rs").quoted("a/"), b"a/a b.rs");
    }

    #[test]
    fn a_newline_in_a_path_cannot_end_a_line() {
        let path = RepoPath::from("a\nb\"c");
        assert_eq!(path.to_text(), "a\\nb\"c");
        assert_eq!(path.quoted("b/"), b"\"b/a\\nb\\\"c\"");
    }

    #[test]
    fn bytes_that_are_not_text_are_shown_in_octal() {
        assert_eq!(RepoPath::new(&b"caf\xe9"[..]).to_text(), "caf\\351");
    }

    #[test]
    fn extensions_are_lower_case_and_never_a_dot_files_name() {
        assert_eq!(RepoPath::from("a/B.RS").extension().as_deref(), Some("rs"));
        assert_eq!(RepoPath::from("a/.env").extension(), None);
    }
}
