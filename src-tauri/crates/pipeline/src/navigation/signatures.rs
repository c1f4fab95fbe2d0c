//! The definitions whose signature a change edits, and the calls of them that the change leaves as they are.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::SymbolTree;
use crate::open::OpenChange;
use diffsan_change::{FileChange, LineKind};
use diffsan_policy::utf8;
use diffsan_syntax::resolve::{Place, Usage, Version, changed_signatures as compare};

/// The maximum number of changed signatures, and of callers of one.
pub(super) const MAX_SIGNATURES: usize = 200;
const MAX_CALLERS: usize = 50;

/// A definition whose signature the change edits or removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedSignature {
    /// The definition in the head. In the base if it is removed.
    pub place: Place,
    /// The change removes the definition.
    pub removed: bool,
    /// The signature in the base.
    pub before: String,
    /// The signature in the head. `None` if it is removed.
    pub after: Option<String>,
    /// Calls in the head that the change does not touch, the certain ones first.
    pub callers: Vec<UnchangedCaller>,
    /// The number of further callers that are not listed.
    pub more: u32,
    /// The search for callers stopped at its limit, so there can be more.
    pub stopped: bool,
}

/// A call that the change does not touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnchangedCaller {
    /// The call.
    pub usage: Usage,
    /// The text of its line, trimmed.
    pub text: String,
}

/// Returns the changed signatures that have unchanged callers, in the order of the files. `stop` is asked before each search; after a
/// stop, those found so far are returned. Blocks.
pub fn changed_signatures(
    opened: &OpenChange,
    base: &SymbolTree,
    head: &SymbolTree,
    stop: &dyn Fn() -> bool,
) -> Vec<ChangedSignature> {
    let touched = touched_lines(opened);
    let mut lines = HeadLines { head, last: None };
    let mut all = Vec::new();
    for &index in opened.plan.order() {
        let file = &opened.change.files[index];
        for change in changes_of(file, base, head) {
            if all.len() >= MAX_SIGNATURES || stop() {
                return all;
            }
            // A removed definition has no place in the head, so its calls are those that the base resolves to it.
            let (tree, place) = match &change.head {
                Some(place) => (head, place),
                None => (base, &change.base),
            };
            let found =
                tree.navigate(|navigator| navigator.callers(&place.path, place.line, place.column)).unwrap_or_default();
            let unchanged = found
                .usages
                .into_iter()
                .filter_map(|usage| unchanged(usage, change.head.is_none(), &touched, &mut lines));
            let mut callers: Vec<UnchangedCaller> = unchanged.collect();
            if callers.is_empty() {
                continue;
            }
            let more = callers.len().saturating_sub(MAX_CALLERS);
            callers.truncate(MAX_CALLERS);
            all.push(ChangedSignature {
                place: place.clone(),
                removed: change.head.is_none(),
                before: change.before,
                after: change.after,
                callers,
                more: u32::try_from(more).unwrap_or(u32::MAX),
                stopped: found.stopped,
            });
        }
    }
    all
}

/// Returns the definitions whose signature a file's change edits or removes.
pub(super) fn changes_of(
    file: &FileChange,
    base: &SymbolTree,
    head: &SymbolTree,
) -> Vec<diffsan_syntax::resolve::SignatureChange> {
    let (old, new) = (file.old_path.as_ref().and_then(utf8), file.new_path.as_ref().and_then(utf8));
    let Some(old) = old else { return Vec::new() };
    let (Some(text), Some(symbols)) = (base.text(&old), base.load(&old)) else { return Vec::new() };
    let before = Version { path: &old, text: &text, symbols: &symbols };
    let after = new.as_ref().and_then(|new| Some((new, head.text(new)?, head.load(new)?)));
    let after = after.as_ref().map(|(path, text, symbols)| Version { path, text, symbols });
    // A file that is too large on the new side says nothing.
    if new.is_some() && after.is_none() { Vec::new() } else { compare(before, after) }
}

/// The changed lines of the new side, by path.
pub(super) type Touched = BTreeMap<String, BTreeSet<u32>>;

pub(super) fn touched_lines(opened: &OpenChange) -> Touched {
    let mut all = Touched::new();
    for file in &opened.change.files {
        let Some(path) = file.new_path.as_ref().and_then(utf8) else { continue };
        let lines = file.hunks().iter().flat_map(|hunk| hunk.numbered());
        let added = lines.filter(|line| line.line.kind == LineKind::Added).filter_map(|line| line.new);
        all.insert(path, added.collect());
    }
    all
}

/// Returns whether the change does not touch a call.
pub(super) fn is_unchanged(usage: &Usage, from_base: bool, touched: &Touched) -> bool {
    match touched.get(&usage.path) {
        // The numbers of the lines of a changed file differ. Only other files are shown.
        Some(lines) => !from_base && !lines.contains(&usage.line),
        None => true,
    }
}

/// Returns a call with its line's text, if the head still has the line and the change does not touch it.
fn unchanged(
    mut usage: Usage,
    from_base: bool,
    touched: &Touched,
    lines: &mut HeadLines<'_>,
) -> Option<UnchangedCaller> {
    if !is_unchanged(&usage, from_base, touched) {
        return None;
    }
    let line = lines.line(&usage.path, usage.line)?;
    let text = String::from_utf8_lossy(line).trim().chars().take(200).collect();
    usage.certain = usage.certain && !from_base;
    Some(UnchangedCaller { usage, text })
}

/// Reads lines of the head's files. Usages come file by file, so the last file is kept.
struct HeadLines<'a> {
    head: &'a SymbolTree,
    last: Option<(String, Vec<u8>)>,
}

impl HeadLines<'_> {
    fn line(&mut self, path: &str, line: u32) -> Option<&[u8]> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            self.last = Some((path.to_owned(), self.head.text(path)?));
        }
        let (_, text) = self.last.as_ref()?;
        text.split(|byte| *byte == b'\n').nth((line as usize).checked_sub(1)?)
    }
}
