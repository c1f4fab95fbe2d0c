//! The restart with a new version. This process becomes its supervisor when its window and its core have ended: it has no open files,
//! connections or locks of the window any more.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use diffsan_updater::{Restarted, supervise};

use crate::fail;

/// The first argument of a supervisor. The arguments of the window follow.
const SUPERVISE: &str = "--supervise-update";

/// Does the work of a supervisor, if this process is one. Returns `None` otherwise.
pub fn begin() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != SUPERVISE {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    match supervise(&words) {
        Restarted::New => Some(ExitCode::SUCCESS),
        Restarted::Old(program) => Some(run(Command::new(program).args(words))),
        // The request is gone: the window opens again as it was.
        Restarted::Nothing => match std::env::current_exe() {
            Ok(program) => Some(run(Command::new(program).args(words))),
            Err(error) => Some(fail(&format!("The window cannot be opened: {error}."))),
        },
    }
}

/// Turns this process into the supervisor. Returns only if that is not possible; the next start then undoes the request.
pub fn become_supervisor() {
    if let Ok(program) = std::env::current_exe() {
        let mut command = Command::new(program);
        run(command.arg(SUPERVISE).args(std::env::args_os().skip(1)));
    }
}

/// Runs a program in place of this process.
fn run(command: &mut Command) -> ExitCode {
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(command);
    #[cfg(not(unix))]
    let error = match command.spawn() {
        Ok(_) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    fail(&format!("The window cannot be opened: {error}."))
}
