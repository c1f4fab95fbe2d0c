//! Merges the layers of the settings. Decides which layer may set which keys.
//!
//! In: the layers, lowest first. Out: one [`Config`] with the origin of each value, or the first error with its file,
//! line and key.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Number, Value as Json};
use toml::{Table, Value};

use super::check::{check, key_name};
use super::layer::{ConfigError, Layer, Origin, parse_layer};
use super::{AGENTS, Config, DEFAULTS, RequestedSetting};

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
    use crate::layer::{MAX_FILE_BYTES, command_line_layer, environment_layer};

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
