//! Methods of the history, of rounds and of interrupted runs.

use std::path::Path;

use super::registry::{Fault, Table, opened};
use super::view;
use super::wire::{
    CompareParams, ComparedFinding, ComparedView, Done, HistoryCursor, HistoryItem, HistoryName, HistoryOf,
    HistoryParams, HistoryPlaceView, HistoryView, HitView, InterruptedItem, ReopenedView, ResumeParams, ResumePartView,
    ResumeView, ReviewName, RoundsView,
};
use diffsan_app::{App, Kind, Reopened};
use diffsan_change::Target;
use diffsan_git::Repo;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::review::kept_answers;
use diffsan_store::{HistoryKind, HistoryQuery, HistoryRow};

const PAGE: u32 = 100;

pub(super) fn register(table: &mut Table) {
    table.method("history.list", "A page of all reviews and conversations", |app, params: HistoryParams| {
        Ok::<HistoryView, Fault>(history(app, &params)?)
    });
    table.long_method(
        "history.open",
        "Finds the change of a review, conversation or run again",
        |app, params: HistoryName, ask| {
            let reopened = match params.kind {
                HistoryOf::Review => app.reopen_review(&params.id, &ask.cancel)?,
                HistoryOf::Conversation => app.reopen_conversation(&params.id, &ask.cancel)?,
                HistoryOf::Run => app.reopen_run(&params.id)?,
            };
            Ok::<ReopenedView, Fault>(reopened_view(reopened)?)
        },
    );
    table.method("history.remove", "Removes a review, conversation or run for good", |app, params: HistoryName| {
        let kind = match params.kind {
            HistoryOf::Review => Kind::Review,
            HistoryOf::Conversation => Kind::Conversation,
            HistoryOf::Run => Kind::Run,
        };
        app.remove_from_history(kind, &params.id)?;
        Ok::<Done, Fault>(Done {})
    });
    table.method("rounds.list", "All reviews of the change that a review is of", |app, params: ReviewName| {
        let reviews = app.rounds(&params.review_id)?.into_iter().map(item).collect();
        Ok::<RoundsView, Fault>(RoundsView { reviews })
    });
    table.method("rounds.compare", "Compares two reviews of a change", |app, params: CompareParams| {
        Ok::<ComparedView, Fault>(compared(app, &params)?)
    });
    table.method("run.plan", "What of a run that was cut off is not asked again", |app, params: ResumeParams| {
        let handle = opened(app, &params.change_id)?;
        let (request, parts) = app.plan_resume(&handle.opened, &params.run_id)?;
        let parts = parts.into_iter().map(|one| ResumePartView {
            agent: one.agent,
            part: one.part,
            of: one.of,
            files: one.files,
            reused: one.reused,
        });
        Ok::<ResumeView, Fault>(ResumeView {
            agents: request.agents,
            model: request.model,
            instructions: request.instructions,
            parts: parts.collect(),
        })
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
        items: rows.into_iter().map(item).collect(),
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

fn item(row: HistoryRow) -> HistoryItem {
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
        Some(path) => Some(view::repository(&Repo::open(path)?)?),
        None => None,
    };
    Ok(ReopenedView {
        repo,
        target: reopened.target,
        since: reopened.since,
        review_id: reopened.review,
        conversation: reopened.conversation.map(super::chat::item),
        note: reopened.note,
        now: reopened.now,
    })
}

fn compared(app: &App, params: &CompareParams) -> Result<ComparedView> {
    let rounds = app.compare_rounds(&params.one, &params.other)?;
    let earlier = view::review(&rounds.earlier, None).findings;
    let later = view::review(&rounds.later, None).findings;
    let findings = rounds.findings.into_iter().map(|one| ComparedFinding {
        round: one.round.name().to_owned(),
        why: one.why.to_owned(),
        earlier: one.earlier.and_then(|at| earlier.get(at).cloned()),
        later: one.later.and_then(|at| later.get(at).cloned()),
    });
    Ok(ComparedView { findings: findings.collect(), earlier: rounds.earlier.id, later: rounds.later.id })
}
