//! Runs the program isolated from this machine, with its own folders and PATH.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use diffsan_test_support::codex;
use diffsan_test_support::stand_in::StandIn;
use serde_json::Value;
use tempfile::TempDir;

/// One installation of the program.
pub struct Installation {
    home: TempDir,
    path: OsString,
    variables: Vec<(String, OsString)>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl Ran {
    /// Returns the standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Installation {
    /// Creates an installation without any agent.
    pub fn new() -> Self {
        // Some agents refuse to work below the system's temporary folder, because others can write there.
        let homes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/homes");
        std::fs::create_dir_all(&homes).expect("a folder for homes");
        let homes = homes.canonicalize().expect("a folder for homes");
        let home = tempfile::tempdir_in(homes).expect("a home");
        Self { home, path: "/usr/bin:/bin".into(), variables: Vec::new() }
    }

    /// Puts a folder first on PATH.
    pub fn with_path(mut self, folder: &Path) -> Self {
        let mut path = folder.as_os_str().to_owned();
        path.push(":");
        path.push(&self.path);
        self.path = path;
        self
    }

    /// Replaces bubblewrap by a program that fails as on a system that forbids user namespaces.
    pub fn without_namespaces(self) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let folder = self.home().join("broken");
        std::fs::create_dir(&folder).expect("a folder");
        let broken = folder.join("bwrap");
        let text = "#!/bin/sh\necho 'bwrap: no permission for namespaces' >&2\nexit 1\n";
        std::fs::write(&broken, text).expect("written");
        std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).expect("a program");
        self.with_path(&folder)
    }

    /// Puts a stand-in first on PATH. It runs without a sandbox, because it writes beside its program.
    pub fn with_stand_in(self, agent: &StandIn) -> Self {
        self.with_path(agent.folder()).with("DIFFSAN_AGENT__SANDBOX", "off")
    }

    /// Creates an installation with the real Codex and a scripted model. `home` is Codex's own folder.
    pub fn with_codex(home: &Path, url: String, key: &str) -> Self {
        Self::with_agents()
            .with("CODEX_HOME", home)
            .with("DIFFSAN_AGENT__PROXY_URL", url)
            .with("DIFFSAN_OPENAI_API_KEY", key)
    }

    /// Creates an installation with the agents from npm on PATH.
    pub fn with_agents() -> Self {
        Self::new().with_path(&codex::opencode_folder()).with_path(&node_folder()).with_path(&codex::folder())
    }

    /// Returns the home folder.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Sets a variable.
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Removes a variable that was set before.
    pub fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    /// Returns the data folder.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// Returns the configuration folder.
    pub fn config(&self) -> PathBuf {
        let folder = self.home.path().join("config");
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// Returns the command, ready to be started in a folder.
    pub fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diffsan"));
        command
            .args(args)
            .current_dir(folder)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", &self.path)
            .env("DIFFSAN_DATA_DIR", self.data())
            .env("DIFFSAN_CONFIG_DIR", self.config())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command.
    pub fn run(&self, folder: &Path, args: &[&str]) -> Ran {
        self.run_with(folder, args, b"")
    }

    /// Runs the command with standard input.
    pub fn run_with(&self, folder: &Path, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self.command(folder, args).spawn().expect("started");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().expect("ended");
        let _ = writer.join();
        output.into()
    }

    /// Adds an agent: an endpoint at an address.
    pub fn with_endpoint(self, name: &str, url: &str) -> Self {
        let setting = |key: &str| format!("DIFFSAN_AGENTS__{}__{key}", name.to_uppercase());
        self.with(&setting("TRANSPORT"), "openai-http")
            .with(&setting("URL"), url)
            .with(&setting("MODEL"), "scripted-model")
    }

    /// Adds an endpoint with a title.
    pub fn with_titled_endpoint(self, name: &str, title: &str, url: &str) -> Self {
        self.with_endpoint(name, url).with(&format!("DIFFSAN_AGENTS__{}__TITLE", name.to_uppercase()), title)
    }

    /// Seals the only run and replays it. The review must be the recorded one, byte for byte.
    pub fn assert_replayed(&self, repository: &Path) {
        let place = tempfile::tempdir().expect("a folder");
        let bundle = place.path().join("run.zip").display().to_string();
        let sealed = self.run(repository, &["bundle", "last", "--output", &bundle]);
        assert_eq!(sealed.code, 0, "{sealed:?}");
        let replayed = self.run(place.path(), &["replay", &bundle, "--json"]);
        let recorded = read(&self.run_folder(), "review.json");
        assert_eq!((replayed.code, replayed.stdout), (0, recorded), "{}", replayed.stderr);
    }

    /// Returns the only run folder.
    pub fn run_folder(&self) -> PathBuf {
        let mut folders: Vec<_> = std::fs::read_dir(self.data().join("runs")).expect("runs").flatten().collect();
        assert_eq!(folders.len(), 1, "exactly one run");
        folders.remove(0).path()
    }
}

/// Returns the text of a file in a run folder.
pub fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns a JSON file in a run folder.
pub fn read_json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).expect("JSON")
}

/// Returns an answer with one finding.
pub fn answer(path: &str, line: u32, quote: &str) -> String {
    serde_json::json!({ "summary_markdown": "It works.", "findings": [{
        "finding_id": null, "severity": "high", "category": "correctness", "path": path, "line_start": line, "line_end": line,
        "title": "Off by one", "body_markdown": "The last one is missed.", "side": null, "quote": quote, "confidence": 0.8,
        "suggested_patch": null }], "intent": [], "chapters": [] })
    .to_string()
}

/// Returns the folder of Node. Codex is a Node program, and finds its interpreter on PATH.
fn node_folder() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find(|folder| folder.join("node").exists()).expect("node is on PATH")
}
