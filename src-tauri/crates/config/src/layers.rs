//! Parses the layers of the settings and merges them. Decides which layer may set which keys.
//!
//! In: the TOML of each layer, lowest first. Out: one [`Config`] with the origin of each value, or the first error with its file,
//! line and key.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value as Json};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::check::{self, check, key_name, key_path, nearest, schema_of};
use super::{AGENTS, Config, DEFAULTS, RequestedSetting};

/// The maximum size of a settings file, in bytes.
const MAX_FILE_BYTES: usize = 256 * 1024;

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
    fn place_of(&self, path: &[String]) -> String {
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

/// The merged settings.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The values.
    pub config: Config,
    /// The origin of each value (`limits.max_files`) that is not a default.
    pub origins: BTreeMap<String, Origin>,
    /// The settings that an untrusted repository set without permission.
    pub refused: Vec<RequestedSetting>,
    /// The merged layers, lowest first.
    pub layers: Vec<Layer>,
}

impl Resolved {
    /// Returns the origin of a value, or `None` if it is a default.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        let exact = self.origins.get(key);
        exact.or_else(|| {
            // A whole list or table was set, or a value inside it.
            let within =
                |known: &&String| key.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']));
            self.origins
                .iter()
                .filter(|(known, _)| within(known))
                .max_by_key(|(known, _)| known.len())
                .map(|(_, origin)| origin)
        })
    }

    /// Returns the values that the layers set for a key, lowest first, without the defaults.
    pub fn values_of(&self, path: &[String]) -> Vec<(&Origin, &Value)> {
        self.layers.iter().filter_map(|layer| Some((&layer.origin, value_at(&layer.table, path)?))).collect()
    }
}

/// Returns the value of a key in a table.
fn value_at<'a>(table: &'a Table, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = table.get(first)?;
    if rest.is_empty() { Some(value) } else { value_at(value.as_table()?, rest) }
}

/// The keys that an untrusted repository may set. They control what is sent and the request to the agent, but never which programs run.
/// Reports are only read inside the repository.
const REPOSITORY_MAY_SET: &[&str] = &[
    "limits",
    "prepare",
    "prompt.verbosity",
    "prompt.skills",
    "prompt.instructions",
    "facts.files",
    "facts.artifacts",
];

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

/// Merges the layers over the defaults; later layers take precedence, key by key.
///
/// A repository's layer is reduced to the keys that an untrusted repository may set, unless `repository_trusted`.
pub fn resolve(layers: Vec<Layer>, repository_trusted: bool) -> Result<Resolved, ConfigError> {
    let mut merged = parse_layer(Origin::Default, DEFAULTS)?.table;
    merged.extend(parse_layer(Origin::Default, AGENTS)?.table);
    let mut origins = BTreeMap::new();
    let mut refused = Vec::new();
    let mut joined = Vec::new();
    for mut layer in layers {
        check(&layer.table).map_err(|fault| ConfigError {
            place: layer.place_of(&fault.path),
            message: fault.message,
            origin: layer.origin.clone(),
        })?;
        if matches!(layer.origin, Origin::Repository(_)) && !repository_trusted {
            filter_untrusted(&mut layer.table, &mut Vec::new(), &mut refused);
        }
        merge(&mut merged, layer.table.clone(), &mut Vec::new(), &layer.origin, &mut origins);
        // Deserialise after each layer, so that an error that the schema does not find is reported with its origin.
        if let Err(error) = Config::deserialize(Value::Table(merged.clone())) {
            return Err(ConfigError {
                place: layer.origin.to_string(),
                message: error.message().to_owned(),
                origin: layer.origin,
            });
        }
        joined.push(layer);
    }
    let config = Config::deserialize(Value::Table(merged)).map_err(|error| ConfigError {
        place: Origin::Default.to_string(),
        message: error.message().to_owned(),
        origin: Origin::Default,
    })?;
    Ok(Resolved { config, origins, refused, layers: joined })
}

fn merge(
    into: &mut Table,
    from: Table,
    path: &mut Vec<String>,
    origin: &Origin,
    origins: &mut BTreeMap<String, Origin>,
) {
    for (key, value) in from {
        path.push(key.clone());
        match value {
            Value::Table(value) => {
                let entry = into.entry(key).or_insert_with(|| Value::Table(Table::new()));
                if let Value::Table(inner) = entry {
                    merge(inner, value, path, origin, origins);
                }
            }
            value => {
                origins.insert(key_name(path), origin.clone());
                into.insert(key, value);
            }
        }
        path.pop();
    }
}

