//! Findings that the reviewer writes or makes from an answer, and edits of findings. They are part of the latest review
//! like all others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reviews::{existing, later_than, readable};
use super::saved_review::{Facts, target_text};
use super::{App, SavedReview};
use diffsan_change::RepoPath;
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json};
use diffsan_pipeline::fixes;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review;
use diffsan_pipeline::review::{place_answers, place_edit, relocate};
use diffsan_review::finding::{AgentFinding, Anchor, Category, Finding, REVIEWER, Severity, Side, Verdict};
use diffsan_review::message::{commit_of_message, message_anchor};
use diffsan_review::rounds::{is_key, new_key};
use diffsan_review::unsent::UnsentFiles;
use diffsan_review::{ReviewMeta, ReviewOutput, Timings};
use diffsan_store::files::artifacts::now;
use diffsan_store::files::places::random_word;
use diffsan_store::{FixSource, Reviews, StoredFix, StoredReview};
use diffsan_versions::message_quote;

/// The maximum length of a text, in characters.
const MAX_TEXT_CHARS: usize = 100_000;

/// A finding that the reviewer writes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NewFinding {
    /// The severity.
    pub severity: Severity,
    /// The category.
    pub category: Category,
    /// The file.
    pub path: String,
    /// The side of the lines.
    pub side: Side,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The title.
    pub title: String,
    /// The text, as Markdown.
    pub body: String,
}

/// An edit of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FindingEdit {
    /// Replaces the severity, category, text and lines. The file cannot be changed.
    Rewrite {
        /// The new content.
        words: NewFinding,
    },
    /// Restores the original text and lines.
    Restore,
    /// Removes the finding. Only a finding that the reviewer wrote can be removed.
    Remove,
}

impl App {
    /// Edits a finding of a review. Preserves its key and the decision about it. If the review is not the latest one of its change, the
    /// finding is also edited in the latest one, if that is about the same diff. Blocks.
    pub fn edit_finding(
        &self,
        opened: &OpenChange,
        review_id: &str,
        key: &str,
        edit: FindingEdit,
    ) -> Result<SavedReview> {
        if let FindingEdit::Rewrite { words: new } = &edit {
            check(new).map_err(|(why, hint)| not_changed(why).hint(hint))?;
        }
        let edit = |output: &mut ReviewOutput, at: usize| match self.edited(opened, &output.findings[at], &edit)? {
            Some(edited) => {
                output.findings[at] = edited;
                Ok(())
            }
            None => {
                output.findings.remove(at);
                Ok(())
            }
        };
        let position = |output: &ReviewOutput| output.findings.iter().position(|one| one.key == key);
        self.store.edit_reviews(|reviews| {
            let named = existing(reviews.review(review_id)?)?;
            edit_stored(reviews, &named, |output| {
                edit(output, position(output).ok_or_else(|| not_changed("it does not exist"))?)
            })?;
            match later_than(reviews, &named)?.filter(|latest| latest.fingerprint == named.fingerprint) {
                Some(latest) => {
                    edit_stored(reviews, &latest, |output| position(output).map_or(Ok(()), |at| edit(output, at)))
                }
                None => Ok(()),
            }
        })?;
        self.review_by_id(review_id)
    }

    /// Returns an edited finding, or `None` if it is removed.
    fn edited(&self, opened: &OpenChange, known: &Finding, edit: &FindingEdit) -> Result<Option<Finding>> {
        let mut session = opened.prepared().session();
        Ok(match edit {
            FindingEdit::Remove if known.is_own() => None,
            FindingEdit::Remove => return Err(not_changed("an agent wrote it").hint("Dismiss it instead.")),
            FindingEdit::Restore => Some(match known.original.clone() {
                Some(original) => {
                    let placed = place_edit(opened, known, (*original).clone(), &mut session);
                    Finding { content: *original, original: None, ..placed }
                }
                None => known.clone(),
            }),
            FindingEdit::Rewrite { words: new } => {
                let written = self.content_of(opened, new);
                let anchor = &known.anchor;
                let stays = (anchor.line_start, anchor.line_end, anchor.side)
                    == (Some(new.line_start), Some(new.line_end), new.side);
                let mut content = AgentFinding {
                    severity: written.severity,
                    category: written.category,
                    title: written.title,
                    body_markdown: written.body_markdown,
                    ..known.content.clone()
                };
                let mut placed = known.clone();
                if !stays {
                    content = AgentFinding {
                        path: anchor.path.clone(),
                        side: written.side,
                        line_start: written.line_start,
                        line_end: written.line_end,
                        quote: written.quote,
                        ..content
                    };
                    placed = place_edit(opened, known, content.clone(), &mut session);
                    placed.anchor = message_anchor_of(&content).unwrap_or(placed.anchor);
                }
                let original = known.original.clone().unwrap_or_else(|| Box::new(known.content.clone()));
                placed.original = (!known.is_own() && *original != content).then_some(original);
                placed.content = content;
                Some(placed)
            }
        })
    }

