//! The launcher: a process of diffsan's own program between diffsan and an agent, on Linux.
//!
//! It ends every descendant of the agent when the agent ends, when diffsan asks for it, and when diffsan dies. As a subreaper it is the
//! parent of descendants that detached themselves, so no environment variable or session has to identify them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
mod guard;

#[cfg(target_os = "linux")]
pub(crate) use guard::END;

/// The first argument of a launcher, before its task and the agent's command line.
const SUBCOMMAND: &str = "run-agent";
/// The exit code of a launcher that cannot start the agent.
const CANNOT_START: u8 = 127;

/// The path of this program, if it called [`begin_program`].
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The work of a launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Watch over an agent.
    Guard {
        /// The process whose end ends the agent.
        parent: i32,
    },
}

/// The first call of a program that uses this crate. If this process is a launcher, the call does its work and returns its exit code.
/// Otherwise it makes this process unreadable for other processes of the same user: `/proc` shows them neither its memory nor its
/// environment, which contains tokens.
pub fn begin_program() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    {
        // It can only fail for an invalid value.
        let _ = nix::sys::prctl::set_dumpable(false);
        let mut words = std::env::args_os().skip(1);
        if words.next().is_some_and(|word| word == SUBCOMMAND) {
            return Some(run(words));
        }
        if let Ok(program) = std::env::current_exe() {
            // A second call changes nothing.
            let _ = PROGRAM.set(program);
        }
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
    PROGRAM.get()?;
    let task = serde_json::to_string(task).ok()?;
    let words = [SUBCOMMAND.into(), task.into(), program.as_os_str().to_owned()];
    // This name works also where the program's file was replaced by an update.
    Some(("/proc/self/exe".into(), words.into_iter().chain(args.iter().cloned()).collect()))
}

#[cfg(target_os = "linux")]
fn run(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let task = words.next().and_then(|text| serde_json::from_str(text.to_str()?).ok());
    let (Some(task), Some(program)) = (task, words.next()) else { return ExitCode::from(CANNOT_START) };
    let mut command = std::process::Command::new(&program);
    command.args(words);
    let ended = match task {
        Task::Guard { parent } => guard::run(command, parent),
    };
    ended.unwrap_or_else(|error| {
        use std::io::Write;
        // Without standard error there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "diffsan: {} could not be started: {error}", program.display());
        ExitCode::from(CANNOT_START)
    })
}
