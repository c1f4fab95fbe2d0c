//! The state of updates for the page.

use schemars::JsonSchema;
use serde::Serialize;

/// The updates of the program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateView {
    /// The running version.
    pub version: String,
    /// Why updates are not offered. None if they are.
    pub not_offered: Option<String>,
    /// The setting `update.url`. Empty for no updates.
    pub url: String,
    /// The newer version that the last check found.
    pub available: Option<AvailableVersion>,
    /// The work that the program does now.
    pub phase: UpdatePhase,
    /// The downloaded bytes so far.
    pub received: u64,
    /// The time of the last check (RFC 3339). None if there was none.
    pub checked_at: Option<String>,
    /// A message about an update that failed, until the user removes it.
    pub outcome: Option<String>,
}

/// A newer version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AvailableVersion {
    /// The version.
    pub version: String,
    /// The time of its release (RFC 3339).
    pub released: String,
    /// The size of the download in bytes.
    pub size: u64,
}

/// The work of the program on updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpdatePhase {
    /// Nothing.
    #[default]
    Idle,
    /// It reads the manifest.
    Checking,
    /// It downloads a version.
    Downloading,
    /// A version is downloaded and verified.
    Ready,
    /// The window ends, to start again with the new version.
    Restarting,
}
