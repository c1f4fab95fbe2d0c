//! `diffsan inbox`: lists the merge requests and local branches that concern the user, by whose turn it is.

use std::process::ExitCode;

use diffsan_app::AppOptions;
use diffsan_inbox::{Group, Row, RowKind};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_sync::{AccountView, InboxView};

use crate::inbox_args::{InboxArgs, InboxCommand};
use crate::{output, queue};

/// The groups in the order of their display, with their headings.
const GROUPS: [(Group, &str); 5] = [
    (Group::YourTurn, "Your turn"),
    (Group::ReadyToMerge, "Ready to merge"),
    (Group::Waiting, "Waiting for others"),
    (Group::Drafts, "Drafts"),
    (Group::Done, "Done lately"),
];

/// The maximum number of rows of a group, unless all are asked for.
const MAX_ROWS: usize = 50;

/// Lists the inbox.
pub async fn run(args: InboxArgs) -> Result<ExitCode> {
    if let Some(InboxCommand::Queue(args)) = args.command {
        return queue::run(args).await;
    }
    let app = blocking(|| output::start(AppOptions::default())).await?;
    let view = if args.offline {
        let reader = std::sync::Arc::clone(&app);
        blocking(move || reader.inbox_view()).await?
    } else {
        app.refresh_inbox().await?
    };
    if args.json {
        output::result(&output::json(&view)?, None)?;
    } else {
        output::text(&text(&view, args.all), None)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(view: &InboxView, all: bool) -> String {
    let mut out: String = view.accounts.iter().map(account).collect();
    for (group, heading) in GROUPS {
        let rows: Vec<&Row> = view.rows.iter().filter(|row| row.group == group && (all || !row.hidden)).collect();
        if rows.is_empty() {
            continue;
        }
        out += &format!("{heading} ({})\n", rows.len());
        let listed = if all { rows.len() } else { rows.len().min(MAX_ROWS) };
        out.extend(rows[..listed].iter().map(|row| line(row)));
        if listed < rows.len() {
            out += &format!("  and {} more; use --all to list them.\n", rows.len() - listed);
        }
    }
    let hidden = view.rows.iter().filter(|row| row.hidden).count();
    if hidden > 0 && !all {
        out += &format!("{hidden} snoozed or muted; use --all to list them.\n");
    }
    if view.accounts.is_empty() {
        out += "No GitLab account is set up. Save a token with `diffsan secret set https://gitlab.example.com`.\n";
    } else if view.rows.is_empty() {
        out += "The inbox is empty.\n";
    }
    out
}

/// Returns a line about an account that could not be read, or whose clock differs.
fn account(account: &AccountView) -> String {
    let mut out = String::new();
    if let Some(problem) = &account.problem {
        let age = account.refreshed_at.as_deref().map_or("never read".to_owned(), |at| format!("as of {}", stamp(at)));
        out += &format!("! {}: {} ({age})\n", account.host, problem.message);
    }
    if account.clock_ahead != 0 {
        let hours = account.clock_ahead.abs() / 3600;
        let side = if account.clock_ahead > 0 { "behind" } else { "ahead of" };
        out += &format!("! The clock of this machine is {hours} h {side} that of {}.\n", account.host);
    }
    out
}

fn line(row: &Row) -> String {
    let name = match (row.kind, row.iid) {
        (RowKind::MergeRequest, Some(iid)) => format!("{}!{iid}", row.project),
        _ => row.project.clone(),
    };
    let clean = |text: &str| text.chars().filter(|char| !char.is_control()).collect::<String>();
    let mut out = format!("  {:<28} {}  ({})", clean(&name), clean(&row.title), clean(&row.reason.text));
    if let Some([added, removed]) = row.lines {
        out += &format!("  +{added} -{removed}");
    }
    if let Some(review) = &row.review {
        let state = if review.current { "reviewed" } else { "reviewed before the last push" };
        out += &format!("  [{state}: {}]", findings(review.severities));
    }
    if let Some(problem) = &row.problem {
        out += &format!("  ! {}", clean(problem));
    }
    out.push('\n');
    out
}

/// Returns the findings of a review in words, such as `3 findings, 1 high`.
fn findings(severities: [u32; 5]) -> String {
    let names = ["critical", "high", "medium", "low", "info"];
    let all: u32 = severities.iter().sum();
    let Some((worst, name)) = severities.into_iter().zip(names).find(|(count, _)| *count > 0) else {
        return "no findings".to_owned();
    };
    let plural = if all == 1 { "finding" } else { "findings" };
    if worst == all { format!("{all} {name} {plural}") } else { format!("{all} {plural}, {worst} {name}") }
}

fn stamp(at: &str) -> String {
    at.chars().take(16).map(|char| if char == 'T' { ' ' } else { char }).collect()
}
