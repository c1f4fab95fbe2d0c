//! Writes results and messages, for people and for programs.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, SavedReview};
use diffsan_evidence::Reading;
use diffsan_export::for_terminal;
pub use diffsan_pipeline::error::to_pretty_json as json;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_review::finding::{AnchorState, Finding};
use diffsan_review::intent::Requirement;

use crate::args::Format;

/// Starts the application, and prints its messages about the state file.
pub fn start(options: AppOptions) -> Result<Arc<App>> {
    let app = App::start(options)?;
    for notice in app.start_notices() {
        say(&format!("note: {notice}"));
    }
    Ok(app)
}

/// Prints a line for the user to standard error.
pub fn say(line: &str) {
    // The terminal may be closed.
    let _ = writeln!(std::io::stderr().lock(), "{}", for_terminal(line));
}

/// Prints progress, if standard error is a terminal.
pub fn progress(line: &str) {
    if std::io::stderr().is_terminal() {
        say(line);
    }
}

/// Writes a result to standard output or to a file, without changes.
pub fn result(text: &str, file: Option<&Path>) -> Result<()> {
    let written = match file {
        Some(path) => std::fs::write(path, text),
        None => std::io::stdout().lock().write_all(text.as_bytes()),
    };
    match written {
        // The reader closed the pipe, because it needs no more.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => {
            let place = file.map_or("standard output".to_owned(), |path| path.display().to_string());
            Err(Error::new(ErrorCode::IoFailed, format!("The result cannot be written to {place}: {error}.")))
        }
        Ok(()) => Ok(()),
    }
}

/// Writes a result for people. It is made safe for terminals even if it goes to a file or a pipe, because it is often
/// shown in a terminal later.
pub fn text(text: &str, file: Option<&Path>) -> Result<()> {
    result(&for_terminal(text), file)
}

/// Writes a document in one of the formats.
pub fn document(text: &str, format: Format, file: Option<&Path>) -> Result<()> {
    let is_text = format.exported().is_none_or(|format| format.is_text);
    if is_text { self::text(text, file) } else { result(text, file) }
}

/// Prints a part of a result immediately.
pub fn text_now(text: &str) {
    // The reader may have closed the pipe. Then nothing more is printed.
    let mut out = std::io::stdout().lock();
    // Standard output may be closed.
    let _ = out.write_all(for_terminal(text).as_bytes()).and_then(|()| out.flush());
}

/// Prints an error to standard error, and with `as_json` to standard output too.
pub fn failure(error: &Error, as_json: bool) {
    if as_json {
        // The error is also printed to standard error.
        let _ = json(&serde_json::json!({ "error": error.info() })).and_then(|text| result(&text, None));
    }
    describe(error).lines().for_each(say);
}

/// Describes an error in a few lines: the message, its cause and the suggested action.
fn describe(error: &Error) -> String {
    let mut text = format!("error: {}\n", error.message);
    for line in error.cause.iter().flat_map(|cause| cause.lines()).chain(texts(error, "problems")) {
        text += &format!("  {line}\n");
    }
    text += &format!("hint: {}\n", error.advice());
    if let Some(folder) = error.context.get("run_dir").and_then(|value| value.as_str()) {
        text += &format!("details: {folder}\n");
    }
    let folders = texts(error, "looked_in");
    if !folders.is_empty() {
        text += &format!("looked in: {}\n", folders.join(", "));
    }
    text
}

/// Returns a list of texts in quotes from the context of an error.
fn texts<'a>(error: &'a Error, key: &str) -> Vec<&'a str> {
    let list = error.context.get(key).and_then(|value| value.as_array());
    list.into_iter().flatten().filter_map(|text| text.as_str()).collect()
}

