//! Carries decisions and edits over from earlier reviews of a change, as long as the code that they are about is unchanged.

use std::collections::{HashMap, HashSet};

use super::App;
use super::saved_review::{SavedReview, read_output, target_text};
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review;
use diffsan_prepare::prompt::{Prior, PriorFinding};
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{AgentFinding, Finding};
use diffsan_review::rounds::CodeStatus;
use diffsan_store::files::artifacts::now;

/// The number of earlier reviews that are read.
const MAX_ROUNDS: u32 = 50;

/// The beginning of the reason of a dismissal that was carried over.
const CARRIED_OVER: &str = "Dismissed before";

/// Returns the reviewer's own words of a reason, without the note that it was carried over.
pub(super) fn own_reason(reason: &str) -> Option<&str> {
    match reason.strip_prefix(CARRIED_OVER) {
        Some("") => None,
        Some(rest) => rest.strip_prefix(": ").or(Some(reason)),
        None => Some(reason),
    }
}

/// A finding that the reviewer dismissed.
pub(super) struct Dismissal {
    finding: Finding,
    reason: Option<String>,
}

impl App {
    /// Returns the findings that an agent must not report again: those that the reviewer dismissed in any round of this
    /// change, those that were posted to its merge request, and those that a second opinion refuted. Open findings that nobody posted are not included,
    /// because each review is complete without the earlier ones. Blocks.
    pub fn prior(&self, opened: &OpenChange) -> Result<Option<Prior>> {
        let mut prior = open::earlier(opened).0.unwrap_or_default();
        let known: HashSet<String> = prior.findings.iter().map(|one| one.key.clone()).collect();
        let dismissed = self.dismissed(opened)?;
        prior.findings.extend(dismissed.into_iter().filter(|one| !known.contains(&one.key)));
        // A reviewer's decision counts more than a second opinion.
        let known: HashSet<String> = prior.findings.iter().map(|one| one.key.clone()).collect();
        prior.findings.extend(self.refuted_before(opened)?.into_iter().filter(|one| !known.contains(&one.key)));
        Ok((!prior.is_empty()).then_some(prior))
    }

    /// Returns the findings of earlier reviews of a change and of its posted summary. Each key occurs once, in its
    /// latest version. Blocks.
    pub(super) fn known_findings(&self, opened: &OpenChange) -> Result<Vec<Finding>> {
        let (mut known, mut keys) = (Vec::new(), HashSet::new());
        for stored in self.store.reviews_of_change(&opened.review_home(), &target_text(opened), MAX_ROUNDS)? {
            let Ok(output) = read_output(&stored.output) else { continue };
            known.extend(output.findings.into_iter().filter(|finding| keys.insert(finding.key.clone())));
        }
        known.extend(open::posted_findings(opened).into_iter().filter(|finding| keys.insert(finding.key.clone())));
        Ok(known)
    }

    fn dismissed(&self, opened: &OpenChange) -> Result<Vec<PriorFinding>> {
        let dismissed = self.dismissed_before(opened)?;
        let findings: Vec<Finding> = dismissed.iter().map(|one| one.finding.clone()).collect();
        let mut session = opened.prepared().session();
        let now = review::relocate(opened, None, &findings, &mut session);
        // A dismissal ends when the code of its finding changes.
        let valid = dismissed.into_iter().zip(now).filter(|(one, now)| {
            one.finding.code.is_none() || matches!(now.status, CodeStatus::Unchanged | CodeStatus::Moved { .. })
        });
        let prior = valid.map(|(Dismissal { finding, reason }, _)| prior_finding(finding, "dismissed", reason));
        Ok(prior.collect())
    }

