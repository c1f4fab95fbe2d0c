//! Wire types of events from outside the window: a changed repository, a patch, another start of the program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RepoView;
use diffsan_change::Target;
use diffsan_pipeline::error::ErrorInfo;

/// A repository whose files, index or branches changed, in its new state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepoMoved {
    /// The repository.
    pub repo: RepoView,
    /// Whether the repository is only checked from time to time, because it has too many folders to watch.
    pub polling: bool,
}

/// Whether a change differs from the opened one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MovedView {
    /// Whether it differs.
    pub moved: bool,
}

/// A patch without a file, such as a pasted one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PatchParams {
    /// The name of the patch.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The place where a patch was saved.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PatchView {
    /// The path of its file.
    pub path: String,
}

/// No parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LaunchParams {}

/// A request of another start of the program, or of a link, to show a change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LaunchEvent {
    /// The repository to open.
    pub repo: Option<String>,
    /// The change to open.
    pub target: Option<Target>,
    /// The title of the change, for display.
    pub title: Option<String>,
    /// Whether to open the bundled sample.
    pub sample: bool,
    /// Whether to ask the user first, because a link names an unknown place.
    pub ask: bool,
    /// Why the change cannot be shown.
    pub error: Option<ErrorInfo>,
}
