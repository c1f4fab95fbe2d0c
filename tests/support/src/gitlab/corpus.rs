//! Handwritten texts of reviews: hostile ones, and ordinary ones that must stay readable.
//!
//! Both are files in `tests/fixtures/notes` with one JSON object per line. [`effects_of`](super::markdown::effects_of) and
//! [`ReadableCase::lost`] check the notes that a program creates from them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::hostile::Fields;
use super::markdown::{Visible, visible};

/// A hostile review.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostileCase {
    /// The name of the case, unique in the file.
    pub name: String,
    /// The texts of the review.
    pub fields: Fields,
    /// A description of the attack.
    pub attack: String,
}

/// An ordinary review, with the parts that must stay visible.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadableCase {
    /// The name of the case, unique in the file.
    pub name: String,
    /// The texts of the review.
    pub fields: Fields,
    /// The parts that must stay visible.
    pub keeps: Keeps,
}

/// The parts of an ordinary review that must stay visible. Numbers are minimums.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keeps {
    /// Texts that are visible, each within one line.
    pub visible: Vec<String>,
    /// The complete texts of code blocks.
    pub code: Vec<String>,
    /// The texts of code spans.
    pub spans: Vec<String>,
    /// The addresses of links.
    pub links: Vec<String>,
    /// The number of list items.
    pub list_items: usize,
    /// The number of table rows.
    pub table_rows: usize,
    /// The number of headings.
    pub headings: usize,
    /// The number of quotes.
    pub quotes: usize,
    /// The number of emphasized texts.
    pub emphases: usize,
}

impl ReadableCase {
    /// Returns the parts that a reader of the finished note no longer sees, as text. Empty if nothing is lost. Zero-width
    /// characters between letters do not count as lost. A link may be lost if its address is visible as text.
    pub fn lost(&self, note: &str) -> Vec<String> {
        let seen = visible(note);
        let plain = seen.plain();
        let mut lost = Vec::new();
        let keeps = &self.keeps;
        for text in keeps.visible.iter().filter(|text| !plain.contains(text.as_str())) {
            lost.push(format!("the text {text:?}"));
        }
        for code in keeps.code.iter().filter(|code| !has_code(&seen, code)) {
            lost.push(format!("the block of code {code:?}"));
        }
        for span in keeps.spans.iter().filter(|span| !seen.code_spans.contains(span)) {
            lost.push(format!("the span of code {span:?}"));
        }
        let linked =
            |address: &String| seen.links.iter().any(|(to, _)| to == address) || plain.contains(address.as_str());
        for link in keeps.links.iter().filter(|address| !linked(address)) {
            lost.push(format!("the link {link:?}"));
        }
        let counts = [
            ("list items", keeps.list_items, seen.list_items),
            ("table rows", keeps.table_rows, seen.table_rows),
            ("headings", keeps.headings, seen.headings),
            ("quotes", keeps.quotes, seen.quotes),
            ("stressed words", keeps.emphases, seen.emphases),
        ];
        for (name, least, number) in counts.into_iter().filter(|(_, least, number)| number < least) {
            lost.push(format!("{name}: {number} of {least}"));
        }
        lost
    }
}

fn has_code(seen: &Visible, code: &str) -> bool {
    seen.code_blocks.iter().any(|block| block.text.trim_end_matches('\n') == code.trim_end_matches('\n'))
}

/// Returns the hostile reviews.
pub fn hostile() -> Vec<HostileCase> {
    read("hostile.jsonl")
}

/// Returns the ordinary reviews.
pub fn readable() -> Vec<ReadableCase> {
    read("readable.jsonl")
}

/// A hostile text of an author.
#[derive(Clone, Debug, Deserialize)]
pub struct Injection {
    /// The text that has it: `title`, `description`, `commit` or `issue`.
    pub field: String,
    /// The name of the case.
    pub name: String,
    /// The text. `{{marker}}` stands for the marker of the prompt's fences.
    pub text: String,
    /// The attack that it attempts.
    pub attack: String,
}

/// Returns the hostile texts of authors.
pub fn injections() -> Vec<Injection> {
    read("../intent/injections.jsonl")
}

fn read<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/notes").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let case =
        |(at, line)| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}, line {}: {error}", at + 1));
    text.lines().enumerate().map(case).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::gitlab::markdown::effects_of;

    #[test]
    fn hostile_cases_have_names_of_their_own_and_act_as_they_are() {
        let cases = hostile();
        let names: BTreeSet<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert!(cases.len() >= 150 && names.len() == cases.len(), "{}", cases.len());
        // A note that is assembled without escaping has effects in most cases. The other cases need the program's own text beside
        // them, hide something, or affect versions that no reading covers.
        let naive = |fields: &Fields| {
            let folded = format!("<details><summary>{}</summary>\n\n{}\n\n</details>", fields.path, fields.body);
            let parts =
                [&fields.title, &fields.body, &fields.summary, &fields.path, &folded, &fields.edited, &fields.error];
            let mut joined = parts.map(String::as_str).join("\n\n");
            for (_, text) in fields.each() {
                joined += "\n\n";
                joined += text;
            }
            effects_of(&joined)
        };
        let harmless: Vec<_> = cases
            .iter()
            .filter(|case| {
                let mut effects = naive(&case.fields);
                effects
                    .html
                    .retain(|tag| !["<details>", "<summary>", "</summary>", "</details>"].contains(&tag.as_str()));
                effects.is_inert() && effects.markers.is_empty() && effects.external_issues.is_empty()
            })
            .map(|case| case.name.as_str())
            .collect();
        assert!(harmless.len() * 8 <= cases.len(), "{harmless:?}");
    }

    #[test]
    fn readable_cases_keep_everything_as_they_are() {
        let cases = readable();
        let names: BTreeSet<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert!(cases.len() >= 60 && names.len() == cases.len(), "{}", cases.len());
        for case in cases {
            let all: Vec<_> =
                case.fields.each().into_iter().map(|(_, text)| text).filter(|text| !text.is_empty()).collect();
            assert_eq!(case.lost(&all.join("\n\n")), Vec::<String>::new(), "{}", case.name);
        }
    }

    #[test]
    fn what_is_lost_is_told() {
        let case = readable().into_iter().next().expect("a case");
        assert!(!case.lost("nothing").is_empty());
    }
}
