//! Running reviews belong to the core: every connection sees them with their progress, and can cancel them.

use std::sync::Arc;
use std::time::Duration;

use diffsan_app::{App, AppOptions};
use diffsan_config::{Origin, parse_layer};
use diffsan_rpc::Server;
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A core with one agent, which answers by a script, and a repository with a change.
struct Core {
    server: Server,
    repo: TestRepo,
    model: ModelServer,
    _data: tempfile::TempDir,
}

impl Core {
    async fn new(turns: Value) -> Self {
        let repo = TestRepo::new();
        repo.write("a.rs", "fn one() {}\n");
        repo.commit("base");
        repo.write("a.rs", "fn two() {}\n");
        let model = ModelServer::start(json!({ "turns": turns })).await;
        let settings = format!(
            "[agent]\nmax_retries = 0\n[agents.one]\ntransport = \"openai-http\"\nurl = {:?}\nmodel = \"m\"\n",
            model.url()
        );
        let data = tempfile::tempdir().expect("a folder");
        let options = AppOptions {
            data_dir: Some(data.path().join("data")),
            config_dir: Some(data.path().join("config")),
            layers: vec![parse_layer(Origin::CommandLine, &settings).expect("settings")],
            ..AppOptions::default()
        };
        let app: Arc<App> = App::start(options).expect("started");
        Self { server: Server::new(app), repo, model, _data: data }
    }

    /// Opens a page that shows the change.
    async fn page(&self) -> Page {
        let server = self.server.connect();
        let (sender, events) = unbounded_channel();
        let notify = move |text: String| {
            let event: Value = serde_json::from_str(&text).expect("JSON");
            // The receiver of a closed page is gone.
            let _ = sender.send(event["params"]["result"].clone());
        };
        let follow = json!({ "jsonrpc": "2.0", "id": 1, "method": "review.follow", "params": {} });
        let answer = server.call(follow.to_string(), notify).await.text;
        assert!(answer.contains("\"result\""), "{answer}");
        let mut page = Page { server, events, change: Value::Null };
        let params = json!({ "repo": self.repo.path(), "target": { "kind": "unstaged" } });
        page.change = page.result("change.open", params).await;
        page
    }
}

/// A page: a connection that follows the reviews.
struct Page {
    server: Server,
    events: UnboundedReceiver<Value>,
    /// The opened change.
    change: Value,
}

impl Page {
    async fn result(&self, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params }).to_string();
        let answer: Value = serde_json::from_str(&self.server.call(request, |_| ()).await.text).expect("JSON");
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    async fn start(&self) -> Value {
        self.result("review.start", json!({ "change_id": self.change["change_id"], "agents": ["one"] })).await
    }

    /// Returns the next event of one of these kinds.
    async fn event(&mut self, kinds: &[&str]) -> Value {
        loop {
            let event = self.events.recv().await.expect("an event");
            if kinds.contains(&event["kind"].as_str().expect("a kind")) {
                return event;
            }
        }
    }

    async fn runs(&mut self) -> Vec<Value> {
        self.event(&["snapshot"]).await["runs"].as_array().expect("runs").clone()
    }

    async fn review(&self) -> Value {
        let params = json!({ "change_id": self.change["change_id"] });
        self.result("review.current", params).await["review"].clone()
    }
}

