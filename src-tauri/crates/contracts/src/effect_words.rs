//! Puts the words of an effect in order, with the verb first: `written files` of "files must not be written", `use network access` of "no
//! network access".

use crate::grammar::{GRAMMAR, Word, begins, is, text_of, trimmed};
use crate::vocabulary::Vocabulary;
use crate::wording::base_forms;

/// Words that say that what the subject names happens.
const HAPPENS: &[&str] = &[
    "happen",
    "occur",
    "exist",
    "take place",
    "be allowed",
    "be permitted",
    "be possible",
    "be present",
    "be made",
    "be acceptable",
];
/// Verbs before what they bring about.
const CAUSES: &[&str] = &[
    "cause",
    "trigger",
    "result",
    "lead",
    "involve",
    "require",
    "contain",
    "include",
    "introduce",
    "add",
    "gain",
    "acquire",
];

/// Words for code with effects that a change can add.
const THINGS: &[&str] = &[
    "anything",
    "something",
    "code",
    "logic",
    "function",
    "method",
    "class",
    "module",
    "call",
    "step",
    "script",
    "command",
    "job",
    "task",
    "test",
    "feature",
    "functionality",
    "component",
    "service",
    "handler",
    "statement",
    "line",
    "workflow",
    "instruction",
    "file",
    "behavior",
    "behaviour",
];
/// Words between such a thing and its verb.
const MODALS: &[&str] = &["can", "may", "could", "will", "would", "might"];
/// The maximum number of words before "that".
const MAX_NOUN: usize = 4;

