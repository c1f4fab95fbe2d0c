//! The private folders of an agent's program for one question.
//!
//! In: the change of the question. Out: new folders, unless a folder above them contains files of the repository under review, because
//! programs search parent folders for settings.

use std::path::Path;

use super::error::no_folders;
use crate::blocking::blocking;
use crate::error::sentence;
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use diffsan_agent::room::{hostile_parents, make_boundary};
use diffsan_agent::{AgentFolders, SCHEMA_FILE};
use diffsan_config::Room;
use diffsan_review::answer;
use diffsan_store::files::places::Places;
use diffsan_store::files::private::PrivateFolders;

/// The maximum number of files that an error names.
const MAX_NAMED: usize = 5;

/// Creates the private folders of an agent. Fails if a parent folder is part of the repository under review. Blocks.
pub fn agent_folders(places: &Places, opened: &OpenChange) -> Result<PrivateFolders> {
    check_parents(places, opened)?;
    private_folders(places)
}

/// Writes the schema of the answer, for a question without a run folder. Blocks.
pub fn write_schema(private: &PrivateFolders, schema: &serde_json::Value) -> Result<()> {
    std::fs::write(private.temporary.join(SCHEMA_FILE), schema.to_string()).map_err(no_folders)
}

/// Returns the folders of an agent that reads the files of `room`. Without a room, the agent gets the empty folder.
pub fn folders_with_room(private: &PrivateFolders, room: Option<&Path>) -> AgentFolders {
    AgentFolders {
        room: room.unwrap_or(&private.empty).to_owned(),
        empty: private.empty.clone(),
        home: private.home.clone(),
        temporary: private.temporary.clone(),
    }
}

/// Creates the folders of one question. The empty one contains a boundary at which programs stop searching parent folders. Blocks.
fn private_folders(places: &Places) -> Result<PrivateFolders> {
    let folders = PrivateFolders::create(&places.private()).map_err(no_folders)?;
    make_boundary(&folders.empty).map_err(no_folders)?;
    Ok(folders)
}

/// Creates the folders of one question without a change, with the schema of a review.
pub(super) async fn folders_for_review(places: &Places) -> Result<PrivateFolders> {
    let places = places.clone();
    blocking(move || {
        let private = private_folders(&places)?;
        write_schema(&private, &answer::strict_schema())?;
        Ok(private)
    })
    .await
}

/// Fails if diffsan's data folder is inside the work tree under review, below files that agents read as settings. An agent that runs in the
/// repository itself reads these files because the user trusts them.
fn check_parents(places: &Places, opened: &OpenChange) -> Result<()> {
    let trusted = opened.settings.config.agent.room == Room::Repository && opened.trust.is_given();
    let Some(root) = opened.root.as_ref().filter(|_| !trusted) else { return Ok(()) };
    let found = hostile_parents(root, &places.data).map_err(|error| {
        Error::new(
            ErrorCode::AgentExecFailed,
            sentence(&format!("The folders above diffsan's data cannot be checked: {error}")),
        )
        .hint("Check that the data folder and its parent folders are readable.")
    })?;
    if found.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = found.iter().take(MAX_NAMED).map(|path| path.display().to_string()).collect();
    let more = if found.len() > MAX_NAMED { format!(" and {} more", found.len() - MAX_NAMED) } else { String::new() };
    let message = format!(
        "diffsan's data folder is inside the repository under review, so the agent would read settings of the \
         repository: {}{more}. Nothing was sent.",
        shown.join(", ")
    );
    Err(Error::new(ErrorCode::AgentExecFailed, message)
        .hint("Set DIFFSAN_DATA_DIR to a folder outside the repository, or unset it."))
}
