//! Rounds: the reviews of one change, one after the other.
//!
//! In: findings of earlier reviews and of a new one, and the status of their code. Out: the keys of findings, and the comparison of two
//! reviews. Knows nothing of storage, git or forges. The crate `anchor` finds the status of code and the current places of findings.

mod compare;
mod keys;
mod matching;
mod status;

pub use compare::{Compared, Round, compare};
pub use keys::{KnownFinding, assign_keys, content_key, is_key, new_key, short_digest};
pub use matching::match_findings;
pub use status::CodeStatus;
