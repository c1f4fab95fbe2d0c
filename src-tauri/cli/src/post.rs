//! `diffsan post`, and the posting of `diffsan review --post`.

use diffsan_pipeline::blocking;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use diffsan_app::{App, ChangeHandle, Posting, find_finding};
use diffsan_forge::gitlab::Landing;
use diffsan_forge::post_plan::{ChosenFinding, PlannedItem};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_posting::{
    FindingElsewhere, ItemState, PlanOptions, Planned, PostEvent, PostOutcome, PostVerdict, VerdictResult,
    VerdictState, has_moved, plan_posting, read_review, relocate_review,
};
use diffsan_review::ReviewOutput;
use tokio_util::sync::CancellationToken;

use crate::args::{PostArgs, PostFormat};
use crate::{output, prepare, stop};

/// The input of a posting, and how it is reported.
pub struct PostOptions {
    pub review: ReviewOutput,
    pub review_id: Option<String>,
    pub folder: Option<PathBuf>,
    pub plan: PlanOptions,
    pub dry_run: bool,
    pub degrade: bool,
    pub verdict: PostVerdict,
    pub json: bool,
    /// Whether messages go to standard error because standard output is used for another result.
    pub on_stderr: bool,
}

/// Posts a review from a file.
pub async fn run(args: PostArgs) -> Result<ExitCode> {
    let text = diffsan_bounded::read_to_string(&args.review, diffsan_bounded::MAX_PATCH_BYTES).map_err(|error| {
        Error::new(ErrorCode::InvalidInput, format!("The review {} cannot be read: {error}.", args.review.display()))
            .hint("Pass the review.json of a run, or the output of `diffsan review --json`.")
    })?;
    let source = args.source();
    let (app, handle) = prepare::open(&source).await?;
    let opened = Arc::clone(&handle.opened);
    let (reanchor, verdict) = (args.reanchor, PostVerdict::from(args.verdict));
    let review = blocking(move || {
        let review = read_review(&opened, &text)?;
        if verdict != PostVerdict::Comment && has_moved(&opened, &review)? {
            let message = "The merge request has changed since the review, so the review is no ground for a verdict.";
            return Err(Error::new(ErrorCode::GitlabHeadMoved, message)
                .hint("Review the new commits, or post only comments (--reanchor without --verdict)."));
        }
        if reanchor { relocate_review(&opened, &review) } else { Ok(review) }
    })
    .await?;
    let folder = args.review.parent().filter(|folder| folder.join("run.json").exists()).map(PathBuf::from);
    let chosen = |name: &String| Ok(ChosenFinding { finding: find_finding(&review.findings, name)?, body: None });
    let chosen = match args.only.is_empty() {
        true => None,
        false => Some(args.only.iter().map(chosen).collect::<Result<Vec<_>>>()?),
    };
    let options = PostOptions {
        review,
        review_id: None,
        folder,
        plan: PlanOptions {
            chosen,
            summary: !args.no_summary,
            requirements: args.requirements.then_some(true),
            pipeline: std::env::var("CI_PIPELINE_ID").ok(),
            ..PlanOptions::default()
        },
        dry_run: args.dry_run,
        degrade: !args.strict,
        verdict,
        json: args.format == PostFormat::Json,
        on_stderr: false,
    };
    post(&app, &handle, options, &app.cancellation()).await
}

/// Plans the posting, then prints the plan or posts it and prints the outcome.
pub async fn post(
    app: &Arc<App>,
    handle: &ChangeHandle,
    options: PostOptions,
    cancel: &CancellationToken,
) -> Result<ExitCode> {
    let opened = Arc::clone(&handle.opened);
    let (review, mut plan_options) = (options.review, options.plan);
    match app.lower_layers(&opened, review.findings.clone()).await {
        Ok(layers) => plan_options.elsewhere = layers,
        Err(error) => output::say(&format!("note: the stack could not be read: {}", error.message)),
    }
    let planned = blocking(move || plan_posting(&opened, &review, &plan_options)).await?;
    for FindingElsewhere { title, place, layer, .. } in &planned.elsewhere {
        output::say(&format!("not posted here: {place}: {title}: {} introduced its lines", layer.name));
    }
    if options.dry_run {
        let text = if options.json { output::json(&planned.plan)? } else { preview(&planned, options.verdict) };
        say(&text, options.json, options.on_stderr)?;
        return Ok(ExitCode::SUCCESS);
    }
    stop::cancels(cancel);
    let notify = |event: PostEvent| match event {
        PostEvent::Step { message } => output::progress(&message),
        // Each item has a line of its own when it is posted.
        PostEvent::Progress { .. } => {}
        PostEvent::Item { item } if matches!(item.state, ItemState::Sending | ItemState::Prepared) => {}
        PostEvent::Item { item } => {
            output::progress(&format!("  {:<12} {}", state_name(item.state), item.title));
        }
    };
    let posting = Posting {
        opened: &handle.opened,
        plan: &planned.plan,
        review_id: options.review_id.as_deref(),
        folder: options.folder,
        degrade: options.degrade,
        verdict: options.verdict,
    };
    let outcome = app.post(&posting, cancel, &notify).await?;
    say(&if options.json { output::json(&outcome)? } else { outcome_text(&outcome) }, options.json, options.on_stderr)?;
    Ok(if outcome.complete { ExitCode::SUCCESS } else { ExitCode::from(7) })
}

