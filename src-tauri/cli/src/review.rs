//! `diffsan review`: reviews a change.

use std::process::ExitCode;

use diffsan_app::ReviewOutcome;
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json_value};
use diffsan_pipeline::review::{ReviewRequest, RunEvent, RunLocation, SkipCode};
use diffsan_posting::{PlanOptions, PostVerdict};
use diffsan_review::finding::CAPABILITY_REVIEWER;

use crate::args::ReviewArgs;
use crate::ci::Pipeline;
use crate::{output, post, prepare, stop};

/// The folder for the files of a run in a pipeline, which the job saves as artifacts.
const CI_FOLDER: &str = ".diffsan";

/// The exit status of a gate if all of the change is ignored or over the limits. It is no failure, so a job can allow it.
const NOT_REVIEWED: u8 = 10;

/// Reviews a change and prints the result.
pub async fn run(args: ReviewArgs) -> Result<ExitCode> {
    let mut source = args.source.clone();
    if args.ci {
        let pipeline = Pipeline::find(|name| std::env::var(name).ok())?;
        source.target.mr = Some(pipeline.merge_request.clone());
        source.ci = Some(pipeline);
    }
    if args.post && source.target.mr.is_none() {
        return Err(Error::new(
            ErrorCode::InvalidInput,
            "This change is not a merge request, so comments cannot be posted.",
        )
        .hint("Name the merge request with --mr, or use --ci in its pipeline."));
    }
    let (app, handle) = prepare::open(&source).await?;
    let cancel = app.cancellation();
    stop::cancels(&cancel);
    if !source.facts.is_empty() {
        prepare::facts(&app, &handle, &source).await?;
    }
    let request = ReviewRequest {
        run_id: None,
        resume: None,
        agents: args.agent.clone(),
        model: args.model.clone(),
        instructions: args.instructions.clone(),
        skills: None,
        prior: None,
        records: Default::default(),
        known: Vec::new(),
        posted: None,
        verify: args.verify,
        // A gate judges the change. It cannot pass because the change was judged before.
        anyway: args.anyway || args.fail_on.is_some(),
        runs: args.runs,
        place: match &args.run_dir {
            Some(folder) => RunLocation::Folder(folder.clone()),
            None if args.ci => RunLocation::Folder(CI_FOLDER.into()),
            None => RunLocation::Data,
        },
    };
    let notify = |event: RunEvent| match event {
        RunEvent::Step { message, .. } => output::progress(&message),
        RunEvent::Agents { .. } | RunEvent::Usage { .. } => {}
        RunEvent::Progress { message, elapsed_ms, .. } => {
            output::progress(&format!("  {:>4} s  {message}", elapsed_ms / 1000));
        }
    };
    let (_, result) = app.review(&handle, request, cancel.clone(), &notify).await;
    match result? {
        ReviewOutcome::Skipped { reason, message } => {
            let is_unreviewed = reason == SkipCode::NothingSent.name();
            if args.output.json() {
                let mut skipped = serde_json::json!({ "reason": reason, "message": message });
                if is_unreviewed {
                    let parts = &handle.opened.prepared().prepared;
                    skipped["ignored"] = to_json_value(&parts.ignored)?;
                    skipped["truncation"] = to_json_value(&parts.truncation)?;
                }
                output::result(
                    &output::json(&serde_json::json!({ "skipped": skipped }))?,
                    args.output.output.as_deref(),
                )?;
            } else {
                output::say(&format!("{message} ({reason})"));
            }
            if is_unreviewed && args.fail_on.is_some() {
                output::say("No code was reviewed, so the change does not pass --fail-on.");
                return Ok(ExitCode::from(NOT_REVIEWED));
            }
            Ok(ExitCode::SUCCESS)
        }
        ReviewOutcome::Saved(saved) => {
            if args.agent.is_empty() && saved.output.meta.agent == CAPABILITY_REVIEWER {
                output::say(
                    "note: No agent is installed, so the built-in reviewer examined the effects of the code. \
                     `diffsan agents` lists the agents.",
                );
            }
            let text = match args.output.format()?.exported() {
                Some(format) => app.export(&saved, &handle.opened, format)?.text,
                None => output::review_text(&saved),
            };
            output::document(&text, args.output.format()?, args.output.output.as_deref())?;
            output::progress(&format!("saved in {}", saved.run_dir));
            let worst = saved.output.worst_severity();
            if args.post {
                let options = post::PostOptions {
                    review: saved.output.clone(),
                    review_id: Some(saved.id.clone()),
                    folder: Some(saved.run_dir.clone().into()),
                    plan: PlanOptions {
                        summary: true,
                        requirements: args.requirements.then_some(true),
                        pipeline: std::env::var("CI_PIPELINE_ID").ok(),
                        ..PlanOptions::default()
                    },
                    dry_run: args.dry_run,
                    degrade: !args.strict,
                    verdict: PostVerdict::Comment,
                    verbose: false,
                    json: false,
                    on_stderr: true,
                };
                let posted = post::post(&app, &handle, options, &cancel).await?;
                if posted != ExitCode::SUCCESS {
                    return Ok(posted);
                }
            }
            let Some(limit) = args.fail_on else { return Ok(ExitCode::SUCCESS) };
            if worst.is_some_and(|worst| worst >= limit) {
                return Ok(ExitCode::from(1));
            }
            // A fallback answers for an agent that failed.
            let asked = args.agent.len().max(1);
            let answered = saved.output.meta.agents.iter().filter(|agent| agent.findings.is_some()).count();
            if answered >= asked {
                return Ok(ExitCode::SUCCESS);
            }
            output::say(&format!(
                "{} of {asked} agents failed, so the review is incomplete and does not pass --fail-on.",
                asked - answered
            ));
            Ok(ExitCode::from(ErrorCode::AgentExecFailed.presentation().exit_code))
        }
    }
}
