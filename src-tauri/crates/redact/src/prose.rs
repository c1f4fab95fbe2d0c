//! Finds the passwords that a sentence tells: "the password for the demo server is …", "log in with **admin** / **…**", "changed the password
//! from … to …", and labels in other languages than English. The words are data (`config/redaction/prose.toml`).
//!
//! In: a text and the place of a word. Out: spans. Only documents and comments are read. A value must be set apart by quotes, backticks or
//! bold letters, or stand at the end of its clause without being a word of the language.

mod below;
mod later;
mod line;
mod look;
mod nearby;
mod pair;
mod sentence;
#[cfg(test)]
mod tests;
mod value;
mod verb;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::RedactError;
use super::code::is_long_name;
use super::fallback::is_variable;
use super::keyed::in_remark;
use super::phrase::is_disguised;
use super::rules::Source;
use super::shapes::{Shape, shape};
use super::span::Span;
use super::values::{Bare, looks_random};
use super::words::{WORDS, Worth, forms};
use line::{Line, line_around};
use look::Look;
use sentence::is_number;
use value::{Apart, Value, blanks, ends_clause, ends_line, is_odd, value, word};

pub(super) const SOURCE: Source =
    Source { file: "config/redaction/prose.toml", text: include_str!("../../../../config/redaction/prose.toml") };

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "password-in-text";

/// The maximum number of words between the name of a password and its verb, and between the name of a login and the user.
const MAX_WORDS: usize = 8;
/// The lengths of a value in characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=64;
/// The maximum number of words of a label behind the name of a password.
const MAX_LABEL_WORDS: usize = 5;
/// The length of the shortest key that is set apart, in bytes.
const MIN_KEY: usize = 10;
/// The maximum number of words of a comment before a label.
const MAX_WORDS_OF_COMMENT: usize = 2;
/// The maximum number of characters before a label.
const MAX_BEFORE_LABEL: usize = 40;

/// The last words of the heads of columns with the names of users: `sftp_user`.
const USER_ENDS: &[&str] = &["user", "username"];

/// The kind of a word that begins the search for a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    Password,
    Pass,
    Pin,
    Combination,
    Key,
    Login,
}

/// The words of sentences.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prose {
    passwords: Vec<String>,
    short_names: FxHashSet<String>,
    passes: Vec<String>,
    pins: Vec<String>,
    combinations: Vec<String>,
    locks: FxHashSet<String>,
    demands: FxHashSet<String>,
    keys: Vec<String>,
    logins: Vec<String>,
    accounts: Vec<String>,
    verbs: FxHashSet<String>,
    literal_verbs: FxHashSet<String>,
    adverbs: FxHashSet<String>,
    links: FxHashSet<String>,
    to: FxHashSet<String>,
    with: FxHashSet<String>,
    as_words: FxHashSet<String>,
    purposes: FxHashSet<String>,
    attributes: FxHashSet<String>,
    enters: FxHashSet<String>,
    joins: FxHashSet<String>,
    asks: FxHashSet<String>,
    after: FxHashSet<String>,
    replacing: Vec<String>,
    replies: FxHashSet<String>,
    pronouns: Vec<String>,
    orders: Vec<String>,
    articles: FxHashSet<String>,
    particles: Vec<String>,
    from: Vec<(String, String)>,
    conditions: FxHashSet<String>,
    changes: Vec<String>,
    users: FxHashSet<String>,
    user_labels: FxHashSet<String>,
    place_labels: FxHashSet<String>,
    descriptions: FxHashSet<String>,
    roles: FxHashSet<String>,
    plain: FxHashSet<String>,
    adjective_ends: Vec<String>,
    participle_starts: Vec<String>,
    participle_ends: Vec<String>,
    technical: Vec<String>,
}

/// Reads the table of words.
pub(super) fn read() -> Result<Prose, RedactError> {
    SOURCE.read()
}

