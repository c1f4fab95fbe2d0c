//! A hostile agent in the sandbox reaches nothing and leaves nothing, and the receipt tells what it tried. Each mechanism is tested.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, Ran, read_json};

const TOKEN: &str = "token-of-the-caller";

struct Case {
    installation: Installation,
    repo: TestRepo,
    program: PathBuf,
    /// A server on this machine that answers each connection, and how many there were.
    port: u16,
    connections: Arc<AtomicUsize>,
    _listeners: Vec<UnixListener>,
    socket: PathBuf,
    /// The name of the process that stays.
    mark: String,
    namespaces: bool,
}

/// The mechanisms, by their words in receipts.
const MECHANISMS: [&str; 2] = ["bubblewrap", "Landlock and seccomp, bwrap: no permission for namespaces"];

impl Case {
    fn new() -> Self {
        let installation = Installation::new()
            .with("GITLAB_TOKEN", TOKEN)
            .with("SSH_AUTH_SOCK", "/run/hostile")
            .with("DOCKER_HOST", "unix:///run/hostile")
            .with("DIFFSAN_AGENT__NAME", "tool");
        let program = installation.home().join("hostile-agent.py");
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/support/hostile-agent.py"), &program)
            .expect("copied");
        let repo = TestRepo::new();
        repo.write("a.rs", "one\n");
        repo.commit("base");
        repo.write("a.rs", "two\n");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream.expect("a connection");
                let mut bytes = [0; 100];
                if stream.read(&mut bytes).is_ok_and(|count| count > 0) {
                    stream.write_all(b"answered").expect("answered");
                }
            }
        });
        let mark = format!("hostile-daemon-{port}");
        let socket = repo.beside("socket");
        let abstract_name = SocketAddr::from_abstract_name(&mark).expect("a name");
        let listeners = vec![
            UnixListener::bind(&socket).expect("a socket"),
            UnixListener::bind_addr(&abstract_name).expect("a socket"),
        ];
        Self { installation, repo, program, port, connections, _listeners: listeners, socket, mark, namespaces: true }
    }

    /// Creates a case in which one of the mechanisms is used.
    fn with_mechanism(mechanism: &str) -> Self {
        if mechanism == MECHANISMS[0] { Self::new() } else { Self::new().without_namespaces() }
    }

    fn without_namespaces(mut self) -> Self {
        let installation = std::mem::replace(&mut self.installation, Installation::new());
        self.installation = installation.without_namespaces();
        self.namespaces = false;
        self
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        let installation = std::mem::replace(&mut self.installation, Installation::new());
        self.installation = installation.with(name, value);
        self
    }

    /// Reviews with the hostile agent. `entry` is added to its entry.
    fn review(&self, task: &str, entry: &str, more: &Value) -> Ran {
        let mut targets = json!({
            "task": task, "token": TOKEN, "mark": self.mark, "port": self.port, "socket": self.socket,
            "abstract": self.mark, "caller": std::process::id(), "reads": [], "writes": [],
            "namespaces": self.namespaces,
        });
        targets.as_object_mut().expect("a table").extend(more.as_object().cloned().unwrap_or_default());
        let command = format!("command = ['{}', '{targets}']", self.program.display());
        let text = format!("[agents.tool]\ntransport = 'oneshot-text'\nreads_files = true\n{entry}\n{command}\n");
        std::fs::write(self.installation.config().join("config.toml"), text).expect("written");
        self.installation.run(self.repo.path(), &["review"])
    }

    /// Adds a key to the keyring of the session, which diffsan inherits. Kernels without keyrings have none to protect.
    fn plant_key(&self) {
        let task = json!({ "task": "plant a key", "mark": self.mark }).to_string();
        let mut command = std::process::Command::new("/usr/bin/python3");
        let ran = command.arg(&self.program).arg(task).stdin(std::process::Stdio::null()).output().expect("started");
        let answer: Value = serde_json::from_slice(&ran.stdout).expect("an answer");
        if answer["summary_markdown"] != "planted, found" {
            println!("no keyring: {answer}");
        }
    }

    /// The receipt of the latest run.
    fn receipt(&self) -> Value {
        let runs = std::fs::read_dir(self.installation.data().join("runs")).expect("runs").flatten();
        let latest = runs.map(|entry| entry.path()).max().expect("a run");
        read_json(&latest, "agent.run.json")[0]["sandbox"].clone()
    }

    /// The processes that have the mark in their command line, or are copies of the agent.
    fn processes(&self) -> Vec<String> {
        let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
        let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        let program = self.program.display().to_string();
        lines.filter(|line| line.contains(&self.mark) || line.contains(&program)).collect()
    }
}

/// The contents of all files below a folder.
fn contents(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() && !path.is_symlink() {
            true => contents(&path, found),
            false => found.push((path.clone(), std::fs::read(path).unwrap_or_default())),
        }
    }
}

#[test]
fn a_hostile_agent_reaches_nothing_and_leaves_nothing() {
    check_reach(MECHANISMS[0], "");
}

#[test]
fn a_hostile_agent_without_namespaces_reaches_nothing_and_leaves_nothing() {
    check_reach(MECHANISMS[1], "");
}

