//! Stacks of merge requests and of local branches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::ChangeIdParams;
use crate::registry::{Table, opened};
use diffsan_app::MovedFindings;
use diffsan_change::Target;
use diffsan_stacks::Stack;

/// Moves findings to the lower layer that introduced their lines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MoveParams {
    /// The opened change.
    pub change_id: String,
    /// The review.
    pub review_id: String,
    /// The keys of the findings.
    pub findings: Vec<String>,
    /// The target that opens the layer.
    pub target: Target,
}

pub(super) fn register(table: &mut Table) {
    table.async_query("change.stack", "Returns the stack of a change", |app, params: ChangeIdParams, _| async move {
        let handle = opened(&app, &params.change_id)?;
        let stack: Stack = app.stack_with_states(&handle.opened).await?;
        Ok(stack)
    });
    table.async_method(
        "stack.move",
        "Adds findings to the review of the lower layer that introduced their lines",
        |app, params: MoveParams| async move {
            let handle = opened(&app, &params.change_id)?;
            let MoveParams { review_id, findings, target, .. } = params;
            let moved: MovedFindings = app.move_to_layer(&handle.opened, &review_id, findings, target).await?;
            Ok(moved)
        },
    );
}
