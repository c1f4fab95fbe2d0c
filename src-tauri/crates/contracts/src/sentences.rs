//! Splits the text of a contract into sentences, and remembers which list and which heading each stands under.
//!
//! In: Markdown or plain text. Out: sentences with their lines. What a sentence says is `statements`' business.

use crate::statements::{Lead, is_statement};

/// A sentence of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// The line on which it begins, from 1.
    pub(crate) line: u32,
    /// The text, on one line.
    pub(crate) text: String,
    /// The meaning of the heading or the sentence before a list for it.
    pub(crate) lead: Lead,
}

/// Words with a full stop that do not end a sentence.
const ABBREVIATIONS: &[&str] = &["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "incl.", "resp."];

/// Returns the sentences of a text. `base` is what is said about all of them. In a contract as such, each line begins a sentence unless it is
/// indented below the one before.
pub(crate) fn sentences(first: u32, text: &str, base: Lead) -> Vec<Sentence> {
    let mut reader = Reader {
        found: Vec::new(),
        block: Vec::new(),
        is_item: false,
        indent: 0,
        base,
        heading: base,
        list: Lead::None,
    };
    let (mut in_comment, mut in_fence) = (false, false);
    for (line, whole) in (first..).zip(text.lines()) {
        let content = whole.trim().trim_start_matches(['>', ' ']);
        let indent = whole.len() - whole.trim_start().len();
        if in_comment || content.starts_with("<!--") {
            in_comment = !content.contains("-->");
            continue;
        }
        if content.starts_with("```") || content.starts_with("~~~") {
            reader.end_block();
            in_fence = !in_fence && base == Lead::None;
        } else if in_fence {
            // An example.
        } else if content.is_empty() {
            reader.end_block();
        } else if let Some(heading) = content.strip_prefix('#') {
            reader.end_block();
            reader.set_heading(heading.trim_start_matches('#'));
        } else if content.chars().all(|char| matches!(char, '=' | '-' | '|' | ':' | ' ' | '*' | '_')) {
            // The underline of a heading, or a rule.
            if let ([(_, heading)], true) = (reader.block.as_slice(), content.starts_with(['=', '-'])) {
                let heading = heading.clone();
                reader.block.clear();
                reader.set_heading(&heading);
            }
            reader.end_block();
        } else if content.starts_with('|') {
            reader.end_block();
            for cell in content.split('|').map(str::trim).filter(|cell| !cell.is_empty()) {
                reader.block.push((line, cell.to_owned()));
                reader.is_item = true;
                reader.end_block();
            }
        } else if let Some(item) = list_item(content) {
            reader.end_block();
            reader.is_item = true;
            reader.indent = indent;
            reader.block.push((line, item.to_owned()));
        } else {
            if !reader.continues(content, indent) {
                reader.end_block();
            }
            if reader.block.is_empty() {
                reader.indent = indent;
            }
            reader.block.push((line, content.to_owned()));
        }
    }
    reader.end_block();
    reader.found
}

struct Reader {
    found: Vec<Sentence>,
    /// The lines of the current paragraph or list item.
    block: Vec<(u32, String)>,
    is_item: bool,
    /// The indentation of its first line.
    indent: usize,
    base: Lead,
    heading: Lead,
    /// The meaning of the sentence before a list for its items.
    list: Lead,
}

impl Reader {
    /// Returns whether a line continues the current paragraph or list item.
    fn continues(&self, content: &str, indent: usize) -> bool {
        let Some((_, last)) = self.block.last() else { return false };
        if self.base == Lead::Contract {
            return indent > self.indent;
        }
        let ends = last.ends_with(['.', ';', ':', '!', '?']);
        let text: Vec<&str> = self.block.iter().map(|(_, text)| text.as_str()).collect();
        !ends && !(is_statement(content) && (is_statement(&text.join(" ")) || content.starts_with(char::is_uppercase)))
    }

    fn set_heading(&mut self, text: &str) {
        self.heading = match Lead::of(text) {
            Lead::Modal(modal) => Lead::Modal(modal),
            _ if self.base == Lead::Contract => self.base,
            lead => lead,
        };
        self.list = Lead::None;
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        let is_item = std::mem::take(&mut self.is_item);
        let Some((first, _)) = block.first() else { return };
        if !is_item {
            self.list = Lead::None;
        }
        let lead = if is_item && self.list != Lead::None { self.list } else { self.heading };
        // A list under a heading belongs to it; other text under the heading is not one of its items.
        let lead = match lead {
            Lead::Modal(_) if !is_item && self.base == Lead::Contract => self.base,
            Lead::Modal(_) if !is_item => Lead::Rules,
            lead => lead,
        };
        let mut line = *first;
        let mut sentence = String::new();
        for (at, text) in &block {
            for word in text.split_whitespace() {
                if sentence.is_empty() {
                    line = *at;
                } else {
                    sentence.push(' ');
                }
                sentence += word;
                let is_end = word.ends_with(['.', '!', '?']) && !ABBREVIATIONS.contains(&word);
                if is_end {
                    self.found.push(Sentence { line, text: std::mem::take(&mut sentence), lead });
                }
            }
        }
        if sentence.is_empty() {
            return;
        }
        if let Some(before) = sentence.strip_suffix(':') {
            self.list = match Lead::of(before) {
                Lead::Modal(modal) => Lead::Modal(modal),
                Lead::None => lead,
                _ if self.base == Lead::Contract => self.base,
                own => own,
            };
        }
        self.found.push(Sentence { line, text: sentence, lead });
    }
}

/// Returns the text of a list item.
fn list_item(content: &str) -> Option<&str> {
    let digits = content.trim_start_matches(|char: char| char.is_ascii_digit());
    let numbered = (digits.len() < content.len()).then(|| digits.strip_prefix([')', '.'])).flatten();
    let rest = match numbered {
        Some(rest) => rest.strip_prefix(' ')?,
        None => content.strip_prefix(['-', '*', '+', '•', '–'])?.strip_prefix([' ', '\t'])?,
    };
    let rest = rest.trim();
    let checked = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| rest.strip_prefix(mark));
    Some(checked.unwrap_or(rest).trim()).filter(|rest| !rest.is_empty())
}
