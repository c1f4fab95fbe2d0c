//! The values of expressions that are commands: texts, and lists of words.
//!
//! In: an expression of a syntax tree. Out: the values that it can have, with marks for the parts that only the running program knows.

use smol_str::SmolStr;
use tree_sitter::Node;

use diffsan_syntax::language::Language;

use super::syntax::{Argument, Call, Source};
use super::texts::{filled, is_string};
use crate::commands::{SPLIT, UNKNOWN};

/// The maximum number of values of an expression that are told apart.
pub(super) const MAX_VALUES: usize = 8;
/// The maximum number of words of a list that are told apart.
const MAX_WORDS: usize = 64;
/// The maximum number of expressions from which a value is computed.
pub(super) const MAX_DEPTH: u8 = 12;

/// A word of a command, or a parameter whose value is one or more words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Word(SmolStr),
    /// The name of the parameter, and whether its value is a list.
    Parameter(SmolStr, bool),
}

impl Part {
    /// Returns the part as a word that is perhaps not known.
    pub(super) fn word(&self) -> SmolStr {
        match self {
            Self::Word(word) => word.clone(),
            Self::Parameter(_, is_spread) => unknown_word(*is_spread),
        }
    }
}

/// A value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(SmolStr),
    List(Vec<Part>),
    Parameter(SmolStr),
    Unknown,
}

impl Value {
    /// Returns the value as words of a list. That of several unknown ones can have options.
    pub(super) fn parts(self, is_spread: bool) -> Vec<Part> {
        match self {
            Self::Text(text) => vec![Part::Word(text)],
            Self::List(parts) => parts,
            Self::Parameter(name) => vec![Part::Parameter(name, is_spread)],
            Self::Unknown => vec![unknown(is_spread)],
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            _ => UNKNOWN.to_string(),
        }
    }
}

fn unknown(is_spread: bool) -> Part {
    Part::Word(unknown_word(is_spread))
}

fn unknown_word(is_spread: bool) -> SmolStr {
    SmolStr::new(if is_spread { SPLIT } else { UNKNOWN }.to_string())
}

/// The values of the expressions in a function.
pub(super) struct Values<'t> {
    pub(super) source: &'t Source,
    /// The definition that contains the expressions. `None` for the file itself.
    pub(super) function: Option<Node<'t>>,
}

/// Methods whose result has the text or the words of their object.
const SAME_OBJECT: &[&str] = &[
    "to_string",
    "to_owned",
    "into",
    "as_ref",
    "as_str",
    "clone",
    "to_s",
    "toString",
    "freeze",
    "dup",
    "unwrap",
    "expect",
    "to_vec",
    "collect",
    "iter",
    "toArray",
];
/// Functions whose result has the text or the words of their argument, with the object that they belong to.
const SAME_ARGUMENT: &[(&str, &str)] = &[
    ("", "str"),
    ("", "list"),
    ("", "Some"),
    ("", "Ok"),
    ("", "String"),
    ("String", "from"),
    ("String", "valueOf"),
    ("OsString", "from"),
    ("shutil", "which"),
    ("", "which"),
    ("which", "which"),
    ("which", "sync"),
    ("exec", "LookPath"),
    ("Array", "from"),
    ("", "ArrayList"),
    ("", "LinkedList"),
    ("", "array_values"),
    ("Vec", "from"),
    ("List", "copyOf"),
    ("", "Array"),
];
/// Functions that make an empty list, if they are given none, with the object that they belong to.
const EMPTY: &[(&str, &str)] =
    &[("", "ArrayList"), ("", "LinkedList"), ("", "make"), ("Array", "new"), ("Vec", "new"), ("Vec", "with_capacity")];
/// Functions that format a text, with the object that they belong to.
const FORMATS: &[(&str, &str)] = &[("fmt", "Sprintf"), ("", "sprintf"), ("String", "format")];
/// Functions whose result is one word in a text of a shell.
const QUOTES: &[&str] = &["quote", "escapeshellarg", "escape", "shellescape", "shell_escape"];
/// The interpreters that run the program itself, as its language names them.
const INTERPRETERS: &[(&str, &str)] = &[
    ("sys.executable", "python3"),
    ("process.execPath", "node"),
    ("process.argv[0]", "node"),
    ("RbConfig.ruby", "ruby"),
    ("Gem.ruby", "ruby"),
    ("PHP_BINARY", "php"),
];

