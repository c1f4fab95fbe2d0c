//! Reads the settings in effect, and changes the user's settings.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::App;
use diffsan_config::{Layer, Limits, Origin, Resolved, command_line_layer, key_path, parse_layer, resolve};
use diffsan_git::Repo;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{OpenChange, Trust, settings_here};
use diffsan_prepare::Prepared;
use diffsan_redact::{Redactor, TOKEN};
use diffsan_store::files::own_settings::{self, Edit, EditError, OwnSettings};
use diffsan_store::files::settings;

/// The beginning of a numbered placeholder of a secret.
const NUMBERED: &str = "[REDACTED:";

/// The key of the page's entry with its own settings, which is a JSON list of [`PageSetting`].
const PAGE_SETTINGS: &str = "settings";

/// A setting that only the page has, such as its theme. The core does not know these settings. The page saves a list
/// of them for display.
#[derive(Deserialize)]
pub struct PageSetting {
    /// The setting's key.
    pub key: String,
    /// The setting's value.
    pub value: Value,
    /// Whether the value is the default.
    pub is_default: bool,
}

/// The settings in effect, and the user's settings file.
pub struct SettingsNow {
    /// The settings in effect.
    pub resolved: Resolved,
    /// The repository's requests that need trust.
    pub trust: Trust,
    /// The user's settings file.
    pub own: OwnSettings,
}

impl App {
    /// Returns the settings in effect for a change, or in a repository, or without either. Blocks.
    pub fn settings_now(&self, change: Option<&OpenChange>, repo: Option<&Path>) -> Result<SettingsNow> {
        let (resolved, trust) = match change {
            Some(opened) => opened.settings_now(&self.places, &self.store)?,
            None => {
                let repo = repo.and_then(|path| Repo::open(path).ok());
                let layers = self.options.layers.clone();
                settings_here(&self.places, &self.store, repo.as_ref(), layers, self.options.trusted)?
            }
        };
        Ok(SettingsNow { resolved, trust, own: self.own_settings()? })
    }

    /// Returns the settings that only the page has, as the page saved them. Empty before the first start of a page. Blocks.
    pub fn page_settings(&self) -> Result<Vec<PageSetting>> {
        let saved = self.store.state(PAGE_SETTINGS)?.unwrap_or_default();
        // A list in another format is from another version. The page of this version replaces it.
        Ok(serde_json::from_str(&saved).unwrap_or_default())
    }

    /// Reads the user's settings file. Blocks.
    pub fn own_settings(&self) -> Result<OwnSettings> {
        own_settings::read(&self.places.settings()).map_err(|error| self.edit_error(EditError::Io(error)))
    }

    /// Returns the settings of the change that was used last if its repository is trusted, else the user's settings.
    /// Blocks.
    pub(super) fn settings_at_hand(&self) -> Result<Resolved> {
        match self.at_hand() {
            Some(opened) if opened.trust.is_given() => Ok(opened.settings_now(&self.places, &self.store)?.0),
            Some(_) => self.users_settings(),
            None => self.settings_outside(),
        }
    }

    /// Returns the settings of the repository in which the program was started if it is trusted, else the user's
    /// settings.
    fn settings_outside(&self) -> Result<Resolved> {
        let repo = self.options.start_repo.as_ref().and_then(|path| Repo::open(path).ok());
        let here = repo.and_then(|repo| {
            let layers = self.options.layers.clone();
            settings_here(&self.places, &self.store, Some(&repo), layers, self.options.trusted).ok()
        });
        match here.filter(|(_, trust)| trust.is_given()) {
            Some((resolved, _)) => Ok(resolved),
            None => self.users_settings(),
        }
    }

    fn users_settings(&self) -> Result<Resolved> {
        settings::load(&self.places.settings(), None, self.options.layers.clone(), false).map_err(Error::from)
    }

    /// Changes the user's settings file, and preserves everything else in it. `stamp` identifies the content that was
    /// shown; fails without a change if the file has other content now. Also fails if the new settings are not valid.
    /// Blocks.
    pub fn change_settings(&self, edits: &[Edit], stamp: Option<&str>) -> Result<()> {
        if let Some(edit) = edits.iter().find(|edit| edit.value.as_ref().is_some_and(holds_marker)) {
            let key = diffsan_config::key_name(&edit.path);
            let message = format!(
                "Nothing was changed: the value for {key} contains {TOKEN}, the placeholder of a masked secret."
            );
            return Err(Error::new(ErrorCode::ConfigParseError, message).hint(
                "Enter the whole value with the secret. It is safer to name a variable that contains the secret.",
            ));
        }
        let before = self.own_settings()?;
        if stamp.is_some_and(|stamp| stamp != before.stamp) {
            return Err(self.edit_error(EditError::ChangedMeanwhile));
        }
        let text = own_settings::edit(&before.text, edits).map_err(|error| self.edit_error(error))?;
        if text == before.text {
            return Ok(());
        }
        self.check_own(&text, edits)?;
        let lock = self.places.data.join("settings.lock");
        own_settings::write(&self.places.settings(), &lock, &before, &text).map_err(|error| self.edit_error(error))?;
        Ok(())
    }

