//! Finds the value that is assigned to a key, in the notations of env files, INI, JSON, YAML, TOML, XML, HCL, shell, command lines, SQL and
//! source code.

use super::defaults;
use super::fallback;
use super::literal::{Cursor, Operator, Place, REACH, Values, line_start, value};
use super::notations;
use super::records;
use super::statements;
use super::values::Bare;

/// Collects the values that are assigned to the key at `start..end`, at most `reach` bytes behind it. Returns the number of bytes read.
pub(super) fn assigned(text: &[u8], start: usize, end: usize, bare: Bare, reach: usize, values: &mut Values) -> usize {
    let mut cursor = Cursor { text, at: end, reach, furthest: end };
    read(&mut cursor, start, bare, values);
    cursor.furthest.max(cursor.at) - end
}

fn read(cursor: &mut Cursor<'_>, start: usize, bare: Bare, values: &mut Values) {
    let (text, end) = (cursor.text, cursor.at);
    let before = start.checked_sub(1).map(|at| text[at]);
    let quoted_key = cursor.at;
    let mut closings = 0;
    while closings < 5 && cursor.peek().is_some_and(|byte| b"\\\"'`])".contains(&byte)) {
        cursor.at += 1;
        closings += 1;
    }
    // The end of an element is no key, and `set /p` asks for a value.
    if text[..start].ends_with(b"</")
        || [&b"set /p "[..], b"SET /P ", b"set /P "].iter().any(|ask| text[..start].ends_with(ask))
    {
        return;
    }
    // `$(pwd)` is the output of a command.
    if text[..start].ends_with(b"$(") && text.get(end) == Some(&b')') {
        return;
    }
    let quoted_key = text[quoted_key..cursor.at].iter().any(|byte| b"\"'`".contains(byte));
    // A variable in a message of a shell: `'$pwd': …`. The label of a link in Markdown: `[signing key]: https://…`.
    let is_in_message = quoted_key && (before == Some(b'$') || text[start] == b'$') && cursor.peek() == Some(b':');
    let is_link = text[end..].starts_with(b"]: http") && text[line_start(text, start)..start].starts_with(b"[");
    if is_in_message || is_link {
        return;
    }
    // A dash alone at the start of a line is the sign of a list.
    let listed = matches!(before, None | Some(b'\n')) && text.get(start + 1) != Some(&b'-');
    let flag = text[start] == b'-'
        && !listed
        && before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'[,=(".contains(&byte));
    // Perl: `$ENV{PGPASSWORD} = '…'`.
    let member =
        start > 1 && before == Some(b'{') && (text[start - 2].is_ascii_alphanumeric() || text[start - 2] == b'>');
    if member && cursor.take(b"}") {
        closings += 1;
    }
    if cell(cursor, start, values) || !quoted_key && statements::moved(text, start, values) {
        return;
    }
    if bare == Bare::Text && quoted_key && notations::entered(text, start, values) {
        return;
    }
    if bare != Bare::Plain && defaults::declared(text, start, cursor.at, quoted_key, values) {
        return;
    }
    notations::skip_conversions(cursor);
    let ended = text[end..cursor.at].iter().any(|byte| b")]".contains(byte));
    declarator(cursor, start);
    let blanks = cursor.blanks();
    if fallback::in_braces(text, start, cursor, values)
        || bare != Bare::Plain && notations::braced(cursor, blanks, values)
    {
        return;
    }
    let Some(operator) = operator(cursor, start, quoted_key, closings, flag, blanks, bare) else { return };
    let key = &text[start..end];
    let variable = operator == Operator::Assigns
        && blanks == 0
        && cursor.at == end + 1
        && key.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let in_url = matches!(before, Some(b'?' | b'&'));
    // `cmdkey /pass:…`, `setx DB_PASSWORD …`
    let option = operator == Operator::Colon
        && blanks == 0
        && before == Some(b'/')
        && text[..start - 1].last().is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'".contains(byte));
    let directive = bare != Bare::Code
        && operator == Operator::Assigns
        && blanks > 0
        && cursor.at == end + closings + blanks
        && !quoted_key
        && !text[line_start(text, start)..start].contains(&b'#')
        && sets(cursor, blanks);
    // `set("password", "…")`, and a flag in a list of arguments: the value is the next item.
    // Erlang: `{password, "…"}`.
    let tagged = before == Some(b'{') && (text[end..].starts_with(b", \"") || text[end..].starts_with(b", <<\""));
    let first = quoted_key && (flag || is_first(text, start) || statements::follows_type(text, start));
    let is_defined = !quoted_key && statements::is_first_of_definition(text, start);
    let in_row = operator == Operator::Comma
        && !first
        && (quoted_key && in_row(text, start) || !quoted_key && (is_defined || is_option(text, start, end)));
    if operator == Operator::Comma && !tagged && (ended || !(first || in_row)) {
        return;
    }
    // The result of a function: `fun read(token: Token): Text {`.
    if operator == Operator::Colon && bare == Bare::Code && !quoted_key && ended {
        return;
    }
    // `--colour: …` is a property of a style sheet. A flag behind a flag is not its value.
    let flag = flag && operator != Operator::Colon;
    if flag && follows_flag(cursor) {
        return;
    }
    let plain = bare == Bare::Plain;
    // `requirepass x` in a settings file.
    // So is `user "me" password "x"`.
    let quoted = matches!(cursor.peek(), Some(b'"' | b'\''));
    let set = quoted || cursor.is_first_word(blanks) && is_last_word(cursor);
    let operator = if operator == Operator::Blank && plain && set { Operator::Assigns } else { operator };
    // `key=value` in plain text or in a log.
    let tight = operator == Operator::Assigns && text.get(end) == Some(&b'=');
    let setting = tight && bare == Bare::Code && statements::is_setting(text, start, cursor.at);
    let place = Place {
        quoted: false,
        bare: if variable || flag || in_url || option || directive || setting || tight && bare == Bare::Text {
            Bare::Plain
        } else {
            bare
        },
        // In the help text of a command, a description stands behind a flag.
        loose: flag && blanks > 1
            || in_row && !is_defined
            || matches!(operator, Operator::Blank | Operator::Compares)
            || operator == Operator::Falls && !fallback::is_variable(key),
    };
    let key = if quoted_key { usize::MAX } else { start };
    let field =
        operator == Operator::Colon && blanks == 0 && bare == Bare::Text && records::is_field(text, start, cursor.at);
    let place = if field { Place { bare: Bare::Plain, ..place } } else { place };
    let short = flag || option || field || in_url || (variable || tight) && (!plain || in_command(text, start));
    value(cursor, key, operator, place, short, values);
    // Another option follows in a list of them: `username=u,password=p,vers=3.0`.
    let ends = match before {
        Some(b'{' | b' ') if field => b'}',
        Some(mark @ (b',' | b';')) if tight => mark,
        _ => return,
    };
    let escaped = text[..start].ends_with(b"&amp;");
    for (from, to, _) in values.iter_mut().filter(|(.., found)| !found.quoted) {
        let inside = &text[*from..*to];
        let end = if escaped { memchr::memmem::find(inside, b"&amp;") } else { memchr::memchr(ends, inside) };
        *to = end.map_or(*to, |end| *from + end);
    }
}

