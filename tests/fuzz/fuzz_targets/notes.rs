//! Any text becomes Markdown that does nothing when GitLab shows it, by the second Markdown engine of the tests, too.
#![no_main]

use diffsan_forge::post_plan::{Note, check, neutral, neutral_line};
use diffsan_test_support::gitlab::markdown::effects_of;
use libfuzzer_sys::fuzz_target;

const DETAILS: [&str; 4] = ["<details>", "</details>", "<summary>", "</summary>"];

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for (name, note) in [("neutral", neutral(&text)), ("line", format!("x {}", neutral_line(&text)))] {
        let mut effects = effects_of(&note);
        // Details are shown as such.
        effects.html.retain(|tag| !DETAILS.contains(&tag.as_str()));
        assert!(effects.is_inert(), "{name}: {effects:?}\nfrom {text:?}\nas {note:?}");
        assert!(check(&Note::text(&note)).is_ok(), "{name}: {text:?}\nas {note:?}");
    }
});
