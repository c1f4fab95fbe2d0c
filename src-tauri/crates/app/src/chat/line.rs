//! The open line of a conversation: opened when it is needed, used as long as the agent behind it knows what was said.

use super::Ground;
use super::context::room_note;
use diffsan_agent::chat::{Line, LineRequest, Opening};
use diffsan_pipeline::agents::{AgentChoice, agent_folders};
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::{Furnished, furnish, inside_repository};
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_store::files::private::PrivateFolders;

/// A line, and what is known on it.
pub(super) struct Kept {
    pub(super) line: Line,
    pub(super) who: Who,
    /// The messages that the agent knows.
    pub(super) known: Vec<i64>,
}

/// Whom a line goes to, and how it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Who {
    pub(super) agent: String,
    pub(super) model: Option<String>,
    pub(super) context: String,
    pub(super) system: String,
}

/// What an agent gets beside the conversation.
pub(super) struct Furniture {
    pub(super) folders: PrivateFolders,
    pub(super) room: Option<Furnished>,
    /// What it is told of the room.
    pub(super) note: Option<Redacted<String>>,
}

/// Makes its folders, and its room if it may read files. Blocking.
pub(super) fn furniture(ground: Ground<'_>, choice: &AgentChoice, session: &mut Session) -> Result<Furniture> {
    let folders = agent_folders(ground.places, ground.opened)?;
    let wanted = choice.agent.spec.reads_files;
    let room = match ground.opened.settings.config.agent.room {
        diffsan_config::Room::Redacted if wanted => furnish(ground.places, ground.opened, session.clone())?,
        diffsan_config::Room::Repository if wanted => Some(inside_repository(ground.opened)?),
        _ => None,
    };
    let note = match &room {
        Some(room) => room_note(ground, &choice.agent, Some(room), session)?,
        None => None,
    };
    Ok(Furniture { folders, room, note })
}

/// Opens a line.
pub(super) fn open(ground: Ground<'_>, choice: &AgentChoice, furniture: Furniture, opening: Opening) -> Line {
    let Furniture { folders, room, .. } = furniture;
    let request = LineRequest {
        program: choice.program.clone(),
        config: ground.opened.settings.config.agent.clone(),
        model: choice.model.clone(),
        key: choice.key(),
        room: room.as_ref().map_or_else(|| folders.empty.clone(), Furnished::folder),
        empty: folders.empty.clone(),
        home: folders.home.clone(),
        temporary: folders.temporary.clone(),
        search: ground.opened.search_path(),
        opening,
        keep: Box::new((folders, room)),
    };
    Line::open(&choice.agent, request)
}
