//! The history of reviews, conversations and interrupted runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chat_view::{ConversationItem, conversation_item};
use super::program::Done;
use super::repositories::{RepoView, repository_view};
use crate::registry::Table;
use diffsan_app::{EntryKind, HistoryParams, Reopened};
use diffsan_change::Target;
use diffsan_git::Repo;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;

/// Identifies an entry of the history.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct HistoryName {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The id of the entry.
    pub id: String,
}

/// The change of an entry of the history. The client opens it with `change.open` and the same values.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReopenedView {
    /// The repository. None if the change needs none.
    pub repo: Option<RepoView>,
    /// The target to open.
    pub target: Target,
    /// The commit since which changes were sent, if not all of them were.
    pub since: Option<String>,
    /// The review to show with the change, if it is not the latest.
    pub review_id: Option<String>,
    /// The conversation.
    pub conversation: Option<ConversationItem>,
    /// A note for display if something differs from then.
    pub note: Option<String>,
    /// The change as it is now, if it differs.
    pub now: Option<Target>,
}

pub(super) fn register(table: &mut Table) {
    table.query("history.list", "Returns a page of all reviews and conversations", |app, params: HistoryParams| {
        Ok(app.history_page(&params)?)
    });
    table.async_query(
        "history.open",
        "Finds the change of a review, conversation or run",
        |app, params: HistoryName, ask| async move {
            let reopened = match params.kind {
                EntryKind::Review => app.reopen_review(&params.id, &ask.cancel).await?,
                EntryKind::Conversation => app.reopen_conversation(&params.id, &ask.cancel).await?,
                EntryKind::Run => blocking(move || app.reopen_run(&params.id)).await?,
            };
            Ok(blocking(move || reopened_view(reopened)).await?)
        },
    );
    table.method("history.remove", "Removes a review, conversation or run permanently", |app, params: HistoryName| {
        app.remove_from_history(params.kind, &params.id)?;
        Ok(Done {})
    });
}

fn reopened_view(reopened: Reopened) -> Result<ReopenedView> {
    let repo = match &reopened.repo {
        Some(path) => Some(repository_view(&Repo::open(path)?)?),
        None => None,
    };
    Ok(ReopenedView {
        repo,
        target: reopened.target,
        since: reopened.since,
        review_id: reopened.review,
        conversation: reopened.conversation.map(conversation_item),
        note: reopened.note,
        now: reopened.now,
    })
}
