//! Any settings are read or refused. A repository that is not trusted sets only what it may.
#![no_main]
#![allow(clippy::expect_used, missing_docs, reason = "a fuzz target fails by panicking")]

use diffsan_config::{
    Origin, command_line_layer, entries, environment_layer, key_name, key_path, parse_layer, resolve,
};
use libfuzzer_sys::fuzz_target;

/// The number of lines that are read as options and variables.
const MAX_LINES: usize = 3;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (own, foreign) = text.split_once('\0').unwrap_or(("", &text));
    let user = parse_layer(Origin::User("config.toml".into()), own).ok();
    let repository = parse_layer(Origin::Repository(".diffsan.toml".into()), foreign).ok();
    let alone = resolve(user.clone().into_iter().collect(), false);
    for trusted in [false, true] {
        let layers = user.clone().into_iter().chain(repository.clone()).collect();
        let Ok(resolved) = resolve(layers, trusted) else { continue };
        let _ = entries(&resolved).expect("settings can be listed");
        if let (false, Ok(alone)) = (trusted, &alone) {
            let restricted = |resolved: &diffsan_config::Resolved| {
                let all = serde_json::to_value(&resolved.config).expect("JSON");
                ["agent", "agents", "gitlab", "redaction", "artifacts"].map(|key| all[key].to_string())
            };
            assert_eq!(restricted(&resolved), restricted(alone), "{foreign}");
        }
    }
    for line in text.lines().take(MAX_LINES) {
        if let Ok(layer) = command_line_layer(line) {
            let _ = resolve(vec![layer], false);
        }
        if let Some(path) = key_path(line) {
            assert_eq!(key_path(&key_name(&path)), Some(path), "{line:?}");
        }
        if let Some((name, value)) = line.split_once('=') {
            let variable = (format!("DIFFSAN_{name}"), value.to_owned());
            let _ = environment_layer(std::iter::once(variable)).map(|layer| resolve(vec![layer], false));
        }
    }
});
