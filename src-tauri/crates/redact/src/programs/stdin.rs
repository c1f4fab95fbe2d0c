//! Finds what is written into the standard input of a command: `echo … | passwd`, `chpasswd <<< "…"`, `chpasswd <<EOF`.

use super::super::cursor::line_start;
use super::{Range, bare, words};

/// The commands that write their arguments.
const WRITERS: &[&[u8]] = &[b"echo ", b"printf ", b"Write-Output "];
/// The maximum number of lines of a text behind a command.
const MAX_LINES: usize = 16;

/// Returns the parts of the text that is written into the command at `start`, whose arguments begin at `from`.
pub(super) fn written(text: &[u8], start: usize, from: usize) -> Vec<Range> {
    let piped = piped(text, start);
    if piped.is_empty() { redirected(text, from) } else { piped }
}

/// Returns what `echo` or `printf` writes into a pipe.
fn piped(text: &[u8], start: usize) -> Vec<Range> {
    let line = line_start(text, start);
    let before = text[line..start].trim_ascii_end();
    let before = before.strip_suffix(b"sudo").unwrap_or(before).trim_ascii_end();
    let Some(before) = before.strip_suffix(b"|").map(<[u8]>::trim_ascii_end) else { return Vec::new() };
    let mut found = Vec::new();
    // PowerShell: `"…" | ConvertTo-SecureString`.
    if let Some((quote @ (b'"' | b'\''), inside)) = before.split_last()
        && !WRITERS.iter().any(|name| memchr::memmem::find(before, name).is_some())
        && let Some(open) = memchr::memrchr(*quote, inside)
    {
        return vec![(line + open + 1, line + inside.len())];
    }
    // `(echo …; echo …) | passwd`: several commands write.
    let grouped = before.ends_with(b")") || before.ends_with(b"}");
    let mut end = before.len();
    while let Some((name, at)) = WRITERS
        .iter()
        .filter_map(|name| memchr::memmem::rfind(&before[..end], name).map(|at| (name, at)))
        .max_by_key(|(_, at)| *at)
    {
        let arguments = words(&text[..line + end], line + at + name.len(), None);
        let mut arguments: Vec<Range> = arguments.into_iter().filter(|&(from, _)| text[from] != b'-').collect();
        // The first argument of `printf` is a format if it has a verb.
        if arguments.len() > 1 && text[arguments[0].0..arguments[0].1].contains(&b'%') {
            arguments.remove(0);
        } else if let Some(last) = arguments.pop() {
            arguments = vec![last];
        }
        arguments.into_iter().for_each(|range| lines(text, range, &mut found));
        end = at;
        if !grouped {
            break;
        }
    }
    found
}

/// Adds the lines of a string, which are separated by `\\n`.
fn lines(text: &[u8], (from, to): Range, found: &mut Vec<Range>) {
    let mut at = from;
    while at < to {
        let length = memchr::memmem::find(&text[at..to], b"\\n").unwrap_or(to - at);
        if length > 0 {
            found.push((at, at + length));
        }
        at += length + 2;
    }
}

/// Returns the string or the lines behind `<<<` or `<<EOF`.
fn redirected(text: &[u8], from: usize) -> Vec<Range> {
    let line_end = memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |end| from + end);
    let line = &text[from..line_end.min(from + 400)];
    let Some(at) = memchr::memmem::find(line, b"<<") else { return Vec::new() };
    let behind = &line[at..];
    if let Some(rest) = behind.strip_prefix(b"<<<") {
        let value = rest.trim_ascii_start();
        let begun = from + line.len() - value.len();
        return words(text, begun, None).first().map(|&(from, to)| bare(text, from, to)).into_iter().collect();
    }
    let mark = behind[2..].trim_ascii_start();
    let mark = &mark[mark.iter().take_while(|byte| b"-~'\"".contains(byte)).count()..];
    let mark = &mark[..mark.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()];
    let mut found = Vec::new();
    for line in text.get(line_end + 1..).unwrap_or_default().split(|byte| *byte == b'\n').take(MAX_LINES) {
        let body = line.strip_prefix(b"+").unwrap_or(line).trim_ascii();
        if mark.is_empty() || body == mark {
            return found;
        }
        if !body.is_empty() {
            let start = body.as_ptr() as usize - text.as_ptr() as usize;
            found.push((start, start + body.len()));
        }
    }
    Vec::new()
}
