//! The files of a change, split into tokens once for folds and order.

use std::borrow::Cow;
use std::thread;

use diffsan_change::{Change, FileChange, Hunk, RepoPath};

use crate::parallel;
use crate::source::Source;
use crate::types::FileTexts;

/// The number of files for which another thread is worth its start.
const FILES_PER_THREAD: usize = 8;

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
        let threads = thread::available_parallelism().map_or(1, usize::from).min(files.len() / FILES_PER_THREAD + 1);
        let of = |index: usize| sides(&files[index], texts.get(index).copied().unwrap_or_default());
        Self(parallel::each(files.len(), threads, of))
    }

    pub(crate) fn files(&self) -> &[Sides<'a>] {
        &self.0
    }
}

/// Returns the sources of a file, if they have the lines of its hunks.
fn sides<'a>(file: &FileChange, texts: FileTexts<'a>) -> Sides<'a> {
    let source = |path: Option<Cow<'_, str>>, text: Option<&'a str>| Some(Source::new(&path?, text?));
    let of = |path: &Option<RepoPath>| path.as_ref().map(|path| path.to_text().into_owned().into());
    let old = source(of(&file.old_path), texts.old);
    let new = source(of(&file.new_path), texts.new);
    let is_there = |source: &Source<'_>, hunk: &Hunk, added: bool| {
        hunk.numbered().filter_map(|line| Some((if added { line.new? } else { line.old? }, line.line))).all(
            |(at, line)| {
                let at = (at as usize).saturating_sub(1);
                at < source.len() && source.line(at).as_bytes() == &line.text[..]
            },
        )
    };
    let checked = |source: Option<Source<'a>>, added| {
        source.filter(|source| file.hunks().iter().all(|hunk| is_there(source, hunk, added)))
    };
    Sides { old: checked(old, false), new: checked(new, true) }
}
