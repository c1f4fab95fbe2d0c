//! `diffsan compare`: shows the author's edits between two versions of a change.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use diffsan_app::TargetArgs;
use diffsan_git::{Repo, VersionSize};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_versions::{
    CommitEntry, CommitRow, CommitState, CompareOptions, ComparedFile, ComparedHunk, Comparison, FileNoteItem,
    HiddenLines, VersionItem,
};

use crate::args::SourceArgs;
use crate::{output, prepare};

/// The number of digits of a commit's id that are printed.
const SHORT_ID: usize = 10;

/// The arguments of `diffsan compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// The earlier version: A..B has the commits of B that are not in A; one revision is compared with the default branch
    #[arg(value_name = "A..B", requires = "new")]
    pub old: Option<String>,
    /// The later version
    #[arg(value_name = "C..D")]
    pub new: Option<String>,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Without two versions: compare the current version of a branch or merge request with this one: `last` (the last review), a
    /// version of the list (v3), or a commit
    #[arg(long, value_name = "VERSION", default_value = "last", conflicts_with = "old")]
    pub since: String,
    /// Without two versions: compare up to this version instead of the current one
    #[arg(long, value_name = "VERSION", conflicts_with = "old")]
    pub until: Option<String>,
    /// List the known versions of the branch or merge request
    #[arg(long, conflicts_with = "old")]
    pub versions: bool,
    /// List the commits of the branch or merge request with their messages, each fixup below the commit that it fixes
    #[arg(long, conflicts_with_all = ["old", "versions"])]
    pub log: bool,
    /// Compare the commits too: unchanged, edited, new, dropped, reordered
    #[arg(long)]
    pub commits: bool,
    /// The number of unchanged lines around each edit
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub context: u32,
    /// The repository (any folder inside it)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the comparison, or the list of versions.
