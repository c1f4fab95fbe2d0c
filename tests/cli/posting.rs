//! Posting with the real program: the preview equals the posted text, a kill at any moment loses and duplicates nothing, pipelines,
//! tokens.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use diffsan_test_support::gitlab::{FakeGitlab, Fault, PROJECT, ServerVersion, TOKEN, VerdictKind, versions};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, answer, read_json};

struct Case {
    installation: Installation,
    clone: TestRepo,
    gitlab: FakeGitlab,
    model: ModelServer,
    review: PathBuf,
    _runtime: tokio::runtime::Runtime,
}

fn finding(line: u32, quote: &str, replacement: Option<&str>) -> Value {
    let patch = replacement.map(|content| json!({ "format": "replacement", "content": content }));
    json!({ "severity": "high", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line,
        "title": format!("Line {line}"), "body_markdown": "Wrong.\n/approve\n@author", "quote": quote, "suggested_patch": patch })
}

fn origin() -> TestRepo {
    let origin = TestRepo::new();
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    origin.write("a.rs", &text);
    origin.write("script.sh", "echo script\n");
    origin.write(".diffsan.toml", "[limits]\nmax_files = 7\n");
    origin.commit("base");
    origin.git(["checkout", "-q", "-b", "topic"]);
    origin.write("a.rs", text.replace("line 5\n", "new 5\n").replace("line 30\n", "new 30\n"));
    origin.commit("topic");
    origin.git(["checkout", "-q", "main"]);
    origin
}

impl Case {
    fn new() -> Self {
        Self::of(ServerVersion::NEWEST)
    }

    fn of(version: ServerVersion) -> Self {
        Self::with(version, &origin())
    }

    fn with(version: ServerVersion, origin: &TestRepo) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let gitlab = runtime.block_on(versions::start(version, origin));
        let turn = json!({ "text": answer("a.rs", 5, "new 5") });
        let model = runtime.block_on(ModelServer::start(json!({ "turns": [turn] })));
        let installation = Installation::new()
            .with("DIFFSAN_GITLAB_TOKEN", TOKEN)
            .with("DIFFSAN_GITLAB__BASE_URL", gitlab.url())
            .with("DIFFSAN_GITLAB__RETRY_PAUSE_MS", "10")
            .with_endpoint("one", &model.url());
        let clone = TestRepo::clone_of(origin, &[]);
        clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
        let review = installation.home().join("review.json");
        let findings = json!({ "summary_markdown": "Mostly fine.\n\n/merge", "findings": [
            finding(5, "new 5", Some("better 5")), finding(30, "new 30", None), finding(18, "line 18", Some("better 18")),
        ] });
        std::fs::write(&review, findings.to_string()).expect("written");
        Self { installation, clone, gitlab, model, review, _runtime: runtime }
    }

    fn url(&self) -> String {
        format!("{}/{PROJECT}/-/merge_requests/7", self.gitlab.url())
    }

    fn args<'a>(&'a self, url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec!["post", "--mr", url, "--review", self.review.to_str().expect("text")];
        args.extend(more);
        args
    }

    fn post(&self, more: &[&str]) -> crate::support::Ran {
        self.installation.run(self.clone.path(), &self.args(&self.url(), more))
    }

    /// Returns the text of each comment.
    fn bodies(&self) -> Vec<String> {
        let request = self.gitlab.look(7);
        let notes = request.threads.iter().flat_map(|thread| &thread.notes).filter(|note| !note.system);
        notes.map(|note| note.body.clone()).collect()
    }

    fn check(&self, what: &str) {
        let bodies = self.bodies();
        let marks = |part: &str| bodies.iter().filter(|body| body.contains(part)).count();
        assert_eq!(
            (marks("<!-- diffsan:finding:"), marks("<!-- diffsan:ai-reviewer -->"), bodies.len()),
            (3, 1, 4),
            "{what}: {bodies:#?}"
        );
        let mut unique = bodies.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), 4, "{what}");
        assert!(self.gitlab.look(7).drafts.is_empty(), "{what}: drafts are left");
        let (executed, mentioned) = self.gitlab.with(|state| (state.executed.clone(), state.mentioned.clone()));
        assert!(executed.is_empty() && mentioned.is_empty(), "{what}: {executed:?} {mentioned:?}");
    }

    fn writes(&self) -> Vec<String> {
        let requests = self.gitlab.requests();
        requests.iter().filter(|one| one.method != "GET").map(|one| format!("{} {}", one.method, one.path)).collect()
    }
}

