//! Reads what a sentence of a contract demands, forbids or allows: "The parser must not write files", "No network access",
//! "Files are never deleted".
//!
//! In: a sentence and its heading. Out: modals with the words of their effects. Which effect the words name is `phrases`' business.

use crate::contracts::Modal;

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
    /// Whether more than the modal and the words matters: "only the mailer must send email".
    pub(crate) is_unclear: bool,
    /// The statement as people read it.
    pub(crate) text: String,
    /// Whether this is a statement only if its words name an effect. Otherwise it is usual prose.
    pub(crate) is_weak: bool,
}

/// The strength of the words of a modal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// An obligation.
    Strong,
    /// Words that are usual in prose too.
    Weak,
}
use Strength::{Strong, Weak};

/// The words of modals, in lower case. Of two that begin at the same word, the longer one counts.
const MODALS: &[(&str, Modal, Strength)] = &[
    ("must not", Modal::MustNot, Strong),
    ("must never", Modal::MustNot, Strong),
    ("must under no circumstances", Modal::MustNot, Strong),
    ("must in no case", Modal::MustNot, Strong),
    ("must at no time", Modal::MustNot, Strong),
    ("must avoid", Modal::MustNot, Strong),
    ("must refrain from", Modal::MustNot, Strong),
    ("must not be allowed to", Modal::MustNot, Strong),
    ("must not be able to", Modal::MustNot, Strong),
    ("must not attempt to", Modal::MustNot, Strong),
    ("must not try to", Modal::MustNot, Strong),
    ("may under no circumstances", Modal::MustNot, Strong),
    ("shall not", Modal::ShallNot, Strong),
    ("shall never", Modal::ShallNot, Strong),
    ("should not", Modal::ShouldNot, Strong),
    ("should never", Modal::ShouldNot, Strong),
    ("should avoid", Modal::ShouldNot, Strong),
    ("should refrain from", Modal::ShouldNot, Strong),
    ("ought not to", Modal::ShouldNot, Strong),
    ("may not", Modal::MayNot, Strong),
    ("may never", Modal::MayNot, Strong),
    ("is not allowed to", Modal::MustNot, Strong),
    ("are not allowed to", Modal::MustNot, Strong),
    ("is never allowed to", Modal::MustNot, Strong),
    ("are never allowed to", Modal::MustNot, Strong),
    ("is not permitted to", Modal::MustNot, Strong),
    ("are not permitted to", Modal::MustNot, Strong),
    ("is not supposed to", Modal::MustNot, Strong),
    ("are not supposed to", Modal::MustNot, Strong),
    ("is not to", Modal::MustNot, Strong),
    ("are not to", Modal::MustNot, Strong),
    ("not allowed to", Modal::MustNot, Strong),
    ("not permitted to", Modal::MustNot, Strong),
    ("is forbidden to", Modal::MustNot, Strong),
    ("are forbidden to", Modal::MustNot, Strong),
    ("is forbidden from", Modal::MustNot, Strong),
    ("are forbidden from", Modal::MustNot, Strong),
    ("is prohibited from", Modal::MustNot, Strong),
    ("are prohibited from", Modal::MustNot, Strong),
    ("is barred from", Modal::MustNot, Strong),
    ("are barred from", Modal::MustNot, Strong),
    ("forbidden to", Modal::MustNot, Strong),
    ("forbidden from", Modal::MustNot, Strong),
    ("prohibited from", Modal::MustNot, Strong),
    ("forbidden", Modal::MustNot, Strong),
    ("prohibited", Modal::MustNot, Strong),
    ("cannot", Modal::MustNot, Weak),
    ("can not", Modal::MustNot, Weak),
    ("can never", Modal::MustNot, Weak),
    ("will not", Modal::MustNot, Weak),
    ("will never", Modal::MustNot, Weak),
    ("do not", Modal::MustNot, Weak),
    ("does not", Modal::MustNot, Weak),
    ("does never", Modal::MustNot, Weak),
    ("is never", Modal::MustNot, Weak),
    ("are never", Modal::MustNot, Weak),
    ("is not", Modal::MustNot, Weak),
    ("are not", Modal::MustNot, Weak),
    ("never", Modal::MustNot, Weak),
    ("avoid", Modal::ShouldNot, Weak),
    ("must", Modal::Must, Weak),
    ("shall", Modal::Shall, Weak),
    ("should", Modal::Should, Weak),
    ("has to", Modal::Must, Weak),
    ("have to", Modal::Must, Weak),
    ("is required to", Modal::Must, Weak),
    ("are required to", Modal::Must, Weak),
    ("may", Modal::May, Weak),
    ("is allowed to", Modal::May, Weak),
    ("are allowed to", Modal::May, Weak),
    ("is permitted to", Modal::May, Weak),
    ("are permitted to", Modal::May, Weak),
];

