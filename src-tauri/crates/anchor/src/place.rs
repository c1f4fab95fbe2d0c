//! Places findings: every place that an agent names is checked against the change and the files.

use std::sync::Arc;

use crate::claims::{self, Head};
use crate::files::{Files, Lookup, SideLines};
use crate::locate::{self, FoundQuote};
use crate::patch;
use crate::paths::Resolved;
use diffsan_change::{Change, FileChange, Hunk};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Finding, Fix, PatchFormat, Side};

/// The note of an anchor whose quote was not found.
pub(crate) const QUOTE_NOWHERE: &str = "the quoted code is not in the file";

/// Places every finding of an answer, and checks its patch and its claims. Without the head, claims are not decided.
pub fn place_all(
    found: Vec<AgentFinding>,
    source: &str,
    change: &Change,
    files: &Files,
    head: Option<&Head<'_>>,
) -> Vec<Finding> {
    let lookup = Lookup::new(change, files);
    let place = |finding: AgentFinding| {
        let mut anchor = place_in(&finding, &lookup);
        let (verdict, claims) = claims::check(&finding, &anchor, head);
        let fix = checked_fix(&finding, &mut anchor, files);
        let code = lookup.code_of(&anchor);
        Finding {
            key: String::new(),
            content: finding,
            anchor,
            sources: vec![source.to_owned()],
            verdict,
            claims,
            chain: Vec::new(),
            fix,
            code,
            runs: Vec::new(),
            original: None,
            unedited_since: None,
        }
    };
    found.into_iter().map(place).collect()
}

/// Checks a placed finding of this version that a file contained: clips its lines to the whole file, and removes a fix that does not come
/// from its suggested patch.
pub fn recheck(finding: &mut Finding, files: &Files) {
    let anchor = &mut finding.anchor;
    let whole = files.get(&anchor.path, anchor.side).filter(|lines| lines.complete());
    if let Some((range, lines)) = anchor.line_start.zip(anchor.line_end).zip(whole) {
        (anchor.line_start, anchor.line_end) = clip(range, lines).unzip();
        if anchor.line_start.is_none() {
            (anchor.state, anchor.in_change) = (AnchorState::File, false);
        }
    }
    if finding.fix.is_some() {
        finding.fix = checked_fix(&finding.content, &mut finding.anchor, files);
    }
}

/// Returns the suggested patch as a fix where it applies. Otherwise adds a note with the reason.
pub(crate) fn checked_fix(finding: &AgentFinding, anchor: &mut Anchor, files: &Files) -> Option<Fix> {
    let patch = finding.suggested_patch.as_ref()?;
    let given = (finding.line_start.min(finding.line_end), finding.line_start.max(finding.line_end));
    let is_nowhere = anchor.notes.iter().any(|note| note == QUOTE_NOWHERE);
    let has_quote = finding.quote.as_deref().is_some_and(|quote| !quote.trim().is_empty());
    let is_one_of_several = has_quote && anchor.state == AnchorState::Unverified;
    let checked = match patch.format {
        PatchFormat::Replacement if is_nowhere => Err(QUOTE_NOWHERE.to_owned()),
        PatchFormat::Replacement if is_one_of_several || !has_length(anchor, given) => {
            Err("the lines that it replaces are not certain".to_owned())
        }
        _ => patch::check(patch, anchor, files),
    };
    checked.map_err(|reason| anchor.notes.push(format!("the suggested patch does not apply: {reason}"))).ok()
}

/// Returns whether an anchor has as many lines as the agent named. An agent that names no lines means those of its quote.
fn has_length(anchor: &Anchor, (from, to): (u32, u32)) -> bool {
    let given = if from == 0 { u32::from(to > 0) } else { (to - from).saturating_add(1) };
    let placed = anchor.line_start.zip(anchor.line_end).map(|(start, end)| end.saturating_sub(start).saturating_add(1));
    given == 0 || placed.is_none_or(|placed| placed == given)
}

/// Returns the file of the change that has the same path and this side. A file that becomes a link is deleted and added.
fn of_side(change: &Change, index: usize, side: Side) -> usize {
    let path = change.files[index].path();
    let has = |file: &FileChange| if side == Side::New { file.new_path.is_some() } else { file.old_path.is_some() };
    let same = change.files.iter().position(|file| file.path() == path && has(file));
    if has(&change.files[index]) { index } else { same.unwrap_or(index) }
}

/// Returns the anchor of one finding.
pub fn place(finding: &AgentFinding, change: &Change, files: &Files) -> Anchor {
    place_in(finding, &Lookup::new(change, files))
}

