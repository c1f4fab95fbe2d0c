//! The reading of an opened change: the lines without a new meaning, and an order of the hunks. Both are computed at the first use.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::change::OpenChange;
use diffsan_change::{FileChange, LineKind, RepoPath, Target};
use diffsan_config::Limits;
use diffsan_fold::{
    Candidates, Chapter, ChapterKind, FileTexts, Fold, FoldReason, FoldSpan, HunkRef, OrderReason, Rename, Sources,
    folds, folds_in, reading_order,
};
use diffsan_git::Repo;
use diffsan_review::finding::Side;
use diffsan_syntax::language::Language;
use diffsan_syntax::symbols::MAX_FILE_BYTES;

/// The maximum number of files and of changed lines for which folds and an order are computed.
const MAX_FILES: usize = 5_000;
const MAX_CHANGED_LINES: u32 = 100_000;

/// The folds of a change, and the order to read it in.
#[derive(Debug, Default)]
pub struct Reading {
    /// The folds, in the change's order.
    pub folds: Vec<Fold>,
    /// The chapters, which have every hunk once. Empty if the change is too large.
    pub chapters: Vec<Chapter>,
    /// Whether the change is too large for both.
    pub too_large: bool,
    /// The files that were not read as code, with the reason.
    pub unread: Vec<(usize, UnreadReason)>,
}

/// The reason why a file is not read as code, so that fewer of its lines can be folded and its hunks are not connected to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnreadReason {
    /// Its language has no grammar here.
    NoGrammar,
    /// It is larger than a megabyte.
    TooLarge,
    /// It is not UTF-8 text.
    NotText,
    /// Only its hunks are known, as in a patch.
    Unavailable,
}

/// A file that is not read as code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadFile {
    /// The index of the file in display order.
    pub file: u32,
    /// The reason.
    pub reason: UnreadReason,
}

/// A place in a file of the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoldPlace {
    /// The path on its side.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The side.
    pub side: Side,
}

/// Adjacent folded lines of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownSpan {
    /// The index of the file in display order.
    pub file: u32,
    /// The index of the hunk in the file.
    pub hunk: u32,
    /// The index of the first line in the hunk.
    pub start: u32,
    /// The index after the last line in the hunk.
    pub end: u32,
    /// The other end of a moved block.
    pub other: Option<FoldPlace>,
}

/// Changed lines that are folded for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownFold {
    /// The reason.
    pub reason: FoldReason,
    /// The symbols with new names. Empty for other reasons.
    pub renames: Vec<Rename>,
    /// The lines, in the change's order.
    pub spans: Vec<ShownSpan>,
}

/// A hunk, or a file without hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownHunk {
    /// The index of the file in display order.
    pub file: u32,
    /// The index of the hunk. `None` for a file without hunks.
    pub hunk: Option<u32>,
}

/// Why a hunk is at its place in the reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderKind {
    /// It calls other hunks, and no hunk calls it.
    Entry,
    /// An earlier hunk of the chapter uses a name that it defines.
    Called,
    /// It tests the chapter's code.
    Test,
    /// It is connected to no other hunk.
    Unconnected,
    /// It is not code.
    NoCode,
}

/// A hunk of a chapter, with the reason of its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownStep {
    /// The hunk.
    pub hunk: ShownHunk,
    /// The reason.
    pub reason: OrderKind,
    /// The name that `by` uses, if it is called.
    pub name: Option<String>,
    /// The hunk that uses it, if it is called.
    pub by: Option<ShownHunk>,
}

/// Hunks that are read together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownChapter {
    /// The origin of the name.
    pub kind: ChapterKind,
    /// The name of the symbol or folder. The root folder is empty.
    pub name: String,
    /// The hunks, in reading order.
    pub steps: Vec<ShownStep>,
}

/// The folds of a change and the order to read it in, by the indices of the files in display order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownReading {
    /// The folds, in the change's order.
    pub folds: Vec<ShownFold>,
    /// The chapters, which have every hunk once.
    pub chapters: Vec<ShownChapter>,
    /// Whether the change is too large, so that it has neither folds nor chapters.
    pub too_large: bool,
    /// The files that are not read as code, in the change's order.
    pub unread: Vec<UnreadFile>,
}

