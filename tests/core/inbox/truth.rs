//! Two hundred merge requests in forty projects on three servers, with their expected groups and reasons.

use diffsan_inbox::Group::{self, Drafts, ReadyToMerge, Waiting, YourTurn};
use diffsan_test_support::gitlab::{FakeGitlab, MergeRequest, Note, ReviewerState, ServerVersion, Thread, Version};

/// The number of projects of each server.
pub(super) const PROJECTS: [usize; 3] = [20, 12, 8];
/// The number of merge requests of each server.
pub(super) const REQUESTS: [usize; 3] = [130, 50, 20];
/// The versions of the servers.
pub(super) const VERSIONS: [ServerVersion; 3] =
    [ServerVersion::NEWEST, ServerVersion::new(17, 7), ServerVersion::new(15, 0)];

/// Users of the fake: the reader, the author, and two others.
const ME: u64 = 1;
const ALICE: u64 = 2;

/// A kind of merge request: how it is made, and where it belongs. `{n}` in the reason stands for an age.
struct Kind {
    make: fn(&mut MergeRequest, &People),
    group: Group,
    reason: &'static str,
}

struct People {
    bob: u64,
    bot: u64,
}

/// A time: this many hours after the first version.
fn at(hours: i64) -> String {
    let first = "2026-11-10T10:00:00Z".parse::<jiff::Timestamp>().expect("a time");
    (first + jiff::SignedDuration::from_hours(hours)).to_string()
}

fn push(request: &mut MergeRequest, hours: i64) {
    let id = request.versions.len() as u64 + 1;
    request.versions.push(Version { id, at: at(hours), ..Version::default() });
}

/// Adds a thread with comments of users at times.
fn thread(request: &mut MergeRequest, notes: &[(u64, i64)]) {
    let id = format!("{:040x}", request.threads.len() + 1);
    let note = |(author, hours): &(u64, i64)| Note {
        id: u64::try_from(*hours).unwrap_or_default() * 100 + author,
        kind: Some("DiscussionNote".into()),
        body: "A comment.".into(),
        author: *author,
        at: at(*hours),
        ..Note::default()
    };
    request.threads.push(Thread { id, individual: false, notes: notes.iter().map(note).collect() });
}

/// Adds a note of GitLab itself.
fn system(request: &mut MergeRequest, author: u64, hours: i64, body: &str) {
    let id = format!("{:040x}", request.threads.len() + 1);
    let note = Note {
        id: 9000 + u64::try_from(hours).unwrap_or_default(),
        body: body.into(),
        author,
        system: true,
        at: at(hours),
        ..Note::default()
    };
    request.threads.push(Thread { id, individual: true, notes: vec![note] });
}

fn reviewing(request: &mut MergeRequest, state: ReviewerState) {
    request.reviewers = vec![(ME, state)];
    push(request, 0);
}

fn approved_by_me(request: &mut MergeRequest) {
    reviewing(request, ReviewerState::Approved);
    request.approved_by = vec![ME];
    system(request, ME, 5, "approved this merge request");
}

fn mine(request: &mut MergeRequest, people: &People, state: ReviewerState) {
    request.author = ME;
    request.reviewers = vec![(people.bob, state)];
    push(request, 0);
}

