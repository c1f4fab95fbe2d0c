//! Being told to end: by Ctrl-C, by a polite kill (a service, a pipeline's runner, a system that shuts down), by a terminal that
//! was closed. All of them would end the program at once, and leave its agents behind.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Ctrl-C: what runs is to stop.
    Stop,
    /// The program is to end.
    End,
}

/// Listens to it, from the moment it was made.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on. Needs the runtime.
    pub fn listen() -> Self {
        // One that cannot be heard ends the program, as ever.
        let hear = |kind| signal(kind).ok();
        Self {
            interrupt: hear(SignalKind::interrupt()),
            terminate: hear(SignalKind::terminate()),
            hangup: if outlives_its_terminal() { None } else { hear(SignalKind::hangup()) },
        }
    }

    /// The next that is said, also if it was said while nobody waited.
    pub async fn next(&mut self) -> Told {
        async fn heard(signal: Option<&mut Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = heard(self.terminate.as_mut()) => Told::End,
            () = heard(self.hangup.as_mut()) => Told::End,
            () = heard(self.interrupt.as_mut()) => Told::Stop,
        }
    }
}

/// Whether it was started to go on without its terminal (`nohup`): listening would undo that.
#[cfg(target_os = "linux")]
fn outlives_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Signal 1 is the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Elsewhere what is ignored cannot be read; `nohup` leaves no terminal here.
#[cfg(all(unix, not(target_os = "linux")))]
fn outlives_its_terminal() -> bool {
    !std::io::IsTerminal::is_terminal(&std::io::stderr())
}

/// Elsewhere there is Ctrl-C.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens from now on.
    pub fn listen() -> Self {
        Self
    }

    /// The next that is said.
    pub async fn next(&mut self) -> Told {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Told::Stop
    }
}

/// Waits until something is said.
pub async fn stopped() {
    Signals::listen().next().await;
}
