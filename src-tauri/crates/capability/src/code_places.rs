//! The files and definitions that have the names of a statement.
//!
//! In: names, and the files of a project. Out: an area of code.

use std::collections::BTreeSet;

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::facts::{Unit, UnitKind};
use crate::naming::words_of;
use crate::project::{Project, simple};
use crate::reach::Hop;
use crate::read::language_of;
use crate::roles;
use diffsan_contracts::code_names::{CodeName, Found};
use diffsan_contracts::wording::singulars;
use diffsan_syntax::language::is_test;

/// Finds the code that has a name, in the files that matter.
pub(crate) fn locate(name: &mut CodeName, project: &Project<'_>, places: &Places) {
    let read = &places.files;
    if singulars(&name.text.to_lowercase()).iter().any(|one| ["test", "unit test", "test code"].contains(&one.as_str()))
    {
        name.found = Some(Found { is_tests: true, ..Found::default() });
    } else if name.is_other && name.text == "project" {
        name.found = Some(Found { globs: vec!["**".to_owned()], ..Found::default() });
    } else if let Some(files) = Some(&name).filter(|name| name.is_dotted()).map(|name| at_path(&name.text, project))
        && !files.is_missing
    {
        name.found = Some(files);
    } else if name.is_path() {
        let files = at_path(&name.text, project);
        name.found = member(&name.text, project).filter(|_| files.is_missing).or(Some(files));
    } else {
        let whole = forms(&name.text);
        let short = forms(&name.without_nouns());
        let tries = [&whole, &short].into_iter().filter(|forms| !forms.is_empty());
        let named: Vec<Found> = tries.clone().filter_map(|forms| named(forms, project, read)).collect();
        // "The users module" can be the folder `users`, and not only the class `UsersModule`.
        let count = if name.is_module() { named.len() } else { 1 };
        name.found = named
            .into_iter()
            .take(count)
            .reduce(Found::and)
            .or_else(|| tries.clone().find_map(|forms| named_in_part(forms, project)))
            .or_else(|| name.is_written_as_code.then(|| defined(&name.text, project)).flatten());
        let parent = PARENTS.iter().find_map(|start| name.text.to_lowercase().strip_prefix(start).map(str::to_owned));
        if let Some(parent) = parent {
            name.found = name.found.take().or_else(|| subclasses(&forms(&parent), project, read));
        }
        if let Some(packages) =
            of_package(&[&whole, &short], project, read).filter(|_| name.found.is_none() || name.is_module())
        {
            name.found = Some(name.found.take().unwrap_or_default().and(packages));
        }
        if let Some(role) = roles::role(&name.text).filter(|_| !name.is_written_as_code) {
            let code = role.code(project, places);
            let is_none = name.found.is_none() && code.globs.is_empty() && code.definitions.is_empty();
            name.found = Some(name.found.take().unwrap_or_default().and(code));
            // Code that nothing marks can have an open role.
            name.found = name.found.take().filter(|_| !is_none || !role.is_open());
        }
        if name.found.is_none() && is_project(&[&whole, &short], project) {
            name.found = Some(Found { globs: vec!["**".to_owned()], ..Found::default() });
        }
        if name.found.is_none() && !name.is_written_as_code {
            name.found = described(name, project, read);
        }
    }
}

/// The places that matter for the code that a contract names: the files with places of effects, and the lines that register endpoints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    pub(crate) files: BTreeSet<String>,
    pub(crate) endpoints: BTreeSet<(String, u32)>,
}

/// Returns whether one of the names is the project's own, by the manifests in its root.
fn is_project(tries: &[&Vec<String>], project: &Project<'_>) -> bool {
    const MANIFESTS: &[&str] = &["go.mod", "package.json", "Cargo.toml", "composer.json", "pyproject.toml"];
    let named = |line: &str| -> Option<String> {
        let line = line.trim();
        let name = line.strip_prefix("module ").or_else(|| {
            let rest = line.trim_start_matches('"').strip_prefix("name")?.trim_start_matches('"').trim_start();
            Some(rest.strip_prefix([':', '='])?.trim().trim_end_matches(',').trim_matches(['"', '\'']))
        })?;
        name.rsplit('/').next().map(simple)
    };
    let texts = MANIFESTS.iter().filter(|path| project.has(path)).filter_map(|path| project.text(path));
    let own: Vec<String> = texts.filter_map(|text| text.lines().find_map(named)).collect();
    own.iter().any(|name| tries.iter().any(|forms| forms.contains(name)))
}

