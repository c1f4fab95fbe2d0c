//! Posting against the fake GitLab of each version: after any failure, one more run results in exactly one copy of everything.

mod again;
mod case;

use std::sync::Mutex;

use diffsan_config::PostingWay;
use diffsan_forge::post_plan::ChosenFinding;
use diffsan_pipeline::error::ErrorCode;
use diffsan_posting::{ItemState, PostEvent};
use diffsan_store::PostingPlace;
use diffsan_test_support::gitlab::{Fault, Note, PROJECT, ServerVersion, TOKEN, versions};

pub use case::{Case, client, marker_keys, origin, plan_of, plan_of_files, review};
use case::{Machine, all_of, reviewed_change};

/// Returns whether a posting to the version creates drafts.
fn makes_drafts(version: ServerVersion, way: PostingWay) -> bool {
    way != PostingWay::Discussions && version.has_draft_notes()
}

#[tokio::test]
async fn comments_are_in_the_order_of_the_diff() {
    let origin = origin();
    let case = Case::new(versions::tested().next().expect("a version"), &origin, 8).await;
    let (change, refs) = reviewed_change(origin.path(), &case.gitlab);
    let review = review(&change, 8);
    let mut chosen = all_of(&review);
    let places = |chosen: &[ChosenFinding]| -> Vec<String> {
        plan_of(&review, chosen, &change, &refs, true).items.into_iter().map(|item| item.place).collect()
    };
    let ordered = places(&chosen);
    let line = |place: &String| place.rsplit_once(':').and_then(|(_, lines)| lines.parse::<u32>().ok());
    assert!(ordered.len() == 8 && ordered.iter().map(line).is_sorted(), "{ordered:?}");
    chosen.reverse();
    assert_eq!(places(&chosen), ordered);
}

#[tokio::test]
async fn everything_is_posted_once_and_a_second_click_changes_nothing() {
    let origin = origin();
    for version in versions::tested() {
        let case = Case::new(version, &origin, 8).await;
        for way in [PostingWay::Auto, PostingWay::Discussions] {
            case.reset();
            check_posting_twice(&case, way).await;
        }
    }
}

async fn check_posting_twice(case: &Case, way: PostingWay) {
    let version = case.gitlab.version();
    let drafts = makes_drafts(version, way);
    let summary_along = drafts && version.has_bulk_publish_summary();
    let told = Mutex::new(Vec::new());
    let outcome = case.post_and_notify(way, &|event| told.lock().unwrap().push(event)).await.expect("posted");
    assert!(outcome.complete && outcome.items.len() == 9, "{outcome:?}");
    assert!(outcome.items.iter().all(|item| item.state == ItemState::Landed && item.url.is_some()), "{outcome:?}");
    let told = told.into_inner().unwrap();
    for item in &outcome.items {
        let states = told.iter().filter_map(|event| match event {
            PostEvent::Item { item: told } if told.key == item.key => Some(told.state),
            _ => None,
        });
        let wanted: &[ItemState] = match (item.is_summary(), drafts) {
            (true, _) if summary_along => &[ItemState::Landed],
            (false, true) => &[ItemState::Sending, ItemState::Prepared, ItemState::Landed],
            _ => &[ItemState::Sending, ItemState::Landed],
        };
        assert_eq!(states.collect::<Vec<_>>(), wanted, "{}", item.key);
    }
    let doing = if drafts { "Preparing" } else { "Posting" };
    let progress = told.iter().filter_map(|event| match event {
        PostEvent::Progress { message } => Some(message.as_str()),
        _ => None,
    });
    let wanted: Vec<String> = (2..=8).map(|next| format!("{doing} {next} of 8 comments")).collect();
    assert_eq!(progress.collect::<Vec<_>>(), wanted);
    case.check("first");
    assert_eq!(outcome.delivery.together, drafts);
    // Drafts are published with one notification, which includes the summary if the version supports that.
    let notified = case.gitlab.with(|state| state.notifications);
    assert_eq!(notified, if drafts { 1 } else { 8 } + usize::from(!summary_along));
    let lines: Vec<_> =
        case.gitlab.look(7).threads.iter().filter_map(|one| one.notes[0].position.clone()?.new_line).collect();
    assert_eq!(lines.len(), 8);
    let writes = case.writes();
    let again = case.post(way).await.expect("posted");
    assert!(again.items.iter().all(|item| item.state == ItemState::AlreadyThere), "{again:?}");
    assert_eq!(case.writes(), writes, "a second click writes nothing");
    let place = PostingPlace { host: &case.gitlab.url(), project: PROJECT, iid: 7 };
    let journal = case.machine.store.latest_posting(place).expect("read").expect("a journal");
    assert!(journal.ended_at.is_some() && journal.items.iter().all(|item| item.state == "landed"), "{journal:?}");
}

