//! Methods of merge requests, posting and tokens.

use std::path::Path;
use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;

use super::registry::{Fault, Table, listener, opened};
use super::view_requests as view;
use super::wire::{
    ApproveParams, ChangeIdParams, Done, FindRequestParams, FoundRequest, PlanParams, PlanView, PostParams,
    PostingEvent, ReanchorParams, ReplyParams, RequestList, RequestView, RequestsParams, ResolveParams, ReviewView,
    SecretList, SecretNameParams, SecretParams, SecretView, TokenView,
};
use diffsan_app::post::{PlanOptions, PostEvent};
use diffsan_app::{App, ChangeHandle, KeptPlan, Posting};
use diffsan_forge::gitlab::Approvals;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_store::secrets::{Secret, SecretName};

/// The maximum number of unread events of a posting.
const EVENTS: usize = 1024;

/// Converts a merge request for the interface.
async fn shown(
    app: Arc<App>,
    handle: ChangeHandle,
    moved: bool,
    approvals: Option<Approvals>,
) -> Result<RequestView, Fault> {
    let made = move || Ok(view::request(&app, &handle.opened, moved, approvals.as_ref()));
    blocking(made).await?
}

pub(super) fn requests(table: &mut Table) {
    table.async_method(
        "request.list",
        "The open merge requests of a repository's remote",
        |app, params: RequestsParams, _| async move {
            let found = app.merge_requests(Path::new(&params.repo)).await?;
            Ok::<RequestList, Fault>(RequestList { items: found.into_iter().map(view::item).collect() })
        },
    );
    table.method("request.find", "Which merge request a text names", |app, params: FindRequestParams| {
        let repo = Some(params.repo.as_str()).filter(|path| !path.is_empty()).map(Path::new);
        let target = diffsan_pipeline::open::merge_request_target(&params.text, repo)?;
        let repo = app.clone_of(&target)?.map(|path| path.display().to_string());
        Ok::<FoundRequest, Fault>(FoundRequest { target, repo })
    });
    table.async_method(
        "request.refresh",
        "Reads threads and approvals anew",
        |app, params: ChangeIdParams, _| async move {
            let handle = opened(&app, &params.change_id)?;
            let (moved, approvals) = app.refresh_request(&handle.opened).await?;
            shown(app, handle, moved, approvals).await
        },
    );
    table.async_method("thread.reply", "Answers in a thread", |app, params: ReplyParams, _| async move {
        let handle = opened(&app, &params.change_id)?;
        app.reply(&handle.opened, &params.thread, &params.body).await?;
        shown(app, handle, false, None).await
    });
    table.async_method(
        "thread.resolve",
        "Resolves a thread, or opens it again",
        |app, params: ResolveParams, _| async move {
            let handle = opened(&app, &params.change_id)?;
            app.resolve(&handle.opened, &params.thread, params.resolved).await?;
            shown(app, handle, false, None).await
        },
    );
    table.async_method(
        "request.approve",
        "Approves what is open, or takes that back",
        |app, params: ApproveParams, _| async move {
            let handle = opened(&app, &params.change_id)?;
            let approvals = app.approve(&handle.opened, params.approve).await?;
            shown(app, handle, false, Some(approvals)).await
        },
    );
    table.method("post.plan", "What would be posted, exactly as it would land", |app, params: PlanParams| {
        let handle = opened(app, &params.change_id)?;
        let wish = PlanOptions { chosen: Some(params.chosen), summary: params.summary, pipeline: None };
        let (plan_id, kept) = app.plan_posting(&handle.opened, &params.review_id, &wish)?;
        Ok::<PlanView, Fault>(view::plan(plan_id, &kept.planned))
    });
    table.method("review.reanchor", "Places a review on what the change is now", |app, params: ReanchorParams| {
        let handle = opened(app, &params.change_id)?;
        let kept = app.reanchor(&handle.opened, &params.review_id)?;
        Ok::<ReviewView, Fault>(super::view::review(&kept, Some(&handle.opened)))
    });
    table.subscription::<PostParams, PostingEvent, _, _>(
        ["post.start", "post.event", "post.stop"],
        "Posts a plan as it was shown; the last event tells how it ended",
        |app, params| match app.plan(&params.plan_id) {
            Some(plan) => Ok((plan, params.degrade)),
            None => Err(Error::new(ErrorCode::NotFound, "That plan is not there any more.")
                .hint("Look at it again, then post.")
                .into()),
        },
        |app, (plan, degrade), sink| start(app, plan, degrade, sink),
    );
}

