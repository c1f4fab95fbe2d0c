//! The open line of a conversation: opened when it is needed, used as long as the agent behind it knows what was said.

use super::ChatContext;
use super::context::room_note;
use diffsan_agent::chat::{Line, Opening, SessionRequest};
use diffsan_pipeline::agents::{AgentChoice, agent_folders};
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::{PreparedRoom, furnish, inside_repository};
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
    pub(super) room: Option<PreparedRoom>,
    /// What it is told of the room.
    pub(super) note: Option<Redacted<String>>,
}

/// Makes its folders, and its room if it may read files. Blocking.
pub(super) fn furniture(
    chat_context: ChatContext<'_>,
    choice: &AgentChoice,
    session: &mut Session,
) -> Result<Furniture> {
    let folders = agent_folders(chat_context.places, chat_context.opened)?;
    let wanted = choice.agent.spec.reads_files;
    let room = match chat_context.opened.settings.config.agent.room {
        diffsan_config::Room::Redacted if wanted => furnish(chat_context.places, chat_context.opened, session.clone())?,
        diffsan_config::Room::Repository if wanted => Some(inside_repository(chat_context.opened)?),
        _ => None,
    };
    let note = match &room {
        Some(room) => room_note(chat_context, &choice.agent, Some(room), session)?,
        None => None,
    };
    Ok(Furniture { folders, room, note })
}

/// Opens a line.
pub(super) fn open(
    chat_context: ChatContext<'_>,
    choice: &AgentChoice,
    furniture: Furniture,
    opening: Opening,
) -> Line {
    let Furniture { folders, room, .. } = furniture;
    let request = SessionRequest {
        program: choice.program.clone(),
        config: chat_context.opened.settings.config.agent.clone(),
        model: choice.model.clone(),
        key: choice.key(),
        room: room.as_ref().map_or_else(|| folders.empty.clone(), PreparedRoom::folder),
        empty: folders.empty.clone(),
        home: folders.home.clone(),
        temporary: folders.temporary.clone(),
        search: chat_context.opened.search_path(),
        opening,
        keep: Box::new((folders, room)),
    };
    Line::open(&choice.agent, request)
}
