//! Actions at the desk besides deciding: expanding context, viewed marks, adding and editing findings, and applying suggestions to
//! the work tree.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diffsan_app::{
    App, AppOptions, ChangeHandle, EntryKind, FindingEdit, FollowedRuns, NewFinding, ReviewOutcome, SavedReview, SentBy,
};
use diffsan_change::Target;
use diffsan_config::{Origin, parse_layer};
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_pipeline::review::{ReviewRequest, RunLocation};
use diffsan_review::finding::{AnchorState, Category, Decision, Severity, Side};
use diffsan_rpc::Server;
use diffsan_store::files::artifacts::{RunRecord, RunState};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub struct Desk {
    pub app: Arc<App>,
    pub repo: TestRepo,
    _data: tempfile::TempDir,
}

pub fn lines(changed: &[(u32, &str)]) -> String {
    let line = |number| match changed.iter().find(|(at, _)| *at == number) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("fn line_{number}() {{}}\n"),
    };
    (1..=80).map(line).collect()
}

impl Desk {
    pub fn new() -> Self {
        let repo = TestRepo::new();
        repo.write("a.rs", lines(&[]));
        repo.commit("base");
        repo.write("a.rs", lines(&[(10, "fn ten() {}"), (50, "fn fifty() {}")]));
        let data = tempfile::tempdir().expect("a folder");
        let options = AppOptions {
            data_dir: Some(data.path().join("data")),
            config_dir: Some(data.path().join("config")),
            ..AppOptions::default()
        };
        Self { app: App::start(options).expect("started"), repo, _data: data }
    }

    pub fn open(&self) -> ChangeHandle {
        self.open_target(Target::Unstaged)
    }

    fn open_target(&self, target: Target) -> ChangeHandle {
        let source = Source::Repository(self.repo.path().to_owned());
        let request =
            OpenRequest { source, target, overrides: Vec::new(), trusted: false, since: None, selected: None };
        self.app.open(request).expect("opened")
    }

    fn viewed(&self) -> Vec<u32> {
        let handle = self.open();
        self.app.viewed(&handle.opened).expect("read").of(&handle.opened.change.files[0])
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.repo.path().join("a.rs")).expect("there")
    }
}

pub fn finding(line: u32, body: &str) -> NewFinding {
    NewFinding {
        severity: Severity::Medium,
        category: Category::Correctness,
        path: "a.rs".into(),
        side: Side::New,
        line_start: line,
        line_end: line,
        title: String::new(),
        body: body.into(),
    }
}

#[test]
fn lines_around_the_hunks_come_to_the_end_of_the_file() {
    let desk = Desk::new();
    let handle = desk.open();
    let file = &handle.opened.change.files[0];
    let found = desk.app.context(&handle.opened, file, 14, 16, 2).expect("there");
    let texts =
        |lines: &[Vec<u8>]| lines.iter().map(|one| String::from_utf8_lossy(one).into_owned()).collect::<Vec<_>>();
    assert_eq!(texts(&found.lines), ["fn line_14() {}", "fn line_15() {}", "fn line_16() {}"]);
    assert_eq!(texts(&found.lead), ["fn line_12() {}", "fn line_13() {}"]);
    assert_eq!((found.first, found.total), (14, 80));
    let end = desk.app.context(&handle.opened, file, 79, 9_999, 0).expect("there");
    assert_eq!(texts(&end.lines), ["fn line_79() {}", "fn line_80() {}"]);
    assert!(desk.app.context(&handle.opened, file, 500, 600, 0).expect("there").lines.is_empty());
    // Lines of a file that has changed since it was opened are not shown.
    desk.repo.write("a.rs", lines(&[(10, "fn eleven() {}")]));
    let error = desk.app.context(&handle.opened, file, 14, 16, 0).expect_err("moved on");
    assert!(error.message.contains("has changed"), "{}", error.message);
}

