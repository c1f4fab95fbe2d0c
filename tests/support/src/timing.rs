//! Times for benches.

use std::time::{Duration, Instant};

/// The median time of some runs.
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
