//! Where the value of a key stands, in any of the notations that assign one: env, INI, JSON, YAML, TOML, XML, HCL, shell,
//! command lines, SQL and source code.

/// How a value stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Between quotes.
    pub(super) quoted: bool,
    /// What an unquoted value may be there.
    pub(super) bare: Bare,
    /// Behind a blank only, so that the value must look like one.
    pub(super) loose: bool,
}

use super::values::Bare;

type Values = Vec<(usize, usize, Place)>;

/// How far a value is looked for.
const REACH: usize = 400;
/// The longest value.
const LONGEST: usize = 16 * 1024;

/// Functions that take a name and give the value from elsewhere, and words about messages: what they are given is no secret.
const FETCHES: &[&str] = &[
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
    "is",
    "path",
    "open",
    "file",
    "url",
    "t",
    "_",
    "l",
    "tr",
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
    "replace",
];

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, what: &[u8]) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    fn blanks(&mut self) -> usize {
        let count = self.rest().iter().take(64).take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        self.at += count;
        count
    }

    /// Blanks and line ends.
    fn space(&mut self) {
        self.at += self.rest().iter().take(REACH).take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// Whether what stands before some blanks is the first word of its line.
    fn is_first_word(&self, blanks: usize) -> bool {
        let head = &self.text[..self.at - blanks];
        let line = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        !head[line..].trim_ascii_start().iter().any(u8::is_ascii_whitespace)
    }

    fn line_ended(&self) -> bool {
        matches!(self.rest(), [] | [b'\n', ..] | [b'\r', b'\n', ..])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Assigns,
    Colon,
    Comma,
    Element,
    Blank,
}

/// The values that are assigned to the key at a place.
pub(super) fn assigned(text: &[u8], start: usize, end: usize, bare: Bare, values: &mut Values) {
    let before = start.checked_sub(1).map(|at| text[at]);
    let mut cursor = Cursor { text, at: end };
    let quoted_key = cursor.at;
    let mut closings = 0;
    while closings < 5 && cursor.peek().is_some_and(|byte| b"\\\"'`])".contains(&byte)) {
        cursor.at += 1;
        closings += 1;
    }
    let quoted_key = text[quoted_key..cursor.at].iter().any(|byte| b"\"'`".contains(byte));
    let flag =
        text[start] == b'-' && before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'[,=(".contains(&byte));
    let blanks = cursor.blanks();
    let Some(operator) = operator(&mut cursor, quoted_key, closings, flag, before, blanks) else { return };
    let key = &text[start..end];
    let variable = operator == Operator::Assigns
        && blanks == 0
        && cursor.at == end + 1
        && key.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let in_url = matches!(before, Some(b'?' | b'&'));
    // `set("password", "…")`, and a flag in a list of arguments: the value is the next item.
    if operator == Operator::Comma && !(flag || quoted_key && is_first(text, start)) {
        return;
    }
    let plain = bare == Bare::Plain;
    // `key=value` in a text or a log.
    let tight = operator == Operator::Assigns && text.get(end) == Some(&b'=');
    let place = Place {
        quoted: false,
        bare: if variable || flag || in_url || tight && bare == Bare::Text { Bare::Plain } else { bare },
        loose: operator == Operator::Blank,
    };
    let key = if quoted_key { usize::MAX } else { start };
    value(&mut cursor, key, operator, place, flag || in_url || (variable || tight) && !plain, values);
}

/// Whether a quoted string is the first of a call's arguments or of a list.
fn is_first(text: &[u8], start: usize) -> bool {
    let before = text[start.saturating_sub(80)..start].trim_ascii_end();
    let before = before.strip_suffix(b"\\\"").or_else(|| before.split_last().map(|(_, rest)| rest)).unwrap_or_default();
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b"@").unwrap_or(before);
    matches!(before.last(), Some(b'(' | b'[' | b'{'))
}

