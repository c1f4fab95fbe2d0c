//! Lines as numbers: equal lines of all texts of a file have equal tokens.

use imara_diff::{Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, Interner, NoSliderHeuristic, Token};

/// The width of a tab where an indentation is measured.
const TAB_WIDTH: u8 = 8;

/// The lines of several texts. A line includes its line feed, so that a last line without one is another line.
pub(crate) struct Lines<'a> {
    interner: Interner<&'a [u8]>,
}

/// The place of a difference if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// As far down as possible, as git does when it merges.
    Down,
    /// By the indentation, as git does when it shows a difference.
    Indent,
}

impl<'a> Lines<'a> {
    pub(crate) fn new() -> Self {
        Self { interner: Interner::new(0) }
    }

    /// Returns the tokens of the lines of a text.
    pub(crate) fn add(&mut self, text: &'a [u8]) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 24);
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', text) {
            tokens.push(self.interner.intern(&text[from..=at]));
            from = at + 1;
        }
        if from < text.len() {
            tokens.push(self.interner.intern(&text[from..]));
        }
        tokens
    }

    /// Returns the line of a token.
    pub(crate) fn get(&self, token: Token) -> &'a [u8] {
        self.interner[token]
    }

    /// Returns the different parts of two texts.
    pub(crate) fn diff(&self, algorithm: Algorithm, placing: Placing, before: &[Token], after: &[Token]) -> Vec<Hunk> {
        let mut diff = Diff::default();
        diff.compute_with(algorithm, before, after, self.interner.num_tokens());
        match placing {
            Placing::Down => diff.postprocess_with(before, after, NoSliderHeuristic),
            Placing::Indent => {
                let level = |token| IndentLevel::for_ascii_line(self.get(token).iter().copied(), TAB_WIDTH);
                diff.postprocess_with(before, after, IndentHeuristic::new(level));
            }
        }
        diff.hunks().collect()
    }
}
