//! Conversations with the real agents from npm and with endpoints, against a scripted model server.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::time::{Duration, Instant};

use diffsan_test_support::model_server::Recorded;
use serde_json::{Value, json};

use crate::agents::{Case, Who};
use crate::support::Ran;

/// Returns the turns: an answer, a slow one that can be stopped, another one.
fn turns() -> Vec<Value> {
    let usage = json!({ "input": 900, "output": 80, "cached": 100 });
    vec![
        json!({ "text": "The loop stops early.", "usage": usage }),
        json!({ "text": (0..400).map(|at| format!("word{at} ")).collect::<String>(), "chunk": 8, "chunk_delay": 0.05, "usage": usage }),
        json!({ "text": "Because of the minus one.", "usage": usage }),
    ]
}

/// A conversation whose messages are sent one by one.
struct Talk {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Talk {
    fn begin(case: &Case, more: &[&str]) -> Self {
        let args: Vec<&str> = ["chat", "--json"].iter().chain(more).copied().collect();
        let mut child = case.installation.command(case.repo.path(), &args).spawn().expect("started");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, lines }
    }

    fn say(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{text}").and_then(|()| stdin.flush()).expect("said");
    }

    fn heard(&mut self) -> Value {
        let line = self.lines.next().map(|line| line.expect("text"));
        match line {
            Some(line) => serde_json::from_str(&line).expect("JSON"),
            None => panic!("it ended: {}", self.stderr()),
        }
    }

    fn interrupt(&self) {
        let id = i32::try_from(self.child.id()).expect("an id");
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGINT).expect("interrupted");
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        let _ = self.child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut text));
        text
    }

    fn end(mut self) -> Ran {
        drop(self.child.stdin.take());
        let code = self.child.wait().expect("ended").code().unwrap_or(-1);
        Ran { code, stdout: String::new(), stderr: self.stderr() }
    }
}

/// Returns the requests to the model that belong to the conversation.
fn asked(case: &Case) -> Vec<Recorded> {
    case.server.requests().into_iter().filter(|request| request.body.to_string().contains("untrusted-")).collect()
}