const KINDS: &[Kind] = &[
    Kind { make: |one, _| reviewing(one, ReviewerState::Unreviewed), group: YourTurn, reason: "review requested" },
    Kind {
        make: |one, _| {
            reviewing(one, ReviewerState::Unreviewed);
            system(one, ALICE, 3, "requested review from @reviewer and @bob");
        },
        group: YourTurn,
        reason: "review requested",
    },
    Kind {
        make: |one, _| {
            reviewing(one, ReviewerState::Unreviewed);
            thread(one, &[(ME, 3)]);
            system(one, ALICE, 6, "requested review from @reviewer");
        },
        group: YourTurn,
        reason: "review requested again",
    },
    Kind {
        make: |one, _| {
            reviewing(one, ReviewerState::Reviewed);
            thread(one, &[(ME, 3)]);
            push(one, 8);
        },
        group: YourTurn,
        reason: "new version since your review",
    },
    Kind {
        make: |one, _| {
            reviewing(one, ReviewerState::Reviewed);
            thread(one, &[(ME, 3), (ALICE, 4)]);
            thread(one, &[(ME, 3), (ALICE, 5)]);
        },
        group: YourTurn,
        reason: "author answered in 2 threads",
    },
    Kind {
        make: |one, people| {
            reviewing(one, ReviewerState::Reviewed);
            thread(one, &[(ME, 3), (people.bob, 4)]);
        },
        group: YourTurn,
        reason: "bob answered in 1 thread",
    },
    Kind {
        make: |one, people| {
            reviewing(one, ReviewerState::Reviewed);
            thread(one, &[(ME, 3), (people.bot, 4)]);
        },
        group: Waiting,
        reason: "you answered last in 1 thread",
    },
    Kind {
        make: |one, _| {
            reviewing(one, ReviewerState::Reviewed);
            thread(one, &[(ME, 3), (ALICE, 4), (ME, 5)]);
        },
        group: Waiting,
        reason: "you answered last in 1 thread",
    },
    Kind {
        make: |one, _| {
            approved_by_me(one);
            one.pipeline = "success".into();
        },
        group: ReadyToMerge,
        reason: "approved, pipeline passed",
    },
    Kind {
        make: |one, _| {
            approved_by_me(one);
            one.pipeline = "failed".into();
        },
        group: Waiting,
        reason: "approved, pipeline failed",
    },
    Kind {
        make: |one, _| {
            approved_by_me(one);
            one.approvals_required = 2;
        },
        group: Waiting,
        reason: "you approved, 1 more approval needed",
    },
    Kind {
        make: |one, _| {
            approved_by_me(one);
            push(one, 9);
        },
        group: YourTurn,
        reason: "new version since your approval",
    },
    Kind {
        make: |one, _| {
            reviewing(one, ReviewerState::Unreviewed);
            one.draft = true;
        },
        group: Drafts,
        reason: "draft of author",
    },
    Kind {
        make: |one, people| mine(one, people, ReviewerState::Unreviewed),
        group: Waiting,
        reason: "waiting for a review by bob",
    },
    Kind {
        make: |one, people| {
            mine(one, people, ReviewerState::Reviewed);
            thread(one, &[(people.bob, 4)]);
        },
        group: YourTurn,
        reason: "1 thread waits for your answer",
    },
    Kind {
        make: |one, people| {
            mine(one, people, ReviewerState::Approved);
            one.approved_by = vec![people.bob];
            one.pipeline = "success".into();
        },
        group: ReadyToMerge,
        reason: "approved, pipeline passed",
    },
    Kind {
        make: |one, people| {
            mine(one, people, ReviewerState::Unreviewed);
            one.conflicts = true;
        },
        group: YourTurn,
        reason: "conflicts with the target branch",
    },
    Kind {
        make: |one, people| {
            mine(one, people, ReviewerState::Unreviewed);
            one.pipeline = "failed".into();
        },
        group: YourTurn,
        reason: "pipeline failed",
    },
    Kind {
        make: |one, people| {
            mine(one, people, ReviewerState::Unreviewed);
            one.draft = true;
        },
        group: Drafts,
        reason: "your draft",
    },
    Kind {
        make: |one, people| {
            one.assignees = vec![ME];
            one.reviewers = vec![(people.bob, ReviewerState::Unreviewed)];
            push(one, 0);
        },
        group: Waiting,
        reason: "assigned to you, waiting for a review by bob",
    },
];

/// A row that is expected: the project, the number, the group and the reason without its age.
pub(super) type Expected = (String, u64, Group, &'static str);

/// Fills a server, and returns what is expected of it. Merge requests of strangers must not appear.
pub(super) fn fill(gitlab: &FakeGitlab, server: usize) -> Vec<Expected> {
    gitlab.set_version(VERSIONS[server]);
    gitlab.with(|state| {
        let people = People { bob: state.user("bob"), bot: state.user("project_7_bot") };
        let names: Vec<String> = (0..PROJECTS[server]).map(|at| format!("group{}/project-{at}", at % 4)).collect();
        let projects: Vec<u64> = names.iter().map(|name| state.project(name)).collect();
        let mut expected = Vec::new();
        for number in 0..REQUESTS[server] {
            let kind = &KINDS[(number * 7 + server) % KINDS.len()];
            let place = number % projects.len();
            let iid = number as u64 + 1;
            let mut request = MergeRequest {
                iid,
                state: "opened".into(),
                title: format!("Change {number}"),
                updated_at: at(20),
                ..MergeRequest::default()
            };
            (kind.make)(&mut request, &people);
            state.add_merge_request(projects[place], 7, request);
            expected.push((names[place].clone(), iid, kind.group, kind.reason));
        }
        let mut foreign =
            MergeRequest { iid: 999, state: "opened".into(), author: people.bob, ..MergeRequest::default() };
        foreign.reviewers = vec![(people.bob, ReviewerState::Unreviewed)];
        state.add_merge_request(projects[0], 7, foreign);
        expected
    })
}
