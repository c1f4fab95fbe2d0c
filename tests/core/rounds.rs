//! Rounds: after a push, the code status of each posted thread, and the threads that may be resolved.

use diffsan_app::{App, AppOptions, ChangeHandle, Posting};
use diffsan_change::Target;
use diffsan_config::{Origin, parse_layer};
use diffsan_pipeline::error::ErrorCode;
use diffsan_pipeline::open::posted_findings;
use diffsan_posting::{PlanOptions, PostVerdict, plan_posting, read_review, relocate_review, thread_statuses};
use diffsan_review::ReviewOutput;
use diffsan_review::finding::Edit;
use diffsan_review::rounds::CodeStatus;
use diffsan_store::secrets::{Secret, SecretName};
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, ServerVersion, TOKEN, versions};
use diffsan_test_support::repo::TestRepo;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn text(changed: &[(u32, &str)]) -> String {
    (1..=60)
        .map(|line| match changed.iter().find(|(number, _)| *number == line) {
            Some((_, text)) => format!("{text}\n"),
            None => format!("let value_{line} = {line};\n"),
        })
        .collect()
}

pub struct Case {
    pub app: Arc<App>,
    pub gitlab: FakeGitlab,
    pub clone: TestRepo,
    _data: tempfile::TempDir,
}

/// Starts a core with settings.
pub fn start(settings: &str) -> (Arc<App>, tempfile::TempDir) {
    let data = tempfile::tempdir().expect("a folder");
    let app = App::start(AppOptions {
        data_dir: Some(data.path().join("data")),
        config_dir: Some(data.path().join("config")),
        layers: vec![parse_layer(Origin::CommandLine, settings).expect("settings")],
        ..AppOptions::default()
    })
    .expect("started");
    (app, data)
}

/// Starts a core with a token of a fake GitLab.
pub fn start_with_token(gitlab: &FakeGitlab) -> (Arc<App>, tempfile::TempDir) {
    let (app, data) = start("gitlab.retry_pause_ms = 5");
    let name = SecretName::parse(&gitlab.url()).expect("a name");
    app.save_secret(&name, &Secret::new(TOKEN), true).expect("kept");
    (app, data)
}

impl Case {
    pub async fn new(version: ServerVersion) -> Self {
        let origin = TestRepo::new();
        origin.write("a.rs", text(&[]));
        origin.commit("base");
        origin.git(["checkout", "-q", "-b", "topic"]);
        origin.write("a.rs", text(&[(10, "first();"), (30, "second();"), (50, "third();")]));
        origin.commit("topic");
        origin.git(["checkout", "-q", "main"]);
        let gitlab = versions::start(version, &origin).await;
        let clone = TestRepo::clone_of(&origin, &[]);
        clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
        let (app, data) = start_with_token(&gitlab);
        Self { app, gitlab, clone, _data: data }
    }

    pub async fn open(&self) -> ChangeHandle {
        let target = Target::MergeRequest { base: self.gitlab.url(), project: PROJECT.into(), iid: 7 };
        let repo = Some(self.clone.path().to_owned());
        self.app.open_merge_request(repo, &target, Vec::new(), None).await.expect("opened")
    }

    fn read(handle: &ChangeHandle, findings: &serde_json::Value) -> ReviewOutput {
        let text = json!({ "summary_markdown": "Fine.", "findings": findings }).to_string();
        read_review(&handle.opened, &text).expect("a review")
    }

    /// Posts a review with findings, and returns it.
    async fn post(&self, findings: &serde_json::Value, summary: bool) -> ReviewOutput {
        let handle = self.open().await;
        let review = Self::read(&handle, findings);
        let planned = plan_posting(&handle.opened, &review, &PlanOptions { summary, ..PlanOptions::default() });
        let posting = Posting {
            opened: &handle.opened,
            plan: &planned.expect("a plan").plan,
            review_id: None,
            folder: None,
            degrade: false,
            verdict: PostVerdict::Comment,
        };
        let posted = self.app.post(&posting, &CancellationToken::new(), &|_| ()).await.expect("posted");
        assert!(posted.complete, "{posted:?}");
        review
    }

