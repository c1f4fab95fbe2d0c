//! How the pieces of a posting stand.

use std::collections::HashSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delivery::DeliveryMethod;
use super::posted::PostedComments;
use diffsan_forge::gitlab::Landing;
use diffsan_forge::post_plan::{PlannedItem, PostPlan};
use diffsan_pipeline::error::{Error, ErrorCode, ErrorInfo};

/// How a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Not sent yet.
    Waiting,
    /// On its way; only told while it runs.
    Sending,
    /// There as a draft that nobody else sees yet; only told while it runs.
    Prepared,
    /// It was there before.
    AlreadyThere,
    /// It landed where it was meant to.
    Landed,
    /// GitLab refused its line; it landed on its file.
    OnFile,
    /// GitLab refused its place; the summary has it.
    InSummary,
    /// It failed.
    Failed,
}

/// How one piece ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemResult {
    /// The key of its finding; `summary` for the summary.
    pub key: String,
    /// Its headline.
    pub title: String,
    /// How it stands.
    pub state: ItemState,
    /// Where it is to be seen.
    pub url: Option<String>,
    /// Why it failed.
    pub error: Option<ErrorInfo>,
}

impl ItemResult {
    /// Returns whether it is the summary.
    pub fn is_summary(&self) -> bool {
        self.key == SUMMARY
    }
}

/// How a posting ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostOutcome {
    /// Whether everything is there.
    pub complete: bool,
    /// How comments became public.
    pub way: DeliveryMethod,
    /// The pieces, the summary last.
    pub items: Vec<ItemResult>,
    /// Why it stopped before its end.
    pub error: Option<ErrorInfo>,
}

/// What a posting tells while it runs.
#[derive(Clone, Debug)]
pub enum PostEvent {
    /// A new step.
    Step {
        /// For people.
        message: String,
    },
    /// A step goes on: so many of its comments are done.
    Progress {
        /// For people.
        message: String,
    },
    /// A piece stands differently.
    Item {
        /// The piece.
        item: Box<ItemResult>,
    },
}

/// The summary's key on the board.
pub(super) const SUMMARY: &str = "summary";

/// All pieces.
pub(super) struct PostingProgress {
    entries: Vec<(Option<PlannedItem>, ItemResult)>,
    web_url: Option<String>,
    stopped: Option<ErrorInfo>,
    /// Something failed for now; and how long GitLab says to wait.
    wait: Option<Option<Duration>>,
    /// Publishing together broke: one by one from now on.
    pub(super) together_broke: bool,
    /// Keys of drafts that were published: one that is missing then was dropped, and is sent as a thread, which tells why.
    pub(super) published: HashSet<String>,
}

impl PostingProgress {
    pub(super) fn new(plan: &PostPlan, web_url: Option<String>) -> Self {
        let result = |key: &str, title: &str| ItemResult {
            key: key.to_owned(),
            title: title.to_owned(),
            state: ItemState::Waiting,
            url: None,
            error: None,
        };
        let mut entries: Vec<_> =
            plan.items.iter().map(|item| (Some(item.clone()), result(&item.key, &item.title))).collect();
        entries.extend(plan.summary.iter().map(|_| (None, result(SUMMARY, "Summary"))));
        Self { entries, web_url, stopped: None, wait: None, together_broke: false, published: HashSet::new() }
    }

    pub(super) fn get(&self, key: &str) -> Option<&ItemResult> {
        self.entries.iter().map(|(_, result)| result).find(|result| result.key == key)
    }

    fn entry(&mut self, key: &str) -> Option<&mut (Option<PlannedItem>, ItemResult)> {
        self.entries.iter_mut().find(|(_, result)| result.key == key)
    }

    /// Items that are still to be sent, as they are to land now.
    pub(super) fn missing(&self) -> Vec<PlannedItem> {
        let waiting = self.entries.iter().filter(|(_, result)| result.state == ItemState::Waiting);
        waiting.filter_map(|(item, _)| item.clone()).collect()
    }

    /// Items that the summary has to take.
    pub(super) fn refused(&self) -> Vec<&PlannedItem> {
        let inside = self.entries.iter().filter(|(_, result)| result.state == ItemState::InSummary);
        inside.filter_map(|(item, _)| item.as_ref()).collect()
    }

