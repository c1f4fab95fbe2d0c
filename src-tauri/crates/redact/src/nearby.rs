//! Reads the value that stands behind the name of a product and a sign of assignment, in the notation that gitleaks and betterleaks accept:
//! up to 20 letters, digits, blanks and signs of names, up to 3 quotes and blanks, a sign, up to 5 quotes and blanks, the value.
//!
//! This is looser than an assignment ([`super::assign`]): the quotes need not match, and the sign may be a comma. So the value must have
//! the format of a rule.

use smallvec::SmallVec;

/// The maximum length of the rest of a name in bytes.
const MAX_NAME: usize = 20;
/// The maximum number of quotes and blanks before the sign, and behind it.
const MAX_QUOTES: (usize, usize) = (3, 5);
/// The maximum length of a value in bytes.
const MAX_VALUE: usize = 1024;

/// The signs that assign a value. A sign comes before its prefixes.
const SIGNS: &[&[u8]] = &[b":::=", b"::=", b":=", b"=>", b"?=", b"||", b"=", b">", b":", b","];

/// The ranges where a value can be.
pub(super) type Ranges = SmallVec<[(usize, usize); MAX_QUOTES.1 + 1]>;

/// Returns the ranges where the value behind a name that ends at `end` can be.
pub(super) fn values(text: &[u8], end: usize) -> Ranges {
    let count = |at: usize, most: usize, test: fn(u8) -> bool| {
        text[at..].iter().take(most).take_while(|byte| test(**byte)).count()
    };
    let mut at = end + count(end, MAX_NAME, |byte| byte.is_ascii_alphanumeric() || b" \t_.-".contains(&byte));
    at += count(at, MAX_QUOTES.0, |byte| byte.is_ascii_whitespace() || b"'\"".contains(&byte));
    let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(sign)) else { return Ranges::new() };
    at += sign.len();
    let most = count(at, MAX_QUOTES.1, |byte| byte.is_ascii_whitespace() || b"`'\"=".contains(&byte));
    // An equals sign may belong to the value.
    let ends = |start: usize| (start, start + length(&text[start..text.len().min(start + MAX_VALUE)]));
    // A name before its value is none: `:token="token" :api-key="key"`.
    let names = |end: usize| text[..end].ends_with(b"=") && matches!(text.get(end), Some(b'"' | b'\''));
    (0..=most).map(|skipped| ends(at + skipped)).filter(|&(_, end)| !names(end)).collect()
}

/// Returns the length of a value up to a quote, a blank, a semicolon or an escaped end of line.
fn length(value: &[u8]) -> usize {
    let ends = |at: usize, byte: u8| match byte {
        b'`' | b'\'' | b'"' | b';' => true,
        b'\\' => value.get(at + 1).is_some_and(|next| b"nrNR'\"`".contains(next)),
        _ => byte.is_ascii_whitespace(),
    };
    value.iter().enumerate().position(|(at, byte)| ends(at, *byte)).unwrap_or(value.len())
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_format_of_a_product_is_read_behind_any_sign() {
        check(
            "a.txt",
            &[
                "adafruit || \"⟦k3x8q0vn2m7b5c1z9l4p6w8r0t2y4u6i⟧\"",
                "adafruit io feed ::= '⟦k3x8q0vn2m7b5c1z9l4p6w8r0t2y4u6i⟧'",
                "[\"adafruit_io\",\"⟦k3x8q0vn2m7b5c1z9l4p6w8r0t2y4u6i⟧\"]",
                "adafruit, see k3x8q0vn2m7b5c1z",
                "adafruit: a-name-of-exactly-32-characters",
            ],
        );
    }
}
