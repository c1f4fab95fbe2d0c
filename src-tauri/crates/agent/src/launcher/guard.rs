//! Watches over an agent from outside, and leaves no process of it.
//!
//! Signals that ask to end (`SIGINT`, `SIGTERM`, `SIGHUP`) are for the agent, which gets them as a member of the group. [`END`] ends the
//! agent and all of its descendants at once; the kernel sends it when diffsan dies.

use std::io;
use std::process::{Command, ExitCode};
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};
use tokio::signal::unix::{SignalKind, signal};

use crate::process_tree;

/// The signal that ends the agent with all of its descendants.
pub(crate) const END: Signal = Signal::SIGUSR1;
/// The time between two listings of the descendants.
const KILL_INTERVAL: Duration = Duration::from_millis(2);

pub(super) fn run(command: Command, parent: i32, keeps_signals: bool) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(watch(command, parent, keeps_signals))
}

async fn watch(mut command: Command, parent: i32, keeps_signals: bool) -> io::Result<ExitCode> {
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
    if keeps_signals {
        // The started program inherits the mask.
        SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]).thread_block()?;
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
    let own = std::process::id().cast_signed();
    loop {
        for process in process_tree::below(own).into_iter().skip(1) {
            // The process may have ended since it was listed.
            let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
        }
        reap(None);
        if waitpid(None, Some(WaitPidFlag::WNOHANG)) == Err(nix::errno::Errno::ECHILD) {
            return;
        }
        std::thread::sleep(KILL_INTERVAL);
    }
}
