//! The manifest for windows that update themselves: its signature, its version, and the files that it names.

use std::collections::BTreeMap;
use std::path::Path;

use diffsan_manifest::{MANIFEST, MANIFEST_SIGNATURE, TrustedKey};

use crate::{ReleaseError, text};

/// The end of the name of a file that can replace itself.
const REPLACEABLE: &str = ".AppImage";

/// Checks that the manifest describes exactly the replaceable files of the release. Returns the time from which it is refused, or `None`
/// for a release without such files.
pub fn check(
    folder: &Path,
    sums: &BTreeMap<String, String>,
    version: &str,
    keys: &[TrustedKey],
) -> Result<Option<String>, ReleaseError> {
    let mut missing: Vec<&str> = sums.keys().map(String::as_str).filter(|name| name.ends_with(REPLACEABLE)).collect();
    for name in [MANIFEST, MANIFEST_SIGNATURE] {
        if !sums.contains_key(name) {
            return if missing.is_empty() { Ok(None) } else { Err(ReleaseError::Lacks(name)) };
        }
    }
    let (manifest, signature) = (text(&folder.join(MANIFEST))?, text(&folder.join(MANIFEST_SIGNATURE))?);
    let manifest = diffsan_manifest::verify(manifest.as_bytes(), signature.as_bytes(), keys)?;
    if manifest.version.to_string() != version {
        let found = manifest.version.to_string();
        return Err(ReleaseError::Version { name: MANIFEST.to_owned(), found, expected: version.to_owned() });
    }
    for file in manifest.files.values() {
        let name = file.address.rsplit('/').next().unwrap_or_default();
        let wrong = || ReleaseError::Update { name: name.to_owned() };
        // A listed name is only a name, and its file exists.
        if sums.get(name) != Some(&file.sha256) {
            return Err(wrong());
        }
        let path = folder.join(name);
        let size = path.metadata().map_err(|error| ReleaseError::Unreadable { path, error })?.len();
        if size != file.size {
            return Err(wrong());
        }
        missing.retain(|known| *known != name);
    }
    match missing.first() {
        None => Ok(Some(manifest.expires.to_string())),
        Some(name) => Err(ReleaseError::Update { name: (*name).to_owned() }),
    }
}
