//! Carries decisions and edits over from earlier reviews of a change, as long as the code that they are about is unchanged.

use std::collections::{HashMap, HashSet};

use super::App;
use super::saved_review::{Facts, file_digest, read_output, target_text};
use diffsan_anchor::Relocated;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::{known_posted_findings, relocate};
use diffsan_prepare::prompt::{Prior, PriorFinding};
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{AgentFinding, Anchor, Decision, Finding};
use diffsan_review::message::commit_of_message;
use diffsan_review::rounds::{CodeStatus, KnownFinding};
use diffsan_store::{Reviews, StoreError, StoredDecision};

/// The number of earlier reviews that are read.
const MAX_ROUNDS: u32 = 50;

/// The beginning of the reason of a dismissal that was carried over.
const CARRIED_OVER: &str = "Dismissed before";

/// The note of an accepted finding that a later review does not report.
const KEPT: &str = "you accepted it in an earlier review, and this review does not report it";

/// Returns the reviewer's own words of a reason, without the note that it was carried over.
pub(super) fn own_reason(reason: &str) -> Option<&str> {
    match reason.strip_prefix(CARRIED_OVER) {
        Some("") => None,
        Some(rest) => rest.strip_prefix(": ").or(Some(reason)),
        None => Some(reason),
    }
}

/// A finding of earlier reviews in its latest version.
pub(super) struct EarlierFinding {
    /// The finding as it is saved.
    pub(super) saved: Finding,
    /// The finding at the current place of its code, and the status of that code.
    pub(super) now: Relocated,
    /// The decision about the latest version.
    decision: Option<StoredDecision>,
    /// Whether the latest review has it.
    is_latest: bool,
}

/// A saved review of the change.
struct EarlierReview {
    id: String,
    output: ReviewOutput,
    facts: Facts,
    decisions: Vec<StoredDecision>,
}

/// The current places of earlier findings. No finding is searched twice, so that few are searched in a transaction.
pub(super) struct CurrentPlaces<'a> {
    opened: &'a OpenChange,
    /// The findings by their review and key.
    known: HashMap<(String, String), (Finding, Relocated)>,
}

impl<'a> CurrentPlaces<'a> {
    pub(super) fn new(opened: &'a OpenChange) -> Self {
        Self { opened, known: HashMap::new() }
    }

    /// Returns the findings of all earlier reviews, each key once. Blocks.
    pub(super) fn earlier_findings(
        &mut self,
        reviews: &Reviews<'_>,
    ) -> std::result::Result<Vec<EarlierFinding>, StoreError> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        let stored = reviews.of_change(&self.opened.review_home(), &target_text(self.opened), MAX_ROUNDS)?;
        for (round, stored) in stored.into_iter().enumerate() {
            let Ok(output) = read_output(&stored.output) else { continue };
            let facts = serde_json::from_str(&stored.facts).unwrap_or_default();
            let decisions = reviews.decisions(&stored.id)?;
            let mut review = EarlierReview { id: stored.id, output, facts, decisions };
            review.output.findings.retain(|finding| seen.insert(finding.key.clone()));
            let now = self.of(&review);
            let mut decisions: HashMap<String, StoredDecision> =
                review.decisions.into_iter().map(|one| (one.finding_key.clone(), one)).collect();
            let findings = review.output.findings.into_iter().zip(now);
            all.extend(findings.map(|(saved, now)| EarlierFinding {
                decision: decisions.remove(&saved.key),
                is_latest: round == 0,
                saved,
                now,
            }));
        }
        Ok(all)
    }

    fn of(&mut self, review: &EarlierReview) -> Vec<Relocated> {
        let id = |finding: &Finding| (review.id.clone(), finding.key.clone());
        let findings = &review.output.findings;
        let is_new = |one: &&Finding| self.known.get(&id(one)).is_none_or(|(known, _)| known != *one);
        let new: Vec<Finding> = findings.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            let mut session = self.opened.prepared().session();
            let placed = relocate(self.opened, Some(&review.output.meta), &new, &mut session);
            for (finding, mut now) in new.into_iter().zip(placed) {
                if finding.anchor.line_start.is_none() {
                    now.status = self.file_status(&finding, &now.finding, &review.facts);
                }
                self.known.insert(id(&finding), (finding, now));
            }
        }
        findings.iter().filter_map(|one| self.known.get(&id(one)).map(|(_, now)| now.clone())).collect()
    }

    /// Returns the status of the file of a finding without lines.
    fn file_status(&self, saved: &Finding, now: &Finding, facts: &Facts) -> CodeStatus {
        let Some(reviewed) = facts.files.get(&saved.anchor.path) else { return CodeStatus::Unknown };
        match file_digest(self.opened, &now.anchor.path) {
            Some(current) if current == *reviewed => CodeStatus::Unchanged,
            Some(_) => CodeStatus::Edited,
            None => CodeStatus::FileRemoved,
        }
    }
}

impl EarlierFinding {
    fn is_decided(&self, decision: Decision) -> bool {
        self.decision.as_ref().is_some_and(|one| Decision::of(&one.decision) == decision)
    }

