//! Reading an agent's output by the rules of its entry. Lines that are no JSON, and events that no rule speaks of, mean
//! nothing.

use serde_json::Value;

use super::Progress;
use diffsan_config::{AgentSpec, ReadRule, Transport, UsagePlaces};
use diffsan_review::TokenUsage;

/// How much of the output is kept for an envelope that is spread over lines.
const MAX_RAW_BYTES: usize = 16 * 1024 * 1024;
/// How many places are tried for an envelope that begins inside a line.
const TRIES: usize = 1000;

/// What has been read of an agent's output so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) answer: Option<String>,
    pub(super) usage: Option<TokenUsage>,
    /// In US dollars.
    pub(super) cost: Option<f64>,
    pub(super) session: Option<String>,
    /// The agent said that it failed.
    pub(super) error: Option<String>,
    /// The last thing it complained about.
    pub(super) note: Option<String>,
    /// It said that it is done.
    pub(super) completed: bool,
    /// Nothing more will come.
    pub(super) ended: bool,
    raw: String,
}

impl Reading {
    /// Reads one line.
    pub(super) fn line(&mut self, spec: &AgentSpec, line: &str) -> Option<Progress> {
        if spec.transport != Transport::OneshotNdjson && self.raw.len() + line.len() < MAX_RAW_BYTES {
            self.raw.push_str(line);
            self.raw.push('\n');
        }
        if spec.transport == Transport::OneshotText {
            return Some(Progress::new("writing the answer"));
        }
        let event: Value = serde_json::from_str(line).ok()?;
        self.event(&spec.read, &event)
    }

    /// Applies every rule that fits an event.
    fn event(&mut self, rules: &[ReadRule], event: &Value) -> Option<Progress> {
        let mut said = None;
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
                let words = first(event, &rule.error).filter(|words| !words.trim().is_empty());
                let words = words.unwrap_or_else(|| "it reported an error without a reason".to_owned());
                let words = readable(&words);
                let status = at(event, &rule.status).and_then(Value::as_u64).map(|status| status.to_string());
                self.error = Some(match status.filter(|status| !words.contains(status)) {
                    Some(status) => format!("{status}: {words}"),
                    None => words,
                });
            }
            if let Some(words) = first(event, &rule.note) {
                let words = readable(&words);
                said = Some(Progress { message: words.clone() });
                self.note = Some(words);
            }
            if let Some(name) = at(event, &rule.session).and_then(Value::as_str) {
                self.session = Some(name.to_owned());
            }
            if let Some(places) = &rule.usage {
                self.count(event, places);
            }
            if !rule.say.is_empty() {
                said = Some(Progress::new(&rule.say));
            }
            self.completed |= rule.done;
            self.ended |= rule.last;
        }
        said
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

    /// Looks at the whole output where no line said enough: an envelope may be spread over lines, or stand behind a banner on
    /// the same line. Output without one is the answer as it is.
    pub(super) fn finish(&mut self, spec: &AgentSpec) {
        if self.completed || self.error.is_some() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        if spec.transport == Transport::OneshotJson {
            let known = |value: &Value| spec.read.iter().any(|rule| rule.done && fits(rule, value));
            let envelope = raw.match_indices('{').take(TRIES).find_map(|(start, _)| {
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
}

fn fits(rule: &ReadRule, event: &Value) -> bool {
    rule.when.iter().all(|(place, wanted)| {
        at(event, place).is_some_and(|found| match wanted {
            Value::Array(several) => several.contains(found),
            one => one == found,
        })
    })
}

/// The value at a place: names joined by dots.
fn at<'a>(event: &'a Value, place: &str) -> Option<&'a Value> {
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
fn first(event: &Value, places: &[String]) -> Option<String> {
    places.iter().find_map(|place| {
        Some(match at(event, place)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    })
}

/// A provider's error often arrives as its raw JSON body; the sentence in it is what a person can read.
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
