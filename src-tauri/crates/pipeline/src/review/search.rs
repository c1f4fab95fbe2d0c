//! Finds the files of the head that contain names, in any kind of file: also in those whose code is not read.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use aho_corasick::AhoCorasick;

use super::room::{Content, contents, is_binary};
use crate::open::OpenChange;
use diffsan_git::Repo;

/// The paths of the files that contain a name as a whole word, by name.
pub(super) type FilesByName = BTreeMap<String, BTreeSet<String>>;

/// The maximum size in bytes of a file that is searched.
const MAX_FILE_BYTES: u64 = 1_000_000;
/// The maximum duration of a search. A longer one is abandoned, because partial results are misleading.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(5);

/// Searches the names in every file of the head. Returns `None` if the head's files are not known, or if there are too many. Blocks.
pub(super) fn files_with(opened: &OpenChange, names: &[String]) -> Option<FilesByName> {
    let tree = opened.tree.as_ref()?;
    let mut found: FilesByName = names.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    if names.is_empty() {
        return Some(found);
    }
    let started = Instant::now();
    let repo = Repo::open(opened.root.as_ref()?).ok()?;
    let finder = AhoCorasick::new(names).ok()?;
    for (path, content) in contents(&repo, opened, tree).ok()? {
        if started.elapsed() > SEARCH_TIMEOUT {
            return None;
        }
        let object;
        let bytes: &[u8] = match &content {
            Content::Object(id) => match repo.object(id, MAX_FILE_BYTES) {
                Some(bytes) => {
                    object = bytes;
                    &object
                }
                None => continue,
            },
            Content::WorkTree(bytes) => bytes,
        };
        if is_binary(bytes) {
            continue;
        }
        let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        for hit in finder.find_overlapping_iter(bytes) {
            let before = hit.start().checked_sub(1).and_then(|at| bytes.get(at));
            if !word(before) && !word(bytes.get(hit.end())) {
                found.get_mut(&names[hit.pattern().as_usize()])?.insert(path.clone());
            }
        }
    }
    Some(found)
}