fn operator(
    cursor: &mut Cursor<'_>,
    quoted_key: bool,
    closings: usize,
    flag: bool,
    before: Option<u8>,
    blanks: usize,
) -> Option<Operator> {
    if cursor.line_ended() {
        return None;
    }
    for sign in [&b":="[..], b"=>", b"===", b"==", b"||=", b"?=", b"+=", b"??=", b"<-", b"!==", b"!=", b"="] {
        if cursor.take(sign) {
            return Some(Operator::Assigns);
        }
    }
    // C#: `Password { get; set; } = "…"`.
    if blanks > 0 && cursor.rest().starts_with(b"{ get;") {
        let line = cursor.rest().split(|byte| *byte == b'\n').next().unwrap_or_default();
        let end = line.windows(3).position(|three| three == b"} =")?;
        cursor.at += end + 3;
        return Some(Operator::Assigns);
    }
    if before == Some(b'<') || cursor.peek() == Some(b'>') && !quoted_key {
        // `<password type="x">value</password>`
        let open = cursor.rest().iter().take(200).position(|byte| *byte == b'>' || *byte == b'\n')?;
        let tag = &cursor.rest()[..open];
        if cursor.rest()[open] == b'>' && !tag.ends_with(b"/") && before == Some(b'<') {
            cursor.at += open + 1;
            return Some(Operator::Element);
        }
        return None;
    }
    if cursor.take(b":") {
        if cursor.peek() == Some(b':') {
            return None;
        }
        typed(cursor);
        return Some(Operator::Colon);
    }
    if cursor.take(b",") {
        return Some(Operator::Comma);
    }
    let quote = matches!(cursor.peek(), Some(b'"' | b'\'' | b'`'));
    if blanks > 0 && (flag || !quoted_key && closings == 0) {
        // `password 'x'` alone on its line; a label before a block (`secret "name" {`) is none.
        if quote && !flag {
            let line = cursor.rest().split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
            let alone = matches!(line.last(), Some(b'"' | b'\'' | b'`' | b';' | b',')) && line.len() > 2;
            let first = cursor.is_first_word(blanks);
            let operator = if alone && first { Operator::Assigns } else { Operator::Blank };
            return (!line.ends_with(b"{")).then_some(operator);
        }
        return Some(if flag || sets(cursor, blanks) { Operator::Assigns } else { Operator::Blank });
    }
    None
}

/// Whether the line's first word says that the second gets the third: `ENV TOKEN abc`, `setenv TOKEN abc`.
fn sets(cursor: &Cursor<'_>, blanks: usize) -> bool {
    let line = cursor.text[..cursor.at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut words =
        cursor.text[line..cursor.at - blanks].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    matches!(first, b"ENV" | b"setenv" | b"SetEnv" | b"putenv") && words.count() == 1
}

/// A type behind the colon: `password: string = "…"`.
fn typed(cursor: &mut Cursor<'_>) {
    let from = cursor.at;
    cursor.blanks();
    cursor.take(b"&");
    cursor.take(b"'static ");
    let letters =
        cursor.rest().iter().take(60).take_while(|byte| byte.is_ascii_alphanumeric() || b"_<>[]?|:&".contains(byte));
    let name = letters.count();
    let first = cursor.peek();
    cursor.at += name;
    cursor.blanks();
    let assigns = cursor.peek() == Some(b'=') && !matches!(cursor.rest().get(1), Some(b'=' | b'>'));
    if name > 0 && first.is_some_and(|byte| byte.is_ascii_alphabetic()) && assigns {
        cursor.at += 1;
    } else {
        cursor.at = from;
    }
}

fn value(cursor: &mut Cursor<'_>, key: usize, operator: Operator, place: Place, short: bool, values: &mut Values) {
    cursor.blanks();
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
    // YAML: a tag, or a block of lines.
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
        if operator == Operator::Blank || !next_line(cursor, operator) {
            return;
        }
        let item = cursor.text[..cursor.at].ends_with(b"- ");
        if operator == Operator::Colon && !item && place.bare == Bare::Plain {
            place.bare = Bare::Text;
        }
    }
    if matches!(cursor.peek(), Some(b'[' | b'(')) && list(cursor, values) {
        return;
    }
    call(cursor);
    if let Some(quote @ (b'"' | b'\'' | b'`')) = cursor.peek()
        && (operator == Operator::Comma && follows_key(cursor) || closes(cursor.text, key, quote))
    {
        return;
    }
    if quoted(cursor, values) {
        return;
    }
    unquoted(cursor, operator, place, short, values);
}