fn say(text: &str, json: bool, on_stderr: bool) -> Result<()> {
    if on_stderr {
        output::say(text.trim_end());
        return Ok(());
    }
    if json { output::result(text, None) } else { output::text(text, None) }
}

/// Formats a plan: the text of each item and its place, and the verdict.
fn preview(planned: &Planned, verdict: PostVerdict) -> String {
    let mut out = String::new();
    let mark = |key: &str| if planned.posted.contains(key) { "  (already posted)" } else { "" };
    for item in &planned.plan.items {
        out += &format!("{}{}\n{}\n", landing(item), mark(&item.key), indented(&item.body));
    }
    if let Some(summary) = &planned.plan.summary {
        let how = if summary.replaces.is_some() { "summary, replaces the previous one" } else { "summary" };
        out += &format!("── {how}{}\n{}\n", mark(&summary.key), indented(&summary.body(&[], &planned.markers)));
    }
    if verdict != PostVerdict::Comment {
        out += &format!("── verdict: {}\n", verdict_name(verdict));
    }
    out
}

fn landing(item: &PlannedItem) -> String {
    let how = match &item.landing {
        Landing::Line { position } => match (position.old_line, position.new_line) {
            _ if position.line_range.is_some() => "range",
            (None, Some(_)) => "added line",
            (Some(_), None) => "removed line",
            _ => "unchanged line",
        },
        Landing::File { .. } => "file",
        Landing::Summary => "not posted without the summary",
    };
    let suggestion = if item.suggestion { ", suggestion" } else { "" };
    let notes: String = item.notes.iter().map(|note| format!("\n   {note}")).collect();
    format!("── {how}{suggestion} · {} · {}{notes}", item.place, item.severity)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}

/// Formats the outcome, one line for each item.
fn outcome_text(outcome: &PostOutcome) -> String {
    let mut out = format!("{}\n", outcome.delivery.reason);
    for item in &outcome.items {
        out += &format!("{:<13} {}", state_name(item.state), item.title);
        out += &item.url.as_ref().map(|url| format!("  {url}")).unwrap_or_default();
        out.push('\n');
        if let Some(error) = item.error.as_ref().filter(|_| item.state == ItemState::Failed) {
            out += &format!("              {}\n", error.message);
        }
    }
    let count = |is: fn(ItemState) -> bool| outcome.items.iter().filter(|item| is(item.state)).count();
    let moved = count(|state| matches!(state, ItemState::OnFile | ItemState::InSummary));
    if moved > 0 {
        out += &format!("{moved} of {} were moved, because GitLab rejected their lines.\n", outcome.items.len());
    }
    let failed = count(|state| state == ItemState::Failed);
    if let Some(verdict) = &outcome.verdict {
        out += &verdict_text(verdict);
    }
    if failed > 0 {
        let of = outcome.items.len();
        out += &format!("{failed} of {of} were not posted. Post again: only the missing comments are sent.\n");
    }
    if let Some(error) = &outcome.error {
        out += &format!("error: {}\n{}\n", error.message, error.hint.as_deref().unwrap_or_default());
    }
    out
}

/// Formats the result of the verdict as one line.
fn verdict_text(result: &VerdictResult) -> String {
    let (state, detail) = match (result.state, &result.error) {
        (VerdictState::Given, _) => ("given", String::new()),
        (VerdictState::AlreadyGiven, _) => ("already given", String::new()),
        (VerdictState::NotSent, _) => ("NOT GIVEN", ": not all comments are posted".to_owned()),
        (VerdictState::Failed, error) => {
            ("FAILED", error.as_ref().map(|error| format!(": {}", error.message)).unwrap_or_default())
        }
    };
    format!("{state:<13} Verdict: {}{detail}\n", verdict_name(result.verdict))
}

fn verdict_name(verdict: PostVerdict) -> &'static str {
    match verdict {
        PostVerdict::Comment => "comment",
        PostVerdict::Approve => "approve",
        PostVerdict::RequestChanges => "request changes",
    }
}

fn state_name(state: ItemState) -> &'static str {
    match state {
        ItemState::Waiting => "waiting",
        ItemState::Sending => "sending",
        ItemState::Prepared => "prepared",
        ItemState::AlreadyThere => "already posted",
        ItemState::Landed => "posted",
        ItemState::OnFile => "on its file",
        ItemState::InSummary => "in summary",
        ItemState::Failed => "FAILED",
    }
}