/// Words before the name of a class that stand for the classes that inherit from it.
const PARENTS: &[&str] = &[
    "subclasses of ",
    "subclass of ",
    "implementations of ",
    "implementation of ",
    "implementers of ",
    "children of ",
    "descendants of ",
];

/// Returns the classes of the files that inherit from a class.
fn subclasses(forms: &[String], project: &Project<'_>, read: &BTreeSet<String>) -> Option<Found> {
    let is_parent =
        |chain: &crate::facts::Chain| chain.segs.last().is_some_and(|last| forms.contains(&simple(&last.name)));
    let all = read.iter().filter_map(|path| Some((path, project.facts(path)?))).flat_map(|(path, facts)| {
        let own = facts.units.iter().filter(|unit| unit.bases.iter().chain(&unit.interfaces).any(is_parent));
        own.map(|unit| (path.clone(), unit.line, unit.end)).collect::<Vec<_>>()
    });
    let definitions: Vec<_> = all.collect();
    (!definitions.is_empty()).then(|| Found { definitions, ..Found::default() })
}

/// Returns the files that declare themselves part of a package with the name: `package main` of Go.
fn of_package(tries: &[&Vec<String>], project: &Project<'_>, read: &BTreeSet<String>) -> Option<Found> {
    let declared = |path: &String| -> Option<String> {
        let facts = project.facts(path)?;
        let line = facts
            .text
            .lines()
            .find_map(|line| line.strip_prefix("package ").or_else(|| line.strip_prefix("namespace ")))?;
        let name = line.split([' ', ';', '{']).next()?;
        name.rsplit(['.', '\\']).next().map(simple)
    };
    let is_one = |path: &&String| declared(path).is_some_and(|name| tries.iter().any(|forms| forms.contains(&name)));
    let globs: Vec<String> = read.iter().filter(is_one).map(|path| globset::escape(path)).collect();
    (!globs.is_empty()).then(|| Found { globs, ..Found::default() })
}

/// Returns the definitions whose names have most words of a description: `placeOrder` of "placing an order", `rotate` of "log rotation". Verbs
/// that no name has do not count: "reading a stock level".
fn described(name: &CodeName, project: &Project<'_>, read: &BTreeSet<String>) -> Option<Found> {
    let description = name.description();
    let words: Vec<&str> = description.iter().map(String::as_str).collect();
    let things: Vec<&str> = words.iter().filter(|word| !word.ends_with("ing")).copied().collect();
    let has = |words: &[&str], least: usize, names: &[String]| {
        least > 0 && words.iter().filter(|word| names.iter().any(|name| is_akin(word, name))).count() >= least
    };
    let all: Vec<(String, u32, u32, Vec<String>)> = read
        .iter()
        .filter_map(|path| Some((path, project.facts(path)?)))
        .flat_map(|(path, facts)| {
            let of_path = words_of(path);
            let named = facts.units.iter().enumerate().filter(|(_, unit)| !unit.name.is_empty());
            let names = named.map(|(at, unit)| {
                let own = words_of(&facts.unit_name(at)).into_iter().chain(of_path.clone()).collect();
                (path.clone(), unit.line, unit.end, own)
            });
            let file = (path.clone(), 0, u32::MAX, of_path.clone());
            names.chain([file]).collect::<Vec<_>>()
        })
        .collect();
    let ways = [(&words, words.len()), (&things, things.len()), (&words, words.len().div_ceil(2))];
    ways.into_iter().find_map(|(words, least)| {
        let fitting = all.iter().filter(|(.., names)| has(words, least, names));
        let definitions: Vec<_> = fitting.map(|(path, first, last, _)| (path.clone(), *first, *last)).collect();
        (!definitions.is_empty()).then(|| Found { definitions, is_open: true, ..Found::default() })
    })
}

/// Returns whether two words have the same stem: `placing` and `place`, `geocoding` and `geocoder`.
fn is_akin(one: &str, other: &str) -> bool {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    same >= 3 && same * 3 >= short * 2 && long - same <= 4 || same == short && same >= 4
}

/// The words of a name that a path must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    All,
    /// One that is no verb: `team` of "creating a team".
    OneThing,
}

