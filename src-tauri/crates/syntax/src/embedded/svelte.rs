//! Components of Svelte: their scripts, and the expressions of their markup.

use std::ops::Range;

use super::markup::{ScriptElement, comment};
use super::{Embedded, Format, Visible, closing, find};
use crate::language::Language;

pub(super) fn code(text: &str) -> Embedded {
    let mut visible = Visible::new(text);
    let mut language = Format::Svelte.language();
    let mut other_code = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr2(b'<', b'{', &text.as_bytes()[at..]).map(|found| at + found) {
        at = start + 1;
        if text.as_bytes()[start] == b'{' {
            if let Some(end) = closing(text, start + 1, b'{', b'}') {
                block(&mut visible, start..end + 1);
                at = end + 1;
            }
        } else if let Some(end) = comment(text, start) {
            at = end;
        } else if let Some(element) = ScriptElement::at(text, start) {
            other_code.extend(element.is_unread(text).then(|| element.text(text)));
            if let Some(Language::Tsx) = element.show(&mut visible) {
                language = Language::Tsx;
            }
            at = element.end;
        } else if text[start..].starts_with("<style") {
            at = find(text, start, "</style").unwrap_or(text.len());
        }
    }
    Embedded::new(language, visible.finish(), other_code)
}

/// Shows the code of an expression or of the head of a block, with its braces.
fn block(visible: &mut Visible<'_>, range: Range<usize>) {
    let inside = range.start + 1..range.end - 1;
    let text = &visible.text[inside.clone()];
    let head = text.split(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    let rest = inside.start + head.len()..inside.end;
    match head {
        "#each" => return each(visible, range, rest),
        "#snippet" => {
            visible.show(inside);
            visible.put(range.start, ";function ");
            return visible.put(range.end - 1, "{");
        }
        "/snippet" => return visible.put(range.start, "}"),
        "#await" | ":then" | ":catch" => return awaited(visible, range, rest, head),
        "@const" => {
            visible.show(rest);
            visible.put(inside.start, "   var");
        }
        ":else" => {
            let condition = text[head.len()..].trim_start().strip_prefix("if").map_or(0, str::len);
            visible.show(inside.end - condition..inside.end);
        }
        _ if head.starts_with(['#', '@', '/', ':']) => visible.show(rest),
        // `{...props}`
        _ if text.trim_start().starts_with("...") => {
            let start = inside.end - text.trim_start().len() + 3;
            visible.show(start..inside.end);
        }
        _ => visible.show(inside),
    }
    // A block of braces would be a statement.
    let is_object = text.trim_start().starts_with('{');
    visible.put(range.start, if is_object { "!" } else { ";" });
    visible.put(range.end - 1, ";");
}

/// Shows `{#each list as item, index (key)}` as the list, the declared names and the key.
fn each(visible: &mut Visible<'_>, range: Range<usize>, rest: Range<usize>) {
    let text = &visible.text[rest];
    let (list, names) = match text.rfind(" as ") {
        Some(at) => (text[..at].trim(), text[at + 4..].trim()),
        None => (text.trim(), ""),
    };
    let (names, key) = match names.strip_suffix(')').and_then(|names| names.rsplit_once(" (")) {
        Some((names, key)) => (names.trim(), key),
        None => (names, ""),
    };
    let names = if names.is_empty() { String::new() } else { format!("var {names};") };
    for code in [format!("{list};{names}({key});"), format!("{list};{names}")] {
        if code.len() <= range.len() && !(key.is_empty() && code.ends_with("();")) {
            return visible.replace(range, &code);
        }
    }
}

/// Shows `{#await promise then value}` and its later parts as the promise and the declared name.
fn awaited(visible: &mut Visible<'_>, range: Range<usize>, rest: Range<usize>, head: &str) {
    let text = visible.text[rest].trim();
    let parts = [" then ", " catch "].iter().find_map(|word| text.split_once(word));
    let (promise, name) = if head == "#await" { parts.unwrap_or((text, "")) } else { ("", text) };
    let name = if name.is_empty() { String::new() } else { format!("var {name};") };
    visible.replace(range, &format!("{promise};{name}"));
}
