//! The calls that start programs: which of their arguments are the words of a command. The rules are data: `config/capabilities/programs.toml`.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use diffsan_syntax::language::Language;

use crate::built_in::parsed;

const TABLE: &str = include_str!("../../../../../config/capabilities/programs.toml");

static ROWS: LazyLock<Result<Rows, String>> = LazyLock::new(|| parsed(TABLE));

/// The rows by the symbol of a call.
static BY_CALL: LazyLock<HashMap<&'static str, Vec<&'static Row>>> = LazyLock::new(|| {
    let mut by_call: HashMap<&'static str, Vec<&'static Row>> = HashMap::new();
    for row in ROWS.iter().flat_map(|rows| &rows.rows) {
        for call in &row.calls {
            by_call.entry(call).or_default().push(row);
        }
    }
    by_call
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    rows: Vec<Row>,
}

/// The way in which a call gets a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Takes {
    /// The first argument is the program, or the list of all words.
    First,
    /// The first argument is the program, the second the list of its arguments.
    Two,
    /// The arguments are the program and its arguments.
    All,
    /// The words are added to the object that the call makes: `Command::new("git").arg("fetch")`.
    Built,
    /// The call runs a command that another call has made.
    Made,
    /// The call starts no other program: it stops one, or runs code of the project.
    Nothing,
}

/// A row of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    languages: BTreeSet<String>,
    /// The symbols of calls; one that begins with `*.` is a method of any object.
    calls: Vec<String>,
    pub(super) takes: Takes,
    /// The number of arguments before the program.
    #[serde(default)]
    pub(super) skip: usize,
    /// Whether a single text is one of a shell.
    #[serde(default)]
    pub(super) shell: bool,
    /// The calls that make the commands which a call with `made` runs.
    #[serde(default)]
    pub(super) made_by: Vec<String>,
    /// Whether the arguments of the program begin with its name.
    #[serde(default)]
    pub(super) repeats_name: bool,
}

/// Returns the row for a call by its symbol.
pub(super) fn row(language: Language, symbol: &str) -> Option<&'static Row> {
    let name = language.name();
    let symbol = symbol.strip_prefix("node:").unwrap_or(symbol);
    let of = |call: &str| BY_CALL.get(call)?.iter().find(|row| row.languages.contains(name)).copied();
    let parts = symbol.match_indices('.').map(|(at, _)| &symbol[at..]);
    of(symbol).or_else(|| parts.map(|part| format!("*{part}")).find_map(|call| of(&call)))
}

/// Returns whether a symbol is a member of the result of a call in the table.
pub(super) fn is_below_row(language: Language, symbol: &str) -> bool {
    symbol.match_indices('.').any(|(at, _)| row(language, &symbol[..at]).is_some())
}

/// Returns the error in the table, if it has one.
pub(crate) fn error() -> Option<&'static str> {
    ROWS.as_ref().err().map(String::as_str)
}