/// Whether a quote behind a key ends the string that the key is in: `'Password: '`. A quoted key (none) is in no string.
fn closes(text: &[u8], key: usize, quote: u8) -> bool {
    if key > text.len() {
        return false;
    }
    let from = key.saturating_sub(REACH);
    let line = text[from..key].iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
    let mut open = None;
    let mut at = line;
    while at < key {
        match (open, text[at]) {
            (_, b'\\') => at += 1,
            (None, byte @ (b'"' | b'\'' | b'`')) => {
                // An apostrophe is no quote.
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
    open == Some(quote)
}

/// Where the value stands on the line below. None where that line has a key of its own.
fn next_line(cursor: &mut Cursor<'_>, operator: Operator) -> bool {
    let line_start = cursor.text[..cursor.at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let indent = |at: usize| cursor.text[at..].iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
    let own = indent(line_start);
    let mut next = cursor.at;
    next += cursor.rest().iter().take(2).take_while(|byte| **byte == b'\r' || **byte == b'\n').count();
    if next >= cursor.text.len() || indent(next) <= own && operator != Operator::Assigns {
        return false;
    }
    let at = next + indent(next);
    let line = cursor.text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    cursor.at = at;
    if operator == Operator::Colon {
        if line.starts_with(b"- ") {
            cursor.at += 2;
        }
        let line = &line[cursor.at - at..];
        return !line.windows(2).any(|two| two == b": ") && !line.trim_ascii_end().ends_with(b":");
    }
    matches!(line.first(), Some(b'"' | b'\'' | b'`'))
}

/// A YAML block: each line that is indented further.
fn block(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let line = cursor.rest().split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.len() > 40 || !line[1..].trim_ascii().iter().all(|byte| b"+-0123456789".contains(byte)) {
        return false;
    }
    let start = cursor.text[..cursor.at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let indent = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let own = indent(&cursor.text[start..]);
    let mut at = cursor.at + line.len() + 1;
    while at < cursor.text.len() {
        let line = cursor.text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let blank = line.trim_ascii().is_empty();
        if !blank && indent(line) <= own || at > cursor.at + LONGEST {
            break;
        }
        if !blank {
            let end = at + line.trim_ascii_end().len();
            values.push((at + indent(line), end, Place { quoted: true, ..Place::default() }));
        }
        at += line.len() + 1;
    }
    true
}

/// `["a", "b"]` and `("a")`: every string in it.
fn list(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
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
            Some(byte) if byte == close => break,
            _ => break,
        }
    }
    if values.len() == from {
        cursor.at = begun;
    }
    values.len() > from
}

/// A call around the value: `String::from("…")`, `new Secret('…')`. One that fetches its value from elsewhere is none.
fn call(cursor: &mut Cursor<'_>) {
    let from = cursor.at;
    for _ in 0..3 {
        let begun = cursor.at;
        for word in [&b"new "[..], b"await ", b"return ", b"&"] {
            cursor.take(word);
        }
        let name = cursor
            .rest()
            .iter()
            .take(60)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:!".contains(byte))
            .count();
        let called = &cursor.text[cursor.at..cursor.at + name];
        cursor.at += name;
        if name == 0 || cursor.peek() != Some(b'(') || fetches(called) {
            cursor.at = begun;
            break;
        }
        cursor.at += 1;
        cursor.space();
    }
    // Strings may have prefixes: b"…", r"…", f"…", @"…", and Objective-C's and Swift's.
    let prefix = cursor.rest().iter().take(3).take_while(|byte| b"brufRBUFL@$#&*".contains(byte)).count();
    if cursor.rest().get(prefix).is_some_and(|byte| b"\"'`".contains(byte)) {
        cursor.at += prefix;
    } else if !matches!(cursor.peek(), Some(b'"' | b'\'' | b'`' | b'\\')) {
        cursor.at = from;
    }
}

fn fetches(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name);
    let last = name.rsplit(['.', ':']).next().unwrap_or(&name).to_lowercase();
    FETCHES.iter().any(|word| if word.len() < 3 { last == *word } else { last.contains(word) })
}

/// A string between quotes and those that are joined to it.
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
        if !(joined || on_next_line) || !matches!(cursor.peek(), Some(b'"' | b'\'' | b'`')) || follows_key(cursor) {
            cursor.at = after;
            break;
        }
    }
    found
}