    /// Returns whether its code is still there, and was not edited.
    fn is_unchanged(&self) -> bool {
        // A message is not compared.
        matches!(self.now.status, CodeStatus::Unchanged | CodeStatus::Moved { .. })
            && commit_of_message(&self.saved.anchor.path).is_none()
    }

    /// Returns whether a finding of the current change is about the same code, which was not edited.
    fn is_about_code_of(&self, found: &Finding) -> bool {
        let has_same_lines = |anchor: &Anchor| anchor.path == found.anchor.path && overlaps(anchor, &found.anchor);
        if commit_of_message(&self.saved.anchor.path).is_some() {
            return self.saved.code.is_some() && self.saved.code == found.code;
        }
        match self.now.status {
            CodeStatus::Unchanged | CodeStatus::Moved { .. } => has_same_lines(&self.now.finding.anchor),
            // Only what is known of it can be compared.
            CodeStatus::Unknown => {
                let is_comparable = self.saved.code.is_some() || self.saved.anchor.line_start.is_none();
                is_comparable && self.saved.code == found.code && has_same_lines(&self.saved.anchor)
            }
            CodeStatus::Edited | CodeStatus::Removed | CodeStatus::FileRemoved => false,
        }
    }

    /// Returns a finding that was found again with the reviewer's edit of the earlier one. Restoring it brings back the text and the lines
    /// of the new review's agent.
    fn edit_of(&self, found: &Finding) -> Option<Finding> {
        let (edited, original) = (&self.saved.content, self.saved.original.as_deref()?);
        let found_again = Some(Box::new(found.content.clone()));
        let lines = |content: &AgentFinding| (content.side, content.line_start, content.line_end);
        if lines(edited) != lines(original) {
            // The reviewer moved it, so its code is at other lines than the agent's.
            let Finding { anchor, fix, .. } = &self.now.finding;
            let (line_start, line_end) = anchor.line_start.zip(anchor.line_end).filter(|_| self.is_unchanged())?;
            return Some(Finding {
                content: AgentFinding { path: anchor.path.clone(), line_start, line_end, ..edited.clone() },
                anchor: anchor.clone(),
                fix: fix.clone(),
                code: self.saved.code.clone(),
                original: found_again,
                unedited_since: None,
                ..found.clone()
            });
        }
        let AgentFinding { severity, category, title, body_markdown, .. } = edited.clone();
        let content = AgentFinding { severity, category, title, body_markdown, ..found.content.clone() };
        self.is_about_code_of(found).then(|| Finding { content, original: found_again, ..found.clone() })
    }

    /// Returns the finding for a new review that does not report it. It was accepted and must not be lost.
    fn kept(&self) -> Finding {
        let mut finding = self.now.finding.clone();
        if !finding.anchor.notes.iter().any(|note| note == KEPT) {
            finding.anchor.notes.push(KEPT.to_owned());
        }
        finding
    }
}

/// Adds the reviewer's work on earlier reviews to a new one, and returns the decisions about its findings. `posted` has the keys of the
/// findings that are on the merge request.
///
/// The reviewer's own findings of the latest review are carried over; and so are accepted findings that nobody posted, edits and dismissals
/// of all earlier reviews where the code is unchanged.
pub(super) fn carry_over(
    earlier: &[EarlierFinding],
    posted: &HashSet<String>,
    output: &mut ReviewOutput,
) -> Vec<StoredDecision> {
    let found: HashMap<String, usize> = (0..).zip(&output.findings).map(|(at, one)| (one.key.clone(), at)).collect();
    let mut decisions = Vec::new();
    for one in earlier {
        let accepted = one.is_decided(Decision::Accepted) && !posted.contains(&one.saved.key);
        match found.get(&one.saved.key) {
            None if one.saved.is_own() => {
                if one.is_latest {
                    output.findings.push(one.now.clone().with_proven_lines());
                    decisions.extend(one.decision.clone());
                }
                continue;
            }
            None if accepted && one.is_unchanged() => output.findings.push(one.kept()),
            None => continue,
            Some(&at) => {
                let finding = &mut output.findings[at];
                if let Some(edited) = one.edit_of(finding) {
                    *finding = edited;
                }
                if !one.is_about_code_of(finding) {
                    continue;
                }
            }
        }
        if let Some(decision) = one.decision.clone().filter(|_| accepted || one.is_decided(Decision::Dismissed)) {
            let reason = if accepted { decision.reason } else { Some(carried_reason(decision.reason.as_deref())) };
            decisions.push(StoredDecision { reason, ..decision });
        }
    }
    decisions
}

/// Returns the keys of earlier accepted findings whose code was edited or removed, and that the new review does not report again.
pub(super) fn resolved_by_edits(earlier: &[EarlierFinding], output: &ReviewOutput) -> Vec<String> {
    let found: HashSet<&str> = output.findings.iter().map(|finding| finding.key.as_str()).collect();
    let is_resolved = |one: &&EarlierFinding| {
        let gone = matches!(one.now.status, CodeStatus::Edited | CodeStatus::Removed | CodeStatus::FileRemoved);
        gone && one.is_decided(Decision::Accepted) && !one.saved.is_own() && !found.contains(one.saved.key.as_str())
    };
    earlier.iter().filter(is_resolved).map(|one| one.saved.key.clone()).collect()
}

