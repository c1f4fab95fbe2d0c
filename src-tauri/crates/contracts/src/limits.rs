//! Finds the code that a clause is about, and the code that it does not hold for.
//!
//! In: a clause. Out: the clause without the words that name code, and the names.

use crate::clauses::Clause;
use crate::code_names::{CodeName, is_file, is_general, is_like_code, names};
use crate::contract::Modal;
use crate::grammar::{Form, GRAMMAR, Word, longest, text_of, trimmed};
use crate::used_names::IMPORTING;
use crate::vocabulary::Vocabulary;
use crate::wording::singulars;

/// The code that a clause is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Whether an "only" stands in the clause, and before its subject.
    pub(crate) only: Option<bool>,
    /// Whether nothing but the exceptions may have the effect.
    pub(crate) is_exclusive: bool,
    /// The code that the clause is about, as far as it is not its subject.
    pub(crate) places: Vec<CodeName>,
    /// The code that the clause does not hold for.
    pub(crate) exceptions: Vec<CodeName>,
}

impl Limits {
    /// Takes the names out of a clause.
    pub(crate) fn take(clause: &mut Clause, vocabulary: &Vocabulary) {
        take_exceptions(clause, vocabulary);
        match clause.form {
            Form::Confined => return confine(clause),
            Form::Sole => return only_subject(clause),
            _ => {}
        }
        match clause.limits.only {
            Some(true) => {
                clause.limits.is_exclusive = true;
                let subject = std::mem::take(&mut clause.before);
                clause.limits.exceptions.extend(names(&subject));
            }
            Some(false) => {
                clause.limits.is_exclusive = true;
                if let Some((start, found)) = last_place(&clause.after, |word, part| {
                    word.is_one_of(&["by", "through", "via"]) && !names(part).is_empty()
                        || !word.is("to") && is_place(vocabulary, part)
                }) {
                    clause.after.truncate(start);
                    clause.limits.exceptions.extend(found);
                }
            }
            None => take_places(clause, vocabulary),
        }
    }
}

/// "All HTTP goes through `client.py`"
fn confine(clause: &mut Clause) {
    let start = clause.before.iter().take_while(|word| word.is_in(&GRAMMAR.determiners)).count();
    clause.before.drain(..start);
    // "Code that sends email must live in `mail/`"
    let relative = clause.before.iter().position(|word| word.is("that") || word.is("which"));
    if let Some(at) = relative.filter(|at| is_general(&clause.before[..*at])) {
        clause.before.drain(..=at);
    }
    let is_thing = |word: &Word| singulars(&word.lower).iter().any(|one| GRAMMAR.things.contains(one));
    let is_thing = clause.before.iter().all(is_thing);
    let after = std::mem::take(&mut clause.after);
    let found = names(&after);
    let is_named = is_like_code(&after) || after.last().is_some_and(|word| word.is_in(&GRAMMAR.roles));
    // "Files live in `src/`" only describes.
    clause.is_description = clause.before.is_empty() || found.is_empty() || clause.is_weak && (is_thing || !is_named);
    clause.limits.exceptions.extend(found);
    clause.limits.is_exclusive = true;
    clause.form = Form::Before;
    clause.modal = Modal::May;
}

/// "`client.py` is the only module that makes HTTP requests", "… the only place from which mail is sent"
fn only_subject(clause: &mut Clause) {
    const RELATIVE: &[&str] =
        &["that", "which", "who", "where", "from", "to", "allowed", "permitted", "with", "may", "can", "is", "through"];
    let relative = |word: &Word| word.is_one_of(RELATIVE);
    let start = clause.after.iter().position(relative).unwrap_or(clause.after.len());
    let skipped = clause.after[start..].iter().take_while(|word| relative(word)).count();
    let rest = clause.after.split_off(start + skipped);
    let be = rest.iter().position(|word| word.is_one_of(&["is", "are", "be"])).filter(|at| *at > 0);
    let exclusive = std::mem::take(&mut clause.before);
    clause.limits.exceptions.extend(names(&exclusive));
    clause.limits.is_exclusive = true;
    clause.form = Form::Verb;
    clause.modal = Modal::May;
    clause.has_be = false;
    let (before, after) = rest.split_at(be.unwrap_or(0));
    clause.before = before.to_vec();
    clause.after = after.to_vec();
    if let Some(first) = clause.after.first_mut().filter(|_| be.is_some()) {
        *first = Word::new("be");
    }
}

