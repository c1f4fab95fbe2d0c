//! Reads what a sentence of a contract demands, forbids or allows: "The parser must not write files", "Only `client.py` may make HTTP
//! requests", "Files are never deleted outside `cleanup/`".
//!
//! In: a sentence and its heading. Out: modals with the words of their effects, and the names of the code that they are about. A sentence is
//! cut into clauses with one predicate each. Which effect the words name is `phrases`' business, which code the names mean `code_names`'.

use std::collections::BTreeSet;

use crate::changes::{self, Asks};
use crate::clauses::{Clause, clauses};
use crate::code_names::{CodeName, is_like_code, names};
use crate::contract::Modal;
use crate::effect_words::{effect_words, noun_words, without_none};
use crate::grammar::{Form, GRAMMAR, Word, begins, has, longest, trimmed, words};
use crate::http::http_methods;
use crate::used_names::imported_names;
use crate::vocabulary::ENDPOINT;
use crate::vocabulary::{PACKAGE_ADD, Vocabulary};
use crate::wording::base_forms;

/// The meaning of a heading, or of the sentence before a list, for the sentences below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Nothing.
    #[default]
    None,
    /// The list is a contract as such: each of its lines is a statement.
    Contract,
    /// The items have this modal: "The parser must not:".
    Modal(Modal),
    /// A heading such as "Rules": sentences with a modal are statements, even if their effect is not known.
    Rules,
    /// A heading such as "Background".
    Prose,
}

/// A statement of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) modal: Modal,
    /// The words after the modal, without it and with the verb first.
    pub(crate) words: Vec<String>,
    /// The code that the statement is about. Empty means all code.
    pub(crate) subjects: Vec<CodeName>,
    /// The code that it does not hold for.
    pub(crate) exceptions: Vec<CodeName>,
    /// The modules that it is about, if it is about imports.
    pub(crate) imports: Vec<CodeName>,
    /// Whether it can be about code: its subject is code, and it is not about work on the project.
    pub(crate) is_about_code: bool,
    /// Whether its predicate is one of usual prose.
    pub(crate) is_mild: bool,
    /// Whether the sentence only tells why or when.
    pub(crate) is_prose: bool,
    /// Whether more than this matters: "handlers must only read files".
    pub(crate) is_unclear: bool,
    /// The statement as people read it.
    pub(crate) text: String,
    /// Whether this is a statement only if its words name an effect. Otherwise it is usual prose.
    pub(crate) is_weak: bool,
    /// Whether it forbids the endpoints that do not have the methods of HTTP that it names.
    pub(crate) is_about_other_methods: bool,
    /// Whether it is about what a change adds, not about all that the code does.
    pub(crate) is_about_additions: bool,
    /// Whether it compares the things that code uses with those of before the change.
    pub(crate) compares_things: bool,
    /// Whether it is only about what the code does itself, not through other code: "must not run SQL directly".
    pub(crate) is_direct: bool,
    /// Whether it is about something that code can do, although its effect is perhaps not known.
    pub(crate) is_about_effects: bool,
}

/// The maximum number of words that restrict the effect of a sentence of prose. With more of them, the effect is not what the sentence is about.
const MAX_RESTRICTING_WORDS: usize = 4;
/// The maximum number of words of such an effect. A longer clause says something else.
const MAX_EFFECT_WORDS: usize = 14;
/// The maximum number of words of a subject that is not written like code.
pub(crate) const MAX_SUBJECT_WORDS: usize = 5;

impl Statement {
    /// Returns whether this is a limit on what code may do, in a text that says much else too.
    pub(crate) fn is_limit(&self, vocabulary: &Vocabulary, action: &str, resource: &str) -> bool {
        let named = vocabulary.named_effects(action, resource);
        let restriction = |words: &String| words.split(' ').count() > MAX_RESTRICTING_WORDS;
        let is_short = resource.split_whitespace().count() <= MAX_EFFECT_WORDS;
        let is_known = is_short && !named.effects.is_empty() && !named.effects.values().flatten().any(restriction);
        let is_certain = self.modal.forbids() || !self.is_prose && is_known;
        let is_meant = self.is_about_effects && !self.is_weak && !self.is_mild;
        let is_about_code = self.is_about_code || self.modal.forbids() && is_known && !self.subjects.is_empty();
        is_about_code && is_certain && !(self.is_unclear && self.is_mild) && (is_known || is_meant)
    }
}

