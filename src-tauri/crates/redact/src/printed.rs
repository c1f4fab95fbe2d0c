//! Finds the argument that a program prints in the place behind a key: `printf 'api_key: "%s"\n' '…'`, `fmt.Sprintf("password=%s", "…")`.
//!
//! In: a text and the range of a key. Out: the range of a string or of a word of a shell.

use super::arguments::{arguments, strings};
use super::calls::looks_like_password;
use super::code::is_reference;
use super::cursor::{REACH, line_start};
use super::programs::words;
use super::strings::open_quote;
use super::values::{is_placeholder, looks_random};
use super::words::Worth;

/// The maximum number of signs and blanks between a key and the place of its value.
const MAX_GAP: usize = 8;
/// The places of texts in a format.
const TEXTS: &[&[u8]] = &[b"%s", b"%q", b"%v", b"%@"];

type Range = (usize, usize);

/// Returns the argument for the place behind a key in a format, if it is a secret.
pub(super) fn secret(text: &[u8], key: Range, worth: Worth) -> Option<Range> {
    let ((from, to), is_shell) = argument(text, key)?;
    let value = &text[from..to];
    // A message of a program has a blank: `t.Errorf("wrong token: %s", "…")`.
    let is_message = !is_shell && text.get(key.1 + 1) == Some(&b' ');
    let is_secret = looks_random(value) || worth == Worth::Secret && !is_message && looks_like_password(value);
    (is_secret && !is_placeholder(value) && !is_reference(value)).then_some((from, to))
}

/// Returns the argument for the place behind a key in a format, and whether a shell prints it.
fn argument(text: &[u8], (start, end): Range) -> Option<(Range, bool)> {
    let rest = &text[end..text.len().min(end + MAX_GAP)];
    let gap = rest.iter().take_while(|byte| b" \t:='\"\\>`".contains(byte)).count();
    let at = end + gap;
    if !rest[..gap].iter().any(|byte| b":=".contains(byte)) || !TEXTS.iter().any(|place| text[at..].starts_with(place))
    {
        return None;
    }
    let quote = open_quote(text, start)?;
    let line = line_start(text, start);
    let open = line + memchr::memrchr(quote, &text[line..start])?;
    let close = at + quote_at(&text[at..text.len().min(at + REACH)], quote)?;
    let number = places(&text[open + 1..at]);
    let is_shell = text[line..open].trim_ascii_end().ends_with(b"printf");
    if is_shell {
        let &(from, to) = words(text, close + 1, None).get(number)?;
        let is_literal = !text[from..to].iter().any(|byte| b"$`(".contains(byte));
        return is_literal.then_some(((from, to), true));
    }
    let behind = text[close + 1..].iter().take(MAX_GAP).take_while(|byte| byte.is_ascii_whitespace()).count();
    let sign = close + 1 + behind;
    let from = match text.get(sign)? {
        b',' => sign + 1,
        // Python: `"password=%s" % ("…",)`.
        b'%' => sign + 1 + text[sign + 1..].iter().take(2).take_while(|byte| b" (".contains(byte)).count(),
        _ => return None,
    };
    let &(from, to) = arguments(text, from, false).get(number)?;
    match strings(text, from, to)[..] {
        [string] => Some((string, false)),
        _ => None,
    }
}

/// Returns the place of a quote that is not escaped.
fn quote_at(text: &[u8], quote: u8) -> Option<usize> {
    memchr::memchr_iter(quote, text).find(|at| *at == 0 || text[at - 1] != b'\\')
}

/// Returns the number of places for arguments in a part of a format.
fn places(format: &[u8]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'%', &format[at..]) {
        let is_sign = format.get(at + next + 1) == Some(&b'%');
        count += usize::from(!is_sign);
        at += next + 1 + usize::from(is_sign);
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn arguments_behind_keys_in_formats_are_masked() {
        let key = "e8ce56908d6ace5fc06a7e4ddc5cdfac5e681f42";
        check(
            "a.sh",
            &[
                &format!("printf 'license_key: \"%s\"\\n' '⟦{key}⟧' >> /etc/agent.conf"),
                &format!("printf \"host=%s\\napi_key=%s\\n\" db.example ⟦{key}⟧ > a.conf"),
                "printf 'user=%s password=%s' ops '⟦Distel-7-Feld⟧'",
                "printf 'password=%s\\n' \"$PASSWORD\"",
                "printf 'password: %s\\n' ⟦Distel77⟧ > a.yml",
                "printf 'password=%s\\n' hidden",
                "printf 'token for %s' 'user-7-abc'",
            ],
        );
        check(
            "a.go",
            &[
                "dsn := fmt.Sprintf(\"user=%s password=%s\", user, \"⟦Distel-7-Feld⟧\")",
                "fmt.Sprintf(\"password=%s\", pw)",
                "t.Errorf(\"expected token %q, got %q\", \"tok123\", token)",
                "t.Errorf(\"wrong token: %q\", \"tok123\")",
            ],
        );
        check("a.py", &["x = \"password=%s\" % (\"⟦Distel-7-Feld⟧\",)", "log(\"password: %s\", \"unset\")"]);
        check("A.java", &["String.format(\"password=%s;port=%d\", \"⟦Distel-7-Feld⟧\", 5432);"]);
        check("a.c", &["snprintf(b, n, \"PASS %s\", name); printf(\"token: %s\\n\", \"none\");"]);
    }
}
