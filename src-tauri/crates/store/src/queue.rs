//! The review queue: its items in their order, and the runs that it started. An entry is JSON that this crate does not interpret.

use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::{Store, StoreError};

/// An item of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredQueueItem {
    /// The key of the inbox's row.
    pub key: String,
    /// The reviewed change and its reviewers, as JSON.
    pub entry: String,
    /// The state: `waiting`, `running`, `done` or `failed`.
    pub state: String,
    /// The reason of the state, for display.
    pub reason: Option<String>,
    /// The latest run.
    pub run_id: Option<String>,
    /// The number of runs that were interrupted since the item was added.
    pub attempts: u32,
    /// The time of the latest change, RFC 3339.
    pub changed_at: String,
}

/// A run that the queue started.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredQueueRun {
    /// The ID of the run, which is the ID of its review.
    pub run_id: String,
    /// The key of the item.
    pub key: String,
    /// The digest of the diff, the agents and the settings.
    pub digest: String,
    /// The local day on which it counts, such as `2026-11-25`.
    pub day: String,
    /// The start, RFC 3339.
    pub started_at: String,
    /// The state: `running`, `done`, `failed`, `interrupted`, or `skipped` if no agent was asked.
    pub state: String,
    /// Its usage: an estimate until it is done.
    pub usage: QueueUsage,
}

/// The usage of a run, or of all runs of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueueUsage {
    /// The number of runs.
    pub runs: u64,
    /// The number of tokens.
    pub tokens: u64,
    /// The cost in US dollars.
    pub cost: f64,
    /// The time in seconds.
    pub seconds: u64,
}

/// The end of a run, or a change of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueItemChange {
    /// The new state of the item.
    pub state: String,
    /// The reason of the state.
    pub reason: Option<String>,
    /// Whether the item moves to the end of the queue.
    pub to_end: bool,
    /// Whether an interruption is counted.
    pub interrupted: bool,
    /// The time, RFC 3339.
    pub at: String,
}