/// Whether the string at the cursor is the key of what comes next.
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
    // Quotes of a string inside a string: `\"…\"`.
    let escapes = text[at..].iter().take(4).take_while(|byte| **byte == b'\\').count();
    let Some(&quote) = text.get(at + escapes).filter(|byte| b"\"'`".contains(byte)) else { return false };
    at += escapes + 1;
    let triple = escapes == 0 && text[at..].starts_with(&[quote, quote]);
    if triple {
        at += 2;
    } else if text.get(at) == Some(&quote) {
        // Empty.
        cursor.at = at + 1;
        return false;
    }
    let start = at;
    let stop = text.len().min(start + LONGEST);
    let end = loop {
        if at >= stop {
            break stop;
        }
        let byte = text[at];
        if triple {
            if text[at..].starts_with(&[quote, quote, quote]) {
                break at;
            }
        } else if byte == quote && (escapes == 0 || text[at - escapes..at].iter().all(|byte| *byte == b'\\')) {
            break at - escapes;
        } else if byte == b'\n' && quote != b'`' {
            // It does not end on its line: a line that was cut, or a quote that opens nothing.
            break at - usize::from(text[at - 1] == b'\r');
        } else if byte == b'\\' && escapes == 0 {
            at += 1;
        }
        at += 1;
    };
    cursor.at = (end + escapes + if triple { 3 } else { 1 }).min(text.len());
    if start < end {
        values.push((start, end.max(start), Place { quoted: true, ..Place::default() }));
    }
    start < end
}

fn unquoted(cursor: &mut Cursor<'_>, operator: Operator, place: Place, short: bool, values: &mut Values) {
    let line = cursor.rest().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = &line[..line.len().min(LONGEST)];
    let whole = place.bare == Bare::Plain && !short && operator != Operator::Blank && operator != Operator::Comma;
    let mut end = if whole {
        // The rest of the line, up to a remark.
        line.windows(2)
            .position(|two| two[0].is_ascii_whitespace() && (two[1] == b'#' || two[1] == b';'))
            .unwrap_or(line.len())
    } else {
        let stops: &[u8] = if short { b"\"'`<>|&;" } else { b",;\"'`<>|" };
        line.iter().position(|byte| byte.is_ascii_whitespace() || stops.contains(byte)).unwrap_or(line.len())
    };
    end = line[..end].trim_ascii_end().len();
    if place.bare != Bare::Plain {
        while end > 0 && b")}]:".contains(&line[end - 1]) {
            end -= 1;
        }
    }
    // Behind a blank only, nothing else may follow but the end of the line or more words of a command.
    if operator == Operator::Blank && line[end..].first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return;
    }
    if end >= 3 {
        values.push((cursor.at, cursor.at + end, place));
    }
}

/// The text of an element, also on lines of its own.
fn element(cursor: &mut Cursor<'_>, values: &mut Values) {
    cursor.space();
    for open in [&b"<![CDATA["[..], b"<string>", b"<value>", b"<Value>", b"<plainText>"] {
        if cursor.take(open) {
            cursor.space();
        }
    }
    let stop = cursor.rest().len().min(LONGEST);
    let Some(end) = cursor.rest()[..stop].iter().position(|byte| *byte == b'<' || *byte == b']') else { return };
    let inside = &cursor.rest()[..end];
    let end = cursor.at + inside.trim_ascii_end().len();
    if cursor.at < end && end - cursor.at <= 4096 && cursor.text.get(cursor.at) != Some(&b'<') {
        values.push((cursor.at, end, Place { quoted: true, ..Place::default() }));
    }
}

/// The value of a key that is itself the value of `name` or `key`: Kubernetes' variables, Terraform's defaults, property
/// lists, attributes. `name: DB_PASSWORD` and, near, `value: …`.
pub(super) fn paired(text: &[u8], start: usize, end: usize, bare: Bare, values: &mut Values) {
    let from = start.saturating_sub(60);
    let line = text[from..start].iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
    let before = text[line..start].to_ascii_lowercase();
    let named = [&b"name"[..], b"key", b"id", b"variable", b"property", b"field", b"setting", b"param", b"label"]
        .iter()
        .any(|word| before.windows(word.len()).any(|window| window == *word));
    if !named {
        return;
    }
    let stop = text.len().min(end + REACH);
    let mut at = end;
    let mut lines = 0;
    while at < stop && lines < 5 {
        let rest = &text[at..stop];
        if rest[0] == b'\n' {
            lines += 1;
        }
        let boundary = at == end || !text[at - 1].is_ascii_alphanumeric() && text[at - 1] != b'_';
        if boundary && rest[0].is_ascii_alphabetic() {
            let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let lower = rest[..word].to_ascii_lowercase();
            match lower.as_slice() {
                b"value" | b"default" | b"string" | b"content" | b"data" | b"plaintext" | b"val" | b"default_value"
                | b"defaultvalue" => {
                    assigned(text, at, at + word, bare, values);
                    if text[at - 1] == b'<' || !values.is_empty() {
                        return;
                    }
                }
                // Another name: what follows is its own.
                b"name" | b"key" | b"variable" if lines > 0 => return,
                _ => {}
            }
            at += word;
        } else {
            at += 1;
        }
    }
}
