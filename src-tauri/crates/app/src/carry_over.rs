//! From round to round: what was decided and edited stays, as long as the code stands that it was about.

use diffsan_pipeline::open;
use diffsan_pipeline::review;
use std::collections::{HashMap, HashSet};

use super::findings::is_own;
use super::reviews::target_text;
use super::{App, KeptReview};
use diffsan_forge::post_plan::finding_keys;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_prepare::prompt::{Prior, PriorFinding};
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{AgentFinding, Category, Finding};
use diffsan_review::merge::pairs;
use diffsan_store::files::artifacts::now;

/// Earlier rounds whose dismissals are looked through.
const ROUNDS: u32 = 50;

/// What was dismissed, and why.
pub(super) type Dismissed = Vec<(Finding, Option<String>)>;

impl App {
    /// What is not to be said again: what the reviewer dismissed in any round of this change, and what was posted to its merge
    /// request. Open findings that nobody posted are: a new review stands by itself. Blocking.
    pub fn prior(&self, opened: &OpenChange) -> Result<Option<Prior>> {
        let mut prior = open::earlier(opened).0.unwrap_or_default();
        let known: Vec<(String, Option<u32>, String)> =
            prior.findings.iter().map(|one| (one.path.clone(), one.line, one.title.clone())).collect();
        let dismissed = self.dismissed(opened)?;
        let new = |one: &PriorFinding| !known.contains(&(one.path.clone(), one.line, one.title.clone()));
        prior.findings.extend(dismissed.into_iter().filter(new));
        Ok((!prior.is_empty()).then_some(prior))
    }

    fn dismissed(&self, opened: &OpenChange) -> Result<Vec<PriorFinding>> {
        let mut session = opened.prepared().session();
        let dismissed = self.dismissed_before(opened)?.into_iter();
        // A dismissal ends when the code changes that it relied on.
        let standing = dismissed.filter(|(finding, _)| review::code_stands(opened, finding, &mut session));
        let prior = standing.map(|(finding, reason)| PriorFinding {
            path: finding.anchor.path,
            line: finding.anchor.line_end,
            severity: finding.said.severity.name().to_owned(),
            title: finding.said.title.unwrap_or(finding.said.body_markdown),
            state: "dismissed".to_owned(),
            reason,
        });
        Ok(prior.collect())
    }

    /// What the reviewer dismissed in any round of this change and did not take up again since, with the reason. An agent that
    /// heeds a dismissal leaves no trace of it in the rounds that follow.
    pub(super) fn dismissed_before(&self, opened: &OpenChange) -> Result<Dismissed> {
        let (home, target) = (opened.review_home(), target_text(opened));
        let mut later = HashSet::new();
        let mut dismissed = Vec::new();
        for stored in self.store.reviews_since_dismissal(&home, &target, ROUNDS)? {
            let Ok(output) = serde_json::from_str::<ReviewOutput>(&stored.output) else { continue };
            let decisions = self.store.decisions(&stored.id)?;
            let said: Vec<_> = output.findings.iter().map(sameness).collect();
            // The first of a finding counts.
            let decided: HashMap<&str, _> = decisions.iter().rev().map(|one| (one.finding_id.as_str(), one)).collect();
            for (finding, said) in output.findings.into_iter().zip(&said) {
                let decided = decided.get(finding.id.as_str());
                if let Some(decided) = decided.filter(|one| one.decision == "dismissed" && !later.contains(said)) {
                    dismissed.push((finding, decided.reason.clone()));
                }
            }
            later.extend(said);
        }
        Ok(dismissed)
    }

