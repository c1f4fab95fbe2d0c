//! One run's redaction: numbers the secrets, remembers them so that every copy goes, and writes the marks.

use std::collections::HashMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Redactor;
use super::engine::{Span, find, marker};
use super::rules::entropy;
use super::types::{Redacted, RedactionMatch, RedactionReport};

/// What stands for a secret where nothing else is said.
pub const TOKEN: &str = "[REDACTED]";

/// A shorter secret is masked where it was found, and not wherever its letters stand.
const SHORTEST_COPY: usize = 8;

/// How often what was masked is read again.
const PASSES: usize = 4;

/// One run.
#[derive(Clone)]
pub struct Session {
    pub(super) redactor: Arc<Redactor>,
    numbers: HashMap<Vec<u8>, usize>,
    /// The secrets whose copies are masked, with the rule that found each; and the automaton that finds them.
    known: Vec<(Vec<u8>, String, Vec<u8>)>,
    copies: Option<Arc<AhoCorasick>>,
    matches: Vec<RedactionMatch>,
}

/// How a masked place looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `[REDACTED:rule:number]`
    Numbered,
    /// `[REDACTED]`
    Plain,
}

impl Session {
    pub(super) fn new(redactor: Arc<Redactor>) -> Self {
        Self { redactor, numbers: HashMap::new(), known: Vec::new(), copies: None, matches: Vec::new() }
    }

    /// A text as it may leave. The number of its lines stays.
    pub fn text(&mut self, place: &str, text: &str) -> Redacted<String> {
        Redacted::vouch(self.mask_text(place, text, Form::Numbered))
    }

    /// A text for a contract field.
    pub fn contract(&mut self, place: &str, text: &str) -> Redacted<String> {
        Redacted::vouch(self.mask_text(place, text, Form::Plain))
    }

    /// A diff as text: its lines' first characters are no part of what they say.
    pub fn diff_text(&mut self, place: &str, patch: &str) -> Redacted<String> {
        let lines: Vec<&[u8]> = patch.split('\n').map(str::as_bytes).collect();
        let prefix = |line: &[u8]| {
            let header = [&b"+++ "[..], b"--- ", b"@@", b"diff "].iter().any(|start| line.starts_with(start));
            usize::from(!header && matches!(line.first(), Some(b'+' | b'-' | b' ')))
        };
        let bare: Vec<&[u8]> = lines.iter().map(|line| &line[prefix(line)..]).collect();
        let masked = self.mask_lines(place, &bare, |_| None, Form::Numbered);
        let mut out = Vec::with_capacity(patch.len());
        for (index, (line, masked)) in lines.iter().zip(masked).enumerate() {
            if index > 0 {
                out.push(b'\n');
            }
            out.extend_from_slice(&line[..prefix(line)]);
            out.extend_from_slice(masked.as_deref().unwrap_or(&line[prefix(line)..]));
        }
        Redacted::vouch(String::from_utf8_lossy(&out).into_owned())
    }

    /// A file's bytes: UTF-8, UTF-16 or anything else.
    pub fn bytes(&mut self, place: &str, bytes: &[u8]) -> Redacted<Vec<u8>> {
        if let Some((text, encode)) = super::utf16::decode(bytes) {
            let masked = self.mask_text(place, &text, Form::Numbered);
            return Redacted::vouch(encode(&masked));
        }
        let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        let masked = self.mask_lines(place, &lines, |index| u32::try_from(index + 1).ok(), Form::Numbered);
        let whole: Vec<&[u8]> =
            lines.iter().zip(&masked).map(|(line, masked)| masked.as_deref().unwrap_or(line)).collect();
        Redacted::vouch(whole.join(&b'\n'))
    }

    /// Every text of a JSON value.
    pub fn value(&mut self, place: &str, value: serde_json::Value) -> Redacted<serde_json::Value> {
        Redacted::vouch(self.mask_value(place, value))
    }

