//! Verifies a folder with a release. Its input is the folder and public keys, its output a report or the first fault.
//!
//! The signature covers the list of sums, the list covers every other file. So the order of the checks matters: no content is
//! read before its sum is checked. Writes nothing, and knows neither the network nor terminals.

mod evidence;
mod sums;

use std::path::{Path, PathBuf};

use minisign_verify::{PublicKey, Signature};
use serde::Serialize;

/// The list of sums, in the notation of `sha256sum`.
pub const SUMS: &str = "SHA256SUMS";
/// The signature of the list of sums.
pub const SIGNATURE: &str = "SHA256SUMS.minisig";

/// The largest text file of a release.
const MAX_TEXT_BYTES: u64 = 64 << 20;

/// The keys that diffsan's maintainers sign with: one key in a line, as `minisign -G` writes it. Lines that begin with
/// `untrusted comment:` or `#` are ignored.
pub const MAINTAINERS_KEYS: &str = include_str!("../../../../config/release/keys.pub");

/// A reason not to trust a release.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum ReleaseError {
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("this is not a public key of minisign: {0}")]
    Key(String),
    #[error("there is no public key to check the signature with")]
    NoKey,
    #[error("{SIGNATURE} is not a signature of minisign: {0}")]
    SignatureFormat(String),
    #[error("{SIGNATURE} is not a signature of {SUMS} by any of the {0} trusted keys")]
    Untrusted(usize),
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
}

/// Reads public keys, one for each line that is not a comment.
pub fn keys(text: &str) -> Result<Vec<(String, PublicKey)>, ReleaseError> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("untrusted comment:"))
        .map(|line| {
            let key = PublicKey::from_base64(line).map_err(|error| ReleaseError::Key(error.to_string()))?;
            Ok((line.to_owned(), key))
        })
        .collect()
}

/// Verifies a folder with a release, offline.
pub fn verify(folder: &Path, keys: &[(String, PublicKey)]) -> Result<Release, ReleaseError> {
    let list = text(&folder.join(SUMS))?;
    let (key, version) = signed(folder, &list, keys)?;
    let files = sums::parse(&list)?;
    sums::check(folder, &files)?;
    let names: Vec<String> = files.into_keys().collect();
    let components = evidence::check(folder, &names, &version)?;
    Ok(Release { version, key, files: names, components })
}

/// Checks the signature of the list of sums. Returns the key and the version in the signed comment.
fn signed(folder: &Path, list: &str, keys: &[(String, PublicKey)]) -> Result<(String, String), ReleaseError> {
    if keys.is_empty() {
        return Err(ReleaseError::NoKey);
    }
    let signature = Signature::decode(&text(&folder.join(SIGNATURE))?)
        .map_err(|error| ReleaseError::SignatureFormat(error.to_string()))?;
    let (key, _) = keys
        .iter()
        .find(|(_, key)| key.verify(list.as_bytes(), &signature, false).is_ok())
        .ok_or(ReleaseError::Untrusted(keys.len()))?;
    let comment = signature.trusted_comment();
    let version = comment.strip_prefix("diffsan ").filter(|version| is_version(version));
    let version = version.ok_or_else(|| ReleaseError::Comment(comment.to_owned()))?;
    Ok((key.clone(), version.to_owned()))
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
