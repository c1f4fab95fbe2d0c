//! Finds values whose key names a secret: `password = "…"`, `"api_key": "…"`, `--token …`, `<secret>…</secret>`. The value is masked in any
//! form, unless it is clearly not a secret.
//!
//! In: a text and the range of a word in it. Out: spans of values. Nothing is searched: the key is around the word, and its value is read
//! from the end of the key.

use rustc_hash::FxHashMap;

use super::assign::assigned;
use super::code::{humps, is_call, is_long_name, is_name, is_numbered_name, is_reference, is_release, is_wordy};
use super::containers;
use super::cursor::{MAX_VALUE_BYTES, REACH, Values, line_start};
use super::fallback;
use super::identifiers::{LONGEST_KEY, identifier, in_remark, in_resource_name, names_a_user, word_around};
use super::kinds::Pair;
use super::loose::{is_compared, is_compared_word, is_in_header, looks_made_up};
use super::meanings::is_path_of_names;
use super::nearby;
use super::notations;
use super::pairs::paired;
use super::phrase;
use super::printed;
use super::published;
use super::records;
use super::rule::Rule;
use super::span::Span;
use super::struct_rows;
use super::types::RedactionReason;
use super::values::{Bare, is_code, is_mixed, is_placeholder, is_prose, looks_random, says_its_key};
use super::words::{WORDS, Worth};

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "keyed-value";

/// The number of words before a key in a remark, with its mark, from which the remark is a sentence.
const MAX_WORDS_BEFORE: usize = 3;
/// The length of the shortest number that is a token.
const MIN_NUMBER: usize = 6;

/// The number of bytes of values that are read before the reach of further values is shortened.
const FREELY: usize = 256 * 1024;

/// Reads keys one after another. A key that contains several of the words is read once.
#[derive(Default)]
pub(super) struct Reader<'a> {
    key: (usize, usize),
    values: Values,
    /// The end of a word, and the ranges behind it where a value can be.
    near: (usize, nearby::Ranges),
    /// Whether the current key was checked.
    judged: bool,
    /// Whether the values of the current key were read.
    is_read: bool,
    /// The current key behind the one of its object, if it says nothing alone.
    composed: Option<Vec<u8>>,
    /// The last value that was masked. A key inside it is usually part of it.
    covered: (usize, usize),
    /// The end of the last container of secrets.
    contained: usize,
    /// The number of bytes of values that were read.
    spent: usize,
    /// The cached worth of each key, because most texts repeat few keys.
    worths: FxHashMap<&'a [u8], Worth>,
}

