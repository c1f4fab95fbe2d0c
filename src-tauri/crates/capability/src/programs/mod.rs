//! The programs that code starts: `subprocess.run(["git", "fetch"])`.
//!
//! In: a call with the effect of running a program. Out: the effects of the program, by the table of commands. A program that a function gets from
//! its callers is looked up in their arguments. What a program does that is not known leaves the use open.

mod built;
mod syntax;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod values;
mod variables;

use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use diffsan_syntax::language::Language;

use crate::commands::{OWN_TEXT, UNKNOWN, is_shell, is_unknown};
use crate::facts::{Facts, NAMELESS, Use, UseKind};
use crate::follow::Follow;
use crate::found::{Below, FoundOpen};
use crate::reach::Open;
use crate::resolve::Resolution;
use crate::uses::{Place, Site};
pub(crate) use syntax::Source;
use syntax::{Argument, BACKTICK, Call, Default, Parameter};
pub(crate) use table::error;
use table::{Row, Takes};
use values::{Part, Value, Values};

/// The effects of calls that start programs.
const EFFECTS: &[&str] = &["process.run", "shell.run"];
/// Names of the argument that is a command.
const COMMAND_NAMES: &[&str] = &["args", "cmd", "command", "cmdline", "program"];
/// Kinds of arguments that are no words of a command: settings, functions, nothing.
const NO_WORDS: &[&str] = &[
    "object",
    "hash",
    "dictionary",
    "arrow_function",
    "function_expression",
    "lambda",
    "anonymous_function",
    "null",
    "none",
    "nil",
    "undefined",
];
/// The name of the arguments of a function that is only another name.
const ALL: &str = "*";
/// The maximum number of commands of a file that are told apart.
const MAX_MADE: usize = 32;
/// Endings of the names of programs on Windows.
const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat"];

/// A command as a call gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Invocation {
    parts: Vec<Part>,
    /// Whether the only part is a text of a shell.
    is_text: bool,
}

impl Invocation {
    fn unknown() -> Self {
        Self { parts: vec![Part::Word(UNKNOWN.to_string().into())], is_text: false }
    }
}

/// A command that a function gets from its callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    file: String,
    unit: usize,
    parameters: Vec<Parameter>,
    invocation: Invocation,
}

