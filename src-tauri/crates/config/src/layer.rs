//! One layer of the settings: a file, the environment variables or an option of the command line.
//!
//! In: text or variables. Out: a table with its origin, which knows the file and line, or the variable, of each key.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::check::{self, key_name, key_path, nearest, schema_of};

/// The maximum size of a settings file, in bytes.
pub(super) const MAX_FILE_BYTES: usize = 256 * 1024;

/// The origin of a layer, lowest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "place", rename_all = "snake_case")]
pub enum Origin {
    /// The built-in defaults.
    Default,
    /// The user's `config.toml`.
    User(String),
    /// The repository's `.diffsan.toml`.
    Repository(String),
    /// A `DIFFSAN_…` variable.
    Environment,
    /// A command-line option, or a choice in the window.
    CommandLine,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the built-in defaults"),
            Self::User(place) | Self::Repository(place) => f.write_str(place),
            Self::Environment => f.write_str("the environment"),
            Self::CommandLine => f.write_str("the command line"),
        }
    }
}

/// The settings of one origin.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The origin.
    pub origin: Origin,
    /// The values that the layer sets.
    pub table: Table,
    wording: Wording,
}

/// The source of a layer, to locate errors.
#[derive(Clone, Debug)]
enum Wording {
    /// TOML text.
    Text(String),
    /// The names of environment variables by key.
    Variables(BTreeMap<String, String>),
}

impl Layer {
    /// Returns the location of a key: the file and line, or the variable.
    pub(super) fn place_of(&self, path: &[String]) -> String {
        let detail = match &self.wording {
            Wording::Text(_) if self.origin == Origin::CommandLine => None,
            Wording::Text(text) => line_of(text, path).map(|line| format!("line {line}")),
            Wording::Variables(names) => {
                let exact = (1..=path.len()).rev().find_map(|end| names.get(&key_name(&path[..end])));
                let inside = || {
                    let whole = key_name(path) + ".";
                    names.iter().find(|(key, _)| key.starts_with(&whole)).map(|(_, name)| name)
                };
                exact.or_else(inside).cloned()
            }
        };
        match detail {
            Some(detail) => format!("{}, {detail}", self.origin),
            None => self.origin.to_string(),
        }
    }
}

/// An error in the settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// The file and line, or the variable.
    pub place: String,
    /// The description of the error, with the allowed values or the nearest valid name.
    pub message: String,
    /// The origin of the layer with the error.
    pub origin: Origin,
}

/// Parses TOML text as a layer.
pub fn parse_layer(origin: Origin, text: &str) -> Result<Layer, ConfigError> {
    if text.len() > MAX_FILE_BYTES {
        let message = format!("it has {} bytes; a settings file has at most {MAX_FILE_BYTES}", text.len());
        return Err(ConfigError { place: origin.to_string(), message, origin });
    }
    let table = text.parse::<Table>().map_err(|error| {
        let line = error.span().map(|span| line_at(text, span.start));
        ConfigError {
            place: match line {
                Some(line) if origin != Origin::CommandLine => format!("{origin}, line {line}"),
                _ => origin.to_string(),
            },
            message: error.message().to_owned(),
            origin: origin.clone(),
        }
    })?;
    Ok(Layer { origin, table, wording: Wording::Text(text.to_owned()) })
}

fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Returns the line of a key, or of its nearest existing parent.
fn line_of(text: &str, path: &[String]) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut found = None;
    let mut table: Option<&DeTable<'_>> = Some(document.get_ref());
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for step in path {
        if let Some(index) = step.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let array = value.and_then(|value| value.get_ref().as_array());
            value = array.zip(index.parse::<usize>().ok()).and_then(|(array, index)| array.get(index));
            found = value.map(|value| line_at(text, value.span().start)).or(found);
        } else {
            let entry = table.and_then(|table| table.iter().find(|(key, _)| key.get_ref() == step));
            found = entry.map(|(key, _)| line_at(text, key.span().start)).or(found);
            value = entry.map(|(_, value)| value);
        }
        table = value.and_then(|value| value.get_ref().as_table());
    }
    found
}

