//! Parses commit messages before a diff: mails of `git format-patch`, entries of `git log` and `git show`.

use super::lines::{Lines, trim};

/// Parses a mail's subject and text, if one starts here. Leaves the diff and its statistics to the caller.
pub(super) fn mail(lines: &mut Lines) -> Option<String> {
    let first = lines.peek()?.strip_prefix(b"From ")?;
    let id = first.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if !matches!(id, 40 | 64) || first.get(id) != Some(&b' ') {
        return None;
    }
    lines.skip();
    let mut subject = String::new();
    let mut in_subject = false;
    while let Some(line) = lines.peek().map(trim) {
        if line.is_empty() || starts_diff(line) {
            break;
        }
        let text = String::from_utf8_lossy(line);
        if let Some(rest) = text.strip_prefix("Subject: ") {
            subject = rest.to_owned();
            in_subject = true;
        } else if in_subject && text.starts_with([' ', '\t']) {
            subject.push_str(&text);
        } else {
            in_subject = false;
        }
        lines.skip();
    }
    let mut body = String::new();
    while let Some(line) = lines.peek().map(trim) {
        if line == b"---" || starts_diff(line) || line.starts_with(b"From ") && is_next_mail(line) {
            break;
        }
        body.push_str(&String::from_utf8_lossy(line));
        body.push('\n');
        lines.skip();
    }
    let subject = decode(without_tag(&subject));
    Some([subject.trim(), body.trim()].join("\n\n").trim().to_owned())
}

/// Parses an entry of `git log` or `git show`, if one starts here.
pub(super) fn log(lines: &mut Lines) -> Option<String> {
    let id = lines.peek()?.strip_prefix(b"commit ")?;
    let digits = id.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let author = (1..4).any(|skip| lines.peek_at(skip).is_some_and(|line| line.starts_with(b"Author: ")));
    if digits < 7 || !author {
        return None;
    }
    while lines.peek().is_some_and(|line| !trim(line).is_empty()) {
        lines.skip();
    }
    lines.skip();
    let mut body = String::new();
    while let Some(line) = lines.peek().map(trim) {
        match line.strip_prefix(b"    ") {
            Some(text) => body.push_str(&String::from_utf8_lossy(text)),
            None if line.is_empty() => {}
            None => break,
        }
        body.push('\n');
        lines.skip();
    }
    lines.newest_first = true;
    Some(body.trim().to_owned())
}

fn starts_diff(line: &[u8]) -> bool {
    line.starts_with(b"diff --git ") || line.starts_with(b"diff --cc ")
}

fn is_next_mail(line: &[u8]) -> bool {
    line.get(5..).is_some_and(|rest| rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 40)
}

/// Removes a tag such as `[PATCH 1/2]` from a subject.
fn without_tag(subject: &str) -> &str {
    match subject.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((tag, rest)) if tag.contains("PATCH") => rest.trim_start(),
        _ => subject,
    }
}

/// Decodes encoded words of a mail header (RFC 2047) that are UTF-8 in the `q` encoding, which git writes. Everything else stays unchanged.
fn decode(subject: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(subject.len());
    let mut rest = subject;
    let mut after_word = false;
    while let Some(start) = rest.find("=?") {
        let Some((word, end)) = encoded_word(&rest[start..]) else {
            out.extend_from_slice(&rest.as_bytes()[..start + 2]);
            rest = &rest[start + 2..];
            after_word = false;
            continue;
        };
        let between = &rest[..start];
        if !(after_word && between.trim().is_empty()) {
            out.extend_from_slice(between.as_bytes());
        }
        out.extend_from_slice(&word);
        rest = &rest[start + end..];
        after_word = true;
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// Decodes `=?UTF-8?q?…?=` at the start of `text`. Returns the bytes and the length of the encoded word.
fn encoded_word(text: &str) -> Option<(Vec<u8>, usize)> {
    const HEAD: usize = "=?UTF-8?q?".len();
    if !text.get(..HEAD)?.eq_ignore_ascii_case("=?UTF-8?q?") {
        return None;
    }
    let end = text[HEAD..].find("?=")? + HEAD;
    let mut out = Vec::new();
    let mut bytes = text.as_bytes()[HEAD..end].iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'_' => out.push(b' '),
            b'=' => {
                let digits = [*bytes.next()?, *bytes.next()?];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            plain => out.push(plain),
        }
    }
    Some((out, end + 2))
}
