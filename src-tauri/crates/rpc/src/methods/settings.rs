//! Shows and changes settings.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trust::{TrustView, trust_view};
use crate::registry::{Fault, Table, opened};
use diffsan_app::{App, SettingsNow, setting};
use diffsan_config::{Entry, Origin, SettingKind, entries};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::Session;
use diffsan_store::files::own_settings::Edit;

/// Selects whose settings are meant.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct SettingsParams {
    /// The id of an opened change, for its settings.
    #[serde(default)]
    pub change_id: Option<String>,
    /// The path of a repository, for its settings. The user's settings alone if neither is named.
    #[serde(default)]
    pub repo: Option<String>,
}

/// The settings in effect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingsView {
    /// The path of the user's settings file.
    pub file: String,
    /// Whether the file exists.
    pub exists: bool,
    /// Identifies the current content of the file. A change of settings names the content that it is based on.
    pub stamp: String,
    /// Every setting, with its value.
    pub entries: Vec<SettingView>,
    /// The requests of the repository that need trust. None if there are none.
    pub trust: Option<TrustView>,
}

/// A setting.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingView {
    /// Its key.
    pub key: String,
    /// The description of the setting.
    pub about: String,
    /// The values that it accepts.
    pub kind: SettingKind,
    /// The current value.
    pub value: serde_json::Value,
    /// The current value as TOML.
    pub toml: String,
    /// The value if nothing sets it.
    pub default: Option<serde_json::Value>,
    /// The layer that the value comes from.
    pub origin: SettingOrigin,
    /// The file or variable that the value comes from, if there is one.
    pub place: Option<String>,
    /// The value in the user's file.
    pub own: Option<serde_json::Value>,
    /// Whether a part of the value was masked. Such a value can be replaced but not edited.
    pub masked: bool,
}

/// The layer that a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum SettingOrigin {
    Default,
    User,
    Repository,
    Environment,
    CommandLine,
}

/// Changes of the user's settings. Either all of them are made or none.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SettingsChangeParams {
    /// Selects the settings to return.
    #[serde(flatten)]
    pub of: SettingsParams,
    /// The `SettingsView.stamp` that the changes are based on. None accepts any content of the file.
    pub stamp: Option<String>,
    /// The changes.
    pub changes: Vec<SettingChange>,
}

/// A change of a setting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingChange {
    /// The setting's key.
    pub key: String,
    /// The new value.
    #[serde(default)]
    pub value: Option<serde_json::Value>,
    /// The new value as TOML, instead of `value`. Without both, the setting is removed from the file.
    #[serde(default)]
    pub toml: Option<String>,
}

pub(super) fn register(table: &mut Table) {
    table.query("settings.view", "Returns every setting with its origin", |app, params: SettingsParams| {
        settings(app, &params)
    });
    table.method("settings.set", "Changes the user's settings", |app, params: SettingsChangeParams| {
        let edits = params.changes.into_iter().map(edit).collect::<Result<Vec<Edit>>>()?;
        app.change_settings(&edits, params.stamp.as_deref())?;
        settings(app, &params.of)
    });
}

fn edit(change: SettingChange) -> Result<Edit> {
    let wrong = |why: String| Error::new(ErrorCode::ConfigParseError, format!("`{}`: {why}.", change.key));
    let value = match (&change.toml, change.value.clone()) {
        (Some(text), _) => {
            let parsed = format!("v = {text}\n").parse::<toml::Table>();
            let mut table = parsed.map_err(|error| wrong(error.message().to_owned()))?;
            let value = table.remove("v").filter(|_| table.is_empty());
            Some(value.ok_or_else(|| wrong("this is more than one value".to_owned()))?)
        }
        (None, Some(value)) => {
            Some(toml::Value::try_from(value).map_err(|error| wrong(format!("it cannot be written: {error}")))?)
        }
        (None, None) => None,
    };
    setting(&change.key, value)
}

fn settings(app: &Arc<App>, params: &SettingsParams) -> std::result::Result<SettingsView, Fault> {
    let handle = params.change_id.as_deref().map(|id| opened(app, id)).transpose()?;
    let change = handle.as_ref().map(|handle| &*handle.opened);
    let SettingsNow { resolved, trust, own } = app.settings_now(change, params.repo.as_deref().map(Path::new))?;
    let mut session = match change {
        Some(opened) => opened.fresh_session(),
        None => Arc::new(app.redactor()?).session(),
    };
    let entries =
        entries(&resolved).map_err(Error::from)?.into_iter().map(|entry| entry_view(entry, &mut session)).collect();
    Ok(SettingsView {
        file: app.places().settings().display().to_string(),
        exists: own.exists,
        stamp: own.stamp,
        entries,
        trust: trust_view(&trust, &mut session),
    })
}

fn entry_view(entry: Entry, session: &mut Session) -> SettingView {
    let value = session.value(&entry.key, entry.value.clone()).into_inner();
    let masked = value != entry.value;
    let own = entry.own.map(|own| session.value(&entry.key, own).into_inner());
    let (origin, place) = match entry.origin {
        None | Some(Origin::Default) => (SettingOrigin::Default, None),
        Some(Origin::User(place)) => (SettingOrigin::User, Some(place)),
        Some(Origin::Repository(place)) => (SettingOrigin::Repository, Some(place)),
        Some(Origin::Environment) => {
            let name = format!("DIFFSAN_{}", entry.key.to_uppercase().replace('.', "__"));
            (SettingOrigin::Environment, std::env::var_os(&name).map(|_| name))
        }
        Some(Origin::CommandLine) => (SettingOrigin::CommandLine, None),
    };
    SettingView {
        toml: as_toml(&value),
        key: entry.key,
        about: entry.about,
        kind: entry.kind,
        value,
        default: entry.default,
        origin,
        place,
        own,
        masked,
    }
}

/// Formats a value as TOML. Leaves out null values, which TOML does not have.
pub(super) fn as_toml(value: &serde_json::Value) -> String {
    fn known(value: serde_json::Value) -> Option<serde_json::Value> {
        match value {
            serde_json::Value::Null => None,
            serde_json::Value::Array(values) => Some(values.into_iter().filter_map(known).collect()),
            serde_json::Value::Object(inner) => {
                Some(inner.into_iter().filter_map(|(key, value)| Some((key, known(value)?))).collect())
            }
            value => Some(value),
        }
    }
    let value = known(value.clone()).and_then(|value| toml::Value::try_from(value).ok());
    value.map(|value| value.to_string()).unwrap_or_default()
}
