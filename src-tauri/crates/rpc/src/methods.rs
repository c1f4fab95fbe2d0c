//! Registers the methods of repositories, changes and reviews, and assembles all others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonrpsee::core::SubscriptionResult;
use jsonrpsee::types::ErrorObjectOwned;
use jsonrpsee::{RpcModule, SubscriptionSink};
use serde_json::Value;

use super::pages;
use super::registry::{Fault, Table, listener, opened};
use super::view;
use super::wire::{
    AgentCheck, AgentCheckParams, AllowParams, AppInfo, CancelParams, Cancelled, ChangeIdParams, ChangeParams,
    ChangeView, DecideParams, Done, HighlightParams, HighlightView, HunkPage, HunksParams, PreparedView, PromptParams,
    PromptView, RepoParams, RepoView, ReviewEvent, ReviewParams, RunParams, StateEntry, StateKey, TriedView, TryParams,
};
use diffsan_app::{App, ChangeHandle};
use diffsan_pipeline::review::{ReviewRequest, RunEvent, RunLocation};

/// The number of unread events of a review. When it is reached, progress events are dropped, but never the result.
const EVENTS: usize = 256;

/// Returns all methods, and the OpenRPC document that describes them.
pub fn build(app: Arc<App>) -> (RpcModule<Arc<App>>, Value) {
    let mut table = Table::new(app);
    places(&mut table);
    changes(&mut table);
    reviews(&mut table);
    super::requests::requests(&mut table);
    super::requests::secrets(&mut table);
    super::prompts::register(&mut table);
    super::settings::register(&mut table);
    super::exports::register(&mut table);
    super::desktop::register(&mut table);
    super::chat::register(&mut table);
    super::desk::register(&mut table);
    super::history::register(&mut table);
    let document = table.document();
    let described = document.clone();
    let mut module = table.module;
    let registered =
        module.register_method("rpc.discover", move |_, _, _| Ok::<Value, ErrorObjectOwned>(described.clone()));
    debug_assert!(registered.is_ok(), "rpc.discover is registered twice");
    (module, document)
}

/// Returns the OpenRPC document alone. It needs no data folder.
pub(super) fn describe() -> Value {
    match App::in_memory() {
        Ok(app) => build(app).1,
        Err(error) => serde_json::json!({ "error": error.message }),
    }
}

fn places(table: &mut Table) {
    let cancel = "Cancels another request of this connection, which then fails with AGENT_CANCELLED";
    table.long_method("rpc.cancel", cancel, |_, params: CancelParams, ask| {
        Ok::<Cancelled, Fault>(Cancelled { cancelled: ask.cancel_other(params.id) })
    });
    table.plain("app.info", "What the program is and where it stands", |app| -> Result<AppInfo, _> {
        view::app_info(app)
    });
    table.method("repo.open", "Opens a repository and lists the changes it offers", |app, params: RepoParams| {
        let repo = app.open_repository(Path::new(&params.path))?;
        Ok::<RepoView, Fault>(view::repository(&repo)?)
    });
    table.plain("repo.sample", "Opens the bundled sample repository", |app| -> Result<RepoView, _> {
        let path = app.sample_repository()?;
        view::repository(&app.open_repository(&path)?)
    });
    table.plain("agents.list", "The agents that diffsan knows, and whether they are installed", |app| {
        Ok(view::agents(app.agents()?))
    });
    let check = "Asks an agent one line, to see whether it works";
    table.async_method("agents.check", check, async |app, params: AgentCheckParams, ask| {
        let model = params.model.as_deref().filter(|model| !model.trim().is_empty());
        let checked = app.check_agent(&params.name, model, &ask.cancel).await?;
        Ok::<AgentCheck, Fault>(view::check(checked))
    });
    table.method("state.get", "Reads a piece of the interface's own state", |app, params: StateKey| {
        let value = app.page_state(&params.key)?;
        Ok::<StateEntry, Fault>(StateEntry { key: params.key, value })
    });
    table.method("state.set", "Keeps a piece of the interface's own state", |app, params: StateEntry| {
        app.set_page_state(&params.key, params.value.as_deref())?;
        Ok::<Done, Fault>(Done {})
    });
}

