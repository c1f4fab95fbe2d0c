//! Posting again: with other findings, another review, other texts or places. What is posted stays, and what was shown is posted.

use std::collections::BTreeSet;
use std::time::Duration;

use diffsan_config::PostingWay;
use diffsan_forge::gitlab::Landing;
use diffsan_forge::post_plan::{ChosenFinding, PlanInput, PostPlan, marks, plan};
use diffsan_pipeline::error::ErrorCode;
use diffsan_posting::{ItemResult, ItemState, PostEvent, PostOutcome};
use diffsan_review::ReviewOutput;
use diffsan_store::{PostingPlace, Store};
use diffsan_test_support::gitlab::{Fault, PROJECT, ServerVersion, TOKEN, versions};
use diffsan_test_support::repo::TestRepo;
use tokio_util::sync::CancellationToken;

use super::case::{Case, Machine, input, marker_keys, origin, reviewed_change};

/// A merge request and a review with `lines` findings on lines and `elsewhere` findings without one.
struct Round {
    case: Case,
    origin: TestRepo,
    review: ReviewOutput,
}

impl Round {
    async fn new(lines: u32, elsewhere: u32) -> Self {
        let origin = origin();
        let case = Case::new(ServerVersion::NEWEST, &origin, 1).await;
        let (change, _) = reviewed_change(origin.path(), &case.gitlab);
        let mut review = super::review(&change, lines + elsewhere);
        review.findings.truncate((lines + elsewhere) as usize);
        for finding in &mut review.findings[lines as usize..] {
            finding.anchor.path = "elsewhere.rs".into();
        }
        Self { case, origin, review }
    }

    /// Plans the posting of findings by their numbers, from 1, with the comments that exist.
    fn plan(&self, chosen: &[(usize, Option<&str>)], idempotent_summary: bool) -> PostPlan {
        let (change, refs) = reviewed_change(self.origin.path(), &self.case.gitlab);
        let chosen: Vec<ChosenFinding> = chosen
            .iter()
            .map(|(number, body)| ChosenFinding {
                finding: self.review.findings[*number - 1].key.clone(),
                body: body.map(str::to_owned),
            })
            .collect();
        let own = self.case.own_notes();
        let all = input(&self.review, &chosen, &change);
        plan(&PlanInput { refs: &refs, own: &own, idempotent_summary, ..all }).expect("a plan")
    }

    async fn post(&mut self, chosen: &[(usize, Option<&str>)], idempotent_summary: bool) -> PostOutcome {
        self.case.plan = self.plan(chosen, idempotent_summary);
        self.case.post(PostingWay::Auto).await.expect("an outcome")
    }

    fn key(&self, number: usize) -> &str {
        &self.review.findings[number - 1].key
    }

    /// Returns the keys in summaries, and the text of each summary.
    fn summaries(&self) -> Vec<(BTreeSet<String>, String)> {
        let summaries = self.case.own_notes().into_iter().filter(|note| note.marks.review.is_some());
        summaries.map(|note| (note.marks.findings.into_iter().collect(), note.body)).collect()
    }

    fn keys(&self, numbers: &[usize]) -> BTreeSet<String> {
        numbers.iter().map(|number| self.key(*number).to_owned()).collect()
    }
}

#[tokio::test]
async fn a_second_posting_of_a_review_keeps_the_findings_of_its_summary() {
    let mut round = Round::new(1, 3).await;
    assert!(round.post(&[(2, Some("My own words")), (1, None)], false).await.complete);
    let earlier = round.plan(&[(4, None)], false);
    let again = round.post(&[(3, None)], false).await;
    assert!(again.complete, "{again:?}");
    let summaries = round.summaries();
    let [(keys, text)] = &summaries[..] else { panic!("{summaries:?}") };
    assert_eq!(*keys, round.keys(&[2, 3]));
    assert!(text.contains("My own words") && text.contains("Line 3 is wrong"), "{text}");
    assert!(text.contains("**Findings:** `3` of `4`"), "all that are posted: {text}");
    let digest = marks::read(text, &marker_keys()).digest.expect("a digest");
    assert_eq!(digest.findings.len(), 3);
    // A plan that was made before the note got more findings does not remove them.
    round.case.plan = earlier;
    let outcome = round.case.post(PostingWay::Auto).await.expect("an outcome");
    assert!(!outcome.complete, "{outcome:?}");
    assert_eq!(round.summaries()[0].0, round.keys(&[2, 3]));
}

