//! One side's files, read within bounds. Every bound is looked at before each read, and said when it was hit.
//!
//! In: the names of the files, and a way to read one. Out: facts and texts, until a bound is reached.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::facts::Facts;
use super::read;
use diffsan_syntax::language::Language;

/// What reading a file gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Its text. Bytes that are no UTF-8 have been replaced.
    Text(String),
    /// Why it cannot be read: it is not there, too large, binary, or a link that leads out.
    Unreadable(&'static str),
}

/// The files of one side of a project.
pub trait Files {
    /// The paths of all regular files, relative to the root.
    fn paths(&self) -> &BTreeSet<String>;
    /// Reads one of them.
    fn read(&self, path: &str) -> Content;
}

/// How far the evidence may be followed. Zero of files or seconds: no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Files that are read altogether.
    pub max_files: usize,
    /// Definitions that a chain goes through.
    pub max_follow_depth: usize,
    /// Candidates that one search by name looks at.
    pub max_search_results: usize,
    /// Seconds.
    pub max_runtime_seconds: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_files: 20, max_follow_depth: 2, max_search_results: 50, max_runtime_seconds: 30 }
    }
}

/// One side, with what was read of it.
pub struct Project<'a> {
    files: &'a dyn Files,
    /// The bounds.
    pub bounds: Bounds,
    /// Whether the time is up.
    expired: &'a dyn Fn() -> bool,
    facts: RefCell<HashMap<String, Option<Rc<Facts>>>>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
    by_name: BTreeMap<String, Vec<String>>,
    count: Cell<usize>,
    hits: RefCell<BTreeMap<&'static str, String>>,
    steps: RefCell<Vec<String>>,
    unreadable: RefCell<BTreeMap<String, &'static str>>,
}

/// Steps that are told; a long search is not told whole.
const STEPS: usize = 200;

impl<'a> Project<'a> {
    /// A side that nothing was read of yet.
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
            by_name,
            count: Cell::new(0),
            hits: RefCell::default(),
            steps: RefCell::default(),
            unreadable: RefCell::default(),
        }
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.files.paths().contains(path)
    }

    /// All paths that begin so, in order.
    pub fn below<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = &'s String> {
        self.files.paths().range(folder.to_owned()..).take_while(move |path| path.starts_with(folder))
    }

    /// Paths whose names are alike but for case and word marks, as many as a search may look at.
    pub fn named(&self, name: &str) -> Vec<&String> {
        let found = self.by_name.get(&simple(name)).map(Vec::as_slice).unwrap_or_default();
        if found.len() > self.bounds.max_search_results {
            self.hit("max_search_results", format!("{} files are called like `{name}`", found.len()));
        }
        found.iter().take(self.bounds.max_search_results).collect()
    }

    /// The first of a list that a search may look at.
    pub fn searched<T>(&self, what: &str, mut found: Vec<T>) -> Vec<T> {
        if found.len() > self.bounds.max_search_results {
            self.hit("max_search_results", format!("{} candidates for {what}", found.len()));
            found.truncate(self.bounds.max_search_results);
        }
        found
    }

    /// A file's text; none if it cannot or may not be read.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        if !self.has(path) || !self.may_read(path) {
            return None;
        }
        self.count.set(self.count.get() + 1);
        self.step(|| format!("read {path}"));
        let text = match self.files.read(path) {
            Content::Text(text) => Some(Rc::from(text)),
            Content::Unreadable(reason) => {
                self.step(|| format!("left out {path}: {reason}"));
                self.unreadable.borrow_mut().insert(path.to_owned(), reason);
                None
            }
        };
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    /// Looked at before each read.
    fn may_read(&self, path: &str) -> bool {
        if self.is_over() {
            return false;
        }
        if self.bounds.max_files > 0 && self.count.get() >= self.bounds.max_files {
            self.hit("max_files", format!("{path} was not read"));
            return false;
        }
        true
    }

    /// Whether the time is up; it is said then.
    pub fn is_over(&self) -> bool {
        let over = (self.expired)();
        if over {
            self.hit("max_runtime_seconds", "the rest was not looked at".to_owned());
        }
        over
    }

    /// What a file's code says; none if it is no code that is read, or may not be read.
    pub fn facts(&self, path: &str) -> Option<Rc<Facts>> {
        if let Some(known) = self.facts.borrow().get(path) {
            return known.clone();
        }
        let language = Language::of(path)?;
        let refused = !self.texts.borrow().contains_key(path) && self.has(path);
        let text = self.text(path);
        if text.is_none() && refused && !self.texts.borrow().contains_key(path) {
            // A bound: nothing is remembered, so that it is said again where it matters.
            return None;
        }
        let facts = text.map(|text| Rc::new(read::facts(language, &text)));
        if facts.as_ref().is_some_and(|facts| facts.partial) {
            self.step(|| format!("{path} is nested too deeply to be read whole"));
            self.unreadable.borrow_mut().insert(path.to_owned(), "parts of it are nested too deeply");
        }
        self.facts.borrow_mut().insert(path.to_owned(), facts.clone());
        facts
    }

    /// Says that a bound was hit, and where first.
    pub fn hit(&self, bound: &'static str, detail: String) {
        let known = self.hits.borrow().contains_key(bound);
        if !known {
            self.step(|| format!("stopped by {bound}: {detail}"));
            self.hits.borrow_mut().insert(bound, detail);
        }
    }

    /// Tells a step.
    pub fn step(&self, text: impl FnOnce() -> String) {
        let mut steps = self.steps.borrow_mut();
        if steps.len() < STEPS {
            steps.push(text());
        }
    }

    /// The bounds that were hit, each with where.
    pub fn hits(&self) -> BTreeMap<&'static str, String> {
        self.hits.borrow().clone()
    }

    /// What was done, in order.
    pub fn steps(&self) -> Vec<String> {
        self.steps.borrow().clone()
    }

    /// How many files were read.
    pub fn files_read(&self) -> usize {
        self.count.get()
    }

    /// Files that could not be read, and why.
    pub fn unreadable(&self) -> BTreeMap<String, &'static str> {
        self.unreadable.borrow().clone()
    }
}

/// A name without case and word marks: `notification_client`, `NotificationClient` and `notification-client` are one.
pub fn simple(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The folder of a path, with its slash; empty for the root.
pub fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// A path joined to a folder, with its dots resolved; none if it leads out of the root.
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
