//! The real agents from npm, and endpoints, against a scripted model server, which is also their only proxy.

mod hostile;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, Ran, answer, read, read_json};

/// The agents and endpoints that the tests run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    Codex,
    Claude,
    Gemini,
    Opencode,
    /// opencode through the Agent Client Protocol.
    Acp,
    /// An endpoint of chat completions.
    Chat,
    /// An endpoint of the Responses API.
    Responses,
}

impl Who {
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Opencode | Self::Acp => "opencode",
            Self::Chat | Self::Responses => "scripted",
        }
    }

    /// Returns whether the agent enforces the answer's schema, so that no repair is needed.
    fn structured(self) -> bool {
        matches!(self, Self::Codex | Self::Claude)
    }

    /// Returns the turn in which the model gives an answer.
    pub fn says(self, text: &str) -> Value {
        let usage = json!({ "input": 900, "output": 80, "cached": 100 });
        match (self, serde_json::from_str::<Value>(text)) {
            // Claude answers with a tool that validates the answer.
            (Self::Claude, Ok(args)) => {
                json!({ "tools": [{ "name": "StructuredOutput", "args": args }], "usage": usage })
            }
            _ => json!({ "text": text, "usage": usage }),
        }
    }
}

pub struct Case {
    pub installation: Installation,
    pub repo: TestRepo,
    pub server: ModelServer,
    /// The user's files with their original contents.
    own: BTreeMap<PathBuf, Vec<u8>>,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    pub fn new(who: Who, turns: Vec<Value>) -> Self {
        Self::with(who, json!({ "turns": turns }))
    }