/// Returns whether the rest of the line is one word.
fn is_last_word(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.line().trim_ascii();
    !rest.is_empty() && rest.iter().all(|byte| byte.is_ascii_graphic()) && !b"({[<".contains(&rest[0])
}

/// Returns whether the next argument is a flag too.
fn follows_flag(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest().trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    matches!(rest, [b'-', b'-', letter, ..] if letter.is_ascii_lowercase())
}

/// Returns whether other words of a command or a connection string come before a key, so that more of them may follow its value.
fn in_command(text: &[u8], start: usize) -> bool {
    const DECLARES: &[&[u8]] = &[
        b"export",
        b"set",
        b"SET",
        b"setx",
        b"local",
        b"declare",
        b"readonly",
        b"typeset",
        b"ENV",
        b"ARG",
        b"-",
        b"#",
        b"//",
        b";",
        b"--",
        b"*",
    ];
    let before = &text[line_start(text, start)..start];
    before.last().is_some_and(u8::is_ascii_whitespace)
        && before.split(u8::is_ascii_whitespace).any(|word| !word.is_empty() && !DECLARES.contains(&word))
}

/// The signs that assign a value, in the notations of programming languages, makefiles and settings. A sign comes before its prefixes.
const ASSIGNS: &[&[u8]] =
    &[b":::=", b"::=", b":=", b"=>", b"||=", b"??=", b"//=", b"&&=", b"?=", b"+=", b".=", b"<-", b"="];

