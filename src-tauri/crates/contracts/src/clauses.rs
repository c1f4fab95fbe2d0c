//! Cuts a sentence into clauses with one predicate each.
//!
//! In: the words of a sentence. Out: clauses. Which code they are about is `limits`' business, what their effects are `statements`'.

use crate::code_names::{CodeName, is_general, is_like_code, names};
use crate::contract::Modal;
use crate::grammar::{Form, GRAMMAR, Mark, Word, begins, longest, text_of, trimmed};
use crate::limits::{Limits, is_place, subject_end, verb_at};
use crate::segments::{last_things, with_things, without_colons, without_conditions};
use crate::statements::MAX_SUBJECT_WORDS;
use crate::vocabulary::Vocabulary;

/// A part of a sentence with one predicate.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) modal: Modal,
    /// The place of the effect: a verb or a noun in `after`, or in `before`.
    pub(crate) form: Form,
    pub(crate) is_weak: bool,
    /// Whether there are words of a predicate, not only an "only" before a verb.
    pub(crate) has_predicate: bool,
    /// Whether the predicate is written in capitals.
    pub(crate) is_upper: bool,
    /// Whether the predicate describes rather than allows: "will".
    pub(crate) is_description: bool,
    /// Whether a participle after the predicate is passive: "is never sent".
    pub(crate) has_be: bool,
    /// The verb of a noun that is denied: `makes` of "makes no requests".
    pub(crate) verb: Option<Word>,
    /// The words before the predicate.
    pub(crate) before: Vec<Word>,
    /// The words after it.
    pub(crate) after: Vec<Word>,
    pub(crate) limits: Limits,
}

impl Clause {
    /// Returns whether the words before the predicate are what something is done to.
    pub(crate) fn is_passive(&self) -> bool {
        self.has_be || self.after.first().is_some_and(|word| word.is("be"))
    }
}

/// Returns the clauses of a sentence.
pub(crate) fn clauses(all: &[Word], vocabulary: &Vocabulary) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    let all = without_colons(all);
    let mut things: Vec<Word> = Vec::new();
    let mut subject: Vec<Word> = Vec::new();
    for words in all.split(|word| word.is(";") || word.is(":")) {
        let skipped = words.iter().take_while(|word| word.is_in(&GRAMMAR.adverbs) || word.is_mark()).count();
        let words = with_things(without_conditions(&words[skipped..]), &things);
        things = last_things(&words, vocabulary).unwrap_or(things);
        let mut segment = Segment::new(vocabulary, words);
        segment.take_beginning();
        segment.take_only();
        // "Services own their interfaces; they must not import Kafka"
        let described = described_subject(&segment.words);
        let own = segment.clauses(&subject);
        subject = own.last().map(|last| last.before.clone()).or(described).unwrap_or(subject);
        found.extend(own);
    }
    share_objects(&mut found, vocabulary);
    for clause in &mut found {
        Limits::take(clause, vocabulary);
    }
    found
}

/// Returns the code that words without a predicate tell something about: "services" of "services own their interfaces".
fn described_subject(words: &[Word]) -> Option<Vec<Word>> {
    let is_code = |word: &Word| {
        word.is_in(&GRAMMAR.roles) || word.is_in(&GRAMMAR.nouns) || is_like_code(std::slice::from_ref(word))
    };
    let last = words.iter().take(MAX_SUBJECT_WORDS).position(is_code)?;
    (!words[..last].iter().any(Word::is_joint)).then(|| words[..=last].to_vec())
}