fn filter_untrusted(table: &mut Table, path: &mut Vec<String>, refused: &mut Vec<RequestedSetting>) {
    let keys: Vec<String> = table.keys().cloned().collect();
    for key in keys {
        path.push(key.clone());
        let name = key_name(path);
        if !REPOSITORY_MAY_SET.contains(&name.as_str()) {
            match table.get_mut(&key) {
                Some(Value::Table(inner)) => {
                    filter_untrusted(inner, path, refused);
                    if inner.is_empty() {
                        table.remove(&key);
                    }
                }
                _ => {
                    if let Some(value) = table.remove(&key) {
                        refused.push(RequestedSetting { key: name, value: json_of(&value) });
                    }
                }
            }
        }
        path.pop();
    }
}

/// Converts a TOML value to JSON. A date, and a number that JSON does not have (`nan`, `inf`), becomes a text.
pub(super) fn json_of(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.clone()),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => {
            Number::from_f64(*number).map_or_else(|| Json::String(number.to_string()), Json::Number)
        }
        Value::Boolean(flag) => Json::Bool(*flag),
        Value::Datetime(time) => Json::String(time.to_string()),
        Value::Array(items) => Json::Array(items.iter().map(json_of).collect()),
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), json_of(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_json_does_not_have_become_texts() {
        let table: Table =
            toml::from_str("a = [1, 2.5, nan]\nb = 2026-11-21\nc = { d = true, e = \"x\" }").expect("TOML");
        let json = serde_json::json!({ "a": [1, 2.5, "NaN"], "b": "2026-11-21", "c": { "d": true, "e": "x" } });
        assert_eq!(json_of(&Value::Table(table)), json);
    }

    fn layer(origin: Origin, text: &str) -> Layer {
        parse_layer(origin, text).expect("valid TOML")
    }

    fn user(text: &str) -> Layer {
        layer(Origin::User("config.toml".into()), text)
    }

    fn variables(given: &[(&str, &str)]) -> Result<Layer, ConfigError> {
        environment_layer(given.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn the_defaults_are_complete() {
        let resolved = resolve(Vec::new(), false).expect("defaults");
        assert_eq!(resolved.config.limits.max_diff_chars, 200_000);
    }

    #[test]
    fn an_error_names_file_line_and_key() {
        let message = |text: &str| resolve(vec![user(text)], false).expect_err("wrong").to_string();
        assert_eq!(
            message("# mine\n[limits]\nmax_file = 3"),
            "config.toml, line 3: unknown key `limits.max_file`; did you mean `limits.max_files`?"
        );
        assert_eq!(
            message("[limits]\ncontext_lines = 1\n\nmax_files = 'x'"),
            "config.toml, line 4: `limits.max_files` must be a whole number from 0 to 4294967295, not \"x\""
        );
        assert_eq!(
            message(
                "[[redaction.extra_patterns]]\nname = 'a'\npattern = 'b'\n[[redaction.extra_patterns]]\nname = 1\npattern = 'c'"
            ),
            "config.toml, line 5: `redaction.extra_patterns[1].name` must be text in quotes, not 1"
        );
        let error = parse_layer(Origin::User("config.toml".into()), "a = 1\nb = ").expect_err("no TOML");
        assert!(error.place.starts_with("config.toml, line 2"), "{error}");
    }

    #[test]
    fn an_error_in_the_environment_names_the_variable() {
        let message = |given: &[(&str, &str)]| match variables(given) {
            Ok(layer) => resolve(vec![layer], false).expect_err("wrong").to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            message(&[("DIFFSAN_LIMITS__MAX_FILE", "3")]),
            "the environment, DIFFSAN_LIMITS__MAX_FILE: unknown key `limits.max_file`; did you mean `limits.max_files`?"
        );
        assert_eq!(
            message(&[("DIFFSAN_LIMIT__MAX_FILES", "3")]),
            "the environment, DIFFSAN_LIMIT__MAX_FILES: unknown key `limit`; did you mean `limits`?"
        );
        assert_eq!(
            message(&[("DIFFSAN_LIMITS_MAX_FILES", "3")]),
            "the environment: unknown variable DIFFSAN_LIMITS_MAX_FILES; did you mean DIFFSAN_LIMITS__MAX_FILES?"
        );
        assert_eq!(
            message(&[("DIFFSAN_CONFIGDIR", "/x")]),
            "the environment: unknown variable DIFFSAN_CONFIGDIR; did you mean DIFFSAN_CONFIG_DIR?"
        );
        for (name, such) in
            [("LIMITS", "LIMITS__STRATEGY"), ("limits", "LIMITS__STRATEGY"), ("AGENTS", "AGENTS__NAME__MODEL")]
        {
            let name = format!("DIFFSAN_{name}");
            assert_eq!(
                message(&[(&name, "3")]),
                format!(
                    "the environment, {name}: this is a section and has no value; set one of its keys, such as DIFFSAN_{such}"
                )
            );
        }
        assert!(variables(&[("DIFFSAN_MY_KEY", "k"), ("DIFFSAN_GITLAB_TOKEN", "t")]).is_ok());
    }

    #[test]
    fn a_number_for_a_text_setting_stays_text() {
        let layer = variables(&[("DIFFSAN_AGENT__MODEL", "5"), ("DIFFSAN_AGENTS__X__SET__PORT", "80")]).expect("read");
        let config = resolve(vec![layer], false).expect("valid").config;
        assert_eq!((config.agent.model.as_str(), config.agents["x"].set["port"].as_str()), ("5", "80"));
        let layers = ["agent.model=true", "limits.max_files=7", "prompt.instructions=be = kind"]
            .map(|text| command_line_layer(text).expect("read"));
        let config = resolve(layers.to_vec(), false).expect("valid").config;
        assert_eq!((config.agent.model.as_str(), config.limits.max_files), ("true", 7));
        assert_eq!(config.prompt.instructions, "be = kind");
    }

    #[test]
    fn an_untrusted_repository_sets_limits_but_never_commands() {
        let text = "[limits]\nmax_files = 3\n[agent]\ncodex_command = ['evil']\n[prompt]\ninstructions_file = '/etc/passwd'\nskills = ['sql']\n[agents.x.set]\nA = 'b'";
        let layers = || vec![layer(Origin::Repository(".diffsan.toml".into()), text)];
        let resolved = resolve(layers(), false).expect("valid");
        assert_eq!(resolved.config.limits.max_files, 3);
        assert_eq!(resolved.config.prompt.skills, ["sql"]);
        assert!(resolved.config.agent.codex_command.is_empty() && !resolved.config.agents.contains_key("x"));
        let keys: Vec<&str> = resolved.refused.iter().map(|wanted| wanted.key.as_str()).collect();
        assert_eq!(keys, ["agent.codex_command", "agents.x.set.A", "prompt.instructions_file"]);
        assert_eq!(resolve(layers(), true).expect("valid").config.agent.codex_command, ["evil"]);
    }

    #[test]
    fn every_value_has_its_origin_also_in_named_tables() {
        let variables = variables(&[("DIFFSAN_AGENTS__MINE__URL", "http://b"), ("DIFFSAN_LIMITS__MAX_FILES", "7")]);
        let layers = vec![
            user("[agents.mine]\ntransport = 'openai-http'\nurl = 'http://a'\nargs = ['x']\n[limits]\nmax_files = 5"),
            variables.expect("read"),
        ];
        let resolved = resolve(layers, false).expect("valid");
        let user = Origin::User("config.toml".into());
        assert_eq!(resolved.origin("agents.mine.url"), Some(&Origin::Environment));
        assert_eq!(resolved.origin("agents.mine.transport"), Some(&user));
        assert_eq!(resolved.origin("agents.mine.args[0]"), Some(&user));
        assert_eq!(resolved.origin("limits.context_lines"), None);
        let path = ["limits", "max_files"].map(str::to_owned);
        let message: Vec<i64> = resolved.values_of(&path).iter().filter_map(|(_, value)| value.as_integer()).collect();
        assert_eq!((resolved.config.limits.max_files, message), (7, vec![5, 7]));
    }

    #[test]
    fn huge_settings_are_refused_and_deep_ones_do_not_crash() {
        let huge = "#".repeat(MAX_FILE_BYTES + 1);
        assert!(parse_layer(Origin::CommandLine, &huge).expect_err("too large").message.contains("bytes"));
        for deep in [
            "a = ".to_owned() + &"[".repeat(50_000),
            "a.".repeat(50_000) + "a = 1",
            format!("[{}a]", "a.".repeat(9_000)),
        ] {
            if let Ok(layer) = parse_layer(Origin::CommandLine, &deep) {
                assert!(resolve(vec![layer], false).is_err());
            }
        }
    }
}