impl<'a> Reader<'a> {
    /// Checks the key around a word and adds its values that are secrets.
    pub(super) fn key(&mut self, text: &'a [u8], start: usize, end: usize, bare: Bare, spans: &mut Vec<Span>) {
        self.turn_to(text, start, end);
        if std::mem::replace(&mut self.judged, true) {
            return;
        }
        let worth = self.worth(text);
        // Most keys around a word name no secret. Their values are not read.
        if worth == Worth::None {
            return;
        }
        if worth == Worth::Secret {
            self.in_rows(text, bare, spans);
        }
        let listed = containers::listed(text, self.key).into_iter();
        spans.extend(listed.chain(printed::secret(text, self.key, worth)).map(|(from, to)| {
            let word = word_around(text, start, end).to_owned();
            Span::new(from, to, RULE.into()).because(RedactionReason::Key { word })
        }));
        if !self.read(text, bare) {
            self.contained(text, bare, spans);
            if worth == Worth::Secret {
                self.nearby(text, end, spans);
            }
            return;
        }
        let word = word_around(text, start, end);
        if in_resource_name(text, self.key.0) || names_a_user(text, self.key) {
            return;
        }
        self.contained(text, bare, spans);
        if self.is_certificate(text) {
            return;
        }
        let certain = bare == Bare::Plain && worth == Worth::Secret && self.is_variable(text);
        for &(start, end, place) in self.values.iter() {
            let value = &text[start..end];
            let key = self.composed.as_deref().unwrap_or(&text[self.key.0..self.key.1]);
            // In settings, even a placeholder is the value that is in use.
            let chosen = bare == Bare::Plain
                && worth == Worth::Secret
                && !place.loose
                && WORDS.is_chosen(&text[self.key.0..self.key.1], value);
            // The tests of weak keys come first, because most values of these end there.
            let harmless = !chosen
                && (worth == Worth::Weak
                    && (place.loose
                        || !(looks_random(value) || phrase::is_otp_seed(key, value))
                        || is_long_name(value, 3)
                        || WORDS.goes_with_a_secret(key)
                            && takes_bytes(&text[..start - 1])
                            && !is_own_member(text, self.key.0))
                    || is_placeholder(value)
                        && !(place.quoted && phrase::is_no_variable(key, value, bare))
                        && !(worth == Worth::Secret && phrase::is_disguised(value))
                    || is_reference(value) && !(place.quoted && phrase::has_slashes(key, value))
                    || is_release(value)
                    || Pair { text, key: self.key, value, at: start, place, bare }.tells_about_one()
                    || !place.quoted && is_call(value)
                    || self.is_name(text, value, bare)
                        && !is_chosen(key, value, place.quoted, certain)
                        && !(place.quoted && worth == Worth::Secret && self.is_of_connection(text, value))
                        && !(worth == Worth::Secret && phrase::has_letter_as_digit(value))
                    || !certain && says_its_key(value, &text[self.key.0..self.key.1])
                    || place.quoted && (is_document(value) || is_rest_of_expression(value))
                    || !place.quoted && is_comment(text, start, value)
                    || !place.quoted && is_remark_of_settings(text, self.key.0, key, value, bare)
                    || place.quoted && bare != Bare::Plain && phrase::is_label(value)
                    || place.quoted
                        && is_prose(value)
                        && (text[..start].ends_with(b"`") || !phrase::is_passphrase(key, value, bare))
                    || !place.quoted
                        && (bare != Bare::Text || place.loose || !phrase::is_pin(key, value, worth))
                        && (is_binary(value) || is_code(value, place.bare) || !certain && !has_body(value))
                    || place.loose
                        && (!(looks_made_up(value)
                            || place.quoted && phrase::is_chosen_name(key, value)
                            || place.quoted
                                && is_compared(text, start)
                                && (is_compared_word(key, value) || phrase::is_pin(key, value, worth)))
                            || self.is_verb(text, value)
                            || is_in_header(text, self.key.0)));
            if !harmless {
                self.covered = (start, end);
                let word = word.to_owned();
                spans.push(Span::new(start, end, RULE.into()).because(RedactionReason::Key { word }));
            }
        }
    }

    /// Adds the secrets of several users or services behind the current key.
    fn contained(&mut self, text: &'a [u8], bare: Bare, spans: &mut Vec<Span>) {
        let (start, end) = self.key;
        // A number can stand behind the name: `tokens_001:`.
        let last = text[start..end].iter().rfind(|byte| byte.is_ascii_alphabetic());
        if start < self.contained
            || !last.is_some_and(|last| matches!(last | 0x20, b's' | b'r'))
            || !WORDS.names_a_container(&text[start..end])
        {
            return;
        }
        let (found, stop) = containers::find(text, self.key, bare);
        self.contained = stop.max(end);
        let word = word_around(text, start, end).to_owned();
        spans.extend(found.into_iter().map(|(start, end)| {
            Span::new(start, end, RULE.into()).because(RedactionReason::Key { word: word.clone() })
        }));
    }

    /// Adds the values that the rows of a table of Go have for the field that is the current key.
    fn in_rows(&self, text: &[u8], bare: Bare, spans: &mut Vec<Span>) {
        if bare != Bare::Code {
            return;
        }
        let word = || String::from_utf8_lossy(&text[self.key.0..self.key.1]).into_owned();
        let found = struct_rows::find(text, self.key).into_iter();
        spans.extend(
            found.map(|(start, end)| Span::new(start, end, RULE.into()).because(RedactionReason::Key { word: word() })),
        );
    }

