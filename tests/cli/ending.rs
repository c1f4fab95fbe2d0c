//! However diffsan is ended, no agent outlives it, and interrupted work is recorded as such.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::stand_in::StandIn;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::agents;
use crate::serve::{Serving, Tab, serve, wait_until};
use crate::support::{Installation, read_json};

struct Case {
    installation: Installation,
    repo: TestRepo,
    agent: StandIn,
}

impl Case {
    /// Creates a case with an agent that works until it is killed. One of its processes has left its session.
    fn new() -> Self {
        Self::behaving("setsid sleep 300 & echo $! > \"$dir/forked\"; echo $$ > \"$dir/pid\"; sleep 300")
    }

    /// Creates a case with an agent that runs shell commands.
    fn behaving(works: &str) -> Self {
        let agent = StandIn::new().behaves(1, works);
        let repo = TestRepo::new();
        repo.write("a.rs", "one\n");
        repo.commit("base");
        repo.write("a.rs", "two\n");
        Self { installation: Installation::new().with_stand_in(&agent), repo, agent }
    }

    fn start(&self, args: &[&str]) -> Child {
        let child = self.installation.command(self.repo.path(), args).spawn().expect("started");
        self.wait_for_agent();
        child
    }

    fn wait_for_agent(&self) {
        wait_until("the agent works", || !self.living().is_empty());
    }

    /// Returns the agent's processes that are still running.
    fn living(&self) -> Vec<String> {
        let read = |name| std::fs::read_to_string(self.agent.folder().join(name)).unwrap_or_default();
        let ids = ["pid", "forked"].map(|name| read(name).trim().to_owned());
        let lives = |id: &String| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
        };
        ids.into_iter().filter(|id| !id.is_empty()).filter(lives).collect()
    }

    /// Returns the private folders, which exist only while an agent works.
    fn private(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.installation.data().join("private"));
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    fn check_nothing_is_left(&self) {
        assert_eq!(self.living(), Vec::<String>::new(), "an agent is left");
        assert_eq!(self.private(), Vec::<PathBuf>::new(), "a private folder is left");
    }
}

fn tell(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).expect("an id")), signal).expect("told");
}

fn code(child: &mut Child) -> i32 {
    child.wait().expect("ended").code().unwrap_or(-1)
}

#[test]
fn a_terminated_review_leaves_no_agent() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let case = Case::new();
        let mut child = case.start(&["review", "--agent", "cursor"]);
        tell(&child, signal);
        assert_eq!(code(&mut child), 130, "{signal}");
        case.check_nothing_is_left();
        assert_eq!(read_json(&case.installation.run_folder(), "run.json")["state"], "cancelled", "{signal}");
    }
}

#[test]
fn a_second_signal_ends_a_command_at_once() {
    let installation = Installation::new();
    let repo = TestRepo::new();
    // The standard input never ends, and reading it cannot be stopped.
    let mut child =
        installation.command(repo.path(), &["policy", "--patch", "-"]).stdin(Stdio::piped()).spawn().expect("started");
    let status = format!("/proc/{}/status", child.id());
    wait_until("it listens", || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask & 1 << (Signal::SIGTERM as u32 - 1) != 0)
    });
    // Two signals at the same time can arrive as one.
    wait_until("it has ended", || {
        tell(&child, Signal::SIGTERM);
        child.try_wait().expect("a state").is_some()
    });
    assert_eq!(code(&mut child), 130);
}

#[test]
fn a_terminated_agent_check_leaves_no_agent() {
    let case = Case::new();
    let mut child = case.start(&["agents", "--check", "cursor"]);
    tell(&child, Signal::SIGTERM);
    assert_eq!(code(&mut child), 130);
    case.check_nothing_is_left();
}

#[test]
fn a_terminated_server_leaves_no_agent_of_a_review() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let case = Case::new();
        let mut serving = serve(&case.installation);
        let mut tab = Tab::open(&serving, &serving.enter());
        let target = json!({ "kind": "unstaged", "untracked": true });
        let opened = tab.result("change.open", &json!({ "repo": case.repo.path(), "target": target }));
        tab.ask("review.start", &json!({ "change_id": opened["change_id"], "agents": ["cursor"] }));
        case.wait_for_agent();
        end(&mut serving, signal);
        case.check_nothing_is_left();
        assert_eq!(read_json(&case.installation.run_folder(), "run.json")["state"], "cancelled", "{signal}");
    }
}

