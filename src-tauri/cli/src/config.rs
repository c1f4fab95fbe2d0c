//! `diffsan config`: every setting, its value, and where that came from.

use std::path::PathBuf;
use std::process::ExitCode;

use diffsan_core::app::AppOptions;
use diffsan_core::error::Result;
use serde_json::Value;

use crate::args::ConfigArgs;
use crate::output;

/// A setting.
struct Setting {
    key: String,
    value: Value,
    /// For people.
    origin: String,
    is_default: bool,
}

/// Prints the settings as they hold in a repository.
pub fn run(args: &ConfigArgs) -> Result<ExitCode> {
    let app = output::start(AppOptions::default())?;
    let repo = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
    let resolved = app.settings(&repo)?;
    let mut settings = Vec::new();
    flatten("", &serde_json::to_value(&resolved.config).unwrap_or_default(), &mut |key, value| {
        let origin =
            resolved.origins.iter().find(|(known, _)| key == known.as_str() || key.starts_with(&format!("{known}.")));
        settings.push(Setting {
            key: key.to_owned(),
            value: value.clone(),
            origin: origin.map_or_else(|| "default".to_owned(), |(_, origin)| origin.to_string()),
            is_default: origin.is_none(),
        });
    });
    settings.retain(|one| {
        let named = args.keys.is_empty() || args.keys.iter().any(|key| one.key.starts_with(key.as_str()));
        // What is known of the agents is long, and seldom one's own.
        named && (args.all || !args.keys.is_empty() || !one.key.starts_with("agents.") || !one.is_default)
    });
    if args.json {
        let list: Vec<Value> = settings
            .iter()
            .map(|one| serde_json::json!({ "key": one.key, "value": one.value, "origin": one.origin }))
            .collect();
        output::result(&output::json(&serde_json::json!({ "settings": list, "refused": resolved.refused })), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let longest =
        settings.iter().map(|one| one.key.len() + one.value.to_string().len()).filter(|length| *length < 60).max();
    let column = longest.unwrap_or(0) + 3;
    let line = |one: &Setting| {
        let text = format!("{} = {}", one.key, one.value);
        if one.is_default { format!("{text}\n") } else { format!("{text:<column$}  # {}\n", one.origin) }
    };
    output::result(&settings.iter().map(line).collect::<String>(), None)?;
    for key in &resolved.refused {
        output::say(&format!(
            "note: the repository's .diffsan.toml sets {key}, which only a trusted one may; it is left out"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Every value by its whole key; lists are values.
fn flatten(prefix: &str, value: &Value, each: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(inner) if !inner.is_empty() => {
            for (key, value) in inner {
                let whole = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&whole, value, each);
            }
        }
        Value::Null => {}
        value => each(prefix, value),
    }
}
