//! The progress and the outcome of a posting.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PostRequest;
use super::delivery::DeliveryMethod;
use super::posted::{PostedComments, PostedSummary};
use super::verdict::VerdictResult;
use diffsan_forge::gitlab::{Landing, RangeForm};
use diffsan_forge::post_plan::{PlannedItem, PlannedSummary, PostPlan};
use diffsan_pipeline::error::{Error, ErrorCode, ErrorInfo};

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Not sent yet.
    Waiting,
    /// The request is under way. Only reported while the posting runs.
    Sending,
    /// A draft exists that nobody else can see yet. Only reported while the posting runs.
    Prepared,
    /// The item was posted before.
    AlreadyThere,
    /// The item is posted at its planned place.
    Landed,
    /// GitLab rejected the line, so the item is posted on its file.
    OnFile,
    /// GitLab rejected the place, so the summary contains the item.
    InSummary,
    /// The item could not be posted.
    Failed,
}

/// The result of one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemResult {
    /// The key of the item's finding; `summary` for the summary.
    pub key: String,
    /// The title.
    pub title: String,
    /// The state of the item.
    pub state: ItemState,
    /// The address of the comment.
    pub url: Option<String>,
    /// The error, if the item failed.
    pub error: Option<ErrorInfo>,
}

impl ItemResult {
    /// Whether this is the summary.
    pub fn is_summary(&self) -> bool {
        self.key == SUMMARY
    }
}

/// The outcome of a posting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostOutcome {
    /// Whether every item is posted and the verdict is given.
    pub complete: bool,
    /// The method by which comments became public.
    #[serde(rename = "way")]
    pub delivery: DeliveryMethod,
    /// The items, the summary last.
    pub items: Vec<ItemResult>,
    /// The result of the verdict, if one was chosen.
    pub verdict: Option<VerdictResult>,
    /// The error that stopped the posting before its end.
    pub error: Option<ErrorInfo>,
    /// The error of recording the end of the posting. The items are posted nevertheless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_error: Option<ErrorInfo>,
}

/// An event of a posting.
#[derive(Clone, Debug)]
pub enum PostEvent {
    /// A new step.
    Step {
        /// Text for display.
        message: String,
    },
    /// Progress in a step: the number of comments that are done.
    Progress {
        /// Text for display.
        message: String,
    },
    /// The state of an item changed.
    Item {
        /// The item.
        item: Box<ItemResult>,
    },
}

/// The key of the summary among the items.
pub(super) const SUMMARY: &str = "summary";

/// The error of a comment without a place, if no summary is posted.
fn needs_summary() -> Error {
    let message = "GitLab has no place for this comment outside of the summary, and no summary is posted.";
    Error::new(ErrorCode::GitlabPositionInvalid, message).hint("Post it with the summary.")
}

