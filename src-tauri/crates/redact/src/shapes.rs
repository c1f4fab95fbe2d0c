//! Recognises the form of passwords that people choose: `P4perJam!`, `Welcome1`, `0scill0scope`. The form alone proves nothing, so each caller
//! asks for more of it the less the place of the value says.

use super::code::{is_release, is_wordy};
use super::phrase::{KNOWN, has_letter_as_digit, is_chosen_name};
use super::values::{is_placeholder, is_uuid};
use super::words::WORDS;

/// The lengths of a chosen password in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 7..=32;
/// The number of letters of the shortest word in a password.
const MIN_LETTERS: usize = 3;
/// The length of the longest number in a password: a date.
const MAX_DIGITS: usize = 8;
/// The number of digits from which a word in small letters with a sign is no name with a version.
const MANY_DIGITS: usize = 3;

/// The certainty that a value is a password, judged by its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Words with capitals, or with digits in the place of letters, as names sometimes have, too: `Cache.Me.If.U.Can`, `0scill0scope`.
    Words,
    /// Capitals, small letters and digits: `Winter2022`, `Graf-Dracula9`.
    Numbered,
    /// Also a sign that no name has: `Test@1234`, `jMueller!84`.
    Mixed,
}

/// Returns the form of a value. Values that code and documents are full of have none: names, versions, addresses, formats, files.
pub(super) fn shape(value: &[u8]) -> Option<Shape> {
    if !LENGTHS.contains(&value.len()) || !value.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte > 127)
    {
        return None;
    }
    let count = |test: fn(&u8) -> bool| value.iter().filter(|byte| test(byte)).count();
    let (upper, lower, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.!?@#$%^&*+~".contains(byte) || *byte > 127;
    if lower + upper < MIN_LETTERS || upper + digits == 0 || !value.iter().all(allowed) {
        return None;
    }
    let signed = has_sign(value, upper, digits);
    if !signed && value.iter().any(|byte| b"!?@#$%^&*+~".contains(byte))
        || is_placeholder(value)
        || is_release(value)
        || is_uuid(value)
        || is_file(value)
        || WORDS.is_technique(value)
        || longest(value, u8::is_ascii_digit) > MAX_DIGITS
    {
        return None;
    }
    if signed && digits > 0 && (upper > 0 || digits >= MANY_DIGITS || has_letter_as_digit(value)) {
        return Some(Shape::Mixed);
    }
    let has_word = longest(value, u8::is_ascii_alphabetic) >= MIN_LETTERS;
    if upper > 0 && lower > 1 && digits > 0 && has_word && !is_versioned(value) {
        return Some(Shape::Numbered);
    }
    (has_letter_as_digit(value) || has_digits_inside(value) || is_chosen_name(b"password", value))
        .then_some(Shape::Words)
}