    fn mask_value(&mut self, place: &str, value: serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) => Value::String(self.mask_text(place, &text, Form::Plain)),
            Value::Array(items) => items.into_iter().map(|item| self.mask_value(place, item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(key, value)| (self.mask_text(place, &key, Form::Plain), self.mask_value(place, value)))
                .collect(),
            other => other,
        }
    }

    /// What was masked so far.
    pub fn report(&self) -> RedactionReport {
        RedactionReport {
            enabled: self.redactor.enabled,
            found: !self.matches.is_empty(),
            matches: self.matches.clone(),
            redaction_token: TOKEN.to_owned(),
        }
    }

    fn mask_text(&mut self, place: &str, text: &str, form: Form) -> String {
        let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
        let masked = self.mask_lines(place, &lines, |index| u32::try_from(index + 1).ok(), form);
        if masked.iter().all(Option::is_none) {
            return text.to_owned();
        }
        let whole: Vec<&[u8]> =
            lines.iter().zip(&masked).map(|(line, masked)| masked.as_deref().unwrap_or(line)).collect();
        String::from_utf8_lossy(&whole.join(&b'\n')).into_owned()
    }

    /// Masks neighbouring lines; none for those that stay. `number` tells a line's number for the report.
    ///
    /// What was masked is read again: a secret that ran into another one shows only then. So masking what is masked
    /// changes nothing.
    pub(super) fn mask_lines(
        &mut self,
        place: &str,
        lines: &[&[u8]],
        number: impl Fn(usize) -> Option<u32>,
        form: Form,
    ) -> Vec<Option<Vec<u8>>> {
        let mut masked = self.mask_once(place, lines, &number, form);
        for _ in 0..PASSES {
            if masked.iter().all(Option::is_none) {
                break;
            }
            let now: Vec<&[u8]> =
                lines.iter().zip(&masked).map(|(line, masked)| masked.as_deref().unwrap_or(line)).collect();
            let again = self.mask_once(place, &now, &number, form);
            if again.iter().all(Option::is_none) {
                break;
            }
            for (line, again) in masked.iter_mut().zip(again) {
                *line = again.or(line.take());
            }
        }
        masked
    }

    fn mask_once(
        &mut self,
        place: &str,
        lines: &[&[u8]],
        number: &impl Fn(usize) -> Option<u32>,
        form: Form,
    ) -> Vec<Option<Vec<u8>>> {
        let mut masked = vec![None; lines.len()];
        if !self.redactor.enabled {
            return masked;
        }
        let text = lines.join(&b'\n');
        let spans = self.find_all(&text, place);
        if spans.is_empty() {
            return masked;
        }
        let mut starts = Vec::with_capacity(lines.len());
        let mut at = 0;
        for line in lines {
            starts.push(at);
            at += line.len() + 1;
        }
        let line_of = |at: usize| starts.partition_point(|&start| start <= at) - 1;
        let mut marks = Vec::with_capacity(spans.len());
        for span in &spans {
            let secret = &text[span.start..span.end];
            marks.push(self.mark(secret, &span.rule, form));
            self.note(place, secret, &span.rule, number(line_of(span.start)));
        }
        for (span, mark) in spans.iter().zip(&marks).rev() {
            let mut line = line_of(span.start);
            // A secret over several lines is masked on each, so that the lines keep their numbers.
            while line < lines.len() && starts[line] < span.end {
                let (from, to) = (span.start.max(starts[line]), span.end.min(starts[line] + lines[line].len()));
                let before = lines[line][..].len();
                let part = (from - starts[line].min(from)).min(before)..to.saturating_sub(starts[line]).min(before);
                if part.start < part.end && !lines[line][part.clone()].trim_ascii().is_empty() {
                    let text = masked[line].get_or_insert_with(|| lines[line].to_vec());
                    // A carriage return ends the line; it is no part of the secret.
                    let end = if part.end == before && lines[line].ends_with(b"\r") { part.end - 1 } else { part.end };
                    if part.start < end {
                        text.splice(part.start..end, mark.iter().copied());
                    }
                }
                line += 1;
            }
        }
        masked
    }

    /// New secrets and copies of known ones.
    fn find_all(&mut self, text: &[u8], place: &str) -> Vec<Span> {
        let mut spans = find(text, place, &self.redactor);
        for span in &spans {
            self.learn(&text[span.start..span.end], &span.rule);
        }
        if let Some(copies) = self.copies() {
            let marks: Vec<(usize, usize)> = marker().find_iter(text).map(|mark| (mark.start(), mark.end())).collect();
            let fresh = copies.find_iter(text).filter_map(|hit| {
                let inside_mark = marks.iter().any(|&(start, end)| hit.start() < end && hit.end() > start);
                let overlaps = spans.iter().any(|span| hit.start() < span.end && hit.end() > span.start);
                (!inside_mark && !overlaps).then(|| Span {
                    start: hit.start(),
                    end: hit.end(),
                    rule: self.known[hit.pattern().as_usize()].1.clone().into(),
                })
            });
            let fresh: Vec<Span> = fresh.collect();
            spans.extend(fresh);
            spans.sort_by_key(|span| span.start);
        }
        spans
    }

    /// Remembers a secret, if it is long and odd enough that its copies are no accident.
    pub(super) fn learn(&mut self, secret: &[u8], rule: &str) {
        let secret = secret.trim_ascii();
        let odd = secret.iter().any(u8::is_ascii_digit) || secret.iter().any(|byte| byte.is_ascii_punctuation());
        if secret.len() < SHORTEST_COPY
            || secret.contains(&b'\n')
            || !(odd || entropy(secret) > 3.3 && secret.len() > 15)
        {
            return;
        }
        if self.known.iter().any(|(known, ..)| known == secret) {
            return;
        }
        let encoded = base64::engine::general_purpose::STANDARD_NO_PAD.encode(secret).into_bytes();
        let escaped: Vec<u8> = secret
            .iter()
            .flat_map(|&byte| {
                let plain = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
                if plain { vec![byte] } else { format!("%{byte:02X}").into_bytes() }
            })
            .collect();
        for form in [secret.to_vec(), encoded, escaped] {
            if !self.known.iter().any(|(known, ..)| *known == form) {
                self.known.push((form, rule.to_owned(), secret.to_vec()));
            }
        }
        self.copies = None;
    }

    fn copies(&mut self) -> Option<Arc<AhoCorasick>> {
        if self.copies.is_none() && !self.known.is_empty() {
            let forms = self.known.iter().map(|(form, ..)| form);
            self.copies = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms).ok().map(Arc::new);
        }
        self.copies.clone()
    }

    fn mark(&mut self, secret: &[u8], rule: &str, form: Form) -> Vec<u8> {
        if form == Form::Plain {
            return TOKEN.as_bytes().to_vec();
        }
        // A copy in another form is the same secret.
        let secret = secret.trim_ascii();
        let plain = self.known.iter().find(|(known, ..)| known == secret).map_or(secret, |(.., plain)| plain).to_vec();
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(plain).or_insert(next);
        format!("[REDACTED:{rule}:{number}]").into_bytes()
    }

    fn note(&mut self, place: &str, secret: &[u8], rule: &str, line: Option<u32>) {
        let digest = match Hmac::<Sha256>::new_from_slice(&self.redactor.key) {
            Ok(mut mac) => {
                mac.update(secret);
                mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
            }
            Err(_) => String::new(),
        };
        let noted = RedactionMatch {
            pattern_name: rule.to_owned(),
            path: place.to_owned(),
            line_hint: line,
            match_sha256: digest,
            match_length: u32::try_from(secret.len()).unwrap_or(u32::MAX),
        };
        self.matches.push(noted);
    }
}
