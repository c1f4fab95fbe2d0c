//! The agents of this machine: finding, selecting and testing them.

mod check;
mod choice;
mod error;
mod folders;
mod prompt;
mod waits;

pub use check::{AgentCheck, CheckRequest, check_agent};
pub use choice::{AgentChoice, FoundAgent, choose_agent, choose_agents, find_agents};
pub use error::no_answer;
pub use folders::{agent_folders, folders_with_room, write_schema};
pub use prompt::{PromptReply, PromptRequest, ask_prompt};
pub use waits::{Waits, wait};
