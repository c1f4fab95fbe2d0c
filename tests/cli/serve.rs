//! `serve` answers only a browser on this machine that has its token.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use diffsan_test_support::gitlab::{Fault, PROJECT};
use serde_json::{Value, json};
use tungstenite::WebSocket;
use tungstenite::client::IntoClientRequest;

use crate::support::Installation;
use crate::{agents, merge_request};

pub struct Serving {
    pub child: Child,
    pub port: u16,
    token: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn serve(installation: &Installation) -> Serving {
    serve_by(installation.command(&installation.config(), &["serve"]))
}

/// Starts the server with a command.
pub fn serve_by(mut command: Command) -> Serving {
    let mut child = command.spawn().expect("started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    let (address, token) = line.trim().split_once("/?token=").expect("a token");
    let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    Serving { token: token.to_owned(), port, child }
}

/// Returns the status line and the headers of a response.
pub fn ask(port: u16, path: &str, headers: &[&str]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    let host = format!("Host: 127.0.0.1:{port}");
    let host = if headers.iter().any(|header| header.starts_with("Host:")) { "X-Nothing: 1" } else { &host };
    let request = format!(
        "GET {path} HTTP/1.1\r\n{host}\r\nConnection: close\r\n{}\r\n",
        headers.iter().map(|header| format!("{header}\r\n")).collect::<String>()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

impl Serving {
    /// Uses the token, and returns the cookie that the browser then sends.
    pub fn enter(&self) -> String {
        let entered = ask(self.port, &format!("/?token={}", self.token), &[]);
        assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
        let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        format!("Cookie: {}", cookie.split(';').next().expect("a value"))
    }
}

/// A browser tab, as the core sees it.
pub struct Tab {
    pub socket: WebSocket<TcpStream>,
    asked: u64,
    answers: HashMap<u64, Value>,
}

impl Tab {
    pub fn open(serving: &Serving, cookie: &str) -> Self {
        let at = format!("127.0.0.1:{}", serving.port);
        let mut request = format!("ws://{at}/rpc").into_client_request().expect("a request");
        let mut header = |name, value: &str| request.headers_mut().insert(name, value.parse().expect("a value"));
        header("origin", &format!("http://{at}"));
        header("cookie", cookie.strip_prefix("Cookie: ").expect("a cookie"));
        let stream = TcpStream::connect(&at).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let (socket, _) = tungstenite::client(request, stream).expect("a socket");
        Self { socket, asked: 0, answers: HashMap::new() }
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        self.socket.send(request.to_string().into()).expect("sent");
        self.asked
    }

    /// Waits for the response to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let message = match self.socket.read() {
                // A signal, such as `SIGCHLD`, interrupts a read with a timeout.
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => continue,
                message => message.expect("an answer").into_text().expect("text"),
            };
            let answer: Value = serde_json::from_str(&message).expect("JSON");
            if let Some(id) = answer["id"].as_u64() {
                self.answers.insert(id, answer);
            }
        }
    }

    pub fn result(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// Cancels a request. It must fail soon with a cancellation error.
    fn cancel(&mut self, id: u64) {
        let started = Instant::now();
        assert_eq!(self.result("rpc.cancel", &json!({ "id": id }))["cancelled"], true);
        let answer = self.answer(id);
        let code = answer["error"]["data"]["error_code"].as_str().expect("a code");
        assert!(["AGENT_CANCELLED", "CANCELLED"].contains(&code), "{answer}");
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(self.result("rpc.cancel", &json!({ "id": id }))["cancelled"], false);
    }
}

pub fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn cancelling_or_closing_the_tab_ends_the_agent() {
    let case = agents::Case::new(agents::Who::Codex, (0..4).map(|_| json!({ "hang": 120 })).collect());
    let serving = serve(&case.installation);
    let cookie = serving.enter();
    let mut tab = Tab::open(&serving, &cookie);
    let mut other = Tab::open(&serving, &cookie);
    let target = json!({ "kind": "unstaged", "untracked": true });
    let opened = tab.result("change.open", &json!({ "repo": case.repo.path(), "target": target }));
    let message = json!({ "change_id": opened["change_id"], "agent": "codex", "model": null });

    let asked = tab.ask("commit.message", &message);
    wait_until("it asks the model", || case.server.requests().len() == 1);
    assert!(!case.agents().is_empty(), "an agent runs");
    // Ids belong to one connection. Another connection has no request with this id.
    assert_eq!(other.result("rpc.cancel", &json!({ "id": asked }))["cancelled"], false);
    tab.cancel(asked);
    wait_until("the agent ends", || case.agents().is_empty());

    let asked = tab.ask("agents.check", &json!({ "name": "codex" }));
    wait_until("it asks the model", || case.server.requests().len() == 2);
    tab.cancel(asked);
    wait_until("the agent ends", || case.agents().is_empty());

    tab.ask("agents.check", &json!({ "name": "codex" }));
    wait_until("it asks the model", || case.server.requests().len() == 3);
    drop(tab);
    wait_until("the agent ends", || case.agents().is_empty());
}

#[test]
fn a_stalled_opening_can_be_cancelled() {
    let case = merge_request::Case::new();
    let serving = serve(&case.installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    let fault = ("GET".to_owned(), "/merge_requests/7".to_owned(), 0, Fault::HangAfter);
    case.gitlab.with(|state| state.faults.push(fault));
    let target = json!({ "kind": "merge_request", "base": case.gitlab.url(), "project": PROJECT, "iid": 7 });
    let asked = tab.ask("change.open", &json!({ "repo": case.origin.path(), "target": target }));
    wait_until("it asks GitLab", || case.gitlab.requests().iter().any(|one| one.path.contains("merge_requests/7")));
    tab.cancel(asked);
    let opened = tab.result("change.open", &json!({ "repo": case.origin.path(), "target": target }));
    assert_eq!(opened["files"][0]["path"], "a.rs");
}

#[test]
fn a_token_works_once_and_gives_a_cookie() {
    let installation = Installation::new();
    let serving = serve(&installation);
    assert!(ask(serving.port, "/", &[]).starts_with("HTTP/1.1 401"));
    assert!(ask(serving.port, "/?token=wrong", &[]).starts_with("HTTP/1.1 401"));
    let path = format!("/?token={}", serving.token);
    let cookie = serving.enter();
    assert!(ask(serving.port, &path, &[]).starts_with("HTTP/1.1 401"), "a token works once");
    let page = ask(serving.port, "/", &[&cookie]);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(!page.split("\r\n\r\n").next().is_some_and(|head| head.contains("unsafe-")), "{page}");
    // The window has the same policy, plus its own channel to the core.
    let window = include_str!("../../src-tauri/tauri.conf.json").replace(" ipc: http://ipc.localhost", "");
    let policy = page.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).expect("a policy");
    assert!(window.contains(&format!("\"csp\": \"{policy}\"")), "{policy}");
}

#[test]
fn a_browser_without_a_cookie_gets_a_page_that_says_what_to_do() {
    let installation = Installation::new();
    let mut serving = serve(&installation);
    let browser = ["Accept: text/html,application/xhtml+xml"];
    let refused = ask(serving.port, "/", &browser);
    assert!(refused.starts_with("HTTP/1.1 401") && refused.contains("content-type: text/html"), "{refused}");
    assert!(refused.contains("Copy the newest address from the terminal"), "{refused}");
    assert!(refused.contains("content-security-policy: default-src 'none'"), "{refused}");
    assert!(!refused.contains("<style") && !refused.contains("<script"), "the policy allows neither");
    // A used token leaves the address, too.
    let redirected = ask(serving.port, "/?token=wrong", &browser);
    assert!(redirected.starts_with("HTTP/1.1 303") && redirected.contains("location: /\r\n"), "{redirected}");
    assert!(!redirected.contains("set-cookie"), "{redirected}");
    let style = ask(serving.port, "/refused.css", &[]);
    assert!(style.starts_with("HTTP/1.1 200") && style.contains("content-type: text/css"), "{style}");
    // Other requests get no page.
    assert!(ask(serving.port, "/", &[]).contains("content-type: text/plain"));
    assert!(ask(serving.port, "/refused.css", &["Host: evil.example"]).starts_with("HTTP/1.1 403"));

    // An address is printed once. A new one is printed only for a browser that needs one, when the last one was used.
    serving.enter();
    assert!(ask(serving.port, "/", &browser).starts_with("HTTP/1.1 401"));
    assert!(ask(serving.port, "/", &browser).starts_with("HTTP/1.1 401"));
    let stderr = BufReader::new(serving.child.stderr.take().expect("a pipe"));
    let mut lines = stderr.lines().map(|line| line.expect("text"));
    assert!(lines.next().expect("a line").starts_with("Open the address in a browser"));
    let offer = lines.next().expect("a line");
    let (words, address) = offer.split_once(" http://").expect("an address");
    assert_eq!(words, "A browser asked for access. To allow it, open this address in it:");
    let (_, token) = address.split_once("/?token=").expect("a token");
    assert_ne!(token, serving.token);
    assert!(ask(serving.port, &format!("/?token={token}"), &[]).starts_with("HTTP/1.1 303"));
    assert!(ask(serving.port, &format!("/?token={token}"), &[]).starts_with("HTTP/1.1 401"), "it works once");
    assert!(ask(serving.port, "/", &browser).starts_with("HTTP/1.1 401"));
    assert!(lines.next().expect("a line").starts_with("A browser asked for access."), "each is printed once");

    // The token is not in the process list.
    if let Ok(arguments) = std::fs::read_to_string(format!("/proc/{}/cmdline", serving.child.id())) {
        assert!(!arguments.contains(&serving.token) && !arguments.contains(token), "{arguments}");
    }
}

#[test]
fn other_hosts_and_origins_are_turned_away() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let path = format!("/?token={}", serving.token);
    assert!(ask(serving.port, &path, &["Host: evil.example"]).starts_with("HTTP/1.1 403"));
    assert!(ask(serving.port, &path, &["Origin: http://evil.example"]).starts_with("HTTP/1.1 403"));
    let upgrade = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    assert!(ask(serving.port, "/rpc", &upgrade).starts_with("HTTP/1.1 403"), "a socket names its origin");
}

#[test]
fn an_ambiguous_host_is_turned_away() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let (ours, cookie) = (format!("127.0.0.1:{}", serving.port), serving.enter());
    let status = |target: &str, headers: &[String]| {
        let headers: Vec<&str> = headers.iter().map(String::as_str).chain([cookie.as_str()]).collect();
        ask(serving.port, target, &headers).split(' ').nth(1).map(str::to_owned).unwrap_or_default()
    };
    let host = |authority: &str| format!("Host: {authority}");
    assert_eq!(status("/", &[host(&ours)]), "200");
    assert_eq!(status("/", &[host(&ours), host("evil.example")]), "403");
    assert_eq!(status("/", &[host(&ours), host(&ours)]), "403");
    // A target with an authority replaces the header.
    assert_eq!(status(&format!("http://{ours}/"), &[host(&ours)]), "200");
    assert_eq!(status("http://evil.example/", &[host(&ours)]), "403");
    // The two names of this machine are two origins.
    let origin = |authority: &str| format!("Origin: http://{authority}");
    let other = format!("localhost:{}", serving.port);
    assert_eq!(status("/", &[host(&ours), origin(&ours)]), "200");
    assert_eq!(status("/", &[host(&ours), origin(&other)]), "403");
    assert_eq!(status("/", &[host(&ours), origin(&ours), origin(&ours)]), "403");
}
