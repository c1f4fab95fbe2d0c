//! Posting against the fake GitLab: after any failure, one more run results in exactly one copy of everything.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use diffsan_app::post::{ItemState, PostEvent, PostOutcome, PostRequest, PostingContext, post};
use diffsan_change::Fingerprint;
use diffsan_change::{Change, Target};
use diffsan_config::PostingWay;
use diffsan_forge::gitlab::DiffRefs;
use diffsan_forge::gitlab::{Client, Token};
use diffsan_forge::post_plan::{ChosenFinding, MarkerKeys, PlanInput, PostPlan, marks, plan};
use diffsan_git::{ReadOptions, Repo};
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Finding, Severity, Side, Verdict};
use diffsan_review::{ReviewMeta, ReviewOutput, Timings};
use diffsan_store::{PostingPlace, Store};
use diffsan_test_support::gitlab::{FakeGitlab, Fault, PROJECT, ServerVersion, TOKEN};
use diffsan_test_support::repo::TestRepo;
use tokio_util::sync::CancellationToken;

/// A merge request with a change of two files, and a review with several findings.
struct Case {
    gitlab: FakeGitlab,
    plan: PostPlan,
    store: Store,
    locks: tempfile::TempDir,
}

const LINES: u32 = 120;

fn origin() -> TestRepo {
    let repo = TestRepo::new();
    let text = |word: &str| (1..=LINES).map(|line| format!("{word} {line}\n")).collect::<String>();
    repo.write("a.rs", text("old"));
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", text("new"));
    repo.commit("topic");
    repo.git(["checkout", "-q", "main"]);
    repo
}

pub fn review(change: &Change, count: u32) -> ReviewOutput {
    let finding = |number: u32| Finding {
        key: format!("{number:016x}"),
        content: AgentFinding {
            finding_id: None,
            severity: Severity::High,
            category: Category::Correctness,
            path: "a.rs".into(),
            line_start: number,
            line_end: number,
            title: Some(format!("Finding {number}")),
            body_markdown: format!("Line {number} is wrong.\n/approve\n@author"),
            side: None,
            quote: None,
            confidence: None,
            suggested_patch: None,
        },
        anchor: Anchor {
            state: AnchorState::Verified,
            path: "a.rs".into(),
            side: Side::New,
            line_start: Some(number),
            line_end: Some(number),
            in_change: true,
            notes: Vec::new(),
        },
        sources: vec!["codex".into()],
        verdict: Verdict::Unchecked,
        claims: Vec::new(),
        chain: Vec::new(),
        fix: None,
        code: None,
        original: None,
    };
    let mut findings: Vec<Finding> = (1..=count).map(finding).collect();
    // A finding without a line in the change.
    let mut elsewhere = finding(count + 1);
    elsewhere.anchor.path = "elsewhere.rs".into();
    findings.push(elsewhere);
    ReviewOutput {
        summary_markdown: "It is fine.\n\n/merge".into(),
        findings,
        meta: ReviewMeta {
            fingerprint: Fingerprint { algo: "sha256".into(), value: "ab".repeat(32) },
            agent: "codex".into(),
            agents: Vec::new(),
            model: None,
            timings: Timings::default(),
            token_usage: None,
            cost_usd: None,
            truncated: false,
            redaction_found: false,
            base_sha: change.base.clone(),
            head_sha: change.head.clone(),
            coverage: "all 2 lines sent".into(),
            attempts: 1,
            batches: 1,
            read_as: "strict".into(),
            unreadable: Vec::new(),
        },
    }
}

/// Returns the keys that the user's token gives for merge request 7.
pub fn marker_keys() -> MarkerKeys {
    MarkerKeys::new(&[TOKEN.as_bytes()], "https://gitlab.example.com", 1, 7)
}

impl Case {
    async fn new(count: u32) -> Self {
        let repo = origin();
        let gitlab = FakeGitlab::start(&repo.path().join(".git")).await;
        gitlab.merge_request(7, "topic", "main");
        let plan = planned(repo.path(), &gitlab, count);
        let store = Store::in_memory().expect("a store");
        Self { gitlab, plan, store, locks: tempfile::tempdir().expect("a folder") }
    }

    fn client(&self) -> Client {
        Client::new(&self.gitlab.url(), &Token::new(TOKEN), None)
            .expect("a client")
            .with_pause(Duration::from_millis(5))
    }

