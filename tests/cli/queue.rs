//! The review queue of the inbox: killed, ended, pushed to, limited, and worked on by several processes.

use std::process::{Child, Command};

use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, TOKEN};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::stand_in::{StandIn, envelope};
use serde_json::{Value, json};

use crate::serve::{Tab, serve, wait_until};
use crate::support::{Installation, Ran, answer};

/// Three merge requests that wait for the reader, and two agents.
struct Case {
    installation: Installation,
    gitlab: FakeGitlab,
    one: ModelServer,
    two: ModelServer,
    nowhere: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

fn turn() -> Value {
    json!({ "text": answer("a.rs", 1, "fn changed() {}"), "usage": { "input": 900, "output": 100, "cached": 0 } })
}

impl Case {
    fn new() -> Self {
        let origin = TestRepo::new();
        for name in ["a", "b", "c"] {
            origin.write("a.rs", "fn one() {}\n");
            origin.write(format!("{name}.txt"), "base\n");
            origin.commit("base");
        }
        for name in ["a", "b", "c"] {
            origin.git(["checkout", "-q", "-b", name, "main"]);
            origin.write("a.rs", "fn changed() {}\n");
            origin.write(format!("{name}.txt"), "changed\n");
            origin.commit(name);
        }
        origin.git(["checkout", "-q", "main"]);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let gitlab = runtime.block_on(FakeGitlab::start(&origin.path().join(".git")));
        for (iid, name) in [(7, "a"), (8, "b"), (9, "c")] {
            gitlab.merge_request(iid, name, "main");
        }
        let one = runtime.block_on(ModelServer::start(json!({ "turns": [turn()] })));
        let two = runtime.block_on(ModelServer::start(json!({ "turns": [turn()] })));
        let mut installation = Installation::new()
            .with("DIFFSAN_GITLAB_TOKEN", TOKEN)
            .with("DIFFSAN_GITLAB__BASE_URL", gitlab.url())
            .with("DIFFSAN_AGENT__MAX_RETRIES", "0")
            .with("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        for (name, url) in [("one", one.url()), ("two", two.url())] {
            installation = installation.with_endpoint(name, &url);
        }
        let case = Self { installation, gitlab, one, two, nowhere: tempfile::tempdir().expect("a folder"), runtime };
        let ran = case.run(&["inbox"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        case
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.installation = self.installation.with(name, value);
        self
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.installation.run(self.nowhere.path(), args)
    }

    /// Runs a command of the queue, and returns the queue after it.
    fn queue(&self, args: &[&str]) -> Value {
        let args = [&["inbox", "queue", "--json"], args].concat();
        let ran = self.run(&args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    fn command(&self) -> Command {
        self.installation.command(self.nowhere.path(), &["inbox", "queue", "run", "--json"])
    }

    fn start(&self) -> Child {
        self.command().spawn().expect("started")
    }

    fn asked(&self) -> (usize, usize) {
        (self.one.requests().len(), self.two.requests().len())
    }

    /// Returns whether a run folder has as many answers.
    fn has_answers(&self, count: usize) -> bool {
        let runs = std::fs::read_dir(self.installation.data().join("runs")).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| walk(&run.path()));
        files.filter(|name| name == "answer.json").count() >= count
    }

    fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.installation.data().join("diffsan.sqlite3")).expect("opened")
    }

    fn reviews(&self) -> i64 {
        self.database().query_row("SELECT count(*) FROM review", [], |row| row.get(0)).expect("read")
    }
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path().is_dir() {
            true => walk(&entry.path()),
            false => vec![entry.file_name().to_string_lossy().into_owned()],
        })
        .collect()
}

/// Returns the states and reasons of the items in their order.
fn states(queue: &Value) -> Vec<(String, String, String)> {
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    let items = queue["items"].as_array().expect("items").iter();
    items
        .map(|item| {
            let place = text(item, "place");
            let number = place.rsplit('!').next().unwrap_or_default().to_owned();
            (number, text(item, "state"), text(item, "reason"))
        })
        .collect()
}

fn place(iid: u64) -> String {
    format!("{PROJECT}!{iid}")
}

#[test]
fn a_killed_queue_repeats_no_answer_and_loses_no_item() {
    let case = Case::new();
    // The first item is reviewed. The second agent is killed while it works on the second item.
    case.two.play(json!({ "turns": [turn(), { "hang": 300 }] }));
    let queue = case.queue(&["add", "--all", "--agent", "one", "--agent", "two"]);
    let first: Vec<String> = states(&queue).into_iter().map(|(number, ..)| number).collect();
    assert_eq!(first.len(), 3);
    let mut child = case.start();
    wait_until("the second agent works on the second item", || case.asked() == (2, 2) && case.has_answers(3));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let queue = case.queue(&[]);
    let now: Vec<String> = states(&queue).into_iter().map(|(_, state, _)| state).collect();
    assert_eq!(now, ["done", "running", "waiting"]);

    case.two.play(json!({ "turns": [turn()] }));
    let before = case.two.requests().len();
    let queue = case.queue(&["run"]);
    for (number, state, reason) in states(&queue) {
        assert_eq!((state.as_str(), reason.as_str()), ("done", "1 high finding"), "{number}");
    }
    assert_eq!(case.one.requests().len(), 3, "no answer of the first agent is asked for twice");
    assert_eq!(case.two.requests().len() - before, 2, "the one that was killed, and the one of the third item");
    assert_eq!(case.reviews(), 3);
    let ran = case.run(&["inbox", "--offline"]);
    assert_eq!(ran.stdout.matches("[reviewed: 1 high finding]").count(), 3, "{ran:?}");
    assert_eq!(ran.stdout.matches("  +2 -2").count(), 3, "{ran:?}");
    assert_eq!(queue["budget"]["reviews"][0], 4, "the killed run counts");
}

#[test]
fn a_review_that_was_saved_before_the_kill_is_not_repeated() {
    let case = Case::new();
    case.queue(&["add", &place(7), "--agent", "one"]);
    case.queue(&["run"]);
    let database = case.database();
    database
        .execute_batch("UPDATE queue_item SET state = 'running'; UPDATE queue_run SET state = 'running';")
        .expect("as after a kill between the review and its record");
    drop(database);
    let queue = case.queue(&["run"]);
    assert_eq!(states(&queue)[0].2, "reviewed before: 1 high finding");
    assert_eq!((case.asked().0, case.reviews()), (1, 1));
}

#[test]
fn an_item_that_ends_the_process_again_and_again_is_given_up() {
    let case = Case::new();
    case.one.play(json!({ "turns": [{ "hang": 300 }] }));
    case.queue(&["add", &place(7), "--agent", "one"]);
    for attempt in 1..=3 {
        let mut child = case.start();
        wait_until("the agent is asked", || case.asked().0 == attempt);
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    let queue = case.queue(&["run"]);
    assert_eq!(states(&queue)[0], ("7".into(), "failed".into(), "diffsan ended 3 times during the review".into()));
    assert_eq!(case.asked().0, 3);
}

#[test]
fn a_push_during_the_review_puts_the_item_back() {
    let agent = StandIn::new()
        .behaves(1, "while ! [ -e \"$dir/go\" ]; do sleep 0.02; done")
        .plays(1, &envelope(&answer("a.rs", 1, "fn changed() {}")), "", 0)
        .plays(2, &envelope(&answer("a.rs", 1, "fn changed() {}")), "", 0)
        .plays(3, &envelope(&answer("a.rs", 1, "fn pushed() {}")), "", 0);
    let mut case = Case::new();
    case.installation = case.installation.with_stand_in(&agent);
    case.queue(&["add", &place(7), &place(8), "--agent", "cursor"]);
    let child = case.start();
    wait_until("the agent works", || agent.attempts() == 1);
    case.gitlab.commit("a", "a.rs", "fn pushed() {}\n");
    case.gitlab.pushed(7);
    std::fs::write(agent.folder().join("go"), "").expect("written");
    let ran: Ran = child.wait_with_output().expect("ended").into();
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = format!("{}: waiting: pushed during the review", place(7));
    assert!(ran.stderr.contains(&line), "{ran:?}");
    let order: Vec<&str> = ran.stderr.lines().filter(|line| line.contains(": reviewing ")).collect();
    assert_eq!(order.len(), 3, "{order:?}");
    assert!(order[1].starts_with(&place(8)) && order[2].starts_with(&place(7)), "it waits at the end: {order:?}");
    assert!(states(&ran.json()).iter().all(|(_, state, _)| state == "done"), "{ran:?}");
    assert!(agent.given("stdin", 3).contains("fn pushed()") || agent.given("argv", 3).contains("fn pushed()"));
}

#[test]
fn nothing_is_reviewed_twice_with_the_same_agent_and_settings() {
    let case = Case::new();
    let add = ["add", &place(7), "--agent", "one"];
    case.queue(&add);
    assert_eq!(states(&case.queue(&["run"]))[0].2, "1 high finding");
    case.queue(&add);
    assert_eq!(states(&case.queue(&["run"]))[0].2, "reviewed before: 1 high finding");
    assert_eq!(case.asked(), (1, 0));
    // Another agent, and other settings, make another review.
    case.queue(&["add", &place(7), "--agent", "two"]);
    case.queue(&["run"]);
    assert_eq!(case.asked(), (1, 1));
    let case = case.with("DIFFSAN_PROMPT__INSTRUCTIONS", "Look at names.");
    case.queue(&add);
    assert_eq!(states(&case.queue(&["run"]))[0].2, "1 high finding");
    assert_eq!(case.asked(), (2, 1));
}

#[test]
fn a_review_that_the_user_made_is_not_repeated() {
    let case = Case::new();
    let address = format!("{}/{PROJECT}/-/merge_requests/7", case.gitlab.url());
    let ran = case.run(&["review", "--mr", &address, "--agent", "one"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    case.queue(&["add", &place(7), "--agent", "one"]);
    assert_eq!(states(&case.queue(&["run"]))[0].2, "reviewed before: 1 high finding");
    assert_eq!(case.asked(), (1, 0));
}

#[test]
fn the_budget_of_a_day_ends_the_work() {
    let case = Case::new().with("DIFFSAN_QUEUE__AGENT", "one").with("DIFFSAN_QUEUE__REVIEWS_PER_DAY", "1");
    case.queue(&["add", &place(8), &place(7)]);
    let ran = case.run(&["inbox", "queue", "run"]);
    assert!(ran.stderr.contains("stopped: today's budget of 1 review is used"), "{ran:?}");
    assert!(ran.stdout.contains("Today: 1 of 1 reviews, 1000 tokens"), "{ran:?}");
    assert_eq!(case.asked().0, 1);
    let tight = case.with("DIFFSAN_QUEUE__REVIEWS_PER_DAY", "0").with("DIFFSAN_QUEUE__TOKENS_PER_DAY", "1010");
    let queue = tight.queue(&["run"]);
    let (_, state, reason) = states(&queue)[1].clone();
    assert!(state == "waiting" && reason.ends_with("; 10 left today"), "{queue}");
    assert_eq!(tight.asked().0, 1);
    let small = tight.with("DIFFSAN_QUEUE__TOKENS_PER_DAY", "20");
    // The day is used up, so nothing is tried.
    assert_eq!(states(&small.queue(&["run"]))[1].1, "waiting");
    let closed = small.with("DIFFSAN_QUEUE__TOKENS_PER_DAY", "0").with("DIFFSAN_QUEUE__HOURS", "9-17");
    let ran = closed.run(&["inbox", "queue", "run"]);
    assert!(ran.code == 3 && ran.stderr.contains("queue.hours"), "{ran:?}");
}

#[test]
fn the_queue_is_ordered_and_items_are_removed() {
    let case = Case::new();
    let numbers = |queue: &Value| states(queue).into_iter().map(|(number, ..)| number).collect::<Vec<_>>().join(" ");
    assert_eq!(numbers(&case.queue(&["add", &place(7), &place(8), &place(9)])), "7 8 9");
    assert_eq!(numbers(&case.queue(&["move", &place(9), "1"])), "9 7 8");
    assert_eq!(numbers(&case.queue(&["move", &place(9), "2"])), "7 9 8");
    assert_eq!(numbers(&case.queue(&["remove", &place(7)])), "9 8");
    let ran = case.run(&["inbox", "queue", "add", "group/other!1"]);
    assert!(ran.code == 2 && ran.stderr.contains("no row"), "{ran:?}");
    let ran = case.run(&["inbox", "queue", "remove", &place(7)]);
    assert!(ran.code == 2 && ran.stderr.contains("no item"), "{ran:?}");
    let ran = case.run(&["inbox", "queue"]);
    assert!(ran.stdout.contains("The review queue is off.") && ran.stdout.contains("1. "), "{ran:?}");
}

#[test]
fn removing_a_running_item_ends_its_agent_in_another_process() {
    let case = Case::new();
    case.one.play(json!({ "turns": [{ "hang": 300 }] }));
    case.queue(&["add", &place(7), "--agent", "one"]);
    let child = case.start();
    wait_until("the agent is asked", || case.asked().0 == 1);
    let other = case.run(&["inbox", "queue", "run"]);
    assert!(other.code == 9 && other.stderr.contains("Another process works"), "{other:?}");
    case.queue(&["remove", &place(7)]);
    let ran: Ran = child.wait_with_output().expect("ended").into();
    assert_eq!((ran.code, ran.json()["items"].as_array().map(Vec::len)), (0, Some(0)), "{ran:?}");
}

#[test]
fn three_failures_turn_the_queue_off() {
    let case = Case::new();
    case.one.play(json!({ "turns": [{ "status": 401, "error": "Incorrect API key provided" }] }));
    case.queue(&["start"]);
    case.queue(&["add", "--all", "--agent", "one"]);
    let queue = case.queue(&["run"]);
    assert!(states(&queue).iter().all(|(_, state, reason)| state == "failed" && !reason.is_empty()), "{queue}");
    assert_eq!((&queue["on"], &queue["note"]), (&json!(false), &json!("3 reviews in a row failed")));
}

#[test]
fn changes_that_are_larger_than_the_budget_do_not_turn_the_queue_off() {
    let case = Case::new().with("DIFFSAN_QUEUE__TOKENS_PER_DAY", "5");
    case.queue(&["start"]);
    case.queue(&["add", "--all", "--agent", "one"]);
    let queue = case.queue(&["run"]);
    let of_a_day = |reason: &str| reason.ends_with("more than the 5 of a day");
    assert!(states(&queue).iter().all(|(_, state, reason)| state == "failed" && of_a_day(reason)), "{queue}");
    assert_eq!((&queue["on"], &queue["note"]), (&json!(true), &Value::Null));
}

#[test]
fn a_failed_agent_is_asked_again_without_the_others() {
    let case = Case::new();
    case.two.play(json!({ "turns": [{ "status": 401, "error": "Incorrect API key provided" }] }));
    let add = ["add", &place(7), "--agent", "one", "--agent", "two"];
    case.queue(&add);
    assert_eq!(states(&case.queue(&["run"]))[0].2, "1 high finding, but two failed");
    case.two.play(json!({ "turns": [turn()] }));
    case.queue(&add);
    assert_eq!(states(&case.queue(&["run"]))[0].2, "1 high finding");
    assert_eq!(case.asked(), (1, 1), "requests are counted from the latest script on");
}

#[test]
fn an_ended_queue_goes_on_with_its_answers() {
    use nix::sys::signal::{Signal, kill};
    let case = Case::new();
    case.two.play(json!({ "turns": [{ "hang": 300 }] }));
    case.queue(&["add", &place(7), "--agent", "one", "--agent", "two"]);
    let mut child = case.start();
    wait_until("the first agent has answered", || case.asked() == (1, 1) && case.has_answers(1));
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("an id"));
    kill(id, Signal::SIGTERM).expect("told");
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    case.two.play(json!({ "turns": [turn()] }));
    assert_eq!(states(&case.queue(&["run"]))[0].1, "done");
    assert_eq!(case.one.requests().len(), 1, "its answer is used again");
    drop(case.runtime);
}

#[test]
fn the_browser_server_works_in_the_background_and_goes_on_after_a_kill() {
    let case = Case::new();
    case.one.play(json!({ "turns": [turn(), { "hang": 300 }] }));
    let mut serving = serve(&case.installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    let added = tab.result("queue.add", &json!({ "all": true, "agents": ["one"] }));
    assert_eq!((added["items"].as_array().map(Vec::len), &added["on"]), (Some(3), &json!(false)));
    let first = added["items"][0]["key"].clone();
    tab.result("queue.switch", &json!({ "on": true }));
    wait_until("the second item is being reviewed", || case.asked().0 == 2);
    let now = states(&tab.result("queue.list", &Value::Null));
    assert_eq!(now.iter().map(|(_, state, _)| state.as_str()).collect::<Vec<_>>(), ["done", "running", "waiting"]);
    let rows = tab.result("inbox.list", &Value::Null)["rows"].as_array().expect("rows").clone();
    let row = rows.iter().find(|row| row["key"] == first).expect("a row");
    assert_eq!((&row["review"]["current"], &row["review"]["severities"]), (&json!(true), &json!([0, 1, 0, 0, 0])));
    serving.child.kill().expect("killed");
    serving.child.wait().expect("ended");

    case.one.play(json!({ "turns": [turn()] }));
    let serving = serve(&case.installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    wait_until("the rest is reviewed", || {
        let queue = tab.result("queue.list", &Value::Null);
        states(&queue).iter().all(|(_, state, _)| state == "done")
    });
    assert_eq!((case.asked().0, case.reviews()), (2, 3), "nothing is asked for twice");
    assert_eq!(tab.result("queue.switch", &json!({ "on": false }))["on"], false);
}
