//! Exports a review as one HTML file. The page loads nothing and runs nothing, and its own policy forbids both.

use base64::Engine;
use sha2::{Digest, Sha256};

use super::excerpt::excerpt;
use super::prose::{escape, prose};
use super::style::STYLE;
use super::{Exported, facts, headline, place, sources, standing};
use diffsan_change::LineKind;
use diffsan_prepare::types::Coverage;
use diffsan_review::finding::Finding;
use diffsan_review::quotes::CheckedQuote;
use diffsan_review::unreadable_heading;

pub(super) fn write(review: &Exported<'_>) -> String {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let title = escape(review.title.as_str());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Review of {title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Review of {title}</h1>\n<p class=\"dim\">{}</p>\n</header>\n<main>\n<section class=\"prose\" aria-label=\"Summary\">\n{}</section>\n",
        escape(&counts(review)),
        prose(&review.output.summary_markdown)
    );
    requirements(&mut out, review);
    if !review.output.findings.is_empty() {
        out += "<h2>Findings</h2>\n";
    }
    for finding in review.in_order() {
        one(&mut out, review, finding);
    }
    let unreadable = &review.output.meta.unreadable;
    if !unreadable.is_empty() {
        out += &format!("<h2>{}</h2>\n", unreadable_heading(unreadable.len()));
    }
    for one in unreadable {
        out += &format!("<p>{}</p>\n<pre>{}</pre>\n", escape(&one.reason()), escape(&one.text));
    }
    stands_on(&mut out, review);
    out += "</main>\n</body>\n</html>\n";
    out
}

