//! Converts a JSON value to the types of the answer, and reports every problem instead of the first one.
//!
//! serde stops at the first error, but an agent that is asked to correct its answer needs all of them. One finding that cannot be read does
//! not affect the others.

use serde_json::{Map, Value};

use crate::UnreadableFinding;
use crate::chapters::AgentChapter;
use crate::finding::{AgentFinding, AgentReviewOutput, Category, PatchFormat, Severity, Side, SuggestedPatch};
use crate::intent::{AgentRequirement, IntentVerdict};
use crate::quotes::CodeQuote;

/// An answer as far as it can be read.
#[derive(Default)]
pub(super) struct Decoded {
    /// `None` if there is no summary and no finding, or no list of findings.
    pub(super) output: Option<AgentReviewOutput>,
    pub(super) problems: Vec<String>,
    pub(super) unreadable: Vec<UnreadableFinding>,
    pub(super) unknown_categories: u32,
}

/// The object that is being read, its JSON path, and the problems so far.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
    known: Vec<&'static str>,
    problems: &'a mut Vec<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(value: &'a Value, path: String, problems: &'a mut Vec<String>) -> Option<Self> {
        match value.as_object() {
            Some(object) => Some(Self { object, path, known: Vec::new(), problems }),
            None => {
                problems.push(format!("{}: expected an object", if path.is_empty() { "$" } else { &path }));
                None
            }
        }
    }

    fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Reads a field that may be absent or null.
    fn optional<T>(&mut self, key: &'static str, expected: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        self.known.push(key);
        let value = self.object.get(key).filter(|value| !value.is_null())?;
        let found = read(value);
        if found.is_none() {
            self.problems.push(format!("{}: expected {expected}", self.at(key)));
        }
        found
    }

    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        if self.object.get(key).is_none_or(Value::is_null) {
            self.known.push(key);
            self.problems.push(format!("{}: field required", self.at(key)));
            return None;
        }
        self.optional(key, expected, read)
    }

    pub(super) fn finish(self) {
        for key in self.object.keys().filter(|key| !self.known.contains(&key.as_str())) {
            let path = self.at(key);
            self.problems.push(format!("{path}: unknown field"));
        }
    }
}

pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn line(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Reads a name in any case.
pub(super) fn named<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(Value::String(value.as_str()?.trim().to_ascii_lowercase())).ok()
}

pub(super) fn review_output(value: &Value) -> Decoded {
    let mut decoded = Decoded::default();
    decoded.output = read_output(value, &mut decoded);
    decoded
}

fn read_output(value: &Value, decoded: &mut Decoded) -> Option<AgentReviewOutput> {
    let Decoded { problems, unreadable, unknown_categories, output: _ } = decoded;
    let mut fields = Fields::new(value, String::new(), problems)?;
    let summary_markdown = fields.required("summary_markdown", "a string", text);
    let list = fields.required("findings", "a list", |value| value.as_array().cloned());
    let mut findings = Vec::new();
    for (index, item) in list.iter().flatten().enumerate() {
        let path = format!("findings.{index}");
        let before = fields.problems.len();
        match read_finding(item, path.clone(), fields.problems, unknown_categories) {
            Some(finding) => findings.push(finding),
            None => {
                let within =
                    |problem: &String| problem.trim_start_matches(&path).trim_start_matches(['.', ':', ' ']).to_owned();
                unreadable.push(UnreadableFinding {
                    agent: String::new(),
                    problems: fields.problems[before..].iter().map(within).collect(),
                    text: format!("{item:#}"),
                });
            }
        }
    }
    let intent = read_intent(&mut fields);
    let chapters = read_chapters(&mut fields);
    fields.finish();
    list?;
    if summary_markdown.is_none() && findings.is_empty() {
        return None;
    }
    Some(AgentReviewOutput { summary_markdown: summary_markdown.unwrap_or_default(), findings, intent, chapters })
}

/// Reads the requirements. One that cannot be read is only a problem, because its verdict needs all of its fields.
fn read_intent(fields: &mut Fields<'_>) -> Vec<AgentRequirement> {
    let list = fields.optional("intent", "a list", |value| value.as_array().cloned()).unwrap_or_default();
    let read = |(index, item): (usize, &Value)| {
        let path = format!("intent.{index}");
        let mut one = Fields::new(item, path.clone(), fields.problems)?;
        let requirement = one.required("requirement", "a string", text);
        let verdict = one.required("verdict", "one of met, contradicted, not_found", named::<IntentVerdict>);
        let evidence = one.required("evidence", "a list", |value| value.as_array().cloned());
        one.finish();
        let evidence = read_quotes(&evidence?, &format!("{path}.evidence"), fields.problems);
        Some(AgentRequirement { requirement: requirement?, verdict: verdict?, evidence })
    };
    list.iter().enumerate().filter_map(read).collect()
}

