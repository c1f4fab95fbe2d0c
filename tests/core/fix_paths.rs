//! The files that a suggestion or a fix block may write. Paths come from an agent's answer, so every path may be hostile.

use std::path::Path;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ReviewOutcome};
use diffsan_change::Target;
use diffsan_config::{Origin, parse_layer};
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_pipeline::review::{ReviewRequest, RunLocation};
use diffsan_rpc::Server;
use diffsan_store::{Conversation, MessageState, Store, StoredMessage};
use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// An application with one repository, used through JSON-RPC like the interface does.
struct Door {
    app: Arc<App>,
    server: Server,
    _data: tempfile::TempDir,
}

impl Door {
    fn new() -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let options = AppOptions {
            data_dir: Some(data.path().join("data")),
            config_dir: Some(data.path().join("config")),
            ..AppOptions::default()
        };
        let app = App::start(options).expect("started");
        Self { server: Server::new(Arc::clone(&app)), app, _data: data }
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Value> {
        let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let answer: Value = serde_json::from_str(&self.server.call(ask, |_| ()).await.text).expect("an answer");
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].clone()),
        }
    }

    async fn open(&self, repo: &Path, target: Value) -> String {
        let params = json!({ "repo": repo, "target": target, "since": null, "review_id": null });
        let opened = self.call("change.open", params).await.expect("opened");
        opened["change_id"].as_str().expect("a name").to_owned()
    }

    /// Adds a conversation whose only answer contains these fix blocks. Returns the line of each block.
    fn converse(&self, id: &str, blocks: &[String]) -> Vec<usize> {
        let store = Store::open(&self.app.places().store()).expect("opened");
        store.add_conversation(&conversation(id)).expect("kept");
        let mut text = String::new();
        let mut lines = Vec::new();
        for block in blocks {
            lines.push(text.lines().count());
            text += block;
        }
        store.add_messages(id, &[message("user", "Fix it."), message("assistant", &text)], None).expect("kept");
        lines
    }

    async fn apply_block(
        &self,
        change: &str,
        conversation: &str,
        line: usize,
        allow: Option<&str>,
    ) -> Result<Value, Value> {
        let params = json!({ "change_id": change, "conversation_id": conversation, "number": 2, "line": line, "allow_protected": allow });
        self.call("chat.apply", params).await
    }

    /// Reviews the unstaged changes. Each finding replaces the first line of one of the files. Returns the keys of the findings.
    async fn review(&self, repo: &Path, files: &[&str]) -> (String, Vec<String>) {
        let findings: Vec<Value> = files.iter().map(|path| finding(path)).collect();
        let answer = json!({ "summary_markdown": "Some.", "findings": findings });
        let server = ModelServer::start(json!({ "turns": [{ "text": answer.to_string() }] })).await;
        let layer = format!("[agents.one]\ntransport = \"openai-http\"\nurl = {:?}\nmodel = \"m\"\n", server.url());
        let request = OpenRequest {
            source: Source::Repository(repo.to_owned()),
            target: Target::Unstaged,
            overrides: vec![parse_layer(Origin::CommandLine, &layer).expect("settings")],
            since: None,
            selected: None,
            trusted: false,
        };
        let handle = self.app.open(request).expect("opened");
        let request = ReviewRequest {
            run_id: None,
            resume: None,
            agents: vec!["one".into()],
            model: None,
            instructions: None,
            skills: None,
            prior: None,
            known: Vec::new(),
            posted: None,
            verify: None,
            anyway: false,
            place: RunLocation::Data,
        };
        let outcome = self.app.review(&handle, request, CancellationToken::new(), &|_| ()).await.1.expect("reviewed");
        let ReviewOutcome::Saved(kept) = outcome else { panic!("{outcome:?}") };
        let named = |path: &&str| {
            let found = kept.output.findings.iter().find(|one| one.content.title.as_deref() == Some(*path));
            found.unwrap_or_else(|| panic!("no finding in {path}")).key.clone()
        };
        (kept.id.clone(), files.iter().map(named).collect())
    }
}

