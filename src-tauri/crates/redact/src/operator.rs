//! Recognises the sign or the words between a key and its value.
//!
//! In: a cursor behind a key. Out: the operator, with the cursor behind it.

use super::cursor::{Cursor, Operator, REACH, line_start};
use super::fallback;
use super::notations;
use super::records;
use super::statements;
use super::values::Bare;

/// The signs that assign a value, in the notations of programming languages, makefiles and settings. A sign comes before its prefixes.
const ASSIGNS: &[&[u8]] =
    &[b":::=", b"::=", b":=", b"=>", b"||=", b"??=", b"//=", b"&&=", b"?=", b"+=", b".=", b"<-", b"="];

/// The maximum length of a type's name in bytes.
const LONGEST_TYPE: usize = 60;

/// Skips a type or a mark between a name and its operator: `password[32] = …` in C, `password* = …` in Nim, `*password* "…"` in Lisp.
pub(super) fn declarator(cursor: &mut Cursor<'_>, start: usize) {
    let rest = cursor.rest();
    let marks = match rest.first() {
        // Go: `var token string = "…"`.
        Some(b' ') if [&b"var "[..], b"const "].iter().any(|word| cursor.text[..start].ends_with(word)) => {
            let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.*[]".contains(byte);
            match rest[1..].iter().take(LONGEST_TYPE).take_while(inside).count() {
                0 => 0,
                name => name + 1,
            }
        }
        Some(b'[') => {
            let digits = rest[1..].iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
            let end = if rest.get(1 + digits) == Some(&b']') { digits + 2 } else { 0 };
            // A macro of a compiler: `password[] PROGMEM = …`.
            let behind = &rest[end..];
            let is_macro = |byte: &&u8| byte.is_ascii_uppercase() || **byte == b'_';
            let name = behind.iter().skip(1).take(24).take_while(is_macro).count();
            let has_macro = end > 0 && behind.first() == Some(&b' ') && name > 2 && behind.get(name + 1) == Some(&b' ');
            if has_macro { end + name + 1 } else { end }
        }
        Some(b'*') => 1,
        // Go: `secret, _ := hex.DecodeString("…")`.
        Some(b',') => {
            let marks = [(&b", _ :="[..], 3), (b", err :=", 5), (b", _ =", 3), (b", err =", 5)];
            marks.iter().find(|(mark, _)| rest.starts_with(mark)).map_or(0, |(_, length)| *length)
        }
        _ => 0,
    };
    let after = rest[marks..].trim_ascii_start();
    let assigns = after.starts_with(b":=")
        || after.first() == Some(&b'=') && after.get(1) != Some(&b'=')
        || marks == 1 && after.first() == Some(&b'"');
    if marks > 0 && assigns {
        cursor.at += marks;
    }
}

