//! `serve` has limits that hold against hostile clients, and that a page never notices.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tungstenite::Message;

use crate::serve::{Serving, Tab, ask, serve, serve_by, wait_until};
use crate::support::Installation;

/// Starts the server with this limit of open files.
fn serve_with_files(installation: &Installation, soft: u32, hard: u32) -> Serving {
    let command = installation.command(&installation.config(), &["serve"]);
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &format!("ulimit -Sn {soft} && ulimit -Hn {hard} && exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(installation.config())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    serve_by(shell)
}

/// Returns a number of `/proc/PID/status` in kilobytes.
fn kilobytes(serving: &Serving, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Returns the processor time of the server so far, in ticks.
fn ticks(serving: &Serving) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", serving.child.id())).expect("a state");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
}

/// Waits until the server does nothing, and returns its processor time.
fn idle(serving: &Serving) -> u64 {
    let (mut last, mut since) = (ticks(serving), Instant::now());
    wait_until("the server does nothing", || {
        let now = ticks(serving);
        if now > last {
            (last, since) = (now, Instant::now());
        }
        since.elapsed() > Duration::from_secs(1)
    });
    last
}

fn connect(serving: &Serving) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", serving.port)).expect("connected");
    stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a limit");
    stream
}

/// Reads what has arrived, for at most 200 ms. Returns whether the server closed the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    loop {
        match stream.read(&mut [0; 4096]) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }
}

fn idle_connections(soft: u32, hard: u32) {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
    setrlimit(Resource::RLIMIT_NOFILE, most, most).expect("a higher limit");
    let installation = Installation::new();
    let serving = serve_with_files(&installation, soft, hard);
    let cookie = serving.enter();
    let mut early = Tab::open(&serving, &cookie);
    early.result("app.info", &Value::Null);
    let idle: Vec<TcpStream> = (0..3000).map(|_| connect(&serving)).collect();
    let started = Instant::now();
    assert!(ask(serving.port, "/", &[&cookie]).starts_with("HTTP/1.1 200"));
    let mut tab = Tab::open(&serving, &cookie);
    tab.result("repo.sample", &Value::Null);
    early.result("app.info", &Value::Null);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    drop(idle);
}

#[test]
fn idle_connections_do_not_block_a_page() {
    idle_connections(256, 1024);
}

#[test]
fn the_limit_of_open_files_is_raised() {
    let installation = Installation::new();
    let serving = serve_with_files(&installation, 256, 1024);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", serving.child.id())).expect("limits");
    let files = limits.lines().find(|line| line.starts_with("Max open files")).expect("a line");
    assert_eq!(files.split_whitespace().nth(3), Some("1024"), "{files}");
}

#[test]
fn unfinished_requests_end_after_a_deadline() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let cookie = serving.enter();
    let host = format!("Host: 127.0.0.1:{}", serving.port);
    let mut tab = Tab::open(&serving, &cookie);
    let handshake = format!(
        "GET /rpc HTTP/1.1\r\n{host}\r\n{cookie}\r\nOrigin: http://127.0.0.1:{}\r\nConnection: Upgrade\r\n",
        serving.port
    );
    // The first bytes of a connection, and the bytes that it repeats.
    let cases = [
        ("nothing", String::new(), String::new()),
        ("slow headers", format!("GET / HTTP/1.1\r\n{host}\r\n"), "X-Slow: 1\r\n".to_owned()),
        ("slow headers with a cookie", format!("GET / HTTP/1.1\r\n{host}\r\n{cookie}\r\n"), "X-Slow: 1\r\n".to_owned()),
        ("a slow handshake", handshake, "X-Slow: 1\r\n".to_owned()),
        (
            "a missing body",
            format!("POST / HTTP/1.1\r\n{host}\r\n{cookie}\r\nContent-Length: 9999\r\n\r\n"),
            String::new(),
        ),
        ("a slow body", format!("POST / HTTP/1.1\r\n{host}\r\nContent-Length: 9999\r\n\r\n"), "x".to_owned()),
        ("requests without a cookie", String::new(), format!("GET / HTTP/1.1\r\n{host}\r\n\r\n")),
    ];
    let mut open: Vec<_> = cases
        .into_iter()
        .map(|(name, first, again)| {
            let mut stream = connect(&serving);
            stream.write_all(first.as_bytes()).expect("sent");
            (name, stream, again)
        })
        .collect();
    let started = Instant::now();
    while !open.is_empty() {
        open.retain_mut(|(_, stream, again)| !is_closed(stream) && stream.write_all(again.as_bytes()).is_ok());
        let names: Vec<_> = open.iter().map(|(name, ..)| *name).collect();
        assert!(started.elapsed() < Duration::from_secs(25), "still open: {names:?}");
    }
    // A page that does nothing stays connected.
    tab.result("app.info", &Value::Null);
}

