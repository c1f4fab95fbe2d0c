//! The files of one side, read within bounds. Every bound is checked before each read, and recorded when it is hit.
//!
//! In: the paths of the files, and a way to read one. Out: facts and texts, until a bound is reached.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::commands::Format;
use super::facts::Facts;
use super::modules::Module;
use super::read;
use crate::read::language_of;
use crate::words::FileWords;
use diffsan_syntax::language::Language;

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The text.
    Text(String),
    /// The text as far as it can be read, and the reason why it is not complete.
    Partial(String, &'static str),
    /// The reason why the file cannot be read: it is missing, too large, binary, or a link that leads out of the root.
    Unreadable(&'static str),
}

/// The files of one side of a project.
pub trait Files {
    /// Returns the paths of all regular files, relative to the root.
    fn paths(&self) -> &BTreeSet<String>;
    /// Returns whether a file is one of them.
    fn has(&self, path: &str) -> bool {
        self.paths().contains(path)
    }
    /// Reads one of the files.
    fn read(&self, path: &str) -> Content;
    /// Returns the language of a file if the readers know it. An implementation can know those of files whose names do not tell it.
    fn language(&self, path: &str) -> Option<Language> {
        language_of(path)
    }
    /// Returns the words of a file, which `find` finds. An implementation can keep them.
    fn words(&self, _path: &str, find: &dyn Fn() -> FileWords) -> Arc<FileWords> {
        Arc::new(find())
    }
    /// Returns the facts about the code of a file with this text. An implementation can keep them.
    fn facts(&self, path: &str, language: Language, text: &Arc<str>) -> Arc<Facts> {
        Arc::new(read::facts_of_file(path, language, text))
    }
}

/// The bounds of an analysis. Zero files or seconds means no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum number of files that are read.
    pub max_files: usize,
    /// The maximum number of definitions in a chain.
    pub max_follow_depth: usize,
    /// The maximum number of candidates of one search by name.
    pub max_search_results: usize,
    /// The maximum duration in seconds.
    pub max_runtime_seconds: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_files: 20, max_follow_depth: 2, max_search_results: 50, max_runtime_seconds: 30 }
    }
}

/// One side of a project, with the files that were read.
pub struct Project<'a> {
    files: &'a dyn Files,
    /// The bounds.
    pub bounds: Bounds,
    /// Returns whether the time is up.
    expired: &'a dyn Fn() -> bool,
    facts: RefCell<HashMap<String, Option<Arc<Facts>>>>,
    texts: RefCell<HashMap<String, Option<Arc<str>>>>,
    /// The files of packages, by their folder.
    packages: RefCell<HashMap<String, Rc<Vec<String>>>>,
    documents: RefCell<HashMap<String, Option<Rc<Value>>>>,
    /// The modules that were resolved, by the file that names them, and their names.
    modules: RefCell<HashMap<String, ModulesOfFile>>,
    by_name: BTreeMap<String, Vec<String>>,
    /// The folders of the libraries of Rust, each with its name as one of a crate.
    crates: OnceCell<Vec<(String, String)>>,
    words: RefCell<HashMap<String, Arc<FileWords>>>,
    count: Cell<usize>,
    hits: RefCell<BTreeMap<&'static str, String>>,
    steps: RefCell<Vec<String>>,
    unreadable: RefCell<BTreeMap<String, &'static str>>,
}

/// The modules that a file names: by the module's name and the name that is looked up in it.
type ModulesOfFile = HashMap<(String, Option<String>), Module>;

/// Why a file is not read completely of which [`Facts::other_code`] has the other parts. They are open uses of the code that runs them.
pub const UNREAD_PARTS: &str = "it contains or loads code that is not read";

/// The bounds that cut single uses, which are open then. All others cut the examination of a side.
pub const BOUNDS_OF_USES: &[&str] = &["max_follow_depth"];

/// The maximum number of recorded steps.
const STEPS: usize = 200;

impl<'a> Project<'a> {
    /// Creates a side without reading any file.
    pub fn new(files: &'a dyn Files, bounds: Bounds, expired: &'a dyn Fn() -> bool) -> Self {
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in files.paths() {
            let name = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(simple(name.split('.').next().unwrap_or(name))).or_default().push(path.clone());
        }
        Self {
            files,
            bounds,
            expired,
            facts: RefCell::default(),
            texts: RefCell::default(),
            packages: RefCell::default(),
            documents: RefCell::default(),
            modules: RefCell::default(),
            by_name,
            crates: OnceCell::new(),
            words: RefCell::default(),
            count: Cell::new(0),
            hits: RefCell::default(),
            steps: RefCell::default(),
            unreadable: RefCell::default(),
        }
    }

