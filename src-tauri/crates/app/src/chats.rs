//! Use cases of conversations.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::findings::find_finding;
use super::{App, ChangeHandle};
use diffsan_chat::{
    AssembledMessages, ChatContext, CommitMessage, Draft, Following, PendingTurn, PermissionAnswer, Reviewed,
    unknown_conversation,
};
use diffsan_pipeline::agents::{AgentChoice, choose_agent};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_store::{Compaction, Conversation, StoredFix, StoredMessage};

/// The maximum time that [`App::end`] waits. It is longer than ending an agent's program by signals takes.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// A whole conversation.
#[derive(Clone, Debug)]
pub struct ConversationView {
    /// The conversation's description.
    pub conversation: Conversation,
    /// Every message, including superseded ones.
    pub messages: Vec<StoredMessage>,
    /// The compactions, oldest first.
    pub compactions: Vec<Compaction>,
    /// The fixes that were applied.
    pub fixes: Vec<StoredFix>,
    /// Whether an answer is being written, in this process or another one.
    pub busy: bool,
}

impl App {
    /// Returns the fixes that were applied in a conversation, oldest first. Blocks.
    pub fn conversation_fixes(&self, id: &str) -> Result<Vec<StoredFix>> {
        self.store.fixes(id).map_err(Error::from)
    }

    fn reviewed(&self, opened: &OpenChange) -> Result<Option<Reviewed>> {
        let Some(saved) = self.latest_review(opened)? else { return Ok(None) };
        let decided = |key: &str| {
            let one = saved.decisions.iter().find(|decided| decided.finding_key == key);
            one.map_or("open", |one| one.decision.as_str()).to_owned()
        };
        let findings: Vec<_> = saved.output.findings.iter().map(|one| (one.clone(), decided(&one.key))).collect();
        Ok(Some(Reviewed { id: saved.id, findings }))
    }

    /// Returns the key of a finding of the latest review; see [`find_finding`]. Blocks.
    pub fn find_finding(&self, opened: &OpenChange, name: &str) -> Result<String> {
        let saved = self.latest_review(opened)?;
        find_finding(saved.as_ref().map_or(&[][..], |saved| &saved.output.findings), name)
    }

