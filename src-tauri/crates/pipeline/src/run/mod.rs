//! One review, from a target to a kept result.
//!
//! Joins the steps and the doors: open a change, prepare it, ask an agent, check its answer, keep everything in the run's
//! folder. Whatever happens, the folder says how it ended.

mod access;
mod agents;
mod attempts;
mod capability;
mod check;
mod earlier;
mod fetch;
mod fixes;
mod folders;
mod furnish;
mod log;
mod named;
mod opened;
mod parts;
mod placing;
mod prompting;
mod resume;
mod review;
mod search;
mod since;
mod skip;
mod trust;
mod words;
pub use access::{GitlabAccess, TokenPlace};
pub use agents::{AgentChoice, FoundAgent, choose_agent, choose_agents, find_agents};
pub use check::{CheckRequest, Checked, check_agent};
pub use earlier::{OwnNote, earlier, own_notes, said};
pub use fetch::{bring_commits, fetch_merge_request, merge_request_target};
pub use fixes::{FixRequest, apply_fix, refused, undo_fix};
pub use folders::agent_folders;
pub use furnish::copies_folder;
pub use furnish::{Furnished, expected_room, furnish, inside_repository};
pub use opened::{FetchedRequest, OpenRequest, Opened, PreparedChange, Source, Threads};
pub use opened::{excluded_folders, read_patch_file};
pub use placing::{code_stands, lines_at, masked_output, place, place_again, place_now};
pub use prompting::{BuiltPrompt, PromptRequest, build_prompt, estimate_cost};
pub use resume::no_such_run;
pub use resume::{ResumePart, kept_answers, plan_resume};
pub use review::{Outcome, ReviewRequest, Reviewed, RunEvent, Where, review};
pub use skip::{SkipCode, SkipDecision, SkipReason};
pub use trust::settings_here;
pub use trust::{Trust, TrustState};
pub use words::{blocking, no_answer};
