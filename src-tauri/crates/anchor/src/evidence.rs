//! Checks code that an agent quotes as evidence against the files, in the same way as the quote of a finding.
//!
//! In: places with quoted code. Out: those whose code is there, at its real lines, and the number of the others.

use crate::files::{Files, Lookup};
use crate::place::place_in;
use diffsan_change::Change;
use diffsan_review::finding::{AgentFinding, AnchorState, Category, Severity};
use diffsan_review::quotes::{CheckedQuote, CodeQuote};

/// The places of quoted code. It remembers the files that it has looked up.
pub struct QuoteCheck<'a>(Lookup<'a>);

impl<'a> QuoteCheck<'a> {
    /// Creates a check against a change and whole files, both masked as the agent saw them.
    pub fn new(change: &'a Change, files: &'a Files) -> Self {
        Self(Lookup::new(change, files))
    }

    /// Returns the quotes whose code is there, each place once, and the number of the others.
    pub fn check(&self, quotes: Vec<CodeQuote>) -> (Vec<CheckedQuote>, u32) {
        let (mut found, mut missing) = (Vec::new(), 0);
        for quote in quotes {
            match self.find(quote) {
                Some(quote) if !found.contains(&quote) => found.push(quote),
                Some(_) => {}
                None => missing += 1,
            }
        }
        (found, missing)
    }

    fn find(&self, quote: CodeQuote) -> Option<CheckedQuote> {
        // A bracket alone is everywhere, so it proves nothing.
        if !quote.quote.contains(char::is_alphanumeric) {
            return None;
        }
        let CodeQuote { path, line_start, line_end, quote } = quote;
        let finding = AgentFinding {
            quote: Some(quote),
            ..AgentFinding::new(Severity::Info, Category::Other, path, (line_start, line_end))
        };
        let anchor = place_in(&finding, &self.0);
        let is_found = matches!(anchor.state, AnchorState::Verified | AnchorState::Moved);
        let (line_start, line_end) = anchor.line_start.zip(anchor.line_end).filter(|_| is_found)?;
        Some(CheckedQuote { path: anchor.path, side: anchor.side, line_start, line_end, quote: finding.quote? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_review::finding::Side;

    fn check(path: &str, lines: (u32, u32), quote: &str) -> (Vec<CheckedQuote>, u32) {
        let mut files = Files::default();
        files.insert(
            "src/a.rs",
            Side::New,
            "fn a() {\n    let total = sum(&all);\n}\n\nfn b() {\n    save(total);\n}\n",
        );
        let change = Change::default();
        let quote =
            CodeQuote { path: path.to_owned(), line_start: lines.0, line_end: lines.1, quote: quote.to_owned() };
        QuoteCheck::new(&change, &files).check(vec![quote])
    }

    #[test]
    fn only_code_that_is_there_is_found_at_its_real_lines() {
        let place = |(found, missing): (Vec<CheckedQuote>, u32)| {
            assert_eq!(found.len() + missing as usize, 1);
            found.first().map(|one| (one.path.clone(), one.line_start, one.line_end))
        };
        let at = |line| Some(("src/a.rs".to_owned(), line, line));
        assert_eq!(place(check("src/a.rs", (2, 2), "let total = sum(&all);")), at(2));
        assert_eq!(place(check("b/src/a.rs", (2, 2), "save(total)")), at(6), "it is elsewhere in the file");
        for (path, quote) in
            [("src/a.rs", "let total = 0;"), ("src/a.rs", ""), ("src/a.rs", "}"), ("src/other.rs", "save(total)")]
        {
            assert_eq!(place(check(path, (2, 2), quote)), None, "{path}: {quote}");
        }
    }

    #[test]
    fn a_place_is_listed_once() {
        let mut files = Files::default();
        files.insert("a.rs", Side::New, "call(1);\n");
        let change = Change::default();
        let quote = || CodeQuote { path: "a.rs".to_owned(), line_start: 1, line_end: 1, quote: "call(1);".to_owned() };
        assert_eq!(QuoteCheck::new(&change, &files).check(vec![quote(), quote()]).0.len(), 1);
    }
}
