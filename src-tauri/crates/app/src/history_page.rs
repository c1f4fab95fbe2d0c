//! A page of the history, as the window and the command show it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{App, EntryKind};
use diffsan_change::Target;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::saved_answers;
use diffsan_store::files::artifacts::RunRecord;
use diffsan_store::{HistoryCursor, HistoryKind, HistoryQuery, HistoryRow, SearchHit};

/// The number of rows of a page unless another one is asked for.
const PAGE: u32 = 100;

/// Asks for a page of the history.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct HistoryParams {
    /// Words that must all occur in one text, each at the beginning of a word. Empty matches everything.
    #[serde(default)]
    pub words: String,
    /// The path of a repository or the name of a project, as in `HistoryView.places`.
    #[serde(default)]
    pub place: Option<String>,
    /// Returns only reviews or only conversations.
    #[serde(default)]
    pub kind: Option<EntryKind>,
    /// The end of the previous page.
    #[serde(default)]
    pub after: Option<HistoryCursor>,
    /// The maximum number of rows, 1 to 500. 100 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A page of the history, latest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistoryView {
    /// The rows.
    pub items: Vec<HistoryItem>,
    /// The start of the next page. None at the end.
    pub next: Option<HistoryCursor>,
    /// The interrupted runs, latest first. Only in the first page.
    pub interrupted: Vec<InterruptedItem>,
    /// The repositories and projects in the history, those with the most entries first. Only in the first page.
    pub places: Vec<HistoryPlaceView>,
}

/// A summary of a review or conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistoryItem {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The id of the review or conversation.
    pub id: String,
    /// The name of the repository or project, for display; empty for a patch without one.
    pub place: String,
    /// The path of the repository; empty if there is none.
    pub repository: String,
    /// The title of the change, for display.
    pub change: String,
    /// The title of the conversation; empty for a review.
    pub title: String,
    /// The time when it was made or last continued, RFC 3339.
    pub at: String,
    /// The agent that reviewed, or that was asked last.
    pub agent: String,
    /// The model, if one was named.
    pub model: Option<String>,
    /// The number of findings by severity: critical, high, medium, low, info.
    pub severities: Vec<u32>,
    /// The number of accepted findings.
    pub accepted: u32,
    /// The number of dismissed findings.
    pub dismissed: u32,
    /// The number of items that were posted to GitLab.
    pub posted: u32,
    /// The number of tokens, if it was reported.
    pub tokens: Option<u64>,
    /// The cost in US dollars, if it was reported.
    pub cost_usd: Option<f64>,
    /// The number of messages of the conversation.
    pub messages: u32,
    /// The place where the search words were found.
    pub hit: Option<SearchHit>,
}

/// A repository or project in the history.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistoryPlaceView {
    /// Its path or name, as `HistoryParams.place` expects it.
    pub place: String,
    /// The name for display.
    pub name: String,
    /// The number of its entries.
    pub count: u32,
}

/// An interrupted run: the program or the machine stopped before it ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterruptedRun {
    /// The run's id.
    pub run_id: String,
    /// The agent's name.
    pub agent: String,
    /// The start of the run, RFC 3339.
    pub started_at: String,
    /// The run folder.
    pub run_dir: String,
    /// The number of answers that were already received.
    pub answers: u32,
}

impl InterruptedRun {
    /// Converts the record of a run. Blocks.
    pub fn of(folder: &Path, record: RunRecord) -> Self {
        Self {
            run_id: record.run_id,
            agent: record.agent.unwrap_or_default(),
            started_at: record.started_at,
            answers: saved_answers(folder),
            run_dir: folder.display().to_string(),
        }
    }
}

/// An interrupted run with its change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterruptedItem {
    /// The run.
    #[serde(flatten)]
    pub run: InterruptedRun,
    /// The name of the repository or project, for display.
    pub place: String,
    /// The title of the change, for display.
    pub change: String,
}

