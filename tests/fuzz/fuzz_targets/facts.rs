//! Reports of any bytes become facts about files of the change, within their limits. Logs become bounded plain text.
#![no_main]

use diffsan_facts::{
    Collector, MAX_LOG_BYTES, MAX_LOG_LINES, Origin, ReportSource, Tree, gitlab_test_report, log_tail, parse,
};
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 5] = ["shop/cart.py", "tests/test_cart.py", "web/src/price.js", "api/src/price.js", "src/lib.rs"];

fuzz_target!(|data: &[u8]| {
    let tail = log_tail(data);
    assert!(tail.text.len() <= MAX_LOG_BYTES && tail.text.lines().count() <= MAX_LOG_LINES);
    assert!(!tail.text.contains('\u{1b}'));
    let files = || FILES.iter().map(|path| (*path).to_owned());
    let tree = Tree::new(|| files().collect());
    let mut collector = Collector::new(&tree, files());
    let (kind, report) = parse(data);
    for (folder, report) in [(Some("web/coverage"), report), (None, gitlab_test_report(data))] {
        let source = ReportSource {
            name: "report".to_owned(),
            kind,
            commit: None,
            stale: false,
            origin: Origin { folder: folder.map(str::to_owned), roots: vec!["/builds/acme/shop".to_owned()] },
            is_newer: &|_| false,
        };
        collector.add(source, report);
    }
    let facts = collector.finish();
    for file in &facts.coverage {
        assert!(FILES.contains(&file.path.as_str()));
        assert!(file.runs.iter().all(|run| 1 <= run.start && run.start <= run.end), "{file:?}");
        assert!(file.runs.windows(2).all(|pair| pair[0].end < pair[1].start), "{file:?}");
    }
    for failure in &facts.failures {
        assert!(failure.places.iter().all(|place| place.line >= 1 && FILES.contains(&place.path.as_str())));
    }
    for finding in &facts.findings {
        assert!(1 <= finding.line_start && finding.line_start <= finding.line_end, "{finding:?}");
    }
});