    /// Applies a finding's suggested patch to the work tree if it fits exactly. `allow_protected` names the protected
    /// file that the reviewer confirmed. Blocks.
    pub fn apply_suggestion(
        &self,
        opened: &OpenChange,
        review_id: &str,
        key: &str,
        allow_protected: Option<&str>,
    ) -> Result<StoredFix> {
        let saved = self.review_by_id(review_id)?;
        let found = saved.output.findings.iter().find(|one| one.key == key);
        let finding = found.ok_or_else(|| fixes::refused("the finding no longer exists"))?;
        if self.store.fixes_of_review(review_id)?.iter().any(|one| one.is_of_finding(key)) {
            return Err(fixes::refused("it was already applied"));
        }
        // The file may have changed since the review, so the patch is checked against the current file.
        let mut session = opened.prepared().session();
        let now = relocate(opened, Some(&saved.output.meta), std::slice::from_ref(finding), &mut session).pop();
        let now = now.map_or_else(|| finding.clone(), |now| now.finding);
        let fix = now.fix.ok_or_else(|| {
            let why = now.anchor.notes.last().map_or("the suggestion does not apply to the code", String::as_str);
            fixes::refused(why)
        })?;
        let head = opened.file(&RepoPath::from(fix.path.as_str()), Side::New);
        let source = FixSource::Finding { review: review_id.to_owned(), finding: key.to_owned() };
        let request = fixes::FixRequest { source, path: &fix.path, allow_protected };
        fixes::apply_fix(opened, &self.store, request, |before| {
            let before = before.ok_or("the file does not exist")?;
            if head.as_deref() != Some(before.as_bytes()) {
                return Err("the work tree has a different version of the file than this change".to_owned());
            }
            Ok(fix.applied_to(before))
        })
    }

    /// Undoes a fix of any source. Blocks.
    pub fn undo_fix(&self, opened: &OpenChange, fix: i64) -> Result<StoredFix> {
        fixes::undo_fix(opened, &self.store, fix)
    }

    pub(super) fn edit_output(
        &self,
        review_id: &str,
        edit: impl FnOnce(&mut ReviewOutput) -> Result<()>,
    ) -> Result<SavedReview> {
        self.store.edit_reviews(|reviews| edit_stored(reviews, &existing(reviews.review(review_id)?)?, edit))?;
        self.review_by_id(review_id)
    }

    /// Converts the reviewer's text to an agent's finding, masked.
    fn content_of(&self, opened: &OpenChange, new: &NewFinding) -> AgentFinding {
        let mut session = opened.prepared().session();
        let mut mask = |text: &str| session.contract("finding", text.trim()).into_inner();
        let title = Some(mask(&new.title)).filter(|title| !title.is_empty());
        let body_markdown = mask(&new.body);
        AgentFinding {
            finding_id: None,
            severity: new.severity,
            category: new.category,
            line_start: new.line_start,
            line_end: new.line_end,
            title,
            body_markdown,
            side: Some(new.side),
            // The quote decides the anchor, so it is the code at the lines.
            quote: match commit_of_message(&new.path) {
                Some(_) => message_quote(opened, &new.path, new.line_start, new.line_end)
                    .ok()
                    .flatten()
                    .map(|lines| session.contract("commit message", &lines).into_inner()),
                None => review::lines_at(opened, &new.path, new.side, new.line_start..=new.line_end, &mut session),
            },
            confidence: None,
            suggested_patch: None,
            path: new.path.clone(),
        }
    }

    /// Adds a finding to the latest review of a change, or to a new one if there is none. `again` is the key of a
    /// removed finding that is added again; it is used if no other finding has it. Blocks.
    pub fn add_finding(&self, opened: &OpenChange, new: NewFinding, again: Option<&str>) -> Result<SavedReview> {
        let refused = |why: &str| Error::new(ErrorCode::InvalidInput, format!("The finding was not added: {why}."));
        check(&new).map_err(|(why, hint)| refused(why).hint(hint))?;
        let content = self.content_of(opened, &new);
        let on_message = message_anchor_of(&content);
        if on_message.is_some() && content.quote.is_none() {
            return Err(refused("the change has no such commit, or its message has no such line"));
        }
        let mut session = opened.prepared().session();
        let mut placed = place_answers(opened, vec![(REVIEWER.to_owned(), vec![content])], None, &mut session);
        let latest = self.latest_review(opened)?;
        let is_free = |key: &str| {
            let mut present = latest.iter().flat_map(|saved| &saved.output.findings);
            is_key(key) && !present.any(|finding| finding.key == key)
        };
        let taken = self.known_keys(opened)?;
        for finding in &mut placed {
            finding.anchor = on_message.clone().unwrap_or_else(|| finding.anchor.clone());
            // The reviewer's statements about the code are not verified.
            (finding.claims, finding.verdict) = (Vec::new(), Verdict::Unchecked);
            let again = again.filter(|key| is_free(key)).map(str::to_owned);
            finding.key = again.unwrap_or_else(|| new_key(finding, &taken));
        }
        self.append_findings(opened, placed)
    }

