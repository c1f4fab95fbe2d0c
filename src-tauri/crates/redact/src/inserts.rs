//! Finds the values of the columns that hold secrets in the rows that SQL inserts: `INSERT INTO users (name, password) VALUES (…), (…)`, and
//! the lines of `COPY users (name, password) FROM stdin`.
//!
//! In: a text and the place of such a statement. Out: spans of values. A statement without the names of its columns is not read.

use smallvec::SmallVec;

use super::code::{is_name, is_reference};
use super::key_words::split;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, is_prose, looks_random};
use super::words::{WORDS, Worth};

/// The rule's name in reports and markers.
const RULE: &str = "sql-password";

/// The words before the name of a table, in lower case.
pub(super) const KEYWORDS: &[&str] = &["into ", "into\n", "copy "];

/// The verbs before `INTO`, and the maximum number of bytes between the two.
const VERBS: &[&[u8]] = &[b"insert", b"replace", b"upsert"];
const MAX_VERB_BYTES: usize = 32;

/// The maximum length of the name of a table, and of the list of columns, in bytes.
const MAX_TABLE_BYTES: usize = 128;
const MAX_COLUMNS_BYTES: usize = 2048;
/// The maximum length of a row in bytes.
const MAX_ROW_BYTES: usize = 16 * 1024;
/// The number of bytes of rows without an end that are read before shorter ones are read only.
const FREELY: usize = 256 * 1024;
const MAX_SHORT_ROW_BYTES: usize = 512;
/// The length of the shortest secret in bytes.
const SHORTEST: usize = 3;

/// Words in the names of tables of programs that log in with a secret, and the last words of these names.
const PROTOCOLS: &[&str] = &["oauth", "oauth2", "oidc", "openid", "api"];
const CLIENTS: &[&str] = &["client", "consumer", "application", "app"];

/// Reads statements one after another.
#[derive(Default)]
pub(super) struct Reader {
    /// The end of the rows that were read. A statement inside a value is not read again.
    read: usize,
    /// The number of bytes of rows that were read in vain.
    spent: usize,
}

/// The columns of a table that hold secrets: their indexes and names.
type Columns<'a> = SmallVec<[(usize, &'a [u8]); 2]>;

impl Reader {
    /// Adds the secrets of the statement whose first words are at `start..end`.
    pub(super) fn find(&mut self, text: &[u8], start: usize, end: usize, spans: &mut Vec<Span>) {
        let is_copy = matches!(text[start], b'c' | b'C');
        let begins = if is_copy { start == 0 || text[start - 1] == b'\n' } else { has_verb(&text[..start]) };
        if start < self.read || !begins {
            return;
        }
        let Some(open) = columns_start(text, end) else { return };
        if let Some(table) = table_without_columns(&text[end..open - 1]) {
            self.read = self.rows(text, open - 1, spans, |values, spans| {
                values.iter().for_each(|&(from, to)| add_random(text, from, to, table, spans));
            });
            return;
        }
        let Some((columns, at)) = columns(text, open) else { return };
        if columns.is_empty() {
            return;
        }
        self.read = if is_copy { copied(text, at, &columns, spans) } else { self.inserted(text, at, &columns, spans) };
    }

    /// Adds the secrets of the rows behind `VALUES`. Returns the end of the last row.
    fn inserted(&mut self, text: &[u8], mut at: usize, columns: &Columns<'_>, spans: &mut Vec<Span>) -> usize {
        let head = &text[at..text.len().min(at + MAX_TABLE_BYTES)];
        let lower = head.to_ascii_lowercase();
        let Some(values) = memchr::memmem::find(&lower, b"value") else { return at };
        // `SELECT * FROM (VALUES …)`
        let between = lower[..values].trim_ascii_end();
        let between = between.strip_suffix(b"from (").unwrap_or(between);
        if between.contains(&b'(') || between.contains(&b';') {
            return at;
        }
        at += values + 5 + usize::from(lower.get(values + 5) == Some(&b's'));
        self.rows(text, at, spans, |values, spans| {
            for (index, name) in columns {
                if let Some(&(from, to)) = values.get(*index) {
                    add(text, from, to, name, spans);
                }
            }
        })
    }

