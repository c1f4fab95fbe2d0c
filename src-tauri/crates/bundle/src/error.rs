//! The errors of bundles. Each kind of tampering has its own, which names the file.

use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_placing::PlacingError;

/// A difference between a bundle and its manifest, or a bundle that no version of diffsan writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Tampering {
    /// The file is not a whole zip file.
    #[error("It is not a whole zip file: {0}")]
    Truncated(String),
    /// There is something before, between or behind the entries.
    #[error("It contains data that belongs to no file: {0}")]
    Hidden(String),
    /// A name leads out of the folder, or is not a file name.
    #[error("The name {0} is not allowed in a bundle")]
    Name(String),
    /// Two files have the same name.
    #[error("It contains {0} twice")]
    Duplicate(String),
    /// An entry is a folder or a link.
    #[error("{0} is not a file")]
    NotFile(String),
    /// A file, or the number or sum of all, is over the limit.
    #[error("{file} is too large: {limit}")]
    TooLarge {
        /// The file.
        file: String,
        /// The limit, as text.
        limit: String,
    },
    /// The manifest is missing.
    #[error("It has no manifest.json")]
    NoManifest,
    /// The manifest cannot be read.
    #[error("manifest.json cannot be read: {0}")]
    BadManifest(String),
    /// The manifest differs from its digest.
    #[error("manifest.json was changed")]
    ManifestChanged,
    /// A file differs from its digest.
    #[error("{0} was changed")]
    Changed(String),
    /// A file of the manifest is missing.
    #[error("{0} is missing")]
    Missing(String),
    /// A file is not in the manifest.
    #[error("{0} was added")]
    Added(String),
    /// A file has another name than in the manifest.
    #[error("{from} was renamed to {to}")]
    Renamed {
        /// The name in the manifest.
        from: String,
        /// The name in the bundle.
        to: String,
    },
    /// The signature is not one of the manifest.
    #[error("manifest.json.sig is not a signature of manifest.json: {0}")]
    WrongSignature(String),
    /// The key of the signature is not allowed.
    #[error("The key that signed it is not in {0}")]
    UnknownSigner(String),
    /// There is no signature, although one is required.
    #[error("It is not signed")]
    Unsigned,
}

impl Tampering {
    /// Returns a short name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Truncated(_) => "truncated",
            Self::Hidden(_) => "hidden_data",
            Self::Name(_) => "name",
            Self::Duplicate(_) => "duplicate",
            Self::NotFile(_) => "not_a_file",
            Self::TooLarge { .. } => "too_large",
            Self::NoManifest => "no_manifest",
            Self::BadManifest(_) => "bad_manifest",
            Self::ManifestChanged => "manifest_changed",
            Self::Changed(_) => "changed",
            Self::Missing(_) => "missing",
            Self::Added(_) => "added",
            Self::Renamed { .. } => "renamed",
            Self::WrongSignature(_) => "wrong_signature",
            Self::UnknownSigner(_) => "unknown_signer",
            Self::Unsigned => "unsigned",
        }
    }

    /// Returns the file that it is about, if it is about one.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Name(file) | Self::Duplicate(file) | Self::NotFile(file) | Self::TooLarge { file, .. } => Some(file),
            Self::Changed(file) | Self::Missing(file) | Self::Added(file) => Some(file),
            Self::Renamed { from, .. } => Some(from),
            Self::NoManifest | Self::BadManifest(_) | Self::ManifestChanged => Some(crate::MANIFEST),
            Self::WrongSignature(_) => Some(crate::SIGNATURE),
            Self::Truncated(_) | Self::Hidden(_) | Self::UnknownSigner(_) | Self::Unsigned => None,
        }
    }
}

/// A bundle that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// The bundle is not as it was sealed.
    #[error("The bundle is not valid. {0}.")]
    Tampered(#[from] Tampering),
    /// A later version made it.
    #[error("The bundle has the format {0}, which only a later version of diffsan reads.")]
    Newer(u64),
    /// No review can be made from its record.
    #[error("No review can be made from the bundle: {0}.")]
    Placing(#[from] PlacingError),
    /// Its record cannot be read.
    #[error("placing.json of the bundle cannot be read: {0}.")]
    Record(String),
    /// The review differs from the recorded one.
    #[error("The review differs from review.json of the bundle{0}.")]
    Differs(String),
}

impl From<BundleError> for Error {
    fn from(error: BundleError) -> Self {
        let text = error.to_string();
        let invalid = Self::new(ErrorCode::InvalidInput, text);
        match &error {
            BundleError::Tampered(what) => {
                let hint = match what {
                    Tampering::UnknownSigner(_) => "Add the key to the file of allowed signers if you trust it.",
                    Tampering::Unsigned => {
                        "Ask for a bundle that was made with --sign, or leave out --allowed-signers."
                    }
                    _ => "Ask for the bundle again. Do not trust this file.",
                };
                let error = invalid.hint(hint).with("tampering", what.kind());
                match what.file() {
                    Some(file) => error.with("file", file),
                    None => error,
                }
            }
            BundleError::Newer(_) | BundleError::Placing(PlacingError::Newer(_)) => {
                invalid.hint("Update diffsan, then replay it again.")
            }
            BundleError::Differs(_) => {
                invalid.hint("Use the version of diffsan that made it; its manifest.json names the version.")
            }
            BundleError::Placing(_) | BundleError::Record(_) => invalid.hint("Ask for the bundle again."),
        }
    }
}
