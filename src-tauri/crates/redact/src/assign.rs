//! Finds the value that is assigned to a key, in the notations of env files, INI, JSON, YAML, TOML, XML, HCL, shell, command lines, SQL and
//! source code.

use super::cursor::{Cursor, Operator, Place, REACH, Values, line_start};
use super::defaults;
use super::fallback;
use super::literal::value;
use super::notations;
use super::operator::{declarator, operator, sets};
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
    if bare == Bare::Code
        && !quoted_key
        && let Some(at) = statements::in_tuple(text, start, end)
    {
        cursor.at = at;
        let place = Place { quoted: false, bare, loose: false };
        return value(cursor, start, Operator::Assigns, place, false, values);
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
    // `given ? a.token : b`
    if operator == Operator::Colon && bare == Bare::Code && text[..start].trim_ascii_end().ends_with(b"?") {
        return;
    }
    // The result of a function: `fun read(token: Token): Text {`.
    if operator == Operator::Colon && bare == Bare::Code && !quoted_key && ended {
        return;
    }
    // `--colour: …` is a property of a style sheet. A flag behind a flag is not its value.
    let flag = flag && operator != Operator::Colon;
    if (flag || operator == Operator::Blank) && follows_flag(cursor)
        || operator == Operator::Blank && begins_assignment(cursor.rest())
    {
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
        // Behind the string of a flag in a list, only a string is its value: `option("--password", prompt=True)`.
        bare: if variable
            || flag && !(quoted_key && operator == Operator::Comma)
            || in_url
            || option
            || directive
            || setting
            || tight && bare == Bare::Text
        {
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
    let one_of_several = || in_command(text, start) || is_declared_with_others(text, start, cursor.at);
    let short = flag || option || field || in_url || (variable || tight) && (!plain || one_of_several());
    value(cursor, key, operator, place, short, values);
    // Another option follows in a list of them: `username=u,password=p,vers=3.0`.
    let ends = match before {
        Some(b'{' | b' ') if field => b'}',
        Some(mark @ (b',' | b';')) if tight => mark,
        // `https://example.org/bot123:…/send`
        Some(b'/') if operator == Operator::Colon && is_in_address(text, start) => b'/',
        _ => return,
    };
    let escaped = text[..start].ends_with(b"&amp;");
    for (from, to, _) in values.iter_mut().filter(|(.., found)| !found.quoted) {
        let inside = &text[*from..*to];
        let end = if escaped { memchr::memmem::find(inside, b"&amp;") } else { memchr::memchr(ends, inside) };
        *to = end.map_or(*to, |end| *from + end);
    }
}

/// Returns whether a place is in the path of an address.
fn is_in_address(text: &[u8], start: usize) -> bool {
    let line = &text[line_start(text, start)..start];
    let word = line.rsplit(|byte| byte.is_ascii_whitespace() || b"\"'`(<".contains(byte)).next().unwrap_or_default();
    memchr::memmem::find(word, b"://").is_some()
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

/// The words before an assignment that take several of them.
const DECLARES_SEVERAL: &[&[u8]] =
    &[b"export", b"set", b"SET", b"setx", b"local", b"declare", b"readonly", b"typeset", b"ENV", b"ARG", b"LABEL"];
/// The other words and marks before an assignment that are no command.
const MARKS: &[&[u8]] = &[b"-", b"#", b"//", b";", b"--", b"*"];

/// Returns whether other words of a command or a connection string come before a key, so that more of them may follow its value.
fn in_command(text: &[u8], start: usize) -> bool {
    let before = &text[line_start(text, start)..start];
    let declares = |word: &[u8]| DECLARES_SEVERAL.contains(&word) || MARKS.contains(&word);
    before.last().is_some_and(u8::is_ascii_whitespace)
        && before.split(u8::is_ascii_whitespace).any(|word| !word.is_empty() && !declares(word))
}

/// Returns whether another variable is declared behind a value without blanks: `ENV TOKEN=… MODE=fast`.
fn is_declared_with_others(text: &[u8], start: usize, value: usize) -> bool {
    let first = text[line_start(text, start)..start].trim_ascii();
    let rest = &text[value..text.len().min(value + REACH)];
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let next = line.iter().position(u8::is_ascii_whitespace).map(|at| line[at..].trim_ascii_start());
    DECLARES_SEVERAL.contains(&first) && next.is_some_and(begins_assignment)
}

/// Returns whether a text begins with the assignment of a variable of the environment: `MODE=fast`.
fn begins_assignment(text: &[u8]) -> bool {
    let is_part = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_';
    let name = text.iter().take_while(is_part).count();
    name > 1 && text.get(name) == Some(&b'=')
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
    fn other_variables_of_a_declaration_stay_readable() {
        check(
            "Dockerfile",
            &[
                "ENV PASSWORD_STORE_DIR=/var/lib/pass TOKEN_TTL=3600",
                "ENV DB_PASSWORD=⟦Feder7ball⟧ TOKEN_TTL=3600",
                "ENV TOKEN_TTL=3600 DB_PASSWORD=⟦Feder7ball⟧ MODE=fast",
                "ENV DB_PASSWORD=\"⟦Feder ball=7⟧\" MODE=fast",
                "ENV DB_PASSWORD ⟦Feder7ball⟧",
            ],
        );
        check("a.env", &["export DB_PASSWORD=⟦Feder7ball⟧ MODE=fast", "DB_PASSWORD=⟦Feder MODE=ball⟧"]);
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
