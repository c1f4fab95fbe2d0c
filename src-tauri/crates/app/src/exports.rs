//! Exports a saved review with its decisions and, if the reviewed change is open, its code.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

use super::saved_review::target_text;
use super::{App, SavedReview};
use diffsan_anchor::Relocated;
use diffsan_export::{Decided, Exported, Format, ReviewedChange, export};
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::ReviewOutput;
use diffsan_store::StoredDecision;

/// An exported document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Document {
    /// A suggested file name, such as `diffsan-2026-11-21-branch-topic.html`.
    pub name: String,
    /// The text of the document.
    pub text: String,
}

impl App {
    /// Exports a saved review of an opened change. If the change differs from the reviewed one, the findings are at the current places of
    /// their code, or on their file. Blocks.
    pub fn export(&self, saved: &SavedReview, opened: &OpenChange, format: &Format) -> Result<Document> {
        let mut session = opened.prepared().session();
        let decided = decided(saved, &mut session);
        let unchanged = (saved.fingerprint == opened.fingerprint.value).then_some(opened);
        let title = opened.written_title();
        match saved.relocated(opened) {
            Some(placed) => {
                let mut saved = saved.clone();
                saved.output.findings = placed.into_iter().map(Relocated::with_proven_lines).collect();
                write(&title, &saved, &decided, unchanged, format)
            }
            None => write(&title, saved, &decided, unchanged, format),
        }
    }

    /// Exports a review that was read from a file. Blocks.
    pub fn export_output(&self, output: ReviewOutput, opened: &OpenChange, format: &Format) -> Result<Document> {
        let prepared = opened.prepared();
        let saved = SavedReview {
            id: String::new(),
            created_at: diffsan_store::files::artifacts::now(),
            fingerprint: output.meta.fingerprint.value.clone(),
            run_dir: String::new(),
            output,
            masked: u32::try_from(prepared.redaction.matches.len()).unwrap_or(u32::MAX),
            cut_files: 0,
            earlier: false,
            applied: Vec::new(),
            decisions: Vec::new(),
        };
        self.export(&saved, opened, format)
    }

    /// Exports a saved review by its id, with its code if its change is open. Blocks.
    pub fn export_by_id(&self, review_id: &str, format: &Format) -> Result<Document> {
        let stored = self.stored(review_id)?;
        let (repository, target) = (stored.repository.clone(), stored.target.clone());
        let open = self.open_as(|opened| opened.review_home() == repository && target_text(opened) == target);
        let saved = self.load_review(stored)?;
        if let Some(opened) = open {
            return self.export(&saved, &opened, format);
        }
        let mut session = Arc::new(self.redactor()?).session();
        let title = serde_json::from_str::<diffsan_change::Target>(&target)
            .map_or_else(|_| "a change".to_owned(), |target| target.title());
        let title = session.contract("target", &title);
        let decided = decided(&saved, &mut session);
        write(&title, &saved, &decided, None, format)
    }
}

/// Returns the decisions of a saved review, with masked reasons.
fn decided(kept: &SavedReview, session: &mut Session) -> Vec<Decided> {
    let decided = |one: &StoredDecision| Decided {
        finding: one.finding_key.clone(),
        dismissed: one.decision == "dismissed",
        reason: one.reason.as_ref().map(|reason| session.contract("reason", reason)),
    };
    kept.decisions.iter().map(decided).collect()
}

fn write(
    title: &Redacted<String>,
    saved: &SavedReview,
    decisions: &[Decided],
    opened: Option<&OpenChange>,
    format: &Format,
) -> Result<Document> {
    let reviewed = opened.map(|opened| {
        let prepared = opened.prepared();
        ReviewedChange {
            change: &prepared.masked,
            coverage: &prepared.prepared.coverage,
            ignored: &prepared.prepared.ignored,
            truncation: &prepared.prepared.truncation,
        }
    });
    let review = Exported {
        title,
        created_at: &saved.created_at,
        output: &saved.output,
        decisions,
        masked: saved.masked,
        looked: reviewed,
    };
    Ok(Document { name: file_name(title.as_str(), &saved.created_at, format), text: export(format, &review)? })
}

fn file_name(title: &str, created_at: &str, format: &Format) -> String {
    let mut words = String::new();
    for char in title.chars().take(60) {
        match char {
            char if char.is_ascii_alphanumeric() => words.push(char.to_ascii_lowercase()),
            _ if words.ends_with('-') || words.is_empty() => {}
            _ => words.push('-'),
        }
    }
    let day: String = created_at.chars().take(10).collect();
    format!("diffsan-{day}-{}.{}", words.trim_end_matches('-'), format.extension)
}