/// Names of variables that are not settings.
const OTHER_VARIABLES: [&str; 4] = ["DATA_DIR", "CONFIG_DIR", "OPENAI_API_KEY", "GITLAB_TOKEN"];

/// Converts variables such as `DIFFSAN_LIMITS__MAX_FILES=10` to a layer. A value is TOML if it parses as such and the key does
/// not only take text, or else a string. Variables that are not settings (`DIFFSAN_OPENAI_API_KEY`, `DIFFSAN_DATA_DIR`, …) have
/// no `__` and are ignored; a misspelt setting is an error.
pub fn environment_layer(variables: impl Iterator<Item = (String, String)>) -> Result<Layer, ConfigError> {
    let mut table = Table::new();
    let mut names = BTreeMap::new();
    for (name, value) in variables {
        let Some(rest) = name.strip_prefix("DIFFSAN_") else { continue };
        if !rest.contains("__") {
            misspelt(&name, rest)?;
            continue;
        }
        let path: Vec<String> = rest.to_lowercase().split("__").map(str::to_owned).collect();
        let value = given(&path, &value);
        names.insert(key_name(&path), name);
        insert(&mut table, &path, value);
    }
    Ok(Layer { origin: Origin::Environment, table, wording: Wording::Variables(names) })
}

/// Parses the argument of `--set`, such as `limits.max_files=10`.
pub fn command_line_layer(text: &str) -> Result<Layer, String> {
    let (key, value) = text.split_once('=').ok_or("the `=` is missing")?;
    let path = key_path(key.trim()).ok_or_else(|| format!("`{}` is not a key", key.trim()))?;
    let mut table = Table::new();
    insert(&mut table, &path, given(&path, value.trim()));
    Ok(Layer { origin: Origin::CommandLine, table, wording: Wording::Text(String::new()) })
}

/// Parses a value from outside of a file. A value that is not TOML, or belongs to a text key, becomes a text without its quotes.
fn given(path: &[String], text: &str) -> Value {
    let parsed = format!("v = {text}").parse::<Table>().ok().filter(|table| table.len() == 1);
    let value = parsed.and_then(|mut table| table.remove("v"));
    let is_text = || {
        schema_of(path).is_some_and(|node| {
            node.get("type").and_then(|kind| kind.as_str()) == Some("string") || check::choices(node).is_some()
        })
    };
    match value {
        Some(Value::String(text)) => Value::String(text),
        Some(value) if !is_text() => value,
        _ => Value::String(text.to_owned()),
    }
}

/// Returns an error for a variable without `__` that was probably meant as another one: a setting with one underscore instead of two,
/// a section, or a misspelt folder variable.
fn misspelt(name: &str, rest: &str) -> Result<(), ConfigError> {
    if OTHER_VARIABLES.contains(&rest) {
        return Ok(());
    }
    let written = |(section, key): (&String, &String)| format!("{section}__{key}").to_uppercase();
    let known: Vec<String> = check::keys().map(written).collect();
    let flat = rest.to_uppercase();
    if schema_of(&[rest.to_lowercase()]).is_some() {
        let key = known.iter().find(|key| key.starts_with(&format!("{flat}__")));
        let such = key.map_or_else(|| format!("{flat}__NAME__MODEL"), String::clone);
        return Err(ConfigError {
            place: format!("{}, {name}", Origin::Environment),
            message: format!("this is a section and has no value; set one of its keys, such as DIFFSAN_{such}"),
            origin: Origin::Environment,
        });
    }
    let nearest_name = known.iter().find(|key| key.replace("__", "_") == flat).map(String::as_str);
    let nearest_name = nearest_name.or_else(|| {
        nearest(rest, ["DATA_DIR", "CONFIG_DIR"].into_iter())
            .filter(|nearest_name| strsim::levenshtein(nearest_name, rest) <= 2)
    });
    match nearest_name {
        Some(nearest_name) => Err(ConfigError {
            place: Origin::Environment.to_string(),
            message: format!("unknown variable {name}; did you mean DIFFSAN_{nearest_name}?"),
            origin: Origin::Environment,
        }),
        None => Ok(()),
    }
}

fn insert(table: &mut Table, keys: &[String], value: Value) {
    match keys {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let entry = table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            if let Value::Table(inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}