    /// Adds placed findings to the latest review of a change, or to a new one if there is none. If an earlier review is shown, they are added
    /// to that one, and to the latest one if that is about the same diff. Returns the review that is shown. Blocks.
    pub(super) fn append_findings(&self, opened: &OpenChange, placed: Vec<Finding>) -> Result<SavedReview> {
        let id = self.store.edit_reviews(|reviews| {
            let latest = reviews.latest(&opened.review_home(), &target_text(opened))?;
            let pinned = opened.pinned().map(|id| reviews.review(&id)).transpose()?.flatten();
            let Some(shown) = pinned.or_else(|| latest.clone()) else {
                let own = own_review(opened, placed)?;
                reviews.add(&own)?;
                return Ok(own.id);
            };
            let add = |output: &mut ReviewOutput| {
                output.findings.extend(placed.iter().cloned());
                Ok(())
            };
            edit_stored(reviews, &shown, add)?;
            let is_other = |latest: &StoredReview| latest.id != shown.id && latest.fingerprint == shown.fingerprint;
            if let Some(latest) = latest.filter(is_other) {
                edit_stored(reviews, &latest, add)?;
            }
            Ok::<_, Error>(shown.id)
        })?;
        self.review_by_id(&id)
    }
}

/// Edits the output of a review in a transaction.
fn edit_stored(
    reviews: &Reviews<'_>,
    stored: &StoredReview,
    edit: impl FnOnce(&mut ReviewOutput) -> Result<()>,
) -> Result<()> {
    let mut output = readable(stored)?;
    edit(&mut output)?;
    reviews.set_output(&stored.id, &to_json(&output)?).map_err(Error::from)
}

/// Returns a review of findings that no agent reported.
fn own_review(opened: &OpenChange, findings: Vec<Finding>) -> Result<StoredReview> {
    let output = ReviewOutput {
        summary_markdown: "No agent has reviewed this change yet.".to_owned(),
        findings,
        intent: Vec::new(),
        chapters: Vec::new(),
        second_opinion: None,
        meta: meta(opened),
    };
    let word = random_word(6).unwrap_or_else(|_| std::process::id().to_string());
    Ok(StoredReview {
        id: format!("own-{word}"),
        repository: opened.review_home(),
        target: target_text(opened),
        fingerprint: opened.fingerprint.value.clone(),
        created_at: now(),
        run_dir: String::new(),
        facts: to_json(&Facts::of(opened, &output, Vec::new()))?,
        output: to_json(&output)?,
    })
}

fn not_changed(why: &str) -> Error {
    Error::new(ErrorCode::InvalidInput, format!("The finding was not changed: {why}."))
}

/// Returns the problem with a new finding and a hint.
fn check(new: &NewFinding) -> std::result::Result<(), (&'static str, &'static str)> {
    if new.title.trim().is_empty() && new.body.trim().is_empty() {
        return Err(("it is empty", "Enter a title or a text."));
    }
    if new.body.chars().count() > MAX_TEXT_CHARS {
        return Err(("its text is too long", "Shorten it to at most 100,000 characters."));
    }
    if new.line_start == 0 || new.line_end < new.line_start {
        return Err((
            "its line numbers are not valid",
            "Lines are numbered from 1, and the last line must not be before the first.",
        ));
    }
    Ok(())
}

/// Returns the key of the finding that is at `PATH:LINE`, or whose key begins with `name`.
pub fn find_finding(findings: &[Finding], name: &str) -> Result<String> {
    let is_at = |one: &&Finding| {
        let first = one.anchor.line_start.map_or(String::new(), |line| format!("{}:{line}", one.anchor.path));
        name == first || name == one.anchor.place() || name.len() >= 4 && one.key.starts_with(name)
    };
    let found: Vec<&Finding> = findings.iter().filter(is_at).collect();
    match found[..] {
        [only] => Ok(only.key.clone()),
        [] => {
            let places: Vec<String> = findings.iter().take(20).map(|one| one.anchor.place()).collect();
            let error = Error::new(ErrorCode::NotFound, format!("The review has no finding at `{name}`."));
            Err(error.hint(format!("Name one of these places: {}.", places.join(", "))))
        }
        _ => {
            let keys: Vec<&str> = found.iter().map(|one| one.key.as_str()).collect();
            let error = Error::new(ErrorCode::InvalidInput, format!("Several findings are at `{name}`."));
            Err(error.hint(format!("Name one of them by its key: {}.", keys.join(", "))))
        }
    }
}

/// Returns the anchor of a finding about a commit message. `None` for other findings.
fn message_anchor_of(content: &AgentFinding) -> Option<Anchor> {
    commit_of_message(&content.path).map(|_| message_anchor(content))
}

fn meta(opened: &OpenChange) -> ReviewMeta {
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
        unreadable: Vec::new(),
        facts: None,
        reading: None,
        unsent: UnsentFiles::default(),
        reviewed: None,
    }
}
