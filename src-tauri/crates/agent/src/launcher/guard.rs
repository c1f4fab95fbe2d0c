//! Watches over an agent from outside, and leaves no process of it.
//!
//! Signals that ask to end (`SIGINT`, `SIGTERM`, `SIGHUP`) are for the agent, which gets them as a member of the group. [`END`] ends the
//! agent and all of its descendants at once; the kernel sends it when diffsan dies.

use std::io;
use std::process::{Command, ExitCode};
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};
use tokio::signal::unix::{SignalKind, signal};

/// The signal that ends the agent with all of its descendants.
pub(crate) const END: Signal = Signal::SIGUSR1;
/// The time between two listings of the descendants.
const KILL_INTERVAL: Duration = Duration::from_millis(2);

pub(super) fn run(command: Command, parent: i32) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(watch(command, parent))
}

async fn watch(mut command: Command, parent: i32) -> io::Result<ExitCode> {
    // Handlers and not a mask: the agent starts with the default actions.
    let (mut ended, mut end) = (signal(SignalKind::child())?, signal(SignalKind::user_defined1())?);
    let _for_the_agent =
        [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?];
    prctl::set_child_subreaper(true)?;
    prctl::set_pdeathsig(END)?;
    if getppid().as_raw() != parent {
        // It died before the kernel knew of the signal.
        return Ok(ExitCode::FAILURE);
    }
    let agent = Pid::from_raw(i32::try_from(command.spawn()?.id()).map_err(io::Error::other)?);
    drop(command);
    let status = loop {
        if let Some(status) = reap(Some(agent)) {
            break status;
        }
        tokio::select! {
            _ = ended.recv() => {}
            _ = end.recv() => break 128 + END as u8,
        }
    };
    kill_descendants();
    Ok(ExitCode::from(status))
}

/// Collects ended children. Returns the exit code of the agent if it is among them.
fn reap(agent: Option<Pid>) -> Option<u8> {
    let mut status = None;
    loop {
        let (id, code) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(id, code)) => (id, u8::try_from(code).unwrap_or(u8::MAX)),
            Ok(WaitStatus::Signaled(id, signal, _)) => (id, 128_u8.saturating_add(signal as u8)),
            _ => return status,
        };
        if agent == Some(id) {
            status = Some(code);
        }
    }
}

/// Kills until there is no child. Descendants whose parent was killed become children.
fn kill_descendants() {
    loop {
        for process in descendants() {
            // The process may have ended since it was listed.
            let _ = kill(process, Signal::SIGKILL);
        }
        reap(None);
        if waitpid(None, Some(WaitPidFlag::WNOHANG)) == Err(nix::errno::Errno::ECHILD) {
            return;
        }
        std::thread::sleep(KILL_INTERVAL);
    }
}

/// The processes below this one.
fn descendants() -> Vec<Pid> {
    let own = std::process::id().cast_signed();
    let parents: Vec<(i32, i32)> = crate::process_tree::processes()
        .filter_map(|id| Some((id, crate::process_tree::stat_field(id, 1)?.parse().ok()?)))
        .collect();
    let mut found = vec![own];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, above)| *above == parent).map(|(id, _)| *id));
        next += 1;
    }
    found.into_iter().skip(1).map(Pid::from_raw).collect()
}
