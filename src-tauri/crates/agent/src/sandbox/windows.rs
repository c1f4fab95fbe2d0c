//! From the limits of an agent to a job object and a restricted token of Windows.
//!
//! In: the limits of a plan. Out: the settings of the job and of the token, as data that is tested on every system, and on Windows the
//! objects. Nothing starts agents with them: this crate starts processes only on Unix. Nobody has run them on Windows.

use super::plan::Limits;

#[cfg(windows)]
mod objects;
#[cfg(windows)]
pub(super) use objects::{Job, restricted_token};

/// Limits of a job: `JOB_OBJECT_LIMIT_…` and `JOB_OBJECT_UILIMIT_…` of `winnt.h`.
const ACTIVE_PROCESS: u32 = 0x8;
const DIE_ON_UNHANDLED_EXCEPTION: u32 = 0x400;
const JOB_MEMORY: u32 = 0x200;
const KILL_ON_JOB_CLOSE: u32 = 0x2000;
/// Foreign windows, the clipboard both ways, system parameters, display settings, atoms, desktops, and the end of the session.
const ALL_OF_THE_INTERFACE: u32 = 0xff;

/// The settings of a job. All processes of an agent are in it, because none may leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobSettings {
    /// The limits that are set. Those that let a process leave the job are not among them.
    flags: u32,
    /// The maximum number of processes at a time.
    processes: u32,
    /// The maximum memory of all processes together, in bytes.
    memory: usize,
    /// The restrictions of the processes on the user's desktop.
    interface: u32,
}

impl JobSettings {
    pub(super) fn of(limits: Limits) -> Self {
        Self {
            flags: ACTIVE_PROCESS | DIE_ON_UNHANDLED_EXCEPTION | JOB_MEMORY | KILL_ON_JOB_CLOSE,
            // A job without a process cannot start one.
            processes: u32::try_from(limits.processes).unwrap_or(u32::MAX).max(1),
            memory: usize::try_from(limits.memory).unwrap_or(usize::MAX),
            interface: ALL_OF_THE_INTERFACE,
        }
    }
}

/// The rights that a restricted token lacks, compared with the user's: `CreateRestrictedToken`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenSettings {
    /// `DISABLE_MAX_PRIVILEGE`: no privilege but the one to pass folders.
    flags: u32,
    /// The label of integrity. With the low one, a process writes to no object of the user that is not labelled low, too.
    integrity: &'static str,
}

/// The token of every agent. It keeps the user's groups: without them, programs cannot read their own files. So reading is not restricted.
pub(super) const TOKEN: TokenSettings = TokenSettings { flags: 0x1, integrity: "S-1-16-4096" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_ends_with_diffsan_and_has_the_limits_of_the_settings() {
        let job = JobSettings::of(Limits { memory: 4 << 30, processes: 256, written: 1 });
        assert_eq!((job.processes, job.memory), (256, 4 << 30));
        assert_ne!(job.flags & KILL_ON_JOB_CLOSE, 0);
        // JOB_OBJECT_LIMIT_BREAKAWAY_OK and JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK.
        assert_eq!(job.flags & 0x1800, 0, "a process could leave the job");
        let most = JobSettings::of(Limits { memory: u64::MAX, processes: u64::MAX, written: 1 });
        assert_eq!((most.processes, most.memory), (u32::MAX, usize::MAX));
        assert_eq!(JobSettings::of(Limits { memory: 1, processes: 0, written: 1 }).processes, 1);
    }

    #[test]
    fn a_token_has_no_privileges_and_low_integrity() {
        assert_eq!(TOKEN, TokenSettings { flags: 1, integrity: "S-1-16-4096" });
    }
}