    /// Reads the rows at a place. Returns the end of the last one.
    fn rows(
        &mut self,
        text: &[u8],
        mut at: usize,
        spans: &mut Vec<Span>,
        mut each: impl FnMut(&[(usize, usize)], &mut Vec<Span>),
    ) -> usize {
        loop {
            let open = row_start(text, at);
            if text.get(open) != Some(&b'(') {
                return at;
            }
            // Bounds the work on a text of statements whose rows do not end.
            let reach = if self.spent > FREELY + at { MAX_SHORT_ROW_BYTES } else { MAX_ROW_BYTES };
            let Some((values, end)) = row(text, open + 1, reach) else {
                self.spent += reach;
                return at;
            };
            each(&values, spans);
            at = end;
        }
    }
}

/// Returns whether a text ends with the verb of a statement, and with options: `INSERT OR IGNORE`.
fn has_verb(before: &[u8]) -> bool {
    let line = before[before.len().saturating_sub(MAX_VERB_BYTES)..].to_ascii_lowercase();
    let is_option = |byte: &u8| byte.is_ascii_alphabetic() || byte.is_ascii_whitespace() || *byte == b'_';
    VERBS
        .iter()
        .any(|verb| memchr::memmem::rfind(&line, verb).is_some_and(|at| line[at + verb.len()..].iter().all(is_option)))
}

/// Returns the place behind the parenthesis that follows the name of a table.
fn columns_start(text: &[u8], at: usize) -> Option<usize> {
    let name = &text[at..text.len().min(at + MAX_TABLE_BYTES)];
    let open = memchr::memchr(b'(', name)?;
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_.\"`[]$#@-{} \t\r\n".contains(byte) || !byte.is_ascii();
    name[..open].iter().all(is_name).then_some(at + open + 1)
}

/// Returns the table of a statement that does not name its columns, if the name of the table says that it holds secrets:
/// `INSERT INTO access_tokens VALUES (…)`.
fn table_without_columns(head: &[u8]) -> Option<&[u8]> {
    let head = head.trim_ascii();
    let (name, word) = head.split_at_checked(head.len().checked_sub(b"values".len())?)?;
    let name = name.trim_ascii().rsplit(|byte| *byte == b'.').next()?;
    let name =
        &name[name.iter().position(u8::is_ascii_alphanumeric)?..=name.iter().rposition(u8::is_ascii_alphanumeric)?];
    let one = name.strip_suffix(b"s").unwrap_or(name);
    let holds_secrets = WORDS.worth(one) == Worth::Secret || is_of_clients(one);
    (word.eq_ignore_ascii_case(b"values") && holds_secrets).then_some(name)
}

/// Returns whether a table has the programs that log in to a server with a secret, by its name in the singular: `oauth_client`.
fn is_of_clients(table: &[u8]) -> bool {
    let words = split(table);
    words.iter().any(|word| PROTOCOLS.contains(&word)) && words.last().is_some_and(|last| CLIENTS.contains(&last))
}

/// Adds the string of a value if it is random, also one of bytes: `X'8C59…'`.
fn add_random(text: &[u8], from: usize, to: usize, table: &[u8], spans: &mut Vec<Span>) {
    let Some(open) = memchr::memchr(b'\'', &text[from..to]) else { return };
    let Some(end) = string_end(text, from + open, to) else { return };
    if looks_random(&text[from + open + 1..end]) {
        push(text, from + open + 1, end, table, spans);
    }
}

/// Returns the columns that hold secrets, and the place behind the list.
fn columns(text: &[u8], open: usize) -> Option<(Columns<'_>, usize)> {
    let list = &text[open..text.len().min(open + MAX_COLUMNS_BYTES)];
    let list = &list[..memchr::memchr(b')', list)?];
    let mut found = Columns::new();
    for (index, column) in list.split(|byte| *byte == b',').enumerate() {
        let quote = |byte: &u8| byte.is_ascii_whitespace() || b"\"`[]\\".contains(byte);
        let start = column.iter().position(|byte| !quote(byte))?;
        let name = &column[start..=column.iter().rposition(|byte| !quote(byte))?];
        if !name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-$ .".contains(byte)) {
            return None;
        }
        if WORDS.worth(name) == Worth::Secret || WORDS.names_a_hash(name) {
            found.push((index, name));
        }
    }
    Some((found, open + list.len() + 1))
}