impl App {
    /// Returns a page of the history. Blocks.
    pub fn history_page(&self, params: &HistoryParams) -> Result<HistoryView> {
        let limit = params.limit.unwrap_or(PAGE).clamp(1, 500);
        let query = HistoryQuery {
            words: params.words.clone(),
            place: params.place.clone(),
            kind: params
                .kind
                .map(|kind| if kind == EntryKind::Conversation { "conversation" } else { "review" }.to_owned()),
            after: params.after.clone(),
            // One more row shows whether there is a next page.
            limit: limit + 1,
        };
        let mut rows = match params.kind {
            Some(EntryKind::Run) => Vec::new(),
            _ => self.history(&query)?,
        };
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|row| HistoryCursor { at: row.at.clone(), id: row.id.clone() });
        let first = params.after.is_none();
        let places = if first { self.history_places()? } else { Vec::new() };
        Ok(HistoryView {
            items: rows.into_iter().map(HistoryItem::of).collect(),
            next,
            interrupted: if first && params.kind != Some(EntryKind::Conversation) {
                interrupted(self, params)
            } else {
                Vec::new()
            },
            places: places
                .into_iter()
                .map(|one| HistoryPlaceView { name: place_name(&one.place), place: one.place, count: one.count })
                .collect(),
        })
    }
}

fn interrupted(app: &App, params: &HistoryParams) -> Vec<InterruptedItem> {
    let words: Vec<String> = params.words.split_whitespace().map(str::to_lowercase).collect();
    let runs = app.all_interrupted().into_iter().map(|(folder, record)| {
        let (place, change) = names(record.repository.as_deref().unwrap_or_default(), &record.target.to_string());
        let of = record.repository.clone().unwrap_or_default();
        (of, InterruptedItem { place, change, run: InterruptedRun::of(&folder, record) })
    });
    let wanted = runs.filter(|(of, item)| {
        let text = format!("{of} {} {}", item.change, item.run.agent).to_lowercase();
        let here = params.place.as_ref().is_none_or(|place| place == of || *place == item.place);
        here && words.iter().all(|word| text.contains(word))
    });
    wanted.map(|(_, item)| item).collect()
}

fn place_name(place: &str) -> String {
    let name = Path::new(place).file_name().filter(|_| place.starts_with('/') || place.contains('\\'));
    name.map_or_else(|| place.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Returns the place and the title of a change, for display.
fn names(repository: &str, target: &str) -> (String, String) {
    match serde_json::from_str::<Target>(target) {
        Ok(Target::MergeRequest { project, iid, .. }) => (project, format!("!{iid}")),
        Ok(target) => (place_name(repository), target.title()),
        Err(_) => (place_name(repository), String::new()),
    }
}

impl HistoryItem {
    /// Summarizes a row.
    pub fn of(row: HistoryRow) -> Self {
        let (place, change) = names(&row.repository, &row.target);
        let mut item = Self {
            kind: EntryKind::Review,
            id: row.id,
            place,
            repository: row.repository,
            change,
            title: String::new(),
            at: row.at,
            agent: String::new(),
            model: None,
            severities: Vec::new(),
            accepted: 0,
            dismissed: 0,
            posted: 0,
            tokens: None,
            cost_usd: None,
            messages: 0,
            hit: row.hit,
        };
        match row.what {
            HistoryKind::Review(brief) => {
                item.agent = brief.agent;
                item.model = brief.model;
                item.severities = brief.severities.to_vec();
                (item.accepted, item.dismissed, item.posted) = (brief.accepted, brief.dismissed, brief.posted);
                (item.tokens, item.cost_usd) = (brief.tokens, brief.cost);
            }
            HistoryKind::Conversation { title, agent, messages } => {
                item.kind = EntryKind::Conversation;
                (item.title, item.agent, item.messages) = (title, agent, messages);
            }
        }
        item
    }
}