    async fn post(&self, way: PostingWay) -> Result<PostOutcome, Error> {
        self.post_with(way, false, &self.store, &|_| ()).await
    }

    async fn post_with(
        &self,
        way: PostingWay,
        degrade: bool,
        store: &Store,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome, Error> {
        let client = self.client();
        let host = self.gitlab.url();
        let request = PostRequest {
            client: &client,
            host: &host,
            project: PROJECT,
            iid: 7,
            plan: &self.plan,
            markers: &marker_keys(),
            review_id: None,
            mode: way,
            degrade,
        };
        let cancel = CancellationToken::new();
        let around = PostingContext {
            store,
            locks: self.locks.path(),
            cancel: &cancel,
            notify,
            pause: Duration::from_millis(5),
        };
        post(&request, &around).await
    }

    /// Returns the number of copies of each finding and of the summary.
    fn copies(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for note in self.gitlab.look(7).threads.iter().flat_map(|thread| &thread.notes) {
            let marks = marks::read(&note.body, &marker_keys());
            for key in marks.findings.into_iter().chain(marks.review) {
                *counts.entry(key).or_insert(0) += 1;
            }
        }
        counts
    }

    /// Checks that everything is posted once, no draft of ours is left, and no text had an effect.
    fn check(&self, what: &str) {
        let summary = self.plan.summary.as_ref().expect("a summary");
        let wanted = self.plan.items.iter().chain(&summary.folded).map(|item| &item.key).chain([&summary.key]);
        let copies = self.copies();
        for key in wanted {
            assert_eq!(copies.get(key), Some(&1), "{what}: {key} of {copies:?}");
        }
        for draft in self.gitlab.look(7).drafts {
            assert!(
                marks::read(&draft.note, &marker_keys()).findings.is_empty(),
                "{what}: a draft of ours was left: {draft:?}"
            );
        }
        let (executed, mentioned) = self.gitlab.with(|state| (state.executed.clone(), state.mentioned.clone()));
        assert!(executed.is_empty() && mentioned.is_empty(), "{what}: {executed:?} {mentioned:?}");
        let asked = self.gitlab.requests();
        assert!(asked.iter().all(|one| one.token == "header" && !one.path.contains(TOKEN)), "{what}");
    }

    fn fail(&self, method: &str, part: &str, after: usize, fault: Fault) {
        self.gitlab.with(|state| state.faults.push((method.into(), part.into(), after, fault)));
    }

    fn writes(&self) -> usize {
        self.gitlab.requests().iter().filter(|one| one.method != "GET").count()
    }

    /// Adds a draft of a person.
    fn human_draft(&self) {
        self.gitlab.with(|state| state.human_draft(7, "I am still thinking"));
    }

    fn human_drafts(&self) -> usize {
        self.gitlab.look(7).drafts.iter().filter(|draft| draft.note == "I am still thinking").count()
    }
}

fn planned(repo: &Path, gitlab: &FakeGitlab, count: u32) -> PostPlan {
    let version = gitlab.look(7).versions.last().cloned().expect("a version");
    let refs = DiffRefs { base_sha: version.base.clone(), start_sha: version.start, head_sha: version.head.clone() };
    let target = Target::Range { base: version.base, head: version.head, merge_base: false };
    let options = ReadOptions { renames: 30, ..ReadOptions::default() };
    let change = Repo::open(repo).expect("a repository").change(&target, &options).expect("a change");
    let review = review(&change, count);
    let chosen: Vec<ChosenFinding> =
        review.findings.iter().map(|one| ChosenFinding { finding: one.key.clone(), body: None }).collect();
    plan_of(&review, &chosen, &change, &refs, true)
}

/// Plans the posting of a review with its summary.
pub fn plan_of(
    review: &ReviewOutput,
    chosen: &[ChosenFinding],
    change: &Change,
    refs: &DiffRefs,
    file_comments: bool,
) -> PostPlan {
    plan(&PlanInput {
        review,
        chosen,
        change,
        refs,
        file_comments,
        summary: true,
        tag: "ai-reviewer",
        replaces: None,
        truncation: None,
        pipeline: None,
        warn_of_secrets: true,
        markers: &marker_keys(),
        head: &|_| None,
    })
    .expect("serialisable")
}

#[tokio::test]
async fn everything_is_posted_once_and_a_second_click_changes_nothing() {
    for way in [PostingWay::Auto, PostingWay::Discussions] {
        let case = Case::new(8).await;
        // The summary is sent by itself.
        case.gitlab.set_version(ServerVersion::new(18, 6));
        let told = Mutex::new(Vec::new());
        let notify = |event: PostEvent| told.lock().unwrap().push(event);
        let outcome = case.post_with(way, false, &case.store, &notify).await.expect("posted");
        assert!(outcome.complete && outcome.items.len() == 9, "{outcome:?}");
        assert!(outcome.items.iter().all(|item| item.state == ItemState::Landed && item.url.is_some()), "{outcome:?}");
        let told = told.into_inner().unwrap();
        for item in &outcome.items {
            let states = told.iter().filter_map(|event| match event {
                PostEvent::Item { item: told } if told.key == item.key => Some(told.state),
                _ => None,
            });
            let mut wanted = vec![ItemState::Sending, ItemState::Landed];
            if way == PostingWay::Auto && !item.is_summary() {
                wanted.insert(1, ItemState::Prepared);
            }
            assert_eq!(states.collect::<Vec<_>>(), wanted, "{}", item.key);
        }
        let doing = if way == PostingWay::Auto { "Preparing" } else { "Posting" };
        let progress = told.iter().filter_map(|event| match event {
            PostEvent::Progress { message } => Some(message.as_str()),
            _ => None,
        });
        let wanted: Vec<String> = (2..=8).map(|next| format!("{doing} {next} of 8 comments")).collect();
        assert_eq!(progress.collect::<Vec<_>>(), wanted);
        case.check("first");
        assert_eq!(outcome.delivery.together, way == PostingWay::Auto);
        // One notification for all comments, and one for the summary.
        let notified = case.gitlab.with(|state| state.notifications);
        assert_eq!(notified, if way == PostingWay::Auto { 2 } else { 9 });
        let lines: Vec<_> =
            case.gitlab.look(7).threads.iter().filter_map(|one| one.notes[0].position.clone()?.new_line).collect();
        assert_eq!(lines.len(), 8);
        let writes = case.writes();
        let again = case.post(way).await.expect("posted");
        assert!(again.items.iter().all(|item| item.state == ItemState::AlreadyThere), "{again:?}");
        assert_eq!(case.writes(), writes, "a second click writes nothing");
        let place = PostingPlace { host: &case.gitlab.url(), project: PROJECT, iid: 7 };
        let journal = case.store.latest_posting(place).expect("read").expect("a journal");
        assert!(journal.ended_at.is_some() && journal.items.iter().all(|item| item.state == "landed"), "{journal:?}");
    }
}

#[tokio::test]
async fn a_newer_gitlab_publishes_the_summary_under_the_same_notification() {
    let case = Case::new(4).await;
    case.gitlab.set_version(ServerVersion::NEWEST);
    assert!(case.post(PostingWay::Auto).await.expect("posted").complete);
    case.check("together");
    assert_eq!(case.gitlab.with(|state| state.notifications), 1);
}

#[tokio::test]
async fn after_any_failure_one_more_run_posts_everything_once() {
    let faults = [
        Fault::Cut,
        Fault::CutAfter,
        Fault::Status(500, "500 Internal Server Error".into()),
        Fault::StatusAfter(500, "500 Internal Server Error".into()),
        Fault::Status(502, "<html>bad gateway</html>".into()),
        Fault::Status(409, "409 Conflict: Resource lock".into()),
        Fault::RackAttack(0),
        Fault::Limited,
        Fault::Expire,
    ];
    for way in [PostingWay::Auto, PostingWay::Discussions] {
        let clean = Case::new(3).await;
        clean.post(way).await.expect("posted");
        let mut writes: Vec<String> =
            clean.gitlab.requests().iter().filter(|one| one.method != "GET").map(|one| one.method.clone()).collect();
        writes.dedup();
        let posts = clean.gitlab.requests().iter().filter(|one| one.method == "POST").count();
        for fault in &faults {
            for at in 0..posts {
                let case = Case::new(3).await;
                case.fail("POST", "/", at, fault.clone());
                let what = format!("{way:?}, {fault:?} at write {at}");
                let first = case.post(way).await;
                if *fault == Fault::Expire {
                    let told = match &first {
                        Err(error) => error.code,
                        Ok(outcome) => {
                            outcome.error.as_ref().map(|error| error.error_code).unwrap_or(ErrorCode::Internal)
                        }
                    };
                    assert_eq!(told, ErrorCode::GitlabAuthError, "{what}: {first:?}");
                    case.gitlab.with(|state| {
                        if let Some(token) = state.tokens.get_mut(TOKEN) {
                            token.expired = false;
                        }
                    });
                } else {
                    assert!(
                        first.as_ref().is_ok_and(|outcome| outcome.complete),
                        "{what}: it repairs itself: {first:?}"
                    );
                }
                let again = case.post(way).await.expect("posted");
                assert!(again.complete, "{what}: {again:?}");
                case.check(&what);
            }
        }
    }
}

#[tokio::test]
async fn publishing_that_breaks_in_the_middle_is_finished_without_copies() {
    for at in 0..5 {
        let case = Case::new(5).await;
        case.gitlab.with(|state| state.switches.crash_publish_at = Some(at));
        assert!(case.post(PostingWay::Auto).await.expect("posted").complete);
        case.check(&format!("broken at {at}"));
    }
}

#[tokio::test]
async fn drafts_of_a_person_stay_drafts() {
    for way in [PostingWay::Auto, PostingWay::Drafts] {
        let case = Case::new(5).await;
        case.human_draft();
        let outcome = case.post(way).await.expect("posted");
        assert!(
            outcome.complete && outcome.delivery.reason.contains("1 of your own drafts is unpublished"),
            "{:?}",
            outcome.delivery
        );
        case.check("beside a person's draft");
        assert_eq!(case.human_drafts(), 1);
    }
    // A draft that appears between creating and publishing drafts.
    let case = Case::new(5).await;
    let gitlab = &case.gitlab;
    let notify = |event: PostEvent| {
        if matches!(&event, PostEvent::Step { message } if message.starts_with("Preparing")) {
            gitlab.with(|state| state.human_draft(7, "I am still thinking"));
        }
    };
    assert!(case.post_with(PostingWay::Auto, false, &case.store, &notify).await.expect("posted").complete);
    case.check("a draft in between");
    assert_eq!(case.human_drafts(), 1);
}

#[tokio::test]
async fn drafts_of_a_killed_posting_are_published() {
    let case = Case::new(4).await;
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

#[tokio::test]
async fn two_postings_at_once_leave_one_copy() {
    // Of two processes with one data folder, the second one waits.
    let case = Case::new(6).await;
    let (one, two) = tokio::join!(case.post(PostingWay::Discussions), case.post(PostingWay::Discussions));
    assert!(one.expect("posted").complete && two.expect("posted").complete);
    case.check("one data folder");
    // Of two machines, the duplicate copies are removed.
    let case = Case::new(6).await;
    case.gitlab.with(|state| state.switches.latency = 20);
    let other = Case {
        locks: tempfile::tempdir().expect("a folder"),
        gitlab: case.gitlab,
        plan: case.plan,
        store: Store::in_memory().expect("a store"),
    };
    let elsewhere = tempfile::tempdir().expect("a folder");
    let client = other.client();
    let host = other.gitlab.url();
    let cancel = CancellationToken::new();
    let request = PostRequest {
        client: &client,
        host: &host,
        project: PROJECT,
        iid: 7,
        plan: &other.plan,
        markers: &marker_keys(),
        review_id: None,
        mode: PostingWay::Discussions,
        degrade: false,
    };
    let store = Store::in_memory().expect("a store");
    let around = PostingContext {
        store: &store,
        locks: elsewhere.path(),
        cancel: &cancel,
        notify: &|_| (),
        pause: Duration::from_millis(5),
    };
    let (one, two) = tokio::join!(other.post(PostingWay::Discussions), post(&request, &around));
    assert!(one.expect("posted").complete && two.expect("posted").complete);
    assert!(other.post(PostingWay::Discussions).await.expect("posted").complete);
    other.check("two machines");
}

#[tokio::test]
async fn a_new_head_stops_the_posting() {
    let case = Case::new(3).await;
    let old = case.plan.refs.head_sha.clone();
    case.gitlab.commit("topic", "a.rs", "one\n");
    case.gitlab.pushed(7);
    let error = case.post(PostingWay::Auto).await.expect_err("it moved");
    assert_eq!((error.code, error.context["planned_head"].as_str()), (ErrorCode::GitlabHeadMoved, Some(old.as_str())));
    assert_eq!(case.writes(), 0);
    // A list that cannot be read is a failure, not an interrupted posting.
    let case = Case::new(3).await;
    for _ in 0..9 {
        case.fail("GET", "discussions", 0, Fault::Status(503, "down".into()));
    }
    assert!(case.post(PostingWay::Auto).await.is_err());
    let host = case.gitlab.url();
    let place = PostingPlace { host: &host, project: PROJECT, iid: 7 };
    assert!(case.store.latest_posting(place).expect("read").expect("a journal").ended_at.is_some());
    // The head moves during a posting.
    let case = Case::new(3).await;
    let gitlab = &case.gitlab;
    case.fail("POST", "discussions", 1, Fault::Status(503, "busy".into()));
    let notify = |event: PostEvent| {
        if matches!(&event, PostEvent::Step { message } if message.contains("retrying in")) {
            gitlab.commit("topic", "a.rs", "one\n");
            gitlab.pushed(7);
        }
    };
    let outcome = case.post_with(PostingWay::Discussions, false, &case.store, &notify).await.expect("an outcome");
    assert_eq!(outcome.error.as_ref().map(|error| error.error_code), Some(ErrorCode::GitlabHeadMoved), "{outcome:?}");
    assert!(!outcome.complete && outcome.items.iter().any(|item| item.state == ItemState::Landed));
}

#[tokio::test]
async fn a_rejected_line_is_reported_or_posted_on_the_file() {
    let refusal = r#"400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}"#;
    for way in [PostingWay::Discussions, PostingWay::Auto] {
        let mut case = Case::new(3).await;
        // The line does not exist.
        if let diffsan_forge::gitlab::Landing::Line { position } = &mut case.plan.items[1].landing {
            position.new_line = Some(99_999);
        }
        let outcome = case.post(way).await.expect("an outcome");
        assert!(!outcome.complete, "{way:?}");
        let failed: Vec<_> = outcome.items.iter().filter(|item| item.state == ItemState::Failed).collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].error.as_ref().map(|error| error.error_code), Some(ErrorCode::GitlabPositionInvalid));
        let again = case.post_with(way, true, &case.store, &|_| ()).await.expect("posted");
        assert!(again.complete && again.items[1].state == ItemState::OnFile, "{again:?}");
        case.check("on its file");
    }
    // If that is rejected too, the finding is added to the summary.
    let case = Case::new(2).await;
    case.fail("POST", "discussions", 0, Fault::Status(400, refusal.into()));
    case.fail("POST", "discussions", 0, Fault::Status(400, refusal.into()));
    case.fail("POST", "discussions", 0, Fault::Status(400, refusal.into()));
    case.fail("POST", "discussions", 0, Fault::Status(400, refusal.into()));
    let outcome = case.post_with(PostingWay::Discussions, true, &case.store, &|_| ()).await.expect("posted");
    assert!(outcome.complete && outcome.items[0].state == ItemState::InSummary, "{outcome:?}");
    case.check("in the summary");
}

#[tokio::test]
async fn a_summary_replaces_the_previous_one() {
    let mut case = Case::new(2).await;
    case.post(PostingWay::Discussions).await.expect("posted");
    let notes = || -> Vec<u64> {
        let request = case.gitlab.look(7);
        request.threads.iter().filter(|thread| thread.individual).map(|thread| thread.notes[0].id).collect()
    };
    let before = notes();
    assert_eq!(before.len(), 1);
    let summary = case.plan.summary.as_mut().expect("a summary");
    (summary.key, summary.marks) = ("another".into(), summary.marks.replace(&summary.key, "another"));
    summary.replaces = Some(before[0]);
    assert!(case.post(PostingWay::Discussions).await.expect("posted").complete);
    let notes: Vec<u64> = case
        .gitlab
        .look(7)
        .threads
        .iter()
        .filter(|thread| thread.individual)
        .map(|thread| thread.notes[0].id)
        .collect();
    assert_eq!(notes, before, "in its place");
    assert_eq!(case.copies().get("another"), Some(&1));
}