    /// Adds a random value near a key that has none in any notation: a comma or quotes that do not match are between the two.
    fn nearby(&mut self, text: &'a [u8], end: usize, spans: &mut Vec<Span>) {
        // `secret=`, and on the next line `secret=…`
        let has_key = |value: &[u8]| {
            let sign = memchr::memchr(b'=', value);
            sign.is_some_and(|sign| WORDS.worth(&value[..sign]) != Worth::None)
        };
        let is_secret =
            |value: &[u8]| looks_random(value) && !is_placeholder(value) && !is_long_name(value, 3) && !has_key(value);
        if let Some(&(start, stop)) = self.near(text, end).iter().find(|(start, stop)| is_secret(&text[*start..*stop]))
        {
            let word = word_around(text, self.key.0, self.key.1).to_owned();
            spans.push(Span::new(start, stop, RULE.into()).because(RedactionReason::Key { word }));
        }
    }

    /// Returns whether the values of the current key are the parts of a certificate: `"MIIB…" + "…"`.
    fn is_certificate(&self, text: &[u8]) -> bool {
        let mut parts = self.values.iter().map(|&(start, end, _)| &text[start..end]);
        let is_part = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
        self.values.len() > 1 && parts.next().is_some_and(published::is_certificate) && parts.all(is_part)
    }

    /// Returns whether the current key is the name of a variable that is set, as in a file of settings: `IRC_PASS=irc_pass`.
    fn is_variable(&self, text: &[u8]) -> bool {
        let (start, end) = self.key;
        text.get(end) == Some(&b'=') && fallback::is_variable(&text[start..end])
    }

    /// Returns whether a value is the name of a secret: an identifier in source code, or the name of a cache or another object in settings.
    fn is_name(&self, text: &[u8], value: &[u8], bare: Bare) -> bool {
        let key = &text[self.key.0..self.key.1];
        // A token is not a short number.
        let is_number = value.len() < MIN_NUMBER && value.iter().all(u8::is_ascii_digit);
        if is_number && !WORDS.names_a_password(key) && !phrase::is_pin(key, value, Worth::Secret) {
            return true;
        }
        match bare {
            Bare::Code => {
                let is_entry = || WORDS.names_an_entry(key) && is_long_name(value, 3);
                let is_word = || {
                    let word = std::str::from_utf8(value).unwrap_or_default();
                    !WORDS.names_a_password(key) && WORDS.is_of_names(word)
                };
                is_name(value)
                    || is_numbered_name(value)
                    || is_named_entry(value)
                    || is_entry()
                    || is_word()
                    || !WORDS.names_a_password(key) && is_path_of_names(value)
            }
            Bare::Plain | Bare::Data => {
                let min_words = if WORDS.names_a_cache(key) || WORDS.names_a_secret(value) { 2 } else { 3 };
                WORDS.names_an_object(key)
                    && (is_long_name(value, min_words)
                        || bare == Bare::Plain
                            && is_humped_name(value)
                            && !(key == b"secret" && records::is_beside_password(text, self.key)))
            }
            Bare::Text => false,
        }
    }

