//! Patterns of `.gitattributes`, matched as git matches them (its `wildmatch`).

/// A pattern and the folder that its file lies in.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Without a leading slash.
    text: Vec<u8>,
    /// Matched against the last part of a path only.
    by_name: bool,
    /// Names folders, which have no attributes.
    folder: bool,
}

impl Pattern {
    /// Reads a pattern; none if it is a negative one, which attributes do not have.
    pub(super) fn new(text: &[u8]) -> Option<Self> {
        if text.is_empty() || text[0] == b'!' {
            return None;
        }
        let (text, folder) = text.strip_suffix(b"/").map_or((text, false), |text| (text, true));
        let by_name = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text).to_vec();
        Some(Self { text, by_name, folder })
    }

    /// Whether a path (relative to the pattern's folder) matches.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        if self.folder {
            return false;
        }
        match self.by_name {
            true => matches(&self.text, path.rsplit(|&byte| byte == b'/').next().unwrap_or_default(), false),
            false => matches(&self.text, path, true),
        }
    }
}

/// Whether `text` matches `pattern`. With `pathname`, only `**` matches a slash.
pub(super) fn matches(pattern: &[u8], text: &[u8], pathname: bool) -> bool {
    Matcher { pattern, text, pathname }.run(0, 0) == Outcome::Match
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Match,
    NoMatch,
    /// No longer star can help either: what spares exponential time.
    Abort,
    /// Only a `**` further out can help.
    AbortToDoubleStar,
}

struct Matcher<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    pathname: bool,
}

impl Matcher<'_> {
    fn run(&self, mut p: usize, mut t: usize) -> Outcome {
        while let Some(&wanted) = self.pattern.get(p) {
            if wanted == b'*' {
                match self.star(&mut p, &mut t) {
                    Some(outcome) => return outcome,
                    None => continue,
                }
            }
            let Some(&byte) = self.text.get(t) else { return Outcome::Abort };
            let fits = match wanted {
                b'?' => !(self.pathname && byte == b'/'),
                b'[' => match self.class(p, byte) {
                    Some((fits, end)) => {
                        p = end;
                        fits && !(self.pathname && byte == b'/')
                    }
                    None => return Outcome::Abort,
                },
                b'\\' => {
                    p += 1;
                    self.pattern.get(p) == Some(&byte)
                }
                plain => plain == byte,
            };
            if !fits {
                return Outcome::NoMatch;
            }
            (p, t) = (p + 1, t + 1);
        }
        if t == self.text.len() { Outcome::Match } else { Outcome::NoMatch }
    }

    /// One run of stars. None: both places were moved on, to the slash that one star stopped at.
    fn star(&self, p: &mut usize, t: &mut usize) -> Option<Outcome> {
        let start = *p;
        let end = start + self.pattern[start..].iter().take_while(|&&byte| byte == b'*').count();
        let mut slashes = !self.pathname;
        if end - start > 1 && self.pathname {
            let opens = start == 0 || self.pattern[start - 1] == b'/';
            let rest = &self.pattern[end..];
            if opens && (rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/")) {
                if rest.first() == Some(&b'/') && self.run(end + 1, *t) == Outcome::Match {
                    return Some(Outcome::Match);
                }
                slashes = true;
            }
        }
        *p = end;
        let text = &self.text[*t..];
        if end == self.pattern.len() {
            return Some(if !slashes && text.contains(&b'/') { Outcome::AbortToDoubleStar } else { Outcome::Match });
        }
        if !slashes && self.pattern[end] == b'/' {
            return match text.iter().position(|&byte| byte == b'/') {
                Some(slash) => {
                    *t += slash;
                    None
                }
                None => Some(Outcome::Abort),
            };
        }
        for at in *t..self.text.len() {
            match self.run(end, at) {
                Outcome::NoMatch => {
                    if !slashes && self.text[at] == b'/' {
                        return Some(Outcome::AbortToDoubleStar);
                    }
                }
                Outcome::AbortToDoubleStar if slashes => {}
                outcome => return Some(outcome),
            }
        }
        Some(Outcome::Abort)
    }

    /// A class at `p`: whether the byte is in it, and where its `]` stands.
    fn class(&self, p: usize, byte: u8) -> Option<(bool, usize)> {
        let mut at = p + 1;
        let negated = matches!(self.pattern.get(at)?, b'!' | b'^');
        at += usize::from(negated);
        let mut found = false;
        let mut previous = None;
        let first = at;
        loop {
            let mut wanted = *self.pattern.get(at)?;
            if wanted == b']' && at > first {
                return Some((found != negated, at));
            }
            if wanted == b'[' && self.pattern.get(at + 1) == Some(&b':') {
                let length = self.pattern[at + 2..].iter().position(|&byte| byte == b']')?;
                let name = self.pattern[at + 2..at + 2 + length].strip_suffix(b":")?;
                found |= in_class(name, byte)?;
                at += length + 3;
                previous = None;
                continue;
            }
            let range = wanted == b'-' && previous.is_some() && *self.pattern.get(at + 1)? != b']';
            if range {
                at += 1;
                wanted = self.pattern[at];
            }
            if wanted == b'\\' {
                at += 1;
                wanted = *self.pattern.get(at)?;
            }
            match previous {
                Some(low) if range => {
                    found |= low <= byte && byte <= wanted;
                    previous = None;
                }
                _ => {
                    found |= wanted == byte;
                    previous = Some(wanted);
                }
            }
            at += 1;
        }
    }
}

fn in_class(name: &[u8], byte: u8) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace(),
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
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
            ("*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ];
        for (pattern, path, expected) in cases {
            let matched = Pattern::new(pattern.as_bytes()).is_some_and(|pattern| pattern.matches(path.as_bytes()));
            assert_eq!(matched, *expected, "{pattern} on {path}");
        }
        assert!(Pattern::new(b"!x").is_none());
    }
}
