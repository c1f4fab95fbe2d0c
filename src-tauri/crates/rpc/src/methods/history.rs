//! The history of reviews, conversations and interrupted runs.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chat_view::{ConversationItem, conversation_item};
use super::program::Done;
use super::repositories::{RepoView, repository_view};
use crate::registry::Table;
use diffsan_app::{App, Kind, Reopened};
use diffsan_change::Target;
use diffsan_git::Repo;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::kept_answers;
use diffsan_store::{HistoryKind, HistoryQuery, HistoryRow};

const PAGE: u32 = 100;

/// Asks for a page of the history.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryParams {
    /// Words that must all occur in one text, each at the beginning of a word. Empty matches everything.
    #[serde(default)]
    pub words: String,
    /// The path of a repository or the name of a project, as in `HistoryView.places`.
    #[serde(default)]
    pub place: Option<String>,
    /// Returns only reviews or only conversations.
    #[serde(default)]
    pub kind: Option<HistoryOf>,
    /// The end of the previous page.
    #[serde(default)]
    pub after: Option<HistoryCursor>,
    /// The maximum number of rows, 1 to 500. 100 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// The kinds of entries in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryOf {
    /// A review.
    Review,
    /// A conversation.
    Conversation,
    /// An interrupted run.
    Run,
}

/// The end of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryCursor {
    /// The time of the last row.
    pub at: String,
    /// The id of the last row.
    pub id: String,
}

/// A page of the history, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryItem {
    /// The kind of the entry.
    pub kind: HistoryOf,
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
    pub hit: Option<HitView>,
}

/// The place where the search words were found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HitView {
    /// The key of the finding or number of the message, or `summary`, or `change`.
    pub part: String,
    /// The text around the match. Each matching word is between U+0001 and U+0002.
    pub text: String,
    /// The number of texts that match.
    pub count: u32,
}

/// A repository or project in the history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryPlaceView {
    /// Its path or name, as `HistoryParams.place` expects it.
    pub place: String,
    /// The name for display.
    pub name: String,
    /// The number of its entries.
    pub count: u32,
}

/// An interrupted run: the program or the machine stopped before it ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InterruptedItem {
    /// The run's id.
    pub run_id: String,
    /// The name of the repository or project, for display.
    pub place: String,
    /// The title of the change, for display.
    pub change: String,
    /// The agent.
    pub agent: String,
    /// The start of the run, RFC 3339.
    pub started_at: String,
    /// The run folder.
    pub run_dir: String,
    /// The number of answers that were already received.
    pub answers: u32,
}

/// Identifies an entry of the history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryName {
    /// The kind of the entry.
    pub kind: HistoryOf,
    /// The id of the entry.
    pub id: String,
}

/// The change of an entry of the history. The client opens it with `change.open` and the same values.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    table.method("history.list", "Returns a page of all reviews and conversations", |app, params: HistoryParams| {
        Ok(history(app, &params)?)
    });
    table.async_method(
        "history.open",
        "Finds the change of a review, conversation or run",
        |app, params: HistoryName, ask| async move {
            let reopened = match params.kind {
                HistoryOf::Review => app.reopen_review(&params.id, &ask.cancel).await?,
                HistoryOf::Conversation => app.reopen_conversation(&params.id, &ask.cancel).await?,
                HistoryOf::Run => blocking(move || app.reopen_run(&params.id)).await?,
            };
            Ok(blocking(move || reopened_view(reopened)).await?)
        },
    );
    table.method("history.remove", "Removes a review, conversation or run permanently", |app, params: HistoryName| {
        let kind = match params.kind {
            HistoryOf::Review => Kind::Review,
            HistoryOf::Conversation => Kind::Conversation,
            HistoryOf::Run => Kind::Run,
        };
        app.remove_from_history(kind, &params.id)?;
        Ok(Done {})
    });
}

/// Returns a page of the history. Used by the interface and the command. Blocks.
pub fn history(app: &App, params: &HistoryParams) -> Result<HistoryView> {
    let limit = params.limit.unwrap_or(PAGE).clamp(1, 500);
    let query = HistoryQuery {
        words: params.words.clone(),
        place: params.place.clone(),
        kind: params
            .kind
            .map(|kind| if kind == HistoryOf::Conversation { "conversation" } else { "review" }.to_owned()),
        after: params.after.clone().map(|after| (after.at, after.id)),
        // One more row shows whether there is a next page.
        limit: limit + 1,
    };
    let mut rows = match params.kind {
        Some(HistoryOf::Run) => Vec::new(),
        _ => app.history(&query)?,
    };
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(|row| HistoryCursor { at: row.at.clone(), id: row.id.clone() });
    let first = params.after.is_none();
    let places = if first { app.history_places()? } else { Vec::new() };
    Ok(HistoryView {
        items: rows.into_iter().map(history_item).collect(),
        next,
        interrupted: if first && params.kind != Some(HistoryOf::Conversation) {
            interrupted(app, params)
        } else {
            Vec::new()
        },
        places: places
            .into_iter()
            .map(|one| HistoryPlaceView { name: place_name(&one.place), place: one.place, count: one.count })
            .collect(),
    })
}

fn interrupted(app: &App, params: &HistoryParams) -> Vec<InterruptedItem> {
    let words: Vec<String> = params.words.split_whitespace().map(str::to_lowercase).collect();
    let runs = app.all_interrupted().into_iter().map(|(folder, record)| {
        let (place, change) = names(record.repository.as_deref().unwrap_or_default(), &record.target.to_string());
        let of = record.repository.unwrap_or_default();
        let agent = record.agent.unwrap_or_default();
        let answers = kept_answers(&folder);
        let run_dir = folder.display().to_string();
        (
            of,
            InterruptedItem {
                run_id: record.run_id,
                place,
                change,
                agent,
                started_at: record.started_at,
                run_dir,
                answers,
            },
        )
    });
    let wanted = runs.filter(|(of, item)| {
        let text = format!("{of} {} {}", item.change, item.agent).to_lowercase();
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

pub(super) fn history_item(row: HistoryRow) -> HistoryItem {
    let (place, change) = names(&row.repository, &row.target);
    let mut item = HistoryItem {
        kind: HistoryOf::Review,
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
        hit: row.hit.map(|hit| HitView { part: hit.part, text: hit.text, count: hit.count }),
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
            item.kind = HistoryOf::Conversation;
            (item.title, item.agent, item.messages) = (title, agent, messages);
        }
    }
    item
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
