//! Trust in the settings and files of repositories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::program::Done;
use super::settings::as_toml;
use crate::registry::{Table, opened};
use diffsan_app::App;
use diffsan_config::SettingEffect;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::{Trust, TrustState};
use diffsan_redact::Session;
use diffsan_store::files::settings::REPOSITORY_FILE;

/// The maximum number of characters that are shown of a repository's file.
const SHOWN: usize = 20_000;

/// The requests of a repository that need trust, and its trust state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustView {
    /// The repository's name in the list of trusted repositories.
    pub repository: String,
    /// The trust state.
    pub state: TrustState,
    /// The place from which its settings were read.
    pub place: String,
    /// The digest that identifies exactly these requests.
    pub digest: String,
    /// The settings that need trust.
    pub settings: Vec<RequestedSettingView>,
    /// The files that need trust.
    pub files: Vec<RequestedFileView>,
    /// Files in the repository that the settings name. The text is empty for a file without one.
    pub named: Vec<RequestedFileView>,
    /// Whether an agent is started inside the repository.
    pub starts_inside: bool,
    /// Files in the repository that instruct agents or make them run something.
    pub room: Vec<String>,
    /// Notes about ignored parts of the repository, with the reason.
    pub notes: Vec<String>,
}

/// A setting that needs trust.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestedSettingView {
    /// The key.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
    /// The possible effect of the setting.
    pub meaning: SettingEffect,
    /// The effect in plain words.
    pub words: String,
}

/// A file that needs trust.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestedFileView {
    /// The path of the file.
    pub path: String,
    /// The text of the file.
    pub text: String,
}

/// Trusts the requests that were shown.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TrustParams {
    /// The opened change with which they were shown.
    pub change_id: String,
    /// The digest of the requests that were shown.
    pub digest: String,
}

/// Identifies a trusted repository.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DistrustParams {
    /// The repository, as in the list.
    pub repository: String,
}

/// The trusted repositories.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustList {
    /// The repositories.
    pub items: Vec<TrustItem>,
}

/// A trusted repository.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrustItem {
    /// The path of the repository, or the address of its project.
    pub repository: String,
    /// The time when it was last trusted.
    pub given_at: String,
    /// The settings and files that it is trusted with.
    pub with: Vec<String>,
}

pub(super) fn register(table: &mut Table) {
    table.method("trust.grant", "Trusts a repository with the requests that were shown", |app, params: TrustParams| {
        let handle = opened(app, &params.change_id)?;
        let now = app.settings_now(Some(&handle.opened), None)?;
        app.trust(&now.trust, &params.digest, &mut handle.opened.fresh_session())?;
        Ok(Done {})
    });
    table.method("trust.revoke", "Revokes the trust in a repository", |app, params: DistrustParams| {
        app.distrust(&params.repository)?;
        Ok(trusted(app)?)
    });
    table.plain("trust.list", "Lists the trusted repositories", |app| trusted(app));
}

/// Returns the requests of a repository that need trust. Returns `None` if there is nothing to show.
pub(super) fn trust_view(trust: &Trust, session: &mut Session) -> Option<TrustView> {
    if trust.wants.is_empty() && trust.notes.is_empty() {
        return None;
    }
    let hidden = trust.hidden(session);
    let setting = |wanted: &diffsan_config::RequestedSetting| {
        let meaning = SettingEffect::of(&wanted.key);
        let masked = hidden.contains(&wanted.key.as_str());
        let but = if masked { "; part of it is not shown, so the repository cannot be trusted" } else { "" };
        let value = session.value(REPOSITORY_FILE, wanted.value.clone()).into_inner();
        RequestedSettingView {
            key: wanted.key.clone(),
            value: as_toml(&value),
            meaning,
            words: format!("{}{but}", meaning.words()),
        }
    };
    let settings = trust.wants.settings.iter().map(setting).collect();
    let mut shown = |path: &str, text: Option<&str>| {
        let text: String = text.unwrap_or_default().chars().take(SHOWN).collect();
        RequestedFileView { path: path.to_owned(), text: session.text(path, &text).into_inner() }
    };
    let files = trust.wants.files.iter().map(|file| shown(&file.path, trust.content(&file.path))).collect();
    let named = trust.wants.named.iter().map(|file| shown(&file.path, trust.named(&file.path))).collect();
    Some(TrustView {
        repository: trust.repository.clone(),
        state: trust.state,
        place: trust.place.clone(),
        digest: trust.digest.clone(),
        settings,
        files,
        named,
        starts_inside: trust.wants.starts_inside,
        room: trust.wants.room.iter().map(|file| file.path.clone()).collect(),
        notes: trust.notes.clone(),
    })
}

fn trusted(app: &App) -> Result<TrustList> {
    let item = |one: diffsan_app::TrustedRepository| {
        let mut with: Vec<String> = Vec::new();
        for (_, wants) in &one.given {
            with.extend(wants.settings.iter().map(|wanted| wanted.key.clone()));
            with.extend(wants.files.iter().chain(&wants.named).map(|file| file.path.clone()));
            if wants.starts_inside {
                with.push("agents started inside it".to_owned());
            }
        }
        with.sort();
        with.dedup();
        TrustItem {
            repository: one.repository,
            given_at: one.given.into_iter().map(|(at, _)| at).max().unwrap_or_default(),
            with,
        }
    };
    Ok(TrustList { items: app.trusted()?.into_iter().map(item).collect() })
}
