//! A core with a repository, reviews, conversations, a posting plan, an interrupted run and a merge request of the fake GitLab. Agents are
//! answered by the scripted model server, so that nothing outside of this process is used.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use diffsan_app::{App, AppOptions};
use diffsan_config::{Origin, parse_layer};
use diffsan_rpc::Server;
use diffsan_store::secrets::{Secret, SecretName};
use diffsan_store::{Conversation, MessageState, Store, StoredMessage};
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, TOKEN};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::calls::Values;
use crate::releases;

/// The time after which a call counts as stuck, also on a machine that is busy with other work.
const CALL_TIMEOUT: Duration = Duration::from_secs(300);
/// The id of the conversation with a fix block.
const CONVERSATION: &str = "c0ffee";

/// The core and everything that it talks to.
pub struct Core {
    runtime: Runtime,
    server: Server,
    app: Arc<App>,
    repo: TestRepo,
    gitlab: FakeGitlab,
    _origin: TestRepo,
    _model: ModelServer,
    data: TempDir,
}

fn code(changed: &[u32]) -> String {
    (1..=80)
        .map(|line| format!("fn line_{line}{}() {{}}\n", if changed.contains(&line) { "_new" } else { "" }))
        .collect()
}

/// Returns the script of the model: a review, a summary of a conversation, and a commit message.
fn script() -> Value {
    let finding = |line: u32| {
        json!({ "severity": "low", "category": "style", "path": "a.rs", "line_start": line, "line_end": line, "title": "A name",
            "body_markdown": "It is called twice.", "quote": format!("fn line_{line}_new() {{}}"),
            "suggested_patch": { "format": "replacement", "content": format!("fn other_{line}() {{}}") } })
    };
    let review = json!({ "summary_markdown": "Two.", "findings": [finding(10), finding(50)] });
    let summary = json!({ "intent_user_message": "Fix it.", "summary": "STATUS\nRESUME_AT: here" });
    json!({
        "turns": [{ "text": review.to_string() }],
        "side": [
            { "match": "CONTEXT CHECKPOINT COMPACTION", "turn": { "text": summary.to_string() } },
            { "match": "Give a second opinion on each", "turn": { "text": json!({ "opinions": [] }).to_string() } },
            { "match": "commit message", "turn": { "text": "Rename functions\n\nTheir names were too short." } },
        ],
    })
}

impl Core {
    /// Starts the core with all its state.
    pub fn start() -> (Self, Values) {
        let runtime = Runtime::new().expect("a runtime");
        let _entered = runtime.enter();
        let origin = TestRepo::new();
        origin.write("a.rs", code(&[]));
        origin.commit("base");
        origin.git(["checkout", "-q", "-b", "topic"]);
        origin.write("a.rs", code(&[10, 50]));
        origin.commit("topic");
        origin.git(["checkout", "-q", "-b", "upper"]);
        origin.write("a.rs", code(&[10, 50, 70]));
        origin.commit("upper");
        origin.git(["checkout", "-q", "main"]);
        let gitlab = runtime.block_on(FakeGitlab::start(&origin.path().join(".git")));
        gitlab.merge_request(7, "topic", "main");
        gitlab.merge_request(8, "upper", "topic");
        gitlab.comment(7, "a.rs", 10, "Why?");
        let model = runtime.block_on(ModelServer::start(script()));
        let repo = TestRepo::clone_of(&origin, &[]);
        repo.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);

