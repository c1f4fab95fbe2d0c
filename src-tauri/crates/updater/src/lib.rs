//! Updates of the window: whether they are offered, checking for a version, downloading it, and restarting with it.
//!
//! In: the setting `update.url`, the file of the running program, trusted keys. Out: the state for the page, and a request to restart.
//! This crate does not know how a manifest is verified or a file exchanged.

mod record;
mod restart;
mod view;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diffsan_app::App;
use diffsan_manifest::{Installed, Manifest, Offer, TrustedKey};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result, sentence, to_json};
use diffsan_update::{
    Address, Limits, Location, NotOffered, Replaceable, SignedManifest, Source, UpdateError, Verified,
};
use jiff::{SignedDuration, Timestamp};
use semver::Version;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use record::{Record, UpdateFolder};

pub use restart::{Restarted, recover_at_start, supervise};
pub use view::{AvailableVersion, UpdatePhase, UpdateView};

/// The running version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The entry of the store with the time of the last check.
const CHECKED: &str = "update.checked";
/// The entry of the store with the last verified manifest.
const MANIFEST: &str = "update.manifest";
/// The entry of the store with the newest version that a verified manifest has named.
const NEWEST: &str = "update.newest";
/// The minimum time between automatic checks.
const CHECK_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// The last verified manifest, by which a start within a day of the last check finds its version again.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    address: String,
    text: String,
    signature: String,
}

/// The current work of the program, and the version that it found.
#[derive(Debug, Default)]
struct State {
    phase: UpdatePhase,
    offer: Option<(Offer, Address)>,
    /// The downloaded version.
    verified: Option<Verified>,
}

/// The updates of one running program.
pub struct Updater {
    app: Arc<App>,
    target: std::result::Result<Replaceable, String>,
    keys: Vec<TrustedKey>,
    version: Version,
    limits: Limits,
    state: Mutex<State>,
    received: Arc<AtomicU64>,
    restart: Notify,
}

impl Updater {
    /// Creates the updates of the window.
    pub fn of_window(app: Arc<App>) -> Arc<Self> {
        let keys = diffsan_manifest::keys(diffsan_manifest::MAINTAINERS_KEYS).unwrap_or_default();
        let target = Location::of_this_process().replaceable().map_err(|reason: NotOffered| reason.to_string());
        Self::new(app, target, keys, Version::parse(VERSION).unwrap_or(Version::new(0, 0, 0)))
    }

    /// Creates updates that are not offered, for a page in a browser.
    pub fn of_browser(app: Arc<App>) -> Arc<Self> {
        let reason = "Only the window updates itself, not a page in a browser.".to_owned();
        Self::new(app, Err(reason), Vec::new(), Version::new(0, 0, 0))
    }