    /// Checks whether `text` is valid as the user's settings.
    fn check_own(&self, text: &str, edits: &[Edit]) -> Result<()> {
        let place = Origin::User(self.places.settings().display().to_string());
        let rejected = |error: diffsan_config::ConfigError| {
            // The line number would refer to a text that is never written.
            let message = error.message.clone();
            let own = edits.iter().any(|edit| message.contains(&diffsan_config::key_name(&edit.path)));
            let mut error =
                if own { Error::new(ErrorCode::ConfigParseError, format!("{message}.")) } else { Error::from(error) };
            error.message = format!("Nothing was changed: {}", error.message);
            error
        };
        let layer = parse_layer(place, text).map_err(rejected)?;
        let removes_only = edits.iter().all(|edit| edit.value.is_none());
        let resolved = match resolve(vec![layer], false) {
            // An earlier error must not prevent removing a setting.
            Err(_) if removes_only => return Ok(()),
            resolved => resolved.map_err(rejected)?,
        };
        Redactor::new(&resolved.config.redaction, self.key)?;
        diffsan_prepare::plan(
            &diffsan_change::Change::default(),
            &diffsan_change::Attributes::default(),
            &resolved.config.prepare,
        )
        .map_err(|error| Error::new(ErrorCode::ConfigParseError, format!("Nothing was changed: {error}")))?;
        Ok(())
    }

    /// Prepares a change with other limits. Saves nothing. Blocks.
    pub fn preview(&self, opened: &Arc<OpenChange>, limits: &Limits) -> Result<(Arc<OpenChange>, Prepared)> {
        let now = &opened.settings.config.limits;
        if limits.context == now.context && limits.context_lines == now.context_lines {
            return Ok((Arc::clone(opened), opened.prepared_with(limits)));
        }
        let again = Arc::new(opened.again(&self.places, &self.store, self.key, Some(limits_layer(limits)?))?);
        let prepared = again.prepared_with(limits);
        Ok((again, prepared))
    }

    fn edit_error(&self, error: EditError) -> Error {
        let file = self.places.settings();
        let (message, hint) = match &error {
            EditError::ChangedMeanwhile => (
                format!("{} was changed by another program in the meantime; nothing was saved.", file.display()),
                "Check the current values, then make your change again.",
            ),
            EditError::NotToml { .. } | EditError::NoTable(_) => {
                (format!("{}, {error}.", file.display()), "Correct the file in an editor, then try again.")
            }
            EditError::Io(_) => (
                format!("{}: {error}.", file.display()),
                "Check that the configuration folder is readable and writable.",
            ),
        };
        Error::new(ErrorCode::ConfigParseError, message).hint(hint)
    }
}

/// Whether a value was copied from a masked text. Saving it would lose the secret.
fn holds_marker(value: &toml::Value) -> bool {
    match value {
        toml::Value::String(text) => text.contains(TOKEN) || text.contains(NUMBERED),
        toml::Value::Array(values) => values.iter().any(holds_marker),
        toml::Value::Table(table) => table.values().any(holds_marker),
        _ => false,
    }
}

/// Creates an edit of the setting with this key. `None` removes the setting.
pub fn setting(key: &str, value: Option<toml::Value>) -> Result<Edit> {
    let path = key_path(key).ok_or_else(|| {
        Error::new(ErrorCode::ConfigParseError, format!("`{key}` is not a key."))
            .hint("Write SECTION.KEY, such as limits.max_files; `diffsan config` lists them.")
    })?;
    Ok(Edit { path, value })
}

/// Creates an edit from a typed value, which is TOML, or a text without quotes.
pub fn setting_of_text(key: &str, text: &str) -> Result<Edit> {
    let mut edit = setting(key, None)?;
    let layer = command_line_layer(&format!("{key}={text}")).map_err(|reason| {
        Error::new(ErrorCode::ConfigParseError, format!("{key}: {reason}."))
            .hint("Write SECTION.KEY and a value, such as limits.max_files 10.")
    })?;
    edit.value = edit.path.iter().try_fold(toml::Value::Table(layer.table), |value, key| value.get(key).cloned());
    Ok(edit)
}

/// Returns limits as a layer of settings that overrides the others.
pub(super) fn limits_layer(limits: &Limits) -> Result<Layer> {
    let text = toml::to_string(limits)
        .map_err(|error| Error::new(ErrorCode::ConfigParseError, format!("The limits are not valid: {error}.")))?;
    let text: String = text.lines().map(|line| format!("limits.{line}\n")).collect();
    Ok(parse_layer(Origin::CommandLine, &text)?)
}
