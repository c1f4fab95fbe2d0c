//! Ends every process of a run, also those that left its group: found by session and by a variable that every descendant
//! inherits. A launcher, where there is one, finds the others.

use std::time::Duration;

use nix::sys::signal::{Signal as UnixSignal, kill, killpg};
use nix::unistd::Pid;
use tokio_util::task::TaskTracker;

/// Every process of a run has this variable, so that one that left its session is still found. Its value names the process that started
/// the run; see [`new_tag`].
pub(crate) const TAG: &str = "DIFFSAN_RUN_TAG";

/// The pause before the processes are listed again after a kill.
const KILL_INTERVAL: Duration = Duration::from_millis(5);
/// The time for a launcher to end all processes of its agent.
#[cfg(target_os = "linux")]
const LAUNCHER_TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum number of times that the processes are listed.
const MAX_KILL_ROUNDS: usize = 200;

/// A signal to a process tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
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

/// A value that no other run has: id and start time of this process, and a random word.
pub(crate) fn new_tag() -> String {
    let mut bytes = [0; 16];
    // Without the system's randomness the process id still distinguishes runs well enough to find survivors.
    if getrandom::fill(&mut bytes).is_err() {
        bytes[..4].copy_from_slice(&std::process::id().to_le_bytes());
    }
    let own = std::process::id().cast_signed();
    format!("{own}-{}-{}", start_time(own).unwrap_or_default(), hex::encode(bytes))
}

/// Kills the agents of diffsan processes that have died. Blocks.
#[cfg(target_os = "linux")]
pub fn end_abandoned_agents() {
    let owner_lives = |tag: &str| {
        let mut parts = tag.split('-');
        let owner = parts.next().and_then(|id| id.parse().ok());
        // A tag of another form is not ours.
        owner.zip(parts.next()).is_none_or(|(id, started)| start_time(id).as_deref() == Some(started))
    };
    let mut tags: Vec<String> = processes().filter_map(tag_of).filter(|tag| !owner_lives(tag)).collect();
    tags.sort();
    tags.dedup();
    for tag in tags {
        Members { leader: None, tag, launched: false }.kill();
    }
}

/// Kills the agents of diffsan processes that have died. Only Linux shows the variables of processes.
#[cfg(not(target_os = "linux"))]
pub fn end_abandoned_agents() {}

/// The processes of one run. Dropping it kills them all; the tracker waits until that is done.
pub(crate) struct ProcessTree {
    members: Members,
    tracker: TaskTracker,
    killed: bool,
}

impl ProcessTree {
    /// The processes below the leader. `launched` tells whether the leader is a launcher.
    pub(crate) fn new(leader: Option<u32>, launched: bool, tag: String, tracker: TaskTracker) -> Self {
        let leader = leader.and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { members: Members { leader, tag, launched }, tracker, killed: false }
    }

    /// The id of the first process.
    pub(crate) fn leader(&self) -> Option<i32> {
        self.members.leader.map(Pid::as_raw)
    }

    /// Signals the leader's group and every other process that has the tag.
    pub(crate) async fn signal(&self, signal: Signal) {
        let members = self.members.clone();
        // A panic there leaves the processes to the next signal.
        let _ = self.tracker.spawn_blocking(move || members.signal(signal)).await;
    }

    /// Kills the remaining processes.
    pub(crate) async fn kill(mut self) {
        self.killed = true;
        let members = self.members.clone();
        // A panic there is a bug; nothing else can be done about the processes.
        let _ = self.tracker.spawn_blocking(move || members.kill()).await;
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.killed {
            return;
        }
        if !self.members.launched {
            self.members.signal_group(Signal::Kill);
        }
        let (members, token) = (self.members.clone(), self.tracker.token());
        let work = move || {
            members.kill();
            drop(token);
        };
        // A thread and no task: a runtime that is shutting down starts none. Without a thread the group is killed at least.
        let _ = std::thread::Builder::new().name("kill-process-tree".to_owned()).spawn(work);
    }
}

