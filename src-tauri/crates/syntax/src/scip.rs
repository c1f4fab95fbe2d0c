//! Reads an index in the format SCIP, which a compiler or language server has written, and answers from it where the text still agrees.
//!
//! In: the bytes of an index, and the texts of files. Out: definitions and occurrences of symbols. An index belongs to some state of the
//! files that it does not name, so each document is compared with the text before it is used: every definition must be at the name that
//! the index says, and every occurrence at a whole word. Only a few fields are read, so the reader is small and its own.

use std::collections::{BTreeMap, HashMap};

/// The maximum number of occurrences that are read.
const MAX_OCCURRENCES: usize = 20_000_000;

/// An index.
#[derive(Debug, Default)]
pub struct ScipIndex {
    documents: BTreeMap<String, Document>,
    symbols: Vec<String>,
    /// The documents with occurrences of each symbol.
    used_in: HashMap<u32, Vec<String>>,
}

#[derive(Debug, Default)]
struct Document {
    occurrences: Vec<Occurrence>,
    /// Columns count UTF-16 units, and not bytes.
    utf16: bool,
}

#[derive(Clone, Copy, Debug)]
struct Occurrence {
    /// From 0.
    line: u32,
    start: u32,
    end: u32,
    symbol: u32,
    defines: bool,
}

/// A place of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScipPlace {
    /// The path.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// Bytes before the name in its line.
    pub column: u32,
    /// The name.
    pub name: String,
    /// The place defines the symbol.
    pub defines: bool,
}

impl ScipIndex {
    /// Reads an index. Returns `None` if the bytes are not one.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut index = Self::default();
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut count = 0;
        for field in Fields(bytes) {
            let Field { number: 2, value: Value::Bytes(document) } = field? else { continue };
            let (path, document) = document_of(document, &mut ids)?;
            count += document.occurrences.len();
            if count > MAX_OCCURRENCES {
                return None;
            }
            for one in &document.occurrences {
                let paths = index.used_in.entry(one.symbol).or_default();
                if paths.last() != Some(&path) {
                    paths.push(path.clone());
                }
            }
            index.documents.insert(path, document);
        }
        index.symbols = vec![String::new(); ids.len()];
        for (symbol, id) in ids {
            index.symbols[id as usize] = symbol;
        }
        (!index.documents.is_empty()).then_some(index)
    }

    /// Returns whether the document of a path agrees with a text.
    pub fn agrees(&self, path: &str, text: &str) -> bool {
        let Some(document) = self.documents.get(path) else { return false };
        let lines: Vec<&str> = text.split('\n').collect();
        document.occurrences.iter().all(|one| {
            let Some(line) = lines.get(one.line as usize) else { return false };
            let (from, to) = (document.byte(line, one.start), document.byte(line, one.end));
            let (Some(name), Some(before), Some(after)) = (line.get(from..to), line.get(..from), line.get(to..)) else {
                return false;
            };
            let is_word = |char: char| char.is_alphanumeric() || char == '_';
            let splits =
                |one: Option<char>, other: Option<char>| one.is_some_and(is_word) && other.is_some_and(is_word);
            if splits(before.chars().last(), name.chars().next()) || splits(name.chars().last(), after.chars().next()) {
                return false;
            }
            match self.simple_name(one.symbol).filter(|_| one.defines) {
                Some(expected) => name.trim_matches(['"', '\'', '`', '#']) == expected || name.is_empty(),
                None => true,
            }
        })
    }

    /// Returns the name of a symbol if its definitions are written with it. A constructor and a local symbol have none.
    fn simple_name(&self, symbol: u32) -> Option<&str> {
        let text = self.symbols.get(symbol as usize)?;
        let text = text.strip_suffix("().").or_else(|| text.strip_suffix(['.', '#', '/', '!'])).unwrap_or(text);
        let name = text.rsplit(['.', '#', '/', ' ', '`', '(', ')', ':', '[', ']', '+']).next()?;
        let is_name = name.starts_with(|char: char| char.is_alphabetic() || char == '_')
            && name.chars().all(|char| char.is_alphanumeric() || char == '_');
        let made_up =
            name.starts_with("__") || name == "constructor" || self.symbols[symbol as usize].starts_with("local ");
        (is_name && !made_up).then_some(name)
    }

    /// Returns all places of the symbol at a place: `line` from 1, `column` in bytes. `text` returns the text of a file whose document agrees
    /// with it. Returns `None` if there is no symbol.
    pub fn places(
        &self,
        path: &str,
        line: u32,
        column: u32,
        text: impl Fn(&str) -> Option<String>,
    ) -> Option<Vec<ScipPlace>> {
        let document = self.documents.get(path)?;
        let here = text(path)?;
        let row = here.split('\n').nth((line as usize).checked_sub(1)?)?;
        let is_here = |one: &&Occurrence| {
            one.line + 1 == line
                && (document.byte(row, one.start)..document.byte(row, one.end)).contains(&(column as usize))
        };
        let symbol = document.occurrences.iter().find(is_here)?.symbol;
        let local = self.symbols.get(symbol as usize)?.starts_with("local ");
        let everywhere = self.used_in.get(&symbol)?;
        let paths: Vec<&String> = everywhere.iter().filter(|one| !local || *one == path).collect();
        let mut places = Vec::new();
        for path in paths {
            let (Some(document), Some(text)) = (self.documents.get(path), text(path)) else { continue };
            let lines: Vec<&str> = text.split('\n').collect();
            for one in document.occurrences.iter().filter(|one| one.symbol == symbol) {
                let line = lines.get(one.line as usize)?;
                let (from, to) = (document.byte(line, one.start), document.byte(line, one.end));
                places.push(ScipPlace {
                    path: path.clone(),
                    line: one.line + 1,
                    column: u32::try_from(from).ok()?,
                    name: line.get(from..to)?.to_owned(),
                    defines: one.defines,
                });
            }
        }
        places.sort();
        places.dedup();
        Some(places)
    }
}

