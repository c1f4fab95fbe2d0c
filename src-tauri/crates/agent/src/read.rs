//! Reads the output of one-shot programs by the rules of their entry. Lines that are not JSON, and events without a rule, are
//! ignored.

use std::collections::BTreeMap;

use serde_json::Value;

use super::failure::{Failure, FailureKind, classify};
use super::reported::ReportedFiles;
use diffsan_config::{AgentSpec, ReadRule, Transport, UsagePlaces};
use diffsan_review::TokenUsage;

/// The message of an error that has none.
pub(super) const NO_REASON: &str = "it reported an error without a reason";
/// The maximum size of the output that is searched for an envelope that spans lines.
const MAX_RAW_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of `{` that are tried as the beginning of an envelope.
const MAX_TRIES: usize = 1000;

/// The result of an agent's output so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) answer: Option<String>,
    pub(super) usage: Option<TokenUsage>,
    /// In US dollars.
    pub(super) cost: Option<f64>,
    pub(super) session: Option<String>,
    /// The error that ended the request.
    pub(super) error: Option<String>,
    /// The last error that did not end the request.
    pub(super) note: Option<String>,
    /// The answer is complete.
    pub(super) completed: bool,
    /// No more output follows.
    pub(super) ended: bool,
    /// The files that the agent reported as opened.
    pub(super) reported: ReportedFiles,
    raw: String,
}

impl Reading {
    /// Reads one line. Returns the progress that it reports.
    pub(super) fn line(&mut self, spec: &AgentSpec, line: &str) -> Option<String> {
        if spec.transport != Transport::OneshotNdjson && self.raw.len() + line.len() < MAX_RAW_BYTES {
            self.raw.push_str(line);
            self.raw.push('\n');
        }
        if spec.transport == Transport::OneshotText {
            return Some("writing the answer".to_owned());
        }
        let event: Value = serde_json::from_str(line).ok()?;
        self.reported.event(&spec.opens, &event);
        self.event(&spec.read, &event)
    }

    /// Applies every rule that matches an event.
    fn event(&mut self, rules: &[ReadRule], event: &Value) -> Option<String> {
        let mut progress = None;
        for rule in rules.iter().filter(|rule| fits(rule, event)) {
            if rule.forget {
                self.answer = None;
            }
            if let Some(text) = first(event, &rule.answer) {
                self.answer = Some(text);
            }
            if let Some(piece) = at(event, &rule.append).and_then(Value::as_str) {
                self.answer.get_or_insert_default().push_str(piece);
            }
            if !rule.error.is_empty() {
                let message = first(event, &rule.error).filter(|message| !message.trim().is_empty());
                self.error = Some(with_status(
                    readable(message.as_deref().unwrap_or(NO_REASON)),
                    at(event, &rule.status).and_then(Value::as_u64),
                ));
            }
            if let Some(note) = first(event, &rule.note) {
                let note = readable(&note);
                progress = Some(note.clone());
                self.note = Some(note);
            }
            if let Some(name) = at(event, &rule.session).and_then(Value::as_str) {
                self.session = Some(name.to_owned());
            }
            if let Some(places) = &rule.usage {
                self.count(event, places);
            }
            if !rule.say.is_empty() {
                progress = Some(rule.say.clone());
            }
            self.completed |= rule.done;
            self.ended |= rule.last;
        }
        progress
    }

    fn count(&mut self, event: &Value, places: &UsagePlaces) {
        let number = |places: &[String]| places.iter().find_map(|place| at(event, place)?.as_u64());
        if let Some(cost) = places.cost.iter().find_map(|place| at(event, place)?.as_f64()).filter(|cost| *cost > 0.0) {
            self.cost = Some(if places.adds { self.cost.unwrap_or_default() + cost } else { cost });
        }
        let (Some(input), Some(output)) = (number(&places.input), number(&places.output)) else { return };
        let cached_input = number(&places.cached).unwrap_or(0);
        let input = if places.cached_apart { input + cached_input } else { input };
        let counted = TokenUsage { input, cached_input, output };
        self.usage = Some(match self.usage {
            Some(before) if places.adds => before.plus(counted),
            _ => counted,
        });
    }

