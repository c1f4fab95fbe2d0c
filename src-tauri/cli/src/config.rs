//! `diffsan config`: prints every setting with its value and origin, changes the user's settings, and manages trust.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, setting, setting_of_text};
use diffsan_config::{Origin, entries};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use serde_json::Value;

use crate::config_args::{ConfigArgs, ConfigCommand};
use crate::{output, prepare, trust};

/// A setting.
struct Setting {
    key: String,
    value: Value,
    /// The origin of the value, for display.
    origin: String,
    is_default: bool,
}

/// Prints the settings in effect in a repository, or runs a subcommand.
pub async fn run(args: &ConfigArgs) -> Result<ExitCode> {
    if let Some(ConfigCommand::Trust(args)) = &args.command {
        return trust::trust(args).await;
    }
    let app = output::start(AppOptions::default())?;
    match &args.command {
        Some(ConfigCommand::Set { key, value }) => return set(&app, key, Some(value)),
        Some(ConfigCommand::Unset { key }) => return set(&app, key, None),
        Some(ConfigCommand::Untrust { repository }) => return trust::untrust(&app, repository),
        Some(ConfigCommand::Trusted { json }) => return trust::trusted(&app, *json),
        Some(ConfigCommand::Path) => {
            output::text(&format!("{}\n", app.places().settings().display()), None)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let repo = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
    let now = app.settings_now(None, Some(&repo))?;
    let resolved = now.resolved;
    let mut settings = Vec::new();
    // Mask the values as the window does, because this output often ends in logs.
    let mut session = Arc::new(app.redactor()?).session();
    for entry in entries(&resolved)? {
        let value = session.value(&entry.key, entry.value).into_inner();
        flatten(&entry.key, &value, &mut |key, value| {
            let origin = resolved.origin(key);
            settings.push(Setting {
                key: key.to_owned(),
                value: value.clone(),
                origin: origin.map_or_else(|| "default".to_owned(), |origin| origin.to_string()),
                is_default: origin.is_none(),
            });
        });
    }
    let window = format!("the window ({})", app.places().store().display());
    settings.extend(app.page_settings()?.into_iter().map(|one| Setting {
        key: one.key,
        value: one.value,
        origin: if one.is_default { "default".to_owned() } else { window.clone() },
        is_default: one.is_default,
    }));
    settings.retain(|one| {
        let named = args.keys.is_empty() || args.keys.iter().any(|key| one.key.starts_with(key.as_str()));
        // The settings of agents are many, and seldom changed.
        named && (args.all || !args.keys.is_empty() || !one.key.starts_with("agents.") || !one.is_default)
    });
    if args.json {
        let list: Vec<Value> = settings
            .iter()
            .map(|one| serde_json::json!({ "key": one.key, "value": one.value, "origin": one.origin }))
            .collect();
        let refused: Vec<&str> = resolved.refused.iter().map(|wanted| wanted.key.as_str()).collect();
        let value = serde_json::json!({ "settings": list, "refused": refused, "trusted": now.trust.is_given(), "notes": now.trust.notes });
        output::result(&output::json(&value)?, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let longest =
        settings.iter().map(|one| one.key.len() + one.value.to_string().len()).filter(|length| *length < 60).max();
    let column = longest.unwrap_or(0) + 3;
    let line = |one: &Setting| {
        let text = format!("{} = {}", one.key, one.value);
        if one.is_default { format!("{text}\n") } else { format!("{text:<column$}  # {}\n", one.origin) }
    };
    output::text(&settings.iter().map(line).collect::<String>(), None)?;
    prepare::print_trust_notes(&now.trust);
    Ok(ExitCode::SUCCESS)
}

/// Calls `each` with every value and its whole key. A list is one value.
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

/// Changes a setting in the user's file.
fn set(app: &App, key: &str, value: Option<&str>) -> Result<ExitCode> {
    if app.page_settings()?.iter().any(|setting| setting.key == key) {
        return Err(Error::new(ErrorCode::InvalidInput, format!("{key} can only be changed in the window."))
            .hint("Open the settings in the window."));
    }
    let edit = match value {
        Some(value) => setting_of_text(key, value)?,
        None => setting(key, None)?,
    };
    let path = edit.path.clone();
    app.change_settings(&[edit], None)?;
    let resolved = app.settings_now(None, None)?.resolved;
    // A layer with a higher priority may override it.
    match resolved.values_of(&path).last() {
        Some((origin, other)) if !matches!(origin, Origin::User(_)) => {
            let other = Arc::new(app.redactor()?).session().text(key, &other.to_string()).into_inner();
            output::say(&format!("note: {origin} sets {key} = {other}, which has priority"));
        }
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}