impl Document {
    /// Converts a column to bytes.
    fn byte(&self, line: &str, column: u32) -> usize {
        if !self.utf16 || line.is_ascii() {
            return column as usize;
        }
        let mut units = 0;
        for (at, char) in line.char_indices() {
            if units >= column as usize {
                return at;
            }
            units += char.len_utf16();
        }
        line.len()
    }
}

fn document_of(bytes: &[u8], ids: &mut HashMap<String, u32>) -> Option<(String, Document)> {
    let (mut path, mut document) = (String::new(), Document { utf16: true, ..Document::default() });
    for field in Fields(bytes) {
        match field? {
            Field { number: 1, value: Value::Bytes(text) } => path = std::str::from_utf8(text).ok()?.to_owned(),
            Field { number: 2, value: Value::Bytes(one) } => document.occurrences.extend(occurrence_of(one, ids)?),
            // 1: bytes. Without an encoding, most writers count UTF-16 units.
            Field { number: 6, value: Value::Number(encoding) } => document.utf16 = encoding != 1,
            _ => {}
        }
    }
    Some((path, document))
}

/// Returns an occurrence, or an empty option for one without a symbol or over several lines.
fn occurrence_of(bytes: &[u8], ids: &mut HashMap<String, u32>) -> Option<Option<Occurrence>> {
    let (mut range, mut symbol, mut roles) = (Vec::new(), "", 0);
    for field in Fields(bytes) {
        match field? {
            Field { number: 1, value: Value::Bytes(packed) } => range = numbers(packed)?,
            Field { number: 1, value: Value::Number(one) } => range.push(u32::try_from(one).ok()?),
            Field { number: 2, value: Value::Bytes(text) } => symbol = std::str::from_utf8(text).ok()?,
            Field { number: 3, value: Value::Number(bits) } => roles = bits,
            _ => {}
        }
    }
    let (line, start, end) = match range[..] {
        [line, start, end] => (line, start, end),
        [line, start, last, end] if last == line => (line, start, end),
        _ => return Some(None),
    };
    if symbol.is_empty() {
        return Some(None);
    }
    let next = u32::try_from(ids.len()).ok()?;
    let symbol = *ids.entry(symbol.to_owned()).or_insert(next);
    Some(Some(Occurrence { line, start, end, symbol, defines: roles & 1 == 1 }))
}