/// Returns the length of the longest run of one kind.
fn longest(value: &[u8], kind: fn(&u8) -> bool) -> usize {
    value.split(|byte| !kind(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

/// Returns whether a word in small letters has two digits in the place of letters: `0scill0scope`.
fn has_digits_inside(value: &[u8]) -> bool {
    let replaced = |at: usize| {
        b"013457".contains(&value[at])
            && value.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            && at.checked_sub(1).is_none_or(|before| value[before].is_ascii_lowercase())
    };
    let digits = || (0..value.len()).filter(|at| value[*at].is_ascii_digit());
    digits().count() == 2 && digits().all(replaced) && longest(value, u8::is_ascii_lowercase) > MIN_LETTERS
}

/// The number of letters of the shortest word that has a digit in the place of a letter, and of the text with it.
const MIN_DISGUISED: usize = 4;
const MIN_TEXT: usize = 6;

/// Returns whether a word of a text has a single digit in the place of a letter: `elbphilharm0nie`. The digit 2 stands for a word in names, and
/// other names are known.
pub(super) fn has_digit_in_word(text: &str) -> bool {
    let replaces =
        |three: &[char]| three[0].is_alphabetic() && "01345789".contains(three[1]) && three[2].is_lowercase();
    let is_disguised = |word: &str| {
        let chars: Vec<char> = word.chars().collect();
        // `s3`, but not `S3hne`: a capital before the digit begins a word.
        let is_known = |name: &&[u8]| {
            let start = word.as_bytes().get(..name.len()).unwrap_or_default();
            start == *name || name.len() > 2 && start.eq_ignore_ascii_case(name)
        };
        chars.iter().filter(|char| char.is_alphabetic()).count() >= MIN_DISGUISED
            && chars.windows(3).any(replaces)
            && !chars.iter().all(char::is_ascii_hexdigit)
            && !KNOWN.iter().any(is_known)
    };
    text.chars().filter(|char| char.is_alphabetic()).count() >= MIN_TEXT
        && text.split(|char: char| !char.is_alphanumeric()).any(is_disguised)
}

/// Returns whether a value has a sign of a password, and not the one of an address, a package, a method, a wildcard or a format.
fn has_sign(value: &[u8], upper: usize, digits: usize) -> bool {
    let mut has_sign = false;
    for (at, byte) in value.iter().enumerate() {
        let before = &value[..at];
        let after = &value[at + 1..];
        let stands = match byte {
            b'!' | b'^' => true,
            // `root@host1`, `left-pad@18`, `me@example.org`
            b'@' => {
                (after.is_empty() || after.iter().all(|byte| byte.is_ascii_digit() || b"!?#$%&*".contains(byte)))
                    && (upper > 0 || digits >= MANY_DIGITS)
                    || before.contains(&b'!')
                    || upper > 0
                        && digits > 0
                        && after.len() < 8
                        && !after.contains(&b'.')
                        && before.iter().any(u8::is_ascii_uppercase)
            }
            // `Class#method2`, `Outer$Inner2`, `Foo*2`, `a&b2`, `%d2`, `x?y2`
            b'#' | b'$' | b'*' | b'&' | b'?' | b'+' | b'%' | b'~' => {
                // A method begins with a small letter.
                let is_no_class = before.last().is_some_and(u8::is_ascii_digit)
                    || at > 1 && before.iter().all(u8::is_ascii_uppercase);
                let is_no_member = *byte == b'#' && is_no_class && after.first().is_some_and(u8::is_ascii_uppercase);
                // A version has no capitals: `1.2.3~rc1`.
                let has_capitals = before.iter().any(u8::is_ascii_uppercase)
                    || upper > 1 && digits >= MANY_DIGITS && before.iter().any(u8::is_ascii_digit);
                after.is_empty() || is_no_member || !after[0].is_ascii_alphabetic() && has_capitals
            }
            _ => continue,
        };
        if !stands {
            return false;
        }
        has_sign = true;
    }
    has_sign
}

/// Returns whether a value ends like the name of a file: `Setup2.exe`.
fn is_file(value: &[u8]) -> bool {
    value.iter().rposition(|byte| *byte == b'.').is_some_and(|dot| {
        let end = &value[dot + 1..];
        (1..=4).contains(&end.len()) && end.iter().all(u8::is_ascii_lowercase)
    })
}

/// Returns whether a value is a name in code with a number: words with humps (`getUser2`, `HttpClient4`), a constant, or parts that are
/// numbers or a version (`Chart.v2`, `RFC-6749`).
fn is_versioned(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let starts_small = value[0].is_ascii_lowercase();
    let separated = value.iter().any(|byte| b"-_.".contains(byte));
    let part = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        digits == part.len() || part.len() - digits < MIN_LETTERS && digits > 0
    };
    let words = || text.split(['-', '_', '.']);
    // `SHA-256`, `Utf8`: no word in small letters.
    longest(value, u8::is_ascii_lowercase) < MIN_LETTERS
        || starts_small && !separated && is_wordy(text)
        || separated && words().any(|word| word.is_empty())
        || words().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_passwords_are_graded() {
        let check = |expected: Option<Shape>, values: &[&str]| {
            for value in values {
                assert_eq!(shape(value.as_bytes()), expected, "{value}");
            }
        };
        check(
            Some(Shape::Mixed),
            &[
                "Tango@4711",
                "P4perJam!",
                "jSchmidt!84",
                "Regen#2021!",
                "sommer!2019",
                "K1osk&99",
                "Adm1n*2020",
                "test@4711",
                "Orchid3#Vase",
                "WB#OyXx8B",
                "yj3~82A6ewub9V",
            ],
        );
        check(
            Some(Shape::Numbered),
            &[
                "Herbst2022",
                "Graf-Zahl9",
                "Gr0up-Therapist1",
                "Leuchtturm_7",
                "Brücken.Kopf4",
                "OpenDoor42",
                "crm_App2018",
                "Dinosaur1er",
            ],
        );
        check(Some(Shape::Words), &["0scill0graph", "Gr0up-Hug", "m0n1tors", "Apfel_der_Zeit", "Catch.Me.If.U.Can"]);
        check(
            None,
            &[
                "getUser2",
                "username",
                "me@example.org",
                "root@host1",
                "react@18",
                "left-pad@1.3.0",
                "1.2.3~20230101T12Z",
                "rc1~2",
                "Foo#Bar2x",
                "Class#method2",
                "Setup2.exe",
                "SHA-256",
                "v1.2.3-beta.1",
                "2024-01-31",
                "#ff0066",
                "9f86d081",
                "text/html",
                "fooBar",
                "FOO_BAR_2",
                "item-12",
                "log4j.properties",
                "*.rs",
                "%d items",
            ],
        );
    }
}
