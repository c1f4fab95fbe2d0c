//! Updates of the window: their state, checking, downloading, and the restart.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::program::Done;
use crate::registry::Table;
use diffsan_updater::{UpdateView, Updater};

/// No parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct UpdateParams {}

/// How to check for a newer version.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct UpdateCheckParams {
    /// Whether nobody asked. Such a check does nothing without an address, or within a day of the last check.
    #[serde(default)]
    pub automatic: bool,
}

pub(super) fn register(table: &mut Table, updater: &Arc<Updater>) {
    let viewed = Arc::clone(updater);
    table.plain("update.state", "Returns the state of updates of the window", move |_| viewed.view());
    let checked = Arc::clone(updater);
    table.async_query(
        "update.check",
        "Checks for a newer version of the window",
        move |_, params: UpdateCheckParams, _| {
            let updater = Arc::clone(&checked);
            async move { Ok(updater.check(params.automatic).await?) }
        },
    );
    let downloaded = Arc::clone(updater);
    table.async_query(
        "update.download",
        "Downloads and verifies the version that the last check found",
        move |_, _: UpdateParams, ask| {
            let updater = Arc::clone(&downloaded);
            async move { Ok::<UpdateView, _>(updater.download(&ask.cancel).await?) }
        },
    );
    let installed = Arc::clone(updater);
    table.method(
        "update.install",
        "Ends the window and starts it again with the downloaded version",
        move |_, _: UpdateParams| {
            installed.install()?;
            Ok(Done {})
        },
    );
    let shown = Arc::clone(updater);
    table.method(
        "update.started",
        "Records that the page is shown, which completes an update",
        move |_, _: UpdateParams| {
            shown.started()?;
            Ok(Done {})
        },
    );
    let dismissed = Arc::clone(updater);
    table.method("update.dismiss", "Removes the message about an update that failed", move |_, _: UpdateParams| {
        dismissed.dismiss()?;
        Ok(Done {})
    });
}
