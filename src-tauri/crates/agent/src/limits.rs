//! Limits of an agent and all of its processes, which are measured while it runs.

use std::time::Duration;

use super::sandbox::Limits;

/// The time between two measurements.
const INTERVAL: Duration = Duration::from_millis(200);

/// The use of resources by a process and those below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    /// Memory that is not shared with files, in bytes.
    memory: u64,
    /// Processes and threads.
    processes: u64,
}

/// Waits until the processes below `leader` exceed a limit, and returns a text about it.
pub(crate) async fn exceeded(leader: i32, limits: Limits) -> String {
    loop {
        tokio::time::sleep(INTERVAL).await;
        // A panic there is a bug; the next measurement follows.
        let used = tokio::task::spawn_blocking(move || measure(leader)).await.unwrap_or_default();
        if used.memory > limits.memory {
            let mebibytes = |bytes: u64| bytes / 1024 / 1024;
            let (used, most) = (mebibytes(used.memory), mebibytes(limits.memory));
            return format!("it used {used} MiB of memory; agent.max_memory_mb is {most}");
        }
        if used.processes > limits.processes {
            return format!(
                "it had {} processes and threads; agent.max_processes is {}",
                used.processes, limits.processes
            );
        }
    }
}

fn measure(leader: i32) -> Used {
    let mut used = Used::default();
    #[cfg(target_os = "linux")]
    for id in super::process_tree::below(leader) {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let value = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
        };
        used.memory += (value("RssAnon:") + value("RssShmem:")) * 1024;
        used.processes += value("Threads:");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = leader;
    used
}
