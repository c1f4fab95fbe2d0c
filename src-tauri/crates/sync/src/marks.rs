//! The reader's marks on rows, and undoing them.

use diffsan_inbox::{Item, LocalItem, Mark, MarkKind};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Inbox, LOCAL, json};

/// Sets the mark of a row.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "InboxMarkParams")]
pub struct MarkParams {
    /// The key of the row.
    pub key: String,
    /// The mark. Without it, the mark of the row is removed.
    #[serde(default)]
    pub mark: Option<MarkKind>,
    /// The end of a snooze, RFC 3339. Without it, new activity ends the snooze.
    #[serde(default)]
    pub until: Option<String>,
}

impl Inbox {
    /// Sets or removes the mark of a row. Blocks.
    pub fn mark(&self, params: &MarkParams) -> Result<()> {
        let until = params.until.as_deref().map(|text| {
            text.parse::<Timestamp>().map_err(|error| {
                Error::new(ErrorCode::InvalidInput, format!("{text} is not a time: {error}."))
                    .hint("Use a time such as 2026-11-26T09:00:00Z.")
            })
        });
        let until = until.transpose()?;
        let stored = self.store.inbox_items()?.into_iter().find(|row| row.key == params.key);
        let Some(row) = stored else {
            return Err(Error::new(ErrorCode::NotFound, "This row is not in the inbox any more."));
        };
        let activity = if row.source == LOCAL {
            serde_json::from_str::<LocalItem>(&row.item).map(|item| item.facts.activity)
        } else {
            serde_json::from_str::<Item>(&row.item).map(|item| item.facts.activity())
        };
        let mark = params.mark.map(|kind| Mark { kind, until, activity: activity.unwrap_or_default() });
        self.know_turn(&params.key)?;
        let text = mark.as_ref().map(json).transpose()?;
        Ok(self.store.set_inbox_mark(&params.key, text.as_deref(), &Timestamp::now().to_string())?)
    }

    /// Takes the latest change of a mark back. Returns the key of its row, or `None` if there is none. Blocks.
    pub fn undo(&self) -> Result<Option<String>> {
        let key = self.store.undo_inbox_mark()?;
        if let Some(key) = &key {
            self.know_turn(key)?;
        }
        Ok(key)
    }
}
