//! The sandbox of agents: the files, hosts and resources that an agent has, and the receipt about them.
//!
//! In: a request and its command. Out: a plan for a mechanism of the operating system, or the reason why there is none. Linux has two
//! mechanisms: bubblewrap, and Landlock with seccomp where bubblewrap is missing or does not work. macOS has `sandbox-exec`.

mod bubblewrap;
#[cfg(target_os = "linux")]
mod connections;
mod hosts;
mod landlock;
mod network;
mod paths;
mod plan;
mod receipt;
mod running;
mod seatbelt;
mod upstream;
#[cfg(any(windows, test))]
mod windows;

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
pub(crate) use running::{RunningSandbox, prepare};

/// The path of the launcher in the sandbox.
const LAUNCHER_PATH: &str = "/run/diffsan/launcher";
/// The folder in the sandbox with the sources of copies.
const INPUT_FOLDER: &str = "/run/diffsan/input";

/// A mechanism of the operating system that confines an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// Namespaces, created by this program.
    Bubblewrap(PathBuf),
    /// Restrictions of the launcher by itself, without namespaces.
    Landlock,
    /// The sandbox of macOS, created by this program.
    Seatbelt(PathBuf),
}

/// The confinement of an agent.
#[derive(Debug)]
pub(crate) struct Confinement {
    /// The mechanisms in order of preference, each with the reason if it is not there.
    pub(crate) mechanisms: Vec<Result<Mechanism, String>>,
    pub(crate) plan: SandboxPlan,
    /// Whether the agent must not run without a sandbox.
    pub(crate) required: bool,
    pub(crate) limits: Limits,
    pub(crate) recorder: Recorder,
}

impl Confinement {
    /// Decides how a command is confined. Blocks.
    pub(crate) fn new(request: &AgentRequest, names: &Names, run_dir: &Path, command: &Command) -> Self {
        let sandbox = request.config.sandbox;
        let mechanisms = if sandbox != Sandbox::Off && launcher::program().is_none() {
            vec![Err("this program cannot start sandboxes".to_owned())]
        } else {
            mechanisms(std::env::consts::OS, sandbox, |name| match Path::new(name) {
                path if path.is_absolute() => path.is_file().then(|| path.to_owned()),
                _ => request.search.find(name),
            })
        };
        Self {
            mechanisms,
            plan: SandboxPlan::new(request, names, run_dir, command),
            required: matches!(sandbox, Sandbox::Required | Sandbox::Bubblewrap),
            limits: Limits::of(&request.config),
            recorder: Recorder::default(),
        }
    }
}