/// The maximum length of a type's name in bytes.
const LONGEST_TYPE: usize = 60;

/// Skips a type or a mark between a name and its operator: `password[32] = …` in C, `password* = …` in Nim, `*password* "…"` in Lisp.
fn declarator(cursor: &mut Cursor<'_>, start: usize) {
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

/// Returns whether a quoted string is a value in a row of SQL that has the name of a setting: `(2,'smtp_password','…')`. The same holds for
/// the second argument of a function that sets something: `setattr(object, "password", "…")`.
fn in_row(text: &[u8], start: usize) -> bool {
    let before = &text[line_start(text, start)..start];
    let Some((b'"' | b'\'', before)) = before.split_last() else { return false };
    let Some(row) = before.trim_ascii_end().strip_suffix(b",") else { return false };
    let Some(open) = memchr::memrchr(b'(', row) else { return false };
    if row[open..].contains(&b')') {
        return false;
    }
    let head = row[..open].trim_ascii_end().to_ascii_lowercase();
    [&b"values"[..], b"),", b"setattr", b"set", b"stringvar", b"stringvarp", b"map.of"]
        .iter()
        .any(|end| head.ends_with(end))
        || matches!(&head[..], b"" | b"+")
        || records::are_named_arguments(&row[open + 1..])
}

/// Returns whether a constant is the name of an option that a call sets: `env.put(Context.SECURITY_CREDENTIALS, "…")`.
fn is_option(text: &[u8], start: usize, end: usize) -> bool {
    const SETTERS: &[&[u8]] =
        &[b"put", b"set", b"setProperty", b"addProperty", b"option", b"with", b"setAttribute", b"setOption"];
    let Some(head) = text[line_start(text, start)..start].strip_suffix(b"(") else { return false };
    fallback::is_variable(&text[start..end]) && SETTERS.iter().any(|name| head.ends_with(name))
}

/// Returns whether a quoted string is the first argument of a call or the first part of a pair.
fn is_first(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(80)..start];
    let Some((b'"' | b'\'' | b'`', before)) = before.split_last() else { return false };
    let before = before.strip_suffix(b"\\").unwrap_or(before);
    let before = before.strip_suffix(b"@").unwrap_or(before).trim_ascii_end();
    // A template fetches a value with such a call.
    let looked_up = [&b"lookup("[..], b"query("].iter().any(|call| before.ends_with(call));
    // A tuple of names has no name before it: `parametrize(("token", "error"), …)`.
    let is_call =
        |list: &[u8]| list.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_!>]$@?".contains(byte));
    let opens = matches!(before, [list @ .., b'('] if is_call(list.trim_ascii_end())) || before.ends_with(b"{");
    opens && !looked_up
}

