//! Updates of the program's own file. In: the configured address, trusted keys, the file of the running program. Out: a verified file
//! beside it, the exchange of the two, and the start of the new version.
//!
//! Every fault leaves the program's file as it was. This crate decides nothing about versions (see `diffsan-manifest`), and knows neither
//! settings nor the saved data.

mod address;
mod fetch;
mod files;
mod location;
mod starting;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use address::Address;
pub use fetch::{Limits, SignedManifest, Source};
pub use files::{Replaceable, Verified};
pub use location::{Location, NotOffered};
pub use starting::{STARTED_VARIABLE, StartError, start_and_wait};

/// A failure of an update. The program's file is unchanged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum UpdateError {
    #[error("update.url is not valid: {0}")]
    Address(&'static str),
    #[error("{0} could not be read: {1}")]
    Unreachable(String, String),
    #[error("{0} answered with status {1}")]
    Status(String, u16),
    #[error("{0} redirects to another server or to a connection without encryption, {1}")]
    Redirect(String, String),
    #[error("{url} did not send the whole file within {} seconds", limit.as_secs())]
    Slow { url: String, limit: Duration },
    #[error("{0} announces {1} bytes, but the update manifest says {2}")]
    Length(String, u64, u64),
    #[error("{0} is larger than {1} bytes")]
    TooLarge(String, u64),
    #[error("{0} ended after {1} of {2} bytes")]
    Truncated(String, u64, u64),
    #[error("{0} does not have the SHA-256 sum in the update manifest")]
    Sum(String),
    #[error(transparent)]
    Manifest(#[from] diffsan_manifest::ManifestError),
    #[error(transparent)]
    Refused(#[from] diffsan_manifest::Refusal),
    #[error("the disk of {} has {free} free bytes, but the update needs {needed}", folder.display())]
    NoRoom { folder: PathBuf, free: u64, needed: u64 },
    #[error("the disk of {} is full", .0.display())]
    Full(PathBuf),
    #[error("another diffsan is downloading this update")]
    Busy,
    #[error("{} cannot be used: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("the download was cancelled")]
    Cancelled,
}

impl UpdateError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Self::Full(path.parent().unwrap_or(Path::new("/")).to_owned())
            }
            _ => Self::File { path, error },
        }
    }
}
