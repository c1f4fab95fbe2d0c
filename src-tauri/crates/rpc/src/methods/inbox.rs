//! The inbox: its rows, refreshing, the reader's marks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::Table;
use diffsan_sync::{InboxView, MarkParams};

/// Asks for a refresh of the inbox.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct InboxRefreshParams {}

/// Takes the latest mark back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct InboxUndoParams {}

/// The inbox after an undo.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InboxUndoneView {
    /// The key of the row whose mark was taken back. None if there was nothing to undo.
    pub key: Option<String>,
    /// The inbox.
    pub inbox: InboxView,
}

pub(super) fn register(table: &mut Table) {
    table.plain("inbox.list", "Returns the inbox as it was read last, without the network", |app| app.inbox_view());
    table.async_method(
        "inbox.refresh",
        "Reads the inbox of every account and of the recent repositories",
        |app, _: InboxRefreshParams| async move {
            let view = app.refresh_inbox_with_news().await?;
            // Other merge requests are fetched when they are opened.
            tokio::spawn(async move { app.prefetch_inbox().await });
            Ok(view)
        },
    );
    table.method(
        "inbox.mark",
        "Marks a row as done, snoozed or muted, or removes its mark",
        |app, params: MarkParams| Ok(app.mark_inbox_row(&params)?),
    );
    table.method("inbox.undo", "Takes the latest change of a mark back", |app, _: InboxUndoParams| {
        let (key, inbox) = app.undo_inbox_mark()?;
        Ok(InboxUndoneView { key, inbox })
    });
}
