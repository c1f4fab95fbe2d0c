//! Fixes: edits of files in the work tree that the user applies. Each is stored before it is written, and can be undone.
//!
//! In: a path and a text from an agent, so both may be hostile. Out: the file with the fix, or the reason why it was refused. [`decide`] is
//! the only place that decides what may be written; suggestions of findings, fix blocks of conversations and undoing go through it.

mod file;
mod protected;

use sha2::{Digest, Sha256};

use self::file::HeldFile;
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use diffsan_change::{Target, WorkPath};
use diffsan_git::{Repo, Tracking};
use diffsan_store::files::artifacts::now;
use diffsan_store::{FixSource, Store, StoredFix};

/// The key in [`Error::context`] for the path of a protected file that needs a confirmation.
const CONFIRM_PATH: &str = "confirm_path";

/// The request to apply a fix.
pub struct FixRequest<'a> {
    /// The finding or message that proposed it.
    pub source: FixSource,
    /// The path of the file as the agent wrote it.
    pub path: &'a str,
    /// The path of the protected file that the user confirmed, if any.
    pub allow_protected: Option<&'a str>,
}

/// Applies a fix. `make` takes the text of the file (`None` if it does not exist) and returns the new text, or the reason why the fix does
/// not apply. Blocks.
pub fn apply_fix(
    opened: &OpenChange,
    store: &Store,
    request: FixRequest<'_>,
    make: impl FnOnce(Option<&str>) -> std::result::Result<String, String>,
) -> Result<StoredFix> {
    let path = WorkPath::parse(request.path).map_err(|refusal| refused(&refusal.to_string()))?;
    let own = created_by(store, &request.source)?.iter().any(|created| created == path.as_str());
    let (mut file, before) = decide(opened, &path, if own { Purpose::Own } else { Purpose::Apply })?;
    let after = make(before.as_deref()).map_err(|why| refused(&why))?;
    // This check is the last one, because a fix that cannot be written needs no confirmation.
    if protected::is_protected(&path)? && request.allow_protected != Some(path.as_str()) {
        return Err(needs_confirmation(path.as_str()));
    }
    let (at, old, new) = difference(before.as_deref().unwrap_or_default(), &after);
    let mut stored = StoredFix {
        id: 0,
        source: request.source,
        path: path.as_str().to_owned(),
        at: at as i64,
        old,
        new,
        created: before.is_none(),
        after: digest(&after),
        applied_at: now(),
        undone_at: None,
    };
    stored.id = store.add_fix(&stored)?;
    if let Err(error) = file.write(&after, before.as_deref()) {
        // The error of writing the file is more important than one of this call.
        let _ = store.undo_fix(stored.id, &now());
        return Err(error);
    }
    Ok(stored)
}

/// Undoes a fix: restores the old text, or removes the file if the fix created it. Blocks.
pub fn undo_fix(opened: &OpenChange, store: &Store, id: i64) -> Result<StoredFix> {
    let mut stored = store.fix(id)?.ok_or_else(|| refused("the fix does not exist"))?;
    if stored.undone_at.is_some() {
        return Err(refused("it was already undone"));
    }
    let path = WorkPath::parse(&stored.path).map_err(|refusal| refused(&refusal.to_string()))?;
    let (mut file, before) = decide(opened, &path, Purpose::Own)?;
    let before = before.ok_or_else(|| refused("the file no longer exists"))?;
    let unchanged = digest(&before) == stored.after;
    if stored.created {
        if !unchanged {
            return Err(refused("the file was changed since then; remove it manually"));
        }
        file.remove()?;
    } else {
        let at = usize::try_from(stored.at).unwrap_or(0);
        let here = |at: usize| before.get(at..).is_some_and(|rest| rest.starts_with(&stored.new));
        // If the file changed elsewhere, the new text must occur exactly once.
        let at = match unchanged && here(at) {
            true => at,
            false => {
                let mut places = before.match_indices(&stored.new).map(|(at, _)| at);
                match (stored.new.is_empty(), places.next(), places.next()) {
                    (false, Some(at), None) => at,
                    _ => {
                        return Err(refused(
                            "the file was changed since then, and the fixed lines can no longer be identified",
                        ));
                    }
                }
            }
        };
        let text = format!("{}{}{}", &before[..at], stored.old, &before[at + stored.new.len()..]);
        file.write(&text, Some(&before))?;
    }
    let time = now();
    store.undo_fix(id, &time)?;
    stored.undone_at = Some(time);
    Ok(stored)
}

