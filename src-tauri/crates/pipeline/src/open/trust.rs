//! The settings, prompts and tables of a repository: which exist, from which side they are read, and whether the user trusts exactly these.
//!
//! They are read from the target side of a change; for local changes, from the work tree. Settings that need trust are only applied if the
//! user saw and trusted exactly this content.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

use super::named_files::named;
use super::request::{OpenRequest, Source};
use crate::error::{Error, ErrorCode, Result};
use diffsan_agent::room::instruction_files;
use diffsan_change::Target;
use diffsan_config::{ConfigError, Origin, RequestedFile, RequestedSetting, Resolved, Room, TrustRequest};
use diffsan_git::{PathContent, Repo};
use diffsan_redact::Session;
use diffsan_store::Store;
use diffsan_store::files::places::Places;
use diffsan_store::files::prompts::{self, PromptFiles};
use diffsan_store::files::settings::{self, REPOSITORY_FILE};

/// The maximum size in bytes of a prompt or table of a repository.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// The folder of a repository's own prompts; [`TABLES`] is the one of its tables.
const PROMPTS: &str = "config/prompts";
const TABLES: &str = "config/capabilities";

/// The state of the trust in a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    /// The repository requests nothing that needs trust.
    NotNeeded,
    /// The repository was never trusted.
    Untrusted,
    /// The repository was trusted with another content.
    Changed,
    /// The user trusts exactly this content.
    Trusted,
}

/// The trust request of a repository, and its state.
#[derive(Clone, Debug)]
pub struct Trust {
    /// The name by which the trust in the repository is stored; empty if it has none.
    pub repository: String,
    /// The state of the trust.
    pub state: TrustState,
    /// The trust request: settings and files that need trust.
    pub wants: TrustRequest,
    /// The digest of the request.
    pub digest: String,
    /// The place from which its settings were read.
    pub place: String,
    /// Notes about skipped files, with reasons.
    pub notes: Vec<String>,
    /// The contents of its prompts, snippets, skills and tables, by path.
    files: BTreeMap<String, String>,
    /// The contents of the files that its settings name, by path.
    named: BTreeMap<String, String>,
}

impl Trust {
    /// Returns whether the request is trusted.
    pub fn is_given(&self) -> bool {
        self.state == TrustState::Trusted
    }

    /// Returns the content of a requested file, for display.
    pub fn content(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Returns the text of a file that the settings name, as it was when the request was read.
    pub fn named(&self, path: &str) -> Option<&str> {
        self.named.get(path).map(String::as_str)
    }

    /// Returns the keys of the settings that would be shown with masked parts. Blocks.
    pub fn hidden(&self, session: &mut Session) -> Vec<&str> {
        for shown in [&self.repository, &self.place] {
            session.text("repository", shown);
        }
        let hides = |wanted: &&RequestedSetting| {
            let line = format!("{} = {}", wanted.key, wanted.value);
            session.text(REPOSITORY_FILE, &line).as_str() != line
                || *session.value(REPOSITORY_FILE, wanted.value.clone()).get() != wanted.value
        };
        self.wants.settings.iter().filter(hides).map(|wanted| wanted.key.as_str()).collect()
    }

    /// Fails if a setting cannot be shown completely, because nobody can trust a masked value. Blocks.
    pub fn must_be_shown(&self, session: &mut Session) -> Result<()> {
        let hidden = self.hidden(session).join(", ");
        if hidden.is_empty() {
            return Ok(());
        }
        let found = session.report().matches.into_iter().filter(|one| one.path == REPOSITORY_FILE);
        let rules: BTreeSet<String> = found.map(|one| one.pattern_name).collect();
        let allowed: Vec<String> =
            rules.iter().map(|rule| format!("{{ path = \"{REPOSITORY_FILE}\", rule = \"{rule}\" }}")).collect();
        let message = format!(
            "The repository cannot be trusted: part of {} looks like a secret and is not shown.",
            session.contract("trust", &hidden).as_str()
        );
        Err(Error::new(ErrorCode::ConfigUntrusted, message).hint(format!(
            "Remove it from {REPOSITORY_FILE}; an agent's key belongs in the variable that key_variable names. If \
             it is not a secret, add it to your own settings, then try again: redaction.allow = [{}].",
            allowed.join(", ")
        )))
    }

    /// Returns the prompt files. Those of a trusted repository have priority.
    pub fn prompts(&self, places: &Places) -> PromptFiles {
        PromptFiles::new(self.below(PROMPTS), &places.config)
    }

    /// Returns the capability tables of a trusted repository, as names and texts.
    pub fn tables(&self) -> Vec<(String, String)> {
        self.below(TABLES)
            .into_iter()
            .map(|(name, text)| (format!("{TABLES}/{name} (of the repository)"), text))
            .collect()
    }

    fn below(&self, folder: &str) -> BTreeMap<String, String> {
        if !self.is_given() {
            return BTreeMap::new();
        }
        let inside = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
        self.files.iter().filter_map(|(path, text)| Some((inside(path)?, text.clone()))).collect()
    }
}

/// The side of a repository from which its settings are read.
struct SettingsSource<'a> {
    repo: Option<&'a Repo>,
    /// The commit; `None` for the work tree.
    rev: Option<String>,
}

