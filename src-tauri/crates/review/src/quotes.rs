//! Code that an agent quotes as evidence, and the same code where it was found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Side;

/// Code as an agent quotes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeQuote {
    /// The file, relative to the repository's root.
    pub path: String,
    /// First line, from 1.
    pub line_start: u32,
    /// Last line, from 1.
    pub line_end: u32,
    /// The exact code.
    pub quote: String,
}

/// Quoted code that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedQuote {
    /// The path of the file as the change writes it.
    pub path: String,
    /// The side on which the code was found.
    pub side: Side,
    /// The first line, from 1.
    pub line_start: u32,
    /// The last line, from 1.
    pub line_end: u32,
    /// The code as the agent quoted it.
    pub quote: String,
}

impl CheckedQuote {
    /// Calls `each` with every text.
    pub(crate) fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { path, side: _, line_start: _, line_end: _, quote } = self;
        each(path);
        each(quote);
    }

    /// Returns the place as text: `src/a.rs:3-5`.
    pub fn place(&self) -> String {
        let side = if self.side == Side::Old { " (before)" } else { "" };
        match self.line_end > self.line_start {
            true => format!("{}:{}-{}{side}", self.path, self.line_start, self.line_end),
            false => format!("{}:{}{side}", self.path, self.line_start),
        }
    }
}
