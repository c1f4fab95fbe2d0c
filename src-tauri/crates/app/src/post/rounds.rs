//! Rounds: what became of the threads that diffsan posted earlier, by the code that they speak of.

use std::collections::HashMap;

use diffsan_change::RepoPath;
use diffsan_forge::gitlab::Discussion;
use diffsan_forge::post_plan::marks;
use diffsan_git::Repo;
use diffsan_pipeline::open::OpenChange;
use diffsan_review::ReviewOutput;
use diffsan_review::anchor::{Fate, fate};
use diffsan_review::finding::Side;

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadFate {
    /// Of its code.
    pub fate: Fate,
    /// Whether resolving it is proposed.
    pub offered: bool,
}

/// What became of diffsan's own open threads, by their ids. Threads whose earlier state is not at hand are left out. Blocking.
pub fn thread_fates(opened: &OpenChange, latest: Option<&ReviewOutput>) -> HashMap<String, ThreadFate> {
    let Some(request) = opened.merge_request.as_deref() else { return HashMap::new() };
    let Some((me, discussions)) = request.me.as_ref().zip(request.threads.get()) else { return HashMap::new() };
    let Some(repo) = opened.root.as_ref().and_then(|root| Repo::open(root).ok()) else { return HashMap::new() };
    let own = discussions.iter().filter(|thread| {
        let first = thread.notes.first();
        first.is_some_and(|note| {
            note.author.as_ref().is_some_and(|author| author.id == me.id)
                && !marks::read(&note.body, &request.markers).findings.is_empty()
        })
    });
    own.filter_map(|thread| {
        let fate = of_thread(opened, &repo, thread)?;
        Some((thread.id.clone(), ThreadFate { fate, offered: offered(thread, me.id, fate, opened, latest) }))
    })
    .collect()
}

fn of_thread(opened: &OpenChange, repo: &Repo, thread: &Discussion) -> Option<Fate> {
    let position = thread.notes.first()?.position.as_ref()?;
    let text = |name: &str| position[name].as_str();
    let line = |name: &str| position[name].as_u64().and_then(|line| u32::try_from(line).ok());
    // Only the head's lines change between rounds.
    let end = line("new_line")?;
    let start = position["line_range"]["start"]["new_line"].as_u64().and_then(|line| u32::try_from(line).ok());
    let path = text("new_path")?;
    let before = repo.read_at(text("head_sha")?, path).ok().flatten()?;
    let after = opened.file(&RepoPath::from(path), Side::New).or_else(|| {
        // It may have another name by now.
        let renamed =
            opened.change.files.iter().find(|file| file.old_path.as_ref().is_some_and(|old| old.to_text() == path))?;
        opened.file(renamed.new_path.as_ref()?, Side::New)
    });
    let after = after.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Some(fate(&String::from_utf8_lossy(&before), after.as_deref(), start.unwrap_or(end).min(end), end))
}

/// Its code was edited or is gone, a review of this very state does not find it, and no person answered.
fn offered(thread: &Discussion, me: u64, fate: Fate, opened: &OpenChange, latest: Option<&ReviewOutput>) -> bool {
    let Some(first) = thread.notes.first() else { return false };
    let open = first.resolvable && first.resolved != Some(true);
    let answered =
        thread.notes[1..].iter().any(|note| !note.system && note.author.as_ref().is_none_or(|one| one.id != me));
    let path = first.position.as_ref().and_then(|position| position["new_path"].as_str()).unwrap_or_default();
    let reviewed = latest.filter(|review| review.meta.fingerprint == opened.fingerprint);
    let again = reviewed.is_some_and(|review| {
        let near = |line: Option<u32>| match (fate, line) {
            (Fate::Moved(now), Some(line)) => line.abs_diff(now) <= 5,
            _ => {
                let then = first.position.as_ref().and_then(|position| position["new_line"].as_u64());
                line.zip(then).is_some_and(|(line, then)| u64::from(line).abs_diff(then) <= 5)
            }
        };
        review.findings.iter().any(|finding| finding.anchor.path == path && near(finding.anchor.line_end))
    });
    open && !answered && reviewed.is_some() && !again && matches!(fate, Fate::Edited | Fate::Gone)
}