/// Finds the processes of a run. Its methods list all processes of the machine: they block.
#[derive(Clone)]
struct Members {
    leader: Option<Pid>,
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux shows the variables of processes"))]
    tag: String,
    launched: bool,
}

impl Members {
    /// Asks the launcher to end everything, and waits for it. It knows also the processes that cannot be found otherwise.
    #[cfg(target_os = "linux")]
    fn end_launched(&self) {
        let Some(leader) = self.leader.filter(|_| self.launched) else { return };
        let asked = std::time::Instant::now();
        // It may have ended.
        let _ = kill(leader, crate::launcher::END);
        while !is_zombie(leader.as_raw()) && asked.elapsed() < LAUNCHER_TIMEOUT {
            std::thread::sleep(KILL_INTERVAL);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn end_launched(&self) {}

    fn signal_group(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // The group may be gone already.
            let _ = killpg(leader, signal.unix());
        }
    }

    fn signal(&self, signal: Signal) {
        if matches!(signal, Signal::Kill) {
            self.end_launched();
        }
        self.signal_group(signal);
        for process in self.survivors() {
            // The process may have ended since it was listed.
            let _ = kill(process, signal.unix());
        }
    }

    /// Kills until two listings in a row show no survivor: a process may fork while processes are listed, and one that is replacing
    /// its program has no visible variables for a moment.
    fn kill(&self) {
        if cfg!(not(target_os = "linux")) {
            return self.signal_group(Signal::Kill);
        }
        self.end_launched();
        let mut clear = 0;
        for _ in 0..MAX_KILL_ROUNDS {
            let survivors = self.survivors();
            clear = if survivors.is_empty() { clear + 1 } else { 0 };
            if clear == 2 {
                return;
            }
            for process in survivors {
                // The process may have ended since it was listed.
                let _ = kill(process, UnixSignal::SIGKILL);
            }
            std::thread::sleep(KILL_INTERVAL);
        }
    }

    #[cfg(target_os = "linux")]
    fn survivors(&self) -> Vec<Pid> {
        processes()
            .filter(|&id| (tag_of(id).as_ref() == Some(&self.tag) || self.in_session(id)) && !is_zombie(id))
            .map(Pid::from_raw)
            .collect()
    }

    /// Whether a process belongs to the leader's session: field 6 of its stat line.
    #[cfg(target_os = "linux")]
    fn in_session(&self, id: i32) -> bool {
        let Some(leader) = self.leader else { return false };
        stat_field(id, 3).and_then(|field| field.parse().ok()) == Some(leader.as_raw())
    }

    /// Other systems only have the group.
    #[cfg(not(target_os = "linux"))]
    fn survivors(&self) -> Vec<Pid> {
        Vec::new()
    }
}

/// The ids of all processes.
#[cfg(target_os = "linux")]
pub(crate) fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process and those below it.
#[cfg(target_os = "linux")]
pub(crate) fn below(first: i32) -> Vec<i32> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        // Any thread can have children.
        for thread in std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().flat_map(str::parse::<i32>));
        }
    }
    found
}

/// The value of [`TAG`] of a process.
#[cfg(target_os = "linux")]
fn tag_of(id: i32) -> Option<String> {
    let variables = std::fs::read(format!("/proc/{id}/environ")).ok()?;
    let value = |variable: &[u8]| Some(variable.strip_prefix(TAG.as_bytes())?.strip_prefix(b"=")?.to_vec());
    String::from_utf8(variables.split(|&byte| byte == 0).find_map(value)?).ok()
}

/// The start time of a process in clock ticks since the start of the system: field 22 of its stat line. An id can be used again, an id
/// with its start time cannot.
fn start_time(id: i32) -> Option<String> {
    #[cfg(target_os = "linux")]
    return stat_field(id, 19);
    #[cfg(not(target_os = "linux"))]
    return None.filter(|_: &String| id > 0);
}

/// A field of `/proc/ID/stat` behind the program's name, which may contain anything. 0 is the state.
#[cfg(target_os = "linux")]
pub(crate) fn stat_field(id: i32, index: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(index).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn is_zombie(id: i32) -> bool {
    stat_field(id, 0).is_none_or(|state| state == "Z" || state == "X")
}
