//! Compares changed lines with the lines in whose place they are: other blanks, other line breaks, other comments, other names.

use std::ops::Range;

use diffsan_syntax::tokens::TokenClass;
use imara_diff::{Algorithm, Diff, InternedInput};

use crate::changed::{Changed, Group};
use crate::names::{Pair, pairs};
use crate::source::{LineKey, Source};
use crate::types::FoldReason;

/// The number of groups of a hunk that are compared as one, because a diff may split a statement.
const MAX_JOINED: usize = 8;

/// Lines that differ only by names, whose renames are still to be checked.
pub(crate) struct Candidate {
    pub(crate) groups: Range<usize>,
    pub(crate) file: usize,
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) pairs: Vec<Pair>,
}

/// The result of a comparison.
enum Verdict {
    Folded(FoldReason),
    Renamed(Vec<Pair>),
    Different,
}

/// Folds what differs only by blanks, line breaks or comments, and returns the lines that differ only by names.
pub(crate) fn fold(changed: &mut Changed<'_>) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut at = 0;
    while at < changed.groups.len() {
        let first = changed.groups[at].clone();
        let joined = (at + 1..=changed.groups.len()).take(MAX_JOINED).take_while(|end| {
            same_hunk(&first, &changed.groups[end - 1]) && changed.is_free(changed.groups[end - 1].lines.clone())
        });
        let ends: Vec<usize> = joined.collect();
        let settled = ends.into_iter().find(|end| {
            let last = changed.groups[end - 1].clone();
            let (old, new) = (first.old.start..last.old.end, first.new.start..last.new.end);
            settle(changed, at..*end, (&old, &new), &mut candidates)
        });
        match settled {
            Some(end) => at = end,
            None => {
                if changed.is_free(first.lines.clone()) {
                    split(changed, at, &first, &mut candidates);
                }
                at += 1;
            }
        }
    }
    candidates
}

fn same_hunk(one: &Group, other: &Group) -> bool {
    (one.file, one.hunk) == (other.file, other.hunk)
}

/// Folds two ranges of lines if they differ only by one reason. Returns whether they do.
fn settle(
    changed: &mut Changed<'_>,
    groups: Range<usize>,
    (old, new): (&Range<usize>, &Range<usize>),
    candidates: &mut Vec<Candidate>,
) -> bool {
    let file = changed.groups[groups.start].file;
    let sides = &changed.files[file];
    let (Some(one), Some(other)) = (&sides.old, &sides.new) else { return false };
    match compare(one, old, other, new) {
        Verdict::Folded(reason) => changed.fold_ranges(groups, (old, new), reason, Vec::new()),
        Verdict::Renamed(pairs) => {
            candidates.push(Candidate { groups, file, old: old.clone(), new: new.clone(), pairs });
        }
        Verdict::Different => return false,
    }
    true
}

/// Compares the parts of a group that is different as a whole: lines with equal tokens divide it.
fn split(changed: &mut Changed<'_>, at: usize, group: &Group, candidates: &mut Vec<Candidate>) {
    let sides = &changed.files[group.file];
    let (Some(one), Some(other)) = (&sides.old, &sides.new) else { return };
    if group.old.is_empty() || group.new.is_empty() {
        return;
    }
    let (before, after) = (keyed(one, &group.old), keyed(other, &group.new));
    let mut input = InternedInput::default();
    input.update_before(before.iter().map(|(_, key)| (key.tokens, key.join)));
    input.update_after(after.iter().map(|(_, key)| (key.tokens, key.join)));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let different: Vec<(Range<u32>, Range<u32>)> = diff.hunks().map(|hunk| (hunk.before, hunk.after)).collect();
    let lines = |all: &[(usize, LineKey)], range: &Range<u32>| {
        let part = &all[range.start as usize..range.end as usize];
        part.first().map_or(0..0, |first| first.0..part[part.len() - 1].0 + 1)
    };
    let (mut old, mut new) = (0, 0);
    let end = (before.len() as u32, after.len() as u32);
    let mut equal = Vec::new();
    for (removed, added) in different.iter().cloned().chain([(end.0..end.0, end.1..end.1)]) {
        equal.push((old..removed.start, new..added.start));
        (old, new) = (removed.end, added.end);
    }
    for (removed, added) in equal {
        let part = &before[removed.start as usize..removed.end as usize];
        let heavy = part.iter().map(|(_, key)| key.weight).sum::<u32>() > 0;
        let (removed, added) = (lines(&before, &removed), lines(&after, &added));
        let sides = &changed.files[group.file];
        let (Some(one), Some(other)) = (&sides.old, &sides.new) else { return };
        if heavy && !near_directive(one, &removed) && !near_directive(other, &added) {
            changed.fold_ranges(at..at + 1, (&removed, &added), FoldReason::Whitespace, Vec::new());
        }
    }
    for (removed, added) in different {
        let (removed, added) = (lines(&before, &removed), lines(&after, &added));
        if removed.is_empty() || added.is_empty() || settle(changed, at..at + 1, (&removed, &added), candidates) {
            continue;
        }
        if removed.len() == added.len() {
            for (removed, added) in removed.zip(added) {
                settle(changed, at..at + 1, (&(removed..removed + 1), &(added..added + 1)), candidates);
            }
        }
    }
}

