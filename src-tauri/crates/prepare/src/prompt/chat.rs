//! The first message of a conversation.

use serde::Serialize;
use serde_json::json;

use super::{PromptError, dropped_list, folded_list, render, reviewed_and_ignored};
use crate::types::{FoldedHunk, IgnoredFile, TruncationReport};

/// The values from which the first message of a conversation is rendered.
#[derive(Clone, Debug)]
pub struct ChatPrompt<'a> {
    /// The title of the change, masked.
    pub title: &'a str,
    /// The report of the parts that were cut.
    pub truncation: &'a TruncationReport,
    /// Whether secrets were masked.
    pub redacted: bool,
    /// The files that are ignored.
    pub ignored: &'a [IgnoredFile],
    /// The hunks that are not sent because their changed lines have no new meaning.
    pub folded: &'a [FoldedHunk],
    /// Commit messages, masked.
    pub messages: &'a [String],
    /// The prepared diff.
    pub diff: &'a str,
    /// The findings of the latest review.
    pub findings: &'a [ChatFinding],
    /// A random word that fences untrusted text.
    pub marker: &'a str,
}

/// A finding in the prompt of a conversation.
#[derive(Clone, Debug, Serialize)]
pub struct ChatFinding {
    /// The name of the severity.
    pub severity: String,
    /// The name of the category.
    pub category: String,
    /// The place: `path:line-line`.
    pub place: String,
    /// The state of the anchor.
    pub state: String,
    /// The decision: `open`, `accepted`, `dismissed`.
    pub decision: String,
    /// The headline, if there is one.
    pub title: Option<String>,
    /// The text of the finding.
    pub body: String,
}

/// Renders the first message of a conversation, which follows the system prompt.
pub fn render_chat(template: &str, input: &ChatPrompt<'_>) -> Result<String, PromptError> {
    let truncation = input.truncation.truncated.then_some(input.truncation);
    let messages: Vec<&str> = input.messages.iter().map(|message| message.trim()).collect();
    let (reviewed, ignored) = reviewed_and_ignored(input.ignored);
    render(
        "chat.md",
        template,
        &json!({
            "title": input.title,
            "truncation": truncation,
            "dropped": dropped_list(input.truncation),
            "redacted": input.redacted,
            "folded": folded_list(input.folded),
            "ignored": ignored,
            "reviewed": reviewed,
            "messages": messages,
            "diff": input.diff.trim_end_matches('\n'),
            "findings": input.findings,
            "marker": input.marker,
        }),
    )
}

/// Renders the text about the files that an agent may read.
pub fn render_room(template: &str, room: &str, copies: Option<&str>) -> Result<String, PromptError> {
    render("room.md", template, &json!({ "room": room, "copies": copies }))
}
