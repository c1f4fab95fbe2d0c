//! Parsing any patch terminates. The change that was read can be cut, counted and printed, and the printed change reads back.
#![no_main]
#![allow(clippy::panic, missing_docs, reason = "a fuzz target fails by panicking")]

use bytes::Bytes;
use diffsan_change::{Owners, fingerprint, parse_patch, print_change, some_lines, with_context};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let change = parse_patch(Bytes::copy_from_slice(data)).unwrap_or_else(|error| *error.readable);
    for file in &change.files {
        let counts = file.line_counts();
        let numbered = file.hunks().iter().flat_map(|hunk| hunk.numbered()).count();
        assert!((counts.added + counts.removed) as usize <= numbered);
        for hunk in file.hunks() {
            let _ = some_lines(hunk, 0..hunk.lines.len() / 2);
            let _ = with_context(hunk, 1);
        }
    }
    let _ = Owners::parse(&String::from_utf8_lossy(data)).of("src/a.rs");
    if change.files.is_empty() {
        return;
    }
    let printed = print_change(&change);
    let again = parse_patch(Bytes::from(printed.clone()));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&printed)));
    assert_eq!(again.files.len(), change.files.len(), "{}", String::from_utf8_lossy(&printed));
    assert_eq!(fingerprint(&again), fingerprint(&change), "{}", String::from_utf8_lossy(&printed));
});
