//! Reading and posting on every version of GitLab since 15.0, with the corpus of places.

use diffsan_change::Change;
use diffsan_config::PostingWay;
use diffsan_forge::gitlab::ServerVersion as Known;
use diffsan_forge::post_plan::{ChosenFinding, PostPlan, marks};
use diffsan_posting::ItemState;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::{AnchorState, Finding, Side};
use diffsan_test_support::gitlab::versions::{self, PostedAs};
use diffsan_test_support::gitlab::{FakeGitlab, Fault, PROJECT, Placement, Recorded, ServerVersion};

use crate::posting::{Case, client, marker_keys, plan_of, review};

/// Returns the cases whose lines are on one side, as the lines of a finding are.
fn cases() -> Vec<versions::Case> {
    let one_sided = |case: &versions::Case| match (case.start, case.end) {
        (Some(start), Some(end)) => {
            start.new.is_some() && end.new.is_some() || start.old.is_some() && end.old.is_some()
        }
        _ => true,
    };
    let cases: Vec<_> = versions::cases().into_iter().filter(one_sided).collect();
    assert_eq!(cases.len(), 32);
    cases
}

/// Returns a review with one finding for each case. Its key is the number of the case.
fn reviewed(change: &Change) -> ReviewOutput {
    let mut output = review(change, 1);
    let template = output.findings.remove(0);
    let finding = |(number, case): (usize, versions::Case)| {
        let new = case.end.is_none_or(|end| end.new.is_some()) && case.start.is_none_or(|start| start.new.is_some());
        let line = |line: Option<versions::Line>| line.and_then(|line| if new { line.new } else { line.old });
        let mut finding = Finding { key: format!("{number:016x}"), ..template.clone() };
        finding.anchor.path = if new { case.new_path } else { case.old_path };
        finding.anchor.side = if new { Side::New } else { Side::Old };
        finding.anchor.line_start = line(case.start.or(case.end));
        finding.anchor.line_end = line(case.end);
        finding.anchor.state = if case.end.is_some() { AnchorState::Verified } else { AnchorState::File };
        finding
    };
    output.findings = cases().into_iter().enumerate().map(finding).collect();
    output
}

/// Plans the posting of the first findings of the corpus.
pub async fn planned(gitlab: &FakeGitlab, count: usize) -> PostPlan {
    let client = client(gitlab);
    let patch = client.patch(PROJECT, 7).await.expect("a patch");
    let change = diffsan_change::parse_patch(patch.into()).expect("a change");
    let refs = client.merge_request(PROJECT, 7).await.expect("read").diff_refs.expect("computed");
    let review = reviewed(&change);
    let key = |finding: &Finding| ChosenFinding { finding: finding.key.clone(), body: None };
    let chosen: Vec<ChosenFinding> = review.findings.iter().take(count).map(key).collect();
    let version = client.version().await;
    plan_of(&review, &chosen, &change, &refs, version.is_none_or(Known::has_file_comments))
}

/// Returns the place at which GitLab has the finding.
fn place(gitlab: &FakeGitlab, key: &str) -> Vec<Placement> {
    let has = |body: &str| marks::read(body, &marker_keys()).findings.iter().any(|one| one == key);
    gitlab.posted(7).into_iter().filter(|posted| has(&posted.body)).map(|posted| posted.placement).collect()
}

async fn check(way: PostingWay, posted_as: PostedAs) {
    let origin = versions::origin();
    for version in versions::tested() {
        let gitlab = versions::start(version, &origin).await;
        let plan = planned(&gitlab, usize::MAX).await;
        let posting = Case::with_plan(gitlab, plan);
        let outcome = posting.post_degrading(way).await.expect("posted");
        assert!(outcome.complete, "{outcome:#?}");
        for (number, case) in cases().iter().enumerate() {
            let best = case
                .best(version, posted_as)
                .or_else(|| case.best(version, PostedAs::Discussion))
                .expect("a placement");
            assert_eq!(place(&posting.gitlab, &format!("{number:016x}")), [best], "{}: {}", case.name, case.kind);
        }
    }
}

#[tokio::test]
async fn every_place_is_posted_as_well_as_each_version_accepts_it() {
    check(PostingWay::Discussions, PostedAs::Discussion).await;
}

#[tokio::test]
async fn every_place_is_posted_as_drafts_as_well_as_each_version_accepts_it() {
    check(PostingWay::Auto, PostedAs::Draft).await;
}

