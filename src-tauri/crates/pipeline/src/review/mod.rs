//! One review, from an open change to a saved result.
//!
//! Prepares the change, asks the agents, checks their answers and writes everything to the run folder, which also says how the run ended.

mod asking;
mod attempts;
mod batches;
mod callers;
mod capability;
mod chapters;
mod facts;
mod head_symbols;
mod intent;
mod log;
mod output;
mod placing;
mod prompt;
mod prompt_budget;
mod quotes;
mod reading;
mod record;
mod request;
mod resume;
mod room;
mod run;
mod runs;
mod search;
mod skip;

pub use crate::run_start::new_run_id;
pub use chapters::checked_chapters;
pub use intent::{checked_intent, intent_of};
pub use placing::{ClaimCheck, known_posted_findings, lines_at, place_answers, place_edit, recheck, relocate};
pub use prompt::{BuiltPrompt, PromptRequest, build_prompt, estimate_cost, with_record};
pub use quotes::check_quotes;
pub use record::RECORD_FILE;
pub use request::{Outcome, ReviewRequest, Reviewed, RunEvent, RunLocation};
pub use resume::{ResumePart, no_such_run, plan_resume, saved_answers};
pub use room::{PreparedRoom, copies_folder, expected_room, prepare_room, room_of};
pub use run::review;
pub use runs::{MAX_RUNS, check_runs};
pub use skip::{SkipCode, SkipDecision, SkipReason, nothing_to_send};
