//! Verdicts against the fake GitLab: given after the comments, to the reviewed head, exactly once.

use std::time::Duration;

use diffsan_config::PostingWay;
use diffsan_forge::gitlab::Landing;
use diffsan_forge::post_plan::PostPlan;
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_posting::{
    ItemState, PostEvent, PostOutcome, PostRequest, PostVerdict, PostingContext, VERDICT, VerdictState, post,
};
use diffsan_store::{PostingPlace, Store};
use diffsan_test_support::gitlab::VerdictKind::{Approved, RequestedChanges};
use diffsan_test_support::gitlab::{FakeGitlab, Fault, PROJECT, ServerVersion, versions};
use tokio_util::sync::CancellationToken;

use crate::gitlab_versions::planned;
use crate::posting::{client, marker_keys};

const VERDICTS: [PostVerdict; 2] = [PostVerdict::Approve, PostVerdict::RequestChanges];

/// A merge request with the plan of a posting.
struct Case {
    gitlab: FakeGitlab,
    plan: PostPlan,
    degrade: bool,
    store: Store,
    locks: tempfile::TempDir,
    cancel: CancellationToken,
}

impl Case {
    async fn new() -> Self {
        Self::start(ServerVersion::NEWEST).await
    }

    async fn start(version: ServerVersion) -> Self {
        let gitlab = versions::start(version, &versions::origin()).await;
        let plan = planned(&gitlab, 3).await;
        Self {
            gitlab,
            plan,
            degrade: true,
            store: Store::in_memory().expect("a store"),
            locks: tempfile::tempdir().expect("a folder"),
            cancel: CancellationToken::new(),
        }
    }

    async fn post(&self, verdict: PostVerdict) -> Result<PostOutcome, Error> {
        self.post_with(verdict, &|_| ()).await
    }

    async fn post_with(
        &self,
        verdict: PostVerdict,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome, Error> {
        let (client, host) = (client(&self.gitlab), self.gitlab.url());
        let request = PostRequest {
            client: &client,
            host: &host,
            project: PROJECT,
            iid: 7,
            plan: &self.plan,
            markers: &marker_keys(),
            review_id: None,
            mode: PostingWay::Auto,
            degrade: self.degrade,
            verdict,
        };
        let context = PostingContext {
            store: &self.store,
            locks: self.locks.path(),
            cancel: &self.cancel,
            notify,
            pause: Duration::from_millis(5),
        };
        post(&request, &context).await
    }

    fn fail(&self, path: &str, fault: Fault) {
        self.gitlab.with(|state| state.faults.push(("POST".into(), path.into(), 0, fault)));
    }

    fn push(&self) {
        self.gitlab.commit("topic", "pushed.rs", "one\n");
        self.gitlab.pushed(7);
    }

    /// Returns the number of requests that write.
    fn writes(&self) -> usize {
        self.gitlab.requests().iter().filter(|one| one.method != "GET").count()
    }

    /// Returns the state and the detail of the verdict in the journal.
    fn journal(&self) -> (String, Option<String>) {
        let place = PostingPlace { host: &self.gitlab.url(), project: PROJECT, iid: 7 };
        let posting = self.store.latest_posting(place).expect("read").expect("a journal");
        let item = posting.items.into_iter().find(|item| item.key == VERDICT).expect("a verdict");
        (item.state, item.detail)
    }
}

/// Returns the path of the request that gives a verdict.
fn path(verdict: PostVerdict) -> &'static str {
    if verdict == PostVerdict::Approve { "/approve" } else { "/api/graphql" }
}

/// Checks the state of the verdict.
fn check(outcome: &PostOutcome, state: VerdictState) {
    assert_eq!(outcome.verdict.as_ref().map(|verdict| verdict.state), Some(state), "{outcome:?}");
}

