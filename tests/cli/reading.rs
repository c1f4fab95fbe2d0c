//! Evidence of reading: what scripted agents got, opened and claim to have opened.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::agents::{self, Who};
use crate::support::{Installation, Ran, read_json};

/// An agent that is a shell script, and a change of 20 files.
struct Case {
    installation: Installation,
    repo: TestRepo,
}

/// The rules by which the output of the scripts is read.
const ENTRY: &str = r#"
[agents.scripted]
title = "Scripted"
transport = "oneshot-ndjson"
reads_files = true
read = [{ when = { type = "result" }, answer = ["answer"], done = true, last = true }]
"#;
const OPENS: &str = r#"opens = [
  { when = { type = "read" }, id = "id", path = ["path"] },
  { when = { type = "failed" }, id = "id", failed = true },
]
"#;

impl Case {
    fn new(entry: &str, script: &str) -> Self {
        let installation = Installation::new().with("DIFFSAN_AGENT__NAME", "scripted");
        let program = program(&installation, "scripted", script);
        let text = format!("{entry}programs = [\"{}\"]\n", program.display());
        std::fs::write(installation.config().join("config.toml"), text).expect("written");
        let repo = TestRepo::new();
        for number in 1..=20 {
            repo.write(format!("src/f{number}.rs"), "fn f() {}\n");
        }
        repo.write("src/unchanged.rs", "fn other() {}\n");
        repo.commit("base");
        for number in 1..=20 {
            repo.write(format!("src/f{number}.rs"), "fn f() { g() }\n");
        }
        Self { installation, repo }
    }

