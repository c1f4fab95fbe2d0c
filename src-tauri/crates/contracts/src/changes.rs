//! Words by which a sentence is about what a change does: "in this change", "that were not read before".
//!
//! In: the words of a sentence. Out: the words without them.

use crate::grammar::{GRAMMAR, Word};

/// Words for the time before a change.
const BEFORE: &[&str] = &["already", "before", "previously", "today", "now", "yet", "currently"];
/// Words that deny what follows.
const NOT: &[&str] = &["not", "never", "didn't", "wasn't", "weren't", "hadn't", "doesn't", "don't", "isn't", "aren't"];
/// Words before a change.
const TOWARDS: &[&str] = &["in", "by", "with", "of", "from", "within", "through"];
/// Words that tell apart one change from others.
const THIS: &[&str] = &["this", "the", "that", "these", "our", "my"];
/// Words of a change that are no requests of HTTP.
const REQUESTS: &[&str] = &["request", "requests"];

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

/// Returns the number of such words that begin at a word.
fn length(words: &[Word], at: usize) -> Option<usize> {
    let rest = words.get(at..)?;
    let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
    let part = &rest[..end];
    let first = part.first().filter(|_| at > 0)?;
    let is = |at: usize, all: &[&str]| part.get(at).is_some_and(|word| word.is_one_of(all));
    let tells_time = |part: &[Word]| part.iter().any(|word| word.is_one_of(BEFORE));
    let denies = |part: &[Word]| part.iter().any(|word| word.is_one_of(NOT));
    // "In this change", "by the new code"
    if first.is_one_of(TOWARDS) && is(1, THIS) {
        let is_pull = is(2, &["pull", "merge"]) && is(3, REQUESTS);
        let is_change = part.get(2).is_some_and(|word| word.is_in(&GRAMMAR.additions.changes)) && !is(2, REQUESTS);
        let is_new = is(2, &["new", "added"]) && is(3, &["code", "lines"]);
        return if is_change { Some(3) } else { (is_pull || is_new).then_some(4) };
    }
    // "Beyond what the installer did before", "than today", "compared with the current state"
    let compares = first.is("beyond") || first.is("compared") && is(1, &["with", "to"]) || first.is("than");
    if compares && tells_time(part) {
        return Some(end);
    }
    if first.is("in") && is(1, &["new", "additional", "further"]) && is(2, &["ways", "places", "way", "place"]) {
        return Some(3);
    }
    // "That the server did not already call", "which were not there before"
    let is_relative = first.is_one_of(&["that", "which"]) && denies(part) && tells_time(part);
    // "May be read that were not read before" is a sentence of its own only behind its verb.
    let has_predicate = (1..part.len())
        .any(|start| GRAMMAR.predicate(part, start).is_some_and(|mark| !denies(&part[mark.start..mark.end])));
    (is_relative && !has_predicate).then_some(end)
}
