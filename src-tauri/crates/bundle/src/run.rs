//! Finds the run folder that a user names.

use std::path::{Path, PathBuf};

use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_store::files::artifacts::RunRecord;
use diffsan_store::files::places::Places;

/// Returns the folder of a run: of the `last` one, of the one with this identifier, or the folder itself. Blocks.
pub fn find_run(places: &Places, name: &str) -> Result<PathBuf> {
    let folder = Path::new(name);
    if folder.join("run.json").is_file() {
        return Ok(folder.to_owned());
    }
    let runs = places.runs();
    if name == "last" {
        return last(&runs).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "There is no run yet.").hint("Review a change with `diffsan review`.")
        });
    }
    let is_id = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-');
    Some(runs.join(name)).filter(|folder| is_id && folder.join("run.json").is_file()).ok_or_else(|| {
        Error::new(ErrorCode::NotFound, format!("There is no run {name}."))
            .hint("Name a run by its identifier, `last`, or its folder.")
    })
}

/// Returns the run with the latest start time.
fn last(runs: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let started = |folder: PathBuf| Some((RunRecord::read(&folder)?.started_at, folder));
    entries.filter_map(|entry| started(entry.path())).max().map(|(_, folder)| folder)
}
