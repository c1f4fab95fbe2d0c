//! The variables of a script: those that it sets, and those whose value its text shows.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;
use tree_sitter::Node;

use super::Names;
use super::words::{Words, is_name};

/// Variables that the shell itself sets. They are no environment that a caller gives to the script.
const OF_SHELL: &[&str] = &[
    "PWD",
    "OLDPWD",
    "IFS",
    "RANDOM",
    "SRANDOM",
    "LINENO",
    "OPTARG",
    "OPTIND",
    "OPTERR",
    "UID",
    "EUID",
    "PPID",
    "SECONDS",
    "FUNCNAME",
    "REPLY",
    "PIPESTATUS",
    "SHLVL",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "COMP_WORDS",
    "COMP_CWORD",
    "COMPREPLY",
    "DIRSTACK",
    "GROUPS",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "BASH",
    "BASHPID",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "MAPFILE",
    "COLUMNS",
    "LINES",
];

/// An assignment: the name, the range of the value, and the end.
type Candidate = (SmolStr, Option<(usize, usize)>, usize);

/// The variables of a script.
#[derive(Default)]
pub(crate) struct Variables {
    assigned: BTreeSet<SmolStr>,
    /// The values of the variables that are set once, for the text behind an offset.
    constants: HashMap<SmolStr, (usize, SmolStr)>,
    /// The number of times that a variable is set.
    counts: HashMap<SmolStr, usize>,
    /// The assignments that every run of the script makes, in order.
    candidates: Vec<Candidate>,
    /// Whether the script runs other texts in its own shell, which can set variables.
    loads_others: bool,
}

impl Variables {
    /// Records that a statement sets a variable in a way that the text does not show.
    pub(crate) fn set(&mut self, name: &str) {
        self.assigned.insert(name.into());
        *self.counts.entry(name.into()).or_default() += 2;
    }

    /// Records a word of a command. The command can set the variable of this name.
    pub(crate) fn mention(&mut self, name: &str, sets: bool) {
        if is_name(name) {
            if sets {
                self.assigned.insert(name.into());
            }
            *self.counts.entry(name.into()).or_default() += 2;
        }
    }

    /// Records that the script runs another text in its own shell.
    pub(crate) fn load_others(&mut self) {
        self.loads_others = true;
    }

    /// Records an assignment. `always` tells whether every run of the script makes it.
    pub(crate) fn assign(&mut self, node: Node<'_>, text: &str, always: bool) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let is_plain = name.kind() == "variable_name";
        let name = name.child_by_field_name("name").unwrap_or(name);
        let Some(name) = text.get(name.byte_range()).map(SmolStr::new) else { return };
        let adds = node.child(1).is_some_and(|operator| operator.kind() == "+=");
        *self.counts.entry(name.clone()).or_default() += if always && is_plain && !adds { 1 } else { 2 };
        self.assigned.insert(name.clone());
        if always && is_plain && !adds {
            let value = node.child_by_field_name("value");
            self.candidates.push((name, value.map(|value| (value.start_byte(), value.end_byte())), node.end_byte()));
        }
    }

    /// Finds the values of the variables that are set once. `value` returns the word in a part of the text.
    pub(crate) fn find_constants(&mut self, value: impl Fn(&Self, usize, usize) -> Option<SmolStr>) {
        if self.loads_others {
            return;
        }
        for (name, range, end) in std::mem::take(&mut self.candidates) {
            if self.counts.get(&name) != Some(&1) {
                continue;
            }
            let word = match range {
                Some((start, end)) => value(self, start, end),
                None => Some(SmolStr::default()),
            };
            if let Some(word) = word.filter(|word| !super::step::is_unknown(word)) {
                self.constants.insert(name, (end, word));
            }
        }
    }

    /// Returns the value of a variable at an offset, if the text shows it.
    pub(crate) fn value(&self, name: &str, at: usize) -> Option<&SmolStr> {
        self.constants.get(name).filter(|(end, _)| *end <= at).map(|(_, value)| value)
    }

    /// Returns whether a variable is one that the environment gives to the script.
    pub(crate) fn is_of_environment(&self, name: &str, given: &Names) -> bool {
        let is_constant = name.len() > 1
            && name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_');
        is_constant
            && !self.assigned.contains(name)
            && !given.contains(name)
            && !OF_SHELL.contains(&name)
            && !name.starts_with("BASH_")
    }

    /// Returns the words of a text with the known values of these variables.
    pub(crate) fn words<'a>(&'a self, text: &'a str) -> Words<'a> {
        Words { text, variables: self }
    }
}