fn finding(path: &str) -> Value {
    json!({ "severity": "low", "category": "style", "path": path, "line_start": 1, "line_end": 1, "title": path,
        "body_markdown": format!("The first line of {path} is wrong."), "quote": "one",
        "suggested_patch": { "format": "replacement", "content": "two" } })
}

fn conversation(id: &str) -> Conversation {
    Conversation {
        id: id.into(),
        repository: "/r".into(),
        target: "{}".into(),
        title: String::new(),
        fingerprint: "f".into(),
        context: "context".into(),
        marker: "m".into(),
        agent: "a".into(),
        model: None,
        created_at: "2026-01-01T00:00:00Z".into(),
        updated_at: "2026-01-01T00:00:00Z".into(),
    }
}

fn message(role: &str, text: &str) -> StoredMessage {
    StoredMessage {
        number: 0,
        role: role.into(),
        state: MessageState::Done,
        text: text.into(),
        sent: text.into(),
        attached: "[]".into(),
        facts: "{}".into(),
        superseded: false,
        created_at: "2026-01-01T00:00:00Z".into(),
    }
}

fn block(path: &str, old: &str, new: &str) -> String {
    format!("```fix {path}\n<<<<<<< OLD\n{old}=======\n{new}>>>>>>> NEW\n```\n")
}

/// Files in the work tree of [`hostile_tree`] that must stay unchanged, each with a part of the error.
const NEVER: &[(&str, &str)] = &[
    (".git/description", "git's own folder"),
    (".git/hooks/pre-commit", "git's own folder"),
    (".GIT/config", "git's own folder"),
    ("below/.Git/config", "git's own folder"),
    ("git~1/config", "short name"),
    ("GIT~1/hooks/pre-commit", "short name"),
    ("GITMOD~1", "short name"),
    (".git./config", "dot or a space"),
    (".git /config", "dot or a space"),
    ("below/end. /a.txt", "dot or a space"),
    (".g\u{200c}it/config", "invisible character"),
    ("be\u{202e}low.txt", "invisible character"),
    (".git::$INDEX_ALLOCATION/config", "`:`"),
    ("C:/a.txt", "`:`"),
    ("below\\a.txt", "`\\`"),
    ("below/NUL.txt", "device"),
    ("com1", "device"),
    ("folder-link/a.txt", "symbolic link"),
    ("link.txt", "symbolic link"),
    ("nested/a.txt", "nested repository"),
    ("nested/.git/description", "git's own folder"),
    ("module/a.txt", "submodule"),
    ("store.git/description", "nested repository"),
    ("separate/description", "nested repository"),
    ("ignored/a.txt", "ignore"),
    ("notes.txt", "not tracked"),
];

/// Files that configure git, an agent or diffsan. They are written only if the user confirms the path.
const PROTECTED: &[&str] =
    &[".gitattributes", "below/.gitattributes", ".husky/pre-commit", ".envrc", "CLAUDE.md", "below/.MCP.json"];

/// Creates a repository with a file at each of these paths. All begin with the line `one`.
fn hostile_tree() -> TestRepo {
    let origin = TestRepo::new();
    origin.write("a.txt", "one\n");
    origin.commit("base");
    let repo = TestRepo::new();
    let url = format!("file://{}", origin.path().display());
    repo.git(["submodule", "--quiet", "add", &url, "module"]);
    repo.write(".gitignore", "ignored/\n");
    for path in PROTECTED.iter().chain(&["a.rs", "below/plain.txt"]) {
        repo.write(path, "one\n");
    }
    std::fs::create_dir(repo.beside("outside")).expect("a folder");
    std::fs::write(repo.beside("outside").join("a.txt"), "one\n").expect("a file");
    std::os::unix::fs::symlink(repo.beside("outside"), repo.path().join("folder-link")).expect("a link");
    std::os::unix::fs::symlink(repo.beside("outside").join("a.txt"), repo.path().join("link.txt")).expect("a link");
    repo.commit("base");
    repo.write("a.rs", "one\nmore\n");
    for (folder, arguments) in [("nested", &[][..]), ("store.git", &["--bare"]), ("separate", &["--bare"])] {
        repo.git([&["init", "-q"], arguments, &[folder]].concat());
    }
    for (path, _) in NEVER.iter().filter(|(path, _)| !path.contains("link")) {
        repo.write(path, "one\n");
    }
    repo
}

