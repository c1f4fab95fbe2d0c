//! Finds keys that are written as a list of numbers: `aes_key[16] = {0x9d, 0xed, …}`, `sessionKey = []byte{…}`, `network_key: [231, 204, …]`.
//!
//! In: a text and the range of a word in it. Out: spans of the numbers, one for each line. A table of constants has no such key; zeros,
//! counting sequences and repetitions are test vectors.

use super::key_words::{KeyWords, split};
use super::span::Span;
use super::types::RedactionReason;
use super::words::{WORDS, Worth};

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "key-bytes";

/// The words that a name must have.
pub(super) const KEYWORDS: &[&str] = &["key", "secret", "seed", "psk", "token", "password", "passphrase", "pin"];

/// The maximum length of a name in bytes.
const MAX_NAME_BYTES: usize = 64;
/// The maximum number of bytes between a name and its list: a type, a length, a call.
const MAX_DECLARATION_BYTES: usize = 96;
/// The maximum number of bytes of a list.
const MAX_LIST_BYTES: usize = 16 * 1024;
/// The least numbers of a name that certainly belongs to a secret.
const MIN_NUMBERS: usize = 8;
/// The least numbers of a name that only ends with `key`. The length must also be a multiple of [`MIN_NUMBERS`].
const MIN_KEY_NUMBERS: usize = 16;
/// The numbers of a file that holds a key pair and nothing else.
const KEY_PAIR_NUMBERS: usize = 64;

/// The number of digits of a personal identification number, its names, and the words before them that a pin of a circuit does not have.
const PIN_DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
const PINS: &[&str] = &["pin", "pincode", "code", "passcode"];
const PIN_OWNERS: &[&str] = &[
    "master", "user", "admin", "secret", "correct", "valid", "expected", "access", "unlock", "door", "alarm", "safe",
    "service", "card", "sim", "default", "device", "parental", "disarm", "pass", "passcode", "puk",
];

/// A number in a list, and its place.
#[derive(Clone, Copy)]
struct Number {
    value: u8,
    start: usize,
    end: usize,
}

/// Adds the numbers that are assigned to the name around `start..end`.
pub(super) fn find(text: &[u8], start: usize, end: usize, spans: &mut Vec<Span>) {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-';
    let after = text[end..].iter().take(MAX_NAME_BYTES).take_while(|byte| inside(byte)).count();
    let Some(list) = list_start(text, end + after) else { return };
    let before = text[..start].iter().rev().take(MAX_NAME_BYTES).take_while(|byte| inside(byte)).count();
    let numbers = numbers(text, list);
    let name = &text[start - before..end + after];
    if is_key(&numbers, least(name)) || is_pin(name, &numbers) {
        let word = String::from_utf8_lossy(&text[start..end]).into_owned();
        mask(text, &numbers, &RedactionReason::Key { word }, spans);
    }
}

/// Adds the numbers of a file that is nothing but the list of a key pair.
pub(super) fn find_key_pair(text: &[u8], spans: &mut Vec<Span>) {
    if text.len() > KEY_PAIR_NUMBERS * 8 {
        return;
    }
    let list = text.trim_ascii();
    if !list.starts_with(b"[") || !list.ends_with(b"]") {
        return;
    }
    let start = text.len() - text.trim_ascii_start().len() + 1;
    let numbers = numbers(text, start);
    let alone = numbers.last().is_some_and(|last| text[last.end..].trim_ascii() == b"]");
    if alone && numbers.len() == KEY_PAIR_NUMBERS && is_random(&numbers) {
        mask(text, &numbers, &RedactionReason::Format, spans);
    }
}

/// Returns the least numbers that make a list the value of a name.
fn least(name: &[u8]) -> usize {
    let words = split(name);
    if words.iter().any(|word| word.contains("pub") || word == "test") {
        return usize::MAX;
    }
    match WORDS.worth(name) {
        Worth::Secret => MIN_NUMBERS,
        Worth::Weak | Worth::None if ends_with_key(&words) => MIN_KEY_NUMBERS,
        Worth::Weak | Worth::None => usize::MAX,
    }
}

/// Returns whether a name is the one of a key: `aes_key`, `nwkskey`, `networkKey0`.
fn ends_with_key(words: &KeyWords) -> bool {
    words.last().is_some_and(|last| last.ends_with("key"))
}

