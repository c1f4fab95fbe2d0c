//! The prompt of a second opinion.

use serde::Serialize;
use serde_json::json;

use super::{PromptError, render};

/// A finding in the prompt of a second opinion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyFinding {
    /// The key of the finding.
    pub key: String,
    /// The claim, the checks without a model, the code and its callers, masked.
    pub text: String,
}

/// The values from which the prompt of a second opinion is rendered.
#[derive(Clone, Debug)]
pub struct VerifyPrompt<'a> {
    /// `system.md` joined with `system_extra.md`.
    pub system: &'a str,
    /// Whether the agent enforces the schema of the answer.
    pub structured: bool,
    /// The schema of the answer, for agents that do not enforce it.
    pub schema: &'a str,
    /// The path of the room that the agent may read, if there is one.
    pub room: Option<&'a str>,
    /// The findings, the most severe first.
    pub findings: &'a [VerifyFinding],
    /// Whether further findings do not fit.
    pub left_out: bool,
    /// A random word that fences untrusted text.
    pub marker: &'a str,
}

/// Renders the prompt of a second opinion.
pub fn render_verify(template: &str, input: &VerifyPrompt<'_>) -> Result<String, PromptError> {
    // The marker is random, so only somebody who saw an earlier prompt can name it.
    let findings = input
        .findings
        .iter()
        .map(|finding| VerifyFinding { key: finding.key.clone(), text: finding.text.replace(input.marker, "") });
    render(
        "verify.md",
        template,
        &json!({
            "system": input.system,
            "structured": input.structured,
            "schema": input.schema,
            "room": input.room,
            "findings": findings.collect::<Vec<_>>(),
            "left_out": input.left_out,
            "marker": input.marker,
        }),
    )
}