#[test]
fn viewed_hunks_stay_viewed_when_they_move() {
    let desk = Desk::new();
    let handle = desk.open();
    let file = &handle.opened.change.files[0];
    desk.app.set_viewed(&handle.opened, &[(file, Some(1))], true).expect("kept");
    assert_eq!(desk.viewed(), [1]);
    // With a new hunk above, the viewed hunk is the third. An edit of the other hunk does not affect it.
    desk.repo.write("a.rs", lines(&[(1, "fn one() {}"), (10, "fn zehn() {}"), (50, "fn fifty() {}")]));
    assert_eq!(desk.viewed(), [2]);
    desk.repo.write("a.rs", lines(&[(50, "fn other() {}")]));
    assert_eq!(desk.viewed(), [0; 0]);
    let handle = desk.open();
    let all = [(&handle.opened.change.files[0], None)];
    desk.app.set_viewed(&handle.opened, &all, true).expect("kept");
    assert_eq!(desk.viewed(), [0]);
    desk.app.set_viewed(&handle.opened, &all, false).expect("taken back");
    assert_eq!(desk.viewed(), [0; 0]);
}

#[test]
fn a_removed_review_is_not_found_when_it_is_edited() {
    let desk = Desk::new();
    let handle = desk.open();
    let kept = desk.app.add_finding(&handle.opened, finding(10, "Ten is enough."), None).expect("added");
    let key = &kept.output.findings[0].key;
    desk.app.remove_from_history(EntryKind::Review, &kept.id).expect("removed");
    let error = desk.app.edit_finding(&handle.opened, &kept.id, key, FindingEdit::Restore).expect_err("it is gone");
    assert_eq!(error.code, ErrorCode::NotFound, "{error:?}");
}

#[test]
fn equal_hunks_are_not_viewed_in_place_of_each_other() {
    let desk = Desk::new();
    let inserted = |after: &[u32]| {
        let insert = |text: String, line: &u32| {
            let line = format!("fn line_{line}() {{}}\n");
            text.replace(&line, &format!("{line}unsafe_call();\n"))
        };
        desk.repo.write("a.rs", after.iter().fold(lines(&[]), insert));
    };
    let mark = |hunk: u32, viewed: bool| {
        let handle = desk.open();
        let marks = [(&handle.opened.change.files[0], Some(hunk))];
        desk.app.set_viewed(&handle.opened, &marks, viewed).expect("saved");
    };
    inserted(&[60]);
    mark(0, true);
    assert_eq!(desk.viewed(), [0]);
    inserted(&[5, 60]);
    assert_eq!(desk.viewed(), [1]);
    mark(0, true);
    assert_eq!(desk.viewed(), [0, 1]);
    mark(1, false);
    assert_eq!(desk.viewed(), [0]);
    // The only one that is left was not viewed.
    inserted(&[60]);
    assert_eq!(desk.viewed(), [0; 0]);
}

#[test]
fn edited_findings_can_be_reset() {
    let desk = Desk::new();
    let handle = desk.open();
    let opened = &handle.opened;
    let kept = desk.app.add_finding(opened, finding(10, "Ten is enough."), None).expect("added");
    let own = kept.output.findings[0].clone();
    assert_eq!(own.anchor.state, AnchorState::Verified);
    desk.app.decide(&kept.id, std::slice::from_ref(&own.key), Decision::Accepted, None).expect("kept");

    let change = NewFinding { severity: Severity::High, ..finding(50, "Fifty is too much.") };
    let edited =
        desk.app.edit_finding(opened, &kept.id, &own.key, FindingEdit::Rewrite { words: change }).expect("edited");
    let now = &edited.output.findings[0];
    assert_eq!((now.anchor.line_start, now.content.severity), (Some(50), Severity::High));
    assert_eq!(now.content.body_markdown, "Fifty is too much.");
    assert_eq!(now.content.quote.as_deref(), Some("fn fifty() {}"));
    assert_eq!(edited.decisions[0].decision, "accepted");
    // The user's finding has no original text; an edited finding of an agent has.
    assert_eq!(now.original, None);
    let remove =
        |name| desk.app.edit_finding(opened, &kept.id, name, FindingEdit::Remove).expect("removed").output.findings;
    assert!(remove(&own.key).is_empty());

    // A finding that is added again gets its old key, if the key is free.
    let add = |text, again: &str| {
        let kept = desk.app.add_finding(opened, finding(10, text), Some(again)).expect("added");
        kept.output.findings.into_iter().map(|one| one.key).collect::<Vec<_>>()
    };
    assert_eq!(add("Ten is enough.", &own.key), std::slice::from_ref(&own.key));
    let keys = add("Another one.", &own.key);
    assert!(keys[0] == own.key && keys[1] != own.key, "a key that is taken stays with its finding: {keys:?}");
    assert_ne!(add("A third one.", "../x")[2], "../x");
}

