//! Finds the values of a column whose head names a secret, in tables of Markdown, Org, AsciiDoc and wikis, and in files of separated values.
//!
//! In: the text of a file and its name. Out: spans. A table whose head is not in the text is not read.

use super::code::is_reference;
use super::fallback::is_variable;
use super::phrase::{is_passphrase, is_pin};
use super::prose::Prose;
use super::span::Span;
use super::steps;
use super::types::RedactionReason;
use super::values::{Bare, is_placeholder, is_prose};
use super::words::{WORDS, Worth};

/// The rule's name in reports and markers.
const RULE: &str = "table-column";

/// The notation of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `| a | b |`, with a line of dashes below the head. Also of Org.
    Markdown,
    /// `|_. a |_. b |` and `||a||b||` are heads of the rows `| a | b |`, and `! a !! b` of the rows `| a || b`.
    Wiki,
    /// `|a |b`, with the head below a line `|===`.
    AsciiDoc,
    /// `| a | b |`, with the head in its first row, or the names in its first column.
    Steps,
    /// `a | b`, with a line `---+---` below the head, as database clients print rows.
    Rows,
    /// `a   b`, with two or more blanks between the columns.
    Columns,
    Separated(u8),
}

/// The signs between the values of a file, by their frequency in such files.
const SEPARATORS: &[u8] = b",;\t|";

/// The number of cells of a row that name a password from which it is no head, but a row of translations.
const TRANSLATED: usize = 3;

/// The column of a table with secrets.
#[derive(Clone, Copy)]
struct Column<'a> {
    index: usize,
    head: &'a [u8],
    /// Whether another column has the names of users, so that the secrets are passwords of any form.
    with_user: bool,
}

/// The columns of a table with secrets, and the number of all its columns.
struct Table<'a> {
    form: Form,
    columns: Vec<Column<'a>>,
    count: usize,
}

/// Adds the secrets of the tables of a text. `place` is the path of its file.
pub(super) fn find(text: &[u8], place: &str, prose: &Prose, spans: &mut Vec<Span>) {
    let name = place.to_ascii_lowercase();
    let form = match name.rsplit('.').next() {
        Some("md" | "markdown" | "mdx" | "org") => Form::Markdown,
        Some("textile" | "wiki" | "mediawiki" | "jira" | "confluence" | "redmine") => Form::Wiki,
        Some("adoc" | "asciidoc" | "asc") => Form::AsciiDoc,
        Some("csv" | "psv") => Form::Separated(b','),
        Some("tsv" | "tab") => Form::Separated(b'\t'),
        _ if name.ends_with(steps::EXTENSION) => Form::Steps,
        Some("txt" | "log" | "out" | "lst" | "sql") => {
            if memchr::memmem::find(text, b"-+-").is_some() {
                Form::Rows
            } else {
                Form::Columns
            }
        }
        _ => return,
    };
    let mut table: Option<Table<'_>> = None;
    let mut at = 0;
    let mut before: (&[u8], usize) = (b"", 0);
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let form = table.as_ref().map_or_else(|| separated(form, line), |table| table.form);
        let cells = cells(line, form);
        let mut add = |(from, to): (usize, usize), head: &[u8]| {
            let word = String::from_utf8_lossy(head).into_owned();
            spans.push(Span::new(at + from, at + to, RULE.into()).because(RedactionReason::Key { word }));
        };
        match &table {
            Some(_) if is_rule(line) => {}
            Some(Table { columns, count, .. }) if cells.len() == *count => {
                for Column { index, head, with_user } in columns {
                    let value = &line[cells[*index].0..cells[*index].1];
                    let is_told = *with_user && is_password(value, prose) || is_pin(head, value, WORDS.worth(head));
                    if is_secret(value, form) || is_told {
                        add(cells[*index], head);
                    }
                }
            }
            _ => {
                let is_head = match form {
                    Form::Markdown | Form::Rows => lines.peek().is_some_and(|next| is_rule(next)),
                    Form::Wiki => [&b"||"[..], b"|_.", b"! "].iter().any(|start| line.trim_ascii().starts_with(start)),
                    Form::AsciiDoc => before.0.trim_ascii().starts_with(b"|==="),
                    // A row below others is none.
                    Form::Separated(_) | Form::Steps => before.1 != cells.len(),
                    Form::Columns => cells.len() > 1 && before.1 != cells.len() && is_head_of_columns(line, &cells),
                };
                table = is_head.then(|| read_head(line, &cells, form, prose)).flatten();
                if let (Form::Steps, [key, value]) = (form, &cells[..]) {
                    let (key, cell) = (&line[key.0..key.1], &line[value.0..value.1]);
                    if WORDS.names_a_password(key)
                        && names_a_secret(key)
                        && !cell.contains(&b' ')
                        && is_password(cell, prose)
                    {
                        add(*value, key);
                    }
                }
                // A row of the name of a setting and its value.
                if let (Form::Separated(_), None, [key, value, ..]) = (form, &table, &cells[..])
                    && cells.len() < 4
                    && WORDS.names_a_password(&line[key.0..key.1])
                    && names_a_secret(&line[key.0..key.1])
                    && is_secret(&line[value.0..value.1], form)
                    && !line[value.0..value.1].iter().all(u8::is_ascii_alphabetic)
                {
                    add(*value, &line[key.0..key.1]);
                }
            }
        }
        before = (line, cells.len());
        at += line.len() + 1;
    }
}