pub(super) fn operator(
    cursor: &mut Cursor<'_>,
    start: usize,
    quoted_key: bool,
    closings: usize,
    flag: bool,
    blanks: usize,
    bare: Bare,
) -> Option<Operator> {
    let text = cursor.text;
    if bare == Bare::Code && blanks == 1 && closings == 0 && statements::is_block(cursor, start) {
        return Some(Operator::Assigns);
    }
    if fallback::follows(cursor) {
        return Some(Operator::Falls);
    }
    if quoted_key && records::skip_type(cursor) {
        return Some(Operator::Assigns);
    }
    if cursor.line_ended() {
        return None;
    }
    // A value in base64 in LDIF: `userPassword:: …`. C++: `std::string password{"…"}`.
    if blanks == 0 && closings == 0 && (cursor.take(b":: ") || cursor.rest().starts_with(b"{\"") && cursor.take(b"{")) {
        return Some(Operator::Assigns);
    }
    // A term and its description: `Password :: …` in Org, `Password::` above its description in AsciiDoc.
    if bare == Bare::Text && closings == 0 && blanks > 0 && cursor.take(b":: ") {
        return Some(Operator::Assigns);
    }
    if bare == Bare::Text && closings == 0 && cursor.take(b"::") {
        return cursor.line_ended().then_some(Operator::Colon);
    }
    // A sentence: `the password is …`.
    if blanks > 0 && [&b"is "[..], b"was ", b"is: "].iter().any(|verb| cursor.take(verb)) {
        return Some(Operator::Blank);
    }
    // `(define password "…")`
    let quoted = matches!(cursor.peek(), Some(b'"'));
    if quoted && blanks > 0 && closings == 0 && bare != Bare::Plain && statements::is_defined(text, start) {
        return Some(Operator::Assigns);
    }
    if blanks == 1 && statements::is_set_to(cursor, start, quoted_key) {
        cursor.at += b"to ".len();
        return Some(Operator::Assigns);
    }
    // Clojure: `{:password "…"}`. The verb of a shell: `read PASSWORD <<< "…"`.
    let keyword = closings == 0
        && match bare {
            Bare::Code => text[..start].ends_with(b":") && !text[..start].ends_with(b"::"),
            Bare::Plain => false,
            _ => [&b" :"[..], b"{:", b"(:", b"[:"].iter().any(|before| text[..start].ends_with(before)),
        };
    let reads = || text[line_start(text, start)..start].windows(5).any(|word| word == b"read ");
    if blanks > 0
        && (keyword && cursor.peek() == Some(b'"')
            || cursor.rest().starts_with(b"<<< ") && reads() && cursor.take(b"<<< "))
    {
        return Some(if keyword { Operator::Colon } else { Operator::Assigns });
    }
    if notations::compared(cursor, blanks) {
        return Some(Operator::Compares);
    }
    // A step of a test: `When I fill in "Password" with "…"`.
    if quoted_key
        && blanks == 1
        && closings == 1
        && [&b"with \""[..], b"to \"", b"as \""].iter().any(|word| cursor.rest().starts_with(word))
    {
        cursor.at += cursor.rest().iter().take_while(|byte| **byte != b'"').count();
        return Some(Operator::Compares);
    }
    if blanks > 0 && closings == 0 && notations::declared(cursor) {
        return Some(Operator::Assigns);
    }
    if bare != Bare::Plain && blanks == 0 && closings == 0 && statements::is_enclosed(cursor, start) {
        return Some(Operator::Assigns);
    }
    if bare == Bare::Code && blanks == 0 && closings == 0 && notations::constructed(cursor, start) {
        return Some(Operator::Compares);
    }
    for sign in [&b"!=="[..], b"===", b"!=", b"=="] {
        if cursor.take(sign) {
            return Some(Operator::Compares);
        }
    }
    for sign in ASSIGNS {
        if cursor.take(sign) {
            return Some(Operator::Assigns);
        }
    }
    // Between blanks, an arrow assigns. Without them it selects a member. Behind a parameter it declares the result of a function.
    if blanks > 0 && closings == 0 && cursor.take(b"-> ") {
        return Some(Operator::Assigns);
    }
    // Scala: `Map("password" -> "…")`.
    if blanks > 0 && quoted_key && closings == 1 && cursor.rest().starts_with(b"-> \"") && cursor.take(b"-> ") {
        return Some(Operator::Assigns);
    }
    // Visual Basic: `password As String = "…"`.
    if blanks > 0 && cursor.rest().starts_with(b"As ") {
        let line = cursor.line();
        let sign = line.iter().take(60).position(|byte| *byte == b'=')?;
        cursor.at += sign + 1;
        return Some(Operator::Assigns);
    }
    // C#: `Password { get; set; } = "…"`.
    if blanks > 0 && cursor.rest().starts_with(b"{ get;") {
        let line = cursor.line();
        let end = line[..line.len().min(REACH)].windows(3).position(|three| three == b"} =")?;
        cursor.at += end + 3;
        return Some(Operator::Assigns);
    }
    let element = opens_element(text, start);
    if element || cursor.peek() == Some(b'>') && !quoted_key {
        // `<password type="x">value</password>`
        // `<code>` is markup for a name or an example.
        if text[start..cursor.at].eq_ignore_ascii_case(b"code") {
            return None;
        }
        let open = cursor.rest().iter().take(200).position(|byte| *byte == b'>' || *byte == b'\n')?;
        let tag = &cursor.rest()[..open];
        // The password of an address in a document: `https://<user>:<password>@host`.
        let in_address = text[..start].ends_with(b":<") && cursor.rest()[open..].starts_with(b">@");
        // `<pin digest="SHA-256">`: the digest of a public key.
        if in_address || memchr::memmem::find(tag, b"digest=").is_some() {
            return None;
        }
        // `<ClearTextPassword value="…" />`
        if element
            && tag.ends_with(b"/")
            && let Some(at) = memchr::memmem::find(&tag.to_ascii_lowercase(), b"value=")
        {
            cursor.at += at + 6;
            return Some(Operator::Assigns);
        }
        if cursor.rest()[open] == b'>' && !tag.ends_with(b"/") && element {
            cursor.at += open + 1;
            return Some(Operator::Element);
        }
        return None;
    }
    if cursor.take(b":") {
        // An attribute behind another one: `:token="token" :api-key="key"`.
        let is_attribute = quoted_key && blanks > 0 && cursor.peek().is_some_and(|byte| byte.is_ascii_alphabetic());
        if cursor.peek() == Some(b':') || is_attribute {
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
        // `password 'x'` alone on its line is an assignment; a label before a block (`secret "name" {`) is not.
        if quote && !flag {
            let line = cursor.line().trim_ascii_end();
            let alone = matches!(line.last(), Some(b'"' | b'\'' | b'`' | b';' | b',')) && line.len() > 2;
            let first = cursor.is_first_word(blanks) || sets(cursor, blanks);
            let assigns =
                alone && first || statements::is_statement(cursor, start) || statements::follows_user(text, start);
            let operator = if assigns { Operator::Assigns } else { Operator::Blank };
            return (!line.ends_with(b"{")).then_some(operator);
        }
        return Some(if flag || sets(cursor, blanks) { Operator::Assigns } else { Operator::Blank });
    }
    None
}

/// Returns whether a name is the one of an element, which may have a prefix: `<password>`, `<wsse:Password>`.
fn opens_element(text: &[u8], start: usize) -> bool {
    let before = &text[..start];
    let name = before.strip_suffix(b":").map_or(before, |prefixed| {
        let prefix = prefixed.iter().rev().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
        &prefixed[..prefixed.len() - prefix.count()]
    });
    name.ends_with(b"<")
}

/// Returns whether the first word of the line assigns its third word to the second: `ENV TOKEN abc`, `setenv TOKEN abc`.
pub(super) fn sets(cursor: &Cursor<'_>, blanks: usize) -> bool {
    let line = line_start(cursor.text, cursor.at);
    let mut words =
        cursor.text[line..cursor.at - blanks].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    const SETTERS: &[&[u8]] = &[
        b"ENV",
        b"setenv",
        b"SetEnv",
        b"putenv",
        b"#define",
        b"setx",
        b"php_value",
        b"php_admin_value",
        b"fastcgi_param",
        b"uwsgi_param",
    ];
    // The shell fish: `set -gx TOKEN abc`.
    let flags = words.clone().take_while(|word| first == b"set" && word.starts_with(b"-")).count();
    // `ENV STORE=/var/lib/pass MODE=fast`: the key is a part of a value.
    let is_key = |word: &[u8]| !word.contains(&b'=');
    (SETTERS.contains(&first) || flags > 0) && words.clone().count() == flags + 1 && words.all(is_key)
}

/// Skips a type between the colon and the value: `password: string = "…"`, `KEY: [u8; 16] = …`.
fn typed(cursor: &mut Cursor<'_>) {
    let from = cursor.at;
    cursor.blanks();
    cursor.take(b"constant ");
    let rest = cursor.rest();
    let mut depth = 0i32;
    let inside = |byte: u8, depth: i32| {
        byte.is_ascii_alphanumeric() || b"_<>[]?|:&'".contains(&byte) || depth > 0 && b"; ,".contains(&byte)
    };
    let mut name = 0;
    for (at, &byte) in rest.iter().take(LONGEST_TYPE).enumerate() {
        depth += i32::from(b"<[".contains(&byte)) - i32::from(b">]".contains(&byte));
        // Ada: `Password : constant String := "…"`. A lifetime: `&'static str`.
        let lifetime = byte == b' ' && rest[..at].ends_with(b"'static");
        if !(inside(byte, depth) || lifetime) || rest[at..].starts_with(b":=") {
            break;
        }
        name = at + 1;
    }
    let begins = rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"&[".contains(byte));
    cursor.at += name;
    cursor.blanks();
    cursor.take(b":");
    let assigns = cursor.peek() == Some(b'=') && !matches!(cursor.rest().get(1), Some(b'=' | b'>'));
    if name > 0 && begins && assigns {
        cursor.at += 1;
    } else {
        cursor.at = from;
    }
}
