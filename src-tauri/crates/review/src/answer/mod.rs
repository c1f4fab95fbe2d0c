//! Converts an agent's output to a valid answer, or to a list of problems.
//!
//! In: text. Out: [`AgentReviewOutput`], how it was found in the text, and the parts that could not be read. Every repair is visible in
//! the result.

mod decode;
mod opinions;
mod schema;

use serde_json::Value;

use crate::UnreadableFinding;
use crate::finding::AgentReviewOutput;
use decode::Decoded;

pub use opinions::{ReadOpinions, read_opinions};
pub use schema::{described_opinions_schema, described_schema, opinions_schema, strict_schema};

/// The maximum number of problems in a list.
pub const PROBLEM_LIMIT: usize = 10;

/// The maximum number of bytes that are parsed in search of an object, repeated attempts included.
const MAX_WORK_BYTES: usize = 256 * 1024 * 1024;

/// The way in which an answer was found in the output.
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

    /// Returns the way with this name. An unknown name is that of an answer which was recovered.
    pub fn of(name: &str) -> Self {
        [Self::Strict, Self::Fenced].into_iter().find(|one| one.name() == name).unwrap_or(Self::Recovered)
    }
}

/// An answer that can be used, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The decoded answer, with every finding that can be read.
    pub output: AgentReviewOutput,
    /// The way in which it was found in the output.
    pub read_as: ReadAs,
    /// The problems as `path: message`, at most [`PROBLEM_LIMIT`]. An answer without problems is valid.
    pub problems: Vec<String>,
    /// The findings that cannot be read, in their order.
    pub unreadable: Vec<UnreadableFinding>,
    /// The number of findings whose category is not known. Their category is `other`.
    pub unknown_categories: u32,
}

impl Answer {
    /// Creates a valid answer.
    pub fn valid(output: AgentReviewOutput) -> Self {
        Self { output, read_as: ReadAs::Strict, problems: Vec::new(), unreadable: Vec::new(), unknown_categories: 0 }
    }

    /// Calls `each` with every text of the answer.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { output, problems, unreadable, read_as: _, unknown_categories: _ } = self;
        output.for_each_text(each);
        problems.iter_mut().for_each(&mut *each);
        unreadable.iter_mut().for_each(|finding| finding.for_each_text(each));
    }
}

/// An output without an answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The problems as `path: message`, at most [`PROBLEM_LIMIT`].
    pub problems: Vec<String>,
}

/// Reads an answer: strict JSON, otherwise a fenced block, otherwise the first suitable top-level object in the text.
///
/// An answer with problems can be used if it contains a finding, or is the whole output. An object without findings between other text may
/// be an example.
pub fn read(text: &str) -> Result<Answer, Invalid> {
    let (value, read_as) = find_object(text, &fit)?;
    let Decoded { output, mut problems, unreadable, unknown_categories } = decode::review_output(&value);
    problems.truncate(PROBLEM_LIMIT);
    let usable =
        output.filter(|output| problems.is_empty() || !output.findings.is_empty() || read_as != ReadAs::Recovered);
    match usable {
        Some(output) => Ok(Answer { output, read_as, problems, unreadable, unknown_categories }),
        None => Err(Invalid { problems }),
    }
}

/// The degree to which an object has the form of an answer.
enum Fit {
    /// It is a valid answer.
    Valid,
    /// A part of it can be read.
    Usable,
    /// It has a field of an answer.
    Similar,
    /// It is something else.
    Other,
}

fn fit(value: &Value) -> Fit {
    let decoded = decode::review_output(value);
    if decoded.problems.is_empty() {
        Fit::Valid
    } else if decoded.output.is_some_and(|output| !output.findings.is_empty()) {
        Fit::Usable
    } else if value.get("findings").is_some() || value.get("summary_markdown").is_some() {
        Fit::Similar
    } else {
        Fit::Other
    }
}

