//! Words by which a sentence is about what a change does: "in this change", "that were not read before".
//!
//! In: the words of a sentence. Out: the words without them.

use crate::grammar::{GRAMMAR, Word};

/// Words for the time before a change.
const BEFORE: &[&str] = &["already", "before", "previously", "today", "now", "yet", "currently"];
/// Words that deny what follows.
const NOT: &[&str] =
    &["not", "never", "didn't", "wasn't", "weren't", "hadn't", "doesn't", "don't", "isn't", "aren't", "hasn't"];
/// Words before a change.
const TOWARDS: &[&str] = &["in", "by", "with", "of", "from", "within", "through", "on", "to"];
/// Words that tell apart one change from others.
const THIS: &[&str] = &["this", "the", "that", "these", "our", "my"];
/// Words for what a change did to code.
const DONE: &[&str] = &["added", "changed", "introduced", "touched", "modified", "reworked", "extracted", "rewritten"];
/// The verbs of a change.
const ADDS: &[&str] = &["adds", "introduces", "brings", "changes", "touches", "contains", "makes", "does"];

/// Removes the words by which a sentence is about a change. Returns whether there were any.
pub(crate) fn take(words: &mut Vec<Word>) -> bool {
    let mut found = false;
    let mut at = 0;
    while at < words.len() {
        match length(words, at) {
            Some(length) => {
                words.drain(at..at + length);
                found = true;
            }
            None => at += 1,
        }
    }
    found
}

fn is(words: &[Word], at: usize, all: &[&str]) -> bool {
    words.get(at).is_some_and(|word| word.is_one_of(all))
}

/// Returns the number of words that name the change: "this change", "the pull request".
fn change(words: &[Word]) -> Option<usize> {
    const REQUESTS: &[&str] = &["request", "requests"];
    if !is(words, 0, THIS) {
        return None;
    }
    if is(words, 1, &["pull", "merge"]) && is(words, 2, REQUESTS) {
        return Some(3);
    }
    let is_change = words.get(1).is_some_and(|word| word.is_in(&GRAMMAR.additions.changes));
    (is_change && !is(words, 1, REQUESTS)).then_some(2)
}

/// Returns the number of words that name the code of the change: "what this PR adds", "the code added here", "the new code".
fn added_code(words: &[Word]) -> Option<usize> {
    let the = usize::from(is(words, 0, &["the", "any", "all"]));
    if is(words, the, &["new", "added"]) && is(words, the + 1, &["code", "lines"]) {
        return Some(the + 2);
    }
    let code = the + usize::from(is(words, the, &["code", "lines"]));
    if code > the && is(words, code, DONE) && is(words, code + 1, &["here"]) {
        return Some(code + 2);
    }
    let start = code + usize::from(is(words, code, &["that", "which", "what"]));
    let length = change(words.get(start..)?).filter(|_| start > the)?;
    is(words, start + length, ADDS).then_some(start + length + 1)
}

/// Returns the number of words about a change that begin at a word.
fn length(words: &[Word], at: usize) -> Option<usize> {
    let rest = words.get(at..)?;
    let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
    let part = &rest[..end];
    let first = part.first().filter(|_| at > 0)?;
    let is_part_of = is(part, 0, &["as"]) && is(part, 1, &["part"]) && is(part, 2, &["of"]);
    let skipped = if is_part_of { 3 } else { usize::from(first.is_one_of(TOWARDS)) };
    if skipped > 0
        && let Some(length) = change(&part[skipped..]).or_else(|| added_code(&part[skipped..]))
    {
        return Some(skipped + length);
    }
    // "Calls that this change introduces", "nothing added here", "the check that is being added"
    if first.is_one_of(&["that", "which"])
        && let Some(length) = change(&part[1..]).filter(|length| is(part, 1 + length, ADDS))
    {
        return Some(length + 2);
    }
    if first.is_one_of(DONE) && is(part, 1, &["here"]) {
        return Some(2);
    }
    let being = if first.is_one_of(&["that", "which"]) && is(part, 1, &["is", "are"]) { 2 } else { 0 };
    if is(part, being, &["being"]) && is(part, being + 1, DONE) {
        return Some(being + 2);
    }
    // "The added step"
    if first.is_one_of(DONE) && words[at - 1].is_in(&GRAMMAR.determiners) && part.len() > 1 {
        return Some(1);
    }
    let tells_time = |part: &[Word]| part.iter().any(|word| word.is_one_of(BEFORE));
    let denies = |part: &[Word]| part.iter().any(|word| word.is_one_of(NOT));
    // "Beyond what the installer did before", "than today", "more than it did", "compared with the current state"
    let compares = first.is("beyond") || first.is("compared") && is(part, 1, &["with", "to"]) || first.is("than");
    let is_past = part.last().is_some_and(|word| word.is_one_of(&["did", "had", "was", "were"]));
    if compares && (tells_time(part) || is_past) {
        return Some(end);
    }
    if first.is("in")
        && is(part, 1, &["new", "additional", "further"])
        && is(part, 2, &["ways", "places", "way", "place"])
    {
        return Some(3);
    }
    // "That the server did not already call", "which were not there before"
    let is_relative = first.is_one_of(&["that", "which", "where"]) && denies(part) && tells_time(part);
    // "May be read that were not read before" is a sentence of its own only behind its verb.
    let has_predicate = (1..part.len())
        .any(|start| GRAMMAR.predicate(part, start).is_some_and(|mark| !denies(&part[mark.start..mark.end])));
    (is_relative && !has_predicate).then_some(end)
}
