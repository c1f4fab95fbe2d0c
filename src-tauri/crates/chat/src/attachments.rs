//! Attachments of a message: findings, files and lines, and their text for the agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ChatContext;
use diffsan_change::RepoPath;
use diffsan_redact::Session;
use diffsan_review::finding::Side;

/// The size in bytes above which a file is only named.
const MAX_FILE_BYTES: usize = 100 * 1024;

/// An attachment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum About {
    /// A finding of the latest review.
    Finding {
        /// The key of the finding.
        key: String,
    },
    /// A file of the change or of the repository.
    File {
        /// The path of the file.
        path: String,
    },
    /// Some lines of a file of the change.
    Selection {
        /// The path of the file.
        path: String,
        /// The side of the lines.
        side: Side,
        /// The first line, from 1.
        line_start: u32,
        /// The last line.
        line_end: u32,
    },
}

impl About {
    /// Returns a short name, such as `file:src/main.rs`.
    pub fn word(&self) -> String {
        match self {
            Self::Finding { key } => format!("finding:{key}"),
            Self::File { path } => format!("file:{path}"),
            Self::Selection { path, line_start, .. } => format!("lines:{path}:{line_start}"),
        }
    }
}

/// Renders an attachment for the agent, masked. Blocks.
pub(super) fn render(chat_context: ChatContext<'_>, about: &About, session: &mut Session, marker: &str) -> String {
    let fenced =
        |words: String, text: &str| format!("{words}\n<<<{marker}\n{}\n>>>{marker}\n", text.trim_end_matches('\n'));
    match about {
        About::Finding { key } => {
            let found =
                chat_context.reviewed.and_then(|review| review.findings.iter().find(|(one, _)| one.key == *key));
            let Some((finding, decision)) = found else {
                return "This is about a finding that no longer exists.\n".to_owned();
            };
            let content = &finding.content;
            let mut text = format!(
                "{} {} at {} ({decision})",
                content.severity.name(),
                content.category.name(),
                finding.anchor.place()
            );
            if let Some(title) = &content.title {
                text.push_str(&format!("\n{title}"));
            }
            text.push_str(&format!("\n{}", content.body_markdown.trim()));
            if let Some(quote) = &content.quote {
                text.push_str(&format!("\nquoted: {quote}"));
            }
            if let Some(patch) = &content.suggested_patch {
                text.push_str(&format!("\nsuggested patch:\n{}", patch.content.trim_end()));
            }
            fenced("This is about this finding:".to_owned(), &text)
        }
        About::File { path } => {
            let bytes = chat_context.opened.file(&RepoPath::from(path.as_str()), Side::New);
            let text = bytes.filter(|bytes| bytes.len() <= MAX_FILE_BYTES && !bytes.contains(&0)).and_then(|bytes| {
                let masked = session.room_file(path, &bytes).into_inner();
                String::from_utf8(masked).ok()
            });
            match text {
                Some(text) => fenced(format!("This is about the file `{path}`, which is now:"), &text),
                None => format!("This is about the file `{path}`.\n"),
            }
        }
        About::Selection { path, side, line_start, line_end } => {
            let lines = selected(chat_context, path, *side, *line_start, *line_end);
            let on = if *side == Side::Old { ", old side" } else { "" };
            let words = format!("This is about the lines {line_start} to {line_end} of `{path}`{on}:");
            match lines.is_empty() {
                true => format!("{words} they are not part of the change.\n"),
                false => fenced(words, &lines),
            }
        }
    }
}

/// Returns the masked lines of the change from `from` to `to`.
fn selected(chat_context: ChatContext<'_>, path: &str, side: Side, from: u32, to: u32) -> String {
    let masked = chat_context.opened.prepared().masked.get();
    // The masked change has its files in the same order; a path may be masked itself.
    let at = chat_context.opened.change.files.iter().position(|file| file.path().to_text() == path);
    let Some(file) = at.and_then(|at| masked.files.get(at)) else { return String::new() };
    let mut text = String::new();
    for line in file.hunks().iter().flat_map(diffsan_change::Hunk::numbered) {
        let number = if side == Side::Old { line.old } else { line.new };
        if number.is_some_and(|number| (from..=to).contains(&number)) {
            text.push_str(&String::from_utf8_lossy(&line.line.text));
            text.push('\n');
        }
    }
    text
}
