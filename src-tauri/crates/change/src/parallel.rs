//! Work on the files of a change on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::{panic, thread};

/// The number of files for which another thread is worth its start.
const FILES_PER_THREAD: usize = 8;

/// Returns the number of threads for work on some files.
pub fn threads_for(files: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(files / FILES_PER_THREAD + 1)
}

/// Waits for a thread. Panics if it panicked.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|cause| panic::resume_unwind(cause))
}

/// Calls a function for every index below `count` on this and other threads, and returns the results in the order of the indices.
/// Panics if a call panics.
pub fn each<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    each_with(count, &(), 1..threads, |_| Some(()), |(), index| work(index))
}

/// Like [`each`], for work that needs a state which threads cannot share. This thread uses `own`. Each of `others` starts one more
/// thread, which uses what `start` makes of it, and does nothing if that is `None`.
pub fn each_with<S, O: Send, T: Send>(
    count: usize,
    own: &S,
    others: impl IntoIterator<Item = O>,
    start: impl Fn(O) -> Option<S> + Sync,
    work: impl Fn(&S, usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run = |state: &S| -> Vec<(usize, T)> {
        let indices = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count));
        indices.map(|index| (index, work(state, index))).collect()
    };
    let (run, start) = (&run, &start);
    let mut results = thread::scope(|scope| {
        let others = others.into_iter().map(|other| scope.spawn(move || start(other).map(|state| run(&state))));
        let others: Vec<_> = others.collect();
        let mut results = run(own);
        results.extend(others.into_iter().filter_map(joined).flatten());
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
