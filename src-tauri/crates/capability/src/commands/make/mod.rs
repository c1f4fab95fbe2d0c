//! Reads a makefile: its rules are tasks, whose recipes are texts of a shell.
//!
//! In: the text of a makefile. Out: a definition for each rule with the commands of its recipe and its prerequisites, and the steps that
//! reading the makefile runs itself: `$(shell …)` and included files. `statements` finds the parts, and `expand` replaces the variables.
//! Both branches of a condition are read.

mod command;
mod expand;
mod statements;

use smol_str::SmolStr;

use super::shell::{self, Lines};
use super::step::{SPLIT, Step, UNKNOWN};
use super::words::{SHELLS, in_shell};
use super::{Commands, Names};
use crate::facts::UnitKind;
use expand::{Effect, Expander};
use statements::{Rule, Statement, Statements};

/// The maximum number of prerequisites of a file that are read.
const MAX_PREREQUISITES: usize = 100_000;
/// Targets that set how make works.
const SPECIAL: &[&str] = &[
    ".PHONY",
    ".SUFFIXES",
    ".PRECIOUS",
    ".INTERMEDIATE",
    ".NOTINTERMEDIATE",
    ".SECONDARY",
    ".SECONDEXPANSION",
    ".DELETE_ON_ERROR",
    ".IGNORE",
    ".LOW_RESOLUTION_TIME",
    ".SILENT",
    ".EXPORT_ALL_VARIABLES",
    ".NOTPARALLEL",
    ".ONESHELL",
    ".POSIX",
    ".WAIT",
];
/// Stands for a part of a name that is known only when make runs.
pub(super) const WILDCARD: char = '…';

/// Adds the steps of a makefile.
pub(super) fn read(found: &mut Commands, text: &str) {
    let statements = statements::read(text);
    found.hides_code |= statements.hides_code;
    let expander = Expander::new(&statements.variables);
    let given = statements.variables.keys().map(|name| (*name).to_owned()).collect();
    let is_special = |rule: &Rule<'_>, name: &str| rule.targets.split_whitespace().any(|target| target == name);
    let rules =
        || statements.all.iter().filter_map(|(_, one)| if let Statement::Rule(rule) = one { Some(rule) } else { None });
    let mut reader = Reader {
        found,
        one_shell: rules().any(|rule| is_special(rule, ".ONESHELL")),
        expands_twice: rules().any(|rule| is_special(rule, ".SECONDEXPANSION")),
        has_other_shell: !statements.shells.iter().all(|shell| is_read(shell))
            || !statements.shell_options.iter().all(|options| are_options(options)),
        expander,
        given,
        prerequisites: 0,
    };
    reader.read(&statements);
    reader.found.hides_code |= reader.expander.is_exhausted() || reader.prerequisites > MAX_PREREQUISITES;
}

/// Returns whether the value of `SHELL` is a shell that is read: `/bin/bash`, `/usr/bin/env bash`, `$(shell which bash)`.
fn is_read(shell: &str) -> bool {
    let is_shell = |word: &&str| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word));
    let found = ["$(shell which ", "$(shell command -v ", "$(shell type -p ", "/usr/bin/env "];
    let program =
        found.iter().find_map(|start| shell.strip_prefix(start)).map_or(shell, |rest| rest.trim_end_matches(')'));
    let mut words = program.split_whitespace();
    words.next().filter(is_shell).is_some() && words.all(|word| word.starts_with('-'))
}

/// Returns whether the options of the shell only say how it runs a recipe.
fn are_options(options: &str) -> bool {
    const NAMES: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "noglob", "posix"];
    options.split_whitespace().all(|word| word.starts_with('-') && !word.contains('$') || NAMES.contains(&word))
}

/// Returns a variable that two makefiles of which one includes the other set both, so that neither shows its value.
pub(super) fn common_variable(one: &str, other: &str) -> Option<String> {
    let (one, other) = (statements::read(one), statements::read(other));
    let mut names: Vec<&&str> = one.variables.keys().filter(|name| other.variables.contains_key(*name)).collect();
    names.sort();
    names.first().map(|name| (**name).to_owned())
}

struct Reader<'a> {
    found: &'a mut Commands,
    expander: Expander<'a>,
    /// The variables that the makefile gives to its recipes.
    given: Names,
    /// Whether a recipe runs in one shell, not each of its lines.
    one_shell: bool,
    /// Whether prerequisites are expanded a second time.
    expands_twice: bool,
    /// Whether recipes run in a shell that is not read.
    has_other_shell: bool,
    /// The number of prerequisites that were read.
    prerequisites: usize,
}