fn wait_for_requests(case: &Case, count: usize) {
    let since = Instant::now();
    while asked(case).len() < count {
        assert!(since.elapsed() < Duration::from_secs(90), "the request never came: {:?}", case.server.requests());
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn three_turns_with_a_stop_in_the_middle(who: Who) {
    let case = Case::new(who, turns());
    let mut talk = Talk::begin(&case, &[]);
    talk.say("What does the loop do?");
    let first = talk.heard();
    assert_eq!((&first["state"], &first["text"]), (&json!("done"), &json!("The loop stops early.")), "{first}");
    assert!(first["facts"]["usage"]["output"] == 80, "{first}");

    talk.say("Say a lot.");
    wait_for_requests(&case, 2);
    std::thread::sleep(Duration::from_millis(1500));
    talk.interrupt();
    let second = talk.heard();
    assert_eq!(second["state"], "stopped", "{second}");
    let partial = second["text"].as_str().expect("text").to_owned();
    assert!(partial.starts_with("word") && partial.len() < 2000, "what was written is kept: {partial:?}");

    talk.say("Why?");
    let third = talk.heard();
    assert_eq!((&third["state"], &third["text"]), (&json!("done"), &json!("Because of the minus one.")), "{third}");
    assert_eq!(third["number"], 6);
    let ran = talk.end();
    assert_eq!(ran.code, 0, "{ran:?}");
    case.check_nothing_is_left(&ran);

    let sent = asked(&case);
    assert_eq!(sent.len(), 3, "one message, one request");
    for request in &sent {
        let body = request.body.to_string();
        assert!(body.contains("You are diffsan") && body.contains("What does the loop do?"), "{body}");
        assert!(!body.contains("in verse"), "instructions of elsewhere are not obeyed");
    }
    let last = sent[2].body.to_string();
    assert!(last.contains("Say a lot.") && last.contains("Why?"), "{last}");
}

/// Returns the messages of a request in the provider's format.
fn messages(request: &Recorded) -> Vec<Value> {
    let body = &request.body;
    let list = ["messages", "input", "contents"].iter().find_map(|name| body[*name].as_array());
    list.expect("messages").clone()
}

fn each_request_begins_with_the_whole_one_before(who: Who) {
    let case = Case::new(who, vec![turns().remove(0), turns().remove(2)]);
    let mut talk = Talk::begin(&case, &[]);
    for text in ["What does the loop do?", "Say it again."] {
        talk.say(text);
        assert_eq!(talk.heard()["state"], "done");
    }
    talk.end();
    let sent = asked(&case);
    let (first, second) = (messages(&sent[0]), messages(&sent[1]));
    let bytes = |messages: &[Value]| serde_json::to_string(messages).expect("text");
    let (first, again) = (bytes(&first), bytes(&second[..first.len()]));
    assert_eq!(first, again, "everything up to the new messages is the same, byte for byte");
    assert!(bytes(&second).starts_with(first.trim_end_matches(']')));
    let of = |name: &str| (sent[0].body[name].clone(), sent[1].body[name].clone());
    for name in ["instructions", "tools", "system", "model"] {
        let (first, second) = of(name);
        assert_eq!(first, second, "{name}");
    }
}

fn a_conversation_continues_in_another_process(who: Who) {
    let case = Case::new(who, turns());
    let say = |more: &[&str]| {
        let args: Vec<&str> = ["chat", "--json"].iter().chain(more).copied().collect();
        case.installation.run(case.repo.path(), &args)
    };
    let first = say(&["-m", "What does the loop do?"]);
    assert_eq!(first.code, 0, "{first:?}");
    case.server.play(json!({ "turns": [{ "text": "Because." }] }));
    let second = say(&["-m", "Why?", "--continue"]);
    assert_eq!(second.json()["text"], "Because.", "{second:?}");
    let body = asked(&case)[0].body.to_string();
    for text in ["What does the loop do?", "The loop stops early.", "Why?"] {
        assert!(body.contains(text), "{text}: {body}");
    }
    case.check_nothing_is_left(&second);
}

macro_rules! with_each_agent {
    ($($name:ident: $who:expr;)*) => {
        $(mod $name {
            use super::*;

            #[test]
            fn three_turns_with_a_stop_in_the_middle() {
                super::three_turns_with_a_stop_in_the_middle($who);
            }

            #[test]
            fn a_conversation_continues_in_another_process() {
                super::a_conversation_continues_in_another_process($who);
            }
        })*
    };
}

with_each_agent! {
    codex: Who::Codex;
    claude: Who::Claude;
    gemini: Who::Gemini;
    opencode: Who::Opencode;
    chat_completions: Who::Chat;
    responses: Who::Responses;
}

#[test]
fn codex_keeps_the_prefix() {
    each_request_begins_with_the_whole_one_before(Who::Codex);
}

#[test]
fn chat_completions_keep_the_prefix() {
    each_request_begins_with_the_whole_one_before(Who::Chat);
}

#[test]
fn responses_keep_the_prefix() {
    each_request_begins_with_the_whole_one_before(Who::Responses);
}

/// Kills the agent's processes, as the kernel does when memory is short.
fn kill_the_agent(case: &Case) {
    let kill = |id: &i32| nix::sys::signal::kill(nix::unistd::Pid::from_raw(*id), nix::sys::signal::SIGKILL).is_ok();
    let killed = case.agents().iter().filter(|id| kill(id)).count();
    assert!(killed > 0, "there was an agent to kill");
}

#[test]
fn a_conversation_survives_an_agent_that_dies() {
    let mut turns = turns();
    // The agent dies during the second answer.
    turns.push(json!({ "text": "Here again." }));
    let case = Case::new(Who::Codex, turns);
    let mut talk = Talk::begin(&case, &[]);
    talk.say("What does the loop do?");
    assert_eq!(talk.heard()["state"], "done");
    talk.say("Say a lot.");
    wait_for_requests(&case, 2);
    std::thread::sleep(Duration::from_millis(1000));
    kill_the_agent(&case);
    let second = talk.heard();
    assert_eq!(second["state"], "failed", "{second}");
    assert!(second["text"].as_str().is_some_and(|text| text.starts_with("word0 word1")), "what came is kept: {second}");
    talk.say("Why?");
    let third = talk.heard();
    assert_eq!((&third["state"], &third["text"]), (&json!("done"), &json!("Because of the minus one.")), "{third}");
    let body = asked(&case)[2].body.to_string();
    for text in ["What does the loop do?", "The loop stops early.", "Say a lot.", "word0 word1", "Why?"] {
        assert!(body.contains(text), "{text}: {body}");
    }
    // The agent dies while it is idle. The next message restarts it without an error.
    kill_the_agent(&case);
    talk.say("Are you there?");
    assert_eq!(talk.heard()["text"], "Here again.");
    let ran = talk.end();
    assert_eq!(ran.code, 0, "{ran:?}");
    case.check_nothing_is_left(&ran);
}

#[test]
fn an_agent_cannot_read_outside_its_room() {
    let secret = tempfile::tempdir().expect("a folder");
    let path = secret.path().join("elsewhere.txt");
    std::fs::write(&path, "nobody may read this\n").expect("written");
    let read = json!({ "tools": [{ "name": "Read", "args": { "file_path": path } }] });
    let case = Case::new(Who::Claude, vec![read, json!({ "text": "I may not." })]);
    let ran = case.installation.run(case.repo.path(), &["chat", "-m", "Read it."]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "I may not."), "{ran:?}");
    assert!(ran.stderr.contains(&format!("refused: Read {}", path.display())), "{ran:?}");
    let all: String = case.server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(!all.contains("nobody may read this"), "it was read all the same");
    assert!(all.contains("The reviewer does not allow it"), "{all}");
    case.check_nothing_is_left(&ran);
}

#[test]
fn without_a_network_the_message_is_saved_and_can_be_sent_again() {
    let case = Case::new(Who::Chat, turns());
    let gone = [("DIFFSAN_AGENTS__SCRIPTED__URL", "http://127.0.0.1:9/v1")];
    let mut command = case.installation.command(case.repo.path(), &["chat", "--json", "-m", "What does the loop do?"]);
    let output = command.envs(gone).output().expect("ran");
    let failed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &failed["state"]), (Some(5), &json!("failed")), "{failed}");
    assert!(
        failed["facts"]["error"]["message"].as_str().is_some_and(|words| words.contains("could not reach")),
        "{failed}"
    );
    let again = case.installation.run_with(case.repo.path(), &["chat", "--json", "--continue"], b"/retry\n");
    assert_eq!(again.json()["text"], "The loop stops early.", "{again:?}");
    let sent = asked(&case);
    assert_eq!(messages(&sent[0]).len(), 4, "the failed one is out of the way: {:?}", sent[0].body);
}

