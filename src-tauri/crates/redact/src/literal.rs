//! Reads values in all their notations: strings and concatenations, lists, calls around them, elements, YAML blocks, bare words. The place
//! of an assignment comes from [`super::assign`].

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::below::{block, items_below, next_line, twin};
use super::element::element;
use super::fallback;
use super::notations;
use super::records;
use super::unquoted::unquoted;
use super::values::Bare;
use super::words::short_search;

/// The notation of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Whether the value is between quotes.
    pub(super) quoted: bool,
    /// How an unquoted value at this place is read.
    pub(super) bare: Bare,
    /// Whether the value is not clearly assigned (behind a blank, compared, one of several), so that it must look like a secret.
    pub(super) loose: bool,
}

/// The values of a key, and facts about the text that they are read from.
#[derive(Default)]
pub(super) struct Values {
    found: Vec<(usize, usize, Place)>,
    /// A part of the text without an operator before a value that replaces a missing one.
    pub(super) without_fallback: (usize, usize),
}

impl Deref for Values {
    type Target = Vec<(usize, usize, Place)>;

    fn deref(&self) -> &Self::Target {
        &self.found
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.found
    }
}

/// The maximum distance in bytes between a key and its value.
pub(super) const REACH: usize = 400;
/// The maximum length of a value in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Returns the start of the line that contains a place, or the place [`REACH`] bytes before it.
pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(REACH);
    memchr::memrchr(b'\n', &text[from..at]).map_or(from, |line| from + line + 1)
}

/// Parts of the names of functions that take a name and return the value from elsewhere, and of words about messages. Their arguments are
/// not secrets.
static FETCHES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "constant words")]
    short_search()
        .ascii_case_insensitive(true)
        .build([
            "get",
            "env",
            "fetch",
            "lookup",
            "find",
            "load",
            "read",
            "input",
            "prompt",
            "translate",
            "i18n",
            "param",
            "arg",
            "option",
            "config",
            "ref",
            "field",
            "column",
            "require",
            "include",
            "import",
            "select",
            "label",
            "valid",
            "match",
            "test",
            "error",
            "log",
            "print",
            "exist",
            "has",
            "path",
            "open",
            "file",
            "url",
            "check",
            "expect",
            "assert",
            "attr",
            "pick",
            "resolve",
            "name",
            "key",
            "title",
            "text",
            "length",
            "len",
            "type",
            "query",
            "split",
            "setting",
            "replace",
            "askfor",
            "generate",
            "random",
            "relationship",
            "symbol",
            "context",
            "inject",
            "provide",
            "watch",
            "emit",
        ])
        .expect("constant words")
});

/// The short names of such functions.
const SHORT_FETCHES: &[&[u8]] = &[b"is", b"t", b"_", b"l", b"tr", b"for", b"ask", b"credentials"];