/// The state of all items of a posting.
pub(super) struct PostingProgress {
    entries: Vec<(Option<PlannedItem>, ItemResult)>,
    web_url: Option<String>,
    stopped: Option<ErrorInfo>,
    /// Whether the next round waits, and the time that GitLab asks to wait.
    wait: Option<Option<Duration>>,
    /// Whether publishing all drafts together failed. From then on they are published one by one.
    pub(super) together_broke: bool,
    /// The keys of drafts that were published. If such a comment is missing afterwards, GitLab dropped it. It is then
    /// posted as a thread, which reports the reason.
    pub(super) published: HashSet<String>,
    /// The parts of ranges that are sent for items whose position the server refused.
    forms: HashMap<String, RangeForm>,
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
        let planned = |item: &PlannedItem| {
            let mut result = result(&item.key, &item.title);
            // The items inside a summary are part of it.
            if item.landing == Landing::Summary {
                result.state = ItemState::Failed;
                result.error = Some(needs_summary().info());
            }
            (Some(item.clone()), result)
        };
        let mut entries: Vec<_> = plan.items.iter().map(planned).collect();
        entries.extend(plan.summary.iter().map(|_| (None, result(SUMMARY, "Summary"))));
        Self {
            entries,
            web_url,
            stopped: None,
            wait: None,
            together_broke: false,
            published: HashSet::new(),
            forms: HashMap::new(),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&ItemResult> {
        self.entries.iter().map(|(_, result)| result).find(|result| result.key == key)
    }

    fn entry(&mut self, key: &str) -> Option<&mut (Option<PlannedItem>, ItemResult)> {
        self.entries.iter_mut().find(|(_, result)| result.key == key)
    }

    /// Returns the items that are not sent yet, with their current position.
    pub(super) fn missing(&self) -> Vec<PlannedItem> {
        let waiting = self.entries.iter().filter(|(_, result)| result.state == ItemState::Waiting);
        waiting.filter_map(|(item, _)| item.clone()).collect()
    }

    /// Returns an item that is not sent yet, with its current position.
    pub(super) fn missing_item(&self, key: &str) -> Option<&PlannedItem> {
        let waiting = self.entries.iter().filter(|(_, result)| result.state == ItemState::Waiting);
        waiting.filter_map(|(item, _)| item.as_ref()).find(|item| item.key == key)
    }

    /// Returns the items that the summary must contain because GitLab rejected their place.
    pub(super) fn refused(&self) -> Vec<&PlannedItem> {
        self.inside(None, &HashSet::new())
    }

    /// Returns the items that the text for a note must contain: those whose place GitLab rejected, and those that the
    /// note contains and that have no comment of their own.
    pub(super) fn inside(&self, note: Option<&PostedSummary>, commented: &HashSet<String>) -> Vec<&PlannedItem> {
        let contains = |key: &String| note.is_some_and(|note| note.carries.contains(key)) && !commented.contains(key);
        let is_inside = |result: &ItemResult| result.state == ItemState::InSummary || contains(&result.key);
        let inside = self.entries.iter().filter(|(_, result)| is_inside(result));
        inside.filter_map(|(item, _)| item.as_ref()).collect()
    }

    /// Whether the summary must still be written, or must contain more findings than it does.
    pub(super) fn summary_missing(&self, plan: &PostPlan, landed: &PostedComments) -> bool {
        let is_failed = self.get(SUMMARY).is_some_and(|result| result.state == ItemState::Failed);
        plan.summary.is_some() && !is_failed && (landed.summary.is_none() || self.summary_lacks(plan, landed))
    }

    /// Whether the posted summary must contain more findings than it does.
    fn summary_lacks(&self, plan: &PostPlan, landed: &PostedComments) -> bool {
        let contents = plan.summary.iter().flat_map(PlannedSummary::contents);
        let there = landed.summary.as_ref();
        self.refused().into_iter().chain(contents).any(|item| there.is_some_and(|one| !one.carries.contains(&item.key)))
    }

    /// Updates the items from the comments on the merge request. Returns the keys and notes of the newly found ones.
    pub(super) fn settle(&mut self, plan: &PostPlan, landed: &PostedComments, first: bool) -> Vec<(String, u64)> {
        let mut news = Vec::new();
        let lacks = self.summary_lacks(plan, landed);
        let web_url = self.web_url.clone();
        let link = |note: u64| web_url.as_ref().map(|url| format!("{url}#note_{note}"));
        for (item, result) in &mut self.entries {
            let note = match item {
                Some(item) => landed.items.get(&item.key).copied(),
                None => landed.summary.as_ref().filter(|_| !lacks).map(|summary| summary.note),
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

    /// Records that GitLab confirmed an item.
    pub(super) fn landed(&mut self, key: &str, note: u64) {
        let url = self.web_url.as_ref().map(|url| format!("{url}#note_{note}"));
        if let Some((item, result)) = self.entry(key) {
            let on_file = item.as_ref().is_some_and(|item| item.notes.iter().any(|note| note == REFUSED));
            result.state = if on_file { ItemState::OnFile } else { ItemState::Landed };
            result.url = url;
            result.error = None;
        }
    }

    /// Records that the item is sent again with fewer parts of its range.
    pub(super) fn reduce(&mut self, key: &str, form: RangeForm) {
        self.forms.insert(key.to_owned(), form);
    }

    /// Returns the parts of the range that are sent, if the server refused others.
    pub(super) fn form(&self, key: &str) -> Option<RangeForm> {
        self.forms.get(key).copied()
    }

    /// Records that an item failed. With `degrade`, an item whose position was rejected is moved to its file if the
    /// server has comments on files, or to the summary.
    pub(super) fn fail(&mut self, key: &str, error: &Error, request: &PostRequest<'_>, file_comments: bool) {
        let summary = self.entries.iter().any(|(item, _)| item.is_none());
        let Some((item, result)) = self.entry(key) else { return };
        result.error = Some(error.info());
        if error.code == ErrorCode::GitlabPositionInvalid
            && request.degrade
            && let Some(item) = item
        {
            if let Landing::Line { position } = &item.landing
                && file_comments
            {
                *item = item.on_file((**position).clone(), request.markers);
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

    /// Makes the next round wait.
    pub(super) fn ask_wait(&mut self, wait: Option<Duration>) {
        let longest = self.wait.flatten().max(wait);
        self.wait = Some(longest);
    }

    pub(super) fn take_wait(&mut self) -> Option<Option<Duration>> {
        self.wait.take()
    }

    /// Stops the posting: nothing more is sent.
    pub(super) fn stop(&mut self, error: &Error) {
        self.stopped.get_or_insert(error.info());
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Whether every item is posted.
    pub(super) fn is_complete(&self) -> bool {
        let is_posted = |result: &ItemResult| match result.state {
            ItemState::AlreadyThere | ItemState::Landed | ItemState::OnFile => true,
            // Items inside the summary are posted only if the summary is.
            ItemState::InSummary => result.url.is_some(),
            ItemState::Waiting | ItemState::Sending | ItemState::Prepared | ItemState::Failed => false,
        };
        !self.stopped() && self.entries.iter().all(|(_, result)| is_posted(result))
    }

    pub(super) fn outcome(mut self, delivery: DeliveryMethod, verdict: Option<VerdictResult>) -> PostOutcome {
        let complete = self.is_complete() && verdict.as_ref().is_none_or(VerdictResult::is_given);
        let stopped = self.stopped.take();
        let mut items: Vec<ItemResult> = self.entries.into_iter().map(|(_, result)| result).collect();
        for item in &mut items {
            if item.state == ItemState::Waiting {
                item.state = ItemState::Failed;
                item.error = item.error.take().or_else(|| stopped.clone());
            }
            if item.state == ItemState::InSummary && item.url.is_none() {
                item.state = ItemState::Failed;
            }
        }
        PostOutcome { complete, delivery, items, verdict, error: stopped, journal_error: None }
    }
}

/// The note on an item that was moved to its file.
const REFUSED: &str = "GitLab rejected the line.";
