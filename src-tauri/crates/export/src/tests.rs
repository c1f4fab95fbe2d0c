//! Exports of reviews with hostile text in every place, and how other programs read them.

use serde_json::Value;

use super::*;
use diffsan_change::Fingerprint;
use diffsan_change::parse_patch;
use diffsan_redact::Redactor;
use diffsan_review::finding::{
    AgentFinding, Anchor, AnchorState, Category, Edit, Fix, PatchFormat, Severity, SuggestedPatch,
};
use diffsan_review::unsent::UnsentFiles;
use diffsan_review::{ReviewMeta, Timings, UnreadableFinding};

const PATCH: &str = "diff --git a/src/a b.rs b/src/a b.rs\n--- a/src/a b.rs\t\n+++ b/src/a b.rs\t\n@@ -1,3 +1,4 @@\n fn a() {\n-    old();\n+    <script>alert(1)</script>\n+    let password = \"correct-horse-battery-7\";\n }\n";

fn finding(key: &str, severity: Severity, line: u32, title: &str, body: &str) -> Finding {
    Finding {
        key: key.into(),
        sources: vec!["codex".into()],
        ..Finding::new(
            AgentFinding {
                title: Some(title.into()),
                body_markdown: body.into(),
                confidence: Some(0.5),
                ..AgentFinding::new(severity, Category::Security, "src/a b.rs", (line, line))
            },
            Anchor::new(AnchorState::Verified, "src/a b.rs", Some((line, line)), true),
        )
    }
}

fn review(summary: &str, findings: Vec<Finding>) -> ReviewOutput {
    ReviewOutput {
        summary_markdown: summary.into(),
        findings,
        intent: Vec::new(),
        chapters: Vec::new(),
        second_opinion: None,
        meta: ReviewMeta {
            fingerprint: Fingerprint { algo: "sha256".into(), value: "ab".repeat(32) },
            agent: "codex".into(),
            agents: Vec::new(),
            model: None,
            timings: Timings::default(),
            token_usage: None,
            cost_usd: None,
            truncated: false,
            redaction_found: true,
            base_sha: None,
            head_sha: None,
            coverage: "1 of 1 file, 100% of changed lines sent".into(),
            attempts: 1,
            batches: 1,
            read_as: "strict".into(),
            unreadable: Vec::new(),
            facts: None,
            reading: None,
            unsent: UnsentFiles::default(),
            reviewed: None,
        },
    }
}

fn written(format: &str, output: &ReviewOutput, decisions: &[Decided]) -> String {
    let redactor = std::sync::Arc::new(
        Redactor::new(&diffsan_config::resolve(Vec::new(), false).expect("defaults").config.redaction, [7; 32])
            .expect("rules"),
    );
    let mut session = redactor.session();
    let change = session.change(&parse_patch(PATCH.into()).expect("patch"));
    let (coverage, truncation) = (
        CoverageMap { summary: "all".into(), files: Vec::new() },
        TruncationReport {
            truncated: false,
            original_chars: 1,
            final_chars: 1,
            original_files: 1,
            final_files: 1,
            items: Vec::new(),
        },
    );
    let review = Exported {
        title: &Redacted::fixed("Branch <img src=x onerror=alert(1)>"),
        created_at: "2026-11-21T10:00:00Z",
        output,
        decisions,
        masked: 1,
        looked: Some(ReviewedChange { change: &change, coverage: &coverage, ignored: &[], truncation: &truncation }),
    };
    export(Format::of(format).expect("a format"), &review).expect("serialisable")
}

#[test]
fn findings_that_could_not_be_read_are_exported() {
    let mut output = review("Fine.", Vec::new());
    output.meta.unreadable.push(UnreadableFinding {
        agent: "codex".into(),
        problems: vec!["line_start: expected an integer".into()],
        text: "{ \"title\": \"SQL injection\", \"severity\": \"critical\" }".into(),
    });
    assert_eq!(output.worst_severity(), Some(Severity::Critical));
    for format in ["markdown", "html", "sarif"] {
        let text = written(format, &output, &[]);
        assert!(text.contains("SQL injection") && text.contains("could not be read"), "{format}: {text}");
    }
}

fn payloads() -> Vec<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/payloads.json");
    serde_json::from_str(&std::fs::read_to_string(file).expect("payloads")).expect("JSON")
}

/// Returns the tags as a browser sees them: `<` followed by a letter opens one anywhere.
fn tags(html: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in html.match_indices('<') {
        let rest = &html[at + 1..];
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        if rest.starts_with(|char: char| char.is_ascii_alphabetic() || char == '!' || char == '?') {
            found.push(&rest[..rest.find('>').unwrap_or(rest.len())]);
        }
    }
    found
}