#[test]
fn a_hostile_agent_that_needs_proc_reaches_nothing_of_other_processes() {
    check_reach(MECHANISMS[1], "needs_proc = true");
}

fn check_reach(mechanism: &str, entry: &str) {
    let case = Case::with_mechanism(mechanism);
    let home = case.installation.home().to_owned();
    for name in [".ssh/id_ed25519", ".netrc", ".bashrc", ".config/other", "data/other"] {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, "secret\n").expect("written");
    }
    // The second run could reach the files of the first one.
    assert_eq!(case.review("nothing", "", &json!({})).code, 0);
    let first = case.installation.run_folder();
    let room = home.join("data/rooms");
    let mut rooms = Vec::new();
    contents(&room, &mut rooms);
    let rooms: Vec<PathBuf> = rooms.into_iter().map(|(path, _)| path).collect();
    let repo = case.repo.path().to_owned();
    let paths = |names: &[&str]| names.iter().map(|name| home.join(name)).collect::<Vec<_>>();
    let mut reads = paths(&[
        ".ssh/id_ed25519",
        ".netrc",
        ".bashrc",
        ".config/other",
        "data/other",
        "data/diffsan.sqlite3",
        "config/config.toml",
        "data/installation.key",
    ]);
    reads.extend([first.join("prompt.txt"), first.join("run.json"), repo.join("a.rs"), repo.join(".git/config")]);
    reads.extend(["/etc/shadow", "/root/.bashrc"].map(PathBuf::from));
    let mut writes = reads.clone();
    writes.extend([
        repo.join(".git/hooks/post-checkout"),
        repo.join("new"),
        PathBuf::from("/usr/hostile"),
        "/etc/hostile".into(),
    ]);
    writes.extend(rooms);
    let watched = [home.join(".ssh"), home.join(".config"), home.join("data/rooms"), first.clone(), repo.clone()];
    let state = || {
        let mut found = Vec::new();
        watched.iter().for_each(|folder| contents(folder, &mut found));
        let mode = |path: &Path| std::fs::metadata(path).map(|about| about.permissions().mode()).unwrap_or_default();
        found.extend(reads.iter().map(|path| (path.clone(), mode(path).to_le_bytes().to_vec())));
        let single = [".netrc", ".bashrc", "data/other"].map(|name| home.join(name));
        found.extend(single.map(|path| (path.clone(), std::fs::read(path).unwrap_or_default())));
        found
    };
    case.plant_key();
    let before = state();
    let ran = case.review("reach", entry, &json!({ "reads": reads, "writes": writes }));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("reached nothing"), "{ran:?}");
    let changed: Vec<PathBuf> =
        state().into_iter().filter(|file| !before.contains(file)).map(|(path, _)| path).collect();
    assert_eq!(changed, Vec::<PathBuf>::new());
    assert!(!Path::new("/usr/hostile").exists() && !Path::new("/etc/hostile").exists());
    assert_eq!(case.processes(), Vec::<String>::new());
    assert_eq!(case.connections.load(Ordering::SeqCst), 0);
    assert!(ran.stdout.contains(&format!("sandbox of tool: {mechanism}; refused: ")), "{ran:?}");
    assert!(ran.stdout.contains("refused.example:443"), "{ran:?}");
}

#[test]
fn a_hostile_agent_fills_only_its_own_folders() {
    let case = Case::new().set("DIFFSAN_AGENT__MAX_WRITTEN_MB", "16");
    let ran = case.review("fill", "", &json!({}));
    assert!(ran.code == 0 && ran.stdout.contains("filled [16, 0, 16, 16, 0, 0, 0]"), "{ran:?}");
}

#[test]
fn a_hostile_agent_without_namespaces_is_stopped_when_it_fills_the_disk() {
    let case = Case::new().without_namespaces().set("DIFFSAN_AGENT__MAX_WRITTEN_MB", "16");
    let ran = case.review("small files", "", &json!({}));
    assert!(ran.code == 5 && ran.stderr.contains("agent.max_written_mb"), "{ran:?}");
    assert_eq!(case.processes(), Vec::<String>::new());
}

#[test]
fn an_agent_that_takes_too_much_is_stopped() {
    for (task, setting, value) in
        [("memory", "DIFFSAN_AGENT__MAX_MEMORY_MB", "256"), ("processes", "DIFFSAN_AGENT__MAX_PROCESSES", "64")]
    {
        for mechanism in MECHANISMS {
            let case = Case::with_mechanism(mechanism).set(setting, value);
            let ran = case.review(task, "", &json!({}));
            assert_eq!(ran.code, 5, "{task}: {ran:?}");
            assert!(ran.stderr.contains("it used too many resources"), "{task}: {ran:?}");
            assert!(
                ran.stderr.contains(&setting.replace("DIFFSAN_AGENT__", "agent.").to_lowercase()),
                "{task}: {ran:?}"
            );
            assert!(case.receipt()["exceeded"].is_string(), "{task}");
            assert_eq!(case.processes(), Vec::<String>::new(), "{task}");
        }
    }
}

