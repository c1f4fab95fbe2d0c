//! Replaces the references in a text of a makefile by their values: `$(NAME)`, `$@`, `$(call f,x)`.
//!
//! Only a variable that is set once has a known value. All else becomes a part that is known only when make runs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::super::step::{OWN_FOLDER, SPLIT, UNKNOWN, is_unknown};
use super::super::words::names_list;
use super::statements::{Variable, after_reference};
use super::words;

/// The maximum nesting of references and values.
const MAX_DEPTH: usize = 24;
/// The maximum length in bytes of a value. A longer one is not known.
const MAX_VALUE_BYTES: usize = 65_536;
/// The maximum number of bytes that all texts of a file have together behind their expansion.
const MAX_BYTES: usize = 8_000_000;
/// The values of variables that make sets itself.
const BUILT_IN: &[(&str, &str)] = &[
    ("MAKE", "make"),
    ("RM", "rm -f"),
    ("CC", "cc"),
    ("CXX", "c++"),
    ("CPP", "cc -E"),
    ("AR", "ar"),
    ("AS", "as"),
    ("LD", "ld"),
    ("LEX", "lex"),
    ("YACC", "yacc"),
    ("FC", "f77"),
];
/// Functions that only compute, and whose result is not known here.
const FUNCTIONS: &[&str] = &[
    "subst",
    "findstring",
    "filter",
    "filter-out",
    "word",
    "wordlist",
    "words",
    "firstword",
    "lastword",
    "dir",
    "notdir",
    "suffix",
    "basename",
    "join",
    "wildcard",
    "realpath",
    "abspath",
    "if",
    "or",
    "and",
    "intcmp",
    "let",
    "foreach",
    "value",
    "origin",
    "flavor",
];

/// An effect of the expansion of a text.
#[derive(Debug)]
pub(super) enum Effect {
    /// It runs a command.
    Shell(String),
    /// It writes a file.
    Write(String),
    /// It reads a text as a part of the makefile, or runs another language.
    Unread(String),
}

/// The state of an expansion.
#[derive(Clone, Copy)]
struct State<'s> {
    depth: usize,
    /// The arguments of the innermost `$(call …)`.
    arguments: &'s [String],
    /// Whether effects are recorded. Those of a value are recorded where it is assigned.
    records: bool,
}

pub(super) struct Expander<'t> {
    variables: &'t HashMap<&'t str, Variable<'t>>,
    /// The values of variables, without arguments. `None` for one that is being expanded.
    values: RefCell<HashMap<&'t str, Option<Rc<str>>>>,
    effects: RefCell<Vec<Effect>>,
    /// The number of bytes that may still be made.
    left: Cell<usize>,
}

impl<'t> Expander<'t> {
    pub(super) fn new(variables: &'t HashMap<&'t str, Variable<'t>>) -> Self {
        Self { variables, values: RefCell::default(), effects: RefCell::default(), left: Cell::new(MAX_BYTES) }
    }

    /// Returns whether the texts were too long to be expanded.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// Returns what make has done since the last call.
    pub(super) fn take_effects(&self) -> Vec<Effect> {
        std::mem::take(&mut self.effects.borrow_mut())
    }

    /// Returns a text with the values of its references.
    pub(super) fn expand(&self, text: &str) -> String {
        self.expanded(text, State { depth: MAX_DEPTH, arguments: &[], records: true })
    }