/// Takes out "except in `app.py`" and the like.
fn take_exceptions(clause: &mut Clause, vocabulary: &Vocabulary) {
    let is_none = clause.before.first().is_some_and(|word| word.is_in(&GRAMMAR.none));
    let marker = |words: &[Word], at: usize| -> Option<usize> {
        // "Requests to outside services"
        let is_adjective = words[at].is("outside")
            && match at.checked_sub(1) {
                Some(before) => words[before].is_one_of(&["to", "from", "with", "of", "any", "an"]),
                None => is_resource(vocabulary, &words[1..]),
            };
        let count = longest(&words[at..], &GRAMMAR.exceptions).filter(|_| !is_adjective);
        let is_but = words[at].is("but") && (is_none || at > 0 && words[at - 1].is_in(&GRAMMAR.none));
        count.or_else(|| is_but.then_some(1))
    };
    if let Some((at, count)) = (0..clause.before.len()).find_map(|at| Some((at, marker(&clause.before, at)?))) {
        let found = names(skip_places(&clause.before[at + count..]).1);
        clause.before.truncate(at);
        clause.limits.exceptions.extend(found);
    }
    for at in 0..clause.after.len() {
        let Some(count) = marker(&clause.after, at) else { continue };
        let rest = &clause.after[at + count..];
        let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
        let (has_place, part) = skip_places(&rest[..end]);
        let is_means = |at: usize| {
            clause.after.get(at).is_some_and(|word| word.is_one_of(&["through", "via", "using", "bypassing"]))
        };
        let is_through = is_means(at + count - 1) || is_means(at + count);
        let part = if is_means(at + count) { &rest[1..end.max(1)] } else { part };
        let is_path = clause.after[at].is("outside") && has_folder(part);
        if is_through
            || !is_path
                && (has_place && !names(part).is_empty() || is_place(vocabulary, part))
                && !is_resource(vocabulary, part)
        {
            let found = names(part);
            clause.after.drain(at..at + count + end);
            clause.after = trimmed(&clause.after).to_vec();
            clause.limits.exceptions.extend(found);
            return;
        }
    }
}

/// Returns whether words name a folder for files, not one with code: "the temporary folder".
fn has_folder(words: &[Word]) -> bool {
    let is_folder = |word: &Word| word.is_one_of(&["folder", "directory"]);
    !words.iter().any(|word| word.is_code) && words.last().is_some_and(is_folder)
}

/// Skips the words after which code is named. Returns whether there are any.
fn skip_places(words: &[Word]) -> (bool, &[Word]) {
    let mut rest = words;
    loop {
        let is_skipped =
            |word: &Word| word.is_in(&GRAMMAR.only) || word.is_one_of(&["when", "if", "it", "is", "going", "using"]);
        match longest(rest, &GRAMMAR.places).or_else(|| rest.first().filter(|word| is_skipped(word)).map(|_| 1)) {
            Some(count) => rest = &rest[count..],
            None => return (rest.len() < words.len(), rest),
        }
    }
}

/// Returns the last place that words end with: its start, and the names. `fits` is given its preposition and its name.
fn last_place(words: &[Word], fits: impl Fn(&Word, &[Word]) -> bool) -> Option<(usize, Vec<CodeName>)> {
    (0..words.len()).rev().find_map(|at| {
        let count = longest(&words[at..], &GRAMMAR.places)?;
        let part = trimmed(&words[at + count..]);
        (!part.is_empty() && fits(&words[at], part)).then(|| (at, names(part)))
    })
}

