//! Determines whose turn it is with a merge request.

use jiff::Timestamp;

use crate::facts::{Facts, PipelineState, RequestState, ReviewerState, Role, ThreadFacts};
use crate::reason::{Group, Placement, ReasonCode};
use crate::words::{age, amount, names, until};
use crate::{Mark, MarkKind, is_bot};

/// The time, by two clocks. The clock of this machine may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The clock of this machine, which ends snoozes.
    pub local: Timestamp,
    /// The clock of the server, which all times of a merge request are compared with.
    pub server: Timestamp,
}

/// Returns the place of a merge request in the inbox at a time.
pub fn place(facts: &Facts, mark: Option<&Mark>, now: Now) -> Placement {
    let ended = |code, word: &str| {
        let when = facts.ended_at.map(|at| format!(" {}", age(at, now.server))).unwrap_or_default();
        Placement::new(Group::Done, code, format!("{word}{when}"))
    };
    match facts.state {
        RequestState::Merged => return ended(ReasonCode::Merged, "merged"),
        RequestState::Closed => return ended(ReasonCode::Closed, "closed"),
        RequestState::Open => {}
    }
    if let Some(mark) = mark.filter(|mark| mark.holds(&facts.activity(), now.local)) {
        return marked(mark, now.local);
    }
    let turn = Turn::new(facts, now.server);
    match facts.role {
        _ if facts.draft => turn.draft(),
        Role::Author => turn.mine(),
        Role::Reviewer => turn.reviewing(),
        Role::Assignee => turn.assigned(),
        Role::Participant => turn.answers().unwrap_or_else(|| turn.others()),
    }
}

/// Returns the place of a row with a mark that holds.
pub(crate) fn marked(mark: &Mark, now: Timestamp) -> Placement {
    match (mark.kind, mark.until) {
        (MarkKind::Done, _) => Placement::new(Group::Done, ReasonCode::MarkedDone, "you marked it done"),
        (MarkKind::Muted, _) => Placement::new(Group::Waiting, ReasonCode::Muted, "muted").hidden(),
        (MarkKind::Snoozed, Some(end)) => {
            Placement::new(Group::Waiting, ReasonCode::Snoozed, format!("snoozed for {}", until(end, now))).hidden()
        }
        (MarkKind::Snoozed, None) => {
            Placement::new(Group::Waiting, ReasonCode::Snoozed, "snoozed until something happens").hidden()
        }
    }
}

/// The facts, and the conclusions from them that every role needs.
struct Turn<'a> {
    facts: &'a Facts,
    now: Timestamp,
    /// The last persons other than the reader who spoke in threads in which the reader is to answer.
    answered: Vec<&'a str>,
    /// The number of threads in which the reader spoke last.
    answered_last: usize,
    /// The number of versions since the reader's last comment or verdict.
    pushes: usize,
}