/// The ends of sentences that forbid what stands before: "Writing files is forbidden".
const FORBIDDEN_ENDS: &[&str] = &[
    "is forbidden",
    "are forbidden",
    "is prohibited",
    "are prohibited",
    "is not allowed",
    "are not allowed",
    "is never allowed",
    "are never allowed",
    "is not permitted",
    "are not permitted",
    "is disallowed",
    "are disallowed",
    "is banned",
    "are banned",
    "not allowed",
    "forbidden",
    "prohibited",
    "is off limits",
    "are off limits",
];

/// Words between a modal and its verb that change nothing.
const ADVERBS: &[&str] =
    &["ever", "also", "either", "itself", "themselves", "then", "directly", "silently", "actually", "be able to"];

/// The beginnings of sentences that tell why or when, and demand nothing.
const PROSE_STARTS: &[&str] =
    &["if", "when", "because", "since", "although", "why", "otherwise", "historically", "previously", "note"];

const PROSE_HEADINGS: &[&str] = &[
    "why",
    "background",
    "rationale",
    "motivation",
    "history",
    "overview",
    "introduction",
    "about",
    "context",
    "note",
    "notes",
    "example",
    "examples",
    "reason",
    "reasons",
    "explanation",
    "usage",
    "installation",
    "install",
    "changelog",
    "faq",
];
const RULE_HEADINGS: &[&str] = &[
    "rule",
    "rules",
    "contract",
    "contracts",
    "policy",
    "policies",
    "constraint",
    "constraints",
    "restriction",
    "restrictions",
    "requirement",
    "requirements",
    "capability",
    "capabilities",
    "guarantee",
    "guarantees",
    "invariant",
    "invariants",
    "boundaries",
    "limits",
    "prohibitions",
    "obligations",
];
const FORBIDDING_HEADINGS: &[&str] = &[
    "forbidden",
    "prohibited",
    "disallowed",
    "banned",
    "prohibitions",
    "not allowed",
    "not permitted",
    "don'ts",
    "denied",
    "never",
    "off limits",
];
const ALLOWING_HEADINGS: &[&str] = &["allowed", "permitted", "may", "can", "allowances", "exceptions"];

impl Lead {
    /// Returns what a heading or the sentence before a list says.
    pub(crate) fn of(text: &str) -> Self {
        let words = words(text);
        let lower = lower(&words);
        let has = |list: &[&str]| list.iter().any(|phrase| find(&lower, phrase).is_some());
        if let Some((_, end, modal, _)) = modals(&lower).last()
            && lower[*end..]
                .iter()
                .all(|word| [":", "to", "do", "any", "of", "the", "following"].contains(&word.as_str()))
        {
            return Self::Modal(*modal);
        }
        if has(FORBIDDING_HEADINGS) {
            Self::Modal(Modal::MustNot)
        } else if has(&["must not", "may not", "should not", "shall not"]) {
            Self::Rules
        } else if has(PROSE_HEADINGS) {
            Self::Prose
        } else if has(RULE_HEADINGS) {
            Self::Rules
        } else if has(ALLOWING_HEADINGS) {
            Self::Modal(Modal::May)
        } else {
            Self::None
        }
    }
}

/// Returns whether a text has a modal with an effect after it.
pub(crate) fn is_statement(text: &str) -> bool {
    let words = words(text);
    let lower = lower(&words);
    modals(&lower).iter().any(|(_, end, ..)| lower.len() > end + 1) || noun_phrase(&lower).is_some()
}