impl OpenChange {
    /// Returns the folds and the reading order. Blocks at the first call.
    pub fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| {
            if self.is_too_large() {
                return Reading { too_large: true, ..Reading::default() };
            }
            let texts = self.texts();
            let unread = self.unread(&texts);
            let texts = file_texts(&texts);
            let sources = Sources::new(&self.change, &texts);
            Reading {
                folds: folds(&self.change, &sources),
                chapters: reading_order(&self.change, &sources),
                too_large: false,
                unread,
            }
        })
    }

    /// Returns the folds in the files that the limits allow, and perhaps others. Blocks at the first call, for less time than
    /// [`Self::reading`]: only the files that these folds depend on are read.
    pub(super) fn folds(&self, limits: &Limits) -> &[Fold] {
        let known = self.reading.get().map(|reading| &reading.folds);
        if let Some(folds) = known.or_else(|| self.folds.get()) {
            return folds;
        }
        let allowed = self.plan.allowed(limits);
        if allowed == self.plan.allowed(&self.settings.config.limits) {
            self.allowed_folds.get_or_init(|| self.find_folds(&|file| allowed[file]))
        } else {
            self.folds.get_or_init(|| self.find_folds(&|_| true))
        }
    }

    fn find_folds(&self, is_wanted: &dyn Fn(usize) -> bool) -> Vec<Fold> {
        if self.is_too_large() {
            return Vec::new();
        }
        let mut candidates = Candidates::of(&self.change);
        candidates.keep(|file| is_wanted(file) && self.plan.ignored(file).is_none());
        let texts = self.texts_of(&|file| candidates.files()[file]);
        folds_in(&self.change, &Sources::new(&self.change, &file_texts(&texts)), &candidates)
    }

    fn is_too_large(&self) -> bool {
        let counts = self.change.line_counts();
        self.change.files.len() > MAX_FILES || counts.added.saturating_add(counts.removed) > MAX_CHANGED_LINES
    }

    /// Returns the files with hunks that are not read as code.
    fn unread(&self, texts: &[[Option<String>; 2]]) -> Vec<(usize, UnreadReason)> {
        let repo = LazyCell::new(|| self.root.as_ref().and_then(|root| Repo::open(root).ok()));
        let reason = |index: usize, file: &FileChange| {
            if Language::of(&file.path().to_text()).is_none() {
                return Some(UnreadReason::NoGrammar);
            }
            let sides = [(&file.old_path, Side::Old), (&file.new_path, Side::New)];
            let missing =
                sides.into_iter().zip(&texts[index]).find(|((path, _), text)| path.is_some() && text.is_none());
            let (path, side) = missing?.0;
            let (Some(repo), Some(tree), Some(path)) = (&*repo, &self.tree, path) else {
                return Some(UnreadReason::Unavailable);
            };
            Some(match side_bytes(repo, tree, path, side) {
                None => UnreadReason::Unavailable,
                Some(bytes) if bytes.len() > MAX_FILE_BYTES => UnreadReason::TooLarge,
                Some(_) => UnreadReason::NotText,
            })
        };
        let files = self.change.files.iter().enumerate();
        let sent = files.filter(|(index, file)| !file.hunks().is_empty() && self.plan.ignored(*index).is_none());
        sent.filter_map(|(index, file)| Some((index, reason(index, file)?))).collect()
    }

    /// Returns the whole texts of the files that are sent, old and new, in the change's order. Opens the repository once.
    pub(crate) fn texts(&self) -> Vec<[Option<String>; 2]> {
        self.texts_of(&|_| true)
    }

    fn texts_of(&self, wanted: &dyn Fn(usize) -> bool) -> Vec<[Option<String>; 2]> {
        let repo = self.root.as_ref().and_then(|root| Repo::open(root).ok());
        let mut texts = vec![[None, None]; self.change.files.len()];
        let (Some(repo), Some(tree)) = (repo, &self.tree) else { return texts };
        let is_read = |(index, file): &(usize, &FileChange)| {
            !file.hunks().is_empty() && self.plan.ignored(*index).is_none() && wanted(*index)
        };
        let (indices, files): (Vec<usize>, Vec<&FileChange>) =
            self.change.files.iter().enumerate().filter(is_read).unzip();
        let text = |bytes: Bytes| Some(bytes).filter(|bytes| bytes.len() <= MAX_FILE_BYTES).map(Vec::from);
        for (index, sides) in indices.into_iter().zip(repo.both_sides(tree, &files)) {
            texts[index] = sides.map(|side| String::from_utf8(text(side?)?).ok());
        }
        texts
    }

    /// Returns the folds and the reading order for display. Blocks at the first call.
    pub fn shown_reading(&self) -> ShownReading {
        let reading = self.reading();
        let at: BTreeMap<usize, u32> = self.plan.order().iter().copied().zip(0..).collect();
        ShownReading {
            folds: reading.folds.iter().map(|fold| self.shown_fold(fold, &at)).collect(),
            chapters: reading.chapters.iter().map(|chapter| shown_chapter(chapter, &at)).collect(),
            too_large: reading.too_large,
            unread: reading
                .unread
                .iter()
                .map(|(file, reason)| UnreadFile { file: shown_index(&at, *file), reason: *reason })
                .collect(),
        }
    }

    fn shown_fold(&self, fold: &Fold, at: &BTreeMap<usize, u32>) -> ShownFold {
        let span = |span: &FoldSpan| ShownSpan {
            file: shown_index(at, span.file),
            hunk: number(span.hunk),
            start: number(span.start),
            end: number(span.end),
            other: self.other_end(fold, span),
        };
        let spans = fold.spans.iter().map(span).collect();
        ShownFold { reason: fold.reason, renames: fold.renames.clone(), spans }
    }

    /// Returns the place that a moved block of lines moved to, or came from.
    fn other_end(&self, fold: &Fold, span: &FoldSpan) -> Option<FoldPlace> {
        if fold.reason != FoldReason::Moved {
            return None;
        }
        let first = self.change.files.get(span.file)?.hunks().get(span.hunk)?.lines.get(span.start)?.kind;
        let wanted = if first == LineKind::Added { LineKind::Removed } else { LineKind::Added };
        let others = fold.spans.iter().filter(|other| *other != span);
        others.into_iter().find_map(|other| self.first_line(other, wanted))
    }

    fn first_line(&self, span: &FoldSpan, kind: LineKind) -> Option<FoldPlace> {
        let file = self.change.files.get(span.file)?;
        let mut lines = file.hunks().get(span.hunk)?.numbered().skip(span.start).take(span.end - span.start);
        let line = lines.find(|line| line.line.kind == kind)?;
        let (path, line, side) = match kind {
            LineKind::Removed => (file.old_path.as_ref()?, line.old?, Side::Old),
            _ => (file.new_path.as_ref()?, line.new?, Side::New),
        };
        Some(FoldPlace { path: path.to_text().into_owned(), line, side })
    }
}

