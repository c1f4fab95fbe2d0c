//! Carries decisions, edits and findings over from one review of a change to the next.

use std::path::Path;
use std::time::Duration;

use diffsan_app::{ChangeHandle, FindingEdit, NewFinding, ReviewOutcome, SavedReview};
use diffsan_change::Target;
use diffsan_config::{Origin, parse_layer};
use diffsan_pipeline::error::Error;
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_review::finding::{Decision, Finding};
use diffsan_test_support::model_server::ModelServer;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::desk::{Desk, by, finding, lines};

/// A finding of an answer. Line 0 means the whole file.
fn said(line: u32, quote: &str, title: &str) -> Value {
    json!({ "severity": "high", "category": "correctness", "path": "a.rs", "line_start": line, "line_end": line,
        "title": title, "body_markdown": format!("{title}."), "quote": (!quote.is_empty()).then_some(quote) })
}

fn open(desk: &Desk, target: Target, server: &ModelServer) -> ChangeHandle {
    let layer = format!("[agents.one]\ntransport = \"openai-http\"\nurl = {:?}\nmodel = \"m\"\n", server.url());
    let request = OpenRequest {
        source: Source::Repository(desk.repo.path().to_owned()),
        target,
        overrides: vec![parse_layer(Origin::CommandLine, &layer).expect("settings")],
        since: None,
        selected: None,
        trusted: false,
    };
    desk.app.open(request).expect("opened")
}

async fn server(findings: &[Value]) -> ModelServer {
    let answer = json!({ "summary_markdown": "Fine.", "findings": findings });
    ModelServer::start(json!({ "turns": [{ "text": answer.to_string() }] })).await
}

async fn run(desk: &Desk, handle: &ChangeHandle) -> Result<SavedReview, Error> {
    match desk.app.review(handle, by("one"), CancellationToken::new(), &|_| ()).await.1? {
        ReviewOutcome::Saved(saved) => Ok(*saved),
        ReviewOutcome::Skipped { message, .. } => panic!("{message}"),
    }
}

/// Reviews the current state of a target with an agent that reports these findings.
async fn review_of(desk: &Desk, target: Target, findings: &[Value]) -> SavedReview {
    let server = server(findings).await;
    run(desk, &open(desk, target, &server)).await.expect("reviewed")
}

async fn review(desk: &Desk, findings: &[Value]) -> SavedReview {
    review_of(desk, Target::Unstaged, findings).await
}

fn titled<'a>(saved: &'a SavedReview, title: &str) -> &'a Finding {
    let found = saved.output.findings.iter().find(|one| one.as_found().title.as_deref() == Some(title));
    found.unwrap_or_else(|| panic!("no finding {title}: {:?}", saved.output.findings))
}

fn decision(saved: &SavedReview, title: &str) -> Decision {
    let key = &titled(saved, title).key;
    let found = saved.decisions.iter().find(|one| one.finding_key == *key);
    found.map_or(Decision::Open, |one| Decision::of(&one.decision))
}

