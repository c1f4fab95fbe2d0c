//! Writes the text of comments: of a finding, and of the summary. Text from outside is made inert part by part; the finished note
//! is checked as a whole.

use super::markdown::{Note, check, code_block, code_span, html_text};
use super::marks::{EmbeddedDigest, EmbeddedFinding, MarkerKeys, split};
use super::{neutral, neutral_line};
use diffsan_prepare::types::TruncationReport;
use diffsan_review::finding::{Finding, PatchFormat, Side, Verdict};
use diffsan_review::intent::Requirement;
use diffsan_review::{AgentResult, ReviewOutput, UnreadableFinding, unreadable_heading};

/// The maximum length of a remark in characters; a longer one is cut with a notice. GitLab accepts a million.
const MAX_REMARK_CHARS: usize = 100_000;
/// The maximum number of omitted parts that the summary names. The report has all.
const DROPPED_NAMED: usize = 200;
/// The maximum number of requirements in the summary, of places of one, and of characters of its text.
const REQUIREMENTS_NAMED: usize = 50;
const EVIDENCE_NAMED: usize = 5;
const MAX_REQUIREMENT_CHARS: usize = 500;
/// The maximum number of findings in the summary that could not be read, and of characters of one.
const UNREADABLE_NAMED: usize = 20;
const MAX_UNREADABLE_CHARS: usize = 4000;
/// The maximum number of findings in the digest for later reviews.
const MAX_EMBEDDED_FINDINGS: usize = 200;

/// The text above a proposed change that is shown as code.
const PROPOSED: &str = "Proposed change:";
/// The text that replaces a part that could not be made inert.
pub(super) const WITHHELD: &str = "_This part could not be posted safely. It is in the review._";

/// Returns the comment of a finding with its sealed marker, proven inert except for its suggestion, and whether it contains the
/// suggestion. Without `suggestion`, a patch is shown as code.
pub(super) fn finding_note(
    finding: &Finding,
    edited: Option<&str>,
    suggestion: Option<&str>,
    keys: &MarkerKeys,
) -> (String, bool) {
    let markers = keys.seal(&super::marks::finding_mark(&finding.key));
    if let Some(block) = suggestion
        && let Some(note) = proven(&finding_body(finding, edited, suggestion), &markers, &[block])
    {
        return (note, true);
    }
    let bodies = [
        finding_body(finding, edited, None),
        literal_body(finding, edited),
        format!("{}\n\n{WITHHELD}", label(finding)),
    ];
    let note = bodies.iter().find_map(|body| proven(body, &markers, &[]));
    (note.unwrap_or_else(|| format!("{WITHHELD}\n\n{markers}")), false)
}

