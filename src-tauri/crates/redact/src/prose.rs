//! Finds the passwords that a sentence tells: "the password for the demo server is …", "log in with **admin** / **…**", "changed the password
//! from … to …", and labels in other languages than English. The words are data (`config/redaction/prose.toml`).
//!
//! In: a text and the place of a word. Out: spans. Only documents and comments are read. A value must be set apart by quotes, backticks or
//! bold letters, or stand at the end of its clause without being a word of the language.

mod below;
mod label;
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
use super::cursor::{REACH, line_start};
use super::fallback::is_variable;
use super::identifiers::in_remark;
use super::phrase::is_disguised;
use super::recovery;
use super::rules::Source;
use super::span::Span;
use super::values::{Bare, looks_random};
use super::words::{WORDS, forms};
use line::{Line, line_around};
use look::Look;
use value::{Apart, Value, blanks, word};

pub(super) const SOURCE: Source =
    Source { file: "config/redaction/prose.toml", text: include_str!("../../../../config/redaction/prose.toml") };

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "password-in-text";

/// The maximum number of words between the name of a password and its verb, and between the name of a login and the user.
const MAX_WORDS: usize = 8;
/// The lengths of a value in characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=64;
/// The least number of words around the name of a password in a sentence.
const MIN_SENTENCE: usize = 2;
/// The length of the shortest key that is set apart, in bytes.
const MIN_KEY: usize = 10;
/// The maximum number of words of a comment before a label.
const MAX_WORDS_OF_COMMENT: usize = 2;

/// The last words of the heads of columns with the names of users: `sftp_user`.
const USER_ENDS: &[&str] = &["user", "username"];

/// The names of keys that say nothing about their kind.
const KEYS_OF_ANY_KIND: &[&str] = &["old key", "new key", "previous key", "former key"];

/// The name that stands for all names of the password of a network.
const NETWORK_KEY: &str = "wifi key";

/// The maximum number of bytes between a number and its name behind it.
const MAX_BEFORE_NUMBER: usize = 100;

/// The kind of a word that begins the search for a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    Password,
    Pass,
    Pin,
    Combination,
    Key,
    NetworkKey,
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
    network_keys: Vec<String>,
    networks: Vec<String>,
    logins: Vec<String>,
    seed_labels: Vec<String>,
    code_labels: Vec<String>,
    verbs: FxHashSet<String>,
    verbs_before_made_up: FxHashSet<String>,
    verbs_of: FxHashSet<(String, String)>,
    inflected: FxHashSet<String>,
    literal_verbs: FxHashSet<String>,
    adverbs: FxHashSet<String>,
    links: FxHashSet<String>,
    pointers: FxHashSet<String>,
    links_of_more_languages: FxHashSet<String>,
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
    namely: Vec<String>,
    replies: FxHashSet<String>,
    pronouns: Vec<String>,
    orders: Vec<String>,
    articles: FxHashSet<String>,
    particles: Vec<String>,
    from: Vec<(String, String)>,
    prompts: Vec<String>,
    connects: Vec<String>,
    instead: Vec<String>,
    conditions: FxHashSet<String>,
    changes: Vec<String>,
    users: FxHashSet<String>,
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

/// The maximum number of bytes between a name and the element with its value.
const MAX_BEFORE_ELEMENT: usize = 32;
/// The elements that set a value apart.
const ELEMENTS: &[&[u8]] = &[b"<b>", b"<strong>", b"<code>", b"<kbd>", b"<tt>", b"<samp>", b"<em>"];

/// Returns whether few words and an element that sets a value apart follow: ` is <b>…</b>`.
fn is_before_element(rest: &[u8]) -> bool {
    let near = &rest[..rest.len().min(MAX_BEFORE_ELEMENT)];
    let Some(open) = memchr::memchr(b'<', near) else { return false };
    let is_text = |byte: &u8| byte.is_ascii_alphanumeric() || b" :,.'-".contains(byte) || !byte.is_ascii();
    near[..open].iter().all(is_text) && ELEMENTS.iter().any(|element| near[open..].starts_with(element))
}

/// Returns whether the line before a place is the text of markup in source code, and not a string or a statement.
fn is_text_of_markup(text: &[u8], at: usize) -> bool {
    let line = &text[line_start(text, at)..at];
    let own = memchr::memrchr(b'>', line).map_or(line, |tag| &line[tag + 1..]);
    own.iter().all(|byte| byte.is_ascii_alphanumeric() || b" \t,.:'!?-&;".contains(byte) || !byte.is_ascii())
}

