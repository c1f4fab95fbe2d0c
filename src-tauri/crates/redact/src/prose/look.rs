//! Grades the look of a word in a sentence, from a word that only a password can be to any word of a language. The less the words around it
//! tell, the more must it look like a password.
//!
//! In: a value and the look that its place asks for. Out: whether the value is a password.

use super::line::Line;
use super::value::{Apart, Value, is_made_up};
use super::{Bare, LENGTHS, Prose};
use crate::code::{humps, is_name, is_reference, is_release, is_wordy};
use crate::fallback::is_variable;
use crate::phrase::{is_chosen_name, is_disguised, is_passphrase};
use crate::shapes::{Shape, has_digit_in_word, shape};
use crate::values::is_placeholder;
use crate::words::{WORDS, Worth};

/// The length of the shortest value in characters that only its capital distinguishes from a word.
const MIN_CAPITALIZED: usize = 6;

/// The forms that a value may have where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// It is no name of a product either: it has digits inside a word, or signs and digits.
    Strong,
    /// Or it has digits or signs.
    MadeUp,
    /// Or it begins with a capital.
    Capitalized,
    /// Or it is a word that is none of a label, a sentence or a name in code, and does not end like an adjective.
    NoAdjective,
    /// Or it is a word that is none of a label, a sentence or a name in code.
    Beside,
    /// Or it is a word.
    Word,
}

/// The maximum length of the extension of a file.
const MAX_EXTENSION: usize = 4;

/// Returns whether a text ends like the name of a file: `auth2.js`.
fn has_extension(text: &str) -> bool {
    let is_short =
        |end: &str| (1..=MAX_EXTENSION).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase());
    text.rsplit_once('.').is_some_and(|(_, end)| is_short(end))
}

/// Returns a letter of any script as one of ASCII.
fn as_ascii(letter: char) -> u8 {
    match u8::try_from(letter) {
        Ok(byte) if byte.is_ascii() => byte,
        _ if letter.is_uppercase() => b'X',
        _ if letter.is_alphabetic() => b'x',
        _ => b'?',
    }
}

/// Returns whether the case of letters changes as in no name: `tRaluPMeg`, `TX-VRTiZOWWuQW`.
fn is_irregular(text: &str) -> bool {
    let is_irregular = |part: &str| part.len() > MIN_CAPITALIZED && humps(part.as_bytes()) > 1 && !is_wordy(part);
    text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') && text.split('-').any(is_irregular)
}

/// Returns whether a text is an argument with its name: `transaction=False`.
fn is_argument(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, value)| {
        let is_small = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        name.len() > 2
            && (is_small || name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !value.is_empty()
    })
}

/// Returns whether a text is neither a word nor a name with a number: `w4ldmeister!`, `Ton!4711`.
fn is_strong(text: &str) -> bool {
    let is_path = text.contains(['/', '\\', ':', '=', ',']);
    !has_extension(text) && !is_path && (shape(text.as_bytes()) == Some(Shape::Mixed) || has_digit_in_word(text))
}

impl Prose {
    /// Returns whether a word in small letters is none of a label, a sentence or a name in code, and not the role of a user.
    fn is_no_role(&self, word: &str) -> bool {
        let is_participle = ["ed", "ing", "able"].iter().any(|end| word.ends_with(end));
        word.chars().count() >= MIN_CAPITALIZED
            && word.chars().all(char::is_lowercase)
            && !is_participle
            && !WORDS.is_of_names(word)
            && !WORDS.is_of_sentences(word)
            && WORDS.worth(word.as_bytes()) == Worth::None
            && ![word, word.trim_end_matches('s')]
                .iter()
                .any(|word| self.roles.contains(*word) || self.users.contains(*word))
    }

    /// Returns whether a word in small letters can be a password beside the name of a user: it is no role and no adjective.
    pub(in super::super) fn is_plain_password(&self, word: &str) -> bool {
        self.is_no_role(word) && !self.is_adjective(word)
    }

    /// Returns whether a text is the name of a user that many systems have.
    pub(in super::super) fn is_user(&self, name: &str) -> bool {
        self.users.contains(name)
    }

