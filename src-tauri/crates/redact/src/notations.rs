//! Reads the rarer notations of assignments and values: declarations with a type behind the name, comparisons by a word or a method, strings
//! between other marks than quotes, and texts that end with a mark of their own.
//!
//! In: a cursor behind a key or at a value. Out: the cursor behind what was read, or the ranges of values.

use super::cursor::{Cursor, Place, REACH, Values, line_start};

/// The words that begin a type behind the name of a variable, in lower case: `@password NVARCHAR(50) = '…'`, `DB-PASSWORD PIC X(8) VALUE '…'`.
const TYPES: &[&[u8]] = &[
    b"pic",
    b"picture",
    b"type",
    b"varchar",
    b"nvarchar",
    b"varchar2",
    b"nvarchar2",
    b"char",
    b"nchar",
    b"character",
    b"text",
    b"string",
    b"clob",
    b"as",
    b"constant",
    b"sysname",
    b"like",
    b"varbinary",
    b"binary",
];
/// The words and signs before the value of such a declaration, in lower case.
const INITIAL: &[&[u8]] =
    &[b" value ", b" values ", b" default ", b" := ", b" = ", b" :=", b" value is ", b" initial "];
/// The maximum number of lines of a string that ends with a mark of its own.
const MAX_STRING_LINES: usize = 8;
/// The maximum length of a declaration in bytes.
const MAX_DECLARATION: usize = 120;

/// Words that compare two texts, before a quote.
const COMPARES: &[&[u8]] = &[
    b"eq ", b"ne ", b"-eq ", b"-ne ", b"-ceq ", b"-cne ", b"-ieq ", b"-like ", b"-match ", b"like ", b"LIKE ", b"<> ",
    b"~= ", b"/= ", b"=~ ", b"in (", b"IN (", b"in [", b"is not ", b"<=> ", b"equals ", b"==~ ",
];
/// Methods that compare a text with their argument.
const METHODS: &[&[u8]] = &[
    b"equals",
    b"Equals",
    b"equalsIgnoreCase",
    b"EqualsIgnoreCase",
    b"compareTo",
    b"CompareTo",
    b"contentEquals",
    b"isEqualTo",
    b"toBe",
    b"toEqual",
    b"toStrictEqual",
    b"eql",
    b"eq",
    b"to eq",
    b"to.equal",
    b"to.eql",
    b"should.equal",
    b"to.be.equal",
    b"localeCompare",
    b"isEqualToString",
    b"Equal",
];

/// Moves behind the type of a declaration. Returns whether there is one with a value between quotes.
pub(super) fn declared(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let word = rest.iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if word < 2 || !TYPES.iter().any(|name| rest[..word].eq_ignore_ascii_case(name)) {
        return false;
    }
    let line = cursor.line_within(MAX_DECLARATION);
    let Some(quote) = line.iter().position(|byte| b"'\"".contains(byte)) else { return false };
    // The quote may have a prefix: `N'…'`.
    let before = line[..quote].strip_suffix(b"N").unwrap_or(&line[..quote]).to_ascii_lowercase();
    let ended = INITIAL.iter().any(|sign| before.ends_with(sign));
    // Another column begins behind a comma.
    let mut depth = 0i32;
    let is_next = before.iter().any(|byte| {
        depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
        *byte == b';' || *byte == b',' && depth == 0
    });
    if ended && !is_next {
        cursor.at += before.len();
    }
    ended && !is_next
}

/// Moves behind a word or a method that compares. Returns whether a string follows.
pub(super) fn compared(cursor: &mut Cursor<'_>, blanks: usize) -> bool {
    let from = cursor.at;
    let rest = cursor.rest();
    let length = if blanks > 0 {
        COMPARES.iter().find(|word| rest.starts_with(word)).map(|word| word.len())
    } else {
        method(rest)
    };
    let Some(length) = length else { return false };
    cursor.at += length;
    cursor.blanks();
    // `password in ("…", "…")`: the values are the items of a list.
    let listed = matches!(rest[length - 1], b'(' | b'[') && blanks > 0 && matches!(cursor.peek(), Some(b'"' | b'\''));
    if listed {
        cursor.at = from + length - 1;
        return true;
    }
    let prefix = cursor.rest().iter().take(3).take_while(|byte| b"LNub8".contains(byte)).count();
    if matches!(cursor.rest().get(prefix), Some(b'"' | b'\'')) {
        cursor.at += prefix;
        return true;
    }
    cursor.at = from;
    false
}