/// Returns the settings for a change, including those of the repository. Blocks.
pub(super) fn settings_of(
    places: &Places,
    store: &Store,
    repo: Option<&Repo>,
    request: &OpenRequest,
    tree: Option<&Target>,
) -> Result<(Resolved, Trust)> {
    let rev = repo.and_then(|repo| repo.base_rev(tree.unwrap_or(&request.target)));
    let (name, fallback) = match (&request.source, &request.target) {
        (Source::MergeRequest(fetched, _), Target::MergeRequest { base, project, .. }) if repo.is_none() => {
            let origin =
                fetched.settings.clone().map(|text| (format!("{REPOSITORY_FILE} at {}", fetched.refs.base_sha), text));
            (format!("{}/{project}", base.trim_end_matches('/')), origin)
        }
        _ => (repo.map(|repo| repo.root().display().to_string()).unwrap_or_default(), None),
    };
    let known = Known { name, fallback, overrides: request.overrides.clone(), trusted: request.trusted };
    look(places, store, &SettingsSource { repo, rev }, known)
}

/// Returns the settings in a repository without a change, from its work tree. Blocks.
pub fn settings_here(
    places: &Places,
    store: &Store,
    repo: Option<&Repo>,
    overrides: Vec<diffsan_config::Layer>,
    trusted: bool,
) -> Result<(Resolved, Trust)> {
    let name = repo.map(|repo| repo.root().display().to_string()).unwrap_or_default();
    look(places, store, &SettingsSource { repo, rev: None }, Known { name, fallback: None, overrides, trusted })
}

struct Known {
    name: String,
    /// Its settings file, if no clone provides it: place and text.
    fallback: Option<(String, String)>,
    overrides: Vec<diffsan_config::Layer>,
    trusted: bool,
}

