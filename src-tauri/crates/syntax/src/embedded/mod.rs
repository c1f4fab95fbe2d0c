//! Finds the code of a language that is embedded in a file of another format: the scripts of components and pages, and the code of
//! templates.
//!
//! In: a path and its text. Out: a text of the same lines and columns in which everything but the code is blank, so that a reader of the
//! language can read it.

mod engine;
mod markup;
mod svelte;
mod template;

use std::ops::Range;

use crate::language::Language;

/// A format of files with embedded code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A component of Vue. Its template calls only what its script defines.
    Vue,
    /// A component of Svelte, with expressions in its markup.
    Svelte,
    /// A page with scripts and handlers of events.
    Html,
    /// A template with Ruby.
    Erb,
    /// A template of Laravel.
    Blade,
    /// A template of an engine with small expressions, such as Handlebars, Jinja, Twig or Go's.
    Engine,
}

impl Format {
    /// Returns the format of a path by its extension in any case.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        if name.ends_with(".blade.php") {
            return Some(Self::Blade);
        }
        Some(match name.rsplit_once('.')?.1 {
            "vue" => Self::Vue,
            "svelte" => Self::Svelte,
            "html" | "htm" | "xhtml" => Self::Html,
            "erb" | "rhtml" => Self::Erb,
            extension if engine::has(extension) => Self::Engine,
            _ => return None,
        })
    }

    /// Returns the language of the code, or the dialect that most of these files use.
    pub fn language(self) -> Language {
        match self {
            Self::Vue | Self::Svelte | Self::Html | Self::Engine => Language::TypeScript,
            Self::Erb => Language::Ruby,
            Self::Blade => Language::Php,
        }
    }

    /// Returns the embedded code of a text. `path` is the path of its file.
    pub fn code(self, path: &str, text: &str) -> Embedded {
        match self {
            Self::Vue | Self::Html => markup::code(self, text),
            Self::Svelte => svelte::code(text),
            Self::Erb => template::erb(path, text),
            Self::Blade => template::blade(text),
            Self::Engine => engine::code(path, text),
        }
    }
}

/// The embedded code of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// The language of the code.
    pub language: Language,
    /// The code, at its lines and columns. In a template of PHP that begins with code, the first line is shifted by the tag `<?php`.
    pub text: String,
    /// The parts with code of another language, and the elements that load a script from another site.
    pub other_code: Vec<String>,
    /// The names that the expressions of a template use, `repo.owner.name`, each with its line from 1.
    pub names: Vec<(String, u32)>,
}

impl Embedded {
    /// Creates the code of a file without expressions of a template.
    fn new(language: Language, text: String, other_code: Vec<String>) -> Self {
        Self { language, text, other_code, names: Vec::new() }
    }
}

/// A text in which only the code is visible.
struct Visible<'a> {
    text: &'a str,
    out: Vec<u8>,
}

impl<'a> Visible<'a> {
    /// Hides everything but the line ends.
    fn new(text: &'a str) -> Self {
        let hide = |byte: u8| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' };
        Self { text, out: text.bytes().map(hide).collect() }
    }

    /// Shows a part of the text.
    fn show(&mut self, range: Range<usize>) {
        if let (Some(out), Some(text)) = (self.out.get_mut(range.clone()), self.text.as_bytes().get(range)) {
            out.copy_from_slice(text);
        }
    }

    /// Writes a sign in place of the markup at a place. Line ends stay.
    fn put(&mut self, at: usize, signs: &str) {
        let end = at + signs.len();
        if let Some(out) = self.out.get_mut(at..end).filter(|out| !out.contains(&b'\n')) {
            out.copy_from_slice(signs.as_bytes());
        }
    }

    /// Writes code in place of a part of the text, if it has room for it. Line ends that are missing follow the code.
    fn replace(&mut self, range: Range<usize>, code: &str) {
        let lines = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
        let Some(out) = self.out.get_mut(range) else { return };
        let missing = lines(out).saturating_sub(lines(code.as_bytes()));
        if code.len() + missing > out.len() || lines(code.as_bytes()) > lines(out) {
            return;
        }
        out.fill(b' ');
        out[..code.len()].copy_from_slice(code.as_bytes());
        let end = out.len();
        out[end - missing..].fill(b'\n');
    }

    fn finish(self) -> String {
        // Only whole parts of the text are shown, so this is its UTF-8.
        String::from_utf8(self.out).unwrap_or_default()
    }
}

/// Returns the place of a part of a text at or after a place.
fn find(text: &str, from: usize, part: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes().get(from..)?, part.as_bytes()).map(|at| from + at)
}

/// Returns the place of the sign that closes the bracket before `from`. Strings, and brackets inside, are skipped.
fn closing(text: &str, from: usize, open: u8, close: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' | b'`' => at = end_of_string(bytes, at)?,
            _ if byte == open => depth += 1,
            _ if byte == close && depth == 0 => return Some(at),
            _ if byte == close => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the place of the quote that ends a string. An apostrophe without a partner in its line is no quote.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = bytes[start];
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' if quote == b'\'' => return Some(start),
            _ if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests;
