//! The JSON Schema of the answer: for agents that enforce it, and as text for the others. It is generated from the types, and
//! committed.

use serde_json::Value;

/// Returns the schema for agents that enforce one. Every property is required, optional ones are nullable, and nothing
/// else is allowed. This is the subset that OpenAI's strict mode accepts: no formats, defaults, ranges or references
/// with siblings.
pub fn strict_schema() -> Value {
    parse(include_str!("../../../../../config/schema/agent-output-strict.json"))
}

/// Returns the schema of the answer of a second opinion, in the same form.
pub fn opinions_schema() -> Value {
    parse(include_str!("../../../../../config/schema/opinion-output-strict.json"))
}

#[allow(clippy::expect_used, reason = "a test generates the file")]
fn parse(committed: &'static str) -> Value {
    serde_json::from_str(committed).expect("committed JSON")
}

/// Returns the same schema as compact text for a prompt.
pub fn described_schema() -> String {
    strict_schema().to_string()
}

/// Returns the schema of the answer of a second opinion as compact text for a prompt.
pub fn described_opinions_schema() -> String {
    opinions_schema().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
