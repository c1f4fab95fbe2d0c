//! Plants secrets in every place that a run reads, and searches all bytes that it writes, sends or prints for them.

use std::fmt::Write as _;
use std::path::Path;

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::secrets::Random;
use diffsan_test_support::stand_in::StandIn;
use diffsan_test_support::{codex, secrets};
use serde_json::json;

use crate::support::{Installation, Ran};

/// A different secret for each place, so that a leak shows its origin.
struct Canaries {
    random: Random,
    planted: Vec<(String, String)>,
}

impl Canaries {
    fn new(seed: usize) -> Self {
        Self { random: Random::new(seed), planted: Vec::new() }
    }

    fn plant(&mut self, place: &str, secret: String) -> String {
        self.planted.push((place.to_owned(), secret.clone()));
        secret
    }

    /// Plants a token that is recognizable in any text or name.
    fn token(&mut self, place: &str) -> String {
        let token = match self.planted.len() % 4 {
            0 => format!("ghp_{}", self.random.alnum(36)),
            1 => format!("AKIA{}", self.random.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
            2 => format!("glpat-{}", self.random.alnum(20)),
            _ => format!("sk_live_{}", self.random.alnum(24)),
        };
        self.plant(place, token)
    }

    /// Plants a weak value that only its key reveals.
    fn weak(&mut self, place: &str) -> String {
        let weak = format!("{}-{}", self.random.weak_password(), self.random.hex(4));
        self.plant(place, weak)
    }

    fn all_gone_from(&self, seen: &[(String, Vec<u8>)]) {
        let mut leaks = String::new();
        for (place, secret) in &self.planted {
            for (name, bytes) in seen {
                if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                    let _ = writeln!(leaks, "the one in {place} is in {name}");
                }
            }
        }
        assert!(leaks.is_empty(), "{leaks}");
    }
}

/// Collects all files below a folder.
fn files(folder: &Path, seen: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, seen);
        } else {
            seen.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default()));
        }
    }
}

fn printed(what: &str, ran: &Ran, seen: &mut Vec<(String, Vec<u8>)>) {
    seen.push((format!("standard output of {what}"), ran.stdout.clone().into_bytes()));
    seen.push((format!("standard error of {what}"), ran.stderr.clone().into_bytes()));
}

/// Creates a repository whose branch has a canary in every part of a change.
fn repository(canaries: &mut Canaries) -> (TestRepo, String) {
    let repo = TestRepo::new();
    let (removed, context) = (canaries.weak("a removed line"), canaries.token("an unchanged line"));
    repo.write("app.py", format!("a = 1\npassword = '{removed}'\nb = 2 # {context}\nc = 3\n"));
    repo.write(".env", "MODE=dev\n");
    repo.commit("base");
    let branch = format!("topic/{}", canaries.token("the branch"));
    repo.git(["checkout", "-q", "-b", &branch]);
    let added = canaries.weak("an added line");
    repo.write("app.py", format!("a = 1\npassword = '{added}'\nb = 2 # {context}\nc = 4\n"));
    let (env, url) = (canaries.weak("a file of settings"), canaries.weak("an address"));
    repo.write(".env", format!("MODE=dev\nDB_PASSWORD={env}\nDATABASE_URL=postgres://app:{url}@db/x\n"));
    let mut random = Random::new(9);
    let key: Vec<String> = (0..4).map(|_| random.base64(64)).collect();
    for line in &key {
        canaries.plant("a key block", line.clone());
    }
    let block = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n", key.join("\n"));
    repo.write("deploy.key", block);
    repo.write(format!("backup-{}.txt", canaries.token("a path")), "x\n");
    let encoded = canaries.token("a copy in base64");
    repo.write("copy.yaml", format!("data: {}\n# {encoded}\n", secrets::base64(&format!("user {encoded} end"))));
    canaries.plant("base64", secrets::base64(&format!("user {encoded} end")));
    let message = format!("use {}", canaries.token("the commit message"));
    repo.commit(&message);
    (repo, branch)
}

