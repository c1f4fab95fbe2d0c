//! Signals that end the program: Ctrl-C, `SIGTERM` (from a service manager, a CI runner, or a system that shuts down)
//! and a closed terminal. Without a handler they would end the program at once, and its agents would continue.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRequest {
    /// Ctrl-C: stop the current work.
    Work,
    /// `SIGTERM` or a closed terminal: end the program.
    Program,
}

/// The signals of this process since its creation.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Starts listening. Needs a tokio runtime.
    pub fn listen() -> Self {
        // If no handler can be installed, the signal ends the program.
        let hear = |kind| signal(kind).ok();
        Self {
            interrupt: hear(SignalKind::interrupt()),
            terminate: hear(SignalKind::terminate()),
            hangup: if outlives_its_terminal() { None } else { hear(SignalKind::hangup()) },
        }
    }

    /// Returns the next request, even if it came before this call.
    pub async fn next(&mut self) -> StopRequest {
        async fn heard(signal: Option<&mut Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = heard(self.terminate.as_mut()) => StopRequest::Program,
            () = heard(self.hangup.as_mut()) => StopRequest::Program,
            () = heard(self.interrupt.as_mut()) => StopRequest::Work,
        }
    }
}

/// Whether the program was started with `nohup`. A handler would undo that.
#[cfg(target_os = "linux")]
fn outlives_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Signal 1 is the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Whether the program was started with `nohup`. Other systems do not report ignored signals; `nohup` leaves no
/// terminal here.
#[cfg(all(unix, not(target_os = "linux")))]
fn outlives_its_terminal() -> bool {
    !std::io::IsTerminal::is_terminal(&std::io::stderr())
}

/// The Ctrl-C events of this process. Other systems have no further signals.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Starts listening.
    pub fn listen() -> Self {
        Self
    }

    /// Returns the next request.
    pub async fn next(&mut self) -> StopRequest {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        StopRequest::Work
    }
}

/// Waits for the first request.
pub async fn stopped() {
    Signals::listen().next().await;
}
