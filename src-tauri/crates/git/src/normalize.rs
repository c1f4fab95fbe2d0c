//! Converts a file of the work tree to the form that git would store: line ends, `$Id$` and UTF-16, by attributes and settings,
//! by git's rules. Filter commands are never run; files with such filters are compared unconverted.

use git2::Repository;

use super::attributes::{Rules, State};
use super::os_path::os_path;

/// The settings `core.autocrlf` and `core.eol`, as far as they affect storing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    /// Whether files without attributes are converted.
    auto: bool,
}

impl Settings {
    pub(super) fn of(repo: &Repository) -> Self {
        let config = repo.config().and_then(|mut config| config.snapshot());
        let value = config.ok().and_then(|config| config.get_string("core.autocrlf").ok()).unwrap_or_default();
        let yes = ["true", "yes", "on", "1", "input"].iter().any(|yes| value.eq_ignore_ascii_case(yes));
        Self { auto: yes }
    }
}

/// The conversion of line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    Kept,
    /// Converted if the file looks like text and its stored form has no CRLF.
    Guessed,
    Converted,
}

/// Returns the content as git would store it.
pub(super) fn normalize(
    content: Vec<u8>,
    path: &[u8],
    rules: &Rules,
    settings: Settings,
    repo: &Repository,
) -> Vec<u8> {
    let content = match rules.get(path, b"working-tree-encoding") {
        Some(State::Value(encoding)) => to_utf8(&content, encoding).unwrap_or(content),
        _ => content,
    };
    let content = match line_ends(path, rules, settings) {
        LineEnds::Kept => content,
        ends => without_crlf(content, ends == LineEnds::Guessed, || stored_with_crlf(path, repo)),
    };
    if rules.get(path, b"ident") == Some(&State::Set) { without_id(content) } else { content }
}

fn line_ends(path: &[u8], rules: &Rules, settings: Settings) -> LineEnds {
    let has_eol = match rules.get(path, b"eol") {
        Some(State::Value(value)) => value == b"lf" || value == b"crlf",
        _ => false,
    };
    // `crlf` is the old name of `text`.
    match rules.get(path, b"text").or_else(|| rules.get(path, b"crlf")) {
        Some(State::Unset) => LineEnds::Kept,
        Some(State::Value(value)) if value == b"auto" => LineEnds::Guessed,
        Some(State::Set) => LineEnds::Converted,
        Some(State::Value(value)) if value == b"input" => LineEnds::Converted,
        _ if has_eol => LineEnds::Converted,
        _ if settings.auto => LineEnds::Guessed,
        _ => LineEnds::Kept,
    }
}

fn without_crlf(content: Vec<u8>, guessed: bool, stored_with_crlf: impl FnOnce() -> bool) -> Vec<u8> {
    if memchr::memmem::find(&content, b"\r\n").is_none() {
        return content;
    }
    if guessed && (is_binary(&content) || stored_with_crlf()) {
        return content;
    }
    let mut out = Vec::with_capacity(content.len());
    let mut rest = &content[..];
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out
}

/// Returns whether git's heuristic for conversion treats the content as binary: a NUL, a lone CR, or too many control characters.
fn is_binary(content: &[u8]) -> bool {
    let (mut printable, mut others) = (0usize, 0usize);
    for (at, &byte) in content.iter().enumerate() {
        match byte {
            0 => return true,
            b'\r' if content.get(at + 1) != Some(&b'\n') => return true,
            b'\r' | b'\n' => {}
            0x08 | b'\t' | 0x1b | 0x0c | 0x20..=0x7e | 0x80.. => printable += 1,
            _ => others += 1,
        }
    }
    // A DOS end-of-file character at the end does not count.
    others -= usize::from(content.ends_with(&[0x1a]));
    printable >> 7 < others
}

fn stored_with_crlf(path: &[u8], repo: &Repository) -> bool {
    let find = || {
        let entry = repo.index().ok()?.get_path(&os_path(path)?, 0)?;
        let (size, _) = repo.odb().ok()?.read_header(entry.id).ok()?;
        if size as u64 > diffsan_bounded::MAX_FILE_BYTES {
            return None;
        }
        let blob = repo.find_blob(entry.id).ok()?;
        Some(memchr::memmem::find(blob.content(), b"\r\n").is_some() && !is_binary(blob.content()))
    };
    find().unwrap_or(false)
}

/// Replaces `$Id: … $` with `$Id$`.
fn without_id(content: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    let mut rest = &content[..];
    while let Some(at) = memchr::memmem::find(rest, b"$Id:") {
        let (before, found) = rest.split_at(at);
        out.extend_from_slice(before);
        let end = found[4..].iter().position(|&byte| byte == b'$' || byte == b'\n').map(|length| length + 4);
        match end.filter(|&end| found[end] == b'$') {
            Some(end) => {
                out.extend_from_slice(b"$Id$");
                rest = &found[end + 1..];
            }
            None => {
                out.extend_from_slice(b"$Id:");
                rest = &found[4..];
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Converts UTF-16 or Latin-1 to UTF-8. Returns `None` for other encodings and for invalid text.
fn to_utf8(content: &[u8], encoding: &[u8]) -> Option<Vec<u8>> {
    let encoding = encoding.to_ascii_uppercase();
    if matches!(&encoding[..], b"ISO-8859-1" | b"LATIN1" | b"ISO8859-1") {
        return Some(content.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes());
    }
    let (text, little) = match (&encoding[..], content) {
        (b"UTF-16LE", _) => (content, true),
        (b"UTF-16BE", _) => (content, false),
        (b"UTF-16" | b"UTF-16LE-BOM", [0xff, 0xfe, text @ ..]) => (text, true),
        (b"UTF-16", [0xfe, 0xff, text @ ..]) => (text, false),
        _ => return None,
    };
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let units: Vec<u16> = text.chunks_exact(2).map(unit).collect();
    (text.len() % 2 == 0).then(|| String::from_utf16(&units).ok()).flatten().map(String::into_bytes)
}
