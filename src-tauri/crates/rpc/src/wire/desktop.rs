//! What the desk hears of its surroundings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RepoView;
use diffsan_change::Target;
use diffsan_pipeline::error::ErrorInfo;

/// A repository whose files, index or branches changed, as it is now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepoMoved {
    /// The repository.
    pub repo: RepoView,
    /// Whether it is only looked at from time to time: there are too many folders to watch.
    pub polling: bool,
}

/// Whether a change is another one by now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MovedView {
    /// Whether it is.
    pub moved: bool,
}

/// A patch that came without a file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PatchParams {
    /// What it was called.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Where a patch was kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PatchView {
    /// Its file.
    pub path: String,
}

/// Nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LaunchParams {}

/// What another start of the program, or a link, asks to be shown.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LaunchEvent {
    /// The repository.
    pub repo: Option<String>,
    /// The change.
    pub target: Option<Target>,
    /// The change's name, for people.
    pub title: Option<String>,
    /// The bundled sample.
    pub sample: bool,
    /// Whether the reviewer is asked first: a link names a place that is not known.
    pub ask: bool,
    /// Why it cannot be shown.
    pub error: Option<ErrorInfo>,
}