    /// Returns whether a value is the password of a connection whose other settings are in the same object, and no constant or path of names.
    fn is_of_connection(&self, text: &[u8], value: &[u8]) -> bool {
        let is_word =
            value.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(byte));
        let parts = value.split(|byte| b"_-".contains(byte)).count();
        is_word
            && parts == 2
            && WORDS.names_a_password(&text[self.key.0..self.key.1])
            && records::is_beside_host(text, self.key)
    }

    /// Returns whether the key is the verb of a sentence: `pin jinja2`. The value of a personal identification number has only digits.
    fn is_verb(&self, text: &[u8], value: &[u8]) -> bool {
        text[self.key.0..self.key.1].eq_ignore_ascii_case(b"pin") && !value.iter().all(u8::is_ascii_digit)
    }

    /// Returns the worth of the current key, together with the word before it where both are words of a text: `api key: …`.
    fn worth(&mut self, text: &'a [u8]) -> Worth {
        let (mut start, end) = self.key;
        // An attribute of an element: `data-key="row-1"`.
        if text[start..end].starts_with(b"data-") && text[end..].starts_with(b"=\"") {
            start += b"data-".len();
        }
        let worth = *self.worths.entry(&text[start..end]).or_insert_with_key(|key| WORDS.worth(key));
        // The tokens of pages and the like are not set as variables: `SYNC_TOKEN=…`.
        if worth == Worth::None && text[start..end].ends_with(b"_TOKEN") && self.is_variable(text) {
            return Worth::Weak;
        }
        // The attribute of an element in HTML, which mostly identifies it.
        if worth == Worth::Secret && text[start..end].starts_with(b"data-") && text[end..].starts_with(b"=\"") {
            return Worth::Weak;
        }
        // `--password-file=<(echo …)`
        let written = [&b"=<(echo "[..], b" <(echo ", b"=<(printf ", b" <(printf "];
        if worth == Worth::None
            && text[start..end].ends_with(b"-file")
            && written.iter().any(|command| text[end..].starts_with(command))
        {
            return WORDS.worth(&text[start..end - 5]);
        }
        if worth == Worth::Weak
            && text[start..end].eq_ignore_ascii_case(b"key")
            && let Some(object) = records::object_key(text, start)
        {
            let key = [object, b"_key"].concat();
            let worth = WORDS.worth(&key);
            self.composed = Some(key);
            return worth;
        }
        if worth != Worth::Weak || start < 2 || text[start - 1] != b' ' {
            return worth;
        }
        let word = text[..start - 1].iter().rev().take(24).take_while(|byte| byte.is_ascii_alphabetic()).count();
        if word > 1 { WORDS.worth(&text[start - 1 - word..end]) } else { worth }
    }

    /// Checks the values of a key that names a product whose secrets have a known format.
    pub(super) fn form(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        bare: Bare,
        rule: &'static Rule,
        spans: &mut Vec<Span>,
    ) {
        let is_secret = |value: &[u8]| {
            rule.format.can_begin(value)
                && (value.iter().any(u8::is_ascii_digit) || is_mixed(value))
                && rule.is(value)
                && !is_placeholder(value)
                && !is_reference(value)
        };
        let before = spans.len();
        self.turn_to(text, start, end);
        if self.read(text, bare) {
            let found = self.values.iter().filter(|(start, end, _)| is_secret(&text[*start..*end]));
            spans.extend(found.map(|&(start, end, _)| Span::new(start, end, rule.name.clone())));
        }
        if spans.len() == before
            && let Some(&(start, end)) = self.near(text, end).iter().find(|(start, end)| is_secret(&text[*start..*end]))
        {
            spans.push(Span::new(start, end, rule.name.clone()));
        }
    }

    /// Returns the ranges where a value behind a word can be, which are the same for all rules.
    fn near(&mut self, text: &[u8], end: usize) -> &nearby::Ranges {
        if self.near.0 != end {
            self.near = (end, nearby::values(text, end));
        }
        &self.near.1
    }

    /// Makes the key around a word the current one.
    fn turn_to(&mut self, text: &[u8], start: usize, end: usize) {
        if self.key.0 <= start && end <= self.key.1 {
            return;
        }
        self.key = identifier(text, start, end);
        let bare_end = notations::without_method(text, self.key.0, self.key.1);
        if bare_end >= end {
            self.key.1 = bare_end;
        }
        self.judged = false;
        self.is_read = false;
        self.composed = None;
        self.values.clear();
    }

    /// Reads the values of the current key. Returns whether it has any.
    fn read(&mut self, text: &[u8], bare: Bare) -> bool {
        if std::mem::replace(&mut self.is_read, true) {
            return !self.values.is_empty();
        }
        if self.key.1 - self.key.0 > LONGEST_KEY {
            return false;
        }
        let bare =
            if matches!(bare, Bare::Code | Bare::Data) && in_remark(text, self.key.0) { Bare::Text } else { bare };
        // Bounds the work on a text that was made so that every key has a long value: it is read a few times, and not once for every key.
        let inside = self.covered.0 <= self.key.0 && self.key.1 < self.covered.1;
        let reach = if inside || self.spent > FREELY + 8 * self.key.0 { REACH } else { MAX_VALUE_BYTES };
        self.spent += assigned(text, self.key.0, self.key.1, bare, reach, &mut self.values);
        if self.values.is_empty() {
            self.spent += paired(text, self.key.0, self.key.1, bare, reach, &mut self.values);
        }
        !self.values.is_empty()
    }
}

