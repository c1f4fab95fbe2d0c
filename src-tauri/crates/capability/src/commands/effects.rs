//! The effects of a step of a script.

use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use super::programs::Command;
use super::step::{Step, shown};
use crate::facts::{Facts, Use};
use crate::follow::Follow;
use crate::found::Below;
use crate::reach::{Hop, Open};

/// A step at its place, and the number of changes of file that may still be followed.
#[derive(Clone, Copy)]
pub(super) struct Spot<'u> {
    pub(super) path: &'u str,
    pub(super) facts: &'u Arc<Facts>,
    pub(super) one: &'u Use,
    pub(super) depth: usize,
    /// The folder in which the command runs, as `folders` describes it.
    pub(super) folder: &'u str,
}

impl<'u> Spot<'u> {
    /// Returns the place with another folder.
    pub(super) fn in_folder(self, folder: &'u str) -> Self {
        Self { folder, ..self }
    }

    /// Returns the place with a symbol.
    pub(super) fn hop(&self, symbol: &str) -> Rc<Hop> {
        let Self { path, facts, one, .. } = self;
        Rc::new(Hop {
            path: (*path).to_owned(),
            line: one.line,
            symbol: symbol.to_owned(),
            excerpt: facts.line(one.line),
        })
    }
}

impl Follow<'_> {
    /// Returns the effects of a use of a file that is no code of a language: of a step of a script.
    pub(crate) fn of_step(&self, path: &str, facts: &Arc<Facts>, one: &Use, depth: usize) -> Below {
        let mut below = Below::default();
        if let Some(step) = Step::of(one) {
            self.step(&Spot { path, facts, one, depth, folder: "" }, step, 0, &mut below);
        }
        below.open.retain(|open| open.next_path().is_some() || self.matters(&open.about, path));
        below
    }

    /// Adds the effects of a step. `nesting` is the number of commands around it.
    pub(super) fn step(&self, spot: &Spot<'_>, step: Step, nesting: usize, below: &mut Below) {
        match step {
            Step::Command { words, input, functions, folder } => {
                let command = Command { words: &words, input: &input, functions: &functions, nesting };
                self.command(&spot.in_folder(&folder), &command, below);
            }
            Step::Write(path) if is_socket(&path) => self.effect(spot, "socket.open", &path, below),
            Step::Read(path) if is_socket(&path) => self.effect(spot, "socket.open", &path, below),
            Step::Write(path) => self.effect(spot, "file.write", &format!("> {}", shown(&path)), below),
            Step::Read(path) => self.effect(spot, "file.read", &format!("< {}", shown(&path)), below),
            Step::Variable(name) => self.effect(spot, "env.read", &format!("${name}"), below),
            Step::Secret(name) => self.effect(spot, "secret.read", &format!("secrets.{name}"), below),
            Step::Image(name) => self.effect(spot, "package.need", &format!("image {}", shown(&name)), below),
            Step::Action(name) => self.action(spot, &name, below),
            Step::Download(address) => {
                let sink = shown(&address);
                self.effect(
                    spot,
                    if address.starts_with("http") { "http.request" } else { "network.use" },
                    &sink,
                    below,
                );
                self.effect(spot, "file.write", &sink, below);
            }
            Step::File(path) => self.follow_file(spot, &path, below),
            Step::Prerequisite(name) => self.prerequisite(spot, &name, below),
            Step::Include(name) => self.include(spot, &name, below),
            Step::IncludeTasks(name) => self.include_tasks(spot, &name, below),
            Step::Copy(..) | Step::Default(_) => {}
            Step::Effect(id, name) => self.effect(spot, &id, &name, below),
            Step::Unread(name, reason) => self.open(spot, &name, reason.to_string(), below),
        }
    }

    /// Adds an effect by its name.
    pub(super) fn effect(&self, spot: &Spot<'_>, id: &str, sink: &str, below: &mut Below) {
        if let Some(effect) = self.names.knowledge.vocabulary.effect_index(id) {
            below.add(effect, sink, false, spot.hop(sink));
        }
    }

    /// Adds a use that could not be followed.
    pub(super) fn open(&self, spot: &Spot<'_>, symbol: &str, gap: String, below: &mut Below) {
        let about = Open { gap: Some(gap), ..Open::new(&[shown(symbol).to_string()], None) };
        below.add_open(about, spot.hop(&shown(symbol)));
    }

    /// Adds the effects of an action of GitHub.
    fn action(&self, spot: &Spot<'_>, name: &SmolStr, below: &mut Below) {
        let Some(effects) = self.names.knowledge.commands().action(name) else {
            return self.open(spot, name, format!("no table lists the action `{name}`"), below);
        };
        for effect in effects {
            below.add(*effect, name, false, spot.hop(name));
        }
    }

    /// Adds the effects of a file of the project that runs.
    pub(super) fn follow_file(&self, spot: &Spot<'_>, path: &str, below: &mut Below) {
        if self.names.project.facts(path).is_some() {
            self.enter_from((spot.path, spot.facts, spot.one, spot.depth), (path, 0), below);
        } else {
            self.open(spot, path, format!("`{path}` is not read"), below);
        }
    }
}

/// Returns whether a file is one by which Bash opens a connection.
fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}
