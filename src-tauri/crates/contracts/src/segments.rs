//! Prepares the words of a part of a sentence: removes what changes nothing, and completes what the part before it names.

use crate::grammar::{Form, GRAMMAR, Word, longest, text_of, trimmed};
use crate::vocabulary::Vocabulary;

/// Removes colons between a predicate and its verbs: "must not: send email".
pub(crate) fn without_colons(all: &[Word]) -> Vec<Word> {
    let is_end = |at: usize| {
        let predicates = (0..at).filter_map(|start| GRAMMAR.predicate(all, start));
        predicates.into_iter().any(|mark| mark.end == at && mark.form == Form::Verb)
    };
    let is_kept = |at: &usize| !all[*at].is(":") || !is_end(*at);
    (0..all.len()).filter(is_kept).map(|at| all[at].clone()).collect()
}

/// Returns words without the conditions that only people can meet.
pub(crate) fn without_conditions(words: &[Word]) -> Vec<Word> {
    // "Directly or through other classes" says what holds anyway.
    let is_either = |at: &usize| words[*at].is_one_of(&["directly", "indirectly"]) && words[*at + 1].is("or");
    if let Some(start) = (0..words.len().saturating_sub(1)).find(is_either) {
        let end = (start..words.len()).find(|at| words[*at].is_mark()).unwrap_or(words.len());
        return without_conditions(trimmed(&[&words[..start], &words[end..]].concat()));
    }
    let found = (0..words.len()).find_map(|at| Some((at, longest(&words[at..], &GRAMMAR.conditions)?)));
    match found {
        Some((at, count)) => trimmed(&[&words[..at], &words[at + count..]].concat()).to_vec(),
        None => words.to_vec(),
    }
}

/// Returns the last thing with effects that words name: `endpoints` of "new endpoints need a review".
pub(crate) fn last_things(words: &[Word], vocabulary: &Vocabulary) -> Option<Vec<Word>> {
    (1..=words.len().min(6)).rev().find_map(|count| {
        let mut parts = words.windows(count);
        parts
            .rfind(|part| !part.iter().any(|word| word.is_mark()) && vocabulary.is_resource(&text_of(part)))
            .map(<[Word]>::to_vec)
    })
}

/// Puts the things of the words before in the place of a word for them: "it must not add any", "none may be added".
pub(crate) fn with_things(mut words: Vec<Word>, things: &[Word]) -> Vec<Word> {
    let is_none = words.len() > 1 && words[0].is("none") && !words[1].is("of");
    let end = words.len().saturating_sub(1);
    let is_last = end > 0 && words[end].is_one_of(&["any", "one", "ones"]);
    if !things.is_empty() && is_none {
        words.splice(..1, std::iter::once(Word::new("no")).chain(things.iter().cloned()));
    } else if !things.is_empty() && is_last {
        words.splice(end.., things.iter().cloned());
    }
    words
}
