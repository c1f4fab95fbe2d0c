//! The description of the change to review, as selected in the window or given on the command line.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The change to review.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// The work tree against the index.
    Unstaged,
    /// The index against `HEAD`.
    Staged,
    /// The work tree against `HEAD`.
    All {
        /// Whether untracked files (except ignored ones) are included.
        untracked: bool,
    },
    /// One commit against its first parent. A root commit is compared with an empty tree.
    Commit {
        /// A revision that names a commit.
        rev: String,
    },
    /// Two commits.
    Range {
        /// The start of the range.
        base: String,
        /// The end of the range.
        head: String,
        /// Whether the range starts at the merge base of both commits instead (`base...head`).
        merge_base: bool,
    },
    /// A branch against the default branch, from their merge base.
    Branch {
        /// The branch or a commit. If absent, the checked-out branch.
        #[serde(default)]
        name: Option<String>,
        /// The branch that it is compared with. If absent, the default branch.
        #[serde(default)]
        base: Option<String>,
    },
    /// A patch file. `-` is standard input (only on the command line).
    Patch {
        /// The path of the file.
        path: String,
        /// Whether the readable part of an incomplete patch is used.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
    },
    /// A merge request on a GitLab server.
    MergeRequest {
        /// The address of the GitLab server: `https://gitlab.example.com`.
        base: String,
        /// The path of the project: `group/project`.
        project: String,
        /// The number of the merge request in the project.
        iid: u64,
    },
}

impl Target {
    /// Parses `A..B` or `A...B`. An absent side is `HEAD`, as in git.
    pub fn range(text: &str) -> Option<Self> {
        let (base, head, merge_base) = match text.split_once("...") {
            Some((base, head)) => (base, head, true),
            None => text.split_once("..").map(|(base, head)| (base, head, false))?,
        };
        let or_head = |rev: &str| if rev.is_empty() { "HEAD".to_owned() } else { rev.to_owned() };
        if (base.is_empty() && head.is_empty()) || head.contains("..") || head.starts_with('.') {
            return None;
        }
        Some(Self::Range { base: or_head(base), head: or_head(head), merge_base })
    }

    /// Returns a title for display: `Staged changes`, `main...topic`.
    pub fn title(&self) -> String {
        match self {
            Self::Unstaged => "Unstaged changes".to_owned(),
            Self::Staged => "Staged changes".to_owned(),
            Self::All { untracked: true } => "All local changes".to_owned(),
            Self::All { untracked: false } => "All tracked local changes".to_owned(),
            Self::Commit { rev } => format!("Commit {}", short(rev)),
            Self::Range { base, head, merge_base } => {
                format!("{}{}{}", short(base), if *merge_base { "..." } else { ".." }, short(head))
            }
            Self::Branch { name, base } => match (name, base) {
                (Some(name), Some(base)) => format!("{} against {base}", branch(name)),
                (Some(name), None) => branch(name),
                (None, Some(base)) => format!("Current branch against {base}"),
                (None, None) => "Current branch".to_owned(),
            },
            Self::Patch { path, .. } if path == "-" => "Patch from standard input".to_owned(),
            // Only the file name is shown. A dropped patch is in a folder of diffsan's own, whose path means nothing to the user.
            Self::Patch { path, .. } => {
                format!("Patch {}", Path::new(path).file_name().unwrap_or(path.as_ref()).display())
            }
            Self::MergeRequest { project, iid, .. } => format!("{project}!{iid}"),
        }
    }
}

/// Abbreviates a full commit id. Other names stay unchanged.
fn short(rev: &str) -> &str {
    let is_id = rev.len() >= 40 && rev.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { rev.get(..10).unwrap_or(rev) } else { rev }
}

/// Returns the title of a branch. A detached `HEAD` is shown as the commits that lead to it.
fn branch(name: &str) -> String {
    let id = short(name);
    if id == name { format!("Branch {name}") } else { format!("Commits up to {id}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_short_commit_ids() {
        let id = "832b6eaefa979df18758832b6eaefa979df18758";
        let range = Target::Range { base: id.into(), head: "feature/deadbeef".into(), merge_base: false };
        assert_eq!(range.title(), "832b6eaefa..feature/deadbeef");
        assert_eq!(Target::Commit { rev: id.into() }.title(), "Commit 832b6eaefa");
    }

    #[test]
    fn a_patch_has_the_name_of_its_file() {
        let patch = |path: &str| Target::Patch { path: path.into(), partial: false }.title();
        assert_eq!(patch("/var/lib/dropped/1f/fix it.patch"), "Patch fix it.patch");
        assert_eq!(patch("fix.patch"), "Patch fix.patch");
        assert_eq!(patch("-"), "Patch from standard input");
    }

    #[test]
    fn ranges_have_two_or_three_dots_and_default_to_head() {
        let range = |base: &str, head: &str, merge_base| {
            Some(Target::Range { base: base.into(), head: head.into(), merge_base })
        };
        assert_eq!(Target::range("a..b"), range("a", "b", false));
        assert_eq!(Target::range("a...b"), range("a", "b", true));
        assert_eq!(Target::range("a.."), range("a", "HEAD", false));
        assert_eq!(Target::range("..b"), range("HEAD", "b", false));
        assert_eq!(Target::range("v1.0..v1.1"), range("v1.0", "v1.1", false));
        for bad in ["a", "..", "...", "a..b..c", "a....b"] {
            assert_eq!(Target::range(bad), None, "{bad}");
        }
    }
}