#[test]
fn posted_comments_equal_the_preview() {
    for version in versions::tested() {
        check_preview(&Case::of(version));
    }
}

fn check_preview(case: &Case) {
    let shown = case.post(&["--dry-run", "--format", "json"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(case.writes().is_empty(), "a dry run writes nothing");
    let plan = shown.json();
    let text = case.post(&["--dry-run"]).stdout;
    assert!(text.contains("── added line, suggestion · a.rs:5 · high") && text.contains("── unchanged line"), "{text}");
    let posted = case.post(&[]);
    assert_eq!(posted.code, 0, "{posted:?}");
    let way = if case.gitlab.version().has_draft_notes() { "Published together" } else { "Posted one by one" };
    assert!(posted.stdout.contains("posted        Line 5  http") && posted.stdout.contains(way), "{posted:?}");
    let mut wanted: Vec<String> = plan["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["body"].as_str().expect("text").to_owned())
        .collect();
    let bodies = case.bodies();
    for body in &wanted {
        assert!(bodies.contains(body), "{body}\n{bodies:#?}");
    }
    assert!(wanted.iter().any(|body| body.contains("```suggestion:-0+0\nbetter 5\n```")));
    assert!(bodies.iter().any(|body| body.contains("\\/merge")), "the summary's commands are text");
    wanted.clear();
    case.check("posted");
    let again = case.post(&[]);
    assert!(again.code == 0 && again.stdout.matches("\nalready posted").count() == 4, "{again:?}");
    case.check("again");
}

#[test]
fn a_kill_after_any_write_neither_loses_nor_duplicates_comments() {
    let origin = origin();
    for version in versions::tested() {
        // Single comments are sent in the same way to each version.
        let way = if version.has_draft_notes() { "auto" } else { "discussions" };
        let clean = Case::with(version, &origin);
        let setting = format!("gitlab.posting={way}");
        assert_eq!(clean.post(&["--set", &setting]).code, 0);
        let writes = clean.writes();
        assert!(writes.len() >= 4, "{writes:?}");
        for at in 0..writes.len() {
            let case = Case::with(version, &origin);
            // The request is executed, its answer is never sent, and the program is killed.
            for method in ["POST", "PUT", "DELETE"] {
                let before = writes[..at].iter().filter(|one| one.starts_with(method)).count();
                if writes[at].starts_with(method) {
                    case.gitlab.with(|state| state.faults.push((method.into(), "/".into(), before, Fault::HangAfter)));
                }
            }
            let url = case.url();
            let mut args = case.args(&url, &[]);
            args.extend(["--set", &setting]);
            let mut child = case.installation.command(case.clone.path(), &args).spawn().expect("started");
            let begun = Instant::now();
            while case.gitlab.with(|state| !state.faults.is_empty()) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{way}: write {at} never came");
                assert!(child.try_wait().expect("a state").is_none(), "{way}: it ended before write {at}");
                std::thread::sleep(Duration::from_millis(5));
            }
            child.kill().expect("killed");
            child.wait().expect("ended");
            let again = case.post(&["--set", &setting]);
            assert_eq!(again.code, 0, "{way}, killed after {}: {again:?}", writes[at]);
            case.check(&format!("{way}, killed after {}", writes[at]));
        }
    }
}

#[test]
fn only_the_named_findings_are_posted() {
    let case = Case::new();
    let planned = |only: &str| case.post(&["--dry-run", "--format", "json", "--only", only]);
    let all = case.post(&["--dry-run", "--format", "json"]).json();
    let plan = planned("a.rs:5,a.rs:30").json();
    let titles: Vec<&str> =
        plan["items"].as_array().expect("items").iter().filter_map(|one| one["title"].as_str()).collect();
    assert_eq!(titles, ["Line 5", "Line 30"]);
    let key = all["items"][1]["key"].as_str().expect("a key");
    assert_eq!(planned(key).json()["items"].as_array().expect("items").len(), 1);
    let refused = planned("a.rs:7");
    assert!(refused.code == 2 && refused.stderr.contains("has no finding at `a.rs:7`"), "{refused:?}");
    assert!(refused.stderr.contains("a.rs:5, a.rs:30"), "{refused:?}");
}

#[test]
fn a_push_since_the_review_requires_reanchoring() {
    for version in versions::tested() {
        check_push(version);
    }
}

fn check_push(version: ServerVersion) {
    let case = Case::of(version);
    let ran = case.installation.run(case.clone.path(), &["review", "--mr", &case.url(), "--agent", "one", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    std::fs::write(&case.review, &ran.stdout).expect("written");
    // Two more lines above, and the line itself is unchanged.
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    case.gitlab.commit("topic", "a.rs", &format!("first\nsecond\n{}", text.replace("line 5\n", "new 5\n")));
    case.gitlab.pushed(7);
    let refused = case.post(&[]);
    assert!(
        refused.code == 7 && refused.stderr.contains("has changed") && refused.stderr.contains("--reanchor"),
        "{refused:?}"
    );
    assert!(case.writes().is_empty());
    let posted = case.post(&["--reanchor"]);
    assert_eq!(posted.code, 0, "{posted:?}");
    let line = case.gitlab.look(7).threads.iter().find_map(|thread| thread.notes[0].position.as_ref()?.new_line);
    assert_eq!(line, Some(7), "where its code stands now");
    // A finding whose code is gone is posted on its file, or in the summary of a version without comments on files.
    let case = Case::of(version);
    let ran = case.installation.run(case.clone.path(), &["review", "--mr", &case.url(), "--agent", "one", "--json"]);
    std::fs::write(&case.review, &ran.stdout).expect("written");
    case.gitlab.commit("topic", "a.rs", &text.replace("line 5\n", "quite another\n"));
    case.gitlab.pushed(7);
    let posted = case.post(&["--reanchor"]);
    assert_eq!(posted.code, 0, "{posted:?}");
    let request = case.gitlab.look(7);
    let mut positions = request.threads.iter().filter_map(|thread| thread.notes[0].position.as_ref());
    let place = positions.next().map(|position| (position.position_type.as_str(), position.new_line));
    assert_eq!(place, version.has_file_positions().then_some(("file", None)));
    assert!(case.bodies().iter().any(|body| body.contains("Off by one")));
}

#[test]
fn a_verdict_is_given_with_the_comments_on_every_version_that_has_it() {
    for version in ServerVersion::TESTED {
        let case = Case::new();
        case.gitlab.set_version(version);
        let shown = case.post(&["--verdict", "approve", "--dry-run"]);
        assert!(shown.stdout.ends_with("── verdict: approve\n") && case.writes().is_empty(), "{version}: {shown:?}");
        let requested = case.post(&["--verdict", "request-changes"]);
        let mut given = Vec::new();
        if version < ServerVersion::new(17, 0) {
            assert!(requested.code == 7 && requested.stderr.contains("needs GitLab 17.0"), "{version}: {requested:?}");
            assert!(case.writes().is_empty(), "{version}: nothing is posted without the verdict");
        } else {
            assert_eq!(requested.code, 0, "{version}: {requested:?}");
            assert!(requested.stdout.contains("given         Verdict: request changes"), "{version}: {requested:?}");
            given.push(VerdictKind::RequestedChanges);
        }
        let approved = case.post(&["--verdict", "approve", "--format", "json"]);
        assert_eq!(approved.code, 0, "{version}: {approved:?}");
        assert_eq!(approved.json()["verdict"], json!({ "verdict": "approve", "state": "given", "error": null }));
        given.push(VerdictKind::Approved);
        let again = case.post(&["--verdict", "approve"]);
        assert!(again.code == 0 && again.stdout.contains("already given Verdict: approve"), "{version}: {again:?}");
        assert_eq!(case.gitlab.verdicts(7), given, "{version}");
        case.check(&version.to_string());
    }
}

#[test]
fn no_verdict_is_given_for_an_incomplete_posting_or_another_head() {
    let case = Case::new();
    let refusal = r#"400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}"#;
    let fault = Fault::Status(400, refusal.into());
    case.gitlab.with(|state| state.faults.push(("POST".into(), "discussions".into(), 0, fault)));
    let ran = case.post(&["--set", "gitlab.posting=discussions", "--strict", "--verdict", "approve"]);
    assert!(ran.code == 7 && ran.stdout.contains("NOT GIVEN     Verdict: approve"), "{ran:?}");
    assert_eq!(case.gitlab.verdicts(7), []);
    // Without --strict, the refused comment is moved, and the posting is complete.
    let fault = Fault::Status(400, refusal.into());
    case.gitlab.with(|state| state.faults.push(("POST".into(), "discussions".into(), 0, fault)));
    let ran = case.post(&["--set", "gitlab.posting=discussions", "--verdict", "approve"]);
    assert!(ran.code == 0 && ran.stdout.contains("1 of 4 were moved"), "{ran:?}");
    assert_eq!(case.gitlab.verdicts(7), [VerdictKind::Approved]);
    let case = Case::new();
    let ran = case.installation.run(case.clone.path(), &["review", "--mr", &case.url(), "--agent", "one", "--json"]);
    std::fs::write(&case.review, &ran.stdout).expect("written");
    case.gitlab.commit("topic", "b.rs", "new\n");
    case.gitlab.pushed(7);
    let ran = case.post(&["--reanchor", "--verdict", "approve"]);
    assert!(ran.code == 7 && ran.stderr.contains("has changed since the review"), "{ran:?}");
    assert!(case.writes().is_empty() && case.gitlab.verdicts(7).is_empty());
    assert_eq!(case.post(&["--reanchor"]).code, 0, "comments alone can be posted");
}

#[test]
fn a_pipeline_posts_a_review_once() {
    for version in versions::tested() {
        check_pipeline(&Case::of(version));
    }
}

fn check_pipeline(case: &Case) {
    let url = case.gitlab.url();
    let installation = [
        "CI_MERGE_REQUEST_IID=7".to_owned(),
        format!("CI_MERGE_REQUEST_PROJECT_PATH={PROJECT}"),
        format!("CI_API_V4_URL={url}/api/v4"),
    ]
    .iter()
    .fold(Installation::new().with("GITLAB_TOKEN", TOKEN), |made, pair| {
        let (name, value) = pair.split_once('=').expect("a pair");
        made.with(name, value)
    });
    let installation = installation
        .with_endpoint("one", &case.model.url())
        .with("DIFFSAN_AGENT__NAME", "one")
        .with("CI_PIPELINE_ID", "1234");
    let job = tempfile::tempdir().expect("a folder");
    let ran = installation.run(job.path(), &["review", "--ci", "--post", "--format", "markdown"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let folder = job.path().join(".diffsan");
    for name in ["run.json", "events.jsonl", "review.json", "post_plan.json", "post_results.json", "skip.json"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    assert_eq!(read_json(&folder, "post_results.json")["complete"], true);
    let bodies = case.bodies();
    assert!(bodies.len() == 2 && bodies.iter().any(|body| body.contains("**Pipeline:** `1234`")), "{bodies:#?}");
    let settings = std::fs::read_to_string(folder.join("events.jsonl")).expect("events");
    assert!(
        settings.contains("limits.max_files from .diffsan.toml at"),
        "the target side's settings are read without a clone"
    );
    for entry in std::fs::read_dir(&folder).expect("files").flatten() {
        assert!(!String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap_or_default()).contains(TOKEN));
    }
    // The diff is unchanged, so it is skipped in the pipeline, and in the application of the same user.
    let again = installation.run(job.path(), &["review", "--ci", "--post"]);
    assert!(again.code == 0 && again.stderr.contains("SAME_FINGERPRINT"), "{again:?}");
    let app = case.installation.run(case.clone.path(), &["review", "--mr", &case.url(), "--agent", "one"]);
    assert!(app.code == 0 && app.stderr.contains("SAME_FINGERPRINT"), "{app:?}");
    // A gate judges the change again: a retried job does not pass because its first run posted the findings.
    let gate = ["review", "--mr", &case.url(), "--agent", "one", "--fail-on", "info"];
    assert_eq!(case.installation.run(case.clone.path(), &gate).code, 1);
    let anyway = case
        .installation
        .run(case.clone.path(), &["review", "--mr", &case.url(), "--agent", "one", "--anyway", "--post"]);
    assert_eq!(anyway.code, 0, "{anyway:?}");
    let asked = case.model.requests().last().expect("asked").body.to_string();
    assert!(asked.contains("finding, open: a.rs:5"), "what was said is told: {asked}");
    assert_eq!(case.bodies().len(), 2, "the same finding is not posted again: {:#?}", case.bodies());
    // Outside of a pipeline, and a merge request that merges automatically.
    let outside = Installation::new().run(job.path(), &["review", "--ci"]);
    assert!(outside.code == 3 && outside.stderr.contains("CI_MERGE_REQUEST_IID"), "{outside:?}");
    case.gitlab.with(|state| state.auto_merge(7));
    let merging = installation.run(job.path(), &["review", "--ci"]);
    assert!(merging.code == 0 && merging.stderr.contains("AUTO_MERGE"), "{merging:?}");
}

#[test]
fn a_token_is_only_sent_to_its_own_host() {
    let case = Case::new();
    let other = Installation::new().with("DIFFSAN_GITLAB_TOKEN", TOKEN);
    let ran = other.run(case.clone.path(), &["prepare", "--mr", &case.url()]);
    assert!(ran.code == 7 && ran.stderr.contains("is only sent there"), "{ran:?}");
    assert!(case.gitlab.requests().is_empty());
    let weak = Case::new();
    weak.gitlab.with(|state| state.tokens.get_mut(TOKEN).expect("a token").scopes = vec!["read_api".into()]);
    let ran = weak.post(&[]);
    assert!(ran.code == 7 && ran.stderr.contains("scopes are read_api") && weak.writes().is_empty(), "{ran:?}");
    let checked = weak.installation.run(weak.clone.path(), &["secret", "check", &weak.gitlab.url()]);
    assert!(
        checked.code == 0 && checked.stderr.contains("read_api") && checked.stderr.contains("Posting needs"),
        "{checked:?}"
    );
}

#[test]
fn the_commits_are_fetched_into_refs_of_their_own() {
    let case = Case::new();
    let before = String::from_utf8_lossy(&case.clone.git(["for-each-ref"])).into_owned();
    // The clone does not have this commit.
    case.gitlab.commit("topic", "a.rs", "other\n");
    case.gitlab.pushed(7);
    let head = case.gitlab.look(7).versions[1].head.clone();
    let ran = case.installation.run(case.clone.path(), &["prepare", "--mr", &case.url(), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stderr.contains("could not be fetched"), "{}", ran.stderr);
    let after = String::from_utf8_lossy(&case.clone.git(["for-each-ref"])).into_owned();
    let new: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
    assert_eq!(new[0], format!("{head} commit\trefs/diffsan/merge-requests/7/head"));
    // The head is also kept as a version that was seen.
    assert!(new.len() == 2 && new[1].starts_with(&format!("{head} commit\trefs/diffsan/seen/")), "{new:?}");
    assert!(!case.clone.path().join(".git/FETCH_HEAD").exists());
    let read = case.clone.git(["show", "refs/diffsan/merge-requests/7/head:a.rs"]);
    assert_eq!(read, b"other\n");
}

#[test]
fn a_later_round_sends_only_new_hunks_with_prior_findings() {
    for version in versions::tested() {
        check_later_round(&Case::of(version));
    }
}

fn check_later_round(case: &Case) {
    assert_eq!(case.post(&[]).code, 0);
    // The second hunk changes again. The first one is as reviewed.
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    case.gitlab.commit("topic", "a.rs", &text.replace("line 5\n", "new 5\n").replace("line 30\n", "newer 30\n"));
    case.gitlab.pushed(7);
    let prepared =
        case.installation.run(case.clone.path(), &["prepare", "--mr", &case.url(), "--since", "last", "--json"]);
    assert_eq!(prepared.code, 0, "{prepared:?}");
    let prepared = prepared.json();
    let diff = prepared["diff"].as_str().expect("a diff");
    assert!(diff.contains("+newer 30") && !diff.contains("new 5\n"), "{diff}");
    assert_eq!(prepared["ignored"][0]["details"], "1 of 2 hunks were already reviewed");
    assert_eq!(prepared["truncation"]["truncated"], false);
    let whole = case.installation.run(case.clone.path(), &["prepare", "--mr", &case.url(), "--json"]).json();
    assert!(whole["diff"].as_str().expect("a diff").contains("+new 5"));
    let args = ["review", "--mr", &case.url(), "--since", "last", "--agent", "one"];
    assert_eq!(case.installation.run(case.clone.path(), &args).code, 0);
    let asked = case.model.requests().last().expect("asked").body.to_string();
    assert!(asked.contains("finding, open: a.rs:30 [high] Line 30") && !asked.contains("+new 5"), "{asked}");
    let refused = case.installation.run(case.clone.path(), &["prepare", "--unstaged", "--since", "HEAD"]);
    assert!(refused.code == 4 && refused.stderr.contains("local changes"), "{refused:?}");
}

#[test]
fn a_later_round_sends_the_files_that_the_limits_cut_before() {
    let origin = origin();
    origin.git(["checkout", "-q", "topic"]);
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    origin.write("b.rs", "cut before\n");
    origin.write("c.rs", "also cut\n");
    origin.commit("more files");
    origin.git(["checkout", "-q", "main"]);
    let case = Case::with(ServerVersion::NEWEST, &origin);
    let url = case.url();
    let run = |args: &[&str]| {
        let ran = case.installation.run(case.clone.path(), args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    };
    let review = |more: &[&str]| {
        let args = ["review", "--mr", &url, "--agent", "one", "--post", "--set", "limits.max_files=1"];
        run(&[&args[..], more].concat());
        case.model.requests().last().expect("asked").body.to_string()
    };
    let asked = review(&[]);
    assert!(asked.contains("+new 5") && !asked.contains("+cut before"), "{asked}");
    // Another installation knows the files from the posted summary.
    let other =
        Installation::new().with("DIFFSAN_GITLAB_TOKEN", TOKEN).with("DIFFSAN_GITLAB__BASE_URL", case.gitlab.url());
    let args = ["prepare", "--mr", &url, "--since", "last", "--json"];
    for installation in [&case.installation, &other] {
        let rest = installation.run(case.clone.path(), &args).json();
        let diff = rest["diff"].as_str().expect("a diff");
        assert!(diff.contains("+cut before") && diff.contains("+also cut") && !diff.contains("+new 5"), "{diff}");
    }
    case.gitlab.commit("topic", "a.rs", &text.replace("line 5\n", "new 5\n").replace("line 30\n", "newer 30\n"));
    case.gitlab.pushed(7);
    let pushed = run(&["prepare", "--mr", &url, "--since", "last"]);
    assert!(pushed.stdout.contains("+newer 30") && pushed.stdout.contains("+cut before"), "{pushed:?}");
    let note = "note: 2 files count as new, because the review of ";
    assert!(pushed.stderr.contains(note), "{pushed:?}");
    // Each round sends one file more, also of the same head, until all were sent.
    let asked = [review(&["--since", "last"]), review(&["--since", "last"]), review(&["--since", "last"])];
    let sent = ["+newer 30", "+cut before", "+also cut"];
    for (at, asked) in asked.iter().enumerate() {
        let found: Vec<bool> = sent.iter().map(|line| asked.contains(line)).collect();
        assert_eq!(found, (0..3).map(|other| other == at).collect::<Vec<_>>(), "{at}: {asked}");
        assert!(asked.contains("c.rs: the whole file, which was not reviewed before"), "{asked}");
    }
    assert_eq!(run(&args).json()["diff"], "");
}

#[test]
fn code_that_was_pushed_before_reanchoring_is_sent_in_the_next_round() {
    let case = Case::new();
    let ran = case.installation.run(case.clone.path(), &["review", "--mr", &case.url(), "--agent", "one", "--json"]);
    std::fs::write(&case.review, &ran.stdout).expect("written");
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    case.gitlab.commit("topic", "a.rs", &text.replace("line 5\n", "new 5\n").replace("line 30\n", "newer 30\n"));
    case.gitlab.pushed(7);
    let posted = case.post(&["--reanchor"]);
    assert_eq!(posted.code, 0, "{posted:?}");
    let args = ["prepare", "--mr", &case.url(), "--since", "last", "--json"];
    let rest = case.installation.run(case.clone.path(), &args);
    let diff = rest.json()["diff"].as_str().expect("a diff").to_owned();
    assert!(diff.contains("+newer 30") && !diff.contains("+new 5"), "{diff}");
}

#[test]
fn a_finding_outside_of_the_change_fails_visibly_without_a_summary() {
    let case = Case::new();
    let mut outside = finding(1, "echo script", None);
    outside["path"] = json!("script.sh");
    let review = json!({ "summary_markdown": "Fine.", "findings": [outside, finding(5, "new 5", None)] });
    std::fs::write(&case.review, review.to_string()).expect("written");
    let posted = case.post(&["--no-summary"]);
    assert_eq!(posted.code, 7, "{posted:?}");
    assert!(posted.stdout.contains("outside of the summary, and no summary is posted"), "{posted:?}");
    assert_eq!(case.bodies().len(), 1, "{posted:?}");
    let posted = case.post(&[]);
    assert_eq!(posted.code, 0, "{posted:?}");
}

#[test]
fn a_finding_on_a_file_fails_visibly_without_a_summary_on_versions_without_comments_on_files() {
    // GitLab has no lines for a file whose mode alone changes.
    let origin = origin();
    origin.git(["checkout", "-q", "topic"]);
    origin.git(["update-index", "--chmod=+x", "script.sh"]);
    origin.git(["commit", "-q", "-m", "mode"]);
    origin.git(["checkout", "-q", "-f", "main"]);
    for version in versions::tested() {
        let case = Case::with(version, &origin);
        let mut finding = finding(1, "echo script", None);
        finding["path"] = json!("script.sh");
        let review = json!({ "summary_markdown": "Fine.", "findings": [finding] });
        std::fs::write(&case.review, review.to_string()).expect("written");
        let posted = case.post(&["--no-summary"]);
        if version.has_file_positions() {
            assert_eq!(posted.code, 0, "{posted:?}");
            assert_eq!(case.bodies().len(), 1);
            continue;
        }
        assert_eq!(posted.code, 7, "{posted:?}");
        assert!(posted.stdout.contains("FAILED        Line 1\n") && posted.stdout.contains("1 of 1"), "{posted:?}");
        assert!(posted.stdout.contains("rejected the line"), "{posted:?}");
        // With the summary, it is posted there.
        let posted = case.post(&[]);
        assert!(posted.code == 0 && case.bodies().iter().any(|body| body.contains("Line 1")), "{posted:?}");
    }
}