    /// Whether the summary is still to be written, or has to take more than it has.
    pub(super) fn summary_missing(&self, plan: &PostPlan, landed: &PostedComments) -> bool {
        let Some(summary) = &plan.summary else { return false };
        if self.get(SUMMARY).is_some_and(|result| result.state == ItemState::Failed) {
            return false;
        }
        match &landed.summary {
            None => true,
            Some(there) => {
                let needed = self.refused().into_iter().chain(&summary.folded);
                needed.into_iter().any(|item| !there.carries.contains(&item.key))
            }
        }
    }

    /// Takes over what the listing has. Gives what is new.
    pub(super) fn settle(&mut self, landed: &PostedComments, first: bool) -> Vec<(String, u64)> {
        let mut news = Vec::new();
        let web_url = self.web_url.clone();
        let link = |note: u64| web_url.as_ref().map(|url| format!("{url}#note_{note}"));
        for (item, result) in &mut self.entries {
            let note = match item {
                Some(item) => landed.items.get(&item.key).copied(),
                None => landed.summary.as_ref().map(|summary| summary.note),
            };
            let Some(note) = note.filter(|_| result.url.is_none()) else { continue };
            let on_file = item.as_ref().is_some_and(|item| item.notes.iter().any(|note| note == REFUSED));
            result.url = link(note);
            result.error = None;
            result.state = match result.state {
                ItemState::InSummary => ItemState::InSummary,
                _ if first => ItemState::AlreadyThere,
                _ if on_file => ItemState::OnFile,
                _ => ItemState::Landed,
            };
            news.push((result.key.clone(), note));
        }
        news
    }

    /// GitLab said that a piece is there.
    pub(super) fn landed(&mut self, key: &str, note: u64) {
        let url = self.web_url.as_ref().map(|url| format!("{url}#note_{note}"));
        if let Some((item, result)) = self.entry(key) {
            let on_file = item.as_ref().is_some_and(|item| item.notes.iter().any(|note| note == REFUSED));
            result.state = if on_file { ItemState::OnFile } else { ItemState::Landed };
            result.url = url;
            result.error = None;
        }
    }

    /// A piece failed. `degrade` says whether it may land elsewhere.
    pub(super) fn fail(&mut self, key: &str, error: &Error, degrade: bool) {
        let summary = self.entries.iter().any(|(item, _)| item.is_none());
        let Some((item, result)) = self.entry(key) else { return };
        result.error = Some(error.info());
        if error.code == ErrorCode::GitlabPositionInvalid
            && degrade
            && let Some(item) = item
        {
            if let Landing::Line { position } = &item.landing {
                let file = diffsan_forge::gitlab::Position {
                    position_type: "file".to_owned(),
                    old_line: None,
                    new_line: None,
                    line_range: None,
                    ..(**position).clone()
                };
                item.landing = Landing::File { position: Box::new(file) };
                item.notes.push(REFUSED.to_owned());
                result.state = ItemState::Waiting;
                return;
            }
            if summary {
                result.state = ItemState::InSummary;
                return;
            }
        }
        if !error.retryable {
            result.state = ItemState::Failed;
        }
    }

    /// The next round waits.
    pub(super) fn ask_wait(&mut self, wait: Option<Duration>) {
        let longest = self.wait.flatten().max(wait);
        self.wait = Some(longest);
    }

    pub(super) fn take_wait(&mut self) -> Option<Option<Duration>> {
        self.wait.take()
    }

    /// Nothing more is sent.
    pub(super) fn stop(&mut self, error: &Error) {
        self.stopped.get_or_insert(error.info());
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.is_some()
    }

    pub(super) fn outcome(mut self, way: DeliveryMethod) -> PostOutcome {
        let stopped = self.stopped.take();
        let mut items: Vec<ItemResult> = self.entries.into_iter().map(|(_, result)| result).collect();
        for item in &mut items {
            if item.state == ItemState::Waiting {
                item.state = ItemState::Failed;
                item.error = item.error.take().or_else(|| stopped.clone());
            }
            // What the summary was to take is only there if the summary is.
            if item.state == ItemState::InSummary && item.url.is_none() {
                item.state = ItemState::Failed;
            }
        }
        let complete = items.iter().all(|item| item.state != ItemState::Failed);
        PostOutcome { complete, way, items, error: stopped }
    }
}

/// Why an item is on its file.
const REFUSED: &str = "GitLab refused the line.";
