//! Methods of settings, trust and saved data.

use std::path::Path;
use std::sync::Arc;

use super::registry::{Fault, Table, opened};
use super::wire::{
    CutItem, DataKind, DataPart, DataRemoveParams, DataRemoved, DataView, DistrustParams, Done, LimitsParams,
    LimitsPreview, SettingChange, SettingChoice, SettingKind, SettingOrigin, SettingView, SettingsChangeParams,
    SettingsParams, SettingsView, TrustItem, TrustList, TrustParams, TrustStand, TrustView, WantedSetting, WantedText,
};
use diffsan_app::{App, Removal, SettingsNow, setting};
use diffsan_config::{Entry, Kind, Origin, SettingEffect, entries};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{Trust, TrustState};
use diffsan_prepare::tokens;
use diffsan_redact::Session;
use diffsan_store::files::own_settings::Edit;
use diffsan_store::files::settings::REPOSITORY_FILE;
use diffsan_store::files::usage;

/// The maximum number of characters that are shown of a repository's file.
const SHOWN: usize = 20_000;

pub(super) fn register(table: &mut Table) {
    table.method("settings.view", "Every setting with where it came from", |app, params: SettingsParams| {
        settings(app, &params)
    });
    table.method("settings.set", "Changes the user's own settings", |app, params: SettingsChangeParams| {
        let edits = params.changes.into_iter().map(edit).collect::<Result<Vec<Edit>>>()?;
        app.change_settings(&edits, params.stamp.as_deref())?;
        settings(app, &params.of)
    });
    table.method("limits.preview", "What would be sent with other limits", |app, params: LimitsParams| {
        let handle = opened(app, &params.change_id)?;
        let (change, prepared) = app.preview(&handle.opened, &params.limits)?;
        let diffs = prepared.diffs();
        let sent: std::collections::BTreeSet<String> = prepared
            .batches
            .iter()
            .flat_map(|batch| batch.change.get().files.iter().map(|file| file.path().to_text().into_owned()))
            .chain(
                prepared
                    .change
                    .get()
                    .files
                    .iter()
                    .filter(|_| diffs.len() == 1)
                    .map(|file| file.path().to_text().into_owned()),
            )
            .collect();
        let cut = prepared.truncation.items.iter();
        Ok::<LimitsPreview, Fault>(LimitsPreview {
            files: count(sent.len()),
            files_of: count(change.change.files.len()),
            chars: diffs.iter().map(|diff| diff.as_str().chars().count() as u64).sum(),
            tokens: diffs.iter().map(|diff| tokens::count(diff.as_str())).sum(),
            parts: count(diffs.len()),
            cut: cut.map(|item| CutItem { path: item.path.clone(), details: item.details.clone() }).collect(),
            ignored: count(prepared.ignored.len()),
            summary: prepared.coverage.summary.clone(),
        })
    });
    table.method("trust.give", "Trusts a repository with what was shown", |app, params: TrustParams| {
        let handle = opened(app, &params.change_id)?;
        let now = app.settings_now(Some(&handle.opened), None)?;
        app.trust(&now.trust, &params.digest, &mut handle.opened.fresh_session())?;
        Ok::<Done, Fault>(Done {})
    });
    table.method("trust.take", "Takes the trust from a repository", |app, params: DistrustParams| {
        app.distrust(&params.repository)?;
        Ok::<TrustList, Fault>(trusted(app)?)
    });
    table.plain("trust.list", "The trusted repositories", |app| trusted(app));
    table.plain("data.view", "What is kept, and how much of the disk it takes", |app| data(app));
    table.method("data.remove", "Removes what is kept", |app, params: DataRemoveParams| {
        let what = match params.what {
            DataKind::Runs => Removal::Runs,
            DataKind::Everything => Removal::Everything,
            DataKind::Caches => Removal::Caches,
        };
        let cut = params.older_than_days.map(days_ago);
        let removed = app.remove_data(what, cut.as_deref())?;
        Ok::<DataRemoved, Fault>(DataRemoved {
            runs: removed.runs,
            reviews: removed.reviews,
            conversations: removed.conversations,
            bytes: removed.bytes,
            left: data(app)?,
        })
    });
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn days_ago(days: u32) -> String {
    let span = jiff::SignedDuration::from_hours(i64::from(days) * 24);
    let time = jiff::Timestamp::now().checked_sub(span).unwrap_or(jiff::Timestamp::MIN);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
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
    let entries = entries(&resolved).into_iter().map(|entry| entry_view(entry, &mut session)).collect();
    Ok(SettingsView {
        file: app.places().settings().display().to_string(),
        there: own.there,
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
    let kind = match entry.kind {
        Kind::Switch => SettingKind::Switch,
        Kind::Number { least, most } => SettingKind::Number { least, most },
        Kind::Text => SettingKind::Text,
        Kind::Choice(options) => SettingKind::Choice {
            options: options.into_iter().map(|(value, about)| SettingChoice { value, about }).collect(),
        },
        Kind::Texts => SettingKind::Texts,
        Kind::Other => SettingKind::Other,
    };
    SettingView {
        toml: as_toml(&value),
        key: entry.key,
        about: entry.about,
        kind,
        value,
        default: entry.default,
        origin,
        place,
        own,
        masked,
    }
}

/// Formats a value as TOML. Leaves out null values, which TOML does not have.
fn as_toml(value: &serde_json::Value) -> String {
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
        WantedSetting {
            key: wanted.key.clone(),
            value: as_toml(&value),
            meaning,
            words: format!("{}{but}", meaning.words()),
        }
    };
    let settings = trust.wants.settings.iter().map(setting).collect();
    let mut shown = |path: &str, text: Option<&str>| {
        let text: String = text.unwrap_or_default().chars().take(SHOWN).collect();
        WantedText { path: path.to_owned(), text: session.text(path, &text).into_inner() }
    };
    let files = trust.wants.files.iter().map(|file| shown(&file.path, trust.content(&file.path))).collect();
    let named = trust.wants.named.iter().map(|file| shown(&file.path, trust.named(&file.path))).collect();
    Some(TrustView {
        repository: trust.repository.clone(),
        stand: match trust.state {
            TrustState::NotNeeded => TrustStand::NotNeeded,
            TrustState::Untrusted => TrustStand::Untrusted,
            TrustState::Changed => TrustStand::Changed,
            TrustState::Trusted => TrustStand::Trusted,
        },
        place: trust.place.clone(),
        digest: trust.wants.digest(),
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

fn data(app: &App) -> Result<DataView> {
    let places = app.places();
    let runs = usage::size(&places.runs());
    let store = places.store();
    let beside = |ending: &str| usage::size(Path::new(&format!("{}{ending}", store.display()))).bytes;
    let state = ["", "-wal", "-shm"].iter().map(|ending| beside(ending)).sum::<u64>();
    let rooms = usage::size(&places.rooms()).bytes + usage::size(&places.private()).bytes;
    let sample = usage::size(&places.sample()).bytes;
    let whole = usage::size(&places.data).bytes;
    let parts = [
        ("Reviews, decisions and conversations", state),
        ("Run folders: prompts, answers, reports", runs.bytes),
        ("Rooms of agents, made anew when needed", rooms),
        ("The bundled sample", sample),
        ("Other", whole.saturating_sub(state + runs.bytes + rooms + sample)),
    ];
    let (reviews, conversations) = app.kept_counts()?;
    Ok(DataView {
        folder: places.data.display().to_string(),
        config_folder: places.config.display().to_string(),
        parts: parts.iter().map(|(title, bytes)| DataPart { title: (*title).to_owned(), bytes: *bytes }).collect(),
        reviews,
        conversations,
        runs: runs.folders,
    })
}
