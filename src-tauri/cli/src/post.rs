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
    FindingElsewhere, ItemResult, ItemState, PlanOptions, Planned, PostEvent, PostOutcome, PostVerdict, VerdictResult,
    VerdictState, has_moved, plan_posting, read_review, relocate_review,
};
use diffsan_review::ReviewOutput;
use tokio_util::sync::CancellationToken;

use crate::args::{PostArgs, PostFormat};
use crate::reports::{LISTED, largest};
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
    /// Whether every item is listed, also if there are many.
    pub verbose: bool,
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
        verbose: args.verbose,
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
    let reading = cancel.run_until_cancelled(app.lower_layers(&opened, review.findings.clone()));
    match reading.await.ok_or_else(|| Error::new(ErrorCode::Cancelled, "Stopped. Nothing was posted."))? {
        Ok(layers) => plan_options.elsewhere = layers,
        Err(error) => output::say(&format!("note: the stack could not be read: {}", error.message)),
    }
    let planned = blocking(move || plan_posting(&opened, &review, &plan_options)).await?;
    elsewhere(&planned.elsewhere, options.verbose).iter().for_each(|line| output::say(line));
    if options.dry_run {
        let text = if options.json { output::json(&planned.plan)? } else { preview(&planned, options.verdict) };
        say(&text, options.json, options.on_stderr)?;
        return Ok(ExitCode::SUCCESS);
    }
    stop::cancels(cancel);
    let (all, verbose) = (planned.plan.items.len() + 1, options.verbose);
    let notify = |event: PostEvent| match event {
        PostEvent::Step { message } => output::progress(&message),
        // Each item has a line of its own when it is posted.
        PostEvent::Progress { .. } => {}
        PostEvent::Item { item } if matches!(item.state, ItemState::Sending | ItemState::Prepared) => {}
        PostEvent::Item { item } if is_expected(item.state) && !verbose && all > LISTED => {}
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
    say(
        &if options.json { output::json(&outcome)? } else { outcome_text(&outcome, options.verbose) },
        options.json,
        options.on_stderr,
    )?;
    if let Some(error) = &outcome.journal_error {
        output::say(&format!("note: the result was not saved in diffsan's journal: {}", error.message));
    }
    let errors = [outcome.error.as_ref(), outcome.verdict.as_ref().and_then(|verdict| verdict.error.as_ref())];
    let stopped = errors.into_iter().flatten().map(|error| error.error_code).find(|code| code.is_cancelled());
    Ok(match stopped {
        Some(code) => ExitCode::from(code.presentation().exit_code),
        None if outcome.complete => ExitCode::SUCCESS,
        None => ExitCode::from(7),
    })
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

/// Formats the findings that belong to lower layers: one line for each, or for each layer if there are many.
fn elsewhere(findings: &[FindingElsewhere], verbose: bool) -> Vec<String> {
    let line = |finding: &FindingElsewhere| {
        let FindingElsewhere { title, place, layer, .. } = finding;
        format!("not posted here: {place}: {title}: {} introduced its lines", layer.name)
    };
    if verbose || findings.len() <= LISTED {
        return findings.iter().map(line).collect();
    }
    let layers = largest(findings.iter().map(|finding| finding.layer.name.as_str()));
    let group = |(layer, count): (&str, usize)| {
        format!("not posted here: {count} findings, whose lines {layer} introduced; --verbose lists them")
    };
    layers.into_iter().map(group).collect()
}

/// Returns whether an item was posted as it was planned, so that a summary of many need not name it.
fn is_expected(state: ItemState) -> bool {
    matches!(state, ItemState::Landed | ItemState::AlreadyThere)
}

/// Formats the items, one line for each. Of many, only the summary and those that were not posted as planned are listed.
fn items_text(items: &[ItemResult], verbose: bool) -> String {
    let listed = verbose || items.len() <= LISTED;
    let shown = items.iter().filter(|item| listed || item.is_summary() || !is_expected(item.state));
    let mut out = String::new();
    for item in shown.take(if listed { usize::MAX } else { LISTED }) {
        out += &format!("{:<13} {}", state_name(item.state), item.title);
        out += &item.url.as_ref().map(|url| format!("  {url}")).unwrap_or_default();
        out.push('\n');
        if let Some(error) = item.error.as_ref().filter(|_| item.state == ItemState::Failed) {
            out += &format!("              {}\n", error.message);
        }
    }
    if !listed {
        let states = largest(items.iter().map(|item| state_name(item.state)));
        let counts: Vec<String> = states.into_iter().map(|(name, count)| format!("{count} {name}")).collect();
        out += &format!("{}; --verbose or --format json lists them\n", counts.join(", "));
    }
    out
}

/// Formats the outcome.
fn outcome_text(outcome: &PostOutcome, verbose: bool) -> String {
    let mut out = format!("{}\n{}", outcome.delivery.reason, items_text(&outcome.items, verbose));
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
        let stopped = outcome.error.as_ref().is_some_and(|error| error.error_code.is_cancelled());
        let what = if stopped { "were not posted, or GitLab has not confirmed them" } else { "were not posted" };
        out += &format!("{failed} of {of} {what}. Post again: only the missing comments are sent.\n");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_items_are_counted_and_the_failed_ones_are_listed() {
        let item = |number: usize| ItemResult {
            key: if number == 0 { "summary".to_owned() } else { format!("key{number}") },
            title: format!("Line {number}"),
            state: if number == 7 { ItemState::Failed } else { ItemState::Landed },
            url: None,
            error: None,
        };
        let few: Vec<ItemResult> = (0..LISTED).map(item).collect();
        assert_eq!(items_text(&few, false).lines().count(), LISTED);
        let many: Vec<ItemResult> = (0..500).map(item).collect();
        assert_eq!(
            items_text(&many, false),
            "posted        Line 0\nFAILED        Line 7\n499 posted, 1 FAILED; --verbose or --format json lists them\n"
        );
        assert_eq!(items_text(&many, true).lines().count(), 500);
    }
}
