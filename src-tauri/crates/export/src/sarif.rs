//! Exports a review as SARIF 2.1.0 (OASIS), for programs that collect findings. The categories are its rules, a dismissal is a suppression,
//! and a suggested patch that applies is a fix.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Exported, headline, place};
use diffsan_forge::post_plan::{neutral, neutral_line};
use diffsan_review::UnreadableFinding;
use diffsan_review::finding::{Finding, Severity, Side};

pub(super) fn write(review: &Exported<'_>) -> Value {
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    for finding in &review.output.findings {
        let name = finding.content.category.name();
        rules.entry(name).or_insert_with(|| {
            json!({
                "id": format!("diffsan/{name}"),
                "name": name,
                "shortDescription": { "text": format!("A reviewer's remark: {name}") },
                "properties": { "tags": [name] },
            })
        });
    }
    let order: Vec<&str> = rules.keys().copied().collect();
    let results: Vec<Value> = review.output.findings.iter().map(|finding| result(review, finding, &order)).collect();
    let meta = &review.output.meta;
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "diffsan",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "automationDetails": { "id": format!("diffsan/{}/", meta.fingerprint.value) },
            "invocations": [{
                "executionSuccessful": true,
                "endTimeUtc": review.created_at,
                "toolExecutionNotifications": meta.unreadable.iter().map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
            "properties": {
                "agent": meta.agent,
                "model": meta.model,
                "coverage": meta.coverage,
                "reading": meta.reading,
                "truncated": meta.truncated,
                "secretsMasked": review.masked,
                "baseSha": meta.base_sha,
                "headSha": meta.head_sha,
                "summary": review.output.summary_markdown,
                "requirements": review.output.intent,
            },
        }],
    })
}

/// Returns the notification of a finding that could not be read.
fn notification(finding: &UnreadableFinding) -> Value {
    let text = format!("A finding could not be read. {}\n\n{}", finding.reason(), finding.text);
    json!({ "level": "error", "message": { "text": without_links(&text) } })
}

fn result(review: &Exported<'_>, finding: &Finding, rules: &[&str]) -> Value {
    let content = &finding.content;
    let anchor = &finding.anchor;
    let category = content.category.name();
    let title = headline(finding);
    let mut value = json!({
        "ruleId": format!("diffsan/{category}"),
        "ruleIndex": rules.iter().position(|rule| *rule == category).unwrap_or(0),
        "level": level(content.severity),
        "message": {
            "text": without_links(&format!("{title}\n\n{}", content.body_markdown.trim())),
            "markdown": format!("**{}**\n\n{}", neutral_line(&title), neutral(content.body_markdown.trim())),
        },
        "partialFingerprints": { "diffsanFinding/v1": finding.key },
        "properties": {
            "severity": content.severity.name(),
            "place": place(finding),
            "anchor": anchor.state,
            "verdict": finding.verdict,
            "confidence": content.confidence,
            "sources": finding.sources,
            "runs": finding.runs,
            "secondOpinion": review.opinion(finding),
        },
    });
    if let Some(since) = &finding.unedited_since {
        value["properties"]["uneditedSince"] = json!(since);
    }
    if anchor.state != diffsan_review::finding::AnchorState::Unplaced {
        value["locations"] = json!([{ "physicalLocation": location(finding) }]);
    }
    if !finding.chain.is_empty() {
        let hops: Vec<Value> = finding
            .chain
            .iter()
            .map(|hop| {
                json!({ "location": {
                    "physicalLocation": { "artifactLocation": artifact(&hop.path), "region": { "startLine": hop.line.max(1) } },
                    "message": { "text": hop.symbol },
                } })
            })
            .collect();
        value["codeFlows"] = json!([{ "threadFlows": [{ "locations": hops }] }]);
    }
    if let Some(fix) = &finding.fix {
        let replacements: Vec<Value> = fix
            .edits
            .iter()
            .map(|edit| {
                json!({
                    "deletedRegion": {
                        "startLine": edit.line_start.max(1),
                        "startColumn": 1,
                        "endLine": edit.line_start.max(1) + edit.lines,
                        "endColumn": 1,
                    },
                    "insertedContent": { "text": edit.text },
                })
            })
            .collect();
        if !replacements.is_empty() {
            value["fixes"] = json!([{
                "description": { "text": "Suggested by the reviewer" },
                "artifactChanges": [{ "artifactLocation": artifact(&fix.path), "replacements": replacements }],
            }]);
        }
    }
    if let Some(decided) = review.decided(finding).filter(|decided| decided.dismissed) {
        let mut suppression = json!({ "kind": "external", "status": "accepted" });
        if let Some(reason) = &decided.reason {
            suppression["justification"] = json!(reason.as_str());
        }
        value["suppressions"] = json!([suppression]);
    }
    value
}

/// Returns the location of a finding. Lines of the old side do not exist in the reader's file; there only the file is named.
fn location(finding: &Finding) -> Value {
    let anchor = &finding.anchor;
    let mut location = json!({ "artifactLocation": artifact(&anchor.path) });
    if let (Some(start), Some(end), Side::New) = (anchor.line_start, anchor.line_end, anchor.side) {
        location["region"] = json!({ "startLine": start.max(1), "endLine": end.max(start).max(1) });
    }
    location
}

fn artifact(path: &str) -> Value {
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

/// Escapes brackets that would begin an embedded link (SARIF 2.1.0, 3.11.6), which may have any target.
fn without_links(text: &str) -> String {
    if text.contains("](") { text.replace('[', "\\[").replace(']', "\\]") } else { text.to_owned() }
}

/// Returns a path as a relative reference (RFC 3986). Otherwise a first part with a colon would be a scheme, and a path that begins with a
/// slash would be outside.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.trim_start_matches('/').bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}
