use std::ffi::OsString;
use std::path::Path;

use super::command::{prepare, without_secrets};
use super::read::Reading;
use super::*;
use diffsan_review::TokenUsage;

fn configured(toml: &str) -> diffsan_config::Config {
    let layer = diffsan_config::parse_layer(diffsan_config::Origin::CommandLine, toml).expect("TOML");
    diffsan_config::resolve(vec![layer], true).expect("configuration").config
}

fn named(name: &str, toml: &str) -> Agent {
    known(&configured(toml)).into_iter().find(|agent| agent.name == name).expect("known")
}

/// A request to an agent. Its folders do not exist.
pub(crate) fn request(name: &str, toml: &str, model: Option<&str>, key: Option<&str>) -> AgentRequest {
    let folder = |name: &str| Path::new("/").join(name);
    AgentRequest {
        agent: named(name, toml),
        program: None,
        config: configured(toml).agent,
        model: model.map(str::to_owned),
        key: key.map(str::to_owned),
        folders: AgentFolders {
            room: folder("room"),
            empty: folder("empty"),
            home: folder("home"),
            temporary: folder("tmp"),
        },
        search: SearchPath::default(),
    }
}

fn arguments(name: &str, toml: &str, model: Option<&str>, key: Option<&str>) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let mut request = request(name, toml, model, key);
    request.folders.home = home.path().to_owned();
    let command = prepare(&request, Path::new("/run"), 0).expect("a home");
    command.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[test]
fn all_known_agents_can_be_read_and_come_in_order() {
    let names: Vec<String> = known(&configured("")).into_iter().map(|agent| agent.name).collect();
    assert_eq!(names, ["codex", "claude", "cursor", "gemini", "opencode", "lmstudio", "ollama", "openai"]);
    let own = "[agents.mine]\nprograms = ['mine']\n[agents.codex]\ntitle = 'My Codex'";
    let all = known(&configured(own));
    assert_eq!(all[5].name, "mine", "the user's programs come before endpoints");
    assert_eq!((all[0].title(), all[0].spec.structured), ("My Codex", true), "an entry is overridden key by key");
}

#[test]
fn a_misspelt_key_of_an_agent_is_reported() {
    let layer = diffsan_config::parse_layer(diffsan_config::Origin::CommandLine, "[agents.mine]\nprogram = ['x']")
        .expect("TOML");
    let error = diffsan_config::resolve(vec![layer], true).expect_err("unknown");
    assert!(
        error.to_string().contains("unknown key `agents.mine.program`; did you mean `agents.mine.programs`?"),
        "{error}"
    );
}

