//! Removes what agents and tools add to quoted code: fences, line numbers, citation marks, escapes.
//!
//! In: a quote as the agent wrote it. Out: readings of it, the least changed first. A reading that is found as it is has priority, because
//! undamaged code may look damaged. Knows nothing of files.

mod marks;
mod numbers;
mod omissions;

use std::collections::HashSet;

pub(super) use marks::unfenced;
pub(super) use numbers::without_numbers;
pub(super) use omissions::{leaves_lines_out, parts};

/// One way to read a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The text.
    pub text: String,
    /// The removed additions, as a part of a note.
    pub removed: Vec<&'static str>,
    /// The first and last line number that the quote itself contained.
    pub numbers: Option<(u32, u32)>,
}

/// Removes an addition. Returns `None` if there is none.
type Remove = fn(&str) -> Option<String>;

/// The names of additions, and how each is removed.
const REMOVALS: &[(&str, Remove)] = &[
    ("invisible characters", marks::without_invisible),
    ("a code fence", marks::unfenced),
    ("a code fence", marks::half_fenced),
    ("backticks", marks::without_backticks),
    ("emphasis", marks::without_emphasis),
    ("citation marks", marks::uncited),
    ("quotation marks", marks::unquoted),
    ("escapes", marks::unescaped),
    ("HTML entities", marks::without_entities),
    ("a label", marks::without_label),
    ("pointers", marks::without_pointers),
];

/// The maximum number of removals from one quote.
const MAX_REMOVALS: usize = 4;
/// The maximum number of readings of one quote.
const MAX_READINGS: usize = 24;

/// Returns the readings of a quote, the quote itself first. Additions are removed in every order, because each may hide another one.
pub(super) fn readings(quote: &str) -> Vec<Reading> {
    let mut all = vec![Reading { text: quote.to_owned(), removed: Vec::new(), numbers: None }];
    let mut seen = HashSet::from([quote.to_owned()]);
    let mut at = 0;
    while at < all.len() {
        let reading = all[at].clone();
        at += 1;
        if reading.removed.len() < MAX_REMOVALS {
            let next = removals(&reading).into_iter().filter(|next| !next.text.trim().is_empty());
            all.extend(next.filter(|next| seen.insert(next.text.clone())));
        }
        all.truncate(MAX_READINGS);
    }
    all
}

/// Returns the readings with one addition less.
fn removals(reading: &Reading) -> Vec<Reading> {
    let text = &reading.text;
    let without = |name: &'static str, text: String, numbers: Option<(u32, u32)>| {
        let mut removed = reading.removed.clone();
        if removed.last() != Some(&name) {
            removed.push(name);
        }
        Reading { text, removed, numbers: numbers.or(reading.numbers) }
    };
    let plain = REMOVALS.iter().filter_map(|(name, remove)| Some(without(name, remove(text)?, None)));
    let mut all: Vec<Reading> = plain.collect();
    all.extend(without_numbers(text).map(|(text, numbers)| without("line numbers", text, Some(numbers))));
    all.extend(marks::sides_of_hunk(text).into_iter().map(|text| without("diff markers", text, None)));
    all
}

/// Returns the text with typographic quotes, dashes and spaces replaced by those of ASCII.
pub(super) fn folded(text: &str) -> String {
    let fold = |char: char| match char {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        char => char,
    };
    text.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the additions that were removed for a reading.
    fn removed(quote: &str, text: &str) -> Vec<&'static str> {
        let all = readings(quote);
        let reading = all.iter().find(|reading| reading.text == text);
        reading.unwrap_or_else(|| panic!("{quote:?} is read as {all:?}")).removed.clone()
    }

    #[test]
    fn additions_are_removed_one_after_the_other() {
        for (quote, text, names) in [
            ("let a = 1;", "let a = 1;", &[][..]),
            ("```rust\nlet a = 1;\n```", "let a = 1;", &["a code fence"]),
            ("```rust\nlet a = 1;", "let a = 1;", &["a code fence"]),
            ("`let a = 1;`", "let a = 1;", &["backticks"]),
            ("**let a = 1;**", "let a = 1;", &["emphasis"]),
            ("> a\n> b", "a\nb", &["citation marks"]),
            ("\"let a = 1;\"", "let a = 1;", &["quotation marks"]),
            ("\u{200b}let a = 1;", "let a = 1;", &["invisible characters"]),
            ("if a &lt; b {\\n    c();", "if a < b {\n    c();", &["escapes", "HTML entities"]),
            ("s = &quot;a\\r\\n&quot;", "s = \"a\\r\\n\"", &["HTML entities"]),
            ("```\n7→a\n8→b\n```", "a\nb", &["a code fence", "line numbers"]),
            ("@@ -1 +1 @@\n-old\n+new", "new", &["diff markers"]),
            ("@@ -1 +1 @@\n-old\n+new", "old", &["diff markers"]),
            ("src/a.rs:7\nlet a = 1;", "let a = 1;", &["a label"]),
            ("let a = 1; // <-- here", "let a = 1;", &["pointers"]),
        ] {
            assert_eq!(removed(quote, text), names, "{quote}");
        }
    }
}