/// Saves a large text, which `state.get` returns.
fn save_large(tab: &mut Tab, bytes: usize) {
    tab.result("state.set", &json!({ "key": "large", "value": "x".repeat(bytes) }));
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let installation = Installation::new();
    let mut command = installation.command(&installation.config(), &["serve"]);
    // Otherwise, glibc stops returning blocks of this size to the system once one was freed, and the rest would measure the allocator.
    command.env("MALLOC_MMAP_THRESHOLD_", "1048576");
    let serving = serve_by(command);
    let cookie = serving.enter();
    let mut tab = Tab::open(&serving, &cookie);
    save_large(&mut tab, 10 << 20);
    tab.result("state.get", &json!({ "key": "large" }));
    idle(&serving);
    let before = kilobytes(&serving, "VmRSS:");
    let mut silent = Tab::open(&serving, &cookie);
    for _ in 0..200 {
        silent.ask("state.get", &json!({ "key": "large" }));
    }
    // The server closes the connection, so that sending fails in the end.
    silent.socket.get_mut().set_read_timeout(None).expect("no limit");
    wait_until("the client is disconnected", || {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "app.info" }).to_string();
        silent.socket.send(Message::from(request)).is_err()
    });
    idle(&serving);
    let (peak, after) = (kilobytes(&serving, "VmHWM:"), kilobytes(&serving, "VmRSS:"));
    assert!(peak < before + 700_000, "{before} kB before, {peak} kB at most, {after} kB after");
    assert!(after < before + 60_000, "{before} kB before, {peak} kB at most, {after} kB after");
    tab.result("app.info", &Value::Null);
}

#[test]
fn a_page_gets_more_answers_than_may_wait_unread() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    save_large(&mut tab, 10 << 20);
    let asked: Vec<u64> = (0..40).map(|_| tab.ask("state.get", &json!({ "key": "large" }))).collect();
    for id in asked {
        let answer = tab.answer(id);
        assert_eq!(answer["result"]["value"].as_str().map(str::len), Some(10 << 20));
    }
}

#[test]
fn a_client_with_too_many_pending_calls_is_told() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let cookie = serving.enter();
    let mut tab = Tab::open(&serving, &cookie);
    let mut other = Tab::open(&serving, &cookie);
    let text = json!({ "text": "x = 1\n".repeat(2_000) });
    let asked: Vec<u64> = (0..3_000).map(|_| tab.ask("redaction.try", &text)).collect();
    let started = Instant::now();
    other.result("app.info", &Value::Null);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop(asked);
    // A queued call can be cancelled at any time.
    assert_eq!(tab.result("rpc.cancel", &json!({ "id": 999 }))["cancelled"], true);
    let answer = tab.answer(999);
    assert_eq!(answer["error"]["data"]["error_code"], "CANCELLED", "{answer}");
    let refused = tab.answer(3_000);
    assert_eq!(refused["error"]["code"], -32009, "{refused}");
}

#[test]
fn queued_work_of_a_page_ends_with_its_connection() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let cookie = serving.enter();
    let mut tab = Tab::open(&serving, &cookie);
    let text = json!({ "text": "password = hunter2 # a comment\n".repeat(3_000) });
    tab.result("redaction.try", &text);
    let before = idle(&serving);
    for _ in 0..5 {
        tab.result("redaction.try", &text);
    }
    let started = idle(&serving);
    let one = (started - before) / 5;
    assert!(one > 0, "a call is measurable");
    let calls = 400;
    for _ in 0..calls {
        tab.ask("redaction.try", &text);
    }
    drop(tab);
    let used = idle(&serving) - started;
    assert!(used < one * calls / 4, "{used} ticks for calls of {one} ticks");
}

#[test]
fn a_page_that_leaves_at_once_loses_nothing_that_it_saved() {
    let installation = Installation::new();
    let serving = serve(&installation);
    let cookie = serving.enter();
    let mut other = Tab::open(&serving, &cookie);
    let mut tab = Tab::open(&serving, &cookie);
    for number in 0..100 {
        tab.ask("state.set", &json!({ "key": format!("key {number}"), "value": "1" }));
    }
    tab.socket.close(None).expect("closed");
    while tab.socket.read().is_ok() {}
    for number in 0..100 {
        let key = json!({ "key": format!("key {number}") });
        wait_until("the value is saved", || other.result("state.get", &key)["value"] == "1");
    }
}
