//! The effects of commands and of actions of GitHub, by the table `commands.toml`.
//!
//! In: the words of a command. Out: its effects, and the kind of code that it runs. The longest match of its leading words applies.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;

use diffsan_contracts::vocabulary::Vocabulary;

use super::step::is_unknown;
use super::words::is_name;

/// The code that a command runs besides its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Runs {
    /// The rest of the line, which is a command.
    Arguments,
    /// A text of a shell: the value of the option, or all arguments.
    Text,
    /// A program whose file the arguments name.
    Program,
    /// Tasks of the project that are not read.
    Tasks,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    entries: Vec<Entry>,
    #[serde(default)]
    actions: Vec<ActionEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    commands: Vec<String>,
    #[serde(default)]
    effects: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    skip: usize,
    #[serde(default)]
    runs: Option<Runs>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionEntry {
    uses: Vec<String>,
    effects: Vec<String>,
}

/// An entry of the table for a command, or for a command with options.
#[derive(Debug)]
struct Row {
    /// The words behind the name of the command.
    words: Vec<SmolStr>,
    effects: Vec<usize>,
    /// The options of which one must be given. Empty if the row always applies.
    options: Vec<SmolStr>,
    /// The options of which none may be given.
    unless: Vec<SmolStr>,
    /// The number of words before the command that the command runs.
    skip: usize,
    runs: Option<Runs>,
}

impl Row {
    fn applies(&self, words: &[SmolStr]) -> bool {
        let is_given = |option: &SmolStr| words.iter().any(|word| has_option(word, option));
        // An option that excludes effects must be exactly this one, and is none behind `--`.
        let is_excluded = |option: &SmolStr| words.iter().take_while(|word| *word != "--").any(|word| word == option);
        (self.options.is_empty() || self.options.iter().any(is_given)) && !self.unless.iter().any(is_excluded)
    }
}

/// The entries of the table that apply to the words of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// The leading words that were found: `git clone`.
    pub(crate) name: String,
    /// The index of the first word behind them.
    pub(crate) rest: usize,
    pub(crate) effects: BTreeSet<usize>,
    /// The kinds of code that the command runs, with the options that say so.
    pub(crate) runs: BTreeMap<Runs, Vec<SmolStr>>,
    /// The index of the first word of the command in its arguments. The number of words if it runs none.
    pub(crate) inner: usize,
    /// Whether an option that is known only when the script runs could add an effect.
    pub(crate) has_unknown_options: bool,
}

/// The words of a subcommand. Empty for the command itself.
type Subcommand = Arc<[SmolStr]>;

/// The effects of commands and of actions.
#[derive(Debug, Default)]
pub(crate) struct CommandTable {
    /// The rows by the name of the command.
    rows: HashMap<SmolStr, Vec<Row>>,
    /// The options with a value, by the name of the command, with the subcommands to which they belong.
    values: HashMap<SmolStr, HashMap<SmolStr, Vec<Subcommand>>>,
    actions: HashMap<String, BTreeSet<usize>>,
}

impl CommandTable {
    /// Reads a table. Returns a description of the problem for one that cannot be used.
    pub(crate) fn load(text: &str, vocabulary: &Vocabulary) -> Result<Self, String> {
        let file: TableFile = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let index =
            |effect: &String| vocabulary.effect_index(effect).ok_or_else(|| format!("unknown effect `{effect}`"));
        let mut table = Self::default();
        for entry in file.entries {
            let effects: Vec<usize> = entry.effects.iter().map(index).collect::<Result<_, _>>()?;
            for command in &entry.commands {
                let mut words = command.split_whitespace().map(SmolStr::new);
                let Some(name) = words.next() else { return Err("a command has no name".to_owned()) };
                let words: Vec<SmolStr> = words.collect();
                let subcommand: Subcommand = words.iter().filter(|word| !word.starts_with('-')).cloned().collect();
                let values = table.values.entry(name.clone()).or_default();
                for option in &entry.values {
                    values.entry(option.into()).or_default().push(Arc::clone(&subcommand));
                }
                table.rows.entry(name).or_default().push(Row {
                    words,
                    effects: effects.clone(),
                    options: entry.options.iter().map(SmolStr::new).collect(),
                    unless: entry.unless.iter().map(SmolStr::new).collect(),
                    skip: entry.skip,
                    runs: entry.runs,
                });
            }
        }
        for action in file.actions {
            let effects = action.effects.iter().map(index).collect::<Result<BTreeSet<usize>, _>>()?;
            for name in action.uses {
                table.actions.entry(name.to_lowercase()).or_default().extend(&effects);
            }
        }
        Ok(table)
    }

