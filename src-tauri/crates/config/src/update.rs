//! The settings of updates of the window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The updates of a window that runs as an AppImage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateConfig {
    /// The address of `update.json` of the releases: https, or http on this machine. Empty for no updates.
    pub url: String,
}
