//! The launcher: a process of diffsan's own program between diffsan and an agent.
//!
//! On Linux, it ends every descendant of the agent when the agent ends, when diffsan asks for it, and when diffsan dies. As a subreaper it is the
//! parent of descendants that detached themselves, so no environment variable or session has to identify them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
mod guard;
pub(crate) mod handover;
mod inside;
#[cfg(target_os = "linux")]
mod restrict;
#[cfg(target_os = "linux")]
mod syscalls;

#[cfg(target_os = "linux")]
pub(crate) use guard::END;

/// The first argument of a launcher, before its task and the agent's command line.
const SUBCOMMAND: &str = "run-agent";
/// The exit code of a launcher that cannot start the agent.
const CANNOT_START: u8 = 127;

/// The part of a launcher's message before the reason of its failure.
pub(crate) const FAILED: &str = " could not be started: ";

/// The path of this program, if it called [`begin_program`].
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The work of a launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Watch over an agent, or over the program that creates its sandbox.
    Guard {
        /// The process whose end ends the agent.
        parent: i32,
        /// Whether the program must not get signals that ask to end. The launcher inside of a sandbox passes them on to the agent.
        keeps_signals: bool,
    },
    /// Start an agent inside of a sandbox.
    Inside(InsideTask),
}

/// The work of a launcher inside of a sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InsideTask {
    /// The number of the socket to diffsan.
    pub(crate) socket: i32,
    /// The ports of this machine on which diffsan answers. The first one is the proxy's.
    pub(crate) ports: Vec<u16>,
    /// Files and folders that are copied, and their new places.
    pub(crate) copies: Vec<(PathBuf, PathBuf)>,
    /// Files that diffsan takes back after the run.
    pub(crate) saves: Vec<PathBuf>,
    /// The maximum number of processes and threads.
    pub(crate) processes: u64,
    /// The maximum size of a file, in bytes.
    pub(crate) written: u64,
    /// The restriction that this process puts on itself where there are no namespaces.
    pub(crate) restriction: Option<Box<Restriction>>,
}

/// The files, devices and sockets of an agent that is confined without namespaces.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Restriction {
    /// The folder in which the agent starts.
    pub(crate) directory: PathBuf,
    /// Files and folders that it can read and start.
    pub(crate) readable: Vec<PathBuf>,
    /// Devices that it can read and write.
    pub(crate) devices: Vec<PathBuf>,
    /// Folders that it can write to. They are created.
    pub(crate) writable: Vec<PathBuf>,
    /// Symbolic links that are created, and their targets.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Whether it may have sockets of this machine.
    pub(crate) with_unix_sockets: bool,
    /// Whether the program that started the launcher has confined it already. The agent ends when diffsan closes the socket.
    pub(crate) confined: bool,
}

/// The file of this program, if it can be a launcher.
pub(crate) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// The arguments of a launcher.
pub(crate) fn arguments(task: &Task, program: &Path, args: &[OsString]) -> Option<Vec<OsString>> {
    let task = serde_json::to_string(task).ok()?;
    let words = [SUBCOMMAND.into(), task.into(), program.as_os_str().to_owned()];
    Some(words.into_iter().chain(args.iter().cloned()).collect())
}

/// The first call of a program that uses this crate. If this process is a launcher, the call does its work and returns its exit code.
/// Otherwise it makes this process, on Linux, unreadable for other processes of the same user: `/proc` shows them neither its memory nor its
/// environment, which contains tokens.
pub fn begin_program() -> Option<ExitCode> {
    // It can only fail for an invalid value.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == SUBCOMMAND) {
        return Some(run(words));
    }
    if let Ok(program) = std::env::current_exe() {
        // A second call changes nothing.
        let _ = PROGRAM.set(program);
    }
    None
}

/// The command line that starts a program through a launcher. `None` if this program is no launcher, such as a test, and on systems other
/// than Linux.
pub(crate) fn command_line(
    task: &Task,
    program: &std::path::Path,
    args: &[OsString],
) -> Option<(PathBuf, Vec<OsString>)> {
    PROGRAM.get().filter(|_| cfg!(target_os = "linux"))?;
    let task = serde_json::to_string(task).ok()?;
    let words = [SUBCOMMAND.into(), task.into(), program.as_os_str().to_owned()];
    // This name works also where the program's file was replaced by an update.
    Some(("/proc/self/exe".into(), words.into_iter().chain(args.iter().cloned()).collect()))
}

fn run(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let task = words.next().and_then(|text| serde_json::from_str(text.to_str()?).ok());
    let (Some(task), Some(program)) = (task, words.next()) else { return ExitCode::from(CANNOT_START) };
    let mut command = std::process::Command::new(&program);
    command.args(words);
    let ended = match task {
        #[cfg(target_os = "linux")]
        Task::Guard { parent, keeps_signals } => guard::run(command, parent, keeps_signals),
        #[cfg(not(target_os = "linux"))]
        Task::Guard { .. } => Err(std::io::ErrorKind::Unsupported.into()),
        Task::Inside(task) => inside::run(command, &task),
    };
    ended.unwrap_or_else(|error| {
        use std::io::Write;
        // Without standard error there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "diffsan: {}{FAILED}{error}", program.display());
        ExitCode::from(CANNOT_START)
    })
}
