//! Ending every process of a run, also those that left its group: found by session and by a variable that every
//! descendant inherits.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{Signal as UnixSignal, kill, killpg};
use nix::unistd::Pid;

use super::process::TAG;

/// How hard.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

impl Signal {
    fn unix(self) -> UnixSignal {
        match self {
            Self::Interrupt => UnixSignal::SIGINT,
            Self::Terminate => UnixSignal::SIGTERM,
            Self::Kill => UnixSignal::SIGKILL,
        }
    }
}

/// A value that no other run has.
pub(super) fn new_tag() -> String {
    let mut bytes = [0; 16];
    // Without the system's randomness the process id still keeps runs apart well enough to find survivors.
    if getrandom::fill(&mut bytes).is_err() {
        bytes[..4].copy_from_slice(&std::process::id().to_le_bytes());
    }
    hex::encode(bytes)
}

/// The processes of one run. Dropping it ends them all.
pub(super) struct Session {
    leader: Option<Pid>,
    tag: String,
    ended: AtomicBool,
}

impl Session {
    pub(super) fn new(leader: Option<u32>, tag: String) -> Self {
        let leader = leader.and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { leader, tag, ended: AtomicBool::new(false) }
    }

    /// Signals the leader's group and whatever else carries the tag.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // Gone already is what is wanted.
            let _ = killpg(leader, signal.unix());
        }
        for process in self.survivors() {
            let _ = kill(process, signal.unix());
        }
    }

    /// Kills what is left. A process may fork while it is looked for, so it is looked for until none is found; and one that becomes
    /// another program shows no variables for a moment, so it is looked for once more.
    pub(super) fn end(&self) {
        if self.ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut clear = 0;
        for _ in 0..200 {
            let survivors = self.survivors();
            clear = if survivors.is_empty() { clear + 1 } else { 0 };
            if clear == 2 {
                return;
            }
            for process in survivors {
                let _ = kill(process, UnixSignal::SIGKILL);
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    #[cfg(target_os = "linux")]
    fn survivors(&self) -> Vec<Pid> {
        let wanted = format!("{TAG}={}", self.tag);
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
            .filter(|id| {
                let tagged = std::fs::read(format!("/proc/{id}/environ"))
                    .is_ok_and(|all| all.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes()));
                (tagged || self.in_session(*id)) && !is_zombie(*id)
            })
            .map(Pid::from_raw)
            .collect()
    }

    /// Whether a process belongs to the leader's session: field 6 of its stat line.
    #[cfg(target_os = "linux")]
    fn in_session(&self, id: i32) -> bool {
        let Some(leader) = self.leader else { return false };
        stat_field(id, 3).and_then(|field| field.parse().ok()) == Some(leader.as_raw())
    }

    /// Elsewhere only the group can be ended.
    #[cfg(not(target_os = "linux"))]
    fn survivors(&self) -> Vec<Pid> {
        if !self.ended.load(Ordering::Relaxed) {
            return Vec::new();
        }
        if let Some(leader) = self.leader {
            let _ = killpg(leader, UnixSignal::SIGKILL);
        }
        Vec::new()
    }
}

/// A field of `/proc/ID/stat` behind the program's name (which may hold anything): 0 is the state.
#[cfg(target_os = "linux")]
fn stat_field(id: i32, index: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(index).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn is_zombie(id: i32) -> bool {
    stat_field(id, 0).is_none_or(|state| state == "Z" || state == "X")
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}