/// Returns the length of the call of a method that compares, up to its argument.
fn method(rest: &[u8]) -> Option<usize> {
    let rest = rest.strip_prefix(b".")?;
    let named = METHODS.iter().find(|name| rest.starts_with(name) && rest.get(name.len()) == Some(&b'('))?;
    Some(named.len() + 2)
}

/// Methods that give the text of a password in another form.
const CONVERSIONS: &[&[u8]] = &[
    b"as_str",
    b"to_string",
    b"to_owned",
    b"as_bytes",
    b"trim",
    b"strip",
    b"lower",
    b"upper",
    b"toLowerCase",
    b"toUpperCase",
    b"toString",
    b"ToString",
    b"to_s",
    b"encode",
    b"decode",
    b"clone",
    b"as_ref",
    b"expose_secret",
    b"getText",
    b"text",
    b"Trim",
    b"get",
    b"value",
    b"chomp",
    b"toLower",
    b"toStdString",
];

/// Moves behind the calls of such methods: `password.as_str() == "…"`.
pub(super) fn skip_conversions(cursor: &mut Cursor<'_>) {
    for _ in 0..3 {
        let Some(rest) = cursor.rest().strip_prefix(b".") else { return };
        if rest.starts_with(b"Text ") || rest.starts_with(b"Text=") {
            cursor.at += 5;
            return;
        }
        let Some(name) =
            CONVERSIONS.iter().find(|name| rest.starts_with(name) && rest[name.len()..].starts_with(b"()"))
        else {
            return;
        };
        cursor.at += name.len() + 3;
    }
}

/// Returns the end of a key without the method that compares it: `password` in `password.equals(`.
pub(super) fn without_method(text: &[u8], start: usize, end: usize) -> usize {
    let key = &text[start..end];
    // The text of a field of a form: `txtPassword.Text = "…"`.
    if let Some(field) = key.strip_suffix(b".Text").filter(|field| !field.is_empty()) {
        return start + field.len();
    }
    if text.get(end) != Some(&b'(') {
        return end;
    }
    let converts = text[end..].starts_with(b"()");
    match memchr::memrchr(b'.', key) {
        Some(dot) if dot > 0 && METHODS.contains(&&key[dot + 1..]) => start + dot,
        Some(dot) if dot > 0 && converts && CONVERSIONS.contains(&&key[dot + 1..]) => start + dot,
        _ => end,
    }
}

/// Moves behind the parenthesis of a constructor in C++: `std::string password("…")`.
pub(super) fn constructed(cursor: &mut Cursor<'_>, start: usize) -> bool {
    const OTHERS: &[&[u8]] = &[
        b"return",
        b"await",
        b"new",
        b"else",
        b"throw",
        b"yield",
        b"in",
        b"and",
        b"or",
        b"not",
        b"def",
        b"function",
        b"fn",
        b"func",
        b"is",
        b"to",
        b"your",
        b"the",
        b"a",
        b"for",
        b"of",
    ];
    if !cursor.rest().starts_with(b"(\"") {
        return false;
    }
    let before = &cursor.text[line_start(cursor.text, start)..start];
    let Some(typed) = before.strip_suffix(b" ") else { return false };
    let word =
        typed.rsplit(|byte| !byte.is_ascii_alphanumeric() && !b"_:>*&".contains(byte)).next().unwrap_or_default();
    if word.is_empty() || OTHERS.contains(&word) {
        return false;
    }
    cursor.at += 1;
    true
}

/// Reads the word in braces of Tcl: `set password {…}`.
pub(super) fn braced(cursor: &mut Cursor<'_>, blanks: usize, values: &mut Values) -> bool {
    let head = &cursor.text[..cursor.at - blanks];
    let line = head[line_start(head, head.len())..].trim_ascii_start();
    if blanks == 0 || !cursor.rest().starts_with(b"{") || !(line.starts_with(b"set ") || line.starts_with(b"+set ")) {
        return false;
    }
    between(cursor, 1, b"}", values)
}

/// Reads the text that a step of a test enters into the field that a key names: `I enter "…" into the "Password" field`.
pub(super) fn entered(text: &[u8], start: usize, values: &mut Values) -> bool {
    let line = line_start(text, start);
    let before = &text[line..start];
    const INTO: &[&[u8]] =
        &[b" into the \"", b" into \"", b" in the \"", b" in \"", b" for the \"", b" for \"", b" as \"", b" as the \""];
    let Some(entered) = INTO.iter().find_map(|words| before.strip_suffix(*words)) else { return false };
    let Some(inside) = entered.strip_suffix(b"\"") else { return false };
    let Some(open) = memchr::memrchr(b'"', inside) else { return false };
    values.push((line + open + 1, line + inside.len(), Place { quoted: true, loose: true, ..Place::default() }));
    true
}

