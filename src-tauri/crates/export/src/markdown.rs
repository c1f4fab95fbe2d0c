//! Exports a review as Markdown, for a note or a file. Text of a model is escaped as in comments.

use super::excerpt::excerpt;
use super::{Exported, facts, headline, place, sources, standing};
use diffsan_change::LineKind;
use diffsan_forge::post_plan::{neutral, neutral_line};
use diffsan_review::finding::{Finding, PatchFormat};
use diffsan_review::unreadable_heading;

pub(super) fn write(review: &Exported<'_>) -> String {
    let output = review.output;
    let mut out =
        format!("# Review of {}\n\n{}\n", code(review.title.as_str()), neutral(output.summary_markdown.trim()));
    if !output.intent.is_empty() {
        out += "\n## Requirements of the authors\n\n";
    }
    for one in &output.intent {
        let places: Vec<String> = one.evidence.iter().map(|quote| code(&quote.place())).collect();
        let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        out += &format!("- **{}:** {}{places}\n", one.verdict.label(), neutral_line(&one_line(&one.requirement)));
    }
    if !output.findings.is_empty() {
        out += "\n## Findings\n";
    }
    for finding in review.in_order() {
        one(&mut out, review, finding);
    }
    let unreadable = &output.meta.unreadable;
    if !unreadable.is_empty() {
        out += &format!("\n## {}\n", unreadable_heading(unreadable.len()));
    }
    for one in unreadable {
        out += &format!("\n{}\n\n{}\n", neutral_line(&one_line(&one.reason())), fenced("json", &one.text));
    }
    out += "\n## About this review\n\n";
    for (name, value) in facts(review) {
        out += &format!("- {name}: {}\n", neutral_line(&value));
    }
    if let Some(looked) = &review.looked {
        let left = looked.truncation.items.iter().map(|item| (&item.path, &item.details));
        let left: Vec<_> = left.chain(looked.ignored.iter().map(|file| (&file.path, &file.details))).collect();
        if !left.is_empty() {
            out += "\n### Not reviewed\n\n";
            for (path, why) in left {
                out += &format!("- {}: {}\n", code(path), neutral_line(why));
            }
        }
    }
    out
}

fn one(out: &mut String, review: &Exported<'_>, finding: &Finding) {
    let content = &finding.content;
    *out += &format!(
        "\n### {}: {}\n\n{} · {} · {} · {}\n\n{}\n",
        content.severity.name(),
        neutral_line(&headline(finding)),
        code(&place(finding)),
        content.category.name(),
        standing(review, finding).join(", "),
        neutral_line(&sources(finding)),
        neutral(content.body_markdown.trim())
    );
    if let Some(opinion) = review.opinion(finding) {
        let places: Vec<String> = opinion.evidence.iter().map(|quote| code(&quote.place())).collect();
        let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        let by = neutral_line(&opinion.agent);
        let reason = neutral_line(&one_line(&opinion.reason));
        *out += &format!("\n**Second opinion of {by}:** {}. {reason}{places}\n", opinion.verdict.label());
    }
    if let Some(decided) = review.decided(finding) {
        let how = if decided.dismissed { "Dismissed" } else { "Accepted" };
        let why = decided.reason.as_ref().map(|reason| format!(": {}", neutral_line(reason.as_str())));
        *out += &format!("\n**{how}**{}\n", why.unwrap_or_default());
    }
    let lines = review.looked.map(|looked| excerpt(looked.change.get(), finding)).unwrap_or_default();
    if !lines.is_empty() {
        let text: Vec<String> = lines
            .iter()
            .map(|line| {
                let sign = match line.kind {
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                    LineKind::Context => ' ',
                };
                format!("{sign}{}", line.text)
            })
            .collect();
        *out += &format!("\n{}\n", fenced("diff", &text.join("\n")));
    }
    if let Some(patch) = content.suggested_patch.as_ref().filter(|patch| !patch.content.trim().is_empty()) {
        let language = if patch.format == PatchFormat::UnifiedDiff { "diff" } else { "" };
        *out += &format!("\nSuggested:\n\n{}\n", fenced(language, patch.content.trim_end()));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// Returns a code block with a fence that the text cannot close.
fn fenced(language: &str, text: &str) -> String {
    let ticks = "`".repeat(3.max(1 + longest_run(text)));
    format!("{ticks}{language}\n{}\n{ticks}", text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Returns inline code with marks that the text cannot close.
fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(1 + longest_run(&text));
    if ticks.len() == 1 { format!("`{text}`") } else { format!("{ticks} {text} {ticks}") }
}
