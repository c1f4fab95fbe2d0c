//! Reads the table of cases, and checks every case.

mod table;

use jiff::{SignedDuration, Timestamp};

use crate::{
    Facts, LocalFacts, Mark, MarkKind, Now, PipelineState, RequestState, ReviewerFacts, ReviewerState, Role, Speech,
    ThreadFacts, place, place_local,
};

fn now() -> Timestamp {
    "2026-11-25T12:00:00Z".parse().expect("a time")
}

/// Returns the time that is a number of hours before now.
fn ago(hours: &str) -> Timestamp {
    now() - SignedDuration::from_hours(hours.parse().expect("a number of hours"))
}

fn thread(text: &str, resolvable: bool, resolved: bool) -> ThreadFacts {
    let speech = |text: &str| {
        let (name, hours) = text.split_once('@').expect("NAME@HOURS");
        Speech { username: name.to_owned(), at: ago(hours) }
    };
    ThreadFacts { speeches: text.split(',').map(speech).collect(), resolvable, resolved }
}

fn empty() -> Facts {
    Facts {
        me: "me".into(),
        author: "alice".into(),
        role: Role::Participant,
        state: RequestState::Open,
        ended_at: None,
        created_at: None,
        draft: false,
        conflicts: false,
        needs_rebase: false,
        pipeline: None,
        approvals: crate::Approvals::default(),
        reviewers: Vec::new(),
        asked_at: None,
        spoke_at: None,
        pushes: Vec::new(),
        new_commits: None,
        threads: Vec::new(),
        head: Some("abc".into()),
    }
}

/// Reads the words of a case.
fn facts(text: &str) -> (Facts, Option<Mark>) {
    let mut facts = empty();
    let (mut mark, mut active) = (None, false);
    let marked = |kind, until| Some(Mark { kind, until, activity: String::new() });
    for word in text.split(' ') {
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        match key {
            "author" => (facts.role, facts.author) = (Role::Author, "me".into()),
            "reviewer" => facts.role = Role::Reviewer,
            "assignee" => facts.role = Role::Assignee,
            "participant" => {}
            "by" => facts.author = value.into(),
            "asked" => facts.asked_at = Some(ago(value)),
            "spoke" => facts.spoke_at = Some(ago(value)),
            "push" => facts.pushes.push(ago(value)),
            "commits" => facts.new_commits = value.parse().ok(),
            "thread" => facts.threads.push(thread(value, true, false)),
            "resolved" => facts.threads.push(thread(value, true, true)),
            "note" => facts.threads.push(thread(value, false, false)),
            "approved" => {
                facts.approvals.by = value.split(',').filter(|name| !name.is_empty()).map(Into::into).collect()
            }
            "left" => facts.approvals.left = value.parse().ok(),
            "pipeline" => facts.pipeline = Some(PipelineState::parse(value)),
            "draft" => facts.draft = true,
            "conflicts" => facts.conflicts = true,
            "rebase" => facts.needs_rebase = true,
            "merged" => (facts.state, facts.ended_at) = (RequestState::Merged, Some(ago(value))),
            "closed" => (facts.state, facts.ended_at) = (RequestState::Closed, Some(ago(value))),
            "done" => mark = marked(MarkKind::Done, None),
            "muted" => mark = marked(MarkKind::Muted, None),
            "snoozed" => mark = marked(MarkKind::Snoozed, None),
            "until" => mark = marked(MarkKind::Snoozed, Some(ago(value))),
            "active" => active = true,
            name => facts.reviewers.push(ReviewerFacts { username: name.into(), state: ReviewerState::parse(value) }),
        }
    }
    if let (Some(mark), false) = (&mut mark, active) {
        mark.activity = facts.activity();
    }
    (facts, mark)
}

#[test]
fn every_case_of_the_table_has_its_group_and_reason() {
    let mut wrong = Vec::new();
    for (name, text, group, reason) in table::CASES {
        let (facts, mark) = facts(text);
        let found = place(&facts, mark.as_ref(), Now { local: now(), server: now() });
        if (found.group, found.reason.text.as_str()) != (*group, reason) {
            wrong.push(format!(
                "{name}: {text}\n  expected {group:?}: {reason}\n  found    {:?}: {}",
                found.group, found.reason.text
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases\n{}", wrong.len(), table::CASES.len(), wrong.join("\n"));
}

#[test]
fn only_snoozed_and_muted_rows_are_hidden() {
    for (name, text, ..) in table::CASES {
        let (facts, mark) = facts(text);
        let found = place(&facts, mark.as_ref(), Now { local: now(), server: now() });
        let hides = found.reason.text.starts_with("snoozed") || found.reason.text == "muted";
        assert_eq!(found.hidden, hides, "{name}");
    }
}

#[test]
fn own_comments_and_those_of_bots_are_no_activity() {
    let activity = |text: &str| facts(text).0.activity();
    let before = activity("reviewer push:30 thread:me@20,alice@5");
    assert_eq!(activity("reviewer push:30 thread:me@20,alice@5,me@2"), before);
    assert_eq!(activity("reviewer push:30 thread:me@20,alice@5 thread:project_1_bot@1"), before);
    assert_ne!(activity("reviewer push:30 thread:me@20,alice@5,alice@2"), before);
    assert_ne!(activity("reviewer push:30 asked:1 thread:me@20,alice@5"), before);
}

#[test]
fn local_work_is_my_turn_until_it_is_reviewed() {
    let work = |uncommitted, commits, reviewed, new_commits| LocalFacts {
        uncommitted,
        commits,
        reviewed,
        new_commits,
        activity: "a".into(),
    };
    let check = |facts: &LocalFacts, expected: Option<&str>| {
        let found = place_local(facts, None, now()).map(|found| found.reason.text);
        assert_eq!(found.as_deref(), expected, "{facts:?}");
    };
    check(&work(0, 0, false, None), None);
    check(&work(0, 4, false, None), Some("4 commits that nobody reviewed"));
    check(&work(1, 0, false, None), Some("1 changed file not committed"));
    check(&work(3, 1, false, None), Some("1 commit that nobody reviewed, 3 changed files not committed"));
    check(&work(0, 4, true, Some(2)), Some("2 commits since your review"));
    check(&work(0, 4, true, Some(0)), Some("you reviewed it"));
    check(&work(0, 4, true, None), Some("rewritten since your review"));
    let done = Mark { kind: MarkKind::Done, until: None, activity: "a".into() };
    let placed = |facts: &LocalFacts| place_local(facts, Some(&done), now()).map(|found| found.group);
    assert_eq!(placed(&work(0, 4, false, None)), Some(crate::Group::Done));
    let moved = LocalFacts { activity: "b".into(), ..work(0, 5, false, None) };
    assert_eq!(placed(&moved), Some(crate::Group::YourTurn));
}
