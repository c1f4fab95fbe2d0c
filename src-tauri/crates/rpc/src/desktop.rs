//! Events from outside the window: a changed repository, another start of the program, a patch without a file.

use std::path::PathBuf;
use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use serde::Serialize;
use tokio::sync::mpsc;

use super::registry::{Fault, Table};
use super::view;
use super::wire::{
    ChangeIdParams, LaunchEvent, LaunchParams, MovedView, PatchParams, PatchView, RepoMoved, RepoParams,
};
use diffsan_app::{App, LaunchNews};
use diffsan_git::{Repo, Watch};

pub(super) fn register(table: &mut Table) {
    table.method("change.moved", "Whether an opened change is another one by now", |app, params: ChangeIdParams| {
        let handle = app.change(&params.change_id).ok_or(Fault::UnknownChange)?;
        Ok::<MovedView, Fault>(MovedView { moved: app.has_moved(&handle.opened)? })
    });
    table.method("patch.keep", "Keeps a patch that came without a file", |app, params: PatchParams| {
        let path = app.keep_patch(&params.name, &params.text)?;
        Ok::<PatchView, Fault>(PatchView { path: path.display().to_string() })
    });
    table.subscription::<RepoParams, RepoMoved, _, _>(
        ["repo.watch", "repo.moved", "repo.unwatch"],
        "Tells when a repository's files, index or branches changed",
        |_, params| Ok(PathBuf::from(params.path)),
        watch,
    );
    table.subscription::<LaunchParams, LaunchEvent, _, _>(
        ["app.launches", "app.launched", "app.launches_end"],
        "What other starts of the program, and links, ask to be shown",
        |_, _| Ok(()),
        launches,
    );
}

async fn watch(_: Arc<App>, path: PathBuf, sink: SubscriptionSink) -> SubscriptionResult {
    let (sender, mut receiver) = mpsc::channel(4);
    let look = path.clone();
    let moved = move |polling: bool| {
        // A repository that cannot be read at the moment is read again at its next change.
        let Ok(repo) =
            Repo::open(&look).map_err(diffsan_pipeline::error::Error::from).and_then(|repo| view::repository(&repo))
        else {
            return;
        };
        // The subscriber may be gone.
        let _ = sender.blocking_send(RepoMoved { repo, polling });
    };
    let started = tokio::task::spawn_blocking(move || Watch::start(&path, moved)).await;
    // A repository that cannot be watched sends no events.
    let Ok(Ok(_watch)) = started else { return Ok(()) };
    loop {
        tokio::select! {
            () = sink.closed() => return Ok(()),
            event = receiver.recv() => match event {
                Some(event) => if !send(&sink, &event).await { return Ok(()) },
                None => return Ok(()),
            }
        }
    }
}

async fn launches(app: Arc<App>, (): (), sink: SubscriptionSink) -> SubscriptionResult {
    loop {
        let news = tokio::select! {
            () = sink.closed() => return Ok(()),
            news = app.next_launch() => news,
        };
        let event = match news {
            LaunchNews::Show { launch, ask } => LaunchEvent {
                repo: launch.repo.map(|path| path.display().to_string()),
                title: launch.target.as_ref().map(diffsan_change::Target::title),
                target: launch.target,
                sample: launch.sample,
                ask,
                error: None,
            },
            LaunchNews::Wrong(error) => LaunchEvent {
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

async fn send(sink: &SubscriptionSink, event: &impl Serialize) -> bool {
    match serde_json::value::to_raw_value(event) {
        Ok(message) => sink.send(message).await.is_ok(),
        Err(_) => true,
    }
}
