//! Reads the values in a sentence: between quotes or bold letters, or bare words, and where their clauses end.

use super::line::mark_length;

/// The signs that open a value, and the signs that close it.
const QUOTES: &[(&str, &[&str])] = &[
    ("``", &["``"]),
    ("`", &["`"]),
    ("\"", &["\""]),
    ("'", &["'"]),
    ("“", &["”"]),
    ("„", &["“", "”"]),
    ("«", &["»"]),
    ("‘", &["’"]),
    ("‚", &["‘"]),
    ("<code>", &["</code>"]),
    ("<tt>", &["</tt>"]),
    ("<kbd>", &["</kbd>"]),
    ("<samp>", &["</samp>"]),
    ("<var>", &["</var>"]),
    ("\\texttt{", &["}"]),
    ("\\code{", &["}"]),
    ("\\verb|", &["|"]),
    ("\\verb+", &["+"]),
    ("\\verb!", &["!"]),
    ("\\lstinline|", &["|"]),
    ("\\lstinline{", &["}"]),
    ("=", &["="]),
    ("~", &["~"]),
    ("{{", &["}}"]),
];
const BOLD: &[(&str, &[&str])] = &[
    ("\\textbf{", &["}"]),
    ("\\emph{", &["}"]),
    ("\\textit{", &["}"]),
    ("<em>", &["</em>"]),
    ("<i>", &["</i>"]),
    ("**", &["**"]),
    ("__", &["__"]),
    ("<b>", &["</b>"]),
    ("<strong>", &["</strong>"]),
    ("*", &["*"]),
    ("_", &["_"]),
];

/// A value, and how it is set apart.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    /// The end of the value with its quotes, in the rest of the line.
    pub(super) end: usize,
    pub(super) apart: Apart,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    Quoted,
    Bold,
    Not,
}

/// Returns whether a value has letters, and digits or signs that no word has.
pub(super) fn is_made_up(text: &str) -> bool {
    let has_letter = text.chars().any(|char| char.is_alphabetic() && (char.is_lowercase() || !char.is_ascii()));
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let has_sign = text.contains(|char| "!#$%&*+?~^=@".contains(char));
    text.chars().count() > 5 && has_letter && (digits > 0 || has_sign) && !text.contains(['/', ',', '\\'])
}

/// Returns whether a value has capitals, small letters and digits, or signs and digits.
pub(super) fn is_odd(text: &str) -> bool {
    let has = |test: fn(char) -> bool| text.contains(test);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits > 1 && has(char::is_lowercase) && (has(char::is_uppercase) || has(|char| "!#$%&*+?~^@".contains(char)))
}

/// Returns the rest of the line behind a value.
fn behind<'a>(rest: &'a str, value: Value<'_>) -> &'a str {
    rest[value.end..].split(['\n', '\r']).next().unwrap_or_default()
}

/// Returns the length of the blanks at the start of a text.
/// In a sentence of several lines, the line ends and the marks of a comment count as blanks.
pub(super) fn blanks(text: &str) -> usize {
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t', '\u{a0}', '\u{202f}']).len();
    let mut at = blanks(text);
    while text[at..].starts_with(['\n', '\r']) {
        at += 1;
        at += blanks(&text[at..]);
        at += mark_length(&text[at..]);
        at += blanks(&text[at..]);
    }
    at
}

/// Returns the first word of a text.
pub(super) fn word(text: &str) -> Option<&str> {
    text.split_whitespace().next().filter(|word| text.starts_with(word))
}

/// Reads the value that begins behind blanks.
pub(super) fn value(rest: &str, at: usize) -> Option<Value<'_>> {
    let start = at + blanks(rest.get(at..)?);
    let text = &rest[start..];
    for (signs, apart) in [(BOLD, Apart::Bold), (QUOTES, Apart::Quoted)] {
        let Some((open, closings)) = signs.iter().find(|(open, _)| text.starts_with(open)) else { continue };
        let inner = &text[open.len()..];
        let (length, close) = closings.iter().filter_map(|close| Some((inner.find(close)?, close))).min()?;
        let end = start + open.len() + length + close.len();
        let inner = inner[..length].trim();
        // Bold letters around a backtick.
        let quoted = inner.strip_prefix('`').and_then(|inner| inner.strip_suffix('`'));
        let apart = if quoted.is_some() { Apart::Quoted } else { apart };
        return Some(Value { text: quoted.unwrap_or(inner), end, apart });
    }
    let token = word(text)?;
    let token = token.split("</").next().unwrap_or(token);
    let bare = token.trim_end_matches(['.', ',', ';', ')', '*']);
    Some(Value { text: bare, end: start + bare.len(), apart: Apart::Not })
}

/// Returns whether a line ends behind a value.
pub(super) fn ends_line(rest: &str, value: Value<'_>) -> bool {
    behind(rest, value).trim_matches([' ', '\t', '.', '*', '|']).is_empty()
}

/// Returns whether a clause ends behind a value.
pub(super) fn ends_clause(rest: &str, value: Value<'_>) -> bool {
    let after = behind(rest, value);
    let behind = after.trim_start();
    behind.is_empty()
        || after.starts_with(['.', ',', ';', ')', '!', '?'])
        || [
            "and ", "or ", "for ", "für ", "und ", "oder ", "et ", "y ", "e ", "en ", "i ", "och ", "og ", "if ",
            "wenn ", "si ", "se ", "(", "- ", "– ", "— ", "*/", "-->", "|", "</",
        ]
        .iter()
        .any(|next| behind.starts_with(next))
}
