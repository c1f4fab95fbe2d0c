//! A document of YAML with the lines of its values. Aliases share the value of their anchor.

use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, Span};

use super::shell::Lines;

/// The maximum number of values in a file.
const MAX_VALUES: usize = 200_000;

/// A value, and the line where it begins.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) line: u32,
    /// The suffix of the tag: `reference` for `!reference`.
    pub(crate) tag: Option<String>,
    pub(crate) content: Content,
}

/// The content of a value.
#[derive(Debug)]
pub(crate) enum Content {
    /// A text, and whether its lines are those of the file.
    Scalar(String, bool),
    List(Vec<Rc<Value>>),
    /// The keys with their values, in order.
    Map(Vec<(String, Rc<Value>)>),
}

/// A collection that is not closed yet.
struct Open {
    line: u32,
    tag: Option<String>,
    anchor: usize,
    items: Vec<Rc<Value>>,
    is_map: bool,
}

/// Returns the documents of a text, or `None` if an error hides a part of it.
pub(crate) fn parse(text: &str) -> Option<Vec<Rc<Value>>> {
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: HashMap<usize, Rc<Value>> = HashMap::new();
    let mut count = 0;
    let line = |span: &Span| u32::try_from(span.start.line()).unwrap_or(u32::MAX);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let tag = event.tag().map(|tag| tag.parts().1.to_owned());
        let (value, anchor) = match event {
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                let is_map = matches!(event, Event::MappingStart(..));
                open.push(Open { line: line(&span), tag, anchor, items: Vec::new(), is_map });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { line, tag, anchor, items, is_map } = open.pop()?;
                let content = if is_map { Content::Map(pairs(items)) } else { Content::List(items) };
                (Rc::new(Value { line, tag, content }), anchor)
            }
            Event::Scalar(text, style, anchor, _) => {
                let (line, keeps_lines) = match style {
                    ScalarStyle::Literal => (line(&span), true),
                    _ => (line(&span), false),
                };
                (Rc::new(Value { line, tag, content: Content::Scalar(text.into_owned(), keeps_lines) }), anchor)
            }
            Event::Alias(anchor) => (Rc::clone(anchors.get(&anchor)?), 0),
            _ => continue,
        };
        count += 1;
        if count > MAX_VALUES {
            return None;
        }
        if anchor != 0 {
            anchors.insert(anchor, Rc::clone(&value));
        }
        match open.last_mut() {
            Some(parent) => parent.items.push(value),
            None => documents.push(value),
        }
    }
    Some(documents)
}

/// Returns the pairs of a map. A key that is no text cannot name anything.
fn pairs(items: Vec<Rc<Value>>) -> Vec<(String, Rc<Value>)> {
    let mut items = items.into_iter();
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key.text().unwrap_or_default().to_owned(), value));
    }
    pairs
}

impl Value {
    /// Returns the text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// Returns the lines of a text in the file.
    pub(crate) fn lines(&self) -> Lines {
        match self.content {
            Content::Scalar(_, true) => Lines::From(self.line),
            _ => Lines::At(self.line),
        }
    }

    /// Returns the items of a list.
    pub(crate) fn items(&self) -> &[Rc<Self>] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the pairs of a map.
    pub(crate) fn pairs(&self) -> &[(String, Rc<Self>)] {
        match &self.content {
            Content::Map(pairs) => pairs,
            _ => &[],
        }
    }

    /// Returns the value of a key, also one of a map that the map merges.
    pub(crate) fn get(&self, key: &str) -> Option<&Rc<Self>> {
        self.own(key).or_else(|| {
            let merged = self.pairs().iter().filter(|(key, _)| key == "<<").map(|(_, value)| value);
            let mut merged = merged
                .flat_map(|value| if value.items().is_empty() { std::slice::from_ref(value) } else { value.items() });
            merged.find_map(|map| map.own(key))
        })
    }

    fn own(&self, key: &str) -> Option<&Rc<Self>> {
        self.pairs().iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}
