//! Reads the tokens of macros of Rust.

use tree_sitter::Node;

use crate::facts::{Chain, NAMELESS, THIS};
use crate::read::Walk;

/// Finds calls and paths in the tokens of a macro, which have no syntax tree.
pub(super) fn tokens_of(walk: &mut Walk<'_>, tree: Node<'_>) {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'_>> = tree.children(&mut cursor).collect();
    let mut path: Vec<String> = Vec::new();
    let mut joined = true;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind() {
            "identifier" | "self" | "crate" | "super" | "primitive_type" => {
                if !joined {
                    path.clear();
                }
                let name = if token.kind() == "self" && path.is_empty() { THIS } else { walk.text(*token) };
                path.push(name.to_owned());
                joined = false;
            }
            "::" => joined = true,
            "." => {
                // A member of a literal, a list or parentheses: `"miniserve".bold()`.
                if path.is_empty() {
                    path.push(NAMELESS.to_owned());
                }
                joined = true;
            }
            // A call of a macro: `remove!(path)`.
            // The environment that the compiler reads is no effect of the program.
            "!" if !joined
                && !path.last().is_some_and(|last| ["env", "option_env"].contains(&last.as_str()))
                && tokens.get(at + 1).is_some_and(|next| next.kind() == "token_tree") =>
            {
                if let Some(last) = path.last_mut() {
                    last.push('!');
                }
            }
            "token_tree" => {
                let is_macro = path.last().is_some_and(|last| last.ends_with('!'));
                let called = !joined && (is_macro || walk.text(*token).starts_with('(')) && at > 0;
                if called && !path.is_empty() {
                    let chain = Chain::path(path.iter().map(String::as_str));
                    walk.call(chain, tokens[at - 1], Vec::new());
                }
                // A method that is called on the result is a member of it.
                tokens_of(walk, *token);
                joined = false;
            }
            _ => {
                path.clear();
                joined = true;
            }
        }
    }
}
