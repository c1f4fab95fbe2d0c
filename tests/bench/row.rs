//! A row of the table that `make bench` prints.

use std::fs::OpenOptions;
use std::io::Write;

/// The file to which rows are added. Without it, a benchmark only prints.
const FILE: &str = "DIFFSAN_BENCH_ROWS";

/// The figure that a measurement is compared with.
#[allow(dead_code, reason = "no benchmark uses all")]
pub(crate) enum Compared<'a> {
    /// Nothing.
    Alone,
    /// A maximum, in the unit of the measurement.
    AtMost(f64),
    /// A minimum, in the unit of the measurement.
    AtLeast(f64),
    /// The measurement of another program, and the maximum ratio to it.
    Peer(&'a str, f64, Option<f64>),
}

/// Adds a row: what was measured, the size of the input, the measurement and its unit.
pub(crate) fn row(what: &str, size: &str, ours: f64, unit: &str, compared: &Compared<'_>) {
    let Some(file) = std::env::var_os(FILE) else { return };
    let rest = match compared {
        Compared::Alone => String::new(),
        Compared::AtMost(limit) => format!(r#","goal":{limit}"#),
        Compared::AtLeast(limit) => format!(r#","goal":{limit},"higher":true"#),
        Compared::Peer(peer, theirs, goal) => {
            let goal = goal.map_or_else(String::new, |goal| format!(r#","goal":{goal}"#));
            format!(r#","peer":{peer:?},"theirs":{theirs}{goal}"#)
        }
    };
    let mut file = OpenOptions::new().create(true).append(true).open(file).expect("a file for rows");
    writeln!(file, r#"{{"what":{what:?},"size":{size:?},"ours":{ours},"unit":{unit:?}{rest}}}"#).expect("written");
}
