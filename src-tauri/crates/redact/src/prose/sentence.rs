//! Reads the passwords of a sentence that do not follow their name and a verb: "use … as the password", "… is the password of the server",
//! words near the name that can only be passwords, and values behind names in scripts without blanks.
//!
//! In: a line with the name of a password. Out: values.

use super::line::{Line, line_around};
use super::look::Look;
use super::value::{Apart, Value, blanks, is_odd, value, word};
use super::{Bare, MAX_WORDS, Noun, Prose};
use crate::code::humps;
use crate::phrase::is_passphrase;
use crate::shapes::{Shape, shape};
use crate::span::Span;
use crate::words::{WORDS, Worth};

/// The number of digits of a personal identification number.
pub(super) const PIN_DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
/// The maximum number of words between the name of a number and the number.
const MAX_WORDS_BEFORE_NUMBER: usize = 24;
/// The maximum number of words between a value and the name behind it, with the verb.
const MAX_BETWEEN: usize = 5;
/// The signs that close a value before a name, and those that open it.
const QUOTES: &[(&str, &[&str], Apart)] = &[
    ("**", &["**"], Apart::Bold),
    ("`", &["`"], Apart::Quoted),
    ("\"", &["\""], Apart::Quoted),
    ("'", &["'"], Apart::Quoted),
    ("”", &["“"], Apart::Quoted),
    ("“", &["„"], Apart::Quoted),
    ("»", &["«"], Apart::Quoted),
];
/// The signs around a word.
const AROUND: &[char] =
    &['`', '"', '\'', '“', '”', '„', '«', '»', '(', ')', '[', ']', '<', '>', ',', ';', ':', '*', '_'];
/// The length of the shortest word of a password of several words.
const MIN_WORD: usize = 3;
/// The number of digits of the longest number in it: a year.
const MAX_NUMBER: usize = 4;
/// The lengths of a code of capitals and digits in bytes.
const MIN_CODE: usize = 6;
const MAX_CODE: usize = 24;
/// The end of the names of a password of several words.
const PHRASE: &str = "phrase";
/// The first letter of the scripts that write words without blanks.
const FIRST_WITHOUT_BLANKS: char = '\u{2e80}';

/// Returns the value that a text ends with.
fn value_before(text: &str) -> Option<Value<'_>> {
    let text = text.trim_end();
    for (close, openings, apart) in QUOTES {
        let Some(inner) = text.strip_suffix(close) else { continue };
        let open = openings.iter().filter_map(|open| Some(inner.rfind(open)? + open.len())).max()?;
        return Some(Value { text: &inner[open..], end: text.len(), apart: *apart });
    }
    let token = text.rsplit(char::is_whitespace).next()?;
    let bare = token.trim_start_matches(['(', '[']);
    (!bare.ends_with([',', '.', ':', ';', ')'])).then_some(Value { text: bare, end: text.len(), apart: Apart::Not })
}

/// Returns the part of a word that can be a password: all of it, or what follows the name of a user in it (`admin/…`).
fn candidate(word: &str) -> &str {
    let word = word.trim_start_matches(AROUND).trim_end_matches(|char| char == '.' || AROUND.contains(&char));
    let is_user = |name: &str| {
        name.chars().all(|char| char.is_alphanumeric() || "_-@.".contains(char)) && name.contains(char::is_alphabetic)
    };
    match word.split_once(['/', ':']) {
        Some((user, password)) if is_user(user.trim_matches(AROUND)) => password.trim_matches(AROUND),
        _ => word,
    }
}

