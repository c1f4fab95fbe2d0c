//! Recognises values that are clearly not secrets: placeholders, references, code.

use std::borrow::Cow;

use super::engine::marker;
use super::rule::entropy;
use super::words::WORDS;

/// The beginning of a value that Jenkins encrypted.
pub(super) const JENKINS: &str = "AQAAABAAAAA";

/// Returns whether a value is empty, a placeholder, or a reference to a value elsewhere.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    // Most values have letters and digits only, and are none of the forms with signs.
    if value.len() > 2 && value.iter().all(u8::is_ascii_alphanumeric) {
        let lower = value.to_ascii_lowercase();
        let stands_for_one = std::str::from_utf8(&lower).is_ok_and(|lower| WORDS.stands_for_one(lower));
        let is_quantity = lower[0].is_ascii_digit() && std::str::from_utf8(&lower).is_ok_and(is_quantity);
        return lower.iter().all(|byte| *byte == lower[0] || *byte == b'x')
            || is_row(&lower)
            || is_quantity
            || is_public_address(&lower)
            || stands_for_one && !looks_random(value);
    }
    let text = as_text(value);
    let text = text.trim().trim_end_matches([',', ';']);
    let text = without_line_end(text);
    if text.len() < 3 {
        return true;
    }
    let lower = if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() };
    if lower.starts_with("[redacted") {
        return true;
    }
    const WRAPPED: &[(&str, &str)] = &[
        ("<", ">"),
        ("${", "}"),
        ("{{", "}}"),
        ("%(", ")s"),
        ("%7B", "%7D"),
        ("$(", ")"),
        ("#{", "}"),
        ("%", "%"),
        ("{", "}"),
        ("__", "__"),
        ("((", "))"),
        ("@", "@"),
        ("<%", "%>"),
        ("[", "]"),
        // The last semicolon was cut.
        ("&lt;", "&gt"),
    ];
    if is_sealed(text) {
        return false;
    }
    let inside = |text: &str, open: &str, close: &str| {
        text.len() > open.len() + close.len()
            && text.starts_with(open)
            && text.ends_with(close)
            && text[open.len()..text.len() - close.len()]
                .chars()
                .all(|char| char.is_alphanumeric() || " _-.:|/'\"$,()?!=".contains(char))
    };
    if text.starts_with(['<', '$', '{', '%', '#', '_', '(', '@', '[', '&'])
        && WRAPPED.iter().any(|(open, close)| inside(text, open, close))
    {
        return true;
    }
    // A value of which a part was left out, and a format string.
    let has = |byte: u8| memchr::memchr(byte, text.as_bytes()).is_some();
    let left_out = has(b'.') && text.contains("...") || !text.is_ascii() && text.contains('…');
    if left_out || has(b'%') && format_verbs(text) > 1 {
        return true;
    }
    // `$NAME`, `$env:NAME`, `%s`: a variable or a placeholder.
    if let Some(name) = text.strip_prefix('$')
        && (is_name(name) || name.strip_prefix("env:").is_some_and(is_name))
    {
        return true;
    }
    if is_member_in_string(text) || is_glyph(text) {
        return true;
    }
    if text.strip_prefix(':').is_some_and(|name| name.chars().all(|char| char.is_ascii_lowercase() || char == '_')) {
        return true;
    }
    if is_template(text) || is_argument_of_manual(text) {
        return true;
    }
    // A row of the same sign in HTML: `&bull;&bull;&bull;`.
    let is_same =
        |sign: &str| text.strip_prefix(sign).is_some_and(|rest| rest.split(sign).all(|rest| [";", ""].contains(&rest)));
    let entity = text.split(';').next().filter(|entity| entity.starts_with('&') && !entity.contains(' '));
    if entity.is_some_and(is_same) && text.len() > 4 || is_command(text) || is_output(text) {
        return true;
    }
    let first = lower.chars().next();
    if lower.chars().all(|char| Some(char) == first || "xX*.-_#•?".contains(char)) {
        return true;
    }
    // A colour.
    if let Some(digits) = text.strip_prefix('#')
        && matches!(digits.len(), 3 | 4 | 6 | 8)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return true;
    }
    if lower.starts_with("urn:") || is_own_name(&lower) {
        return true;
    }
    // The key of Amazon's documentation.
    if lower.ends_with("examplekey") || is_quantity(&lower) || is_validation(&lower) {
        return true;
    }
    // The name of an algorithm: `PBES2-HS256+A128KW`.
    const ALGORITHMS: &[&str] = &[
        "pbes2-", "pbkdf2-", "hmac-sha", "rsa-oaep", "ecdh-es", "aes-128-", "aes-192-", "aes-256-", "aes128-",
        "aes256-",
    ];
    if lower.len() < 40 && ALGORITHMS.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    if is_unknown_checksum(&lower) {
        return true;
    }
    // Random letters can contain one of these words by chance.
    WORDS.stands_for_one(&lower) && !looks_random(value)
}

