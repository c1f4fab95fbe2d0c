//! The program itself: facts about it, state of the interface, cancellation, other starts of the program.

use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repositories::folder_name;
use crate::registry::{Table, send};
use diffsan_app::{App, LaunchRequest};
use diffsan_change::Target;
use diffsan_pipeline::error::{ErrorInfo, Result};

/// No parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct LaunchParams {}

/// A request of another start of the program, or of a link, to show a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaunchEvent {
    /// The repository to open.
    pub repo: Option<String>,
    /// The change to open.
    pub target: Option<Target>,
    /// The title of the change, for display.
    pub title: Option<String>,
    /// Whether to open the bundled sample.
    pub sample: bool,
    /// Whether to ask the user first, because a link names an unknown place.
    pub ask: bool,
    /// Why the change cannot be shown.
    pub error: Option<ErrorInfo>,
}

/// Facts about the running program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AppInfo {
    /// The program's version.
    pub version: String,
    /// The folder that contains reviews and run folders.
    pub data_dir: String,
    /// The repository that the program was started on, if any.
    pub start_repo: Option<String>,
    /// The change that the program was started on, if any.
    pub start_target: Option<Target>,
    /// The repositories that were opened before, latest first.
    pub recent: Vec<RecentRepo>,
    /// Whether the bundled sample can be opened.
    pub sample: bool,
    /// Messages for the user about the state file since it was opened; usually empty.
    pub notices: Vec<String>,
    /// Whether this session cannot save anything.
    pub read_only: bool,
}

/// A repository that was opened before.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RecentRepo {
    /// The path of its root.
    pub path: String,
    /// The name of its folder.
    pub name: String,
}

/// Identifies a request of the same connection.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CancelParams {
    /// The request's JSON-RPC id.
    pub id: u64,
}

/// The result of cancelling a run or a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cancelled {
    /// Whether it was cancelled. False if it had already ended.
    pub cancelled: bool,
}

/// The empty result of a method that succeeded.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Done {}

/// Reads one value of the interface's state.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct StateKey {
    /// The name of the value.
    pub key: String,
}

/// A value of the interface's state (theme, panes, the last change), which the core saves across restarts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateEntry {
    /// The name of the value.
    pub key: String,
    /// The value as JSON text. None if it was never set.
    pub value: Option<String>,
}

pub(super) fn register(table: &mut Table) {
    let cancel = "Cancels another request of this connection";
    table.urgent_method("rpc.cancel", cancel, |params: CancelParams, ask| Cancelled {
        cancelled: ask.cancel_other(params.id),
    });
    table.plain("app.info", "Returns facts about the running program", |app| -> Result<AppInfo, _> { app_info(app) });
    table.query("state.get", "Reads a value of the interface's state", |app, params: StateKey| {
        let value = app.page_state(&params.key)?;
        Ok(StateEntry { key: params.key, value })
    });
    table.method("state.set", "Saves a value of the interface's state", |app, params: StateEntry| {
        app.set_page_state(&params.key, params.value.as_deref())?;
        Ok(Done {})
    });
    table.subscription::<LaunchParams, LaunchEvent, _, _>(
        ["app.launches", "app.launched", "app.launches_end"],
        "Subscribes to changes that other starts of the program, or links, ask to show",
        |_, _, _| Ok(()),
        launches,
    );
}

pub(super) fn app_info(app: &App) -> Result<AppInfo> {
    let recent = app.recent_repositories()?;
    let start_repo = match &app.options().start_repo {
        None if app.options().start_sample => Some(app.sample_repository()?),
        named => named.clone(),
    };
    Ok(AppInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: app.places().data.display().to_string(),
        start_repo: start_repo.map(|path| path.display().to_string()),
        start_target: app.options().start_target.clone(),
        recent: recent
            .iter()
            .map(|path| RecentRepo { path: path.display().to_string(), name: folder_name(path) })
            .collect(),
        sample: true,
        notices: app.start_notices(),
        read_only: app.is_read_only(),
    })
}

async fn launches(app: Arc<App>, (): (), sink: SubscriptionSink) -> SubscriptionResult {
    loop {
        let news = tokio::select! {
            () = sink.closed() => return Ok(()),
            news = app.next_launch() => news,
        };
        let event = match news {
            LaunchRequest::Show { launch, ask } => LaunchEvent {
                repo: launch.repo.map(|path| path.display().to_string()),
                title: launch.target.as_ref().map(diffsan_change::Target::title),
                target: launch.target,
                sample: launch.sample,
                ask,
                error: None,
            },
            LaunchRequest::Wrong(error) => LaunchEvent {
                repo: None,
                title: None,
                target: None,
                sample: false,
                ask: false,
                error: Some(diffsan_pipeline::error::redacted(error).info()),
            },
        };
        if !send(&sink, &event).await {
            return Ok(());
        }
    }
}