fn operator(
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
        // `<pin digest="SHA-256">`: the digest of a public key.
        if memchr::memmem::find(tag, b"digest=").is_some() {
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

/// Reads the next cell of a variable of Robot Framework: `${PASSWORD}    …`. Returns whether there is one.
fn cell(cursor: &mut Cursor<'_>, start: usize, values: &mut Values) -> bool {
    let Some(before) = cursor.text[..start].strip_suffix(b"${") else { return false };
    let is_first = matches!(before, [] | [.., b'\n'] | [.., b'\n', b'+']);
    let is_cell = is_first || matches!(before, [.., b'\t'] | [.., b' ', b' ']);
    let rest = cursor.rest();
    let Some(behind) = rest.strip_prefix(b"}").filter(|_| is_cell) else { return false };
    let behind = behind.strip_prefix(b" =").or_else(|| behind.strip_prefix(b"=")).unwrap_or(behind);
    if !(behind.starts_with(b"  ") || behind.starts_with(b"\t")) {
        return false;
    }
    let line = behind.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let length = line.windows(2).position(|two| two == b"  " || two[0] == b'\t').unwrap_or(line.len());
    let from = line.as_ptr() as usize - cursor.text.as_ptr() as usize;
    if length > 2 {
        values.push((from, from + length, Place { quoted: true, loose: !is_first, ..Place::default() }));
    }
    length > 2
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
fn sets(cursor: &Cursor<'_>, blanks: usize) -> bool {
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
    (SETTERS.contains(&first) || flags > 0) && words.count() == flags + 1
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

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn elements_with_a_prefix_and_texts_of_an_interface_are_read() {
        check(
            "a.xml",
            &[
                "<wsse:Password Type=\"x#PasswordText\">⟦geheim#9⟧</wsse:Password>",
                "<string name=\"api_token\">⟦q8Zk02mLq9Zt4Rb7x8Kd02mLq9Zt4Rb7⟧</string>",
                "<string name=\"password_hint\">Enter your password</string>",
            ],
        );
        check("sys.config", &["{default_pass, <<\"⟦carrot-cake-7⟧\">>}"]);
        check("joomla.php", &["public $smtppass = '⟦Postbote4⟧';"]);
        check("sssd.conf", &["ldap_default_authtok = ⟦Schluesselbund⟧"]);
    }

    #[test]
    fn a_setting_in_a_row_is_read() {
        check(
            "dump.sql",
            &[
                "INSERT INTO `s` VALUES (1,'smtp_host','mail.example'),(2,'smtp_password','⟦Post-Kutsche-5⟧'),(3,'lang','de');",
                "INSERT INTO `s` VALUES (1,'password','text')",
            ],
        );
        check(
            "a.py",
            &[
                "setattr(x, \"password\", \"⟦Tief-See-4⟧\")",
                "env.put(Context.SECURITY_CREDENTIALS, \"⟦Tief-See-4⟧\")",
                "env.put(Context.SECURITY_CREDENTIALS, value)",
                "only('name', 'password', 'remember_me_2')",
            ],
        );
    }

    #[test]
    fn cells_steps_and_directives_assign() {
        check("a.robot", &["${PASSWORD}    ⟦Sommerfrische!8⟧", "Log    ${PASSWORD}    a message"]);
        check(
            "a.feature",
            &[
                "When I fill in \"Password\" with \"⟦Spiel-Feld-11⟧\"",
                "I fill in \"Name\" with \"Spiel-Feld-11\"",
                "I enter \"⟦Spiel-Feld-11⟧\" into the \"Password\" field",
            ],
        );
        check("a.bat", &["cmdkey /generic:h /user:u /pass:⟦Eck-Stein⟧ /x", "setx DB_PASSWORD ⟦Eck-Stein⟧"]);
        check("Makefile", &["\trsync --password-file=<(echo ⟦Teig-Rolle⟧) -a out/ x"]);
        check("a.h", &["#define EXAMPLE_WIFI_PASS      CONFIG_WIFI_PASSWORD", "#define WIFI_PASS \"⟦Eck-Stein⟧\""]);
        check("etc/network/interfaces", &["wpa-psk ⟦rum_kugel⟧"]);
        check("a.cli", &["/x:write-attribute(name=password,value=⟦rum_kugel⟧)"]);
        check("a.htaccess", &["php_value mysqli.default_pw \"⟦rum-Kugel⟧\""]);
    }

    #[test]
    fn every_sign_of_assignment_is_read() {
        check("Makefile", &["PASSWORD ::= ⟦einfach⟧", "PASSWORD :::= ⟦einfach⟧", "PASSWORD ?= ⟦einfach⟧"]);
        check(
            "a.txt",
            &[
                "password -> \"⟦einfach⟧\"",
                "var adminPassword string = \"⟦einfach⟧\"",
                "const apiToken auth.Token = \"⟦geheim-77⟧\"",
                "the var password string is \"einfach\"",
                "$password .= '⟦einfach⟧';",
                "char password[32] = \"⟦einfach⟧\";",
                "let password* = \"⟦einfach⟧\"",
                "(defvar *api-token* \"⟦geheim-77⟧\")",
                "Dim password As String = \"⟦einfach⟧\"",
                "node.password->length = 3",
                "password * \"3\"",
                "fn run(cancel: &CancellationToken) -> Option<Failure> {",
                "fn path(handle_token: &HandleToken) -> CString {",
            ],
        );
    }
}