#[tokio::test]
async fn every_version_gives_the_same_change() {
    let origin = versions::origin();
    let read = async |version: ServerVersion| {
        let gitlab = versions::start(version, &origin).await;
        let patch = client(&gitlab).patch(PROJECT, 7).await.expect("a patch");
        let change = diffsan_change::parse_patch(patch.into()).expect("a change");
        let file = |file: &diffsan_change::FileChange| {
            let path = |path: &Option<diffsan_change::RepoPath>| path.as_ref().map(|path| path.to_text().into_owned());
            (path(&file.old_path), path(&file.new_path), file.line_counts(), file.hunks().len())
        };
        change.files.iter().map(file).collect::<Vec<_>>()
    };
    let newest = read(ServerVersion::new(19, 2)).await;
    for version in ServerVersion::TESTED {
        let mut files = read(version).await;
        files.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
        let mut wanted = newest.clone();
        wanted.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
        assert_eq!(files, wanted, "{version}");
    }
}

/// A server of an unknown version refuses first the numbers, then the whole range. Nothing is lost.
#[tokio::test]
async fn a_refused_range_is_sent_again_with_fewer_parts() {
    let gitlab = versions::start(ServerVersion::new(17, 7), &versions::origin()).await;
    let plan = planned(&gitlab, usize::MAX).await;
    // The version cannot be read.
    for path in ["metadata", "version"] {
        let fault = Fault::Status(403, "403 Forbidden".into());
        gitlab.with(|state| state.faults.extend((0..20).map(|_| ("GET".into(), path.into(), 0, fault.clone()))));
    }
    let posting = Case::with_plan(gitlab, plan);
    let outcome = posting.post_degrading(PostingWay::Discussions).await.expect("posted");
    assert!(outcome.complete, "{outcome:#?}");
    let number = cases().iter().position(|case| case.name == "new-lines").expect("a case");
    assert_eq!(place(&posting.gitlab, &format!("{number:016x}")), [Placement::RangeCodes]);
    assert!(outcome.items.iter().all(|item| item.state != ItemState::Failed));
}

#[tokio::test]
async fn a_refused_range_makes_the_version_be_read_again() {
    let gitlab = versions::start(ServerVersion::new(18, 6), &versions::origin()).await;
    let plan = planned(&gitlab, usize::MAX).await;
    let posting = Case::with_plan(gitlab, plan);
    assert!(posting.client.version().await.is_some_and(|version| version.accepts_range_numbers(false)));
    // The address now leads to an older server.
    posting.gitlab.set_version(ServerVersion::new(17, 7));
    assert!(posting.post_degrading(PostingWay::Discussions).await.expect("posted").complete);
    assert!(posting.client.version().await.is_some_and(|version| !version.accepts_range_numbers(false)));
}

/// Some servers turn the numbers of discussions into text, as they do with drafts. The range is then sent without them.
#[tokio::test]
async fn ranges_of_discussions_are_sent_without_numbers_if_the_server_turns_them_into_text() {
    let version = ServerVersion::new(18, 5);
    let gitlab = versions::start(version, &versions::origin()).await;
    gitlab.with(|state| state.switches.text_in_discussion_ranges = true);
    let plan = planned(&gitlab, usize::MAX).await;
    let posting = Case::with_plan(gitlab, plan);
    let outcome = posting.post_degrading(PostingWay::Discussions).await.expect("posted");
    assert!(outcome.complete, "{outcome:#?}");
    for (number, case) in cases().iter().enumerate() {
        let best = case.best(version, PostedAs::Draft).expect("a placement");
        assert_eq!(place(&posting.gitlab, &format!("{number:016x}")), [best], "{}: {}", case.name, case.kind);
    }
    let numbers = |request: &Recorded| !request.body["position"]["line_range"]["end"]["new_line"].is_null();
    let refused = posting.gitlab.requests().iter().filter(|one| numbers(one) && one.status == 400).count();
    assert!(refused > 0, "the numbers are sent first");
}

/// The number of requests that a posting needs beside one for each comment and one for the summary.
const MAX_OTHER_REQUESTS: usize = 13;

#[tokio::test]
async fn a_posting_needs_one_request_for_each_comment_and_few_others() {
    let origin = crate::posting::origin();
    println!("requests (writes)      1 comment   50 comments");
    for version in versions::tested() {
        for way in [PostingWay::Auto, PostingWay::Discussions] {
            let mut row = format!("{:<5} {:<14}", version.to_string(), format!("{way:?}"));
            for comments in [1, 50] {
                let posting = Case::new(version, &origin, comments).await;
                assert!(posting.post(way).await.expect("posted").complete);
                let requests = posting.gitlab.requests();
                let writes = requests.iter().filter(|one| one.method != "GET").count();
                row += &format!("{:>9} ({writes:>2})", requests.len());
                // All comments, and the summary. Publishing together is one more, and may include the summary.
                let (comments, drafts) = (comments as usize, way == PostingWay::Auto && version.has_draft_notes());
                assert!(writes <= comments + 1 + usize::from(drafts), "{row}");
                assert!(requests.len() <= comments + 1 + MAX_OTHER_REQUESTS, "{row}");
            }
            println!("{row}");
        }
    }
}