#[tokio::test]
async fn each_version_accepts_the_verdicts_that_it_has() {
    for version in ServerVersion::TESTED {
        for verdict in VERDICTS {
            let case = Case::start(version).await;
            let kind = if verdict == PostVerdict::Approve { Approved } else { RequestedChanges };
            if verdict == PostVerdict::RequestChanges && version < ServerVersion::new(17, 0) {
                let refused = case.post(verdict).await.expect_err("not available");
                assert!(refused.message.contains("needs GitLab 17.0"), "{version}: {refused:?}");
                assert_eq!((case.writes(), case.gitlab.verdicts(7)), (0, vec![]), "{version}: nothing is posted");
                continue;
            }
            let first = case.post(verdict).await.expect("posted");
            assert!(first.complete, "{version}: {first:?}");
            check(&first, VerdictState::Given);
            let writes = case.writes();
            let again = case.post(verdict).await.expect("posted");
            assert!(again.complete, "{version}: {again:?}");
            check(&again, VerdictState::AlreadyGiven);
            assert_eq!((case.writes(), case.gitlab.verdicts(7)), (writes, vec![kind]), "{version}: {verdict:?}");
        }
    }
}

#[tokio::test]
async fn a_posting_without_a_verdict_gives_none() {
    for version in ServerVersion::TESTED {
        let case = Case::start(version).await;
        let outcome = case.post(PostVerdict::Comment).await.expect("posted");
        assert!(outcome.complete && outcome.verdict.is_none(), "{version}: {outcome:?}");
        assert_eq!(case.gitlab.verdicts(7), [], "{version}");
    }
}

#[tokio::test]
async fn a_verdict_replaces_the_other_one() {
    let case = Case::new().await;
    for verdict in [PostVerdict::Approve, PostVerdict::RequestChanges, PostVerdict::Approve] {
        check(&case.post(verdict).await.expect("posted"), VerdictState::Given);
    }
    assert_eq!(case.gitlab.verdicts(7), [Approved, RequestedChanges, Approved]);
}

#[tokio::test]
async fn a_verdict_is_given_without_comments() {
    for verdict in VERDICTS {
        let mut case = Case::new().await;
        (case.plan.items, case.plan.summary) = (Vec::new(), None);
        check(&case.post(verdict).await.expect("posted"), VerdictState::Given);
        assert_eq!((case.writes(), case.gitlab.verdicts(7).len()), (1, 1));
    }
}

#[tokio::test]
async fn a_user_who_is_not_a_reviewer_cannot_request_changes_and_adds_no_system_note() {
    let case = Case::new().await;
    case.gitlab.unassign_reviewer(7);
    let refused = case.post(PostVerdict::RequestChanges).await.expect_err("not a reviewer");
    assert!(refused.message.contains("Only an assigned reviewer"), "{refused:?}");
    assert_eq!(case.writes(), 0);
    // Any user can approve.
    check(&case.post(PostVerdict::Approve).await.expect("posted"), VerdictState::Given);
}

#[tokio::test]
async fn no_verdict_is_given_if_a_comment_failed() {
    for verdict in VERDICTS {
        let mut case = Case::new().await;
        let lines = case.plan.items.iter_mut().filter_map(|item| match &mut item.landing {
            Landing::Line { position } => Some(position),
            _ => None,
        });
        lines.take(1).for_each(|position| position.new_line = Some(99_999));
        case.degrade = false;
        let outcome = case.post(verdict).await.expect("an outcome");
        assert!(!outcome.complete && outcome.items.iter().any(|item| item.state == ItemState::Failed), "{outcome:?}");
        check(&outcome, VerdictState::NotSent);
        assert_eq!(case.gitlab.verdicts(7), []);
        case.degrade = true;
        let again = case.post(verdict).await.expect("posted");
        check(&again, VerdictState::Given);
        assert!(again.complete && case.gitlab.verdicts(7).len() == 1, "{again:?}");
    }
}

#[tokio::test]
async fn no_verdict_is_given_if_the_posting_was_stopped() {
    for verdict in VERDICTS {
        for stop_at in [ItemState::Sending, ItemState::Landed] {
            let case = Case::new().await;
            let notify = |event: PostEvent| match event {
                PostEvent::Item { item } if item.state == stop_at => case.cancel.cancel(),
                _ => {}
            };
            let outcome = case.post_with(verdict, &notify).await.expect("an outcome");
            check(&outcome, VerdictState::NotSent);
            assert!(!outcome.complete && case.gitlab.verdicts(7).is_empty(), "{stop_at:?}: {outcome:?}");
            assert_eq!(case.journal().0, "failed");
        }
    }
}