fn answered() -> Value {
    let finding = json!({ "severity": "low", "category": "style", "path": "a.rs", "line_start": 1, "line_end": 1,
        "title": "A name", "body_markdown": "It is called twice.", "quote": "fn two() {}" });
    json!({ "text": json!({ "summary_markdown": "Fine.", "findings": [finding] }).to_string() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reloaded_page_and_a_second_one_follow_a_running_review_and_can_cancel_it() {
    let core = Core::new(json!([{ "hang": 120 }, answered()])).await;
    let mut one = core.page().await;
    let mut other = core.page().await;
    assert_eq!((one.runs().await.len(), other.runs().await.len()), (0, 0));
    let started = one.start().await;
    assert_eq!(started["new"], true);
    let seen = other.event(&["started"]).await["run"].clone();
    assert_eq!(seen["run_id"], started["run_id"]);
    assert_eq!(seen["change"], other.change["review_key"], "both pages show the same change");
    while other.event(&["progress"]).await["step"] != "agent" {}
    while core.model.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    // A reload: the connection closes, which ends its subscription, and another one attaches.
    one.server.close();
    while one.events.recv().await.is_some() {}
    let mut one = core.page().await;
    let runs = one.runs().await;
    assert_eq!(runs.len(), 1);
    assert_eq!((&runs[0]["run_id"], &runs[0]["step"]), (&started["run_id"], &json!("agent")));
    assert!(!runs[0]["log"].as_array().expect("lines").is_empty(), "{runs:?}");

    // Another request shows the running review.
    let again = other.start().await;
    assert_eq!(again, json!({ "run_id": started["run_id"], "new": false }));
    let cancelled = other.result("review.cancel", json!({ "run_id": started["run_id"] })).await;
    assert_eq!(cancelled["cancelled"], true);
    for page in [&mut one, &mut other] {
        assert_eq!(page.event(&["ended"]).await["end"]["kind"], "cancelled");
    }
    assert!(core.page().await.runs().await.is_empty());

    // The change can be reviewed again at once, and both pages get the new review.
    assert_eq!(one.start().await["new"], true);
    for page in [&mut one, &mut other] {
        assert_eq!(page.event(&["ended"]).await["end"], json!({ "kind": "done", "findings": 1 }));
        assert_eq!(page.review().await["findings"][0]["finding"]["title"], "A name");
    }
    assert_eq!(core.model.requests().len(), 2, "no other review was started");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_is_reported_to_every_other_page() {
    let core = Core::new(json!([answered()])).await;
    let mut one = core.page().await;
    one.start().await;
    one.event(&["ended"]).await;
    let mut other = core.page().await;
    let review = other.review().await;
    let decide = json!({ "review_id": review["review_id"], "findings": [review["findings"][0]["finding"]["key"]],
        "decision": "accepted" });
    one.result("finding.decide", decide).await;
    assert_eq!(other.event(&["edited"]).await["change"], other.change["review_key"]);
    assert_eq!(other.review().await["findings"][0]["decision"], "accepted");
    // The page that decided knows it: its next event is another one.
    other.start().await;
    assert_eq!(one.event(&["edited", "started"]).await["kind"], "started");
    one.event(&["ended"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_error_of_a_failed_review_stays_until_it_is_closed() {
    let core = Core::new(json!([{ "status": 401, "error": "Incorrect API key provided" }])).await;
    let mut one = core.page().await;
    let run_id = one.start().await["run_id"].clone();
    let end = one.event(&["ended"]).await["end"].clone();
    assert_eq!(end["kind"], "failed");
    let mut later = core.page().await;
    let runs = later.runs().await;
    assert_eq!((&runs[0]["run_id"], &runs[0]["failure"]), (&run_id, &end["failure"]));
    // It does not prevent another review.
    assert_eq!(later.start().await["new"], true);
    later.event(&["ended"]).await;
    let mut page = core.page().await;
    let runs = page.runs().await;
    assert_eq!(runs.len(), 1, "only the latest error of a change stays");
    assert_ne!(runs[0]["run_id"], run_id);
    page.result("review.close", json!({ "run_id": runs[0]["run_id"] })).await;
    assert_eq!(later.event(&["closed"]).await["run_id"], runs[0]["run_id"]);
    assert!(core.page().await.runs().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_stays_when_its_second_opinion_is_cancelled() {
    let core = Core::new(json!([answered(), { "text": "{}", "delay": 600 }])).await;
    let mut page = core.page().await;
    let params = json!({ "change_id": page.change["change_id"], "agents": ["one"], "verify": "all" });
    let run_id = page.result("review.start", params).await["run_id"].clone();
    // The second request is the one for the opinion.
    while core.model.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let cancelled = page.result("review.cancel", json!({ "run_id": run_id })).await;
    assert_eq!(cancelled["cancelled"], true);
    page.event(&["edited"]).await;
    let review = page.review().await;
    assert_eq!(review["findings"].as_array().expect("findings").len(), 1);
    assert_eq!(review["second_opinion"]["error"], "The second opinion was cancelled.");
    assert!(review["findings"][0]["opinion"].is_null(), "{review}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_changes_its_mind_replaces_its_opinion() {
    let core = Core::new(json!([answered()])).await;
    let mut page = core.page().await;
    page.start().await;
    page.event(&["ended"]).await;
    let review = page.review().await;
    let params = json!({ "change_id": page.change["change_id"], "review_id": review["review_id"],
        "findings": [review["findings"][0]["finding"]["key"]] });
    let opinion = |verdict: &str| {
        let quote = json!({ "path": "a.rs", "line_start": 1, "line_end": 1, "quote": "fn two() {}" });
        let opinion = json!({ "finding": params["findings"][0], "verdict": verdict, "reason": "See there.", "evidence": [quote] });
        json!({ "turns": [{ "text": json!({ "opinions": [opinion] }).to_string() }] })
    };
    let preview = page.result("opinion.preview", params.clone()).await;
    assert!(preview["prompts"][0].as_str().expect("a prompt").contains("It is called twice."), "{preview}");
    assert_eq!(core.model.requests().len(), 1, "a preview sends nothing");
    let other = core.page().await;
    for (verdict, previous) in [("refuted", Value::Null), ("holds", json!("refuted")), ("holds", Value::Null)] {
        core.model.play(opinion(verdict));
        let review = page.result("opinion.ask", params.clone()).await;
        let given = &review["findings"][0]["opinion"];
        assert_eq!((&given["verdict"], &given["previous"]), (&json!(verdict), &previous), "{given}");
        assert_eq!(other.review().await["findings"][0]["opinion"], *given, "another page sees it");
    }
    // It no longer refutes the finding, so later reviews are not told.
    core.model.play(json!({ "turns": [answered()] }));
    page.start().await;
    page.event(&["ended"]).await;
    let sent = core.model.requests().pop().expect("a request").body.to_string();
    assert!(!sent.contains("refuted by a second opinion ("), "{sent}");
}
