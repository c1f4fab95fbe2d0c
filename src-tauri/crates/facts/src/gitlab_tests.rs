//! The test report of a GitLab pipeline (`/pipelines/:id/test_report`).

use serde::Deserialize;

use super::report::{
    MAX_DETAILS_BYTES, MAX_FAILURES, MAX_MESSAGE_BYTES, RawFailure, Report, ReportError, TestReport, shortened,
};
use super::types::TestCounts;

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    success_count: u32,
    #[serde(default)]
    failed_count: u32,
    #[serde(default)]
    error_count: u32,
    #[serde(default)]
    skipped_count: u32,
    #[serde(default)]
    test_suites: Vec<Suite>,
}

#[derive(Deserialize)]
struct Suite {
    name: Option<String>,
    #[serde(default)]
    test_cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    status: Option<String>,
    name: Option<String>,
    classname: Option<String>,
    file: Option<String>,
    system_output: Option<serde_json::Value>,
    stack_trace: Option<String>,
}

/// Reads the answer of GitLab. GitLab keeps the text of a failure, but not its message.
pub fn gitlab_test_report(bytes: &[u8]) -> Result<Report, ReportError> {
    let answer: Answer = serde_json::from_slice(bytes)
        .map_err(|error| ReportError::Invalid { format: "test report JSON", reason: error.to_string() })?;
    let counts = TestCounts {
        passed: answer.success_count,
        failed: answer.failed_count.saturating_add(answer.error_count),
        skipped: answer.skipped_count,
    };
    let mut failures = Vec::new();
    for suite in answer.test_suites {
        let failed = suite
            .test_cases
            .into_iter()
            .filter(|case| matches!(case.status.as_deref(), Some("failed" | "error")) && case.name.is_some());
        for case in failed.take(MAX_FAILURES - failures.len().min(MAX_FAILURES)) {
            let output = match case.system_output {
                Some(serde_json::Value::String(text)) => text,
                Some(serde_json::Value::Null) | None => String::new(),
                Some(other) => other.to_string(),
            };
            let details = match case.stack_trace {
                Some(trace) if !trace.is_empty() && !output.contains(&trace) => format!("{output}\n{trace}"),
                _ => output,
            };
            let details = shortened(details.trim(), MAX_DETAILS_BYTES);
            let first = details.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            failures.push(RawFailure {
                name: shortened(&case.name.unwrap_or_default(), MAX_MESSAGE_BYTES),
                suite: shortened(&case.classname.or_else(|| suite.name.clone()).unwrap_or_default(), MAX_MESSAGE_BYTES),
                message: shortened(first, MAX_MESSAGE_BYTES),
                details,
                file: case.file.filter(|file| !file.is_empty()),
                line: None,
            });
        }
    }
    Ok(Report::Tests(TestReport { counts, failures }))
}