fn carried_reason(reason: Option<&str>) -> String {
    match reason.and_then(own_reason) {
        Some(reason) => format!("{CARRIED_OVER}: {reason}"),
        None => CARRIED_OVER.to_owned(),
    }
}

/// Returns whether two anchors of the same file have a line in common, or both have none.
fn overlaps(one: &Anchor, other: &Anchor) -> bool {
    match (one.line_start.zip(one.line_end), other.line_start.zip(other.line_end)) {
        (Some((from, to)), Some((start, end))) => one.side == other.side && from <= end && start <= to,
        (None, None) => true,
        _ => false,
    }
}

impl App {
    /// Returns the findings of all earlier reviews of a change, each key once, in its latest version. Blocks.
    pub(super) fn earlier_findings(&self, opened: &OpenChange) -> Result<Vec<EarlierFinding>> {
        let mut places = CurrentPlaces::new(opened);
        self.store.read_reviews(|reviews| places.earlier_findings(reviews)).map_err(Error::from)
    }

    /// Returns the keys of all findings of earlier reviews of a change and of its posted summary. Blocks.
    pub(super) fn known_keys(&self, opened: &OpenChange) -> Result<HashSet<String>> {
        let stored = self.store.reviews_of_change(&opened.review_home(), &target_text(opened), MAX_ROUNDS)?;
        let saved = stored.iter().filter_map(|one| read_output(&one.output).ok()).flat_map(|output| output.findings);
        Ok(saved.chain(open::posted_findings(opened)).map(|finding| finding.key).collect())
    }

    /// Returns the findings that an agent must not report again: those that the reviewer dismissed in any round of this
    /// change, those that were posted to its merge request, and those that a second opinion refuted. Open findings that nobody posted are not included,
    /// because each review is complete without the earlier ones. Blocks.
    pub fn prior(&self, opened: &OpenChange) -> Result<Option<Prior>> {
        self.prior_of(opened, &self.earlier_findings(opened)?)
    }

    pub(super) fn prior_of(&self, opened: &OpenChange, earlier: &[EarlierFinding]) -> Result<Option<Prior>> {
        let mut prior = open::earlier(opened).0.unwrap_or_default();
        let known: HashSet<String> = prior.findings.iter().map(|one| one.key.clone()).collect();
        prior.findings.extend(dismissed(earlier).filter(|one| !known.contains(&one.key)));
        // A reviewer's decision counts more than a second opinion.
        let known: HashSet<String> = prior.findings.iter().map(|one| one.key.clone()).collect();
        prior.findings.extend(self.refuted_before(opened)?.into_iter().filter(|one| !known.contains(&one.key)));
        Ok((!prior.is_empty()).then_some(prior))
    }
}

/// Returns the findings of earlier reviews of a change and of its posted summary, each key once, at the current places of their code.
/// Blocks.
pub(super) fn known_findings(opened: &OpenChange, earlier: &[EarlierFinding]) -> Vec<KnownFinding> {
    let mut known: Vec<KnownFinding> = earlier.iter().map(|one| one.now.known(one.saved.clone())).collect();
    let keys: HashSet<&str> = earlier.iter().map(|one| one.saved.key.as_str()).collect();
    let posted = known_posted_findings(opened).into_iter();
    known.extend(posted.filter(|posted| !keys.contains(posted.finding.key.as_str())));
    known
}

/// Returns the dismissed findings for a prompt. A dismissal ends when the code of its finding changes.
fn dismissed(earlier: &[EarlierFinding]) -> impl Iterator<Item = PriorFinding> {
    let is_valid = |one: &&EarlierFinding| match one.now.status {
        CodeStatus::Unchanged | CodeStatus::Moved { .. } => true,
        CodeStatus::Unknown => one.saved.code.is_none(),
        CodeStatus::Edited | CodeStatus::Removed | CodeStatus::FileRemoved => false,
    };
    earlier.iter().filter(|one| one.is_decided(Decision::Dismissed)).filter(is_valid).map(|one| {
        let reason = one.decision.as_ref().and_then(|decision| decision.reason.clone());
        prior_finding(one.saved.clone(), "dismissed", reason)
    })
}

/// Describes an earlier finding to an agent: its state, and the reason for it.
pub(super) fn prior_finding(finding: Finding, state: &str, reason: Option<String>) -> PriorFinding {
    PriorFinding {
        key: finding.key,
        path: finding.anchor.path,
        line: finding.anchor.line_end,
        severity: finding.content.severity.name().to_owned(),
        title: finding.content.title.unwrap_or(finding.content.body_markdown),
        state: state.to_owned(),
        reason,
    }
}

/// Returns the keys of the findings whose comments are on the merge request.
pub(super) fn posted_keys(opened: &OpenChange) -> HashSet<String> {
    let Some(request) = opened.merge_request.as_deref() else { return HashSet::new() };
    open::own_notes(request).into_iter().flat_map(|note| note.marks.findings).collect()
}
