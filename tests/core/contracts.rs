//! The committed contracts match the types.

use std::path::Path;

#[test]
fn schemas_are_committed_as_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/schema");
    let repair = "run `cargo run -p diffsan -- schema --write config/schema`, then `npm run types` in ui";
    for (name, schema) in diffsan_rpc::schemas::all() {
        let path = folder.join(format!("{name}.json"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let generated = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
        assert!(committed == generated, "config/schema/{name}.json differs from the types: {repair}");
    }
}

#[test]
fn every_method_has_a_summary_and_known_types() {
    let document = diffsan_rpc::openrpc();
    let methods = document["methods"].as_array().expect("methods");
    assert!(methods.len() >= 13, "{}", methods.len());
    for method in methods {
        assert!(!method["summary"].as_str().unwrap_or_default().is_empty(), "{method}");
        for reference in [&method["x-params"]["$ref"], &method["x-subscription"]["event"]["$ref"]] {
            if let Some(reference) = reference.as_str() {
                let pointer = reference.trim_start_matches('#');
                assert!(document.pointer(pointer).is_some(), "{reference} is not defined");
            }
        }
    }
}