/// Returns the statements of a sentence. In a contract as such, a sentence without one is a statement that is not understood.
pub(crate) fn statements(text: &str, lead: Lead) -> Vec<Statement> {
    let all = words(text);
    let lower = lower(&all);
    let Some(first) = lower.first() else { return Vec::new() };
    if text.trim_end().ends_with(':') && matches!(Lead::of(text), Lead::Modal(_)) {
        return Vec::new();
    }
    // "Icons must not be fetched: no network requests" says two things.
    if let Some((before, after)) = text.split_once(": no ").filter(|(before, _)| is_statement(before)) {
        return [statements(before, lead), statements(&format!("no {after}"), lead)].concat();
    }
    let is_prose = lead == Lead::Prose || text.trim_end().ends_with('?');
    let is_contract = lead == Lead::Contract;
    let is_weak = |strength: Strength| !is_contract && (is_prose || strength == Weak && lead != Lead::Rules);
    let is_weak = |strength| is_weak(strength) || !is_contract && PROSE_STARTS.contains(&first.as_str());
    let shown = shown(text);
    let mut found = Vec::new();
    if let Some(verb) = forbidden_before(&lower) {
        let words = clean(&all[..verb]);
        let is_unclear = is_only(&words);
        found.push(Statement {
            modal: Modal::MustNot,
            words: noun_words(&words),
            is_unclear,
            text: shown,
            is_weak: is_weak(Strong),
        });
        return found;
    }
    let mut marks = modals(&lower);
    // "No files can be written" forbids. "The parser can write files" only describes.
    if marks.is_empty() && without_none(&all).0 {
        let found = lower.iter().position(|word| ["can", "will", "could"].contains(&word.as_str()));
        marks.extend(found.map(|at| (at, at + 1, Modal::May, Weak)));
    }
    if let Some(at) = noun_phrase(&lower).filter(|at| *at > 1 || marks.is_empty()) {
        let words = absent(&clean(&all[at..]));
        found.push(Statement {
            modal: Modal::MustNot,
            words,
            is_unclear: false,
            text: shown,
            is_weak: is_weak(Weak) && lead == Lead::None,
        });
        return found;
    }
    for (index, (start, end, modal, strength)) in marks.iter().enumerate() {
        let next = marks.get(index + 1).map(|(next, ..)| *next);
        // The subject of the next modal is no part of this statement.
        let is_joint =
            |word: &String| [",", ";", ":", "and", "but", "or", "nor", "so", "because"].contains(&word.as_str());
        let stop = next
            .map_or(lower.len(), |next| lower[*end..next].iter().rposition(is_joint).map_or(next, |joint| end + joint));
        let since = if index == 0 {
            0
        } else {
            lower[marks[index - 1].1..*start]
                .iter()
                .rposition(is_joint)
                .map_or(*start, |joint| marks[index - 1].1 + joint + 1)
        };
        let subject = clean(&all[since..*start]);
        let rest = clean(&all[*end..stop]);
        if rest.is_empty() || rest[0].eq_ignore_ascii_case("have") && rest.get(1).is_some_and(|next| next == "been") {
            continue;
        }
        // "Nothing may write files" forbids it for all.
        let (is_none, subject) = without_none(&subject);
        let negated = if is_none { modal.negated() } else { Some(*modal) };
        let modal = &negated.unwrap_or(*modal);
        let is_upper = all[*start].chars().all(char::is_uppercase);
        let strength = if is_upper { Strong } else { *strength };
        // Only after a form of "be" is a participle passive: "mail is never sent".
        let is_passive =
            ["is", "are"].contains(&lower[*start].as_str()) && ["not", "never"].contains(&lower[end - 1].as_str());
        let (modal, words) = match is_passive {
            true => (*modal, passive(&subject, &rest)),
            false => effect_words(*modal, &subject, &rest),
        };
        let is_unclear = is_only(&rest)
            || is_only(&subject)
            || negated.is_none()
            || has_exception(&subject)
            // A permission or an obligation with a negation that was not understood can be a prohibition.
            || !modal.forbids() && lower[since..stop].iter().any(|word| NEGATIONS.contains(&word.as_str()));
        // "You should read the documentation" is advice for people.
        let is_rule = is_upper || is_contract || matches!(lead, Lead::Rules | Lead::Modal(_));
        if modal.demands() && !is_rule && !is_unclear {
            continue;
        }
        let text = match marks.len() {
            1 => shown.clone(),
            _ => format!("{} {}", modal.name(), rest.join(" ")),
        };
        let words = words.into_iter().filter(|word| !word.eq_ignore_ascii_case("only")).collect();
        found.push(Statement { modal, words, is_unclear, text, is_weak: is_weak(strength) });
    }
    if !found.is_empty() {
        return found;
    }
    // "The parser works without network access"
    if let Some(at) = lower.iter().position(|word| word == "without").filter(|at| *at > 0 && at + 1 < all.len()) {
        let words = noun_words(&clean(&without_scope(&all[at + 1..])));
        let is_weak = is_weak(Weak);
        found.push(Statement { modal: Modal::MustNot, is_unclear: is_only(&words), words, text: shown, is_weak });
        return found;
    }
    match lead {
        Lead::Modal(modal) => {
            let words = effect_words(modal, &[], &clean(&all)).1;
            found.push(Statement {
                modal,
                is_unclear: is_only(&words),
                words,
                text: format!("{} {shown}", modal.name()),
                is_weak: false,
            });
        }
        Lead::Contract if !text.trim_end().ends_with(':') => {
            found.push(Statement {
                modal: Modal::Must,
                words: Vec::new(),
                is_unclear: true,
                text: shown,
                is_weak: false,
            });
        }
        _ => {}
    }
    found
}