#[test]
fn codex_gets_schema_file_and_sandbox() {
    let args = arguments("codex", "", None, None);
    let start = "exec --output-schema /run/codex-output-schema.json --output-last-message /run/codex-output.json --sandbox read-only";
    assert!(args.starts_with(start), "{args}");
    assert!(args.ends_with(" project_doc_max_bytes=0 -") && args.contains("--ignore-user-config"), "{args}");
    let own = arguments("codex", "[agent]\nuser_config = true\nproxy_url = 'http://127.0.0.1/\"x'", Some("m"), None);
    assert!(!own.contains("--ignore-user-config") && own.ends_with("--model m -"), "{own}");
    assert!(own.contains(r#"base_url="http://127.0.0.1/\"x""#), "{own}");
}

#[test]
fn a_custom_codex_command_keeps_its_sandbox_and_gets_our_files() {
    let toml =
        "[agent]\ncodex_command = ['codex', 'exec', '--sandbox', 'workspace-write', '-o', 'x', '-m', 'old', '-']";
    expect_test::expect![[
        "exec --sandbox workspace-write -o /run/codex-output.json -m new --output-schema /run/codex-output-schema.json --json -"
    ]]
    .assert_eq(&arguments("codex", toml, Some("new"), None));
}

#[test]
fn cursor_is_trusted_once() {
    assert_eq!(arguments("cursor", "", None, Some("k")), "--print --output-format json --trust --api-key k");
    let toml = "[agent]\ncursor_command = ['x', '--print', '-f']";
    assert_eq!(arguments("cursor", toml, Some("m"), None), "--print -f --model m");
    let toml = "[agent]\ncursor_command = ['x', '--print', '--model=old']";
    assert_eq!(arguments("cursor", toml, Some("m"), None), "--print --model=m --trust");
}

#[test]
fn credentials_in_arguments_are_not_recorded() {
    let args: Vec<OsString> = ["--api-key", "s3cret", "--token=s3cret", "--model", "m"].map(OsString::from).to_vec();
    assert_eq!(without_secrets(&args), ["--api-key", "[REDACTED]", "--token=[REDACTED]", "--model", "m"]);
}

fn read(name: &str, output: &str, succeeded: bool) -> (Result<String, Failure>, Reading) {
    let agent = named(name, "");
    let mut reading = Reading::default();
    output.lines().for_each(|line| {
        reading.line(&agent.spec, line);
    });
    reading.finish(&agent.spec);
    (reading.take_answer(succeeded, ""), reading)
}

fn read_cursor(output: &str, succeeded: bool) -> Result<String, Failure> {
    read("cursor", output, succeeded).0
}

#[test]
fn a_cursor_envelope_is_unwrapped_in_any_output() {
    let envelope = r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":1}","session_id":"s"}"#;
    for output in [envelope.to_owned(), format!("Loading…\n{envelope}\nbye"), format!("note: {envelope}")] {
        assert_eq!(read_cursor(&output, true), Ok("{\"a\":1}".to_owned()), "{output}");
    }
}

#[test]
fn an_error_envelope_is_an_agent_error() {
    let envelope = r#"{"type":"result","is_error":true,"result":"rate limit exceeded"}"#;
    let Err(Failure::Failed { kind, .. }) = read_cursor(envelope, true) else { panic!("no failure") };
    assert_eq!(kind, FailureKind::RateLimited);
}

#[test]
fn a_sign_in_banner_is_not_an_answer() {
    let Err(Failure::Failed { kind, .. }) = read_cursor("Press any key to sign in...", false) else {
        panic!("no failure")
    };
    assert_eq!(kind, FailureKind::NotSignedIn);
}

#[test]
fn claudes_structured_output_has_priority_over_its_text() {
    let usage = r#""usage":{"input_tokens":90,"cache_read_input_tokens":10,"output_tokens":5},"total_cost_usd":0.25"#;
    let line =
        format!(r#"{{"type":"result","is_error":false,"result":"words","structured_output":{{"a":1}},{usage}}}"#);
    let (answer, reading) = read("claude", &line, true);
    assert_eq!(answer, Ok("{\"a\":1}".to_owned()));
    assert_eq!(reading.usage, Some(TokenUsage { input: 100, cached_input: 10, output: 5 }));
    assert_eq!(reading.cost, Some(0.25));
    // It says `success` of its failures, too.
    let line = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"API Error: 401 {\"error\":{\"message\":\"bad key\"}}"}"#;
    let (Err(Failure::Failed { kind, .. }), _) = read("claude", line, true) else { panic!("no failure") };
    assert_eq!(kind, FailureKind::NotSignedIn);
}

#[test]
fn text_of_gemini_before_a_tool_call_is_not_the_answer() {
    let output = r#"{"type":"message","role":"user","content":"x"}
{"type":"message","role":"assistant","content":"I look","delta":true}
{"type":"tool_use"}
{"type":"message","role":"assistant","content":"{\"a\"","delta":true}
{"type":"message","role":"assistant","content":":1}","delta":true}
{"type":"result","status":"success","stats":{"input_tokens":9,"output_tokens":2,"cached":1}}"#;
    assert_eq!(read("gemini", output, true).0, Ok("{\"a\":1}".to_owned()));
    let empty = r#"{"type":"result","status":"success","stats":{}}"#;
    let (Err(Failure::Failed { kind, .. }), _) = read("gemini", empty, true) else { panic!("no failure") };
    assert_eq!(kind, FailureKind::NoAnswer, "exit code 0 and no answer is a failure");
}

#[test]
fn opencode_counts_every_step() {
    let step = r#"{"type":"step_finish","part":{"reason":"tool-calls","tokens":{"input":10,"output":1,"cache":{"read":2}},"cost":0.1}}"#;
    let last = step.replace("tool-calls", "stop");
    let output = format!(
        "{{\"type\":\"text\",\"part\":{{\"text\":\"first\"}}}}\n{step}\n{{\"type\":\"text\",\"part\":{{\"text\":\"last\"}}}}\n{last}"
    );
    let (answer, reading) = read("opencode", &output, true);
    assert_eq!(answer, Ok("last".to_owned()));
    assert_eq!(reading.usage, Some(TokenUsage { input: 24, cached_input: 4, output: 2 }));
    assert_eq!(reading.cost, Some(0.2));
}
