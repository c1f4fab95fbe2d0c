//! Temporary git repositories, created with the real `git` command and without the machine's configuration. Names and dates are
//! fixed, so that object ids are the same everywhere.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The time of the first commit: 2020-01-01, in seconds since 1970. Each later commit is one minute younger.
const FIRST_COMMIT: u64 = 1_577_836_800;

/// A repository that is removed when it is dropped.
pub struct TestRepo {
    _folder: TempDir,
    root: PathBuf,
    commits: Cell<u64>,
}

impl Default for TestRepo {
    fn default() -> Self {
        Self::new()
    }
}

impl TestRepo {
    /// Creates an empty repository on the unborn branch `main`.
    pub fn new() -> Self {
        Self::init(&[])
    }

    /// Creates an empty repository with additional arguments of `git init`.
    pub fn init(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("work");
        fs::create_dir(&root).expect("a folder");
        let repo = Self { _folder: folder, root, commits: Cell::new(0) };
        repo.git([&["init", "-q", "-b", "main"], arguments].concat());
        repo
    }

    /// Clones a repository with additional arguments of `git clone`.
    pub fn clone_of(origin: &Self, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("work");
        let url = format!("file://{}", origin.root.display());
        let target = root.to_string_lossy().into_owned();
        let all = [&["clone", "-q"], arguments, &[&url, &target]].concat();
        run(git(folder.path()).args(all), b"");
        Self { _folder: folder, root, commits: Cell::new(origin.commits.get()) }
    }

    /// Returns the root of the work tree.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Returns a folder beside the work tree, which is removed together with it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.with_file_name(name)
    }

    /// Runs git in the repository and returns its output. Panics with git's message on failure.
    pub fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Vec<u8> {
        self.git_with(arguments, b"")
    }

    /// Like [`Self::git`], with standard input.
    pub fn git_with<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Vec<u8> {
        run(self.command().args(arguments), input)
    }

    /// Runs git and returns whether it succeeded, and its message.
    pub fn try_git<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
        input: &[u8],
    ) -> Result<Vec<u8>, String> {
        let output = output(self.command().args(arguments), input);
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Runs git and returns its output as text, without the final line feed.
    pub fn text<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        String::from_utf8(self.git(arguments)).expect("text").trim_end().to_owned()
    }

    /// Writes a file and creates its folders.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    /// Removes a file.
    pub fn remove(&self, path: impl AsRef<Path>) {
        fs::remove_file(self.root.join(path)).expect("a file to remove");
    }

    /// Commits the whole work tree, even if nothing changed, and returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.commits.set(self.commits.get() + 1);
        self.text(["rev-parse", "HEAD"])
    }

    /// Returns a git command in this repository, for uses that the other methods do not cover.
    pub fn command(&self) -> Command {
        let mut command = git(&self.root);
        let date = format!("{} +0000", FIRST_COMMIT + 60 * self.commits.get());
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        command
    }
}

/// Returns a git command in a folder, without the configuration of the machine and the user.
pub fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("TZ", "UTC");
    for (key, value) in [("NAME", "A Tester"), ("EMAIL", "tester@example.com")] {
        command.env(format!("GIT_AUTHOR_{key}"), value).env(format!("GIT_COMMITTER_{key}"), value);
    }
    for (key, value) in [("core.quotePath", "false"), ("protocol.file.allow", "always"), ("gc.auto", "0")] {
        command.arg("-c").arg(format!("{key}={value}"));
    }
    command
}

fn output(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("git is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // Git may exit before it has read its whole input.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("git ends")
    })
}

fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let output = output(command, input);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
