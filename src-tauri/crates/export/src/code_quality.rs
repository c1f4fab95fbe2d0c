//! Exports a review as GitLab's report of the kind `codequality` (docs.gitlab.com, "Code Quality report format"): an array of findings on
//! lines. Dismissed findings are left out. Findings without a place are left out too, because the format requires one.

use serde_json::{Value, json};

use super::{Exported, headline};
use diffsan_forge::post_plan::neutral;
use diffsan_review::finding::{AnchorState, Severity};

pub(super) fn write(review: &Exported<'_>) -> Vec<Value> {
    let findings = review.output.findings.iter();
    findings
        .filter(|finding| !review.is_dismissed(finding) && finding.anchor.state != AnchorState::Unplaced)
        .map(|finding| {
            let anchor = &finding.anchor;
            let begin = anchor.line_start.unwrap_or(1).max(1);
            json!({
                "description": headline(finding),
                "content": { "body": neutral(finding.content.body_markdown.trim()) },
                "check_name": format!("diffsan/{}", finding.content.category.name()),
                "fingerprint": finding.key,
                "severity": severity(finding.content.severity),
                "location": { "path": anchor.path, "lines": { "begin": begin, "end": anchor.line_end.unwrap_or(begin).max(begin) } },
            })
        })
        .collect()
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "blocker",
        Severity::High => "critical",
        Severity::Medium => "major",
        Severity::Low => "minor",
        Severity::Info => "info",
    }
}
