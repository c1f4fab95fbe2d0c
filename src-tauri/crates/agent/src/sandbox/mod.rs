//! The sandbox of agents: the files, hosts and resources that an agent has, and the receipt about them.
//!
//! In: a request and its command. Out: a plan for a mechanism of the operating system, or the reason why there is none. The only mechanism is
//! bubblewrap, on Linux.

mod bubblewrap;
mod hosts;
#[cfg(target_os = "linux")]
mod network;
mod paths;
mod plan;
mod receipt;
#[cfg(target_os = "linux")]
mod running;
#[cfg(target_os = "linux")]
mod upstream;
#[cfg(not(target_os = "linux"))]
mod without;

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::command::Names;
use super::launcher::{self, InsideTask, Task};
use super::process::Command;
use super::request::AgentRequest;
use diffsan_config::Sandbox;
use diffsan_review::sandbox::{SandboxMechanism, SandboxReceipt};
use plan::Mount;

pub(crate) use plan::{Limits, SandboxPlan};
pub(crate) use receipt::Recorder;
#[cfg(target_os = "linux")]
pub(crate) use running::RunningSandbox;
#[cfg(not(target_os = "linux"))]
pub(crate) use without::RunningSandbox;

/// Where the launcher is inside.
const LAUNCHER_PATH: &str = "/run/diffsan/launcher";
/// Where the sources of copies are inside.
const INPUT_FOLDER: &str = "/run/diffsan/input";

/// How an agent is confined.
#[derive(Debug)]
pub(crate) struct Confinement {
    /// The sandbox, or the reason why there is none.
    pub(crate) plan: Result<SandboxPlan, String>,
    /// Whether the agent must not run without a sandbox.
    pub(crate) required: bool,
    pub(crate) limits: Limits,
    pub(crate) recorder: Recorder,
}

impl Confinement {
    /// Decides how a command is confined. Blocks.
    pub(crate) fn new(request: &AgentRequest, names: &Names, run_dir: &Path, command: &Command) -> Self {
        let mechanism = || -> Result<PathBuf, String> {
            if request.config.sandbox == Sandbox::Off {
                return Err("agent.sandbox is \"off\"".to_owned());
            }
            if cfg!(not(target_os = "linux")) {
                return Err("diffsan has no sandbox on this system".to_owned());
            }
            if launcher::program().is_none() {
                return Err("this program cannot start sandboxes".to_owned());
            }
            request.search.find("bwrap").ok_or_else(|| "bubblewrap is not installed".to_owned())
        };
        Self {
            plan: mechanism().map(|mechanism| SandboxPlan::new(mechanism, request, names, run_dir, command)),
            required: request.config.sandbox == Sandbox::Required,
            limits: Limits::of(&request.config),
            recorder: Recorder::default(),
        }
    }
}

impl SandboxPlan {
    /// The agent's whole environment.
    pub(crate) fn environment(&self) -> &[(String, OsString)] {
        &self.environment
    }

    /// The command line that creates the sandbox and starts a command in it: a launcher, the program of the mechanism, and a launcher inside.
    /// `None` if this program is no launcher.
    pub(crate) fn command_line(&self, command: &Command, socket: &UnixStream) -> Option<(PathBuf, Vec<OsString>)> {
        let mut args = bubblewrap::arguments(self, launcher::program()?);
        args.extend(["--chdir".into(), command.directory.clone().into(), LAUNCHER_PATH.into()]);
        let input = |(index, (_, to)): (usize, &(PathBuf, PathBuf))| {
            (Path::new(INPUT_FOLDER).join(index.to_string()), to.clone())
        };
        let task = Task::Inside(InsideTask {
            socket: socket.as_raw_fd(),
            ports: std::iter::once(self.proxy_port).chain(self.local_ports.iter().copied()).collect(),
            copies: self.copies.iter().enumerate().map(input).collect(),
            saves: self.saves.clone(),
            processes: self.limits.processes,
            written: self.limits.written,
        });
        args.extend(launcher::arguments(&task, &command.program, &command.args)?);
        let guard = Task::Guard { parent: std::process::id().cast_signed(), keeps_signals: true };
        launcher::command_line(&guard, &self.mechanism, &args)
    }

    fn describe(&self, receipt: &mut SandboxReceipt) {
        let shown = |path: &Path| path.display().to_string();
        receipt.mechanism = SandboxMechanism::Bubblewrap;
        receipt.readable = self
            .mounts
            .iter()
            .filter(|(path, mount)| **mount == Mount::Readable && !plan::is_of_system(path))
            .map(|(path, _)| shown(path))
            .chain(self.copies.iter().filter(|(from, to)| from == to && from.is_file()).map(|(path, _)| shown(path)))
            .collect();
        receipt.writable = self.writable_folders().map(shown).collect();
        receipt.hosts = self.hosts.iter().map(ToString::to_string).collect();
    }
}