#[test]
fn a_terminated_server_leaves_no_agent_of_a_check() {
    let case = Case::new();
    let mut serving = serve(&case.installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    tab.ask("agents.check", &json!({ "name": "cursor" }));
    case.wait_for_agent();
    end(&mut serving, Signal::SIGTERM);
    case.check_nothing_is_left();
}

/// An agent with a process that no mark identifies: it left its session, its parent ended, and it has no environment.
const LEAVES_A_DAEMON: &str =
    "(setsid env -i sh -c 'echo $$ > \"'$dir'/forked\"; exec sleep 300' &); echo $$ > \"$dir/pid\"; sleep 300";

#[test]
fn a_killed_review_leaves_no_agent() {
    let case = Case::behaving(LEAVES_A_DAEMON);
    let mut child = case.start(&["review", "--agent", "cursor"]);
    wait_until("the daemon works", || case.living().len() == 2);
    child.kill().expect("killed");
    child.wait().expect("ended");
    wait_until("no agent is left", || case.living().is_empty());
}

#[test]
fn a_terminated_review_leaves_no_daemon() {
    let case = Case::behaving(LEAVES_A_DAEMON);
    let mut child = case.start(&["review", "--agent", "cursor"]);
    wait_until("the daemon works", || case.living().len() == 2);
    tell(&child, Signal::SIGTERM);
    assert_eq!(code(&mut child), 130);
    case.check_nothing_is_left();
}

#[test]
fn a_finished_review_leaves_no_daemon() {
    let answers = "(setsid env -i sh -c 'echo $$ > \"'$dir'/forked\"; exec sleep 300' &); while ! [ -s \"$dir/forked\" ]; do :; done";
    let case = Case::behaving(answers);
    let mut child =
        case.installation.command(case.repo.path(), &["review", "--agent", "cursor"]).spawn().expect("started");
    child.wait().expect("ended");
    assert!(case.agent.folder().join("forked").exists(), "the daemon was started");
    case.check_nothing_is_left();
}

#[test]
fn a_killed_review_leaves_no_process_of_a_real_agent() {
    let case = agents::Case::new(agents::Who::Codex, vec![json!({ "hang": 120 })]);
    let mut child = case.installation.command(case.repo.path(), &["review"]).spawn().expect("started");
    wait_until("it asks the model", || !case.server.requests().is_empty());
    assert!(!case.agents().is_empty(), "an agent runs");
    child.kill().expect("killed");
    child.wait().expect("ended");
    wait_until("no agent is left", || case.agents().is_empty());
}

#[test]
fn the_next_start_ends_agents_and_removes_folders_of_a_killed_one() {
    let case = Case::new();
    let mut child = case.start(&["review", "--agent", "cursor"]);
    wait_until("the agent works", || case.living().len() == 2);
    // The launcher would end the agent.
    let launcher = std::fs::read_to_string(format!("/proc/{}/stat", case.living()[0])).expect("a process");
    let launcher = launcher.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
    kill(Pid::from_raw(launcher.expect("a parent")), Signal::SIGSTOP).expect("stopped");
    child.kill().expect("killed");
    child.wait().expect("ended");
    kill(Pid::from_raw(launcher.expect("a parent")), Signal::SIGKILL).expect("killed");
    assert_eq!((case.living().len(), case.private().len()), (2, 1), "they are left");
    let _serving = serve(&case.installation);
    wait_until("nothing is left", || case.living().is_empty() && case.private().is_empty());
}

#[test]
fn another_process_of_the_user_cannot_read_the_environment() {
    use std::os::unix::process::CommandExt;
    // The owner of the system may read everything, so the programs run as somebody else.
    let user = nix::unistd::geteuid().is_root().then_some(65534);
    let installation = Installation::new();
    let as_user = |mut command: Command| {
        user.map(|id| command.uid(id).gid(id));
        command
    };
    let reads = |id: u32| {
        let mut cat = as_user(Command::new("cat"));
        cat.arg(format!("/proc/{id}/environ")).output().expect("started").status.success()
    };
    let folder = installation.config();
    for path in [installation.home(), &folder] {
        std::os::unix::fs::chown(path, user, user).expect("given away");
    }
    let mut other = as_user(Command::new("sleep")).arg("300").spawn().expect("started");
    let mut child = as_user(installation.command(&folder, &["serve"])).spawn().expect("started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    let readable = (reads(other.id()), reads(child.id()));
    for child in [&mut other, &mut child] {
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    assert_eq!(readable, (true, false));
}

fn end(serving: &mut Serving, signal: Signal) {
    tell(&serving.child, signal);
    assert_eq!(code(&mut serving.child), 0, "{signal}");
}

#[test]
fn a_terminated_conversation_leaves_no_agent() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        let case = agents::Case::new(agents::Who::Codex, vec![json!({ "hang": 120 })]);
        // The conversation would continue with the next line of standard input.
        let mut child = case.installation.command(case.repo.path(), &["chat"]).spawn().expect("started");
        let mut said = child.stdin.take().expect("a pipe");
        said.write_all(b"What is this?\n").expect("said");
        wait_until("it asks the model", || !case.server.requests().is_empty());
        assert!(!case.agents().is_empty(), "an agent runs");
        tell(&child, signal);
        assert_eq!(code(&mut child), 130, "{signal}");
        assert_eq!(case.agents(), Vec::<i32>::new(), "{signal}");
    }
}

#[test]
fn a_server_started_with_nohup_outlives_its_terminal() {
    let case = Case::new();
    let plain = case.installation.command(&case.installation.config(), &["serve"]);
    let mut command = Command::new("nohup");
    command.arg(plain.get_program()).args(plain.get_args()).env_clear().stdout(std::process::Stdio::piped());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = command.spawn().expect("started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    tell(&child, Signal::SIGHUP);
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("a state").is_none(), "it ended with its terminal");
    tell(&child, Signal::SIGTERM);
    assert_eq!(code(&mut child), 0);
}