/// The mechanisms of a system. `find` finds the program of a mechanism.
fn mechanisms(
    system: &str,
    sandbox: Sandbox,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<Result<Mechanism, String>> {
    match (system, sandbox) {
        (_, Sandbox::Off) => vec![Err("agent.sandbox is \"off\"".to_owned())],
        ("linux", _) => {
            let bubblewrap = find("bwrap").map(Mechanism::Bubblewrap);
            let mut mechanisms = vec![bubblewrap.ok_or_else(|| "bubblewrap is not installed".to_owned())];
            if sandbox != Sandbox::Bubblewrap {
                mechanisms.push(Ok(Mechanism::Landlock));
            }
            mechanisms
        }
        (_, Sandbox::Bubblewrap) => vec![Err("bubblewrap is only for Linux".to_owned())],
        ("macos", _) => {
            let program = find(seatbelt::PROGRAM).map(Mechanism::Seatbelt);
            vec![program.ok_or_else(|| format!("this system has no {}", seatbelt::PROGRAM))]
        }
        _ => vec![Err("diffsan has no sandbox on this system".to_owned())],
    }
}

impl SandboxPlan {
    /// The environment of the process that creates the sandbox, and of the agent.
    pub(crate) fn environment(&self, mechanism: &Mechanism) -> Vec<(String, OsString)> {
        match mechanism {
            Mechanism::Bubblewrap(_) => self.environment.clone(),
            Mechanism::Landlock | Mechanism::Seatbelt(_) => self.moved_environment(),
        }
    }

    /// The folders on the disk that are the agent's own, whose size has to be measured.
    pub(crate) fn measured(&self, mechanism: &Mechanism) -> Vec<PathBuf> {
        match mechanism {
            Mechanism::Bubblewrap(_) => Vec::new(),
            Mechanism::Landlock | Mechanism::Seatbelt(_) => self.private.to_vec(),
        }
    }

    /// The command line that creates the sandbox and starts a command in it. `None` if this program is no launcher.
    pub(crate) fn command_line(
        &self,
        mechanism: &Mechanism,
        command: &Command,
        socket: &UnixStream,
    ) -> Option<(PathBuf, Vec<OsString>)> {
        match mechanism {
            Mechanism::Bubblewrap(program) => self.bubblewrap_command_line(program, command, socket),
            Mechanism::Landlock => {
                let args = self.launcher_arguments(command, socket, false)?;
                launcher::command_line(&guard(), launcher::program()?, &args)
            }
            Mechanism::Seatbelt(program) => {
                let mut args = self.seatbelt_arguments(launcher::program()?);
                args.extend(self.launcher_arguments(command, socket, true)?);
                Some((program.clone(), args))
            }
        }
    }

    /// A launcher, the program of the mechanism, and a launcher inside.
    fn bubblewrap_command_line(
        &self,
        program: &Path,
        command: &Command,
        socket: &UnixStream,
    ) -> Option<(PathBuf, Vec<OsString>)> {
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
            restriction: None,
        });
        args.extend(launcher::arguments(&task, &command.program, &command.args)?);
        launcher::command_line(&guard(), program, &args)
    }

    /// The arguments of a launcher without namespaces: one that is confined already, or restricts itself.
    fn launcher_arguments(&self, command: &Command, socket: &UnixStream, confined: bool) -> Option<Vec<OsString>> {
        let task = Task::Inside(InsideTask {
            socket: socket.as_raw_fd(),
            ports: Vec::new(),
            copies: self.moved_copies(),
            saves: self.saves.iter().map(|path| self.moved(path)).collect(),
            // The kernel would count all processes of the user.
            processes: u64::MAX,
            written: self.limits.written,
            restriction: Some(Box::new(self.restriction(&command.directory, confined))),
        });
        let args: Vec<OsString> = command.args.iter().map(|arg| self.moved_argument(arg)).collect();
        launcher::arguments(&task, &command.program, &args)
    }

    /// The sockets that the agent's entry names.
    pub(super) fn sockets(&self) -> impl Iterator<Item = &Path> {
        self.mounts.iter().filter(|(_, mount)| **mount == Mount::Socket).map(|(path, _)| path.as_path())
    }

    fn describe(&self, mechanism: &Mechanism, receipt: &mut SandboxReceipt) {
        let shown = |path: &Path| path.display().to_string();
        match mechanism {
            Mechanism::Bubblewrap(_) => {
                receipt.mechanism = SandboxMechanism::Bubblewrap;
                receipt.writable = self.writable_folders().map(shown).collect();
            }
            Mechanism::Landlock => {
                receipt.mechanism = SandboxMechanism::Landlock;
                receipt.writable = self.private.iter().map(|path| shown(path)).collect();
                receipt.not_covered = landlock::NOT_COVERED.map(str::to_owned).to_vec();
                receipt.not_covered.extend(self.needs_proc.then(|| landlock::NOT_COVERED_WITH_PROC.to_owned()));
            }
            Mechanism::Seatbelt(_) => {
                receipt.mechanism = SandboxMechanism::Seatbelt;
                receipt.writable = self.private.iter().map(|path| shown(path)).collect();
                receipt.not_covered = seatbelt::NOT_COVERED.map(str::to_owned).to_vec();
            }
        }
        receipt.readable = self
            .mounts
            .iter()
            .filter(|(path, mount)| **mount == Mount::Readable && !plan::is_of_system(path))
            .map(|(path, _)| shown(path))
            .chain(self.copies.iter().filter(|(from, to)| from == to && from.is_file()).map(|(path, _)| shown(path)))
            .collect();
        receipt.hosts = self.hosts.iter().map(ToString::to_string).collect();
    }
}

/// The launcher outside of the sandbox.
fn guard() -> Task {
    Task::Guard { parent: std::process::id().cast_signed(), keeps_signals: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_mechanisms_or_a_reason() {
        let found = |name: &str| Some(Path::new("/x").join(name));
        let bubblewrap = || Ok(Mechanism::Bubblewrap("/x/bwrap".into()));
        let seatbelt = || Ok(Mechanism::Seatbelt(seatbelt::PROGRAM.into()));
        let reason = |text: &str| Err(text.to_owned());
        for (system, sandbox, expected) in [
            ("linux", Sandbox::Preferred, vec![bubblewrap(), Ok(Mechanism::Landlock)]),
            ("linux", Sandbox::Bubblewrap, vec![bubblewrap()]),
            ("macos", Sandbox::Preferred, vec![seatbelt()]),
            ("macos", Sandbox::Required, vec![seatbelt()]),
            ("macos", Sandbox::Bubblewrap, vec![reason("bubblewrap is only for Linux")]),
            ("macos", Sandbox::Off, vec![reason("agent.sandbox is \"off\"")]),
            ("windows", Sandbox::Preferred, vec![reason("diffsan has no sandbox on this system")]),
        ] {
            assert_eq!(mechanisms(system, sandbox, found), expected, "{system} {sandbox:?}");
        }
        let missing = mechanisms("macos", Sandbox::Preferred, |_| None);
        assert_eq!(missing, [reason("this system has no /usr/bin/sandbox-exec")]);
    }
}