    /// Returns whether the file exists.
    pub fn has(&self, path: &str) -> bool {
        self.files.has(path)
    }

    /// Returns the language of a file if the readers know it.
    pub fn language(&self, path: &str) -> Option<Language> {
        self.files.language(path)
    }

    /// Returns all paths that begin with `folder`, in order.
    pub fn below<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = &'s String> {
        self.files.paths().range(folder.to_owned()..).take_while(move |path| path.starts_with(folder))
    }

    /// Returns the paths whose names equal `name` except for case and word separators, at most `max_search_results`.
    pub fn named(&self, name: &str) -> Vec<&String> {
        let found = self.by_name.get(&simple(name)).map(Vec::as_slice).unwrap_or_default();
        if found.len() > self.bounds.max_search_results {
            self.hit("max_search_results", || format!("{} files have the name `{name}`", found.len()));
        }
        found.iter().take(self.bounds.max_search_results).collect()
    }

    /// Returns the folders of the libraries of Rust, each with its name as one of a crate: `a/my-crate/` with `my_crate`.
    pub(crate) fn crates(&self) -> &[(String, String)] {
        self.crates.get_or_init(|| {
            let roots = self.named("lib").into_iter().filter_map(|file| file.strip_suffix("src/lib.rs"));
            let name = |root: &str| root.trim_end_matches('/').rsplit('/').next().unwrap_or_default().replace('-', "_");
            roots.map(|root| (root.to_owned(), name(root))).collect()
        })
    }

    /// Cuts a list of candidates to `max_search_results`.
    pub fn searched<T>(&self, what: &str, mut found: Vec<T>) -> Vec<T> {
        if found.len() > self.bounds.max_search_results {
            self.hit("max_search_results", || format!("{} candidates for {what}", found.len()));
            found.truncate(self.bounds.max_search_results);
        }
        found
    }

    /// Returns a file's text. Returns `None` if it cannot be read, or if a bound is reached.
    pub fn text(&self, path: &str) -> Option<Arc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        if !self.has(path) || !self.may_read(path) {
            return None;
        }
        self.count.set(self.count.get() + 1);
        self.step(|| format!("read {path}"));
        let text = match self.files.read(path) {
            Content::Text(text) => Some(Arc::from(text)),
            Content::Partial(text, reason) => {
                self.step(|| format!("read only a part of {path}: {reason}"));
                self.unreadable.borrow_mut().insert(path.to_owned(), reason);
                Some(Arc::from(text))
            }
            Content::Unreadable(reason) => {
                self.step(|| format!("skipped {path}: {reason}"));
                self.unreadable.borrow_mut().insert(path.to_owned(), reason);
                None
            }
        };
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    /// Returns whether a file mentions a name, or defines it: `fn name` of Rust, `func Name` of a type of Go. The file does not count as read:
    /// only its words are kept.
    pub(crate) fn mentions(&self, path: &str, name: &str) -> bool {
        if let Some(words) = self.words.borrow().get(path) {
            return words.have(name);
        }
        if self.is_over() {
            return false;
        }
        let find = || match self.texts.borrow().get(path) {
            Some(Some(text)) => FileWords::of(text),
            _ => match self.files.read(path) {
                Content::Text(text) | Content::Partial(text, _) => FileWords::of(&text),
                Content::Unreadable(_) => FileWords::default(),
            },
        };
        let words = self.files.words(path, &find);
        let has = words.have(name);
        self.words.borrow_mut().insert(path.to_owned(), words);
        has
    }

    /// Returns the files of a folder that `belongs` selects. They are searched once.
    pub(crate) fn package(&self, folder: &str, belongs: impl Fn(&str) -> bool) -> Rc<Vec<String>> {
        if let Some(known) = self.packages.borrow().get(folder) {
            return Rc::clone(known);
        }
        let inside = self.below(folder).filter(|path| !path[folder.len()..].contains('/') && belongs(path));
        let files: Rc<Vec<String>> = Rc::new(inside.cloned().collect());
        self.packages.borrow_mut().insert(folder.to_owned(), Rc::clone(&files));
        files
    }

    /// Returns a configuration file as a value. It is parsed once. `parse` makes the value from the text.
    pub(crate) fn document(&self, path: &str, parse: impl FnOnce(&str) -> Option<Value>) -> Option<Rc<Value>> {
        if let Some(known) = self.documents.borrow().get(path) {
            return known.clone();
        }
        let value = self.text(path).and_then(|text| parse(&text)).map(Rc::new);
        self.documents.borrow_mut().insert(path.to_owned(), value.clone());
        value
    }

    /// Returns the module that a file names. It is resolved once.
    pub(crate) fn module(
        &self,
        from: &str,
        module: &str,
        name: Option<&str>,
        resolve: impl FnOnce() -> Module,
    ) -> Module {
        let key = (module.to_owned(), name.map(str::to_owned));
        if let Some(known) = self.modules.borrow().get(from).and_then(|modules| modules.get(&key)) {
            return known.clone();
        }
        let found = resolve();
        self.modules.borrow_mut().entry(from.to_owned()).or_default().insert(key, found.clone());
        found
    }

    /// Returns whether enough files may still be read for a search that an answer does not need.
    pub(crate) fn has_room(&self) -> bool {
        self.bounds.max_files == 0 || self.count.get() < self.bounds.max_files / 2
    }

    /// Returns whether the bounds allow another read.
    fn may_read(&self, path: &str) -> bool {
        if self.is_over() {
            return false;
        }
        if self.bounds.max_files > 0 && self.count.get() >= self.bounds.max_files {
            self.hit("max_files", || format!("{path} was not read"));
            return false;
        }
        true
    }

    /// Returns whether the time is up, and records it.
    pub fn is_over(&self) -> bool {
        let over = (self.expired)();
        if over {
            self.hit("max_runtime_seconds", || "the rest was not examined".to_owned());
        }
        over
    }

    /// Returns the facts about a file. Returns `None` if it has no supported language and contains no commands, if it cannot be read, or if a
    /// bound is reached.
    pub fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        if let Some(known) = self.facts.borrow().get(path) {
            return known.clone();
        }
        let language = self.language(path);
        let format = Format::of_path(path);
        if language.is_none() && format.is_none() && !Format::may_tell_in_first_line(path) {
            return None;
        }
        let refused = !self.texts.borrow().contains_key(path) && self.has(path);
        let text = self.text(path);
        if text.is_none() && refused && !self.texts.borrow().contains_key(path) {
            // A bound was hit. The result is not cached, so that the bound is recorded again for a later request.
            return None;
        }
        let facts = text.and_then(|text| match language {
            Some(language) => Some(self.files.facts(path, language, &text)),
            None => Some(Arc::new(format.or_else(|| Format::of_first_line(path, &text))?.facts(&text))),
        });
        if let Some(facts) = &facts {
            // Both sides share the text of an unchanged file.
            self.texts.borrow_mut().insert(path.to_owned(), Some(Arc::clone(&facts.text)));
        }
        if facts.as_ref().is_some_and(|facts| facts.partial) {
            self.step(|| format!("{path} is nested too deeply to be read completely"));
            self.unreadable.borrow_mut().insert(path.to_owned(), "parts of it are nested too deeply");
        }
        if facts.as_ref().is_some_and(|facts| facts.hides_code) {
            self.step(|| format!("{path} has an error that hides a part of it"));
            self.unreadable.borrow_mut().insert(path.to_owned(), "an error in its text hides a part of it");
        }
        if facts.as_ref().is_some_and(|facts| !facts.other_code.is_empty()) {
            self.unreadable.borrow_mut().insert(path.to_owned(), UNREAD_PARTS);
        }
        self.facts.borrow_mut().insert(path.to_owned(), facts.clone());
        facts
    }

    /// Records that a bound was hit, with the first place.
    pub fn hit(&self, bound: &'static str, detail: impl FnOnce() -> String) {
        let known = self.hits.borrow().contains_key(bound);
        if !known {
            let detail = detail();
            self.step(|| format!("stopped by {bound}: {detail}"));
            self.hits.borrow_mut().insert(bound, detail);
        }
    }

    /// Records a step.
    pub fn step(&self, text: impl FnOnce() -> String) {
        let mut steps = self.steps.borrow_mut();
        if steps.len() < STEPS {
            steps.push(text());
        }
    }

    /// Returns the bounds that were hit, each with the first place.
    pub fn hits(&self) -> BTreeMap<&'static str, String> {
        self.hits.borrow().clone()
    }

    /// Returns the recorded steps, in order.
    pub fn steps(&self) -> Vec<String> {
        self.steps.borrow().clone()
    }

    /// Returns the number of files that were read.
    pub fn files_read(&self) -> usize {
        self.count.get()
    }

    /// Returns the files that could not be read, and the reasons.
    pub fn unreadable(&self) -> BTreeMap<String, &'static str> {
        self.unreadable.borrow().clone()
    }
}

/// Normalizes a name without case and word separators: `notification_client`, `NotificationClient` and `notification-client` are
/// equal.
pub fn simple(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the folder of a path, with a trailing slash. Empty for the root.
pub fn folder(path: &str) -> &str {
    // Shorter than the search of `rfind`, which is made for long texts.
    path.bytes().rposition(|byte| byte == b'/').map_or("", |at| &path[..=at])
}

/// Joins a path to a folder and resolves dots. Returns `None` if the result is outside of the root.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
