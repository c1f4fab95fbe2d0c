//! Finds names in which two token streams differ, and says how a name is used.

use std::ops::Range;

use diffsan_syntax::language::Language;
use diffsan_syntax::tokens::{Token, TokenClass};

use crate::source::Source;

/// The names with which a name can collide: variables, functions and types, or members of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Space {
    Scope,
    Member,
}

/// The strength with which an occurrence binds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Binding {
    /// It only uses the name.
    Use,
    /// It declares a variable or parameter.
    Local,
    /// It defines a function, a type, a constant or a field, which other files may use.
    Definition,
}

/// A name in the place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) space: Space,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) binding: Binding,
}

/// Returns the pairs of names in which two ranges of tokens differ, or `None` if they differ by anything else. Comments may follow
/// the renames.
pub(crate) fn pairs(
    old: &Source<'_>,
    before: &Range<usize>,
    new: &Source<'_>,
    after: &Range<usize>,
) -> Option<Vec<Pair>> {
    if before.len() != after.len() {
        return None;
    }
    let mut found = Vec::new();
    let mut comments = Vec::new();
    for (token, twin) in before.clone().zip(after.clone()) {
        if old.is_same(token, new, twin) {
            continue;
        }
        let (one, other) = (&old.tokens[token], &new.tokens[twin]);
        if old.is_plain_comment(token) && new.is_plain_comment(twin) {
            comments.push((old.text_of(token), new.text_of(twin)));
            continue;
        }
        let alike = one.is_same_kind(other) && one.join == other.join && one.parents() == other.parents();
        let space = space(one).filter(|_| alike && can_be_renamed(old, token))?;
        let (from, to) = (old.text_of(token).to_owned(), new.text_of(twin).to_owned());
        found.push(Pair { space, from, to, binding: binding(one) });
    }
    let followed = comments.iter().all(|(one, other)| renamed_words(one, &found) == renamed_words(other, &[]));
    (!found.is_empty() && followed).then_some(found)
}

fn renamed_words(text: &str, pairs: &[Pair]) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    let renamed = |word: &str| pairs.iter().find(|pair| pair.from == word).map_or(word, |pair| &pair.to).to_owned();
    let separators =
        text.chars().filter(|char| !char.is_alphanumeric() && *char != '_' && !char.is_whitespace()).collect();
    words.filter(|word| !word.is_empty()).map(renamed).chain([separators]).collect()
}

/// Returns the space of a token's name, or `None` if it is not a name.
pub(crate) fn space(token: &Token) -> Option<Space> {
    let (parent, field) = token.parents()[0];
    let member = match token.kind() {
        "field_identifier" | "property_identifier" | "private_property_identifier" | "shorthand_field_identifier" => {
            true
        }
        "identifier" | "constant" | "name" => {
            let kinds =
                ["attribute", "field_access", "selector_expression", "scoped_identifier", "member_access_expression"];
            let last = matches!(field, Some("attribute" | "field" | "name" | "method"));
            last && (kinds.contains(&parent)
                || matches!(parent, "method_invocation" | "call" | "member_call_expression" | "scoped_call_expression"))
        }
        kind if kind.ends_with("identifier") => false,
        _ => return None,
    };
    Some(if member { Space::Member } else { Space::Scope })
}

/// Returns whether a token is a shorthand for a variable and a member of the same name.
pub(crate) fn is_shorthand(token: &Token) -> bool {
    token.kind().starts_with("shorthand") || token.parents()[0].0.starts_with("shorthand")
}

/// Returns whether a token names a parameter of a function that may be elsewhere.
pub(crate) fn is_keyword_argument(token: &Token) -> bool {
    token.parents()[0] == ("keyword_argument", Some("name"))
}

/// Returns whether a rename may change a token: its text is only a name, and not also the name of something outside.
fn can_be_renamed(source: &Source<'_>, index: usize) -> bool {
    let token = &source.tokens[index];
    let parents = token.parents();
    let outside = parents.iter().any(|(kind, _)| {
        kind.contains("import") || kind.starts_with("use_") || kind.contains("export_spec") || kind.contains("package")
    });
    let labelled = parents[0].0.contains("label") || parents[0].0 == "macro_invocation";
    // Python's `f"{name=}"` prints the name.
    let printed = token.class == TokenClass::Text
        && source.language == Some(Language::Python)
        && source
            .tokens
            .get(index + 1)
            .is_some_and(|next| source.lines.text[next.range.clone()].trim_start().starts_with('='));
    // The names of attributes and annotations belong to other tools.
    let attribute =
        parents.iter().any(|(kind, _)| matches!(*kind, "attribute_item" | "annotation" | "marker_annotation"));
    !outside && !labelled && !printed && !attribute && !is_shorthand(token) && !is_keyword_argument(token)
}

/// Nodes around a pattern of several names.
const LISTS: &[&str] = &[
    "expression_list",
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "array_pattern",
    "mut_pattern",
    "ref_pattern",
    "reference_pattern",
    "parenthesized_expression",
    "variable_name",
    "identifier_list",
    "captured_pattern",
];

/// Returns how an occurrence binds its name.
pub(crate) fn binding(token: &Token) -> Binding {
    let parents = token.parents();
    let depth = parents.iter().take_while(|(kind, _)| LISTS.contains(kind)).count();
    let Some(&(parent, field)) = parents.get(depth) else { return Binding::Use };
    let definitions =
        ["definition", "declaration", "_item", "_spec", "class", "module", "_declarator", "method", "enum_variant"];
    let uses = ["invocation", "call", "reference"];
    let named = definitions.iter().any(|part| parent.contains(part)) && !uses.iter().any(|part| parent.contains(part));
    let parameters = ["parameter", "inferred_parameters", "catch"];
    let is_parameter = parameters.iter().any(|part| parent.contains(part)) && !matches!(field, Some("type" | "value"));
    match field {
        Some("name") if named && depth == 0 && !parent.contains("variable_declarator") => Binding::Definition,
        Some("name") if named => Binding::Local,
        Some("pattern") => Binding::Local,
        Some("left") if matches!(parent, "assignment" | "short_var_declaration" | "range_clause" | "for_statement") => {
            Binding::Local
        }
        Some("left") if matches!(parent, "for_in_statement" | "for_in_clause") => Binding::Local,
        _ if is_parameter => Binding::Local,
        None if parent == "as_pattern_target" => Binding::Local,
        _ => Binding::Use,
    }
}