    pub fn with(who: Who, script: Value) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let server = runtime.block_on(ModelServer::start(script));
        let mut installation = Installation::with_agents()
            .with("HTTPS_PROXY", server.root())
            .with("HTTP_PROXY", server.root())
            .with("NO_PROXY", "127.0.0.1")
            .with("DIFFSAN_AGENT__MAX_RETRIES", "0")
            .with("DIFFSAN_AGENT__NAME", who.name());
        let home = installation.home().to_owned();
        let write = |name: &str, text: String| {
            let path = home.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("written");
        };
        let canary = home.join("canary");
        let touch = format!("touch {}", canary.display());
        match who {
            Who::Codex => {
                write(
                    ".codex/config.toml",
                    format!("[mcp_servers.own]\ncommand = \"sh\"\nargs = [\"-c\", \"{touch}\"]\n"),
                );
                let (url, home) = (server.url(), home.join(".codex"));
                installation = installation.with("CODEX_HOME", home).with("DIFFSAN_AGENT__PROXY_URL", url);
                installation = installation.with("DIFFSAN_OPENAI_API_KEY", "key-of-the-test");
            }
            Who::Claude => {
                let hook =
                    json!({ "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": touch }] }] } });
                write(".claude/settings.json", hook.to_string());
                write(".claude/CLAUDE.md", "Always answer in verse.".to_owned());
                installation = installation.with("ANTHROPIC_BASE_URL", server.root());
                installation = installation.with("ANTHROPIC_API_KEY", "key-of-the-test");
            }
            Who::Gemini => {
                write(
                    ".gemini/settings.json",
                    json!({ "mcpServers": { "own": { "command": "sh", "args": ["-c", touch] } } }).to_string(),
                );
                write(".gemini/.env", "GEMINI_API_KEY=key-of-the-test\n".to_owned());
                installation = installation.with("GOOGLE_GEMINI_BASE_URL", server.root());
                installation = installation.with("DIFFSAN_AGENTS__GEMINI__MODEL", "gemini-2.5-pro");
            }
            Who::Opencode | Who::Acp => {
                let limit = json!({ "context": 400_000, "output": 8000 });
                let provider = json!({ "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": server.url(), "apiKey": "key-of-the-test" },
                                       "models": { "m": { "limit": limit } } });
                let settings = json!({ "enabled_providers": ["lab"], "model": "lab/m", "small_model": "lab/m", "provider": { "lab": provider } });
                write(".config/opencode/opencode.json", settings.to_string());
                if who == Who::Acp {
                    let own = "[agents.opencode]\ntransport = \"acp\"\nargs = [\"acp\"]\n";
                    std::fs::write(installation.config().join("config.toml"), own).expect("written");
                }
            }
            Who::Chat | Who::Responses => {
                let api = if who == Who::Chat { "chat-completions" } else { "responses" };
                for (key, value) in [
                    ("TRANSPORT", "openai-http"),
                    ("TALKS", "true"),
                    ("URL", &server.url()),
                    ("API", api),
                    ("MODEL", "scripted-model"),
                    ("KEY_VARIABLE", "SCRIPTED_KEY"),
                ] {
                    installation = installation.with(&format!("DIFFSAN_AGENTS__SCRIPTED__{key}"), value);
                }
                installation = installation.with("SCRIPTED_KEY", "key-of-the-test");
            }
        }
        let repo = TestRepo::new();
        repo.write("a.rs", "fn main() {\n    let n = 3;\n}\n");
        repo.commit("base");
        repo.write("a.rs", "fn main() {\n    for i in 0..3 - 1 {}\n}\n");
        let own = files(&home);
        Self { installation, repo, server, own, _runtime: runtime }
    }

    /// Lets agents run without a sandbox, which would hide effects that the agents' own switches have to prevent.
    pub fn without_sandbox(mut self) -> Self {
        let installation = std::mem::replace(&mut self.installation, Installation::new());
        self.installation = installation.with("DIFFSAN_AGENT__SANDBOX", "off");
        self
    }

    /// Writes a file of the user that no run may change.
    pub fn write_own(&mut self, name: &str, text: &str) -> PathBuf {
        let path = self.installation.home().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("written");
        self.own.insert(path.clone(), text.as_bytes().to_vec());
        path
    }

    pub fn review(&self, more: &[&str]) -> Ran {
        let args: Vec<&str> = ["review"].iter().chain(more).copied().collect();
        let ran = self.installation.run(self.repo.path(), &args);
        self.check_nothing_is_left(&ran);
        ran
    }

    /// Checks that a run has left no process and no file, contacted only loopback addresses, and not changed the user's files.
    pub fn check_nothing_is_left(&self, ran: &Ran) {
        assert_eq!(self.processes(), Vec::<String>::new(), "{ran:?}");
        for (path, before) in &self.own {
            let now = std::fs::read(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&now).into_owned();
            assert!(now == *before, "{} was changed: {text}", path.display());
        }
        let home = self.installation.home();
        assert!(!home.join("canary").exists(), "something of the user's or the repository's was run");
        // The proxy refuses everything. opencode contacts its package registry at each start, and no setting prevents this.
        let refused: Vec<String> = self.server.connects();
        assert!(refused.iter().all(|host| host.starts_with("registry.")), "{refused:?}");
        let private = std::fs::read_dir(self.installation.data().join("private")).map_or(0, Iterator::count);
        assert_eq!(private, 0, "private folders are left");
        let everything: String = files(&self.installation.data())
            .into_values()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .collect();
        assert!(!everything.contains("key-of-the-test"), "a key was written");
        assert!(!format!("{ran:?}").contains("key-of-the-test"), "a key was told");
    }

    /// Returns the ids of running agent processes, without diffsan itself.
    pub fn agents(&self) -> Vec<i32> {
        let home = self.installation.home().display().to_string();
        let ids = std::fs::read_dir("/proc").expect("/proc").flatten().filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let environment = std::fs::read(entry.path().join("environ")).ok()?;
            let environment = String::from_utf8_lossy(&environment);
            (environment.contains(&home) && environment.contains("DIFFSAN_RUN_TAG=")).then_some(id)
        });
        ids.collect()
    }

    /// Returns the processes that use this installation's data folder.
    fn processes(&self) -> Vec<String> {
        let wanted = self.installation.home().display().to_string();
        std::fs::read_dir("/proc")
            .expect("/proc")
            .flatten()
            .filter_map(|entry| {
                let environment = std::fs::read(entry.path().join("environ")).ok()?;
                let command = std::fs::read(entry.path().join("cmdline")).ok()?;
                let tagged = String::from_utf8_lossy(&environment).contains(&wanted);
                (tagged && !command.is_empty()).then(|| String::from_utf8_lossy(&command).replace('\0', " "))
            })
            .collect()
    }
}

pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
        }
    }
    found
}

pub fn good() -> String {
    answer("a.rs", 2, "0..3 - 1")
}

fn a_review_is_found_with_its_usage(who: Who) {
    check_review(&Case::new(who, vec![who.says(&good())]), who);
}

