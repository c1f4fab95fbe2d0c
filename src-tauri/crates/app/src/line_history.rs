//! The commits that changed a line, with the merge requests that brought them.

use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::App;
use diffsan_change::{FileChange, Target};
use diffsan_git::{LineChange, Repo};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::Side;

/// The history of a line.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct LineHistoryView {
    /// The commits that changed the line, newest first. The first one is the blame.
    pub changes: Vec<LineChangeView>,
    /// The reason why older commits, or all of them, are missing.
    pub stopped: Option<String>,
}

/// A commit that changed a line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineChangeView {
    /// The full id.
    pub commit: String,
    /// The whole message.
    pub message: String,
    /// The name of the author.
    pub author: String,
    /// The time at which the author wrote it, in seconds since 1970.
    pub time: i64,
    /// The path of the file in that commit.
    pub path: String,
    /// The number of the line in that commit, from 1.
    pub line: u32,
    /// The text of the line in that commit.
    pub text: String,
    /// The merge request that brought it, as `group/project!7`, if a message names it.
    pub merge_request: Option<String>,
}

/// GitLab's line in the message of a merge.
static MERGE_REQUEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^See merge request (?:https?://\S+/-/merge_requests/(\d+)|(\S*!\d+))\s*$").ok());

impl App {
    /// Returns the history of a line of a file of a change. Blocks.
    pub fn line_history(
        &self,
        opened: &OpenChange,
        file: &FileChange,
        side: Side,
        line: u32,
        cancel: &CancellationToken,
    ) -> Result<LineHistoryView> {
        let missing = || {
            Error::new(ErrorCode::NotFound, "The commits of the change are not available.")
                .hint("Open the change in a clone that has its commits.")
        };
        let (Some(root), Some(tree)) = (&opened.root, &opened.tree) else { return Err(missing()) };
        let path = if side == Side::New { &file.new_path } else { &file.old_path };
        let path = path.as_ref().ok_or_else(missing)?;
        let repo = Repo::open(root)?;
        let uncommitted = |why: &str| LineHistoryView { changes: Vec::new(), stopped: Some(why.to_owned()) };
        let local = matches!(tree, Target::Unstaged | Target::Staged | Target::All { .. });
        let rev = match (side, local) {
            (Side::New, true) => return Ok(uncommitted("the line is not committed yet")),
            (Side::New, false) => opened.change.head.clone().ok_or_else(missing)?,
            (Side::Old, true) => "HEAD".to_owned(),
            (Side::Old, false) => opened.change.base.clone().ok_or_else(missing)?,
        };
        if local && repo.read_at(&rev, &path.to_text())?.as_deref() != opened.file(path, side).as_deref() {
            return Ok(uncommitted("the file has staged changes that are not committed yet"));
        }
        let found = repo.line_history(&rev, path, line, &|| cancel.is_cancelled())?;
        if cancel.is_cancelled() {
            return Err(Error::new(ErrorCode::Cancelled, "The search for the line's history was cancelled."));
        }
        let changes = found.changes.into_iter().map(view).collect();
        Ok(LineHistoryView { changes, stopped: found.stopped })
    }
}

fn view(change: LineChange) -> LineChangeView {
    let merged = change.merge.as_ref().and_then(|merge| merge_request(&merge.message));
    LineChangeView {
        merge_request: merged.or_else(|| merge_request(&change.message)),
        commit: change.commit,
        message: change.message,
        author: change.author,
        time: change.time,
        path: change.path,
        line: change.line,
        text: String::from_utf8_lossy(&change.text).into_owned(),
    }
}

/// Returns the merge request that a message names.
fn merge_request(message: &str) -> Option<String> {
    let captures = MERGE_REQUEST.as_ref()?.captures(message)?;
    match (captures.get(1), captures.get(2)) {
        (Some(iid), _) => Some(format!("!{}", iid.as_str())),
        (_, named) => named.map(|named| named.as_str().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::merge_request;

    #[test]
    fn a_merge_request_is_found_only_in_its_own_line() {
        let found = |text: &str| merge_request(text);
        assert_eq!(
            found("Merge branch 'a'\n\nSee merge request group/sub/project!12"),
            Some("group/sub/project!12".into())
        );
        assert_eq!(found("x\n\nSee merge request !7\n"), Some("!7".into()));
        assert_eq!(found("See merge request https://git.example/g/p/-/merge_requests/9"), Some("!9".into()));
        assert_eq!(found("I did not See merge request g/p!1 anywhere"), None);
    }
}
