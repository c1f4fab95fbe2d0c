//! Time measurements for benchmarks.

use std::time::{Duration, Instant};

/// Returns the median time of several runs.
pub fn median(rounds: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[rounds / 2]
}