impl Follow<'_> {
    /// Adds the effects of the programs that a call starts.
    pub(crate) fn of_programs(&self, site: &Site<'_>, below: &mut Below) {
        // Only contracts are judged by what programs do.
        if self.only_modules {
            return;
        }
        let vocabulary = &self.names.knowledge.vocabulary;
        let starts =
            |effect: usize| vocabulary.effects.get(effect).filter(|effect| EFFECTS.contains(&effect.id.as_str()));
        let own = below.effects.iter().filter(|found| found.chain.len() == 1);
        let mut own = own.filter_map(|found| Some((starts(found.effect)?.id == "shell.run", Rc::clone(&found.sink))));
        let Some((is_shell, sink)) = own.next_back() else { return };
        let place = (site.path, site.facts, site.one, site.depth);
        // Another name of a function that starts programs has its arguments: `alias_method :run, :system`
        if site.language == Language::Ruby && site.facts.line(site.one.line).starts_with("alias") {
            let all = Parameter { name: ALL.to_owned(), is_rest: true, default: Default::None };
            let invocation = Invocation { parts: vec![Part::Parameter(ALL.into(), true)], is_text: true };
            let gap = format!("the program that `{sink}` starts is chosen by the callers");
            return below.add_open(self.given(place, &sink, (gap, vec![all], invocation)), self.hop_of(site));
        }
        let row = table::row(site.language, &sink);
        let invocations = match row {
            Some(Row { takes: Takes::Nothing, .. }) => return,
            // A member of the result: the started program, or its output.
            None if table::is_below_row(site.language, &sink) => return,
            Some(row) if row.takes == Takes::Made => self.made(site, row),
            Some(row) if site.is_call() => self.invocations(place, site.language, (row, is_shell)),
            _ => vec![Invocation::unknown()],
        };
        for one in invocations {
            self.start(place, one, &sink, below);
        }
    }

    /// Adds an open use of a definition as it is reached through a call of it. A command that the definition gets from its callers is looked up.
    pub(crate) fn through_call(&self, place: Place<'_>, target: (&str, usize), open: &FoundOpen, below: &mut Below) {
        let (path, facts, one, _) = place;
        let given = open.about.given.as_ref().filter(|given| (given.file.as_str(), given.unit) == target);
        let Some(given) = given else {
            return below.open.push(open.through(&self.hop(path, facts, one)));
        };
        let language = self.names.project.language(path);
        let found = language.and_then(|language| self.filled(place, language, given));
        let found = found.unwrap_or_else(|| vec![Invocation::unknown()]);
        for invocation in found {
            self.start(place, invocation, &open.about.symbol, below);
        }
    }

    /// Returns whether all callers of a definition are in changed files, and there is one, so that the commands which they give to it are known
    /// there.
    pub(crate) fn has_examined_callers(&self, path: &str, facts: &Facts, at: usize) -> bool {
        let project = self.names.project;
        let Some(unit) = facts.units.get(at).filter(|unit| !unit.name.is_empty()) else { return false };
        let Some(language) = project.language(path) else { return false };
        let mentions = |file: &&String| {
            project.language(file).is_some_and(|other| other.speaks_with(language))
                && project.mentions(file, &unit.name)
        };
        let (examined, others): (Vec<&String>, Vec<&String>) =
            project.below("").filter(mentions).partition(|file| *file == path || self.changed.contains(*file));
        let calls = |file: &String| {
            let Some(facts) = project.facts(file) else { return false };
            facts.uses.iter().enumerate().any(|(index, one)| {
                let is_named = one.chain.segs.last().is_some_and(|last| last.name == unit.name);
                let is_other = file != path || one.unit != at;
                let of = || self.resolve(file, &facts, one, Some(index));
                one.kind == UseKind::Call
                    && is_named
                    && is_other
                    && matches!(of(), Resolution::Unit(file, unit) if file == path && unit == at)
            })
        };
        others.is_empty() && examined.into_iter().any(calls)
    }

    /// Returns the syntax tree of a file.
    fn source(&self, path: &str, language: Language, facts: &Facts) -> Option<Rc<Source>> {
        if let Some(known) = self.sources.borrow().get(path) {
            return known.clone();
        }
        let source = Source::of(path, language, &facts.text).map(Rc::new);
        self.sources.borrow_mut().insert(path.to_owned(), source.clone());
        source
    }

    /// Returns the commands that a call starts. Never empty.
    fn invocations(
        &self,
        (path, facts, one, _): Place<'_>,
        language: Language,
        (row, is_shell): (&Row, bool),
    ) -> Vec<Invocation> {
        let Some(source) = self.source(path, language, facts) else { return vec![Invocation::unknown()] };
        let values = values_in(&source, facts, one.unit);
        let calls = calls_of(&source, one);
        known(calls.iter().flat_map(|call| of_call(&values, call, (row, is_shell))).collect(), &source)
    }

    /// Returns the commands that the file of a call makes for such calls. Those that its own function makes are examined there.
    fn made(&self, site: &Site<'_>, row: &Row) -> Vec<Invocation> {
        let source = self.source(site.path, site.language, site.facts);
        let Some(source) = source else { return vec![Invocation::unknown()] };
        let values = Values { source: &source, function: None };
        let function = values_in(&source, site.facts, site.one.unit).function;
        let mut found = Vec::new();
        for maker in &row.made_by {
            let Some(maker_row) = table::row(site.language, maker) else { continue };
            for call in source.all_calls(maker) {
                if function.is_some_and(|function| function.byte_range().contains(&call.node.start_byte())) {
                    return Vec::new();
                }
                found.extend(of_call(&values, &call, (maker_row, false)));
            }
        }
        found.dedup();
        if found.len() > MAX_MADE {
            found.clear();
        }
        known(found, &source)
    }

    /// Returns the commands of a function with the arguments of a call of it.
    fn filled(&self, (path, facts, one, _): Place<'_>, language: Language, given: &Given) -> Option<Vec<Invocation>> {
        let source = self.source(path, language, facts)?;
        let values = values_in(&source, facts, one.unit);
        let calls = calls_of(&source, one);
        // An overload of Java has another number of parameters.
        let is_overload = |call: &&Call<'_>| {
            let has_rest = given.parameters.iter().any(|one| one.is_rest);
            language == Language::Java && !has_rest && source.arguments(call).len() != given.parameters.len()
        };
        let own = calls.iter().filter(|call| !is_overload(call));
        let found = own.flat_map(|call| with_arguments(&values, call, given)).collect();
        (!calls.is_empty() && !source.is_exhausted()).then_some(found)
    }

    /// Adds the effects of a command.
    fn start(&self, place: Place<'_>, invocation: Invocation, sink: &str, below: &mut Below) {
        let (path, facts, one, _) = place;
        let symbol: Vec<String> = sink.split('.').map(str::to_owned).collect();
        let hop = || self.hop(path, facts, one);
        let invocation = shell_text(invocation);
        let invocation = if invocation.parts.is_empty() { Invocation::unknown() } else { invocation };
        let words: Vec<SmolStr> = invocation.parts.iter().map(Part::word).collect();
        let first = &words[0];
        let is_whole = |word: &str| word.chars().all(is_unknown_char);
        let name = first.split_whitespace().next().unwrap_or_default();
        let is_open = is_whole(name) || is_unknown(first) && !invocation.is_text;
        let mut found = Below::default();
        match invocation.is_text {
            _ if is_open => {
                let gap = Some(format!("the program that `{sink}` starts is chosen when the code runs"));
                found.add_open(Open { gap, ..Open::new(&symbol, None) }, hop());
            }
            true => self.of_text(place, first, &mut found),
            false => self.of_words(place, words.clone(), &mut found),
        }
        let vocabulary = &self.names.knowledge.vocabulary;
        let is_one_of = |effect: usize, ids: &[&str]| {
            vocabulary.effects.get(effect).is_some_and(|effect| ids.contains(&effect.id.as_str()))
        };
        found.effects.retain(|found| {
            // That the call starts a program is known, and a known command with a value in its text does what the command does.
            found.chain.len() > 1 || !is_one_of(found.effect, &["process.run"]) && *found.sink != *OWN_TEXT
        });
        // The arguments of a program that is not known tell nothing.
        let parts = if is_open { &invocation.parts[..1] } else { &*invocation.parts };
        let is_given = parts.iter().any(|part| matches!(part, Part::Parameter(..)));
        let is_dynamic = found.effects.iter().any(|found| is_one_of(found.effect, &["code.execute"]));
        if is_given && (is_dynamic || found.open.iter().any(|open| open.next_path().is_none())) {
            found.open.retain(|open| open.next_path().is_some());
            found.effects.retain(|found| !is_one_of(found.effect, &["code.execute"]));
            let chosen = if is_open {
                format!("the program that `{sink}` starts is")
            } else {
                format!("the arguments of `{first}` are")
            };
            let gap = format!("{chosen} chosen by the callers of `{}`", facts.unit_name(one.unit));
            let parameters = self.parameters(path, facts, one.unit);
            let about = self.given(place, sink, (gap, parameters, invocation));
            found.add_open(about, hop());
        }
        below.include(&found, 0);
        for effect in &mut found.effects {
            effect.of_program = true;
        }
        below.effects.extend(found.effects);
        for mut open in found.open {
            if open.next_path().is_none() {
                let about = Rc::make_mut(&mut open.about);
                about.is_program = true;
                about.gap = about.gap.take().map(|gap| gap.replace("when the script runs", "when the code runs"));
            }
            below.open.push(open);
        }
    }

    /// Returns an open use for a command that the callers of its definition choose.
    fn given(
        &self,
        (path, _, one, _): Place<'_>,
        sink: &str,
        (gap, parameters, invocation): (String, Vec<Parameter>, Invocation),
    ) -> Open {
        let given = Given { file: path.to_owned(), unit: one.unit, parameters, invocation };
        let symbol: Vec<String> = sink.split('.').map(str::to_owned).collect();
        Open { gap: Some(gap), is_program: true, given: Some(Arc::new(given)), ..Open::new(&symbol, None) }
    }

    /// Returns the parameters of a definition.
    fn parameters(&self, path: &str, facts: &Facts, unit: usize) -> Vec<Parameter> {
        let source = self.names.project.language(path).and_then(|language| self.source(path, language, facts));
        let parameters = source.as_ref().and_then(|source| {
            let function = source.function(facts.units.get(unit)?)?;
            Some(source.parameters(function))
        });
        parameters.unwrap_or_default()
    }
}

