//! Any answer has its fix blocks found. A block that applies replaces one place, and can be told from the file.
#![no_main]

use diffsan_prepare::prompt::{commit, fix, snippets};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (answer, file) = text.split_once('\0').unwrap_or((&text, ""));
    let lines = answer.lines().count();
    let mut end = 0;
    for found in fix::find(answer) {
        assert!(found.line >= end && found.lines > 0, "blocks are in order");
        end = found.line + found.lines;
        assert!(end <= lines, "{end} of {lines} lines");
        let Ok(block) = found.block else { continue };
        let _ = fix::apply(&block, None);
        // The block applies to a file that is its old text, and to the file only at one place.
        if !block.old.is_empty() {
            assert!(fix::apply(&block, Some(&block.old)).is_ok(), "{block:?}");
            let twice = format!("{0}{0}", block.old);
            assert!(!block.old.ends_with('\n') || fix::apply(&block, Some(&twice)).is_err(), "{block:?}");
        }
        let _ = fix::apply(&block, Some(file));
    }
    let tidied = commit::tidy(answer);
    let _ = commit::problems(&tidied);
    let _ = commit::wrap(&tidied);
    if let Ok(read) = snippets::read(answer) {
        assert!(snippets::read(&snippets::write(&read.snippets)).is_ok(), "saved snippets can be read");
    }
});