/// Returns the note of a comment on a file: a comment on a line with its place after the headline, and with its suggestion as plain code.
pub(super) fn on_file(note: &str, place: &str, markers: &str) -> String {
    let text = shown_suggestions(split(note).0);
    let (headline, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let named = format!("{headline}\n\nAt {}:\n\n{rest}", code_span(place));
    let note = [&named, &text].into_iter().find_map(|text| proven(text, markers, &[]));
    note.unwrap_or_else(|| format!("{WITHHELD}\n\n{markers}"))
}

/// Converts the suggestions in a text to plain code blocks.
pub(super) fn shown_suggestions(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks >= 3 && line[ticks..].starts_with("suggestion") {
            lines.extend([PROPOSED, "", &line[..ticks]]);
        } else {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Returns the note of a body and its markers, if it is inert except for the given suggestions.
pub(super) fn proven(body: &str, markers: &str, suggestions: &[&str]) -> Option<String> {
    let text = format!("{}\n\n{markers}", body.trim_end());
    check(&Note { text: &text, markers, suggestions }).is_ok().then_some(text)
}

fn finding_body(finding: &Finding, edited: Option<&str>, suggestion: Option<&str>) -> String {
    let content = &finding.content;
    let mut parts = vec![headline(finding)];
    parts.push(neutral(&bounded(edited.unwrap_or(&content.body_markdown))));
    // An edited text is the reviewer's, who has seen the evidence.
    parts.extend(counter_evidence(finding).filter(|_| edited.is_none()));
    match (suggestion, &content.suggested_patch) {
        (Some(block), _) => parts.push(block.to_owned()),
        (None, Some(patch)) if !patch.content.trim().is_empty() => {
            let language = if patch.format == PatchFormat::UnifiedDiff { "diff" } else { "" };
            parts.push(format!("{PROPOSED}\n\n{}", code_block(language, &patch.content)));
        }
        (None, _) => {}
    }
    let runs = finding.runs_text().map(|runs| format!(" · {runs}")).unwrap_or_default();
    parts.push(format!("<sub>diffsan · {}</sub>", neutral_line(&format!("{}{runs}", finding.sources.join(", ")))));
    parts.join("\n\n")
}

/// Returns a sentence with the place of code that contradicts the finding. The results of checks without such a place are for the
/// reviewer only: they do not help the author of the code.
fn counter_evidence(finding: &Finding) -> Option<String> {
    let contradicted = finding.claims.iter().filter(|claim| claim.verdict == Verdict::Contradicted);
    let place = contradicted.filter_map(|claim| claim.evidence.as_ref()).next()?;
    let place = code_span(&format!("{}:{}", place.path, place.line));
    Some(format!("<sub>The code at {place} may contradict this comment.</sub>"))
}

/// Returns a finding's text as one code block, which cannot act.
fn literal_body(finding: &Finding, edited: Option<&str>) -> String {
    let content = &finding.content;
    let patch = content.suggested_patch.as_ref().map(|patch| patch.content.as_str());
    let words = [content.title.as_deref(), Some(edited.unwrap_or(&content.body_markdown)), patch];
    let words: Vec<&str> = words.into_iter().flatten().filter(|text| !text.trim().is_empty()).collect();
    format!("{}\n\n{}", label(finding), code_block("", &bounded(&words.join("\n\n"))))
}

fn label(finding: &Finding) -> String {
    format!("**[{}/{}]**", finding.content.category.name(), finding.content.severity.name())
}

/// Returns the headline: `**[security/high]** Title`.
fn headline(finding: &Finding) -> String {
    match &finding.content.title {
        Some(title) if !title.trim().is_empty() => format!("{} {}", label(finding), neutral_line(title)),
        _ => label(finding),
    }
}

/// Returns the place of a finding for display: `src/a.rs:12-14`.
pub(super) fn place(finding: &Finding) -> String {
    let anchor = &finding.anchor;
    let side = if anchor.side == Side::Old { " (before)" } else { "" };
    match (anchor.line_start, anchor.line_end) {
        (Some(start), Some(end)) if start != end => format!("{}:{start}-{end}{side}", anchor.path),
        (Some(line), _) => format!("{}:{line}{side}", anchor.path),
        _ => anchor.path.clone(),
    }
}

/// Returns a finding as a collapsible section of the summary.
pub(super) fn folded(place: &str, severity: &str, body: &str) -> String {
    format!("<details><summary>{severity} · <code>{}</code></summary>\n\n{body}\n\n</details>", html_text(place))
}

/// Returns the part of the summary before the folded findings: `words`, below a line about the review.
pub(super) fn summary_head(review: &ReviewOutput, words: &str, posted: usize, requirements: bool) -> String {
    let meta = &review.meta;
    let seconds = meta.timings.total_ms as f64 / 1000.0;
    let noun = if posted == 1 { "finding" } else { "findings" };
    let unreadable = match meta.unreadable.len() {
        0 => String::new(),
        count => format!(", {}", unreadable_heading(count)),
    };
    let subline = format!("<sub>{posted} {noun} by {} in {seconds:.1} s{unreadable}</sub>", code_span(&meta.agent));
    let summary = format!("{subline}\n\n{}", neutral(&bounded(words)));
    match requirements && !review.intent.is_empty() {
        true => format!("{summary}\n\n{}", requirements_list(&review.intent)),
        false => summary,
    }
}

/// Returns the requirements as a list, each with its verdict and the places of its evidence. Their words are an agent's, so they are one
/// inert line each.
fn requirements_list(requirements: &[Requirement]) -> String {
    let line = |one: &Requirement| {
        let places = one.evidence.iter().take(EVIDENCE_NAMED).map(|quote| code_span(&quote.place()));
        let places = places.collect::<Vec<_>>().join(", ");
        let places = if places.is_empty() { places } else { format!(" ({places})") };
        let text = neutral_line(&cut(&one_line(&one.requirement), MAX_REQUIREMENT_CHARS));
        format!("- **{}:** {text}{places}", one.verdict.label())
    };
    let mut lines: Vec<String> = requirements.iter().take(REQUIREMENTS_NAMED).map(line).collect();
    let more = requirements.len().saturating_sub(REQUIREMENTS_NAMED);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    format!("**Requirements of the authors**\n\n{}", lines.join("\n"))
}

/// Returns the part of the summary after the folded findings: facts, omitted parts, a warning, errors.
pub(super) fn summary_tail(
    review: &ReviewOutput,
    posted: usize,
    truncation: Option<&TruncationReport>,
    pipeline: Option<&str>,
    warn_of_secrets: bool,
) -> String {
    let meta = &review.meta;
    let mut facts = vec![
        format!("- **Fingerprint:** {}", code_span(&format!("{}:{}", meta.fingerprint.algo, meta.fingerprint.value))),
        format!("- **Agent:** {}", code_span(&meta.agent)),
        format!("- **Findings:** `{posted}` of `{}`", review.findings.len() + meta.unreadable.len()),
        format!("- **Coverage:** {}", neutral_line(&meta.coverage)),
    ];
    facts.extend(meta.head_sha.as_ref().map(|head| format!("- **Head:** {}", code_span(head))));
    facts.extend(meta.model.as_ref().map(|model| format!("- **Model:** {}", code_span(model))));
    facts.extend(pipeline.map(|id| format!("- **Pipeline:** {}", code_span(id))));
    facts.extend(
        meta.token_usage.map(|usage| format!("- **Tokens:** `{}` read, `{}` written", usage.input, usage.output)),
    );
    facts.extend(meta.agents.iter().filter_map(|agent| {
        let runs = agent.runs.as_ref()?.sentence();
        Some(format!("- **Stability of {}:** {}", code_span(&agent.name), neutral_line(&runs)))
    }));
    facts.push(format!("- **Truncated:** `{}`", meta.truncated));
    facts.push(format!("- **Redaction found:** `{}`", meta.redaction_found));
    let mut parts = vec![block("Metadata", &facts)];
    if !meta.unreadable.is_empty() {
        let named = meta.unreadable.iter().take(UNREADABLE_NAMED);
        let mut lines: Vec<String> = named.map(unreadable).collect();
        let more = meta.unreadable.len().saturating_sub(UNREADABLE_NAMED);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        parts.push(block(&unreadable_heading(meta.unreadable.len()), &lines));
    }
    if let Some(reading) = &meta.reading {
        let lines: Vec<String> = reading.sentences().iter().map(|line| format!("- {}", neutral_line(line))).collect();
        parts.push(block("Evidence of reading", &lines));
    }
    if let Some(report) = truncation.filter(|report| report.truncated) {
        let mut lines = vec![
            format!("- **Characters:** `{}` of `{}`", report.final_chars, report.original_chars),
            format!("- **Files:** `{}` of `{}`", report.final_files, report.original_files),
        ];
        let named = report.items.iter().take(DROPPED_NAMED);
        lines.extend(named.map(|item| format!("- {} {}", code_span(&item.path), neutral_line(&item.details))));
        let more = report.items.len().saturating_sub(DROPPED_NAMED);
        if more > 0 {
            lines.push(format!("- and {more} more, named in `truncation.json`"));
        }
        parts.push(block("Truncation details", &lines));
    }
    if warn_of_secrets && meta.redaction_found {
        parts.push(
            "**Secrets:** something in this change looks like a secret. It was masked before any agent saw it; if \
             it is real, it is now in the git history and must be replaced."
                .to_owned(),
        );
    }
    let failed = meta.agents.iter().filter_map(|AgentResult { name, error, .. }| {
        Some(format!("- {}: {}", code_span(name), neutral_line(error.as_ref()?)))
    });
    let failed: Vec<String> = failed.collect();
    if !failed.is_empty() {
        parts.push(block("Run errors", &failed));
    }
    parts.join("\n\n")
}

/// Returns a finding that could not be read, as the agent wrote it.
fn unreadable(finding: &UnreadableFinding) -> String {
    let text = code_block("json", &cut(&finding.text, MAX_UNREADABLE_CHARS));
    format!("{}\n\n{text}\n", neutral_line(&one_line(&finding.reason())))
}

/// Returns the digest for later reviews.
pub(super) fn digest(review: &ReviewOutput, words: &str, findings: &[&Finding]) -> EmbeddedDigest {
    let embedded = |finding: &&Finding| EmbeddedFinding {
        finding_id: finding.key.clone(),
        path: finding.anchor.path.clone(),
        line_range: match (finding.anchor.line_start, finding.anchor.line_end) {
            (Some(start), Some(end)) if start != end => format!("{start}-{end}"),
            (Some(line), _) => line.to_string(),
            _ => String::new(),
        },
        title: title(finding),
        severity: finding.content.severity.name().to_owned(),
    };
    EmbeddedDigest {
        prior_fingerprint: Some(review.meta.fingerprint.clone()),
        findings: findings.iter().take(MAX_EMBEDDED_FINDINGS).map(embedded).collect(),
        summary_hint: words.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| cut(line, 240)),
        unsent: review.meta.unsent.clone(),
        reviewed_head: review.meta.reviewed.as_ref().map(|reviewed| reviewed.head_sha.clone()),
    }
}

/// Returns a finding's title, or the beginning of its text.
pub(super) fn title(finding: &Finding) -> String {
    let content = &finding.content;
    cut(
        &one_line(content.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&content.body_markdown)),
        120,
    )
}

fn block(title: &str, lines: &[String]) -> String {
    format!("<details><summary><strong>{title}</strong></summary>\n\n{}\n\n</details>", lines.join("\n"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, most: usize) -> String {
    let short: String = text.chars().take(most).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

fn bounded(text: &str) -> String {
    let short: String = text.chars().take(MAX_REMARK_CHARS).collect();
    if short.len() < text.len() { short + "\n\n… (truncated; the review has the full text)" } else { short }
}