#[test]
fn no_text_becomes_a_tag_of_the_page() {
    let ours = [
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "section",
        "article",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "span",
        "div",
        "code",
        "pre",
        "table",
        "thead",
        "tbody",
        "tr",
        "td",
        "th",
        "ul",
        "ol",
        "li",
        "b",
        "strong",
        "em",
        "s",
        "a",
        "br",
        "hr",
        "blockquote",
    ];
    let payloads = payloads();
    assert!(payloads.len() >= 150);
    for payload in &payloads {
        let mut hostile = finding("f1", Severity::High, 2, payload, payload);
        hostile.anchor.path.clone_from(payload);
        hostile.anchor.notes = vec![payload.clone()];
        hostile.sources = vec![payload.clone()];
        hostile.content.suggested_patch =
            Some(SuggestedPatch { format: PatchFormat::Replacement, content: payload.clone() });
        let html = written("html", &review(payload, vec![hostile]), &[]);
        let body = html.split_once("</style>").expect("style").1;
        for tag in tags(body) {
            let name = tag.split([' ', '\n']).next().unwrap_or_default();
            assert!(ours.contains(&name), "{payload:?} became <{tag}>");
            let attributes = tag.split_once(' ').map(|(_, rest)| rest).unwrap_or_default();
            // Quoted values may contain anything. Outside of quotes only known names are allowed.
            let names: Vec<&str> =
                attributes.split('"').step_by(2).flat_map(|piece| piece.split_whitespace()).collect();
            for name in names {
                assert!(
                    ["class=", "href=", "rel=", "target=", "aria-label=", "scope=", "start="].contains(&name),
                    "{payload:?} gave an attribute: {tag}"
                );
            }
            if let Some(address) = attributes.strip_prefix("href=\"") {
                assert!(address.to_ascii_lowercase().starts_with("http"), "{payload:?} gave a link: {tag}");
            }
        }
    }
}

/// Returns the targets of links and images, as a reader of plain Markdown sees them, and whether there is HTML that
/// is more than a section that folds.
fn targets(markdown: &str) -> (Vec<String>, bool) {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut found = (Vec::new(), false);
    for event in Parser::new_ext(markdown, Options::all()) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.0.push(dest_url.to_string())
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                let inert = ["", "<details>", "</details>", "<details><summary>Details</summary>", "<br>"];
                found.1 |= !inert.contains(&text.trim());
            }
            _ => {}
        }
    }
    found
}

#[test]
fn no_payload_leaves_a_link_that_runs_in_markdown() {
    let inert = |payload: &str, text: &str| {
        let (targets, html) = targets(text);
        let is_web = |target: &String| target.to_ascii_lowercase().starts_with("http");
        assert!(!html && targets.iter().all(is_web), "{payload:?} gave {targets:?} or HTML:\n{text}");
    };
    for payload in payloads() {
        let output = review(&payload, vec![finding("f1", Severity::High, 2, &payload, "body")]);
        inert(&payload, &written("markdown", &output, &[]));
    }
    for payload in [
        "[x](javascript:alert(1))",
        "<javascript:alert(1)>",
        "[x][y]\n\n[y]: JaVaScRiPt:alert(1)",
        "![x](data:text/html,x)",
        "<a href=\"javascript:alert(1)\">x</a>",
    ] {
        let output = review(payload, vec![finding("f1", Severity::High, 2, payload, payload)]);
        inert(payload, &written("markdown", &output, &[]));
        let sarif: Value = serde_json::from_str(&written("sarif", &output, &[])).expect("JSON");
        let message = &sarif["runs"][0]["results"][0]["message"];
        inert(payload, message["markdown"].as_str().expect("text"));
        // Viewers of SARIF may follow embedded links in plain text.
        let plain = message["text"].as_str().expect("text");
        assert!(!plain.replace("\\]", "").contains("]("), "{payload:?} left a link:\n{plain}");
        let quality: Value = serde_json::from_str(&written("code-quality", &output, &[])).expect("JSON");
        inert(payload, quality[0]["content"]["body"].as_str().expect("text"));
    }
}

#[test]
fn the_page_forbids_everything_but_its_own_style() {
    let html = written("html", &review("Fine.", Vec::new()), &[]);
    assert!(html.contains("default-src 'none'; style-src 'sha256-"), "{html}");
    assert!(!html.contains("unsafe"));
    assert!(!html.contains("url("));
    assert_eq!(html.matches("<style>").count(), 1);
    assert!(html.contains("prefers-color-scheme:dark") && html.contains("@media print"));
}