/// Completes clauses by their neighbours: "may read but never write files", "may read files but not write them", "others may not",
/// "may remove files but never folders".
fn share_objects(clauses: &mut [Clause], vocabulary: &Vocabulary) {
    let is_it = |word: &Word| word.is_one_of(&["them", "it", "those"]);
    for at in 1..clauses.len() {
        let (before, rest) = clauses.split_at_mut(at);
        let (Some(one), Some(next)) = (before.last_mut(), rest.first_mut()) else { continue };
        let object = match (one.form, one.is_passive()) {
            (Form::Verb, false) => one.after.get(1..),
            (Form::Before, _) => one.before.get(1..),
            _ => Some(one.before.as_slice()),
        };
        if let (Some(it), Some(object)) = (next.before.iter().position(is_it), object)
            && it > 0
        {
            next.before.splice(it..=it, object.iter().cloned());
        }
        if next.form != Form::Verb {
            continue;
        }
        // "May read the queue but must not publish to it"
        let at = next.after.iter().position(is_it).filter(|at| *at > 1 && *at + 1 == next.after.len());
        if let (Some(at), Some(things)) = (at, last_things(&one.after, vocabulary)) {
            next.after.splice(at.., things);
        }
        let is_verb = |word: &Word| vocabulary.is_verb_form(&word.lower) || word.is_one_of(&["be", "have", "do"]);
        let verb = one.after.first().filter(|verb| one.form == Form::Verb && !one.is_passive() && is_verb(verb));
        if let (Some(verb), true) =
            (verb, next.before == one.before && next.after.first().is_some_and(|word| !is_verb(word)))
            && vocabulary.is_resource(&text_of(&next.after))
        {
            next.after.insert(0, verb.clone());
        }
        if next.after.is_empty() {
            if next.before.iter().any(|word| word.is("else")) {
                next.limits.exceptions.extend(names(&one.before));
            }
            (next.form, next.after) = (one.form, one.after.clone());
        } else if one.form == Form::Verb && one.after.len() == 1 && next.after.len() > 1 {
            one.after.extend_from_slice(&next.after[1..]);
        } else if one.form == Form::Verb && next.after.get(1).is_some_and(is_it) {
            next.after.splice(1..2, one.after.iter().skip(1).cloned());
        }
    }
}

/// A part of a sentence between semicolons or colons.
struct Segment<'a> {
    vocabulary: &'a Vocabulary,
    words: Vec<Word>,
    /// The names of its beginning: "In `core/`, …", "Except for the mailer, …".
    places: Vec<CodeName>,
    exceptions: Vec<CodeName>,
    /// Whether it begins with "at no time" and the like.
    is_never: bool,
    /// The place of an "only" that was taken out.
    only: Option<usize>,
}

impl<'a> Segment<'a> {
    fn new(vocabulary: &'a Vocabulary, words: Vec<Word>) -> Self {
        Self { vocabulary, words, places: Vec::new(), exceptions: Vec::new(), is_never: false, only: None }
    }

    /// Puts the name of "the only place that may send email is the mailer" first.
    fn put_name_first(&mut self) {
        let words = &self.words;
        let is_start =
            ["the only", "the sole", "the single", "our only"].iter().any(|only| begins(words, only).is_some());
        let be = words.iter().rposition(|word| word.is("is") || word.is("are"));
        if let Some(at) = be.filter(|at| is_start && *at + 1 < words.len() && !names(&words[at + 1..]).is_empty()) {
            self.words =
                [&words[at + 1..], &[Word::new("is"), Word::new("the"), Word::new("only")], &words[2..at]].concat();
        }
    }

    /// Takes the names out of the beginning.
    fn take_beginning(&mut self) {
        self.put_name_first();
        if let Some(count) = longest(&self.words, &GRAMMAR.never) {
            self.is_never = true;
            self.words.drain(..count);
            return;
        }
        let exception = longest(&self.words, &GRAMMAR.exceptions);
        let is_inside = self.words.first().is_some_and(|word| !word.is_one_of(&["for", "at", "to", "by"]));
        let place = longest(&self.words, &GRAMMAR.places).filter(|_| is_inside);
        let Some(start) = exception.or(place) else { return };
        let position = |mark: &str| self.words.iter().position(|word| word.is(mark));
        let to = position("to").filter(|_| begins(&self.words, "bypassing").is_some());
        let predicate = || (start..self.words.len()).find(|at| GRAMMAR.predicate(&self.words, *at).is_some());
        let end = to.or_else(|| position(",")).or_else(predicate).filter(|end| *end > start);
        let Some(end) = end else { return };
        let part = &self.words[start..end];
        // "Outside requests are reserved to the gateway"
        let is_plain = exception.is_none() || self.words[0].is("outside");
        if is_plain && !is_place(self.vocabulary, part) {
            return;
        }
        let found = names(part);
        if exception.is_some() {
            self.exceptions.extend(found)
        } else {
            self.places.extend(found)
        }
        let is_mark = self.words[end].is(",") || to.is_some();
        self.words.drain(..end + usize::from(is_mark));
    }