    fn push(&self, path: &str, text: &str) {
        self.gitlab.commit("topic", path, text);
        self.gitlab.pushed(7);
    }

    /// Returns the code status of each thread by its posted line, and whether resolving it is proposed.
    fn statuses(&self, handle: &ChangeHandle, findings: &serde_json::Value) -> BTreeMap<u64, (CodeStatus, bool)> {
        let text = json!({ "summary_markdown": "Later.", "findings": findings }).to_string();
        let review = read_review(&handle.opened, &text).expect("a review");
        let statuses = thread_statuses(&handle.opened, Some(&review));
        let request = handle.opened.merge_request.as_deref().expect("a merge request");
        let threads = request.threads.get().expect("threads");
        let line = |id: &str| {
            let thread = threads.iter().find(|thread| thread.id == id).expect("a thread");
            thread.notes[0].position.as_ref().expect("a position")["new_line"].as_u64().expect("a line")
        };
        statuses.iter().map(|(id, one)| (line(id), (one.code, one.offered))).collect()
    }
}

fn finding(line: u32, quote: &str) -> serde_json::Value {
    json!({ "severity": "high", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line,
        "body_markdown": format!("Line {line} is wrong."), "quote": quote })
}

#[tokio::test(flavor = "multi_thread")]
async fn resolving_is_proposed_only_by_code_status() {
    for version in versions::tested() {
        check_statuses(&Case::new(version).await).await;
    }
}

