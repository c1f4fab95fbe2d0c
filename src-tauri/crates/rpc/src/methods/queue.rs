//! The review queue: its items, their order, and whether it works.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::registry::Table;
use diffsan_queue::{Queue, QueueView, unreviewed};

/// Adds rows of the inbox to the queue.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct QueueAddParams {
    /// The keys of the rows.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Whether all rows are added that wait for the user and are not reviewed at their head.
    #[serde(default)]
    pub all: bool,
    /// The agents, which review at the same time. The configured agent if empty.
    #[serde(default)]
    pub agents: Vec<String>,
}

/// Names items of the queue.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct QueueRemoveParams {
    /// The keys of the items. Without any, all items that have ended.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// Moves an item of the queue.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct QueueMoveParams {
    /// The key of the item.
    pub key: String,
    /// The new place among the items that wait, from 0.
    pub place: u32,
}

/// Turns the queue on or off.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct QueueSwitchParams {
    /// Whether the queue works.
    pub on: bool,
}

pub(super) fn register(table: &mut Table, queue: &Arc<Queue>) {
    // A queue that was on when the program ended goes on when the first page asks for it.
    let of_page = Arc::clone(queue);
    table.plain("queue.list", "Returns the review queue and its budget of today", move |_| {
        let view = of_page.view()?;
        if view.on {
            of_page.work_in_background();
        }
        Ok(view)
    });
    let added = Arc::clone(queue);
    table.method(
        "queue.add",
        "Adds rows of the inbox to the review queue",
        move |app, params: QueueAddParams| -> Result<QueueView, _> {
            let mut keys = params.keys;
            if params.all {
                let more = unreviewed(&app.inbox_view()?.rows);
                keys.extend(more.into_iter().filter(|key| !keys.contains(key)).collect::<Vec<_>>());
            }
            Ok(added.add(&keys, &params.agents)?)
        },
    );
    let removed = Arc::clone(queue);
    table.method(
        "queue.remove",
        "Removes items of the review queue; the review of one that runs is cancelled",
        move |_, params: QueueRemoveParams| {
            Ok(if params.keys.is_empty() { removed.remove_ended()? } else { removed.remove(&params.keys)? })
        },
    );
    let moved = Arc::clone(queue);
    table.method("queue.move", "Moves an item of the review queue", move |_, params: QueueMoveParams| {
        Ok(moved.move_to(&params.key, params.place as usize)?)
    });
    let switched = Arc::clone(queue);
    table.method(
        "queue.switch",
        "Turns the review queue on or off; a review that runs ends first",
        move |_, params: QueueSwitchParams| {
            let view = switched.set_on(params.on)?;
            if view.on {
                switched.work_in_background();
            }
            Ok(view)
        },
    );
}
