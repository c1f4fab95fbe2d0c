use super::*;
use crate::config;

fn configured(toml: &str) -> AgentConfig {
    let layer = config::parse_layer(config::Origin::CommandLine, toml).expect("TOML");
    config::resolve(vec![layer], true).expect("configuration").config.agent
}

fn arguments(name: &str, toml: &str, model: Option<&str>, key: Option<&str>) -> String {
    let config = configured(toml);
    let request = Request {
        program: Path::new("/p"),
        config: &config,
        model,
        key,
        run_dir: Path::new("/run"),
        room: Path::new("/room"),
        temporary: Path::new("/tmp"),
        prompt: &Redacted::default(),
        search: &SearchPath { folders: Vec::new() },
    };
    let known = known().into_iter().find(|known| known.name == name).expect("known");
    let args = (known.dialect().arguments)(&request);
    args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[test]
fn all_known_agents_can_be_read() {
    assert_eq!(known().iter().map(|known| known.name.as_str()).collect::<Vec<_>>(), ORDER);
}

#[test]
fn codex_is_asked_with_schema_file_and_sandbox() {
    let args = arguments("codex", "", None, None);
    let start = "exec --output-schema /run/codex-output-schema.json --output-last-message /run/codex-output.json --sandbox read-only";
    assert!(args.starts_with(start), "{args}");
    assert!(args.ends_with(" -"));
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

fn read_cursor(output: &str, succeeded: bool) -> Result<String, Failure> {
    let mut reading = Reading::default();
    output.lines().for_each(|line| {
        (cursor::DIALECT.line)(&mut reading, line);
    });
    (cursor::DIALECT.finish)(&mut reading, Path::new(""));
    judge(&mut reading, succeeded, "")
}

#[test]
fn a_cursor_envelope_is_unwrapped_wherever_it_stands() {
    let envelope = r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":1}","session_id":"s"}"#;
    for output in [envelope.to_owned(), format!("Loading…\n{envelope}\nbye"), format!("note: {envelope}")] {
        assert_eq!(read_cursor(&output, true), Ok("{\"a\":1}".to_owned()), "{output}");
    }
}

#[test]
fn an_error_envelope_is_an_agent_error() {
    let envelope = r#"{"type":"result","is_error":true,"result":"rate limit exceeded"}"#;
    let Err(Failure::Said { kind, .. }) = read_cursor(envelope, true) else { panic!("no failure") };
    assert_eq!(kind, FailureKind::RateLimited);
}

#[test]
fn a_sign_in_banner_is_not_an_answer() {
    let Err(Failure::Said { kind, .. }) = read_cursor("Press any key to sign in...", false) else {
        panic!("no failure")
    };
    assert_eq!(kind, FailureKind::NotSignedIn);
}