/// A place in a text from which a value is read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    /// The maximum length of a value in bytes.
    pub(super) reach: usize,
    /// The end of the part that was read.
    pub(super) furthest: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    /// Returns the rest of the line, at most `reach` bytes.
    pub(super) fn line(&mut self) -> &'a [u8] {
        self.line_within(self.reach)
    }

    /// Returns the rest of the line, at most `most` bytes.
    pub(super) fn line_within(&mut self, most: usize) -> &'a [u8] {
        let rest = self.rest();
        let rest = &rest[..rest.len().min(most)];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        self.furthest = self.furthest.max(self.at + line.len());
        line
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    pub(super) fn take(&mut self, what: &[u8]) -> bool {
        // Most signs that are tried are not there. Their first byte says so without a call.
        let found = self.peek() == what.first().copied() && self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    #[inline]
    pub(super) fn blanks(&mut self) -> usize {
        let count = self.rest().iter().take(64).take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        self.at += count;
        count
    }

    /// Skips blanks and line ends.
    pub(super) fn space(&mut self) {
        self.at += self.rest().iter().take(REACH).take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// Returns whether the word before the last `blanks` characters is the first word of its line.
    pub(super) fn is_first_word(&self, blanks: usize) -> bool {
        let head = &self.text[..self.at - blanks];
        !head[line_start(head, head.len())..].trim_ascii_start().iter().any(u8::is_ascii_whitespace)
    }

    pub(super) fn line_ended(&self) -> bool {
        matches!(self.rest(), [] | [b'\n', ..] | [b'\r', b'\n', ..])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Assigns,
    Compares,
    Colon,
    Comma,
    Element,
    Blank,
    /// The value is taken if the key has none: `env.TOKEN || "…"`.
    Falls,
}

/// Reads the value behind an operator, also where a change of it follows in a diff: `password:`, and two values on the lines below.
pub(super) fn value(
    cursor: &mut Cursor<'_>,
    key: usize,
    operator: Operator,
    place: Place,
    short: bool,
    values: &mut Values,
) {
    let (from, behind) = (values.len(), cursor.at);
    single(cursor, key, operator, place, short, values);
    if let [(start, end, found)] = values[from..]
        && matches!(operator, Operator::Assigns | Operator::Colon)
        && start > behind
        && !cursor.text[behind..start].iter().any(|byte| b"<@".contains(byte))
        && let Some(twin) = twin(cursor.text, behind, start, end)
    {
        values.push((twin.0, twin.1, found));
    }
    // The change that a plan shows: `password = "…" -> "…"`.
    if let [.., (_, end, found)] = values[from..]
        && found.quoted
        && let Some(next) = [&b"\" -> \""[..], b"\" => \""].iter().find(|next| cursor.text[end..].starts_with(next))
    {
        let start = end + next.len();
        if let Some(length) = memchr::memchr2(b'"', b'\n', &cursor.text[start..]) {
            values.push((start, start + length, found));
        }
    }
    if let [(start, end, found)] = values[from..]
        && operator == Operator::Colon
        && place.bare != Bare::Code
        && start > behind
    {
        let more: Vec<_> =
            items_below(cursor.text, behind, start, end).into_iter().map(|(from, to)| (from, to, found)).collect();
        values.extend(more);
    }
}

fn single(cursor: &mut Cursor<'_>, key: usize, operator: Operator, place: Place, short: bool, values: &mut Values) {
    cursor.blanks();
    // Markdown: `**Password:** …`.
    if operator == Operator::Colon && [&b"** "[..], b"''' ", b"__ "].iter().any(|mark| cursor.take(mark)) {
        cursor.blanks();
    }
    // Parameters of Azure and outputs of Terraform: `"adminPassword": { "value": "…" }`.
    if operator == Operator::Colon && cursor.peek() == Some(b'{') {
        records::open_value(cursor);
    }
    // In a shell: `--password-file=<(echo …)`, `PASSWORD=$(echo … | base64 -d)`.
    let echoed = [&b"$(cat "[..], b"<(echo ", b"$(echo ", b"\"$(echo ", b"<(printf ", b"$(printf "]
        .iter()
        .any(|start| cursor.take(start));
    if operator == Operator::Comma {
        named_default(cursor);
    }
    if operator == Operator::Element {
        return element(cursor, values);
    }
    let mut place = place;
    if cursor.take(b"\\") {
        if cursor.line_ended() {
            cursor.space();
        } else {
            cursor.at -= 1;
        }
    }
    // In YAML, a tag or a block of lines may come before the value.
    if operator == Operator::Colon {
        for tag in [&b"!!str "[..], b"!!binary ", b"!!binary\n", b"!unsafe "] {
            if cursor.take(tag) {
                cursor.blanks();
            }
        }
        if matches!(cursor.peek(), Some(b'|' | b'>')) && block(cursor, values) {
            return;
        }
    }
    if cursor.line_ended() {
        let plain = place.bare == Bare::Plain;
        if place.loose || !next_line(cursor, key, operator, &mut place) {
            return;
        }
        // The description of a class or function below its first line: `class Token(Model):`.
        if operator == Operator::Colon && place.bare == Bare::Code && matches!(cursor.rest(), [b'"', b'"', b'"', ..]) {
            return;
        }
        let item = cursor.text[..cursor.at].ends_with(b"- ");
        if operator == Operator::Colon && !item && plain {
            place.bare = Bare::Text;
        }
    }
    let from = values.len();
    let found = matches!(cursor.peek(), Some(b'[' | b'(')) && list(cursor, place.bare == Bare::Plain, values);
    if found {
        let many = values.len() > from + 1 || !matches!(cursor.peek(), Some(b']' | b')'));
        values[from..].iter_mut().for_each(|(.., found)| found.loose = many || place.loose);
        return;
    }
    if (!place.loose || cursor.peek() == Some(b'$')) && notations::string(cursor, values) {
        values[from..].iter_mut().for_each(|(.., found)| found.loose = place.loose);
        return;
    }
    let named = records::skip_to_default(cursor);
    let defaulted = !named && fallback::argument(cursor);
    let called = !named && (call(cursor) || defaulted);
    // The value may be an expression that falls back to a string.
    if !matches!(cursor.peek(), Some(b'"' | b'\'' | b'`')) && matches!(operator, Operator::Assigns | Operator::Colon) {
        fallback::skip_to(cursor, &mut values.without_fallback);
    }
    if let Some(quote @ (b'"' | b'\'' | b'`')) = cursor.peek()
        && (operator == Operator::Comma && follows_key(cursor) || closes(cursor.text, key, quote))
    {
        return;
    }
    // A value that is not clearly assigned is a short word, never a text of several lines.
    let long = match cursor.rest() {
        [b'`', rest @ ..] => place.bare != Bare::Text || !closes_on_line(rest),
        rest => rest.starts_with(b"\"\"\"") || rest.starts_with(b"'''"),
    };
    if place.loose && long {
        return;
    }
    if quoted(cursor, values) {
        // A string before `|` is one of several alternatives, for example of a type.
        let rest = cursor.rest().trim_ascii_start();
        // Kotlin: `mapOf("name" to "…")`.
        if called && rest.starts_with(b"to ") {
            values.truncate(from);
        }
        // One of several arguments of a function or constructor need not be the secret.
        let argument = called && rest.starts_with(b",") && !names_an_encoding(rest) || defaulted;
        let loose = place.loose || rest.starts_with(b"|") || argument;
        values[from..].iter_mut().for_each(|(.., found)| found.loose = loose);
        return;
    }
    if operator != Operator::Falls {
        unquoted(cursor, key, operator, place, short, values);
    }
    // The command ends before its parenthesis or a pipe.
    if echoed && let Some((start, end, _)) = values[from..].last_mut() {
        let value = &cursor.text[*start..*end];
        let value = &value[..memchr::memchr2(b')', b'|', value).unwrap_or(value.len())];
        *end = *start + value.trim_ascii_end().len();
    }
}

/// Returns whether a quote behind a key ends the string that contains the key: `'Password: '`. A quoted key (`usize::MAX`) is in no string.
fn closes(text: &[u8], key: usize, quote: u8) -> bool {
    open_quote(text, key) == Some(quote)
}

/// Returns the quote that opens the string around a key.
pub(super) fn open_quote(text: &[u8], key: usize) -> Option<u8> {
    if key > text.len() {
        return None;
    }
    let line = line_start(text, key);
    let mut open = None;
    let mut at = line;
    while at < key {
        match (open, text[at]) {
            (_, b'\\') => at += 1,
            (None, byte @ (b'"' | b'\'' | b'`')) => {
                // An apostrophe is not a quote.
                let apostrophe = byte == b'\'' && at > line && text[at - 1].is_ascii_alphabetic();
                if !apostrophe {
                    open = Some(byte);
                }
            }
            (Some(quote), byte) if quote == byte => open = None,
            _ => {}
        }
        at += 1;
    }
    open
}

/// Reads every string of `["a", "b"]` or `("a")`.
fn list(cursor: &mut Cursor<'_>, plain: bool, values: &mut Values) -> bool {
    let from = values.len();
    let close = if cursor.peek() == Some(b'[') { b']' } else { b')' };
    let stop = cursor.text.len().min(cursor.at + 2048);
    let begun = cursor.at;
    cursor.at += 1;
    while cursor.at < stop && values.len() < from + 40 {
        cursor.space();
        match cursor.peek() {
            Some(b'"' | b'\'' | b'`') => {
                if !quoted(cursor, values) {
                    break;
                }
            }
            Some(b',') => cursor.at += 1,
            // YAML: `[71951043, 88129921]`.
            Some(byte) if plain && close == b']' && byte.is_ascii_alphanumeric() => {
                let length = cursor
                    .rest()
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
                    .count();
                values.push((cursor.at, cursor.at + length, Place { quoted: true, ..Place::default() }));
                cursor.at += length;
            }
            _ => break,
        }
    }
    if values.len() == from {
        cursor.at = begun;
    }
    values.len() > from
}

/// Skips the name of an argument with the default of a setting: `config("API_KEY", default="…")`.
fn named_default(cursor: &mut Cursor<'_>) {
    let from = cursor.at;
    cursor.space();
    if [&b"default"[..], b"fallback", b"default_value", b"defaultValue"].iter().any(|name| cursor.take(name)) {
        cursor.blanks();
        if cursor.take(b"=") || cursor.take(b":") {
            cursor.blanks();
            return;
        }
    }
    cursor.at = from;
}

/// Skips a call around the value: `String::from("…")`, `new Secret('…')`. A call that fetches its value from elsewhere is not skipped.
///
/// Returns whether a call with a name of its own was skipped.
fn call(cursor: &mut Cursor<'_>) -> bool {
    // PowerShell: `ConvertTo-SecureString -String "…"`.
    if cursor.rest().starts_with(b"(ConvertTo-SecureString ") {
        cursor.at += 1;
    }
    if cursor.take(b"ConvertTo-SecureString ") {
        cursor.take(b"-String ");
    }
    let from = cursor.at;
    let mut called_any = false;
    for _ in 0..3 {
        let begun = cursor.at;
        for word in [&b"new "[..], b"await ", b"return ", b"&"] {
            cursor.take(word);
        }
        // PowerShell: `[Convert]::FromBase64String("…")`.
        let class = cursor.rest().first() == Some(&b'[');
        let name = cursor
            .rest()
            .iter()
            .take(60)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:!".contains(byte) || class && b"[]".contains(byte))
            .count();
        let called = &cursor.text[cursor.at..cursor.at + name];
        cursor.at += name;
        // `Base64.getDecoder().decode("…")`
        if name > 7 && called[name - 7..].eq_ignore_ascii_case(b"decoder") && cursor.take(b"().") {
            continue;
        }

        // JavaScript: String.raw`…`. Scala: raw"…".
        if matches!(cursor.peek(), Some(b'`' | b'"')) && called.ends_with(b"raw") {
            break;
        }
        // C++: `std::string{"…"}`.
        let braces = cursor.rest().starts_with(b"{\"") && memchr::memmem::find(called, b"::").is_some();
        if name == 0 || cursor.peek() != Some(b'(') && !braces || fetches(called) {
            cursor.at = begun;
            break;
        }
        cursor.at += 1;
        called_any = true;
        cursor.space();
    }
    // Erlang: `<<"…">>`.
    cursor.take(b"<<");
    // Strings may have prefixes: b"…", r"…", f"…", @"…", and those of Objective-C and Swift.
    let prefix = cursor.rest().iter().take(5).take_while(|byte| b"brufRBUFLcCNE8@$#&*".contains(byte)).count();
    // Verilog: `8'hFF`.
    let prefix = if cursor.peek() == Some(b'8') { 0 } else { prefix };
    if cursor.rest().get(prefix).is_some_and(|byte| b"\"'`".contains(byte)) {
        cursor.at += prefix;
    } else if !matches!(cursor.peek(), Some(b'"' | b'\'' | b'`' | b'\\')) {
        cursor.at = from;
        return false;
    }
    called_any
}

/// The names of encodings of bytes.
const ENCODINGS: &[&[u8]] = &[b"hex", b"base64", b"base64url", b"utf8", b"utf-8", b"ascii", b"latin1", b"binary"];

/// Returns whether the last argument of a call, behind its comma, is the name of an encoding: `, "hex")`.
fn names_an_encoding(rest: &[u8]) -> bool {
    let argument = rest[1..].trim_ascii_start();
    let Some((quote @ (b'"' | b'\''), inside)) = argument.split_first() else { return false };
    memchr::memchr(*quote, &inside[..inside.len().min(12)]).is_some_and(|end| {
        ENCODINGS.iter().any(|name| inside[..end].eq_ignore_ascii_case(name))
            && matches!(inside[end + 1..].trim_ascii_start().first(), Some(b')' | b','))
    })
}

/// Returns whether a backtick closes on its line.
fn closes_on_line(rest: &[u8]) -> bool {
    rest.iter().take(REACH).take_while(|byte| **byte != b'\n').any(|byte| *byte == b'`')
}

/// Returns whether a function takes a name and returns the value from elsewhere.
pub(super) fn fetches(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| matches!(byte, b'.' | b':')).next().unwrap_or(name);
    SHORT_FETCHES.iter().any(|word| last.eq_ignore_ascii_case(word)) || FETCHES.is_match(last)
}

/// Reads a quoted string and the strings that are concatenated with it.
fn quoted(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let mut found = false;
    for _ in 0..16 {
        if !string(cursor, values) {
            break;
        }
        found = true;
        let after = cursor.at;
        cursor.space();
        let joined =
            cursor.take(b"+") || cursor.take(b"..") || cursor.take(b".") || cursor.take(b"\\") || cursor.take(b"&");
        let on_next_line = cursor.text[after..cursor.at].contains(&b'\n');
        cursor.space();
        let long = matches!(cursor.rest(), [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..]);
        // The end of a block of code in Markdown is no string.
        let more = matches!(cursor.peek(), Some(b'"' | b'\'')) && !long || joined && cursor.peek() == Some(b'`');
        if !(joined || on_next_line) || !more || follows_key(cursor) {
            cursor.at = after;
            break;
        }
    }
    found
}

/// Returns whether the string at the cursor is the key of the next value.
fn follows_key(cursor: &Cursor<'_>) -> bool {
    let quote = cursor.peek().unwrap_or_default();
    let rest = &cursor.rest()[1..];
    let Some(end) = rest.iter().take(REACH).position(|byte| *byte == quote) else { return true };
    let after = rest[end + 1..].trim_ascii_start();
    matches!(after.first(), Some(b':' | b'='))
}

fn string(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let text = cursor.text;
    let mut at = cursor.at;
    // Escaped quotes belong to a string inside a string: `\"…\"`.
    let escapes = text[at..].iter().take(4).take_while(|byte| **byte == b'\\').count();
    let Some(&quote) = text.get(at + escapes).filter(|byte| b"\"'`".contains(byte)) else { return false };
    at += escapes + 1;
    let triple = escapes == 0 && text[at..].starts_with(&[quote, quote]);
    if triple {
        at += 2;
    } else if text.get(at) == Some(&quote) {
        // The string is empty.
        cursor.at = at + 1;
        return false;
    }
    let start = at;
    let stop = text.len().min(start + cursor.reach);
    let end = loop {
        if at >= stop {
            break stop;
        }
        let byte = text[at];
        if triple {
            if text[at..].starts_with(&[quote, quote, quote]) {
                break at;
            }
        } else if byte == b'\'' && quote == byte && escapes == 0 && is_doubled(&text[at..stop]) {
            at += 1;
        } else if byte == quote && (escapes == 0 || text[at - escapes..at].iter().all(|byte| *byte == b'\\')) {
            break at - escapes;
        } else if byte == b'\n' && quote != b'`' {
            // The string does not end on its line: the line was cut, or the quote does not open a string.
            break at - usize::from(text[at - 1] == b'\r');
        } else if byte == b'\\' && escapes == 0 {
            at += 1;
        }
        at += 1;
    };
    cursor.at = (end + escapes + if triple { 3 } else { 1 }).min(text.len());
    cursor.furthest = cursor.furthest.max(at);
    if start < end {
        values.push((start, end, Place { quoted: true, ..Place::default() }));
    }
    start < end
}

/// Returns whether a quote is a part of a string of SQL or YAML, which has it twice, and the string ends behind it.
fn is_doubled(rest: &[u8]) -> bool {
    if !rest.starts_with(b"''") {
        return false;
    }
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line[2..].first().is_some_and(u8::is_ascii_alphanumeric) && memchr::memchr_iter(b'\'', &line[2..]).count() % 2 == 1
}