/// Returns the place behind the colon of the name of a thing whose password follows: `keystore:`.
fn thing_end(text: &str) -> Option<usize> {
    let colon = text.find(": ")?;
    let words = &text[..colon];
    let is_name =
        words.split(' ').count() <= 2 && words.chars().all(|char| char.is_alphanumeric() || " -_".contains(char));
    (is_name && WORDS.worth(format!("password {words}").as_bytes()) == Worth::Secret).then_some(colon + 1)
}

/// Returns whether a text is words with dots between them that are no name of a file: `quarterly.numbers`.
fn is_dotted(text: &str) -> bool {
    let mut parts = text.split('.');
    let last = text.rsplit('.').next().unwrap_or_default();
    text.contains('.')
        && parts
            .all(|part| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
        && (last.len() > 4 || last.bytes().all(|byte| byte.is_ascii_digit()))
        && text.contains(char::is_alphabetic)
}

/// Returns whether a value can be a key or a token: it is random, or set apart and not one of the words of code.
fn is_key(value: &Value<'_>) -> bool {
    let bytes = value.text.as_bytes();
    let made_up = value.apart != Apart::Not
        && bytes.len() >= MIN_KEY
        && bytes.iter().any(u8::is_ascii_digit)
        && !is_long_name(bytes, 3)
        && !is_variable(bytes);
    looks_random(bytes) || made_up
}

impl Prose {
    /// Returns the words that are searched for. The search ignores the case of ASCII letters only.
    pub(super) fn keywords(&self) -> impl Iterator<Item = (String, Noun)> {
        let nouns = |words: &[String], noun: Noun| -> Vec<(String, Noun)> {
            words.iter().flat_map(|word| forms(word)).map(|word| (word, noun)).collect()
        };
        let lists = [
            (&self.passwords, Noun::Password),
            (&self.passes, Noun::Pass),
            (&self.pins, Noun::Pin),
            (&self.combinations, Noun::Combination),
            (&self.keys, Noun::Key),
            (&self.logins, Noun::Login),
        ];
        lists.into_iter().flat_map(move |(words, noun)| nouns(words, noun))
    }

    /// Returns whether the head of a column names a user.
    pub(super) fn names_a_user(&self, head: &str) -> bool {
        let head = head.to_lowercase().replace(['_', '-'], " ");
        let last = head.rsplit(' ').next().unwrap_or(&head);
        self.user_labels.contains(&head) || USER_ENDS.contains(&last)
    }

    /// Returns whether the name of a row is the one of a user, a host or a network.
    pub(super) fn names_a_user_or_host(&self, name: &str) -> bool {
        self.names_a_user(name) || self.place_labels.contains(&name.to_lowercase())
    }

    /// Returns whether the head of a column is one of a table that describes settings.
    pub(super) fn describes(&self, head: &str) -> bool {
        self.descriptions.contains(&head.to_lowercase())
    }

    /// Returns whether a value can be a password where there must be one: it is no word about passwords.
    pub(super) fn is_own(&self, value: &str) -> bool {
        let lower = value.to_lowercase();
        // `char4` and `my-char4`, but not `Orchard4` and `Web-char_Prod7`.
        let begins_word = |part: &String| {
            lower.match_indices(part.as_str()).any(|(at, _)| {
                at == 0 || lower[..at].ends_with(['-', '_', '.', ' ', '/']) && !value.contains(char::is_uppercase)
            })
        };
        !lower.split_whitespace().any(|word| self.plain.contains(word))
            && (is_disguised(value.as_bytes()) || !self.technical.iter().any(begins_word))
    }

    /// Adds the password that the sentence around `start..end` tells.
    pub(super) fn find(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        noun: Noun,
        bare: Bare,
        spans: &mut Vec<Span>,
    ) {
        if bare == Bare::Text && text.get(end) == Some(&b'`') {
            spans.extend(self.find_of_setting(text, start, end));
            return;
        }
        // Most words of code are followed or surrounded by something else.
        let follows = text.get(end).is_none_or(|byte| b" \t\r\n:=*().,;!?'".contains(byte) || !byte.is_ascii());
        // A key with a sign of assignment is read as one.
        if noun == Noun::Key && !matches!(text.get(end), Some(b' ' | b'\t' | b'*' | b'.')) {
            return;
        }
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$/@&<\\\"'`".contains(byte);
        if !follows || start > 0 && inside(&text[start - 1]) || text[..start].ends_with(b"--") {
            return;
        }
        let is_document = bare == Bare::Text;
        if !is_document && bare != Bare::Data && !in_remark(text, start) {
            return;
        }
        let (from, to) = line_around(text, start, end);
        let Ok(before) = std::str::from_utf8(&text[from..start]) else { return };
        let Ok(rest) = std::str::from_utf8(&text[end..to]) else { return };
        let Ok(name) = std::str::from_utf8(&text[start..end]) else { return };
        // The text of an element, and a line of a notebook: `<li>Password: <code>…</code></li>`, `"The password is …",`.
        let is_element = before.contains('>') && rest.contains("</");
        let is_string = before.trim_start().starts_with('"') && !before.contains("\":");
        if bare == Bare::Data && !is_element && !is_string && !in_remark(text, start) {
            return;
        }
        // `the password's …` is short for `is`.
        let rest = rest.strip_prefix("'s").or_else(|| rest.strip_prefix("’s")).unwrap_or(rest);
        let line = Line { name, before, rest: rest.trim_end(), is_document, text, range: (from, to) };
        let mut found = self.values(&line, noun);
        let is_number = matches!(noun, Noun::Pin | Noun::Combination);
        if (found.is_empty() || is_number)
            && let Some(wrapped) = line.wrapped()
        {
            let more = self.values(&wrapped, noun).into_iter();
            found.extend(more.filter(|value| {
                value.apart != Apart::Not || is_number || self.is_secret(*value, Look::MadeUp, &wrapped)
            }));
        }
        spans.extend(found.into_iter().map(|value| line.span(value, name)));
    }

    /// Returns the passwords that the sentence around a word tells.
    fn values<'a>(&self, line: &Line<'a>, noun: Noun) -> Vec<Value<'a>> {
        if let Some(value) = self.behind_particles(line) {
            return vec![value];
        }
        // A letter of another script.
        if line.before.ends_with(char::is_alphanumeric) || line.rest.starts_with(char::is_alphanumeric) {
            return Vec::new();
        }
        let mut found = match noun {
            Noun::Password | Noun::Pass | Noun::Key => self.told(line),
            Noun::Pin | Noun::Combination => self.numbers(line, noun),
            Noun::Login => self.pair(line).into_iter().collect(),
        };
        if noun == Noun::Password && found.is_empty() {
            found = self.later(line);
        }
        if matches!(noun, Noun::Password | Noun::Key) && found.is_empty() {
            found.extend(self.at_end(line));
        }
        if found.is_empty() && !line.is_document {
            found.extend(self.before_remark(line, noun));
        }
        match noun {
            Noun::Password if line.rest.trim_start().starts_with('?') => {
                found = self.answer(line);
                found.extend(self.below(line));
            }
            Noun::Password => {
                found.extend(self.before_name(line));
                found.extend(self.near(line, true));
                found.extend(self.phrase(line));
                if found.is_empty() {
                    found.extend(self.below(line));
                } else {
                    found.extend(self.others(line));
                }
            }
            // `pass it to the shader`: the word is mostly a verb.
            Noun::Pass => found.retain(|value| {
                let look = match value.apart {
                    Apart::Quoted if self.names_a_user_in(line.before) => Look::Word,
                    Apart::Not if self.follows_user(line.before) || self.follows_name_of_user(line.before) => {
                        Look::Beside
                    }
                    _ => Look::MadeUp,
                };
                self.is_secret(*value, look, line)
            }),
            Noun::Key => {
                found.retain(is_key);
                // A secret can be any password, other keys are random.
                let is_any = line.name.eq_ignore_ascii_case("secret");
                found.extend(self.later(line).into_iter().filter(|value| is_any || is_key(value)));
                found.extend(self.listed(line));
            }
            Noun::Pin | Noun::Combination => {
                if found.is_empty() {
                    found.extend(self.number_below(line));
                }
            }
            Noun::Login => found.extend(self.near(line, false)),
        }
        found
    }

    /// Returns the values of a password: behind its label or verb, beside it, or before and after it changed.
    fn told<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let rest = line.rest;
        let marks = rest.len() - rest.trim_start_matches('*').len();
        let at = marks + blanks(&rest[marks..]);
        let sign = rest[at..].chars().next();
        // A list, and a row of a table: `Password - …`, `| Password | …`.
        let is_row = sign == Some('|') && (line.before.trim().is_empty() || line.before.trim_start().starts_with('|'));
        let is_dash = matches!(sign, Some('-' | '–' | '—'))
            && rest[at..].contains("- ") | rest[at..].contains("– ") | rest[at..].contains("— ");
        if at > marks && line.is_document && (is_row || is_dash) {
            let behind = at + sign.map_or(0, char::len_utf8);
            let value = value(rest, behind).filter(|value| ends_line(rest, *value) && blanks(&rest[behind..]) > 0);
            return value.filter(|value| self.is_secret(*value, Look::MadeUp, line)).into_iter().collect();
        }
        if let Some(sign @ (':' | '=' | '：')) = sign {
            return self.labelled(line, at + sign.len_utf8(), false).into_iter().collect();
        }
        // `the user is root and the password, …`
        if sign == Some(',') && self.names_a_user_in(line.before) {
            let value = value(rest, at + 1).filter(|value| ends_line(rest, *value) && !value.text.contains('='));
            return value.filter(|value| self.is_secret(*value, Look::MadeUp, line)).into_iter().collect();
        }
        if at == marks {
            return Vec::new();
        }
        if let Some(colon) = self.label_end(&rest[at..]) {
            return self.labelled(line, at + colon, true).into_iter().collect();
        }
        // `kennwort keystore: …`: any words may name the thing, so the value must be more than a word.
        if let Some(colon) = thing_end(&rest[at..]).filter(|_| line.is_document && !self.begins_with_verb(&rest[at..]))
        {
            let value = value(rest, at + colon).filter(|value| ends_line(rest, *value));
            return value.filter(|value| self.is_secret(*value, Look::MadeUp, line)).into_iter().collect();
        }
        if let Some(beside) = self.beside(line, at) {
            return vec![beside];
        }
        let changed = self.changed(line, at);
        if !changed.is_empty() {
            return changed;
        }
        self.behind_verb(line, at).into_iter().collect()
    }

    /// Returns the last word of a line behind a colon, whatever words are before it: `the password they gave us on the phone : …`.
    fn at_end<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let colon = line.rest.rfind(": ")?;
        // The name of a field begins its line.
        let label = line.rest[..colon].rsplit('\n').next().unwrap_or_default();
        if label.len() < colon && !label.trim().contains(' ') {
            return None;
        }
        let first = word(line.rest[..colon].trim_start())?.to_lowercase();
        // `password policy for v1: …`: the policy is told.
        let goes_on = [&self.verbs, &self.links, &self.with, &self.adverbs].iter().any(|words| words.contains(&first));
        if !goes_on && WORDS.worth(format!("password {first}").as_bytes()) == Worth::None {
            return None;
        }
        let found = value(line.rest, colon + 1).filter(|found| ends_line(line.rest, *found))?;
        let bytes = found.text.as_bytes();
        let is_odd = shape(bytes) > Some(Shape::Words) || is_odd(found.text) || looks_random(bytes);
        (is_odd && self.is_secret(found, Look::MadeUp, line) || looks_random(bytes)).then_some(found)
    }

    /// Returns the string of code whose meaning the remark behind it tells: `enter("…")  # pin of the door`.
    fn before_remark<'a>(&self, line: &Line<'a>, noun: Noun) -> Option<Value<'a>> {
        if !matches!(noun, Noun::Password | Noun::Pin) || !self.ends_name(line.rest) {
            return None;
        }
        let mark = [" # ", " // ", " /* ", " -- "].iter().filter_map(|mark| line.before.rfind(mark)).max()?;
        let (code, remark) = line.before.split_at(mark);
        let mut words = remark.split_whitespace().skip(1);
        let is_first = words.clone().count() <= MAX_WORDS_OF_COMMENT
            && words.all(|word| word.chars().all(|char| char.is_alphanumeric() || char == '-'));
        let quote = code.rfind(['"', '\'']).filter(|_| is_first)?;
        let inside = &code[..quote];
        let open = inside.rfind(&code[quote..=quote])?;
        let text = &inside[open + 1..];
        // One of several strings can be anything, and so can a key.
        let is_only = !inside[..open].contains(['"', '\'']) && !code[quote + 1..].trim_start().starts_with([':', ']']);
        let found = Value { text, end: 0, apart: Apart::Not };
        let is_secret = match noun {
            Noun::Pin => is_number(text),
            _ => self.is_secret(found, Look::MadeUp, line),
        };
        (is_only && is_secret).then_some(found)
    }

    /// Returns the place behind the colon of a label with more words: `Mot de passe par défaut :`.
    fn label_end(&self, text: &str) -> Option<usize> {
        let colon = text.find(':')?;
        let words = text[..colon].trim_end();
        let first = word(words)?.to_lowercase();
        let is_label = words.split_whitespace().count() <= MAX_LABEL_WORDS
            && (self.links.contains(&first) || words.starts_with('(') && words.ends_with(')'))
            && !words.contains([',', ';', '!', '?', '"', '\'', '/', '='])
            && (!words.contains(['.', '`']) || words.contains('@') && !words.contains(". "))
            && words.split_whitespace().all(|word| !self.verbs.contains(word));
        (is_label && text[colon + 1..].starts_with([' ', '\t'])).then_some(colon + 1)
    }

    /// Returns the value behind a label: `Mot de passe : …`. The label may say whose password it is, or the line or those around.
    fn labelled<'a>(&self, line: &Line<'a>, at: usize, says_whose: bool) -> Option<Value<'a>> {
        let closes = line.rest[at..].starts_with("**") && !line.rest[at + 2..].contains("**");
        let mut value = value(line.rest, at + if closes { 2 } else { 0 })?;
        // `it asks for a password: type …`
        if self.enters.contains(value.text) {
            value = self::value(line.rest, value.end).filter(|value| ends_line(line.rest, *value))?;
            return self.is_secret(value, Look::MadeUp, line).then_some(value);
        }
        let look = match value.apart {
            Apart::Quoted | Apart::Bold => Look::Word,
            // `# user: admin, password: …`
            Apart::Not if self.follows_user(line.before) || self.follows_name_of_user(line.before) => Look::Beside,
            Apart::Not if line.is_document => self.look_behind_label(line, value, says_whose),
            Apart::Not if self.begins_comment(line) && self.ends_statement(line, value) => Look::Beside,
            Apart::Not => Look::MadeUp,
        };
        let ended = value.apart != Apart::Not || look == Look::Beside || ends_clause(line.rest, value);
        (ended && self.is_secret(value, look, line)).then_some(value)
    }

    /// Returns whether a sentence ends behind a value, or goes on with the place or the time of a password: "is … on staging".
    fn ends_statement(&self, line: &Line<'_>, value: Value<'_>) -> bool {
        let next = word(line.rest[value.end..].trim_start()).unwrap_or_default().to_lowercase();
        line.ends_sentence(value) || self.links.contains(&next) || self.after.contains(&next)
    }

    /// Returns whether a comment begins with the name of a password, with few words before it: `// admin pw: …`.
    fn begins_comment(&self, line: &Line<'_>) -> bool {
        let marks = ["//", "#", "/*", "--"].iter().filter_map(|mark| Some(line.before.rfind(mark)? + mark.len()));
        let before = line.before[marks.max().unwrap_or(0)..].rsplit([',', ';']).next().unwrap_or_default();
        let mut words = before.trim_start_matches([' ', '*', '-', '\t']).split_whitespace();
        words.clone().count() <= MAX_WORDS_OF_COMMENT
            && words.all(|word| word.chars().all(|char| char.is_alphanumeric() || "-'".contains(char)))
    }

    /// Returns the look that a bare value behind a label of a document must have.
    fn look_behind_label(&self, line: &Line<'_>, value: Value<'_>, says_whose: bool) -> Look {
        // `Tom's password: …`, `tom@host.example's password: …`
        let owner = line.before.strip_suffix("'s ").or_else(|| line.before.strip_suffix("’s "));
        let is_prompt = owner.is_some_and(|owner| owner.contains('@') && !owner.contains(' '));
        let is_label =
            is_prompt || line.before.chars().count() <= MAX_BEFORE_LABEL && !line.before.contains(['.', '!', '?', '(']);
        let says_whose = says_whose || owner.is_some();
        let beside_user = || self.is_beside_user(line.text, line.range.0, line.before, line.range.1);
        let is_last = ends_line(line.rest, value) || line.rest[value.end..].starts_with(" (");
        // `ssh root@host (password: …)`
        let is_enclosed = line.is_enclosed(value) && (line.before.contains('@') || beside_user());
        match is_last {
            true if says_whose && is_label || beside_user() => Look::Beside,
            // Behind `password`, texts of an interface stand, too.
            true if is_label && self.short_names.contains(&line.name.to_lowercase()) => Look::NoAdjective,
            true if is_label => Look::Capitalized,
            _ if is_enclosed => Look::Beside,
            _ => Look::MadeUp,
        }
    }

    /// Returns the value that directly follows the name: `password "…"`.
    fn beside<'a>(&self, line: &Line<'a>, at: usize) -> Option<Value<'a>> {
        let value = value(line.rest, at)?;
        let mut words = line.before.split(|char: char| !char.is_alphanumeric()).rev().filter(|word| !word.is_empty());
        let near: Vec<String> = words.by_ref().take(MAX_WORDS).map(str::to_lowercase).collect();
        let has_user = near.iter().any(|word| self.user_labels.contains(word) || self.users.contains(word));
        let is_used = near.iter().take(2).any(|word| self.with.contains(word));
        // `have the …`
        let has_the = near.get(1).is_some_and(|word| self.with.contains(word)) && self.joins.contains(&near[0]);
        let is_described = near.first().is_some_and(|word| self.attributes.contains(word));
        let is_chosen = || line.is_document && (has_user || shape(value.text.as_bytes()) > Some(Shape::Words));
        let look = match value.apart {
            // `user ops, pw …`
            Apart::Not if self.follows_name_of_user(line.before) && line.ends_sentence(value) => Look::Beside,
            // `ssh pi@host (pw …)`
            Apart::Not if line.is_enclosed(value) && line.before.contains('@') => Look::NoAdjective,
            // `have the password …`, `hardcoded password …`
            Apart::Not if (has_the || is_described) && line.ends_sentence(value) => Look::NoAdjective,
            Apart::Not if line.is_enclosed(value) || is_chosen() => Look::MadeUp,
            Apart::Not if is_used && is_dotted(value.text) => Look::MadeUp,
            Apart::Not => return None,
            _ if has_user || is_used => Look::Word,
            // `the hardcoded password "…" from the test`
            _ if is_described => Look::Beside,
            // `password "…" for the tests`
            Apart::Quoted if !line.is_document => Look::NoAdjective,
            _ => Look::MadeUp,
        };
        let ended = look == Look::Beside || ends_clause(line.rest, value);
        let is_used = is_used && ends_clause(line.rest, value) && is_dotted(value.text);
        (ended && self.is_secret(value, look, line) || is_used && line.before.contains('`')).then_some(value)
    }

    fn begins_with_verb(&self, text: &str) -> bool {
        word(text).is_some_and(|word| self.verbs.contains(word.trim_end_matches(':')))
    }

    /// Returns whether a text has a verb of change.
    fn is_change(&self, text: &str) -> bool {
        self.changes.iter().any(|verb| text.contains(verb.as_str()))
    }

    fn skip_adverbs(&self, rest: &str, mut at: usize) -> usize {
        while let Some(word) = word(&rest[at..]).filter(|word| self.adverbs.contains(&word.to_lowercase())) {
            at += word.len();
            at += blanks(&rest[at..]);
        }
        at + usize::from(rest[at..].starts_with(':'))
    }
}
