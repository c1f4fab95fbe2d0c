//! Reading any answer of an agent terminates, and a valid answer on lines of its own is found.
#![no_main]

use diffsan_review::answer::read;
use libfuzzer_sys::fuzz_target;

const GOOD: &str = "{\"summary_markdown\":\"ok\",\"findings\":[]}";

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = read(&text);
    // A quote or bracket before the answer may make it part of another value.
    if !text.contains(['"', '{', '[']) {
        assert!(read(&format!("{text}\n{GOOD}\n{text}")).is_ok(), "{text:?}");
    }
});