    fn review(&self, more: &[&str]) -> Ran {
        let args: Vec<&str> = ["review"].iter().chain(more).copied().collect();
        let ran = self.installation.run(self.repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    }
}

/// Writes an agent: a script that is followed by an answer without findings.
fn program(installation: &Installation, name: &str, script: &str) -> PathBuf {
    let answer = json!({ "summary_markdown": "Fine.", "findings": [], "intent": [], "chapters": [] }).to_string();
    let result = json!({ "type": "result", "answer": answer });
    let text = format!("#!/bin/sh\ncat > /dev/null\n{script}\ncat <<'END'\n{result}\nEND\n");
    let path = installation.home().join(name);
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    path
}

/// Returns commands that report a file as opened, and open it.
fn opens(path: &str) -> String {
    format!("{}\ncat {path} > /dev/null", claims(path))
}

/// Returns a command that reports a file as opened.
fn claims(path: &str) -> String {
    format!("echo '{}'", json!({ "type": "read", "id": path, "path": path }))
}

fn agent(ran: &Ran) -> Value {
    ran.json()["meta"]["reading"]["agents"][0].clone()
}

#[test]
fn an_agent_that_reads_three_of_twenty_files_is_shown_with_exactly_these() {
    let script = ["src/f3.rs", "./src/f7.rs", "$PWD/src/f20.rs"].map(|path| match path.strip_prefix("$PWD") {
        // An absolute path, as most programs report it.
        Some(rest) => format!(
            "printf '{{\"type\":\"read\",\"id\":\"3\",\"path\":\"%s\"}}\\n' \"$PWD{rest}\"\ncat .{rest} > /dev/null"
        ),
        None => opens(path),
    });
    let case = Case::new(&format!("{ENTRY}{OPENS}"), &script.join("\n"));
    let ran = case.review(&["--json"]);
    let agent = agent(&ran);
    assert_eq!(agent["opened"], json!(["src/f20.rs", "src/f3.rs", "src/f7.rs"]), "{agent}");
    assert_eq!(
        (&agent["access"], &agent["events"], &agent["not_confirmed"]),
        (&json!("observed"), &json!(true), &Value::Null)
    );
    let files = ran.json()["meta"]["reading"]["files"].clone();
    let files = files.as_array().expect("files");
    assert_eq!(files.len(), 20);
    assert!(files.iter().all(|file| file["hunks"][0]["prompts"] == json!([1])), "{files:?}");
    let text = case.review(&[]).stdout;
    assert!(text.contains("reading: 20 of 20 hunks of 20 files delivered in 1 prompt\n"), "{text}");
    assert!(text.contains("reading: Scripted opened 3 files: src/f20.rs, src/f3.rs, src/f7.rs\n"), "{text}");
}

#[test]
fn an_agent_that_claims_more_than_it_opened_is_not_believed() {
    let failed = format!(
        "{}\ncat src/f4.rs > /dev/null\necho '{{\"type\":\"failed\",\"id\":\"src/f4.rs\"}}'",
        claims("src/f4.rs")
    );
    let all: Vec<String> = (5..=20).map(|number| claims(&format!("src/f{number}.rs"))).collect();
    // Only `f1.rs` is opened; a failed call is taken back.
    let script = [opens("src/f1.rs"), failed, all.join("\n"), claims("/etc/passwd")].join("\n");
    let case = Case::new(&format!("{ENTRY}{OPENS}"), &script);
    let ran = case.review(&["--json"]);
    let agent = agent(&ran);
    assert_eq!(agent["opened"], json!(["src/f1.rs"]), "{agent}");
    let lies = agent["not_confirmed"].as_array().expect("claims");
    assert_eq!(lies.len(), 17, "{lies:?}");
    assert!(lies.contains(&json!("/etc/passwd")) && lies.contains(&json!("src/f5.rs")), "{lies:?}");
    assert_eq!(agent["not_reported"], 1, "the file of the failed call was opened");
    let text = case.review(&[]).stdout;
    assert!(
        text.contains("Scripted opened 1 file: src/f1.rs; it reported 17 further files that it did not open"),
        "{text}"
    );
}

#[test]
fn an_agent_without_file_events_is_named_as_such() {
    let case = Case::new(ENTRY, "cat src/f2.rs src/unchanged.rs > /dev/null");
    let ran = case.review(&["--json"]);
    let agent = agent(&ran);
    assert_eq!((&agent["events"], &agent["opened"]), (&json!(false), &json!(["src/f2.rs", "src/unchanged.rs"])));
    let text = case.review(&[]).stdout;
    assert!(text.contains("Scripted does not report the files that it opens; the file system shows 2 files"), "{text}");
}

#[test]
fn parts_that_were_neither_delivered_nor_opened_are_not_called_reviewed() {
    let case = Case::new(&format!("{ENTRY}{OPENS}"), &opens("src/f2.rs"));
    let ignored = "prepare.ignore_globs=[\"src/f2.rs\", \"src/f9.rs\"]";
    let text = case.review(&["--set", ignored]).stdout;
    assert!(text.contains("18 of 20 hunks of 20 files delivered in 1 prompt"), "{text}");
    assert!(text.contains("Not reviewed, neither delivered nor opened: src/f9.rs\n"), "{text}");
    let markdown = case.review(&["--format", "markdown", "--set", ignored]).stdout;
    assert!(markdown.contains("neither delivered nor opened: src/f9.rs"), "{markdown}");
}

#[test]
fn each_hunk_has_its_prompt_if_there_are_several() {
    let case = Case::new(&format!("{ENTRY}{OPENS}"), &opens("src/f1.rs"));
    let ran = case.review(&["--json", "--set", "limits.strategy=split", "--set", "limits.max_files=8"]);
    let reading = ran.json()["meta"]["reading"].clone();
    let sent = |number: usize| {
        // The prompts of a run, as they were written.
        let folder = case.installation.run_folder();
        std::fs::read_to_string(folder.join(format!("prompt.{number}.txt"))).expect("a prompt")
    };
    let prompts = [sent(1), sent(2), sent(3)];
    for file in reading["files"].as_array().expect("files") {
        let path = file["path"].as_str().expect("a path");
        let header = format!("+++ b/{path}");
        let expected: Vec<usize> = (1..=3).filter(|number| prompts[number - 1].contains(&header)).collect();
        assert_eq!((file["hunks"][0]["prompts"].clone(), expected.len()), (json!(expected), 1), "{path}");
    }
    assert_eq!(reading["agents"][0]["opened"], json!(["src/f1.rs"]));
}

#[test]
fn agents_at_the_same_time_do_not_get_each_others_evidence() {
    let case = Case::new(&format!("{ENTRY}{OPENS}"), &format!("{}\nsleep 1", opens("src/f1.rs")));
    let liar = program(&case.installation, "liar", &format!("sleep 0.5\n{}", claims("src/f1.rs")));
    let config = case.installation.config().join("config.toml");
    let text = std::fs::read_to_string(&config).expect("settings");
    let second =
        format!("{ENTRY}{OPENS}programs = [\"{}\"]\n", liar.display()).replace("agents.scripted", "agents.liar");
    std::fs::write(config, text + &second).expect("written");
    let ran = case.review(&["--json", "--agent", "scripted", "--agent", "liar"]);
    let agents = ran.json()["meta"]["reading"]["agents"].clone();
    assert_eq!(agents[0]["opened"], json!(["src/f1.rs"]), "{agents}");
    assert_eq!((&agents[1]["opened"], &agents[1]["not_confirmed"]), (&Value::Null, &json!(["src/f1.rs"])), "{agents}");
}

#[test]
fn a_trusted_work_tree_is_not_observed() {
    let case = Case::new(&format!("{ENTRY}{OPENS}"), &opens("src/f1.rs"));
    case.repo.write(".diffsan.toml", "[agent]\nroom = \"repository\"\n");
    case.repo.git(["add", ".diffsan.toml"]);
    case.repo.git(["commit", "-q", "-m", "settings"]);
    let trusted = case.installation.run(case.repo.path(), &["config", "trust", "--unstaged", "--yes"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    let ran = case.review(&["--json"]);
    let agent = agent(&ran);
    assert_eq!((&agent["access"], &agent["opened"]), (&json!("not_observed"), &json!(["src/f1.rs"])), "{agent}");
    assert_eq!(agent["reason"], "other programs use the work tree too");
    let saved = read_json(&case.installation.run_folder(), "answer.json");
    assert_eq!(saved["reading"]["opened"], json!(["src/f1.rs"]));
}

/// Lets a real agent read one file of the room, and try to read one that does not exist. The model then answers without findings.
fn a_real_agent_opens_one_file(who: Who, tool: &str, argument: &str) {
    let case = agents::Case::new(who, vec![who.says(&agents::good())]);
    case.repo.write("src/deep/b.rs", "fn b() {}\n");
    case.repo.write("src/deep/c.rs", "fn c() {}\n");
    case.repo.git(["add", "-A"]);
    case.repo.git(["commit", "-q", "-m", "source"]);
    case.repo.write("a.rs", "fn main() {\n    for i in 0..3 - 1 { b() }\n}\n");
    assert_eq!(case.review(&["--json"]).code, 0, "the first review makes the room");
    let mut made = agents::files(&case.installation.data().join("rooms")).into_keys();
    let file = made.find(|path| path.ends_with("src/deep/b.rs")).expect("a room");
    let read = |path: &std::path::Path| json!({ "name": tool, "args": { argument: path.display().to_string() } });
    let tools = json!({ "tools": [read(&file), read(&file.with_file_name("none.rs"))] });
    case.server.play(json!({ "turns": [tools, who.says(&agents::good())] }));
    let ran = case.review(&["--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let agent = agent(&ran);
    assert_eq!(agent["opened"], json!(["src/deep/b.rs"]), "{agent}");
    assert_eq!((&agent["access"], &agent["events"]), (&json!("observed"), &json!(true)), "{agent}");
    let not_confirmed = agent["not_confirmed"].as_array().map_or(0, Vec::len);
    assert_eq!(not_confirmed, 0, "a failed call is no claim: {agent}");
}

#[test]
fn claude_opens_one_file() {
    a_real_agent_opens_one_file(Who::Claude, "Read", "file_path");
}

#[test]
fn gemini_opens_one_file() {
    a_real_agent_opens_one_file(Who::Gemini, "read_file", "file_path");
}

#[test]
fn opencode_opens_one_file() {
    a_real_agent_opens_one_file(Who::Opencode, "read", "filePath");
}

#[test]
fn an_agent_of_the_agent_client_protocol_opens_one_file() {
    a_real_agent_opens_one_file(Who::Acp, "read", "filePath");
}

#[test]
fn codex_gets_no_files() {
    let case = agents::Case::new(Who::Codex, vec![Who::Codex.says(&agents::good())]);
    let ran = case.review(&["--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let agent = agent(&ran);
    assert_eq!(
        (&agent["access"], &agent["opened"], &agent["events"]),
        (&json!("none"), &Value::Null, &json!(false)),
        "{agent}"
    );
}
