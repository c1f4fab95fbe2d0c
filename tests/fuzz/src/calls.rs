//! Parameters of calls: of the types that the OpenRPC document describes, mostly with values that exist, sometimes with any others.

use std::collections::BTreeMap;

use libfuzzer_sys::arbitrary::Unstructured;
use serde_json::{Map, Value, json};

/// The maximum number of values of one name.
const MAX_VALUES: usize = 6;

/// Values that exist, by the name of the parameter that takes them.
#[derive(Default)]
pub struct Values(BTreeMap<&'static str, Vec<Value>>);

/// Values of parameters that do not depend on the state. The first is the most probable.
const KNOWN: &[(&str, &[&str])] = &[
    ("rev", &["HEAD", "main", "HEAD~1"]),
    ("head", &["HEAD", "origin/topic"]),
    ("agents.check.name", &["one", "capability", "two"]),
    ("agent", &["one", "capability"]),
    ("agents", &["one", "capability"]),
    ("model", &["m"]),
    ("prompts.save.name", &["review.md", "system.md", "../x"]),
    ("format", &["json", "markdown", "html", "sarif", "code-quality"]),
    ("language", &["rust", "python", "tsx"]),
    ("skills", &["rust", "security"]),
    ("settings.set.key", &["limits.max_files", "agent.model", "prepare.ignore_globs", "agents.one.model"]),
    ("toml", &["3", "\"text\"", "[\"a\"]", "{ a = 1 }"]),
    ("state.get.key", &["layout", "first_calls"]),
    ("state.set.key", &["layout", "first_calls"]),
    ("snippets.import.text", &[r#"{"snippets":[{"icon":"T","tooltip":"T","message":"Do it."}]}"#]),
    ("since", &["last", "v1", "HEAD~1"]),
    ("until", &["last", "v1", "HEAD"]),
    ("title", &["A title"]),
    ("rule", &["generic"]),
    ("place", &["a.rs"]),
    ("words", &["name"]),
    ("secret.set.value", &["a-token-of-a-fuzzed-call"]),
    ("until", &["2999-12-01T09:00:00Z", "soon"]),
];

/// Numbers that are probable for a name. Others are small.
const NUMBERS: &[(&str, &[u64])] = &[
    ("iid", &[7]),
    ("line_start", &[10, 50, 1]),
    ("line_end", &[10, 50, 80]),
    ("to", &[30, 80]),
    ("number", &[4, 6, 2]),
    ("count", &[5]),
    ("max_lines", &[100, 1]),
    ("limit", &[10]),
    ("runs", &[0, 1, 2, 21]),
    ("first_line", &[0, 1]),
    ("hunk", &[0, 1]),
    ("max_diff_chars", &[1_000, 100_000]),
    ("max_files", &[1, 10]),
];

impl Values {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    pub(crate) fn add(&mut self, name: &'static str, value: &str) {
        self.push(name, json!(value));
    }

    fn push(&mut self, name: &'static str, value: Value) {
        let values = self.0.entry(name).or_default();
        if !value.is_null() && !values.contains(&value) && values.len() < MAX_VALUES {
            values.push(value);
        }
    }

    /// Adds the values of every field with a name in a result.
    pub(crate) fn find(&mut self, name: &'static str, result: &Value, field: &str) {
        match result {
            Value::Object(fields) => {
                for (key, value) in fields {
                    if key == field && !value.is_object() && !value.is_array() {
                        self.push(name, value.clone());
                    }
                    self.find(name, value, field);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.find(name, item, field)),
            _ => {}
        }
    }

    /// Learns from the result of a call.
    pub fn learn(&mut self, method: &str, result: &Value) {
        for name in ["plan_id", "digest", "stamp", "run_id"] {
            self.find(name, result, name);
        }
        if let "chat.apply" | "finding.apply" = method {
            self.push("fix", result["id"].clone());
        }
        if method == "change.commits" {
            self.find("commit", result, "id");
        }
        if method == "chat.begin" {
            self.find("conversation_id", result, "id");
        }
    }

    /// Returns the values for a parameter of a method.
    fn of(&self, method: &str, name: &str) -> Vec<Value> {
        let alias = match (method, name) {
            ("chat.apply", "line") => return vec![json!(0)],
            ("inbox.mark" | "queue.move", "key") | ("queue.add" | "queue.remove", "keys") => "inbox_key",
            ("request.find", "text") => "request",
            ("secret.set" | "secret.remove" | "token.check", "name") => "secret",
            ("repo.open" | "repo.watch", "path") | (_, "repository") => "repo",
            ("run.plan", "run_id") | (_, "resume") => "interrupted",
            ("history.open" | "history.remove", "id") => "review_id",
            ("stack.move", "change_id") => "upper_change",
            ("stack.move", "review_id") => "upper_review",
            ("stack.move", "findings") => "upper_finding",
            ("finding.decide" | "opinion.preview" | "opinion.ask", "findings") | (_, "finding" | "again") => {
                "finding_key"
            }
            ("request.refresh" | "request.revoke_approval" | "thread.reply" | "thread.resolve", "change_id")
            | (
                "post.plan" | "review.relocate" | "change.since" | "change.versions" | "change.commits"
                | "change.commit" | "change.stack",
                "change_id",
            ) => "request_change",
            ("post.plan" | "review.relocate", "review_id") => "request_review",
            (_, "one" | "other") => "review_id",
            _ => name,
        };
        let mut found = self.0.get(alias).cloned().unwrap_or_default();
        let whole = format!("{method}.{name}");
        let known = KNOWN.iter().filter(|(key, _)| *key == name || *key == whole).flat_map(|(_, values)| values.iter());
        found.extend(known.map(|value| json!(value)));
        if name == "base" {
            found.push(json!("HEAD~1"));
        }
        if method.starts_with("history.") && name == "id" {
            found.extend(
                ["conversation_id", "run_id", "interrupted"]
                    .iter()
                    .flat_map(|name| self.0.get(name).cloned().unwrap_or_default()),
            );
        }
        found
    }
}

/// A method and the schema of its parameters.
pub struct Method {
    /// The name.
    pub name: String,
    /// The name of the method that ends the subscription, if the method is one.
    pub unsubscribe: Option<String>,
    params: Option<Value>,
}

/// The methods, and the schemas that they refer to.
pub struct Methods {
    /// The methods in the order of the document.
    pub all: Vec<Method>,
    schemas: Value,
}

impl Methods {
    /// Reads the OpenRPC document.
    pub fn new() -> Self {
        let document: Value = serde_json::from_str(diffsan_rpc::schemas::OPENRPC).expect("an OpenRPC document");
        let methods = document["methods"].as_array().expect("methods").iter();
        let all = methods.map(|method| Method {
            name: method["name"].as_str().expect("a name").to_owned(),
            unsubscribe: method["x-subscription"]["unsubscribe"].as_str().map(str::to_owned),
            params: method.get("x-params").cloned(),
        });
        Self { all: all.collect(), schemas: document["components"]["schemas"].clone() }
    }

    /// Returns parameters for a call of a method.
    pub fn params(&self, method: &Method, values: &Values, data: &mut Unstructured<'_>) -> Value {
        let Some(schema) = &method.params else { return json!({}) };
        Generator { methods: self, method: &method.name, values, data }.value(schema, "", 0)
    }
}

impl Default for Methods {
    fn default() -> Self {
        Self::new()
    }
}

/// Makes values of a schema. Exhausted data gives the most probable value.
struct Generator<'a, 'd> {
    methods: &'a Methods,
    method: &'a str,
    values: &'a Values,
    data: &'a mut Unstructured<'d>,
}

impl Generator<'_, '_> {
    fn number(&mut self, below: usize) -> usize {
        self.data.int_in_range(0..=below.saturating_sub(1)).unwrap_or(0)
    }

    /// Whether something happens that happens once in `often` times.
    fn rarely(&mut self, often: usize) -> bool {
        self.number(often) == often - 1
    }

    fn choose(&mut self, values: &[Value]) -> Value {
        let at = self.number(values.len());
        values[at].clone()
    }

    fn value(&mut self, schema: &Value, name: &str, depth: usize) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let referred = &self.methods.schemas[reference.rsplit('/').next().unwrap_or_default()];
            return self.value(referred, name, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.choose(values);
        }
        if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            let at = self.number(choices.len());
            return self.value(&choices[at], name, depth + 1);
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        if types.contains(&"null") && (self.values.of(self.method, name).is_empty() ^ self.rarely(4)) {
            return Value::Null;
        }
        match types.first().copied() {
            Some("object") => self.object(schema, depth),
            Some("array") => {
                let count = 1 + self.number(3);
                let count = if depth > 6 || self.rarely(6) { 0 } else { count };
                (0..count).map(|_| self.value(&schema["items"], name, depth + 1)).collect()
            }
            Some("boolean") => json!(!self.rarely(3)),
            Some("integer" | "number") => self.integer(name),
            Some("string") => self.text(name),
            // Any value.
            _ => match self.number(4) {
                0 => self.integer(name),
                1 => self.text(name),
                2 => json!([self.text(name)]),
                _ => json!(true),
            },
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut object = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&name.as_str()) || !self.rarely(3) {
                let value = self.value(property, name, depth + 1);
                object.insert(name.clone(), value);
            }
        }
        Value::Object(object)
    }

    fn integer(&mut self, name: &str) -> Value {
        let known = self.values.of(self.method, name);
        if self.rarely(8) {
            return self.choose(&[json!(u32::MAX), json!(u32::MAX - 1), json!(1_000_000), json!(256), json!(i64::MAX)]);
        }
        if !known.is_empty() {
            return self.choose(&known);
        }
        match NUMBERS.iter().find(|(known, _)| *known == name) {
            Some((_, numbers)) => json!(numbers[self.number(numbers.len())]),
            None => json!(self.number(4)),
        }
    }

    fn text(&mut self, name: &str) -> Value {
        let known = self.values.of(self.method, name);
        if !known.is_empty() && !self.rarely(8) {
            return self.choose(&known);
        }
        let length = self.number(64);
        json!(String::from_utf8_lossy(self.data.bytes(length.min(self.data.len())).unwrap_or(b"text")))
    }
}
