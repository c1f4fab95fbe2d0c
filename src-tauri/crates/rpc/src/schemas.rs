//! The contracts as JSON Schemas. They are generated from the types, committed under `config/schema`, and part of the programs. A
//! test compares the committed files with the generated ones, and writes them where `UPDATE_EXPECT` is set.

macro_rules! committed {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../config/schema/", $name, ".json")))
    };
}

/// The OpenRPC document, as JSON.
pub const OPENRPC: &str = committed!("openrpc").1;

/// Every schema with its name, as JSON.
pub const ALL: [(&str, &str); 9] = [
    committed!("agent-output"),
    committed!("agent-output-strict"),
    committed!("opinion-output-strict"),
    committed!("review"),
    committed!("inbox"),
    committed!("config"),
    ("openrpc", OPENRPC),
    committed!("errors"),
    committed!("export-formats"),
];

#[cfg(test)]
mod tests {
    use diffsan_app::App;
    use diffsan_config::Config;
    use diffsan_export::FORMATS;
    use diffsan_review::ReviewOutput;
    use diffsan_review::failure::ErrorCode;
    use diffsan_review::finding::AgentReviewOutput;
    use diffsan_review::opinion::AgentOpinions;
    use diffsan_sync::InboxView;
    use diffsan_updater::Updater;
    use schemars::{JsonSchema, schema_for};
    use serde_json::{Map, Value, json};
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::methods::build;

    #[test]
    fn the_committed_schemas_are_those_of_the_types() {
        let openrpc = openrpc();
        check_methods(&openrpc);
        let generated = [
            ("agent-output", schema_for!(AgentReviewOutput).to_value()),
            ("agent-output-strict", strict_schema_of::<AgentReviewOutput>()),
            ("opinion-output-strict", strict_schema_of::<AgentOpinions>()),
            ("review", schema_for!(ReviewOutput).to_value()),
            ("inbox", schema_for!(InboxView).to_value()),
            ("config", schema_for!(Config).to_value()),
            ("openrpc", openrpc),
            ("errors", errors()),
            ("export-formats", export_formats()),
        ];
        assert_eq!(generated.each_ref().map(|(name, _)| *name), ALL.map(|(name, _)| name));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config/schema");
        for (name, schema) in generated {
            let path = folder.join(format!("{name}.json"));
            let generated = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(&path, &generated).expect("a schema that can be written");
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == generated, "config/schema/{name}.json differs from the types: run `make types`");
        }
    }

    fn openrpc() -> Value {
        let app = App::in_memory().expect("a store in memory");
        build(Arc::clone(&app), &Updater::of_browser(app)).description.document()
    }

    fn check_methods(document: &Value) {
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

    /// Returns the presentation of each error code. The interface takes headings and actions from it.
    fn errors() -> Value {
        ErrorCode::ALL.iter().map(|code| (code.to_string(), json!(code.presentation()))).collect()
    }

    /// Returns the names and titles of the export formats. The interface offers them.
    fn export_formats() -> Value {
        FORMATS.iter().map(|format| json!({ "name": format.name, "title": format.title })).collect()
    }

    fn strict_schema_of<T: JsonSchema>() -> Value {
        // `json!` keeps the order of keywords that schemars serialises; `Schema::to_value` does not.
        let mut schema = json!(schema_for!(T));
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
            object.remove("title");
        }
        make_strict(&mut schema);
        schema
    }

    fn make_strict(node: &mut Value) {
        match node {
            Value::Object(object) => {
                for key in ["format", "default", "minimum", "maximum"] {
                    if !object.get(key).is_some_and(Value::is_object) {
                        object.remove(key);
                    }
                }
                flatten_constants(object);
                // In strict mode a reference may have no siblings. The description remains in the definition.
                if object.contains_key("$ref") {
                    object.retain(|key, _| key == "$ref");
                }
                if let Some(Value::Object(properties)) = object.get("properties") {
                    let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
                    object.insert("required".into(), Value::Array(names));
                    object.insert("additionalProperties".into(), json!(false));
                }
                object.values_mut().for_each(make_strict);
            }
            Value::Array(items) => items.iter_mut().for_each(make_strict),
            _ => {}
        }
    }

    /// Replaces `oneOf: [{const: a, description}, …]`, the schema of an enumeration with documented members, by a plain
    /// `enum`.
    fn flatten_constants(object: &mut Map<String, Value>) {
        let Some(Value::Array(options)) = object.get("oneOf") else { return };
        let mut names = Vec::new();
        for option in options {
            match (option.get("const"), option.get("enum")) {
                (Some(name), _) => names.push(name.clone()),
                (None, Some(Value::Array(more))) => names.extend(more.iter().cloned()),
                _ => return,
            }
        }
        object.remove("oneOf");
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), Value::Array(names));
    }
}
