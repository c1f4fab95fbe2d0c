//! Git's `wildmatch` patterns as regular expressions over bytes, which match in time linear in the length of the name.
//!
//! Git's matcher, libgit2's and gix-glob's try every way to divide a name among the stars of a pattern. A hostile pattern takes
//! minutes or years, so those matchers get no pattern of a repository. In gix-glob 0.29, `**/` thirty times and then `[b]` takes
//! more than a minute on a path of 900 folders, and a pattern with more than 64 stars matches nothing.

use regex::bytes::{Regex, RegexBuilder};

/// The maximum size of one compiled pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// The maximum size of one pattern's cache of states, in bytes.
const MAX_CACHE_BYTES: usize = 1 << 18;

/// Bytes with a special meaning in a pattern.
const SPECIAL: &[u8] = b"*?[\\";

/// Returns the length of the literal prefix of a pattern, in bytes.
pub(super) fn literal_length(pattern: &[u8]) -> usize {
    pattern.iter().position(|byte| SPECIAL.contains(byte)).unwrap_or(pattern.len())
}

/// Compiles a pattern. With `pathname`, only `**` matches a slash. Returns `None` if the pattern cannot match anything (an
/// unclosed class, a backslash at the end) or is too large to compile.
pub(super) fn compile(pattern: &[u8], pathname: bool, ignore_case: bool) -> Option<Regex> {
    let mut translation = Translation { pattern, pathname, at: 0, regex: String::from("^") };
    translation.run()?;
    translation.regex.push('$');
    RegexBuilder::new(&translation.regex)
        .unicode(false)
        .dot_matches_new_line(true)
        .case_insensitive(ignore_case)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_CACHE_BYTES)
        .build()
        .ok()
}

struct Translation<'a> {
    pattern: &'a [u8],
    pathname: bool,
    at: usize,
    regex: String,
}

impl Translation<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(&byte) = self.pattern.get(self.at) {
            match byte {
                b'*' => self.stars(),
                b'?' => {
                    self.any_byte();
                    self.at += 1;
                }
                b'[' => self.class()?,
                b'\\' => {
                    self.literal(*self.pattern.get(self.at + 1)?);
                    self.at += 2;
                }
                plain => {
                    self.literal(plain);
                    self.at += 1;
                }
            }
        }
        Some(())
    }

    fn literal(&mut self, byte: u8) {
        self.regex.push_str(&format!("\\x{byte:02x}"));
    }

    fn any_byte(&mut self) {
        self.regex.push_str(if self.pathname { "[^/]" } else { "." });
    }

    fn stars(&mut self) {
        let start = self.at;
        self.at += self.pattern[start..].iter().take_while(|&&byte| byte == b'*').count();
        let rest = &self.pattern[self.at..];
        let opens = start == 0 || self.pattern[start - 1] == b'/';
        let closes = rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/");
        if self.pathname && self.at - start > 1 && opens && closes {
            if rest.first() == Some(&b'/') {
                // Matches any number of folders, including none.
                self.regex.push_str("(?:.*/)?");
                self.at += 1;
            } else {
                self.regex.push_str(".*");
            }
            return;
        }
        self.any_byte();
        self.regex.push('*');
    }

    /// Translates the class at `self.at`.
    fn class(&mut self) -> Option<()> {
        let (mut members, end) = read_class(self.pattern, self.at + 1)?;
        if self.pathname {
            members[usize::from(b'/')] = false;
        }
        self.at = end + 1;
        self.regex.push('[');
        if members.iter().all(|&member| !member) {
            // An empty class matches nothing, and so does the whole pattern.
            return None;
        }
        for (byte, _) in members.iter().enumerate().filter(|&(_, &member)| member) {
            self.literal(u8::try_from(byte).ok()?);
        }
        self.regex.push(']');
        Some(())
    }
}

/// Reads a class whose `[` is before `at`. Returns the bytes in it and the position of its `]`.
fn read_class(pattern: &[u8], mut at: usize) -> Option<([bool; 256], usize)> {
    let mut members = [false; 256];
    let negated = matches!(pattern.get(at)?, b'!' | b'^');
    at += usize::from(negated);
    let first = at;
    let mut previous = None;
    loop {
        let byte = *pattern.get(at)?;
        if byte == b']' && at > first {
            break;
        }
        let next = pattern.get(at + 1);
        match (byte, previous, next) {
            (b'\\', ..) => {
                at += 1;
                let escaped = *pattern.get(at)?;
                members[usize::from(escaped)] = true;
                previous = Some(escaped);
            }
            (b'-', Some(low), Some(&high)) if high != b']' => {
                at += 1;
                let high = if high == b'\\' {
                    at += 1;
                    *pattern.get(at)?
                } else {
                    high
                };
                (low..=high).for_each(|byte| members[usize::from(byte)] = true);
                previous = None;
            }
            (b'[', _, Some(b':')) => {
                let length = pattern[at + 2..].iter().position(|&byte| byte == b']')?;
                match pattern[at + 2..at + 2 + length].strip_suffix(b":") {
                    Some(name) => {
                        let is_member = named_class(name)?;
                        (0..=u8::MAX).filter(is_member).for_each(|byte| members[usize::from(byte)] = true);
                        at += length + 2;
                        previous = None;
                    }
                    None => {
                        members[usize::from(b'[')] = true;
                        previous = Some(b'[');
                    }
                }
            }
            _ => {
                members[usize::from(byte)] = true;
                previous = Some(byte);
            }
        }
        at += 1;
    }
    if negated {
        members.iter_mut().for_each(|member| *member = !*member);
    }
    Some((members, at))
}

fn named_class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| byte.is_ascii_graphic() || *byte == b' ',
        b"punct" => u8::is_ascii_punctuation,
        // Git's own definition, without vertical tab and form feed.
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}