fn changes(table: &mut Table) {
    table.long_method("change.open", "Opens a change", |app, params: ChangeParams, ask| {
        let repo = Some(params.repo).filter(|path| !path.is_empty()).map(PathBuf::from);
        let handle = app.open_change(repo, params.target, params.since, &ask.cancel)?;
        handle.opened.pin(params.review_id);
        Ok::<ChangeView, Fault>(view::change(app, &handle)?)
    });
    table.method("change.hunks", "The next hunks of an opened change", |app, params: HunksParams| {
        let handle = opened(app, &params.change_id)?;
        Ok::<HunkPage, Fault>(pages::page(&handle.opened, params.from, params.max_lines))
    });
    table.method("change.highlight", "Colours of some lines", |app, params: HighlightParams| {
        let handle = opened(app, &params.change_id)?;
        Ok::<HighlightView, Fault>(pages::colours(&handle.opened, &params))
    });
    table.method("change.prepared", "What would be sent of a change", |app, params: ChangeIdParams| {
        let handle = opened(app, &params.change_id)?;
        Ok::<PreparedView, Fault>(view::prepared(&handle.opened))
    });
    table.method("redaction.allow", "Says that a value is no secret here", |app, params: AllowParams| {
        let handle = opened(app, &params.change_id)?;
        app.allow_secret(&handle.opened, &params.secret, params.allowed)?;
        Ok::<Done, Fault>(Done {})
    });
    table.method("redaction.try", "Masks a text, to see what would be left of it", |app, params: TryParams| {
        let redactor = match &params.change_id {
            Some(id) => Arc::clone(opened(app, id)?.opened.redactor()),
            None => Arc::new(app.redactor()?),
        };
        let mut session = redactor.session();
        let text = session.text(&params.path, &params.text).into_inner();
        Ok::<TriedView, Fault>(TriedView { text, redaction: session.report() })
    });
    table.method("prompt.preview", "The exact prompt of a review", |app, params: PromptParams| {
        let handle = opened(app, &params.change_id)?;
        Ok::<PromptView, Fault>(view::prompt(app, &handle.opened, &params)?)
    });
}

fn reviews(table: &mut Table) {
    table.method("review.cancel", "Stops a running review", |app, params: RunParams| {
        Ok::<Cancelled, Fault>(Cancelled { cancelled: app.cancel(&params.run_id) })
    });
    table.method("finding.decide", "Keeps what the reviewer decided", |app, params: DecideParams| {
        app.decide(
            &params.review_id,
            &params.findings,
            view::decision_name(params.decision),
            params.reason.as_deref(),
        )?;
        Ok::<Done, Fault>(Done {})
    });
    table.subscription::<ReviewParams, ReviewEvent, _, _>(
        ["review.start", "review.event", "review.stop"],
        "Reviews an opened change; its events are notifications, the last one tells how it ended",
        |app, params: ReviewParams| {
            let resume = params.resume.as_deref().map(|run_id| app.resume(run_id)).transpose()?;
            Ok((opened(app, &params.change_id)?, params, resume))
        },
        |app, (handle, params, resume), sink| {
            let mut request = ReviewRequest {
                agents: params.agents,
                model: params.model,
                instructions: params.instructions,
                skills: params.skills,
                anyway: params.anyway,
                place: RunLocation::Data,
                ..ReviewRequest::default()
            };
            if let Some((folder, asked)) = resume {
                request = ReviewRequest {
                    agents: asked.agents,
                    model: asked.model,
                    instructions: asked.instructions,
                    skills: asked.skills,
                    anyway: asked.anyway || params.anyway,
                    resume: Some(folder),
                    ..request
                };
            }
            request.model = request.model.filter(|model| !model.trim().is_empty());
            start_review(app, handle, request, sink)
        },
    );
}

/// Runs a review to its end. It continues when the subscriber goes away, because the agent's answer was paid for.
async fn start_review(
    app: Arc<App>,
    handle: ChangeHandle,
    request: ReviewRequest,
    sink: SubscriptionSink,
) -> SubscriptionResult {
    let (sender, forward) = listener::<ReviewEvent>(sink, EVENTS);
    let tell = sender.clone();
    let notify = move |event: RunEvent| {
        let event = match event {
            RunEvent::Started { run_id, agent } => ReviewEvent::Started { run_id, agent },
            RunEvent::Step { step, message } => ReviewEvent::Step { step: step.to_owned(), message },
            RunEvent::Progress { agent, message, elapsed_ms } => ReviewEvent::Progress { agent, message, elapsed_ms },
            RunEvent::Usage { agent, usage, cost_usd } => ReviewEvent::Usage { agent, tokens: usage, cost_usd },
        };
        // A slow subscriber misses progress events only.
        let _ = tell.try_send(event);
    };
    let (folder, result) = app.review(&handle, request, app.cancellation(), &notify).await;
    drop(notify);
    let run_dir = folder.display().to_string();
    let last = match result {
        Ok(diffsan_app::ReviewOutcome::Kept(kept)) => {
            ReviewEvent::Done { review: Box::new(view::review(&kept, Some(&handle.opened))) }
        }
        Ok(diffsan_app::ReviewOutcome::Skipped { reason, message }) => {
            ReviewEvent::Skipped { reason: reason.to_owned(), message }
        }
        Err(error) if error.code.is_cancelled() => ReviewEvent::Cancelled { run_dir },
        Err(error) => ReviewEvent::Failed { error: error.info(), run_dir },
    };
    // The subscriber may be gone. Then the forwarding task has ended.
    let _ = sender.send(last).await;
    drop(sender);
    let _ = forward.await;
    Ok(())
}
