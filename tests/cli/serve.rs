//! `serve` answers only the browser that has its token, on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

use crate::support::Installation;

struct Serving {
    child: Child,
    port: u16,
    token: String,
    _installation: Installation,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve() -> Serving {
    let installation = Installation::new();
    let folder = installation.config();
    let mut child = installation.command(&folder, &["serve"]).spawn().expect("started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    let (address, token) = line.trim().split_once("/?token=").expect("a token");
    let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    Serving { token: token.to_owned(), port, child, _installation: installation }
}

/// The status line and headers of an answer.
fn ask(port: u16, path: &str, headers: &[&str]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
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

#[test]
fn a_token_works_once_and_gives_a_cookie() {
    let serving = serve();
    assert!(ask(serving.port, "/", &[]).starts_with("HTTP/1.1 401"));
    assert!(ask(serving.port, "/?token=wrong", &[]).starts_with("HTTP/1.1 401"));
    let path = format!("/?token={}", serving.token);
    let entered = ask(serving.port, &path, &[]);
    assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = format!("Cookie: {}", cookie.split(';').next().expect("a value"));
    assert!(ask(serving.port, &path, &[]).starts_with("HTTP/1.1 401"), "a token works once");
    let page = ask(serving.port, "/", &[&cookie]);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(!page.split("\r\n\r\n").next().is_some_and(|head| head.contains("unsafe-")), "{page}");
    // The window has the same policy, and its own way to the core.
    let window = include_str!("../../src-tauri/tauri.conf.json").replace(" ipc: http://ipc.localhost", "");
    let policy = page.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).expect("a policy");
    assert!(window.contains(&format!("\"csp\": \"{policy}\"")), "{policy}");
}

#[test]
fn other_hosts_and_origins_are_turned_away() {
    let serving = serve();
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