/// Returns where the list begins that is assigned to a name which ends at `end`.
fn list_start(text: &[u8], end: usize) -> Option<usize> {
    let rest = &text[end..text.len().min(end + MAX_DECLARATION_BYTES)];
    let (mut assigned, mut in_type) = (false, 0);
    for (at, &byte) in rest.iter().enumerate() {
        let mut opens = false;
        match byte {
            b'=' | b':' | b'>' => assigned = true,
            b'{' => opens = true,
            b'(' => (opens, assigned) = (true, true),
            // PHP: `pack('C*', …)`, and Erlang: `<<…>>`.
            b',' if rest[..at].ends_with(b"*'") || rest[..at].ends_with(b"*\"") => opens = true,
            b'<' => opens = rest[..at].ends_with(b"<"),
            b'[' => (opens, in_type) = (assigned, in_type + 1),
            b']' => in_type -= 1,
            // YAML: a list of lines with a dash each.
            b'-' if rest[..at].trim_ascii() == b":" && rest[at..].starts_with(b"- ") => opens = true,
            // The length in a type of Rust: `[u8; 16]`.
            b';' if in_type > 0 => {}
            b'\n' if !assigned || rest[at..].starts_with(b"\n\n") => return None,
            b')' | b'&' | b'*' | b'.' | b'_' | b'"' | b'\'' | b'\\' => {}
            _ if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() => {}
            _ => return None,
        }
        if opens {
            let inner = skip(text, end + at + 1);
            let separated = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
            if number(text, inner).is_some_and(|first| text.get(first.end).is_some_and(separated)) {
                return Some(inner);
            }
        }
    }
    None
}

/// Returns the place behind blanks, line ends, comments and casts.
fn skip(text: &[u8], mut at: usize) -> usize {
    let line = |at: usize| memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
    loop {
        let rest = &text[at..];
        at += match rest {
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            [b'/', b'/', ..] | [b'#', ..] => line(at) - at,
            [b'/', b'*', ..] => match memchr::memmem::find(&rest[..rest.len().min(MAX_DECLARATION_BYTES)], b"*/") {
                Some(end) => end + 2,
                None => return at,
            },
            _ if rest.starts_with(b"(byte)") => 6,
            _ => return at,
        };
    }
}

/// Reads a number from 0 to 255, or a signed byte.
fn number(text: &[u8], start: usize) -> Option<Number> {
    let rest = &text[start..text.len().min(start + 8)];
    let (negative, digits) = match rest {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (radix, digits, prefix) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest, 2),
        rest => (10, rest, 0),
    };
    let count = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let value = i32::from_str_radix(std::str::from_utf8(&digits[..count]).ok()?, radix).ok()?;
    let value = if negative { -value } else { value };
    let value = u8::try_from(value).or_else(|_| i8::try_from(value).map(|value| value as u8)).ok()?;
    let mut end = start + usize::from(negative) + prefix + count;
    for suffix in [&b"u8"[..], b"U", b"u", b"y"] {
        if text[end..].starts_with(suffix) {
            end += suffix.len();
            break;
        }
    }
    let ended = text.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"._".contains(byte));
    ended.then_some(Number { value, start, end })
}

/// Reads the numbers of a list, separated by commas or blanks.
fn numbers(text: &[u8], start: usize) -> Vec<Number> {
    let stop = text.len().min(start + MAX_LIST_BYTES);
    let dashed = text[..start].ends_with(b"- ");
    let mut found = Vec::new();
    let mut at = skip(text, start);
    while at < stop
        && let Some(number) = number(text, at)
    {
        found.push(number);
        at = skip(text, number.end);
        if text.get(at) == Some(&b',') || dashed && text[at..].starts_with(b"- ") {
            at = skip(text, at + 1);
        }
    }
    // The list goes on with something else, such as an expression.
    if !dashed && at < text.len() && !b"}])>".contains(&text[at]) {
        found.clear();
    }
    found
}

/// Returns whether numbers are the digits of a personal identification number: `MASTER_PIN[] = {6, 0, 2, 9}`. The pins of a circuit have
/// other names.
fn is_pin(name: &[u8], numbers: &[Number]) -> bool {
    let words = split(name);
    PIN_DIGITS.contains(&numbers.len())
        && numbers.iter().all(|number| number.value < 10 && number.end == number.start + 1)
        && words.iter().any(|word| PINS.contains(&word))
        && words.iter().any(|word| PIN_OWNERS.contains(&word))
}

fn is_key(numbers: &[Number], least: usize) -> bool {
    numbers.len() >= least
        && (least < MIN_KEY_NUMBERS || numbers.len().is_multiple_of(MIN_NUMBERS))
        && is_random(numbers)
}