fn decide(desk: &Desk, saved: &SavedReview, title: &str, decision: Decision) {
    desk.app.decide(&saved.id, &[titled(saved, title).key.clone()], decision, Some("known")).expect("decided");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_is_not_saved_without_the_decisions_of_the_earlier_one() {
    let desk = Desk::new();
    let found = [said(10, "fn ten() {}", "First"), said(50, "fn fifty() {}", "Second")];
    let first = review(&desk, &found).await;
    decide(&desk, &first, "First", Decision::Accepted);
    decide(&desk, &first, "Second", Decision::Dismissed);
    // The second decision cannot be saved, as if the program ended before it.
    let state = rusqlite::Connection::open(desk.app.places().store()).expect("opened");
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON decision WHEN new.decision = 'dismissed'
        BEGIN SELECT raise(ABORT, 'not now'); END";
    state.execute_batch(refuse).expect("made");
    let server = server(&found).await;
    run(&desk, &open(&desk, Target::Unstaged, &server)).await.expect_err("it cannot be saved");
    state.execute_batch("DROP TRIGGER refuse").expect("dropped");
    let latest = desk.app.latest_review(&desk.open().opened).expect("read").expect("a review");
    assert_eq!(latest.id, first.id);
    let second = review(&desk, &found).await;
    assert_eq!(decision(&second, "First"), Decision::Accepted);
    assert_eq!(decision(&second, "Second"), Decision::Dismissed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_of_another_process_while_a_review_is_saved_is_carried_over() {
    let desk = Desk::new();
    let found = [said(10, "fn ten() {}", "First")];
    let first = review(&desk, &found).await;
    let server = server(&found).await;
    let handle = open(&desk, Target::Unstaged, &server);
    let other = rusqlite::Connection::open(desk.app.places().store()).expect("opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("begun");
    let sql = "INSERT INTO decision (review_id, finding_key, decision, decided_at) VALUES (?1, ?2, 'accepted', 't')";
    other.execute(sql, [&first.id, &titled(&first, "First").key]).expect("decided");
    let runs = Path::new(&first.run_dir).parent().expect("a folder").to_owned();
    let committed = tokio::task::spawn_blocking(move || {
        let is_made = |run: &std::fs::DirEntry| run.path().join("review.json").is_file();
        while std::fs::read_dir(&runs).expect("runs").flatten().filter(is_made).count() < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        // Now the review waits for the other process.
        std::thread::sleep(Duration::from_millis(300));
        other.execute_batch("COMMIT").expect("committed");
    });
    let second = run(&desk, &handle).await.expect("reviewed");
    committed.await.expect("committed");
    assert_eq!(decision(&second, "First"), Decision::Accepted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_continues_the_latest_one_while_an_earlier_one_is_shown() {
    let desk = Desk::new();
    let found = [said(10, "fn ten() {}", "First"), said(50, "fn fifty() {}", "Second")];
    let first = review(&desk, &found).await;
    let second = review(&desk, &found).await;
    decide(&desk, &second, "First", Decision::Accepted);
    let words = FindingEdit::Rewrite { words: finding(50, "In my words.") };
    let opened = desk.open().opened;
    desk.app.edit_finding(&opened, &second.id, &titled(&second, "Second").key, words).expect("edited");
    desk.app.add_finding(&opened, NewFinding { title: "Own".into(), ..finding(10, "Mine.") }, None).expect("added");

    let server = server(&found).await;
    let handle = open(&desk, Target::Unstaged, &server);
    handle.opened.pin(Some(first.id.clone()));
    let third = run(&desk, &handle).await.expect("reviewed");
    assert_eq!(decision(&third, "First"), Decision::Accepted);
    assert_eq!(titled(&third, "Second").content.body_markdown, "In my words.");
    assert_eq!(titled(&third, "Own").content.body_markdown, "Mine.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_on_an_earlier_review_is_also_saved_in_the_latest_one() {
    let desk = Desk::new();
    let found = [said(10, "fn ten() {}", "First"), said(50, "fn fifty() {}", "Second")];
    let first = review(&desk, &found).await;
    // Another window or process reviews the same change.
    let second = review(&desk, &found).await;
    decide(&desk, &first, "First", Decision::Dismissed);
    let words = FindingEdit::Rewrite { words: finding(50, "In my words.") };
    desk.app.edit_finding(&desk.open().opened, &first.id, &titled(&first, "Second").key, words).expect("edited");
    let pinned = desk.open().opened;
    pinned.pin(Some(first.id.clone()));
    let own = NewFinding { title: "Own".into(), ..finding(10, "Mine.") };
    let shown = desk.app.add_finding(&pinned, own, None).expect("added");
    assert_eq!((shown.id.as_str(), titled(&shown, "Own").is_own()), (first.id.as_str(), true));
    let latest = desk.app.review_by_id(&second.id).expect("read");
    assert_eq!(decision(&latest, "First"), Decision::Dismissed);
    assert_eq!(titled(&latest, "Second").content.body_markdown, "In my words.");
    assert_eq!(titled(&latest, "Own").key, titled(&shown, "Own").key);
    // A decision can be taken back there, too.
    decide(&desk, &first, "First", Decision::Open);
    assert_eq!(decision(&desk.app.review_by_id(&second.id).expect("read"), "First"), Decision::Open);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dismissal_does_not_apply_to_the_same_code_at_another_place() {
    let desk = Desk::new();
    let call = "open_file(x);";
    let at = |line| said(line, call, "The error is ignored");
    for dirty in [true, false] {
        let target = match dirty {
            true => Target::Unstaged,
            false => Target::Range { base: "base".into(), head: "topic".into(), merge_base: false },
        };
        let write = |text: String| {
            desk.repo.write("a.rs", text);
            if !dirty {
                desk.repo.git(["commit", "-q", "-a", "-m", "topic"]);
            }
        };
        if !dirty {
            desk.repo.write("a.rs", lines(&[]));
            desk.repo.git(["tag", "base"]);
            desk.repo.git(["checkout", "-q", "-b", "topic"]);
        }
        write(lines(&[(5, call)]));
        let first = review_of(&desk, target.clone(), &[at(5)]).await;
        decide(&desk, &first, "The error is ignored", Decision::Dismissed);
        write(lines(&[(5, call), (70, call)]));
        let second = review_of(&desk, target.clone(), &[at(70)]).await;
        assert_eq!(second.output.findings[0].anchor.line_start, Some(70));
        assert_ne!(second.output.findings[0].key, first.output.findings[0].key, "dirty: {dirty}");
        assert_eq!(second.decisions, [], "dirty: {dirty}");
        // The dismissed finding is still known at its place, wherever that is now.
        write(format!("// new\n{}", lines(&[(5, call), (70, call)])));
        let third = review_of(&desk, target, &[at(71), at(6)]).await;
        let dismissed: Vec<_> = third.decisions.iter().map(|one| one.finding_key.as_str()).collect();
        let key = |line| {
            let found = third.output.findings.iter().find(|one| one.anchor.line_start == Some(line));
            found.expect("a finding").key.as_str()
        };
        assert!(!dismissed.contains(&key(71)), "dirty: {dirty}");
        if !dirty {
            // Without the reviewed text of the file, nothing tells the two calls apart.
            assert_eq!(dismissed, [key(6)]);
            assert_eq!(key(6), first.output.findings[0].key);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_about_a_whole_file_is_valid_while_the_file_is_unchanged() {
    let desk = Desk::new();
    let found = [said(0, "", "No tests"), said(10, "fn ten() {}", "A name")];
    let first = review(&desk, &found).await;
    decide(&desk, &first, "No tests", Decision::Dismissed);
    assert_eq!(titled(&first, "No tests").anchor.line_start, None);
    desk.repo.write("b.rs", "fn other() {}\n");
    let second = review(&desk, &found).await;
    assert_eq!(decision(&second, "No tests"), Decision::Dismissed);
    desk.repo.write("a.rs", lines(&[(10, "fn ten() {}"), (50, "fn fifty() {}"), (60, "fn sixty() {}")]));
    let third = review(&desk, &found).await;
    assert_eq!(titled(&third, "No tests").key, titled(&first, "No tests").key);
    assert_eq!(decision(&third, "No tests"), Decision::Open);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edited_lines_of_a_finding_are_carried_over() {
    let desk = Desk::new();
    let found = [said(10, "fn ten() {}", "Near"), said(50, "fn fifty() {}", "Far")];
    let first = review(&desk, &found).await;
    let opened = desk.open().opened;
    let rewrite = |title: &str, line_start, line_end| {
        let words = NewFinding { line_start, line_end, ..finding(line_start, "In my words.") };
        let edit = FindingEdit::Rewrite { words };
        desk.app.edit_finding(&opened, &first.id, &titled(&first, title).key, edit).expect("edited");
        decide(&desk, &first, title, Decision::Accepted);
    };
    rewrite("Near", 9, 11);
    rewrite("Far", 70, 70);
    desk.repo.write("a.rs", format!("// new\n{}", lines(&[(10, "fn ten() {}"), (50, "fn fifty() {}")])));
    let second = review(&desk, &[said(11, "fn ten() {}", "Near"), said(51, "fn fifty() {}", "Far")]).await;
    for (title, range, original) in [("Near", (10, 12), 11), ("Far", (71, 71), 51)] {
        let now = titled(&second, title);
        assert_eq!(now.content.body_markdown, "In my words.", "{title}");
        assert_eq!((now.anchor.line_start, now.anchor.line_end), (Some(range.0), Some(range.1)), "{title}");
        assert_eq!(now.original.as_ref().expect("an original").line_start, original);
        assert_eq!(decision(&second, title), Decision::Accepted, "{title}");
    }
    assert_eq!(second.output.findings.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_accepted_finding_stays_when_a_review_does_not_report_it_again() {
    let desk = Desk::new();
    let (one, two) = (said(10, "fn ten() {}", "One"), said(50, "fn fifty() {}", "Two"));
    let first = review(&desk, &[one.clone(), two.clone()]).await;
    decide(&desk, &first, "One", Decision::Accepted);
    decide(&desk, &first, "Two", Decision::Accepted);
    desk.repo.write("a.rs", format!("// new\n{}", lines(&[(10, "fn ten() {}"), (50, "fn fifty() {}")])));
    let second = review(&desk, std::slice::from_ref(&one)).await;
    assert_eq!(titled(&second, "Two").anchor.line_start, Some(51));
    assert_eq!(decision(&second, "Two"), Decision::Accepted);
    let third = review(&desk, &[one.clone(), two]).await;
    assert_eq!(third.output.findings.len(), 2);
    assert_eq!(decision(&third, "Two"), Decision::Accepted);
    // Its code was edited, so it is gone.
    desk.repo.write("a.rs", lines(&[(10, "fn ten() {}"), (50, "fn half() {}")]));
    assert_eq!(review(&desk, &[one]).await.output.findings.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moving_an_earlier_review_keeps_the_work_on_the_latest_one() {
    let desk = Desk::new();
    let found =
        [said(10, "fn ten() {}", "First"), said(50, "fn fifty() {}", "Second"), said(30, "fn line_30() {}", "Third")];
    let first = review(&desk, &found).await;
    decide(&desk, &first, "Third", Decision::Dismissed);
    let second = review(&desk, &found).await;
    decide(&desk, &second, "First", Decision::Accepted);
    let opened = desk.open().opened;
    desk.app.add_finding(&opened, NewFinding { title: "Own".into(), ..finding(10, "Mine.") }, None).expect("added");
    let moved = desk.app.reanchor(&opened, &first.id).expect("moved");
    assert_eq!(decision(&moved, "First"), Decision::Accepted);
    assert_eq!(decision(&moved, "Third"), Decision::Dismissed);
    assert_eq!(titled(&moved, "Own").content.body_markdown, "Mine.");
    // A copy of the latest review is as it was.
    let again = desk.app.reanchor(&opened, &moved.id).expect("moved");
    assert_eq!((&again.output.findings, again.decisions.len()), (&moved.output.findings, moved.decisions.len()));
}