/// Returns the form of a file of separated values by the sign that its line has most of.
fn separated(form: Form, line: &[u8]) -> Form {
    let count = |sign: u8| line.iter().filter(|byte| **byte == sign).count();
    match form {
        Form::Separated(sign) if count(sign) == 0 => {
            Form::Separated(SEPARATORS.iter().copied().max_by_key(|sign| count(*sign)).unwrap_or(sign))
        }
        form => form,
    }
}

/// Returns the columns with secrets below a head.
fn read_head<'a>(line: &'a [u8], cells: &[(usize, usize)], form: Form, prose: &Prose) -> Option<Table<'a>> {
    let heads = || cells.iter().map(|&(from, to)| &line[from..to]);
    if cells.len() < 2 || heads().filter(|head| WORDS.names_a_password(head)).count() >= TRANSLATED {
        return None;
    }
    let is_user = |head: &[u8]| std::str::from_utf8(head).is_ok_and(|head| prose.names_a_user(head));
    let with_user = heads().any(is_user);
    let columns: Vec<Column<'a>> = heads()
        .enumerate()
        .filter(|(_, head)| names_a_secret(head))
        .map(|(index, head)| Column { index, head, with_user: with_user && WORDS.names_a_password(head) })
        .collect();
    (!columns.is_empty()).then_some(Table { form, columns, count: cells.len() })
}

/// Returns whether a line is the one between the head and the rows of a Markdown table.
fn is_rule(line: &[u8]) -> bool {
    line.starts_with(b"-") && memchr::memmem::find(line, b"-+-").is_some()
        || line.contains(&b'-') && line.iter().all(|byte| b"|-+: \r\t".contains(byte))
}

/// Returns whether the cells of a line are names of columns of which one is the one of a user.
fn is_head_of_columns(line: &[u8], cells: &[(usize, usize)]) -> bool {
    cells.iter().all(|&(from, to)| {
        let cell = &line[from..to];
        !cell.is_empty() && cell.iter().all(|byte| byte.is_ascii_alphabetic() || b" _-".contains(byte))
    }) && cells.iter().any(|&(from, to)| WORDS.names_a_password(&line[from..to]))
}

/// Returns whether the head of a column names a secret, and is no sentence.
fn names_a_secret(head: &[u8]) -> bool {
    let named = std::str::from_utf8(head)
        .is_ok_and(|head| head.chars().all(|char| char.is_alphanumeric() || "_- ".contains(char)));
    head.len() <= 32 && named && WORDS.worth(head) == Worth::Secret
}