fn text(repo: &TestRepo, path: &str) -> String {
    std::fs::read_to_string(repo.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn says(error: &Value, words: &str) -> bool {
    error["message"].as_str().is_some_and(|message| message.contains(words))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_suggestion_is_written_into_git_folders_links_or_files_that_git_does_not_track() {
    let (door, repo) = (Door::new(), hostile_tree());
    let paths: Vec<&str> = NEVER.iter().map(|(path, _)| *path).collect();
    let (review, findings) = door.review(repo.path(), &paths).await;
    let change = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
    let mut wrong = Vec::new();
    for ((path, _), finding) in NEVER.iter().zip(findings) {
        let params =
            json!({ "change_id": change, "review_id": review, "finding_key": finding, "allow_protected": path });
        if let Ok(applied) = door.call("finding.apply", params).await {
            wrong.push(format!("{path}: {applied}"));
        }
        if text(&repo, path) != "one\n" {
            wrong.push(format!("{path} was written"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fix_block_is_written_into_git_folders_links_or_files_that_git_does_not_track() {
    let (door, repo) = (Door::new(), hostile_tree());
    let blocks: Vec<String> = NEVER.iter().map(|(path, _)| block(path, "one\n", "two\n")).collect();
    let lines = door.converse("c", &blocks);
    let change = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
    let mut wrong = Vec::new();
    for ((path, reason), line) in NEVER.iter().zip(lines) {
        match door.apply_block(&change, "c", line, Some(path)).await {
            Ok(applied) => wrong.push(format!("{path}: {applied}")),
            Err(error) if !says(&error, reason) => wrong.push(format!("{path}: {error}")),
            Err(_) => {}
        }
        if text(&repo, path) != "one\n" {
            wrong.push(format!("{path} was written"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_configures_git_or_an_agent_is_written_only_when_it_is_named() {
    let (door, repo) = (Door::new(), hostile_tree());
    let (review, findings) = door.review(repo.path(), PROTECTED).await;
    let lines = door.converse("c", &PROTECTED.iter().map(|path| block(path, "two\n", "three\n")).collect::<Vec<_>>());
    let change = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
    for ((path, finding), line) in PROTECTED.iter().zip(findings).zip(lines) {
        let apply = |allow: Option<&str>| {
            let params =
                json!({ "change_id": change, "review_id": review, "finding_key": finding, "allow_protected": allow });
            door.call("finding.apply", params)
        };
        for allow in [None, Some("a.rs"), Some("")] {
            let refused = apply(allow).await.expect_err(path);
            assert_eq!(refused["data"]["context"]["confirm_path"], json!(path), "{refused}");
            assert_eq!(text(&repo, path), "one\n", "{path}");
        }
        let applied = apply(Some(path)).await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(text(&repo, path), "two\n", "{path}");

        let change = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
        let refused = door.apply_block(&change, "c", line, None).await.expect_err(path);
        assert_eq!(refused["data"]["context"]["confirm_path"], json!(path), "{refused}");
        let second =
            door.apply_block(&change, "c", line, Some(path)).await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(text(&repo, path), "three\n", "{path}");
        for fix in [second, applied] {
            door.call("chat.undo", json!({ "change_id": change, "fix": fix["id"] })).await.expect("taken back");
        }
        assert_eq!(text(&repo, path), "one\n", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_file_is_created_and_changed_but_not_where_git_ignores_it() {
    let (door, repo) = (Door::new(), hostile_tree());
    let blocks = [
        block("new/deep/file.txt", "", "one\n"),
        block("new/deep/file.txt", "one\n", "two\n"),
        block("ignored/new.txt", "", "one\n"),
        block("a.rs/new.txt", "", "one\n"),
        block("module/new.txt", "", "one\n"),
    ];
    let lines = door.converse("c", &blocks);
    let change = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
    let first = door.apply_block(&change, "c", lines[0], None).await.expect("created");
    let second = door.apply_block(&change, "c", lines[1], None).await.expect("it is the conversation's own");
    assert_eq!(text(&repo, "new/deep/file.txt"), "two\n");
    for fix in [second, first] {
        door.call("chat.undo", json!({ "change_id": change, "fix": fix["id"] })).await.expect("taken back");
    }
    assert!(!repo.path().join("new/deep/file.txt").exists());
    for line in &lines[2..] {
        door.apply_block(&change, "c", *line, None).await.expect_err("refused");
    }
    for path in ["ignored/new.txt", "module/new.txt"] {
        assert!(!repo.path().join(path).exists(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_untracked_file_that_the_change_adds_may_be_corrected() {
    let (door, repo) = (Door::new(), TestRepo::new());
    repo.write("a.rs", "one\n");
    repo.commit("base");
    repo.write("b.rs", "one\n");
    let lines = door.converse("c", &[block("b.rs", "one\n", "two\n")]);
    let unstaged = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
    let refused = door.apply_block(&unstaged, "c", lines[0], None).await.expect_err("it is no part of this change");
    assert!(says(&refused, "not tracked"), "{refused}");
    let all = door.open(repo.path(), json!({ "kind": "all", "untracked": true })).await;
    door.apply_block(&all, "c", lines[0], None).await.expect("it is a file of the change");
    assert_eq!(text(&repo, "b.rs"), "two\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undoing_a_fix_follows_no_new_link() {
    let (door, repo) = (Door::new(), TestRepo::new());
    repo.write("below/a.rs", "one\n");
    repo.commit("base");
    repo.write("below/a.rs", "one\nmore\n");
    let lines = door.converse("c", &[block("below/a.rs", "one\n", "two\n")]);
    let change = door.open(repo.path(), json!({ "kind": "unstaged" })).await;
    let fix = door.apply_block(&change, "c", lines[0], None).await.expect("applied");
    let outside = repo.beside("outside");
    std::fs::rename(repo.path().join("below"), &outside).expect("moved");
    std::os::unix::fs::symlink(&outside, repo.path().join("below")).expect("a link");
    let refused = door.call("chat.undo", json!({ "change_id": change, "fix": fix["id"] })).await.expect_err("a link");
    assert!(says(&refused, "symbolic link"), "{refused}");
    assert_eq!(std::fs::read_to_string(outside.join("a.rs")).expect("there"), "two\nmore\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bare_repository_has_no_file_to_write() {
    let (door, origin) = (Door::new(), TestRepo::new());
    origin.write("a.rs", "one\n");
    let head = origin.commit("base");
    let bare = TestRepo::clone_of(&origin, &["--bare"]);
    let lines = door.converse("c", &[block("hooks/post-update", "", "#!/bin/sh\n"), block("description", "", "x\n")]);
    let change = door.open(bare.path(), json!({ "kind": "commit", "rev": head })).await;
    for line in lines {
        door.apply_block(&change, "c", line, Some("hooks/post-update")).await.expect_err("refused");
    }
    assert!(!bare.path().join("hooks/post-update").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn linked_work_trees_and_submodules_that_are_opened_themselves_are_written() {
    let door = Door::new();
    let repo = hostile_tree();
    let linked = repo.beside("linked");
    repo.git(["worktree", "add", "-q", "-b", "other", &linked.display().to_string()]);
    let lines = door.converse("c", &[block("a.txt", "one\n", "two\n"), block("below/plain.txt", "one\n", "two\n")]);
    for (folder, path, line) in [(repo.path().join("module"), "a.txt", lines[0]), (linked, "below/plain.txt", lines[1])]
    {
        let change = door.open(&folder, json!({ "kind": "unstaged" })).await;
        door.apply_block(&change, "c", line, None).await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(std::fs::read_to_string(folder.join(path)).expect("there"), "two\n");
    }
}