fn find_object(text: &str, fit: &dyn Fn(&Value) -> Fit) -> Result<(Value, ReadAs), Invalid> {
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
    match first_object(trimmed, fit) {
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

/// Returns the first object in the text that is a valid answer, otherwise the first of which a part can be read, otherwise the first that has
/// a field of an answer, otherwise the first.
///
/// Text before the answer may contain braces (`{name}`, an example), so an invalid object does not end the search.
fn first_object(text: &str, fit: &dyn Fn(&Value) -> Fit) -> Option<Value> {
    let (mut usable, mut similar, mut any) = (None, None, None);
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
                match fit(&value) {
                    Fit::Valid => return Some(value),
                    Fit::Usable => usable.get_or_insert(value),
                    Fit::Similar => similar.get_or_insert(value),
                    Fit::Other => any.get_or_insert(value),
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
    usable.or(similar).or(any)
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
    use crate::finding::{Category, Severity};

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
        assert_eq!(read(&text).expect("usable").problems.len(), PROBLEM_LIMIT);
    }

    fn finding(more: serde_json::Value) -> serde_json::Value {
        let mut finding = serde_json::json!({ "severity": "high", "category": "security", "path": "a.rs",
            "line_start": 1, "line_end": 1, "title": "One", "body_markdown": "Body." });
        for (key, value) in more.as_object().expect("an object") {
            finding[key] = value.clone();
        }
        finding
    }

    fn answer(findings: &[serde_json::Value]) -> String {
        serde_json::json!({ "summary_markdown": "s", "findings": findings }).to_string()
    }

    #[test]
    fn an_unknown_category_is_other_and_case_does_not_matter() {
        let read = |more| read(&answer(&[finding(more)])).expect("usable");
        let unknown = read(serde_json::json!({ "category": "error-handling" }));
        assert_eq!(unknown.problems, [""; 0]);
        assert_eq!((unknown.output.findings[0].category, unknown.unknown_categories), (Category::Other, 1));
        let upper = read(serde_json::json!({ "category": "Security", "severity": "HIGH" }));
        assert_eq!(upper.problems, [""; 0]);
        let found = &upper.output.findings[0];
        assert_eq!((found.category, found.severity), (Category::Security, Severity::High));
        assert_eq!(upper.unknown_categories, 0);
    }

    #[test]
    fn a_finding_of_unknown_severity_leaves_the_others_readable() {
        let bad = finding(serde_json::json!({ "severity": "blocker", "title": "Two" }));
        let text = answer(&[finding(serde_json::json!({})), bad.clone(), finding(serde_json::json!({ "note": 1 }))]);
        for text in [text.clone(), format!("Here is my review:\n\n```json\n{text}\n```\nI hope it helps {{ok}}.")] {
            let read = read(&text).expect("usable");
            assert_eq!(read.output.findings.len(), 2);
            expect_test::expect![[r#"
                findings.1.severity: expected one of info, low, medium, high, critical
                findings.2.note: unknown field"#]]
            .assert_eq(&read.problems.join("\n"));
            let [unreadable] = &read.unreadable[..] else { panic!("{:?}", read.unreadable) };
            assert_eq!(serde_json::from_str::<serde_json::Value>(&unreadable.text).expect("JSON"), bad);
            assert_eq!(unreadable.problems, ["severity: expected one of info, low, medium, high, critical"]);
        }
        for (severity, wanted) in [("blocker", Severity::Critical), ("HIGH", Severity::High)] {
            let bad = finding(serde_json::json!({ "severity": severity, "line_start": "thirty" }));
            let read = read(&answer(&[bad])).expect("the summary can be used");
            assert_eq!(read.unreadable[0].severity(), wanted, "an unknown severity passes no limit");
        }
        let alone = read(&answer(std::slice::from_ref(&bad))).expect("the summary can be used");
        assert_eq!((alone.output.findings.len(), alone.unreadable.len()), (0, 1));
        // Between other text, an object without findings may be an example.
        assert!(read(&format!("Such as {}", answer(&[bad]))).is_err());
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