/// Returns whether a cell beside the name of a user can be a password: it is not a description of one.
pub(super) fn is_password(value: &[u8], prose: &Prose) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let is_variable = value.contains(&b'_') && is_variable(value);
    let is_code = value.iter().any(|byte| b"()[]<>{}$".contains(byte));
    let is_harmless = is_code
        || is_variable
        || is_placeholder(value)
        || is_reference(value)
        || is_prose(value) && !is_passphrase(b"password", value, Bare::Plain);
    !is_harmless && prose.is_own(text) && text.chars().filter(|char| char.is_alphabetic()).count() > 3
}

/// Returns whether a cell below such a head is a secret, and not a description of one.
fn is_secret(value: &[u8], form: Form) -> bool {
    let made_up = value.iter().any(u8::is_ascii_digit) && !value.iter().any(|byte| b" ()[]<>".contains(byte));
    value.len() >= 6
        && (made_up || matches!(form, Form::Separated(_)) && value.iter().all(u8::is_ascii_graphic))
        // The name of a secret is not one: `APPLE_KEY_BASE64`.
        && !(value.contains(&b'_') && is_variable(value))
        && !is_placeholder(value)
        && !is_reference(value)
        && !is_prose(value)
}

/// Returns the ranges of the cells of a row, without blanks and quotes. A line that is no row has none.
fn cells(line: &[u8], form: Form) -> Vec<(usize, usize)> {
    let row = line.trim_ascii();
    let from = line.len() - line.trim_ascii_start().len();
    let (separator, from, to) = match form {
        Form::Separated(separator) => (separator, 0, line.len()),
        Form::Rows => return split(line, 0, line.len(), b"|"),
        Form::Columns => return columns(line),
        Form::Wiki if row.starts_with(b"! ") => return split(line, from + 2, from + row.len(), b"!!"),
        _ if row.len() < 3 || !row.starts_with(b"|") => return Vec::new(),
        Form::AsciiDoc => (b'|', from + 1, from + row.len()),
        Form::Wiki if row.len() > 4 && row.starts_with(b"||") && row.ends_with(b"||") => {
            return split(line, from + 2, from + row.len() - 2, b"||");
        }
        Form::Wiki if !row.ends_with(b"|") => return split(line, from + 1, from + row.len(), b"||"),
        _ if !row.ends_with(b"|") => return Vec::new(),
        _ => (b'|', from + 1, from + row.len() - 1),
    };
    split(line, from, to, &[separator])
}

/// Returns the ranges of the words between two or more blanks, or tabs. A line without such blanks is no row.
fn columns(line: &[u8]) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    let mut at = line.len() - line.trim_ascii_start().len();
    let end = line.trim_ascii_end().len();
    if line.starts_with(b" ") {
        return cells;
    }
    while at < end {
        let rest = &line[at..end];
        let length = rest.windows(2).position(|two| two == b"  " || two[0] == b'\t').unwrap_or(rest.len());
        cells.push((at, at + length));
        at += length;
        at += line[at..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }
    if cells.len() > 1 { cells } else { Vec::new() }
}

/// Returns the ranges of the cells between separators. One behind a backslash or inside quotes separates nothing.
fn split(line: &[u8], from: usize, to: usize, separator: &[u8]) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    let (mut start, mut at, mut quoted) = (from, from, false);
    while at <= to {
        let ends = at == to || !quoted && line[at..to].starts_with(separator);
        if ends {
            cells.push(trimmed(line, start, at));
            at += separator.len();
            start = at;
            continue;
        }
        match line[at] {
            b'\\' if separator == b"|" => at += 1,
            b'"' if separator != b"|" && (quoted || line[start..at].trim_ascii().is_empty()) => quoted = !quoted,
            _ => {}
        }
        at += 1;
    }
    cells
}

