//! Wire types of settings, trust and saved data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_config::{Limits, SettingEffect};

/// Selects whose settings are meant.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SettingsParams {
    /// The id of an opened change, for its settings.
    #[serde(default)]
    pub change_id: Option<String>,
    /// The path of a repository, for its settings. The user's settings alone if neither is named.
    #[serde(default)]
    pub repo: Option<String>,
}

/// The settings in effect.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingsView {
    /// The path of the user's settings file.
    pub file: String,
    /// Whether the file exists.
    pub there: bool,
    /// Identifies the current content of the file. A change of settings names the content that it is based on.
    pub stamp: String,
    /// Every setting, with its value.
    pub entries: Vec<SettingView>,
    /// The requests of the repository that need trust. None if there are none.
    pub trust: Option<TrustView>,
}

/// A setting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum SettingOrigin {
    Default,
    User,
    Repository,
    Environment,
    CommandLine,
}

/// The values that a setting accepts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SettingKind {
    /// True or false.
    Switch,
    /// A whole number.
    Number {
        /// The minimum.
        least: Option<i64>,
        /// The maximum.
        most: Option<i64>,
    },
    /// Any text.
    Text,
    /// One of several texts.
    Choice {
        /// The texts to choose from.
        options: Vec<SettingChoice>,
    },
    /// A list of texts.
    Texts,
    /// Any other value, written as TOML.
    Other,
}

/// One option of a choice.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingChoice {
    /// The value.
    pub value: String,
    /// The description; empty if the value explains itself.
    pub about: String,
}

/// Changes of the user's settings. Either all of them are made or none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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

/// Limits to preview.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitsParams {
    /// The opened change.
    pub change_id: String,
    /// The limits.
    pub limits: Limits,
}

/// The prepared change with other limits, in numbers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitsPreview {
    /// The number of files that would be sent.
    pub files: u32,
    /// The number of files in the change.
    pub files_of: u32,
    /// The number of characters.
    pub chars: u64,
    /// The number of tokens, counted with a common tokenizer.
    pub tokens: u64,
    /// The number of prompts.
    pub parts: u32,
    /// The parts that would be cut.
    pub cut: Vec<CutItem>,
    /// The number of ignored files, which does not depend on the limits.
    pub ignored: u32,
    /// One line about the coverage.
    pub summary: String,
}

/// Something that would be cut.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CutItem {
    /// The path of the file.
    pub path: String,
    /// A description of the cut part.
    pub details: String,
}

/// The trust state of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustStand {
    /// The repository requests nothing that needs trust.
    NotNeeded,
    /// The repository is not trusted.
    Untrusted,
    /// The repository was trusted, but not with its current requests.
    Changed,
    /// The user trusted exactly the current requests.
    Trusted,
}

/// The requests of a repository that need trust, and its trust state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustView {
    /// The repository's name in the list of trusted repositories.
    pub repository: String,
    /// The trust state.
    pub stand: TrustStand,
    /// The place from which its settings were read.
    pub place: String,
    /// The digest that identifies exactly these requests.
    pub digest: String,
    /// The settings that need trust.
    pub settings: Vec<WantedSetting>,
    /// The files that need trust.
    pub files: Vec<WantedText>,
    /// Files in the repository that the settings name. The text is empty for a file without one.
    pub named: Vec<WantedText>,
    /// Whether an agent is started inside the repository.
    pub starts_inside: bool,
    /// Files in the repository that instruct agents or make them run something.
    pub room: Vec<String>,
    /// Notes about ignored parts of the repository, with the reason.
    pub notes: Vec<String>,
}

/// A setting that needs trust.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WantedSetting {
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WantedText {
    /// The path of the file.
    pub path: String,
    /// The text of the file.
    pub text: String,
}

/// Trusts the requests that were shown.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustParams {
    /// The opened change with which they were shown.
    pub change_id: String,
    /// The digest of the requests that were shown.
    pub digest: String,
}

/// Identifies a trusted repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DistrustParams {
    /// The repository, as in the list.
    pub repository: String,
}

/// The trusted repositories.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustList {
    /// The repositories.
    pub items: Vec<TrustItem>,
}

/// A trusted repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustItem {
    /// The path of the repository, or the address of its project.
    pub repository: String,
    /// The time when it was last trusted.
    pub given_at: String,
    /// The settings and files that it is trusted with.
    pub with: Vec<String>,
}

/// The saved data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataView {
    /// The path of the data folder.
    pub folder: String,
    /// The path of the configuration folder.
    pub config_folder: String,
    /// The parts of the data folder.
    pub parts: Vec<DataPart>,
    /// The number of reviews.
    pub reviews: u64,
    /// The number of conversations.
    pub conversations: u64,
    /// The number of run folders.
    pub runs: u64,
}

/// A part of the data folder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataPart {
    /// The name for display.
    pub title: String,
    /// The size in bytes.
    pub bytes: u64,
}

/// A kind of data to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// The run folders.
    Runs,
    /// Reviews with their decisions, conversations, ended postings, and run folders.
    Everything,
    /// Data that is created again when it is needed.
    Caches,
}

/// Removes saved data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataRemoveParams {
    /// The kind of data.
    pub what: DataKind,
    /// The minimum age in days. Everything of that kind if absent.
    #[serde(default)]
    pub older_than_days: Option<u32>,
}

/// The result of removing data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataRemoved {
    /// The number of removed run folders.
    pub runs: u64,
    /// The number of removed reviews.
    pub reviews: u64,
    /// The number of removed conversations.
    pub conversations: u64,
    /// The freed space in bytes.
    pub bytes: u64,
    /// The remaining data.
    pub left: DataView,
}
