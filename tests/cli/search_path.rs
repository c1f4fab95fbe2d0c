//! Programs of the checkout are never run, however PATH refers to them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::stand_in::{StandIn, envelope};

use crate::support::{Installation, Ran, answer};

/// All names under which agents are searched, and programs that agents start themselves.
const NAMES: [&str; 10] =
    ["codex", "claude", "gemini", "opencode", "cursor-agent", "agent", "node", "git", "sh", "cat"];
const AGENTS: [&str; 5] = ["codex", "claude", "gemini", "opencode", "cursor"];

/// A repository whose `node_modules/.bin` contains a program with each of these names, which leaves a mark when it runs.
struct Checkout {
    repo: TestRepo,
}

impl Checkout {
    fn new() -> Self {
        let repo = TestRepo::new();
        repo.write("a.rs", "one\n");
        repo.write(".gitignore", "node_modules/\n");
        repo.commit("base");
        repo.write("a.rs", "two\n");
        let checkout = Self { repo };
        checkout.plant(&checkout.bin());
        checkout
    }

    fn path(&self) -> &Path {
        self.repo.path()
    }

    fn bin(&self) -> PathBuf {
        self.path().join("node_modules/.bin")
    }

    fn mark(&self) -> PathBuf {
        self.repo.beside("mark")
    }

    fn plant(&self, bin: &Path) {
        // Cursor's short name is accepted only in a folder named `cursor`.
        let real = bin.join("cursor");
        fs::create_dir_all(&real).expect("folders");
        for name in NAMES {
            let program = real.join(name);
            fs::write(&program, format!("#!/bin/sh\necho {name} >> {}\n", self.mark().display())).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
            symlink(&program, bin.join(name)).expect("a link");
        }
    }

    /// Runs every command that searches for agents or starts one, for each of `agents`.
    fn run_commands(&self, installation: &Installation, folder: &Path, agents: &[&str]) -> Vec<(String, Ran)> {
        let mut calls: Vec<Vec<&str>> = vec![vec!["agents"], vec!["review"], vec!["prompt"], vec!["commit"]];
        for agent in agents {
            calls.push(vec!["agents", "--check", agent]);
            calls.push(vec!["review", "--agent", agent]);
            calls.push(vec!["chat", "--agent", agent]);
        }
        calls.iter().map(|args| (args.join(" "), installation.run_with(folder, args, b"Hello\n"))).collect()
    }

    fn assert_nothing_ran(&self, how: &str, ran: &[(String, Ran)]) {
        let marks = fs::read_to_string(self.mark()).unwrap_or_default();
        assert_eq!(marks, "", "{how}: programs of the checkout ran");
        for (call, ran) in ran {
            let shown = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!shown.contains("panicked"), "{how}: {call}: {shown}");
        }
    }
}

#[test]
fn no_program_of_the_checkout_is_run_however_path_leads_there() {
    let checkout = Checkout::new();
    let linked = checkout.repo.beside("linked");
    checkout.repo.git(["worktree", "add", "-q", "-b", "other", &linked.display().to_string()]);
    checkout.plant(&linked.join("node_modules/.bin"));
    let outside = checkout.repo.beside("outside");
    fs::create_dir(&outside).expect("a folder");
    symlink(checkout.bin(), outside.join("folder")).expect("a link");
    fs::create_dir(outside.join("programs")).expect("a folder");
    for name in NAMES {
        symlink(checkout.bin().join(name), outside.join("programs").join(name)).expect("a link");
    }
    // A link of the checkout that leads outside today may lead elsewhere after the next checkout.
    checkout.plant(&outside.join("own"));
    symlink(outside.join("own"), checkout.path().join("way-out")).expect("a link");
    let spelled = format!("{}/../work//node_modules/./.bin/", checkout.path().display());
    for (how, folder) in [
        ("a folder of the checkout", checkout.bin()),
        ("another spelling", PathBuf::from(spelled)),
        ("a link to a folder of the checkout", outside.join("folder")),
        ("links to programs of the checkout", outside.join("programs")),
        ("a link in the checkout", checkout.path().join("way-out")),
        ("a linked work tree", linked.join("node_modules/.bin")),
        ("a relative folder", PathBuf::from("node_modules/.bin")),
    ] {
        let installation = Installation::new().with_path(&folder);
        // The first spelling is tried with every agent, the others with one.
        let agents = if how == "a folder of the checkout" { &AGENTS[..] } else { &["codex"] };
        let ran = checkout.run_commands(&installation, checkout.path(), agents);
        checkout.assert_nothing_ran(how, &ran);
    }
    // For the linked work tree, the main one belongs to the same repository.
    fs::write(linked.join("a.rs"), "two\n").expect("written");
    let ran = checkout.run_commands(&Installation::new().with_path(&checkout.bin()), &linked, &["codex"]);
    checkout.assert_nothing_ran("the main work tree", &ran);
    // An empty entry means the current folder.
    let ran = checkout.run_commands(&Installation::new().with_path(Path::new("")), &checkout.bin(), &["codex"]);
    checkout.assert_nothing_ran("the current folder", &ran);
}