/// Returns whether words can name code that does something.
fn is_code(subject: &[Word]) -> bool {
    let is_noun =
        |word: &Word| word.is_in(&GRAMMAR.nouns) || word.is_in(&GRAMMAR.roles) || word.is_in(&GRAMMAR.generic);
    let is_person = |word: &Word| word.is_in(&GRAMMAR.people) && !word.is_one_of(&["you", "user", "users"]);
    let is_short = |part: &[Word]| part.len() <= MAX_SUBJECT_WORDS && !part.iter().any(is_person);
    subject.split(Word::is_joint).all(is_short) || subject.last().is_some_and(is_noun) || is_like_code(subject)
}

/// Returns whether a clause tells people how to work: it names people, or things of work on a project.
fn is_guideline(clause: &Clause, subject: &[Word]) -> bool {
    let is_dependency = |word: &Word| word.is_one_of(&["dependency", "dependencies"]);
    let is_work = |word: &Word| word.is_in(&GRAMMAR.development) && !is_dependency(word) || word.is_in(&GRAMMAR.people);
    let is_request =
        |word: &Word| word.is_one_of(&["requested", "asked", "instructed", "approved", "permission", "approval"]);
    let is_permitting = |word: &Word| word.is_one_of(&["let", "allow", "assume", "justify", "wait", "expect"]);
    let is_order = subject.is_empty() || subject.iter().all(|word| word.is("you") || word.is("we"));
    // "In this release" only says when.
    let end = clause.after.iter().position(|word| word.is("this")).unwrap_or(clause.after.len());
    clause.form != Form::Before
        && is_order
        && clause.limits.exceptions.is_empty()
        && (clause.after[..end].iter().any(|word| is_work(word) || is_request(word))
            || clause.after.first().is_some_and(is_permitting))
}

impl Lead {
    /// Returns what a heading or the sentence before a list says.
    pub(crate) fn of(text: &str) -> Self {
        let words = words(text);
        let any = |list: &[String]| list.iter().any(|phrase| has(&words, phrase));
        let ends = |word: &Word| word.is_one_of(&["to", "do", "any", "of", "the", "following"]);
        let last = (0..words.len()).rev().filter_map(|at| GRAMMAR.predicate(&words, at)).max_by_key(|mark| mark.end);
        let is_lead = |form: Form| matches!(form, Form::Verb | Form::Before);
        if let Some(mark) = last.filter(|mark| is_lead(mark.form) && words[mark.end..].iter().all(ends)) {
            return Self::Modal(mark.modal);
        }
        let headings = &GRAMMAR.headings;
        if any(&headings.forbidding) {
            Self::Modal(Modal::MustNot)
        } else if ["must not", "may not", "should not", "shall not"].iter().any(|phrase| has(&words, phrase)) {
            Self::Rules
        } else if any(&headings.prose) {
            Self::Prose
        } else if any(&headings.rules) {
            Self::Rules
        } else if any(&headings.allowing) {
            Self::Modal(Modal::May)
        } else {
            Self::None
        }
    }
}

/// Returns whether a text has a predicate with more than a word after it.
pub(crate) fn is_statement(text: &str) -> bool {
    let words = words(text);
    words.first().is_some_and(|first| first.is("no") || first.is_in(&GRAMMAR.only))
        || (0..words.len()).filter_map(|at| GRAMMAR.predicate(&words, at)).any(|mark| words.len() > mark.end + 1)
}

/// Words that turn what a sentence says.
const NEGATIONS: &[&str] = &[
    "no",
    "not",
    "none",
    "nothing",
    "nobody",
    "no-one",
    "noone",
    "never",
    "neither",
    "nor",
    "nowhere",
    "without",
    "cannot",
    "hardly",
    "forbidden",
    "prohibited",
    "disallowed",
    "banned",
];

/// Returns the statements of a sentence. In a contract as such, a sentence without one is a statement that is not understood.
pub(crate) fn statements(text: &str, lead: Lead, vocabulary: &Vocabulary) -> Vec<Statement> {
    let mut all = words(text);
    let asks = changes::take(&mut all);
    let ends = |end: char| text.trim_end().ends_with(end);
    if all.is_empty() || ends(':') && matches!(Lead::of(text), Lead::Modal(_)) {
        return Vec::new();
    }
    let first = all.iter().find(|word| !word.is_in(&GRAMMAR.adverbs));
    let is_prose = lead == Lead::Prose || ends('?') || first.is_some_and(|word| word.is_in(&GRAMMAR.prose));
    let shown = text.trim().trim_end_matches(['.', ';', ' ']);
    // A line that is written as code as a whole, and not one that begins with a name.
    let whole = shown.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).filter(|rest| !rest.contains('`'));
    let shown = whole.unwrap_or(shown).to_owned();
    let clauses = clauses(&all, vocabulary);
    let is_direct = is_direct(&all);
    let is_single = clauses.len() == 1;
    let sentence = Sentence { vocabulary, lead, is_prose, shown, is_single, is_direct, asks };
    let mut found: Vec<Statement> = Vec::new();
    for clause in &clauses {
        match found.last_mut().filter(|_| repeats(clause)) {
            Some(last) => last.exceptions.extend(clause.limits.exceptions.iter().cloned()),
            None => found.extend(sentence.statement(clause)),
        }
    }
    if clauses.is_empty() || found.is_empty() && lead == Lead::Contract {
        found.extend(sentence.without_predicate(&all, ends(':')));
    }
    found
}

