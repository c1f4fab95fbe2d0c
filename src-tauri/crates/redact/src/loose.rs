//! Judges values that are not clearly assigned to their key: behind a blank, compared, or one of several.
//!
//! In: a value and its place. Out: whether it can be a secret.

use super::calls::is_chosen_word;
use super::code::{is_public, is_wordy};
use super::cursor::line_start;
use super::words::WORDS;

/// Returns whether a value is a date: `2024-03-01`, `01.03.2024`.
fn is_date(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| b"-./".contains(byte));
    let lengths = [parts.next(), parts.next(), parts.next()].map(|part| part.map_or(0, <[u8]>::len));
    value.iter().all(|byte| byte.is_ascii_digit() || b"-./".contains(byte))
        && parts.next().is_none()
        && matches!(lengths, [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4])
}

/// Returns whether a value is a field of its own behind the name of another one: `type=bearer ttl=3600`.
fn is_field(value: &[u8]) -> bool {
    let name = value.iter().take_while(|byte| byte.is_ascii_lowercase() || **byte == b'_').count();
    name > 1 && value.get(name) == Some(&b'=') && value.len() > name + 1
}

/// Returns whether a value is not a word of a language. A value that is not clearly assigned must pass this test.
pub(super) fn looks_made_up(value: &[u8]) -> bool {
    // A feature of a package: `jsonwebtoken/pem2`.
    let is_path = || value.contains(&b'/') && std::str::from_utf8(value).is_ok_and(is_wordy);
    let is_other = || is_date(value) || is_field(value) || is_path() || is_public(value);
    value.len() >= 6
        && value.iter().any(u8::is_ascii_digit)
        && !value.iter().any(|byte| byte.is_ascii_whitespace() || b"(){}[]<>".contains(byte))
        && !is_other()
}

/// Returns whether a string behind a sign of equality begins at a place: `pw == "…"`.
pub(super) fn is_compared(text: &[u8], start: usize) -> bool {
    let before = text[line_start(text, start)..start].split_last().map(|(_, before)| before.trim_ascii_end());
    before.is_some_and(|before| before.ends_with(b"==") || before.ends_with(b"!="))
}

/// Returns whether a word is a password that a program compares another one with, and not one of its states: `"expired"`.
pub(super) fn is_compared_word(key: &[u8], value: &[u8]) -> bool {
    WORDS.names_a_password(key) && is_chosen_word(value) && ![&b"ed"[..], b"ing"].iter().any(|end| value.ends_with(end))
}

/// Returns whether a place is in a line above the hunks of a diff, which names files.
pub(super) fn is_in_header(text: &[u8], at: usize) -> bool {
    let line = &text[line_start(text, at)..at];
    [&b"diff --git "[..], b"Binary files ", b"rename ", b"copy "].iter().any(|start| line.starts_with(start))
}