/// The purpose of writing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// A fix is applied to the file.
    Apply,
    /// A fix wrote the file before. It is undone, or another fix of the same source follows. Git does not need to track the file.
    Own,
}

/// Decides whether a file may be written, and opens it. Returns its text, or `None` if it is to be created.
///
/// The file is in the work tree of the opened change, in no nested repository, and is not reached through a link; [`WorkPath`] has refused
/// every spelling of `.git`. Git tracks it, or the opened change adds it, or it does not exist and no rule ignores it.
fn decide(opened: &OpenChange, path: &WorkPath, purpose: Purpose) -> Result<(HeldFile, Option<String>)> {
    let local = matches!(opened.target, Target::Unstaged | Target::Staged | Target::All { .. });
    let root = opened.root.as_ref().ok_or_else(|| refused("the repository of this change is not on this machine"))?;
    if !local && !opened.is_checked_out() {
        return Err(refused("this change is not checked out; check it out first"));
    }
    let tracking = Repo::open(root).and_then(|repo| repo.tracking(path))?;
    let shown = path.as_str();
    match &tracking {
        Tracking::Submodule(module) => return Err(refused(&format!("`{shown}` is in the submodule `{module}`"))),
        Tracking::Link => return Err(refused(&format!("`{shown}` is a symbolic link"))),
        Tracking::Tracked | Tracking::Ignored | Tracking::Untracked => {}
    }
    let file = HeldFile::open(root, path)?;
    let text = file.read()?;
    let added = || {
        opened
            .change
            .files
            .iter()
            .filter_map(|file| file.new_path.as_ref())
            .any(|one| one.as_bytes() == shown.as_bytes())
    };
    let allowed = purpose == Purpose::Own || tracking == Tracking::Tracked;
    match (allowed, &tracking, &text) {
        (false, Tracking::Ignored, _) => {
            Err(refused(&format!("git ignores `{shown}`; fixes only change files of the repository")))
        }
        (false, _, Some(_)) if !added() => Err(refused(&format!(
            "`{shown}` is not tracked by git and is not part of this change; add it with `git add -N` first"
        ))),
        _ => Ok((file, text)),
    }
}

/// Returns the files that fixes of the same conversation or review created, without those that were undone.
fn created_by(store: &Store, source: &FixSource) -> Result<Vec<String>> {
    let fixes = match source {
        FixSource::Message { conversation, .. } => store.fixes(conversation),
        FixSource::Finding { review, .. } => store.fixes_of_review(review),
    };
    let standing = fixes?.into_iter().filter(|fix| fix.created && fix.undone_at.is_none());
    Ok(standing.map(|fix| fix.path).collect())
}

/// Returns the place where two texts differ, and the different parts of both.
fn difference(before: &str, after: &str) -> (usize, String, String) {
    let start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let start = (0..=start).rev().find(|at| before.is_char_boundary(*at) && after.is_char_boundary(*at)).unwrap_or(0);
    let (rest_before, rest_after) = (&before[start..], &after[start..]);
    let end = rest_before.bytes().rev().zip(rest_after.bytes().rev()).take_while(|(a, b)| a == b).count();
    let fits = |end: &usize| {
        rest_before.is_char_boundary(rest_before.len() - end) && rest_after.is_char_boundary(rest_after.len() - end)
    };
    let end = (0..=end).rev().find(fits).unwrap_or(0);
    let old = rest_before[..rest_before.len() - end].to_owned();
    (start, old, rest_after[..rest_after.len() - end].to_owned())
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// Returns the error for a fix that is not written. `why` is a clause.
pub fn refused(why: &str) -> Error {
    Error::new(ErrorCode::InvalidInput, format!("The fix was not applied: {why}."))
        .hint("Ask the agent for a new fix, or make the change manually.")
}

fn needs_confirmation(path: &str) -> Error {
    let message =
        format!("The fix was not applied: `{path}` configures git, an agent or a tool, and can make it run commands.");
    Error::new(ErrorCode::InvalidInput, message)
        .hint("Read the fix, then confirm the change of this file.")
        .with(CONFIRM_PATH, path)
}

fn unwritable(path: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorCode::IoFailed, format!("{path} cannot be written: {error}."))
        .hint("Check the permissions of the file and that the disk is not full.")
}