/// Returns whether numbers neither repeat nor count, and are more than small numbers.
fn is_random(numbers: &[Number]) -> bool {
    let mut seen = [false; 256];
    numbers.iter().for_each(|number| seen[usize::from(number.value)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    let mut steps = [0; 256];
    numbers.windows(2).for_each(|two| steps[usize::from(two[1].value.wrapping_sub(two[0].value))] += 1);
    let same_step = steps.iter().copied().max().unwrap_or(0);
    let large = numbers.iter().filter(|number| number.value > 64).count();
    distinct * 2 > numbers.len().min(128) && same_step * 3 <= numbers.len() && large * 3 > numbers.len()
}

/// Adds the numbers of each line.
fn mask(text: &[u8], numbers: &[Number], reason: &RedactionReason, spans: &mut Vec<Span>) {
    let on_one_line = |one: &Number, next: &Number| !text[one.end..next.start].contains(&b'\n');
    for line in numbers.chunk_by(on_one_line) {
        if let (Some(first), Some(last)) = (line.first(), line.last()) {
            spans.push(Span::new(first.start, last.end, RULE.into()).because(reason.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, session};

    #[test]
    fn keys_as_lists_of_numbers_are_masked() {
        let hex = "0x8f, 0x13, 0xe2, 0x5b, 0x77, 0xc0, 0x3a, 0x91, 0xd4, 0x0e, 0xa8, 0x66, 0x2f, 0xbb, 0x59, 0xf1";
        let decimal = "143, 19, 226, 91, 119, 192, 58, 145, 212, 14, 168, 102, 47, 187, 89, 241";
        for (place, before, after) in [
            ("a.c", "static const uint8_t device_aes_key[16] = { ", " };"),
            ("a.c", "static const u1_t PROGMEM APPKEY[16] = {", "};"),
            ("a.c", "u1_t NWKSKEY[16] = {\n  ", "\n};"),
            ("a.go", "var sessionKey = []byte{", "}"),
            ("a.rs", "const SECRET_KEY: [u8; 16] = [", "];"),
            ("A.java", "private static final byte[] KEY = new byte[] {", "};"),
            ("a.cs", "static readonly byte[] EncryptionKey = new byte[16] {\n", "\n};"),
            ("a.js", "const privateKey = Uint8Array.from([", "]);"),
            ("a.py", "SECRET = bytes([", "])"),
            ("test/a.kt", "val masterKey = byteArrayOf(", ")"),
            ("a.php", "$key = pack('C*', ", ");"),
            ("a.ex", "@signing_key <<", ">>"),
            ("a.yaml", "network_key: [", "]"),
            ("a.json", "{\"network_key\": [\n", "\n]}"),
            ("a.ts", "Keypair.fromSecretKey(new Uint8Array([", "]))"),
        ] {
            check(place, &[&format!("{before}⟦{hex}⟧{after}"), &format!("{before}⟦{decimal}⟧{after}")]);
        }
        let (one, other) = hex.split_at(46);
        let (one, other) = (one.trim(), other[1..].trim());
        check("a.c", &[&format!("uint8_t aes_key[] = {{\n  ⟦{one}⟧, // first\n  ⟦{other}⟧\n}};")]);
        check(
            "a.yaml",
            &[
                "network_key:\n  - ⟦143⟧\n  - ⟦19⟧\n  - ⟦226⟧\n  - ⟦91⟧\n  - ⟦119⟧\n  - ⟦192⟧\n  - ⟦58⟧\n  - ⟦145⟧\n  - ⟦212⟧\n  - ⟦14⟧\n  - ⟦168⟧\n  - ⟦102⟧\n  - ⟦47⟧\n  - ⟦187⟧\n  - ⟦89⟧\n  - ⟦241⟧\npan_id: 6754\n",
            ],
        );
        check(
            "A.java",
            &[
                "static final int[] MASTER_PIN = { ⟦6, 0, 2, 9⟧ };",
                "int[] doorPin = {⟦1, 1, 7, 3, 8⟧};",
                "int[] ledPin = {6, 0, 2, 9}; int userPins[] = {12, 13, 4, 5};",
            ],
        );
        check("A.java", &["byte[] aesKey = {(byte)⟦0x8f, -19, 26, (byte)0xe5, 77, -64, 58, 91, -44⟧};"]);
    }

    #[test]
    fn tables_and_test_vectors_are_harmless() {
        let random = "0x8f, 0x13, 0xe2, 0x5b, 0x77, 0xc0, 0x3a, 0x91, 0xd4, 0x0e, 0xa8, 0x66, 0x2f, 0xbb, 0x59, 0xf1";
        check(
            "a.c",
            &[
                &format!("static const uint8_t sbox[16] = {{ {random} }};"),
                &format!("uint8_t public_key[16] = {{ {random} }};"),
                &format!("check(secret_key);\n\nuint8_t table[16] = {{ {random} }};"),
                "uint8_t aes_key[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };",
                "uint8_t aes_key[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };",
                "uint8_t aes_key[8] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };",
                "int key[8] = { 143, 19, 226, 91, 119, 192, 58, 145 };",
                "keys = [16, 17, 18, 91, 92, 93, 224, 225];",
                "secret_sizes = [100, 200, 300, 400, 500, 600, 700, 800];",
            ],
        );
    }

    #[test]
    fn a_file_that_is_a_list_of_64_numbers_is_a_key_pair() {
        let numbers: Vec<String> = (0..64u32).map(|at| (at * at * 37 % 251 * 91 % 256).to_string()).collect();
        check("id.json", &[&format!("[⟦{}⟧]\n", numbers.join(","))]);
        let header =
            "diff --git a/id.json b/id.json\nnew file mode 100644\n--- /dev/null\n+++ b/id.json\n@@ -0,0 +1 @@\n";
        let diff = format!("{header}+[{}]\n", numbers.join(","));
        let masked = session().diff_text("id.json", &diff).into_inner();
        assert!(!masked.contains(&numbers[5..9].join(",")), "{masked}");
        check("id.json", &[&format!("[{}]\n", numbers[1..].join(",")), &format!("{{\"x\": [{}]}}", numbers.join(","))]);
    }
}
