//! A first walk over a text of a shell: its variables, its functions, and the commands that change the folder.

use std::collections::HashMap;

use smol_str::SmolStr;
use tree_sitter::{Node, Tree};

use super::Commands;
use super::folders::{Changes, Context, changes_folder};
use super::shell::Text;
use super::step::Functions;
use super::variables::Variables;
use super::words::Words;
use crate::facts::UnitKind;

/// Commands that set the variables that their arguments name.
const SETTERS: &[&str] = &["read", "mapfile", "readarray", "getopts", "printf", "let"];
/// Commands that run another text in the shell of the script.
const LOADERS: &[&str] = &["source", ".", "eval"];

/// A function of the text.
struct Function {
    unit: usize,
    /// Whether every run of the script defines it.
    always: bool,
    end: usize,
}

/// The result of a first walk over a text.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) variables: Variables,
    functions: HashMap<SmolStr, Vec<Function>>,
    /// The units of the nodes that define functions.
    pub(super) units: HashMap<usize, usize>,
    /// Whether the script removes functions.
    removes: bool,
    /// The commands that change the folder.
    pub(super) changes: Changes,
}

/// Finds the variables and functions of a text.
pub(super) fn survey(found: &mut Commands, text: &Text<'_>, code: &str, tree: &Tree) -> Survey {
    let mut survey = Survey::default();
    let plain = Variables::default();
    let words = plain.words(code);
    let mut stack = vec![(tree.root_node(), Context::of_text())];
    while let Some((node, around)) = stack.pop() {
        found.hides_code |= node.is_error() || node.is_missing();
        let always = around.always;
        let inner = around.inside(node);
        match node.kind() {
            "variable_assignment" => survey.variables.assign(node, code, always),
            "for_statement" => {
                if let Some(name) = node.child_by_field_name("variable") {
                    survey.variables.set(code.get(name.byte_range()).unwrap_or_default());
                }
            }
            "command" => survey.command(node, &words, around),
            "declaration_command" | "unset_command" => survey.declaration(node, &words),
            "function_definition" => {
                let name = node.child_by_field_name("name").map(|name| words.word(name)).unwrap_or_default();
                let unit = found.define(&name, UnitKind::Function, (text.line(node), text.end(node)), 0);
                survey.units.insert(node.id(), unit);
                let function = Function { unit, always, end: node.end_byte() };
                survey.functions.entry(name).or_default().push(function);
            }
            _ => {}
        }
        let mut cursor = node.walk();
        let from = stack.len();
        for child in node.children(&mut cursor) {
            let is_part = node.kind() == "pipeline";
            stack.push((child, if is_part { inner.in_shell(child, false) } else { inner }));
        }
        stack[from..].reverse();
    }
    survey.find_constants(code, tree);
    survey
}

impl Survey {
    fn command(&mut self, node: Node<'_>, words: &Words<'_>, around: Context) {
        let name = node.child_by_field_name("name").map(|name| words.word(name)).unwrap_or_default();
        let sets = SETTERS.contains(&name.as_str());
        if LOADERS.contains(&name.as_str()) {
            self.variables.load_others();
        }
        let mut all = vec![name];
        let mut cursor = node.walk();
        for argument in node.children_by_field_name("argument", &mut cursor) {
            let word = words.word(argument);
            self.variables.mention(&word, sets);
            all.push(word);
        }
        if changes_folder(&all) {
            self.changes.add(node, around);
        }
    }

    fn declaration(&mut self, node: Node<'_>, words: &Words<'_>) {
        let keyword = node.child(0).map(|keyword| keyword.kind());
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_name" => self.variables.mention(&words.word(child), keyword != Some("export")),
                "word" if keyword == Some("unset") && words.word(child) == "-f" => self.removes = true,
                _ => {}
            }
        }
    }

    fn find_constants(&mut self, code: &str, tree: &Tree) {
        let root = tree.root_node();
        self.variables.find_constants(|known, start, end| {
            let node = root.descendant_for_byte_range(start, end)?;
            (node.byte_range() == (start..end)).then(|| known.words(code).word(node))
        });
    }

    /// Returns the functions that a command at an offset runs. In a function, all are defined.
    pub(super) fn functions(&self, name: &str, at: usize, is_in_function: bool) -> Functions {
        let Some(all) = self.functions.get(name) else { return Functions::default() };
        let certain = !self.removes && all.iter().any(|one| one.always && (is_in_function || one.end <= at));
        Functions { units: all.iter().map(|one| one.unit).collect(), certain }
    }
}
