//! Runs agents: programs and endpoints that answer a prompt.
//!
//! In: an [`AgentRequest`], and prompts that were masked. Out: the agent's answer or events, not masked, or why there is none. An agent
//! is an entry of `config/agents.toml` or of the user's settings.
//!
//! | module | contents |
//! | --- | --- |
//! | `oneshot` | one question, by the program's own one-shot mode |
//! | `session` | conversations, with one driver for each protocol |
//! | `http` | the client of OpenAI-compatible endpoints |
//! | `process`, `process_tree` | starts programs, and ends them |
//! | `launcher` | the process between diffsan and an agent |
//! | `sandbox` | the files and hosts that an agent can reach, and the receipt about them |
//! | `limits` | memory and processes of an agent |
//! | `room` | the folder that agents read |

pub mod room;
pub mod session;

mod command;
mod credentials;
mod entry;
mod excluded;
mod failure;
mod find;
mod http;
mod launcher;
mod limits;
mod lines;
mod oneshot;
mod process;
mod process_tree;
mod protocol;
mod read;
mod reported;
mod request;
mod sandbox;

pub use command::{ANSWER_FILE, PROXY_KEY, SCHEMA_FILE};
pub use credentials::git_credentials;
pub use entry::{Agent, known, locate};
pub use failure::{Failure, FailureKind};
pub use find::{SearchPath, is_relative};
pub use launcher::begin_program;
pub use oneshot::{Question, Reply, RunFacts, ask, version};
pub use process::none_runs;
pub use process_tree::end_abandoned_agents;
pub use request::{AgentFolders, AgentRequest};

#[cfg(test)]
mod tests;
