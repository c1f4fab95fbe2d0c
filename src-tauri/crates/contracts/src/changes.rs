//! Words by which a sentence is about what a change does: "in this change", "that were not read before".
//!
//! In: the words of a sentence. Out: the words without them.

use crate::grammar::{GRAMMAR, Word, is};

/// Words that deny what follows.
const NOT: &[&str] =
    &["not", "never", "didn't", "wasn't", "weren't", "hadn't", "doesn't", "don't", "isn't", "aren't", "hasn't"];
/// Words before a change.
const TOWARDS: &[&str] = &["in", "by", "with", "within", "through"];
/// The changes that "the" names as well as "this": files can be in a branch, a patch or a release.
const CHANGES: &[&str] = &["change", "changes", "pr", "mr", "refactoring"];
/// Participles of the verbs of a change.
const DONE: &[&str] = &["added", "changed", "introduced", "touched", "modified", "reworked", "extracted", "rewritten"];
/// The verbs of a change.
const ADDS: &[&str] = &["adds", "introduces", "brings", "changes", "touches"];
/// The maximum number of words that compare with the time before.
const MAX_COMPARISON: usize = 8;

/// The questions of a sentence about a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asks {
    /// Whether the sentence is about what a change adds.
    pub(crate) additions: bool,
    /// Whether it compares the things that code uses with those of before: "files that were not read before".
    pub(crate) things: bool,
}

/// Removes the words by which a sentence is about a change.
pub(crate) fn take(words: &mut Vec<Word>) -> Asks {
    let mut asks = Asks::default();
    let mut at = 0;
    while at < words.len() {
        let (length, things) = match about_change(words, at) {
            Some(length) => (length, false),
            None => (compared(words, at).unwrap_or(0), true),
        };
        if length == 0 {
            at += 1;
            continue;
        }
        words.drain(at..at + length);
        asks = Asks { additions: true, things: asks.things || things };
    }
    asks
}

/// Returns the number of words that name the change: "this change", "the pull request".
fn change(words: &[Word]) -> Option<usize> {
    const REQUESTS: &[&str] = &["request", "requests"];
    let is_this = is(words, 0, &["this", "these"]);
    if !is_this && !is(words, 0, &["the"]) {
        return None;
    }
    let length = if is(words, 1, &["pull", "merge"]) && is(words, 2, REQUESTS) {
        3
    } else {
        let is_change = words.get(1).is_some_and(|word| word.is_in(&GRAMMAR.additions.changes)) && is_this;
        (is_change && !is(words, 1, REQUESTS) || is(words, 1, CHANGES)).then_some(2)?
    };
    // "The change event", "the commit hook"
    let ends = |word: &Word| word.is_joint() || word.is_one_of(ADDS) || word.is_one_of(&["to", "in", "for"]);
    let is_end = words.get(length).is_none_or(ends) || GRAMMAR.predicate(words, length).is_some();
    is_end.then_some(length)
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

/// Returns the part of a sentence that begins at a word, which is not the first one.
fn part(words: &[Word], at: usize) -> Option<&[Word]> {
    let rest = words.get(at..).filter(|rest| at > 0 && !rest.is_empty())?;
    let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Returns the number of words that name a change, and begin at a word.
fn about_change(words: &[Word], at: usize) -> Option<usize> {
    let part = part(words, at)?;
    let first = part.first()?;
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
    // "The added step must not", but not "the added records"
    let is_code = |word: &Word| word.is_in(&GRAMMAR.nouns) || word.is_in(&GRAMMAR.roles);
    let is_subject = !(0..at).any(|start| GRAMMAR.predicate(words, start).is_some());
    let is_adjective = first.is_one_of(DONE) && words[at - 1].is_in(&GRAMMAR.determiners);
    if is_adjective && is_subject && part.iter().skip(1).take(2).any(is_code) {
        return Some(1);
    }
    // "In new ways"
    let is_new = is(part, 1, &["new", "additional", "further"]) && is(part, 2, &["ways", "places", "way", "place"]);
    (first.is("in") && is_new && part.len() == 3).then_some(3)
}

/// Returns the number of words that compare with the time before the change, and begin at a word. They end the sentence.
fn compared(words: &[Word], at: usize) -> Option<usize> {
    let part = part(words, at).filter(|part| at + part.len() == words.len() && part.len() <= MAX_COMPARISON)?;
    let last = part.last()?;
    let is_before = last.is_one_of(&["before", "previously", "today", "now"]);
    if part.iter().any(Word::is_joint) {
        return None;
    }
    // "Beyond what the installer did before", "than it did", "compared with today"
    let is_past = last.is_one_of(&["did", "had", "was", "were"]);
    let is_other = words[at - 1].is("other");
    let compares =
        is(part, 0, &["beyond", "than"]) && !is_other || is(part, 0, &["compared"]) && is(part, 1, &["with", "to"]);
    let has_predicate = (1..part.len()).any(|start| {
        GRAMMAR
            .predicate(part, start)
            .is_some_and(|mark| !part[mark.start..mark.end].iter().any(|word| word.is_one_of(NOT)))
    });
    if compares && (is_before || is_past) && !has_predicate {
        return Some(part.len());
    }
    // "That were not read before", "that the server did not already call"
    let denies = part.iter().any(|word| word.is_one_of(NOT));
    let of_code = is(part, 1, &["the", "this", "our"])
        && part.get(2).is_some_and(|word| {
            word.is_in(&GRAMMAR.nouns) || word.is_in(&GRAMMAR.roles) || word.is_in(&GRAMMAR.generic)
        })
        && is(part, 3, &["did", "does", "had", "didn't", "doesn't"])
        && part.iter().any(|word| word.is("already"));
    (is(part, 0, &["that", "which", "where"]) && denies && (is_before || of_code) && !has_predicate)
        .then_some(part.len())
}
