//! What is said of settings, of trust and of what is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diffsan_config::{Limits, SettingEffect};

/// Whose settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SettingsParams {
    /// An opened change's.
    #[serde(default)]
    pub change_id: Option<String>,
    /// Else a repository's, by its path; the user's alone where neither is named.
    #[serde(default)]
    pub repo: Option<String>,
}

/// The settings as they hold.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingsView {
    /// The user's file.
    pub file: String,
    /// Whether it is there.
    pub there: bool,
    /// Names the file as it is now; changes say which one they are of.
    pub stamp: String,
    /// Every setting.
    pub entries: Vec<SettingView>,
    /// What the repository wants beyond what counts; none if it wants nothing.
    pub trust: Option<TrustView>,
}

/// A setting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingView {
    /// Its key.
    pub key: String,
    /// What it is for.
    pub about: String,
    /// What it may be.
    pub kind: SettingKind,
    /// What it is.
    pub value: serde_json::Value,
    /// The same as TOML.
    pub toml: String,
    /// What it is unless set.
    pub default: Option<serde_json::Value>,
    /// Where the value came from.
    pub origin: SettingOrigin,
    /// The file or variable, where there is one.
    pub place: Option<String>,
    /// What the user's own file says.
    pub own: Option<serde_json::Value>,
    /// Whether something in it was masked: then it can be replaced but not edited.
    pub masked: bool,
}

/// Where a value came from.
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

/// What a value may be.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SettingKind {
    /// True or false.
    Switch,
    /// A whole number.
    Number {
        /// The least.
        least: Option<i64>,
        /// The most.
        most: Option<i64>,
    },
    /// A text.
    Text,
    /// One of a few texts.
    Choice {
        /// They.
        options: Vec<SettingChoice>,
    },
    /// A list of texts.
    Texts,
    /// Something that is written as TOML.
    Other,
}

/// One of a few texts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingChoice {
    /// It.
    pub value: String,
    /// What it means; empty where the name says it.
    pub about: String,
}

/// Changes of the user's own settings, all or none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingsChangeParams {
    /// Which settings are shown afterwards.
    #[serde(flatten)]
    pub of: SettingsParams,
    /// The file as it was shown; none takes it as it is.
    pub stamp: Option<String>,
    /// They.
    pub changes: Vec<SettingChange>,
}

/// A change of a setting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SettingChange {
    /// Its key.
    pub key: String,
    /// What it is to be.
    #[serde(default)]
    pub value: Option<serde_json::Value>,
    /// The same as TOML, in place of `value`. Neither: back to what counts without it.
    #[serde(default)]
    pub toml: Option<String>,
}

/// Limits to try.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitsParams {
    /// The change.
    pub change_id: String,
    /// They.
    pub limits: Limits,
}

/// What would be sent with them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitsPreview {
    /// Files that would be sent.
    pub files: u32,
    /// Files of the change.
    pub files_of: u32,
    /// Characters.
    pub chars: u64,
    /// Tokens, counted with a common tokenizer.
    pub tokens: u64,
    /// Prompts.
    pub parts: u32,
    /// What would be left out.
    pub cut: Vec<CutItem>,
    /// How many files are ignored, whatever the limits are.
    pub ignored: u32,
    /// A line about what is covered.
    pub summary: String,
}

/// Something that is left out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CutItem {
    /// The file.
    pub path: String,
    /// What of it.
    pub details: String,
}

/// How a repository stands with the reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustStand {
    /// It wants nothing that takes trust.
    NotNeeded,
    /// Nobody said that it is trusted.
    Untrusted,
    /// Something was trusted, but not what it wants now.
    Changed,
    /// The reviewer looked at exactly this, and trusts it.
    Trusted,
}

/// What a repository wants, and whether that counts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustView {
    /// The repository as it is remembered.
    pub repository: String,
    /// Whether it counts.
    pub stand: TrustStand,
    /// Where its settings were read.
    pub place: String,
    /// Names exactly this.
    pub digest: String,
    /// Settings.
    pub settings: Vec<WantedSetting>,
    /// Files.
    pub files: Vec<WantedText>,
    /// Files in the repository that the settings name; no text of those that have none.
    pub named: Vec<WantedText>,
    /// Whether an agent is to be started inside it.
    pub starts_inside: bool,
    /// Files there that lead agents or make them run something.
    pub room: Vec<String>,
    /// What was passed over, and why.
    pub notes: Vec<String>,
}

/// A setting that takes trust.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WantedSetting {
    /// The key.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
    /// What it could do.
    pub meaning: SettingEffect,
    /// The same in plain words.
    pub words: String,
}

/// A file that takes trust.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WantedText {
    /// Its path.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Trusts what was shown.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustParams {
    /// The change in which it was shown.
    pub change_id: String,
    /// What was shown.
    pub digest: String,
}

/// Names a trusted repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DistrustParams {
    /// As it is listed.
    pub repository: String,
}

/// The trusted repositories.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustList {
    /// They.
    pub items: Vec<TrustItem>,
}

/// A trusted repository.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrustItem {
    /// Its path, or the address of its project.
    pub repository: String,
    /// When that was said last.
    pub given_at: String,
    /// The settings and files that it is trusted with.
    pub with: Vec<String>,
}

/// What is kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataView {
    /// The data folder.
    pub folder: String,
    /// The configuration folder.
    pub config_folder: String,
    /// What it is made of.
    pub parts: Vec<DataPart>,
    /// Reviews.
    pub reviews: u64,
    /// Conversations.
    pub conversations: u64,
    /// Run folders.
    pub runs: u64,
}

/// A part of the data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataPart {
    /// Its name for people.
    pub title: String,
    /// Bytes.
    pub bytes: u64,
}

/// What is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// Run folders.
    Runs,
    /// Reviews with their decisions, conversations, ended postings, and run folders.
    Everything,
    /// What is made anew when it is needed.
    Caches,
}

/// Removes data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataRemoveParams {
    /// What.
    pub what: DataKind,
    /// Only what is older than so many days; all of it if absent.
    #[serde(default)]
    pub older_than_days: Option<u32>,
}

/// What was removed, and what is left.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataRemoved {
    /// Run folders.
    pub runs: u64,
    /// Reviews.
    pub reviews: u64,
    /// Conversations.
    pub conversations: u64,
    /// Bytes.
    pub bytes: u64,
    /// What is left.
    pub left: DataView,
}