    /// Returns the effects that commands have.
    pub(crate) fn effects(&self) -> impl Iterator<Item = usize> {
        self.rows.values().flatten().flat_map(|row| &row.effects).copied()
    }

    /// Returns the effects of an action by its name without a version, or `None` for one that is not listed.
    pub(crate) fn action(&self, name: &str) -> Option<&BTreeSet<usize>> {
        self.actions.get(&name.to_lowercase())
    }

    /// Returns the name of a command with the first word behind it, if the table has other words behind the name.
    pub(crate) fn with_subcommand(&self, words: &[SmolStr]) -> Option<String> {
        let name = words.first()?;
        let (listed, _) = self.rows_of(name)?;
        let operand = self.operands(listed, words).first().and_then(|at| words.get(*at));
        Some(operand.map_or_else(|| name.to_string(), |operand| format!("{name} {operand}")))
    }

    /// Returns whether an option of a command has its value in the next word. `before` are the words before it that are no options. An option
    /// of a subcommand can stand before its name, too, but not behind that of another one.
    pub(crate) fn takes_value<'w>(
        &self,
        name: &str,
        before: impl Iterator<Item = &'w SmolStr> + Clone,
        option: &str,
    ) -> bool {
        let subcommands = self.values.get(name).and_then(|values| values.get(option));
        let fits = |subcommand: &Subcommand| before.clone().zip(&**subcommand).all(|(word, known)| word == known);
        subcommands.is_some_and(|subcommands| subcommands.iter().any(fits))
    }

    /// Returns what is known about a command, or `None` for one that is not listed. `words` begins with its name without folders.
    pub(crate) fn command(&self, words: &[SmolStr]) -> Option<Known> {
        let first = words.first()?;
        let (name, rows) = self.rows_of(first)?;
        let operands = self.operands(name, words);
        let fits = |row: &&Row| leads(&row.words, &operands, words);
        let wraps = |row: &&Row| row.runs == Some(Runs::Arguments) && row.options.is_empty();
        let wrapper = rows.iter().filter(fits).filter(wraps).max_by_key(|row| row.words.len());
        // The options behind the name of another command are those of that command.
        let inner = wrapper.map_or(words.len(), |row| {
            self.inner((name, &row.words), words, (last_of(&row.words, &operands, words) + 1, row.skip))
        });
        let own = words.get(1..inner).unwrap_or_default();
        let applies = |row: &&Row| row.applies(own);
        let longest = rows.iter().filter(fits).filter(applies).map(|row| row.words.len()).max()?;
        let mut known = Known { name: first.to_string(), rest: 1, inner, ..Known::default() };
        let mut optional = BTreeSet::new();
        for row in rows.iter().filter(fits) {
            let is_exact = row.words.len() == longest;
            if !applies(&row) {
                optional.extend(row.effects.iter().copied());
                continue;
            }
            // An option of the command adds its effects to each subcommand.
            if !is_exact && row.options.is_empty() {
                continue;
            }
            known.effects.extend(&row.effects);
            if let Some(runs) = row.runs {
                known.runs.entry(runs).or_default().extend(row.options.iter().cloned());
            }
            if is_exact && known.rest == 1 && !row.words.is_empty() {
                known.name =
                    std::iter::once(first).chain(&row.words).map(SmolStr::as_str).collect::<Vec<_>>().join(" ");
                known.rest = last_of(&row.words, &operands, words) + 1;
            }
        }
        let is_open = own.iter().any(|word| word.starts_with(super::step::SPLIT) && word.len() == 1);
        known.has_unknown_options = is_open && !optional.is_subset(&known.effects);
        let is_possible = |row: &&Row| !fits(row) && may_lead(&row.words, &operands, words);
        let does_more =
            |row: &Row| row.runs.is_some() || row.effects.iter().any(|effect| !known.effects.contains(effect));
        let may_do_more = rows.iter().filter(is_possible).filter(applies).any(does_more);
        known.has_unknown_options |= may_do_more;
        Some(known)
    }

    /// Returns the rows of a command. `python3.12` is `python3`, or `python`.
    fn rows_of(&self, name: &str) -> Option<(&str, &Vec<Row>)> {
        let base = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
        let version = &name[base.len()..];
        let is_version = version.contains('.') || version.starts_with('-') || ["python", "pip"].contains(&base);
        let major = name.split('.').next().unwrap_or(name);
        let mut names = [name, major, base].into_iter().take(if is_version { 3 } else { 1 });
        names.find_map(|name| self.rows.get_key_value(name).map(|(name, rows)| (name.as_str(), rows)))
    }

    /// Returns the index of the first word of the command in the arguments of another one: behind options, variables and `skip` words.
    fn inner(
        &self,
        (name, subcommand): (&str, &[SmolStr]),
        words: &[SmolStr],
        (mut at, mut skip): (usize, usize),
    ) -> usize {
        while let Some(word) = words.get(at) {
            let is_option = word.starts_with('-') && word.len() > 1;
            if !is_option && !word.split_once('=').is_some_and(|(name, _)| is_name(name)) {
                let Some(left) = skip.checked_sub(1) else { break };
                skip = left;
            }
            at += 1 + usize::from(is_option && self.takes_value(name, subcommand.iter(), word));
        }
        at.min(words.len())
    }

    /// Returns the indexes of the words that are neither options nor their values, behind the name.
    pub(crate) fn operands(&self, name: &str, words: &[SmolStr]) -> Vec<usize> {
        let mut operands = Vec::new();
        let mut at = 1;
        while let Some(word) = words.get(at) {
            // `cargo +nightly build` names a toolchain.
            if word.starts_with('-') && word.len() > 1 || word.starts_with('+') && name == "cargo" {
                at += usize::from(self.takes_value(name, operands.iter().map(|at: &usize| &words[*at]), word));
            } else {
                operands.push(at);
            }
            at += 1;
        }
        operands
    }
}

