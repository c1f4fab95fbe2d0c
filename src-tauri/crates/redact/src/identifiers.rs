//! Finds the identifier around a word, and tells where it stands.
//!
//! In: a text and the range of a word. Out: ranges.

use super::cursor::{REACH, line_start};

/// The maximum number of letters before and after the stem of a word in a reason.
const MAX_WORD_BYTES: usize = 16;
/// The maximum length of a key in bytes; a longer identifier is not a key.
pub(super) const LONGEST_KEY: usize = 96;

/// Returns whether the text at `start..end` is a whole word of a key: `key` is one in `apiKey` and `api_key`, but not in `monkey`.
pub(super) fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let after = text.get(end);
    let ends = after.is_none_or(|byte| {
        !byte.is_ascii_alphabetic() || byte.is_ascii_uppercase() && text[end - 1].is_ascii_lowercase()
    });
    begins_word(text, start) && ends
}

/// Returns whether a word begins at a place: behind a sign, or with a capital behind a small letter.
pub(super) fn begins_word(text: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).map(|at| text[at]);
    before
        .is_none_or(|byte| !byte.is_ascii_alphabetic() || byte.is_ascii_lowercase() && text[start].is_ascii_uppercase())
}

/// Returns whether a place in source code is in a comment.
pub(super) fn in_remark(text: &[u8], at: usize) -> bool {
    let line = line_start(text, at);
    let before = &text[line..at];
    let first = before.trim_ascii_start();
    [&b"#"[..], b"//", b"*", b"/*", b"--", b"<!--", b";"].iter().any(|mark| first.starts_with(mark))
        || [&b" // "[..], b" # ", b" /* ", b" -- "].iter().any(|mark| memchr::memmem::find(before, mark).is_some())
}

/// Returns the letters around `start..end`, such as `password` around its stem.
pub(super) fn word_around(text: &[u8], start: usize, end: usize) -> &str {
    let before = text[..start].iter().rev().take(MAX_WORD_BYTES).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let after = text[end..].iter().take(MAX_WORD_BYTES).take_while(|byte| byte.is_ascii_alphabetic()).count();
    std::str::from_utf8(&text[start - before..end + after]).unwrap_or_default()
}

/// Returns whether a key is the user of an address (`https://oauth2:…@host`), whose password is found by its form, or the initial vector of a
/// command (`openssl enc -iv …`), which is public.
pub(super) fn names_a_user(text: &[u8], (start, end): (usize, usize)) -> bool {
    text[..start].ends_with(b"://") && text.get(end) == Some(&b':') || text[start..end] == *b"-iv"
}

/// Returns whether a place is inside the name of a cloud resource or of its type: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db`,
/// `AWS::SecretsManager::Secret`.
pub(super) fn in_resource_name(text: &[u8], at: usize) -> bool {
    if at == 0 || text[at - 1] != b':' {
        return false;
    }
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-:/*".contains(byte);
    let before = text[..at].iter().rev().take(REACH).take_while(|byte| inside(byte)).count();
    let before = &text[at - before..at];
    before.starts_with(b"arn:") || before.starts_with(b"AWS::")
}

/// Returns the range of the identifier around a word. Letters that are not ASCII belong to it if the word has such letters.
pub(super) fn identifier(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    if !text[start..end].is_ascii() {
        return foreign_identifier(text, start, end);
    }
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-$".contains(byte);
    let from = start.saturating_sub(LONGEST_KEY);
    let before = text[from..start].iter().rev().take_while(|byte| inside(byte)).count();
    let to = text.len().min(end + LONGEST_KEY);
    let after = text[end..to].iter().take_while(|byte| inside(byte)).count();
    // Punctuation that ends a key is not part of it: `-->`, `...`.
    // `${TOKEN-default}`: the dash ends the name of a variable of the shell.
    if text[..start - before].ends_with(b"${")
        && let Some(dash) = text[end..end + after].iter().position(|byte| *byte == b'-')
    {
        return (start - before, end + dash);
    }
    let trailing = text[end..end + after].iter().rev().take_while(|byte| b".-$".contains(byte)).count();
    (start - before, end + after - trailing)
}

fn foreign_identifier(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let inside = |char: &char| char.is_alphanumeric() || "_.-$".contains(*char);
    let from = start.saturating_sub(LONGEST_KEY);
    let cut = text[from..start].iter().take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    let before = std::str::from_utf8(&text[from + cut..start]).unwrap_or_default();
    let before: usize = before.chars().rev().take_while(inside).map(char::len_utf8).sum();
    let after = &text[end..text.len().min(end + LONGEST_KEY)];
    let after = match std::str::from_utf8(after) {
        Ok(after) => after,
        Err(error) => std::str::from_utf8(&after[..error.valid_up_to()]).unwrap_or_default(),
    };
    let length: usize = after.chars().take_while(inside).map(char::len_utf8).sum();
    let trailing = after[..length].len() - after[..length].trim_end_matches(['.', '-', '$']).len();
    (start - before, end + length - trailing)
}
