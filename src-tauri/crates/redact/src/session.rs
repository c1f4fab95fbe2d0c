//! A redaction session: it numbers the secrets of one run, remembers them so that every copy is masked, and writes the marks.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Redactor;
use super::blocks;
use super::code::is_public;
use super::copies::{self, Copies};
use super::engine::{find, marker};
use super::forms;
use super::marks::Uniform;
use super::places::{self, Kind};
use super::span::Span;
use super::types::{Redacted, RedactedFile, RedactionMatch, RedactionReason, RedactionReport};
use super::values::is_identifier;

/// The mark for a secret in texts without numbered marks.
pub const TOKEN: &str = "[REDACTED]";

/// The maximum number of times that a masked text is read again.
const PASSES: usize = 4;
/// The number of lines around a changed line that are read with it.
const BESIDE: usize = 8;
/// The maximum number of listed matches. Further matches are only counted, so that a stream of any length needs no more memory.
const MAX_MATCHES: usize = 50_000;

/// The maximum number of secrets whose encoded copies are searched for. For further secrets only plain copies are.
const ENOUGH_FORMS: usize = 2_000;

/// The redaction session of one run.
#[derive(Clone)]
pub struct Session {
    pub(super) redactor: Arc<Redactor>,
    /// The secrets whose copies are masked: the number of each, and the rule that found it.
    known: Vec<(usize, Cow<'static, str>)>,
    copies: Copies,
    /// The numbers of the other secrets.
    numbers: FxHashMap<Vec<u8>, usize>,
    /// The last number that was assigned.
    last: usize,
    matches: Vec<Match>,
    /// The places that `matches` refer to by index.
    places: Vec<String>,
    unlisted: u64,
}

/// One masked place, in compact form.
#[derive(Clone)]
struct Match {
    rule: Cow<'static, str>,
    reason: RedactionReason,
    place: usize,
    line: Option<u32>,
    digest: [u8; 32],
    length: u32,
}

/// The form of a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `[REDACTED:rule:number]`
    Numbered,
    /// `[REDACTED]`
    Plain,
}

