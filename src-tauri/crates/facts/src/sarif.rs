//! SARIF 2.1.0 of other tools. Runs of diffsan itself are left out.

use std::collections::HashMap;

use serde::Deserialize;

use super::report::{MAX_FINDINGS, MAX_MESSAGE_BYTES, RawFinding, ReportError, shortened};
use super::types::ToolSeverity;

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Option<Tool>,
    #[serde(default)]
    results: Option<Vec<SarifResult>>,
    #[serde(default)]
    original_uri_base_ids: HashMap<String, Artifact>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Option<Driver>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: Option<String>,
    #[serde(default)]
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: Option<String>,
    default_configuration: Option<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    level: Option<String>,
    kind: Option<String>,
    message: Option<Message>,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    suppressions: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Message {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<Physical>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Option<Artifact>,
    region: Option<Region>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: Option<String>,
    uri_base_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
    end_line: Option<u32>,
}

/// Reads a report.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<RawFinding>, ReportError> {
    let log: Log = serde_json::from_slice(bytes)
        .map_err(|error| ReportError::Invalid { format: "SARIF", reason: error.to_string() })?;
    Ok(log.runs.iter().flat_map(findings).take(MAX_FINDINGS).collect())
}

fn findings(run: &Run) -> Vec<RawFinding> {
    let driver = run.tool.as_ref().and_then(|tool| tool.driver.as_ref());
    let tool = driver.and_then(|driver| driver.name.clone());
    if tool.as_deref() == Some("diffsan") {
        return Vec::new();
    }
    let levels: HashMap<&str, &str> = driver
        .into_iter()
        .flat_map(|driver| &driver.rules)
        .filter_map(|rule| Some((rule.id.as_deref()?, rule.default_configuration.as_ref()?.level.as_deref()?)))
        .collect();
    // A finding that was suppressed in the code, or that passed, is none.
    let shown = run.results.iter().flatten().filter(|result| {
        result.suppressions.is_empty() && result.kind.as_deref().is_none_or(|kind| kind == "fail" || kind == "open")
    });
    let finding = |result: &SarifResult| {
        let place = result.locations.iter().find_map(|location| location.physical_location.as_ref())?;
        let path = path(place.artifact_location.as_ref()?, run)?;
        let start = place.region.as_ref().and_then(|region| region.start_line).unwrap_or(1).max(1);
        let end = place.region.as_ref().and_then(|region| region.end_line).unwrap_or(start).max(start);
        let rule = result.rule_id.as_deref();
        let level = result.level.as_deref().or_else(|| levels.get(rule?).copied());
        let message = result.message.as_ref().and_then(|message| message.text.as_deref()).unwrap_or_default();
        Some(RawFinding {
            tool: tool.as_deref().map(|tool| shortened(tool, MAX_MESSAGE_BYTES)),
            rule: rule.map(|rule| shortened(rule, MAX_MESSAGE_BYTES)),
            message: shortened(message, MAX_MESSAGE_BYTES),
            severity: severity(level),
            path,
            line_start: start,
            line_end: end,
        })
    };
    shown.filter_map(finding).collect()
}

fn severity(level: Option<&str>) -> ToolSeverity {
    match level {
        Some("error") => ToolSeverity::Critical,
        Some("note" | "none") => ToolSeverity::Info,
        _ => ToolSeverity::Major,
    }
}

/// Returns the path of a file, below the folder that its base names.
fn path(artifact: &Artifact, run: &Run) -> Option<String> {
    let uri = artifact.uri.as_deref()?;
    let base = artifact.uri_base_id.as_deref().and_then(|id| run.original_uri_base_ids.get(id)?.uri.as_deref());
    Some(match base {
        Some(base) if !uri.contains("://") => format!("{}/{uri}", base.trim_end_matches('/')),
        _ => uri.to_owned(),
    })
}
