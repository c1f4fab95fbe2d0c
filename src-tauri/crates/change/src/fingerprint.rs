//! Computes the fingerprint of a change, which is the same on every machine. It is a digest of the patch in a canonical form
//! (full prefixes, three lines of context, no sections, no similarity), so that no git setting can change it. Additions to
//! a patch from a user's settings are not part of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cut::{has_context, with_context};
use super::print::{Headers, print_headers, print_hunk_header, print_lines};
use super::{Body, Change, FileChange};

/// A digest of the raw diff. Equal content has an equal fingerprint on every machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// Always `sha256`.
    pub algo: String,
    /// The digest in lower-case hexadecimal digits.
    pub value: String,
}

/// The lines of context in the canonical form: git's default.
const CONTEXT: usize = 3;

/// The number of hexadecimal digits of an object id that are used: git's minimum abbreviation.
const ID_DIGITS: usize = 7;

/// Returns the fingerprint of a change.
pub fn fingerprint(change: &Change) -> Fingerprint {
    let mut digest = Sha256::new();
    let mut text = Vec::new();
    for file in &change.files {
        canonical_file(file, &mut text);
        digest.update(&text);
        text.clear();
    }
    Fingerprint { algo: "sha256".to_owned(), value: hex::encode(digest.finalize()) }
}

fn canonical_file(file: &FileChange, out: &mut Vec<u8>) {
    print_headers(file, Headers::Unmeasured, out);
    match &file.body {
        Body::Text(hunks) => {
            for hunk in hunks {
                if has_context(hunk, CONTEXT) {
                    print_hunk_header(hunk, false, out);
                    print_lines(hunk, out);
                    continue;
                }
                for part in with_context(hunk, CONTEXT) {
                    print_hunk_header(&part, false, out);
                    print_lines(&part, out);
                }
            }
        }
        // Not every source has the content, but all have git's object ids of it.
        Body::Binary(_) | Body::Unread(_) => {
            let short = |id: &str| id.get(..ID_DIGITS).unwrap_or(id).to_owned();
            let (old, new) = file.ids.as_ref().map(|(old, new)| (short(old), short(new))).unwrap_or_default();
            out.extend_from_slice(format!("Binary {old}..{new}\n").as_bytes());
        }
    }
}
