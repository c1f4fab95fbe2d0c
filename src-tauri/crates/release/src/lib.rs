//! Verifies a folder with a release. Its input is the folder and public keys, its output a report or the first fault.
//!
//! The signature covers the list of sums, the list covers every other file. So the order of the checks matters: no content is
//! read before its sum is checked. Writes nothing, and knows neither the network nor terminals.

mod evidence;
mod sums;
mod update;

use std::path::{Path, PathBuf};

use diffsan_manifest::{ManifestError, SignatureError, TrustedKey, verify_signature};
use serde::Serialize;

pub use diffsan_manifest::{MAINTAINERS_KEYS, keys};

/// The list of sums, in the notation of `sha256sum`.
pub const SUMS: &str = "SHA256SUMS";
/// The signature of the list of sums.
pub const SIGNATURE: &str = "SHA256SUMS.minisig";

/// The largest text file of a release.
const MAX_TEXT_BYTES: u64 = 64 << 20;

/// A reason not to trust a release.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum ReleaseError {
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("{0}")]
    Keys(SignatureError),
    #[error("{SIGNATURE} is not a signature of {SUMS}: {0}")]
    Signature(SignatureError),
    #[error("the signed comment does not name a version of diffsan: {0:?}")]
    Comment(String),
    #[error("line {line} of {SUMS} is not a sum and the name of a file in the same folder")]
    SumsFormat { line: usize },
    #[error("{name} does not have the sum in {SUMS}")]
    Sum { name: String },
    #[error("{name} is listed in {SUMS} but is missing")]
    Missing { name: String },
    #[error("{name} is not listed in {SUMS}, so nobody signed it")]
    Unlisted { name: String },
    #[error("the release has no {0}")]
    Lacks(&'static str),
    #[error("{name} is not a bill of materials in CycloneDX: {reason}")]
    Bill { name: String, reason: String },
    #[error("{name} is for version {found}, the release is {expected}")]
    Version { name: String, found: String, expected: String },
    #[error("{component} is in a bill of materials, but not in {licences}")]
    Licence { component: String, licences: &'static str },
    #[error("{0}")]
    Manifest(#[from] ManifestError),
    #[error("{} does not describe {name}", diffsan_manifest::MANIFEST)]
    Update { name: String },
}

/// A verified release.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Release {
    /// The version in the signed comment.
    pub version: String,
    /// The identifier of the key that signed, as `minisign` prints it.
    pub key: String,
    /// The names of all signed files, sorted.
    pub files: Vec<String>,
    /// The number of components of other authors, for each bill of materials.
    pub components: Vec<(String, usize)>,
    /// The time from which windows refuse to update to this release, if it has a manifest for them.
    pub update_expires: Option<String>,
}

/// Verifies a folder with a release, offline.
pub fn verify(folder: &Path, keys: &[TrustedKey]) -> Result<Release, ReleaseError> {
    let list = text(&folder.join(SUMS))?;
    let (key, version) = signed(folder, &list, keys)?;
    let files = sums::parse(&list)?;
    sums::check(folder, &files)?;
    let update_expires = update::check(folder, &files, &version, keys)?;
    let names: Vec<String> = files.into_keys().collect();
    let components = evidence::check(folder, &names, &version)?;
    Ok(Release { version, key, files: names, components, update_expires })
}

/// Checks the signature of the list of sums. Returns the key and the version in the signed comment.
fn signed(folder: &Path, list: &str, keys: &[TrustedKey]) -> Result<(String, String), ReleaseError> {
    let signature = text(&folder.join(SIGNATURE))?;
    let signed = verify_signature(list.as_bytes(), &signature, keys).map_err(|error| match error {
        SignatureError::NoKey => ReleaseError::Keys(error),
        error => ReleaseError::Signature(error),
    })?;
    let comment = &signed.comment;
    let version = comment.strip_prefix("diffsan ").filter(|version| is_version(version));
    let version = version.ok_or_else(|| ReleaseError::Comment(comment.clone()))?.to_owned();
    Ok((signed.key, version))
}

/// Returns whether a text is a version: three numbers, and possibly a pre-release.
fn is_version(text: &str) -> bool {
    let (numbers, pre) = text.split_once('-').map_or((text, None), |(numbers, pre)| (numbers, Some(pre)));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() == 3
        && numbers.split('.').all(digits)
        && pre.is_none_or(|pre| !pre.is_empty() && pre.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.'))
}

/// Reads a text file.
fn text(path: &Path) -> Result<String, ReleaseError> {
    diffsan_bounded::read_to_string(path, MAX_TEXT_BYTES)
        .map_err(|error| ReleaseError::Unreadable { path: path.to_owned(), error })
}