async fn check_statuses(case: &Case) {
    let found = json!([finding(10, "first();"), finding(30, "second();"), finding(50, "third();")]);
    let review = case.post(&found, true).await;
    // The code of the first thread is edited, that of the second moves, and that of the third is removed.
    let mut lines: Vec<String> =
        text(&[(10, "first(1);"), (30, "second();"), (50, "third();")]).lines().map(str::to_owned).collect();
    lines.remove(49);
    lines.insert(20, "let new = 0;".into());
    case.gitlab.commit("topic", "a.rs", &(lines.join("\n") + "\n"));
    case.gitlab.pushed(7);
    let handle = case.open().await;
    let nothing = json!([]);
    let statuses = case.statuses(&handle, &nothing);
    let wanted = [
        (10, (CodeStatus::Edited, true)),
        (30, (CodeStatus::Moved { line: Some(31) }, false)),
        (50, (CodeStatus::Removed, true)),
    ];
    assert_eq!(statuses, BTreeMap::from(wanted));
    // A review that did not get the file does not show that the findings are gone.
    let mut cut = Case::read(&handle, &nothing);
    cut.meta.unsent.paths.push("a.rs".to_owned());
    assert!(thread_statuses(&handle.opened, Some(&cut)).values().all(|one| !one.offered));
    // The finding is found again at the same place, so resolving is not proposed.
    let statuses = case.statuses(&handle, &json!([finding(10, "first(1);")]));
    assert_eq!(statuses[&10], (CodeStatus::Edited, false));
    // A person has replied, so the thread is left to that person.
    case.gitlab.answer(7, 50, "Are you sure?");
    let handle = case.open().await;
    assert_eq!(case.statuses(&handle, &nothing)[&50], (CodeStatus::Removed, false));
    // Without a review of this state, nothing is proposed.
    let statuses = thread_statuses(&handle.opened, Some(&review));
    assert!(statuses.values().all(|one| !one.offered));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_posted_finding_is_known_after_a_round_that_did_not_repeat_it() {
    let case = Case::new(ServerVersion::NEWEST).await;
    let titled = |title: &str| {
        let mut finding = finding(30, "second();");
        finding["title"] = json!(title);
        json!([finding])
    };
    let posted = case.post(&titled("The error of second is ignored"), true).await;
    case.push("b.rs", "b\n");
    case.post(&json!([]), true).await;
    case.push("c.rs", "c\n");
    let handle = case.open().await;
    assert_eq!(posted_findings(&handle.opened).len(), 1);
    let again = Case::read(&handle, &titled("An error of second is ignored"));
    assert_eq!(again.findings[0].key, posted.findings[0].key);
    // A finding that no summary lists is known by its comment.
    case.post(&json!([finding(10, "first();")]), false).await;
    let handle = case.open().await;
    let known = posted_findings(&handle.opened);
    let last = known.last().expect("a finding");
    assert_eq!(known.len(), 2);
    assert_eq!((last.content.title.as_deref(), last.anchor.line_start), (Some("Line 10 is wrong."), Some(10)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_on_several_lines_stays_at_its_last_line_when_it_moves() {
    let case = Case::new(ServerVersion::NEWEST).await;
    let mut range = finding(10, "");
    range["line_end"] = json!(30);
    case.post(&json!([range]), true).await;
    let changed = text(&[(10, "first();"), (30, "second();"), (50, "third();")]);
    case.push("a.rs", &format!("x\ny\nz\n{changed}"));
    let statuses = thread_statuses(&case.open().await.opened, None);
    let status = statuses.values().next().expect("a thread");
    assert_eq!((status.code, status.line), (CodeStatus::Moved { line: Some(13) }, Some(33)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_without_commits_is_posted_only_to_an_equal_diff() {
    let case = Case::new(ServerVersion::NEWEST).await;
    let handle = case.open().await;
    let mut review = Case::read(&handle, &json!([finding(10, "first();")]));
    (review.meta.head_sha, review.meta.base_sha) = (None, None);
    let plan = |review: &ReviewOutput| plan_posting(&handle.opened, review, &PlanOptions::default());
    plan(&review).expect("the same diff");
    review.meta.fingerprint.value = "ab".repeat(32);
    assert_eq!(plan(&review).expect_err("another diff").code, ErrorCode::GitlabHeadMoved);
    plan(&relocate_review(&handle.opened, &review).expect("relocated")).expect("placed on this version");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_and_fixes_of_a_review_from_a_file_are_checked() {
    let case = Case::new(ServerVersion::NEWEST).await;
    let handle = case.open().await;
    let mut found = finding(30, "second();");
    found["suggested_patch"] = json!({ "format": "replacement", "content": "better();" });
    let review = serde_json::to_value(Case::read(&handle, &json!([found]))).expect("JSON");
    let read = |lines: (u32, u32), edit: &Edit| {
        let mut review = review.clone();
        review["findings"][0]["fix"]["edits"] = json!([edit]);
        (review["findings"][0]["anchor"]["line_start"], review["findings"][0]["anchor"]["line_end"]) =
            (json!(lines.0), json!(lines.1));
        read_review(&handle.opened, &review.to_string()).expect("a review")
    };
    let evil = Edit { line_start: 1, lines: 1, text: "evil();\n".into() };
    let checked = read((30, 30), &evil);
    let fix = checked.findings[0].fix.as_ref().expect("the fix of the finding");
    assert_eq!(fix.edits, [Edit { line_start: 30, lines: 1, text: "better();\n".into() }]);
    for lines in [(5, 1), (0, 0), (u32::MAX, u32::MAX), (1, u32::MAX), (u32::MAX, 1)] {
        for line in [0, u32::MAX] {
            let review = read(lines, &Edit { line_start: line, lines: u32::MAX, text: "x\n".into() });
            let anchor = &review.findings[0].anchor;
            assert!(anchor.line_start <= anchor.line_end && anchor.line_end.is_none_or(|end| end <= 60), "{anchor:?}");
            plan_posting(&handle.opened, &review, &PlanOptions::default()).expect("a plan");
            relocate_review(&handle.opened, &review).expect("relocated");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_posted_summary_names_cut_parts_only_if_the_review_lacks_them() {
    let case = Case::new(versions::tested().next().expect("a version")).await;
    let target = Target::MergeRequest { base: case.gitlab.url(), project: PROJECT.into(), iid: 7 };
    let limit = parse_layer(Origin::CommandLine, "limits.max_diff_chars = 300").expect("settings");
    let repo = Some(case.clone.path().to_owned());
    let handle = case.app.open_merge_request(repo, &target, vec![limit], None).await.expect("opened");
    let mut review = Case::read(&handle, &json!([]));
    let options = PlanOptions { summary: true, ..PlanOptions::default() };
    let mut names_cut = |truncated| {
        review.meta.truncated = truncated;
        let planned = plan_posting(&handle.opened, &review, &options).expect("a plan");
        format!("{:?}", planned.plan).contains("Truncation details")
    };
    assert!(names_cut(true));
    // The capability reviewer examined the whole change.
    assert!(!names_cut(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_summary_replaces_only_the_words_of_the_agent() {
    let case = Case::new(versions::tested().next().expect("a version")).await;
    let handle = case.open().await;
    let review = Case::read(&handle, &json!([]));
    let planned = |text: Option<&str>| {
        let options = PlanOptions { summary: true, summary_text: text.map(str::to_owned), ..PlanOptions::default() };
        let planned = plan_posting(&handle.opened, &review, &options).expect("a plan");
        let summary = planned.plan.summary.expect("a summary");
        (summary.key.clone(), summary.body(&[], &planned.markers))
    };
    let token = format!("glpat-{}", "Zq8vK2mWx4Rt7Yb1Nc3L");
    let (key, agent) = planned(None);
    let (same_key, edited) = planned(Some(&format!("Look at @all first.\n\n/approve\n\n{token}")));
    // A second posting finds the summary by its key.
    assert_eq!(key, same_key);
    assert!(agent.contains("Fine.") && !edited.contains("Fine."), "{edited}");
    assert!(edited.contains("Metadata") && !edited.contains(&token), "{edited}");
    // Neither the mention nor the command has an effect.
    assert!(edited.contains("Look at `@all` first.\n\n\\/approve\n"), "{edited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_posted_finding_is_not_the_same_code_at_another_place() {
    let case = Case::new(versions::tested().next().expect("a version")).await;
    let said = |line: u32, quote: &str| {
        let mut finding = finding(line, quote);
        finding["title"] = "The error is ignored".into();
        finding["body_markdown"] = "Check the result.".into();
        json!({ "summary_markdown": "Fine.", "findings": [finding] }).to_string()
    };
    let handle = case.open().await;
    let review = read_review(&handle.opened, &said(10, "first();")).expect("a review");
    let planned = plan_posting(&handle.opened, &review, &PlanOptions { summary: true, ..PlanOptions::default() })
        .expect("a plan");
    let posting = Posting {
        opened: &handle.opened,
        plan: &planned.plan,
        review_id: None,
        folder: None,
        degrade: false,
        verdict: PostVerdict::Comment,
    };
    assert!(case.app.post(&posting, &CancellationToken::new(), &|_| ()).await.expect("posted").complete);
    let key = review.findings[0].key.clone();
    let pushed = async |text: String| {
        case.gitlab.commit("topic", "a.rs", &text);
        case.gitlab.pushed(7);
        case.open().await
    };
    let key_of = |handle: &ChangeHandle, line: u32, quote: &str| {
        read_review(&handle.opened, &said(line, quote)).expect("a review").findings[0].key.clone()
    };
    let key_at = |handle: &ChangeHandle, line: u32| key_of(handle, line, "first();");
    // Its code moved.
    let rest = [(30, "second();"), (50, "third();")];
    let moved = pushed(format!("// new\n{}", text(&[&[(10, "first();")], &rest[..]].concat()))).await;
    assert_eq!(key_at(&moved, 11), key);
    // Its code is there, and once more.
    let twice = pushed(text(&[&[(10, "first();"), (20, "first();")], &rest[..]].concat())).await;
    assert_eq!(key_at(&twice, 10), key);
    assert_ne!(key_at(&twice, 20), key);
    // Its code was corrected, and the same code is elsewhere.
    let corrected = pushed(text(&[&[(10, "first()?;"), (20, "first();")], &rest[..]].concat())).await;
    assert_ne!(key_at(&corrected, 20), key);
    assert_eq!(key_of(&corrected, 10, "first()?;"), key);
}
