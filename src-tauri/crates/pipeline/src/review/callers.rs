//! The unchanged callers of changed signatures, as text for an agent.
//!
//! In: a change, the part of it that a prompt has, and the room that its diff leaves. Out: masked text. Lines
//! are taken from masked files, so a secret is never cut before it is masked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::prompt_budget::{fit, overflow, room};
use crate::navigation::{Rest, SignatureSearch};
use crate::open::OpenChange;
use diffsan_change::{Change, RepoPath};
use diffsan_git::Repo;
use diffsan_redact::Session;
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::resolve::{SignatureChange, Usage};
use diffsan_syntax::symbols::{MAX_FILE_BYTES, READER_VERSION};

/// The maximum duration of the search. After it, a prompt has the callers found so far; none if the symbols were still being read.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of callers of one signature, and of characters of a line.
const MAX_CALLERS: usize = 10;
const MAX_LINE: usize = 200;

/// Returns the callers of the signatures in a part of the change, at most as long as the diff and the settings allow. Empty if there are
/// none, or if the settings leave them out. Blocks.
pub(super) fn callers_text(
    opened: &OpenChange,
    places: &Places,
    (part, diff): (&Change, &str),
    session: &mut Session,
) -> String {
    let config = &opened.settings.config;
    let room = room(&config.limits, config.prompt.max_callers_chars, &[diff]);
    if !config.prompt.callers || room.0 == 0 || room.1 == 0 {
        return String::new();
    }
    let search = opened.signatures.get_or_init(|| {
        opened.tree.as_ref()?;
        let cache = places.data.is_dir().then(|| SymbolCache::open(&places.symbols(), READER_VERSION)).flatten();
        SignatureSearch::open(opened, cache).ok().map(Mutex::new)
    });
    let Some(search) = search else { return String::new() };
    let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
    let started = Instant::now();
    let stop = || started.elapsed() > SEARCH_TIMEOUT;
    let paths: BTreeSet<String> = part.files.iter().map(|file| file.path().to_text().into_owned()).collect();
    let mut lines = MaskedLines { opened, repo: None, session, files: BTreeMap::new() };
    let mut entries: Vec<String> = Vec::new();
    let more = search.each(opened, &paths, &stop, &mut |change, callers| {
        entries.push(entry(change, callers, &mut lines));
        match overflow(&entries, room) {
            // Further entries have no place, and none is shown if the first one has none.
            true if entries.len() == 1 => ControlFlow::Break(Rest::Ignored),
            true => ControlFlow::Break(Rest::Counted),
            false => ControlFlow::Continue(()),
        }
    });
    search.save();
    fit(&entries, more.unwrap_or_default(), room, &|more| match more {
        1 => "- One more signature has unchanged callers.".to_owned(),
        more => format!("- {more} more signatures have unchanged callers."),
    })
}

fn entry(one: &SignatureChange, callers: &[Usage], lines: &mut MaskedLines<'_>) -> String {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = one.head.as_ref().unwrap_or(&one.base);
    let (path, line) = (&place.path, place.line);
    let before = flat(&lines.text(path, &one.before));
    let mut text = match &one.after {
        Some(after) => {
            format!("- {path}:{line} `{before}` is now `{}`. Unchanged calls:", flat(&lines.text(path, after)))
        }
        None => format!("- {path}:{line} `{before}` is removed. Unchanged calls:"),
    };
    for usage in callers.iter().take(MAX_CALLERS) {
        text += &format!("\n  - {}", call(usage, lines));
    }
    let more = callers.len().saturating_sub(MAX_CALLERS);
    if more > 0 {
        text += &format!("\n  - and {more} more");
    }
    text
}

fn call(usage: &Usage, lines: &mut MaskedLines<'_>) -> String {
    let text: String = lines.line(&usage.path, usage.line).trim().chars().take(MAX_LINE).collect();
    let within = if usage.within.is_empty() { String::new() } else { format!(" in `{}`", usage.within) };
    let certain = if usage.certain { "" } else { " (possibly)" };
    format!("{}:{}{within}{certain}: {text}", usage.path, usage.line)
}

/// Reads lines of the head's files, masked.
struct MaskedLines<'a> {
    opened: &'a OpenChange,
    repo: Option<Repo>,
    session: &'a mut Session,
    files: BTreeMap<String, Vec<String>>,
}

impl MaskedLines<'_> {
    fn text(&mut self, path: &str, text: &str) -> String {
        self.session.text(path, text).into_inner()
    }

    fn line(&mut self, path: &str, line: u32) -> String {
        if !self.files.contains_key(path) {
            let bytes = self.bytes(path).unwrap_or_default();
            let masked = self.session.bytes(path, &bytes).into_inner();
            let lines = masked.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned());
            self.files.insert(path.to_owned(), lines.collect());
        }
        let lines = self.files.get(path);
        lines.and_then(|lines| lines.get((line as usize).checked_sub(1)?)).cloned().unwrap_or_default()
    }

    fn bytes(&mut self, path: &str) -> Option<Vec<u8>> {
        if self.repo.is_none() {
            self.repo = Repo::open(self.opened.root.as_ref()?).ok();
        }
        let bytes = self
            .repo
            .as_ref()?
            .new_side(self.opened.tree.as_ref()?, &RepoPath::new(path.as_bytes().to_vec()))
            .ok()??;
        Some(bytes.to_vec()).filter(|bytes| bytes.len() <= MAX_FILE_BYTES)
    }
}
