//! Which change is meant: what a user picks, types as a flag or finds in the picker.

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
        /// With files that git does not track (and does not ignore).
        untracked: bool,
    },
    /// One commit against its first parent (a root commit against nothing).
    Commit {
        /// Anything that names a commit.
        rev: String,
    },
    /// Two commits.
    Range {
        /// Where it starts.
        base: String,
        /// Where it ends.
        head: String,
        /// `base...head`: start from their merge base instead.
        merge_base: bool,
    },
    /// A branch against the default branch, from their merge base.
    Branch {
        /// The branch, or a commit; the branch that is checked out if absent.
        #[serde(default)]
        name: Option<String>,
        /// What it is compared with; the default branch if absent.
        #[serde(default)]
        base: Option<String>,
    },
    /// A patch file; `-` is standard input (from the command only).
    Patch {
        /// The file's path.
        path: String,
        /// Take what can be read of it, where it breaks off.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
    },
    /// A merge request of a GitLab.
    MergeRequest {
        /// The GitLab's address: `https://gitlab.example.com`.
        base: String,
        /// `group/project`.
        project: String,
        /// Its number in the project.
        iid: u64,
    },
}

impl Target {
    /// Reads `A..B` or `A...B`; an absent side is `HEAD`, as git has it.
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

    /// For people: `staged changes`, `main...topic`.
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
            // A dropped one lies in a folder of diffsan's own, which tells nobody anything.
            Self::Patch { path, .. } => {
                format!("Patch {}", Path::new(path).file_name().unwrap_or(path.as_ref()).display())
            }
            Self::MergeRequest { project, iid, .. } => format!("{project}!{iid}"),
        }
    }
}

/// A whole commit id as people read it; names stay as they are.
fn short(rev: &str) -> &str {
    let is_id = rev.len() >= 40 && rev.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { rev.get(..10).unwrap_or(rev) } else { rev }
}

/// A branch; the commits that lead to a detached `HEAD` have none.
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
