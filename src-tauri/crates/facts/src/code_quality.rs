//! GitLab's code quality report, a part of the format of Code Climate.

use serde::Deserialize;

use super::report::{MAX_FINDINGS, MAX_MESSAGE_BYTES, RawFinding, ReportError, shortened};
use super::types::ToolSeverity;

#[derive(Deserialize)]
struct Issue {
    #[serde(default)]
    description: String,
    #[serde(default)]
    check_name: Option<String>,
    #[serde(default)]
    engine_name: Option<String>,
    #[serde(default)]
    severity: Option<String>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    path: Option<String>,
    lines: Option<Ends<Number>>,
    positions: Option<Ends<Position>>,
}

#[derive(Deserialize)]
struct Ends<T> {
    begin: Option<T>,
    end: Option<T>,
}

/// Some tools write the line itself, others an object with it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u32),
    Inside { line: u32 },
    Other(serde::de::IgnoredAny),
}

impl Number {
    fn line(&self) -> Option<u32> {
        match self {
            Self::Plain(line) | Self::Inside { line } => Some(*line),
            Self::Other(_) => None,
        }
    }
}

#[derive(Deserialize)]
struct Position {
    line: Option<u32>,
}

/// Reads a report.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<RawFinding>, ReportError> {
    let issues: Vec<Issue> = serde_json::from_slice(bytes)
        .map_err(|error| ReportError::Invalid { format: "code quality JSON", reason: error.to_string() })?;
    Ok(issues.into_iter().filter_map(finding).take(MAX_FINDINGS).collect())
}

fn finding(issue: Issue) -> Option<RawFinding> {
    let location = issue.location?;
    let lines = location.lines.as_ref();
    let positions = location.positions.as_ref();
    let begin = lines
        .and_then(|ends| ends.begin.as_ref()?.line())
        .or_else(|| positions.and_then(|ends| ends.begin.as_ref()?.line))
        .unwrap_or(1);
    let end = lines
        .and_then(|ends| ends.end.as_ref()?.line())
        .or_else(|| positions.and_then(|ends| ends.end.as_ref()?.line))
        .unwrap_or(begin);
    Some(RawFinding {
        tool: issue.engine_name,
        rule: issue.check_name.map(|rule| shortened(&rule, MAX_MESSAGE_BYTES)),
        message: shortened(&issue.description, MAX_MESSAGE_BYTES),
        severity: severity(issue.severity.as_deref()),
        path: location.path?,
        line_start: begin.max(1),
        line_end: end.max(begin).max(1),
    })
}

fn severity(name: Option<&str>) -> ToolSeverity {
    match name {
        Some("info") => ToolSeverity::Info,
        Some("major") => ToolSeverity::Major,
        Some("critical") => ToolSeverity::Critical,
        Some("blocker") => ToolSeverity::Blocker,
        _ => ToolSeverity::Minor,
    }
}