    /// Returns the findings that the reviewer dismissed in any review of this change and did not reopen since. More than
    /// the latest review is read, because an agent that respects a dismissal does not report the finding again.
    pub(super) fn dismissed_before(&self, opened: &OpenChange) -> Result<Vec<Dismissal>> {
        let mut later = HashSet::new();
        let mut dismissed = Vec::new();
        for stored in self.store.reviews_since_dismissal(&opened.review_home(), &target_text(opened), MAX_ROUNDS)? {
            let Ok(output) = read_output(&stored.output) else { continue };
            let mut reasons: HashMap<String, Option<String>> = HashMap::new();
            for one in self.store.decisions(&stored.id)?.into_iter().filter(|one| one.decision == "dismissed") {
                reasons.insert(one.finding_key, one.reason);
            }
            for finding in output.findings.into_iter().filter(|finding| later.insert(finding.key.clone())) {
                if let Some(reason) = reasons.remove(&finding.key) {
                    dismissed.push(Dismissal { finding, reason });
                }
            }
        }
        Ok(dismissed)
    }

    /// Copies decisions to a new review: those about findings that the reviewer wrote, and those about findings that
    /// were found again on the same code and were either accepted in the previous review and not posted yet, or
    /// dismissed in any review.
    pub(super) fn carry_decisions(
        &self,
        opened: &OpenChange,
        earlier: Option<&SavedReview>,
        dismissed: &[Dismissal],
        review: &str,
        output: &ReviewOutput,
    ) -> Result<()> {
        let found: HashMap<&str, &Finding> = output.findings.iter().map(|one| (one.key.as_str(), one)).collect();
        let same_code = |known: &Finding| {
            found.get(known.key.as_str()).is_some_and(|now| now.code.is_some() && now.code == known.code)
        };
        let decide = |key: &str, decision: &str, reason: Option<&str>| {
            self.store.decide(review, &[key.to_owned()], Some(decision), reason, &now()).map_err(Error::from)
        };
        let mut decided = HashSet::new();
        if let Some(earlier) = earlier {
            let posted = posted_keys(opened);
            let known: HashMap<&str, &Finding> =
                earlier.output.findings.iter().map(|one| (one.key.as_str(), one)).collect();
            for one in &earlier.decisions {
                let Some(finding) = known.get(one.finding_key.as_str()) else { continue };
                let accepted = one.decision == "accepted" && !posted.contains(&finding.key) && same_code(finding);
                if finding.is_own() && found.contains_key(finding.key.as_str()) || accepted {
                    decide(&finding.key, &one.decision, one.reason.as_deref())?;
                    decided.insert(finding.key.as_str());
                }
            }
        }
        for Dismissal { finding, reason } in dismissed {
            if finding.is_own() || decided.contains(finding.key.as_str()) || !same_code(finding) {
                continue;
            }
            let reason = match reason.as_deref().and_then(own_reason) {
                Some(reason) => format!("{CARRIED_OVER}: {reason}"),
                None => CARRIED_OVER.to_owned(),
            };
            decide(&finding.key, "dismissed", Some(&reason))?;
        }
        Ok(())
    }
}

/// Applies the reviewer's edits in the previous review to findings that were found again on the same code. Restoring
/// such a finding brings back the text of the new review's agent.
pub(super) fn carry_edits(earlier: Option<&SavedReview>, output: &mut ReviewOutput) {
    let edited = earlier.into_iter().flat_map(|earlier| &earlier.output.findings).filter(|one| one.original.is_some());
    let edited: HashMap<&str, &Finding> = edited.map(|one| (one.key.as_str(), one)).collect();
    for found in &mut output.findings {
        let Some(known) = edited.get(found.key.as_str()) else { continue };
        if known.code.is_none() || known.code != found.code {
            continue;
        }
        let AgentFinding { severity, category, title, body_markdown, .. } = known.content.clone();
        let content = AgentFinding { severity, category, title, body_markdown, ..found.content.clone() };
        found.original = Some(Box::new(std::mem::replace(&mut found.content, content)));
    }
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
fn posted_keys(opened: &OpenChange) -> HashSet<String> {
    let Some(request) = opened.merge_request.as_deref() else { return HashSet::new() };
    open::own_notes(request).into_iter().flat_map(|note| note.marks.findings).collect()
}
