//! Facts of a pipeline about a change: jobs, failed tests, coverage and findings of tools.
//!
//! In: reports of programs as bytes, and the paths of the head. Out: [`Facts`] whose paths are those of the head. A path that fits
//! several files is named in a note, never guessed. This crate does not know where reports come from.

mod cobertura;
mod code_quality;
mod collect;
mod frames;
mod gitlab_tests;
mod junit;
mod lcov;
mod log;
mod paths;
mod report;
mod sarif;
mod summary;
mod text;
mod types;
mod xml;

pub use collect::{Collector, ReportSource};
pub use gitlab_tests::gitlab_test_report;
pub use log::{MAX_LOG_BYTES, MAX_LOG_LINES, log_tail};
pub use paths::{Origin, Tree};
pub use report::{Report, ReportError, parse};
pub use summary::FactsSummary;
pub use text::agent_entries;
pub use types::{
    FactSource, Facts, FileLine, Job, LineRun, LineState, LogTail, Pipeline, SourceKind, TestCounts, TestCoverage,
    TestFailure, ToolFinding, ToolSeverity,
};
