//! Recognises values of source code and documentation that are secrets to nobody: `123456`, `abcdef`, `blahblah`, and in tests
//! and examples `wrong_password` and `test1234`. In settings, such a value can be a weak password, and is masked.

use super::cursor::line_start;
use super::encoded::is_user_and_password;
use super::values::Bare;
use super::words::WORDS;

/// Extensions of documentation.
const DOCUMENTS: &[&str] = &["md", "markdown", "rst", "rdoc", "adoc", "asciidoc"];

/// Names of folders with tests, examples and documentation.
const FOLDERS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "testdata",
    "spec",
    "specs",
    "__tests__",
    "__mocks__",
    "fixtures",
    "e2e",
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "doc",
    "docs",
];

/// The first words of the declarations of constants and members.
const DECLARATIONS: &[&[u8]] = &[
    b"private",
    b"public",
    b"protected",
    b"internal",
    b"static",
    b"final",
    b"const",
    b"define",
    b"export",
    b"readonly",
];

/// The maximum length in bytes of a value that is recognised.
const MAX_VALUE_BYTES: usize = 64;
/// The maximum length in bytes of a unit whose repetition is recognised.
const MAX_UNIT_BYTES: usize = 4;

/// The values that are obvious in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obvious {
    /// None: settings, and files of unknown kind.
    Nothing,
    /// Sequences and repetitions.
    Sequences,
    /// Also made-up words.
    Words,
    /// Also made-up words, but not those that satisfy a policy for passwords: `Test1234!`.
    WeakWords,
}

impl Obvious {
    /// Returns the values that are obvious in a file. `bare` is how its unquoted values are read.
    pub(super) fn of(place: &str, bare: Bare) -> Self {
        let lower = place.to_ascii_lowercase();
        let mut parts = lower.rsplit(['/', '\\']);
        let name = parts.next().unwrap_or_default();
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let document = DOCUMENTS.contains(&extension);
        if !document && bare != Bare::Code {
            return Self::Nothing;
        }
        let is_test = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs" | "mock" | "fixture");
        let named =
            stem.split(['.', '_', '-']).any(is_test) || ["test", "tests", "spec"].iter().any(|end| stem.ends_with(end));
        if document {
            Self::WeakWords
        } else if named || parts.any(|part| FOLDERS.contains(&part)) {
            Self::Words
        } else {
            Self::Sequences
        }
    }

    /// Returns whether a value is the one of a constant or a member with the name of a password, outside of tests and documents. A program
    /// that has `123456` there uses it: `private $password = '123456'`.
    pub(super) fn is_declared(self, text: &[u8], start: usize) -> bool {
        if self != Self::Sequences {
            return false;
        }
        let before = &text[line_start(text, start)..start];
        let quoted = matches!(before.last(), Some(b'"' | b'\'')).then(|| &before[..before.len() - 1]);
        let Some(head) = quoted.map(<[u8]>::trim_ascii) else { return false };
        let first = head.split(|byte| b" (".contains(byte)).next().unwrap_or_default();
        let Some(head) = head.strip_suffix(b"=").or_else(|| head.strip_suffix(b",")) else { return false };
        let head = head.trim_ascii_end();
        let head = [&b"'"[..], b"\"", b"[]"].iter().find_map(|end| head.strip_suffix(*end)).unwrap_or(head);
        let name = head.rsplit(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next().unwrap_or_default();
        DECLARATIONS.contains(&first) && WORDS.names_a_password(name)
    }

    /// Returns whether a value is obvious.
    pub(super) fn contains(self, value: &[u8]) -> bool {
        if self == Self::Nothing || value.len() > MAX_VALUE_BYTES {
            return false;
        }
        let value = value.trim_ascii();
        let value = [&b","[..], b";", b"\\n"].iter().find_map(|end| value.strip_suffix(*end)).unwrap_or(value);
        let lower = value.to_ascii_lowercase();
        if let Some(credentials) = lower.strip_prefix(b"basic ") {
            return !is_user_and_password(&value[value.len() - credentials.len()..]);
        }
        let text = lower.strip_prefix(b"bearer ").unwrap_or(&lower);
        // The combination of a lock.
        let is_number = || text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
        let has_words = self == Self::Words || self == Self::WeakWords && !satisfies_a_policy(value);
        is_sequence(text) || has_words && !is_number() && parts(text).all(is_made_of_words)
    }
}

/// Returns whether a value has a small letter, a capital, a digit and a sign at its end, as many sites demand of a password.
fn satisfies_a_policy(value: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    value.last().is_some_and(|last| b"!?#$%&*+@".contains(last))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}

/// Returns the parts of a text between its punctuation, such as `_` and `%20`.
fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut hidden = 0;
    text.split(move |byte| {
        // The two digits of a percent-encoded byte belong to the punctuation.
        let is_end = hidden > 0 || !byte.is_ascii_alphanumeric();
        hidden = if *byte == b'%' { 2 } else { i32::max(hidden - 1, 0) };
        is_end
    })
}

