//! Limits of an agent and all of its processes, which are measured while it runs.

use std::path::{Path, PathBuf};
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
    /// The size of the largest folder, in bytes.
    written: u64,
}

/// Waits until the processes below `leader` or the folders exceed a limit, and returns a text about it.
pub(crate) async fn exceeded(leader: i32, folders: Vec<PathBuf>, limits: Limits) -> String {
    let mebibytes = |bytes: u64| bytes / 1024 / 1024;
    loop {
        tokio::time::sleep(INTERVAL).await;
        // A panic there is a bug; the next measurement follows.
        let measured = folders.clone();
        let used = tokio::task::spawn_blocking(move || measure(leader, &measured)).await.unwrap_or_default();
        if used.written > limits.written {
            let (used, most) = (mebibytes(used.written), mebibytes(limits.written));
            return format!("it wrote {used} MiB; agent.max_written_mb is {most}");
        }
        if used.memory > limits.memory {
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

fn measure(leader: i32, folders: &[PathBuf]) -> Used {
    let written = folders.iter().map(|folder| size(folder)).max().unwrap_or_default();
    #[cfg(not(target_os = "linux"))]
    let (used, _) = (Used { written, ..Used::default() }, leader);
    #[cfg(target_os = "linux")]
    let mut used = Used { written, ..Used::default() };
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
    used
}

/// The space that the files below a folder take, in bytes.
fn size(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut total = 0_u64;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // Does not follow links.
            let Ok(about) = entry.metadata() else { continue };
            total = total.saturating_add(about.blocks().saturating_mul(512));
            if about.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    total
}
