//! Builds the exact text that an agent reads from a prepared diff and the prompt files.
//!
//! In: templates and values. Out: text before the final redaction, which the caller does. Untrusted text is always inside fences whose
//! marker the caller chooses at random for each run.

mod chat;
pub mod commit;
mod digest;
pub mod fix;
pub mod intent;
pub mod reminder;
pub mod rules;
pub mod snippets;
mod verify;

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;
use serde_json::json;

use crate::types::{FoldedHunk, IgnoreReason, IgnoredFile, TruncationReport};
use diffsan_config::Verbosity;

use self::intent::{IntentText, readable};

pub use chat::{ChatFinding, ChatPrompt, render_chat, render_room};
pub use commit::render_commit;
pub use digest::{Prior, PriorComment, PriorFinding};
pub use verify::{VerifyFinding, VerifyPrompt, render_verify};

/// The maximum number of entries of a list in a prompt. Further entries are counted.
const LIST_LIMIT: usize = 60;

/// A prompt file that cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {message}")]
pub struct PromptError {
    /// The name of the file.
    pub name: String,
    /// The error message, with the line.
    pub message: String,
}

/// A short addition to the instructions of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skill {
    /// The name in the settings.
    pub name: String,
    /// The text of the skill.
    pub text: String,
}

/// The values from which a review prompt is rendered.
#[derive(Clone, Debug)]
pub struct ReviewPrompt<'a> {
    /// `system.md` joined with `system_extra.md`.
    pub system: &'a str,
    /// Whether the agent enforces the schema of the answer.
    pub structured: bool,
    /// The path of the room that the agent may read, if there is one.
    pub room: Option<&'a str>,
    /// The folder in the room with copies of the files that configure agents, if there is one.
    pub copies: Option<&'a str>,
    /// The schema of the answer, for agents that do not enforce it.
    pub schema: &'a str,
    /// The detail of the answer.
    pub verbosity: Verbosity,
    /// Skills, in order.
    pub skills: &'a [Skill],
    /// The user's instructions: from the file, then from the settings.
    pub instructions: &'a [String],
    /// The review rules of the repository, from the target side, masked.
    pub rules: &'a [rules::Rules],
    /// The digest of earlier findings and comments; may be empty.
    pub prior: &'a str,
    /// The name of the earlier version, if only the author's edits since then are sent; else empty.
    pub since: &'a str,
    /// The lines that the author edited since then, as a list.
    pub edits: &'a str,
    /// The report of the parts that were cut.
    pub truncation: &'a TruncationReport,
    /// Whether secrets were masked.
    pub redacted: bool,
    /// The files that are ignored.
    pub ignored: &'a [IgnoredFile],
    /// The hunks that are not sent because their changed lines have no new meaning.
    pub folded: &'a [FoldedHunk],
    /// Commit messages, masked, as text of the authors without a question about it.
    pub messages: &'a [String],
    /// The intent of the authors. Its text is empty if the agent is not asked about it.
    pub intent: &'a IntentText,
    /// The prepared diff, or one batch of it.
    pub diff: &'a str,
    /// The unchanged callers of changed signatures as a list; may be empty.
    pub callers: &'a str,
    /// The facts of the pipeline and of reports as a list, masked; may be empty.
    pub facts: &'a str,
    /// The hunks in reading order as a list; may be empty.
    pub chapters: &'a str,
    /// The number of the batch, from 1.
    pub batch: usize,
    /// The number of batches.
    pub batches: usize,
    /// The files that only other batches contain.
    pub elsewhere: &'a [String],
    /// A random word that fences untrusted text.
    pub marker: &'a str,
}

/// Joins the system prompt with its optional addition.
pub fn join_system(system: &str, extra: Option<&str>) -> String {
    match extra.map(str::trim).filter(|text| !text.is_empty()) {
        Some(extra) => format!("{}\n\n{extra}", system.trim()),
        None => system.trim().to_owned(),
    }
}