    /// Returns whether a word in small letters is an adjective or participle by its form: "the password is …" describes the password.
    pub(super) fn is_adjective(&self, word: &str) -> bool {
        self.adjective_ends.iter().any(|end| word.ends_with(end.as_str()))
            || self.participle_starts.iter().any(|start| word.starts_with(start.as_str()))
                && self.participle_ends.iter().any(|end| word.ends_with(end.as_str()))
    }

    /// Returns whether a value can be no password anywhere: it is a reference, code, or a word about passwords.
    fn is_excluded(&self, value: Value<'_>) -> bool {
        let text = value.text;
        let bytes = text.as_bytes();
        !LENGTHS.contains(&text.chars().count())
            || text.contains(|char: char| char.is_whitespace() || char.is_control() || "(){}[]<>`\"|;".contains(char))
            || value.apart == Apart::Not && text.contains('\'')
            || is_argument(text)
            || text.starts_with(['-', '/', '@', '#', '%', '$', '.', ':', '\\'])
            || text.contains("://")
            || is_placeholder(bytes) && !is_disguised(bytes)
            || is_reference(bytes)
            || is_release(bytes)
            || value.apart == Apart::Not && has_extension(text)
            || bytes.contains(&b'_') && is_variable(bytes) && !is_chosen_name(b"password", bytes)
            || !self.is_own(text.trim_end_matches(['!', '?']))
    }

    /// Returns whether a value is a password, as far as its look tells.
    pub(super) fn is_secret(&self, value: Value<'_>, look: Look, line: &Line<'_>) -> bool {
        let text = value.text;
        if text.contains(' ') && !line.rest.starts_with('=') && self.is_phrase(line.name, value, look) {
            return true;
        }
        if self.is_excluded(value) {
            return false;
        }
        if look == Look::Strong {
            return is_strong(text);
        }
        let letters = text.trim_end_matches(['!', '?']);
        let is_word = letters.chars().all(char::is_alphabetic);
        let is_capitalized = is_word
            && letters.chars().count() >= MIN_CAPITALIZED
            && letters.starts_with(char::is_uppercase)
            && letters.chars().skip(1).all(char::is_lowercase);
        if is_capitalized {
            // A word with an exclamation mark at the end of a label is more than a word.
            return look >= Look::Capitalized
                || letters.len() < text.len() && value.apart == Apart::Not && look == Look::MadeUp;
        }
        if is_made_up(letters) || line.is_document && look >= Look::Capitalized && is_irregular(letters) {
            return true;
        }
        // A name in any script has the form of one in ASCII.
        let ascii: Vec<u8> = text.chars().map(as_ascii).collect();
        let last = letters.rsplit('-').next().unwrap_or(letters);
        if look == Look::NoAdjective && self.is_adjective(last) {
            return false;
        }
        if matches!(look, Look::NoAdjective | Look::Beside) || look == Look::Word && value.apart == Apart::Bold {
            return is_word && self.is_no_role(letters)
                || !text.contains('.')
                    && (line.is_document || !text.contains('_'))
                    && is_chosen_name(b"password", &ascii);
        }
        // Names of code are set apart like passwords.
        let bytes = text.as_bytes();
        let is_kebab = line.is_document && !text.contains(['_', '.']) && !text.contains(char::is_uppercase);
        let is_participle = text.ends_with("ed") || text.ends_with("ing");
        look == Look::Word
            && value.apart == Apart::Quoted
            && !is_participle
            && (!is_name(bytes) || is_kebab || is_chosen_name(b"password", bytes))
    }

    /// Returns whether a value of several words, set apart, is a passphrase.
    fn is_phrase(&self, name: &str, value: Value<'_>, look: Look) -> bool {
        let text = value.text;
        let enough = text.split(' ').count() > 2 || text.bytes().any(|byte| byte.is_ascii_digit());
        let apart = value.apart == Apart::Quoted && look == Look::Word;
        let name = name.to_lowercase();
        // `the value of the variable`
        let is_named = !text.split(' ').any(|word| self.articles.contains(word));
        let is_told = |name: &[u8]| is_passphrase(name, text.as_bytes(), Bare::Text);
        apart && enough && (is_told(b"password") || is_named && is_told(name.as_bytes()))
    }
}
