//! Anchors: where findings are in the code, as they were reviewed and after a push.
//!
//! In: findings and other remarks as agents wrote them, the change and the files' lines (masked, as the agents saw them), and the symbols of
//! the head. Out: findings with an anchor that names only existing lines, a fix that applies, and checked claims; and the same findings on
//! a later state of the change, with the status of their code. No finding is dropped; a note says why one could not be placed. It reads no
//! file, and knows nothing of git, storage or forges.

mod chapters;
mod claims;
mod coverage;
mod damage;
mod evidence;
mod files;
mod intent;
mod line_map;
mod locate;
mod patch;
mod paths;
mod place;
mod quote;
mod relocate;
mod renames;
mod status;

pub use chapters::check_chapters;
pub use claims::{FilesWith, Head, ReadText, claimed_names, names_symbols};
pub use coverage::{AddedLines, check_coverage};
pub use evidence::QuoteCheck;
pub use files::{Files, SideLines};
pub use intent::check_intent;
pub use paths::{Resolved, resolve_path};
pub use place::{place, place_all, recheck};
pub use relocate::{Relocated, relocate};
pub use renames::renamed_file;
pub use status::{CodeDigests, code_status, finding_code_status};
