//! Findings of the reviewer's own, and those made from an answer: they stand in the latest review like all others.

use super::{App, KeptReview, store_error};
use crate::change::Hunk;
use crate::error::{Error, ErrorCode, Result};
use crate::files::artifacts::now;
use crate::files::places::random_word;
use crate::finding::{AgentFinding, Category, Severity, Side};
use crate::review::{ReviewMeta, ReviewOutput, Timings};
use crate::run::{Opened, place};
use crate::store::StoredReview;

/// Who found it, where the reviewer did.
const REVIEWER: &str = "you";
/// A longer text is refused, in characters.
const LONGEST: usize = 100_000;

/// A finding of the reviewer's own.
#[derive(Clone, Debug)]
pub struct NewFinding {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind.
    pub category: Category,
    /// The file.
    pub path: String,
    /// Which side the lines are on.
    pub side: Side,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// Its headline.
    pub title: String,
    /// Its text, Markdown.
    pub body: String,
}

impl App {
    /// Adds a finding to the latest review of a change; where there is none, it is the first of one. Blocking.
    pub fn add_finding(&self, opened: &Opened, new: NewFinding) -> Result<KeptReview> {
        let refused = |why: &str| Error::new(ErrorCode::FormatFailed, format!("The finding was not added: {why}."));
        if new.title.trim().is_empty() && new.body.trim().is_empty() {
            return Err(refused("it says nothing").hint("Give it a headline or a text."));
        }
        if new.body.chars().count() > LONGEST {
            return Err(refused("its text is too long"));
        }
        if new.line_start == 0 || new.line_end < new.line_start {
            return Err(refused("its lines are no lines").hint("Lines count from 1; the last is not before the first."));
        }
        let prepared = opened.prepared();
        let mut session = prepared.session();
        let mut mask = |text: &str| session.contract("finding", text.trim()).into_inner();
        let said = AgentFinding {
            finding_id: None,
            severity: new.severity,
            category: new.category,
            line_start: new.line_start,
            line_end: new.line_end,
            title: Some(mask(&new.title)).filter(|title| !title.is_empty()),
            body_markdown: mask(&new.body),
            side: Some(new.side),
            quote: quote(opened, &new),
            confidence: None,
            suggested_patch: None,
            path: new.path,
        };
        let mut session = prepared.session();
        let mut placed = place(opened, vec![(REVIEWER.to_owned(), vec![said])], &mut session);
        let kept = self.latest_review(opened)?;
        let known: Vec<String> =
            kept.iter().flat_map(|kept| &kept.output.findings).map(|finding| finding.id.clone()).collect();
        for finding in &mut placed {
            let free = (1..).map(|number| format!("n{number}")).find(|id| !known.contains(id));
            finding.id = free.unwrap_or_else(|| "n".to_owned());
        }
        match kept {
            Some(mut kept) => {
                kept.output.findings.extend(placed);
                let text = serde_json::to_string(&kept.output).unwrap_or_default();
                self.store.set_review_output(&kept.id, &text).map_err(store_error)?;
                Ok(kept)
            }
            None => {
                let output = ReviewOutput {
                    summary_markdown: "No agent has reviewed this change yet.".to_owned(),
                    findings: placed,
                    meta: meta(opened),
                };
                let word = random_word(6).unwrap_or_else(|_| std::process::id().to_string());
                let stored = StoredReview {
                    id: format!("own-{word}"),
                    repository: opened.repository_name(),
                    target: opened.written_target().to_string(),
                    fingerprint: opened.fingerprint.value.clone(),
                    created_at: now(),
                    run_dir: String::new(),
                    output: serde_json::to_string(&output).unwrap_or_default(),
                    facts: r#"{"masked":0,"cut_files":0}"#.to_owned(),
                };
                self.store.add_review(&stored).map_err(store_error)?;
                self.latest_review(opened)?.ok_or_else(|| refused("it is not there any more"))
            }
        }
    }
}

/// What stands at the lines, masked: it holds the finding at its place.
fn quote(opened: &Opened, new: &NewFinding) -> Option<String> {
    let at = opened.change.files.iter().position(|file| file.path().to_text() == new.path)?;
    let file = opened.prepared().masked.get().files.get(at)?;
    let lines: Vec<String> = file
        .hunks()
        .iter()
        .flat_map(Hunk::numbered)
        .filter(|line| {
            let number = if new.side == Side::Old { line.old } else { line.new };
            number.is_some_and(|number| (new.line_start..=new.line_end).contains(&number))
        })
        .map(|line| String::from_utf8_lossy(&line.line.text).into_owned())
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn meta(opened: &Opened) -> ReviewMeta {
    ReviewMeta {
        fingerprint: opened.fingerprint.clone(),
        agent: REVIEWER.to_owned(),
        agents: Vec::new(),
        model: None,
        timings: Timings::default(),
        token_usage: None,
        cost_usd: None,
        truncated: false,
        redaction_found: opened.prepared().redaction.found,
        base_sha: opened.change.base.clone(),
        head_sha: opened.change.head.clone(),
        coverage: opened.prepared().prepared.coverage.summary.clone(),
        attempts: 0,
        batches: 0,
        read_as: String::new(),
    }
}
