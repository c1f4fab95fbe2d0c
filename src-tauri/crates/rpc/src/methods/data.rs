//! Shows and removes saved data.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::Table;
use diffsan_app::{App, Removal};
use diffsan_pipeline::error::Result;
use diffsan_store::files::usage;

/// The saved data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataView {
    /// The path of the data folder.
    pub folder: String,
    /// The path of the configuration folder.
    pub config_folder: String,
    /// The parts of the data folder.
    pub parts: Vec<DataPart>,
    /// The number of reviews.
    pub reviews: u64,
    /// The number of conversations.
    pub conversations: u64,
    /// The number of run folders.
    pub runs: u64,
}

/// A part of the data folder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataPart {
    /// The name for display.
    pub title: String,
    /// The size in bytes.
    pub bytes: u64,
}

/// A kind of data to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// The run folders.
    Runs,
    /// Reviews with their decisions, conversations, ended postings, and run folders.
    Everything,
    /// Data that is created again when it is needed.
    Caches,
}

/// Removes saved data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataRemoveParams {
    /// The kind of data.
    pub what: DataKind,
    /// The minimum age in days. Everything of that kind if absent.
    #[serde(default)]
    pub older_than_days: Option<u32>,
}

/// The result of removing data.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataRemoved {
    /// The number of removed run folders.
    pub runs: u64,
    /// The number of removed reviews.
    pub reviews: u64,
    /// The number of removed conversations.
    pub conversations: u64,
    /// The freed space in bytes.
    pub bytes: u64,
    /// The remaining data.
    pub left: DataView,
}

pub(super) fn register(table: &mut Table) {
    table.plain("data.view", "Returns the saved data and its size on disk", |app| data(app));
    table.method("data.remove", "Removes saved data", |app, params: DataRemoveParams| {
        let what = match params.what {
            DataKind::Runs => Removal::Runs,
            DataKind::Everything => Removal::Everything,
            DataKind::Caches => Removal::Caches,
        };
        let cut = params.older_than_days.map(days_ago);
        let removed = app.remove_data(what, cut.as_deref())?;
        Ok(DataRemoved {
            runs: removed.runs,
            reviews: removed.reviews,
            conversations: removed.conversations,
            bytes: removed.bytes,
            left: data(app)?,
        })
    });
}

fn days_ago(days: u32) -> String {
    let span = jiff::SignedDuration::from_hours(i64::from(days) * 24);
    let time = jiff::Timestamp::now().checked_sub(span).unwrap_or(jiff::Timestamp::MIN);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn data(app: &App) -> Result<DataView> {
    let places = app.places();
    let runs = usage::size(&places.runs());
    let store = places.store();
    let beside = |ending: &str| usage::size(Path::new(&format!("{}{ending}", store.display()))).bytes;
    let state = ["", "-wal", "-shm"].iter().map(|ending| beside(ending)).sum::<u64>();
    let rooms = usage::size(&places.rooms()).bytes + usage::size(&places.private()).bytes;
    let sample = usage::size(&places.sample()).bytes;
    let whole = usage::size(&places.data).bytes;
    let parts = [
        ("Reviews, decisions and conversations", state),
        ("Run folders: prompts, answers, reports", runs.bytes),
        ("Rooms of agents, made anew when needed", rooms),
        ("The bundled sample", sample),
        ("Other", whole.saturating_sub(state + runs.bytes + rooms + sample)),
    ];
    let (reviews, conversations) = app.kept_counts()?;
    Ok(DataView {
        folder: places.data.display().to_string(),
        config_folder: places.config.display().to_string(),
        parts: parts.iter().map(|(title, bytes)| DataPart { title: (*title).to_owned(), bytes: *bytes }).collect(),
        reviews,
        conversations,
        runs: runs.folders,
    })
}