/// Returns whether words of the table are the leading words of a command. One that is an option can be anywhere.
fn leads(row: &[SmolStr], operands: &[usize], words: &[SmolStr]) -> bool {
    let mut operands = operands.iter().filter_map(|at| words.get(*at));
    row.iter().all(|word| match word.starts_with('-') {
        true => words.contains(word),
        false => operands.next() == Some(word),
    })
}

/// Returns whether words of the table can be the leading words of a command of which some are known only when the script runs.
fn may_lead(row: &[SmolStr], operands: &[usize], words: &[SmolStr]) -> bool {
    let mut operands = operands.iter().filter_map(|at| words.get(*at));
    for word in row {
        if word.starts_with('-') && words.contains(word) {
            continue;
        }
        match operands.next() {
            Some(operand) if operand.starts_with(super::step::SPLIT) => return true,
            Some(operand) if operand == word || is_unknown(operand) => {}
            _ => return false,
        }
    }
    true
}

/// Returns the index of the last word of a command that the words of the table stand for.
fn last_of(row: &[SmolStr], operands: &[usize], words: &[SmolStr]) -> usize {
    let named = row.iter().filter(|word| !word.starts_with('-')).count();
    let operand = named.checked_sub(1).and_then(|at| operands.get(at)).copied().unwrap_or(0);
    let options = row.iter().filter(|word| word.starts_with('-'));
    let option = options.filter_map(|option| words.iter().position(|word| word == option)).max().unwrap_or(0);
    operand.max(option)
}

/// Returns whether a word of a command is an option, with its value or with other options of one letter: `-i.bak`, `--in-place=x`, `-ni`.
pub(crate) fn has_option(word: &str, option: &str) -> bool {
    if word == option {
        return true;
    }
    if option.starts_with("--") {
        return word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='));
    }
    let Some(letter) = option.strip_prefix('-').filter(|letter| letter.chars().count() == 1) else { return false };
    let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { return false };
    let letters: &str = letters.split(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default();
    letters.starts_with(letter) || letters.len() <= 6 && letters.contains(letter)
}