impl Session {
    pub(super) fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            numbers: FxHashMap::default(),
            known: Vec::new(),
            copies: Copies::default(),
            last: 0,
            matches: Vec::new(),
            places: Vec::new(),
            unlisted: 0,
        }
    }

    /// Masks a text. The number of its lines does not change.
    pub fn text(&mut self, place: &str, text: &str) -> Redacted<String> {
        Redacted::vouch(self.mask_text(place, text, Form::Numbered))
    }

    /// Masks a text for a field of a contract type, with marks without numbers.
    pub fn contract(&mut self, place: &str, text: &str) -> Redacted<String> {
        Redacted::vouch(self.mask_text(place, text, Form::Plain))
    }

    /// Masks the bytes of a file in UTF-8, UTF-16 or any other encoding.
    pub fn bytes(&mut self, place: &str, bytes: &[u8]) -> Redacted<Vec<u8>> {
        if let Some((text, encode)) = super::utf16::decode(bytes) {
            let masked = self.mask_text(place, &text, Form::Numbered);
            return Redacted::vouch(encode(&masked));
        }
        let masked = self.mask(place, bytes, &line_number, Form::Numbered);
        Redacted::vouch(masked.unwrap_or_else(|| bytes.to_vec()))
    }

    /// Masks the bytes of a file for a room. The marks have no numbers, because rooms outlive the run that numbered the secrets.
    pub fn room_file(&mut self, place: &str, bytes: &[u8]) -> Redacted<Vec<u8>> {
        if let Some((text, encode)) = super::utf16::decode(bytes) {
            let masked = self.mask_text(place, &text, Form::Plain);
            return Redacted::vouch(encode(&masked));
        }
        let masked = self.mask(place, bytes, &line_number, Form::Plain);
        Redacted::vouch(masked.unwrap_or_else(|| bytes.to_vec()))
    }

    /// Masks the secrets that are known now in a file that was masked before. Returns `None` if it contains none of them.
    pub fn room_file_again(&mut self, place: &str, bytes: &[u8]) -> Option<Redacted<Vec<u8>>> {
        self.replace(place, bytes, Vec::new(), &line_number, Form::Plain, &mut Vec::new()).map(Redacted::vouch)
    }

    /// Returns whether the session knows a secret whose copies are masked.
    pub fn knows_secrets(&self) -> bool {
        !self.copies.is_empty()
    }

    /// Masks every text of a JSON value.
    pub fn value(&mut self, place: &str, value: serde_json::Value) -> Redacted<serde_json::Value> {
        Redacted::vouch(self.mask_value(place, value))
    }

    fn mask_value(&mut self, place: &str, value: serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) => Value::String(self.mask_text(place, &text, Form::Plain)),
            Value::Array(items) => items.into_iter().map(|item| self.mask_value(place, item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(key, value)| self.mask_field(place, &key, value)).collect()
            }
            other => other,
        }
    }

    /// Masks a text together with its key, as it would be read in a file.
    fn mask_field(&mut self, place: &str, key: &str, value: serde_json::Value) -> (String, serde_json::Value) {
        let masked_key = self.mask_text(place, key, Form::Plain);
        if let serde_json::Value::String(text) = &value
            && !text.contains(['"', '\\', '\n'])
        {
            let whole = format!("\"{key}\": \"{text}\"");
            let head = key.len() + 5;
            let masked = self.mask_text(place, &whole, Form::Plain);
            if masked != whole && masked.starts_with(&whole[..head]) && masked.ends_with('"') {
                return (masked_key, serde_json::Value::String(masked[head..masked.len() - 1].to_owned()));
            }
        }
        (masked_key, self.mask_value(place, value))
    }

    /// Masks every text of a value that `each_text` visits, with marks without numbers. It must visit every text that is not masked yet.
    pub fn texts<T>(
        &mut self,
        place: &str,
        mut value: T,
        each_text: impl FnOnce(&mut T, &mut dyn FnMut(&mut String)),
    ) -> Redacted<T> {
        each_text(&mut value, &mut |text| *text = self.mask_text(place, text, Form::Plain));
        Redacted::vouch(value)
    }

    /// Returns the report of all matches so far.
    pub fn report(&self) -> RedactionReport {
        let matches: Vec<_> = self.matches.iter().map(|found| self.listed(found)).collect();
        RedactionReport {
            enabled: self.redactor.enabled,
            found: !matches.is_empty(),
            files: RedactedFile::summarize(&matches),
            matches,
            unlisted: self.unlisted,
            redaction_token: TOKEN.to_owned(),
        }
    }

    fn mask_text(&mut self, place: &str, text: &str, form: Form) -> String {
        match self.mask(place, text.as_bytes(), &line_number, form) {
            Some(masked) => String::from_utf8_lossy(&masked).into_owned(),
            None => text.to_owned(),
        }
    }

    /// Masks a text without changing the number of its lines. The files of a diff in it are read by their paths. Returns `None` if nothing is masked. `number` maps the index of a line to its
    /// number in the report.
    pub(super) fn mask(
        &mut self,
        place: &str,
        text: &[u8],
        number: &dyn Fn(usize) -> Option<u32>,
        form: Form,
    ) -> Option<Vec<u8>> {
        if super::patch::has_hunks(text) {
            let parts = super::patch::parts(text, false);
            if parts.iter().any(|part| part.path.is_some()) {
                return self.mask_parts(place, text, &parts, form);
            }
        }
        let found = self.discover(place, text);
        self.cover(place, text, found, number, form)
    }

    /// Finds the secrets of a text and remembers them.
    pub(super) fn discover(&mut self, place: &str, text: &[u8]) -> Vec<Span> {
        if !self.redactor.enabled {
            return Vec::new();
        }
        let mut spans = self.find(place, text);
        self.learn_spans(text, &mut spans);
        spans
    }

    /// Remembers found secrets, in their order.
    pub(super) fn learn_spans(&mut self, text: &[u8], spans: &mut [Span]) {
        for span in spans {
            span.known = self.learn(&text[span.start..span.end], span.rule.clone());
        }
    }

    /// Finds the secrets of a text.
    pub(super) fn find(&self, place: &str, text: &[u8]) -> Vec<Span> {
        self.find_of_kind((place, places::kind(place)), text)
    }

    /// Finds the secrets of a text from a place of a kind.
    fn find_of_kind(&self, (place, kind): (&str, Kind), text: &[u8]) -> Vec<Span> {
        let mut spans = match Uniform::new(text) {
            None => find(text, place, kind, &self.redactor),
            Some(uniform) => {
                let mut spans = find(&uniform.text, place, kind, &self.redactor);
                uniform.restore(&mut spans);
                spans
            }
        };
        self.redactor.let_through(place, text, &mut spans);
        spans
    }

    /// Returns the number of secrets whose copies are masked.
    pub(super) fn known_secrets(&self) -> usize {
        self.known.len()
    }

    /// Returns whether nothing of a text from a place of a kind would be masked.
    pub(super) fn is_clear(&self, place: (&str, Kind), text: &[u8]) -> bool {
        !super::patch::has_hunks(text) && !self.has_copy(text) && self.find_of_kind(place, text).is_empty()
    }

    /// Returns whether a secret is known of which copies are masked.
    pub(super) fn knows_copies(&self) -> bool {
        !self.copies.is_empty()
    }

    /// Returns whether a text contains a copy of a known secret.
    pub(super) fn has_copy(&self, text: &[u8]) -> bool {
        self.knows_copies() && !self.copies.find(text, &[]).is_empty()
    }

    /// Masks the found spans and every copy of a known secret.
    ///
    /// The masked text is read again, because a secret next to another one may only be visible then. As a result, masking a masked text
    /// changes nothing.
    pub(super) fn cover(
        &mut self,
        place: &str,
        text: &[u8],
        found: Vec<Span>,
        number: &dyn Fn(usize) -> Option<u32>,
        form: Form,
    ) -> Option<Vec<u8>> {
        if !self.redactor.enabled {
            return None;
        }
        // A key block can span any number of lines.
        let blocks = found.iter().any(|span| span.rule == blocks::RULE);
        let mut open = Vec::new();
        let mut masked = self.replace(place, text, found, number, form, &mut open)?;
        for _ in 0..PASSES {
            if !blocks && self.is_settled(place, &masked, &mut open) {
                break;
            }
            let again = self.discover(place, &masked);
            match self.replace(place, &masked, again, number, form, &mut open) {
                Some(more) => masked = more,
                None => break,
            }
        }
        Some(masked)
    }

    /// Returns whether the lines with open marks, and the lines beside them, contain no further secret.
    fn is_settled(&self, place: &str, masked: &[u8], open: &mut Vec<usize>) -> bool {
        if open.is_empty() {
            return true;
        }
        open.sort_unstable();
        open.dedup();
        let mut next = open.iter().copied().peekable();
        let mut around = Vec::new();
        for (line, text) in masked.split(|byte| *byte == b'\n').enumerate() {
            while next.peek().is_some_and(|&marked| marked + BESIDE < line) {
                next.next();
            }
            if next.peek().is_some_and(|&marked| marked <= line + BESIDE) {
                around.extend_from_slice(text);
                around.push(b'\n');
            }
        }
        around.pop();
        let mut found = self.find(place, &around);
        self.add_copies(&around, &mut found);
        found.is_empty()
    }

    /// Replaces the spans and copies in one pass. Returns `None` if there are none.
    fn replace(
        &mut self,
        place: &str,
        text: &[u8],
        mut spans: Vec<Span>,
        number: &dyn Fn(usize) -> Option<u32>,
        form: Form,
        open: &mut Vec<usize>,
    ) -> Option<Vec<u8>> {
        self.add_copies(text, &mut spans);
        if spans.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(text.len() + 32 * spans.len());
        let mut at = 0;
        let mut counted = 0;
        let mut line = 0;
        let mut changed = false;
        for span in &spans {
            line += bytecount(&text[counted..span.start]);
            counted = span.start;
            let secret = &text[span.start..span.end];
            let mark = self.mark(secret, span, form);
            out.extend_from_slice(&text[at..span.start]);
            // A secret over several lines is masked on each of them, so that line numbers do not change.
            let lines = bytecount(secret);
            if !is_closed(text, span) {
                open.extend(line..=line + lines);
            }
            for (index, part) in secret.split(|byte| *byte == b'\n').enumerate() {
                if index > 0 {
                    out.push(b'\n');
                }
                // A carriage return belongs to the line end, not to the secret.
                let ended = index < lines || text.get(span.end) == Some(&b'\n');
                let bare = if ended { part.strip_suffix(b"\r").unwrap_or(part) } else { part };
                // The indentation and the quotes of a line of a key are no part of it.
                let (from, to) = if span.rule == blocks::RULE { blocks::inner(bare) } else { (0, bare.len()) };
                if bare.trim_ascii().is_empty() || from >= to {
                    out.extend_from_slice(bare);
                } else {
                    out.extend_from_slice(&bare[..from]);
                    out.extend_from_slice(&mark);
                    out.extend_from_slice(&bare[to..]);
                    changed = true;
                }
                out.extend_from_slice(&part[bare.len()..]);
            }
            at = span.end;
            self.note(place, secret, span, number(line));
        }
        out.extend_from_slice(&text[at..]);
        changed.then_some(out)
    }

    fn add_copies(&self, text: &[u8], spans: &mut Vec<Span>) {
        if self.copies.is_empty() {
            return;
        }
        let taken: Vec<(usize, usize)> = spans.iter().map(|span| (span.start, span.end)).collect();
        let copies = self.copies.find(text, &taken);
        if copies.is_empty() {
            return;
        }
        let marks: Vec<(usize, usize)> = marker().find_iter(text).map(|mark| (mark.start(), mark.end())).collect();
        let touches = |places: &[(usize, usize)], start: usize, end: usize| {
            let next = places.partition_point(|&(_, to)| to <= start);
            places.get(next).is_some_and(|&(from, _)| from < end)
        };
        let fresh =
            copies.into_iter().filter(|&(start, end, _)| !touches(&marks, start, end) && !touches(&taken, start, end));
        spans.extend(fresh.map(|(start, end, known)| {
            Span {
                known: Some(known),
                ..Span::new(start, forms::with_padding(text, end), self.known[known].1.clone())
                    .because(RedactionReason::Copy)
            }
        }));
        spans.sort_by_key(|span| span.start);
        // The padding of a copy can be the beginning of the next span.
        for index in 1..spans.len() {
            let next = spans[index].start;
            let end = &mut spans[index - 1].end;
            *end = next.min(*end);
        }
    }

    /// Remembers a secret if it is long and unusual enough that an equal text is a copy of it, and if it cannot be a word of code.
    fn learn(&mut self, secret: &[u8], rule: Cow<'static, str>) -> Option<usize> {
        let secret = secret.trim_ascii();
        let is_name = is_identifier(secret) && !is_capitalized_phrase(secret);
        if secret.len() < copies::SHORTEST || secret.contains(&b'\n') || is_name || is_public(secret) {
            return None;
        }
        if let Some(known) = self.copies.secret(secret) {
            return Some(known);
        }
        let index = self.known.len();
        if !self.copies.add(secret.to_vec(), index) {
            return None;
        }
        let number = self.next_number();
        self.known.push((number, rule));
        if index < ENOUGH_FORMS {
            for form in forms::forms(secret) {
                match self.copies.secret(&form) {
                    // An earlier secret turns out to be this one in another form.
                    Some(other) => self.known[other].0 = number,
                    None => drop(self.copies.add(form, index)),
                }
            }
        }
        Some(index)
    }

    fn next_number(&mut self) -> usize {
        self.last += 1;
        self.last
    }

    fn mark(&mut self, secret: &[u8], span: &Span, form: Form) -> Vec<u8> {
        if form == Form::Plain {
            return TOKEN.as_bytes().to_vec();
        }
        let number = match span.known {
            Some(known) => self.known[known].0,
            None => {
                let secret = secret.trim_ascii();
                match self.numbers.get(secret) {
                    Some(number) => *number,
                    None => {
                        let next = self.next_number();
                        self.numbers.insert(secret.to_vec(), next);
                        next
                    }
                }
            }
        };
        format!("[REDACTED:{}:{number}]", span.rule).into_bytes()
    }

    fn note(&mut self, place: &str, secret: &[u8], span: &Span, line: Option<u32>) {
        if self.matches.len() >= MAX_MATCHES {
            self.unlisted += 1;
            return;
        }
        if self.places.last().is_none_or(|last| last != place) {
            self.places.push(place.to_owned());
        }
        self.matches.push(Match {
            rule: span.rule.clone(),
            reason: span.reason.clone(),
            place: self.places.len() - 1,
            line,
            digest: self.redactor.digest(secret),
            length: u32::try_from(secret.len()).unwrap_or(u32::MAX),
        });
    }

    fn listed(&self, found: &Match) -> RedactionMatch {
        RedactionMatch {
            pattern_name: found.rule.to_string(),
            path: self.places[found.place].clone(),
            line_hint: found.line,
            match_sha256: hex::encode(found.digest),
            match_length: found.length,
            reason: found.reason.clone(),
        }
    }
}

/// Returns whether a secret consists of words with capitals and a number, which no name in code does: `Fern-Seher-8`.
fn is_capitalized_phrase(secret: &[u8]) -> bool {
    let words = || secret.split(|byte| *byte == b'-' || *byte == b'_').filter(|word| !word.is_empty());
    let capital =
        |word: &[u8]| word.len() > 2 && word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase);
    secret.iter().any(u8::is_ascii_digit) && words().filter(|word| capital(word)).count() > 1
}

/// Returns whether a value fills its quotes completely, so that no adjacent text can join its mark.
fn is_closed(text: &[u8], span: &Span) -> bool {
    let quote = |at: Option<usize>| at.and_then(|at| text.get(at)).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    span.rule == super::keyed::RULE
        && quote(span.start.checked_sub(1)).is_some_and(|open| quote(Some(span.end)) == Some(open))
        && !text[span.start..span.end].contains(&b'\n')
}

/// Returns the number of a line in a plain text, from its index.
pub(super) fn line_number(index: usize) -> Option<u32> {
    u32::try_from(index + 1).ok()
}

fn bytecount(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}
