//! Recognises assignments in languages whose statements have words instead of a sign: the definitions of Lisp, `MOVE "…" TO PASSWORD` of
//! COBOL, `set password to "…"` of AppleScript, the blocks of a build file, the macros of Erlang.
//!
//! In: a text and the range of a key in it. Out: whether the string beside the key is its value.

use super::arguments::arguments;
use super::cursor::{Cursor, Place, REACH, Values, line_start};
use super::words::WORDS;

/// The first words of definitions in the dialects of Lisp. Those that begin with `def` need no entry.
const DEFINITIONS: &[&[u8]] =
    &[b"setq", b"setf", b"setv", b"set", b"set!", b"local", b"global", b"var", b"const", b"let", b"setq-default"];
/// The verbs before a value that a variable gets, in lower case, and the words between the two.
const VERBS: &[&[u8]] = &[b"move", b"store", b"put", b"assign", b"copy"];
const INTO: &[&[u8]] = &[b"to", b"into"];
/// The maximum number of bytes before a password in which the name of a user is searched.
const MAX_BEFORE: usize = 80;

/// Returns the string with which a text begins, and the rest of its line, of at most [`REACH`] bytes together. Any first byte is the quote.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (quote, inside) = text.split_first()?;
    let inside = inside[..inside.len().min(REACH)].split(|byte| *byte == b'\n').next()?;
    let end = memchr::memchr(*quote, inside)?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// Returns whether a definition or a binding of Lisp begins before a key: `(define password "…")`, `(let [password "…"]`.
pub(super) fn is_defined(text: &[u8], start: usize) -> bool {
    let before = &text[line_start(text, start)..start];
    // Special variables have asterisks around their names.
    let before = before.strip_suffix(b"*").unwrap_or(before);
    if [&b"(let (("[..], b"(let* ((", b"(let [", b"(let* ["].iter().any(|binding| before.ends_with(binding)) {
        return true;
    }
    let Some(form) = before.strip_suffix(b" ").and_then(|form| form.rsplit(|byte| *byte == b'(').next()) else {
        return false;
    };
    let opened = before.contains(&b'(') && !form.iter().any(u8::is_ascii_whitespace);
    opened && (form.starts_with(b"def") || DEFINITIONS.contains(&form))
}

/// Returns whether the string at the cursor is a statement together with the key before its blanks: `{ user 'app'; password '…' }`.
pub(super) fn is_statement(cursor: &Cursor<'_>, start: usize) -> bool {
    let text = cursor.text;
    let before = text[line_start(text, start)..start].trim_ascii_end();
    let begins = matches!(before.last(), Some(b'{' | b';'));
    let Some((_, behind)) = string(cursor.rest()) else { return false };
    begins && matches!(behind.trim_ascii_start().first(), None | Some(b';' | b'}'))
}

/// Returns whether the name of a user and its value are the arguments before a key: `user name "app" password "…"`.
pub(super) fn follows_user(text: &[u8], start: usize) -> bool {
    let from = line_start(text, start).max(start.saturating_sub(MAX_BEFORE));
    let Some(head) = text[from..start].strip_suffix(b"\" ") else { return false };
    let Some(open) = memchr::memrchr(b'"', head) else { return false };
    let name = head[..open].trim_ascii_end();
    let is_beside = open < name.len() + 2;
    let name = String::from_utf8_lossy(name).to_lowercase();
    let mut ends = name.rmatch_indices(' ').map(|(at, _)| &name[at + 1..]).take(2).chain([&name[..]]);
    is_beside && ends.any(|end| WORDS.names_a_user(end))
}

/// Returns whether a word between a key and a string assigns: `set password to "…"`, and `"password" to "…"` in a map of Kotlin.
pub(super) fn is_set_to(cursor: &Cursor<'_>, start: usize, quoted_key: bool) -> bool {
    let before = &cursor.text[line_start(cursor.text, start)..start];
    let first = before.trim_ascii_start();
    let is_set =
        [&b"set "[..], b"SET ", b"Set "].iter().any(|verb| first.starts_with(verb)) && !first[4..].contains(&b' ');
    let in_map =
        quoted_key && matches!(before.strip_suffix(b"\"").map(<[u8]>::trim_ascii_end), Some([.., b'(' | b','] | []));
    (is_set && !quoted_key || in_map) && cursor.rest().starts_with(b"to \"")
}