#[tokio::test]
async fn a_replaced_summary_keeps_every_finding() {
    let mut round = Round::new(0, 3).await;
    assert!(round.post(&[(1, None), (2, None), (3, None)], true).await.complete);
    // The next review has the first finding on a line, the second is not chosen again, and the third is not found again.
    round.review.summary_markdown = "The next review.".into();
    round.review.findings[0].anchor.path = "a.rs".into();
    let gone = round.review.findings.remove(2);
    let outcome = round.post(&[(1, None)], true).await;
    assert!(outcome.complete && outcome.items[0].state == ItemState::Landed, "{outcome:?}");
    let summary = round.case.plan.summary.as_ref().expect("a summary");
    assert!(summary.folded.is_empty() && summary.kept.len() == 2, "only chosen findings are listed: {summary:?}");
    let summaries = round.summaries();
    let [(keys, text)] = &summaries[..] else { panic!("{summaries:?}") };
    let mut wanted = round.keys(&[2]);
    wanted.insert(gone.key);
    assert_eq!(*keys, wanted);
    assert!(text.contains("The next review.") && text.contains("Line 3 is wrong"), "{text}");
    assert_eq!(round.case.copies().get(round.key(1)), Some(&1), "on its line");
    let writes = round.case.writes();
    assert!(round.post(&[(1, None)], true).await.complete);
    assert_eq!(round.case.writes(), writes, "a second click writes nothing");
}

#[tokio::test]
async fn a_summary_that_was_not_updated_is_not_complete() {
    let mut round = Round::new(0, 2).await;
    assert!(round.post(&[(1, None)], false).await.complete);
    for _ in 0..40 {
        round.case.fail("PUT", "notes", 0, Fault::Status(500, "500 Internal Server Error".into()));
    }
    let failed = round.post(&[(2, None)], false).await;
    let summary = failed.items.last().expect("the summary");
    assert!(!failed.complete && summary.state == ItemState::Failed && summary.error.is_some(), "{failed:?}");
    round.case.gitlab.with(|state| state.faults.clear());
    assert!(round.post(&[(2, None)], false).await.complete);
    assert_eq!(round.summaries()[0].0, round.keys(&[1, 2]));
}

/// Leaves the drafts of a posting whose token expires before they are published.
async fn leave_drafts(case: &Case) {
    case.fail("POST", "bulk_publish", 0, Fault::Status(503, "down".into()));
    case.fail("PUT", "publish", 0, Fault::Expire);
    assert!(!case.post(PostingWay::Auto).await.expect("an outcome").complete);
    assert_eq!(case.gitlab.look(7).drafts.len(), case.plan.items.len());
    case.gitlab.with(|state| state.tokens.get_mut(TOKEN).expect("a token").expired = false);
}

#[tokio::test]
async fn only_drafts_with_the_shown_text_and_place_are_published() {
    let origin = origin();
    for version in versions::tested().filter(|version| version.has_draft_notes()) {
        let mut case = Case::new(version, &origin, 4).await;
        leave_drafts(&case).await;
        // The first finding is left out, the second has another text, and the third another place.
        let left_out = case.plan.items.remove(0);
        case.plan.items[0].body = case.plan.items[0].body.replace("is wrong", "is right");
        let Landing::Line { position } = &mut case.plan.items[1].landing else { panic!("no line") };
        position.new_line = Some(50);
        case.human_draft();
        assert!(case.post(PostingWay::Auto).await.expect("posted").complete);
        case.check("as shown");
        assert_eq!((case.copies().get(&left_out.key), case.human_drafts()), (None, 1));
        let threads = case.gitlab.look(7).threads;
        for item in &case.plan.items {
            let notes = threads.iter().flat_map(|thread| &thread.notes);
            let note = notes.into_iter().find(|note| note.body == item.body).expect("the shown text");
            let Landing::Line { position } = &item.landing else { continue };
            assert_eq!(note.position.as_ref().expect("a position").new_line, position.new_line);
        }
    }
}

