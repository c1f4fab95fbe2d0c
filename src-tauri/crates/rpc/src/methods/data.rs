//! Shows and removes saved data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::Table;
use diffsan_app::{DataKind, RemovedData, SavedData};

/// Removes saved data.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DataRemoveParams {
    /// The kind of data.
    pub kind: DataKind,
    /// The minimum age in days. Everything of that kind if absent.
    #[serde(default)]
    pub older_than_days: Option<u32>,
}

/// The result of removing data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DataRemoved {
    /// The amounts of removed data.
    #[serde(flatten)]
    pub removed: RemovedData,
    /// The remaining data.
    pub remaining: SavedData,
}

pub(super) fn register(table: &mut Table) {
    table.plain("data.view", "Returns the saved data and its size on disk", |app| app.saved_data());
    table.method("data.remove", "Removes saved data", |app, params: DataRemoveParams| {
        let before = params.older_than_days.map(days_ago);
        let removed = app.remove_data(params.kind, before.as_deref())?;
        Ok(DataRemoved { removed, remaining: app.saved_data()? })
    });
}

fn days_ago(days: u32) -> String {
    let span = jiff::SignedDuration::from_hours(i64::from(days) * 24);
    let time = jiff::Timestamp::now().checked_sub(span).unwrap_or(jiff::Timestamp::MIN);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