    fn expanded(&self, text: &str, state: State<'_>) -> String {
        let Some(depth) = state.depth.checked_sub(1).filter(|_| !self.is_exhausted()) else {
            return UNKNOWN.to_string();
        };
        let state = State { depth, ..state };
        let mut found = String::new();
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'$', rest.as_bytes()) {
            found.push_str(&rest[..at]);
            let end = after_reference(rest, at);
            let inside = &rest[at + 1..end];
            match inside.chars().next() {
                Some('$') => found.push('$'),
                Some('(' | '{') => {
                    let inside = &inside[1..];
                    let inside = inside.strip_suffix([')', '}']).unwrap_or(inside);
                    found.push_str(&self.reference(inside, state));
                }
                _ => found.push_str(&self.variable(inside, state)),
            }
            rest = &rest[end..];
            if found.len() > MAX_VALUE_BYTES {
                break;
            }
        }
        found.push_str(rest);
        // Each expansion costs something, also an empty one.
        let left = self.left.get().saturating_sub(found.len() + 16);
        self.left.set(left);
        if found.len() > MAX_VALUE_BYTES || left == 0 { UNKNOWN.to_string() } else { found }
    }

    fn record(&self, effect: Effect, state: State<'_>) {
        if state.records {
            self.effects.borrow_mut().push(effect);
        }
    }

    /// Returns the value of a reference. `inside` is the text between its parentheses.
    fn reference(&self, inside: &str, state: State<'_>) -> String {
        let (name, rest) = inside.split_once([' ', '\t', '\n']).unwrap_or((inside, ""));
        let all = |text: &str| self.expanded(text, state);
        match name {
            "shell" => {
                let command = all(rest);
                self.record(Effect::Shell(command), state);
                UNKNOWN.to_string()
            }
            "info" | "warning" | "error" if !rest.is_empty() => {
                all(rest);
                String::new()
            }
            "eval" | "guile" => {
                let code = all(rest);
                self.record(Effect::Unread(code), state);
                String::new()
            }
            "file" => {
                let file = arguments(rest).first().map(|file| all(file)).unwrap_or_default();
                let file = file.trim();
                if let Some(file) = file.strip_prefix('>') {
                    self.record(Effect::Write(file.trim_start_matches('>').trim().to_owned()), state);
                }
                UNKNOWN.to_string()
            }
            "strip" | "sort" => all(rest),
            "call" => self.call(rest, state),
            "addprefix" | "addsuffix" | "patsubst" => self.changed_words(name, rest, state),
            _ if FUNCTIONS.contains(&name) && !rest.is_empty() => {
                for argument in arguments(rest) {
                    all(argument);
                }
                UNKNOWN.to_string()
            }
            _ => match inside.split_once(':').and_then(|(name, change)| Some((name, change.split_once('=')?))) {
                Some((name, (from, to))) => {
                    let value = self.variable(&all(name), state);
                    let (from, to) = (all(from), all(to));
                    let is_pattern = from.contains('%');
                    let whole = |part: &str| if is_pattern { part.to_owned() } else { format!("%{part}") };
                    replaced(&value, &whole(&from), &whole(&to))
                }
                None => self.variable(&all(inside), state),
            },
        }
    }

    /// Returns the value of a variable, or a part that is not known.
    fn variable(&self, name: &str, state: State<'_>) -> String {
        let unknown = || if names_list(name) { SPLIT } else { UNKNOWN }.to_string();
        if let Ok(number) = name.parse::<usize>()
            && !state.arguments.is_empty()
        {
            return state.arguments.get(number).cloned().unwrap_or_default();
        }
        if name == "CURDIR" {
            return OWN_FOLDER.to_string();
        }
        let Some((&name, variable)) = self.variables.get_key_value(name) else {
            return BUILT_IN
                .iter()
                .find(|(known, _)| *known == name)
                .map_or_else(unknown, |(_, value)| (*value).to_owned());
        };
        if variable.varies || variable.count != 1 {
            return unknown();
        }
        // A value that depends on the arguments of a call is expanded for each of them.
        if !state.arguments.is_empty() {
            return self.expanded(&variable.value, State { records: false, ..state });
        }
        if let Some(known) = self.values.borrow().get(name) {
            return known.as_ref().map_or_else(unknown, ToString::to_string);
        }
        self.values.borrow_mut().insert(name, None);
        let value: Rc<str> = self.expanded(&variable.value, State { records: false, ..state }).into();
        self.values.borrow_mut().insert(name, Some(Rc::clone(&value)));
        value.to_string()
    }

    /// Returns the value of a variable with arguments: `$(call f,x)`. What it runs is recorded here, because it depends on them.
    fn call(&self, rest: &str, state: State<'_>) -> String {
        let parts: Vec<String> = arguments(rest).into_iter().map(|part| self.expanded(part, state)).collect();
        let name = parts.first().map_or("", |name| name.trim());
        if is_unknown(name) {
            self.record(Effect::Unread(rest.to_owned()), state);
            return UNKNOWN.to_string();
        }
        match self.variables.get(name) {
            Some(variable) if !variable.varies && variable.count == 1 => {
                self.expanded(&variable.value, State { arguments: &parts, ..state })
            }
            Some(_) => UNKNOWN.to_string(),
            // A function of make can be called, too: `$(call shell,rm x)`.
            None => match state.depth.checked_sub(1) {
                Some(depth) => self.reference(&format!("{name} {}", parts[1..].join(",")), State { depth, ..state }),
                None => UNKNOWN.to_string(),
            },
        }
    }

    fn changed_words(&self, name: &str, rest: &str, state: State<'_>) -> String {
        let parts: Vec<String> = arguments(rest).into_iter().map(|part| self.expanded(part, state)).collect();
        match (name, parts.as_slice()) {
            ("addprefix", [prefix, list]) => joined(words(list).map(|word| format!("{}{word}", prefix.trim()))),
            ("addsuffix", [suffix, list]) => joined(words(list).map(|word| format!("{word}{}", suffix.trim()))),
            ("patsubst", [from, to, list]) => replaced(list, from.trim(), to.trim()),
            _ => UNKNOWN.to_string(),
        }
    }
}

/// Returns the arguments of a function, which commas outside of references separate.
fn arguments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut depth = 0_usize;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'$' => {
                at = after_reference(text, at);
                continue;
            }
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(&text[start..]);
    found
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<String>>().join(" ")
}

/// Returns a list with the words that have a pattern changed to another: `%.c` to `%.o`. A word that is not known stays so.
fn replaced(list: &str, from: &str, to: &str) -> String {
    let change = |word: &str| -> String {
        if is_unknown(word) || is_unknown(from) {
            return UNKNOWN.to_string();
        }
        let stem = match from.split_once('%') {
            Some((before, after)) => word.strip_prefix(before).and_then(|word| word.strip_suffix(after)),
            None => (word == from).then_some(""),
        };
        stem.map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
    };
    joined(list.split_whitespace().map(change))
}
