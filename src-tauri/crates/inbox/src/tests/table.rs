//! The definition of whose turn it is: the facts of a merge request, and the expected group and reason.
//!
//! The words of the facts, in any order. Times are hours before now:
//! `author`, `reviewer`, `assignee`, `participant`: my role. `by:NAME`: the author, if it is not `alice`.
//! `me:STATE`, `bob:STATE`: the state of a reviewer. `asked:N`: when my review was requested. `spoke:N`: my last comment or verdict.
//! `push:N`: a version, the first one is the creation. `commits:N`: commits since my last comment or verdict.
//! `thread:NAME@N,NAME@N`: an open thread with its comments. `resolved:…`: a resolved one. `note:…`: one that cannot be resolved.
//! `approved:NAME,NAME`: the approvals. `left:N`: missing approvals. `pipeline:STATE`. `draft`, `conflicts`, `rebase`, `merged:N`, `closed:N`.
//! `done`, `muted`, `snoozed`, `until:N`: the mark on the row (`until:-5` ends in five hours). `active`: something happened after that.

use crate::Group::{self, Done, Drafts, ReadyToMerge, Waiting, YourTurn};

/// Name, facts, group and reason.
pub(super) type Case = (&'static str, &'static str, Group, &'static str);

pub(super) const CASES: &[Case] = &[
    // A review is requested from me.
    ("asked and not looked at", "reviewer asked:48 push:50", YourTurn, "review requested 2 days ago"),
    ("asked just now", "reviewer asked:0 push:50", YourTurn, "review requested just now"),
    ("asked an hour ago", "reviewer asked:1 push:2", YourTurn, "review requested 1 hour ago"),
    ("asked, the time is unknown", "reviewer push:72", YourTurn, "review requested 3 days ago"),
    ("asked in the future, by a wrong clock", "reviewer asked:-24 push:1", YourTurn, "review requested just now"),
    (
        "asked, and another reviewer has approved",
        "reviewer asked:5 push:6 approved:bob left:0 pipeline:success",
        YourTurn,
        "review requested 5 hours ago, approved by bob",
    ),
    (
        "asked, pipeline failed",
        "reviewer asked:5 push:6 pipeline:failed",
        YourTurn,
        "review requested 5 hours ago, pipeline failed",
    ),
    ("asked, with conflicts", "reviewer asked:5 push:6 conflicts", YourTurn, "review requested 5 hours ago, conflicts"),
    (
        "asked, and a bot has commented",
        "reviewer asked:5 push:6 thread:renovate-bot@4",
        YourTurn,
        "review requested 5 hours ago",
    ),
    (
        "asked by a bot that is the author",
        "reviewer by:renovate-bot asked:30 push:31",
        YourTurn,
        "review requested 1 day ago",
    ),
    ("started, but not sent", "reviewer me:review_started asked:5 push:6", YourTurn, "you started a review"),
    (
        "asked again after my review",
        "reviewer me:unreviewed spoke:20 asked:2 push:30",
        YourTurn,
        "review requested again 2 hours ago",
    ),
    (
        "asked again after my review and a push",
        "reviewer me:unreviewed spoke:20 asked:2 push:30 push:3 commits:2",
        YourTurn,
        "review requested again 2 hours ago, 2 new commits",
    ),
    (
        "asked again after my approval",
        "reviewer me:unreviewed approved:me spoke:20 asked:2 push:30",
        YourTurn,
        "review requested again 2 hours ago",
    ),
    // The author did something after my review.
    (
        "author pushed since I posted",
        "reviewer me:reviewed spoke:20 push:30 push:3 commits:2",
        YourTurn,
        "2 commits since your review",
    ),
    (
        "author pushed one commit",
        "reviewer me:reviewed spoke:20 push:30 push:3 commits:1",
        YourTurn,
        "1 commit since your review",
    ),
    (
        "author rebased, so that commits cannot be counted",
        "reviewer me:reviewed spoke:20 push:30 push:3",
        YourTurn,
        "new version since your review",
    ),
    (
        "author pushed three times",
        "reviewer me:reviewed spoke:20 push:30 push:9 push:6 push:3",
        YourTurn,
        "3 new versions since your review",
    ),
    (
        "author pushed after I requested changes",
        "reviewer me:requested_changes spoke:20 push:30 push:3 commits:4",
        YourTurn,
        "4 commits since you requested changes",
    ),
    (
        "approved by me and then pushed",
        "reviewer me:approved approved:me spoke:20 push:30 push:3 commits:1",
        YourTurn,
        "1 commit since your approval",
    ),
    (
        "approved by me, pushed, and the approval was removed",
        "reviewer me:unapproved spoke:20 push:30 push:3 commits:1",
        YourTurn,
        "1 commit since your review",
    ),
    (
        "author answered in my thread",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,alice@5",
        YourTurn,
        "author answered in 1 thread",
    ),
    (
        "author answered in three threads",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,alice@5 thread:me@20,alice@4 thread:me@20,alice@3",
        YourTurn,
        "author answered in 3 threads",
    ),
    (
        "author answered and pushed",
        "reviewer me:reviewed spoke:20 push:30 push:4 commits:1 thread:me@20,alice@5",
        YourTurn,
        "author answered in 1 thread, 1 new commit",
    ),
    (
        "author answered, then a bot",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,alice@5,renovate-bot@4",
        YourTurn,
        "author answered in 1 thread",
    ),
    (
        "author answered in a thread that is resolved",
        "reviewer me:reviewed spoke:20 push:30 resolved:me@20,alice@5",
        Waiting,
        "you reviewed it, waiting for alice",
    ),
    (
        "author answered my plain comment",
        "reviewer me:reviewed spoke:20 push:30 note:me@20,alice@5",
        YourTurn,
        "author answered in 1 thread",
    ),
    (
        "somebody else answered in my thread",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,carol@5",
        YourTurn,
        "carol answered in 1 thread",
    ),
    (
        "author and somebody else answered",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,alice@6 thread:me@20,carol@5",
        YourTurn,
        "2 threads have answers for you",
    ),
    (
        "author answered in the thread of another reviewer",
        "reviewer me:reviewed spoke:20 push:30 thread:carol@20,alice@5",
        Waiting,
        "you reviewed it, waiting for alice",
    ),
    (
        "author answered after my approval",
        "reviewer me:approved approved:me spoke:20 push:30 thread:me@20,alice@5",
        YourTurn,
        "author answered in 1 thread",
    ),
    (
        "a bot answered in my thread",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,project_7_bot@5",
        Waiting,
        "you answered last in 1 thread",
    ),
    (
        "a bot of a group answered in my thread",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,group_7_bot_0a1b@5",
        Waiting,
        "you answered last in 1 thread",
    ),
    // The others have to do something.
    (
        "I answered last",
        "reviewer me:reviewed spoke:2 push:30 thread:me@20,alice@5,me@2",
        Waiting,
        "you answered last in 1 thread",
    ),
    (
        "I answered last in two threads",
        "reviewer me:reviewed spoke:2 push:30 thread:me@2 thread:me@20,alice@5,me@2",
        Waiting,
        "you answered last in 2 threads",
    ),
    (
        "my own note after the push",
        "reviewer me:reviewed spoke:2 push:30 push:3 thread:me@2",
        Waiting,
        "you answered last in 1 thread",
    ),
    (
        "my plain comment that nobody answered",
        "reviewer me:reviewed spoke:20 push:30 note:me@20",
        Waiting,
        "you reviewed it, waiting for alice",
    ),
    (
        "pushed the same commits again",
        "reviewer me:reviewed spoke:20 push:30 push:3 commits:0",
        YourTurn,
        "new version since your review",
    ),
    (
        "reviewed without comments",
        "reviewer me:reviewed spoke:20 push:30",
        Waiting,
        "you reviewed it, waiting for alice",
    ),
    (
        "commented, but the state was not set",
        "reviewer me:unreviewed spoke:20 asked:28 push:30",
        Waiting,
        "you reviewed it, waiting for alice",
    ),
    (
        "reviewed, but the time is unknown",
        "reviewer me:reviewed push:30 push:3",
        Waiting,
        "you reviewed it, waiting for alice",
    ),
    ("I requested changes", "reviewer me:requested_changes spoke:20 push:30", Waiting, "you requested changes"),
    (
        "approved by me, one more approval is needed",
        "reviewer me:approved approved:me left:1 spoke:20 push:30",
        Waiting,
        "you approved, 1 more approval needed",
    ),
    (
        "approved by me, two more approvals are needed",
        "reviewer me:approved approved:me left:2 spoke:20 push:30",
        Waiting,
        "you approved, 2 more approvals needed",
    ),
    (
        "approved by me, pipeline failed",
        "reviewer me:approved approved:me left:0 spoke:20 push:30 pipeline:failed",
        Waiting,
        "approved, pipeline failed",
    ),
    (
        "approved by me, pipeline runs",
        "reviewer me:approved approved:me left:0 spoke:20 push:30 pipeline:running",
        Waiting,
        "approved, pipeline is running",
    ),
    (
        "approved by me, conflicts",
        "reviewer me:approved approved:me left:0 spoke:20 push:30 pipeline:success conflicts",
        Waiting,
        "approved, conflicts",
    ),
    (
        "approved by me, an open thread of another reviewer",
        "reviewer me:approved approved:me left:0 spoke:20 push:30 thread:carol@5",
        Waiting,
        "approved, 1 open thread",
    ),
    (
        "approved by me, and my comment after it",
        "reviewer me:approved approved:me left:0 spoke:3 push:30 pipeline:success note:me@3",
        ReadyToMerge,
        "approved, pipeline passed",
    ),
    // It can be merged.
    (
        "approvals enough and pipeline green",
        "reviewer me:approved approved:me left:0 spoke:20 push:30 pipeline:success",
        ReadyToMerge,
        "approved, pipeline passed",
    ),
    (
        "approvals enough, no pipeline",
        "reviewer me:approved approved:me left:0 spoke:20 push:30",
        ReadyToMerge,
        "approved",
    ),
    (
        "mine, approved, pipeline green",
        "author bob:approved approved:bob left:0 push:30 pipeline:success",
        ReadyToMerge,
        "approved, pipeline passed",
    ),
    (
        "mine, approved, threads resolved",
        "author bob:approved approved:bob left:0 push:30 pipeline:success resolved:bob@5,me@4",
        ReadyToMerge,
        "approved, pipeline passed",
    ),
    (
        "assigned to me, approved, pipeline green",
        "assignee bob:approved approved:bob left:0 push:30 pipeline:success",
        ReadyToMerge,
        "approved, pipeline passed",
    ),
    // Mine.
    ("mine, waiting for the review", "author bob:unreviewed push:30", Waiting, "waiting for a review by bob"),
    (
        "mine, waiting for two reviews",
        "author bob:unreviewed carol:unreviewed push:30",
        Waiting,
        "waiting for a review by bob and carol",
    ),
    (
        "mine, one of two has reviewed",
        "author bob:reviewed carol:unreviewed push:30",
        Waiting,
        "waiting for a review by carol",
    ),
    (
        "mine, approved, no approvals needed",
        "author approved: left:0 bob:unreviewed push:30 pipeline:success",
        Waiting,
        "waiting for a review by bob",
    ),
    ("mine, without a reviewer", "author push:30", YourTurn, "no reviewer is assigned"),
    (
        "mine, with open threads",
        "author bob:reviewed push:30 thread:bob@5 thread:bob@4",
        YourTurn,
        "2 threads wait for your answer",
    ),
    (
        "mine, I answered in the thread",
        "author bob:reviewed push:30 thread:bob@5,me@4 spoke:4",
        Waiting,
        "you answered last in 1 thread",
    ),
    (
        "mine, an open thread of a bot",
        "author bob:unreviewed push:30 thread:project_7_bot@5",
        Waiting,
        "waiting for a review by bob",
    ),
    (
        "mine, my own open thread",
        "author bob:unreviewed push:30 thread:me@5 spoke:5",
        Waiting,
        "waiting for a review by bob",
    ),
    ("mine, changes requested", "author bob:requested_changes push:30 note:bob@5", YourTurn, "bob requested changes"),
    (
        "mine, pushed after changes were requested",
        "author bob:requested_changes push:30 push:2 note:bob@5",
        Waiting,
        "you pushed since bob requested changes",
    ),
    ("mine, reviewed without threads", "author bob:reviewed push:30", YourTurn, "reviewed by bob"),
    (
        "mine, pushed after the review",
        "author bob:reviewed push:30 push:2 note:bob@5",
        Waiting,
        "you pushed since the review of bob",
    ),
    ("mine, pipeline failed", "author bob:unreviewed push:30 pipeline:failed", YourTurn, "pipeline failed"),
    (
        "mine, approved, pipeline failed",
        "author bob:approved approved:bob left:0 push:30 pipeline:failed",
        YourTurn,
        "approved, pipeline failed",
    ),
    (
        "mine, approved, pipeline runs",
        "author bob:approved approved:bob left:0 push:30 pipeline:running",
        Waiting,
        "approved, pipeline is running",
    ),
    ("mine, conflicts", "author bob:unreviewed push:30 conflicts", YourTurn, "conflicts with the target branch"),
    (
        "mine, approved, conflicts",
        "author bob:approved approved:bob left:0 push:30 conflicts pipeline:success",
        YourTurn,
        "approved, conflicts with the target branch",
    ),
    (
        "mine, approved, needs a rebase",
        "author bob:approved approved:bob left:0 push:30 rebase pipeline:success",
        YourTurn,
        "approved, needs a rebase",
    ),
    (
        "mine, approved, with an open thread",
        "author bob:approved approved:bob left:0 push:30 pipeline:success thread:bob@5",
        YourTurn,
        "approved, 1 thread waits for your answer",
    ),
    (
        "mine, one more approval is needed",
        "author bob:approved carol:unreviewed approved:bob left:1 push:30",
        Waiting,
        "1 more approval needed, waiting for a review by carol",
    ),
    (
        "mine, one more approval, nobody is asked",
        "author bob:approved approved:bob left:1 push:30",
        YourTurn,
        "1 more approval needed, no other reviewer is assigned",
    ),
    // Assigned to me, but not a reviewer.
    ("assigned, nobody reviews", "assignee push:30", YourTurn, "assigned to you, no reviewer is assigned"),
    (
        "assigned, another reviews",
        "assignee bob:unreviewed push:30",
        Waiting,
        "assigned to you, waiting for a review by bob",
    ),
    (
        "assigned, pipeline failed",
        "assignee bob:unreviewed push:30 pipeline:failed",
        YourTurn,
        "assigned to you, pipeline failed",
    ),
    (
        "assigned, conflicts",
        "assignee bob:unreviewed push:30 conflicts",
        YourTurn,
        "assigned to you, conflicts with the target branch",
    ),
    (
        "assigned, the author answered",
        "assignee bob:unreviewed push:30 spoke:6 thread:me@6,alice@5",
        YourTurn,
        "author answered in 1 thread",
    ),
    // Neither.
    (
        "takes part, the author answered",
        "participant bob:unreviewed push:30 spoke:6 thread:me@6,alice@5",
        YourTurn,
        "author answered in 1 thread",
    ),
    (
        "takes part, answered last",
        "participant bob:unreviewed push:30 spoke:6 thread:me@6",
        Waiting,
        "you answered last in 1 thread",
    ),
    // Drafts.
    ("draft of another", "reviewer asked:5 push:6 draft", Drafts, "draft of alice"),
    ("my draft", "author push:6 draft", Drafts, "your draft"),
    ("my draft with a failed pipeline", "author push:6 draft pipeline:failed", Drafts, "your draft, pipeline failed"),
    (
        "my draft with an open thread",
        "author push:6 draft thread:bob@5",
        Drafts,
        "your draft, 1 thread waits for your answer",
    ),
    (
        "draft in which the author answered",
        "reviewer me:reviewed spoke:20 push:30 draft thread:me@20,alice@5",
        Drafts,
        "draft of alice, author answered in 1 thread",
    ),
    // The mark on the row.
    ("merged meanwhile", "reviewer asked:48 push:50 merged:3", Done, "merged 3 hours ago"),
    ("closed meanwhile", "reviewer asked:48 push:50 closed:3", Done, "closed 3 hours ago"),
    ("merged while it was snoozed", "reviewer asked:48 push:50 merged:3 snoozed active", Done, "merged 3 hours ago"),
    ("marked done", "reviewer asked:48 push:50 done", Done, "you marked it done"),
    (
        "marked done and then active",
        "reviewer me:reviewed spoke:20 push:30 push:3 commits:2 done active",
        YourTurn,
        "2 commits since your review",
    ),
    ("snoozed until activity", "reviewer asked:48 push:50 snoozed", Waiting, "snoozed until something happens"),
    (
        "snoozed and then active",
        "reviewer me:reviewed spoke:20 push:30 thread:me@20,alice@5 snoozed active",
        YourTurn,
        "author answered in 1 thread",
    ),
    ("snoozed until tomorrow", "reviewer asked:48 push:50 until:-20", Waiting, "snoozed for 20 hours"),
    (
        "snoozed until tomorrow, and active",
        "reviewer asked:48 push:50 push:1 until:-20 active",
        Waiting,
        "snoozed for 20 hours",
    ),
    (
        "snoozed until a time that has passed",
        "reviewer asked:48 push:50 until:1",
        YourTurn,
        "review requested 2 days ago",
    ),
    ("muted", "reviewer asked:48 push:50 muted", Waiting, "muted"),
    ("muted and then active", "reviewer asked:48 push:50 push:1 muted active", Waiting, "muted"),
    ("muted and merged", "reviewer asked:48 push:50 muted merged:2", Done, "merged 2 hours ago"),
];