/// Returns a sentence such as `3 findings: 1 critical, 2 low; 1 accepted, 1 dismissed`.
fn counts(review: &Exported<'_>) -> String {
    use diffsan_review::finding::Severity::{Critical, High, Info, Low, Medium};
    let findings = &review.output.findings;
    let of = |severity| findings.iter().filter(|finding| finding.content.severity == severity).count();
    let kinds = [Critical, High, Medium, Low, Info].map(|severity| (of(severity), severity.name()));
    let dismissed = review.decisions.iter().filter(|decided| decided.dismissed).count();
    let decided = [(review.decisions.len() - dismissed, "accepted"), (dismissed, "dismissed")];
    let list = |all: &[(usize, &str)]| {
        let some = all.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        some.collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("{} {}", findings.len(), if findings.len() == 1 { "finding" } else { "findings" });
    if !findings.is_empty() {
        text += &format!(": {}", list(&kinds));
    }
    if !review.decisions.is_empty() {
        text += &format!("; {}", list(&decided));
    }
    text
}

fn requirements(out: &mut String, review: &Exported<'_>) {
    if review.output.intent.is_empty() {
        return;
    }
    *out += "<h2>Requirements of the authors</h2>\n<ul>\n";
    for one in &review.output.intent {
        let quotes: String = one.evidence.iter().map(quoted).collect();
        *out += &format!("<li><b>{}:</b> {}{quotes}</li>\n", one.verdict.label(), escape(&one.requirement));
    }
    *out += "</ul>\n";
}

fn quoted(quote: &CheckedQuote) -> String {
    format!("<br><code>{}</code> <code>{}</code>", escape(&quote.place()), escape(quote.quote.trim()))
}

fn one(out: &mut String, review: &Exported<'_>, finding: &Finding) {
    let content = &finding.content;
    let dismissed = if review.is_dismissed(finding) { " dismissed" } else { "" };
    *out += &format!(
        "<article class=\"finding {}{dismissed}\">\n<h3><span class=\"severity\">{}</span> {}</h3>\n<p class=\"where\"><code>{}</code> · {} · {} · {}</p>\n",
        content.severity.name(),
        content.severity.name(),
        escape(&headline(finding)),
        escape(&place(finding)),
        content.category.name(),
        standing(review, finding).join(", "),
        escape(&sources(finding))
    );
    if let Some(looked) = &review.looked {
        code(out, &excerpt(looked.change.get(), finding));
    }
    *out += &format!("<div class=\"prose\">{}</div>\n", prose(&content.body_markdown));
    for claim in &finding.claims {
        let evidence = claim.evidence.as_ref().map(|one| {
            format!(": <code>{}:{}</code> <code>{}</code>", escape(&one.path), one.line, escape(one.text.trim()))
        });
        let verdict = match claim.verdict {
            diffsan_review::finding::Verdict::Verified => "verified",
            diffsan_review::finding::Verdict::Contradicted => "disputed",
            diffsan_review::finding::Verdict::Unchecked => "unchecked",
        };
        *out += &format!(
            "<p class=\"dim\">Claim ({verdict}): {}{}</p>\n",
            escape(&claim.claim),
            evidence.unwrap_or_default()
        );
    }
    if let Some(opinion) = review.opinion(finding) {
        *out += &format!(
            "<p class=\"dim\">Second opinion of {} ({}): {}{}</p>\n",
            escape(&opinion.agent),
            opinion.verdict.label(),
            escape(&opinion.reason),
            opinion.evidence.iter().map(quoted).collect::<String>()
        );
    }
    if !finding.chain.is_empty() {
        let hops = finding.chain.iter().map(|hop| {
            format!("<li><code>{}</code> <code>{}:{}</code></li>", escape(&hop.symbol), escape(&hop.path), hop.line)
        });
        *out += &format!("<ol class=\"dim\">{}</ol>\n", hops.collect::<String>());
    }
    if let Some(patch) = content.suggested_patch.as_ref().filter(|patch| !patch.content.trim().is_empty()) {
        let applies =
            if finding.fix.is_some() { "Suggested patch; it applied to the reviewed code" } else { "Suggested" };
        *out += &format!("<p class=\"dim\">{applies}:</p>\n<pre>{}</pre>\n", escape(patch.content.trim_end()));
    }
    for note in &finding.anchor.notes {
        *out += &format!("<p class=\"dim\">{}</p>\n", escape(note));
    }
    if let Some(decided) = review.decided(finding) {
        let how = if decided.dismissed { "Dismissed" } else { "Accepted" };
        let why = decided.reason.as_ref().map(|reason| format!(": {}", escape(reason.as_str())));
        *out += &format!("<p class=\"decision\"><b>{how}</b>{}</p>\n", why.unwrap_or_default());
    }
    *out += "</article>\n";
}

fn code(out: &mut String, lines: &[super::excerpt::ExcerptLine]) {
    if lines.is_empty() {
        return;
    }
    *out += "<table class=\"code\"><tbody>\n";
    for line in lines {
        let (class, sign) = match line.kind {
            LineKind::Added => ("add", "+"),
            LineKind::Removed => ("del", "-"),
            LineKind::Context => ("same", " "),
        };
        let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let meant = if line.meant { " meant" } else { "" };
        *out += &format!(
            "<tr class=\"{class}{meant}\"><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{sign}{}</td></tr>\n",
            number(line.old),
            number(line.new),
            escape(&line.text)
        );
    }
    *out += "</tbody></table>\n";
}

fn stands_on(out: &mut String, review: &Exported<'_>) {
    *out += "<h2>About this review</h2>\n<table class=\"facts\"><tbody>\n";
    for (name, value) in facts(review) {
        *out += &format!("<tr><th scope=\"row\">{name}</th><td>{}</td></tr>\n", escape(&value));
    }
    *out += "</tbody></table>\n";
    let Some(looked) = &review.looked else { return };
    *out += "<h2>Coverage</h2>\n<table class=\"facts\"><thead><tr><th scope=\"col\">File</th><th scope=\"col\">Lines</th></tr></thead><tbody>\n";
    for file in &looked.coverage.files {
        let mut lines = [0_u64; 5];
        for run in file.hunks.iter().flat_map(|hunk| &hunk.runs) {
            lines[match run.state {
                Coverage::Sent => 0,
                Coverage::Redacted => 1,
                Coverage::Cut => 2,
                Coverage::Ignored => 3,
                Coverage::Folded => 4,
            }] += u64::from(run.lines);
        }
        let said: Vec<String> = lines
            .iter()
            .zip(["sent", "redacted", "cut", "ignored", "folded"])
            .filter(|(count, _)| **count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        *out += &format!("<tr><td><code>{}</code></td><td>{}</td></tr>\n", escape(&file.path), said.join(", "));
    }
    *out += "</tbody></table>\n";
    let cut = looked.truncation.items.iter().map(|item| (&item.path, &item.details));
    let left: Vec<_> = cut.chain(looked.ignored.iter().map(|file| (&file.path, &file.details))).collect();
    if !left.is_empty() {
        *out += "<h2>Not reviewed</h2>\n<ul>\n";
        for (path, why) in left {
            *out += &format!("<li><code>{}</code>: {}</li>\n", escape(path), escape(why));
        }
        *out += "</ul>\n";
    }
}