/// Returns the content of a side of a file. `None` if it cannot be read.
fn side_bytes(repo: &Repo, target: &Target, path: &RepoPath, side: Side) -> Option<Bytes> {
    let bytes = if side == Side::Old { repo.old_side(target, path) } else { repo.new_side(target, path) };
    bytes.ok().flatten()
}

fn file_texts(texts: &[[Option<String>; 2]]) -> Vec<FileTexts<'_>> {
    texts.iter().map(|[old, new]| FileTexts { old: old.as_deref(), new: new.as_deref() }).collect()
}

fn shown_chapter(chapter: &Chapter, at: &BTreeMap<usize, u32>) -> ShownChapter {
    let shown = |hunk: HunkRef| ShownHunk { file: shown_index(at, hunk.file), hunk: hunk.hunk.map(number) };
    let steps = chapter.hunks.iter().map(|hunk| {
        let (reason, name, by) = match &hunk.reason {
            OrderReason::Entry => (OrderKind::Entry, None, None),
            OrderReason::Called { name, by } => (OrderKind::Called, Some(name.clone()), Some(shown(*by))),
            OrderReason::Test => (OrderKind::Test, None, None),
            OrderReason::Unconnected => (OrderKind::Unconnected, None, None),
            OrderReason::NoCode => (OrderKind::NoCode, None, None),
        };
        ShownStep { hunk: shown(hunk.at), reason, name, by }
    });
    ShownChapter { kind: chapter.kind, name: chapter.name.clone(), steps: steps.collect() }
}

fn shown_index(at: &BTreeMap<usize, u32>, file: usize) -> u32 {
    at.get(&file).copied().unwrap_or(u32::MAX)
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