/// The pairs of brackets around strings of Ruby, Perl and Elixir.
const BRACKETS: &[(u8, u8)] =
    &[(b'(', b')'), (b'{', b'}'), (b'[', b']'), (b'<', b'>'), (b'|', b'|'), (b'/', b'/'), (b'!', b'!')];
/// The operators before such a bracket.
const OPENERS: &[&[u8]] = &[b"%q", b"%Q", b"%w", b"%W", b"qq", b"q", b"qw", b"~s", b"~S", b"~w"];

/// Reads a string between other marks than quotes: `q(…)`, `%q{…}`, `[[…]]`, `$$…$$`, and the text up to a mark of its own.
pub(super) fn string(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    match cursor.peek() {
        Some(b'<') => heredoc(cursor, values),
        Some(b'@') => here_string(cursor, values),
        Some(b'%' | b'q' | b'~') => {
            let rest = cursor.rest();
            let bracket = |opener: &&&[u8]| {
                rest.starts_with(opener)
                    && rest.get(opener.len()).is_some_and(|byte| BRACKETS.iter().any(|(open, _)| open == byte))
            };
            let Some(opener) = OPENERS.iter().find(bracket) else { return false };
            let close = BRACKETS.iter().find(|(open, _)| rest[opener.len()] == *open).map_or(b')', |(_, close)| *close);
            // `%{name}` and `q / 2` are no strings.
            let inside = &rest[opener.len() + 1..];
            let found = between(cursor, opener.len() + 1, &[close], values);
            found && !inside.starts_with(b" ")
        }
        Some(b'[') if cursor.rest().starts_with(b"[[") => between(cursor, 2, b"]]", values),
        Some(b'$') => {
            let tag = cursor.rest()[1..]
                .iter()
                .take(16)
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
            let mark = &cursor.rest()[..cursor.rest().len().min(tag + 2)];
            mark.len() > 1 && mark.ends_with(b"$") && between(cursor, mark.len(), mark, values)
        }
        _ => false,
    }
}

/// Returns the inside of a string of Ruby between brackets at the begin of a text: `%q(…)`, `%Q{…}`.
pub(super) fn bracketed(rest: &[u8]) -> Option<(usize, usize)> {
    let behind = rest.strip_prefix(b"%q").or_else(|| rest.strip_prefix(b"%Q"))?;
    let (_, close) = BRACKETS.iter().find(|(open, _)| behind.first() == Some(open))?;
    let length = memchr::memchr(*close, &behind[1..])?;
    Some((3, 3 + length))
}

/// Reads a string on one line, up to a mark.
fn between(cursor: &mut Cursor<'_>, skipped: usize, close: &[u8], values: &mut Values) -> bool {
    let line = cursor.line_within(REACH);
    let inside = line.get(skipped..).unwrap_or_default();
    let Some(length) = memchr::memmem::find(inside, close) else { return false };
    let from = cursor.at + skipped;
    if length < 3 || inside[..length].contains(&b'"') {
        return false;
    }
    values.push((from, from + length, Place { quoted: true, ..Place::default() }));
    cursor.at = from + length + close.len();
    true
}

/// Reads the lines of `<<EOT`, `<<~EOT` or `<<<'EOT'` up to the line with its mark.
fn heredoc(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let line = cursor.line_within(MAX_DECLARATION);
    let marks = line.iter().take_while(|byte| **byte == b'<').count();
    if !(2..=3).contains(&marks) {
        return false;
    }
    let rest = &line[marks..];
    let rest = &rest[rest.iter().take_while(|byte| b"~- '\"".contains(byte)).count()..];
    let mark = &rest[..rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()];
    mark.len() > 1 && mark[0].is_ascii_uppercase() && lines(cursor, mark, values)
}

/// Reads the lines of `@"` or `@'` of PowerShell.
fn here_string(cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    let line = cursor.line_within(MAX_DECLARATION).trim_ascii_end();
    let [b'@', quote @ (b'"' | b'\'')] = line else { return false };
    lines(cursor, &[*quote, b'@'], values)
}