#[tokio::test]
async fn after_any_failure_one_more_run_posts_everything_once() {
    let origin = origin();
    for version in versions::tested() {
        let case = Case::new(version, &origin, 3).await;
        for way in [PostingWay::Auto, PostingWay::Discussions] {
            case.reset();
            case.post(way).await.expect("posted");
            let posts = case.gitlab.requests().iter().filter(|one| one.method == "POST").count();
            for at in 0..posts {
                for fault in [
                    Fault::Cut,
                    Fault::CutAfter,
                    Fault::Status(500, "500 Internal Server Error".into()),
                    Fault::StatusAfter(500, "500 Internal Server Error".into()),
                    Fault::Status(502, "<html>bad gateway</html>".into()),
                    Fault::Status(409, "409 Conflict: Resource lock".into()),
                    Fault::RackAttack(0),
                    Fault::Limited,
                    Fault::Expire,
                ] {
                    case.reset();
                    check_failure(&case, way, &fault, at).await;
                }
            }
        }
    }
}

/// Checks that a posting survives the failure of its write number `at`.
async fn check_failure(case: &Case, way: PostingWay, fault: &Fault, at: usize) {
    case.fail("POST", "/", at, fault.clone());
    let what = format!("{way:?}, {fault:?} at write {at}");
    let first = case.post(way).await;
    if *fault == Fault::Expire {
        let told = match &first {
            Err(error) => error.code,
            Ok(outcome) => outcome.error.as_ref().map(|error| error.error_code).unwrap_or(ErrorCode::Internal),
        };
        assert_eq!(told, ErrorCode::GitlabAuthError, "{what}: {first:?}");
        case.gitlab.with(|state| {
            if let Some(token) = state.tokens.get_mut(TOKEN) {
                token.expired = false;
            }
        });
    } else {
        assert!(first.as_ref().is_ok_and(|outcome| outcome.complete), "{what}: it repairs itself: {first:?}");
    }
    let again = case.post(way).await.expect("posted");
    assert!(again.complete, "{what}: {again:?}");
    case.check(&what);
}

#[tokio::test]
async fn publishing_that_breaks_in_the_middle_is_finished_without_copies() {
    let origin = origin();
    for version in versions::tested() {
        let case = Case::new(version, &origin, 5).await;
        for at in 0..5 {
            case.reset();
            case.gitlab.with(|state| state.switches.crash_publish_at = Some(at));
            assert!(case.post(PostingWay::Auto).await.expect("posted").complete);
            case.check(&format!("broken at {at}"));
        }
    }
}

