//! The contracts as JSON Schemas, generated from the types. They are committed under `config/schema`; a test compares
//! the committed files with the generated ones.

use serde_json::Value;

use diffsan_config::Config;
use diffsan_export::FORMATS;
use diffsan_review::ReviewOutput;
use diffsan_review::failure::ErrorCode;
use diffsan_review::finding::AgentReviewOutput;
use diffsan_sync::InboxView;

/// Returns every schema with its name.
pub fn all() -> Vec<(&'static str, Value)> {
    let value = |schema: schemars::Schema| schema.to_value();
    vec![
        ("agent-output", value(schemars::schema_for!(AgentReviewOutput))),
        ("agent-output-strict", diffsan_review::answer::strict_schema()),
        ("opinion-output-strict", diffsan_review::answer::opinions_schema()),
        ("review", value(schemars::schema_for!(ReviewOutput))),
        ("inbox", value(schemars::schema_for!(InboxView))),
        ("config", value(schemars::schema_for!(Config))),
        ("openrpc", crate::openrpc()),
        ("errors", errors()),
        ("export-formats", export_formats()),
    ]
}

/// Returns the presentation of each error code. The interface takes headings and actions from it.
fn errors() -> Value {
    ErrorCode::ALL.iter().map(|code| (code.to_string(), serde_json::json!(code.presentation()))).collect()
}

/// Returns the names and titles of the export formats. The interface offers them.
fn export_formats() -> Value {
    FORMATS.iter().map(|format| serde_json::json!({ "name": format.name, "title": format.title })).collect()
}
