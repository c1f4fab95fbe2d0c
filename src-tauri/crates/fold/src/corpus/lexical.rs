//! A small scanner for the corpus, which knows comments and strings of six languages. It is independent of the grammars, so that
//! an error in these does not hide in the corpus.

/// The kind of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Code,
    Comment,
    Text,
}

/// Returns the kind of every byte.
pub(super) fn classes(text: &str, language: &str) -> Vec<Class> {
    let bytes = text.as_bytes();
    let mut classes = vec![Class::Code; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let (class, end) = piece(text, at, language);
        classes[at..end].fill(class);
        at = end;
    }
    classes
}

fn piece(text: &str, at: usize, language: &str) -> (Class, usize) {
    let rest = &text[at..];
    let until = |end: &str, from: usize| {
        rest.get(from..).and_then(|rest| rest.find(end)).map_or(text.len(), |found| at + from + found + end.len())
    };
    let line_end = at + rest.find('\n').unwrap_or(rest.len());
    let python = language == "python";
    if (python && rest.starts_with('#')) || (!python && rest.starts_with("//")) {
        return (Class::Comment, line_end);
    }
    if !python && rest.starts_with("/*") {
        return (Class::Comment, until("*/", 2));
    }
    for quotes in ["\"\"\"", "'''"] {
        if python && rest.starts_with(quotes) {
            return (Class::Text, until(quotes, 3));
        }
    }
    if language == "rust" {
        for (start, end) in [("r\"", "\""), ("r#\"", "\"#"), ("br\"", "\"")] {
            if rest.starts_with(start) {
                return (Class::Text, until(end, start.len()));
            }
        }
        if rest.starts_with('\'') {
            let mut chars = rest.chars().skip(1);
            let is_char = match chars.next() {
                Some('\\') => true,
                _ => chars.next() == Some('\''),
            };
            return if is_char { (Class::Text, quoted(rest, at, '\'')) } else { (Class::Code, at + 1) };
        }
    }
    match rest.chars().next() {
        Some('`') if matches!(language, "go" | "typescript" | "javascript") => (Class::Text, quoted(rest, at, '`')),
        // A regular expression: the character before cannot end an operand.
        Some('/') if matches!(language, "typescript" | "javascript") => {
            let before = text[..at].trim_end_matches(' ').chars().next_back();
            let operand = before.is_some_and(|char| char.is_alphanumeric() || ")]}_$".contains(char));
            if operand { (Class::Code, at + 1) } else { (Class::Text, quoted(rest, at, '/')) }
        }
        Some(quote @ ('"' | '\'')) => (Class::Text, quoted(rest, at, quote)),
        Some(char) => (Class::Code, at + char.len_utf8()),
        None => (Class::Code, text.len()),
    }
}

fn quoted(rest: &str, at: usize, quote: char) -> usize {
    let mut escaped = false;
    for (offset, char) in rest.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' && quote != '"' => return at + offset,
            _ if char == quote => return at + offset + 1,
            _ => {}
        }
    }
    at + rest.len()
}

/// A line of a text and the kinds of its bytes.
pub(super) struct ClassedLine<'a> {
    pub text: &'a str,
    pub classes: &'a [Class],
}

impl ClassedLine<'_> {
    /// Returns whether the whole line is code, apart from a comment at its end.
    pub(super) fn is_code(&self) -> bool {
        !self.text.trim().is_empty() && self.classes.iter().all(|class| *class == Class::Code)
    }

    /// Returns whether the line has code but begins and ends outside of strings that span lines.
    pub(super) fn starts_in_code(&self) -> bool {
        let first = self.text.len() - self.text.trim_start().len();
        self.classes.get(first).is_some_and(|class| *class == Class::Code)
    }

    /// Returns whether the line is a comment alone.
    pub(super) fn is_comment(&self) -> bool {
        let first = self.text.len() - self.text.trim_start().len();
        self.classes.get(first..).is_some_and(|rest| !rest.is_empty() && rest.iter().all(|one| *one == Class::Comment))
    }
}

/// Splits a text into lines with their kinds.
pub(super) fn lines<'a>(text: &'a str, classes: &'a [Class]) -> Vec<ClassedLine<'a>> {
    let mut from = 0;
    text.lines()
        .map(|line| {
            let one = ClassedLine { text: line, classes: &classes[from..from + line.len()] };
            from += line.len() + 1;
            one
        })
        .collect()
}