/// Returns commands, or an unknown one if there are none or not all of the file was looked at.
fn known(mut found: Vec<Invocation>, source: &Source) -> Vec<Invocation> {
    found.dedup();
    if found.is_empty() || source.is_exhausted() { vec![Invocation::unknown()] } else { found }
}

fn is_unknown_char(char: char) -> bool {
    is_unknown(char.encode_utf8(&mut [0; 4]))
}

/// Returns the calls that a use stands for.
fn calls_of<'t>(source: &'t Source, one: &Use) -> Vec<Call<'t>> {
    let name = one.chain.segs.last().map_or(NAMELESS, |last| last.name.as_str());
    source.calls(one.line, if name == NAMELESS { BACKTICK } else { name })
}

fn values_in<'t>(source: &'t Source, facts: &Facts, unit: usize) -> Values<'t> {
    let function = facts.units.get(unit).filter(|_| unit > 0).and_then(|unit| source.function(unit));
    Values { source, function }
}

/// Returns the commands that a call of a function of the table starts.
fn of_call(values: &Values<'_>, call: &Call<'_>, (row, is_shell): (&Row, bool)) -> Vec<Invocation> {
    let all = values.source.arguments(call);
    let is_word = |one: &&Argument<'_>| !NO_WORDS.contains(&one.value.kind());
    let named = all.iter().find(|one| COMMAND_NAMES.contains(&one.name));
    // `run(words, executable=program)`
    if all.iter().any(|one| one.name == "executable") {
        return Vec::new();
    }
    let places: Vec<Argument<'_>> = all.iter().filter(|one| one.name.is_empty()).skip(row.skip).copied().collect();
    let words: Vec<Argument<'_>> = places.iter().filter(is_word).copied().collect();
    let Some(first) = words.first().or(named) else { return Vec::new() };
    let list = |mut argument: Argument<'_>, parts: &[Part]| -> Vec<Vec<Part>> {
        argument.is_spread = true;
        values.words(&[argument]).into_iter().map(|further| [parts, &further].concat()).collect()
    };
    let of_first = || -> Vec<Invocation> {
        let of = |value: Value| match value {
            Value::Text(text) => of_text(text, row.shell || is_shell),
            value => Invocation {
                is_text: matches!(value, Value::Parameter(_)) && (row.shell || is_shell),
                parts: value.parts(false),
            },
        };
        values.of(first.value).into_iter().map(of).collect()
    };
    let found: Vec<Vec<Part>> = match row.takes {
        Takes::First => return of_first(),
        Takes::All if words.len() == 1 && !first.is_spread => return of_first(),
        Takes::All => values.words(&words),
        Takes::Two => {
            let second = places.get(1).and_then(|second| values.source.words_argument(*second));
            match second {
                Some(second) => values.words(&[*first]).iter().flat_map(|program| list(second, program)).collect(),
                None => return of_first(),
            }
        }
        Takes::Built => {
            let start = values.words(&[*first]);
            values.built(call.node, start)
        }
        Takes::Made | Takes::Nothing => return Vec::new(),
    };
    let without_name = |mut parts: Vec<Part>| {
        if row.repeats_name && parts.len() > 1 {
            parts.remove(1);
        }
        Invocation { parts, is_text: false }
    };
    found.into_iter().map(without_name).collect()
}

