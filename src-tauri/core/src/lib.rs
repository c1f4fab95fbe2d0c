//! The review core of diffsan: everything that can be tested without a window.
//!
//! Floors, importing downward only (a test enforces it): words (`bounded`, `change`, `finding`, `review`, `config`, `error`,
//! `event`) · steps (`prepare`, `redact`, `prompt`, `answer`, `anchor`, `merge`, `compact`, `capability`, `outline`, `post_plan`, `export`) · doors (`repo`, `room`, `agent`, `gitlab`, `secrets`, `store`,
//! `files`) · flows (`run`, `chat`, `policy`, `post`) · face (`app`, `rpc`).

pub mod agent;
pub mod anchor;
pub mod answer;
pub mod app;
pub mod bounded;
pub mod capability;
pub mod change;
pub mod chat;
pub mod compact;
pub mod config;
pub mod error;
pub mod event;
pub mod export;
pub mod failure;
pub mod files;
pub mod finding;
pub mod gitlab;
pub mod highlight;
pub mod merge;
pub mod outline;
pub mod policy;
pub mod post;
pub mod post_plan;
pub mod prepare;
pub mod prices;
pub mod prompt;
pub mod redact;
pub mod repo;
pub mod review;
pub mod room;
pub mod rpc;
pub mod run;
pub mod schemas;
pub mod secrets;
pub mod store;
pub mod tokens;
