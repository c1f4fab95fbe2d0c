//! The open session of a conversation. It is opened when it is needed, and reused as long as its agent knows every
//! message.

use super::ChatContext;
use super::context::room_note;
use diffsan_agent::AgentRequest;
use diffsan_agent::session::AgentSession;
use diffsan_pipeline::agents::{AgentChoice, agent_folders, folders_with_room};
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::{PreparedRoom, room_of};
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_store::files::private::PrivateFolders;

/// An open session and its messages.
pub(super) struct OpenSession {
    pub(super) agent: AgentSession,
    pub(super) key: SessionKey,
    /// The numbers of the messages that the agent knows.
    pub(super) known: Vec<i64>,
}

/// The agent of a session and the opening of the session. A different key needs a new session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionKey {
    pub(super) agent: String,
    pub(super) model: Option<String>,
    pub(super) context: String,
    pub(super) system: String,
}

/// The folders of a session.
pub(super) struct SessionResources {
    folders: PrivateFolders,
    room: Option<PreparedRoom>,
    /// The description of the room for the agent.
    pub(super) note: Option<Redacted<String>>,
}

impl SessionResources {
    /// Creates the folders, and the room if the agent reads files. Blocks.
    pub(super) fn prepare(chat_context: ChatContext<'_>, choice: &AgentChoice, session: &mut Session) -> Result<Self> {
        let opened = chat_context.opened;
        let room = room_of(chat_context.places, opened, &choice.agent, session.clone())?;
        let note = match &room {
            Some(room) => room_note(chat_context, &choice.agent, Some(room), session)?,
            None => None,
        };
        Ok(Self { room, note, ..Self::without_room(chat_context)? })
    }

    /// Creates the folders without a room. Blocks.
    pub(super) fn without_room(chat_context: ChatContext<'_>) -> Result<Self> {
        let folders = agent_folders(chat_context.places, chat_context.opened)?;
        Ok(Self { folders, room: None, note: None })
    }

    /// Returns the request to an agent that uses these folders. Blocks.
    pub(super) fn request(&self, chat_context: ChatContext<'_>, choice: &AgentChoice) -> AgentRequest {
        let opened = chat_context.opened;
        let room = self.room.as_ref().map(PreparedRoom::folder);
        let folders = folders_with_room(&self.folders, room.as_deref());
        choice.request(&opened.settings.config.agent, folders, &opened.search_path())
    }
}
