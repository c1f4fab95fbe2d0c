//! Exports a review as GitLab's report of the kind `codequality` (docs.gitlab.com, "Code Quality report format"): an array of findings on
//! lines. Dismissed findings are left out. Findings without a place are left out too, because the format requires one.

use serde_json::{Value, json};

use super::{Exported, headline, place};
use diffsan_change::{FileChange, Hunk};
use diffsan_forge::post_plan::neutral;
use diffsan_review::finding::{Anchor, AnchorState, Severity, Side};

pub(super) fn write(review: &Exported<'_>) -> Vec<Value> {
    let findings = review.output.findings.iter();
    findings
        .filter(|finding| !review.is_dismissed(finding) && finding.anchor.state != AnchorState::Unplaced)
        .map(|finding| {
            let anchor = &finding.anchor;
            let (begin, end) = lines(review, anchor);
            let removed = anchor.side == Side::Old && anchor.line_start.is_some();
            let note = if removed { format!(" ({})", place(finding)) } else { String::new() };
            json!({
                "description": headline(finding) + &note,
                "content": { "body": neutral(finding.content.body_markdown.trim()) },
                "check_name": format!("diffsan/{}", finding.content.category.name()),
                "fingerprint": finding.key,
                "severity": severity(finding.content.severity),
                "location": { "path": anchor.path, "lines": { "begin": begin, "end": end } },
            })
        })
        .collect()
}

/// Returns the first and last line of a finding in the file as it is now. For removed lines that is the line behind them.
fn lines(review: &Exported<'_>, anchor: &Anchor) -> (u32, u32) {
    let begin = anchor.line_start.unwrap_or(1).max(1);
    let end = anchor.line_end.unwrap_or(begin).max(begin);
    if anchor.side == Side::New {
        return (begin, end);
    }
    let files = review.looked.as_ref().map(|looked| looked.change.get().files.as_slice()).unwrap_or_default();
    let file = files.iter().find(|file| file.path().to_text() == anchor.path);
    let hunks = file.map(FileChange::hunks).unwrap_or_default();
    let has = |hunk: &&Hunk| hunk.numbered().any(|line| line.old == Some(end));
    let behind = hunks.iter().find(has).and_then(|hunk| {
        let mut rest = hunk.numbered().skip_while(|line| line.old != Some(end));
        rest.find_map(|line| line.new).or_else(|| hunk.numbered().filter_map(|line| line.new).last())
    });
    let line = behind.unwrap_or(1);
    (line, line)
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
