//! The code that a shell or another interpreter runs: a text, a file, or its input.

use smol_str::SmolStr;

use super::effects::Spot;
use super::programs::Command;
use super::step::{Input, SPLIT, is_unknown, shown};
use super::table::Known;
use super::words::STREAM_OF_COMMAND;
use crate::follow::Follow;
use crate::found::Below;

/// Options with which an interpreter runs code in its arguments, or a module.
const INLINE: &[&str] =
    &["-c", "-e", "-E", "-m", "-p", "-r", "-n", "--eval", "--print", "--command", "-pe", "-ne", "-pi"];
/// Options with which an interpreter runs nothing.
const QUESTIONS: &[&str] = &["--version", "-V", "-v", "--help", "-h", "version", "help"];

impl Follow<'_> {
    /// Adds the effects of the text, the file or the input that a shell runs.
    pub(super) fn shell(&self, spot: &Spot<'_>, command: &Command<'_>, known: &Known, below: &mut Below) {
        let name = &known.name;
        let rest = command.words.get(known.rest..).unwrap_or_default();
        let (mut at, mut is_text, mut is_input) = (0, false, false);
        while let Some(word) = rest.get(at).filter(|word| word.starts_with(['-', '+'])) {
            at += 1;
            let letters = word.trim_start_matches(['-', '+']);
            if word == "--" || word == "-" {
                break;
            }
            let is_long = word.starts_with("--");
            is_text |= !is_long && letters.contains('c');
            is_input |= !is_long && letters.contains('s');
            let takes_value =
                if is_long { ["rcfile", "init-file"].contains(&letters) } else { letters.contains(['o', 'O']) };
            at += usize::from(takes_value);
        }
        match (rest.get(at), command.input) {
            (Some(text), _) if is_text => self.texts(spot, command, text, below),
            (Some(word), _) if word.starts_with(SPLIT) => {
                self.open(
                    spot,
                    &format!("{name} …"),
                    format!("the script that `{name}` runs is chosen when the script runs"),
                    below,
                );
            }
            (Some(word), _) if !is_input => self.run_file(spot, word, below),
            (_, Input::Pipe) => self.effect(spot, "code.execute", name, below),
            (_, Input::File(path)) => self.run_file(spot, path, below),
            (_, Input::Text(text)) => self.texts(spot, command, text, below),
            (_, Input::Inherited) if rest.iter().any(|word| word == "--version" || word == "--help") => {}
            (_, Input::Inherited) => self.open(spot, name, format!("the code that `{name}` reads is not known"), below),
        }
    }

    /// Adds the effects of a program that an interpreter runs.
    pub(super) fn program(&self, spot: &Spot<'_>, command: &Command<'_>, known: &Known, below: &mut Below) {
        let name = &known.name;
        let rest = command.words.get(known.rest..).unwrap_or_default();
        let table = &self.names.knowledge.commands();
        let mut names = name.split(' ').map(SmolStr::new);
        let program = names.next().unwrap_or_default();
        let subcommand: Vec<SmolStr> = names.collect();
        let mut operand = None;
        let mut at = 0;
        while let Some(word) = rest.get(at) {
            if INLINE.contains(&word.as_str()) {
                let shown = rest.get(at + 1).map(|text| shown(text)).unwrap_or_default();
                return self.open(
                    spot,
                    &format!("{name} {word} {shown}"),
                    format!("the code in the arguments of `{name}` is not read"),
                    below,
                );
            }
            if !word.starts_with(['-', '+']) {
                operand = Some(word);
                break;
            }
            if word == "-" {
                break;
            }
            at += 1 + usize::from(table.takes_value(&program, subcommand.iter(), word));
        }
        match (operand, command.input) {
            (Some(word), _) if QUESTIONS.contains(&word.as_str()) => {}
            (Some(word), _) if is_unknown(word) && !word.starts_with(STREAM_OF_COMMAND) => {
                self.open(
                    spot,
                    &format!("{name} {}", shown(word)),
                    format!("the program that `{name}` runs is chosen when the script runs"),
                    below,
                );
            }
            (Some(word), _) => self.run_file(spot, word, below),
            (None, Input::Pipe) => self.effect(spot, "code.execute", name, below),
            (None, Input::File(path)) => self.run_file(spot, path, below),
            (None, Input::Text(_)) => {
                self.open(spot, name, format!("the code in the input of `{name}` is not read"), below)
            }
            (None, Input::Inherited) if rest.iter().any(|word| QUESTIONS.contains(&word.as_str())) => {}
            (None, Input::Inherited) => {
                self.open(spot, name, format!("the code that `{name}` reads is not known"), below)
            }
        }
    }
}