/// Returns whether a text counts up or down (`123456`, `987654321`, `abcdef`, `abc123`), repeats itself (`blahblah`), or has only runs of one
/// character (`aaaabbbb`).
pub(super) fn is_sequence(text: &[u8]) -> bool {
    if text.is_empty() || !text.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let counts = |part: &[u8]| part.len() > 2 && (steps_by(part, 1) || steps_by(part, -1));
    let split = text.iter().position(u8::is_ascii_digit).unwrap_or(0);
    let repeats = (1..=MAX_UNIT_BYTES)
        .any(|unit| text.len() >= 2 * unit.max(2) && text.chunks(unit).all(|part| text.starts_with(part)));
    let runs = text.chunk_by(|a, b| a == b).all(|run| run.len() > 2);
    counts(text) || repeats || runs || counts(&text[..split]) && counts(&text[split..])
}

/// Returns whether each byte is the one before and a step. Nine is followed by zero, as on a keyboard.
fn steps_by(text: &[u8], step: i16) -> bool {
    let next = |byte: u8| match (byte, step) {
        (b'9', 1) => b'0',
        (b'0', -1) => b'9',
        _ => u8::try_from(i16::from(byte) + step).unwrap_or_default(),
    };
    text.windows(2).all(|pair| next(pair[0]) == pair[1])
}

/// Returns whether a text consists of made-up words, with a few digits behind them.
fn is_made_of_words(text: &[u8]) -> bool {
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (letters, digits) = text.split_at(letters);
    let few = digits.iter().all(u8::is_ascii_digit) && (digits.len() < 4 || is_sequence(digits));
    // `ends[at]` tells whether the first `at` letters are words.
    let mut ends = vec![true];
    for at in 1..=letters.len() {
        let is_word = |word: &String| letters[..at].ends_with(word.as_bytes()) && ends[at - word.len()];
        ends.push(WORDS.made_up().iter().any(is_word));
    }
    few && ends[letters.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    #[test]
    fn sequences_are_obvious_in_source_code() {
        let source = Obvious::of("src/user.rb", Bare::Code);
        for value in [
            "123456",
            "12345678",
            "1234567890",
            "987654321",
            "abcdef",
            "abc123",
            "aaaabbbbcccc",
            "blahblahblah",
            "12121212",
        ] {
            assert!(source.contains(value.as_bytes()), "{value}");
        }
        for value in ["hunter2", "password123", "135790", "qT7fXw2b", "9f86d081", "1234567a", "admin", ""] {
            assert!(!source.contains(value.as_bytes()), "{value}");
        }
        assert!(!Obvious::of("config/.env", Bare::Plain).contains(b"123456"), "a weak password");
        assert!(!Obvious::of("", Bare::Text).contains(b"123456"), "a file of unknown kind");
    }

    #[test]
    fn sequences_are_masked_in_declarations_of_passwords() {
        check(
            "app/Database.php",
            &[
                "    private string $pass = '⟦123456⟧';",
                "define('DB_PASSWORD', '⟦123456⟧');",
                "    const DB_PASS = '⟦12345678⟧';",
                "    private string $code = '123456';",
                "    $user->password = '123456';",
                "    login('me', '123456');",
            ],
        );
        check("tests/DatabaseTest.php", &["    private string $pass = '123456';"]);
    }

    #[test]
    fn made_up_words_are_obvious_in_tests_and_documents() {
        for place in ["test/user_test.rb", "spec/x.rb", "src/auth.spec.ts", "src/UserTest.java", "auth_test.go"] {
            let test = Obvious::of(place, Bare::Code);
            for value in [
                "wrong_password",
                "wrongpassword",
                "test1234",
                "Secret-Token",
                "super secret",
                "invalid.token",
                "password123",
            ] {
                assert!(test.contains(value.as_bytes()), "{place} {value}");
            }
            for value in ["wevdude", "hunter2", "password4711", "Basic dXNlcjpodW50ZXIy", "s3cr3t", "tR4aZ9kq"] {
                assert!(!test.contains(value.as_bytes()), "{place} {value}");
            }
        }
        assert!(Obvious::of("README.md", Bare::Text).contains(b"test1234"));
        assert!(!Obvious::of("README.md", Bare::Text).contains(b"Test1234!"), "a password that satisfies a policy");
        assert!(Obvious::of("test/user_test.rb", Bare::Code).contains(b"Test1234!"));
        assert_eq!(Obvious::of("src/lib.rs", Bare::Code), Obvious::Sequences);
    }
}