#[tokio::test]
async fn a_verdict_without_an_answer_may_be_given_and_is_not_given_twice() {
    for verdict in VERDICTS {
        let case = Case::new().await;
        case.fail(path(verdict), Fault::HangAfter);
        let stop = async {
            while case.gitlab.verdicts(7).is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            case.cancel.cancel();
        };
        let (outcome, ()) = tokio::join!(case.post(verdict), stop);
        let outcome = outcome.expect("an outcome");
        check(&outcome, VerdictState::Failed);
        let error = outcome.verdict.as_ref().and_then(|verdict| verdict.error.as_ref()).expect("an error");
        assert!(error.error_code == ErrorCode::Cancelled && error.message.ends_with("The verdict may be given."));
        assert_eq!(case.gitlab.verdicts(7).len(), 1);
    }
}

#[tokio::test]
async fn no_verdict_is_given_to_a_head_that_was_not_reviewed() {
    for verdict in VERDICTS {
        let case = Case::new().await;
        case.push();
        let refused = case.post(verdict).await.expect_err("it moved");
        assert_eq!((refused.code, case.writes()), (ErrorCode::GitlabHeadMoved, 0));
        // The head moves after the comments were posted, before the verdict is given or while it is sent.
        for before_request in [true, false] {
            let case = Case::new().await;
            let notify = |event: PostEvent| match event {
                PostEvent::Step { message } if before_request && message == starting(verdict) => case.push(),
                PostEvent::Step { message } if message.starts_with("The verdict was not given") => case.push(),
                _ => {}
            };
            if !before_request {
                case.fail(path(verdict), Fault::Status(503, "down".into()));
            }
            let outcome = case.post_with(verdict, &notify).await.expect("an outcome");
            check(&outcome, VerdictState::Failed);
            let error = outcome.verdict.as_ref().and_then(|verdict| verdict.error.as_ref()).expect("an error");
            assert_eq!(error.error_code, ErrorCode::GitlabHeadMoved);
            assert!(!outcome.complete && outcome.items.iter().all(|item| item.url.is_some()), "{outcome:?}");
            assert_eq!(case.gitlab.verdicts(7), []);
        }
    }
}

fn starting(verdict: PostVerdict) -> &'static str {
    if verdict == PostVerdict::Approve { "Approving" } else { "Requesting changes" }
}

#[tokio::test]
async fn after_a_temporary_failure_the_verdict_is_given_once() {
    let faults = [
        Fault::Cut,
        Fault::CutAfter,
        Fault::StatusAfter(500, "500 Internal Server Error".into()),
        Fault::Status(409, "409 Conflict: Resource lock".into()),
        Fault::Limited,
    ];
    for verdict in VERDICTS {
        for fault in &faults {
            let case = Case::new().await;
            case.fail(path(verdict), fault.clone());
            let outcome = case.post(verdict).await.expect("posted");
            check(&outcome, VerdictState::Given);
            assert_eq!(case.gitlab.verdicts(7).len(), 1, "{verdict:?}, {fault:?}");
            let (state, detail) = case.journal();
            let name = if verdict == PostVerdict::Approve { "approve" } else { "request_changes" };
            assert_eq!((state.as_str(), detail.as_deref()), ("landed", Some(name)));
        }
    }
}

#[tokio::test]
async fn a_refused_verdict_is_reported_beside_the_comments_and_retried_alone() {
    for verdict in VERDICTS {
        let case = Case::new().await;
        case.fail(path(verdict), Fault::Status(403, "403 Forbidden".into()));
        let outcome = case.post(verdict).await.expect("an outcome");
        check(&outcome, VerdictState::Failed);
        assert!(!outcome.complete && outcome.error.is_none(), "{outcome:?}");
        assert!(outcome.items.iter().all(|item| item.url.is_some() && item.error.is_none()), "{outcome:?}");
        assert_eq!(case.journal().0, "failed");
        let writes = case.writes();
        check(&case.post(verdict).await.expect("posted"), VerdictState::Given);
        assert_eq!((case.writes(), case.gitlab.verdicts(7).len()), (writes + 1, 1), "only the verdict is sent");
    }
}