    /// Creates updates of a file, or of none for a reason, with the keys that are trusted.
    pub fn new(
        app: Arc<App>,
        target: std::result::Result<Replaceable, String>,
        keys: Vec<TrustedKey>,
        version: Version,
    ) -> Arc<Self> {
        let target = match target {
            Ok(_) if keys.is_empty() => {
                Err("This build has no public key of a maintainer to check updates with.".to_owned())
            }
            target => target,
        };
        Arc::new(Self {
            app,
            target,
            keys,
            version,
            limits: Limits::default(),
            state: Mutex::default(),
            received: Arc::default(),
            restart: Notify::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self) -> UpdateFolder {
        UpdateFolder::of(self.app.places())
    }

    fn target(&self) -> Result<&Replaceable> {
        self.target.as_ref().map_err(|reason| {
            Error::new(ErrorCode::InvalidInput, reason.clone()).hint("Use the AppImage of the releases to get updates.")
        })
    }

    /// Returns the state for the page. Blocks.
    pub fn view(&self) -> Result<UpdateView> {
        let url = self.app.user_config()?.update.url;
        let checked_at = self.app.page_state(CHECKED)?;
        let state = self.lock();
        let available = state.offer.as_ref().map(|(offer, _)| AvailableVersion {
            version: offer.version.to_string(),
            released: offer.released.to_string(),
            size: offer.file.size,
        });
        Ok(UpdateView {
            version: VERSION.to_owned(),
            not_offered: self.target.as_ref().err().cloned(),
            url,
            available,
            phase: state.phase,
            received: self.received.load(Ordering::Relaxed),
            checked_at,
            outcome: self.folder().read_outcome(),
        })
    }

    /// Checks for a newer version. An automatic check does nothing without an address, or within a day of the last check.
    pub async fn check(self: &Arc<Self>, automatic: bool) -> Result<UpdateView> {
        let updater = Arc::clone(self);
        let address = blocking(move || updater.address(automatic)).await?;
        if let Some(address) = address {
            self.begin(UpdatePhase::Checking)?;
            let read = self.read_manifest(&address).await;
            self.set_phase(UpdatePhase::Idle);
            let updater = Arc::clone(self);
            blocking(move || updater.found(read, address)).await?;
        } else {
            let updater = Arc::clone(self);
            blocking(move || updater.find_again()).await?;
        }
        let updater = Arc::clone(self);
        blocking(move || updater.view()).await
    }

    /// Returns the address to check, or `None` if an automatic check is not due. Saves the time of the check.
    fn address(&self, automatic: bool) -> Result<Option<Address>> {
        let setting = self.app.user_config()?.update.url;
        if self.lock().phase == UpdatePhase::Ready {
            // A downloaded version waits for the restart.
            return Ok(None);
        }
        if automatic && (self.target.is_err() || setting.is_empty() || !self.is_due()?) {
            return Ok(None);
        }
        self.target()?;
        if setting.is_empty() {
            return Err(Error::new(ErrorCode::InvalidInput, "There is no address to get updates from.")
                .hint("Set update.url to the address of update.json of the releases."));
        }
        let address = Address::parse(&setting).map_err(refused)?;
        self.app.set_page_state(CHECKED, Some(&Timestamp::now().to_string()))?;
        Ok(Some(address))
    }

    fn is_due(&self) -> Result<bool> {
        let last = self.app.page_state(CHECKED)?.and_then(|text| text.parse::<Timestamp>().ok());
        // A time in the future was saved by a wrong clock.
        let since = last.map(|last| Timestamp::now().duration_since(last));
        Ok(since.is_none_or(|since| since >= CHECK_INTERVAL || since.is_negative()))
    }

    async fn read_manifest(&self, address: &Address) -> std::result::Result<SignedManifest, UpdateError> {
        Source::new(address.clone(), self.limits)?.manifest(&self.keys).await
    }

    /// Saves and compares the result of a check.
    fn found(&self, read: std::result::Result<SignedManifest, UpdateError>, address: Address) -> Result<()> {
        self.lock().offer = None;
        let SignedManifest { manifest, text, signature } = read.map_err(refused)?;
        self.compare(&manifest, address)?;
        let text_of = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_default();
        let saved =
            Saved { address: self.app.user_config()?.update.url, text: text_of(text), signature: text_of(signature) };
        self.app.set_page_state(MANIFEST, Some(&to_json(&saved)?))
    }

    /// Finds the version of the last check again, without the network. A manifest that is not valid any more is ignored.
    fn find_again(&self) -> Result<()> {
        let setting = self.app.user_config()?.update.url;
        let is_known = {
            let state = self.lock();
            state.offer.is_some() || state.phase != UpdatePhase::Idle
        };
        if self.target.is_err() || setting.is_empty() || is_known {
            return Ok(());
        }
        let saved: Option<Saved> = self.app.page_state(MANIFEST)?.and_then(|text| serde_json::from_str(&text).ok());
        let Some(saved) = saved.filter(|saved| saved.address == setting) else { return Ok(()) };
        let manifest = diffsan_manifest::verify(saved.text.as_bytes(), saved.signature.as_bytes(), &self.keys);
        if let (Ok(manifest), Ok(address)) = (manifest, Address::parse(&setting)) {
            // The running version may be newer by now.
            let _ = self.compare(&manifest, address);
        }
        Ok(())
    }

    /// Compares a verified manifest with the running version.
    fn compare(&self, manifest: &Manifest, address: Address) -> Result<()> {
        let newest_seen = self.app.page_state(NEWEST)?.and_then(|text| Version::parse(&text).ok());
        let installed = Installed {
            version: self.version.clone(),
            newest_seen,
            platform: diffsan_manifest::platform(),
            now: Timestamp::now(),
        };
        let offer = manifest.offer(&installed).map_err(|refusal| refused(refusal.into()))?;
        if installed.newest_seen.is_none_or(|seen| seen < manifest.version) {
            self.app.set_page_state(NEWEST, Some(&manifest.version.to_string()))?;
        }
        self.lock().offer = offer.map(|offer| (offer, address));
        Ok(())
    }

    /// Downloads the version that the last check found, and verifies it.
    pub async fn download(self: &Arc<Self>, cancel: &CancellationToken) -> Result<UpdateView> {
        let target = self.target()?;
        let offer = self.lock().offer.clone();
        let (offer, address) = offer.ok_or_else(|| {
            Error::new(ErrorCode::InvalidInput, "No newer version was found yet.").hint("Check for updates first.")
        })?;
        self.begin(UpdatePhase::Downloading)?;
        self.received.store(0, Ordering::Relaxed);
        let result = match Source::new(address, self.limits) {
            Ok(source) => source.download(&offer, target, &self.received, cancel).await,
            Err(error) => Err(error),
        };
        {
            let mut state = self.lock();
            state.phase = if result.is_ok() { UpdatePhase::Ready } else { UpdatePhase::Idle };
            state.verified = Some(result.map_err(refused)?);
        }
        let updater = Arc::clone(self);
        blocking(move || updater.view()).await
    }

    /// Requests the restart with the downloaded version. The window ends, and [`restart`] does the rest. Blocks.
    pub fn install(&self) -> Result<()> {
        let target = self.target()?;
        if self.app.has_unfinished_work() {
            return Err(Error::new(ErrorCode::Busy, "A review or an answer of an agent is still running.")
                .hint("Wait until it has ended, or cancel it."));
        }
        if self.app.is_read_only() {
            return Err(Error::new(ErrorCode::StoreFailed, "Nothing can be saved in this session.")
                .hint("Make the data folder writable, then start diffsan again."));
        }
        let state = self.lock();
        let (Some((offer, _)), UpdatePhase::Ready) = (&state.offer, state.phase) else {
            return Err(Error::new(ErrorCode::InvalidInput, "No version is downloaded.").hint("Download it first."));
        };
        target.check_verified(offer.file.size, &offer.file.sha256).map_err(refused)?;
        let record = Record {
            from: VERSION.to_owned(),
            to: offer.version.to_string(),
            target: target.path().to_owned(),
            size: offer.file.size,
            sha256: offer.file.sha256.clone(),
            exchanged: false,
        };
        let fault =
            |error: std::io::Error| Error::new(ErrorCode::IoFailed, "The restart could not be prepared.").cause(error);
        self.folder().set_outcome(None).map_err(fault)?;
        self.folder().write(&record).map_err(fault)?;
        drop(state);
        self.set_phase(UpdatePhase::Restarting);
        self.restart.notify_one();
        Ok(())
    }

    /// Waits until the user requests a restart.
    pub async fn restart_requested(&self) {
        self.restart.notified().await;
    }

    /// Whether the program is to restart with a new version when it has ended.
    pub fn is_restarting(&self) -> bool {
        self.lock().phase == UpdatePhase::Restarting
    }

    /// Records that the page of this version is shown. Blocks.
    pub fn started(&self) -> Result<()> {
        if self.target.is_err() {
            return Ok(());
        }
        restart::started(self.app.places(), VERSION)
            .map_err(|error| Error::new(ErrorCode::IoFailed, "The update could not be completed.").cause(error))
    }

    /// Removes the message about an update that failed. Blocks.
    pub fn dismiss(&self) -> Result<()> {
        self.folder()
            .set_outcome(None)
            .map_err(|error| Error::new(ErrorCode::IoFailed, "The message could not be removed.").cause(error))
    }

    /// Begins a check or a download, if no other one runs.
    fn begin(&self, phase: UpdatePhase) -> Result<()> {
        let mut state = self.lock();
        if !matches!(state.phase, UpdatePhase::Idle | UpdatePhase::Ready) {
            return Err(Error::new(ErrorCode::Busy, "diffsan is already updating."));
        }
        state.phase = phase;
        Ok(())
    }

    fn set_phase(&self, phase: UpdatePhase) {
        self.lock().phase = phase;
    }
}

/// Converts an error for the user.
fn refused(error: UpdateError) -> Error {
    let message = sentence(&error.to_string());
    match error {
        UpdateError::Address(_) => Error::new(ErrorCode::ConfigParseError, message),
        UpdateError::NoRoom { .. } | UpdateError::Full(_) => {
            Error::new(ErrorCode::IoFailed, message).hint("Free some disk space, then try again.").retryable()
        }
        UpdateError::File { .. } => Error::new(ErrorCode::IoFailed, message),
        UpdateError::Busy => Error::new(ErrorCode::Busy, message).retryable(),
        UpdateError::Cancelled => Error::new(ErrorCode::Cancelled, message),
        UpdateError::Unreachable(..)
        | UpdateError::Status(..)
        | UpdateError::Slow { .. }
        | UpdateError::Truncated(..) => Error::new(ErrorCode::UpdateFailed, message).retryable(),
        _ => Error::new(ErrorCode::UpdateFailed, message),
    }
}

#[cfg(test)]
mod tests;