    /// Searches the whole output where no line completed the answer: an envelope may span lines, or follow a banner on the same
    /// line. Output without an envelope is the answer.
    pub(super) fn finish(&mut self, spec: &AgentSpec) {
        if self.completed || self.error.is_some() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        if spec.transport == Transport::OneshotJson {
            let known = |value: &Value| spec.read.iter().any(|rule| rule.done && fits(rule, value));
            let envelope = raw.match_indices('{').take(MAX_TRIES).find_map(|(start, _)| {
                let mut stream = serde_json::Deserializer::from_str(&raw[start..]).into_iter::<Value>();
                stream.next()?.ok().filter(|value| known(value))
            });
            if let Some(envelope) = envelope {
                self.event(&spec.read, &envelope);
                return;
            }
        }
        if !raw.trim().is_empty() {
            self.answer = Some(raw);
            self.completed = true;
        }
    }

    /// Takes the answer. Success needs a good exit, a final event without error, and an answer; the exit code alone is not enough.
    pub(super) fn take_answer(&mut self, succeeded: bool, stderr: &str) -> Result<String, Failure> {
        if let Some(error) = self.error.take() {
            return Err(Failure::classified(error));
        }
        match self.answer.take().filter(|text| !text.trim().is_empty()) {
            Some(text) if succeeded && self.completed => Ok(text),
            // A sign-in banner comes on standard output, like an answer.
            Some(text) if !succeeded => {
                let banner = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                Err(Failure::classified(format!("{}\n{banner}", last_lines(stderr)).trim()))
            }
            _ => {
                let message = self.note.take().unwrap_or_else(|| last_lines(stderr));
                let kind = match classify(&message) {
                    FailureKind::Other if succeeded => FailureKind::NoAnswer,
                    kind => kind,
                };
                Err(Failure::new(kind, message))
            }
        }
    }
}

/// The last three lines with text.
pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

fn fits(rule: &ReadRule, event: &Value) -> bool {
    has_values(event, &rule.when)
}

/// Whether a value has these values at these places. Of a list, one value is enough.
pub(super) fn has_values(value: &Value, wanted: &BTreeMap<String, Value>) -> bool {
    wanted.iter().all(|(place, wanted)| {
        at(value, place).is_some_and(|found| match wanted {
            Value::Array(several) => several.contains(found),
            one => one == found,
        })
    })
}

/// The value at a place: names joined by dots.
pub(super) fn at<'a>(event: &'a Value, place: &str) -> Option<&'a Value> {
    if place.is_empty() {
        return None;
    }
    place
        .split('.')
        .try_fold(event, |value, name| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            other => other.get(name),
        })
        .filter(|value| !value.is_null())
}

/// The first of several places that has something, as text.
pub(super) fn first(event: &Value, places: &[String]) -> Option<String> {
    places.iter().find_map(|place| {
        Some(match at(event, place)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    })
}

/// An error message with its HTTP status in front, unless it contains that.
pub(super) fn with_status(message: String, status: Option<u64>) -> String {
    match status.map(|status| status.to_string()).filter(|status| !message.contains(status)) {
        Some(status) => format!("{status}: {message}"),
        None => message,
    }
}

/// Extracts the sentence of a provider's error, which often is the raw JSON body.
pub(super) fn readable(message: &str) -> String {
    let Some(start) = message.find('{') else { return message.to_owned() };
    let mut stream = serde_json::Deserializer::from_str(&message[start..]).into_iter::<Value>();
    let Some(Ok(body)) = stream.next() else { return message.to_owned() };
    let sentence = ["error.message", "message", "error"].iter().find_map(|place| at(&body, place)?.as_str());
    let Some(sentence) = sentence else { return message.to_owned() };
    let status = ["error.code", "error.status", "code", "status"].iter().find_map(|place| at(&body, place)?.as_u64());
    let before = message[..start].trim().trim_start_matches('[').trim_end_matches(':');
    let status = status.map(|status| status.to_string()).filter(|status| !before.contains(status)).unwrap_or_default();
    let parts = [before, &status].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| format!("{part}: ")).collect::<String>() + sentence
}
