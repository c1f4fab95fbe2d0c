//! Starts the new version and waits until it has started. Blocks.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The variable with the path of the file that the new version creates when it has started.
pub const STARTED_VARIABLE: &str = "DIFFSAN_UPDATE_STARTED";

/// The interval at which the file is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The reason why a new version did not start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum StartError {
    #[error("it could not be started: {0}")]
    Spawn(io::Error),
    #[error("it ended at once ({0})")]
    Ended(ExitStatus),
    #[error("it did not show its page within {} seconds", .0.as_secs())]
    Hangs(Duration),
}

/// Starts a program, and waits until it has created the file `started`. A program that does not is ended, with all its processes.
pub fn start_and_wait(command: &mut Command, started: &Path, limit: Duration) -> Result<(), StartError> {
    // A file of an earlier attempt must not count.
    match fs::remove_file(started) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(StartError::Spawn(error)),
        _ => {}
    }
    command.env(STARTED_VARIABLE, started);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn().map_err(StartError::Spawn)?;
    let began = Instant::now();
    loop {
        if started.exists() {
            return Ok(());
        }
        let error = match child.try_wait() {
            // It may have ended right after it had started.
            Ok(Some(_)) if started.exists() => return Ok(()),
            Ok(Some(status)) => StartError::Ended(status),
            Ok(None) if began.elapsed() < limit => {
                std::thread::sleep(POLL_INTERVAL);
                continue;
            }
            Ok(None) => StartError::Hangs(limit),
            Err(error) => StartError::Spawn(error),
        };
        end(&mut child);
        return Err(error);
    }
}

/// Ends a program with all processes of its group.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        // The group may have ended by itself.
        let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