fn look(places: &Places, store: &Store, ground: &SettingsSource<'_>, known: Known) -> Result<(Resolved, Trust)> {
    let notice = ground.repo.and_then(|repo| Some(format!("{}: {}", repo.root().display(), repo.notice()?)));
    let mut notes: Vec<String> = notice.into_iter().collect();
    let text = match own_text(ground, &mut notes)? {
        Some(own) => Some(own),
        None => known.fallback,
    };
    let place = text.as_ref().map_or_else(|| REPOSITORY_FILE.to_owned(), |(place, _)| place.clone());
    let load = |trusted: bool| {
        let repository = text.as_ref().map(|(place, text)| (place.as_str(), text.as_str()));
        settings::load(&places.settings(), repository, known.overrides.clone(), trusted).map_err(Error::from)
    };
    let resolved = load(false)?;
    let files = own_files(ground, &mut notes)?;
    let wants_inside = |wanted: &RequestedSetting| wanted.key == "agent.room" && wanted.value == "repository";
    let starts_inside = ground.repo.is_some()
        && (resolved.config.agent.room == Room::Repository || resolved.refused.iter().any(wants_inside));
    let named = ground.repo.map(|repo| named(repo, ground.rev.as_deref(), &resolved.refused)).unwrap_or_default();
    let wants = TrustRequest {
        settings: resolved.refused.clone(),
        files: files.iter().map(|(path, text)| RequestedFile::new(path, text.as_bytes())).collect(),
        room: match ground.repo.filter(|_| starts_inside) {
            Some(repo) => {
                let found = instruction_files(repo.root()).map_err(|error| {
                    Error::new(
                        ErrorCode::ConfigUntrusted,
                        format!("The repository's instructions for agents cannot be listed: {error}."),
                    )
                })?;
                found.iter().map(|(path, content)| RequestedFile::new(path, content)).collect()
            }
            None => Vec::new(),
        },
        starts_inside,
        named: named.files,
    };
    let given = if known.name.is_empty() { Vec::new() } else { store.trusted(&known.name)? };
    let digest = wants.digest()?;
    let state = if known.trusted {
        TrustState::Trusted
    } else if wants.is_empty() {
        TrustState::NotNeeded
    } else if given.contains(&digest) {
        TrustState::Trusted
    } else if given.is_empty() {
        TrustState::Untrusted
    } else {
        TrustState::Changed
    };
    let trust = Trust { repository: known.name, state, wants, digest, place, notes, files, named: named.texts };
    let resolved = if trust.is_given() { load(true)? } else { resolved };
    Ok((resolved, trust))
}

/// Returns the repository's settings file: place and text.
fn own_text(ground: &SettingsSource<'_>, notes: &mut Vec<String>) -> Result<Option<(String, String)>> {
    let Some(repo) = ground.repo else { return Ok(None) };
    let place = match &ground.rev {
        Some(rev) => format!("{REPOSITORY_FILE} at {rev}"),
        None => repo.root().join(REPOSITORY_FILE).display().to_string(),
    };
    let wrong = |message: String| {
        let origin = Origin::Repository(place.clone());
        Error::from(ConfigError { place: origin.to_string(), message, origin })
    };
    match repo.plain_file(ground.rev.as_deref(), REPOSITORY_FILE, MAX_FILE_BYTES)? {
        PathContent::Absent => Ok(None),
        PathContent::Other => {
            notes.push(format!("{place} is not a regular file and was not read"));
            Ok(None)
        }
        PathContent::TooLarge(size) => {
            Err(wrong(format!("it has {size} bytes; a settings file has at most {MAX_FILE_BYTES}")))
        }
        PathContent::File(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some((place, text))),
            Err(error) => {
                let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
                Err(wrong(format!("line {line} is not UTF-8")))
            }
        },
    }
}

/// Returns the repository's prompts, snippets, skills and capability tables, by path.
fn own_files(ground: &SettingsSource<'_>, notes: &mut Vec<String>) -> Result<BTreeMap<String, String>> {
    let Some(repo) = ground.repo else { return Ok(BTreeMap::new()) };
    let rev = ground.rev.as_deref();
    let mut paths = Vec::new();
    for (folder, below) in [(PROMPTS, ""), (PROMPTS, "skills"), (TABLES, "")] {
        let folder = if below.is_empty() { folder.to_owned() } else { format!("{folder}/{below}") };
        for name in repo.plain_names(rev, &folder) {
            let known = match (folder.as_str(), below) {
                (TABLES, _) => name.ends_with(".toml"),
                (_, "") => prompts::is_known(&name),
                _ => prompts::is_known(&format!("{below}/{name}")),
            };
            if known {
                paths.push(format!("{folder}/{name}"));
            }
        }
    }
    let mut files = BTreeMap::new();
    for path in paths {
        match repo.plain_file(rev, &path, MAX_FILE_BYTES)? {
            PathContent::File(bytes) => match String::from_utf8(bytes) {
                Ok(text) => drop(files.insert(path, text)),
                Err(_) => notes.push(format!("{path} is not UTF-8 and is ignored")),
            },
            PathContent::TooLarge(size) => {
                notes.push(format!("{path} has {size} bytes and is ignored; the limit is {MAX_FILE_BYTES}"))
            }
            PathContent::Absent | PathContent::Other => {}
        }
    }
    Ok(files)
}