/// Formats a review for a terminal.
pub fn review_text(review: &SavedReview) -> String {
    let mut out = String::new();
    for finding in &review.output.findings {
        out.push_str(&format!(
            "{} {} {}{}{}\n",
            finding.content.severity.name().to_uppercase(),
            place(finding),
            badge(finding.anchor.state),
            finding.content.category.name(),
            finding.runs_text().map(|runs| format!(" ({runs})")).unwrap_or_default(),
        ));
        if let Some(title) = &finding.content.title {
            out.push_str(&format!("  {title}\n"));
        }
        if let Some(since) = &finding.unedited_since {
            out.push_str(&format!("  (was there before: the author has not edited these lines since {since})\n"));
        }
        for line in finding.content.body_markdown.lines() {
            out.push_str(&format!("  {line}\n"));
        }
        if let Some(opinion) = second_opinion(review, finding) {
            out.push_str(&opinion);
        }
        for note in &finding.anchor.notes {
            out.push_str(&format!("  ({note})\n"));
        }
        out.push('\n');
    }
    out.push_str(review.output.summary_markdown.trim());
    out.push_str(&requirements(&review.output.intent));
    out.push_str(&opinion_warnings(review));
    let unreadable = review.output.meta.unreadable.len();
    if unreadable > 0 {
        let what = if unreadable == 1 { "finding" } else { "findings" };
        out.push_str(&format!(
            "\n\nwarning: {unreadable} {what} could not be read. The answer is in {}.",
            review.run_dir
        ));
    }
    out.push_str(&format!("\n\n{}\n", facts(review)));
    for agent in &review.output.meta.agents {
        if let Some(runs) = &agent.runs {
            out.push_str(&format!("stability of {}: {}\n", agent.name, runs.sentence()));
        }
    }
    for line in review.output.meta.reading.iter().flat_map(Reading::sentences) {
        out.push_str(&format!("reading: {line}\n"));
    }
    for agent in &review.output.meta.agents {
        if let Some(sandbox) = &agent.sandbox {
            out.push_str(&format!("sandbox of {}: {}\n", agent.name, sandbox.summary()));
        }
    }
    out
}

/// Formats the second opinion on a finding, with its evidence.
fn second_opinion(review: &SavedReview, finding: &Finding) -> Option<String> {
    let opinion = review.output.second_opinion.as_ref()?.of(&finding.key)?;
    let earlier = if opinion.remembered { ", in an earlier review" } else { "" };
    let mut out = format!("  second opinion: {} ({}{earlier})", opinion.verdict.label(), opinion.agent);
    if !opinion.reason.is_empty() {
        out += &format!(": {}", opinion.reason.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    out.push('\n');
    for quote in &opinion.evidence {
        let first = quote.quote.trim().lines().next().unwrap_or_default().trim();
        out += &format!("    {}  {first}\n", quote.place());
    }
    Some(out)
}

/// Returns warnings about missing second opinions.
fn opinion_warnings(review: &SavedReview) -> String {
    let Some(given) = &review.output.second_opinion else { return String::new() };
    let mut out = String::new();
    if let Some(error) = &given.error {
        out += &format!("\n\nwarning: There is no second opinion on some findings. {error}");
    } else if given.unanswered > 0 {
        out += &format!("\n\nwarning: The agent gave no second opinion on {} of the findings.", given.unanswered);
    }
    if given.left_out > 0 {
        out += &format!("\n\nwarning: {} findings are over the limits of second opinions.", given.left_out);
    }
    out
}

/// Formats the requirements of the authors, each with its verdict and the places of its evidence.
fn requirements(all: &[Requirement]) -> String {
    let mut out = String::new();
    if !all.is_empty() {
        out += "\n\nRequirements:";
    }
    for one in all {
        out += &format!("\n  {:<12}  {}", one.verdict.label(), one.requirement);
        for quote in &one.evidence {
            let first = quote.quote.lines().next().unwrap_or_default().trim();
            out += &format!("\n                {}  {first}", quote.place());
        }
    }
    out
}

/// Returns the path and lines of a finding.
pub fn place(finding: &Finding) -> String {
    match (finding.anchor.line_start, finding.anchor.line_end) {
        (Some(start), Some(end)) if start != end => format!("{}:{start}-{end}", finding.anchor.path),
        (Some(start), _) => format!("{}:{start}", finding.anchor.path),
        _ => finding.anchor.path.clone(),
    }
}

fn badge(state: AnchorState) -> &'static str {
    match state {
        AnchorState::Verified => "verified ",
        AnchorState::Moved => "moved ",
        AnchorState::Unverified => "unverified ",
        AnchorState::File => "file ",
        AnchorState::Unplaced => "unplaced ",
    }
}

fn facts(review: &SavedReview) -> String {
    let meta = &review.output.meta;
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let mut facts = vec![
        count(review.output.findings.len(), "finding", "findings"),
        meta.agent.clone(),
        format!("{:.1} s", meta.timings.total_ms as f64 / 1000.0),
    ];
    if let Some(usage) = meta.token_usage {
        facts.push(format!("{} tokens in, {} out", usage.input, usage.output));
    }
    if review.masked > 0 {
        facts.push(count(review.masked as usize, "secret masked", "secrets masked"));
    }
    facts.push(meta.coverage.clone());
    facts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_printed_with_its_message_and_advice() {
        for code in ErrorCode::ALL {
            let advice = code.presentation().advice;
            assert_eq!(describe(&Error::new(*code, "It failed.")), format!("error: It failed.\nhint: {advice}\n"));
        }
        let own = Error::new(ErrorCode::Busy, "It failed.").hint("Wait.").cause("a\nb");
        assert_eq!(describe(&own), "error: It failed.\n  a\n  b\nhint: Wait.\n");
    }
}