#[tokio::test]
async fn drafts_of_a_person_stay_drafts() {
    let origin = origin();
    for version in versions::tested() {
        let case = Case::new(version, &origin, 5).await;
        for way in [PostingWay::Auto, PostingWay::Drafts] {
            case.reset();
            case.human_draft();
            let outcome = case.post(way).await.expect("posted");
            let reason = if version.has_draft_notes() {
                "1 of your own drafts is unpublished"
            } else {
                "this GitLab does not support drafts"
            };
            assert!(outcome.complete && outcome.delivery.reason.contains(reason), "{:?}", outcome.delivery);
            case.check("beside a person's draft");
            assert_eq!(case.human_drafts(), 1);
        }
        // A draft that appears between creating and publishing drafts.
        case.reset();
        let gitlab = &case.gitlab;
        let notify = |event: PostEvent| {
            if matches!(&event, PostEvent::Step { message } if message.starts_with("Preparing") || message.starts_with("Posting 5"))
            {
                gitlab.with(|state| state.human_draft(7, "I am still thinking"));
            }
        };
        assert!(case.post_and_notify(PostingWay::Auto, &notify).await.expect("posted").complete);
        case.check("a draft in between");
        assert_eq!(case.human_drafts(), 1);
    }
}

#[tokio::test]
async fn drafts_of_a_killed_posting_are_published() {
    let origin = origin();
    for version in versions::tested().filter(|version| version.has_draft_notes()) {
        let case = Case::new(version, &origin, 4).await;
        // Publishing fails, and then the token expires.
        case.fail("POST", "bulk_publish", 0, Fault::Status(503, "down".into()));
        case.fail("PUT", "publish", 0, Fault::Expire);
        let first = case.post(PostingWay::Auto).await.expect("an outcome");
        assert!(!first.complete);
        assert_eq!(case.gitlab.look(7).drafts.len(), 4);
        case.gitlab.with(|state| state.tokens.get_mut(TOKEN).expect("a token").expired = false);
        // Even if a person has started a draft meanwhile.
        case.human_draft();
        assert!(case.post(PostingWay::Auto).await.expect("posted").complete);
        case.check("what was left");
        assert_eq!(case.human_drafts(), 1);
    }
}

#[tokio::test]
async fn two_postings_at_once_leave_one_copy() {
    let origin = origin();
    for version in versions::tested() {
        // Of two processes with one data folder, the second one waits.
        let case = Case::new(version, &origin, 6).await;
        let (one, two) = tokio::join!(case.post(PostingWay::Discussions), case.post(PostingWay::Discussions));
        assert!(one.expect("posted").complete && two.expect("posted").complete);
        case.check("one data folder");
        // Of two machines, the duplicate copies are removed.
        case.reset();
        case.gitlab.with(|state| state.switches.latency = 20);
        let other = Machine::new();
        let elsewhere = case.post_from(&other, PostingWay::Discussions, false, &|_| ());
        let (one, two) = tokio::join!(case.post(PostingWay::Discussions), elsewhere);
        assert!(one.expect("posted").complete && two.expect("posted").complete);
        assert!(case.post(PostingWay::Discussions).await.expect("posted").complete);
        case.check("two machines");
    }
}

#[tokio::test]
async fn a_new_head_stops_the_posting() {
    let origin = origin();
    for version in versions::tested() {
        let case = Case::new(version, &origin, 3).await;
        let old = case.plan.refs.head_sha.clone();
        case.gitlab.commit("topic", "a.rs", "one\n");
        case.gitlab.pushed(7);
        let error = case.post(PostingWay::Auto).await.expect_err("it moved");
        let planned = error.context["planned_head"].as_str();
        assert_eq!((error.code, planned), (ErrorCode::GitlabHeadMoved, Some(old.as_str())));
        assert_eq!(case.writes(), 0);
        // A list that cannot be read is a failure, not an interrupted posting.
        let case = Case::new(version, &origin, 3).await;
        for _ in 0..9 {
            case.fail("GET", "discussions", 0, Fault::Status(503, "down".into()));
        }
        assert!(case.post(PostingWay::Auto).await.is_err());
        let host = case.gitlab.url();
        let place = PostingPlace { host: &host, project: PROJECT, iid: 7 };
        assert!(case.machine.store.latest_posting(place).expect("read").expect("a journal").ended_at.is_some());
        // The head moves during a posting.
        let case = Case::new(version, &origin, 3).await;
        let gitlab = &case.gitlab;
        case.fail("POST", "discussions", 1, Fault::Status(503, "busy".into()));
        let notify = |event: PostEvent| {
            if matches!(&event, PostEvent::Step { message } if message.contains("retrying in")) {
                gitlab.commit("topic", "a.rs", "one\n");
                gitlab.pushed(7);
            }
        };
        let outcome = case.post_and_notify(PostingWay::Discussions, &notify).await.expect("an outcome");
        let error = outcome.error.as_ref().map(|error| error.error_code);
        assert_eq!(error, Some(ErrorCode::GitlabHeadMoved), "{outcome:?}");
        assert!(!outcome.complete && outcome.items.iter().any(|item| item.state == ItemState::Landed));
    }
}

