//! Templates: the Ruby of ERB, and the PHP of Laravel's Blade.

use std::ops::Range;

use super::markup::{ScriptElement, Tag, comment, is_handler};
use super::{Embedded, Visible, closing, find};
use crate::language::Language;

/// The tag that begins code of PHP.
const PHP_TAG: &str = "<?php ";

/// Rules of style sheets, which look like directives.
const STYLE_RULES: &[&str] = &[
    "charset",
    "container",
    "counter",
    "font",
    "import",
    "keyframes",
    "layer",
    "media",
    "namespace",
    "page",
    "property",
    "supports",
];

pub(super) fn erb(path: &str, text: &str) -> Embedded {
    let mut visible = Visible::new(text);
    let mut at = 0;
    while let Some(start) = find(text, at, "<%") {
        let bytes = text.as_bytes();
        // `<%%` is the text `<%`.
        if bytes.get(start + 2) == Some(&b'%') {
            at = start + 3;
            continue;
        }
        let end = find(text, start + 2, "%>").unwrap_or(text.len());
        let marks = bytes[start + 2..end].iter().take_while(|byte| matches!(byte, b'=' | b'-')).count();
        let code = start + 2 + marks..if bytes[end - 1] == b'-' { end - 1 } else { end };
        if code.start < code.end && !text[code.clone()].trim_start().starts_with('#') {
            visible.show(code);
            visible.put(end, " ;");
        }
        at = end + 2;
    }
    let inner = path.rsplit_once('.').map_or("", |(inner, _)| inner);
    let is_program = Language::of(inner).is_some() || inner.ends_with(".sh");
    let other_code = match is_program || text.contains("javascript_tag") {
        true => vec![text.to_owned()],
        false => scripts(text),
    };
    Embedded::new(Language::Ruby, visible.finish(), other_code)
}

/// Returns the scripts and handlers of events in the markup of a template.
fn scripts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = find(text, at, "<") {
        at = start + 1;
        if let Some(end) = comment(text, start) {
            at = end;
        } else if let Some(element) = ScriptElement::at(text, start) {
            found.extend(element.is_script(text).then(|| element.text(text)));
            at = element.end;
        } else if let Some(tag) = Tag::at(text, start) {
            let handlers = tag.attributes.into_iter().map(|(name, value)| (&text[name], &text[value]));
            let handlers = handlers.filter(|(name, value)| !value.is_empty() && is_handler(name));
            found.extend(handlers.map(|(_, value)| value.to_owned()));
        }
    }
    found
}

pub(super) fn blade(text: &str) -> Embedded {
    let mut visible = Visible::new(text);
    let mut at = 0;
    while let Some(start) = memchr::memchr3(b'{', b'@', b'<', &text.as_bytes()[at..]).map(|found| at + found) {
        at = blade_code(&mut visible, start).max(start + 1);
    }
    let mut code = visible.finish();
    let is_free =
        code.as_bytes().get(..PHP_TAG.len()).is_some_and(|start| start.iter().all(|byte| matches!(byte, b' ' | b';')));
    code.replace_range(..if is_free { PHP_TAG.len() } else { 0 }, PHP_TAG);
    Embedded::new(Language::Php, code, scripts(text))
}

/// Shows the code that begins at a place, and returns the place after it, or the place itself.
fn blade_code(visible: &mut Visible<'_>, start: usize) -> usize {
    let text = visible.text;
    let rest = &text[start..];
    let until = |open: &str, close: &str| {
        let from = start + open.len();
        let end = find(text, from, close).unwrap_or(text.len());
        (from..end, (end + close.len()).min(text.len()))
    };
    for (open, close) in [("{{--", "--}}"), ("@{{", "}}"), ("@{!!", "!!}"), ("@verbatim", "@endverbatim")] {
        if rest.starts_with(open) {
            return until(open, close).1;
        }
    }
    for (open, close) in [("{{{", "}}}"), ("{{", "}}"), ("{!!", "!!}"), ("<?php", "?>"), ("<?=", "?>")] {
        if rest.starts_with(open) {
            let (code, end) = until(open, close);
            statement(visible, start, code);
            return end;
        }
    }
    if rest.starts_with("@php") && !rest[4..].trim_start().starts_with('(') {
        let (code, end) = until("@php", "@endphp");
        statement(visible, start, code);
        return end;
    }
    if rest.starts_with('<') {
        return component(visible, start);
    }
    directive(visible, start)
}

/// Shows a statement, and separates it from the code before and after it.
fn statement(visible: &mut Visible<'_>, start: usize, code: Range<usize>) {
    visible.show(code.clone());
    visible.put(start, ";");
    visible.put(code.end, ";");
}

/// Shows the arguments of a directive, such as `@include('menu', ['items' => items()])`.
fn directive(visible: &mut Visible<'_>, start: usize) -> usize {
    let text = visible.text;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = start.checked_sub(1).map(|before| text.as_bytes()[before]);
    let length = text.as_bytes()[start + 1..].iter().take_while(|byte| is_word(byte)).count();
    let name = &text[start + 1..start + 1 + length];
    let after = start + 1 + length;
    let spaces = text[after..].len() - text[after..].trim_start_matches(' ').len();
    let open = after + spaces;
    // `@@if` and the address of a person are text.
    let is_text = before.is_some_and(|before| before == b'@' || is_word(&before));
    if name.is_empty() || is_text || STYLE_RULES.contains(&name) || text.as_bytes().get(open) != Some(&b'(') {
        return after;
    }
    let Some(close) = closing(text, open + 1, b'(', b')') else { return after };
    visible.show(open + 1..close);
    visible.put(start, ";");
    match name {
        "foreach" | "forelse" => {
            visible.put(start + 1, "foreach");
            visible.put(open, "(");
            visible.put(close, ")");
        }
        "for" => {
            visible.put(start + 1, "for");
            visible.put(open, "(");
            visible.put(close, ")");
        }
        // The arguments become a list.
        _ => {
            visible.put(open, "[");
            visible.put(close, "]");
        }
    }
    close + 1
}

/// Shows the expressions that are given to a component: `<x-alert :type="$type">`.
fn component(visible: &mut Visible<'_>, start: usize) -> usize {
    let text = visible.text;
    let is_component = ["<x-", "<livewire:"].iter().any(|open| text[start..].starts_with(open));
    let Some(tag) = is_component.then(|| Tag::at(text, start)).flatten() else { return start };
    for (name, value) in tag.attributes {
        let name = &text[name];
        if name.starts_with(':') && !name.starts_with("::") && !value.is_empty() {
            visible.show(value.clone());
            visible.put(value.start - 1, ";");
            visible.put(value.end, ";");
        }
    }
    // Other attributes can contain code in braces.
    start
}