fn numbers(mut bytes: &[u8]) -> Option<Vec<u32>> {
    let mut all = Vec::with_capacity(4);
    while !bytes.is_empty() {
        let (number, rest) = varint(bytes)?;
        all.push(u32::try_from(number).ok()?);
        bytes = rest;
    }
    Some(all)
}

/// The fields of a message of Protocol Buffers. Yields `None` for bytes that are not one, and ends there.
struct Fields<'a>(&'a [u8]);

struct Field<'a> {
    number: u64,
    value: Value<'a>,
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Skipped,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = field(self.0);
        self.0 = field.as_ref().map_or(&[], |(_, rest)| rest);
        Some(field.map(|(field, _)| field))
    }
}

fn field(bytes: &[u8]) -> Option<(Field<'_>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let (value, rest) = match tag & 7 {
        0 => varint(rest).map(|(number, rest)| (Value::Number(number), rest))?,
        1 => (Value::Skipped, rest.get(8..)?),
        2 => {
            let (length, rest) = varint(rest)?;
            let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Value::Bytes(value), rest)
        }
        5 => (Value::Skipped, rest.get(4..)?),
        _ => return None,
    };
    Some((Field { number: tag >> 3, value }, rest))
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(u32::try_from(7 * at).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("a short message");
        assert!(length < 128);
        [&[number << 3 | 2, length], content].concat()
    }

    fn occurrence(range: [u8; 3], symbol: &str, defines: bool) -> Vec<u8> {
        let roles: &[u8] = if defines { &[3 << 3, 1] } else { &[] };
        message(2, &[&message(1, &range)[..], &message(2, symbol.as_bytes()), roles].concat())
    }

    fn index() -> ScipIndex {
        let send = "p . . . `m`/send().";
        let one =
            [message(1, b"m.py"), occurrence([0, 4, 8], send, true), occurrence([1, 9, 10], "local 0", true)].concat();
        let two = [message(1, b"a.py"), occurrence([2, 0, 4], send, false)].concat();
        ScipIndex::read(&[message(2, &one), message(2, &two)].concat()).expect("an index")
    }

    fn text(path: &str) -> Option<String> {
        match path {
            "m.py" => Some("def send():\n    not_ x\n".to_owned()),
            "a.py" => Some("from m import send\n\nsend()\n".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn the_places_of_a_symbol_are_found_from_each_of_them() {
        let shown = |path: &str, line, column| {
            let found = index().places(path, line, column, text).unwrap_or_default();
            found
                .iter()
                .map(|one| format!("{}:{}:{} {}", one.path, one.line, one.column, one.defines))
                .collect::<Vec<_>>()
        };
        let both = ["a.py:3:0 false", "m.py:1:4 true"];
        assert_eq!(shown("a.py", 3, 2), both);
        assert_eq!(shown("m.py", 1, 4), both);
        assert!(shown("a.py", 1, 2).is_empty());
    }

    #[test]
    fn a_document_of_another_text_does_not_agree() {
        assert!(index().agrees("m.py", &text("m.py").expect("a text")));
        assert!(index().agrees("a.py", "from m import send\n\nsend()\n"));
        for other in ["def sent():\n        x\n", "\ndef send():\n        x\n", "def send2():\n        x\n", ""] {
            assert!(!index().agrees("m.py", other), "{other}");
        }
        assert!(!index().agrees("missing.py", ""));
    }

    #[test]
    fn bytes_that_are_no_index_are_refused() {
        for bytes in [&b""[..], b"text", &[0x12, 0xff], &[0xff; 12]] {
            assert!(ScipIndex::read(bytes).is_none(), "{bytes:?}");
        }
    }
}
