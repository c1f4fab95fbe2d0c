//! The contracts as JSON Schema, generated from the types. They are committed under `config/schema`; a test fails when
//! those differ.

use serde_json::Value;

use crate::config::Config;
use crate::finding::AgentReviewOutput;
use crate::review::ReviewOutput;

/// Every schema by its file's name.
pub fn all() -> Vec<(&'static str, Value)> {
    let value = |schema: schemars::Schema| schema.to_value();
    vec![
        ("agent-output", value(schemars::schema_for!(AgentReviewOutput))),
        ("agent-output-strict", crate::answer::strict_schema()),
        ("review", value(schemars::schema_for!(ReviewOutput))),
        ("config", value(schemars::schema_for!(Config))),
        ("openrpc", crate::rpc::openrpc()),
    ]
}