#[test]
fn a_finding_beside_the_hunks_holds_on_to_its_line() {
    let desk = Desk::new();
    let handle = desk.open();
    for (side, line) in [(Side::New, 30), (Side::Old, 30), (Side::Old, 10), (Side::New, 10)] {
        let kept = desk
            .app
            .add_finding(&handle.opened, NewFinding { side, ..finding(line, "It is said here.") }, None)
            .expect("added");
        let added = kept.output.findings.last().expect("it");
        let at = (added.anchor.state, added.anchor.side, added.anchor.line_start);
        assert_eq!(at, (AnchorState::Verified, side, Some(line)), "{:?}", added.anchor.notes);
    }
    let nowhere = desk.app.add_finding(&handle.opened, finding(800, "There is no such line."), None).expect("added");
    assert_eq!(nowhere.output.findings.last().expect("it").anchor.state, AnchorState::File);
}

#[test]
fn a_review_of_own_findings_has_redaction_and_coverage() {
    let desk = Desk::new();
    desk.repo.write("a.rs", lines(&[(10, "let password = \"kD83hfQ7sLw92mXz\";"), (50, "fn fifty() {}")]));
    let request = OpenRequest {
        source: Source::Repository(desk.repo.path().to_owned()),
        target: Target::Unstaged,
        overrides: vec![parse_layer(Origin::CommandLine, "limits.max_hunks_per_file = 1").expect("settings")],
        since: None,
        selected: None,
        trusted: false,
    };
    let opened = desk.app.open(request).expect("opened").opened;
    let kept = desk.app.add_finding(&opened, finding(50, "Mine."), None).expect("added");
    assert_eq!((kept.masked, kept.cut_files), (1, 1));
}

/// Reviews with an endpoint that gives this answer.
async fn review(desk: &Desk, answer: Value) -> SavedReview {
    let server = ModelServer::start(json!({ "turns": [{ "text": answer.to_string() }] })).await;
    match review_by(desk, &server, RunLocation::Data, None).await.expect("reviewed") {
        ReviewOutcome::Saved(kept) => *kept,
        ReviewOutcome::Skipped { message, .. } => panic!("{message}"),
    }
}

async fn review_by(
    desk: &Desk,
    server: &ModelServer,
    place: RunLocation,
    resume: Option<PathBuf>,
) -> Result<ReviewOutcome, Error> {
    let layer = format!("[agents.one]\ntransport = \"openai-http\"\nurl = {:?}\nmodel = \"m\"\n", server.url());
    let target = Target::Unstaged;
    let request = OpenRequest {
        source: Source::Repository(desk.repo.path().to_owned()),
        target,
        overrides: vec![parse_layer(Origin::CommandLine, &layer).expect("settings")],
        since: None,
        selected: None,
        trusted: false,
    };
    let handle = desk.app.open(request).expect("opened");
    let request = ReviewRequest { resume, place, ..by("one") };
    desk.app.review(&handle, request, CancellationToken::new(), &|_| ()).await.1
}