/// Returns the words of an effect with the verb first, and the modal, which a negation in the words turns: "must make no requests".
fn effect_words(modal: Modal, subject: &[String], rest: &[String]) -> (Modal, Vec<String>) {
    let lower = lower(rest);
    let skipped = lower.iter().take_while(|word| ADVERBS.contains(&word.as_str())).count();
    let (rest, lower) = (&rest[skipped..], &lower[skipped..]);
    let word = |at: usize| lower.get(at).map_or("", String::as_str);
    if let ("be", "able" | "allowed" | "permitted", "to") = (word(0), word(1), word(2)) {
        return (modal, rest[3..].to_vec());
    }
    let rest = &without_scope(rest)[..];
    let subject = &without_scope(subject)[..];
    // "There may not be any network access", "No network access may occur"
    let is_there = subject.first().is_some_and(|word| word.eq_ignore_ascii_case("there"));
    if is_there && word(0) == "be" && rest.len() > 1 {
        return (modal, noun_words(&rest[1..]));
    }
    let occurs = ["happen", "occur", "exist"].contains(&word(0))
        || word(0) == "take" && word(1) == "place"
        || word(0) == "be"
            && ["allowed", "permitted", "possible", "present", "made"].contains(&word(1))
            && rest.len() == 2;
    if occurs && !subject.is_empty() {
        return (modal, noun_words(subject));
    }
    // "must neither write files nor send email"
    if word(0) == "neither"
        && let Some(negated) = modal.negated()
    {
        return (negated, rest[1..].to_vec());
    }
    // "must run without network access", "must make no requests"
    let negated = modal.negated().filter(|_| modal.demands());
    if let Some(negated) = negated {
        if let Some(at) = lower.iter().position(|word| word == "without" || word == "offline") {
            let what = if lower[at] == "offline" { vec!["network".to_owned()] } else { rest[at + 1..].to_vec() };
            return (negated, noun_words(&what));
        }
        if word(1) == "no" && rest.len() > 2 {
            let verb = if ["have", "be", "contain", "include", "cause"].contains(&word(0)) {
                None
            } else {
                Some(rest[0].clone())
            };
            let what = noun_words(&rest[2..]);
            return (
                negated,
                verb.map_or(what, |verb| std::iter::once(verb).chain(rest[2..].iter().cloned()).collect()),
            );
        }
    }
    match word(0) {
        // "Files must not be written by the parser", "Mail is not sent"
        "be" | "get" if rest.len() > 1 => (modal, passive(subject, &rest[1..])),
        "have" if word(1) == "access" || word(1) == "any" && word(2) == "access" => {
            let at = if word(1) == "any" { 2 } else { 1 };
            (modal, rest[at..].to_vec())
        }
        "have" if rest.len() > 1 => (modal, noun_words(&rest[1..])),
        "cause" | "trigger" | "result" | "lead" | "involve" | "require" if rest.len() > 1 => {
            let skipped = usize::from(["in", "to"].contains(&word(1)));
            (modal, noun_words(&rest[1 + skipped..]))
        }
        "make" if word(1) == "use" && word(2) == "of" => {
            (modal, std::iter::once("use".to_owned()).chain(rest[3..].iter().cloned()).collect())
        }
        _ => (modal, rest.to_vec()),
    }
}