/// Posts a plan to the end. It continues when the subscriber goes away, because half a posting is of no use.
async fn start(app: Arc<App>, plan: Arc<KeptPlan>, degrade: bool, sink: SubscriptionSink) -> SubscriptionResult {
    let (sender, forward) = listener::<PostingEvent>(sink, EVENTS);
    let tell = sender.clone();
    let notify = move |event: PostEvent| {
        let event = match event {
            PostEvent::Step { message } | PostEvent::Progress { message } => PostingEvent::Step { message },
            PostEvent::Item { item } => PostingEvent::Item { item: *item },
        };
        // A slow subscriber misses progress, not the result.
        let _ = tell.try_send(event);
    };
    let posting = Posting {
        opened: &plan.opened,
        plan: &plan.planned.plan,
        review_id: Some(&plan.review_id),
        folder: Some(plan.folder.clone()),
        degrade,
    };
    let posted = app.post(&posting, &app.cancellation(), &notify).await;
    drop(notify);
    let last = match posted {
        Ok(outcome) => PostingEvent::Done { outcome: Box::new(outcome) },
        Err(error) => PostingEvent::Failed { error: diffsan_pipeline::error::redacted(error).info() },
    };
    // The subscriber may be gone. Then the forwarding task has ended.
    let _ = sender.send(last).await;
    drop(sender);
    let _ = forward.await;
    Ok(())
}

pub(super) fn secrets(table: &mut Table) {
    let named = |text: &str| -> Result<SecretName, Fault> {
        SecretName::parse(text).ok_or_else(|| {
            Error::new(ErrorCode::InvalidInput, format!("`{text}` is no address of a GitLab."))
                .hint("It begins with https://, such as https://gitlab.example.com.")
                .into()
        })
    };
    table.method("secret.set", "Keeps a token or key in the keyring", move |app, params: SecretParams| {
        app.keep_secret(&named(&params.name)?, &Secret::new(&params.value), params.session_only)?;
        Ok::<Done, Fault>(Done {})
    });
    table.method("secret.remove", "Removes a token or key", move |app, params: SecretNameParams| {
        app.forget_secret(&named(&params.name)?)?;
        Ok::<Done, Fault>(Done {})
    });
    table.plain("secret.list", "The tokens and keys that were kept, by name", |app| {
        let kept = app.kept_secrets()?;
        let view = |one: diffsan_app::KeptSecret| SecretView { name: one.name.to_string(), there: one.place.is_some() };
        Ok::<SecretList, _>(SecretList { items: kept.into_iter().map(view).collect() })
    });
    table.async_method(
        "token.check",
        "Asks a GitLab what its token is good for",
        |app, params: SecretNameParams, ask| async move {
            let asking = ask.cancel.run_until_cancelled(app.check_token(&params.name));
            let cancelled = || Err(Error::new(ErrorCode::Cancelled, "Checking the token was cancelled."));
            let found = asking.await.unwrap_or_else(cancelled)?;
            Ok::<TokenView, Fault>(view::token(found))
        },
    );
}

/// Returns the facts about an opened merge request. Returns `None` for other changes.
pub(super) fn of_change(app: &App, handle: &ChangeHandle) -> Option<RequestView> {
    view::request(app, &handle.opened, false, None).ok()
}
