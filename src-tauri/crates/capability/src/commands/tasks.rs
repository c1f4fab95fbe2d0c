//! The tasks of a project by their names: the targets of makefiles, the scripts of packages, the services of compose files.
//!
//! Each is a definition of its file. Make looks for a rule in the makefile and in the files that it includes.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use smol_str::SmolStr;

use super::Format;
use super::effects::Spot;
use super::make::{WILDCARD, common_variable};
use super::step::{SPLIT, Step, UNKNOWN, is_unknown, shown};
use crate::facts::UnitKind;
use crate::follow::Follow;
use crate::found::Below;
use crate::project::folder;

/// The maximum number of makefiles that a makefile includes, one from the other.
const MAX_INCLUDED: usize = 64;
/// The maximum number of rules that are followed for a name that is known only in part.
const MAX_RULES: usize = 200;

/// The rule for targets that have none.
const OTHERS: &str = ".DEFAULT";

/// A task by its file and its definition.
type Task = (Rc<str>, usize);

/// The tasks of a file, and of the files that it includes.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    by_name: HashMap<SmolStr, Vec<Task>>,
    /// The rules for all names of a pattern.
    patterns: Vec<(Pattern, Task)>,
    /// The tasks with commands of their own.
    with_commands: HashSet<Task>,
    /// The tasks that run if none is named.
    pub(super) defaults: Vec<SmolStr>,
}

/// A name of which only the start and the end are known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    start: SmolStr,
    end: SmolStr,
    /// Whether the rule says so, and not a variable that is not known.
    is_rule: bool,
}

impl Pattern {
    /// Returns the pattern of a name, or `None` if it is a whole name.
    fn of(name: &str) -> Option<Self> {
        let is_wild = |char: char| matches!(char, '%' | WILDCARD | UNKNOWN | SPLIT);
        let (Some(first), Some(last)) = (name.find(is_wild), name.rfind(is_wild)) else {
            // The rule `.c.o` is `%.o`.
            let (_, end) = name.strip_prefix('.')?.split_once('.')?;
            let is_suffixes = !name.contains('/') && !end.is_empty() && !end.contains('.');
            return is_suffixes.then(|| Self {
                start: SmolStr::default(),
                end: format!(".{end}").into(),
                is_rule: true,
            });
        };
        let end = last + name[last..].chars().next().map_or(1, char::len_utf8);
        let is_rule = !name.contains([WILDCARD, UNKNOWN, SPLIT]);
        Some(Self { start: name[..first].into(), end: name[end..].into(), is_rule })
    }

    fn fits(&self, name: &str) -> bool {
        name.len() >= self.start.len() + self.end.len()
            && name.starts_with(self.start.as_str())
            && name.ends_with(self.end.as_str())
    }

    /// Returns whether both can stand for the same name.
    fn overlaps(&self, other: &Self) -> bool {
        (self.start.starts_with(other.start.as_str()) || other.start.starts_with(self.start.as_str()))
            && (self.end.ends_with(other.end.as_str()) || other.end.ends_with(self.end.as_str()))
    }
}

impl Tasks {
    fn add_rule(&mut self, names: &str, task: &Task) {
        for name in names.split_whitespace() {
            let name = name.strip_prefix("./").unwrap_or(name);
            match Pattern::of(name) {
                Some(pattern) => self.patterns.push((pattern, task.clone())),
                None => self.by_name.entry(name.into()).or_default().push(task.clone()),
            }
        }
    }

    /// Returns the tasks with a name.
    pub(super) fn named(&self, name: &str) -> &[Task] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the rules for a name that can be known only in part, and whether one of them is for it without doubt.
    fn rules(&self, name: &str) -> (Vec<Task>, bool) {
        if is_unknown(name) {
            let Some(wanted) = Pattern::of(name) else { return (Vec::new(), false) };
            let named = self.by_name.iter().filter(|(name, _)| wanted.fits(name)).flat_map(|(_, tasks)| tasks);
            let patterns = self.patterns.iter().filter(|(pattern, _)| pattern.overlaps(&wanted)).map(|(_, task)| task);
            let mut found: Vec<Task> = named.chain(patterns).cloned().collect();
            found.sort();
            let is_certain = !found.is_empty();
            return (found, is_certain);
        }
        let mut found = self.named(name).to_vec();
        let mut is_certain = !found.is_empty();
        if found.is_empty() {
            found.extend_from_slice(self.named(OTHERS));
            is_certain = !found.is_empty();
        }
        // A rule without a recipe only adds prerequisites.
        if !found.iter().any(|task| self.with_commands.contains(task)) {
            for (pattern, task) in self.patterns.iter().filter(|(pattern, _)| pattern.fits(name)) {
                is_certain |= pattern.is_rule;
                found.push(task.clone());
            }
        }
        (found, is_certain)
    }
}

