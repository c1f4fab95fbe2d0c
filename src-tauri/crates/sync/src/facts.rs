//! Converts GitLab's answers to the facts that decide whose turn it is.

use diffsan_forge::gitlab::{Discussion, ListedMergeRequest, MergeRequestDetails, Note, Person};
use diffsan_inbox::{
    Approvals, Facts, PipelineState, RequestState, ReviewerFacts, ReviewerState, Role, Speech, ThreadFacts,
};
use jiff::Timestamp;

/// The beginnings of GitLab's own notes about a verdict.
const VERDICTS: [&str; 3] = ["approved this merge request", "unapproved this merge request", "requested changes"];
/// The beginning of GitLab's own note about a request for a review.
const REQUESTED: &str = "requested review from ";

/// Parses a time of GitLab.
pub(crate) fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}

/// Returns the facts of a merge request in a list. The rest stays as in `before`, if it was read earlier.
pub(crate) fn of_list(listed: &ListedMergeRequest, me: &str, before: Option<&Facts>) -> Facts {
    let is_me = |people: &[Person]| people.iter().any(|person| person.username == me);
    let author = listed.author.as_ref().map(|author| author.username.clone()).unwrap_or_default();
    let role = if author == me {
        Role::Author
    } else if is_me(&listed.reviewers) {
        Role::Reviewer
    } else if is_me(&listed.assignees) {
        Role::Assignee
    } else {
        Role::Participant
    };
    let status = listed.detailed_merge_status.as_deref().unwrap_or_default();
    let reviewers = listed.reviewers.iter().map(|person| {
        let known = before.and_then(|facts| facts.reviewers.iter().find(|known| known.username == person.username));
        ReviewerFacts { username: person.username.clone(), state: known.map(|known| known.state).unwrap_or_default() }
    });
    let state = match listed.state.as_str() {
        "merged" => RequestState::Merged,
        "closed" => RequestState::Closed,
        // `locked` is the moment of merging.
        _ => RequestState::Open,
    };
    Facts {
        me: me.to_owned(),
        author,
        role,
        state,
        ended_at: time(listed.merged_at.as_deref()).or_else(|| time(listed.closed_at.as_deref())),
        created_at: time(listed.created_at.as_deref()),
        draft: listed.draft,
        conflicts: listed.has_conflicts || status == "conflict",
        needs_rebase: status == "need_rebase",
        pipeline: before.and_then(|facts| facts.pipeline),
        approvals: before.map(|facts| facts.approvals.clone()).unwrap_or_default(),
        reviewers: reviewers.collect(),
        asked_at: before.and_then(|facts| facts.asked_at),
        spoke_at: before.and_then(|facts| facts.spoke_at),
        pushes: before.map(|facts| facts.pushes.clone()).unwrap_or_default(),
        new_commits: before.and_then(|facts| facts.new_commits),
        threads: before.map(|facts| facts.threads.clone()).unwrap_or_default(),
        head: listed.sha.clone(),
    }
}

/// Returns the facts of a merge request with its details.
pub(crate) fn of_details(details: &MergeRequestDetails, me: &str) -> Facts {
    let mut facts = of_list(&details.request, me, None);
    let notes = || details.discussions.iter().flat_map(|discussion| &discussion.notes);
    facts.pipeline = details.request.pipeline().map(PipelineState::parse);
    if let Some(approvals) = &details.approvals {
        let by = approvals.approved_by.iter().map(|approver| approver.user.username.clone());
        facts.approvals = Approvals { by: by.collect(), left: approvals.approvals_left };
    }
    let mut assigned_at = None;
    if let Some(reviewers) = &details.reviewers {
        let state = |one: &diffsan_forge::gitlab::Reviewer| ReviewerFacts {
            username: one.user.username.clone(),
            state: ReviewerState::parse(&one.state),
        };
        facts.reviewers = reviewers.iter().map(state).collect();
        let own = reviewers.iter().find(|one| one.user.username == me);
        assigned_at = own.and_then(|one| time(one.created_at.as_deref()));
    }
    facts.asked_at = notes().filter(|note| asks(note, me)).filter_map(written_at).max().or(assigned_at);
    facts.spoke_at = notes().filter(|note| author(note) == me && is_word(note)).filter_map(written_at).max();
    facts.pushes = details.versions.iter().rev().filter_map(|(_, at)| time(at.as_deref())).collect();
    facts.threads = details.discussions.iter().map(thread).filter(|thread| !thread.speeches.is_empty()).collect();
    facts
}

/// Returns the head of the newest version at the time of the reader's last comment or verdict, if there is a newer version.
pub(crate) fn seen_head<'a>(facts: &Facts, details: &'a MergeRequestDetails) -> Option<&'a str> {
    let spoke = facts.spoke_at?;
    let versions = &details.versions;
    let seen = versions.iter().position(|(_, at)| time(at.as_deref()).is_some_and(|at| at <= spoke))?;
    (seen > 0).then(|| versions[seen].0.as_str())
}

fn author(note: &Note) -> &str {
    note.author.as_ref().map(|author| author.username.as_str()).unwrap_or_default()
}

fn written_at(note: &Note) -> Option<Timestamp> {
    time(note.created_at.as_deref())
}

/// Returns whether a note is a comment or a verdict of its author.
fn is_word(note: &Note) -> bool {
    !note.system || VERDICTS.iter().any(|start| note.body.starts_with(start))
}

/// Returns whether GitLab notes that a review is requested from a user: `requested review from @bob and @carol`.
fn asks(note: &Note, me: &str) -> bool {
    let Some(names) = note.body.strip_prefix(REQUESTED).filter(|_| note.system) else { return false };
    let names = names.split(" and removed ").next().unwrap_or_default();
    names.split([' ', ',']).any(|name| name.strip_prefix('@') == Some(me))
}

fn thread(discussion: &Discussion) -> ThreadFacts {
    let people = || discussion.notes.iter().filter(|note| !note.system);
    let speech = |note: &Note| Some(Speech { username: author(note).to_owned(), at: written_at(note)? });
    let resolvable = people().any(|note| note.resolvable);
    ThreadFacts {
        speeches: people().filter_map(speech).collect(),
        resolvable,
        resolved: resolvable && people().filter(|note| note.resolvable).all(|note| note.resolved == Some(true)),
    }
}