/// Returns whether a path has words of a name that is not written as code, apart from those that tell nothing: `providers/sms.js` of "the
/// new provider".
pub(crate) fn is_named_alike(name: &CodeName, path: &str, needed: Words) -> bool {
    const OPEN: &[&str] = &["the", "new", "code", "a", "an", "all", "any", "our", "this", "of", "in", "for", "and"];
    if name.is_written_as_code || name.is_path() {
        return false;
    }
    let of_path = words_of(path);
    let words = words_of(&name.text);
    let mut own = words.iter().filter(|word| !OPEN.contains(&word.as_str())).peekable();
    let is_in_path = |word: &String| of_path.iter().any(|other| is_akin(word, other));
    match needed {
        Words::All => own.peek().is_some() && own.all(is_in_path),
        Words::OneThing => own.any(|word| !word.ends_with("ing") && is_in_path(word)),
    }
}

/// Returns the files at a path, which can also be the name of a package.
fn at_path(text: &str, project: &Project<'_>) -> Found {
    let is_package = !text.contains('/') && language_of(text).is_none() && !text.contains('*');
    let text = if is_package { text.replace("::", "/").replace(['.', '\\'], "/") } else { text.to_owned() };
    let path = text.trim_start_matches("./").trim_matches('/');
    let mut globs = vec![path.to_owned(), format!("{path}/**"), format!("{path}.*")];
    globs.extend(globs.clone().into_iter().map(|glob| format!("**/{glob}")));
    let mut found = Found { globs, ..Found::default() };
    let set = glob_set(&found.globs);
    found.is_missing = !project.below("").any(|path| set.is_match(path));
    if is_package && found.is_missing {
        // A namespace can be mapped to a folder: `App\Services` is in `app/Services/`, and `Acme\Domain` in `src/Domain/`.
        let lower = path.to_lowercase();
        let below = lower.split_once('/').map_or(lower.as_str(), |(_, below)| below);
        let places = [&lower[..], below].into_iter().find_map(|place| {
            let inside = |path: &&String| format!("/{}", path.to_lowercase()).contains(&format!("/{place}/"));
            let files: Vec<String> = project.below("").filter(inside).map(|path| globset::escape(path)).collect();
            (!files.is_empty()).then_some(files)
        });
        found.is_missing = places.is_none();
        found.is_open = places.is_none();
        found.globs.extend(places.unwrap_or_default());
    }
    found
}

/// Returns the forms of a name that are compared: with and without the end of a plural.
fn forms(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut all: Vec<String> = singulars(&lower).iter().map(|one| simple(one)).filter(|one| !one.is_empty()).collect();
    all.extend(all.first().map(|one| format!("{one}s")));
    all
}

/// Returns the folders, files and definitions of the read files that have one of the names.
fn named(forms: &[String], project: &Project<'_>, read: &BTreeSet<String>) -> Option<Found> {
    let is_named = |name: &str| forms.contains(&simple(name));
    let mut found = Found::default();
    for path in project.below("") {
        let mut end = 0;
        for part in path.split('/') {
            end += part.len() + 1;
            let is_file = end > path.len();
            let name = if is_file { part.split('.').next().unwrap_or(part) } else { part };
            if is_named(name) {
                let glob = if is_file { path.clone() } else { format!("{}/**", &path[..end - 1]) };
                if found.globs.last() != Some(&glob) {
                    found.globs.push(glob);
                }
                break;
            }
        }
    }
    for path in read {
        found.definitions.extend(definitions(project, path, |unit| is_named(&unit.name)));
    }
    (!found.globs.is_empty() || !found.definitions.is_empty()).then_some(found)
}

fn definitions(project: &Project<'_>, path: &str, is_meant: impl Fn(&Unit) -> bool) -> Vec<(String, u32, u32)> {
    let Some(facts) = project.facts(path) else { return Vec::new() };
    let units = facts.units.iter().filter(|unit| unit.kind != UnitKind::File && is_meant(unit));
    units.map(|unit| (path.to_owned(), unit.line, unit.end)).collect()
}

/// Returns the names of a file without its ends, which begin at the first or at the last point: `order_handler.spec.py` and
/// `cats.controller.ts`.
pub(crate) fn stems(path: &str) -> impl Iterator<Item = &str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    [name.split('.').next(), name.rsplit_once('.').map(|(stem, _)| stem)].into_iter().flatten()
}