/// Returns the lines that are not blank, with their keys.
fn keyed(source: &Source<'_>, lines: &Range<usize>) -> Vec<(usize, LineKey)> {
    lines.clone().map(|line| (line, source.key(line))).filter(|(_, key)| !key.blank).collect()
}

fn compare(old: &Source<'_>, removed: &Range<usize>, new: &Source<'_>, added: &Range<usize>) -> Verdict {
    if old.language.is_none() || old.language != new.language {
        return Verdict::Different;
    }
    let (before, after) = (old.tokens_of(removed), new.tokens_of(added));
    let broken =
        |source: &Source<'_>, tokens: &Range<usize>| source.tokens[tokens.clone()].iter().any(|one| one.broken);
    if broken(old, &before) || broken(new, &after) || !same_surroundings(old, &before, new, &after) {
        return Verdict::Different;
    }
    let code = |source: &Source<'_>, tokens: &Range<usize>| -> Vec<usize> {
        tokens.clone().filter(|token| !source.is_plain_comment(*token)).collect()
    };
    let (one, other) = (code(old, &before), code(new, &after));
    if one.len() != other.len() {
        return Verdict::Different;
    }
    if !one.iter().zip(&other).all(|(token, twin)| old.is_same(*token, new, *twin)) {
        return pairs(old, &before, new, &after).map_or(Verdict::Different, Verdict::Renamed);
    }
    let same_comments = before.len() == after.len()
        && before.clone().zip(after.clone()).all(|(token, twin)| old.is_same(token, new, twin));
    let directives = near_directive(old, removed) || near_directive(new, added);
    let lines = |source: &Source<'_>, lines| keyed(source, lines).into_iter().map(|(_, key)| key).collect::<Vec<_>>();
    match same_comments {
        true if lines(old, removed) == lines(new, added) => Verdict::Folded(FoldReason::Whitespace),
        true if !directives => Verdict::Folded(FoldReason::Formatting),
        false if !directives => Verdict::Folded(FoldReason::Comments),
        _ => Verdict::Different,
    }
}

/// Returns whether the token before is placed equally, if it is a directive, and the next token is joined equally.
fn same_surroundings(old: &Source<'_>, before: &Range<usize>, new: &Source<'_>, after: &Range<usize>) -> bool {
    let directive = |source: &Source<'_>, tokens: &Range<usize>| {
        let last = tokens.start.checked_sub(1).filter(|last| source.is_directive(*last));
        last.map(|last| source.placement(last))
    };
    let next = |source: &Source<'_>, tokens: &Range<usize>| {
        let mut rest = source.tokens[tokens.end..].iter();
        rest.find(|token| token.class != TokenClass::Comment).map(|token| token.join)
    };
    directive(old, before) == directive(new, after) && next(old, before) == next(new, after)
}

/// Returns whether the lines or the token before them have a comment for a tool, which may apply to certain lines.
fn near_directive(source: &Source<'_>, lines: &Range<usize>) -> bool {
    let tokens = source.tokens_of(lines);
    (tokens.start.saturating_sub(1)..tokens.end).any(|token| source.is_directive(token))
}