impl<'t> Values<'t> {
    /// Returns the values of an expression. Never empty.
    pub(super) fn of(&self, node: Node<'t>) -> Vec<Value> {
        self.values(node, MAX_DEPTH)
    }

    /// Returns the lists of words that arguments can be.
    pub(super) fn words(&self, arguments: &[Argument<'t>]) -> Vec<Vec<Part>> {
        let of = |one: &Argument<'t>| {
            let values = self.of(one.value);
            values.into_iter().map(|value| value.parts(one.is_spread)).collect()
        };
        product(arguments.iter().map(of).collect())
    }

    pub(super) fn values(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
        let Some(depth) = depth.checked_sub(1) else { return vec![Value::Unknown] };
        let text = self.source.text(node);
        if let Some((_, program)) = INTERPRETERS.iter().find(|(name, _)| *name == text) {
            return vec![Value::Text(SmolStr::new_static(program))];
        }
        let inner = |at: u32| node.named_child(at).map_or_else(|| vec![Value::Unknown], |one| self.values(one, depth));
        let either = |fields: [&str; 2]| {
            let found: Vec<Node<'t>> = fields.iter().filter_map(|field| node.child_by_field_name(field)).collect();
            self.any(&found, depth)
        };
        match node.kind() {
            "parenthesized_expression"
            | "reference_expression"
            | "await_expression"
            | "await"
            | "as_expression"
            | "non_null_expression"
            | "satisfies_expression"
            | "argument"
            | "literal_element"
            | "try_expression"
            | "expression_list"
            | "cast_expression"
            | "parenthesized_statements"
                if node.named_child_count() > 0 =>
            {
                let at = if node.kind() == "cast_expression" { node.named_child_count().saturating_sub(1) } else { 0 };
                inner(u32::try_from(at).unwrap_or(0))
            }
            "array_element_initializer" => {
                inner(u32::try_from(node.named_child_count().saturating_sub(1)).unwrap_or(0))
            }
            "concatenated_string" | "chained_string" => {
                let mut cursor = node.walk();
                let parts: Vec<String> = node.named_children(&mut cursor).map(|one| self.string(one, depth)).collect();
                vec![Value::Text(parts.concat().into())]
            }
            "list"
            | "tuple"
            | "array"
            | "array_expression"
            | "array_creation_expression"
            | "array_initializer"
            | "composite_literal"
            | "literal_value"
            | "string_array" => self.list(node, depth),
            "conditional_expression" if node.child_by_field_name("body").is_none() => {
                let (first, last) = (node.named_child(0), node.named_child(2));
                self.any(&first.into_iter().chain(last).collect::<Vec<_>>(), depth)
            }
            "conditional_expression" => either(["body", "alternative"]),
            "ternary_expression" | "conditional" => either(["consequence", "alternative"]),
            "boolean_operator" => either(["left", "right"]),
            "binary_operator" | "binary_expression" | "binary" => self.operation(node, depth),
            "identifier" | "variable_name" | "constant" | "name" => self.variable(node, depth),
            "attribute"
            | "member_expression"
            | "member_access_expression"
            | "selector_expression"
            | "field_access"
            | "field_expression"
            | "instance_variable"
            | "class_constant_access_expression"
            | "scoped_identifier" => self.member(node, depth),
            "macro_invocation" => self.macro_value(node, depth),
            kind if is_string(kind) => vec![Value::Text(self.string(node, depth).into())],
            _ => self.source.call(node).map_or_else(|| vec![Value::Unknown], |call| self.result(&call, depth)),
        }
    }