/// Reads the sentences about chapters. One that cannot be read is only a problem.
fn read_chapters(fields: &mut Fields<'_>) -> Vec<AgentChapter> {
    let list = fields.optional("chapters", "a list", |value| value.as_array().cloned()).unwrap_or_default();
    let read = |(index, item): (usize, &Value)| {
        let path = format!("chapters.{index}");
        let mut one = Fields::new(item, path.clone(), fields.problems)?;
        let sentence = one.required("sentence", "a string", text);
        let evidence = one.required("evidence", "a list", |value| value.as_array().cloned());
        one.finish();
        let evidence = read_quotes(&evidence?, &format!("{path}.evidence"), fields.problems);
        Some(AgentChapter { sentence: sentence?, evidence })
    };
    list.iter().enumerate().filter_map(read).collect()
}

/// Reads quoted code. A quote that cannot be read is only a problem.
pub(super) fn read_quotes(list: &[Value], path: &str, problems: &mut Vec<String>) -> Vec<CodeQuote> {
    let read = |(index, item): (usize, &Value)| {
        let mut fields = Fields::new(item, format!("{path}.{index}"), problems)?;
        let path = fields.required("path", "a string", text);
        let line_start = fields.required("line_start", "an integer of 0 or more", line);
        let line_end = fields.required("line_end", "an integer of 0 or more", line);
        let quote = fields.required("quote", "a string", text);
        fields.finish();
        Some(CodeQuote { path: path?, line_start: line_start?, line_end: line_end?, quote: quote? })
    };
    list.iter().enumerate().filter_map(read).collect()
}

/// Reads a finding. Returns `None` if a field that it needs cannot be read.
fn read_finding(
    value: &Value,
    path: String,
    problems: &mut Vec<String>,
    unknown_categories: &mut u32,
) -> Option<AgentFinding> {
    let mut fields = Fields::new(value, path, problems)?;
    let finding_id = fields.optional("finding_id", "a string", text);
    let severity = fields.required("severity", "one of info, low, medium, high, critical", named::<Severity>);
    let category = fields.required(
        "category",
        "one of correctness, security, performance, maintainability, style, testing, docs, other",
        |value| match named::<Category>(value) {
            None if value.is_string() => Some((Category::Other, 1)),
            known => known.map(|category| (category, 0)),
        },
    );
    let path = fields.required("path", "a string", text);
    let line_start = fields.required("line_start", "an integer of 0 or more", line);
    let line_end = fields.required("line_end", "an integer of 0 or more", line);
    let title = fields.optional("title", "a string", text);
    let body_markdown = fields.required("body_markdown", "a string", text);
    let side = fields.optional("side", "one of new, old", named::<Side>);
    let quote = fields.optional("quote", "a string", text);
    let confidence = fields.optional("confidence", "a number from 0 to 1", |value| {
        value.as_f64().filter(|number| (0.0..=1.0).contains(number))
    });
    let patch = fields.optional("suggested_patch", "an object", |value| value.is_object().then(|| value.clone()));
    let patch_path = fields.at("suggested_patch");
    let suggested_patch = match patch {
        Some(patch) => Some(read_patch(&patch, patch_path, fields.problems)),
        None => None,
    };
    fields.finish();
    let (category, unknown) = category?;
    *unknown_categories += unknown;
    Some(AgentFinding {
        finding_id,
        severity: severity?,
        category,
        path: path?,
        line_start: line_start?,
        line_end: line_end?,
        title,
        body_markdown: body_markdown?,
        side,
        quote,
        confidence,
        suggested_patch: suggested_patch.flatten(),
    })
}

fn read_patch(value: &Value, path: String, problems: &mut Vec<String>) -> Option<SuggestedPatch> {
    let mut fields = Fields::new(value, path, problems)?;
    let format = fields.required("format", "one of unified-diff, replacement", named::<PatchFormat>);
    let content = fields.required("content", "a string", text);
    fields.finish();
    Some(SuggestedPatch { format: format?, content: content? })
}
