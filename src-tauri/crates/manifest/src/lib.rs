//! The manifest of a release, which the window reads to update itself. In: bytes of strangers, trusted keys, the running version and the
//! time. Out: a verified manifest, and the file that may replace the running program, or the reason against it.
//!
//! Nothing of a manifest is parsed before its signature is checked. This crate reads no file, clock or network.

mod offer;
mod signature;

use std::collections::BTreeMap;

use jiff::Timestamp;
use semver::Version;
use serde::Deserialize;

pub use offer::{Installed, Offer, Refusal};
pub use signature::{MAINTAINERS_KEYS, SignatureError, Signed, TrustedKey, keys, verify_signature};

/// The name of the manifest in a release.
pub const MANIFEST: &str = "update.json";
/// The name of the signature of the manifest.
pub const MANIFEST_SIGNATURE: &str = "update.json.minisig";
/// The largest manifest.
pub const MAX_MANIFEST_BYTES: usize = 64 << 10;
/// The largest signature of a manifest.
pub const MAX_SIGNATURE_BYTES: usize = 4 << 10;
/// The largest file that a manifest may name.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// The first line of the signature of a manifest. Minisign does not sign it, so it must be this text.
const FIRST_LINE: &str = "untrusted comment: signature of update.json";
/// The format that this version reads.
const FORMAT: u32 = 1;

/// A reason to refuse a manifest.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum ManifestError {
    #[error("the update manifest is larger than {MAX_MANIFEST_BYTES} bytes")]
    TooLarge,
    #[error("the signature of the update manifest was refused: {0}")]
    Signature(#[from] SignatureError),
    #[error("the signed comment is for another file or version: {0:?}")]
    Comment(String),
    #[error("the update manifest is not valid: {0}")]
    Format(String),
    #[error("the update manifest has format {0}, and this version reads format {FORMAT}")]
    Unknown(u32),
}

/// A manifest with a valid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The version of the release.
    pub version: Version,
    /// The time of the release.
    pub released: Timestamp,
    /// The time from which the manifest is refused.
    pub expires: Timestamp,
    /// The files by platform, such as `x86_64-linux`.
    pub files: BTreeMap<String, PlatformFile>,
}

/// The file of one platform.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformFile {
    /// The address, usually relative to the address of the manifest.
    pub address: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 sum, in hexadecimal.
    pub sha256: String,
}

/// The manifest as it is written.
#[derive(Deserialize)]
struct Written {
    format: u32,
    version: String,
    released: String,
    expires: String,
    files: BTreeMap<String, PlatformFile>,
}

/// Returns the name of this platform in manifests.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Returns the signed comment of the manifest of a version.
pub fn signed_comment(version: &str) -> String {
    format!("diffsan {version} {MANIFEST}")
}

/// Verifies a manifest and reads it.
pub fn verify(text: &[u8], signature: &[u8], keys: &[TrustedKey]) -> Result<Manifest, ManifestError> {
    if text.len() > MAX_MANIFEST_BYTES || signature.len() > MAX_SIGNATURE_BYTES {
        return Err(ManifestError::TooLarge);
    }
    let signature = str::from_utf8(signature).map_err(|error| SignatureError::Format(error.to_string()))?;
    signature::check_notation(signature, FIRST_LINE)?;
    let signed = verify_signature(text, signature, keys)?;
    let manifest = parse(text)?;
    if signed.comment != signed_comment(&manifest.version.to_string()) {
        return Err(ManifestError::Comment(signed.comment));
    }
    Ok(manifest)
}

/// Parses a manifest whose signature is checked.
fn parse(text: &[u8]) -> Result<Manifest, ManifestError> {
    let fault = |reason: String| ManifestError::Format(reason);
    /// The part that every format has.
    #[derive(Deserialize)]
    struct AnyFormat {
        format: u32,
    }
    let AnyFormat { format } = serde_json::from_slice(text).map_err(|error| fault(error.to_string()))?;
    if format != FORMAT {
        return Err(ManifestError::Unknown(format));
    }
    let written: Written = serde_json::from_slice(text).map_err(|error| fault(error.to_string()))?;
    debug_assert_eq!(written.format, FORMAT);
    let time = |text: &str| text.parse::<Timestamp>().map_err(|error| fault(error.to_string()));
    let manifest = Manifest {
        version: Version::parse(&written.version).map_err(|error| fault(error.to_string()))?,
        released: time(&written.released)?,
        expires: time(&written.expires)?,
        files: written.files,
    };
    if manifest.expires <= manifest.released {
        return Err(fault("it expires before its release".to_owned()));
    }
    for (platform, file) in &manifest.files {
        if file.size == 0 || file.size > MAX_FILE_BYTES {
            return Err(fault(format!("the size of the file for {platform} is not between 1 and {MAX_FILE_BYTES}")));
        }
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if file.sha256.len() != 64 || !file.sha256.bytes().all(is_digit) {
            return Err(fault(format!("the sum of the file for {platform} is not a SHA-256 sum")));
        }
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests;