    /// Takes "only" out of the words, unless it belongs to another word: "the only", "not only".
    fn take_only(&mut self) {
        let is_own = |at: usize| at == 0 || !self.words[at - 1].is_one_of(&["the", "our", "not", "a"]);
        // "In the store and nowhere else", "by the store alone"
        let end = self.words.len();
        let last =
            (1..end).find(|at| longest(&self.words[*at..], &GRAMMAR.alone).is_some_and(|count| at + count == end));
        if let Some(at) = last {
            self.words.truncate(at);
            self.only = Some(at);
            return;
        }
        // "The mailer alone may"
        let alone = (1..self.words.len())
            .find(|at| self.words[*at].is("alone") && GRAMMAR.predicate(&self.words, *at + 1).is_some());
        if let Some(at) = alone {
            self.words.remove(at);
            self.only = Some(0);
            return;
        }
        self.only = (0..self.words.len()).find(|at| self.words[*at].is_in(&GRAMMAR.only) && is_own(*at));
        if let Some(at) = self.only {
            self.words.remove(at);
        }
    }

    /// Returns the predicates, with the words that only the context makes one.
    fn marks(&self) -> Vec<Mark> {
        let mut found: Vec<Mark> = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let mark = self.mark_at(at, found.last());
            at = mark.map_or(at + 1, |mark| mark.end);
            found.extend(mark);
        }
        found
    }

    /// Returns the predicate that begins at a word. `last` is the one before it.
    fn mark_at(&self, at: usize, last: Option<&Mark>) -> Option<Mark> {
        let is_joined = at > 0 && self.words[at - 1].is_joint();
        // "The only module that may" is one predicate.
        let is_sole = last.is_some_and(|last| last.form == Form::Sole);
        match GRAMMAR.predicate(&self.words, at) {
            Some(mark) => ((is_joined || !is_sole) && self.is_predicate(&mark, last)).then_some(mark),
            None if is_sole => None,
            None => self.mark_by_context(at, is_joined, last),
        }
    }

    /// Returns whether words that can be a predicate are one.
    fn is_predicate(&self, mark: &Mark, last: Option<&Mark>) -> bool {
        let (at, words) = (mark.start, &self.words);
        // "Without" after a prohibition is a condition.
        let is_condition = words[at].is("without") && (at == 0 || last.is_some_and(|last| last.modal.forbids()));
        // "Classes that reside in": a relative clause.
        let is_relative = mark.form == Form::Confined && at > 0 && words[at - 1].is_one_of(&["that", "which"]);
        // "Neither the parser nor the printer may" denies its subject.
        let is_of_subject = words[at].is("neither") && !self.denies(at);
        !(is_condition || is_relative || is_of_subject)
    }

    /// Returns a "not" or "no" that the words before it make a predicate.
    fn mark_by_context(&self, at: usize, is_joined: bool, last: Option<&Mark>) -> Option<Mark> {
        let single = |modal, form| Mark { start: at, end: at + 1, modal, form, is_weak: true };
        if self.words[at].is("not") && is_joined && self.has_verb_at(at + 1) {
            let last = last?;
            let modal = last.modal.negated().unwrap_or(last.modal);
            return Some(Mark { is_weak: last.is_weak, ..single(modal, Form::Verb) });
        }
        (self.words[at].is("no") && self.denies(at)).then(|| single(Modal::MustNot, Form::Noun))
    }

    fn has_verb_at(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| self.vocabulary.is_verb_form(&word.lower))
    }

    /// Returns whether a "no" denies a noun by itself: "no network access", "makes no requests", but not "no code may".
    fn denies(&self, at: usize) -> bool {
        const ENDS: &[&str] =
            &["one", "longer", "more", "matter", "need", "way", "reason", "problem", "doubt", "effect"];
        let rest = &self.words[at + 1..];
        let part = rest.iter().take_while(|word| !word.is(",")).count();
        let is_verb = |mark: Mark| matches!(mark.form, Form::Verb | Form::Before);
        let has_predicate = (at + 1..=at + part).any(|next| GRAMMAR.predicate(&self.words, next).is_some_and(is_verb));
        let is_subject = at == 0 || self.words[at - 1].is_joint();
        !(rest.is_empty() || rest[0].is_one_of(ENDS) || is_subject && has_predicate)
    }

    /// Returns whether two predicates are one: "must make no", "must be limited to".
    fn is_one(&self, mark: &Mark, next: &Mark) -> bool {
        let between = &self.words[mark.end..next.start];
        mark.form == Form::Verb
            && !mark.modal.forbids()
            && match next.form {
                Form::Noun => !between.iter().any(Word::is_joint),
                Form::Verb => false,
                _ => between.iter().all(|word| word.is_in(&GRAMMAR.adverbs)),
            }
    }

    fn clauses(self, inherited: &[Word]) -> Vec<Clause> {
        let marks = self.marks();
        if marks.is_empty() {
            return self.without_predicate().into_iter().collect();
        }
        let mut found: Vec<Clause> = Vec::new();
        let (mut since, mut at) = (0, 0);
        while let Some(first) = marks.get(at) {
            let next = marks.get(at + 1).filter(|next| self.is_one(first, next));
            at += 1 + usize::from(next.is_some());
            let (mark, verb, before) = self.whole(first, next, since);
            let end = self.end_of(&mark, marks.get(at));
            let last = found.last().map_or(inherited, |last| last.before.as_slice());
            let subject = trimmed(before);
            let is_it = subject.len() == 1 && subject[0].is_one_of(&["it", "they", "these"]);
            let is_bare = subject.is_empty() && (since > 0 || mark.form == Form::Noun) || is_it;
            let before = if is_bare { last.to_vec() } else { subject.to_vec() };
            let only = self.only.filter(|only| (since..=end).contains(only)).map(|only| only == since);
            let mut clause = self.clause(mark, before, self.words[mark.end..end].to_vec(), verb, only);
            // "Must be injected, never generated"
            let is_participle = clause.after.first().is_some_and(|word| word.lower.ends_with("ed"));
            clause.has_be |= is_bare && is_participle && found.last().is_some_and(Clause::is_passive);
            found.push(clause);
            since = end;
        }
        found
    }

    /// Returns a predicate with the one that belongs to it, the verb of a noun that it denies, and the words before it.
    fn whole(&self, first: &Mark, next: Option<&Mark>, since: usize) -> (Mark, Option<Word>, &[Word]) {
        let before = &self.words[since..first.start];
        if let Some(next) = next {
            let verb = self.words[first.end..next.start].last().filter(|_| self.words[next.start].is("no"));
            return (Mark { start: first.start, ..*next }, verb.cloned(), before);
        }
        match before.split_last() {
            Some((verb, rest)) if self.words[first.start].is("no") && !verb.is_joint() => {
                (*first, Some(verb.clone()), rest)
            }
            _ => (*first, None, before),
        }
    }

    /// Returns the end of the words that belong to a predicate: the next one, or the word that joins them.
    fn end_of(&self, mark: &Mark, next: Option<&Mark>) -> usize {
        next.map_or(self.words.len(), |next| {
            let joint = self.words[mark.end..next.start].iter().rposition(Word::is_joint);
            joint.map_or(next.start, |joint| mark.end + joint)
        })
    }

    fn clause(
        &self,
        mark: Mark,
        before: Vec<Word>,
        after: Vec<Word>,
        verb: Option<Word>,
        only: Option<bool>,
    ) -> Clause {
        let first = &self.words[mark.start];
        let is_first = |words: &[&str]| first.is_one_of(words);
        let is_last = |words: &[&str]| self.words[..mark.end].last().is_some_and(|last| last.is_one_of(words));
        let verb = verb.filter(|verb| {
            !verb.is_one_of(&["there", "have", "has", "be", "is", "are", "contain", "contains", "include"])
        });
        let mut clause = Clause {
            modal: mark.modal,
            form: mark.form,
            is_weak: mark.is_weak,
            has_predicate: mark.end > mark.start,
            is_upper: first.text.chars().all(char::is_uppercase),
            is_description: is_first(&["will", "could"]),
            has_be: is_first(&["is", "are"]) && (mark.end == mark.start + 1 || is_last(&["not", "never", "neither"])),
            verb,
            before,
            after: trimmed(&after).iter().skip_while(|word| word.is("ever")).cloned().collect(),
            limits: Limits {
                only,
                exceptions: self.exceptions.clone(),
                places: self.places.clone(),
                ..Limits::default()
            },
        };
        if self.is_never && mark.start == 0 {
            clause.modal = mark.modal.negated().unwrap_or(mark.modal);
        }
        // The subject follows: "at no time may files be deleted".
        if (self.is_never || only == Some(true)) && clause.form == Form::Verb && is_inverted(&clause.before) {
            let end = subject_end(&clause.after, self.vocabulary);
            let rest = clause.after.split_off(end);
            let place = std::mem::replace(&mut clause.before, std::mem::replace(&mut clause.after, rest));
            clause.limits.exceptions.extend(names(&place));
            clause.limits.is_exclusive |= only.is_some();
            clause.limits.only = None;
        }
        self.keep_out(&mut clause);
        clause
    }

    /// Reads "must keep X out of Y": no X in the code Y, or else no use of Y.
    fn keep_out(&self, clause: &mut Clause) {
        let after = &clause.after;
        let is_kept = clause.form == Form::Verb && after.first().is_some_and(|verb| verb.is_in(&GRAMMAR.confining));
        let Some(modal) = clause.modal.negated().filter(|_| is_kept) else { return };
        let away = (1..after.len()).find_map(|at| Some((at, at + longest(&after[at..], &GRAMMAR.away)?)));
        let Some((end, start)) = away else { return };
        let (kept, place) = (after[1..end].to_vec(), after[start..].to_vec());
        (clause.modal, clause.form) = (modal, Form::Noun);
        if is_like_code(&place) || is_place(self.vocabulary, &place) {
            (clause.before, clause.after) = (place, kept);
        } else {
            clause.after = place;
        }
    }

    /// Reads a segment without a predicate: "only the store touches the database", "nothing but the store does", "all SQL lives in `db/`".
    fn without_predicate(&self) -> Option<Clause> {
        let words = &self.words;
        let is_none = words.first()?.is_in(&GRAMMAR.none);
        let mark = |start, end, modal, form| Mark { start, end, modal, form, is_weak: true };
        // "Keep network calls in `api/`"
        if words[0].is_in(&GRAMMAR.confining)
            && let Some((at, count)) =
                (1..words.len()).find_map(|at| Some((at, longest(&words[at..], &GRAMMAR.places)?)))
            && is_like_code(&words[at + count..])
        {
            let (before, after) = (words[1..at].to_vec(), words[at + count..].to_vec());
            return Some(self.clause(mark(0, 1, Modal::MustNot, Form::Confined), before, after, None, None));
        }
        // "Use `Client` to make requests"
        let to = words
            .iter()
            .position(|word| word.is("to"))
            .filter(|at| words[0].is("use") && *at == 2 && is_like_code(&words[1..2]));
        if let Some(at) = to {
            let (before, after) = (words[at + 1..].to_vec(), words[1..at].to_vec());
            return Some(self.clause(mark(0, 1, Modal::MustNot, Form::Confined), before, after, None, None));
        }
        // "Use the client for all requests"
        if words[0].is("use")
            && let Some(at) = words.iter().position(|word| word.is("for"))
        {
            let is_all = words.get(at + 1).is_some_and(|word| word.is_one_of(&["all", "any", "every"]));
            let (before, after) = (words[at + 1..].to_vec(), words[1..at].to_vec());
            return is_all.then(|| self.clause(mark(0, 1, Modal::MustNot, Form::Confined), before, after, None, None));
        }
        if self.only.is_none() && !is_none {
            return None;
        }
        let only = self.only.map(|at| at == 0);
        let be = words.iter().position(|word| word.is("is") || word.is("are"));
        if let Some(at) = be.filter(|at| *at > 0) {
            let mark = mark(at, at + 1, Modal::Must, Form::Verb);
            return Some(self.clause(mark, words[..at].to_vec(), words[at + 1..].to_vec(), None, only));
        }
        let is_order = only != Some(true) || !is_place(self.vocabulary, &words[..1]);
        let start = verb_at(words, self.vocabulary, 0).filter(|at| *at > 0 || is_order)?;
        let (before, after) = words.split_at(start);
        let only = if start == 0 { only.map(|_| false) } else { only };
        Some(self.clause(mark(start, start, Modal::Must, Form::Verb), before.to_vec(), after.to_vec(), None, only))
    }
}

/// Returns whether the words before a predicate name no one who could do something: none, or a place.
fn is_inverted(before: &[Word]) -> bool {
    before.is_empty() || longest(before, &GRAMMAR.places).is_some() && !is_general(before)
}
