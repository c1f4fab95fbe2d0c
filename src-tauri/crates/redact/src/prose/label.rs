//! Reads the password behind a label or directly behind its name: `Mot de passe : …`, `user ops, pw …`, "the hardcoded password "…"".
//!
//! In: a line with the name of a password. Out: values.

use super::line::Line;
use super::look::Look;
use super::nearby::is_address;
use super::value::{Apart, Value, blanks, ends_clause, ends_line, value, word};
use super::{MAX_WORDS, MAX_WORDS_OF_COMMENT, Prose};
use crate::phrase::is_passphrase;
use crate::shapes::{Shape, shape};
use crate::values::Bare;
use crate::words::{WORDS, Worth};

/// The maximum number of words of a label behind the name of a password.
const MAX_LABEL_WORDS: usize = 5;
/// The maximum number of characters before a label.
const MAX_BEFORE_LABEL: usize = 40;

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

/// The length of the shortest value in parentheses, and the number of words of a passphrase.
const MIN_RANDOM: usize = 10;
const WORDS_OF_PHRASE: std::ops::RangeInclusive<usize> = 3..=8;

/// Returns whether a text has letters of both cases and digits, and is not the name of an algorithm: `SHA256`.
fn is_random(text: &[u8]) -> bool {
    text.len() >= MIN_RANDOM
        && text.iter().all(u8::is_ascii_graphic)
        && [u8::is_ascii_digit, u8::is_ascii_uppercase, u8::is_ascii_lowercase].iter().all(|is| text.iter().any(is))
}

impl Prose {
    /// Returns the values of a password: behind its label or verb, beside it, or before and after it changed.
    pub(super) fn told<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let rest = line.rest;
        if let Some(phrase) = self.plain_phrase(line) {
            return vec![phrase];
        }
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
        // `the old root password (…, still set everywhere)`
        if sign == Some('(') {
            let value = value(rest, at + 1).filter(|value| rest[value.end..].starts_with([',', ';', ')']));
            let value = value.filter(|value| is_random(value.text.as_bytes()));
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

    /// Returns the passphrase of plain words and a number behind a label: `La phrase secrète du dépôt est : …`.
    fn plain_phrase<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        if !line.is_document || !line.name.to_lowercase().contains("phrase") {
            return None;
        }
        let colon = line.rest.find(": ")?;
        let text = line.rest[colon + 1..].trim().trim_end_matches('.');
        let label = line.rest[..colon].split_whitespace();
        let is_plain = text.bytes().any(|byte| byte.is_ascii_digit())
            && text.chars().all(|char| char.is_lowercase() || char.is_ascii_digit() || char == ' ')
            && WORDS_OF_PHRASE.contains(&text.split(' ').count())
            && is_passphrase(b"passphrase", text.as_bytes(), Bare::Text);
        (is_plain && label.count() <= MAX_LABEL_WORDS).then(|| {
            let end = text.as_ptr() as usize - line.rest.as_ptr() as usize + text.len();
            Value { text, end, apart: Apart::Not }
        })
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
    pub(super) fn labelled<'a>(&self, line: &Line<'a>, at: usize, says_whose: bool) -> Option<Value<'a>> {
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
        // `sign in as me@host.example with password: …`
        let is_joined = || {
            let mailbox = line.before.split_whitespace().rev().take(MAX_WORDS_OF_COMMENT + 1).any(is_address);
            look == Look::Beside && mailbox && ends_line(line.rest, value) && self.is_joined(value.text)
        };
        (ended && (self.is_secret(value, look, line) || is_joined())).then_some(value)
    }

    /// Returns whether a text is two words in small letters with a dash between them, the first of which is none of a label or a name.
    fn is_joined(&self, text: &str) -> bool {
        text.split_once('-').is_some_and(|(first, second)| {
            self.is_plain_password(first)
                && self.is_own(text)
                && second.len() > 2
                && second.bytes().all(|byte| byte.is_ascii_lowercase())
                && !self.is_adjective(second)
        })
    }

    /// Returns whether a sentence ends behind a value, or goes on with the place or the time of a password: "is … on staging".
    pub(super) fn ends_statement(&self, line: &Line<'_>, value: Value<'_>) -> bool {
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
        let has_user = near.iter().any(|word| WORDS.names_a_user(word) || self.users.contains(word));
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
        let is_dotted = is_used && ends_clause(line.rest, value) && is_dotted(value.text);
        (ended && self.is_secret(value, look, line) || is_dotted && line.before.contains('`')).then_some(value)
    }
}