    fn chat_context<'a>(&'a self, opened: &'a Arc<OpenChange>, reviewed: Option<&'a Reviewed>) -> ChatContext<'a> {
        ChatContext { places: &self.places, store: &self.store, chats: &self.chats, opened, reviewed }
    }

    fn choice(opened: &OpenChange, agent: Option<&str>, model: Option<&str>) -> Result<AgentChoice> {
        let agent = agent.filter(|name| !name.is_empty());
        choose_agent(agent, model, &opened.settings.config, &opened.search_path())
    }

    /// Returns the conversations about a change, latest first. Blocks.
    pub fn conversations(&self, opened: &OpenChange) -> Result<Vec<Conversation>> {
        let target = opened.written_target().to_string();
        self.store.conversations(&opened.repository_name(), &target).map_err(Error::from)
    }

    /// Begins a conversation about a change. Blocks.
    pub fn new_conversation(
        &self,
        handle: &ChangeHandle,
        agent: Option<&str>,
        model: Option<&str>,
    ) -> Result<Conversation> {
        let reviewed = self.reviewed(&handle.opened)?;
        diffsan_chat::new_conversation(self.chat_context(&handle.opened, reviewed.as_ref()), agent, model)
    }

    /// Stops all work that may run an agent, and waits until no agent runs. Messages are stored, and the folder of a
    /// stopped review records that.
    pub async fn end(&self) {
        let ending = async {
            tokio::join!(self.work.end(), self.chats.end());
            // A stopped answer may have left its session open.
            self.chats.end().await;
            // A dropped session ends its program by itself.
            diffsan_agent::none_runs().await;
        };
        // An unresponsive file system must not prevent the program's end.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, ending).await;
    }

    /// Whether a review runs or an agent writes an answer. Ending the program would stop it.
    pub fn has_unfinished_work(&self) -> bool {
        self.runs.is_any_running() || self.chats.is_any_running()
    }

    /// Returns a whole conversation. Blocks.
    pub fn conversation(&self, id: &str) -> Result<ConversationView> {
        let conversation = self.store.conversation(id)?.ok_or_else(unknown_conversation)?;
        let elsewhere = self.store.is_occupied(id, jiff::Timestamp::now().as_millisecond())?;
        if !elsewhere && !self.chats.is_running(id) {
            // The program that wrote the answer has ended.
            self.store.settle_interrupted(id)?;
        }
        Ok(ConversationView {
            conversation,
            messages: self.store.messages(id)?,
            compactions: self.store.compactions(id)?,
            fixes: self.store.fixes(id)?,
            busy: elsewhere || self.chats.is_running(id),
        })
    }

    /// Removes a conversation. Blocks.
    pub fn remove_conversation(&self, id: &str) -> Result<()> {
        self.chats.stop(id);
        self.store.remove_conversation(id).map_err(Error::from)
    }

    /// Stores a message; [`Self::run_turn`] sends it. Blocks.
    pub fn begin_turn(&self, handle: &ChangeHandle, id: &str, draft: Draft) -> Result<PendingTurn> {
        let reviewed = self.reviewed(&handle.opened)?;
        diffsan_chat::begin_turn(self.chat_context(&handle.opened, reviewed.as_ref()), id, draft)
    }

    /// Sends a message, and stores the answer until it ends.
    pub async fn run_turn(&self, opened: &Arc<OpenChange>, pending: PendingTurn) {
        let _work = self.work.begin(pending.stop());
        let reviewed = tokio::task::block_in_place(|| self.reviewed(opened)).ok().flatten();
        diffsan_chat::run_turn(self.chat_context(opened, reviewed.as_ref()), pending).await;
    }

    /// Stops an answer. Returns `false` if none is being written.
    pub fn stop_chat(&self, id: &str) -> bool {
        self.chats.stop(id)
    }

    /// Answers an agent's request for permission. Returns `false` if the request is not open any more.
    pub fn permit(&self, id: &str, request: &str, permit: PermissionAnswer) -> bool {
        self.chats.permit(id, request, permit)
    }

    /// Follows a conversation from now on.
    pub fn follow(&self, id: &str) -> Following {
        self.chats.follow(id)
    }

    /// Returns the messages that would be sent with the next one. Blocks.
    pub fn assembled(&self, handle: &ChangeHandle, id: &str, agent: Option<&str>) -> Result<AssembledMessages> {
        let view = self.conversation(id)?;
        let reviewed = self.reviewed(&handle.opened)?;
        let agent = agent.or(Some(view.conversation.agent.as_str()));
        let choice = Self::choice(&handle.opened, agent, None)?;
        diffsan_chat::assembled(self.chat_context(&handle.opened, reviewed.as_ref()), &view.conversation, &choice.agent)
    }

    /// Compacts the earlier messages of a conversation now.
    pub async fn compact(&self, handle: &ChangeHandle, id: &str, cancel: &CancellationToken) -> Result<Compaction> {
        let _work = self.work.begin(cancel);
        let prepare = || {
            let view = self.conversation(id)?;
            if view.busy {
                return Err(Error::new(ErrorCode::Busy, "An answer is being written in this conversation.")
                    .hint("Wait for it, or stop it first."));
            }
            let Conversation { agent, model, .. } = &view.conversation;
            let choice = Self::choice(&handle.opened, Some(agent), model.as_deref())?;
            Ok((view.conversation, self.reviewed(&handle.opened)?, choice))
        };
        let (conversation, reviewed, choice) = tokio::task::block_in_place(prepare)?;
        diffsan_chat::compact_now(self.chat_context(&handle.opened, reviewed.as_ref()), &conversation, &choice, cancel)
            .await
    }

    /// Applies a fix block to the work tree. `block` is the number of its message and the line of its opening fence.
    /// `allow_protected` names the protected file that the reviewer confirmed. Blocks.
    pub fn apply_fix(
        &self,
        handle: &ChangeHandle,
        id: &str,
        block: (i64, usize),
        allow_protected: Option<&str>,
    ) -> Result<StoredFix> {
        diffsan_chat::apply_fix(self.chat_context(&handle.opened, None), id, block, allow_protected)
    }

    /// Asks an agent for a commit message for a change.
    pub async fn commit_message(
        &self,
        handle: &ChangeHandle,
        agent: Option<&str>,
        model: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<CommitMessage> {
        let _work = self.work.begin(cancel);
        let choice = tokio::task::block_in_place(|| Self::choice(&handle.opened, agent, model))?;
        diffsan_chat::commit_message(self.chat_context(&handle.opened, None), &choice, cancel).await
    }

    /// Returns the text of the snippet with this name, or of the only one whose name begins with it. Blocks.
    pub fn snippet(&self, name: &str) -> Option<String> {
        let (read, _) = self.snippets();
        diffsan_prepare::prompt::snippets::named(&read.snippets, name).map(|snippet| snippet.message.clone())
    }
}