impl Reader<'_> {
    fn read(&mut self, statements: &Statements<'_>) {
        let mut has_default = statements.goal.is_some();
        if let Some((line, goal)) = &statements.goal {
            let goal = self.expanded(0, goal, *line);
            self.found.add(Step::Default(goal.trim().into()), *line);
        }
        for (line, statement) in &statements.all {
            match statement {
                Statement::Expand(text) => {
                    let text = self.expanded(0, text, *line);
                    if !text.trim().is_empty() {
                        self.unread(0, &text, "the text that make makes here is not read", *line);
                    }
                }
                // The value is used where the variable is.
                Statement::Value(text) => _ = self.expanded(0, text, *line),
                Statement::Shell(command) => {
                    let command = self.expanded(0, command, *line);
                    self.shell(0, &command, Lines::At(*line));
                }
                Statement::Unread(text) => self.unread(0, text, "this statement of make is not read", *line),
                Statement::Include(names) => {
                    for name in self.expanded(0, names, *line).split_whitespace() {
                        self.found.include(name, *line);
                    }
                }
                Statement::Rule(rule) => has_default = self.rule(rule, *line, has_default),
            }
        }
    }

    /// Adds a rule, and returns whether a rule so far is the one that make runs without a target.
    fn rule(&mut self, rule: &Rule<'_>, line: u32, has_default: bool) -> bool {
        let targets = self.expanded(0, rule.targets, line);
        let names: Vec<String> = targets
            .split_whitespace()
            .filter(|name| !SPECIAL.contains(name))
            .map(|name| name.replace([UNKNOWN, SPLIT], &WILDCARD.to_string()))
            .collect();
        if names.is_empty() {
            return has_default;
        }
        let unit = self.found.define(&names.join(" "), UnitKind::Task, (line, rule.end.max(line)), 0);
        self.prerequisites(unit, rule, line);
        self.recipe(unit, rule);
        let is_default = |name: &&String| !name.contains('%') && (!name.starts_with('.') || name.contains('/'));
        if let Some(first) = names.iter().find(is_default).filter(|_| !has_default) {
            self.found.add(Step::Default(first.into()), line);
            // Another one is the first if the condition does not hold.
            return !rule.is_conditional;
        }
        has_default
    }

    fn prerequisites(&mut self, unit: usize, rule: &Rule<'_>, line: u32) {
        let text = self.expanded(unit, rule.prerequisites, line);
        for word in text.split_whitespace() {
            self.prerequisites += 1;
            let is_name = word != "|" && word != ".WAIT" && !word.starts_with("-l");
            if !is_name || self.prerequisites > MAX_PREREQUISITES {
                continue;
            }
            let is_made_later = self.expands_twice && word.contains('$');
            let name = if is_made_later { UNKNOWN.to_string() } else { word.replace(['%', '*'], &UNKNOWN.to_string()) };
            self.found.add_in(unit, Step::Prerequisite(name.into()), line);
        }
    }

    /// Adds the commands of a recipe.
    fn recipe(&mut self, unit: usize, rule: &Rule<'_>) {
        let Some((_, first)) = rule.recipe.first() else { return };
        if self.has_other_shell {
            let text: Vec<&str> = rule.recipe.iter().map(|(text, _)| *text).collect();
            return self.unread(unit, &text.join("\n"), "its shell is not read", *first);
        }
        if self.one_shell {
            let lines: Vec<String> = rule.recipe.iter().map(|(text, line)| self.expanded(unit, text, *line)).collect();
            let text: Vec<&str> = lines.iter().map(|line| without_prefix(line)).collect();
            let text = text.join("\n");
            // A line that is expanded to several ones moves those behind it.
            let (last, start) =
                rule.recipe.last().map_or((*first, 0), |(text, line)| (*line, text.matches('\n').count()));
            let is_in_place = text.matches('\n').count() == last.saturating_sub(*first) as usize + start;
            return self.shell(unit, &text, if is_in_place { Lines::From(*first) } else { Lines::At(*first) });
        }
        for (raw, line) in &rule.recipe {
            let text = self.expanded(unit, raw, *line);
            if text.matches('\n').count() == raw.matches('\n').count() {
                self.shell(unit, without_prefix(&text), Lines::From(*line));
                continue;
            }
            // Each line of a variable that has several is a command of its own.
            let mut command = String::new();
            for part in text.lines() {
                command.push_str(if command.is_empty() { without_prefix(part) } else { part });
                if part.ends_with('\\') {
                    command.push('\n');
                } else {
                    self.shell(unit, &std::mem::take(&mut command), Lines::At(*line));
                }
            }
            self.shell(unit, &command, Lines::At(*line));
        }
    }

    /// Returns a text with the values of its variables, and adds what make runs to find these.
    fn expanded(&mut self, unit: usize, text: &str, line: u32) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let expanded = self.expander.expand(text);
        for effect in self.expander.take_effects() {
            match effect {
                Effect::Shell(command) => self.shell(unit, &command, Lines::At(line)),
                Effect::Write(file) => self.found.add_in(unit, Step::Write(file.into()), line),
                Effect::Unread(code) => self.unread(unit, &code, "the text that make makes here is not read", line),
            }
        }
        expanded
    }

    /// Adds the commands of a text of a shell.
    fn shell(&mut self, unit: usize, code: &str, lines: Lines) {
        let code = code.trim_end();
        let start = code.trim_start();
        if start.is_empty() || start.starts_with('#') && !code.contains('\n') {
            return;
        }
        let text = shell::Text { given: &self.given, unit, ..shell::Text::new(in_shell(code), lines) };
        self.found.script(text);
    }

    fn unread(&mut self, unit: usize, code: &str, reason: &str, line: u32) {
        self.found.unread_in(unit, ("recipe", code), reason, line);
    }
}

/// Returns a line of a recipe without the characters that tell make how to run it.
fn without_prefix(line: &str) -> &str {
    line.trim_start_matches(['@', '+', '-', ' ', '\t'])
}

/// Returns the words of a text.
fn words(text: &str) -> impl Iterator<Item = SmolStr> {
    text.split_whitespace().map(SmolStr::new)
}