/// Returns the sentence around a word that is the value of a key, before and behind the word: `"text": "the password is …"`,
/// `text: "the password is …"`.
fn sentence_in<'a>(before: &'a str, rest: &'a str) -> Option<(&'a str, &'a str)> {
    const OPEN: &str = ": \"";
    let before = &before[before.rfind(OPEN)? + OPEN.len()..];
    let end = rest.match_indices('"').map(|(at, _)| at).find(|at| !rest[..*at].ends_with('\\'))?;
    let rest = &rest[..end];
    let words = before.split_whitespace().count() + rest.split_whitespace().count();
    (!before.contains('"') && words >= MIN_SENTENCE).then_some((before, rest))
}

/// Returns the part of a line of a notebook that is inside of its string: `… is …\\n",`.
fn in_string(rest: &str) -> &str {
    let end = rest.match_indices('"').map(|(at, _)| at).find(|at| !rest[..*at].ends_with('\\'));
    let inside = &rest[..end.unwrap_or(rest.len())];
    inside.strip_suffix("\\n").unwrap_or(inside)
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
            (&self.network_keys, Noun::NetworkKey),
            (&self.logins, Noun::Login),
        ];
        lists.into_iter().flat_map(move |(words, noun)| nouns(words, noun))
    }

    /// Returns the labels above the words of a seed and above recovery codes.
    pub(super) fn recovery_labels(&self) -> impl Iterator<Item = (String, recovery::Kind)> {
        let labels = |words: &[String], kind: recovery::Kind| -> Vec<(String, recovery::Kind)> {
            words.iter().flat_map(|word| forms(word)).map(|word| (word, kind)).collect()
        };
        let mut all = labels(&self.seed_labels, recovery::Kind::Phrase);
        all.extend(labels(&self.code_labels, recovery::Kind::Codes));
        all.into_iter()
    }

    /// Returns whether the head of a column names a user.
    pub(super) fn names_a_user(&self, head: &str) -> bool {
        let head = head.to_lowercase().replace(['_', '-'], " ");
        let last = head.rsplit(' ').next().unwrap_or(&head);
        WORDS.names_a_user(&head) || USER_ENDS.contains(&last)
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
        // The words that documents alone tell, and numbers where there are none, need no further look.
        let is_told_in_documents =
            noun == Noun::NetworkKey || noun == Noun::Combination && !text[start..end].contains(&b' ');
        let has_number = || {
            text[start.saturating_sub(MAX_BEFORE_NUMBER)..text.len().min(end + REACH)].iter().any(u8::is_ascii_digit)
        };
        if is_told_in_documents && bare != Bare::Text || matches!(noun, Noun::Pin | Noun::Combination) && !has_number()
        {
            return;
        }
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
        // `"logged in as …\n",` in a notebook
        let begins_string = bare == Bare::Data
            && text[start..end].contains(&b' ')
            && text[line_start(text, start)..start].trim_ascii_start() == b"\"";
        if !follows || start > 0 && inside(&text[start - 1]) && !begins_string || text[..start].ends_with(b"--") {
            return;
        }
        let is_markup = bare == Bare::Code && is_before_element(&text[end..]) && is_text_of_markup(text, start);
        let is_document = bare == Bare::Text || is_markup;
        if !is_document && !matches!(bare, Bare::Data | Bare::Plain) && !in_remark(text, start) {
            return;
        }
        let (from, to) = line_around(text, start, end);
        let Ok(before) = std::str::from_utf8(&text[from..start]) else { return };
        let Ok(rest) = std::str::from_utf8(&text[end..to]) else { return };
        let Ok(name) = std::str::from_utf8(&text[start..end]) else { return };
        // The text of an element, and a line of a notebook: `<li>Password: <code>…</code></li>`, `"The password is …",`.
        let is_element = before.contains('>') && rest.contains("</");
        let is_string = before.trim_start().starts_with('"') && !before.contains("\":");
        let is_data = matches!(bare, Bare::Data | Bare::Plain);
        let sentence = sentence_in(before, rest).filter(|_| is_data && !is_element);
        if bare == Bare::Plain && sentence.is_none() && !in_remark(text, start)
            || bare == Bare::Data && !is_element && !is_string && sentence.is_none() && !in_remark(text, start)
        {
            return;
        }
        let (before, rest) = sentence.unwrap_or((before, rest));
        let rest = if bare == Bare::Data && is_string && sentence.is_none() { in_string(rest) } else { rest };
        // `the password's …` is short for `is`.
        let rest = rest.strip_prefix("'s").or_else(|| rest.strip_prefix("’s")).unwrap_or(rest);
        // The key of a network is its password.
        let (noun, as_name) = match noun {
            Noun::NetworkKey if !is_document => return,
            Noun::NetworkKey if !self.is_near_network(text, from, to) => {
                let line = Line { name, before, rest: rest.trim_end(), is_document, text, range: (from, to) };
                spans.extend(self.directly(&line).map(|value| line.span(value, name)));
                return;
            }
            Noun::NetworkKey => (Noun::Password, NETWORK_KEY),
            noun => (noun, name),
        };
        // Nothing around the string of a sentence belongs to it.
        let (text, first, range, is_document) = match sentence {
            Some((before, rest)) => {
                let (from, to) = (start - before.len(), end + rest.len());
                (&text[from..to], from, (0, to - from), true)
            }
            None => (text, 0, (from, to), is_document),
        };
        let line = Line { name: as_name, before, rest: rest.trim_end(), is_document, text, range };
        let mut found = self.values(&line, noun);
        // The sentence goes on: `…, and the one of the backup is …`.
        if noun == Noun::Password
            && !found.is_empty()
            && line.rest.ends_with(',')
            && let Some(wrapped) = line.wrapped()
        {
            found.extend(self.others(&wrapped));
        }
        let is_number = matches!(noun, Noun::Pin | Noun::Combination);
        if (found.is_empty() || is_number)
            && let Some(wrapped) = line.wrapped()
        {
            let more = self.values(&wrapped, noun).into_iter();
            found.extend(more.filter(|value| {
                value.apart != Apart::Not || is_number || self.is_secret(*value, Look::MadeUp, &wrapped)
            }));
        }
        if sentence.is_some() {
            // Most texts of settings are shown to users, in any language.
            found.retain(|value| value.apart != Apart::Not || self.is_secret(*value, Look::MadeUp, &line));
        }
        spans.extend(found.into_iter().map(|value| {
            let span = line.span(value, name);
            Span { start: first + span.start, end: first + span.end, ..span }
        }));
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
            Noun::Password | Noun::Pass | Noun::Key | Noun::NetworkKey => self.told(line),
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
                found.extend(self.instead(line));
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
                let is_used =
                    |value: &Value<'_>| looks_random(value.text.as_bytes()) && !Self::names_a_hash(line.before);
                found.extend(self.before_name(line).filter(is_used));
                // A secret can be any password, other keys are random.
                let is_any = line.name.eq_ignore_ascii_case("secret");
                found.extend(self.later(line).into_iter().filter(|value| is_any || is_key(value)));
                if KEYS_OF_ANY_KIND.contains(&line.name.to_lowercase().as_str()) {
                    // Such a key can be public. Hexadecimal digits are those of its fingerprint.
                    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
                    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    found.retain(|value| is_plain(value.text) && !is_hex(value.text));
                } else {
                    found.extend(self.listed(line));
                    found.extend(self.directly(line));
                }
            }
            Noun::Pin | Noun::Combination => {
                if found.is_empty() && noun == Noun::Pin && line.is_document {
                    found.extend(self.code_apart(line));
                }
                if found.is_empty() {
                    found.extend(self.number_below(line));
                }
            }
            Noun::NetworkKey => {}
            Noun::Login => {
                found.extend(self.instead(line));
                found.extend(self.near(line, false));
                found.extend(self.entered_before(line));
                found.extend(self.behind_namely(line));
            }
        }
        found
    }

    /// Returns whether a text is about a commit or a hash: "use the SHA-1 … as cache token".
    fn names_a_hash(text: &str) -> bool {
        const HASHES: &[&str] = &["sha", "commit", "hash", "digest", "checksum", "revision", "md5"];
        text.to_lowercase()
            .split(|char: char| !char.is_alphanumeric())
            .any(|word| HASHES.iter().any(|hash| word.starts_with(hash)))
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
