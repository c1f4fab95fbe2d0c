//! Writes hostile settings files from the schema.

use serde_json::{Value, json};

use super::Case;

/// The kind of names in hostile texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Program,
    Address,
    Outside,
    /// The outside file by a relative path with `..`.
    Above,
}

/// Returns a hostile value for a node of the schema: every key, the last option of every choice, the largest numbers.
fn hostile(case: &Case, node: &Value, root: &Value, names: Names, switch: bool, last: bool) -> Value {
    let node = match node.get("$ref").and_then(Value::as_str) {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).expect("a definition"),
        None => node,
    };
    let inner = |node: &Value| hostile(case, node, root, names, switch, last);
    if let Some(options) = node.get("anyOf").and_then(Value::as_array) {
        let option = options.iter().find(|option| option.get("type").and_then(Value::as_str) != Some("null"));
        return inner(option.expect("an option"));
    }
    let choices: Vec<&Value> = match (node.get("enum"), node.get("oneOf")) {
        (Some(Value::Array(choices)), _) => choices.iter().collect(),
        (_, Some(Value::Array(options))) => options.iter().filter_map(|option| option.get("const")).collect(),
        _ => Vec::new(),
    };
    if let (Some(first), Some(end)) = (choices.first(), choices.last()) {
        return if last { (*end).clone() } else { (*first).clone() };
    }
    let kind = node.get("type").map(|kind| match kind {
        Value::Array(kinds) => kinds[0].as_str().unwrap_or_default().to_owned(),
        kind => kind.as_str().unwrap_or_default().to_owned(),
    });
    let text = || match names {
        Names::Program => case.program.display().to_string(),
        Names::Address => case.elsewhere.clone(),
        Names::Outside => case.outside.display().to_string(),
        Names::Above => "../outside.txt".to_owned(),
    };
    match kind.as_deref() {
        Some("boolean") => switch.into(),
        Some("integer") => {
            node.get("maximum").and_then(Value::as_f64).map_or(4_000_000_000_i64, |most| most as i64).into()
        }
        Some("string") => text().into(),
        Some("array") => json!([node.get("items").map_or_else(|| text().into(), inner)]),
        Some("object") => match node.get("properties").and_then(Value::as_object) {
            Some(properties) => properties.iter().map(|(key, node)| (key.clone(), inner(node))).collect(),
            None => {
                let each = node.get("additionalProperties").filter(|each| each.is_object());
                // Names of existing agents, of one that does not exist, and of variables that programs use.
                let keys = ["mine", "codex", "claude", "evil", "PATH", "LD_PRELOAD", "HTTPS_PROXY"];
                keys.iter().map(|key| ((*key).to_owned(), each.map_or_else(|| text().into(), inner))).collect()
            }
        },
        _ => text().into(),
    }
}

/// Returns a value as TOML on one line.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(inner) => {
            let parts: Vec<String> = inner.iter().map(|(key, value)| format!("{key:?} = {}", toml(value))).collect();
            format!("{{ {} }}", parts.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

pub(super) fn schema(case: &Case) -> Value {
    case.run(&["schema", "config"]).json()
}

/// Returns a hostile file with every section of the schema. `but` leaves out sections that any repository may set, so that there is
/// something left to review.
pub(super) fn hostile_file(case: &Case, names: Names, switch: bool, last: bool, but: &[&str]) -> String {
    let schema = schema(case);
    let sections = schema["properties"].as_object().expect("sections");
    let mut text = String::new();
    for (section, node) in sections.iter().filter(|(section, _)| !but.contains(&section.as_str())) {
        let value = hostile(case, node, &schema, names, switch, last);
        for (key, value) in value.as_object().expect("a table") {
            if !but.contains(&format!("{section}.{key}").as_str()) {
                text += &format!("{section}.{key:?} = {}\n", toml(value));
            }
        }
    }
    // The file selects the agent that it defines.
    if names == Names::Program {
        text = text.replace(
            &format!("agent.\"name\" = {:?}", case.program.display().to_string()),
            "agent.\"name\" = \"evil\"",
        );
    }
    text
}