#[test]
fn no_output_of_a_run_contains_a_secret() {
    let mut canaries = Canaries::new(1);
    let (repo, branch) = repository(&mut canaries);
    let instructions =
        format!("the password is {}; see {}", canaries.token("instructions"), canaries.token("more of them"));
    let configured = format!("our token: {}", canaries.token("configured instructions"));
    let finding = json!({
        "path": "app.py", "line_start": 2, "line_end": 2, "side": "new", "severity": "high", "category": "security",
        "title": format!("It has {}", canaries.token("a finding's title")),
        "body_markdown": format!("See `api_key = \"{}\"`.", canaries.weak("a finding's body")),
        "quote": format!("password = '{}'", canaries.weak("a finding's quote")),
    });
    let answer =
        json!({ "summary_markdown": format!("Uses {}.", canaries.token("the summary")), "findings": [finding] });
    let envelope = json!({ "type": "result", "is_error": false, "result": answer.to_string() });
    let wrong = json!({ "type": "result", "is_error": false, "result": format!("sorry, {}", canaries.token("an answer that is none")) });
    let stderr = format!("debug: token={}\n", canaries.weak("the agent's standard error"));
    let agent = StandIn::new()
        .plays(1, &wrong.to_string(), &stderr, 0)
        .plays(2, &envelope.to_string(), &stderr, 0)
        .plays(3, &envelope.to_string(), &stderr, 0);
    let installation = Installation::new()
        .with_stand_in(&agent)
        .with("DIFFSAN_AGENT__NAME", "cursor")
        .with("DIFFSAN_PROMPT__INSTRUCTIONS", configured);
    let mut seen = Vec::new();
    let range = format!("main...{branch}");
    for (what, args) in [
        ("prepare", vec!["prepare", "--range", &range]),
        ("prepare --json", vec!["prepare", "--range", &range, "--json"]),
        ("prompt", vec!["prompt", "--range", &range, "--instructions", &instructions]),
        ("review", vec!["review", "--range", &range, "--instructions", &instructions]),
        ("review --json", vec!["review", "--range", &range, "--json"]),
    ] {
        let ran = installation.run(repo.path(), &args);
        assert!(ran.code <= 1, "{what}: {ran:?}");
        printed(what, &ran, &mut seen);
    }
    assert!(agent.attempts() >= 2);
    for attempt in 1..=agent.attempts() {
        for what in ["stdin", "argv"] {
            seen.push((format!("{what} of the agent"), agent.given(what, attempt).into_bytes()));
        }
    }
    files(&installation.data(), &mut seen);
    assert!(seen.iter().any(|(name, _)| name.ends_with("review.json")), "the run is kept");
    canaries.all_gone_from(&seen);
}

#[test]
fn no_error_message_contains_a_secret() {
    let mut canaries = Canaries::new(2);
    let (repo, branch) = repository(&mut canaries);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let body = format!("no access with key {}", canaries.token("a provider's error"));
    let server = runtime.block_on(ModelServer::start(json!({ "turns": [{ "status": 401, "error": body }] })));
    let home = codex::home();
    let key = canaries.token("the provider's key");
    let installation = Installation::with_codex(home.path(), server.url(), &key);
    let mut seen = Vec::new();
    let unknown = canaries.token("an unknown revision");
    let pattern = format!("({}", canaries.token("a bad pattern"));
    let setting = format!("agent.name={}", canaries.token("a setting"));
    let extra = format!("redaction.extra_patterns=[{{name = \"x\", pattern = \"{pattern}\"}}]");
    let range = format!("main...{branch}");
    for (what, args) in [
        ("a failed agent", vec!["review", "--range", &range]),
        ("an unknown revision", vec!["review", "--range", &unknown]),
        ("a bad pattern", vec!["review", "--range", &range, "--set", &extra]),
        ("an unknown agent", vec!["review", "--range", &range, "--set", &setting]),
    ] {
        let ran = installation.run(repo.path(), &args);
        assert!(ran.code > 1, "{what}: {ran:?}");
        printed(what, &ran, &mut seen);
    }
    for request in server.requests() {
        seen.push(("a request's body".to_owned(), request.body.to_string().into_bytes()));
    }
    files(&installation.data(), &mut seen);
    canaries.all_gone_from(&seen);
}