pub(crate) fn place_in(finding: &AgentFinding, lookup: &Lookup<'_>) -> Anchor {
    let mut anchor = Anchor {
        state: AnchorState::Unplaced,
        path: finding.path.clone(),
        side: finding.side.unwrap_or_default(),
        line_start: None,
        line_end: None,
        in_change: false,
        notes: Vec::new(),
    };
    let index = match lookup.resolve(&finding.path) {
        Some(Resolved::Changed(index)) => Some(of_side(lookup.change, index, anchor.side)),
        Some(Resolved::Other(path)) => {
            anchor.path = path;
            None
        }
        None => {
            anchor.notes.push(format!("the file `{}` is neither in the change nor in its head", finding.path));
            return anchor;
        }
    };
    let file = index.map(|index| &lookup.change.files[index]);
    if let Some(file) = file {
        anchor.path = file.path().to_text().into_owned();
        if file.new_path.is_none() {
            anchor.side = Side::Old;
        }
    }
    if anchor.path != finding.path {
        anchor.notes.push(format!("the path was given as `{}`", finding.path));
    }
    anchor.state = AnchorState::File;

    let old_path = file.and_then(|file| file.old_path.as_ref()).map(|path| path.to_text().into_owned());
    let lines_of = |side: Side, path: &str| match side {
        Side::New => lookup.lines(side, path, index),
        Side::Old => lookup.lines(side, old_path.as_deref().unwrap_or(path), index),
    };
    let given_range = match (finding.line_start.min(finding.line_end), finding.line_start.max(finding.line_end)) {
        (_, 0) => None,
        (0, end) => Some((end, end)),
        range => Some(range),
    };
    if finding.line_end < finding.line_start && finding.line_end != 0 {
        anchor.notes.push("the first and last line were swapped".to_owned());
    }

    let quoted = finding.quote.as_deref().filter(|quote| !quote.trim().is_empty());
    if let Some(quoted) = quoted {
        let known: Vec<(Side, Arc<SideLines>)> = [anchor.side, other(anchor.side)]
            .into_iter()
            .filter_map(|side| Some((side, lines_of(side, &anchor.path)?)))
            .collect();
        let sides: Vec<(Side, &SideLines)> = known.iter().map(|(side, lines)| (*side, lines.as_ref())).collect();
        if let Some(found) = locate::find(quoted, &sides, given_range) {
            let lines = sides.iter().find(|(side, _)| *side == found.side).map(|(_, lines)| *lines);
            set_found(&mut anchor, finding, found, given_range, lines);
            set_in_change(&mut anchor, file);
            return anchor;
        }
        anchor.notes.push(QUOTE_NOWHERE.to_owned());
    }

    if let (Some(range), Some(lines)) = (given_range, lines_of(anchor.side, &anchor.path)) {
        match clip(range, &lines) {
            Some(clipped) => {
                if clipped != range {
                    anchor.notes.push(format!("the lines were given as {}", range_text(range.0, range.1, anchor.side)));
                }
                anchor.state = AnchorState::Unverified;
                set_range(&mut anchor, clipped);
                set_in_change(&mut anchor, file);
            }
            None => anchor.notes.push(format!(
                "{}: {}",
                range_text(range.0, range.1, anchor.side),
                if lines.complete() { "not in the file" } else { "not visible here" }
            )),
        }
    }
    anchor
}

/// Sets the place of a quote that was found.
fn set_found(
    anchor: &mut Anchor,
    finding: &AgentFinding,
    found: FoundQuote,
    given: Option<(u32, u32)>,
    lines: Option<&SideLines>,
) {
    let (start, end) = found.range;
    // The quote may be a part of the lines that are meant. If it only touches them, the agent miscounted.
    let named = given.filter(|(from, to)| *from <= start && end <= *to && found.side == anchor.side);
    let clipped = named.zip(lines).and_then(|(named, lines)| clip(named, lines));
    let replacement = finding.suggested_patch.as_ref().filter(|patch| patch.format == PatchFormat::Replacement);
    let is_shifted = clipped.zip(replacement).zip(lines).is_some_and(|((named, patch), lines)| {
        named != found.range && patch::repeats_neighbours(&patch.content, named, lines)
    });
    if named.is_some() && !is_shifted {
        anchor.state = AnchorState::Verified;
        set_range(anchor, clipped.unwrap_or(found.range));
    } else {
        anchor.state = AnchorState::Moved;
        anchor.notes.push(match given {
            Some((from, to)) => {
                format!("the agent gave the place of the quoted code as {}", range_text(from, to, anchor.side))
            }
            None => "placed by the quoted code".to_owned(),
        });
        anchor.side = found.side;
        set_range(anchor, found.range);
    }
    if !found.is_certain {
        anchor.state = AnchorState::Unverified;
    }
    anchor.notes.extend(found.notes);
}

fn other(side: Side) -> Side {
    match side {
        Side::New => Side::Old,
        Side::Old => Side::New,
    }
}

fn range_text(start: u32, end: u32, side: Side) -> String {
    let side = if side == Side::Old { " before the change" } else { "" };
    if start == end { format!("line {start}{side}") } else { format!("lines {start} to {end}{side}") }
}

fn set_range(anchor: &mut Anchor, (start, end): (u32, u32)) {
    anchor.line_start = Some(start);
    anchor.line_end = Some(end);
}

/// Returns the part of a range that exists. Where only hunks are known, these are the lines that one of them contains.
fn clip((start, end): (u32, u32), lines: &SideLines) -> Option<(u32, u32)> {
    if lines.complete() {
        return (start <= lines.last()).then(|| (start, end.min(lines.last())));
    }
    let mut inside = lines.lines.range(start..=end).map(|(number, _)| *number);
    let first = inside.next()?;
    // Stop at the first gap: a range must not contain unknown lines.
    let last = inside.zip(first + 1..).take_while(|(number, expected)| number == expected).last();
    Some((first, last.map_or(first, |(number, _)| number)))
}

/// Sets whether the change contains the last line of an anchor.
pub(crate) fn mark_in_change(anchor: &mut Anchor, lookup: &Lookup<'_>) {
    let file = match lookup.resolve(&anchor.path) {
        Some(Resolved::Changed(index)) => Some(&lookup.change.files[index]),
        _ => None,
    };
    set_in_change(anchor, file);
}

fn set_in_change(anchor: &mut Anchor, file: Option<&diffsan_change::FileChange>) {
    let contains = |hunk: &Hunk, last: u32| {
        let (start, count) = match anchor.side {
            Side::New => (hunk.new_start, hunk.new_lines),
            Side::Old => (hunk.old_start, hunk.old_lines),
        };
        (start..start.saturating_add(count)).contains(&last)
    };
    anchor.in_change =
        file.zip(anchor.line_end).is_some_and(|(file, last)| file.hunks().iter().any(|hunk| contains(hunk, last)));
}

#[cfg(test)]
mod tests;
