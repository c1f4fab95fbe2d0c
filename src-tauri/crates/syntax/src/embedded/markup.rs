//! Components of Vue and pages: their scripts, and the handlers of events in the attributes of pages.

use std::ops::Range;

use super::{Embedded, Format, Visible, find};
use crate::language::Language;

/// The start tag of an element, as places of the text.
pub(super) struct Tag {
    pub(super) name: Range<usize>,
    /// The names and values of the attributes, without quotes.
    pub(super) attributes: Vec<(Range<usize>, Range<usize>)>,
    /// The place after the tag.
    pub(super) end: usize,
}

impl Tag {
    /// Returns the tag that begins at a place.
    pub(super) fn at(text: &str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let word = |from: usize, ends: &[u8]| {
            let end = |byte: &u8| byte.is_ascii_whitespace() || ends.contains(byte);
            bytes[from..].iter().position(end).map_or(bytes.len(), |length| from + length)
        };
        let is_start = bytes.get(at) == Some(&b'<') && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        let name = is_start.then(|| at + 1..word(at + 1, b">/"))?;
        let mut tag = Self { attributes: Vec::new(), end: name.end, name };
        loop {
            let skipped = bytes[tag.end..].iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'/')?;
            let start = tag.end + skipped;
            if bytes[start] == b'>' {
                tag.end = start + 1;
                return Some(tag);
            }
            let name = start..word(start + 1, b"=>");
            let mut value = name.end..name.end;
            let next = bytes[name.end..].iter().position(|byte| !byte.is_ascii_whitespace())? + name.end;
            tag.end = name.end;
            if bytes[next] == b'=' {
                let first = bytes[next + 1..].iter().position(|byte| !byte.is_ascii_whitespace())? + next + 1;
                if matches!(bytes[first], b'"' | b'\'') {
                    let end = memchr::memchr(bytes[first], &bytes[first + 1..])? + first + 1;
                    value = first + 1..end;
                    tag.end = end + 1;
                } else {
                    value = first..word(first, b">");
                    tag.end = value.end;
                }
            }
            tag.attributes.push((name, value));
        }
    }

    /// Returns the value of an attribute.
    pub(super) fn attribute<'a>(&self, text: &'a str, name: &str) -> Option<&'a str> {
        self.place(text, name).map(|value| &text[value])
    }

    fn place(&self, text: &str, name: &str) -> Option<Range<usize>> {
        let is_it = |one: &&(Range<usize>, Range<usize>)| text[one.0.clone()].eq_ignore_ascii_case(name);
        self.attributes.iter().find(is_it).map(|(_, value)| value.clone())
    }
}

/// The content of a script element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Code(Language),
    Data,
    /// Code of another language.
    Other,
}

fn script(text: &str, tag: &Tag) -> Script {
    let kind = tag.attribute(text, "type").unwrap_or_default().to_ascii_lowercase();
    let dialect = tag.attribute(text, "lang").unwrap_or(kind.rsplit('/').next().unwrap_or_default());
    let data = ["json", "map", "template", "rules", "html", "tmpl", "handlebars", "mustache", "plain"];
    match dialect.to_ascii_lowercase().as_str() {
        "tsx" | "jsx" | "babel" => Script::Code(Language::Tsx),
        "" | "module" | "ts" | "js" | "javascript" | "typescript" | "ecmascript" => Script::Code(Language::TypeScript),
        _ if data.iter().any(|end| kind.ends_with(end)) => Script::Data,
        _ => Script::Other,
    }
}

/// An element with a script.
pub(super) struct ScriptElement {
    tag: Tag,
    content: Script,
    /// The place of the code.
    pub(super) code: Range<usize>,
    /// The place after the element.
    pub(super) end: usize,
}