/// Returns whether a quoted string follows the name of its type: `buildConfigField "String", "API_KEY", "…"`.
pub(super) fn follows_type(text: &[u8], start: usize) -> bool {
    let before = text[start.saturating_sub(40)..start].strip_suffix(b"\"").unwrap_or_default().trim_ascii_end();
    [&b"\"String\","[..], b"\"string\","].iter().any(|kind| before.ends_with(kind))
}

/// Returns whether a key is the first argument of a macro or a call that only defines it: `-define(PASSWORD, "…")`, `set :secret, '…'`.
pub(super) fn is_first_of_definition(text: &[u8], start: usize) -> bool {
    let before = &text[line_start(text, start)..start];
    before.ends_with(b"-define(") || before.trim_ascii_start() == b"set :"
}

/// Moves into the parentheses of a fact of Prolog, an option of Stata or a pair of Raku: `password("…").`, `:password("…")`.
pub(super) fn is_enclosed(cursor: &mut Cursor<'_>, start: usize) -> bool {
    let Some(list @ [b'"' | b'\'', ..]) = cursor.rest().strip_prefix(b"(") else { return false };
    let Some(behind) = string(list).and_then(|(_, behind)| behind.strip_prefix(b")")) else { return false };
    let before = &cursor.text[line_start(cursor.text, start)..start];
    let is_fact = before.is_empty() && behind.trim_ascii_end() == b".";
    let is_pair = [&b" :"[..], b"(:"].iter().any(|mark| before.ends_with(mark));
    let is_option = before.ends_with(b"\") ") || before.ends_with(b"') ");
    let found = is_fact || is_pair || is_option;
    if found {
        cursor.at += b"(".len();
    }
    found
}

/// Moves into the block of a factory of Ruby, which is alone on its line: `password { '…' }`.
pub(super) fn is_block(cursor: &mut Cursor<'_>, start: usize) -> bool {
    let Some(block @ [b'"' | b'\'', ..]) = cursor.rest().strip_prefix(b"{ ") else { return false };
    let ended = string(block).is_some_and(|(_, behind)| behind.trim_ascii() == b"}");
    let found = ended && cursor.text[line_start(cursor.text, start)..start].iter().all(u8::is_ascii_whitespace);
    if found {
        cursor.at += b"{ ".len();
    }
    found
}

