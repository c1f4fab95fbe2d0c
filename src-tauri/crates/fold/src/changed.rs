//! The changed lines of a change, and the folds that they belong to.

use std::ops::Range;

use diffsan_change::{Change, FileChange, LineKind};

use crate::source::{LineKey, Source, weight};
use crate::sources::{Sides, Sources};
use crate::types::{Fold, FoldReason, FoldSpan, Rename};

/// A changed line.
pub(crate) struct ChangedLine {
    pub(crate) file: usize,
    pub(crate) hunk: usize,
    /// The index in the hunk.
    pub(crate) index: usize,
    pub(crate) added: bool,
    /// The number on its side, from 0.
    pub(crate) number: usize,
    /// The number without blank lines, by which neighbours are found.
    pub(crate) order: usize,
    pub(crate) key: LineKey,
    fold: Option<usize>,
}

/// Adjacent changed lines of a hunk: removed ones and those in their place.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) file: usize,
    pub(crate) hunk: usize,
    /// The indices of all its lines in [`Changed::lines`].
    pub(crate) lines: Range<usize>,
    /// The numbers of the removed lines, from 0. An empty range says where they would be.
    pub(crate) old: Range<usize>,
    /// The numbers of the added lines, from 0.
    pub(crate) new: Range<usize>,
}

/// The changed lines of all files.
pub(crate) struct Changed<'a> {
    pub(crate) files: &'a [Sides<'a>],
    pub(crate) lines: Vec<ChangedLine>,
    pub(crate) groups: Vec<Group>,
    folds: Vec<(FoldReason, Vec<Rename>)>,
}

impl<'a> Changed<'a> {
    /// Reads the changed lines of the files that may have folds.
    pub(crate) fn new(change: &Change, sources: &'a Sources<'a>, may_fold: &[bool]) -> Self {
        let files = sources.files();
        let mut changed = Self { files, lines: Vec::new(), groups: Vec::new(), folds: Vec::new() };
        for (index, (file, sides)) in change.files.iter().zip(files).enumerate().filter(|(index, _)| may_fold[*index]) {
            changed.add_file(index, file, sides);
        }
        changed
    }

    fn add_file(&mut self, index: usize, file: &FileChange, sides: &Sides<'_>) {
        let orders = [sides.old.as_ref(), sides.new.as_ref()].map(|side| side.map(orders));
        for (hunk_index, hunk) in file.hunks().iter().enumerate() {
            let (mut old, mut new) = (start(hunk.old_start, hunk.old_lines), start(hunk.new_start, hunk.new_lines));
            let mut open = false;
            for (at, line) in hunk.lines.iter().enumerate() {
                let (on_old, on_new) = (line.kind != LineKind::Added, line.kind != LineKind::Removed);
                if line.kind == LineKind::Context {
                    open = false;
                } else {
                    let added = line.kind == LineKind::Added;
                    let number = if added { new } else { old };
                    let side = if added { &sides.new } else { &sides.old };
                    let order = orders[usize::from(added)].as_ref().and_then(|orders| orders.get(number));
                    let text = String::from_utf8_lossy(&line.text);
                    let key = side.as_ref().map_or_else(|| raw_key(&text), |side| side.key(number));
                    let id = self.lines.len();
                    let (file, hunk) = (index, hunk_index);
                    let order = order.copied().unwrap_or(number);
                    self.lines.push(ChangedLine { file, hunk, index: at, added, number, order, key, fold: None });
                    if !open {
                        self.groups.push(Group { file, hunk, lines: id..id, old: old..old, new: new..new });
                        open = true;
                    }
                    if let Some(group) = self.groups.last_mut() {
                        group.lines.end = id + 1;
                        group.old.end = old + usize::from(on_old);
                        group.new.end = new + usize::from(on_new);
                    }
                }
                old += usize::from(on_old);
                new += usize::from(on_new);
            }
        }
    }

    /// Returns whether no line of a range has a fold yet.
    pub(crate) fn is_free(&self, lines: Range<usize>) -> bool {
        self.lines[lines].iter().all(|line| line.fold.is_none())
    }

    pub(crate) fn is_folded(&self, line: usize) -> bool {
        self.lines[line].fold.is_some()
    }

    /// Returns the fold of a line.
    pub(crate) fn fold_of(&self, line: usize) -> Option<usize> {
        self.lines[line].fold
    }

    /// Returns the source of a line's side.
    pub(crate) fn source(&self, line: &ChangedLine) -> Option<&Source<'a>> {
        let sides = &self.files[line.file];
        if line.added { sides.new.as_ref() } else { sides.old.as_ref() }
    }

    /// Adds a fold and returns its index.
    pub(crate) fn add(&mut self, reason: FoldReason, renames: Vec<Rename>) -> usize {
        self.folds.push((reason, renames));
        self.folds.len() - 1
    }

    /// Puts a line into a fold, unless it is in one.
    pub(crate) fn put(&mut self, line: usize, fold: usize) {
        self.lines[line].fold.get_or_insert(fold);
    }

    /// Folds the lines of both sides, given by their numbers, in the groups.
    pub(crate) fn fold_ranges(
        &mut self,
        groups: Range<usize>,
        (old, new): (&Range<usize>, &Range<usize>),
        reason: FoldReason,
        renames: Vec<Rename>,
    ) {
        let (Some(first), Some(last)) = (self.groups.get(groups.start), self.groups.get(groups.end - 1)) else {
            return;
        };
        let lines = first.lines.start..last.lines.end;
        let fold = self.add(reason, renames);
        for id in lines {
            let line = &self.lines[id];
            if (if line.added { new } else { old }).contains(&line.number) {
                self.put(id, fold);
            }
        }
    }

    pub(crate) fn into_folds(self) -> Vec<Fold> {
        let made = self.folds.into_iter().map(|(reason, renames)| Fold { reason, renames, spans: Vec::new() });
        let mut folds: Vec<Fold> = made.collect();
        for line in &self.lines {
            let Some(fold) = line.fold else { continue };
            let spans = &mut folds[fold].spans;
            match spans.last_mut() {
                Some(span) if (span.file, span.hunk, span.end) == (line.file, line.hunk, line.index) => span.end += 1,
                _ => spans.push(FoldSpan { file: line.file, hunk: line.hunk, start: line.index, end: line.index + 1 }),
            }
        }
        folds.retain(|fold| !fold.spans.is_empty());
        folds.sort_by_key(|fold| fold.spans.first().copied());
        folds
    }
}

fn start(start: u32, lines: u32) -> usize {
    // The start of a side without lines is the line before it.
    (start as usize).saturating_sub(usize::from(lines > 0))
}

/// Returns for each line its number without blank lines.
fn orders(source: &Source<'_>) -> Vec<usize> {
    let mut order = 0;
    (0..source.lines.len())
        .map(|line| {
            let at = order;
            let blank = source.language.is_some() && source.lines.line(line).trim().is_empty();
            order += usize::from(!blank);
            at
        })
        .collect()
}

/// Returns the key of a line of a file whose whole text is not available.
fn raw_key(text: &str) -> LineKey {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut digest = DefaultHasher::new();
    (0_u8, text).hash(&mut digest);
    LineKey { tokens: digest.finish(), weight: weight(text), ..LineKey::default() }
}