    /// What was decided about the reviewer's own findings (`own`: their names before and now) stays; so does what was accepted in
    /// the round before or dismissed in any, and is found again on the same code. What was accepted and posted since is done with.
    pub(super) fn carry_decisions(
        &self,
        opened: &OpenChange,
        earlier: Option<&KeptReview>,
        dismissed: &Dismissed,
        id: &str,
        now_found: &ReviewOutput,
        own: &[(String, String)],
    ) -> Result<()> {
        let decide = |finding: &str, decision: &str, reason: Option<&str>| {
            self.store.decide(id, &[finding.to_owned()], Some(decision), reason, &now()).map_err(Error::from)
        };
        let mut decided = HashSet::new();
        if let Some(earlier) = earlier {
            let posted = posted(opened, &earlier.output);
            let again = again(&earlier.output.findings, &now_found.findings);
            let again: HashMap<&str, &Finding> =
                again.into_iter().rev().map(|(known, found)| (known.id.as_str(), found)).collect();
            for one in &earlier.decisions {
                if let Some((_, name)) = own.iter().find(|(before, _)| *before == one.finding_id) {
                    decide(name, &one.decision, one.reason.as_deref())?;
                } else if one.decision == "accepted" && !posted.contains(&one.finding_id) {
                    let Some(found) = again.get(one.finding_id.as_str()) else { continue };
                    decide(&found.id, &one.decision, one.reason.as_deref())?;
                    decided.insert(&found.id);
                }
            }
        }
        let (known, reasons): (Vec<Finding>, Vec<_>) = dismissed.iter().cloned().unzip();
        for (known_one, found) in again(&known, &now_found.findings) {
            let at = known.iter().position(|one| std::ptr::eq(one, known_one));
            let reason = at.and_then(|at| reasons[at].as_deref());
            let reason = match reason {
                Some(reason) if reason.starts_with("Dismissed before") => reason.to_owned(),
                Some(reason) => format!("Dismissed before: {reason}"),
                None => "Dismissed before".to_owned(),
            };
            if !decided.contains(&found.id) {
                decide(&found.id, "dismissed", Some(&reason))?;
            }
        }
        Ok(())
    }
}

/// Puts the reviewer's words on what is found again; the agent's own, of this round, are a step back.
pub(super) fn edits(earlier: Option<&KeptReview>, output: &mut ReviewOutput) {
    let Some(earlier) = earlier else { return };
    let edited = again(&earlier.output.findings, &output.findings).into_iter();
    let edited = edited.filter(|(known, _)| known.original.is_some());
    let words: Vec<_> = edited.map(|(known, found)| (found.id.clone(), known.said.clone())).collect();
    let mut found: HashMap<String, &mut Finding> =
        output.findings.iter_mut().rev().map(|one| (one.id.clone(), one)).collect();
    for (id, AgentFinding { severity, category, title, body_markdown, .. }) in words {
        let Some(found) = found.get_mut(&id) else { continue };
        let said = AgentFinding { severity, category, title, body_markdown, ..found.said.clone() };
        found.original = Some(Box::new(std::mem::replace(&mut found.said, said)));
    }
}

/// What agents said in an earlier round and say again, of the very same code.
fn again<'a>(earlier: &'a [Finding], later: &'a [Finding]) -> Vec<(&'a Finding, &'a Finding)> {
    let agents = |all: &'a [Finding]| -> Vec<&'a Finding> { all.iter().filter(|one| !is_own(one)).collect() };
    let as_said = |all: &[&Finding]| -> Vec<Finding> {
        all.iter().map(|one| Finding { said: as_said(one).clone(), ..(*one).clone() }).collect()
    };
    let (earlier, later) = (agents(earlier), agents(later));
    let pairs = pairs(&as_said(&earlier), &as_said(&later)).into_iter();
    let same_code = |(known, found): &(&Finding, &Finding)| known.code.is_some() && known.code == found.code;
    pairs.map(|(a, b)| (earlier[a], later[b])).filter(same_code).collect()
}

/// The findings of a review that stand in the merge request.
fn posted(opened: &OpenChange, review: &ReviewOutput) -> HashSet<String> {
    let Some(request) = opened.merge_request.as_deref() else { return HashSet::new() };
    let marks: HashSet<String> = open::own_notes(request).into_iter().flat_map(|note| note.marks.findings).collect();
    let keys = finding_keys(review).into_iter();
    keys.filter(|(key, _)| marks.contains(key)).map(|(_, finding)| finding.id.clone()).collect()
}

/// A remark in the agent's words, whatever the reviewer made of them.
fn as_said(finding: &Finding) -> &AgentFinding {
    finding.original.as_deref().unwrap_or(&finding.said)
}

/// What makes two findings of different rounds the same remark: file, code and category; the headline where there is no code.
fn sameness(finding: &Finding) -> (String, String, Category) {
    let said = as_said(finding);
    let about = finding.code.as_ref().or(said.title.as_ref()).unwrap_or(&said.body_markdown);
    (finding.anchor.path.clone(), about.clone(), said.category)
}
