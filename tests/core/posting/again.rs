//! Posting again: with other findings, another review, other texts or places. What is posted stays, and what was shown is posted.

use std::collections::BTreeSet;

use diffsan_config::PostingWay;
use diffsan_forge::gitlab::Landing;
use diffsan_forge::post_plan::{ChosenFinding, PlanInput, PostPlan, marks, plan};
use diffsan_pipeline::error::ErrorCode;
use diffsan_posting::{ItemState, PostEvent, PostOutcome};
use diffsan_review::ReviewOutput;
use diffsan_test_support::gitlab::{Fault, ServerVersion, TOKEN, versions};
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
