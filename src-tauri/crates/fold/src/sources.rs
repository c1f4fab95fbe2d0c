//! The files of a change, split into tokens once for folds and order.

use diffsan_change::{Change, FileChange, Hunk, RepoPath};
use diffsan_syntax::language::Language;
use diffsan_syntax::tree::{Replacement, SyntaxTree};

use crate::lines::Lines;
use crate::source::Source;
use crate::types::FileTexts;
use diffsan_change::parallel;

/// The maximum size of a file that is split into tokens, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The sides of a file.
#[derive(Default)]
pub(crate) struct Sides<'a> {
    pub(crate) old: Option<Source<'a>>,
    pub(crate) new: Option<Source<'a>>,
}

/// The texts of a change's files, split into tokens.
pub struct Sources<'a>(Vec<Sides<'a>>);

impl<'a> Sources<'a> {
    /// Splits the texts of a change's files, which are in the same order, into tokens on several threads. A text that does not have
    /// the lines of its file's hunks is left out.
    pub fn new(change: &Change, texts: &[FileTexts<'a>]) -> Self {
        let files = &change.files;
        let of = |index: usize| sides(&files[index], texts.get(index).copied().unwrap_or_default());
        Self(parallel::each(files.len(), parallel::threads_for(files.len()), of))
    }

    pub(crate) fn files(&self) -> &[Sides<'a>] {
        &self.0
    }
}

/// Returns the sources of a file, without a side that does not have the lines of its hunks. The old text is parsed as a version of the
/// new one, which costs little.
fn sides<'a>(file: &FileChange, texts: FileTexts<'a>) -> Sides<'a> {
    let checked = |text: Option<&'a str>, added| text.map(Lines::new).filter(|lines| has_lines(lines, file, added));
    let (old, new) = (checked(texts.old, false), checked(texts.new, true));
    let language = |path: &Option<RepoPath>, lines: &Option<Lines<'_>>| {
        let size = lines.as_ref()?.text.len();
        Language::of(&path.as_ref()?.to_text()).filter(|_| size <= MAX_BYTES)
    };
    let (before, after) = (language(&file.old_path, &old), language(&file.new_path, &new));
    let parsed =
        |language: Option<Language>, lines: &Option<Lines<'a>>| SyntaxTree::parse(language?, lines.as_ref()?.text);
    let new_tree = parsed(after, &new);
    let old_tree = match (&old, &new, &new_tree) {
        (Some(old), Some(new), Some(tree)) if before == after => {
            tree.parse_version(old.text, &replacements(file, old, new))
        }
        _ => parsed(before, &old),
    };
    Sides {
        old: old.map(|lines| Source::new(lines, old_tree.as_ref())),
        new: new.map(|lines| Source::new(lines, new_tree.as_ref())),
    }
}

/// Returns whether a text has the lines of a file's hunks.
fn has_lines(lines: &Lines<'_>, file: &FileChange, added: bool) -> bool {
    file.hunks().iter().all(|hunk| {
        hunk.numbered().filter_map(|line| Some((if added { line.new? } else { line.old? }, line.line))).all(
            |(at, line)| {
                let at = (at as usize).saturating_sub(1);
                at < lines.len() && lines.line(at).as_bytes() == &line.text[..]
            },
        )
    })
}

/// Returns the parts of a file's new text in whose place the old text has others: the hunks, from their first to their last line.
fn replacements(file: &FileChange, old: &Lines<'_>, new: &Lines<'_>) -> Vec<Replacement> {
    let bytes = |lines: &Lines<'_>, start: u32, count: u32| {
        // The start of a side without lines is the line before it.
        let first = (start as usize).saturating_sub(usize::from(count > 0));
        lines.start(first)..lines.start(first + count as usize)
    };
    let of = |hunk: &Hunk| Replacement {
        range: bytes(new, hunk.new_start, hunk.new_lines),
        with: bytes(old, hunk.old_start, hunk.old_lines),
    };
    file.hunks().iter().map(of).collect()
}