/// Returns the words of an effect in the passive, with the verb first: `written files` of "files must not be written".
fn passive(subject: &[String], rest: &[String]) -> Vec<String> {
    let Some((verb, after)) = rest.split_first() else { return Vec::new() };
    let subject = without_scope(subject);
    let end = after.iter().position(|word| word.eq_ignore_ascii_case("by")).unwrap_or(after.len());
    let after = &after[..end];
    std::iter::once(verb.clone()).chain(subject.iter().cloned()).chain(after.iter().cloned()).collect()
}

/// Returns the words of an effect that a noun names: `use network access`. The verb in "access to the network" is found later.
fn noun_words(words: &[String]) -> Vec<String> {
    let words: Vec<String> = words
        .iter()
        .filter(|word| !["any", "all", "whatsoever"].contains(&word.to_lowercase().as_str()))
        .cloned()
        .collect();
    match words.first() {
        None => Vec::new(),
        Some(first) if first.to_lowercase().ends_with("ing") && words.len() > 1 => words,
        Some(_) => std::iter::once("use".to_owned()).chain(words).collect(),
    }
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

/// The words for the code that a contract is about, after "this".
const SCOPES: &[&str] = &[
    "app",
    "application",
    "class",
    "code",
    "component",
    "crate",
    "directory",
    "file",
    "folder",
    "layer",
    "library",
    "module",
    "package",
    "program",
    "project",
    "repo",
    "repository",
    "service",
];

/// Returns whether a subject means no one, as in "Nothing here", "None of the handlers" and "No other programs", and the subject without
/// the word that says so.
fn without_none(subject: &[String]) -> (bool, Vec<String>) {
    let lower = lower(subject);
    let word = |at: usize| lower.get(at).map_or("", String::as_str);
    let skipped = match (word(0), word(1)) {
        ("nothing" | "nobody" | "no-one" | "noone", _) => 1,
        ("no", "one") | ("none", "of") | ("not", "a" | "one" | "any") => 2,
        ("none" | "neither" | "no", _) => 1,
        _ => return (false, subject.to_vec()),
    };
    let rest = clean(&subject[skipped..]);
    (true, rest)
}

/// Returns whether a subject has an exception: "Nothing but the mailer".
fn has_exception(subject: &[String]) -> bool {
    let lower = lower(subject);
    ["but", "except", "besides", "other than", "apart from", "unless", "save for"]
        .iter()
        .any(|phrase| find(&lower, phrase).is_some())
}

/// Returns words without those at the end that only name the code that the contract is about: "from here", "in this package".
fn without_scope(words: &[String]) -> Vec<String> {
    let lower = lower(words);
    let word = |back: usize| lower.len().checked_sub(back).and_then(|at| lower.get(at)).map_or("", String::as_str);
    let is_towards = |word: &str| ["in", "from", "by", "within", "inside"].contains(&word);
    let count = match (word(3), word(2), word(1)) {
        (towards, "this" | "our", scope) if is_towards(towards) && SCOPES.contains(&scope) => 3,
        (_, towards, "here" | "it") if is_towards(towards) => 2,
        (_, _, "here" | "anywhere") => 1,
        _ => return words.to_vec(),
    };
    let left = &words[..words.len() - count];
    if left.is_empty() { words.to_vec() } else { without_scope(left) }
}

/// Returns the words of an effect that does not exist: `network access` of "no network access", also in "no network access is allowed",
/// and `sent email` of "no email is sent".
fn absent(words: &[String]) -> Vec<String> {
    let words = without_scope(words);
    let lower = lower(&words);
    let is_verb = |at: &usize| {
        let after_relative = *at > 0 && ["that", "which", "who"].contains(&lower[at - 1].as_str());
        *at > 0 && ["is", "are", "gets", "get"].contains(&lower[*at].as_str()) && !after_relative
    };
    let Some(at) = (0..lower.len()).find(is_verb) else { return noun_words(&words) };
    let (thing, rest) = (without_scope(&words[..at]), &words[at + 1..]);
    let skipped = lower[at + 1..].iter().take_while(|word| ADVERBS.contains(&word.as_str())).count();
    let rest = &rest[skipped..];
    let said = rest.first().map(|word| word.to_lowercase()).unwrap_or_default();
    match said.as_str() {
        "" | "allowed" | "permitted" | "made" | "possible" | "acceptable" | "needed" | "used" => noun_words(&thing),
        _ => passive(&thing, rest),
    }
}

/// Returns the index of the noun in "No network access", "There must be no network access".
fn noun_phrase(lower: &[String]) -> Option<usize> {
    let word = |at: usize| lower.get(at).map_or("", String::as_str);
    let at = match (word(0), word(1), word(2), word(3)) {
        ("no", ..) => 1,
        ("there", "must" | "shall" | "should" | "may", "be", "no") => 4,
        ("there", "is" | "are", "no", _) => 3,
        _ => return None,
    };
    let ends = ["one", "longer", "more", "matter", "need", "way", "reason", "problem", "doubt", "effect"];
    (lower.len() > at && !ends.contains(&word(at))).then_some(at)
}

/// Returns the number of words before "is forbidden" at the end of a sentence.
fn forbidden_before(lower: &[String]) -> Option<usize> {
    let end = lower.iter().rposition(|word| ![".", ",", ";", ":", "here", "anywhere"].contains(&word.as_str()))? + 1;
    let at = FORBIDDEN_ENDS.iter().filter_map(|phrase| {
        let count = phrase.split(' ').count();
        let start = end.checked_sub(count).filter(|start| *start > 0)?;
        phrase.split(' ').eq(lower[start..end].iter().map(String::as_str)).then_some(start)
    });
    at.min()
}

/// Returns the modals of a sentence: the first word, the word after, the modal and its strength.
fn modals(lower: &[String]) -> Vec<(usize, usize, Modal, Strength)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lower.len() {
        let fits = |phrase: &str| {
            let count = phrase.split(' ').count();
            lower.get(at..at + count).is_some_and(|part| part.iter().map(String::as_str).eq(phrase.split(' ')))
        };
        let longest = MODALS.iter().filter(|(phrase, ..)| fits(phrase)).max_by_key(|(phrase, ..)| phrase.len());
        match longest {
            Some((phrase, modal, strength)) => {
                let end = at + phrase.split(' ').count();
                found.push((at, end, *modal, *strength));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

fn find(lower: &[String], phrase: &str) -> Option<usize> {
    let count = phrase.split(' ').count();
    lower.windows(count).position(|part| part.iter().map(String::as_str).eq(phrase.split(' ')))
}

/// Returns the words of a sentence. Commas and colons are words of their own, and short forms are written out.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in text.replace('’', "'").split_whitespace() {
        let word = word.trim_start_matches(['"', '\'', '(', '[', '*', '_', '`', '“']);
        let bare = word.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '”', '.', '!', '?', ',', ';', ':']);
        let mark = word[bare.len()..].chars().find(|char| matches!(char, ',' | ';' | ':'));
        let lower = bare.to_lowercase();
        let short = match lower.as_str() {
            "can't" => Some("can not"),
            "won't" => Some("will not"),
            "shan't" => Some("shall not"),
            _ => None,
        };
        let written_out =
            short.map(str::to_owned).or_else(|| lower.strip_suffix("n't").map(|verb| format!("{verb} not")));
        let modal = ["must", "shall", "should", "may"]
            .iter()
            .find(|modal| lower.strip_prefix(**modal).is_some_and(|rest| rest == "_not" || rest == "-not"));
        if let Some(written_out) = written_out.or_else(|| modal.map(|modal| format!("{modal} not"))) {
            all.extend(written_out.split(' ').map(str::to_owned));
        } else if !bare.is_empty() {
            all.push(bare.to_owned());
        }
        all.extend(mark.map(String::from));
    }
    all
}

fn lower(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.to_lowercase()).collect()
}

/// Removes marks and joining words from both ends.
fn clean(words: &[String]) -> Vec<String> {
    let is_mark = |word: &String| [",", ";", ":", "and", "but", "–", "-", "—"].contains(&word.to_lowercase().as_str());
    let start = words.iter().position(|word| !is_mark(word)).unwrap_or(words.len());
    let end = words.iter().rposition(|word| !is_mark(word)).map_or(start, |at| at + 1);
    words[start..end].to_vec()
}

fn is_only(words: &[String]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case("only"))
}

fn shown(text: &str) -> String {
    text.trim().trim_end_matches(['.', ';', ' ']).trim_matches('`').to_owned()
}
