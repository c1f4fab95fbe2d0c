//! Finds the values of a column whose head names a secret, in Markdown tables and files of separated values.
//!
//! In: the text of a file and its name. Out: spans. A table whose head is not in the text is not read.

use super::code::is_reference;
use super::fallback::is_variable;
use super::prose::Prose;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, is_prose};
use super::words::{WORDS, Worth};

/// The rule's name in reports and markers.
const RULE: &str = "table-column";

/// The signs that separate the cells of a row.
#[derive(Clone, Copy)]
enum Form {
    Markdown,
    Separated(u8),
}

/// The column of a table with secrets.
#[derive(Clone, Copy)]
struct Column<'a> {
    index: usize,
    head: &'a [u8],
    /// The number of columns of the table.
    count: usize,
    /// Whether another column has the names of users, so that the secrets are passwords of any form.
    with_user: bool,
}

/// Adds the secrets of the tables of a text. `place` is the path of its file.
pub(super) fn find(text: &[u8], place: &str, prose: &Prose, spans: &mut Vec<Span>) {
    let name = place.to_ascii_lowercase();
    let form = match name.rsplit('.').next() {
        Some("md" | "markdown" | "mdx") => Form::Markdown,
        Some("csv") => Form::Separated(b','),
        Some("tsv") => Form::Separated(b'\t'),
        _ => return,
    };
    let mut column: Option<Column<'_>> = None;
    let mut at = 0;
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let cells = cells(line, form);
        match column {
            Some(Column { index, head, count, with_user }) if cells.len() == count => {
                let (from, to) = cells[index];
                let value = &line[from..to];
                if is_secret(value, form) || with_user && is_password(value, prose) {
                    let word = String::from_utf8_lossy(head).into_owned();
                    spans.push(Span::new(at + from, at + to, RULE.into()).because(RedactionReason::Key { word }));
                }
            }
            _ => {
                // A head stands above a line of dashes.
                let head = matches!(form, Form::Separated(_)) || lines.peek().is_some_and(|next| is_rule(next));
                let named = cells.iter().take_while(|_| head).position(|&(from, to)| names_a_secret(&line[from..to]));
                let is_user = |&(from, to): &(usize, usize)| {
                    std::str::from_utf8(&line[from..to]).is_ok_and(|head| prose.names_a_user(head))
                };
                column = named.filter(|_| cells.len() > 1).map(|index| {
                    let (from, to) = cells[index];
                    let head = &line[from..to];
                    Column {
                        index,
                        head,
                        count: cells.len(),
                        with_user: is_password_head(head) && cells.iter().any(is_user),
                    }
                });
            }
        }
        at += line.len() + 1;
    }
}

/// Returns whether a line is the one between the head and the rows of a Markdown table.
fn is_rule(line: &[u8]) -> bool {
    line.contains(&b'-') && line.iter().all(|byte| b"|-: \r\t".contains(byte))
}

/// Returns whether the head of a column names a secret, and is no sentence.
fn names_a_secret(head: &[u8]) -> bool {
    head.len() <= 32
        && head.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_- ".contains(byte))
        && WORDS.worth(head) == Worth::Secret
}

/// Returns whether the head of a column is the one of passwords.
fn is_password_head(head: &[u8]) -> bool {
    let lower = head.to_ascii_lowercase();
    [&b"password"[..], b"passwort", b"kennwort", b"passphrase", b"pass", b"pw"].iter().any(|end| lower.ends_with(end))
}

/// Returns whether a cell beside the name of a user can be a password: it is not a description of one.
fn is_password(value: &[u8], prose: &Prose) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let is_variable = value.contains(&b'_') && is_variable(value);
    let is_code = value.iter().any(|byte| b"()[]<>{}$".contains(byte));
    let is_harmless = is_code || is_variable || is_placeholder(value) || is_reference(value) || is_prose(value);
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
    let (separator, from, to) = match form {
        Form::Markdown => {
            let row = line.trim_ascii();
            if row.len() < 3 || !row.starts_with(b"|") || !row.ends_with(b"|") {
                return Vec::new();
            }
            let from = line.len() - line.trim_ascii_start().len() + 1;
            (b'|', from, from + row.len() - 2)
        }
        Form::Separated(separator) => (separator, 0, line.len()),
    };
    let mut cells = Vec::new();
    let mut start = from;
    for cell in line[from..to].split(|byte| *byte == separator) {
        let blanks = cell.len() - cell.trim_ascii_start().len();
        let (mut begin, mut end) = (start + blanks, start + blanks + cell.trim_ascii().len());
        while end - begin >= 2 && b"\"'`*".contains(&line[begin]) && line[end - 1] == line[begin] {
            (begin, end) = (begin + 1, end - 1);
        }
        cells.push((begin, end));
        start += cell.len() + 1;
    }
    cells
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
                "| password | string | at least 8 characters |\n| --- | --- | --- |\n",
            ],
        );
    }
}