/// Adds the string that a statement moves into a variable: `MOVE "…" TO DB-PASSWORD`. Returns whether there is one.
pub(super) fn moved(text: &[u8], start: usize, values: &mut Values) -> bool {
    let from = line_start(text, start);
    let before = text[from..start].trim_ascii_end();
    let Some(quoted) = INTO.iter().find_map(|word| {
        let head = before.len().checked_sub(word.len())?;
        before[head..].eq_ignore_ascii_case(word).then(|| before[..head].trim_ascii_end())
    }) else {
        return false;
    };
    let Some((quote @ (b'"' | b'\''), inside)) = quoted.split_last() else { return false };
    let Some(open) = memchr::memrchr(*quote, inside).filter(|open| *open > 0) else { return false };
    let verb = inside[..open].trim_ascii_end().rsplit(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_verb = VERBS.iter().any(|word| verb.eq_ignore_ascii_case(word));
    if is_verb && open + 1 < inside.len() {
        values.push((from + open + 1, from + inside.len(), Place { quoted: true, ..Place::default() }));
    }
    is_verb
}

/// Returns whether a string is a key, a sign of assignment and a value without blanks, and the key is at `start`: `'Password=…'`.
pub(super) fn is_setting(text: &[u8], start: usize, value: usize) -> bool {
    let Some(quote @ (b'"' | b'\'')) = start.checked_sub(1).map(|at| text[at]) else { return false };
    let letters = text[value..].iter().take(REACH).take_while(|byte| byte.is_ascii_lowercase()).count();
    letters > 3 && text.get(value + letters) == Some(&quote)
}

/// The maximum number of bytes of the names before the sign of an assignment.
const MAX_TUPLE_BYTES: usize = 120;

/// Returns the place of the value of the name at `start..end`, if several names are assigned at once: `user, password := "…", "…"`.
pub(super) fn in_tuple(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let line = line_start(text, start);
    let before = &text[line.max(start.saturating_sub(MAX_TUPLE_BYTES))..start];
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let previous = before.iter().rposition(|byte| !is_blank(byte)).map(|at| before[at]);
    let rest = &text[end..text.len().min(end + MAX_TUPLE_BYTES)];
    if previous != Some(b',') && !rest.starts_with(b",") {
        return None;
    }
    let is_name = |name: &[u8]| {
        let name = name.trim_ascii();
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.$@".contains(byte))
    };
    // A keyword can stand before the first name, and so can the sign of a diff.
    let mut names = before.split(|byte| *byte == b',');
    let first = names.next()?.trim_ascii();
    let first = first.rsplit(is_blank).next().unwrap_or(first);
    let first = first.strip_prefix(b"+").or_else(|| first.strip_prefix(b"-")).unwrap_or(first);
    let index = before.iter().filter(|byte| **byte == b',').count();
    if index > 0 && !(is_name(first) && names.by_ref().take(index - 1).all(is_name)) {
        return None;
    }
    let sign = memchr::memchr(b'=', rest)?;
    let behind = rest[..sign].strip_suffix(b":").unwrap_or(&rest[..sign]);
    let count = index + 1 + behind.iter().filter(|byte| **byte == b',').count();
    let begins = behind.trim_ascii().is_empty()
        || behind.starts_with(b",") && behind[1..].split(|byte| *byte == b',').all(is_name);
    if !begins || matches!(rest.get(sign + 1), Some(b'=' | b'>')) {
        return None;
    }
    let values = arguments(text, end + sign + 1, true);
    let (from, to) = *values.get(index).filter(|_| values.len() == count)?;
    let blanks = text[from..to].iter().take_while(|byte| is_blank(byte)).count();
    Some(from + blanks)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn each_name_of_several_has_a_value_of_its_own() {
        check(
            "a.go",
            &[
                "bindDN, bindPW := \"cn=wf,dc=host,dc=example\", \"⟦sQce#BXwAiqS!13⟧\"",
                "password, user := \"⟦sQce#BXwAiqS!13⟧\", \"tom\"",
                "var user, password = \"tom\", \"⟦sQce#BXwAiqS!13⟧\"",
                "user, password := parse(\"cn=wf\", mode)",
                "token, err := client.Token(ctx, \"https://host.example\")",
                "name, token := \"tom\", client.Token()",
                "case password, token == \"x\":",
            ],
        );
        check("a.py", &["user, password = \"tom\", \"⟦sQce#BXwAiqS!13⟧\"", "for user, password in [(\"tom\", x)]:"]);
        check("a.rb", &["user, password = 'tom', '⟦sQce#BXwAiqS!13⟧'"]);
    }

    #[test]
    fn definitions_of_lisp_assign() {
        for file in ["core.clj", "init.el", "main.scm", "x.fnl", "x.janet"] {
            check(
                file,
                &[
                    "(def password \"⟦tannenzapfen⟧\")",
                    "(define smtp-password \"⟦tannenzapfen⟧\")",
                    "(defparameter *db-password* \"⟦tannenzapfen⟧\")",
                    "(setq erc-password \"⟦tannenzapfen⟧\")",
                    "(let ((password \"⟦tannenzapfen⟧\")) x)",
                    "{:user \"app\" :password \"⟦tannenzapfen⟧\"}",
                    "(ask password \"tannenzapfen\")",
                    "(def password-label \"tannenzapfen\")",
                    "(define (password) \"tannenzapfen\")",
                ],
            );
        }
    }

    #[test]
    fn words_assign_instead_of_signs() {
        check("main.cob", &["MOVE \"⟦tannenzapfen⟧\" TO DB-PASSWORD.", "MOVE \"tannenzapfen\" TO WS-TITLE."]);
        check("main.prg", &["STORE '⟦tannenzapfen⟧' TO cPassword", "move 'tannenzapfen' away from cPassword"]);
        check(
            "x.applescript",
            &[
                "set thePassword to \"⟦tannenzapfen⟧\"",
                "do script \"x\" user name \"app\" password \"⟦tannenzapfen⟧\" with privileges",
                "display dialog \"password\" to \"tannenzapfen\"",
            ],
        );
        check("x.kt", &["mapOf(\"user\" to \"app\", \"password\" to \"⟦tannenzapfen⟧\")"]);
        check("x.scala", &["Map(\"user\" -> \"app\", \"password\" -> \"⟦tannenzapfen⟧\")", "\"password\" -> text"]);
        check(
            "build.groovy",
            &["credentials { username 'app'; password '⟦tannenzapfen⟧' }", "{ field password 'tannenzapfen' x }"],
        );
        check("x.erl", &["-define(PASSWORD, \"⟦tannenzapfen⟧\").", "-define(TITLE, \"tannenzapfen\")."]);
        check("config.rb", &["set :session_secret, '⟦tannenzapfen⟧'", "only :password, 'tannenzapfen'"]);
        check(
            "x.pas",
            &["Params.Add('Password=⟦tannenzapfen⟧');", "Params.Add('Password=text');", "Label := 'Password=';"],
        );
        check(
            "x.pl",
            &[
                "db_password(\"⟦tannenzapfen⟧\").",
                "password(X) :- label(\"tannenzapfen\").",
                "password(\"tannenzapfen\", X)",
            ],
        );
        check("x.raku", &["connect('Pg', :user('app'), :password('⟦tannenzapfen⟧'));"]);
        check("x.do", &["load, dsn(\"db\") user(\"app\") password(\"⟦tannenzapfen⟧\")"]);
        check(
            "spec/factories/users.rb",
            &["    password { '⟦tannenzapfen⟧' }", "    password { label('tannenzapfen') }"],
        );
        check("x.ps1", &["Connect -Credential (New-Object PSCredential $user)", "Connect -Credential ⟦tannenzapfen⟧"]);
        check("x.fish", &["set -gx DB_PASSWORD ⟦tannenzapfen⟧", "set -e DB_PASSWORD"]);
    }

    #[test]
    fn statements_and_answers_with_a_password_are_found() {
        check(
            "a.sql",
            &[
                "CREATE ROLE x LOGIN PASSWORD '⟦quarterdeck⟧';",
                "ALTER USER x VALID UNTIL 'infinity' PASSWORD '⟦quarterdeck⟧';",
                "CONNECT scott/⟦T1ger-Shark⟧@ORCL",
                "conn scott/⟦tiger⟧@//db/orcl",
                "ALTER USER app PASSWORD EXPIRE; -- connect a/b",
                "-- the column password 'must not be empty'",
            ],
        );
        check(
            "preseed.cfg",
            &["mysql-server mysql-server/root_password password ⟦sandstone⟧", "app app/db-pass password ⟦sandstone⟧"],
        );
        check(
            "a.sh",
            &[
                "codecov -t ⟦b1c9e7a3-52d4-4f68-9a0b-3c5d7e9f1a2b⟧",
                "bash <(curl -s https://codecov.io/bash) -t ⟦0a9b8c7d-6e5f-4a3b-8c2d-1e0f9a8b7c6d⟧",
                "codecov -t $TOKEN",
                "docker build -t acme/web:1.4.2 .",
            ],
        );
        check(
            "a.js",
            &[
                "mixpanel.init('⟦3f9a1c7e5b2d8046af13c95e7b204d68⟧')",
                "import mixpanel from './mixpanel-0123'",
                "db('postgres://app:⟦my secret phrase⟧@db/app')",
                "// see redis://host:6379 and mail me@example.org",
            ],
        );
    }
}
