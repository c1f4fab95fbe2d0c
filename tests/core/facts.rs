//! Facts about a change: from reports in the repository, named reports, and the pipeline of a merge request.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::rounds::start;
use diffsan_app::{App, ChangeHandle};
use diffsan_change::Target;
use diffsan_facts::{Facts, LineState};
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_store::secrets::{Secret, SecretName};
use diffsan_test_support::gitlab::{FakeGitlab, Fault, Job, PROJECT, Pipeline, TOKEN, Token};
use diffsan_test_support::repo::TestRepo;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const BASE: &str = "def total(items):\n    return sum(items)\n";
const HEAD: &str = "def total(items):\n    if not items:\n        return 0\n    return sum(items)\n";
const LCOV: &str = "TN:\nSF:shop/cart.py\nDA:1,1\nDA:2,1\nDA:3,0\nDA:4,1\nend_of_record\n";

struct Case {
    app: Arc<App>,
    repo: TestRepo,
    _data: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let repo = TestRepo::new();
        repo.write("shop/cart.py", BASE);
        repo.commit("base");
        let (app, data) = start("gitlab.retry_pause_ms = 5");
        Self { app, repo, _data: data }
    }

    /// Writes the head into the work tree, and a report whose time differs from it by these seconds.
    fn with_report(seconds: i64) -> Self {
        let case = Self::new();
        case.repo.write("shop/cart.py", HEAD);
        case.repo.write("coverage/lcov.info", LCOV);
        case.set_age("coverage/lcov.info", seconds);
        case
    }

    /// Sets the time of a file relative to `shop/cart.py`.
    fn set_age(&self, path: &str, seconds: i64) {
        let at = |path: &str| std::fs::File::options().append(true).open(self.repo.path().join(path)).expect("a file");
        let head = at("shop/cart.py").metadata().and_then(|about| about.modified()).expect("a time");
        let by = Duration::from_secs(seconds.unsigned_abs());
        let time: SystemTime = if seconds < 0 { head - by } else { head + by };
        at(path).set_modified(time).expect("set");
    }

    fn open(&self, target: Target) -> ChangeHandle {
        let source = Source::Repository(self.repo.path().to_owned());
        let request =
            OpenRequest { source, target, overrides: Vec::new(), since: None, trusted: false, selected: None };
        self.app.open(request).expect("opened")
    }

    async fn facts(&self, handle: &ChangeHandle, named: Vec<PathBuf>) -> Arc<Facts> {
        self.app.collect_facts(&handle.opened, named, &CancellationToken::new()).await.expect("facts")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_current_if_it_is_newer_than_the_file() {
    for (seconds, stale) in [(5, false), (-5, true)] {
        let case = Case::with_report(seconds);
        let handle = case.open(Target::Unstaged);
        let facts = case.facts(&handle, Vec::new()).await;
        assert_eq!(facts.coverage.len(), 1, "{facts:?}");
        assert_eq!((facts.coverage[0].path.as_str(), facts.coverage[0].stale), ("shop/cart.py", stale));
        assert_eq!(facts.coverage[0].state(3), Some(LineState::Uncovered));
        let summary = diffsan_pipeline::facts::summary(&handle.opened, &facts);
        let expected = if stale { (0, 0, true) } else { (1, 1, false) };
        assert_eq!((summary.covered_lines, summary.uncovered_lines, summary.stale), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_stale_for_a_commit_that_is_not_in_the_work_tree() {
    let case = Case::with_report(5);
    case.repo.git(["add", "shop"]);
    case.repo.git(["commit", "-q", "-m", "head"]);
    let handle = case.open(Target::Commit { rev: "HEAD".into() });
    assert!(!case.facts(&handle, Vec::new()).await.coverage[0].stale);
    case.repo.write("shop/cart.py", format!("# later\n{HEAD}"));
    case.set_age("coverage/lcov.info", 5);
    let handle = case.open(Target::Commit { rev: "HEAD".into() });
    assert!(case.facts(&handle, Vec::new()).await.coverage[0].stale);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_report_counts_as_current_and_may_be_anywhere() {
    let case = Case::new();
    case.repo.write("shop/cart.py", HEAD);
    let report = case.repo.beside("other.info");
    std::fs::write(&report, LCOV).expect("written");
    let handle = case.open(Target::Unstaged);
    let facts = case.facts(&handle, vec![report, case.repo.beside("missing.xml")]).await;
    assert!(!facts.coverage[0].stale);
    let problems: Vec<bool> = facts.sources.iter().map(|source| source.problem.is_some()).collect();
    assert_eq!(problems, [false, true], "{:?}", facts.sources);
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_in_reports_are_masked_and_files_outside_are_not_read() {
    let case = Case::new();
    case.repo.write("shop/cart.py", HEAD);
    let secret = "glpat-aB3dE5gH7jK9mN1pQ2rS";
    let junit = format!(
        "<testsuite name=\"s\"><testcase name=\"adds\" file=\"shop/cart.py\" line=\"3\">\
         <failure message=\"token {secret}\">token = {secret}\nshop/cart.py:3: Error</failure></testcase></testsuite>"
    );
    case.repo.write("reports/junit.xml", junit);
    std::fs::write(case.repo.beside("secret.xml"), "<testsuite><testcase name=\"x\"/></testsuite>").expect("written");
    std::os::unix::fs::symlink("../../secret.xml", case.repo.path().join("reports/link.xml")).expect("linked");
    let handle = case.open(Target::Unstaged);
    let facts = case.facts(&handle, Vec::new()).await;
    assert_eq!(facts.sources.len(), 1, "{:?}", facts.sources);
    let text = serde_json::to_string(&*facts).expect("JSON");
    assert!(!text.contains(secret) && text.contains("REDACTED"), "{text}");
    assert_eq!((facts.failures[0].places[0].path.as_str(), facts.failures[0].places[0].line), ("shop/cart.py", 3));
}

/// A merge request of the same change, with a pipeline.
struct Served {
    case: Case,
    gitlab: FakeGitlab,
}

impl Served {
    async fn new() -> Self {
        let case = Case::new();
        case.repo.git(["checkout", "-q", "-b", "topic"]);
        case.repo.write("shop/cart.py", HEAD);
        case.repo.commit("Handle no items");
        case.repo.git(["checkout", "-q", "main"]);
        let gitlab = FakeGitlab::start(&case.repo.path().join(".git")).await;
        gitlab.merge_request(7, "topic", "main");
        let name = SecretName::parse(&gitlab.url()).expect("a name");
        case.app.save_secret(&name, &Secret::new(TOKEN), true).expect("kept");
        Self { case, gitlab }
    }

    fn pipeline(sha: &str) -> Pipeline {
        let job = |id, name: &str, status: &str| Job {
            id,
            name: name.into(),
            stage: "test".into(),
            status: status.into(),
            ..Job::default()
        };
        let log = "\u{1b}[0Ksection_start:1:x\r\u{1b}[0K$ pytest\n\u{1b}[31mFAILED\u{1b}[0m password = \"hunter2-very-secret\"\n";
        let lcov = LCOV.replace("SF:", "SF:/builds/group/sub/project/");
        let unit =
            Job { log: log.into(), artifacts: vec![("coverage/lcov.info".into(), lcov)], ..job(11, "unit", "failed") };
        let failed = json!({ "status": "failed", "name": "test_empty", "classname": "tests.test_cart", "execution_time": 0.1,
            "system_output": "E assert 1 == 0\n\nshop/cart.py:3: AssertionError", "stack_trace": null });
        Pipeline {
            id: 90,
            sha: sha.into(),
            status: "failed".into(),
            jobs: vec![job(10, "lint", "success"), unit],
            tests: vec![failed, json!({ "status": "success", "name": "ok" })],
            ..Pipeline::default()
        }
    }

    async fn facts(&self) -> Arc<Facts> {
        let target = Target::MergeRequest { base: self.gitlab.url(), project: PROJECT.into(), iid: 7 };
        let handle = self.case.app.open_merge_request(None, &target, Vec::new(), None).await.expect("opened");
        self.case.facts(&handle, Vec::new()).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pipeline_of_the_head_has_jobs_failed_tests_and_coverage() {
    let served = Served::new().await;
    served.gitlab.pipeline(7, Served::pipeline(""));
    let facts = served.facts().await;
    let pipeline = facts.pipeline.as_ref().expect("a pipeline");
    assert_eq!((pipeline.status.as_str(), pipeline.stale), ("failed", false));
    assert_eq!(facts.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(), ["lint", "unit"]);
    let log = &facts.jobs[1].log.as_ref().expect("a log").text;
    assert!(log.starts_with("$ pytest\nFAILED password") && !log.contains("hunter2"), "{log:?}");
    assert_eq!(facts.tests.map(|tests| (tests.passed, tests.failed)), Some((1, 1)));
    assert_eq!((facts.failures[0].places[0].path.as_str(), facts.failures[0].places[0].line), ("shop/cart.py", 3));
    assert_eq!((facts.coverage[0].stale, facts.coverage[0].state(3)), (false, Some(LineState::Uncovered)));
    assert!(facts.sources.iter().all(|source| source.problem.is_none()), "{:?}", facts.sources);
    assert!(served.gitlab.requests().iter().all(|one| one.method == "GET" && !one.path.contains(TOKEN)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pipeline_of_another_commit_is_stale() {
    let served = Served::new().await;
    served.gitlab.pipeline(7, Served::pipeline(""));
    served.gitlab.commit("topic", "shop/cart.py", &format!("# new\n{HEAD}"));
    served.gitlab.pushed(7);
    let facts = served.facts().await;
    assert!(facts.pipeline.as_ref().is_some_and(|pipeline| pipeline.stale));
    assert!(facts.coverage.iter().all(|file| file.stale) && facts.failures.iter().all(|failure| failure.stale));
    assert!(facts.current_coverage("shop/cart.py").is_none());
    assert!(facts.notes.iter().any(|note| note.contains("the head has no pipeline")), "{:?}", facts.notes);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_the_token_may_not_read_are_listed_with_the_reason() {
    let served = Served::new().await;
    served.gitlab.pipeline(7, Served::pipeline(""));
    served.gitlab.with(|state| {
        let guest = Token { user: 1, scopes: vec!["api".into()], guest: true, ..Token::default() };
        state.tokens.insert(TOKEN.into(), guest);
        state.faults.push(("GET".into(), "/test_report".into(), 0, Fault::Status(403, "403 Forbidden".into())));
    });
    let facts = served.facts().await;
    assert_eq!(facts.jobs.len(), 2);
    let problems: Vec<&str> =
        facts.sources.iter().filter(|source| source.problem.is_some()).map(|source| source.name.as_str()).collect();
    assert_eq!(problems, ["tests of pipeline 90", "log of unit", "artifacts of unit"], "{:?}", facts.sources);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_pipeline_nothing_is_wrong() {
    let served = Served::new().await;
    let facts = served.facts().await;
    assert!(facts.pipeline.is_none() && facts.sources.is_empty(), "{facts:?}");
    assert_eq!(facts.notes, ["the merge request has no pipeline"]);
}