impl Store {
    /// Returns all items in their order.
    pub fn queue_items(&self) -> Result<Vec<StoredQueueItem>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT key, entry, state, reason, run_id, attempts, changed_at FROM queue_item ORDER BY position, key",
        )?;
        let rows = query.query_map([], |row| {
            Ok(StoredQueueItem {
                key: row.get(0)?,
                entry: row.get(1)?,
                state: row.get(2)?,
                reason: row.get(3)?,
                run_id: row.get(4)?,
                attempts: row.get(5)?,
                changed_at: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Adds items, as keys and entries, to the end of the queue. An item that waits takes the new entry at its place; one that runs
    /// stays as it is.
    pub fn add_queue_items(&self, items: &[(String, String)], at: &str) -> Result<(), StoreError> {
        self.in_queue(|transaction| {
            for (key, entry) in items {
                let state: Option<String> = transaction
                    .query_row("SELECT state FROM queue_item WHERE key = ?1", [key], |row| row.get(0))
                    .optional()?;
                match state.as_deref() {
                    Some("running") => {}
                    Some("waiting") => {
                        transaction.execute("UPDATE queue_item SET entry = ?2 WHERE key = ?1", [key, entry])?;
                    }
                    _ => {
                        transaction.execute(
                            "INSERT OR REPLACE INTO queue_item (key, position, entry, state, changed_at)
                             VALUES (?1, (SELECT coalesce(max(position), 0) + 1 FROM queue_item), ?2, 'waiting', ?3)",
                            [key, entry, at],
                        )?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Removes items. Their runs stay known.
    pub fn remove_queue_items(&self, keys: &[String]) -> Result<(), StoreError> {
        self.in_queue(|transaction| {
            for key in keys {
                transaction.execute("DELETE FROM queue_item WHERE key = ?1", [key])?;
            }
            Ok(())
        })
    }

    /// Removes items that ended before a time, RFC 3339.
    pub fn remove_ended_queue_items(&self, before: &str) -> Result<(), StoreError> {
        self.lock()
            .execute("DELETE FROM queue_item WHERE state IN ('done', 'failed') AND changed_at < ?1", [before])?;
        Ok(())
    }

    /// Puts the items with these keys in this order. Others follow in the order that they had.
    pub fn order_queue(&self, keys: &[String]) -> Result<(), StoreError> {
        self.in_queue(|transaction| {
            let known: Vec<String> = {
                let mut query = transaction.prepare("SELECT key FROM queue_item ORDER BY position, key")?;
                query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
            };
            let first = keys.iter().filter(|key| known.contains(key));
            let rest = known.iter().filter(|key| !keys.contains(key));
            for (position, key) in (1_i64..).zip(first.chain(rest)) {
                transaction.execute("UPDATE queue_item SET position = ?2 WHERE key = ?1", params![key, position])?;
            }
            Ok(())
        })
    }

    /// Changes an item that has no run.
    pub fn change_queue_item(&self, key: &str, change: &QueueItemChange) -> Result<(), StoreError> {
        self.in_queue(|transaction| change_item(transaction, key, change))
    }

    /// Records a run and marks its item as running, in one transaction. Returns `false` if the item does not wait any more.
    pub fn begin_queue_run(&self, run: &StoredQueueRun) -> Result<bool, StoreError> {
        self.in_queue(|transaction| {
            let waits = transaction.execute(
                "UPDATE queue_item SET state = 'running', reason = NULL, run_id = ?2, changed_at = ?3
                 WHERE key = ?1 AND state = 'waiting'",
                [&run.key, &run.run_id, &run.started_at],
            )?;
            if waits == 0 {
                return Ok(false);
            }
            transaction.execute(
                "INSERT INTO queue_run (run_id, key, digest, day, started_at, state, tokens, cost, seconds)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'running', ?6, ?7, ?8)",
                params![
                    run.run_id,
                    run.key,
                    run.digest,
                    run.day,
                    run.started_at,
                    signed(run.usage.tokens),
                    run.usage.cost,
                    signed(run.usage.seconds)
                ],
            )?;
            Ok(true)
        })
    }

    /// Records the end of a run with its usage and changes its item, in one transaction. Without a usage, the estimate stays.
    pub fn end_queue_run(
        &self,
        run: &StoredQueueRun,
        state: &str,
        usage: Option<QueueUsage>,
        change: &QueueItemChange,
    ) -> Result<(), StoreError> {
        let usage = usage.unwrap_or(run.usage);
        self.in_queue(|transaction| {
            transaction.execute(
                "UPDATE queue_run SET state = ?2, tokens = ?3, cost = ?4, seconds = ?5 WHERE run_id = ?1",
                params![run.run_id, state, signed(usage.tokens), usage.cost, signed(usage.seconds)],
            )?;
            change_item(transaction, &run.key, change)
        })
    }

    /// Returns the runs with a digest, oldest first.
    pub fn queue_runs_of(&self, digest: &str) -> Result<Vec<StoredQueueRun>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(&format!("{SELECT_RUN} WHERE digest = ?1 ORDER BY started_at, run_id"))?;
        let rows = query.query_map([digest], read_run)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns a run.
    pub fn queue_run(&self, run_id: &str) -> Result<Option<StoredQueueRun>, StoreError> {
        Ok(self.lock().query_row(&format!("{SELECT_RUN} WHERE run_id = ?1"), [run_id], read_run).optional()?)
    }

    /// Returns the usage of all runs of a day, without those that asked no agent.
    pub fn queue_usage(&self, day: &str) -> Result<QueueUsage, StoreError> {
        let query = "SELECT count(*), coalesce(sum(tokens), 0), coalesce(sum(cost), 0.0), coalesce(sum(seconds), 0)
                     FROM queue_run WHERE day = ?1 AND state <> 'skipped'";
        Ok(self.lock().query_row(query, [day], |row| {
            Ok(QueueUsage {
                runs: unsigned(row.get(0)?),
                tokens: unsigned(row.get(1)?),
                cost: row.get(2)?,
                seconds: unsigned(row.get(3)?),
            })
        })?)
    }

    fn in_queue<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

const SELECT_RUN: &str = "SELECT run_id, key, digest, day, started_at, state, tokens, cost, seconds FROM queue_run";

fn read_run(row: &Row<'_>) -> rusqlite::Result<StoredQueueRun> {
    let usage =
        QueueUsage { runs: 1, tokens: unsigned(row.get(6)?), cost: row.get(7)?, seconds: unsigned(row.get(8)?) };
    Ok(StoredQueueRun {
        run_id: row.get(0)?,
        key: row.get(1)?,
        digest: row.get(2)?,
        day: row.get(3)?,
        started_at: row.get(4)?,
        state: row.get(5)?,
        usage,
    })
}

fn change_item(transaction: &Transaction<'_>, key: &str, change: &QueueItemChange) -> Result<(), StoreError> {
    transaction.execute(
        "UPDATE queue_item SET state = ?2, reason = ?3, attempts = attempts + ?4, changed_at = ?5 WHERE key = ?1",
        params![key, change.state, change.reason, change.interrupted, change.at],
    )?;
    if change.to_end {
        transaction.execute(
            "UPDATE queue_item SET position = (SELECT max(position) + 1 FROM queue_item) WHERE key = ?1",
            [key],
        )?;
    }
    Ok(())
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(keys: &[&str]) -> Store {
        let store = Store::in_memory().expect("opened");
        let items: Vec<_> = keys.iter().map(|key| ((*key).to_owned(), "{}".to_owned())).collect();
        store.add_queue_items(&items, "t").expect("added");
        store
    }

    fn states(store: &Store) -> String {
        let items = store.queue_items().expect("read");
        items.iter().map(|item| format!("{}={}", item.key, item.state)).collect::<Vec<_>>().join(" ")
    }

    fn run(key: &str, id: &str) -> StoredQueueRun {
        StoredQueueRun {
            run_id: id.into(),
            key: key.into(),
            digest: "d".into(),
            day: "2026-11-25".into(),
            started_at: id.into(),
            state: "running".into(),
            usage: QueueUsage { runs: 1, tokens: 100, cost: 0.5, seconds: 0 },
        }
    }

    fn change(state: &str, to_end: bool) -> QueueItemChange {
        QueueItemChange { state: state.into(), to_end, at: "u".into(), ..QueueItemChange::default() }
    }

    #[test]
    fn items_are_ordered_and_added_once() {
        let store = store(&["a", "b", "c"]);
        store.order_queue(&["c".into(), "gone".into(), "a".into()]).expect("ordered");
        assert_eq!(states(&store), "c=waiting a=waiting b=waiting");
        store.add_queue_items(&[("a".into(), "{\"new\":1}".into()), ("d".into(), "{}".into())], "t").expect("added");
        assert_eq!(states(&store), "c=waiting a=waiting b=waiting d=waiting");
        assert_eq!(store.queue_items().expect("read")[1].entry, "{\"new\":1}");
        store.remove_queue_items(&["c".into()]).expect("removed");
        store.change_queue_item("a", &change("failed", false)).expect("changed");
        store.add_queue_items(&[("a".into(), "{}".into())], "t").expect("added");
        assert_eq!(states(&store), "b=waiting d=waiting a=waiting", "an item that ended is added again at the end");
    }

    #[test]
    fn a_run_and_its_item_change_together() {
        let store = store(&["a", "b"]);
        assert!(store.begin_queue_run(&run("a", "1")).expect("begun"));
        assert!(!store.begin_queue_run(&run("a", "2")).expect("read"), "it runs already");
        assert_eq!(states(&store), "a=running b=waiting");
        store.add_queue_items(&[("a".into(), "{}".into())], "t").expect("added");
        assert_eq!(states(&store), "a=running b=waiting");
        let used = QueueUsage { runs: 1, tokens: 70, cost: 0.25, seconds: 9 };
        store.end_queue_run(&run("a", "1"), "done", Some(used), &change("waiting", true)).expect("ended");
        assert_eq!(states(&store), "b=waiting a=waiting");
        assert!(store.begin_queue_run(&run("b", "3")).expect("begun"));
        let total = store.queue_usage("2026-11-25").expect("read");
        assert_eq!(total, QueueUsage { runs: 2, tokens: 170, cost: 0.75, seconds: 9 });
        assert_eq!(store.queue_usage("2026-11-26").expect("read"), QueueUsage::default());
        let runs: Vec<_> = store.queue_runs_of("d").expect("read").into_iter().map(|run| run.state).collect();
        assert_eq!(runs, ["done", "running"]);
    }
}
