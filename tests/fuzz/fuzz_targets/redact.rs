//! Redacting arbitrary bytes never panics, keeps the number of lines, and masks a planted secret.
#![no_main]

use std::sync::{Arc, LazyLock};

use diffsan_config::resolve;
use diffsan_redact::{Redactor, StreamFilter};
use libfuzzer_sys::fuzz_target;

const SECRET: &str = "kJ8x2Lm4Qp6Rt8Vw1Yz3Bc5Df7Gh9Jk2Lm4N";

static ENGINE: LazyLock<Arc<Redactor>> = LazyLock::new(|| {
    let settings = resolve(Vec::new(), false).expect("defaults").config;
    Arc::new(Redactor::new(&settings.redaction, [7; 32]).expect("an engine"))
});

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let lines = |text: &str| text.matches('\n').count();
    let masked = ENGINE.session().text("a.txt", &text).into_inner();
    assert_eq!(lines(&masked), lines(&text));
    assert_eq!(lines(&ENGINE.session().diff_text("a.txt", &text).into_inner()), lines(&text));
    // The fuzzer learns the secret from its comparisons. Without the context of a rule, the value is not a secret.
    if text.contains(&SECRET[..4]) {
        return;
    }
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let planted = format!("{}\nghp_{SECRET} {}", &text[..half], &text[half..]);
    let masked = ENGINE.session().text("a.py", &planted).into_inner();
    assert!(!masked.contains(SECRET), "{planted:?} => {masked:?}");
    let mut filter = StreamFilter::new(ENGINE.session());
    for part in data.chunks(7) {
        filter.push(part);
    }
    filter.finish();
});