#[test]
fn no_secret_is_sent_or_saved() {
    let token = "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";
    let answer = format!("You said {token}, did you?");
    let case = Case::new(Who::Chat, vec![json!({ "text": answer, "chunk": 3 })]);
    let message = format!("Is {token} valid?");
    let ran = case.installation.run(case.repo.path(), &["chat", "-m", &message]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "You said [REDACTED], did you?"), "{ran:?}");
    let sent = asked(&case)[0].body.to_string();
    assert!(sent.contains("Is [REDACTED] valid?") && !sent.contains(token), "{sent}");
    let store = std::fs::read(case.installation.data().join("diffsan.sqlite3")).expect("a store");
    let log = std::fs::read(case.installation.data().join("diffsan.sqlite3-wal")).unwrap_or_default();
    let kept = String::from_utf8_lossy(&store).into_owned() + &String::from_utf8_lossy(&log);
    assert!(!kept.contains("ghp_"), "it is on disk");
}

#[test]
fn fixes_apply_in_the_work_tree_and_nowhere_else() {
    let old = "    for i in 0..3 - 1 {}";
    let fix =
        |path: &str| format!("```fix {path}\n<<<<<<< OLD\n{old}\n=======\n    for i in 0..3 {{}}\n>>>>>>> NEW\n```\n");
    let protected = "```fix .envrc\n<<<<<<< OLD\n=======\nexport A=1\n>>>>>>> NEW\n```\n".to_owned();
    let text = [fix("a.rs"), fix("link.rs"), fix("../a.rs"), fix("a.rs"), protected].join("\n");
    let case = Case::new(Who::Chat, vec![json!({ "text": text })]);
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("a.rs"), format!("{old}\n")).expect("written");
    std::os::unix::fs::symlink(outside.path().join("a.rs"), case.repo.path().join("link.rs")).expect("a link");
    let before = std::fs::read_to_string(case.repo.path().join("a.rs")).expect("read");
    let ran =
        case.installation.run_with(case.repo.path(), &["chat"], b"Fix it.\n/apply 2\n/apply 3\n/apply 1\n/apply 4\n");
    assert!(ran.stderr.contains("goes through a symbolic link"), "{ran:?}");
    assert!(ran.stderr.contains("is not a plain path inside the repository"), "{ran:?}");
    assert!(
        ran.stderr.contains("applied to a.rs")
            && ran.stderr.contains("the current version of a.rs does not contain the old text"),
        "{ran:?}"
    );
    let after = std::fs::read_to_string(case.repo.path().join("a.rs")).expect("read");
    assert_eq!(after, before.replace("0..3 - 1", "0..3"));
    assert_eq!(std::fs::read_to_string(outside.path().join("a.rs")).expect("read"), format!("{old}\n"));
    // The fix of a protected file is applied only if its path is named.
    let say = |line: &str| {
        case.installation.run_with(case.repo.path(), &["chat", "--continue"], format!("{line}\n").as_bytes())
    };
    let asked = say("/apply 5");
    assert!(asked.stderr.contains("name it: /apply 5 .envrc"), "{asked:?}");
    assert!(!case.repo.path().join(".envrc").exists());
    let applied = say("/apply 5 .envrc");
    assert!(applied.stderr.contains("applied to .envrc"), "{applied:?}");
    assert_eq!(std::fs::read_to_string(case.repo.path().join(".envrc")).expect("read"), "export A=1\n");
}

