//! Reads XML as a sequence of elements and texts. No entity but the five predefined ones is resolved, no DTD is read.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::report::{MAX_DETAILS_BYTES, ReportError};

/// The maximum depth of elements.
const MAX_DEPTH: usize = 200;
/// The maximum number of attributes of an element. More are ignored.
const MAX_ATTRIBUTES: usize = 100;

pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().to_owned()
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.get(name)?.trim().parse().ok()
    }
}

pub(crate) enum Node {
    Start(Element),
    End(String),
    /// A part of the text of an element.
    Text(String),
}

pub(crate) struct XmlReader<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
}

impl<'a> XmlReader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, depth: 0 }
    }

    /// Returns the next node, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Node>, ReportError> {
        loop {
            let event = self.reader.read_event().map_err(|error| invalid(&error))?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(ReportError::TooMuch(format!("{MAX_DEPTH} nested elements")));
                    }
                    Node::Start(element(&start))
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::End(end.local_name().as_ref().to_owned())
                }
                Event::Text(text) => Node::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Node::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => Node::Text(resolved(&reference)),
                Event::Eof if self.depth > 0 => {
                    return Err(ReportError::Invalid { format: "XML", reason: "it ends inside an element".to_owned() });
                }
                Event::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }
}

fn invalid(error: &quick_xml::Error) -> ReportError {
    ReportError::Invalid { format: "XML", reason: error.to_string() }
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut attributes = Vec::new();
    for attribute in start.attributes().with_checks(false).take(MAX_ATTRIBUTES).flatten() {
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.unwrap_or_else(|_| attribute.value.clone());
        let value = super::report::shortened(&value, MAX_DETAILS_BYTES);
        attributes.push((attribute.key.local_name().as_ref().to_owned(), value));
    }
    Element { name: start.local_name().as_ref().to_owned(), attributes }
}

/// Returns the character of a reference. A reference that is not predefined stays as it is written.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return char.to_string();
    }
    let name = reference.xml10_content();
    resolve_predefined_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
}
