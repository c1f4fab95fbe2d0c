//! The reading order of a change as text for an agent, and the agents' sentences about its chapters.

use std::collections::BTreeSet;

use super::intent::ByAgent;
use super::placing::read_files;
use crate::open::OpenChange;
use diffsan_anchor::check_chapters;
use diffsan_change::Change;
use diffsan_fold::{Chapter, ChapterKind, OrderReason, OrderedHunk};
use diffsan_redact::Session;
use diffsan_review::chapters::{AgentChapter, ChapterSentence};

/// The maximum number of chapters, and of hunks of one chapter, that are named.
const MAX_CHAPTERS: usize = 40;
const MAX_HUNKS: usize = 12;

/// Returns the chapters of a part of the change as a Markdown list. Empty unless the settings ask for it. Blocks.
pub(super) fn chapters_text(opened: &OpenChange, part: &Change) -> String {
    if !opened.settings.config.prompt.reading_order {
        return String::new();
    }
    let paths: BTreeSet<String> = part.files.iter().map(|file| file.path().to_text().into_owned()).collect();
    let chapters = &opened.reading().chapters;
    let mut lines: Vec<String> = chapters.iter().filter_map(|chapter| line(opened, chapter, &paths)).collect();
    if lines.len() > MAX_CHAPTERS {
        let more = lines.len() - MAX_CHAPTERS;
        lines.truncate(MAX_CHAPTERS);
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}

/// Checks the sentences of agents about chapters, and their evidence. Blocks.
pub fn checked_chapters(
    opened: &OpenChange,
    found: ByAgent<AgentChapter>,
    session: &mut Session,
) -> Vec<ChapterSentence> {
    let quotes = found.iter().flat_map(|(_, all)| all).flat_map(|one| &one.evidence);
    let files = read_files(opened, quotes.map(|quote| quote.path.as_str()), session);
    check_chapters(found, opened.prepared().masked.get(), &files)
}

fn line(opened: &OpenChange, chapter: &Chapter, paths: &BTreeSet<String>) -> Option<String> {
    let name = match (chapter.kind, chapter.name.as_str()) {
        (ChapterKind::Folder, "") => "the root folder".to_owned(),
        (ChapterKind::Folder, name) => format!("{name}/"),
        (_, name) => format!("`{name}`"),
    };
    let mut places: Vec<String> = chapter
        .hunks
        .iter()
        .filter_map(|hunk| place(opened, hunk).filter(|(path, _)| paths.contains(path)))
        .map(|(_, text)| text)
        .collect();
    if places.is_empty() {
        return None;
    }
    if places.len() > MAX_HUNKS {
        let more = places.len() - MAX_HUNKS;
        places.truncate(MAX_HUNKS);
        places.push(format!("and {more} more"));
    }
    Some(format!("- {name}: {}", places.join(", ")))
}

/// Returns the path of a hunk, and its place with the reason.
fn place(opened: &OpenChange, hunk: &OrderedHunk) -> Option<(String, String)> {
    let file = opened.change.files.get(hunk.at.file)?;
    let path = file.path().to_text().into_owned();
    let line = hunk.at.hunk.and_then(|at| file.hunks().get(at)).map(|hunk| hunk.new_start);
    let at = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
    let reason = match &hunk.reason {
        OrderReason::Called { name, .. } => format!(" (defines `{name}`)"),
        OrderReason::Test => " (test)".to_owned(),
        OrderReason::Entry | OrderReason::Unconnected | OrderReason::NoCode => String::new(),
    };
    Some((path, at + &reason))
}
