//! The reader's mark on a row of the inbox: done, snoozed or muted.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the reader did with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InboxMark")]
pub enum MarkKind {
    /// Nothing more to do. It ends with new activity.
    Done,
    /// Not now. It ends at a time or, without one, with new activity.
    Snoozed,
    /// Never. It ends when the reader removes it.
    Muted,
}

/// A mark of the reader on a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// What the reader did.
    pub kind: MarkKind,
    /// The end of a snooze, RFC 3339. Without it, new activity ends the snooze.
    #[schemars(with = "Option<String>")]
    pub until: Option<Timestamp>,
    /// The activity of the row when the mark was set; see [`crate::Facts::activity`].
    pub activity: String,
}

impl Mark {
    /// Returns whether the mark still holds at a time, for a row with an activity.
    pub fn holds(&self, activity: &str, now: Timestamp) -> bool {
        match (self.kind, self.until) {
            (MarkKind::Muted, _) => true,
            (MarkKind::Snoozed, Some(until)) => now < until,
            (MarkKind::Done | MarkKind::Snoozed, _) => self.activity == activity,
        }
    }
}
