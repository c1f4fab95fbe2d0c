//! The heads of a change that diffsan saw. Each has a ref of its own, so that a force push does not lose its commits:
//! `refs/diffsan/seen/KEY/TIME-BASE`.

use super::super::{Repo, RepoError};
use super::VersionCommits;

/// The maximum number of heads of a change that are recorded. The oldest ones are removed.
const MAX_SEEN: usize = 100;
/// The base in the name of a ref if the version starts at an empty tree.
const NO_BASE: &str = "none";

/// A version of a change that was opened before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenHead {
    /// The commits.
    pub version: VersionCommits,
    /// The time at which it was first opened, in seconds since 1970.
    pub time: i64,
}

impl Repo {
    /// Records a version of the change with this key, unless it is the latest recorded one. The key consists of letters and digits.
    /// `time` is in seconds since 1970.
    pub fn record_head(&self, key: &str, version: &VersionCommits, time: i64) -> Result<(), RepoError> {
        let seen = self.seen_heads(key)?;
        if seen.last().is_some_and(|last| last.version == *version) {
            return Ok(());
        }
        let doing = || RepoError::read("recording the head of the change");
        let head = self.commit(&version.head)?.id();
        // Times increase, so that names are unique and in order.
        let time = seen.last().map_or(time, |last| time.max(last.time + 1));
        let name = name(key, &SeenHead { version: version.clone(), time });
        self.git.reference(&name, head, true, "diffsan: seen head").map_err(doing())?;
        for old in seen.iter().rev().skip(MAX_SEEN - 1) {
            let mut reference = self.git.find_reference(&self::name(key, old)).map_err(doing())?;
            reference.delete().map_err(doing())?;
        }
        Ok(())
    }

    /// Returns the recorded versions of a change, oldest first.
    pub fn seen_heads(&self, key: &str) -> Result<Vec<SeenHead>, RepoError> {
        let doing = || RepoError::read("listing the seen heads");
        let references = self.git.references_glob(&format!("refs/diffsan/seen/{key}/*")).map_err(doing())?;
        let read = |reference: git2::Reference<'_>| {
            let (time, base) = reference.name().ok()?.rsplit('/').next()?.split_once('-')?;
            let base = (base != NO_BASE).then(|| base.to_owned());
            let head = reference.target()?.to_string();
            Some(SeenHead { version: VersionCommits { base, head }, time: time.parse().ok()? })
        };
        let mut seen: Vec<SeenHead> = references.flatten().filter_map(read).collect();
        seen.sort_by_key(|head| head.time);
        Ok(seen)
    }
}

fn name(key: &str, head: &SeenHead) -> String {
    let base = head.version.base.as_deref().unwrap_or(NO_BASE);
    format!("refs/diffsan/seen/{key}/{}-{base}", head.time)
}