#[tokio::test]
async fn a_rejected_line_is_reported_or_posted_on_the_file() {
    let origin = origin();
    let refusal = r#"400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}"#;
    for version in versions::tested() {
        for way in [PostingWay::Discussions, PostingWay::Auto] {
            let mut case = Case::new(version, &origin, 3).await;
            // The line does not exist.
            if let diffsan_forge::gitlab::Landing::Line { position } = &mut case.plan.items[1].landing {
                position.new_line = Some(99_999);
            }
            let outcome = case.post(way).await.expect("an outcome");
            assert!(!outcome.complete, "{way:?}");
            let failed: Vec<_> = outcome.items.iter().filter(|item| item.state == ItemState::Failed).collect();
            assert_eq!(failed.len(), 1);
            let error = failed[0].error.as_ref().map(|error| error.error_code);
            assert_eq!(error, Some(ErrorCode::GitlabPositionInvalid));
            let again = case.post_degrading(way).await.expect("posted");
            let state = if version.has_file_positions() { ItemState::OnFile } else { ItemState::InSummary };
            assert!(again.complete && again.items[1].state == state, "{again:?}");
            case.check("on its file, or in the summary");
            if state == ItemState::OnFile {
                let threads = case.gitlab.look(7).threads;
                let on_file = |note: &&Note| note.position.as_ref().is_some_and(|one| one.position_type == "file");
                let note =
                    threads.iter().flat_map(|thread| &thread.notes).find(on_file).expect("a comment on the file");
                assert!(note.body.contains("\n\nAt `a.rs:2`:\n\n"), "{}", note.body);
            }
        }
        // If that is rejected too, the finding is added to the summary.
        let case = Case::new(version, &origin, 2).await;
        for _ in 0..4 {
            case.fail("POST", "discussions", 0, Fault::Status(400, refusal.into()));
        }
        let outcome = case.post_degrading(PostingWay::Discussions).await.expect("posted");
        assert!(outcome.complete && outcome.items[0].state == ItemState::InSummary, "{outcome:?}");
        case.check("in the summary");
    }
}

#[tokio::test]
async fn a_summary_replaces_the_previous_one() {
    let origin = origin();
    for version in versions::tested() {
        let mut case = Case::new(version, &origin, 2).await;
        case.post(PostingWay::Discussions).await.expect("posted");
        let notes = |case: &Case| -> Vec<u64> {
            let request = case.gitlab.look(7);
            request.threads.iter().filter(|thread| thread.individual).map(|thread| thread.notes[0].id).collect()
        };
        let before = notes(&case);
        assert_eq!(before.len(), 1);
        let summary = case.plan.summary.as_mut().expect("a summary");
        (summary.key, summary.marks) = ("another".into(), summary.marks.replace(&summary.key, "another"));
        summary.replaces = Some(before[0]);
        assert!(case.post(PostingWay::Discussions).await.expect("posted").complete);
        assert_eq!(notes(&case), before, "in its place");
        assert_eq!(case.copies().get("another"), Some(&1));
    }
}
