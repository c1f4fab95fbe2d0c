//! The words of commands that are built by calls of an object: `Command::new("git").arg("fetch")`.

use tree_sitter::Node;

use super::syntax::{Argument, Call};
use super::values::{MAX_DEPTH, MAX_VALUES, Part, Value, Values, joined};

impl<'t> Values<'t> {
    /// Returns lists of words with those that the calls of a chain add, `Command::new("git").arg("fetch")`, or later ones of its variable.
    pub(super) fn built(&self, made: Node<'t>, start: Vec<Vec<Part>>) -> Vec<Vec<Part>> {
        let mut values: Vec<Value> = start.into_iter().map(Value::List).collect();
        let mut add = |arguments: &[Argument<'t>]| {
            let added = self.list_of(arguments, MAX_DEPTH);
            let pairs = values.iter().flat_map(|value| added.iter().map(move |added| joined(value, added)));
            values = pairs.take(MAX_VALUES).collect();
        };
        let mut node = made;
        let mut object = None;
        while let Some(parent) = node.parent() {
            let is_called = parent.child_by_field_name("function") == Some(node);
            if let Some(call) = self.source.call(parent).filter(|call| is_called || call.receiver == Some(node)) {
                if let Some(arguments) = self.added(&call) {
                    add(&arguments);
                }
                object = None;
            } else if [
                "variable_declarator",
                "let_declaration",
                "assignment_expression",
                "short_var_declaration",
                "assignment",
            ]
            .contains(&parent.kind())
            {
                let fields = ["pattern", "name", "left"];
                object = fields.iter().find_map(|field| parent.child_by_field_name(field));
                break;
            } else if ![
                "field_expression",
                "member_expression",
                "attribute",
                "reference_expression",
                "expression_list",
                "await_expression",
            ]
            .contains(&parent.kind())
            {
                break;
            }
            node = parent;
        }
        if let Some(object) = object {
            let name = self.source.text(object).trim_start_matches("mut ");
            let part = self.source.around(made).unwrap_or_else(|| self.source.root());
            let mut calls: Vec<Call<'t>> =
                self.source.nodes(part, |_| true).into_iter().filter_map(|node| self.source.call(node)).collect();
            // The outer call of a chain is the last one.
            calls.sort_by_key(|call| call.name.start_byte());
            for call in calls {
                let root = std::iter::successors(call.receiver, |one| self.source.call(*one)?.receiver).last();
                if call.node.start_byte() > made.start_byte()
                    && root.is_some_and(|root| self.source.text(root) == name)
                    && let Some(arguments) = self.added(&call)
                {
                    let added = self.list_of(&arguments, MAX_DEPTH);
                    let found = self.with_added(&mut values, added, self.is_certain(call.node, part));
                    values.extend(found);
                    values.truncate(MAX_VALUES);
                }
            }
        }
        values.into_iter().map(|value| value.parts(true)).collect()
    }

    /// Returns the words that a call adds to a command.
    fn added(&self, call: &Call<'t>) -> Option<Vec<Argument<'t>>> {
        let name = self.source.name(call);
        if !["arg", "args"].contains(&name) {
            return None;
        }
        let mut arguments = self.source.arguments(call);
        arguments.iter_mut().for_each(|one| one.is_spread |= name == "args");
        Some(arguments)
    }
}
