//! The way in which the code around a reference uses its value.

use super::head::{Head, Source};
use diffsan_syntax::tokens::Token;

/// The use of a name by the code around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// It is called.
    Called,
    /// It is passed to a call.
    Argument,
    /// It is only made visible for other files.
    Exported,
    /// It is the target of an assignment.
    Written,
    /// It is used in another way.
    Value,
}

/// Returns the context of the name at a byte.
pub(super) fn context(head: &Head<'_>, path: &str, byte: u32) -> Option<Context> {
    let source = head.source(path)?;
    let token = source.token_at(byte)?;
    Some(of(&source, token))
}

fn of(source: &Source, token: &Token) -> Context {
    for (kind, field) in token.parents() {
        let is_field = |names: &[&str]| field.is_some_and(|field| names.contains(&field));
        match kind {
            "export_specifier" | "export_clause" | "export_statement" => return Context::Exported,
            _ if kind.contains("call") && is_field(&["function", "method", "name"]) => return Context::Called,
            "method_invocation" if is_field(&["name"]) => return Context::Called,
            _ if kind.contains("assignment") && is_field(&["left"]) => return Context::Written,
            "arguments" | "argument_list" | "argument" => return Context::Argument,
            "shorthand_property_identifier" | "object" | "pair" if is_exported(source, token) => {
                return Context::Exported;
            }
            _ if kind.contains("assignment") && is_exported(source, token) => return Context::Exported,
            _ if is_path(kind) && !is_field(&["object", "value", "operand", "receiver", "scope", "path"]) => {}
            _ => break,
        }
    }
    if is_exported(source, token) { Context::Exported } else { Context::Value }
}

/// Returns whether a node is a name behind the object or module that it belongs to.
fn is_path(kind: &str) -> bool {
    [
        "member_expression",
        "field_expression",
        "field_access",
        "scoped_identifier",
        "selector_expression",
        "attribute",
        "variable_name",
        "name",
    ]
    .contains(&kind)
        || kind.ends_with("access_expression")
}

/// Returns whether a script exports the name by an assignment: `module.exports = { name }`, `exports.other = name`.
fn is_exported(source: &Source, token: &Token) -> bool {
    let before = &source.text[..token.range.start];
    let statement = before.rfind([';', '}']).map_or(before, |at| &before[at + 1..]);
    let statement = statement.rsplit("\n\n").next().unwrap_or(statement).trim_start();
    ["module.exports", "exports.", "export default", "export {"].iter().any(|start| statement.starts_with(start))
}