/// Renders the prompt of a review.
pub fn render_review(template: &str, input: &ReviewPrompt<'_>) -> Result<String, PromptError> {
    let truncation = input.truncation.truncated.then_some(input.truncation);
    let messages: Vec<String> = input.messages.iter().map(|message| readable(message)).collect();
    // The marker is random, so only somebody who saw an earlier prompt can name it.
    let intent = input.intent.text.replace(input.marker, "");
    let (reviewed, ignored) = reviewed_and_ignored(input.ignored);
    render(
        "review.md",
        template,
        &json!({
            "system": input.system,
            "structured": input.structured,
            "room": input.room,
            "copies": input.copies,
            "schema": input.schema,
            "verbosity": input.verbosity,
            "skills": input.skills,
            "instructions": input.instructions,
            "rules": input.rules,
            "prior": input.prior,
            "truncation": truncation,
            "dropped": dropped_list(input.truncation),
            "redacted": input.redacted,
            "folded": folded_list(input.folded),
            "ignored": ignored,
            "since": input.since,
            "edits": input.edits,
            "reviewed": reviewed,
            "messages": messages,
            "intent": intent,
            "intent_left_out": input.intent.left_out,
            "diff": input.diff.trim_end_matches('\n'),
            "callers": input.callers,
            "facts": input.facts.replace(input.marker, ""),
            "chapters": input.chapters,
            "batch": input.batch,
            "batches": input.batches,
            "elsewhere": bounded(input.elsewhere.iter().map(String::as_str)),
            "marker": input.marker,
        }),
    )
}

/// Renders the request to correct a refused answer.
pub fn render_repair(
    template: &str,
    schema: &str,
    problems: &[String],
    previous: &str,
    marker: &str,
) -> Result<String, PromptError> {
    render(
        "repair.md",
        template,
        &json!({ "schema": schema, "problems": problems, "previous": previous, "marker": marker }),
    )
}

fn render(name: &str, template: &str, values: &serde_json::Value) -> Result<String, PromptError> {
    let wrong = |error: minijinja::Error| PromptError {
        name: name.to_owned(),
        message: match error.line() {
            Some(line) => format!("line {line}: {}", error.detail().unwrap_or("cannot be rendered")),
            None => error.to_string(),
        },
    };
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template(name, template).map_err(wrong)?;
    let text = environment.get_template(name).and_then(|ready| ready.render(Serde(values))).map_err(wrong)?;
    Ok(text.trim().to_owned() + "\n")
}

/// Returns the parts that were cut as a Markdown list with a limited number of entries.
pub fn dropped_list(report: &TruncationReport) -> String {
    let mut lines: Vec<String> =
        report.items.iter().take(LIST_LIMIT).map(|item| format!("- {}: {}", item.path, item.details)).collect();
    if report.items.len() > LIST_LIMIT {
        lines.push(format!("- and {} more", report.items.len() - LIST_LIMIT));
    }
    lines.join("\n")
}

/// Returns the folded hunks as a Markdown list with a limited number of entries.
fn folded_list(folded: &[FoldedHunk]) -> String {
    let line = |one: &FoldedHunk| format!("- {} {}: {}", one.path, one.hunk, one.details);
    let mut lines: Vec<String> = folded.iter().take(LIST_LIMIT).map(line).collect();
    if folded.len() > LIST_LIMIT {
        let more = &folded[LIST_LIMIT..];
        let changed: u32 = more.iter().map(|one| one.lines).sum();
        lines.push(format!("- and {} more, with {changed} changed lines", more.len()));
    }
    lines.join("\n")
}

/// Returns the ignored files that were reviewed before, and the others, each as a bounded list.
fn reviewed_and_ignored(files: &[IgnoredFile]) -> (String, String) {
    let (reviewed, ignored): (Vec<&IgnoredFile>, Vec<&IgnoredFile>) =
        files.iter().partition(|file| file.reason == IgnoreReason::Reviewed);
    let paths = |files: Vec<&IgnoredFile>| bounded(files.iter().map(|file| file.path.as_str()));
    (paths(reviewed), paths(ignored))
}

/// Joins names, at most [`LIST_LIMIT`] of them.
fn bounded<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(LIST_LIMIT);
    let mut shown = names.take(LIST_LIMIT).collect::<Vec<_>>().join(", ");
    if more > 0 {
        shown += &format!(", and {more} more");
    }
    shown
}

/// The note that a summary must contain if secrets were masked.
pub const REDACTION_NOTE: &str = "Redaction occurred; review includes redacted content.";

/// Adds the required disclosures that the agent left out.
pub fn with_disclosures(summary: &str, truncation: &TruncationReport, redacted: bool) -> String {
    let mut out = summary.trim_end().to_owned();
    if redacted && !summary.contains(REDACTION_NOTE) {
        out.push_str("\n\n");
        out.push_str(REDACTION_NOTE);
    }
    if truncation.truncated && !summary.contains("<details><summary>Truncation</summary>") {
        out.push_str(&format!(
            "\n\nThis is a partial review: {} of {} files and {} of {} characters were sent.\n\n\
             <details><summary>Truncation</summary>\n\n{}\n\n</details>",
            truncation.final_files,
            truncation.original_files,
            truncation.final_chars,
            truncation.original_chars,
            dropped_list(truncation)
        ));
    }
    out
}

