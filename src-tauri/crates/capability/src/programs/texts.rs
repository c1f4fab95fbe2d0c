//! The texts of strings, with marks for the code in them.

use tree_sitter::Node;

use super::values::{Value, Values};
use crate::commands::UNKNOWN;

impl<'t> Values<'t> {
    /// Returns the text of a string, with marks for the code in it.
    pub(super) fn string(&self, node: Node<'t>, depth: u8) -> String {
        let mut text = String::new();
        self.add_string(node, &mut text, depth);
        text
    }

    /// Returns the text of code in a string, if it has only one.
    fn interpolated(&self, node: Node<'t>, depth: u8) -> String {
        let inner = node
            .named_child(0)
            .filter(|_| node.kind().contains("interpolation") || node.kind().contains("substitution"));
        match self.values(inner.unwrap_or(node), depth).as_slice() {
            [Value::Text(text)] => text.to_string(),
            _ => UNKNOWN.to_string(),
        }
    }

    fn add_string(&self, node: Node<'t>, text: &mut String, depth: u8) {
        let whole = self.source.text(node);
        if node.child_count() == 0 {
            let unmarked = whole.trim_start_matches(|char: char| char.is_ascii_alphabetic() || char == '#');
            let is_quoted = is_string(node.kind()) && unmarked.starts_with(['"', '\'', '`']);
            text.push_str(if is_quoted {
                unmarked.trim_end_matches('#').trim_matches(['"', '\'', '`'])
            } else {
                whole
            });
            return;
        }
        let mut cursor = node.walk();
        let (start, mut at) = (node.start_byte(), 0);
        for child in node.children(&mut cursor) {
            text.push_str(whole.get(at..child.start_byte() - start).unwrap_or_default());
            at = child.end_byte() - start;
            match child.kind() {
                _ if !child.is_named() => {}
                "string_start" | "string_end" => {}
                "escape_sequence" => text.push_str(match self.source.text(child) {
                    "\\n" => "\n",
                    "\\t" => "\t",
                    other => other.strip_prefix('\\').unwrap_or(other),
                }),
                kind if kind.contains("content")
                    || kind.contains("fragment")
                    || is_string(kind)
                    || kind == "string_value" =>
                {
                    self.add_string(child, text, depth);
                }
                _ => text.push_str(&self.interpolated(child, depth)),
            }
        }
        text.push_str(whole.get(at..).unwrap_or_default());
    }
}

pub(super) fn is_string(kind: &str) -> bool {
    kind.contains("string") && !kind.contains("array")
        || ["heredoc", "nowdoc", "heredoc_body", "subshell", "shell_command_expression"].contains(&kind)
}

/// Returns a format with marks in the place of the values that it is filled with.
pub(super) fn filled(format: &str) -> String {
    let mut text = String::new();
    let mut chars = format.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '%' if chars.peek().is_some_and(|next| *next == '%') => text.extend(chars.next()),
            '%' => {
                while chars.next_if(|next| "-+ #0123456789.$".contains(*next)).is_some() {}
                if chars.next_if(|next| *next == '(').is_some() {
                    while chars.next().is_some_and(|next| next != ')') {}
                }
                chars.next();
                text.push(UNKNOWN);
            }
            '{' => {
                while chars.next().is_some_and(|next| next != '}') {}
                text.push(UNKNOWN);
            }
            char => text.push(char),
        }
    }
    text
}
