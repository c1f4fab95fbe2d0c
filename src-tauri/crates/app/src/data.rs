//! The saved data: its size, and its removal.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::App;
use diffsan_pipeline::error::Result;
use diffsan_store::files::usage;

/// The saved data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SavedData {
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DataPart {
    /// The name for display.
    pub title: &'static str,
    /// The size in bytes.
    pub bytes: u64,
}

/// A kind of data to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// The run folders.
    Runs,
    /// Reviews with their decisions, conversations, ended postings, and run folders.
    Everything,
    /// The rooms of agents, which are created again when they are needed.
    Caches,
}

/// The amounts of removed data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedData {
    /// The number of run folders.
    pub runs: u64,
    /// The number of reviews.
    pub reviews: u64,
    /// The number of conversations.
    pub conversations: u64,
    /// The freed disk space, in bytes.
    pub bytes: u64,
}

impl App {
    /// Removes data that is older than `before` (RFC 3339), or all of it. Data in use is not removed. Blocks.
    pub fn remove_data(&self, what: DataKind, before: Option<&str>) -> Result<RemovedData> {
        let cut = before.unwrap_or("9999");
        let size = || usage::size(&self.places.data).bytes;
        let had = size();
        let mut removed = RemovedData::default();
        if what == DataKind::Caches {
            usage::remove_unlocked(&self.places.rooms());
        } else {
            removed.runs = usage::remove_runs(&self.places.runs(), cut);
        }
        if what == DataKind::Everything {
            (removed.reviews, removed.conversations) = self.store.remove_before(cut)?;
        }
        removed.bytes = had.saturating_sub(size());
        Ok(removed)
    }

    /// Returns the saved data and its size. Blocks.
    pub fn saved_data(&self) -> Result<SavedData> {
        let places = &self.places;
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
            ("Rooms of agents, created again when needed", rooms),
            ("The bundled sample", sample),
            ("Other", whole.saturating_sub(state + runs.bytes + rooms + sample)),
        ];
        let (reviews, conversations) = self.store.saved_counts()?;
        Ok(SavedData {
            folder: places.data.display().to_string(),
            config_folder: places.config.display().to_string(),
            parts: parts.into_iter().map(|(title, bytes)| DataPart { title, bytes }).collect(),
            reviews,
            conversations,
            runs: runs.folders,
        })
    }
}
