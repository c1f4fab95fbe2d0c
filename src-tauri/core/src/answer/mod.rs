//! From an agent's raw words to a valid answer, or to a list of what is wrong with them.
//!
//! In: text. Out: [`AgentReviewOutput`] and how it was read. Never a guess that nobody is told of.

mod decode;
mod schema;

use serde_json::Value;

use crate::finding::AgentReviewOutput;

pub use schema::{described_schema, strict_schema};

/// A list of problems that is shown names at most this many.
pub const PROBLEM_LIMIT: usize = 10;

/// How an answer was found in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadAs {
    /// The output is the JSON object.
    Strict,
    /// It stood in a fenced block.
    Fenced,
    /// It was recovered from between other text.
    Recovered,
}

impl ReadAs {
    /// Its name in artifacts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Fenced => "fenced",
            Self::Recovered => "recovered",
        }
    }
}

/// A valid answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the agent said.
    pub output: AgentReviewOutput,
    /// How it was found.
    pub read_as: ReadAs,
}

/// An output that holds no valid answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// `path: message`, at most [`PROBLEM_LIMIT`].
    pub problems: Vec<String>,
}

/// Reads an answer: strict JSON, else a fenced block, else the first top-level object that stands in the text.
pub fn read(text: &str) -> Result<Answer, Invalid> {
    let (value, read_as) = find_object(text)?;
    match decode::review_output(&value) {
        Ok(output) => Ok(Answer { output, read_as }),
        Err(mut problems) => {
            problems.truncate(PROBLEM_LIMIT);
            Err(Invalid { problems })
        }
    }
}

fn find_object(text: &str) -> Result<(Value, ReadAs), Invalid> {
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    let strict = serde_json::from_str::<Value>(trimmed);
    let error = match strict {
        Ok(value @ Value::Object(_)) => return Ok((value, ReadAs::Strict)),
        Ok(_) => "the answer is JSON, but not an object".to_owned(),
        Err(_) if trimmed.is_empty() => "the answer is empty".to_owned(),
        Err(error) => format!("not valid JSON: {error}"),
    };
    if let Some(value) = fenced_object(trimmed) {
        return Ok((value, ReadAs::Fenced));
    }
    match first_object(trimmed) {
        Some(value) => Ok((value, ReadAs::Recovered)),
        None => Err(Invalid { problems: vec![format!("$: {error}")] }),
    }
}

/// A whole answer in one Markdown fence.
fn fenced_object(text: &str) -> Option<Value> {
    let inner = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, body) = inner.split_once('\n')?;
    let known = language.trim().is_empty() || language.trim().eq_ignore_ascii_case("json");
    known.then(|| serde_json::from_str::<Value>(body).ok()).flatten().filter(Value::is_object)
}

/// The first object in the text that is complete and could be an answer; else the first that is complete.
///
/// A preamble may itself hold braces (`{name}`, an example), which is why a complete object without any field of
/// the answer does not end the search.
fn first_object(text: &str) -> Option<Value> {
    const TRIES: usize = 1000;
    let mut first = None;
    let mut at = 0;
    for _ in 0..TRIES {
        let Some(start) = text[at..].find('{').map(|offset| at + offset) else { break };
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value @ Value::Object(_))) => {
                at = start + stream.byte_offset();
                if value.get("findings").is_some() || value.get("summary_markdown").is_some() {
                    return Some(value);
                }
                first.get_or_insert(value);
            }
            _ => at = start + 1,
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"summary_markdown":"ok","findings":[]}"#;

    fn read_as(text: &str) -> Option<ReadAs> {
        read(text).ok().map(|answer| answer.read_as)
    }

    #[test]
    fn answers_are_found_in_what_agents_wrap_them_in() {
        assert_eq!(read_as(GOOD), Some(ReadAs::Strict));
        assert_eq!(read_as(&format!("\u{feff}  {GOOD}\n")), Some(ReadAs::Strict));
        assert_eq!(read_as(&format!("```json\n{GOOD}\n```")), Some(ReadAs::Fenced));
        assert_eq!(read_as(&format!("I looked at {{x}} and {{}}.\n{GOOD}\nDone!")), Some(ReadAs::Recovered));
        assert_eq!(read_as(&format!("Here:\n```json\n{GOOD}\n```\nBye {{")), Some(ReadAs::Recovered));
        assert_eq!(read_as("nothing here"), None);
        assert_eq!(read_as(""), None);
        assert_eq!(read_as("[1]"), None);
    }

    #[test]
    fn what_is_wrong_is_told_by_path() {
        let text = r#"{"summary_markdown":1,"findings":[{"severity":"bad","category":"other","path":"a","line_end":-2,
            "body_markdown":"b","line":3,"confidence":7,"side":"left","suggested_patch":{"format":"replacement"}}],"more":1}"#;
        expect_test::expect![[r#"
            summary_markdown: expected a string
            findings.0.severity: expected one of info, low, medium, high, critical
            findings.0.line_start: field required
            findings.0.line_end: expected an integer of 0 or more
            findings.0.side: expected one of new, old
            findings.0.confidence: expected a number from 0 to 1
            findings.0.suggested_patch.content: field required
            findings.0.line: unknown field
            more: unknown field"#]]
        .assert_eq(&read(text).expect_err("invalid").problems.join("\n"));
    }

    #[test]
    fn at_most_ten_problems_are_listed() {
        let text = format!(r#"{{"summary_markdown":"s","findings":[{}]}}"#, ["{}"; 9].join(","));
        assert_eq!(read(&text).expect_err("invalid").problems.len(), PROBLEM_LIMIT);
    }

    #[test]
    fn null_means_absent_where_a_strict_schema_makes_every_field_required() {
        let text = r#"{"summary_markdown":"s","findings":[{"finding_id":null,"severity":"low","category":"docs","path":"a",
            "line_start":1,"line_end":1,"title":null,"body_markdown":"b","side":null,"quote":null,"confidence":null,"suggested_patch":null}]}"#;
        assert_eq!(read(text).expect("valid").output.findings[0].side, None);
    }

    #[test]
    fn a_flood_of_braces_ends() {
        assert_eq!(read_as(&"{\"a\":".repeat(200_000)), None);
    }
}