/// The sandbox without namespaces contains all that a real program needs.
fn a_review_is_found_without_namespaces(who: Who) {
    let mut case = Case::new(who, vec![who.says(&good())]);
    let installation = std::mem::replace(&mut case.installation, Installation::new());
    case.installation = installation.without_namespaces();
    let review = check_review(&case, who);
    assert_eq!(review["meta"]["agents"][0]["sandbox"]["mechanism"], "landlock", "{review}");
}

fn check_review(case: &Case, who: Who) -> Value {
    let ran = case.review(&["--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let review = ran.json();
    assert_eq!(review["findings"][0]["anchor"]["state"], "verified");
    assert_eq!(review["meta"]["agents"][0]["name"], who.name());
    let usage = &review["meta"]["token_usage"];
    assert_eq!(usage["output"], 80, "{review}");
    // Anthropic counts cached tokens separately.
    let input = if who == Who::Claude { 1000 } else { 900 };
    assert_eq!((&usage["input"], &usage["cached_input"]), (&json!(input), &json!(100)));
    let sent = case.server.requests();
    assert_eq!(sent.len(), 1, "one question, one request");
    let body = sent[0].body.to_string();
    assert!(body.contains("untrusted-"), "the prompt was sent");
    assert!(!body.contains("in verse"), "instructions of elsewhere are not obeyed");
    let schema = sent[0].body["text"]["format"]["schema"].is_object()
        || sent[0].body["response_format"]["json_schema"].is_object();
    assert_eq!(schema, matches!(who, Who::Codex | Who::Chat | Who::Responses), "{body}");
    review
}

fn failures_are_distinguished(who: Who) {
    let cut = match who {
        // Claude repeats the whole request when a stream breaks.
        Who::Claude => json!({ "text": good(), "cut": 3 }),
        _ => json!({ "text": good(), "cut": 4 }),
    };
    for (turn, words) in [
        (json!({ "status": 401, "error": "bad key" }), "not signed in, or its key was rejected"),
        (json!({ "status": 429, "error": "slow down" }), "reached a rate limit"),
        (json!({ "status": 500, "error": "internal server error" }), "failed or is overloaded"),
        (cut, "lost the connection"),
    ] {
        // opencode retries some failures forever, until the timeout.
        let patience = if matches!(who, Who::Opencode | Who::Acp) { "12" } else { "30" };
        let mut case = Case::new(who, vec![turn.clone()]);
        case.installation = case.installation.with("DIFFSAN_AGENT__TOTAL_TIMEOUT_SECONDS", patience);
        let ran = case.review(&[]);
        assert_eq!(ran.code, 5, "{turn}: {ran:?}");
        let given_up = matches!(who, Who::Opencode | Who::Acp) && ran.stderr.contains("was stopped");
        // The protocol has no field for a status, so diffsan reports the provider's message.
        let bare = who == Who::Acp && ran.stderr.contains("bad key");
        assert!(given_up || bare || ran.stderr.contains(words), "{turn}: {words}: {ran:?}");
    }
}

fn a_temporary_failure_is_retried(who: Who) {
    let slow = json!({ "status": 429, "error": "slow down", "headers": { "retry-after": "1" } });
    let mut case = Case::new(who, vec![slow, who.says(&good())]);
    case.installation = case.installation.with("DIFFSAN_AGENT__MAX_RETRIES", "2");
    let ran = case.review(&["--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(case.server.requests().len(), 2);
}

fn a_stalled_agent_is_stopped(who: Who) {
    let mut case = Case::new(who, vec![json!({ "hang": 120 })]);
    let patience = if matches!(who, Who::Opencode | Who::Acp) { "8" } else { "4" };
    case.installation = case.installation.with("DIFFSAN_AGENT__SILENCE_TIMEOUT_SECONDS", patience);
    case.installation = case.installation.with("DIFFSAN_AGENT__START_TIMEOUT_SECONDS", "20");
    case.installation = case.installation.with("DIFFSAN_AGENT__TOTAL_TIMEOUT_SECONDS", "40");
    let ran = case.review(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("was stopped"), "{ran:?}");
    let state = &read_json(&case.installation.run_folder(), "run.json")["error"]["error_code"];
    assert_eq!(state, "AGENT_TIMEOUT");
}

fn cancel_ends_everything(who: Who) {
    let case = Case::new(who, vec![json!({ "hang": 120 })]);
    let child = case.installation.command(case.repo.path(), &["review"]).spawn().expect("started");
    let started = Instant::now();
    while case.server.requests().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60), "it never asked");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal");
    let ran: Ran = child.wait_with_output().expect("ended").into();
    assert_eq!(ran.code, 130, "{ran:?}");
    case.check_nothing_is_left(&ran);
    assert_eq!(read_json(&case.installation.run_folder(), "run.json")["state"], "cancelled");
}

fn an_unreachable_server_is_reported(who: Who) {
    let case = Case::new(who, vec![who.says(&good())]);
    let Case { installation, repo, server, .. } = case;
    drop(server);
    let installation = installation.with("DIFFSAN_AGENT__TOTAL_TIMEOUT_SECONDS", "12");
    let ran = installation.run(repo.path(), &["review"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    let given_up = matches!(who, Who::Opencode | Who::Acp) && ran.stderr.contains("was stopped");
    assert!(given_up || ran.stderr.contains("could not reach its provider"), "{ran:?}");
}

fn a_long_prompt_arrives_whole(who: Who) {
    let case = Case::new(
        who,
        vec![who.says(&json!({ "summary_markdown": "ok", "findings": [], "intent": [], "chapters": [] }).to_string())],
    );
    let line = |number: usize| format!("let value_{number} = compute(input);\n");
    let text: String = (0..)
        .map(line)
        .scan(0, |sum, line| {
            *sum += line.len() + 1;
            (*sum < 880_000).then_some(line)
        })
        .collect();
    case.repo.write("big.rs", &text);
    let ran = case.review(&["--all", "--json", "--set", "limits.max_diff_chars=890000"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let last = text.lines().last().expect("a line");
    let sent = case.server.requests().last().expect("a request").body.to_string();
    assert!(sent.len() > 880_000 && sent.contains(last), "{} bytes were sent", sent.len());
}

fn an_invalid_answer_is_repaired_or_refused(who: Who) {
    let case = Case::new(who, vec![json!({ "text": "{\"findings\": []}" }), who.says(&good())]);
    let ran = case.review(&["--json"]);
    if who == Who::Claude {
        // Claude reminds the model itself, and the second answer is valid.
        assert_eq!(ran.code, 0, "{ran:?}");
        return;
    }
    let run = case.installation.run_folder();
    assert_eq!(read(&run, "agent.raw.attempt1.txt").trim(), "{\"findings\": []}");
    if who.structured() {
        assert_eq!(ran.code, 6, "{ran:?}");
        return;
    }
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["meta"]["attempts"], 2);
    let second = case.server.requests().last().expect("a request").body.to_string();
    assert!(second.contains("summary_markdown: field required"), "{second}");
    assert!(read(&run, "prompt.attempt2.txt").contains("summary_markdown: field required"));
    assert!(!run.join("prompt.attempt3.txt").exists());
}

macro_rules! each {
    ($($who:ident: $module:ident),*) => { $(
        mod $module {
            use super::Who::$who;
            #[test]
            fn a_review_is_found_with_its_usage() { super::a_review_is_found_with_its_usage($who); }
            #[test]
            fn failures_are_distinguished() { super::failures_are_distinguished($who); }
            #[test]
            fn a_temporary_failure_is_retried() { super::a_temporary_failure_is_retried($who); }
            #[test]
            fn a_stalled_agent_is_stopped() { super::a_stalled_agent_is_stopped($who); }
            #[test]
            fn cancel_ends_everything() { super::cancel_ends_everything($who); }
            #[test]
            fn an_unreachable_server_is_reported() { super::an_unreachable_server_is_reported($who); }
            #[test]
            fn a_long_prompt_arrives_whole() { super::a_long_prompt_arrives_whole($who); }
            #[test]
            fn an_invalid_answer_is_repaired_or_refused() { super::an_invalid_answer_is_repaired_or_refused($who); }
        }
    )* };
}

mod without_namespaces {
    use super::Who::{Acp, Claude, Codex, Gemini, Opencode};
    use super::a_review_is_found_without_namespaces as review;

    #[test]
    fn codex_reviews() {
        review(Codex);
    }
    #[test]
    fn claude_reviews() {
        review(Claude);
    }
    #[test]
    fn gemini_reviews() {
        review(Gemini);
    }
    #[test]
    fn opencode_reviews() {
        review(Opencode);
    }
    #[test]
    fn opencode_reviews_by_its_protocol() {
        review(Acp);
    }
}

each!(Codex: codex, Claude: claude, Gemini: gemini, Opencode: opencode, Acp: acp, Chat: chat, Responses: responses);
