//! Rounds: the reviews of one change, one after the other.
//!
//! In: findings of earlier reviews and of a new one, and earlier and current versions of files. Out: the keys of findings, the status of
//! the code that a finding is about, its current place, and the comparison of two reviews. Knows nothing of storage, git or forges.

mod compare;
mod keys;
mod line_map;
mod matching;
mod relocate;
mod renames;
mod status;

pub use compare::{Compared, Round, compare};
pub use keys::{assign_keys, content_key, is_key, new_key, short_digest};
pub use matching::match_findings;
pub use relocate::{Relocated, relocate};
pub use renames::renamed_file;
pub use status::{CodeDigests, CodeStatus, code_digest, code_status, finding_code_status};