/// Returns whether a text is four or more words with dashes between them, of which most are none of the words of names.
fn is_kebab(text: &str) -> bool {
    let words = || text.split('-');
    words().count() > 3
        && words().all(|word| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && words().filter(|word| WORDS.is_of_names(word)).count() * 2 < words().count()
}

/// Returns whether a word is several words with capitals and a number, as no name has them: `Zeemeeuw-88-krijs`, `bramble_Otter_6`.
fn is_several(text: &str) -> bool {
    let words = || text.split(['-', '_', '.', '+']);
    let is_word = |word: &str| word.len() >= MIN_WORD && word.chars().all(char::is_alphabetic);
    let is_number =
        |word: &str| (1..=MAX_NUMBER).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    shape(text.as_bytes()) == Some(Shape::Numbered)
        && words().all(|word| is_word(word) || is_number(word))
        && words().filter(|word| is_word(word)).count() > 1
        && words().filter(|word| is_number(word)).count() == 1
        && !words().any(|word| WORDS.is_of_names(&word.to_lowercase()))
}

/// Returns a word without the tags of an element around it: `<b>4831</b>`.
fn without_tags(word: &str) -> &str {
    let inner = word.strip_prefix('<').and_then(|word| word.split_once('>')).filter(|(tag, _)| !tag.contains('/'));
    inner.map_or(word, |(_, inner)| inner.split("</").next().unwrap_or(inner))
}

/// Returns whether a text is several words and a number at their end, of which two are none of a sentence or a name in code:
/// `Der Tee ist alle 2023`.
fn is_phrase_with_number(text: &str) -> bool {
    let mut words: Vec<&str> = text.split(' ').collect();
    let number = words.pop().unwrap_or_default();
    let is_number = (2..=MAX_NUMBER).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_content = |word: &&&str| {
        let lower = word.to_lowercase();
        word.len() >= MIN_WORD && !WORDS.is_of_messages(&lower) && !WORDS.is_of_names(&lower)
    };
    let is_plain = |word: &&str| !word.is_empty() && word.chars().all(char::is_alphabetic);
    is_number && words.iter().all(is_plain) && words.iter().filter(is_content).count() > 1
}

/// Returns whether a word has the digits of a personal identification number only.
pub(super) fn is_number(word: &str) -> bool {
    PIN_DIGITS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word has the form of the number that opens a thing: `4831`, `27-4-61`, `C4471`.
fn is_pin(word: &str, noun: Noun, is_order: bool) -> bool {
    let is_lock = noun == Noun::Combination;
    // Other things have numbers with a letter, too: `use the code E4031`.
    let number =
        if is_order { word.strip_prefix(|char: char| char.is_ascii_uppercase()).unwrap_or(word) } else { word };
    PIN_DIGITS.contains(&number.bytes().filter(u8::is_ascii_digit).count())
        && number.starts_with(|char: char| char.is_ascii_digit())
        && number.chars().all(|char| char.is_ascii_digit() || is_lock && char == '-')
}

/// Returns the part of a word that can be a password, as a value.
fn bare(word: &str) -> Value<'_> {
    Value { text: candidate(word), end: 0, apart: Apart::Not }
}

impl Prose {
    /// Returns the value before the name of a password: `use … as the password`, `… is the password`.
    pub(super) fn before_name<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let mut head = line.before.trim_end();
        for _ in 0..MAX_BETWEEN {
            let word = head.rsplit(char::is_whitespace).next().filter(|word| !word.is_empty())?;
            let before = &head[..head.len() - word.len()];
            let lower = word.to_lowercase();
            let is_role = self.as_words.contains(&lower);
            if is_role || self.verbs.contains(&lower) {
                let value = value_before(before)?;
                // `use … as password`
                let is_used = || {
                    let verb = before.trim_end().strip_suffix(value.text).unwrap_or_default().trim_end();
                    let verb = verb.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
                    let next =
                        line.rest.split_whitespace().next().unwrap_or_default().trim_end_matches('.').to_lowercase();
                    let ends = !line.rest.trim_start().starts_with(char::is_alphanumeric);
                    self.with.contains(&verb) && (ends || self.after.contains(&next))
                };
                let look = match value.apart {
                    _ if !self.ends_name(line.rest) => Look::Strong,
                    Apart::Quoted if is_role => Look::Word,
                    Apart::Not if is_role && is_used() => Look::Beside,
                    // `… is the repository password`
                    Apart::Not if line.is_document && value.text.split('-').count() > 2 => Look::NoAdjective,
                    _ => Look::MadeUp,
                };
                let is_phrase = look == Look::NoAdjective && is_kebab(value.text);
                return (is_phrase || self.is_secret(value, look, line)).then_some(value);
            }
            if !word.chars().all(char::is_alphabetic) {
                return None;
            }
            head = before.trim_end();
        }
        None
    }

    /// Returns the words behind the name of a phrase and a colon or verb, up to the end of the line: `passphrase: drei graue esel`.
    pub(super) fn phrase<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let rest = line.rest.trim_start();
        let behind = match rest.strip_prefix(':') {
            _ if !line.name.ends_with(PHRASE) && !line.name.to_lowercase().ends_with(PHRASE) => None,
            Some(behind) => Some(behind.trim_start()),
            None => rest.split_once(' ').filter(|(verb, _)| self.verbs.contains(*verb)).map(|(_, behind)| behind),
        };
        let text = behind?.trim_end_matches(['.', ' ']);
        if line.is_document && is_phrase_with_number(text) && self.tells_of_network(line) {
            return Some(Value { text, end: 0, apart: Apart::Not });
        }
        let is_phrase = text.split(' ').count() > 2
            && text.starts_with(char::is_alphanumeric)
            && is_passphrase(b"password", text.as_bytes(), Bare::Text);
        is_phrase.then_some(Value { text, end: 0, apart: Apart::Not })
    }

    /// Returns whether a line or one above it is about a network.
    fn tells_of_network(&self, line: &Line<'_>) -> bool {
        line.before.to_lowercase().contains("network") || self.is_near_network(line.text, line.range.0, line.range.1)
    }

    /// Returns the value that somebody enters when a program asks: `type … when it asks`.
    pub(super) fn entered_before<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let found = value_before(line.before)?;
        let head = line.before[..found.end].strip_suffix(found.text)?.trim_end();
        let verb = head.rsplit(char::is_whitespace).next()?.to_lowercase();
        // `sudo -i (… if asked)`
        let is_enclosed = head.ends_with('(') && line.rest.starts_with(')');
        ((is_enclosed || self.enters.contains(&verb)) && self.is_secret(found, Look::MadeUp, line)).then_some(found)
    }

    /// Returns whether the name of a password ends before a text: no other noun follows, as in `password hash`.
    pub(super) fn ends_name(&self, rest: &str) -> bool {
        let next = rest.trim_start();
        let Some(word) = word(next) else { return true };
        let lower = word.trim_end_matches(['.', '?']).to_lowercase();
        let is_next = [&self.links, &self.conditions, &self.with, &self.as_words, &self.after]
            .iter()
            .any(|words| words.contains(&lower));
        is_next || next.starts_with(|char: char| !char.is_alphanumeric())
    }

    /// Returns the words of the line near the name of a password or a login that can only be passwords.
    pub(super) fn near<'a>(&self, line: &Line<'a>, has_before: bool) -> Vec<Value<'a>> {
        // Only the line of the name is near it.
        let rest = line.rest.split('\n').next().unwrap_or_default();
        let above = line.before.rsplit('\n').next().unwrap_or_default();
        let behind = rest.split_whitespace().take(MAX_WORDS).filter(|word| !word.starts_with("http"));
        let ends = |word: &str| word.ends_with(['.', ';', '?']);
        let before = above.split_whitespace().rev().take(MAX_WORDS).take_while(|word| has_before && !ends(word));
        let is_told = |value: &Value<'_>| {
            self.is_secret(*value, Look::Strong, line)
                || line.is_document && is_several(value.text) && self.is_secret(*value, Look::MadeUp, line)
        };
        behind.chain(before).map(bare).filter(is_told).collect()
    }

    /// Returns the other passwords of a line that tells one: `(was …)`, `then back to …`.
    pub(super) fn others<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let words = || line.rest.split_whitespace();
        let tells = |word: &str| {
            let word = word.trim_matches(AROUND).to_lowercase();
            [&self.verbs, &self.to].iter().any(|words| words.contains(&word))
                || self.from.iter().any(|(from, _)| *from == word)
        };
        let told = words().zip(words().skip(1)).filter(|(before, _)| tells(before)).map(|(_, word)| bare(word));
        told.filter(|value| self.is_secret(*value, Look::MadeUp, line)).collect()
    }

    /// Returns the new and the old value that a sentence names without a verb of change: "the deployer uses `…` instead of `…`".
    pub(super) fn instead<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let both = self.instead.iter().find_map(|words| {
            let at = line.rest.find(words.as_str())?;
            Some([value_before(&line.rest[..at])?, value(line.rest, at + words.len())?])
        });
        let is_secret = |value: &Value<'_>| value.apart != Apart::Not && self.is_secret(*value, Look::MadeUp, line);
        let both = both.filter(|both| both.iter().all(is_secret) && both.iter().any(|value| is_odd(value.text)));
        both.map(Vec::from).unwrap_or_default()
    }

    /// Returns the value that a document tells of a setting whose name ends with the word at `start..end`: "set `DB_PASSWORD` to `…`",
    /// "use `…` for `JWT_SECRET`".
    pub(super) fn find_of_setting(&self, text: &[u8], start: usize, end: usize) -> Option<Span> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
        let open = start - text[..start].iter().rev().take_while(is_part).count();
        let name = &text[open..end];
        if !text[..open].ends_with(b"`") || WORDS.worth(name) != Worth::Secret {
            return None;
        }
        let (from, to) = line_around(text, open - 1, end + 1);
        let before = std::str::from_utf8(&text[from..open - 1]).ok()?;
        let rest = std::str::from_utf8(&text[end + 1..to]).ok()?.trim_end();
        let name = std::str::from_utf8(name).ok()?;
        let line = Line { name, before, rest, is_document: true, text, range: (from, to) };
        let value = self.behind_setting(&line).or_else(|| self.before_setting(&line))?;
        let is_name = WORDS.worth(value.text.as_bytes()) != Worth::None;
        // A name with humps can be the one of a function: `getAccessToken` → `fetch`.
        let look = if humps(name.as_bytes()) > 0 { Look::MadeUp } else { Look::Word };
        (value.apart == Apart::Quoted && !is_name && self.is_secret(value, look, &line)).then(|| line.span(value, name))
    }

    fn behind_setting<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let mut at = blanks(line.rest);
        for _ in 0..MAX_BETWEEN {
            let word = word(&line.rest[at..])?.to_lowercase();
            let tells = [&self.verbs, &self.to, &self.adverbs].iter().any(|words| words.contains(&word)) || word == "=";
            if !tells {
                break;
            }
            at += word.len();
            at += blanks(&line.rest[at..]);
        }
        line.rest[at..].starts_with('`').then(|| value(line.rest, at)).flatten().filter(|_| at > blanks(line.rest))
    }

    fn before_setting<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let head = line.before.trim_end();
        let word = head.rsplit(char::is_whitespace).next()?;
        let is_purpose = self.as_words.contains(word) || self.purposes.contains(word);
        let value = value_before(&head[..head.len() - word.len()]).filter(|_| is_purpose)?;
        self.is_secret(value, Look::MadeUp, line).then_some(value)
    }

    /// Returns the password that answers a question: `anna: pw? ben: …`.
    pub(super) fn answer<'a>(&self, line: &Line<'a>) -> Vec<Value<'a>> {
        let last = line.rest.split_whitespace().next_back().map(bare);
        let last = last.filter(|value| shape(value.text.as_bytes()) > Some(Shape::Words));
        let mut found = self.near(line, false);
        found.extend(last.filter(|value| self.is_secret(*value, Look::MadeUp, line)));
        found
    }

    /// Returns the numbers behind the name of a PIN and a verb, or behind an order to enter it: `the PIN for the safe is 4831`,
    /// `enter PIN 4831`. A combination is the one of a lock.
    pub(super) fn numbers<'a>(&self, line: &Line<'a>, noun: Noun) -> Vec<Value<'a>> {
        // `unlocked with …`: the noun is an order itself.
        let is_order = noun == Noun::Combination
            && line.name.rsplit(' ').next().is_some_and(|last| self.enters.contains(&last.to_lowercase()));
        let is_plain = !line.name.contains([' ', '-']) && line.name.chars().all(char::is_lowercase);
        // In comments, a pin is mostly a part of a circuit, or of a list of versions.
        if !line.is_document && is_plain || noun == Noun::Combination && !self.names_a_lock(line) {
            return Vec::new();
        }
        let mut before = line.before.split_whitespace().rev().skip_while(|word| self.articles.contains(*word));
        // `type 4831 as PIN`
        if let (Some(role), Some(number)) = (before.next(), before.next())
            && self.as_words.contains(role)
            && is_number(number)
        {
            return vec![Value { text: number, end: 0, apart: Apart::Not }];
        }
        let mut words = line.before.split_whitespace().rev().take(2).map(str::to_lowercase);
        let is_entered = words.any(|word| self.enters.contains(&word)) && line.rest.starts_with(' ');
        let mut before = if is_order || is_entered { ":".to_owned() } else { String::new() };
        let mut has_verb = false;
        let mut found: Vec<Value<'a>> = Vec::new();
        for word in line.rest.split_whitespace().take(MAX_WORDS_BEFORE_NUMBER) {
            let number = bare(without_tags(word)).text.trim_end_matches('#');
            let is_told = [&self.verbs, &self.to, &self.adverbs].iter().any(|words| words.contains(&before))
                || before.ends_with(':')
                || has_verb && self.articles.contains(&before)
                || noun == Noun::Combination && word.trim_end_matches(['.', ',', ';']).ends_with(')')
                // A second one: `9034 here, but 6117 there`
                || found.first().is_some_and(|first| first.text.len() == number.len());
            if is_pin(number, noun, is_order) && is_told {
                found.push(Value { text: number, end: 0, apart: Apart::Not });
            }
            before = word.to_lowercase();
            has_verb |= self.verbs.contains(&before);
        }
        found
    }

    /// Returns the code of capitals and digits, set apart, behind the name of a number and a sign or verb: `master code <code>…</code>`.
    pub(super) fn code_apart<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let rest = line.rest.trim_start_matches([':', ' ']);
        let verb = word(rest).filter(|word| self.verbs.contains(*word)).map_or(0, str::len);
        let found = value(line.rest, line.rest.len() - rest.len() + verb)?;
        let kinds = found.text.as_bytes().windows(2);
        let changes = kinds.filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
        let is_code = (MIN_CODE..=MAX_CODE).contains(&found.text.len())
            && found.text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-')
            // `CODE128` is a name with a number.
            && changes > 1;
        (found.apart != Apart::Not && is_code && self.is_own(found.text)).then_some(found)
    }

    /// Returns whether a line names a thing with a lock, or one that asks for a number.
    fn names_a_lock(&self, line: &Line<'_>) -> bool {
        let words = |text: &str| {
            text.split(|char: char| !char.is_alphabetic())
                .map(str::to_lowercase)
                .any(|word| self.locks.contains(&word) || self.demands.contains(&word))
        };
        [line.before, line.name, line.rest].into_iter().any(words)
    }

    /// Returns the value behind a name in a script without blanks: `密码是 …`.
    pub(super) fn behind_particles<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        if !line.name.starts_with(|char| char >= FIRST_WITHOUT_BLANKS) {
            return None;
        }
        let mut at = blanks(line.rest);
        while let Some(particle) = self.particles.iter().find(|particle| line.rest[at..].starts_with(particle.as_str()))
        {
            at += particle.len();
            at += blanks(&line.rest[at..]);
        }
        let found = value(line.rest, at)?;
        let length = found.text.chars().take_while(char::is_ascii_graphic).count();
        let found = Value { text: &found.text[..length], ..found };
        self.is_secret(found, Look::MadeUp, line).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn codes_of_things_with_a_lock_are_read() {
        check(
            "a.md",
            &[
                "1. The key box next to the gate opens with ⟦4711⟧.",
                "Il codice dell'allarme è ⟦9931⟧.",
                "De kluis vraagt om een code, die is altijd ⟦77120⟧.",
                "The keypad at the door wants a code: ⟦5512⟧#.",
                "Open the padlock with ⟦B2201⟧.",
                "They want a code. We never changed it from the first one (my birthday, ⟦140316⟧).",
                "anna: what is the code for the safe?\nben: ⟦4-17-33⟧",
                "Use the code `E4031` when the door sensor fails.",
                "The server returned code 5000 and closed the port.",
                "The menu shows error code 4031 when the door is open.",
                "You will be asked for a code. It is sent within 2000 ms.",
                "The alarm code 2 means open since 2021.",
            ],
        );
        check(
            "a.py",
            &[
                "# trzeba wpisać kod serwisowy ⟦778812⟧, inaczej nie",
                "# the safe of code 5000 is closed",
                "# code: 5000",
            ],
        );
        check("A.java", &["// The technician menu is unlocked with ⟦166831⟧ on all devices."]);
    }

    #[test]
    fn several_words_with_a_number_near_a_password_are_one() {
        check(
            "notes.md",
            &[
                "- rotate ftp creds (still ⟦bramble_Otter_6⟧ everywhere!!)",
                "The gateway password: everyone knows ⟦Zeemeeuw-88-krijs⟧ by now",
                "The password rules follow Annex-27001-Chapter and User_Guide_2.",
                "The gateway has Zeemeeuw-88-krijs on it",
            ],
        );
    }
}
