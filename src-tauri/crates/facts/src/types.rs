//! The facts about a change. They are stable JSON: fields are added, never renamed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The facts about a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// The head commit of the change, if it has one.
    pub commit: Option<String>,
    /// The pipeline of the head, or the latest one of an earlier head.
    pub pipeline: Option<Pipeline>,
    /// The jobs of the pipeline.
    pub jobs: Vec<Job>,
    /// The numbers of tests, if there is a report of tests.
    pub tests: Option<TestCounts>,
    /// The failed tests.
    pub failures: Vec<TestFailure>,
    /// The coverage of the files of the change.
    pub coverage: Vec<TestCoverage>,
    /// The findings of tools in the files of the change.
    pub findings: Vec<ToolFinding>,
    /// The sources that were read, including those that could not be read.
    pub sources: Vec<FactSource>,
    /// Notes about parts that are left out or not sure.
    pub notes: Vec<String>,
}

/// A pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pipeline {
    /// The ID.
    pub id: u64,
    /// `success`, `failed`, `running`, ….
    pub status: String,
    /// The commit that it ran for.
    pub commit: String,
    /// Whether it ran for another commit than the head.
    pub stale: bool,
    /// The address of its page.
    pub web_url: Option<String>,
}

/// A job of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// The ID.
    pub id: u64,
    /// The name.
    pub name: String,
    /// The stage.
    pub stage: String,
    /// `success`, `failed`, `running`, ….
    pub status: String,
    /// Whether the pipeline may succeed if the job fails.
    pub allow_failure: bool,
    /// The address of its page.
    pub web_url: Option<String>,
    /// The end of the log of a failed job, if it could be read.
    pub log: Option<LogTail>,
}

/// The end of a log, as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogTail {
    /// The last lines.
    pub text: String,
    /// Whether the log has more lines before them.
    pub shortened: bool,
}

/// The numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCounts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed, or ended with an error.
    pub failed: u32,
    /// Tests that were skipped.
    pub skipped: u32,
}

/// A line of a file of the head.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FileLine {
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

/// A failed test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestFailure {
    /// The name of the test.
    pub name: String,
    /// The class, module or suite.
    pub suite: String,
    /// The message, usually one line.
    pub message: String,
    /// The stack trace or output.
    pub details: String,
    /// The lines of the head that its report or stack trace names. The first one is that of the test.
    pub places: Vec<FileLine>,
    /// Whether the report is about another state of the code than the head.
    pub stale: bool,
    /// Index into `Facts.sources`.
    pub source: u32,
}

/// Whether tests ran a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineState {
    /// No test ran it.
    Uncovered,
    /// A test ran it, but not all of its branches.
    Partial,
    /// A test ran it.
    Covered,
}

/// Consecutive lines with the same state. Lines without code are in no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineRun {
    /// The first line, from 1.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// The state of these lines.
    pub state: LineState,
}

/// The coverage of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCoverage {
    /// The path of the file.
    pub path: String,
    /// The measured lines, in order.
    pub runs: Vec<LineRun>,
    /// Whether the report is about another state of the file than the head.
    pub stale: bool,
    /// Indices into `Facts.sources`.
    pub sources: Vec<u32>,
}

impl TestCoverage {
    /// Returns the state of a line, or `None` if it was not measured.
    pub fn state(&self, line: u32) -> Option<LineState> {
        let after = self.runs.partition_point(|run| run.end < line);
        self.runs.get(after).filter(|run| run.start <= line).map(|run| run.state)
    }
}

/// The severity of a finding of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum ToolSeverity {
    Info,
    #[default]
    Minor,
    Major,
    Critical,
    Blocker,
}

/// A finding of a tool, such as a linter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFinding {
    /// The name of the tool, if the report has it.
    pub tool: Option<String>,
    /// The rule.
    pub rule: Option<String>,
    /// The message.
    pub message: String,
    /// The severity.
    pub severity: ToolSeverity,
    /// The path of the file.
    pub path: String,
    /// The first line, from 1.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// Whether the report is about another state of the file than the head.
    pub stale: bool,
    /// Index into `Facts.sources`.
    pub source: u32,
}

/// The format of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// JUnit XML.
    Junit,
    /// Cobertura XML.
    Cobertura,
    /// LCOV.
    Lcov,
    /// GitLab's code quality report.
    CodeQuality,
    /// SARIF.
    Sarif,
    /// The test report of a GitLab pipeline.
    GitlabTests,
    /// Anything else, which cannot be read.
    Unknown,
}

/// A report that was read, or could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FactSource {
    /// The path of the file, or the job and the path of its artifact.
    pub name: String,
    /// The format.
    pub kind: SourceKind,
    /// The commit that it is about, if that is known.
    pub commit: Option<String>,
    /// Whether it is about another commit than the head, or older than all files of the change.
    pub stale: bool,
    /// The reason why it could not be read, if it could not.
    pub problem: Option<String>,
}

impl Facts {
    /// Returns whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.pipeline.is_none() && self.sources.is_empty() && self.notes.is_empty()
    }

    /// Returns the coverage of a file, unless it is stale.
    pub fn current_coverage(&self, path: &str) -> Option<&TestCoverage> {
        self.coverage.iter().find(|file| file.path == path && !file.stale)
    }

    /// Calls `each` for every text, so that it can be masked.
    pub fn for_each_text(&mut self, each: &mut impl FnMut(&mut String)) {
        let Self { commit: _, pipeline, jobs, tests: _, failures, coverage, findings, sources, notes } = self;
        if let Some(Pipeline { id: _, status, commit: _, stale: _, web_url }) = pipeline {
            each(status);
            web_url.iter_mut().for_each(&mut *each);
        }
        for Job { id: _, name, stage, status, allow_failure: _, web_url, log } in jobs {
            [name, stage, status].into_iter().for_each(&mut *each);
            web_url.iter_mut().for_each(&mut *each);
            if let Some(LogTail { text, shortened: _ }) = log {
                each(text);
            }
        }
        for TestFailure { name, suite, message, details, places, stale: _, source: _ } in failures {
            [name, suite, message, details].into_iter().for_each(&mut *each);
            for FileLine { path, line: _ } in places {
                each(path);
            }
        }
        for TestCoverage { path, runs: _, stale: _, sources: _ } in coverage {
            each(path);
        }
        for ToolFinding { tool, rule, message, severity: _, path, line_start: _, line_end: _, stale: _, source: _ } in
            findings
        {
            tool.iter_mut().for_each(&mut *each);
            rule.iter_mut().for_each(&mut *each);
            [message, path].into_iter().for_each(&mut *each);
        }
        for FactSource { name, kind: _, commit: _, stale: _, problem } in sources {
            each(name);
            problem.iter_mut().for_each(&mut *each);
        }
        notes.iter_mut().for_each(each);
    }
}
