//! Removes marks around and inside of quoted code. Each function returns `None` if there is nothing to remove.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Removes characters that are not visible.
pub(crate) fn without_invisible(text: &str) -> Option<String> {
    let is_hidden = |char: char| matches!(char, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    text.contains(is_hidden).then(|| text.replace(is_hidden, ""))
}

/// Returns the content of a text that is one fenced block.
pub(crate) fn unfenced(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.trim().lines().collect();
    let (first, rest) = lines.split_first()?;
    let (last, middle) = rest.split_last()?;
    let mark = fence(first)?;
    let closes = last.trim().len() >= 3 && last.trim().chars().all(|char| mark.starts_with(char));
    (closes && !middle.is_empty()).then(|| middle.join("\n"))
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark))
}

/// Returns the content of a block of which only one fence is there, or which is on one line.
pub(super) fn half_fenced(text: &str) -> Option<String> {
    if let Some(inner) = text.trim().strip_prefix("```").and_then(|rest| rest.strip_suffix("```"))
        && !inner.contains('\n')
    {
        return Some(inner.to_owned());
    }
    let lines: Vec<&str> = text.trim().lines().collect();
    let (first, last) = (lines.first()?, lines.last()?);
    let is_open = fence(first).is_some_and(|mark| {
        let language = first.trim_start().trim_start_matches(&mark[..1]);
        language.chars().all(|char| char.is_alphanumeric() || "+#-_. ".contains(char))
    });
    match lines.len() {
        0 | 1 => None,
        _ if is_open => Some(lines[1..].join("\n")),
        count if fence(last).is_some_and(|mark| last.trim() == mark) => Some(lines[..count - 1].join("\n")),
        _ => None,
    }
}

pub(super) fn without_backticks(text: &str) -> Option<String> {
    let bare = |text: &str| {
        let text = text.trim();
        let inner = match text.strip_prefix("``").and_then(|rest| rest.strip_suffix("``")) {
            Some(inner) => inner.trim(),
            None => text.strip_prefix('`')?.strip_suffix('`')?,
        };
        (!inner.is_empty()).then(|| inner.to_owned())
    };
    let each = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(bare).collect::<Option<Vec<_>>>();
    let all = each(text).filter(|lines| lines.len() > 1).map(|lines| lines.join("\n"));
    all.or_else(|| bare(text))
}

pub(super) fn without_emphasis(text: &str) -> Option<String> {
    const MARKS: &[(&str, &str)] =
        &[("**", "**"), ("__", "__"), ("<code>", "</code>"), ("<pre>", "</pre>"), ("*", "*"), ("_", "_")];
    let text = text.trim();
    let inner = MARKS.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inner.filter(|inner| !inner.trim().is_empty()).map(str::to_owned)
}

pub(super) fn uncited(text: &str) -> Option<String> {
    let cited =
        |line: &str| line.trim_start().strip_prefix('>').map(|rest| rest.strip_prefix(' ').unwrap_or(rest).to_owned());
    let lines: Vec<String> = text.lines().map(cited).collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Removes quotation marks around the whole text.
pub(super) fn unquoted(text: &str) -> Option<String> {
    const MARKS: &[(char, char)] =
        &[('"', '"'), ('\'', '\''), ('\u{201c}', '\u{201d}'), ('\u{2018}', '\u{2019}'), ('\u{ab}', '\u{bb}')];
    let text = text.trim();
    let inner = MARKS.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.filter(|inner| !inner.is_empty()).map(str::to_owned)
}

/// Reads the escapes of a JSON string.
pub(super) fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let literal = text.replace('\r', "").replace('\n', "\\n").replace('\t', "\\t");
    let read = serde_json::from_str::<String>(&format!("\"{literal}\"")).ok();
    read.or_else(|| {
        let plain = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
        (plain != text).then_some(plain)
    })
}

static ENTITY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"&(?:#(\d{1,6})|#[xX]([0-9a-fA-F]{1,5})|(lt|gt|quot|apos|nbsp|amp));").ok());

pub(super) fn without_entities(text: &str) -> Option<String> {
    let plain = ENTITY.as_ref()?.replace_all(text, |found: &Captures<'_>| {
        let number = |group: usize, radix: u32| u32::from_str_radix(found.get(group)?.as_str(), radix).ok();
        let char = number(1, 10).or_else(|| number(2, 16)).and_then(char::from_u32);
        let named = || match found.get(3).map(|name| name.as_str()) {
            Some("lt") => '<',
            Some("gt") => '>',
            Some("quot") => '"',
            Some("apos") => '\'',
            Some("nbsp") => ' ',
            _ => '&',
        };
        char.unwrap_or_else(named).to_string()
    });
    (plain != text).then(|| plain.into_owned())
}

static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:(?://|#|--)\s*)?(?:(?:[Ii]n|[Ff]rom|[Aa]t|[Ff]ile)\s+)?(?:`?[\w./@+-]*[/.][\w./@+-]+`?(?:(?::L?\d+)+(?:-L?\d+)?|#L\d+(?:-L?\d+)?)?|[Ll]ines?\s+\d+(?:\s*[-\u{2013}]\s*\d+)?)\s*:?\s*$").ok()
});

/// Removes a first line that only names a file or a line number.
pub(super) fn without_label(text: &str) -> Option<String> {
    let (first, rest) = text.trim_start().split_once('\n')?;
    LABEL.as_ref()?.is_match(first).then(|| rest.to_owned())
}

static POINTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let underline = r"^\s*\d*\s*[|│]?\s*[\^~]{1,}[\^~\s-]*(?:\s.*)?$";
    let place = r"^\s*-->\s.*$|^\s*[|│]\s*$";
    let remark = r"\s*(?:(?://|#|--|/\*|<!--)\s*)?(?:<-{1,2}|←|⬅|<=)\s*(?:here|HERE|this|bug|problem|issue|!+)?\s*(?:\*/|-->)?\s*$";
    Regex::new(&format!("(?m){underline}|{place}|{remark}")).ok()
});

/// Removes arrows at the ends of lines, and lines that only point at another one.
pub(super) fn without_pointers(text: &str) -> Option<String> {
    let pointer = POINTER.as_ref()?;
    pointer.is_match(text).then(|| {
        let kept = text.lines().map(|line| (line, pointer.replace(line, "")));
        let kept = kept.filter(|(line, rest)| !rest.trim().is_empty() || line.trim().is_empty());
        kept.map(|(_, rest)| rest.into_owned()).collect::<Vec<_>>().join("\n")
    })
}

/// Returns the new and the old side of a text with diff signs. A side on which no line has a sign is a part of the other one.
pub(super) fn sides_of_hunk(text: &str) -> Vec<String> {
    let is_header = |line: &str| {
        ["@@", "\\", "diff --git ", "index ", "--- a/", "+++ b/", "--- /dev/null", "+++ /dev/null"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_header(line)).collect();
    if !lines.iter().all(|line| line.is_empty() || line.starts_with(['+', '-', ' '])) {
        return Vec::new();
    }
    let side = |own: char, other: char| {
        lines.iter().any(|line| line.starts_with(own)).then(|| {
            let kept = lines.iter().filter(|line| !line.starts_with(other));
            kept.map(|line| line.get(1..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
        })
    };
    [side('+', '-'), side('-', '+')].into_iter().flatten().collect()
}
