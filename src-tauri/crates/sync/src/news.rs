//! The merge requests that began to wait for the reader since the last refresh.

use std::collections::BTreeSet;

use diffsan_config::{DayHours, InboxConfig};
use diffsan_inbox::{Group, Row, RowKind};
use diffsan_pipeline::error::Result;
use jiff::Zoned;

use crate::Inbox;

/// The entry of the store with the keys of the rows that the reader knows to wait.
const KNOWN: &str = "inbox.known_turns";

impl Inbox {
    /// Returns the keys of merge requests that came to wait for the reader since the last call, each once. Returns nothing at the first
    /// call. Those of quiet hours are returned after them, if they still wait. Blocks.
    pub fn news(&self, config: &InboxConfig) -> Result<Vec<String>> {
        self.news_at(config, &Zoned::now())
    }

    fn news_at(&self, config: &InboxConfig, now: &Zoned) -> Result<Vec<String>> {
        let turn: BTreeSet<String> =
            self.view()?.rows.iter().filter(|row| waits(row)).map(|row| row.key.clone()).collect();
        let known: Option<BTreeSet<String>> = self.read(KNOWN)?;
        let minute = u16::try_from(i32::from(now.hour()) * 60 + i32::from(now.minute())).unwrap_or(0);
        // Hours that are not valid are none. The settings page reports them.
        let quiet = DayHours::parse(&config.quiet_hours).ok().flatten().is_some_and(|hours| hours.contains(minute));
        let Some(known) = known.filter(|_| config.notify) else {
            self.write(KNOWN, &turn)?;
            return Ok(Vec::new());
        };
        if quiet {
            // New ones stay unknown. Those that do not wait any more may come back.
            self.write(KNOWN, &known.intersection(&turn).collect::<Vec<_>>())?;
            return Ok(Vec::new());
        }
        self.write(KNOWN, &turn)?;
        Ok(turn.difference(&known).cloned().collect())
    }

    /// Records that the reader knows a row to wait, because a mark of the reader made it so.
    pub(crate) fn know_turn(&self, key: &str) -> Result<()> {
        let known: Option<BTreeSet<String>> = self.read(KNOWN)?;
        let Some(mut known) = known else { return Ok(()) };
        known.insert(key.to_owned());
        self.write(KNOWN, &known)
    }
}

fn waits(row: &Row) -> bool {
    row.kind == RowKind::MergeRequest && row.group == Group::YourTurn && !row.hidden
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use diffsan_inbox::{Facts, Item, RequestState, Role};
    use diffsan_store::{Store, StoredInboxItem};

    use super::*;
    use crate::json;

    fn facts() -> Facts {
        Facts {
            me: "me".into(),
            author: "alice".into(),
            role: Role::Reviewer,
            state: RequestState::Open,
            ended_at: None,
            created_at: None,
            draft: false,
            conflicts: false,
            needs_rebase: false,
            pipeline: None,
            approvals: diffsan_inbox::Approvals::default(),
            reviewers: Vec::new(),
            asked_at: Some("2026-11-24T10:00:00Z".parse().expect("a time")),
            spoke_at: None,
            pushes: Vec::new(),
            new_commits: None,
            threads: Vec::new(),
            head: Some("a".into()),
        }
    }

    /// Saves a merge request that waits for the reader, or does not.
    fn put(inbox: &Inbox, key: &str, waits: bool) {
        let item = Item {
            key: key.into(),
            host: "https://h".into(),
            project: "a/b".into(),
            iid: 1,
            title: key.into(),
            web_url: None,
            labels: Vec::new(),
            source_branch: String::new(),
            target_branch: String::new(),
            updated_at: None,
            changed_files: None,
            lines: None,
            facts: Facts { draft: !waits, ..facts() },
            problem: None,
            gone: false,
            details_at: None,
        };
        let row = StoredInboxItem { key: key.into(), source: "https://h".into(), item: json(&item).expect("JSON") };
        inbox.store.save_inbox_items("https://h", &[row], &[]).expect("saved");
    }

    #[test]
    fn every_turn_is_told_once_and_not_in_quiet_hours() {
        let inbox = Inbox::new(Arc::new(Store::in_memory().expect("a store")));
        let config = InboxConfig { prefetch: 0, notify: true, quiet_hours: "20:00-08:00".into() };
        let at = |time: &str| format!("2026-11-25T{time}[UTC]").parse::<Zoned>().expect("a time");
        let news = |time: &str| inbox.news_at(&config, &at(time)).expect("read").join(" ");
        put(&inbox, "a", true);
        assert_eq!(news("12:00"), "", "the first refresh tells nothing");
        put(&inbox, "b", true);
        put(&inbox, "c", false);
        assert_eq!((news("12:01").as_str(), news("12:02").as_str()), ("b", ""));
        put(&inbox, "c", true);
        assert_eq!((news("21:00").as_str(), news("07:59").as_str()), ("", ""));
        assert_eq!((news("08:00").as_str(), news("08:01").as_str()), ("c", ""));
        put(&inbox, "a", false);
        assert_eq!(news("08:02"), "");
        put(&inbox, "a", true);
        assert_eq!(news("08:03"), "a", "it came back");
        put(&inbox, "d", true);
        inbox.know_turn("d").expect("saved");
        assert_eq!(news("08:04"), "", "the reader's own undo is no news");
        let off = InboxConfig { notify: false, ..config.clone() };
        put(&inbox, "e", true);
        assert!(inbox.news_at(&off, &at("12:00")).expect("read").is_empty());
        assert_eq!(news("12:01"), "");
    }
}