/// The length of the shortest long value with a few characters around a row of one, in bytes.
const MIN_ROW: usize = 20;

/// Returns whether a long value is mostly a row of the same character, as the values for tests that services publish:
/// `1x0000000000000000000000000000000AA`.
fn is_row(value: &[u8]) -> bool {
    let longest = value.chunk_by(|one, other| one == other).map(<[u8]>::len).max().unwrap_or(0);
    value.len() >= MIN_ROW && longest * 5 >= value.len() * 4
}

/// Returns whether a value is a variable of an object or a class in a string of Ruby: `#{@key}`, `#{@@api_key}`.
fn is_member_in_string(text: &str) -> bool {
    let inside = text.strip_prefix("#{").and_then(|text| text.strip_suffix('}'));
    inside.is_some_and(|inside| inside.starts_with('@') && is_name(inside.trim_start_matches('@')))
}

/// Returns whether a value is the escaped number of a character in a style sheet: `\\f06e`.
fn is_glyph(text: &str) -> bool {
    let digits = text.trim_start_matches('\\');
    digits.len() < text.len() && (2..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a value is the name of an argument in the source of a manual page: `\\fIPASSWORD\\fR`.
fn is_argument_of_manual(text: &str) -> bool {
    let Some(first) = text.find("\\fI").filter(|at| *at == 0 || text.starts_with("\\f")) else { return false };
    let name = text[first..].split("\\f").skip(1).map(|part| part.get(1..).unwrap_or_default());
    name.collect::<String>().bytes().all(|byte| byte.is_ascii_alphabetic() || b"_- .]|".contains(&byte))
}

/// Returns whether a value is one that Jenkins encrypted, or another random value in braces: `{AQAAABAAAAAQ…}`.
fn is_sealed(text: &str) -> bool {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.is_some_and(|inner| looks_random(inner.as_bytes()) || inner.starts_with(JENKINS))
}

/// Returns whether a value in lower case says whose secret belongs there: `my-bitbucket-password`.
fn is_own_name(lower: &str) -> bool {
    let name = lower.strip_prefix("my").filter(|name| name.starts_with(['-', '_']));
    name.is_some_and(|name| {
        let words = || name[1..].split(['-', '_']);
        words().count() > 1
            && words().all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
            && words().next_back().is_some_and(|last| WORDS.is_object(last) || last == "password")
    })
}

/// Returns whether a value is the checksum of nothing, as people write before they know it: `sha256-1111…`.
fn is_unknown_checksum(lower: &str) -> bool {
    let Some((name, sum)) = lower.split_once(['-', ':']) else { return false };
    let sum = sum.trim_end_matches('=').as_bytes();
    ["sha1", "sha256", "sha384", "sha512"].contains(&name) && sum.len() > 8 && sum.iter().all(|byte| *byte == sum[0])
}

/// Returns whether a value is the address of an account or contract of Ethereum, which has 20 bytes. A private key has 32.
fn is_public_address(lower: &[u8]) -> bool {
    lower.len() == 42 && lower.starts_with(b"0x") && lower[2..].iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a value in lower case is a list of rules for input, as of Laravel: `required|string|min:12`.
fn is_validation(lower: &str) -> bool {
    let name = |rule: &str| rule.split_once(':').map_or_else(|| rule.to_owned(), |(name, _)| name.to_owned());
    lower.contains('|')
        && lower.split('|').all(|rule| {
            let rule = name(rule);
            !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        })
        && lower.split('|').any(|rule| {
            ["required", "nullable", "sometimes", "string", "confirmed", "min", "max", "filled"]
                .contains(&name(rule).as_str())
        })
}

/// The units of durations.
const DURATIONS: &[&str] = &["millisecond", "second", "minute", "hour", "day", "week", "month", "year"];

/// Returns whether a value in lower case is a colour of a named part, or a number with a unit: `guifg=#88c0d0`, `1.5rem`.
fn is_quantity(lower: &str) -> bool {
    if let Some((part, digits)) = lower.split_once("=#") {
        return matches!(digits.len(), 3 | 6)
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().all(|byte| byte.is_ascii_lowercase());
    }
    let unit = lower.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
    // `15 minutes`
    let duration = unit.strip_prefix(' ').map(|unit| unit.strip_suffix('s').unwrap_or(unit));
    if unit.len() < lower.len() && duration.is_some_and(|unit| DURATIONS.contains(&unit)) {
        return true;
    }
    unit.len() < lower.len() && ["px", "em", "rem", "%", "vh", "vw", "pt", "fr", "deg", "rad", "ms"].contains(&unit)
}

/// Returns bytes as text. Most are valid, which is known faster than a text with replacements is made.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Programs that print a secret or make one.
const PROGRAMS: &[&str] = &[
    "openssl",
    "pwgen",
    "vault",
    "kubectl",
    "aws",
    "gcloud",
    "gpg",
    "sops",
    "wg",
    "ssh-keygen",
    "apg",
    "xkcdpass",
    "diceware",
    "bw",
    "op",
    "pass",
    "head",
    "cat",
];

/// Returns whether a text is a command that prints a secret or makes one: `openssl rand -base64 24`.
fn is_command(text: &str) -> bool {
    let Some((program, arguments)) = text.split_once(' ') else { return false };
    PROGRAMS.contains(&program)
        && [" -", "rand ", "/dev/", "genkey", "read ", "get "]
            .iter()
            .any(|part| text.contains(part) || arguments == part.trim_end())
}

/// Programs that only print a file or a part of it.
const READERS: &[&str] = &["cat", "head", "tail", "tr", "cut", "sed", "awk", "grep", "jq", "yq", "base64"];

/// Returns whether a text is the output of a command that reads a file: `$(< $FILE)`, `$(cat ${FILE})`.
fn is_output(text: &str) -> bool {
    let Some(command) = text.strip_prefix("$(").and_then(|text| text.strip_suffix(')')) else { return false };
    let command = command.trim_start();
    let reads = command.split(' ').next().is_some_and(|program| READERS.contains(&program));
    (command.starts_with('<') || reads) && !command.contains("<<")
}

/// Returns whether a text consists only of placeholders: `{0}:{1}`, `%s-%s`, `${a}${b}`.
fn is_template(text: &str) -> bool {
    if memchr::memchr2(b'{', b'%', text.as_bytes()).is_none() {
        return false;
    }
    let mut left = 0;
    let mut depth = 0;
    let mut before = ' ';
    for char in text.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            // A name or an expression, not a password in braces. The blocks of a template have two: `{{#if a}}`.
            '^' | '~' | '\\' | '#' | '@' | ';' if depth == 1 => return false,
            _ if depth > 0 || before == '%' => {}
            _ => left += usize::from(char.is_alphanumeric()),
        }
        before = char;
    }
    depth == 0 && (left < 3 || is_interpolated(text))
}

/// Returns whether a value consists of interpolations, with a word between signs between two of them: `${{ env.IMAGE }}:next-${{ env.TAG }}`.
fn is_interpolated(text: &str) -> bool {
    let Some(inside) = text.strip_suffix('}') else { return false };
    let is_word = |between: &str| {
        let word = between.trim_matches(|char: char| "-_:./@ ".contains(char));
        let is_between_signs = !between.starts_with(word) && !between.ends_with(word);
        word.is_empty() || is_between_signs && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let mut count = 0;
    let is_each = inside.split('}').all(|part| {
        // Behind the first brace of two.
        let Some((between, _)) = part.split_once('{') else { return part.is_empty() };
        let between = between.trim_end_matches(['$', '#']);
        count += 1;
        if count == 1 { between.is_empty() } else { is_word(between) }
    });
    is_each && count > 1
}

/// Returns a text without the escaped end of its line: `PROTECTED\n`.
fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix("\\n").unwrap_or(text);
    text.strip_suffix("\\r").unwrap_or(text)
}

/// Returns the number of verbs of `printf` in a text: `%s`, `%d`.
fn format_verbs(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |at: usize| bytes.get(at).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (0..bytes.len().saturating_sub(1))
        .filter(|&at| bytes[at] == b'%' && b"sdvxqf".contains(&bytes[at + 1]) && ends(at + 2))
        .count()
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// The last letter of the scripts whose words are also written as passwords: Latin, Greek and Cyrillic.
const LAST_CYRILLIC: char = '\u{52f}';

/// Returns whether a value is a sentence, such as a label or a message about a secret.
pub(super) fn is_prose(value: &[u8]) -> bool {
    if value.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    let text = as_text(value);
    // Most texts in another script are labels. Passwords in Cyrillic, Greek or Latin letters have no blanks, others end with a number.
    let foreign = text.chars().filter(|char| char.is_alphabetic() && !char.is_ascii()).count();
    if foreign * 3 > text.chars().count() && foreign > 4 {
        let is_told = text.contains(char::is_whitespace) || text.chars().any(|char| char > LAST_CYRILLIC);
        if is_told && !text.ends_with(|char: char| char.is_ascii_digit()) {
            return true;
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| {
        if is_mark(word) {
            return true;
        }
        let word = word.trim_matches(|char: char| char.is_ascii_punctuation());
        word.chars().all(|char| char.is_alphabetic() || char == '\'' || char == '-' || char == '/')
            || word.chars().all(|char| char.is_ascii_digit())
            || word.starts_with(['{', '%', '$'])
    };
    let ends = text.trim_end().ends_with(['.', '!', '?', '…', ':']);
    let enough = if ends && text.contains(' ') { 2 } else { 3 };
    words.len() >= enough && words.iter().filter(|word| plain(word)).count() * 5 >= words.len() * 4
}

/// Returns whether a word is the mark of an earlier redaction, with punctuation around it.
fn is_mark(word: &str) -> bool {
    word.contains("[REDACTED")
        && marker().find(word.as_bytes()).is_some_and(|mark| {
            let around = [&word.as_bytes()[..mark.start()], &word.as_bytes()[mark.end()..]];
            around.iter().all(|part| part.iter().all(u8::is_ascii_punctuation))
        })
}

/// The meaning of an unquoted value: a setting or code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bare {
    /// Always a value: in a settings file or on a command line.
    Plain,
    /// A value if it is more than a word: in a text, a log or a file of unknown kind.
    #[default]
    Text,
    /// Code if it can be code: in source files.
    Code,
    /// Code if it can be code: in settings that are written like source code, where quoted values are settings.
    Data,
}

/// Returns whether an unquoted value is code or a word: a name, a member, a call, a type, a number.
pub(super) fn is_code(value: &[u8], bare: Bare) -> bool {
    let text = as_text(value);
    if is_sealed(&text) {
        return false;
    }
    if is_printed_object(&text) {
        return true;
    }
    let text = text.trim_end_matches([';', ',', ':', '?', ')', ']', '}']);
    if bare == Bare::Plain {
        // A mapping in YAML has keys of its own: `{ type: apiKey, in: header }`.
        let mapping = text.strip_prefix('{').is_some_and(|inside| inside.contains(": "));
        return mapping
            // `result['token']`, `create(name, value)` of which the first part was read.
            || text.ends_with('[')
            || value.ends_with(b"(")
            // PowerShell: `-Credential (New-Object …)`.
            || text.starts_with('(') && !value.contains(&b')')
            || value.ends_with(b",") && text.contains('(')
            || text.starts_with("$(")
            || text.starts_with("${")
            // ERB: `<%= ENV.fetch("NAME", …`
            || text.starts_with("<%")
            || text.starts_with("!ENV")
            || text.starts_with("-----");
    }
    if text.contains(['(', '[', '{']) || text.starts_with(['&', '*', '@', '|', '>', '/', '.', '-', '$', '!']) {
        return true;
    }
    let short = text.chars().all(|char| char.is_ascii_digit() || char == '.') && text.len() < 6;
    if short || is_short_hex(text) || bare != Bare::Text && is_typed_number(text) {
        return true;
    }
    // `6.hours` in Ruby.
    let unit = |text: &str| (3..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let number = |text: &str| text.len() < 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    if text.split_once('.').is_some_and(|(count, rest)| number(count) && rest.split('.').all(unit)) {
        return true;
    }
    let digits = text.bytes().any(|byte| byte.is_ascii_digit());
    if bare == Bare::Text {
        // `default=None` is an argument of its own.
        let named = text.split_once('=').is_some_and(|(name, value)| !name.is_empty() && !value.is_empty());
        let word = |char: char| char.is_alphabetic() || "_.-:/'’".contains(char) || named && char == '=';
        return !digits && text.chars().all(word) && !is_mixed(text.as_bytes());
    }
    // Unquoted words in source code are names, whatever letters and digits they contain.
    let text = if digits { text } else { text.trim_end_matches('!') };
    // `depth++`, and the chain of assignments `a.key=b.key=void` in minified source.
    let text = text.strip_suffix("++").unwrap_or(text);
    let chain = text.split('=').all(|part| !part.is_empty());
    text.split(|char: char| ".:-?>#".contains(char) || chain && char == '=').filter(|part| !part.is_empty()).all(
        |part| {
            let first = part.chars().next().unwrap_or(' ');
            !first.is_ascii_digit() && part.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '<')
        },
    )
}

/// Returns whether a text is an object as a program prints it, by its type and its address in memory: `Token{78af589`, `os.Binder@2bd79ce`.
fn is_printed_object(text: &str) -> bool {
    let Some((name, address)) = text.split_once(['{', '@']) else { return false };
    let address = address.split([' ', '}', ',', ')']).next().unwrap_or_default();
    let is_type =
        name.rsplit(['.', '$']).next().is_some_and(|name| name.starts_with(|char: char| char.is_ascii_uppercase()));
    is_type
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || b"._$".contains(&byte))
        && (5..=8).contains(&address.len())
        && address.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Returns whether a text is a number with its type: `3362824u32`, `0x10UL`.
fn is_typed_number(text: &str) -> bool {
    const TYPES: &[&str] = &[
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "u",
        "ul", "ull", "l", "ll", "f", "n",
    ];
    let lower = text.to_ascii_lowercase();
    let digits = lower.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
    // `100_000`
    let grouped = digits == lower.len() && lower.contains('_');
    digits > 0 && (grouped || TYPES.contains(&&lower[digits..]))
}

fn is_short_hex(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() <= 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns whether a value only repeats its key: `AccessToken = 'access_token'`, `token = "authToken"`.
pub(super) fn says_its_key(value: &[u8], key: &[u8]) -> bool {
    // Such a value ends with the key's last letter, or has no digit inside a word. This is checked without splitting
    // it.
    let last = |text: &[u8]| text.iter().rev().find(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase);
    if last(value) != last(key)
        && value.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic())
    {
        return false;
    }
    // A value without letters has no words.
    if last(value).is_none() {
        return false;
    }
    let (value, key) = (super::key_words::split(value), super::key_words::split(key));
    let joined = value.joined();
    let names =
        key.last().is_some_and(|last| last.len() > 3 && joined.strip_prefix(last).is_some_and(|rest| rest.len() < 4));
    // `_wifinoscan_token = "wifinoscan"`
    let is_named = key.len() > 1
        && key.last().is_some_and(|last| {
            WORDS.is_object(last) && key.joined().strip_suffix(last).is_some_and(|rest| rest == joined)
        });
    joined.len() >= 3
        && (is_named || key.joined().ends_with(joined) || names && joined.bytes().all(|byte| byte.is_ascii_lowercase()))
        || value.len() > 1 && value.last() == key.last() && value.iter().all(|word| word.len() > 1)
}

/// Returns whether a value is an identifier of source code, with at most two digits at its end.
pub(super) fn is_identifier(value: &[u8]) -> bool {
    let end = value.iter().rev().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    let stem = &value[..value.len() - end];
    stem.iter().all(|byte| byte.is_ascii_alphabetic() || b"_-. ".contains(byte)) && !is_mixed(stem)
}

/// Returns whether the case of letters changes more often than in a name.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    let flips = text.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    text.len() >= 10 && flips * 4 > text.len()
}

/// The length in bytes from which a value with dashes can be random although it has a word of small letters.
const LONG: usize = 60;

/// Returns whether a value looks random: long, of mixed kinds, and not a name, path, date or identifier.
pub(super) fn looks_random(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    if value.len() < 16 || value.len() > 4096 || !value.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    if value.iter().any(|byte| b"<>(){}[],;:\"'`|".contains(byte)) {
        return false;
    }
    if is_uuid(value) || value.windows(3).any(|three| three == b"://") || value.starts_with(b"/") {
        return false;
    }
    let count = |test: fn(&u8) -> bool| value.iter().filter(|byte| test(byte)).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let letters = upper + lower;
    if digits == 0 || letters == 0 || (digits + letters) * 10 < value.len() * 8 {
        return false;
    }
    // Random text has short runs of letters, words have long ones.
    let longest = value
        .split(|byte| !byte.is_ascii_lowercase())
        .map(<[u8]>::len)
        .chain(value.split(|byte| !byte.is_ascii_uppercase()).map(<[u8]>::len))
        .max()
        .unwrap_or(0);
    if value.starts_with(b"0x")
        || value.starts_with(b"sha256:")
        || value.starts_with(b"sha1-")
        || value.starts_with(b"sha512-")
    {
        return false;
    }
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    if hex {
        return value.len() >= 24 && entropy(value) > 2.8;
    }
    let enough = if upper > 0 && lower > 0 { 3.3 } else { 3.5 };
    // Long random text of one case has longer runs, but digits are everywhere in it.
    let changes = value.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || value.len() >= LONG && b"-_".contains(byte);
    let mingled = longest <= 12 && value.len() >= 24 && changes * 4 >= value.len() && value.iter().all(is_plain);
    (longest <= 7 || mingled) && digits * 20 >= value.len() && entropy(value) >= enough
}

/// Returns whether a value is a number of 128 bits in the form of an identifier.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests;