    fn any(&self, nodes: &[Node<'t>], depth: u8) -> Vec<Value> {
        let mut all: Vec<Value> = nodes.iter().flat_map(|node| self.values(*node, depth)).collect();
        all.dedup();
        if all.is_empty() || all.len() > MAX_VALUES { vec![Value::Unknown] } else { all }
    }

    fn list(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
        let body = node.child_by_field_name("body").or_else(|| node.child_by_field_name("value"));
        let body = body.filter(|_| ["composite_literal", "array_creation_expression"].contains(&node.kind()));
        if let Some(body) = body {
            return self.list(body, depth);
        }
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor).filter(|one| !one.is_extra()).take(MAX_WORDS + 1);
        let children: Vec<Node<'t>> = children.collect();
        let of = |child: Node<'t>| -> Vec<Vec<Part>> {
            let is_spread =
                child.kind().contains("splat") || child.kind().contains("spread") || child.kind().contains("unpacking");
            // `[...base]` of PHP is an element with three dots.
            let is_spread = is_spread || self.source.text(child).starts_with("...");
            let inner = if is_spread { child.named_child(0).unwrap_or(child) } else { child };
            self.values(inner, depth).into_iter().map(|value| value.parts(is_spread)).collect()
        };
        product(children.into_iter().map(of).collect()).into_iter().map(Value::List).collect()
    }

    fn operation(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return vec![Value::Unknown];
        };
        let operator = self.source.field(node, "operator");
        match operator {
            "||" | "or" | "??" | "?:" => self.any(&[left, right], depth),
            "+" | "." => {
                let (left, right) = (self.values(left, depth), self.values(right, depth));
                let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
                pairs.take(MAX_VALUES).map(|(left, right)| joined(left, right)).collect()
            }
            // `"git %s" % x`
            "%" => self.values(left, depth).into_iter().map(|left| Value::Text(filled(&left.text()).into())).collect(),
            _ => vec![Value::Unknown],
        }
    }

    /// Returns the values of a call whose result is known.
    fn result(&self, call: &Call<'t>, depth: u8) -> Vec<Value> {
        let name = self.source.name(call);
        let arguments = self.source.arguments(call);
        let first = || arguments.first().map_or_else(|| vec![Value::Unknown], |one| self.values(one.value, depth));
        let object = || call.receiver.map_or_else(first, |receiver| self.values(receiver, depth));
        if QUOTES.contains(&name) {
            return vec![Value::Text(UNKNOWN.to_string().into())];
        }
        let owner = call.receiver.map_or("", |receiver| self.source.text(receiver));
        let is_one_of =
            |list: &[(&str, &str)]| list.iter().any(|(object, function)| *object == owner && *function == name);
        let has_format = call.receiver.is_some_and(|receiver| is_string(receiver.kind()));
        if is_one_of(FORMATS) || has_format && ["format", "formatted"].contains(&name) {
            let texts = if has_format { object() } else { first() };
            return texts.into_iter().map(|text| Value::Text(filled(&text.text()).into())).collect();
        }
        if is_one_of(EMPTY) && arguments.iter().all(|one| !is_value(one.value)) {
            return vec![Value::List(Vec::new())];
        }
        if ["join", "implode"].contains(&name) {
            // `" ".join(words)` of Python, `words.join(" ")` of others, `implode(" ", $words)` of PHP
            let parts = call.receiver.into_iter().chain(arguments.iter().map(|one| one.value));
            let lists: Vec<Node<'t>> = parts.filter(|one| !is_string(one.kind())).collect();
            let [list] = lists.as_slice() else { return vec![Value::Unknown] };
            let text = |value: Value| match value {
                Value::List(parts) => {
                    let words: Vec<SmolStr> = parts.iter().map(Part::word).collect();
                    Value::Text(words.join(" ").into())
                }
                _ => Value::Unknown,
            };
            return self.values(*list, depth).into_iter().map(text).collect();
        }
        match name {
            "split" if self.source.text(call.node).contains("shlex") => split(first()),
            "split" | "Fields" | "shellsplit" | "shellwords" | "split_whitespace" => split(object()),
            "append" if self.source.language == Language::Go => self.list_of(&arguments, depth),
            "asList" | "of" if ["Arrays", "List", "Set"].contains(&owner) => self.list_of(&arguments, depth),
            "concat" | "merge" | "array_merge" => {
                let all: Vec<Argument<'t>> = call
                    .receiver
                    .map(|value| Argument { name: "", value, is_spread: true })
                    .into_iter()
                    .chain(arguments.iter().map(|one| Argument { is_spread: true, ..*one }))
                    .collect();
                self.list_of(&all, depth)
            }
            "strip" | "trim" if arguments.is_empty() && call.receiver.is_some() => object(),
            _ if SAME_OBJECT.contains(&name) && call.receiver.is_some() => object(),
            _ if is_one_of(SAME_ARGUMENT) => first(),
            _ => vec![Value::Unknown],
        }
    }

    pub(super) fn list_of(&self, arguments: &[Argument<'t>], depth: u8) -> Vec<Value> {
        let of = |one: &Argument<'t>| -> Vec<Vec<Part>> {
            self.values(one.value, depth).into_iter().map(|value| value.parts(one.is_spread)).collect()
        };
        product(arguments.iter().map(of).collect()).into_iter().map(Value::List).collect()
    }

    /// Returns the value of a macro of Rust: `vec!["git", "fetch"]`, `format!("git {x}")`.
    fn macro_value(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
        let name = self.source.field(node, "macro");
        let mut cursor = node.walk();
        let tokens = node.named_children(&mut cursor).find(|one| one.kind() == "token_tree");
        let Some(tokens) = tokens else { return vec![Value::Unknown] };
        let mut cursor = tokens.walk();
        let children: Vec<Node<'t>> = tokens.children(&mut cursor).collect();
        let strings: Vec<Node<'t>> = children.iter().copied().filter(|one| is_string(one.kind())).collect();
        match name {
            "format" | "concat" | "format_args" => {
                let text = strings.first().map(|one| filled(&self.string(*one, depth)));
                vec![text.map_or(Value::Unknown, |text| Value::Text(text.into()))]
            }
            "vec" => {
                // The elements are between the commas.
                let inner = children.get(1..children.len().saturating_sub(1)).unwrap_or_default();
                let elements = inner.split(|one| self.source.text(*one) == ",").filter(|one| !one.is_empty());
                let of = |one: &[Node<'t>]| match one {
                    [first, ..] if is_string(first.kind()) => vec![Part::Word(self.string(*first, depth).into())],
                    [single] => self.values(*single, depth).into_iter().next().unwrap_or(Value::Unknown).parts(false),
                    _ => vec![unknown(false)],
                };
                vec![Value::List(elements.flat_map(of).collect())]
            }
            _ => vec![Value::Unknown],
        }
    }
}