#[tokio::test]
async fn a_stop_and_a_lock_file_have_their_own_codes() {
    let origin = origin();
    let case = Case::new(ServerVersion::NEWEST, &origin, 1).await;
    let cancel = CancellationToken::new();
    let stop = |event: PostEvent| {
        if matches!(event, PostEvent::Step { message } if message.starts_with("Waiting for another posting")) {
            cancel.cancel();
        }
    };
    let locks = case.machine.locks.path();
    assert!(case.post(PostingWay::Auto).await.expect("posted").complete);
    let file = std::fs::read_dir(locks).expect("read").next().expect("a lock file").expect("read").path();
    let held = std::fs::File::options().write(true).open(file).expect("opened");
    held.lock().expect("locked");
    let error = case.post_until(&case.machine, &cancel, &stop).await.expect_err("stopped");
    assert_eq!(error.code, ErrorCode::Cancelled, "{error:?}");
    let machine = Machine::new();
    let folder = machine.locks.path().to_owned();
    std::fs::remove_dir(&folder).expect("removed");
    std::fs::write(&folder, "a file").expect("written");
    let error = case.post_until(&machine, &CancellationToken::new(), &|_| ()).await.expect_err("no lock file");
    assert_eq!(error.code, ErrorCode::IoFailed, "{error:?}");
}

#[tokio::test]
async fn a_stop_does_not_wait_for_an_answer_and_says_that_the_comment_may_be_posted() {
    let origin = origin();
    let case = Case::new(ServerVersion::NEWEST, &origin, 0).await;
    let machine = Machine::new();
    // The only comment is the summary. Neither it nor any later request is answered.
    case.fail("POST", "notes", 0, Fault::HangAfter);
    let cancel = CancellationToken::new();
    let stop = |event: PostEvent| {
        if matches!(event, PostEvent::Item { item } if item.state == ItemState::Sending) {
            case.fail("GET", "", 0, Fault::HangAfter);
            cancel.cancel();
        }
    };
    let outcome = case.post_until(&machine, &cancel, &stop).await.expect("an outcome");
    let (summary, error) = (outcome.items.last().expect("the summary"), outcome.error.as_ref().expect("an error"));
    assert_eq!(error.error_code, ErrorCode::Cancelled, "{outcome:?}");
    let of_item = summary.error.as_ref().expect("an error of the item");
    assert!(!outcome.complete && of_item.message.ends_with("This comment may be posted."), "{outcome:?}");
    let url = case.gitlab.url();
    let place = PostingPlace { host: &url, project: PROJECT, iid: 7 };
    let journal = machine.store.latest_posting(place).expect("read").expect("a posting");
    assert!(journal.ended_at.is_some() && journal.items[0].state == "failed", "{journal:?}");
    case.gitlab.with(|state| state.faults.clear());
    let again = case.post_until(&machine, &CancellationToken::new(), &|_| ()).await.expect("posted");
    assert!(again.complete, "{again:?}");
    case.check("after the stop");
}

#[tokio::test]
async fn comments_that_were_being_published_at_a_stop_may_be_posted() {
    let origin = origin();
    let case = Case::new(ServerVersion::NEWEST, &origin, 4).await;
    let machine = Machine::new();
    case.fail("POST", "bulk_publish", 0, Fault::HangAfter);
    let cancel = CancellationToken::new();
    let stop = async {
        while case.own_notes().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(case.post_until(&machine, &cancel, &|_| ()), stop);
    let outcome = outcome.expect("an outcome");
    let (_, comments) = outcome.items.split_last().expect("items");
    let may_be = |item: &ItemResult| {
        item.url.is_some() || item.error.as_ref().is_some_and(|error| error.message.contains("may be posted"))
    };
    assert!(!outcome.complete && comments.iter().all(may_be), "{outcome:?}");
    assert!(case.post_until(&machine, &CancellationToken::new(), &|_| ()).await.expect("posted").complete);
    case.check("after the stop");
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_does_not_fail_a_finished_posting() {
    let origin = origin();
    let case = Case::new(ServerVersion::NEWEST, &origin, 2).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state.sqlite");
    let machine = Machine { store: Store::open(&path).expect("a store"), ..Machine::new() };
    let refuse = "CREATE TRIGGER full BEFORE UPDATE ON posting BEGIN SELECT RAISE(ABORT, 'disk full'); END";
    rusqlite::Connection::open(&path).expect("opened").execute_batch(refuse).expect("a trigger");
    for state in [ItemState::Landed, ItemState::AlreadyThere] {
        let outcome = case.post_until(&machine, &CancellationToken::new(), &|_| ()).await.expect("an outcome");
        let error = outcome.journal_error.as_ref().expect("an error");
        assert!(outcome.complete && error.error_code == ErrorCode::StoreFailed, "{outcome:?}");
        assert!(outcome.items.iter().all(|item| item.state == state), "{outcome:?}");
        case.check("posted once");
    }
}