/// Returns whether a value is the sentence of a remark in a file of settings: `# … requires no password: it means that every`.
fn is_remark_of_settings(text: &[u8], start: usize, key: &[u8], value: &[u8], bare: Bare) -> bool {
    bare == Bare::Plain
        && is_prose(value)
        && text[line_start(text, start)..start].trim_ascii_start().split(|byte| *byte == b' ').count()
            > MAX_WORDS_BEFORE
        && in_remark(text, start)
        && !phrase::is_passphrase(key, value, Bare::Text)
}

/// Returns whether a value is a comment behind a key without a value: `existingSecret: # the chart makes none`.
fn is_comment(text: &[u8], start: usize, value: &[u8]) -> bool {
    value.starts_with(b"#") && text[..start].ends_with(b" ") && is_prose(value)
}

/// Returns whether a value is a name of words that begin with a capital, without digits: `PowerShellGallery`.
fn is_humped_name(value: &[u8]) -> bool {
    humps(value) > 1 && value[0].is_ascii_uppercase() && value.iter().all(u8::is_ascii_alphabetic) && is_name(value)
}

/// Returns whether a value that could be a name is a password that somebody chose.
fn is_chosen(key: &[u8], value: &[u8], quoted: bool, certain: bool) -> bool {
    quoted && phrase::is_chosen_name(key, value)
        || certain && phrase::is_unlike_names(value)
        || phrase::is_signing_name(key, value)
}

/// Returns whether a value is the name of an entry in a store, by a part of it that names a secret: `acme:auth-token:v1`.
fn is_named_entry(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b':');
    value.contains(&b':')
        && std::str::from_utf8(value).is_ok_and(is_wordy)
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte))
        && parts.any(|part| WORDS.names_a_secret(part))
}

/// Returns whether a key is the name of a member that an object keeps: `self.nonce`.
fn is_own_member(text: &[u8], key: usize) -> bool {
    [&b"self."[..], b"this.", b"this->", b"@"]
        .iter()
        .any(|own| text[key..].starts_with(own) || text[..key].ends_with(own))
}

/// Returns whether a string that ends a text is one of bytes or the argument of a call that decodes it: `b`, `hex.decode(`.
fn takes_bytes(before: &[u8]) -> bool {
    before.ends_with(b"(") || [&b"= b"[..], b"=b", b": b"].iter().any(|prefix| before.ends_with(prefix))
}

/// Returns whether a text between two quotes is no string, but joins two: `` ` + db.typeChar(16) + ` ``.
fn is_rest_of_expression(value: &[u8]) -> bool {
    let text = value.trim_ascii();
    let is_spaced = text.len() + 1 < value.len();
    is_spaced
        && text.len() > 2
        && [b"+ ", b". "].iter().any(|sign| text.starts_with(*sign) && text.last() == sign.first())
}

/// Returns whether a string is a part of a document with keys of its own: `{`, `\"expires_in\": \"3600\",`.
fn is_document(value: &[u8]) -> bool {
    let text = value.trim_ascii();
    memchr::memmem::find(text, b"\":").is_some()
        || matches!(text.first(), Some(b'{' | b'}'))
            && value.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() < 2
}

/// Returns whether a value has control characters, which nobody writes in a text. Those of colours are excepted.
fn is_binary(value: &[u8]) -> bool {
    value.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace() && *byte != 0x1b)
}

/// Returns whether a value contains more than punctuation: `2).` does not.
fn has_body(value: &[u8]) -> bool {
    value.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count() >= 3 || value.len() >= 6
}

#[cfg(test)]
mod tests;
