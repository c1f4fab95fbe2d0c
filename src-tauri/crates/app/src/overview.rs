//! Facts about a change as a whole: its commits, its description, the owners of its files.

use schemars::JsonSchema;
use serde::Serialize;

use super::App;
use diffsan_change::{OWNERS_FILES, Owners};
use diffsan_git::Repo;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;

/// The description and the commits of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Overview {
    /// The description of the merge request, as Markdown.
    pub description: Option<String>,
    /// The commits, oldest first. Empty for local changes.
    pub commits: Vec<OverviewCommit>,
}

/// A commit of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OverviewCommit {
    /// The full id. None if only the message is known.
    pub id: Option<String>,
    /// The whole message.
    pub message: String,
    /// The name of the author, if it is known.
    pub author: Option<String>,
    /// The time at which the author wrote it, in seconds since 1970, if it is known.
    pub time: Option<i64>,
}

/// The owners of the files of a change.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct FileOwners {
    /// The path of the `CODEOWNERS` file on the target side. None if there is none.
    pub source: Option<String>,
    /// The owners of each file, in the order of the files that are shown.
    pub files: Vec<Vec<String>>,
}

impl App {
    /// Returns the description and the commits of a change. Blocks.
    pub fn overview(&self, opened: &OpenChange) -> Result<Overview> {
        let description = opened.merge_request.as_ref().and_then(|request| request.description.clone());
        let commits = match (&opened.root, &opened.tree) {
            (Some(root), Some(target)) => Repo::open(root)?.commits_of(target)?,
            _ => Vec::new(),
        };
        let known = commits.into_iter().map(|commit| OverviewCommit {
            id: Some(commit.id),
            message: commit.message,
            author: Some(commit.author),
            time: Some(commit.time),
        });
        let mut commits: Vec<OverviewCommit> = known.collect();
        if commits.is_empty() {
            let only = |message: &String| OverviewCommit {
                id: None,
                message: message.trim_end().to_owned(),
                author: None,
                time: None,
            };
            commits = opened.change.messages.iter().map(only).collect();
        }
        Ok(Overview { description, commits })
    }

    /// Returns the owners of a change's files, by the `CODEOWNERS` file of the target side. Blocks.
    pub fn owners(&self, opened: &OpenChange) -> FileOwners {
        let found = OWNERS_FILES.iter().find_map(|path| Some((*path, opened.target_side(path)?)));
        let Some((path, text)) = found else { return FileOwners::default() };
        let owners = Owners::parse(&text);
        let of = |&index: &usize| {
            owners.of(&opened.change.files[index].path().to_text()).into_iter().map(str::to_owned).collect()
        };
        FileOwners { source: Some(path.to_owned()), files: opened.plan.order().iter().map(of).collect() }
    }
}