/// Returns whether a sentence is only about what code does itself: it says so, or it names the other code that does it. "Controllers must
/// not run SQL; they call repositories".
fn is_direct(all: &[Word]) -> bool {
    let mut parts = all.split(Word::is_mark);
    let first = parts.next().unwrap_or_default();
    // "Mail must not be sent …; it goes through a job" tells about the mail.
    let is_passive = first.iter().any(|word| word.is("be"));
    let is_subject = |word: &Word| {
        !is_passive && word.is_one_of(&["it", "they", "this", "that", "these", "those", "which"])
            || first.iter().any(|other| other.lower == word.lower)
    };
    let mut ways = parts.filter_map(|part| part.split_first());
    let is_direct = |at: usize| {
        // "Controllers must be thin"
        all[at].is("thin") || all[at].is("directly") && !all.get(at + 1).is_some_and(|next| next.is("or"))
    };
    (0..all.len()).any(is_direct)
        || ways.any(|(subject, rest)| is_subject(subject) && longest(rest, &GRAMMAR.delegations).is_some())
}

/// Returns whether a clause names only symbols and modules, not what they do.
fn names_symbols(clause: &Clause) -> bool {
    let is_small = |word: &&Word| {
        !word.is_joint() && !word.is_in(&GRAMMAR.determiners) && !word.is_in(&GRAMMAR.adverbs) && !word.is("be")
    };
    let is_symbol = |word: &Word| word.is_code || word.text.contains("::") || word.text.ends_with("()");
    let skipped = usize::from(clause.form == Form::Verb);
    let mut own = clause.after.iter().filter(is_small).skip(skipped).peekable();
    own.peek().is_some() && own.all(is_symbol)
}

/// Returns whether a clause is about what the one before it says: "only the store may do that".
fn repeats(clause: &Clause) -> bool {
    let is_same = ["do that", "do so", "do this", "do it"].iter().any(|it| begins(&clause.after, it).is_some());
    clause.limits.is_exclusive && is_same
}

struct Sentence<'a> {
    vocabulary: &'a Vocabulary,
    lead: Lead,
    is_prose: bool,
    shown: String,
    /// Whether the sentence has one clause.
    is_single: bool,
    /// Whether it is only about what code does itself.
    is_direct: bool,
    /// Its questions about a change.
    asks: Asks,
}

