//! `diffsan inbox queue`: lists the review queue, changes it, and works on it.

use std::process::ExitCode;
use std::sync::Arc;

use diffsan_app::{App, AppOptions};
use diffsan_inbox::Row;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_queue::{Progress, Queue, QueueBudget, QueueItem, QueueState, QueueView, Stopped, unreviewed};

use crate::inbox_args::{QueueArgs, QueueCommand};
use crate::{output, stop};

/// Runs one of the commands, and prints the queue after it.
pub async fn run(args: QueueArgs) -> Result<ExitCode> {
    let app = blocking(|| output::start(AppOptions::default())).await?;
    let queue = Queue::new(Arc::clone(&app));
    let code = match &args.command {
        Some(QueueCommand::Run) => work(&app, &queue).await?,
        _ => ExitCode::SUCCESS,
    };
    let view = blocking(move || change(&app, &queue, args.command)).await?;
    if args.json {
        output::result(&output::json(&view)?, None)?;
    } else {
        output::text(&text(&view), None)?;
    }
    Ok(code)
}

/// Changes the queue, and returns it. Blocks.
fn change(app: &App, queue: &Queue, command: Option<QueueCommand>) -> Result<QueueView> {
    match command {
        None | Some(QueueCommand::Run) => queue.view(),
        Some(QueueCommand::Add { rows, all, agent }) => {
            let known = app.inbox_view()?.rows;
            let mut keys = rows.iter().map(|row| key_of_row(&known, row)).collect::<Result<Vec<_>>>()?;
            if all {
                keys.extend(unreviewed(&known));
            }
            queue.add(&keys, &agent)
        }
        Some(QueueCommand::Remove { rows }) => {
            let items = queue.view()?.items;
            let keys = rows.iter().map(|row| key_of_item(&items, row)).collect::<Result<Vec<_>>>()?;
            queue.remove(&keys)
        }
        Some(QueueCommand::Clear) => queue.remove_ended(),
        Some(QueueCommand::Move { row, place }) => {
            let key = key_of_item(&queue.view()?.items, &row)?;
            queue.move_to(&key, place.saturating_sub(1))
        }
        Some(QueueCommand::Start) => queue.set_on(true),
        Some(QueueCommand::Stop) => queue.set_on(false),
    }
}

/// Works on the queue until nothing can be done any more.
async fn work(app: &Arc<App>, queue: &Arc<Queue>) -> Result<ExitCode> {
    let cancel = app.cancellation();
    stop::cancels(&cancel);
    let notify = |progress: Progress| match progress {
        Progress::Begins { place, title } => output::say(&format!("{place}: reviewing {title}")),
        Progress::Changed { place, state, reason } => {
            output::say(&format!("{place}: {}", words(state, reason.as_deref())));
        }
        Progress::Message(message) => output::progress(&format!("  {message}")),
    };
    match queue.work(false, &cancel, &notify).await? {
        Stopped::Busy => {
            let error = Error::new(ErrorCode::Busy, "Another process works on the review queue.");
            return Err(error.hint("Wait for it, or close the window or the server."));
        }
        Stopped::Later(reason) => output::say(&format!("stopped: {reason}")),
        Stopped::Cancelled => return Ok(ExitCode::from(ErrorCode::Cancelled.presentation().exit_code)),
        Stopped::Empty | Stopped::Off => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn key_of_row(rows: &[Row], text: &str) -> Result<String> {
    let names = |row: &&Row| {
        let number = row.iid.map(|iid| format!("{}!{iid}", row.project));
        row.key == text || row.web_url.as_deref() == Some(text) || number.as_deref() == Some(text)
    };
    rows.iter().find(names).map(|row| row.key.clone()).ok_or_else(|| {
        Error::new(ErrorCode::NotFound, format!("The inbox has no row `{text}`."))
            .hint("`diffsan inbox` lists and refreshes them.")
    })
}

fn key_of_item(items: &[QueueItem], text: &str) -> Result<String> {
    let named = items.iter().find(|item| item.key == text || item.place == text);
    named
        .map(|item| item.key.clone())
        .ok_or_else(|| Error::new(ErrorCode::NotFound, format!("The review queue has no item `{text}`.")))
}

fn text(view: &QueueView) -> String {
    let state = match (view.on, &view.note) {
        (true, _) => "on".to_owned(),
        (false, Some(note)) => format!("off, because {note}"),
        (false, None) => "off".to_owned(),
    };
    let mut out = format!("The review queue is {state}. {}\n", budget(&view.budget));
    let mut place = 0;
    for item in &view.items {
        // Only items that wait have a place.
        let waits = item.state == QueueState::Waiting;
        place += usize::from(waits);
        out += &line(waits.then_some(place), item);
    }
    if view.items.is_empty() {
        out += "It is empty; add rows with `diffsan inbox queue add`.\n";
    }
    out
}

fn line(place: Option<usize>, item: &QueueItem) -> String {
    let clean = |text: &str| text.chars().filter(|char| !char.is_control()).collect::<String>();
    let agents = if item.agents.is_empty() { String::new() } else { format!("  by {}", item.agents.join(", ")) };
    let state = words(item.state, item.reason.as_deref());
    let place = place.map(|place| format!("{place}.")).unwrap_or_default();
    format!("{place:>4} {:<28} {}  ({}){agents}\n", clean(&item.place), clean(&item.title), clean(&state))
}

fn words(state: QueueState, reason: Option<&str>) -> String {
    let name = match state {
        QueueState::Waiting => "waiting",
        QueueState::Running => "running",
        QueueState::Done => "done",
        QueueState::Failed => "failed",
    };
    reason.map_or(name.to_owned(), |reason| format!("{name}: {reason}"))
}

fn budget(budget: &QueueBudget) -> String {
    let part = |[used, limit]: [u64; 2], name: &str| match limit {
        0 => format!("{used} {name}"),
        _ => format!("{used} of {limit} {name}"),
    };
    let parts = [
        part(budget.reviews, "reviews"),
        part(budget.tokens, "tokens"),
        part(budget.cents, "US cents"),
        part(budget.minutes, "minutes"),
    ];
    let reason = budget.reason.as_ref().map(|reason| format!(" Nothing starts now: {reason}.")).unwrap_or_default();
    format!("Today: {}.{reason}", parts.join(", "))
}
