//! Opens a bundle, checks it, and makes its review again.

use std::path::Path;

use diffsan_agent::SearchPath;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::RECORD_FILE;
use diffsan_placing::PlacingRecord;
use diffsan_review::ReviewOutput;
use diffsan_review::opinion::SecondOpinion;

use crate::archive::{self, Files};
use crate::error::{BundleError, Tampering};
use crate::manifest::{MANIFEST, Manifest, SIGNATURE, sha256};
use crate::signature::{Signer, SigningProgram};

/// The name of the review in a run folder.
const REVIEW: &str = "review.json";

/// A bundle whose files are those of its manifest.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The manifest.
    pub manifest: Manifest,
    /// The SHA-256 of the manifest in hexadecimal.
    pub digest: String,
    files: Files,
}

/// Reads a bundle, and compares its files with its manifest. The signature is not checked.
pub fn read_bundle(bytes: &[u8]) -> Result<Opened, BundleError> {
    let (files, comment) = archive::read(bytes)?;
    let text = files.get(MANIFEST).ok_or(Tampering::NoManifest)?;
    let manifest = Manifest::read(text, &comment)?;
    manifest.check(&files)?;
    let digest = sha256(text);
    Ok(Opened { manifest, digest, files })
}

impl Opened {
    /// Checks the signature, if there is one. With a file of allowed signers, there must be one of them. Blocks.
    pub fn check_signature(&self, allowed: Option<&Path>, search: &SearchPath) -> Result<Signer> {
        let text = self.files.get(MANIFEST).map(Vec::as_slice).unwrap_or_default();
        match (self.files.get(SIGNATURE), allowed) {
            (Some(signature), _) => SigningProgram::find(search)?.check(text, signature, allowed),
            (None, Some(_)) => Err(BundleError::from(Tampering::Unsigned).into()),
            (None, None) => Ok(Signer::None),
        }
    }

    /// Makes the review again. It must be equal to the recorded one, byte for byte. Returns its text as in `review.json`, too.
    pub fn replay(&self) -> Result<(ReviewOutput, String), BundleError> {
        let (_, review) = review_of(&self.files)?;
        Ok((review, self.text(REVIEW).unwrap_or_default()))
    }

    /// Returns the record of the run.
    pub fn record(&self) -> Result<PlacingRecord, BundleError> {
        record_of(&self.files)
    }

    /// Returns the text of a file.
    pub fn text(&self, name: &str) -> Option<String> {
        text_of(&self.files, name)
    }
}

fn text_of(files: &Files, name: &str) -> Option<String> {
    String::from_utf8(files.get(name)?.clone()).ok()
}

fn record_of(files: &Files) -> Result<PlacingRecord, BundleError> {
    let bytes = files.get(RECORD_FILE).ok_or_else(|| Tampering::Missing(RECORD_FILE.to_owned()))?;
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| BundleError::Record(error.to_string()))?;
    if let Some(format) = value["format"].as_u64().filter(|format| *format > u64::from(diffsan_placing::FORMAT)) {
        return Err(BundleError::Newer(format));
    }
    serde_json::from_value(value).map_err(|error| BundleError::Record(error.to_string()))
}

/// Makes the review of the files of a run, and compares it with the recorded one.
pub(crate) fn review_of(files: &Files) -> Result<(PlacingRecord, ReviewOutput), BundleError> {
    let record = record_of(files)?;
    let mut review = diffsan_placing::review(&record, &|name| text_of(files, name))?;
    let recorded = files.get(REVIEW).ok_or_else(|| Tampering::Missing(REVIEW.to_owned()))?;
    // Second opinions are given about a finished review, at any time. They are not made again.
    review.second_opinion = second_opinion(recorded);
    let value = serde_json::to_value(&review).map_err(|error| BundleError::Record(error.to_string()))?;
    let text = serde_json::to_vec_pretty(&value).map_err(|error| BundleError::Record(error.to_string()))?;
    if text != *recorded {
        let recorded: serde_json::Value = serde_json::from_slice(recorded).unwrap_or_default();
        let place = difference(&recorded, &value, String::new());
        return Err(BundleError::Differs(place.map(|place| format!(" at {place}")).unwrap_or_default()));
    }
    Ok((record, review))
}

/// Returns the second opinions of a recorded review. `None` if it has none or cannot be read.
fn second_opinion(review: &[u8]) -> Option<SecondOpinion> {
    let mut review: serde_json::Value = serde_json::from_slice(review).ok()?;
    serde_json::from_value(review.get_mut("second_opinion")?.take()).ok()
}

/// Returns the path of the first difference: `findings.0.anchor.line_start`.
fn difference(a: &serde_json::Value, b: &serde_json::Value, path: String) -> Option<String> {
    use serde_json::Value;
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let null = Value::Null;
            keys.into_iter()
                .find_map(|key| difference(a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null), below(key)))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(at, (a, b))| difference(a, b, below(&at.to_string())))
        }
        _ => (a != b).then_some(path),
    }
}
