//! Opens and watches repositories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::registry::{Table, send};
use diffsan_app::App;
use diffsan_change::Target;
use diffsan_git::{BranchInfo, CommitInfo, Repo, Watch};
use diffsan_pipeline::error::Result;

/// The maximum numbers of branches and of commits that the change picker offers.
const OFFERED: usize = 200;

/// A repository whose files, index or branches changed, in its new state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RepoChanged {
    /// The repository.
    pub repo: RepoView,
    /// Whether the repository is only checked from time to time, because it has too many folders to watch.
    pub polling: bool,
}

/// Identifies a repository.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RepoParams {
    /// Any path inside the repository.
    pub path: String,
}

/// A repository and the changes that it offers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RepoView {
    /// The path of its root, or of the repository itself if it is bare.
    pub path: String,
    /// The name of its folder.
    pub name: String,
    /// The checked-out branch. None if the head is detached.
    pub branch: Option<String>,
    /// The branch that other branches are compared with.
    pub default_branch: Option<String>,
    /// The local changes, each with its number of files. Empty ones are listed too.
    pub local: Vec<LocalChange>,
    /// The local branches, latest first.
    pub branches: Vec<BranchInfo>,
    /// Recent commits of the checked-out branch.
    pub commits: Vec<CommitInfo>,
    /// The change that is suggested to open first.
    pub suggested: Option<Target>,
    /// Why there are no local changes, if the work tree that the repository names is not used.
    pub notice: Option<String>,
}

/// Unstaged, staged or all local changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LocalChange {
    /// The target that opens it.
    pub target: Target,
    /// The title for display.
    pub title: String,
    /// The number of changed files.
    pub files: u32,
}

pub(super) fn register(table: &mut Table) {
    table.query("repo.open", "Opens a repository and lists its changes", |app, params: RepoParams| {
        let repo = app.open_repository(Path::new(&params.path))?;
        Ok(opened_view(app, &repo)?)
    });
    table.plain("repo.sample", "Opens the bundled sample repository", |app| -> Result<RepoView, _> {
        let path = app.sample_repository()?;
        opened_view(app, &app.open_repository(&path)?)
    });
    table.subscription::<RepoParams, RepoChanged, _, _>(
        ["repo.watch", "repo.changed", "repo.unwatch"],
        "Subscribes to changes of a repository's files, index and branches",
        |_, params, _| Ok(PathBuf::from(params.path)),
        watch,
    );
}

pub(super) fn folder_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Returns the view of a repository that is opened. The sample suggests its branch, because a review of its small local
/// changes finds nothing.
fn opened_view(app: &App, repo: &Repo) -> Result<RepoView> {
    let mut view = repository_view(repo)?;
    if app.is_sample(repo.root()) {
        view.suggested = Some(Target::Branch { name: view.branch.clone(), base: None });
    }
    Ok(view)
}

pub(super) fn repository_view(repo: &Repo) -> Result<RepoView> {
    let counts = repo.local_counts()?;
    let branch = repo.head_branch();
    let default_branch = repo.default_branch();
    let local = [
        (Target::All { untracked: true }, counts.all),
        (Target::Unstaged, counts.unstaged),
        (Target::Staged, counts.staged),
    ];
    let local: Vec<LocalChange> =
        local.into_iter().map(|(target, files)| LocalChange { title: target.title(), target, files }).collect();
    let commits = repo.commits(OFFERED);
    // Suggest the change that the reviewer most likely wants: the local changes, else the checked-out branch, else the
    // last commit.
    let on_topic = branch.is_some() && default_branch.is_some() && branch != default_branch;
    let suggested = if local[0].files > 0 {
        Some(local[0].target.clone())
    } else if on_topic {
        Some(Target::Branch { name: None, base: None })
    } else {
        commits.first().map(|commit| Target::Commit { rev: commit.id.clone() })
    };
    Ok(RepoView {
        path: repo.root().display().to_string(),
        name: repo.name(),
        branch,
        default_branch,
        local,
        branches: repo.branches(OFFERED),
        // The target of a saved review has the abbreviated id.
        commits: commits
            .into_iter()
            .map(|commit| CommitInfo { id: commit.id.chars().take(10).collect(), ..commit })
            .collect(),
        suggested,
        notice: repo.notice().map(str::to_owned),
    })
}

async fn watch(_: Arc<App>, path: PathBuf, sink: SubscriptionSink) -> SubscriptionResult {
    let (sender, mut receiver) = mpsc::channel(4);
    let repository_path = path.clone();
    let moved = move |polling: bool| {
        // A repository that cannot be read at the moment is read again at its next change.
        let Ok(repo) = Repo::open(&repository_path)
            .map_err(diffsan_pipeline::error::Error::from)
            .and_then(|repo| repository_view(&repo))
        else {
            return;
        };
        // The subscriber may be gone.
        let _ = sender.blocking_send(RepoChanged { repo, polling });
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
