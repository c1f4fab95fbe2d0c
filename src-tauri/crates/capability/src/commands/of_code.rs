//! The effects of the commands that code starts.

use smol_str::SmolStr;

use super::effects::Spot;
use super::folders;
use super::programs::Command;
use super::step::{Functions, Input};
use crate::follow::Follow;
use crate::found::Below;
use crate::programs::without_ending;
use crate::uses::Place;

/// The name of the shell that runs a text of code, for the effect that the text has because it is made at run time.
pub(crate) const OWN_TEXT: &str = "text of code";

impl Follow<'_> {
    /// Adds the effects of a program with its arguments.
    pub(crate) fn of_words(&self, place: Place<'_>, mut words: Vec<SmolStr>, below: &mut Below) {
        let folder = folders::unknown();
        if let Some(name) = words.first_mut() {
            *name = without_ending(name).into();
        }
        let command = Command { words: &words, input: &Input::Inherited, functions: &Functions::default(), nesting: 0 };
        self.command(&spot(place, &folder), &command, below);
    }

    /// Adds the effects of a text of a shell.
    pub(crate) fn of_text(&self, place: Place<'_>, text: &str, below: &mut Below) {
        let folder = folders::unknown();
        let words = [SmolStr::new_static(OWN_TEXT)];
        let command = Command { words: &words, input: &Input::Inherited, functions: &Functions::default(), nesting: 0 };
        self.texts(&spot(place, &folder), &command, text, below);
    }
}

fn spot<'u>((path, facts, one, depth): Place<'u>, folder: &'u str) -> Spot<'u> {
    Spot { path, facts, one, depth, folder }
}