#[test]
fn an_agent_that_is_only_in_the_checkout_is_named_and_not_offered() {
    let checkout = Checkout::new();
    let installation = Installation::new().with_path(&checkout.bin());
    let listed = installation.run(checkout.path(), &["agents", "--json"]).json();
    for agent in listed["agents"].as_array().expect("agents").iter().filter(|agent| agent["built_in"] == false) {
        if agent["url"].is_null() {
            assert!(agent["program"].is_null(), "{agent}");
            assert!(agent["missing"].as_str().is_some_and(|words| words.contains("is in the repository")), "{agent}");
        }
    }
    let refused = installation.run(checkout.path(), &["review", "--agent", "codex"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    for words in ["is in the repository", "agents.codex.programs"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
    // Outside of a repository, programs on the same PATH are the user's.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let listed = installation.run(elsewhere.path(), &["agents", "--json"]).json();
    assert!(listed["agents"].as_array().expect("agents").iter().any(|agent| !agent["program"].is_null()), "{listed}");
}

#[test]
fn the_next_program_on_path_is_taken_and_gets_a_path_without_the_checkout() {
    let checkout = Checkout::new();
    let stand_in = StandIn::new()
        .plays(1, &envelope(&answer("a.rs", 1, "two")), "", 0)
        .behaves(1, "printf '%s' \"$PATH\" > \"$dir/path\"; cat /dev/null");
    let installation = Installation::new().with_stand_in(&stand_in).with_path(&checkout.bin());
    let ran = installation.run(checkout.path(), &["review", "--agent", "cursor", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    checkout.assert_nothing_ran("an installed agent", &[]);
    let given = fs::read_to_string(stand_in.folder().join("path")).expect("recorded");
    let folders: Vec<PathBuf> = std::env::split_paths(&given).collect();
    assert!(folders.contains(&stand_in.folder().to_owned()), "{given}");
    assert!(folders.iter().all(|folder| folder.is_absolute() && !folder.starts_with(checkout.path())), "{given}");
}

#[test]
fn a_program_of_the_checkout_that_the_user_named_is_run() {
    let checkout = Checkout::new();
    let stand_in = StandIn::new().plays(1, &envelope(&answer("a.rs", 1, "two")), "", 0);
    let own = checkout.path().join("tools");
    fs::create_dir(&own).expect("a folder");
    symlink(stand_in.program(), own.join("cursor-agent")).expect("a link");
    let installation = Installation::new().with("DIFFSAN_AGENT__SANDBOX", "off");
    let settings = format!("[agents.cursor]\nprograms = [{:?}]\n", own.join("cursor-agent"));
    fs::write(installation.config().join("config.toml"), settings).expect("written");
    let ran = installation.run(checkout.path(), &["review", "--agent", "cursor"]);
    assert!(ran.code == 5 || ran.code == 0, "{ran:?}");
    assert_eq!(fs::read_to_string(own.join("count")).expect("it was started").trim(), "1");
}
