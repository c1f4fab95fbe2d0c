//! From round to round: what was decided and edited stays, as long as the code stands that it was about.

use std::collections::HashSet;

use super::findings::is_own;
use super::reviews::target_text;
use super::{App, KeptReview, store_error};
use crate::error::Result;
use crate::files::artifacts::now;
use crate::finding::{AgentFinding, Category, Finding};
use crate::prompt::{Prior, PriorFinding};
use crate::review::ReviewOutput;
use crate::run::{self, Opened};

/// Earlier rounds whose dismissals are looked through.
const ROUNDS: u32 = 50;

/// What was dismissed, and why.
pub(super) type Dismissed = Vec<(Finding, Option<String>)>;

impl App {
    /// What is not to be said again: what the reviewer dismissed in any round of this change, and what was posted to its merge
    /// request. Open findings that nobody posted are: a new review stands by itself. Blocking.
    pub fn prior(&self, opened: &Opened) -> Result<Option<Prior>> {
        let mut prior = run::earlier(opened).0.unwrap_or_default();
        let known: Vec<(String, Option<u32>, String)> =
            prior.findings.iter().map(|one| (one.path.clone(), one.line, one.title.clone())).collect();
        let dismissed = self.dismissed(opened)?;
        let new = |one: &PriorFinding| !known.contains(&(one.path.clone(), one.line, one.title.clone()));
        prior.findings.extend(dismissed.into_iter().filter(new));
        Ok((!prior.is_empty()).then_some(prior))
    }

    fn dismissed(&self, opened: &Opened) -> Result<Vec<PriorFinding>> {
        let mut session = opened.prepared().session();
        let dismissed = self.dismissed_before(opened)?.into_iter();
        // A dismissal ends when the code changes that it relied on.
        let standing = dismissed.filter(|(finding, _)| run::code_stands(opened, finding, &mut session));
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
    pub(super) fn dismissed_before(&self, opened: &Opened) -> Result<Dismissed> {
        let (home, target) = (opened.review_home(), target_text(opened));
        let mut later = HashSet::new();
        let mut dismissed = Vec::new();
        for stored in self.store.reviews_since_dismissal(&home, &target, ROUNDS).map_err(store_error)? {
            let Ok(output) = serde_json::from_str::<ReviewOutput>(&stored.output) else { continue };
            let decisions = self.store.decisions(&stored.id).map_err(store_error)?;
            let said: Vec<_> = output.findings.iter().map(sameness).collect();
            for (finding, said) in output.findings.into_iter().zip(&said) {
                let decided = decisions.iter().find(|one| one.finding_id == finding.id);
                if let Some(decided) = decided.filter(|one| one.decision == "dismissed" && !later.contains(said)) {
                    dismissed.push((finding, decided.reason.clone()));
                }
            }
            later.extend(said);
        }
        Ok(dismissed)
    }

    /// What was decided about the reviewer's own findings (`own`: their names before and now) stays; so does what was accepted in
    /// the round before or dismissed in any, and is found again on the same code.
    pub(super) fn carry_decisions(
        &self,
        earlier: Option<&KeptReview>,
        dismissed: &Dismissed,
        id: &str,
        now_found: &ReviewOutput,
        own: &[(String, String)],
    ) -> Result<()> {
        let decide = |finding: &str, decision: &str, reason: Option<&str>| {
            self.store.decide(id, &[finding.to_owned()], Some(decision), reason, &now()).map_err(store_error)
        };
        let mut again = Again::of(now_found);
        for (earlier, decided) in earlier.iter().flat_map(|one| one.decisions.iter().map(move |decided| (one, decided)))
        {
            if let Some((_, name)) = own.iter().find(|(before, _)| *before == decided.finding_id) {
                decide(name, &decided.decision, decided.reason.as_deref())?;
                continue;
            }
            let known = earlier.output.findings.iter().find(|one| one.id == decided.finding_id);
            if decided.decision == "accepted"
                && let Some(at) = known.and_then(|known| again.take(known, &now_found.findings))
            {
                decide(&now_found.findings[at].id, &decided.decision, decided.reason.as_deref())?;
            }
        }
        for (known, reason) in dismissed {
            let Some(at) = again.take(known, &now_found.findings) else { continue };
            let reason = match reason.as_deref() {
                Some(reason) if reason.starts_with("Dismissed before") => reason.to_owned(),
                Some(reason) => format!("Dismissed before: {reason}"),
                None => "Dismissed before".to_owned(),
            };
            decide(&now_found.findings[at].id, "dismissed", Some(&reason))?;
        }
        Ok(())
    }
}

/// Puts the reviewer's words on what is found again; the agent's own, of this round, are a step back.
pub(super) fn edits(earlier: Option<&KeptReview>, output: &mut ReviewOutput) {
    let mut again = Again::of(output);
    for known in earlier.iter().flat_map(|earlier| &earlier.output.findings).filter(|one| one.original.is_some()) {
        let Some(at) = again.take(known, &output.findings) else { continue };
        let found = &mut output.findings[at];
        let AgentFinding { severity, category, title, body_markdown, .. } = known.said.clone();
        let said = AgentFinding { severity, category, title, body_markdown, ..found.said.clone() };
        found.original = Some(Box::new(std::mem::replace(&mut found.said, said)));
    }
}

/// Finds remarks of an earlier round in a new one, each at most once.
struct Again {
    taken: Vec<bool>,
}

impl Again {
    fn of(output: &ReviewOutput) -> Self {
        Self { taken: output.findings.iter().map(is_own).collect() }
    }

    /// Where a remark of an agent on code that is known stands now; of several on the same code the one with the same headline.
    fn take(&mut self, known: &Finding, found: &[Finding]) -> Option<usize> {
        if is_own(known) || known.code.is_none() {
            return None;
        }
        let same = |at: &usize| !self.taken[*at] && sameness(&found[*at]) == sameness(known);
        let titled = |at: &usize| same(at) && as_said(&found[*at]).title == as_said(known).title;
        let all = 0..found.len();
        let at = all.clone().find(titled).or_else(|| all.clone().find(same))?;
        self.taken[at] = true;
        Some(at)
    }
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