impl Follow<'_> {
    /// Returns the tasks of a file.
    pub(super) fn tasks(&self, path: &str) -> Rc<Tasks> {
        if let Some(known) = self.tasks.borrow().get(path) {
            return Rc::clone(known);
        }
        let mut tasks = Tasks::default();
        self.add_tasks(path, &mut tasks, &mut Vec::new());
        let tasks = Rc::new(tasks);
        self.tasks.borrow_mut().insert(path.to_owned(), Rc::clone(&tasks));
        tasks
    }

    /// Adds the tasks of a file and of those that it includes, in the order of the file.
    fn add_tasks(&self, path: &str, tasks: &mut Tasks, read: &mut Vec<String>) {
        if read.len() >= MAX_INCLUDED || read.iter().any(|known| known == path) {
            return;
        }
        read.push(path.to_owned());
        let Some(facts) = self.names.project.facts(path) else { return };
        let path: Rc<str> = path.into();
        for (at, unit) in facts.units.iter().enumerate().filter(|(_, unit)| unit.kind == UnitKind::Task) {
            let task = (Rc::clone(&path), at);
            match Format::of_path(&path) {
                Some(Format::Makefile) => tasks.add_rule(&unit.name, &task),
                _ => tasks.by_name.entry(unit.name.clone()).or_default().push(task),
            }
        }
        let mut has_default = !tasks.defaults.is_empty();
        for one in &facts.uses {
            match Step::of(one) {
                Some(Step::Command { .. } | Step::Unread(..)) => {
                    _ = tasks.with_commands.insert((Rc::clone(&path), one.unit))
                }
                Some(Step::Default(name)) if !has_default => tasks.defaults.push(name),
                Some(Step::Include(name)) => {
                    let spot = Spot { path: &path, facts: &facts, one, depth: 0, folder: "" };
                    for file in self.files(&spot, &name).unwrap_or_default() {
                        self.add_tasks(&file, tasks, read);
                    }
                    has_default |= !tasks.defaults.is_empty();
                }
                _ => {}
            }
        }
    }

    /// Adds the effects of the rules for a target that a makefile must make before another.
    pub(super) fn prerequisite(&self, spot: &Spot<'_>, name: &str, below: &mut Below) {
        if self.target(spot, spot.path, name, below) {
            return;
        }
        let is_there = match Pattern::of(name).filter(|_| is_unknown(name)) {
            Some(pattern) => self.has_file_like(folder(spot.path), &pattern),
            None => self.has_file(spot, name),
        };
        if !is_there {
            let name = shown(name);
            self.open(spot, "make", format!("no rule of `{}` makes `{name}`", spot.path), below);
        }
    }

    /// Adds the effects of the rules for a target of a makefile. Returns `false` if there is none.
    pub(super) fn target(&self, spot: &Spot<'_>, makefile: &str, name: &str, below: &mut Below) -> bool {
        let name = name.strip_prefix("./").unwrap_or(name);
        if is_unknown(name) && !name.chars().any(char::is_alphanumeric) {
            self.open(spot, "make", "the target is chosen when make runs".to_owned(), below);
            return true;
        }
        let tasks = self.tasks(makefile);
        let (rules, is_certain) = tasks.rules(name);
        if rules.len() > MAX_RULES {
            self.open(spot, "make", format!("more than {MAX_RULES} rules can make `{}`", shown(name)), below);
        }
        for (file, unit) in rules.iter().take(MAX_RULES) {
            self.enter_from((spot.path, spot.facts, spot.one, spot.depth), (file, *unit), below);
        }
        is_certain
    }

    /// Returns whether a name is a file or a folder of the project.
    fn has_file(&self, spot: &Spot<'_>, name: &str) -> bool {
        let project = self.names.project;
        let path = crate::project::join(folder(spot.path), name.trim_end_matches('/'));
        let is_folder = |path: String| project.below(&format!("{path}/")).next().is_some();
        self.files(spot, name).is_some_and(|files| !files.is_empty()) || path.is_some_and(is_folder)
    }

    /// Returns whether a folder has a file with a start and an end.
    fn has_file_like(&self, own: &str, pattern: &Pattern) -> bool {
        let Some(start) = crate::project::join(own, &pattern.start) else { return false };
        let found = self.searched("files by their end", &start, &pattern.end, || {
            let mut files = self.names.project.below(&start).filter(|path| path.ends_with(pattern.end.as_str()));
            files.next().map(|path| (path.clone(), 0)).into_iter().collect()
        });
        !found.is_empty()
    }

    /// Adds the effects of a file that is a part of another one.
    pub(super) fn include(&self, spot: &Spot<'_>, name: &str, below: &mut Below) {
        let files = self.files(spot, name).unwrap_or_default();
        if files.is_empty() {
            // The symbol is not the name, which says nothing about what the file does: `socket.d`.
            let name = shown(name);
            return self.open(spot, "include", format!("the included file `{name}` is not in the project"), below);
        }
        for file in &files {
            self.follow_file(spot, file, below);
            let is_makefile = Format::of_path(file) == Some(Format::Makefile);
            let text = self.names.project.text(file).filter(|_| is_makefile);
            if let Some(variable) = text.and_then(|text| common_variable(&spot.facts.text, &text)) {
                self.open(spot, "include", format!("`{file}` sets the variable `{variable}`, too"), below);
            }
        }
    }

    /// Adds the effects of all tasks of a file that is a part of another one.
    pub(super) fn include_tasks(&self, spot: &Spot<'_>, name: &str, below: &mut Below) {
        for file in self.files(spot, name).unwrap_or_default() {
            let Some(facts) = self.names.project.facts(&file) else { continue };
            for unit in 1..facts.units.len() {
                self.enter_from((spot.path, spot.facts, spot.one, spot.depth), (&file, unit), below);
            }
        }
    }
}