        let (releases, key) = releases::serve();
        let settings = format!(
            "[agent]\nname = \"one\"\nmax_retries = 0\n[agents.one]\ntransport = \"openai-http\"\nurl = {:?}\nmodel = \"m\"\n\
             [gitlab]\nbase_url = {:?}\nretry_pause_ms = 1\n\
             [update]\nurl = \"{}/update.json\"\n",
            model.url(),
            gitlab.url(),
            releases.address
        );
        let data = tempfile::tempdir().expect("a folder");
        let options = AppOptions {
            data_dir: Some(data.path().join("data")),
            config_dir: Some(data.path().join("config")),
            layers: vec![parse_layer(Origin::CommandLine, &settings).expect("settings")],
            ..AppOptions::default()
        };
        let app = App::start(options).expect("started");
        let server = Server::of_window(Arc::clone(&app), &releases::updater(&app, data.path(), &key));
        drop(_entered);
        let core = Self { runtime, server, app, repo, gitlab, _origin: origin, _model: model, data };
        let values = core.reset();
        (core, values)
    }

    /// Makes a call and returns its result, or its error.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let answer = self
            .runtime
            .block_on(async { tokio::time::timeout(CALL_TIMEOUT, self.server.call(request.clone(), |_| ())).await });
        let answer = answer.unwrap_or_else(|_| panic!("no answer: {request}")).text;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        if answer.get("error").is_some() { Err(answer["error"].clone()) } else { Ok(answer["result"].clone()) }
    }

    fn result(&self, method: &str, params: &Value) -> Value {
        self.call(method, params).unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    /// Restores the state that calls have changed, and returns the values that later calls need.
    pub fn reset(&self) -> Values {
        self.server.close();
        let name = SecretName::parse(&self.gitlab.url()).expect("a name");
        self.app.save_secret(&name, &Secret::new(TOKEN), true).expect("saved");
        let _ = fs::remove_dir_all(self.data.path().join("config"));
        self.repo.git(["reset", "-q", "--hard"]);
        self.repo.git(["clean", "-qfd"]);
        self.repo.write("a.rs", code(&[10, 50]));
        self.repo.write("new.png", [0x89, b'P', b'N', b'G']);
        self.repo.write(".diffsan.toml", "[agent]\nmodel = \"other\"\n[limits]\nmax_files = 9\n");
        let path = self.repo.path().display().to_string();

        let mut values = Values::new();
        values.add("repo", &path);
        values.add("path", "a.rs");
        values.add("base", &self.gitlab.url());
        values.add("secret", &self.gitlab.url());
        values.add("project", PROJECT);
        values.add("request", &format!("{}/{PROJECT}/-/merge_requests/7", self.gitlab.url()));
        let target = json!({ "kind": "all", "untracked": true });
        let open = json!({ "repo": path, "target": target });
        let opened = self.result("change.open", &open);
        let change = json!({ "change_id": opened["change_id"] });
        for _ in 0..2 {
            self.review(&change);
        }
        let current = self.result("review.current", &change)["review"].clone();
        self.interrupt(current["run_dir"].as_str().expect("a folder"), &mut values);
        self.converse();
        values.add("conversation_id", CONVERSATION);
        let request = json!({ "kind": "merge_request", "base": self.gitlab.url(), "project": PROJECT, "iid": 7 });
        let shown = self.result("change.open", &json!({ "repo": path, "target": request }));
        values.add("request_change", shown["change_id"].as_str().expect("an id"));
        values.find("thread", &shown["request"]["threads"], "id");
        let reviewed = self.review(&json!({ "change_id": shown["change_id"] }));
        let chosen: Vec<Value> = reviewed["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| json!({ "finding": one["finding"]["key"] }))
            .collect();
        let commits = self.result("change.commits", &json!({ "change_id": shown["change_id"] }));
        values.find("commit", &commits, "id");
        self.review_upper_layer(&path, &mut values);
        let plan = json!({ "change_id": shown["change_id"], "chosen": chosen, "summary": true });
        let planned = self.result("post.plan", &plan);
        values.add("plan_id", planned["plan_id"].as_str().expect("an id"));
        values.add("change_id", opened["change_id"].as_str().expect("an id"));
        values.find("review_id", &current, "review_id");
        values.add("request_review", reviewed["review_id"].as_str().expect("an id"));
        values.find("finding_key", &current["findings"], "key");
        values.find("digest", &opened, "digest");
        // The rows of the inbox are the open changes of the repository and of the server.
        values.find("inbox_key", &self.result("inbox.refresh", &json!({})), "key");
        let block =
            json!({ "conversation_id": CONVERSATION, "change_id": opened["change_id"], "number": 2, "line": 0 });
        values.learn("chat.apply", &self.result("chat.apply", &block));
        values
    }

    /// Reviews the merge request whose target is the other one's source. Its findings are on lines of the other one.
    fn review_upper_layer(&self, repo: &str, values: &mut Values) {
        let target = json!({ "kind": "merge_request", "base": self.gitlab.url(), "project": PROJECT, "iid": 8 });
        let opened = self.result("change.open", &json!({ "repo": repo, "target": target }));
        let reviewed = self.review(&json!({ "change_id": opened["change_id"] }));
        values.add("upper_change", opened["change_id"].as_str().expect("an id"));
        values.add("upper_review", reviewed["review_id"].as_str().expect("an id"));
        values.find("upper_finding", &reviewed["findings"], "key");
    }

    /// Reviews a change and returns the review.
    fn review(&self, change: &Value) -> Value {
        let mut request = change.clone();
        request["agents"] = json!(["one"]);
        request["anyway"] = json!(true);
        let started = self.result("review.start", &request);
        self.runtime.block_on(async {
            let ended = async {
                while self
                    .app
                    .follow_reviews()
                    .runs
                    .iter()
                    .any(|run| run.run_id == started["run_id"] && run.failure.is_none())
                {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            tokio::time::timeout(CALL_TIMEOUT, ended).await.expect("the review ends");
        });
        let mut current = change.clone();
        current["latest"] = json!(true);
        self.result("review.current", &current)["review"].clone()
    }

    /// Saves a copy of a run as one that was interrupted.
    fn interrupt(&self, folder: &str, values: &mut Values) {
        let folder = Path::new(folder);
        let name = "20991231T235959Z-interrupted";
        let copy = folder.parent().expect("runs").join(name);
        fs::create_dir_all(&copy).expect("a folder");
        for file in fs::read_dir(folder).expect("a run").flatten().filter(|file| file.path().is_file()) {
            if file.file_name() != "review.json" {
                fs::copy(file.path(), copy.join(file.file_name())).expect("copied");
            }
        }
        let mut record: Value =
            serde_json::from_slice(&fs::read(copy.join("run.json")).expect("a record")).expect("JSON");
        values.add("run_id", record["run_id"].as_str().expect("an id"));
        record["run_id"] = json!(name);
        record["state"] = json!("running");
        record["started_at"] = json!("2099-12-31T23:59:59Z");
        record["finished_at"] = Value::Null;
        fs::write(copy.join("run.json"), record.to_string()).expect("written");
        fs::write(copy.join("run.lock"), "").expect("written");
        values.add("interrupted", name);
    }

    /// Saves a conversation in which the agent proposes a fix.
    fn converse(&self) {
        let store = Store::open(&self.app.places().store()).expect("opened");
        let time = "2026-01-01T00:00:00Z".to_owned();
        let conversation = Conversation {
            id: CONVERSATION.into(),
            repository: self.repo.path().display().to_string(),
            target: "{}".into(),
            title: String::new(),
            fingerprint: "f".into(),
            context: "context".into(),
            marker: "m".into(),
            agent: "one".into(),
            model: None,
            created_at: time.clone(),
            updated_at: time.clone(),
        };
        // It may be there from an earlier call.
        let _ = store.remove_conversation(CONVERSATION);
        store.add_conversation(&conversation).expect("saved");
        let fix = |line: u32| {
            format!(
                "```fix a.rs\n<<<<<<< OLD\nfn line_{line}() {{}}\n=======\nfn other_{line}() {{}}\n>>>>>>> NEW\n```\n"
            )
        };
        let message = |role: &str, text: &str| StoredMessage {
            number: 0,
            role: role.into(),
            state: MessageState::Done,
            text: text.into(),
            sent: text.into(),
            attached: "[]".into(),
            facts: "{}".into(),
            superseded: false,
            created_at: time.clone(),
        };
        for line in [20, 30, 70] {
            let messages = [message("user", "Fix it."), message("assistant", &fix(line))];
            store.add_messages(CONVERSATION, &messages, None).expect("saved");
        }
    }
}