/// Takes out the code that a clause is only about: "no network calls in `core/`", "must not be deleted by jobs".
fn take_places(clause: &mut Clause, vocabulary: &Vocabulary) {
    let subject = names(&clause.before);
    let first = clause.after.first();
    let is_passive = clause.is_passive();
    let is_free = subject.is_empty() || is_passive || clause.form != Form::Verb;
    let is_all = clause.before.first().is_some_and(|word| word.is_one_of(&["all", "every", "any", "each"]));
    let is_demand = clause.modal.demands() && is_passive;
    let adds = first.is_some_and(|word| word.is_one_of(&["add", "introduce"]));
    let is_importing = !is_passive && first.is_some_and(|word| word.is_one_of(IMPORTING)) && clause.form == Form::Verb;
    let fits = |preposition: &Word, part: &[Word]| {
        let is = |words: &[&str]| preposition.is_one_of(words);
        let is_code = is_place(vocabulary, part);
        if is(&["by"]) {
            return is_passive && !names(part).is_empty() && !is_resource(vocabulary, part);
        }
        if is(&["through", "via"]) {
            return is_demand && is_code;
        }
        // An imported module is no place: "import from `db/`".
        if is_importing && is(&["from", "on", "in", "of"]) {
            return false;
        }
        if is(&["for", "at"]) {
            return clause.form == Form::Before && is_code;
        }
        if is(&["to"]) {
            return adds && (is_code || !names(part).is_empty() && !is_resource(vocabulary, part));
        }
        is_free && is_code
    };
    if let Some((start, found)) = last_place(&clause.after, fits) {
        // "All emails must be sent via the mailer" leaves only the mailer.
        let is_through = clause.after[start].is_one_of(&["through", "via"]);
        clause.after.truncate(start);
        if is_demand && (is_all || is_through) {
            clause.limits.exceptions.extend(found);
            clause.limits.is_exclusive = true;
        } else {
            clause.limits.places.extend(found);
        }
        return;
    }
    // "Executing SQL from templates is forbidden"
    if clause.form == Form::Before
        && let Some((start, found)) =
            last_place(&clause.before, |word, part| !word.is("to") && is_place(vocabulary, part))
    {
        clause.before.truncate(start);
        clause.limits.places.extend(found);
    }
    // "must use the client for all requests"
    let at = clause.after.iter().position(|word| word.is("for"));
    if let (true, Some(at)) = (clause.modal.demands() && first.is_some_and(|word| word.is("use")), at)
        && is_like_code(&clause.after[1..at])
    {
        let rest = clause.after.split_off(at);
        clause.before = rest[1..].to_vec();
        clause.after.remove(0);
        confine(clause);
    }
}

/// Returns whether words name code, and not something that effects are about.
pub(crate) fn is_place(vocabulary: &Vocabulary, words: &[Word]) -> bool {
    // "Requests to outside services" are no code of the project.
    let is_foreign =
        |word: &Word| word.is_one_of(&["outside", "external", "third-party", "remote", "foreign", "other"]);
    let is_role = words.last().is_some_and(|word| word.is_in(&GRAMMAR.roles)) && !words.iter().any(is_foreign);
    is_role || is_like_code(words) && !is_resource(vocabulary, words)
}

/// Returns whether words name something that effects are about: "the network", but not "the network layer".
fn is_resource(vocabulary: &Vocabulary, words: &[Word]) -> bool {
    let is_code = words.iter().any(|word| word.is_code || is_file(&word.text) || word.text.contains("::"));
    let is_thing = |word: &Word| singulars(&word.lower).iter().any(|one| GRAMMAR.things.contains(one));
    let is_noun = |word: &Word| word.is_in(&GRAMMAR.nouns) && !is_thing(word) || word.is_in(&GRAMMAR.roles);
    !is_code && !words.last().is_some_and(is_noun) && vocabulary.names_effect("use", &text_of(words))
}

/// Returns the first word from `start` on that is the verb of an effect. A name stands before it, unless it is the first word.
pub(crate) fn verb_at(words: &[Word], vocabulary: &Vocabulary, start: usize) -> Option<usize> {
    // "Classes in the output package": a noun.
    let is_noun = |at: usize| at > 0 && words[at - 1].is_one_of(&["the", "a", "an", "our", "its", "their", "this"]);
    let names_effect = |at: usize| {
        !words[at].is_code
            && !is_noun(at)
            && vocabulary.is_verb_form(&words[at].lower)
            && vocabulary.names_effect(&words[at].lower, &text_of(&words[at + 1..]))
    };
    let is_order = words.get(start).is_some_and(|word| !word.lower.ends_with('s'));
    if is_order && names_effect(start) {
        return Some(start);
    }
    let mut name = start;
    while let Some(word) = words.get(name) {
        let is_open = word.is_in(&GRAMMAR.determiners) || word.is_in(&GRAMMAR.none) || word.is("but");
        match longest(&words[name..], &GRAMMAR.exceptions).or_else(|| is_open.then_some(1)) {
            Some(count) => name += count,
            None => break,
        }
    }
    let is_no_one = name > start && words[name - 1].is_in(&GRAMMAR.none) && !words[name - 1].is("no");
    (name + usize::from(!is_no_one)..words.len()).find(|at| names_effect(*at))
}

/// Returns the end of a subject that stands before its verb, without a predicate between them: of "files be deleted".
pub(crate) fn subject_end(words: &[Word], vocabulary: &Vocabulary) -> usize {
    let be = words.iter().position(|word| word.is("be"));
    be.or_else(|| verb_at(words, vocabulary, 0)).unwrap_or(0)
}
