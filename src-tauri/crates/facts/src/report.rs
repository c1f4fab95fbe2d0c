//! The content of a report before its paths are mapped, and the detection of its format.

use std::collections::BTreeMap;

use super::types::{LineState, SourceKind, TestCounts, ToolSeverity};
use super::{cobertura, code_quality, junit, lcov, sarif};

/// The maximum number of failed tests of a report.
pub(crate) const MAX_FAILURES: usize = 500;
/// The maximum number of findings of a report.
pub(crate) const MAX_FINDINGS: usize = 20_000;
/// The maximum number of files of a report.
pub(crate) const MAX_FILES: usize = 100_000;
/// The maximum number of measured lines of a report.
pub(crate) const MAX_LINES: usize = 5_000_000;
/// The maximum length of a name or message, in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 2_000;
/// The maximum length of a stack trace, in bytes.
pub(crate) const MAX_DETAILS_BYTES: usize = 16_000;

/// The reason why a report cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// The format is none of those that are read.
    #[error("it is not a JUnit, Cobertura, LCOV, code quality or SARIF report")]
    UnknownFormat,
    /// The text is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// The content is broken.
    #[error("it is not valid {format}: {reason}")]
    Invalid {
        /// The name of the format.
        format: &'static str,
        /// The reason.
        reason: String,
    },
    /// The content exceeds a limit.
    #[error("it has more than {0}")]
    TooMuch(String),
}

/// The content of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// Results of tests.
    Tests(TestReport),
    /// Coverage.
    Coverage(Vec<MeasuredFile>),
    /// Findings of tools.
    Findings(Vec<RawFinding>),
}

/// Results of tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestReport {
    pub(crate) counts: TestCounts,
    pub(crate) failures: Vec<RawFailure>,
}

/// A failed test with the texts of its report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawFailure {
    pub(crate) name: String,
    pub(crate) suite: String,
    pub(crate) message: String,
    pub(crate) details: String,
    /// The file and line that the report names.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
}

/// The measured lines of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredFile {
    /// The possible paths of the file.
    pub(crate) names: Vec<String>,
    pub(crate) lines: BTreeMap<u32, LineState>,
}

/// A finding of a tool with the path of its report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawFinding {
    pub(crate) tool: Option<String>,
    pub(crate) rule: Option<String>,
    pub(crate) message: String,
    pub(crate) severity: ToolSeverity,
    pub(crate) path: String,
    pub(crate) line_start: u32,
    pub(crate) line_end: u32,
}

/// Reads a report. The format is recognised by the content. Returns the format also if the report cannot be read.
pub fn parse(bytes: &[u8]) -> (SourceKind, Result<Report, ReportError>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    match start.first() {
        Some(b'<') => match text(bytes).and_then(root_of) {
            Ok(root) if root == "coverage" => {
                (SourceKind::Cobertura, text(bytes).and_then(cobertura::read).map(Report::Coverage))
            }
            Ok(root) if root == "testsuites" || root == "testsuite" => {
                (SourceKind::Junit, text(bytes).and_then(junit::read).map(Report::Tests))
            }
            Ok(_) => (SourceKind::Unknown, Err(ReportError::UnknownFormat)),
            Err(error) => (SourceKind::Unknown, Err(error)),
        },
        Some(b'[') => (SourceKind::CodeQuality, code_quality::read(bytes).map(Report::Findings)),
        Some(b'{') => (SourceKind::Sarif, sarif::read(bytes).map(Report::Findings)),
        _ if lcov::is_lcov(start) => (SourceKind::Lcov, lcov::read(bytes).map(Report::Coverage)),
        _ => (SourceKind::Unknown, Err(ReportError::UnknownFormat)),
    }
}

fn text(bytes: &[u8]) -> Result<&str, ReportError> {
    std::str::from_utf8(bytes).map_err(|_| ReportError::NotText)
}

/// Returns the name of the root element.
fn root_of(text: &str) -> Result<String, ReportError> {
    let mut reader = super::xml::XmlReader::new(text);
    while let Some(node) = reader.next()? {
        if let super::xml::Node::Start(element) = node {
            return Ok(element.name);
        }
    }
    Err(ReportError::UnknownFormat)
}

/// Adds the state of a line. If a line is measured several times, it counts as covered if it ran once.
pub(crate) fn add_line(lines: &mut BTreeMap<u32, LineState>, line: u32, state: LineState) {
    let known = lines.entry(line).or_insert(state);
    *known = (*known).max(state);
}

/// Shortens a text to at most `max` bytes, at the end of a character.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}…", &text[..boundary(text, max)])
}

/// Returns the last start of a character that is at most `max`.
pub(crate) fn boundary(text: &str, max: usize) -> usize {
    (0..=max.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}