/// Returns the files whose names end with one of the names: `order_handler.py` for "handlers".
fn named_in_part(forms: &[String], project: &Project<'_>) -> Option<Found> {
    let is_named = |path: &&String| {
        let names: Vec<String> = stems(path).map(simple).collect();
        let is_end = |form: &String| form.len() > 2 && names.iter().any(|name| name.ends_with(form.as_str()));
        language_of(path).is_some() && forms.iter().any(is_end)
    };
    let globs: Vec<String> = project.below("").filter(is_named).cloned().collect();
    (!globs.is_empty()).then(|| Found { globs, ..Found::default() })
}

/// Returns the definitions with a name in the files that mention it.
fn defined(name: &str, project: &Project<'_>) -> Option<Found> {
    let name = name.trim_end_matches("()").rsplit(['.', ':', '#']).next().unwrap_or(name);
    where_mentioned(name, project, |unit| unit.name == name)
}

/// Returns the definitions of a member that is named with its class: `Platform::getEnv`.
fn member(text: &str, project: &Project<'_>) -> Option<Found> {
    let (class, name) = text.trim_end_matches("()").rsplit_once("::")?;
    let class = class.rsplit([':', '\\', '.']).next()?;
    where_mentioned(name, project, |unit| unit.name == name && unit.class.as_deref() == Some(class))
}

/// Returns some definitions in the files that mention a name.
fn where_mentioned(name: &str, project: &Project<'_>, is_meant: impl Fn(&Unit) -> bool) -> Option<Found> {
    let files = project.below("").filter(|path| language_of(path).is_some() && project.mentions(path, name)).cloned();
    let files = project.searched("the code that a contract names", files.collect());
    let definitions: Vec<_> = files.iter().flat_map(|path| definitions(project, path, &is_meant)).collect();
    (!definitions.is_empty()).then(|| Found { definitions, ..Found::default() })
}

fn glob_set(globs: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs.iter().filter_map(|glob| Glob::new(glob).ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

/// The code that some names mean.
pub(crate) struct Area {
    files: GlobSet,
    definitions: Vec<(String, u32, u32)>,
    pub(crate) has_tests: bool,
    /// The names that no code has.
    pub(crate) unknown: Vec<String>,
    /// The names that other code can have, too.
    open: Vec<String>,
    /// The paths of no file.
    pub(crate) missing: Vec<String>,
    has_role: bool,
}

impl Area {
    /// Returns the area of the files that globs select.
    pub(crate) fn of_globs(globs: &[String]) -> Self {
        let files = glob_set(globs);
        Self {
            files,
            definitions: Vec::new(),
            has_tests: false,
            unknown: Vec::new(),
            open: Vec::new(),
            missing: Vec::new(),
            has_role: false,
        }
    }

    pub(crate) fn of_names(names: &[CodeName]) -> Self {
        let found = || names.iter().filter_map(|name| name.found.as_ref());
        let globs: Vec<String> = found().flat_map(|found| found.globs.clone()).collect();
        let texts =
            |is: fn(&CodeName) -> bool| names.iter().filter(|name| is(name)).map(|name| name.text.clone()).collect();
        Self {
            definitions: found().flat_map(|found| found.definitions.clone()).collect(),
            has_role: found().any(|found| found.is_role),
            has_tests: found().any(|found| found.is_tests),
            unknown: texts(|name| name.found.is_none()),
            open: texts(|name| name.found.as_ref().is_some_and(|found| found.is_open)),
            missing: texts(|name| name.found.as_ref().is_some_and(|found| found.is_missing)),
            ..Self::of_globs(&globs)
        }
    }

    /// Returns whether definitions of the area are named by themselves, and not by a role.
    pub(crate) fn is_named(&self) -> bool {
        !self.has_role
    }

    /// Returns a name that code outside of the area can have, too.
    pub(crate) fn open_name(&self) -> Option<&str> {
        self.unknown.iter().chain(&self.open).map(String::as_str).next()
    }

    /// Returns whether the whole file belongs to the area.
    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.files.is_match(path) || self.has_tests && is_test(path)
    }

    /// Returns whether some code of the file belongs to the area.
    pub(crate) fn touches(&self, path: &str) -> bool {
        self.has_file(path) || self.definitions.iter().any(|(file, ..)| file == path)
    }

    pub(crate) fn has(&self, hop: &Hop) -> bool {
        self.has_line(&hop.path, hop.line)
    }

    /// Returns whether a line of a file belongs to the area.
    pub(crate) fn has_line(&self, path: &str, line: u32) -> bool {
        let is_inside = |(file, first, last): &(String, u32, u32)| *file == path && (*first..=*last).contains(&line);
        self.has_file(path) || self.definitions.iter().any(is_inside)
    }
}