#[test]
fn a_commit_message_is_corrected_once() {
    let long = "fix: stop the loop only where all of the items were really looked at";
    let case = Case::new(
        Who::Chat,
        vec![json!({ "text": long }), json!({ "text": "fix: look at the last item\n\nIt was left out." })],
    );
    case.repo.git(["add", "-A"]);
    let ran = case.installation.run(case.repo.path(), &["commit-message"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "fix: look at the last item\n\nIt was left out.\n"), "{ran:?}");
    let sent = case.server.requests();
    assert!(!sent[0].body.to_string().contains("You are diffsan"), "its own prompt");
    let why = format!("the first line has {} characters; the limit is 50", long.len());
    assert!(sent[1].body.to_string().contains(&why), "{:?}", sent[1].body);
}

#[test]
fn a_full_conversation_is_compacted_before_the_next_message() {
    let usage = json!({ "input": 900, "output": 80 });
    let long = "words of an answer ".repeat(1500);
    let summary = json!({ "intent_user_message": "", "summary": "STATUS: asked\nRESUME_AT: the last question" });
    let script = json!({
        "turns": [{ "text": long, "usage": usage }, { "text": long, "usage": usage }, { "text": "Still here.", "usage": usage }],
        "side": [{ "match": "CONTEXT CHECKPOINT COMPACTION", "turn": { "text": summary.to_string() } }],
    });
    let mut case = Case::with(Who::Chat, script);
    case.installation = case.installation.with("DIFFSAN_AGENTS__SCRIPTED__CONTEXT_TOKENS", "18000");
    let mut talk = Talk::begin(&case, &[]);
    for text in ["First:  what is it?", "Second?", "Third?"] {
        talk.say(text);
        assert_eq!(talk.heard()["state"], "done");
    }
    talk.end();
    let sent = asked(&case);
    let last = sent.last().expect("a request").body.to_string();
    assert!(last.contains("<VERBATIM_REQUEST_START>\\nFirst:  what is it?\\n<VERBATIM_REQUEST_END>"), "{last}");
    assert!(last.contains("RESUME_AT: the last question") && last.contains("Third?") && !last.contains("words of an"));
    // If the agent's compaction is unusable, the newest messages stay, and the store loses nothing.
    let store = rusqlite::Connection::open(case.installation.data().join("diffsan.sqlite3")).expect("a store");
    let kept: i64 = store
        .query_row("SELECT count(*) FROM message WHERE text LIKE 'words of an answer %'", [], |row| row.get(0))
        .expect("read");
    assert_eq!(kept, 2);
}

#[test]
fn a_smaller_context_window_than_expected_triggers_compaction() {
    let script = json!({
        "turns": [{ "text": "The loop stops early." },
                  { "status": 400, "error": "This model's maximum context length is 8192 tokens" }, { "text": "Still here." }],
        "side": [{ "match": "CONTEXT CHECKPOINT COMPACTION", "turn": { "text": "Sorry, no." } }],
    });
    let case = Case::with(Who::Chat, script);
    let ran = case.installation.run_with(case.repo.path(), &["chat", "--json"], b"What is it?\nAnd now?\n");
    let last: Value = serde_json::from_str(ran.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["state"], &last["text"]), (&json!("done"), &json!("Still here.")), "{ran:?}");
    let body = asked(&case).last().expect("a request").body.to_string();
    assert!(body.contains("<VERBATIM_REQUEST_START>\\nWhat is it?\\n<VERBATIM_REQUEST_END>"), "{body}");
}