/// Adds the lines below the cursor up to the one that begins with a mark.
fn lines(cursor: &mut Cursor<'_>, mark: &[u8], values: &mut Values) -> bool {
    let text = cursor.text;
    let Some(mut at) = memchr::memchr(b'\n', cursor.rest()).map(|end| cursor.at + end + 1) else { return false };
    let from = values.len();
    for _ in 0..MAX_STRING_LINES {
        let line = Cursor { at, ..*cursor }.line_within(REACH);
        // In a diff, the lines begin with its sign.
        let body = line.strip_prefix(b"+").unwrap_or(line);
        let trimmed = body.trim_ascii();
        if trimmed.starts_with(mark) {
            cursor.at = at + line.len();
            cursor.furthest = cursor.furthest.max(cursor.at);
            return values.len() > from;
        }
        if !trimmed.is_empty() {
            let start = trimmed.as_ptr() as usize - text.as_ptr() as usize;
            values.push((start, start + trimmed.len(), Place { quoted: true, ..Place::default() }));
        }
        at += line.len() + 1;
        if at >= text.len() {
            break;
        }
    }
    values.truncate(from);
    false
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn declarations_with_a_type_behind_the_name_are_read() {
        check(
            "a.sql",
            &[
                "DECLARE @password NVARCHAR(50) = N'⟦Tief-See⟧';",
                "DECLARE @password AS VARCHAR(50) = '⟦Tief-See⟧';",
                "v_password VARCHAR2(30) := '⟦Tief-See⟧';",
                "password VARCHAR(50) DEFAULT '⟦Tief-See⟧',",
                "password VARCHAR(50) NOT NULL, name VARCHAR(9) DEFAULT 'Tief-See-4'",
                "CREATE USER x WITH PASSWORD $$⟦Tief-See-4⟧$$;",
            ],
        );
        check("a.cbl", &["01 DB-PASSWORD   PIC X(16) VALUE '⟦LOCHKARTE80⟧'."]);
        check("a.abap", &["DATA lv_password TYPE string VALUE '⟦LOCHKARTE80⟧'."]);
        check("a.cpp", &["std::string password(\"⟦Tief-See-4⟧\");", "return password(\"Tief-See-4\");"]);
    }

    #[test]
    fn comparisons_with_a_string_are_read() {
        check(
            "A.java",
            &[
                "return user.equals(\"chef\") && password.equals(\"⟦k0chl0effel⟧\");",
                "expect(user.password).toBe('⟦Tief-See-4⟧');",
                "if (password.trim() == \"⟦Tief-See-4⟧\")",
                "password.equals(other); password.equals(\"word\"); type.equals(\"password\")",
            ],
        );
        check("a.pl", &["if ($password eq '⟦Tief-See-4⟧') {", "if ($password eq 'required') {"]);
        check("a.ps1", &["if ($password -eq '⟦Tief-See-4⟧') {"]);
        check(
            "a.py",
            &["if request.POST.get(\"password\") != \"⟦Sesam-oeffne-dich⟧\":", "if kind != \"Sesam-oeffne-dich\":"],
        );
    }

    #[test]
    fn strings_between_other_marks_are_read() {
        check("a.rb", &["password = %q(⟦Tief-See⟧)", "password = <<~EOS\n  ⟦Tief-See⟧\nEOS\n", "password = %{name}"]);
        check("a.pl", &["my $password = q(⟦Tief-See⟧);", "my $password = qq{⟦Tief-See⟧};"]);
        check("a.tcl", &["set password {⟦Tief-See-4⟧}", "set port {8080}"]);
        check("a.sh", &["PASSWORD=$(cat <<EOF\n⟦Tief-See-4⟧\nEOF\n)"]);
        check("a.lua", &["local password = [[⟦Tief-See⟧]]"]);
        check("a.php", &["$password = <<<'EOT'\n⟦Tief-See⟧\nEOT;\n"]);
        check("a.ps1", &["$password = @\"\n⟦Tief-See⟧\n\"@\n"]);
        check("a.ex", &["password = ~s(⟦Tief-See⟧)"]);
        check("a.rs", &["const HMAC_KEY: [u8; 16] = *b\"⟦qT9v0LmZ31xwYc7B⟧\";", "let password = c\"⟦Tief-See⟧\";"]);
        check("a.c", &["const char8_t password[] = u8\"⟦Tief-See⟧\";", "char password[] PROGMEM = \"⟦Tief-See⟧\";"]);
    }
}