fn texts(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

fn with_verb(verb: &str, words: &[Word]) -> Vec<String> {
    std::iter::once(verb.to_owned()).chain(texts(words)).collect()
}

/// Returns the words of the effect of a clause with a verb. `has_be` means that a participle is passive.
pub(crate) fn effect_words(vocabulary: &Vocabulary, subject: &[Word], rest: &[Word], has_be: bool) -> Vec<String> {
    let skipped = rest.iter().take_while(|word| word.is_in(&GRAMMAR.adverbs)).count();
    let rest = without_scope(&rest[skipped..]);
    let subject = without_scope(subject);
    if let Some(count) = ["be able to", "become able to", "be allowed to", "be permitted to", "be possible to"]
        .iter()
        .find_map(|able| begins(rest, able))
    {
        return texts(&rest[count..]);
    }
    if subject.first().is_some_and(|word| word.is("there")) && is(rest, 0, &["be"]) && rest.len() > 1 {
        return noun_words(vocabulary, &rest[1..]);
    }
    let happens = HAPPENS.iter().any(|words| begins(rest, words) == Some(rest.len()));
    if !subject.is_empty() && (happens || rest.is_empty()) {
        return noun_words(vocabulary, subject);
    }
    if has_be {
        return passive(subject, rest);
    }
    let names = |words: &[String]| {
        words.split_first().is_some_and(|(verb, rest)| vocabulary.names_effect(verb, &rest.join(" ")))
    };
    match rest.first() {
        // "Must not get new dependencies" is no passive.
        Some(first)
            if first.is_one_of(&["be", "get"]) && rest.len() > 1 && !rest[1].is_in(&GRAMMAR.additions.words) =>
        {
            passive(subject, &rest[1..])
        }
        Some(first) if first.is("have") && rest.len() > 1 => {
            let any = usize::from(is(rest, 1, &["any"]));
            if is(rest, 1 + any, &["access"]) { texts(&rest[1 + any..]) } else { noun_words(vocabulary, &rest[1..]) }
        }
        Some(first) if first.is_one_of(CAUSES) && rest.len() > 1 => {
            if let Some(found) = does(vocabulary, rest) {
                return found;
            }
            let skipped = 1 + usize::from(is(rest, 1, &["in", "to"]));
            let noun = noun_words(vocabulary, &rest[skipped..]);
            if names(&texts(rest)) && !names(&noun) { texts(rest) } else { noun }
        }
        Some(_) if begins(rest, "make use of").is_some() => with_verb("use", &rest[3..]),
        // "Avoid global state" has no verb of its own.
        _ => {
            let is_noun = !names(&texts(rest)) && vocabulary.is_resource(&text_of(rest));
            if is_noun { noun_words(vocabulary, rest) } else { texts(rest) }
        }
    }
}

/// Returns the words of the effect that added code has: `write files` of "add code that writes files".
fn does(vocabulary: &Vocabulary, words: &[Word]) -> Option<Vec<String>> {
    let that =
        words.iter().position(|word| word.is_one_of(&["that", "which"])).filter(|at| (1..=MAX_NOUN).contains(at))?;
    let is_thing = |word: &Word| base_forms(&word.lower).iter().any(|form| THINGS.contains(&form.as_str()));
    let clause = &words[that + 1..];
    let skipped = clause.iter().take_while(|word| word.is_one_of(MODALS) || word.is_in(&GRAMMAR.adverbs)).count();
    let (verb, rest) = clause.get(skipped..)?.split_first().filter(|_| is_thing(&words[that - 1]))?;
    let base = base_forms(&verb.lower).into_iter().find(|form| vocabulary.names_effect(form, &text_of(rest)))?;
    Some(std::iter::once(base).chain(texts(rest)).collect())
}

/// Returns the words of an effect in the passive: `written files` of "files must not be written".
fn passive(subject: &[Word], rest: &[Word]) -> Vec<String> {
    let Some((verb, after)) = rest.split_first() else { return Vec::new() };
    let subject: Vec<Word> =
        subject.iter().filter(|word| !word.is_one_of(&["all", "any", "every", "each", "the"])).cloned().collect();
    let end = after.iter().position(|word| word.is("by")).unwrap_or(after.len());
    with_verb(&verb.text, &[&subject, &after[..end]].concat())
}

/// Returns the words of an effect that a noun names: `use network access`. The verb in "access to the network" is found later.
pub(crate) fn noun_words(vocabulary: &Vocabulary, words: &[Word]) -> Vec<String> {
    let is_small = |word: &&Word| !word.is_one_of(&["any", "all", "every", "each", "whatsoever", "direct"]);
    let words: Vec<Word> = words.iter().filter(is_small).cloned().collect();
    let use_of = ["use of", "the use of", "usage of", "the usage of"].iter().find_map(|phrase| begins(&words, phrase));
    let words = &absent(use_of.map_or(&words[..], |count| &words[count..]))[..];
    let Some(first) = words.first() else { return Vec::new() };
    // "No new commands that start containers"
    if let Some(found) = does(vocabulary, words) {
        return found;
    }
    let is_gerund = first.lower.ends_with("ing") && words.len() > 1 && !vocabulary.is_neutral(&first.lower);
    let rest = text_of(&words[1..]);
    let is_verb = vocabulary.is_verb_form(&first.lower)
        && !vocabulary.is_resource(&first.lower)
        && vocabulary.names_effect(&first.lower, &rest);
    if is_gerund || is_verb { texts(words) } else { with_verb("use", words) }
}

/// Returns the words of something that is absent: `network access` of "network access is allowed", `sent email` of "email is sent".
fn absent(words: &[Word]) -> Vec<Word> {
    let words = without_scope(words);
    let is_verb = |at: &usize| {
        *at > 0 && is(words, *at, &["is", "are", "gets", "get"]) && !is(words, *at - 1, &["that", "which", "who"])
    };
    let Some(at) = (0..words.len()).find(is_verb) else { return words.to_vec() };
    let (thing, rest) = (without_scope(&words[..at]), &words[at + 1..]);
    let skipped = rest.iter().take_while(|word| word.is_in(&GRAMMAR.adverbs)).count();
    let rest = &rest[skipped..];
    if rest.is_empty() || is(rest, 0, &["allowed", "permitted", "made", "possible", "acceptable", "needed", "used"]) {
        return thing.to_vec();
    }
    [&rest[..1], thing, &rest[1..]].concat()
}

/// Returns whether a subject means no one, as in "Nothing here", "None of the handlers" and "No other programs", and the subject without
/// the words that say so.
pub(crate) fn without_none(subject: &[Word]) -> (bool, &[Word]) {
    let skipped = match subject.first() {
        Some(first) if first.is_one_of(&["nothing", "nobody", "no-one", "noone", "nowhere"]) => 1,
        Some(first) if first.is("no") && is(subject, 1, &["one"]) || first.is("none") && is(subject, 1, &["of"]) => 2,
        Some(first) if first.is("not") && is(subject, 1, &["a", "one", "any"]) => 2,
        Some(first) if first.is_one_of(&["none", "neither", "no"]) => 1,
        _ => return (false, subject),
    };
    (true, trimmed(&subject[skipped..]))
}

/// Returns words without those at the end that only name the code that the contract is about: "from here", "in this package".
fn without_scope(words: &[Word]) -> &[Word] {
    let end = words.len();
    let at = |back: usize| end.checked_sub(back).and_then(|at| words.get(at));
    let is_towards =
        |back: usize| at(back).is_some_and(|word| word.is_one_of(&["in", "from", "by", "within", "inside"]));
    let is_at = |back: usize, all: &[&str]| at(back).is_some_and(|word| word.is_one_of(all));
    let count =
        if is_towards(3) && is_at(2, &["this", "our", "the"]) && at(1).is_some_and(|word| word.is_in(&GRAMMAR.generic))
        {
            3
        } else if is_towards(2) && is_at(1, &["here", "it"]) {
            2
        } else if is_at(1, &["here", "anywhere"]) {
            1
        } else {
            return words;
        };
    if count == end { words } else { without_scope(&words[..end - count]) }
}
