//! Converts an agent's output to a valid answer, or to a list of problems.
//!
//! In: text. Out: [`AgentReviewOutput`], and how it was found in the text. Every repair is visible in the result.

mod decode;
mod schema;

use serde_json::Value;

use crate::finding::AgentReviewOutput;

pub use schema::{described_schema, strict_schema};

/// The maximum number of problems in a list.
pub const PROBLEM_LIMIT: usize = 10;

/// The maximum number of bytes that are parsed in search of an object, repeated attempts included.
const MAX_WORK_BYTES: usize = 256 * 1024 * 1024;

/// How an answer was found in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadAs {
    /// The whole output is the JSON object.
    Strict,
    /// The object was in a fenced block.
    Fenced,
    /// The object was found between other text.
    Recovered,
}

impl ReadAs {
    /// Returns the name in artifacts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Fenced => "fenced",
            Self::Recovered => "recovered",
        }
    }
}

/// A valid answer, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The decoded answer.
    pub output: AgentReviewOutput,
    /// How it was found in the output.
    pub read_as: ReadAs,
}

/// An output without a valid answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The problems as `path: message`, at most [`PROBLEM_LIMIT`].
    pub problems: Vec<String>,
}

/// Reads an answer: strict JSON, otherwise a fenced block, otherwise the first suitable top-level object in the text.
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
        Ok(value @ Value::Object(_)) => return Ok((unwrapped(value), ReadAs::Strict)),
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

/// Returns the object of an answer that is one Markdown fence.
fn fenced_object(text: &str) -> Option<Value> {
    let inner = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, body) = inner.split_once('\n')?;
    let known = language.trim().is_empty() || language.trim().eq_ignore_ascii_case("json");
    known.then(|| serde_json::from_str::<Value>(body).ok()).flatten().filter(Value::is_object)
}

/// Returns the first object in the text that is a valid answer, otherwise the first that has a field of one, otherwise the first.
///
/// Text before the answer may contain braces (`{name}`, an example), so an invalid object does not end the search.
fn first_object(text: &str) -> Option<Value> {
    let (mut answer_like, mut any) = (None, None);
    let mut at = 0;
    let mut work = 0;
    while let Some(start) = memchr::memchr(b'{', &text.as_bytes()[at..]).map(|offset| at + offset) {
        at = start + 1;
        // An object begins with a name or ends at once.
        if !text[at..].trim_start().starts_with(['"', '}']) {
            continue;
        }
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value @ Value::Object(_))) => {
                at = start + stream.byte_offset();
                let value = unwrapped(value);
                if decode::review_output(&value).is_ok() {
                    return Some(value);
                }
                let answers = value.get("findings").is_some() || value.get("summary_markdown").is_some();
                if answers {
                    answer_like.get_or_insert(value)
                } else {
                    any.get_or_insert(value)
                };
            }
            Some(Err(error)) => {
                work += read_until(&text[start..], &error);
                if work > MAX_WORK_BYTES {
                    break;
                }
            }
            _ => {}
        }
    }
    answer_like.or(any)
}

/// Returns the offset at which the parser stopped.
fn read_until(text: &str, error: &serde_json::Error) -> usize {
    let line = error.line().checked_sub(2).and_then(|lines| memchr::memchr_iter(b'\n', text.as_bytes()).nth(lines));
    line.unwrap_or(0) + error.column()
}

/// Returns the answer inside the envelope of an agent's program, or the value itself.
fn unwrapped(value: Value) -> Value {
    let inner = value.get("result").filter(|_| value["type"] == "result").and_then(Value::as_str);
    inner.and_then(|inner| serde_json::from_str(inner.trim()).ok()).filter(Value::is_object).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"summary_markdown":"ok","findings":[]}"#;

    fn read_as(text: &str) -> Option<ReadAs> {
        read(text).ok().map(|answer| answer.read_as)
    }

    #[test]
    fn answers_are_found_in_wrappers_of_agents() {
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
    fn problems_are_reported_with_their_path() {
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
        assert_eq!(read_as(&"{\"a\":".repeat(20_000)), None);
        let flood = "{\"a\":[1,".repeat(10_000);
        assert_eq!(read_as(&format!("{flood}{GOOD}")), Some(ReadAs::Recovered));
        assert_eq!(read_as(&format!("{}{GOOD}", "{ ".repeat(100_000))), Some(ReadAs::Recovered));
    }

    #[test]
    fn the_first_valid_object_of_several_is_taken() {
        let example = r#"{"summary_markdown": "\u2026", "findings": [{"severity": "high"}]}"#;
        let answer = read(&format!("As in {example}:\n{GOOD}\n{{\"summary_markdown\":\"later\",\"findings\":[]}}"))
            .expect("valid");
        assert_eq!(answer.output.summary_markdown, "ok");
        let wrong = read(&format!("{{\"a\":1}} {example}")).expect_err("invalid");
        assert!(wrong.problems[0].starts_with("findings.0."), "{wrong:?}");
    }

    #[test]
    fn envelopes_are_opened() {
        let envelope = serde_json::json!({ "type": "result", "is_error": false, "result": GOOD }).to_string();
        assert_eq!(read_as(&envelope), Some(ReadAs::Strict));
        assert_eq!(read_as(&format!("Loading\n{envelope}")), Some(ReadAs::Recovered));
    }

    proptest::proptest! {
        /// An answer is found whatever surrounds it, unless text before it opens a string or an object that contains it.
        #[test]
        fn an_answer_is_found_in_any_noise(before in "[^\"{]{0,200}(\\{[a-z]{0,5}\\}){0,9}", after in "\\PC{0,200}") {
            let found = read(&format!("{before}\n{GOOD}\n{after}")).expect("an answer");
            proptest::prop_assert_eq!(found.output.summary_markdown, "ok");
        }

        #[test]
        fn no_input_makes_it_panic(text in "\\PC{0,300}|[{}\\[\\]\",:a1\\\\]{0,400}") {
            let _ = read(&text);
        }
    }
}