/// Returns the place behind blanks, a comma and comments.
fn row_start(text: &[u8], mut at: usize) -> usize {
    loop {
        at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
        if !text[at..].starts_with(b"--") {
            return at;
        }
        at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |line| at + line);
    }
}

/// Returns the ranges of the values of a row, and the place behind its parenthesis.
fn row(text: &[u8], from: usize, reach: usize) -> Option<(Vec<(usize, usize)>, usize)> {
    let stop = text.len().min(from + reach);
    let mut values = Vec::new();
    let (mut at, mut start, mut depth) = (from, from, 0);
    while at < stop {
        match text[at] {
            b'\'' => at = string_end(text, at, stop)?,
            // In SQLite and MySQL.
            b'"' if text[start..at].trim_ascii().is_empty() => at = string_end(text, at, stop)?,
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                values.push((start, at));
                return Some((values, at + 1));
            }
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                values.push((start, at));
                start = at + 1;
            }
            b';' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the place of the quote that ends a string of SQL: a doubled quote does not.
fn string_end(text: &[u8], open: usize, stop: usize) -> Option<usize> {
    let quote = text[open];
    let mut at = open + 1;
    while at < stop {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == quote && text.get(at + 1) == Some(&quote) => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Adds the string of a value, also in a call: `'…'`, `N'…'`, `crypt('…', gen_salt('bf'))`.
fn add(text: &[u8], from: usize, to: usize, name: &[u8], spans: &mut Vec<Span>) {
    let value = &text[from..to];
    let Some(open) = memchr::memchr2(b'\'', b'"', value) else { return };
    // The text before the string is a prefix or the names of functions.
    let before = value[..open].trim_ascii();
    let is_call = before.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.(:".contains(byte));
    let Some(end) = string_end(text, from + open, to).filter(|_| is_call) else { return };
    push(text, from + open + 1, end, name, spans);
}

/// Adds the secrets of the lines behind `FROM stdin`, whose values are separated by tabs. Returns the end of the last line.
fn copied(text: &[u8], at: usize, columns: &Columns<'_>, spans: &mut Vec<Span>) -> usize {
    let head = &text[at..text.len().min(at + MAX_TABLE_BYTES)];
    let Some(line) = memchr::memchr(b'\n', head) else { return at };
    if memchr::memmem::find(&head[..line].to_ascii_lowercase(), b"from stdin").is_none() {
        return at;
    }
    let mut at = at + line + 1;
    for row in text[at..].split(|byte| *byte == b'\n') {
        if row.starts_with(b"\\.") || !row.contains(&b'\t') && columns.iter().any(|(index, _)| *index > 0) {
            break;
        }
        let mut start = at;
        for (index, value) in row.split(|byte| *byte == b'\t').enumerate() {
            if let Some((_, name)) = columns.iter().find(|(column, _)| *column == index) {
                push(text, start, start + value.trim_ascii_end().len(), name, spans);
            }
            start += value.len() + 1;
        }
        at += row.len() + 1;
    }
    at.min(text.len())
}

/// Returns whether a column holds passwords that people choose.
fn is_password(name: &[u8]) -> bool {
    split(name).last().is_some_and(|last| ["pass", "passw", "pw", "pwd"].iter().any(|start| last.contains(start)))
}

/// Adds a value if it can be a secret.
fn push(text: &[u8], start: usize, end: usize, name: &[u8], spans: &mut Vec<Span>) {
    let value = &text[start..end];
    let harmless = value.len() < SHORTEST
        || is_placeholder(value)
        || is_reference(value)
        || is_prose(value)
        // People choose words as passwords, but a hash or a token is no word.
        || !is_password(name) && is_name(value);
    if !harmless {
        let word = String::from_utf8_lossy(name).into_owned();
        spans.push(Span::new(start, end, RULE.into()).because(RedactionReason::Key { word }));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn rows_of_tables_of_secrets_are_read_without_columns() {
        check(
            "dump.sql",
            &[
                "INSERT INTO `accesstokens` VALUES (X'⟦8C59BC48EC17EFBCC2E8A4BF19D4AF3B⟧', 1, 0, '2026-01-01 00:00:00');",
                "INSERT INTO shop.api_tokens VALUES (1, 'tom', '⟦q8Zk02mLq9Zt4Rb7x8Kd02mL⟧'), (2, 'eva', '⟦a8Zk02mLq9Zt4Rb7x8Kd02mL⟧');",
                "INSERT INTO api_tokens VALUES (1, 'tom', 'read-only', NULL);",
                "INSERT INTO oauth_clients VALUES (3, 'Mobile', '⟦plZUhUHyb99FCm6pQXBAxgsoy83TREzH⟧', 'https://app.host.example/cb');",
                "INSERT INTO clients VALUES (3, 'Mobile', 'plZUhUHyb99FCm6pQXBAxgsoy83TREzH', 'https://app.host.example/cb');",
                "INSERT INTO images VALUES (X'8C59BC48EC17EFBCC2E8A4BF19D4AF3B', 1);",
            ],
        );
    }

    #[test]
    fn the_columns_of_secrets_are_masked_in_every_row() {
        check(
            "seed.sql",
            &[
                "INSERT INTO users (name, password, role) VALUES\n  ('ops', '⟦Schrank!⟧', 'admin'), -- him\n  ('me', '⟦einfach⟧', 'x');",
                "insert into `shop`.`users` (`id`, `mail`, `pass`) values (1, 'a,b@x.org', '⟦it''s me⟧'), (2, 'c', '⟦zwei⟧')",
                "INSERT INTO users (created, mail, password_hash) VALUES (now(), concat('a', ', b'), '⟦9f86d081884c7d65⟧');",
                "INSERT OR IGNORE INTO users (name, password) VALUES ('a', '⟦einfach⟧');",
                "INSERT INTO [dbo].[Users] ([Name], [Password]) VALUES (N'ops', N'⟦einfach⟧')\nGO",
                "REPLACE INTO users(password, n) VALUES (md5('⟦einfach⟧'), 1), (crypt('⟦drei⟧', gen_salt('bf')), 2);",
                "INSERT INTO users (name, password) VALUES (?, ?); INSERT INTO users (name, password) VALUES ('a', :password)",
                "insert into users (name, pw) values (\"a\", \"⟦einfach⟧\")",
                "INSERT INTO users (name, age) VALUES ('a1b2c3d4', 'Schrank!')",
                "INSERT INTO users (name, password) VALUES ('a', NULL), ('b', '${password}'), ('c', DEFAULT)",
                "INSERT INTO t (password) SELECT p FROM q WHERE r = 'Schrank'",
                "INSERT INTO users (name, password_hash, token) VALUES ('ops', 'legacy-hash', 'my-token')",
                "COPY public.users (id, password, name) FROM stdin;\n1\t⟦einfach⟧\tx\n2\t\\N\ty\n\\.\n\nSELECT 1;\n",
                "INSERT INTO users (name,\n  password)\nSELECT * FROM (VALUES\n  ('ops', '⟦einfach⟧'),\n  ('me', '⟦zwei⟧')) AS v;",
                "Copy the table (password) into the file",
            ],
        );
        check("A.java", &["execute(\"INSERT INTO users (name, password) VALUES ('ops', '⟦Schrank7⟧')\");"]);
    }

    #[test]
    fn the_password_of_replication_ends_with_its_quotes() {
        check(
            "reset.sql",
            &[
                "CHANGE MASTER TO MASTER_USER='repl', MASTER_PASSWORD='⟦zweiter-Mann⟧';",
                "SOURCE_PASSWORD = '⟦dritter-Mann⟧',",
            ],
        );
    }
}
