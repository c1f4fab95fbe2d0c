//! Work on the files of a change on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

/// The number of files for which another thread is worth its start.
const FILES_PER_THREAD: usize = 8;

/// Returns the number of threads for work on some files.
pub fn threads_for(files: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(files / FILES_PER_THREAD + 1)
}

/// Calls a function for every index below `count` on this and other threads, and returns the results in the order of the indices.
/// Panics if a call panics.
pub fn each<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run = || -> Vec<(usize, T)> {
        let indices = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count));
        indices.map(|index| (index, work(index))).collect()
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut results = run();
        for other in others {
            results.extend(other.join().unwrap_or_else(|cause| panic::resume_unwind(cause)));
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
