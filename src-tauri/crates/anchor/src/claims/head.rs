//! The head as claims see it: symbols, references, tokens and lines of its files.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use diffsan_review::finding::Evidence;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::Navigator;
use diffsan_syntax::symbols::{FileSymbols, Position};
use diffsan_syntax::tokens::{Token, tokens};

/// A function that reads the text of a file of the head.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<Arc<str>>;

/// A function that returns the paths of all files of the head, of any kind, that contain a word; `None` if not all files could be searched.
pub type FilesWith<'a> = &'a dyn Fn(&str) -> Option<Vec<String>>;

/// The files of the head, for claims about them.
pub struct Head<'a> {
    pub(super) navigator: Navigator<'a>,
    text: ReadText<'a>,
    files_with: FilesWith<'a>,
    known: RefCell<HashMap<String, Option<Rc<Source>>>>,
}

/// The text of a file, and its tokens.
pub(super) struct Source {
    pub text: Arc<str>,
    pub tokens: Vec<Token>,
}

impl Source {
    /// Returns the token that begins at a byte.
    pub fn token_at(&self, byte: u32) -> Option<&Token> {
        let at = self.tokens.binary_search_by_key(&(byte as usize), |token| token.range.start).ok()?;
        self.tokens.get(at)
    }

    /// Returns the text of a token.
    pub fn text_of(&self, token: &Token) -> &str {
        self.text.get(token.range.clone()).unwrap_or_default()
    }
}

impl<'a> Head<'a> {
    /// Creates the view. The navigator's index, the texts and the search must be of the same tree.
    pub fn new(navigator: Navigator<'a>, text: ReadText<'a>, files_with: FilesWith<'a>) -> Self {
        Self { navigator, text, files_with, known: RefCell::default() }
    }

    pub(super) fn symbols(&self, path: &str) -> Option<Arc<FileSymbols>> {
        self.navigator.symbols(path)
    }

    /// Returns the text and the tokens of a file of a known language.
    pub(super) fn source(&self, path: &str) -> Option<Rc<Source>> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let read = || {
            let text = (self.text)(path)?;
            let tokens = tokens(Language::of(path)?, &text)?;
            Some(Rc::new(Source { text, tokens }))
        };
        let source = read();
        self.known.borrow_mut().insert(path.to_owned(), source.clone());
        source
    }

    /// Returns the paths of all files that contain a word, or `None` if that is not known.
    pub(super) fn files_with(&self, word: &str) -> Option<Vec<String>> {
        (self.files_with)(word)
    }

    /// Returns a place with its line.
    pub(super) fn evidence(&self, path: &str, line: u32) -> Option<Evidence> {
        let text = (self.text)(path)?;
        let line_text = text.lines().nth(usize::try_from(line.checked_sub(1)?).ok()?)?;
        Some(Evidence { path: path.to_owned(), line, text: line_text.trim_end().to_owned() })
    }

    pub(super) fn evidence_at(&self, path: &str, at: Position) -> Option<Evidence> {
        self.evidence(path, at.line)
    }
}

/// Returns whether a text contains a name as a whole word.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let inside = |char: char| char.is_alphanumeric() || char == '_';
    !name.is_empty()
        && text
            .match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + name.len()..].starts_with(inside))
}