/// Returns whether an argument can be words of a list, and not its size or the type of its elements.
fn is_value(node: Node<'_>) -> bool {
    !(node.kind().contains("type")
        || node.kind().contains("integer")
        || node.kind().contains("int_literal")
        || node.kind() == "number")
}

pub(super) fn joined(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::List(_), _) | (_, Value::List(_)) => {
            let is_spread = |value: &Value| !matches!(value, Value::Text(_));
            let mut parts = left.clone().parts(is_spread(left));
            parts.extend(right.clone().parts(is_spread(right)));
            Value::List(parts)
        }
        (Value::Text(_), _) | (_, Value::Text(_)) => Value::Text(format!("{}{}", left.text(), right.text()).into()),
        _ => Value::Unknown,
    }
}

/// Returns texts as lists of their words.
fn split(values: Vec<Value>) -> Vec<Value> {
    let of = |value: Value| match value {
        Value::Text(text) => Value::List(text.split_whitespace().map(|word| Part::Word(word.into())).collect()),
        Value::List(parts) => Value::List(parts),
        _ => Value::Unknown,
    };
    values.into_iter().map(of).collect()
}

/// Returns the lists that one of each choice makes.
pub(super) fn product(mut choices: Vec<Vec<Vec<Part>>>) -> Vec<Vec<Part>> {
    if choices.len() > MAX_WORDS {
        choices.truncate(MAX_WORDS);
        choices.push(vec![vec![unknown(true)]]);
    }
    let mut lists: Vec<Vec<Part>> = vec![Vec::new()];
    for choice in choices {
        let is_fitting = lists.len() * choice.len() <= MAX_VALUES;
        let choice = if is_fitting { choice } else { vec![vec![unknown(true)]] };
        lists = lists.iter().flat_map(|list| choice.iter().map(move |one| [list.as_slice(), one].concat())).collect();
    }
    lists
}
