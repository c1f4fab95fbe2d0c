//! Collects the evidence of reading: the files that an agent opened while it answered a question, and the evidence of a whole review.
//!
//! In: the agent's own reports, and the accesses that the file system saw in the agent's room. Out: an [`AgentReading`] for a question, a
//! [`Reading`] for a review.

use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

use diffsan_agent::Agent;
use diffsan_agent::room::{RoomWatch, path_of};
use diffsan_config::{Room, StartIn, Transport};
use diffsan_evidence::{AgentReading, FileAccess, QuestionFiles, Reading, delivered, judge};

use crate::open::OpenChange;

/// The observation of one question.
pub(super) struct QuestionWatch {
    agent: String,
    /// Whether the agent reports the files that it opens.
    events: bool,
    start_in: StartIn,
    /// The room of the agent, if it got one.
    room: Option<PathBuf>,
    /// The observation, or the reason why there is none.
    watch: Result<RoomWatch, String>,
}

impl QuestionWatch {
    /// Begins to observe the room of an agent. Blocks.
    pub(super) fn start(agent: &Agent, room: Option<&Path>, kind: Room) -> Self {
        let watch = match (room, kind) {
            (None, _) => Err(String::new()),
            (Some(_), Room::Repository) => Err("other programs use the work tree too".to_owned()),
            (Some(room), _) => RoomWatch::start(room),
        };
        Self {
            agent: agent.name.clone(),
            events: !agent.spec.opens.is_empty() || agent.spec.transport == Transport::Acp,
            start_in: agent.spec.start_in,
            room: room.map(Path::to_owned),
            watch,
        }
    }

    /// Ends the observation, and judges the files that the agent reported as opened. Blocks for a moment.
    pub(super) fn stop(self, reported: &BTreeSet<String>) -> AgentReading {
        let observed = self.watch.and_then(RoomWatch::stop);
        let (access, reason, observed) = match (&self.room, observed) {
            (None, _) => (FileAccess::None, None, BTreeSet::new()),
            (Some(_), Ok(observed)) => (FileAccess::Observed, None, observed),
            (Some(_), Err(reason)) => (FileAccess::NotObserved, Some(reason), BTreeSet::new()),
        };
        let reported = reported.iter().filter_map(|path| match &self.room {
            Some(room) => in_room(room, self.start_in, path),
            None => Some(path.clone()),
        });
        // The agent's runtime looks for a repository, which ends at the boundary of the room.
        let observed = observed.iter().filter(|path| !path.starts_with(".git")).map(|path| path_of(path));
        let files = QuestionFiles {
            events: self.events,
            access,
            reason,
            reported: reported.collect(),
            observed: observed.collect(),
        };
        judge(&self.agent, files)
    }
}

/// Returns the path in the repository of a file that an agent reported. A path outside of the room stays as it is. Returns `None` for a
/// folder, which is listed and not read.
fn in_room(room: &Path, start_in: StartIn, path: &str) -> Option<String> {
    let written = Path::new(path);
    let whole = match start_in {
        StartIn::Room => room.join(written),
        StartIn::Empty => written.to_owned(),
    };
    let whole = without_dots(&whole);
    let real = room.canonicalize();
    let roots = [Some(room), real.as_deref().ok()].into_iter().flatten();
    let Some(inside) = roots.filter_map(|root| whole.strip_prefix(root).ok()).next() else {
        return Some(path.to_owned());
    };
    if room.join(inside).is_dir() {
        return None;
    }
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Some(path_of(&parts.join("/")))
}

/// Returns a path without `.` and `..`. Files are not read: a room has no links.
fn without_dots(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut all, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(all.pop()),
            part => all.push(part),
        }
        all
    })
}

/// Returns the evidence of a review: the delivery of each hunk, and the files that each agent opened.
pub(super) fn reading(opened: &OpenChange, mut agents: Vec<AgentReading>) -> Reading {
    let prepared = opened.prepared();
    let parts: Vec<_> = match &prepared.prepared.batches[..] {
        [] => vec![prepared.prepared.change.get()],
        batches => batches.iter().map(|batch| batch.change.get()).collect(),
    };
    let files = delivered(prepared.masked.get(), &parts);
    let changed: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    agents.iter_mut().for_each(|agent| agent.limit(|path| changed.contains(path)));
    Reading { files, agents }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_paths_are_those_of_the_repository() {
        let room = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(room.path().join("src")).expect("a folder");
        let whole = |path: &str| room.path().join(path).display().to_string();
        for (path, expected) in [
            (whole("src/a.rs"), Some("src/a.rs")),
            ("src/../src/./a.rs".to_owned(), Some("src/a.rs")),
            (whole("diffsan-copies/_CLAUDE.md.txt"), Some("CLAUDE.md")),
            (whole("../elsewhere"), Some(whole("../elsewhere").as_str())),
            ("/etc/passwd".to_owned(), Some("/etc/passwd")),
            (whole("src"), None),
        ] {
            assert_eq!(in_room(room.path(), StartIn::Room, &path).as_deref(), expected, "{path}");
        }
        assert_eq!(in_room(room.path(), StartIn::Empty, "src/a.rs").as_deref(), Some("src/a.rs"), "not in the room");
    }
}
