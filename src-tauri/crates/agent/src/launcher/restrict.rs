//! Confines this process, and all that it starts, without namespaces: Landlock for files, TCP and signals, seccomp for system calls.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::{Restriction, syscalls};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getppid};

/// The version of Landlock that is needed. Older ones restrict no signals to other processes.
const VERSION: ABI = ABI::V6;

impl Restriction {
    /// Restricts this process for ever. It must have one thread. Returns the file that reports each `connect`.
    pub(super) fn apply(&self) -> io::Result<OwnedFd> {
        self.restrict_files()
            .map_err(|error| io::Error::other(format!("Landlock of Linux 6.12 or newer is not available ({error})")))?;
        drop_capabilities()?;
        syscalls::restrict(self.with_unix_sockets)
            .map_err(|error| io::Error::other(format!("seccomp is not available ({error})")))
    }

    fn restrict_files(&self) -> Result<(), Box<dyn std::error::Error>> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(VERSION))?
            .handle_access(AccessNet::from_all(VERSION))?
            .scope(Scope::from_all(VERSION))?
            .create()?;
        let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
        let lists: [(&[PathBuf], BitFlags<AccessFs>); 3] = [
            (&self.readable, AccessFs::from_read(VERSION)),
            (&self.devices, AccessFs::ReadFile | AccessFs::WriteFile),
            (&self.writable, AccessFs::from_all(VERSION) & !devices),
        ];
        for (paths, access) in lists {
            for path in paths {
                // A part of the system that this one does not have.
                let Ok(file) = PathFd::new(path) else { continue };
                let access = if is_folder(path) { access } else { access & AccessFs::from_file(VERSION) };
                rules = rules.add_rule(PathBeneath::new(file, access))?;
            }
        }
        let status = rules.restrict_self()?;
        if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
            return Err("it is not fully enforced".into());
        }
        Ok(())
    }
}

fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_dir())
}

/// Gives up all capabilities. Without new privileges, no program brings them back.
#[allow(unsafe_code, reason = "there is no safe function for it")]
fn drop_capabilities() -> io::Result<()> {
    /// Version 3, which has two words for each of three sets.
    const HEADER: [u32; 2] = [0x2008_0522, 0];
    let none = [0_u32; 6];
    // SAFETY: the kernel reads 8 and 24 bytes, which live longer than the call.
    let result = unsafe { libc::syscall(libc::SYS_capset, HEADER.as_ptr(), none.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Kills all processes of a restricted agent at once, also those that change their number all the time. Their signals, and those of this
/// process, reach no process outside of the restriction.
pub(super) fn kill_others() {
    // The parent is outside. If it could be reached, so could the processes of the user.
    if kill(getppid(), None) == Err(nix::errno::Errno::EPERM) {
        // There may be none.
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
    }
}