/// A request for a review by one agent.
pub fn by(agent: &str) -> ReviewRequest {
    ReviewRequest { agents: vec![agent.into()], ..ReviewRequest::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unsaved_review_is_resumed_without_calling_the_agent() {
    let desk = Desk::new();
    let answer = json!({ "summary_markdown": "Fine.", "findings": [said(10, "fn ten() {}", None)] });
    let server = ModelServer::start(json!({ "turns": [{ "text": answer.to_string() }] })).await;
    let state = rusqlite::Connection::open(desk.app.places().store()).expect("opened");
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON review BEGIN SELECT raise(ABORT, 'not now'); END";
    state.execute_batch(refuse).expect("made");
    let error = review_by(&desk, &server, RunLocation::Data, None).await.expect_err("it cannot be saved");
    assert_eq!(error.code, ErrorCode::StoreFailed, "{error:?}");
    assert!(error.message.contains("could not be saved") && error.message.contains("not now"), "{error:?}");
    assert!(!server.requests().is_empty());
    // A run with a folder of its own is not in the list of resumable runs, so its state is failed.
    let own = desk.repo.path().join(".own");
    let error =
        review_by(&desk, &server, RunLocation::Folder(own.clone()), None).await.expect_err("it cannot be saved");
    assert!(error.message.contains("could not be saved"), "{error:?}");
    assert_eq!(RunRecord::read(&own).expect("a record").state, RunState::Failed);
    std::fs::remove_dir_all(&own).expect("removed");
    let asked = server.requests().len();

    state.execute_batch("DROP TRIGGER refuse").expect("dropped");
    let cut_off = desk.app.interrupted(&desk.open().opened, None);
    assert_eq!(cut_off.len(), 1);
    let (folder, request) = desk.app.resume(&cut_off[0].1.run_id).expect("it can be gone on with");
    assert_eq!(request.agents, ["one"]);
    let outcome = review_by(&desk, &server, RunLocation::Data, Some(folder)).await.expect("reviewed");
    let ReviewOutcome::Saved(kept) = outcome else { panic!("{outcome:?}") };
    assert_eq!(kept.output.findings.len(), 1);
    assert_eq!(server.requests().len(), asked, "what was answered is not asked again");
    assert!(desk.app.interrupted(&desk.open().opened, None).is_empty(), "nobody is asked about it any more");
}

fn said(line: u32, quote: &str, patch: Option<&str>) -> Value {
    json!({ "severity": "low", "category": "style", "path": "a.rs", "line_start": line, "line_end": line, "title": "A name",
        "body_markdown": "It is called twice.", "quote": quote,
        "suggested_patch": patch.map(|content| json!({ "format": "replacement", "content": content })) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finding_that_cannot_be_read_does_not_discard_the_others() {
    let desk = Desk::new();
    let with = |key: &str, value: &str| {
        let mut finding = said(50, "fn fifty() {}", None);
        finding[key] = json!(value);
        finding
    };
    let findings = [said(10, "fn ten() {}", None), with("severity", "blocker"), with("category", "error-handling")];
    let answer = json!({ "summary_markdown": "Three.", "findings": findings });
    let text = format!("I reviewed the change. Here are my findings:\n\n```json\n{answer:#}\n```\n");
    let server = ModelServer::start(json!({ "turns": [{ "text": text }] })).await;
    let outcome = review_by(&desk, &server, RunLocation::Data, None).await.expect("reviewed");
    let ReviewOutcome::Saved(saved) = outcome else { panic!("{outcome:?}") };
    let categories: Vec<_> = saved.output.findings.iter().map(|one| one.content.category).collect();
    assert_eq!(categories, [Category::Style, Category::Other]);
    let [unreadable] = &saved.output.meta.unreadable[..] else { panic!("{:?}", saved.output.meta) };
    assert_eq!(unreadable.agent, "one");
    assert_eq!(unreadable.problems, ["severity: expected one of info, low, medium, high, critical"]);
    assert!(unreadable.text.contains("\"blocker\""), "{unreadable:?}");
    // The agent was asked to correct it, and every answer can be read.
    let answers = desk.app.raw_answers(SentBy::Review(&saved.id)).expect("answers");
    assert_eq!(answers.len(), server.requests().len());
    assert!(answers.iter().all(|one| one.agent == "one" && one.text == text), "{answers:?}");
    let events = std::fs::read_to_string(Path::new(&saved.run_dir).join("events.jsonl")).expect("events");
    assert!(events.contains(r#""unknown_categories":1"#) && events.contains(r#""unreadable":1"#), "{events}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_in_prose_can_be_read_after_the_failure() {
    let desk = Desk::new();
    let prose = "The change looks good to me. I would rename `fifty`, though.";
    let server = ModelServer::start(json!({ "turns": [{ "text": prose }] })).await;
    let error = review_by(&desk, &server, RunLocation::Data, None).await.expect_err("no review");
    assert_eq!(error.code, ErrorCode::AgentOutputInvalid);
    let FollowedRuns { runs, .. } = desk.app.follow_reviews();
    let answers = desk.app.raw_answers(SentBy::Run(&runs[0].run_id)).expect("answers");
    assert!(!answers.is_empty() && answers.iter().all(|one| one.text == prose), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn original_texts_and_own_findings_survive_a_new_review() {
    let desk = Desk::new();
    let answer = json!({ "summary_markdown": "Fine.", "findings": [said(10, "fn ten() {}", None)] });
    let kept = review(&desk, answer.clone()).await;
    let handle = desk.open();
    let id = kept.output.findings[0].key.clone();
    let rewritten = desk
        .app
        .edit_finding(&handle.opened, &kept.id, &id, FindingEdit::Rewrite { words: finding(50, "Mine.") })
        .expect("edited");
    let now = &rewritten.output.findings[0];
    assert_eq!((now.content.body_markdown.as_str(), now.anchor.line_start), ("Mine.", Some(50)));
    assert_eq!(now.original.as_ref().expect("kept").body_markdown, "It is called twice.");
    let back = desk.app.edit_finding(&handle.opened, &kept.id, &id, FindingEdit::Restore).expect("restored");
    assert_eq!(back.output.findings, kept.output.findings);
    let refused = desk.app.edit_finding(&handle.opened, &kept.id, &id, FindingEdit::Remove).expect_err("an agent's");
    assert!(refused.message.contains("agent"), "{}", refused.message);

    let added = desk.app.add_finding(&handle.opened, finding(50, "My own."), None).expect("added");
    let mine = added.output.findings.last().expect("mine").key.clone();
    desk.app.decide(&kept.id, std::slice::from_ref(&mine), Decision::Accepted, None).expect("kept");
    // A line is inserted above, and the finding moves with its code.
    desk.repo.write("a.rs", format!("// new\n{}", desk.file()));
    let next = review(&desk, json!({ "summary_markdown": "Fine.", "findings": [] })).await;
    assert_ne!(next.id, kept.id);
    let own = &next.output.findings[0];
    assert_eq!((own.content.body_markdown.as_str(), own.anchor.line_start), ("My own.", Some(51)));
    assert_eq!(
        (next.decisions[0].finding_key.as_str(), next.decisions[0].decision.as_str()),
        (mine.as_str(), "accepted")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accepted_and_edited_findings_stay_while_their_code_is_unchanged() {
    let desk = Desk::new();
    let titled = |line: u32, quote: &str, title: &str| {
        let mut said = said(line, quote, None);
        said["title"] = title.into();
        said
    };
    let round = |findings: &[Value]| json!({ "summary_markdown": "Fine.", "findings": findings });
    let (first, mut second) = (titled(10, "fn ten() {}", "First"), titled(10, "fn ten() {}", "Second"));
    second["body_markdown"] = "Nobody waits for what the function has to answer.".into();
    let kept = review(&desk, round(&[first.clone(), second.clone(), titled(50, "fn fifty() {}", "Third")])).await;
    let id = |kept: &SavedReview, title: &str| {
        let said = |one: &&diffsan_review::finding::Finding| {
            one.original.as_deref().unwrap_or(&one.content).title.as_deref() == Some(title)
        };
        kept.output.findings.iter().find(said).expect("there").key.clone()
    };
    desk.app.decide(&kept.id, &[id(&kept, "Second"), id(&kept, "Third")], Decision::Accepted, None).expect("kept");
    let words = FindingEdit::Rewrite { words: finding(10, "In my words.") };
    desk.app.edit_finding(&desk.open().opened, &kept.id, &id(&kept, "First"), words).expect("edited");

    desk.repo.write("a.rs", desk.file().replace("fifty", "half"));
    let next = review(&desk, round(&[second, first, titled(50, "fn half() {}", "Third")])).await;
    let accepted: Vec<_> = next.decisions.iter().map(|one| (one.finding_key.clone(), one.decision.as_str())).collect();
    assert_eq!(accepted, [(id(&next, "Second"), "accepted")]);
    let edited = next.output.findings.iter().find(|one| one.key == id(&next, "First")).expect("there");
    assert_eq!(edited.content.body_markdown, "In my words.");
    assert_eq!(edited.original.as_ref().expect("kept").body_markdown, "It is called twice.");
    assert_eq!(next.output.findings.iter().filter(|one| one.original.is_some()).count(), 1);

    // Another finding on the same line is not matched with the missing one, whatever the decision about that one was.
    let mut other = titled(10, "fn ten() {}", "Shadowing");
    other["body_markdown"] = "An import of that very identifier is hidden.".into();
    let last = review(&desk, round(&[other])).await;
    let other = &last.output.findings[0];
    assert!(last.decisions.iter().all(|one| one.finding_key != other.key) && other.original.is_none(), "{last:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sent_prompts_can_be_read_while_their_run_folder_exists() {
    let desk = Desk::new();
    let kept = review(&desk, json!({ "summary_markdown": "Fine.", "findings": [] })).await;
    let sent = desk.app.sent(SentBy::Review(&kept.id), 0).expect("kept");
    assert!(sent.text.contains("fn ten() {}") && sent.prompts.len() == 1, "{:?}", sent.prompts);
    let run = Path::new(&kept.run_dir).file_name().and_then(|name| name.to_str()).expect("a name");
    assert_eq!(desk.app.sent(SentBy::Run(run), 0).expect("kept").text, sent.text);
    let refused = |run: SentBy<'_>, prompt| desk.app.sent(run, prompt).err().expect("refused").message;
    assert_eq!(refused(SentBy::Run(run), 1), "The run sent no prompt 2.");
    for elsewhere in ["", "..", "../../data", "/etc"] {
        assert_eq!(refused(SentBy::Run(elsewhere), 0), "The sent prompt no longer exists.");
    }
    std::fs::remove_dir_all(&kept.run_dir).expect("removed");
    assert_eq!(refused(SentBy::Review(&kept.id), 0), "The sent prompt no longer exists.");
    // A review with only the user's findings has no run.
    desk.repo.git(["add", "a.rs"]);
    let staged = desk.open_target(Target::Staged);
    let own = desk.app.add_finding(&staged.opened, finding(10, "Mine."), None).expect("added");
    assert_eq!(refused(SentBy::Review(&own.id), 0), "The sent prompt no longer exists.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suggestion_is_applied_and_undone() {
    let desk = Desk::new();
    let patches =
        [said(10, "fn ten() {}", Some("fn zehn() {}\n// more")), said(50, "fn fifty() {}", Some("fn half() {}"))];
    let kept = review(&desk, json!({ "summary_markdown": "Two.", "findings": patches })).await;
    let before = desk.file();
    let ids: Vec<String> = kept.output.findings.iter().map(|one| one.key.clone()).collect();
    let first = desk.app.apply_suggestion(&desk.open().opened, &kept.id, &ids[0], None).expect("applied");
    assert_eq!(desk.file(), before.replace("fn ten() {}", "fn zehn() {}\n// more"));
    let again = desk.app.apply_suggestion(&desk.open().opened, &kept.id, &ids[0], None).expect_err("stands");
    assert!(again.message.contains("already applied"), "{}", again.message);
    // The second suggestion is one line lower now.
    let second = desk.app.apply_suggestion(&desk.open().opened, &kept.id, &ids[1], None).expect("applied");
    assert!(desk.file().contains("fn half() {}") && desk.file().contains("// more"));
    assert_eq!(desk.app.review_by_id(&kept.id).expect("read").applied.len(), 2);
    desk.app.undo_fix(&desk.open().opened, first.id).expect("taken back");
    desk.app.undo_fix(&desk.open().opened, second.id).expect("taken back");
    assert_eq!(desk.file(), before);
    // A suggestion for a change that was opened earlier does not overwrite later edits.
    let stale = desk.open();
    desk.repo.write("a.rs", before.replace("fn line_1()", "fn line_one()"));
    desk.app.apply_suggestion(&stale.opened, &kept.id, &ids[0], None).expect("the same lines, elsewhere untouched");
    assert!(desk.file().contains("line_one") && desk.file().contains("zehn"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn findings_follow_their_code_after_a_refresh() {
    let desk = Desk::new();
    let patches = [
        said(10, "fn ten() {}", Some("fn zehn() {}")),
        said(50, "fn fifty() {}", None),
        said(51, "fn line_51() {}", None),
    ];
    let kept = review(&desk, json!({ "summary_markdown": "Three.", "findings": patches })).await;
    let server = Server::new(Arc::clone(&desk.app));
    let params =
        json!({ "repo": desk.repo.path(), "target": { "kind": "unstaged" }, "since": null, "review_id": null });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "change.open", "params": params }).to_string();
    let shown = async || -> Value {
        let answer: Value = serde_json::from_str(&server.call(ask.clone(), |_| ()).await.text).expect("an answer");
        answer["result"]["review"].clone()
    };
    let places = |review: &Value| -> Vec<(String, Value, Value)> {
        let one = |one: &Value| {
            let anchor = &one["finding"]["anchor"];
            let fix = one["finding"]["fix"]["edits"][0]["line_start"].clone();
            (anchor["state"].as_str().expect("a state").to_owned(), anchor["line_start"].clone(), fix)
        };
        review["findings"].as_array().expect("findings").iter().map(one).collect()
    };
    let place = |state: &str, line: u32, fix: Value| (state.to_owned(), json!(line), fix);
    let review = shown().await;
    assert_eq!(review["outdated"], json!(false));
    let before = places(&review);
    assert_eq!(before[0], place("verified", 10, json!(10)));
    // Inserts a line above all findings, and edits the code of the second one.
    desk.repo.write("a.rs", format!("// new\n{}", desk.file().replace("fifty", "half")));
    let review = shown().await;
    assert_eq!(review["outdated"], json!(true));
    let now = [place("moved", 11, json!(11)), place("unverified", 50, Value::Null), place("moved", 52, Value::Null)];
    assert_eq!(places(&review), now);
    // The relocation is only shown. The stored findings are unchanged.
    assert_eq!(desk.app.review_by_id(&kept.id).expect("read").output.findings, kept.output.findings);
    desk.repo.write("a.rs", lines(&[(10, "fn ten() {}"), (50, "fn fifty() {}")]));
    assert_eq!(places(&shown().await), before);
}
