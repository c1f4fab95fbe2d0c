//! Decides whether a verified manifest may replace the running program.

use jiff::{SignedDuration, Timestamp};
use semver::Version;

use super::{Manifest, PlatformFile};

/// The maximum time by which the clock of the signing machine may be ahead.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_hours(24);

/// The facts about the running program that a manifest is compared with.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The running version.
    pub version: Version,
    /// The newest version that a verified manifest has ever named.
    pub newest_seen: Option<Version>,
    /// The name of the platform in manifests.
    pub platform: String,
    /// The current time.
    pub now: Timestamp,
}

/// A version that may be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The version.
    pub version: Version,
    /// The time of its release.
    pub released: Timestamp,
    /// The file to download.
    pub file: PlatformFile,
}

/// A reason not to install the version of a verified manifest.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum Refusal {
    #[error("the update manifest expired at {0}")]
    Expired(Timestamp),
    #[error("the release date of the update manifest is in the future: {0}")]
    Future(Timestamp),
    #[error("the update manifest is for version {offered}, but {running} is running, which is newer")]
    Older { offered: Version, running: Version },
    #[error("the update manifest is for version {offered}, but the server had {seen} before")]
    Withdrawn { offered: Version, seen: Version },
    #[error("version {0} has no file for {1}")]
    Platform(Version, String),
}

impl Manifest {
    /// Returns the file that may replace the running program, or `None` if its version is running.
    pub fn offer(&self, installed: &Installed) -> Result<Option<Offer>, Refusal> {
        if self.expires <= installed.now {
            return Err(Refusal::Expired(self.expires));
        }
        if self.released.duration_since(installed.now) > MAX_CLOCK_SKEW {
            return Err(Refusal::Future(self.released));
        }
        let offered = self.version.clone();
        // Metadata of a build does not make a version newer.
        let is_older = |other: &Version| offered.cmp_precedence(other).is_lt();
        if is_older(&installed.version) {
            return Err(Refusal::Older { offered, running: installed.version.clone() });
        }
        if let Some(seen) = installed.newest_seen.as_ref().filter(|seen| is_older(seen)) {
            return Err(Refusal::Withdrawn { offered, seen: seen.clone() });
        }
        if offered.cmp_precedence(&installed.version).is_eq() {
            return Ok(None);
        }
        let file = self.files.get(&installed.platform).cloned();
        let file = file.ok_or_else(|| Refusal::Platform(offered.clone(), installed.platform.clone()))?;
        Ok(Some(Offer { version: offered, released: self.released, file }))
    }
}
