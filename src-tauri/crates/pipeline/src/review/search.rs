//! Searches symbols in the head's files.

use std::time::{Duration, Instant};

use aho_corasick::AhoCorasick;

use super::room::{Content, contents, is_binary};
use crate::open::OpenChange;
use diffsan_git::Repo;
use diffsan_redact::Session;
use diffsan_review::anchor::Occurrences;
use diffsan_review::finding::Evidence;

/// The maximum size in bytes of a file that is searched.
const MAX_FILE_BYTES: u64 = 1_000_000;
/// The maximum number of places of each symbol.
const PLACES: usize = 200;
/// The maximum duration of a search. A longer one is abandoned, because partial results are misleading.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum length of a line in bytes. Longer lines are not code.
const LINE: usize = 400;

/// Searches the symbols as whole words in every file of the head, with secrets masked. Returns `None` if the head's files are not known, or
/// if there are too many. Blocks.
pub(super) fn occurrences(opened: &OpenChange, symbols: &[String], session: &mut Session) -> Option<Occurrences> {
    let tree = opened.tree.as_ref()?;
    let mut found: Occurrences = symbols.iter().map(|symbol| (symbol.clone(), Vec::new())).collect();
    if symbols.is_empty() {
        return Some(found);
    }
    let started = Instant::now();
    let repo = Repo::open(opened.root.as_ref()?).ok()?;
    let finder = AhoCorasick::new(symbols).ok()?;
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
        let (mut line, mut counted) = (1, 0);
        for hit in finder.find_overlapping_iter(bytes) {
            let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            if word(hit.start().checked_sub(1).and_then(|at| bytes.get(at))) || word(bytes.get(hit.end())) {
                continue;
            }
            // Overlapping matches are ordered by their ends.
            if hit.start() >= counted {
                line += memchr::memchr_iter(b'\n', &bytes[counted..hit.start()]).count();
                counted = hit.start();
            }
            let places = found.get_mut(&symbols[hit.pattern().as_usize()])?;
            let line_number = u32::try_from(line).unwrap_or(u32::MAX);
            let known = places.last().is_some_and(|last| last.path == path && last.line == line_number);
            if places.len() >= PLACES || known {
                continue;
            }
            let start = memchr::memrchr(b'\n', &bytes[..hit.start()]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &bytes[hit.start()..]).map_or(bytes.len(), |at| hit.start() + at);
            if end - start > LINE {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes[start..end]);
            let text = session.contract(&path, text.trim_end()).into_inner();
            places.push(Evidence { path: path.clone(), line: line_number, text });
        }
    }
    Some(found)
}
