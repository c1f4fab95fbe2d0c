//! Key blocks over several lines (PEM, PGP, PuTTY), also where a cut took their begin or end.

use std::sync::OnceLock;

use regex::bytes::Regex;

use super::engine::Span;

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "private-key";

#[allow(clippy::expect_used, reason = "constant patterns; a test uses them")]
fn pattern(cell: &'static OnceLock<Regex>, text: &str) -> &'static Regex {
    cell.get_or_init(|| Regex::new(text).expect("a constant pattern"))
}

fn begin() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    pattern(&CELL, r"-----BEGIN (?:[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d: ")
}

fn end() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    pattern(&CELL, r"-----END (?:[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----|Private-MAC: \S+")
}

/// A line that looks like the inside of a key block: base64, perhaps quoted or indented.
fn is_body(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    let inner = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)).count();
    inner >= 16 && text.len() - inner <= 6
}

/// Marks what stands between a begin and its end, or as far as it looks like a key where one of them is missing.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    let mut add = |start: usize, end: usize| {
        if start < end {
            spans.push(Span { start, end, rule: RULE.into() });
        }
    };
    let mut at = 0;
    while let Some(open) = begin().find_at(text, at) {
        let close = end().find_at(text, open.end());
        let next = begin().find_at(text, open.end()).map_or(text.len(), |next| next.start());
        match close.filter(|close| close.start() <= next) {
            Some(close) => {
                add(open.end(), close.start());
                at = close.end();
            }
            // The end was cut: as long as lines look like a key (headers and empty lines may stand between).
            None => {
                let stop = body_end(text, open.end());
                add(open.end(), stop);
                at = stop.max(open.end());
            }
        }
    }
    for close in end().find_iter(text) {
        let opened = begin().find_iter(&text[..close.start()]).last().map_or(0, |open| open.end());
        let closed = end().find_iter(&text[..close.start()]).last().map_or(0, |before| before.end());
        if opened <= closed {
            add(body_start(text, close.start(), closed), close.start());
        }
    }
}

/// Where a block begins that has not ended yet.
pub(super) fn open_block(text: &[u8]) -> Option<usize> {
    let open = begin().find_iter(text).last()?;
    end().find_at(text, open.end()).is_none().then(|| open.start())
}

fn body_end(text: &[u8], from: usize) -> usize {
    let mut stop = from;
    let mut at = from;
    for (index, line) in text[from..].split_inclusive(|&byte| byte == b'\n').enumerate() {
        let trimmed = line.trim_ascii();
        let header = trimmed.contains(&b':') && trimmed.len() < 80;
        at += line.len();
        if is_body(line) || trimmed.contains(&b'\\') && index == 0 {
            stop = at - usize::from(line.ends_with(b"\n"));
        } else if !(trimmed.is_empty() || header || index == 0) {
            break;
        }
    }
    stop
}

fn body_start(text: &[u8], end: usize, not_before: usize) -> usize {
    let mut start = end;
    let mut first = true;
    while start > not_before {
        let line_start = text[not_before..start - 1]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(not_before, |at| not_before + at + 1);
        let line = &text[line_start..start];
        // The line of the end itself may begin with an indent.
        if !(is_body(line) || first && line.trim_ascii().is_empty()) {
            break;
        }
        first = false;
        start = line_start;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        let mut spans = Vec::new();
        find(text.as_bytes(), &mut spans);
        let mut out = text.to_owned();
        spans.sort_by_key(|span| std::cmp::Reverse(span.start));
        for span in spans {
            out.replace_range(span.start..span.end, "*");
        }
        out
    }

    const BODY: &str = "MIIEpAIBAAKCAQEA7bqEXAMPLEkeybody0123456789\nabcdefEXAMPLEkeybody0123456789ABCDEFG==\n";

    #[test]
    fn blocks_are_masked_whole_and_where_they_are_cut() {
        let (open, close) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        assert_eq!(masked(&format!("a\n{open}\n{BODY}{close}\nb")), format!("a\n{open}*{close}\nb"));
        assert_eq!(masked(&format!("a\n{open}\n{BODY}")), format!("a\n{open}*\n"));
        assert_eq!(masked(&format!("fn main() {{}}\n{BODY}{close}\nb")), format!("fn main() {{}}\n*{close}\nb"));
        let public = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----";
        assert_eq!(masked(public), public);
    }
}
