//! Starts an agent inside of a sandbox.
//!
//! It fills the writable folders, sets limits, opens the sockets on which diffsan answers, and waits for the agent. Where there are no
//! namespaces, it restricts itself before it starts the agent, or was confined by the program that started it. At the agent's end, it sends
//! the files that are saved. The agent cannot reach the socket to diffsan: this process does not pass it on, and its memory and files are
//! not readable for others.

use std::fs;
use std::io::{self, Read, Write};
#[cfg(target_os = "linux")]
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal, killpg};
use nix::sys::stat::{Mode, umask};
use nix::unistd::getpgrp;
use tokio::signal::unix::{SignalKind, signal};

#[cfg(target_os = "linux")]
use super::restrict;
use super::{InsideTask, Restriction, handover};

pub(super) fn run(command: Command, task: &InsideTask) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(start(command, task))
}

async fn start(mut command: Command, task: &InsideTask) -> io::Result<ExitCode> {
    let mut socket = handover::inherited(task.socket);
    // The agent must not inherit it.
    nix::fcntl::fcntl(&socket, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
    if let Some(restriction) = &task.restriction {
        restriction.create_files()?;
    }
    for (from, to) in &task.copies {
        copy(from, to)?;
    }
    #[cfg(target_os = "linux")]
    leave_keyring()?;
    set_limits(task)?;
    match &task.restriction {
        Some(restriction) if restriction.confined => {
            command.current_dir(&restriction.directory);
            socket.write_all(handover::READY)?;
            end_with(socket.try_clone()?);
        }
        #[cfg(target_os = "linux")]
        Some(restriction) => {
            command.current_dir(&restriction.directory);
            handover::send(&socket, &[restriction.apply()?])?;
        }
        #[cfg(target_os = "linux")]
        None => handover::send(&socket, &listeners(&task.ports)?)?,
        #[cfg(not(target_os = "linux"))]
        _ => return Err(io::ErrorKind::Unsupported.into()),
    }
    // Handlers and not a mask: the agent starts with the default actions.
    let _for_the_agent =
        [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?];
    SigSet::empty().thread_set_mask()?;
    let status = command.spawn()?.wait()?;
    #[cfg(target_os = "linux")]
    if task.restriction.as_ref().is_some_and(|restriction| !restriction.confined) {
        restrict::kill_others();
    }
    for (index, path) in (0..).zip(&task.saves) {
        let is_file = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
        if let Some(bytes) = is_file.then(|| diffsan_bounded::read(path, handover::MAX_SAVED_BYTES).ok()).flatten() {
            handover::send_file(&mut socket, index, &bytes)?;
        }
    }
    let signal = status.signal().and_then(|signal| u8::try_from(signal).ok());
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.or(signal.map(|signal| signal.saturating_add(128))).unwrap_or(u8::MAX)))
}

impl Restriction {
    /// Creates the folders and links of the agent.
    fn create_files(&self) -> io::Result<()> {
        umask(Mode::from_bits_truncate(0o077));
        for folder in &self.writable {
            fs::create_dir_all(folder)?;
        }
        for (link, target) in &self.links {
            if let Some(folder) = link.parent() {
                fs::create_dir_all(folder)?;
            }
            if link.is_symlink() {
                fs::remove_file(link)?;
            }
            if link.symlink_metadata().is_err() {
                std::os::unix::fs::symlink(target, link)?;
            }
        }
        Ok(())
    }
}

/// Kills this process and the agent when diffsan closes its side of the socket, which it does at the latest when it dies.
fn end_with(mut socket: UnixStream) {
    std::thread::spawn(move || {
        // diffsan sends nothing.
        let _ = socket.read(&mut [0]);
        // It cannot fail for the own group.
        let _ = killpg(getpgrp(), Signal::SIGKILL);
    });
}

/// Listens on each port of this machine, whose network has no other program.
#[cfg(target_os = "linux")]
fn listeners(ports: &[u16]) -> io::Result<Vec<OwnedFd>> {
    let mut listeners = Vec::new();
    for &port in ports {
        listeners.push(TcpListener::bind((Ipv4Addr::LOCALHOST, port))?.into());
        // Not every system has the newer protocol.
        listeners.extend(TcpListener::bind((Ipv6Addr::LOCALHOST, port)).map(OwnedFd::from));
    }
    Ok(listeners)
}

/// Leaves the keyring of the session, whose keys the agent could read.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "there is no safe function for it")]
fn leave_keyring() -> io::Result<()> {
    const JOIN_SESSION_KEYRING: nix::libc::c_long = 1;
    let unnamed: *const nix::libc::c_char = std::ptr::null();
    // SAFETY: without a name, the call reads no memory.
    let joined = unsafe { nix::libc::syscall(nix::libc::SYS_keyctl, JOIN_SESSION_KEYRING, unnamed) };
    let error = io::Error::last_os_error();
    // A kernel without keyrings, and containers that forbid them, have nothing to leave.
    let without = [nix::libc::ENOSYS, nix::libc::EPERM];
    if joined >= 0 || error.raw_os_error().is_some_and(|code| without.contains(&code)) { Ok(()) } else { Err(error) }
}

fn set_limits(task: &InsideTask) -> io::Result<()> {
    for (resource, limit) in [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, task.written),
        #[cfg(target_os = "linux")]
        (Resource::RLIMIT_NPROC, task.processes),
    ] {
        let (_, most) = nix::sys::resource::getrlimit(resource)?;
        setrlimit(resource, limit.min(most), limit.min(most))?;
    }
    Ok(())
}

/// Copies a file, a link or the content of a folder.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(from)?;
    if about.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if about.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop)
}