#[test]
fn an_agent_keeps_the_state_that_its_entry_declares() {
    MECHANISMS.into_iter().for_each(check_state);
}

fn check_state(mechanism: &str) {
    let case = Case::with_mechanism(mechanism);
    let folder = case.installation.home().join(".tool");
    std::fs::create_dir(&folder).expect("a folder");
    for name in ["token", "settings"] {
        std::fs::write(folder.join(name), format!("my {name} ")).expect("written");
    }
    std::fs::set_permissions(folder.join("token"), std::fs::Permissions::from_mode(0o640)).expect("set");
    let entry = "state = [{ path = '{user_home}/.tool/token', save = true }, { path = '{user_home}/.tool/settings' }]";
    let ran = case.review("state", entry, &json!({}));
    assert!(ran.code == 0 && ran.stdout.contains("my token my settings"), "{ran:?}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    assert_eq!([read("token"), read("settings"), read("new")], ["changed", "my settings ", ""]);
    let mode = std::fs::metadata(folder.join("token")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(case.receipt()["saved"], json!([folder.join("token").canonicalize().expect("a path")]));
}

#[test]
fn an_agent_reaches_the_hosts_of_its_entry_and_no_other() {
    MECHANISMS.into_iter().for_each(check_network);
}

fn check_network(mechanism: &str) {
    let case = Case::with_mechanism(mechanism);
    let entry = format!("hosts = ['http://127.0.0.1:{0}/v1', 'localhost:{0}']", case.port);
    let ran = case.review("network", &entry, &json!({}));
    assert!(ran.code == 0 && ran.stdout.contains("answered reached the allowed host\n"), "{ran:?}");
    let connections = case.receipt()["connections"].clone();
    let place = format!("127.0.0.1:{}", case.port);
    let direct = json!({ "host": place, "allowed": true, "count": 1, "sent": 6, "received": 8 });
    let refused = json!({ "host": "refused.example:443", "allowed": false, "count": 1, "sent": 0, "received": 0 });
    let list = connections.as_array().expect("a list");
    assert!(list.contains(&direct) && list.contains(&refused), "{connections}");
}

#[test]
fn a_missing_sandbox_is_reported_or_refused() {
    // The processes that this thread starts are on a kernel without Landlock.
    std::thread::spawn(|| {
        without_landlock();
        let case = Case::new().without_namespaces();
        let ran = case.review("nothing", "", &json!({}));
        let expected = "sandbox of tool: none, bwrap: no permission for namespaces; Landlock of Linux 6.12";
        assert!(ran.code == 0 && ran.stdout.contains(expected), "{ran:?}");
        assert_eq!(case.receipt()["mechanism"], "none");
        let case = case.set("DIFFSAN_AGENT__SANDBOX", "required");
        let ran = case.review("nothing", "", &json!({}));
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.stderr.contains("cannot be sandboxed") && ran.stderr.contains("Install bubblewrap"), "{ran:?}");
        let case = case.set("DIFFSAN_AGENT__SANDBOX", "off");
        let ran = case.review("nothing", "", &json!({}));
        assert!(ran.code == 0 && ran.stdout.contains("sandbox of tool: none, agent.sandbox is \"off\""), "{ran:?}");
    })
    .join()
    .expect("no failure");
}

/// Makes the system calls of Landlock unknown for this thread.
fn without_landlock() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
    let rules = [(444, Vec::new())].into();
    let arch = std::env::consts::ARCH.try_into().expect("a known processor");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(38), arch).expect("a filter");
    apply_filter(&BpfProgram::try_from(filter).expect("a program")).expect("applied");
}

#[test]
fn without_namespaces_the_receipt_tells_the_other_mechanism_and_its_limits() {
    let case = Case::new().without_namespaces().set("DIFFSAN_AGENT__SANDBOX", "required");
    let ran = case.review("nothing", "", &json!({}));
    assert!(ran.code == 0 && ran.stdout.contains(MECHANISMS[1]), "{ran:?}");
    let receipt = case.receipt();
    assert_eq!(receipt["mechanism"], "landlock");
    assert!(receipt["not_covered"].as_array().is_some_and(|list| !list.is_empty()), "{receipt}");
    let case = case.set("DIFFSAN_AGENT__SANDBOX", "bubblewrap");
    let ran = case.review("nothing", "", &json!({}));
    assert!(ran.code == 5 && ran.stderr.contains("Install bubblewrap"), "{ran:?}");
}

#[test]
fn the_error_of_a_failed_review_has_the_receipt() {
    for (setting, expected) in [("preferred", "bubblewrap"), ("off", "none, agent.sandbox is \"off\"")] {
        for task in ["fail", "invalid"] {
            let case = Case::new().set("DIFFSAN_AGENT__SANDBOX", setting).set("DIFFSAN_AGENT__MAX_RETRIES", "0");
            let ran = case.review(task, "", &json!({}));
            let record = read_json(&case.installation.run_folder(), "run.json");
            assert_eq!(record["error"]["context"]["sandbox"], expected, "{task}: {ran:?}");
        }
    }
}