#[test]
fn a_finding_is_exported_with_code_and_decision_without_secrets() {
    let output = review(
        "Two.",
        vec![finding("f1", Severity::Low, 3, "B", "**body**"), finding("f2", Severity::Critical, 2, "A", "x")],
    );
    let redactor = std::sync::Arc::new(
        Redactor::new(&diffsan_config::resolve(Vec::new(), false).expect("defaults").config.redaction, [7; 32])
            .expect("rules"),
    );
    let reason = redactor.session().contract("reason", "the token is glpat-abcdefghij0123456789, known");
    let decided = [Decided { finding: "f1".into(), dismissed: true, reason: Some(reason) }];
    for format in ["html", "markdown", "sarif"] {
        let text = written(format, &output, &decided);
        assert!(!text.contains("correct-horse-battery-7"), "{format:?}: {text}");
        assert!(!text.contains("glpat-abcdefghij"), "{format:?}: {text}");
    }
    let html = written("html", &output, &decided);
    assert!(
        html.contains("<tr class=\"add meant\"><td class=\"n\"></td><td class=\"n\">3</td><td>+    let password"),
        "{html}"
    );
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("<b>Dismissed</b>: the token is [REDACTED], known"), "{html}");
    assert!(html.find(">A<").or(html.find("</span> A")) < html.find("</span> B"), "the most severe comes first");
    let markdown = written("markdown", &output, &decided);
    assert!(markdown.contains("```diff\n fn a() {\n-    old();\n+    <script>"), "{markdown}");
    assert!(markdown.contains("**Dismissed**"), "{markdown}");
}

#[test]
fn sarif_has_places_levels_fixes_and_suppressions() {
    let mut fixed = finding("f1", Severity::High, 2, "T", "B");
    fixed.fix = Some(Fix {
        path: "src/a b.rs".into(),
        edits: vec![Edit { line_start: 2, lines: 2, text: "    new();\n".into() }],
    });
    let mut old = finding("f2", Severity::Info, 2, "Old", "B");
    old.anchor.side = Side::Old;
    let mut nowhere = finding("f3", Severity::Medium, 2, "Nowhere", "B");
    nowhere.anchor.state = AnchorState::Unplaced;
    let output = review("S", vec![fixed, old, nowhere]);
    let decided = [Decided { finding: "f2".into(), dismissed: true, reason: None }];
    let sarif: Value = serde_json::from_str(&written("sarif", &output, &decided)).expect("JSON");
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    let levels: Vec<&str> = results.iter().filter_map(|result| result["level"].as_str()).collect();
    assert_eq!(levels, ["error", "note", "warning"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.rs");
    assert_eq!(place["region"]["startLine"], 2);
    let deleted = &results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"];
    assert_eq!((&deleted["startLine"], &deleted["endLine"]), (&Value::from(2), &Value::from(4)));
    assert!(
        results[1]["locations"][0]["physicalLocation"].get("region").is_none(),
        "an old line is no line of the file"
    );
    assert_eq!(results[1]["suppressions"][0]["kind"], "external");
    assert!(results[2].get("locations").is_none());
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1));
}

#[test]
fn code_quality_has_lines_and_omits_dismissed_findings() {
    let mut nowhere = finding("f3", Severity::Medium, 2, "Nowhere", "B");
    nowhere.anchor.state = AnchorState::Unplaced;
    let mut whole = finding("f4", Severity::Critical, 1, "File", "B");
    whole.anchor.line_start = None;
    whole.anchor.line_end = None;
    let output = review(
        "S",
        vec![finding("f1", Severity::High, 2, "T", "B"), finding("f2", Severity::Low, 3, "D", "B"), nowhere, whole],
    );
    let mut removed = finding("f5", Severity::Info, 2, "Removed", "B");
    removed.anchor.side = Side::Old;
    let output = ReviewOutput { findings: [output.findings.clone(), vec![removed]].concat(), ..output };
    let decided = [Decided { finding: "f2".into(), dismissed: true, reason: None }];
    let report: Value = serde_json::from_str(&written("code-quality", &output, &decided)).expect("JSON");
    let items = report.as_array().expect("an array");
    let kinds: Vec<_> =
        items.iter().map(|item| (item["severity"].as_str(), item["location"]["lines"]["begin"].as_u64())).collect();
    assert_eq!(kinds, [(Some("critical"), Some(2)), (Some("blocker"), Some(1)), (Some("info"), Some(2))]);
    assert_eq!(items[2]["description"], "Removed (src/a b.rs:2 (before))");
    let prints: std::collections::BTreeSet<_> = items.iter().map(|item| item["fingerprint"].as_str()).collect();
    assert_eq!(prints.len(), 3);
}