impl Sentence<'_> {
    /// Reads a sentence without a predicate.
    fn without_predicate(&self, all: &[Word], is_lead: bool) -> Option<Statement> {
        let (modal, words, text) = match self.lead {
            Lead::Modal(modal) => {
                let words = effect_words(self.vocabulary, &[], trimmed(all), false);
                (modal, words, format!("{} {}", modal.name(), self.shown))
            }
            Lead::Contract if !is_lead => (Modal::Must, Vec::new(), self.shown.clone()),
            _ => return None,
        };
        let is_unclear = words.is_empty() || all.iter().any(|word| word.is_in(&GRAMMAR.only));
        let (subjects, exceptions) = (Vec::new(), Vec::new());
        Some(Statement {
            modal,
            words,
            subjects,
            exceptions,
            imports: Vec::new(),
            is_about_code: true,
            is_mild: false,
            is_prose: self.is_prose,
            is_unclear,
            text,
            is_weak: false,
            is_about_additions: false,
            compares_things: false,
            is_about_other_methods: false,
            is_direct: self.is_direct,
            is_about_effects: all.iter().any(|word| word.is_in(&GRAMMAR.capability)),
        })
    }

    /// Returns the statement of a clause. Returns `None` for guidelines and descriptions.
    fn statement(&self, clause: &Clause) -> Option<Statement> {
        let limits = &clause.limits;
        let (is_none, subject) = without_none(&clause.before);
        let mut words = self.words(clause, subject);
        let turn = |modal: Modal, is_turned: bool| if is_turned { modal.negated() } else { Some(modal) };
        let turned = turn(clause.modal, is_none || limits.is_exclusive);
        let modal = turned.unwrap_or(clause.modal);
        // The subject of a passive is a thing, and so is the subject of "is forbidden".
        let is_agent = clause.form == Form::Noun || clause.form == Form::Verb && !clause.is_passive();
        let mut subjects = if is_agent { names(subject) } else { Vec::new() };
        subjects.extend(limits.places.iter().cloned());
        // "Controllers may only have GET mappings"
        let is_about_other_methods = limits.is_exclusive && limits.exceptions.is_empty() && self.names_methods(&words);
        let has_negation = clause.after.iter().any(|word| word.is_one_of(NEGATIONS));
        let is_unclear = turned.is_none()
            || limits.is_exclusive && limits.exceptions.is_empty() && !is_about_other_methods
            || !modal.forbids() && !limits.exceptions.is_empty()
            // A permission or an obligation with a negation that was not understood can be a prohibition.
            || !modal.forbids() && has_negation;
        let is_contract = matches!(self.lead, Lead::Contract | Lead::Modal(_));
        let is_about_work = self.is_about_work(clause, subject, &words, modal);
        if clause.is_description && (!modal.forbids() || clause.form == Form::Before) || !is_contract && is_about_work {
            return None;
        }
        let text = if self.is_single { self.shown.clone() } else { format!("{} {}", modal.name(), words.join(" ")) };
        let is_usual = self.is_prose || clause.is_weak && !clause.is_upper && self.lead != Lead::Rules;
        let is_weak = self.lead != Lead::Contract && is_usual;
        let is_known = |word: &Word| word.is_in(&GRAMMAR.capability);
        let is_thing = !is_like_code(subject) && subject.iter().any(is_known);
        let is_about_effects = !self.is_prose && (is_thing || clause.after.iter().any(is_known));
        let exceptions = limits.exceptions.clone();
        let is_about_additions = modal.forbids() && self.is_about_additions(clause, &words);
        // "Must not retry by sleeping" is about the sleep.
        let by = (1..words.len().saturating_sub(1)).find(|at| words[*at] == "by" && words[at + 1].ends_with("ing"));
        if let (Some(at), Some((verb, rest))) = (by, words.split_first())
            && !self.vocabulary.names_effect(verb, &rest.join(" "))
        {
            words.drain(..=at);
        }
        // "Must not gain additional queries" is about the use of queries.
        if is_about_additions
            && let Some((verb, rest)) = words.split_first()
            && (base_forms(&verb.to_lowercase()).iter().any(|form| GRAMMAR.additions.verbs.contains(form))
                || ["get", "receive"].contains(&verb.as_str()))
            && !self.vocabulary.names_effect(verb, &rest.join(" "))
        {
            words[0] = "use".to_owned();
        }
        let imports = imported_names(clause, subject, self.vocabulary);
        // "Commands must not use `std::fs`" does not forbid it to the code that they call.
        let is_direct = self.is_direct || !subjects.is_empty() && names_symbols(clause);
        let is_about_code = is_code(subject) && !is_guideline(clause, subject);
        Some(Statement {
            modal,
            words,
            subjects,
            exceptions,
            imports,
            is_about_code,
            is_mild: clause.is_weak && (clause.modal.forbids() || !clause.has_predicate) && !clause.is_upper,
            is_prose: self.is_prose,
            is_unclear,
            text,
            is_weak,
            is_about_effects,
            is_about_additions,
            compares_things: is_about_additions && self.asks.things,
            is_about_other_methods,
            is_direct,
        })
    }

    /// Returns whether words name endpoints by their methods of HTTP.
    fn names_methods(&self, words: &[String]) -> bool {
        let Some((verb, rest)) = words.split_first() else { return false };
        let named = self.vocabulary.named_effects(verb, &rest.join(" ")).effects;
        named.len() == 1 && named.contains_key(ENDPOINT) && !http_methods(&rest.join(" ")).is_empty()
    }

    /// Returns whether a clause is about what a change adds: "the refactoring must not run programs", "no new endpoints", "must not
    /// introduce SQL". "Must not add jobs to the queue" is about what the code does.
    fn is_about_additions(&self, clause: &Clause, words: &[String]) -> bool {
        let additions = &GRAMMAR.additions;
        let is_change = clause.before.last().is_some_and(|word| word.is_in(&additions.changes));
        // "The new code must not …"
        let is_new_code = clause.before.iter().any(|word| word.is("new") || word.is("added"))
            && clause.before.last().is_some_and(|word| word.is_one_of(&["code", "lines"]));
        if self.asks.additions || clause.form == Form::Verb && (is_change || is_new_code) && !clause.is_passive() {
            return true;
        }
        let verb = words.first().map(String::as_str).unwrap_or_default();
        let adds = base_forms(&verb.to_lowercase()).iter().any(|form| additions.verbs.contains(form))
            || clause.after.first().is_some_and(|word| word.is_in(&additions.verbs));
        let to = clause.after.iter().position(|word| word.is_one_of(&["to", "into"]));
        let has_target = to.is_some_and(|at| {
            (at + 1..clause.after.len()).any(|at| self.vocabulary.is_resource(&clause.after[at].lower))
        });
        // "Must not get new dependencies"
        let is_new_one = || clause.after.get(1).is_some_and(|word| word.is_in(&additions.words));
        if clause.form == Form::Verb
            && clause.after.first().is_some_and(|word| word.is_one_of(&["get", "receive"]))
            && is_new_one()
        {
            return true;
        }
        let is_gain = clause.after.first().is_some_and(|word| word.is_one_of(&["gain", "become"]));
        if adds && matches!(clause.form, Form::Verb | Form::Before) {
            return is_gain || !has_target;
        }
        let is_new = |words: &[Word]| words.iter().any(|word| word.is_in(&additions.words));
        // "Must not create additional threads"
        let is_more = |word: &Word| word.is_in(&additions.words) && !word.is_one_of(&["new", "extra", "more"]);
        let thing = clause.after.iter().skip(1).find(|word| !word.is_in(&GRAMMAR.determiners));
        if clause.form == Form::Verb && thing.is_some_and(is_more) {
            return true;
        }
        let is_denied = clause.before.first().is_some_and(|word| word.is_in(&GRAMMAR.none));
        clause.form == Form::Noun && is_new(&clause.after)
            || (is_denied || clause.form == Form::Before) && is_new(&clause.before)
            || verb == "use"
                && clause.form == Form::Verb
                && is_new(&clause.after)
                && clause.after.first().is_some_and(|word| word.is("be") || word.is("have"))
    }

    /// Returns the words of the effect of a clause, with the verb first.
    fn words(&self, clause: &Clause, subject: &[Word]) -> Vec<String> {
        match clause.form {
            Form::Noun => match &clause.verb {
                Some(verb) => std::iter::once(verb).chain(&clause.after).map(|word| word.text.clone()).collect(),
                None => noun_words(self.vocabulary, &clause.after),
            },
            Form::Before => {
                let ends = |word: &&Word| !word.is_one_of(&["for", "because", "as", "since", "here"]);
                let rest = clause.after.iter().take_while(ends).map(|word| word.text.clone());
                noun_words(self.vocabulary, subject).into_iter().chain(rest).collect()
            }
            _ => effect_words(self.vocabulary, subject, &clause.after, clause.has_be),
        }
    }

    /// Returns whether a clause tells people how to work on the project: it is an order, or is about people.
    fn is_about_work(&self, clause: &Clause, subject: &[Word], words: &[String], modal: Modal) -> bool {
        let base = |verb: &str| base_forms(verb).iter().any(|form| GRAMMAR.work.contains(form));
        if clause.is_passive() {
            return words.first().is_some_and(|verb| base(verb));
        }
        let is_people = subject.last().is_some_and(|word| word.is_in(&GRAMMAR.people) && !word.is("you"));
        if clause.form != Form::Verb || is_people {
            return is_people && clause.form == Form::Verb;
        }
        let is_no_one = |word: &Word| word.is("you") || word.is("we") || word.is_in(&GRAMMAR.determiners);
        if clause.limits.is_exclusive || !subject.iter().all(is_no_one) {
            return false;
        }
        let first = clause.after.first().map(|word| word.lower.as_str()).unwrap_or_default();
        let is_verb = |list: &BTreeSet<String>| base_forms(first).iter().any(|form| list.contains(form));
        let named =
            words.split_first().map(|(verb, rest)| self.vocabulary.named_effects(verb, &rest.join(" ")).effects);
        // "Do not add files" is about all that files can be used for, "do not add file writes" is not.
        let is_narrow = ["add", "introduce"].contains(&first) && named.as_ref().is_some_and(|named| named.len() == 1);
        let is_file = named.iter().flat_map(|named| named.keys()).all(|id| id.starts_with("file"));
        let ids: BTreeSet<&str> = named.iter().flat_map(|named| named.keys()).map(String::as_str).collect();
        if !modal.demands() && ids.contains(PACKAGE_ADD) {
            return false;
        }
        base(first)
            || clause.after.iter().any(|word| word.is_in(&GRAMMAR.development))
            || modal.demands() && !clause.is_upper
            || is_verb(&GRAMMAR.edits) && is_file && !is_narrow
    }
}
