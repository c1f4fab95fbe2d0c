//! The threads that diffsan posted in earlier rounds, and the status of their code.

use std::collections::HashMap;

use diffsan_anchor::code_status;
use diffsan_change::{FileChange, RepoPath};
use diffsan_forge::gitlab::Discussion;
use diffsan_forge::post_plan::marks;
use diffsan_git::Repo;
use diffsan_pipeline::open::OpenChange;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::Side;
use diffsan_review::rounds::CodeStatus;

/// The status of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadStatus {
    /// The status of its code.
    pub code: CodeStatus,
    /// The current line of its last line, if that is known.
    pub line: Option<u32>,
    /// Whether the interface offers to resolve the thread.
    pub offered: bool,
}

/// Returns the status of diffsan's own threads by their ids. Leaves out threads whose earlier code is not available.
/// Blocks.
pub fn thread_statuses(opened: &OpenChange, latest: Option<&ReviewOutput>) -> HashMap<String, ThreadStatus> {
    let Some(request) = opened.merge_request.as_deref() else { return HashMap::new() };
    let Some((me, discussions)) = request.me.as_ref().zip(request.threads.get()) else { return HashMap::new() };
    let Some(repo) = opened.root.as_ref().and_then(|root| Repo::open(root).ok()) else { return HashMap::new() };
    let own = discussions.iter().filter_map(|thread| {
        let first = thread.notes.first().filter(|note| note.author.as_ref().is_some_and(|one| one.id == me.id))?;
        let keys = marks::read(&first.body, &request.markers).findings;
        (!keys.is_empty()).then_some((thread, keys))
    });
    // Only a review of the current state that got all of the file shows that a finding is gone.
    let reviewed = latest.filter(|review| review.meta.fingerprint == opened.fingerprint);
    let reviewed_without = |keys: &[String], path: &str| {
        let is_unsent =
            |review: &ReviewOutput| current_paths(opened, path).any(|now| review.meta.unsent.contains(&now));
        reviewed.is_some_and(|review| {
            !review.findings.iter().any(|finding| keys.contains(&finding.key)) && !is_unsent(review)
        })
    };
    own.filter_map(|(thread, keys)| {
        let (code, line) = thread_code_status(opened, &repo, thread)?;
        let changed = matches!(code, CodeStatus::Edited | CodeStatus::Removed | CodeStatus::FileRemoved);
        let path = thread.notes.first()?.position.as_ref()?["new_path"].as_str()?;
        let offered = changed && is_unanswered(thread, me.id) && reviewed_without(&keys, path);
        Some((thread.id.clone(), ThreadStatus { code, line, offered }))
    })
    .collect()
}

/// Returns a path with the current ones of a file that was renamed.
fn current_paths<'a>(opened: &'a OpenChange, path: &'a str) -> impl Iterator<Item = String> + 'a {
    let is_there = move |file: &&FileChange| file.old_path.as_ref().is_some_and(|old| old.to_text() == path);
    let renamed = opened.change.files.iter().filter(is_there).map(|file| file.path().to_text().into_owned());
    std::iter::once(path.to_owned()).chain(renamed)
}

/// Returns the status of a thread's code, and the current line of its last line.
fn thread_code_status(opened: &OpenChange, repo: &Repo, thread: &Discussion) -> Option<(CodeStatus, Option<u32>)> {
    let position = thread.notes.first()?.position.as_ref()?;
    let text = |name: &str| position[name].as_str();
    let line = |name: &str| position[name].as_u64().and_then(|line| u32::try_from(line).ok());
    // Only lines of the new side change between rounds.
    let end = line("new_line")?;
    let first = &position["line_range"]["start"];
    // Old versions of GitLab have only the line code, which ends with the number of the new side.
    let code = || first["line_code"].as_str()?.rsplit('_').next()?.parse().ok();
    let start = first["new_line"].as_u64().or_else(code).and_then(|line| u32::try_from(line).ok());
    let start = start.filter(|start| (1..=end).contains(start)).unwrap_or(end);
    let path = text("new_path")?;
    let before = repo.read_at(text("head_sha")?, path).ok().flatten()?;
    let after = opened.file(&RepoPath::from(path), Side::New).or_else(|| {
        // The file may have been renamed.
        let renamed =
            opened.change.files.iter().find(|file| file.old_path.as_ref().is_some_and(|old| old.to_text() == path))?;
        opened.file(renamed.new_path.as_ref()?, Side::New)
    });
    let after = after.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let code = code_status(&String::from_utf8_lossy(&before), after.as_deref(), start, end);
    let line = match code {
        CodeStatus::Moved { line } => line.map(|line| line.saturating_add(end - start)),
        CodeStatus::Unchanged => Some(end),
        _ => None,
    };
    Some((code, line))
}

/// Whether a thread is open and no other person answered.
fn is_unanswered(thread: &Discussion, me: u64) -> bool {
    let Some((first, answers)) = thread.notes.split_first() else { return false };
    let open = first.resolvable && first.resolved != Some(true);
    open && !answers.iter().any(|note| !note.system && note.author.as_ref().is_none_or(|one| one.id != me))
}