impl ScriptElement {
    /// Returns the script that begins at a place, if one does.
    pub(super) fn at(text: &str, at: usize) -> Option<Self> {
        let is_script = text.as_bytes().get(at + 1..at + 7).is_some_and(|name| name.eq_ignore_ascii_case(b"script"));
        let tag = is_script.then(|| Tag::at(text, at)).flatten().filter(|tag| tag.name.len() == 6)?;
        let bytes = text.as_bytes();
        let close = memchr::memmem::find_iter(&bytes[tag.end..], b"</").map(|close| tag.end + close);
        let is_end =
            |close: &usize| bytes.get(close + 2..close + 8).is_some_and(|name| name.eq_ignore_ascii_case(b"script"));
        let close = close.into_iter().find(is_end).unwrap_or(text.len());
        let end = find(text, close, ">").map_or(text.len(), |end| end + 1);
        Some(Self { content: script(text, &tag), code: tag.end..close, tag, end })
    }

    /// Returns the text of the element.
    pub(super) fn text(&self, text: &str) -> String {
        text[self.tag.name.start..self.code.end].to_owned()
    }

    /// Returns whether the element has code that is not in this text, or that no reader of scripts reads.
    pub(super) fn is_unread(&self, text: &str) -> bool {
        let source = self.tag.attribute(text, "src").unwrap_or_default();
        let is_remote = source.starts_with("//") || source.contains("://");
        self.content == Script::Other || self.content != Script::Data && is_remote
    }

    /// Returns whether the element has code of a script, inside or in another file.
    pub(super) fn is_script(&self, text: &str) -> bool {
        self.content != Script::Data && (!text[self.code.clone()].trim().is_empty() || self.is_unread(text))
    }

    /// Shows the script, or an import of the file that it is in.
    pub(super) fn show(&self, visible: &mut Visible<'_>) -> Option<Language> {
        let Script::Code(language) = self.content else { return None };
        visible.show(self.code.clone());
        if let Some(close) = self.code.end.checked_sub(1) {
            // The end of a script ends its last statement.
            visible.put(close + 1, ";");
        }
        let text = visible.text;
        if let Some(source) = self.tag.place(text, "src") {
            let path = &text[source.clone()];
            let is_near =
                !path.is_empty() && !path.starts_with('/') && !path.contains(':') && !path.contains(['{', '<']);
            let is_quoted = text.as_bytes().get(source.end).is_some_and(|end| matches!(end, b'"' | b'\''));
            if is_near && is_quoted && source.start >= self.tag.name.end + 4 {
                visible.put(self.tag.name.start - 1, ";import");
                visible.show(source.clone());
                let dot = if path.starts_with('.') { "  \"" } else { "\"./" };
                visible.put(source.start - 3, dot);
                visible.put(source.end, "\"");
            }
        }
        Some(language)
    }
}

/// Returns the place after a comment that begins at a place.
pub(super) fn comment(text: &str, at: usize) -> Option<usize> {
    text[at..].starts_with("<!--").then(|| find(text, at + 4, "-->").map_or(text.len(), |end| end + 3))
}

pub(super) fn code(format: Format, text: &str) -> Embedded {
    let mut visible = Visible::new(text);
    let mut language = format.language();
    let mut other_code = Vec::new();
    let mut at = 0;
    while let Some(start) = find(text, at, "<") {
        at = start + 1;
        if let Some(end) = comment(text, start) {
            at = end;
        } else if let Some(element) = ScriptElement::at(text, start) {
            other_code.extend(element.is_unread(text).then(|| element.text(text)));
            if let Some(Language::Tsx) = element.show(&mut visible) {
                language = Language::Tsx;
            }
            at = element.end;
        } else if matches!(format, Format::Html | Format::Engine)
            && let Some(tag) = Tag::at(text, start)
        {
            for (_, value) in tag.attributes.iter().filter(|(name, _)| is_handler(&text[name.clone()])) {
                visible.show(value.clone());
                visible.put(value.start - 1, ";");
                visible.put(value.end, ";");
            }
            at = tag.end;
        }
    }
    Embedded::new(language, visible.finish(), other_code)
}

/// Returns whether an attribute is a handler of an event, such as `onclick`.
pub(super) fn is_handler(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.len() > 4 && name.starts_with("on") && name.bytes().all(|byte| byte.is_ascii_lowercase())
}
