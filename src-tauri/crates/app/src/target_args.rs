//! The options that name a change. The command and the window share them.

use std::path::Path;

use clap::Args;

use diffsan_change::Target;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::merge_request_target;

/// The options that name a change. Without any option, the change is the unstaged changes, else the staged ones, else
/// the current branch against the default branch.
#[derive(Debug, Clone, Default, Args)]
#[group(multiple = false)]
pub struct TargetArgs {
    /// The work tree against the index
    #[arg(long)]
    pub unstaged: bool,
    /// The index against HEAD
    #[arg(long, alias = "cached")]
    pub staged: bool,
    /// The work tree against HEAD, including new files
    #[arg(long)]
    pub all: bool,
    /// The work tree against HEAD, tracked files only
    #[arg(long)]
    pub tracked: bool,
    /// One commit
    #[arg(long, value_name = "REV")]
    pub commit: Option<String>,
    /// Two commits; three dots start from their merge base
    #[arg(long, value_name = "A..B")]
    pub range: Option<String>,
    /// A patch file, or - for standard input
    #[arg(long, value_name = "FILE|-")]
    pub patch: Option<String>,
    /// A GitLab merge request: its address, group/project!7, or its number
    #[arg(long, value_name = "URL")]
    pub mr: Option<String>,
    /// A branch (default: the current one) against the default branch
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub branch: Option<String>,
}

impl TargetArgs {
    /// Whether any option names a change.
    pub fn is_named(&self) -> bool {
        let named = [&self.commit, &self.range, &self.patch, &self.mr, &self.branch].iter().any(|name| name.is_some());
        named || self.unstaged || self.staged || self.all || self.tracked
    }

    /// Returns the change that the options name. Returns `None` if they name none. The repository in `folder`
    /// determines the project of a merge request that is named without one.
    pub fn target(&self, folder: &Path) -> Result<Option<Target>> {
        let Self { unstaged, staged, all, tracked, commit, range, patch, mr, branch } = self.clone();
        if let Some(text) = mr {
            return merge_request_target(&text, Some(folder)).map(Some);
        }
        Ok(Some(match (commit, range, patch, branch) {
            _ if unstaged => Target::Unstaged,
            _ if staged => Target::Staged,
            _ if all => Target::All { untracked: true },
            _ if tracked => Target::All { untracked: false },
            (Some(rev), ..) => Target::Commit { rev },
            (_, Some(text), ..) => parse_range(&text)?,
            (_, _, Some(path), _) => Target::Patch { path, partial: false },
            (_, _, _, Some(name)) => Target::Branch { name: Some(name).filter(|name| !name.is_empty()), base: None },
            _ => return Ok(None),
        }))
    }
}

/// Parses `A..B` or `A...B`.
pub(crate) fn parse_range(text: &str) -> Result<Target> {
    Target::range(text).ok_or_else(|| {
        Error::new(ErrorCode::InvalidInput, format!("`{text}` is not a range."))
            .hint("Write BASE..HEAD, or BASE...HEAD to start from their merge base.")
    })
}
