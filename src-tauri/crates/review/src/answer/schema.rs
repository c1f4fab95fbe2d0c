//! The JSON Schema of the answer, generated from the types: for agents that enforce it, and as text for the others.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::finding::AgentReviewOutput;
use crate::opinion::AgentOpinions;

/// Returns the schema for agents that enforce one. Every property is required, optional ones are nullable, and nothing
/// else is allowed. This is the subset that OpenAI's strict mode accepts: no formats, defaults, ranges or references
/// with siblings.
pub fn strict_schema() -> Value {
    strict_schema_of::<AgentReviewOutput>()
}

/// Returns the schema of the answer of a second opinion, in the same form.
pub fn opinions_schema() -> Value {
    strict_schema_of::<AgentOpinions>()
}

fn strict_schema_of<T: JsonSchema>() -> Value {
    // `json!` keeps the order of keywords that schemars serialises; `Schema::to_value` does not. A schema always serialises.
    let mut schema = json!(schemars::schema_for!(T));
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.remove("title");
    }
    make_strict(&mut schema);
    schema
}

/// Returns the same schema as compact text for a prompt.
pub fn described_schema() -> String {
    strict_schema().to_string()
}

/// Returns the schema of the answer of a second opinion as compact text for a prompt.
pub fn described_opinions_schema() -> String {
    opinions_schema().to_string()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(node: &Value, path: &str) {
        if let Some(object) = node.as_object() {
            if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                let required = object["required"].as_array().expect("required");
                assert_eq!(required.len(), properties.len(), "{path}");
                assert_eq!(object["additionalProperties"], json!(false), "{path}");
            }
            assert!(!object.contains_key("oneOf") && !object.contains_key("const"), "{path}: {object:?}");
            assert!(!object.contains_key("$ref") || object.len() == 1, "{path}");
            for (key, value) in object {
                check(value, &format!("{path}/{key}"));
            }
        } else if let Some(items) = node.as_array() {
            items.iter().for_each(|item| check(item, path));
        }
    }

    #[test]
    fn the_strict_schema_keeps_to_what_strict_mode_accepts() {
        check(&opinions_schema(), "");
        let schema = strict_schema();
        check(&schema, "");
        assert_eq!(schema["type"], json!("object"));
        let optional = &schema["$defs"]["AgentFinding"]["properties"]["title"];
        assert_eq!(optional["type"], json!(["string", "null"]));
    }
}