pub async fn run(args: CompareArgs) -> Result<ExitCode> {
    let json = args.json;
    let options = CompareOptions { context: args.context as usize, commits: args.commits };
    let comparison = match (args.old.clone(), args.new.clone()) {
        (Some(old), Some(new)) => {
            let folder = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
            blocking(move || {
                let repo = Repo::open(&folder)?;
                let (old, new) = (diffsan_versions::named(&repo, &old)?, diffsan_versions::named(&repo, &new)?);
                diffsan_versions::compare(&repo, &old, &new, options)
            })
            .await?
        }
        _ => {
            let (app, handle) = prepare::open(&source(&args)).await?;
            if args.versions {
                let versions = app.versions(&handle.opened).await?;
                let list = || versions.iter().map(version).collect::<String>();
                if json {
                    output::result(&output::json(&versions)?, None)?
                } else {
                    output::text(&list(), None)?
                }
                return Ok(ExitCode::SUCCESS);
            }
            if args.log {
                return log(&handle.opened, json).await;
            }
            app.compare_since(&handle.opened, args.since, args.until, options).await?
        }
    };
    if json {
        output::result(&output::json(&comparison)?, None)?;
    } else {
        output::text(&text(&comparison), None)?;
        output::say(&comparison.summary);
        hidden(&comparison.hidden).iter().for_each(|line| output::say(line));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the commits of an opened change.
async fn log(opened: &Arc<OpenChange>, json: bool) -> Result<ExitCode> {
    let opened = Arc::clone(opened);
    let commits = blocking(move || {
        let version = diffsan_versions::opened_version(&opened)?;
        diffsan_versions::commit_entries(&diffsan_versions::repository(&opened)?, &version)
    })
    .await?;
    if json {
        output::result(&output::json(&commits)?, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = String::new();
    for commit in commits.iter().filter(|commit| commit.fixes.is_none()) {
        out += &entry(commit, "");
        let fixups = commits.iter().filter(|other| other.fixes == Some(commit.number));
        out.extend(fixups.map(|fixup| entry(fixup, "    ")));
    }
    output::text(&out, None)?;
    Ok(ExitCode::SUCCESS)
}

fn entry(commit: &CommitEntry, indent: &str) -> String {
    let mut lines = commit.message.lines();
    let subject = lines.next().unwrap_or_default();
    let mut out = format!("{indent}{:>3}: {} {subject}\n", commit.number, short(&commit.id));
    out.extend(lines.map(|line| format!("{indent}     {line}").trim_end().to_owned() + "\n"));
    out
}

fn source(args: &CompareArgs) -> SourceArgs {
    let mut target = args.target.clone();
    if !target.is_named() {
        target.branch = Some(String::new());
    }
    SourceArgs {
        target,
        partial: false,
        repo: args.repo.clone(),
        settings: Vec::new(),
        since: None,
        facts: Vec::new(),
        ci: None,
    }
}

fn text(comparison: &Comparison) -> String {
    let mut out: String = comparison.commits.iter().flatten().map(commit).collect();
    if !out.is_empty() && !comparison.files.is_empty() {
        out.push('\n');
    }
    out.extend(comparison.files.iter().map(file));
    out
}

/// Prints a commit as `git range-diff` does.
fn commit(row: &CommitRow) -> String {
    let sign = match row.state {
        CommitState::Unchanged => '=',
        CommitState::Edited => '!',
        CommitState::New => '>',
        CommitState::Dropped => '<',
    };
    let side = |item: &Option<diffsan_versions::CommitItem>| match item {
        Some(item) => format!("{:>3}: {}", item.number, short(&item.id)),
        None => format!("{:>3}: {:<SHORT_ID$}", "-", "-"),
    };
    let subject = row.new.as_ref().or(row.old.as_ref()).map(|item| item.subject.as_str()).unwrap_or_default();
    let mut notes = Vec::new();
    notes.extend(row.reordered.then_some("reordered"));
    notes.extend(row.message_changed.then_some("message edited"));
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    format!("{} {sign} {} {subject}{notes}\n", side(&row.old), side(&row.new))
}

fn file(file: &ComparedFile) -> String {
    let mut out = format!("--- a/{}\n+++ b/{}\n", file.old_path.as_ref().unwrap_or(&file.path), file.path);
    out.extend(file.notes.iter().map(|one| format!("# {}\n", note(one))));
    out.extend(file.hunks.iter().map(hunk));
    out
}

fn note(note: &FileNoteItem) -> String {
    match note {
        FileNoteItem::Added => "added since the old version".to_owned(),
        FileNoteItem::Removed => "removed since the old version".to_owned(),
        FileNoteItem::Renamed { from } => format!("renamed from {from}"),
        FileNoteItem::Mode { from, to } => format!("mode {from:o} to {to:o}"),
        FileNoteItem::Content => "binary content changed".to_owned(),
        FileNoteItem::TargetRemoved => {
            "conflict: the target branch removed the file, which the author had changed".to_owned()
        }
        FileNoteItem::TargetChanged => {
            "conflict: the target branch changed the file, which the author had removed".to_owned()
        }
        FileNoteItem::Conflict => {
            "conflict: the author and the target branch changed the path, mode or content".to_owned()
        }
        FileNoteItem::Unread { reason } => format!("not compared: {reason}"),
    }
}

fn hunk(hunk: &ComparedHunk) -> String {
    let first = |number: fn(&diffsan_versions::ComparedLine) -> Option<u32>| {
        hunk.lines.iter().find_map(number).unwrap_or_default()
    };
    let counts = (
        hunk.lines.iter().filter(|line| line.sign != '+').count(),
        hunk.lines.iter().filter(|line| line.sign != '-').count(),
    );
    let conflict = if hunk.conflict { " conflict" } else { "" };
    let mut out =
        format!("@@ -{},{} +{},{} @@{conflict}\n", first(|line| line.old), counts.0, first(|line| line.new), counts.1);
    for line in &hunk.lines {
        out += &format!("{}{}\n", line.sign, line.text);
        if line.no_newline {
            out += "\\ No newline at end of file\n";
        }
    }
    out
}

fn hidden(hidden: &HiddenLines) -> Vec<String> {
    let mut lines = Vec::new();
    let HiddenLines { target_files, target_added, target_removed, in_target } = hidden;
    if target_added + target_removed > 0 {
        lines.push(format!(
            "hidden: the target branch added {target_added} and removed {target_removed} lines in files of the change"
        ));
    }
    if *in_target > 0 {
        lines.push(format!("hidden: the target branch now has {in_target} lines of the author"));
    }
    if *target_files > 0 {
        lines.push(format!("hidden: {target_files} other files that the target branch changed"));
    }
    lines
}

fn version(version: &VersionItem) -> String {
    let mut notes = Vec::new();
    notes.extend(version.size.map(|VersionSize { commits, files }| format!("commits: {commits}, files: {files}")));
    notes.extend(version.reviewed.then(|| "your last review is here".to_owned()));
    notes.extend(version.current.then(|| "current".to_owned()));
    let time = version.time.as_deref().unwrap_or("-");
    format!("v{:<4} {}  {time:<20}  {}\n", version.number, short(&version.head), notes.join(", "))
}

fn short(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}