impl<'a> Turn<'a> {
    fn new(facts: &'a Facts, now: Timestamp) -> Self {
        let waiting: Vec<&ThreadFacts> = facts.threads.iter().filter(|thread| !thread.resolved).collect();
        let last = |thread: &&'a ThreadFacts| {
            thread.speeches.iter().rev().map(|speech| speech.username.as_str()).find(|name| !is_bot(name))
        };
        let me = facts.me.as_str();
        // The author answers in every thread that can be resolved, everybody else in the threads in which they spoke.
        let is_mine = |thread: &&&'a ThreadFacts| {
            thread.speeches.iter().any(|speech| speech.username == me)
                || facts.role == Role::Author && thread.resolvable
        };
        let answered = waiting.iter().filter(is_mine).filter_map(last).filter(|name| *name != me).collect();
        // A comment of the reader that nobody answered and nobody has to resolve waits for nothing.
        let with_others = |thread: &&&'a ThreadFacts| {
            facts.role != Role::Author && thread.resolvable
                || thread.speeches.iter().any(|speech| speech.username != me)
        };
        let answered_last = waiting.iter().filter(with_others).filter(|thread| last(thread) == Some(me)).count();
        let pushes = match facts.spoke_at {
            Some(spoke) => facts.pushes.iter().filter(|push| **push > spoke).count(),
            None => 0,
        };
        Self { facts, now, answered, answered_last, pushes }
    }

    /// Returns the place of a draft.
    fn draft(&self) -> Placement {
        let (text, remark) = match self.facts.role {
            Role::Author => ("your draft".to_owned(), self.threads_for_author().or_else(|| self.failed_pipeline())),
            _ => (format!("draft of {}", self.facts.author), self.answers().map(|placement| placement.reason.text)),
        };
        Placement::new(Group::Drafts, ReasonCode::Draft, text).and(remark)
    }

    fn mine(&self) -> Placement {
        let facts = self.facts;
        let approved = facts.approvals.are_enough();
        let turn = |code, text: String| {
            let text = if approved { format!("approved, {text}") } else { text };
            Placement::new(Group::YourTurn, code, text)
        };
        if facts.conflicts {
            return turn(ReasonCode::Conflicts, "conflicts with the target branch".to_owned());
        }
        if let Some(text) = self.threads_for_author() {
            return turn(ReasonCode::ThreadsOpen, text);
        }
        if facts.pipeline == Some(PipelineState::Failed) {
            return turn(ReasonCode::PipelineFailed, "pipeline failed".to_owned());
        }
        if approved && facts.needs_rebase {
            return turn(ReasonCode::NeedsRebase, "needs a rebase".to_owned());
        }
        if approved {
            return self.approved();
        }
        if let Some(placement) = self.reviews_for_author() {
            return placement;
        }
        if self.answered_last > 0 {
            return self.others();
        }
        self.waiting_for_reviewers()
    }

    /// Returns the place of the reader's own merge request after a review that is not an approval.
    fn reviews_for_author(&self) -> Option<Placement> {
        let in_state =
            |state| self.facts.reviewers.iter().find(|one| one.state == state).map(|one| one.username.as_str());
        if let Some(name) = in_state(ReviewerState::RequestedChanges) {
            return Some(match self.pushed_after(name) {
                true => self.waiting(format!("you pushed since {name} requested changes")),
                false => {
                    Placement::new(Group::YourTurn, ReasonCode::ChangesRequested, format!("{name} requested changes"))
                }
            });
        }
        let all = self.pending_reviewers().is_empty() && !self.facts.reviewers.is_empty();
        let name = in_state(ReviewerState::Reviewed).filter(|_| all && self.answered_last == 0)?;
        Some(match self.pushed_after(name) {
            true => self.waiting(format!("you pushed since the review of {name}")),
            false => Placement::new(Group::YourTurn, ReasonCode::Reviewed, format!("reviewed by {name}")),
        })
    }

    fn waiting_for_reviewers(&self) -> Placement {
        let left = self.facts.approvals.left.filter(|left| *left > 0 && !self.facts.approvals.by.is_empty());
        let missing = left.map(|left| format!("{} needed", amount(left as usize, "more approval")));
        let pending = self.pending_reviewers();
        let assigned = self.facts.role == Role::Assignee;
        let (group, code, text) = match (pending.as_slice(), &missing) {
            ([], Some(_)) => {
                (Group::YourTurn, ReasonCode::ApprovalsMissing, "no other reviewer is assigned".to_owned())
            }
            ([], None) => (Group::YourTurn, ReasonCode::NoReviewer, "no reviewer is assigned".to_owned()),
            (pending, _) => {
                (Group::Waiting, ReasonCode::WaitingForOthers, format!("waiting for a review by {}", names(pending)))
            }
        };
        let before = missing.or_else(|| assigned.then(|| "assigned to you".to_owned()));
        Placement::new(group, code, before.map_or_else(|| text.clone(), |before| format!("{before}, {text}")))
    }

    fn reviewing(&self) -> Placement {
        let facts = self.facts;
        let own = facts.reviewers.iter().find(|one| one.username == facts.me).map(|one| one.state);
        let asked_again = facts.asked_at.zip(facts.spoke_at).is_some_and(|(asked, spoke)| asked > spoke);
        if asked_again && own.unwrap_or_default() == ReviewerState::Unreviewed {
            let when = facts.asked_at.map(|at| age(at, self.now)).unwrap_or_default();
            return Placement::new(
                Group::YourTurn,
                ReasonCode::ReviewRequestedAgain,
                format!("review requested again {when}"),
            )
            .and(self.new_commits());
        }
        if let Some(placement) = self.answers() {
            return placement.and(self.new_commits());
        }
        if own == Some(ReviewerState::ReviewStarted) {
            return Placement::new(Group::YourTurn, ReasonCode::ReviewStarted, "you started a review");
        }
        let approved_by_me = facts.approvals.by.contains(&facts.me);
        let judged = matches!(
            own,
            Some(
                ReviewerState::Reviewed
                    | ReviewerState::RequestedChanges
                    | ReviewerState::Approved
                    | ReviewerState::Unapproved
            )
        );
        if facts.spoke_at.is_none() && !approved_by_me && !judged {
            return self.asked();
        }
        if self.pushes > 0 {
            return Placement::new(Group::YourTurn, ReasonCode::NewCommits, self.since(own, approved_by_me));
        }
        if approved_by_me {
            return self.approved();
        }
        if own == Some(ReviewerState::RequestedChanges) {
            return self.waiting("you requested changes".to_owned());
        }
        self.others()
    }

    /// Returns the place of a merge request that the reader has not looked at.
    fn asked(&self) -> Placement {
        let facts = self.facts;
        let asked = facts.asked_at.or(facts.created_at).or_else(|| facts.pushes.first().copied());
        let when = asked.map(|at| format!(" {}", age(at, self.now))).unwrap_or_default();
        let by: Vec<&str> = facts.approvals.by.iter().map(String::as_str).collect();
        let remark = match (facts.conflicts, self.failed_pipeline()) {
            (true, _) => Some("conflicts".to_owned()),
            (_, Some(failed)) => Some(failed),
            _ => (!by.is_empty()).then(|| format!("approved by {}", names(&by))),
        };
        Placement::new(Group::YourTurn, ReasonCode::ReviewRequested, format!("review requested{when}")).and(remark)
    }

    fn assigned(&self) -> Placement {
        let facts = self.facts;
        if let Some(placement) = self.answers() {
            return placement;
        }
        if facts.approvals.are_enough() {
            return self.approved();
        }
        let turn = |code, text: &str| Placement::new(Group::YourTurn, code, format!("assigned to you, {text}"));
        if facts.conflicts {
            return turn(ReasonCode::Conflicts, "conflicts with the target branch");
        }
        if let Some(failed) = self.failed_pipeline() {
            return turn(ReasonCode::PipelineFailed, &failed);
        }
        self.waiting_for_reviewers()
    }

    /// Returns the place of a merge request that the reader approved or that has enough approvals.
    fn approved(&self) -> Placement {
        let facts = self.facts;
        if !facts.approvals.are_enough() {
            let left = facts.approvals.left.unwrap_or(1) as usize;
            let text = format!("you approved, {} needed", amount(left, "more approval"));
            return Placement::new(Group::Waiting, ReasonCode::ApprovalsMissing, text);
        }
        let wait = |code, text: String| Placement::new(Group::Waiting, code, format!("approved, {text}"));
        let open = facts.open_threads();
        match facts.pipeline {
            _ if facts.conflicts => wait(ReasonCode::Conflicts, "conflicts".to_owned()),
            _ if facts.needs_rebase => wait(ReasonCode::NeedsRebase, "needs a rebase".to_owned()),
            Some(PipelineState::Failed) => wait(ReasonCode::PipelineFailed, "pipeline failed".to_owned()),
            Some(PipelineState::Cancelled) => wait(ReasonCode::PipelineUnfinished, "pipeline was cancelled".to_owned()),
            Some(PipelineState::Running) => wait(ReasonCode::PipelineUnfinished, "pipeline is running".to_owned()),
            _ if open > 0 => wait(ReasonCode::ThreadsOpen, amount(open, "open thread")),
            Some(PipelineState::Passed) => {
                Placement::new(Group::ReadyToMerge, ReasonCode::Ready, "approved, pipeline passed")
            }
            Some(PipelineState::Manual) | None => Placement::new(Group::ReadyToMerge, ReasonCode::Ready, "approved"),
        }
    }

    /// Returns the place of a merge request in which somebody answered the reader.
    fn answers(&self) -> Option<Placement> {
        let first = *self.answered.first()?;
        let count = amount(self.answered.len(), "thread");
        let text = match self.answered.iter().all(|name| *name == first) {
            true if first == self.facts.author => format!("author answered in {count}"),
            true => format!("{first} answered in {count}"),
            false => format!("{count} have answers for you"),
        };
        Some(Placement::new(Group::YourTurn, ReasonCode::Answered, text))
    }

    /// Returns the place of a merge request for which the reader has nothing to do.
    fn others(&self) -> Placement {
        let facts = self.facts;
        if self.answered_last > 0 {
            return self.waiting(format!("you answered last in {}", amount(self.answered_last, "thread")));
        }
        self.waiting(match facts.role {
            Role::Participant => format!("waiting for {}", facts.author),
            _ => format!("you reviewed it, waiting for {}", facts.author),
        })
    }

    fn waiting(&self, text: String) -> Placement {
        Placement::new(Group::Waiting, ReasonCode::WaitingForOthers, text)
    }

    fn threads_for_author(&self) -> Option<String> {
        let count = self.answered.len();
        let verb = if count == 1 { "waits" } else { "wait" };
        (count > 0).then(|| format!("{} {verb} for your answer", amount(count, "thread")))
    }

    fn failed_pipeline(&self) -> Option<String> {
        (self.facts.pipeline == Some(PipelineState::Failed)).then(|| "pipeline failed".to_owned())
    }

    /// Returns the reviewers who have not reviewed, without the reader.
    fn pending_reviewers(&self) -> Vec<&str> {
        let pending = |state| {
            matches!(state, ReviewerState::Unreviewed | ReviewerState::ReviewStarted | ReviewerState::Unapproved)
        };
        let all = self.facts.reviewers.iter().filter(|one| pending(one.state));
        all.map(|one| one.username.as_str()).filter(|name| *name != self.facts.me).collect()
    }

    /// Returns whether there is a version since the last comment of a user.
    fn pushed_after(&self, name: &str) -> bool {
        let speeches = self.facts.threads.iter().flat_map(|thread| &thread.speeches);
        let spoke = speeches.filter(|speech| speech.username == name).map(|speech| speech.at).max();
        spoke.is_some_and(|spoke| self.facts.pushes.iter().any(|push| *push > spoke))
    }

    /// Returns what is new since the reader's verdict.
    fn since(&self, own: Option<ReviewerState>, approved: bool) -> String {
        let what = match (self.facts.new_commits.filter(|count| *count > 0), self.pushes) {
            (Some(count), _) => amount(count as usize, "commit"),
            (None, 1) => "new version".to_owned(),
            (None, count) => amount(count, "new version"),
        };
        match own {
            _ if approved => format!("{what} since your approval"),
            Some(ReviewerState::RequestedChanges) => format!("{what} since you requested changes"),
            _ => format!("{what} since your review"),
        }
    }

    fn new_commits(&self) -> Option<String> {
        (self.pushes > 0).then(|| match self.facts.new_commits.filter(|count| *count > 0) {
            Some(count) => amount(count as usize, "new commit"),
            None => amount(self.pushes, "new version"),
        })
    }
}
