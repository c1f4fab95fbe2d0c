//! The manifest of a bundle: the digest of each file. The comment of the zip file has the digest of the manifest itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::archive::{Files, is_allowed};
use crate::error::{BundleError, Tampering};

/// The name of the manifest in a bundle.
pub const MANIFEST: &str = "manifest.json";
/// The name of the signature of the manifest in a bundle.
pub const SIGNATURE: &str = "manifest.json.sig";
/// The format of the bundles that this version writes.
pub const FORMAT: u32 = 1;

/// The list of the files of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format of the bundle.
    pub format: u32,
    /// The identifier of the run.
    pub run_id: String,
    /// The versions of the programs that made the run and the bundle.
    pub versions: Versions,
    /// The files, sorted by path.
    pub files: Vec<SealedFile>,
}

/// The versions of the programs that made a run and its bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    /// The version of diffsan that reviewed.
    pub reviewed: String,
    /// The version of diffsan that made the bundle.
    pub sealed: String,
    /// The format of the record from which the review is made.
    pub placing: u32,
    /// The version of the redaction rules that masked the run.
    pub redaction: Option<String>,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedFile {
    /// The path in the run folder.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The SHA-256 of the content in hexadecimal.
    pub sha256: String,
}

/// Returns the SHA-256 of bytes in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Returns the comment of a bundle with this manifest.
pub fn comment(manifest: &[u8]) -> String {
    format!("diffsan bundle {FORMAT}, {MANIFEST} sha256:{}", sha256(manifest))
}

impl Manifest {
    /// Lists files.
    pub(crate) fn files_of(files: &Files) -> Vec<SealedFile> {
        let one = |(path, bytes): (&String, &Vec<u8>)| SealedFile {
            path: path.clone(),
            bytes: bytes.len() as u64,
            sha256: sha256(bytes),
        };
        files.iter().map(one).collect()
    }

    /// Reads the manifest of a bundle, and compares it with the comment.
    pub(crate) fn read(bytes: &[u8], found: &str) -> Result<Self, BundleError> {
        let bad = |error: serde_json::Error| Tampering::BadManifest(error.to_string());
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(bad)?;
        if let Some(format) = value["format"].as_u64().filter(|format| *format > u64::from(FORMAT)) {
            return Err(BundleError::Newer(format));
        }
        let manifest: Self = serde_json::from_value(value).map_err(bad)?;
        if found != comment(bytes) {
            return Err(Tampering::ManifestChanged.into());
        }
        let mut known = BTreeSet::new();
        for file in &manifest.files {
            if !is_allowed(&file.path) {
                return Err(Tampering::Name(file.path.clone()).into());
            }
            if !known.insert(&file.path) {
                return Err(Tampering::Duplicate(file.path.clone()).into());
            }
        }
        Ok(manifest)
    }

    /// Compares files with the manifest.
    pub(crate) fn check(&self, files: &Files) -> Result<(), Tampering> {
        let listed: BTreeMap<&str, &SealedFile> = self.files.iter().map(|file| (file.path.as_str(), file)).collect();
        let is_other = |name: &&String| !listed.contains_key(name.as_str()) && *name != MANIFEST && *name != SIGNATURE;
        let others: Vec<&String> = files.keys().filter(is_other).collect();
        for file in &self.files {
            let Some(content) = files.get(&file.path) else {
                let renamed =
                    others.iter().find(|name| files.get(**name).is_some_and(|other| sha256(other) == file.sha256));
                return Err(match renamed {
                    Some(to) => Tampering::Renamed { from: file.path.clone(), to: (*to).clone() },
                    None => Tampering::Missing(file.path.clone()),
                });
            };
            if content.len() as u64 != file.bytes || sha256(content) != file.sha256 {
                return Err(Tampering::Changed(file.path.clone()));
            }
        }
        match others.first() {
            Some(name) => Err(Tampering::Added((*name).clone())),
            None => Ok(()),
        }
    }
}