/// Returns the skills for the languages of a change, by file extension.
pub fn skills_for_extensions<'a>(extensions: impl Iterator<Item = &'a str>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for extension in extensions {
        let skill = match extension {
            "rs" => "rust",
            "py" | "pyi" => "python",
            "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "svelte" | "vue" => "typescript",
            "go" => "go",
            "sql" => "sql",
            _ => continue,
        };
        if !names.contains(&skill) {
            names.push(skill);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{TruncationItem, TruncationKind};

    const TEMPLATE: &str = include_str!("../../../../../config/prompts/review.md");
    static NO_INTENT: IntentText = IntentText { text: String::new(), left_out: String::new() };

    fn input<'a>(truncation: &'a TruncationReport) -> ReviewPrompt<'a> {
        ReviewPrompt {
            system: "You review.",
            structured: false,
            room: None,
            copies: None,
            schema: "SCHEMA",
            verbosity: Verbosity::Medium,
            skills: &[],
            instructions: &[],
            rules: &[],
            prior: "",
            since: "",
            edits: "",
            truncation,
            redacted: false,
            ignored: &[],
            folded: &[],
            messages: &[],
            intent: &NO_INTENT,
            diff: "diff --git a/x b/x\n",
            callers: "",
            facts: "",
            chapters: "",
            batch: 1,
            batches: 1,
            elsewhere: &[],
            marker: "M1",
        }
    }

    fn cut() -> TruncationReport {
        TruncationReport {
            truncated: true,
            original_chars: 900,
            final_chars: 100,
            original_files: 3,
            final_files: 1,
            items: vec![TruncationItem {
                kind: TruncationKind::File,
                path: "b.rs".into(),
                details: "max_files".into(),
            }],
        }
    }

    #[test]
    fn the_built_in_template_renders_with_and_without_every_part() {
        let none = TruncationReport::default();
        let plain = render_review(TEMPLATE, &input(&none)).expect("renders");
        assert!(plain.starts_with("You review.\n"));
        assert!(plain.contains("Return ONLY a JSON object."));
        assert!(plain.contains("<<<M1\ndiff --git a/x b/x\n>>>M1"));
        assert!(!plain.contains("What you see, and what you do not"));
        let report = cut();
        let skills = [Skill { name: "sql".into(), text: "Look at joins.".into() }];
        let full = ReviewPrompt {
            structured: true,
            redacted: true,
            skills: &skills,
            instructions: &["Be kind.".into()],
            rules: &[rules::Rules { name: "REVIEW.md".into(), text: "No globals.".into() }],
            prior: "- finding, open: a.rs:1",
            messages: &["Fix it".into()],
            batch: 2,
            batches: 3,
            elsewhere: &["c.rs".into()],
            folded: &[FoldedHunk {
                path: "d.rs".into(),
                hunk: "@@ -1 +1 @@".into(),
                lines: 2,
                reasons: vec![diffsan_fold::FoldReason::Whitespace],
                details: "only whitespace".into(),
            }],
            ..input(&report)
        };
        let full = render_review(TEMPLATE, &full).expect("renders");
        assert!(!full.contains("Return ONLY"), "a structured agent needs no output rules");
        for part in [
            "## sql",
            "Be kind.",
            "REVIEW.md:\n\nNo globals.",
            "do not repeat",
            "- finding, open: a.rs:1",
            "1 of 3 files",
            "- b.rs: max_files",
            "[REDACTED:rule:number]",
            "Fix it",
            "this is part 2",
            "parts: c.rs",
            "- d.rs @@ -1 +1 @@: only whitespace",
        ] {
            assert!(full.contains(part), "{part} is missing in:\n{full}");
        }
    }

    #[test]
    fn a_template_in_the_diff_is_text() {
        let none = TruncationReport::default();
        let hostile = ReviewPrompt { diff: "+{{ system }}{% if %}", ..input(&none) };
        assert!(render_review(TEMPLATE, &hostile).expect("renders").contains("+{{ system }}{% if %}"));
    }

    #[test]
    fn an_invalid_template_is_reported_with_its_line() {
        let none = TruncationReport::default();
        let error = render_review("a\n{{ nothing }}", &input(&none)).expect_err("undefined");
        assert_eq!(error.name, "review.md");
        assert!(error.message.starts_with("line 2"), "{error}");
    }

    #[test]
    fn disclosures_are_added_once() {
        let summary = with_disclosures("Fine.", &cut(), true);
        assert!(summary.contains(REDACTION_NOTE) && summary.contains("<summary>Truncation</summary>"));
        assert_eq!(with_disclosures(&summary, &cut(), true), summary);
        assert_eq!(with_disclosures("Fine.", &TruncationReport::default(), false), "Fine.");
    }
}