/// Returns the range of a cell without the blanks, quotes and marks around its text.
fn trimmed(line: &[u8], start: usize, end: usize) -> (usize, usize) {
    let cell = &line[start..end];
    let (mut begin, mut end) =
        (start + cell.len() - cell.trim_ascii_start().len(), start + cell.trim_ascii_end().len());
    if line[begin..end.max(begin)].starts_with(b"_. ") {
        begin += 3;
    }
    while end > begin + 1 && b"\"'`*".contains(&line[begin]) && line[end - 1] == line[begin] {
        (begin, end) = (begin + 1, end - 1);
    }
    (begin.min(end), end)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_column_of_a_secret_is_masked() {
        check("a.csv", &["user,password,role\nops,⟦einfach77⟧,admin\nbob,\"⟦geheimnis⟧\",dev\n", "a,b\nx1,y22222\n"]);
        check(
            "a.md",
            &[
                "| user | Password |\n| --- | --- |\n| ops | `⟦einfach77⟧` |\n\n| name | port |\n| x | 80808080 |\n",
                "| option | password |\n| --- | --- |\n| a | the password of the user |\n| b | ${PASSWORD} |\n| c | required |\n",
                "| System | User | Password |\n|---|---|---|\n| x | bot | ⟦Klingel⟧ |\n| y | ci | ⟦Pumpe 3⟧ |\n| z | me | see wiki |\n",
                "| User | Password |\n|---|---|\n| username | string |\n| me | ${PASSWORD} |\n| x | required |\n",
                "| Secret | use |\n| --- | --- |\n| `KEY_BASE64` | x |\n",
                "| `NS1_API_KEY` | x |\n| `IPV64_API_KEY` | y |\n",
                "| host | Password |\n| --- | --- |\n| nas | `⟦pfif-77\\|ling⟧` |\n",
                "| password | string | at least 8 characters |\n| --- | --- | --- |\n",
            ],
        );
        check(
            "a.csv",
            &["Dienst;Benutzer;Passwort;Wer\nHost;acme;⟦Moor.Birke⟧;Mohn\nNews;n@x.y;⟦moos kissen ß⟧;Tom\n"],
        );
        check("a.csv", &["user,password,api_token\nops,\"⟦a,b77x⟧\",⟦q8Zk02mLq9Zt⟧\n"]);
        check("a.csv", &["логин,пароль\nlea,⟦заяц-на-лугу⟧\n"]);
        check("a.textile", &["|_. System |_. Benutzer |_. Kennwort |\n| Redmine | admin | ⟦kalk.bruch⟧ |\n"]);
        check("a.wiki", &["||User||Password||\n|ops|⟦einfach77⟧|\n"]);
        check("b.wiki", &["{| class=\"wikitable\"\n! Host !! Password\n|-\n| a || ⟦silo7turm⟧\n|}\n"]);
        check("a.org", &["| User | Password |\n|------+----------|\n| ops | ⟦einfach77⟧ |\n"]);
        check("a.adoc", &["|===\n|User |Password\n|ops |⟦einfach77⟧\n|===\n"]);
        check("a.tsv", &["db_host\tx.example\tno\ndb_password\t⟦hasel.nuss⟧\tyes\n"]);
    }

    #[test]
    fn tables_of_steps_rows_of_databases_and_columns_of_texts_are_read() {
        check(
            "a.feature",
            &[
                "  | name | email   | password     |\n  | tom  | t@x.org | ⟦kirschgarten⟧ |\n  | eva  | e@x.org | <password>   |",
                "  | Email    | t@x.org      |\n  | Password | ⟦kirschgarten⟧ |",
                "  | field    | message  |\n  | password | required |",
            ],
        );
        check(
            "a.txt",
            &[
                "user      password      role\ntom       ⟦kirschgarten⟧  admin\n",
                "user | password | role\n-----+----------+------\ntom  | ⟦kirschgarten⟧ | admin\n",
                "Enter the  password here\nkirschgarten  kirschgarten7  x\n",
            ],
        );
        check("a.csv", &["name;pin\ntom;⟦4831⟧\n", "name;port\ntom;4831\n"]);
    }

    #[test]
    fn texts_of_an_interface_in_several_languages_are_no_table_of_secrets() {
        check(
            "strings.csv",
            &[
                "key,en,de,fr\nlogin_password,Password,Passwort,Mot de passe\nlogin_secret,Secret,Geheimnis,Secret\n",
                "login_password,Password,Passwort,Mot de passe\nlogin_title,Welcome,Willkommen,Bienvenue\n",
            ],
        );
    }
}