/// Returns the text of a shell that a command runs: `sh -c "rm x"`.
fn shell_text(invocation: Invocation) -> Invocation {
    let Invocation { parts, .. } = &invocation;
    let [Part::Word(shell), Part::Word(option), text] = parts.as_slice() else { return invocation };
    let is_text = option.starts_with('-') && option.ends_with('c') && option.len() < 5;
    match text {
        Part::Word(word) if is_shell(shell) && is_text && !word.chars().all(is_unknown_char) => {
            Invocation { parts: vec![text.clone()], is_text: true }
        }
        _ => invocation,
    }
}

/// Returns a text as a command: one of a shell, or the words of a program.
fn of_text(text: SmolStr, is_shell: bool) -> Invocation {
    // Only a shell understands these.
    let is_shell = is_shell || ["&&", "||", ";", "|", "$(", "`"].iter().any(|mark| text.contains(mark));
    if is_shell {
        return Invocation { parts: vec![Part::Word(text)], is_text: true };
    }
    Invocation { parts: text.split_whitespace().map(|word| Part::Word(word.into())).collect(), is_text: false }
}

/// Returns the commands of a function with the arguments of a call of it.
fn with_arguments(values: &Values<'_>, call: &Call<'_>, given: &Given) -> Vec<Invocation> {
    let arguments = values.source.arguments(call);
    let positional: Vec<Argument<'_>> = arguments.iter().filter(|one| one.name.is_empty()).copied().collect();
    let value_of = |name: &str| -> Vec<Value> {
        let unknown = || vec![Value::Unknown];
        let Some(at) = given.parameters.iter().position(|one| one.name == name) else { return unknown() };
        let parameter = &given.parameters[at];
        if let Some(named) = arguments.iter().find(|one| one.name == name.trim_start_matches('$')) {
            return values.of(named.value);
        }
        if positional.iter().take(at + 1).any(|one| one.is_spread) && !parameter.is_rest {
            return unknown();
        }
        if parameter.is_rest {
            let rest = positional.get(at..).unwrap_or_default();
            return values.words(rest).into_iter().map(Value::List).collect();
        }
        match (positional.get(at), &parameter.default) {
            (Some(argument), _) => values.of(argument.value),
            (None, Default::Text(default)) => vec![Value::Text(default.as_str().into())],
            // An optional list of further arguments.
            (None, Default::None) if values.source.language.is_script() => vec![Value::List(Vec::new())],
            (None, _) => unknown(),
        }
    };
    let Invocation { parts, is_text } = &given.invocation;
    if let ([Part::Parameter(name, _)], true) = (parts.as_slice(), is_text) {
        let of = |value: Value| match value {
            Value::Text(text) => of_text(text, true),
            value => Invocation { is_text: matches!(value, Value::Parameter(_)), parts: value.parts(true) },
        };
        return value_of(name).into_iter().map(of).collect();
    }
    let choices = parts.iter().enumerate().map(|(at, part)| match part {
        Part::Word(_) => vec![vec![part.clone()]],
        Part::Parameter(name, is_spread) => value_of(name)
            .into_iter()
            .map(|value| match value {
                // `run("git fetch")` of a function that splits its text, or starts a program without arguments.
                Value::Text(text) if at == 0 && parts.len() == 1 => of_text(text, false).parts,
                value => value.parts(*is_spread),
            })
            .collect(),
    });
    values::product(choices.collect()).into_iter().map(|parts| Invocation { parts, is_text: false }).collect()
}

/// Returns the name of a program without the ending that it has on Windows.
pub(crate) fn without_ending(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(**ending));
    ending.and_then(|ending| name.get(..name.len() - ending.len())).unwrap_or(name)
}
