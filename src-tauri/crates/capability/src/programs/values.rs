//! The values of expressions that are commands: texts, and lists of words.
//!
//! In: an expression of a syntax tree. Out: the values that it can have, with marks for the parts that only the running program knows.

use smol_str::SmolStr;
use tree_sitter::Node;

use diffsan_syntax::language::Language;

use super::syntax::{Argument, Call, Source, is_function};
use crate::commands::{SPLIT, UNKNOWN};

/// The maximum number of values of an expression that are told apart.
const MAX_VALUES: usize = 8;
/// The maximum number of words of a list that are told apart.
const MAX_WORDS: usize = 64;
/// The maximum number of expressions from which a value is computed.
const MAX_DEPTH: u8 = 12;

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

    fn text(&self) -> String {
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

/// Methods that add words to a list or to a command.
const ADDING: &[&str] = &["append", "push", "add", "extend", "addAll", "arg", "args", "push_back", "concat"];
/// Methods that change a list or a text in another way.
const CHANGING: &[&str] = &[
    "insert", "set", "unshift", "clear", "pop", "remove", "splice", "push_str", "reverse", "sort", "shift", "fill",
    "addFirst", "prepend", "replace",
];
/// The kinds of elements of a list.
const ELEMENTS: &[&str] =
    &["subscript", "subscript_expression", "index_expression", "array_access", "element_reference"];
/// The kinds of patterns, and of statements that bind names in their head.
const PATTERNS: &[&str] = &[
    "object_pattern",
    "array_pattern",
    "for_in_clause",
    "tuple_pattern",
    "list_pattern",
    "named_expression",
    "as_pattern",
    "import_from_statement",
    "range_clause",
    "tuple_struct_pattern",
    "struct_pattern",
    "let_condition",
    "match_pattern",
    "inferred_parameters",
    "lambda_parameters",
    "block_parameters",
    "catch_clause",
    "catch_formal_parameter",
    "list_literal",
    "for_statement",
    "for_in_statement",
    "enhanced_for_statement",
    "for_expression",
    "foreach_statement",
    "for",
];
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

    fn values(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
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
                let parts: Vec<String> = node.named_children(&mut cursor).map(|one| self.string(one)).collect();
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
            kind if is_string(kind) => vec![Value::Text(self.string(node).into())],
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

    fn list_of(&self, arguments: &[Argument<'t>], depth: u8) -> Vec<Value> {
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
                let text = strings.first().map(|one| filled(&self.string(*one)));
                vec![text.map_or(Value::Unknown, |text| Value::Text(text.into()))]
            }
            "vec" => {
                // The elements are between the commas.
                let inner = children.get(1..children.len().saturating_sub(1)).unwrap_or_default();
                let elements = inner.split(|one| self.source.text(*one) == ",").filter(|one| !one.is_empty());
                let of = |one: &[Node<'t>]| match one {
                    [first, ..] if is_string(first.kind()) => vec![Part::Word(self.string(*first).into())],
                    [single] => self.values(*single, depth).into_iter().next().unwrap_or(Value::Unknown).parts(false),
                    _ => vec![unknown(false)],
                };
                vec![Value::List(elements.flat_map(of).collect())]
            }
            _ => vec![Value::Unknown],
        }
    }

    /// Returns the values of a variable: those that the function gives to it before the place, or the file.
    fn variable(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
        let name = self.source.text(node);
        let functions = std::iter::successors(self.source.around(node), |one| self.source.around(*one));
        for (level, function) in functions.enumerate() {
            let start = match self.source.binds(function, name) {
                false => Vec::new(),
                true if self.function == Some(function) && self.is_plain_parameter(function, name) => {
                    vec![Value::Parameter(name.into())]
                }
                true => vec![Value::Unknown],
            };
            // A closure can run after each assignment of the function around it.
            let before = (level == 0).then_some(node);
            let place = Place { part: function, before, outside_functions: false };
            let mut found = self.assigned(name, place, start, depth);
            if level == 0 && !found.is_empty() {
                found.extend(self.assigned_in_next_turn(name, node, function, depth));
            }
            found.dedup();
            if !found.is_empty() {
                return if found.len() > MAX_VALUES { vec![Value::Unknown] } else { found };
            }
        }
        let before = self.source.around(node).is_none().then_some(node);
        let place = Place { part: self.source.root(), before, outside_functions: true };
        let mut found = self.assigned(name, place, Vec::new(), depth);
        // A field of a class of Java has no mark.
        if self.source.language == Language::Java {
            let place = Place { part: self.class(node), before: None, outside_functions: false };
            found.extend(self.assigned(&format!("this.{name}"), place, Vec::new(), depth));
        }
        // `flag.StringVar(&program, …)`
        let is_given_away =
            self.source.language == Language::Go && self.source.text(self.source.root()).contains(&format!("&{name}"));
        if found.is_empty() || is_given_away { vec![Value::Unknown] } else { found }
    }

    /// Returns the values that a loop around a place gives to a name behind it, which is before it in the next turn.
    fn assigned_in_next_turn(&self, name: &str, node: Node<'t>, function: Node<'t>, depth: u8) -> Vec<Value> {
        let is_loop =
            |one: &Node<'t>| ["for", "while", "loop", "do_", "until"].iter().any(|word| one.kind().starts_with(word));
        let within = self.source.ancestors(node).take_while(|one| *one != function);
        let Some(part) = within.filter(is_loop).last() else { return Vec::new() };
        self.assigned(name, Place { part, before: None, outside_functions: false }, Vec::new(), depth)
    }

    fn is_plain_parameter(&self, function: Node<'t>, name: &str) -> bool {
        let name = name.trim_start_matches('$');
        self.source.parameters(function).iter().any(|one| one.name.trim_start_matches('$') == name)
    }

    /// Returns the class around a node, or the file.
    fn class(&self, node: Node<'t>) -> Node<'t> {
        const CLASSES: &[&str] = &[
            "class_definition",
            "class_declaration",
            "class",
            "class_body",
            "impl_item",
            "module",
            "enum_declaration",
            "trait_declaration",
        ];
        let is_class = |one: &Node<'t>| CLASSES.contains(&one.kind()) && one.parent().is_some();
        self.source.ancestors(node).find(is_class).unwrap_or_else(|| self.source.root())
    }

    /// Returns the values of a field: those that its class gives to it.
    fn member(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
        let text = self.source.text(node);
        let own = ["self.", "this.", "$this->", "@", "self::", "static::", "Self::", "cls."];
        let Some(name) = own.iter().find_map(|own| text.strip_prefix(own)) else { return vec![Value::Unknown] };
        if name.contains(['.', '[', '(', '>', ':']) {
            return vec![Value::Unknown];
        }
        let class = self.class(node);
        let of = |name: &str, outside_functions: bool| {
            self.assigned(name, Place { part: class, before: None, outside_functions }, Vec::new(), depth)
        };
        let mut found = [of(text, false), of(name, true), of(&format!("${name}"), true)].concat();
        // Other code can set an attribute of Ruby.
        let accessor = format!(":{name}");
        let sets = |line: &str| {
            let line = line.trim_start();
            (line.starts_with("attr_accessor") || line.starts_with("attr_writer")) && line.contains(&accessor)
        };
        if self.source.language == Language::Ruby && self.source.text(class).lines().any(sets) {
            found.push(Value::Unknown);
        }
        found.dedup();
        if found.is_empty() || found.len() > MAX_VALUES { vec![Value::Unknown] } else { found }
    }

    /// Returns the values that a part of the file gives to a name.
    fn assigned(&self, name: &str, place: Place<'t>, start: Vec<Value>, depth: u8) -> Vec<Value> {
        let Place { part, before, outside_functions } = place;
        let mut values = start;
        let is_before = |node: Node<'t>| before.is_none_or(|before| node.start_byte() < before.start_byte());
        for node in self.source.nodes(part, is_before) {
            // The statement that contains the place is not before it, but a loop binds its names.
            if before.is_some_and(|before| node.end_byte() > before.start_byte()) && !PATTERNS.contains(&node.kind()) {
                continue;
            }
            let Some(assigned) = self.assignment(node, name) else { continue };
            let mut around = self.source.ancestors(node).take_while(|one| *one != part);
            if outside_functions && around.any(is_function) {
                if self.sets_outer(node, name) {
                    values.push(Value::Unknown);
                }
                continue;
            }
            let is_certain = || before.is_some() && self.is_certain(node, part);
            let given = match assigned {
                Assigned::Value(value) => {
                    if is_certain() {
                        values.clear();
                    }
                    self.values(value, depth)
                }
                Assigned::Unknown => vec![Value::Unknown],
                Assigned::Plus(value) => {
                    let added = self.values(value, depth);
                    self.with_added(&mut values, added, is_certain())
                }
                Assigned::Adds(arguments) => {
                    let added = self.list_of(&arguments, depth);
                    self.with_added(&mut values, added, is_certain())
                }
            };
            values.extend(given);
            values.dedup();
            if values.len() > MAX_VALUES {
                return vec![Value::Unknown];
            }
        }
        values
    }

    /// Returns whether an assignment in a function can be one of a variable of the file.
    fn sets_outer(&self, assignment: Node<'t>, name: &str) -> bool {
        const DECLARATIONS: &[&str] =
            &["variable_declarator", "short_var_declaration", "var_spec", "const_spec", "let_declaration"];
        match self.source.language {
            Language::Python | Language::Php => {
                let text = self.source.text(self.source.root());
                text.lines().any(|line| line.trim_start().starts_with("global ") && line.contains(name))
            }
            Language::Ruby => name.starts_with(['$', '@']),
            _ => !DECLARATIONS.contains(&assignment.kind()),
        }
    }

    /// Returns values with further words, which replace them unless the words are perhaps not added.
    fn with_added(&self, values: &mut Vec<Value>, added: Vec<Value>, is_certain: bool) -> Vec<Value> {
        let pairs = values.iter().flat_map(|value| added.iter().map(move |added| joined(value, added)));
        let found = pairs.collect();
        // Behind the program and its subcommand, a word more says nothing that a word less does not.
        let is_told = |value: &Value| matches!(value, Value::List(parts) if parts.len() > 1);
        if is_certain || values.iter().all(is_told) {
            values.clear();
        }
        found
    }

    /// Returns whether an assignment always runs: it is a statement of the function itself.
    fn is_certain(&self, assignment: Node<'t>, part: Node<'t>) -> bool {
        const PLAIN: &[&str] = &[
            "block",
            "statement_block",
            "statement_list",
            "expression_statement",
            "lexical_declaration",
            "variable_declaration",
            "local_variable_declaration",
            "const_declaration",
            "var_declaration",
            "let_declaration",
            "body_statement",
            "compound_statement",
            "function_body",
            "constructor_body",
            "program",
            "module",
            "source_file",
            "call_expression",
            "field_expression",
            "try_expression",
            "method_invocation",
            "await_expression",
        ];
        self.source.ancestors(assignment).take_while(|node| *node != part).all(|node| PLAIN.contains(&node.kind()))
    }

    /// Returns what a node gives to a name, if it is an assignment of it, or a call that adds to it.
    fn assignment(&self, node: Node<'t>, name: &str) -> Option<Assigned<'t>> {
        let field = |name: &str| node.child_by_field_name(name);
        let is_it = |one: Node<'t>| {
            let text = self.source.text(one);
            text == name || text.strip_prefix("mut ") == Some(name)
        };
        let value = |value: Option<Node<'t>>| Some(value.map_or(Assigned::Unknown, Assigned::Value));
        match node.kind() {
            "augmented_assignment"
            | "augmented_assignment_expression"
            | "operator_assignment"
            | "compound_assignment_expr"
                if field("left").is_some_and(is_it) =>
            {
                let is_default = ["||=", "??="].contains(&self.source.field(node, "operator"));
                let value = field("right")?;
                Some(if is_default { Assigned::Value(value) } else { Assigned::Plus(value) })
            }
            "assignment" | "assignment_expression" | "assignment_statement" | "short_var_declaration" => {
                let (left, right) = (field("left")?, field("right"));
                if is_it(left) {
                    return value(right.map(|right| {
                        if right.kind() == "expression_list" { right.named_child(0).unwrap_or(right) } else { right }
                    }));
                }
                // `$words[] = "x"`
                let is_element = ELEMENTS.contains(&left.kind());
                if is_element && left.named_child(0).is_some_and(is_it) {
                    return Some(match (left.named_child_count(), right) {
                        (1, Some(value)) => Assigned::Adds(vec![Argument { name: "", value, is_spread: false }]),
                        _ => Assigned::Unknown,
                    });
                }
                // `program, err := exec.LookPath("git")`
                if !["expression_list", "pattern_list", "left_assignment_list"].contains(&left.kind()) {
                    return None;
                }
                let mut cursor = left.walk();
                let at = left.named_children(&mut cursor).position(is_it)?;
                let right = right?;
                let is_list = right.kind() == "expression_list" && right.named_child_count() > at;
                let alone = right.kind() == "expression_list" && right.named_child_count() == 1;
                value(match (is_list, alone) {
                    (true, _) => right.named_child(u32::try_from(at).ok()?),
                    (false, true) if at == 0 => right.named_child(0),
                    _ => None,
                })
            }
            "variable_declarator"
            | "var_spec"
            | "const_spec"
            | "const_item"
            | "static_item"
            | "public_field_definition"
            | "field_definition"
            | "const_element"
            | "property_element" => {
                let own = field("name").or_else(|| field("property")).or_else(|| node.named_child(0))?;
                if !is_it(own) {
                    return None;
                }
                let given = field("value").or_else(|| field("default_value")).or_else(|| {
                    node.named_child(1).filter(|_| ["const_element", "property_element"].contains(&node.kind()))
                });
                let given = given
                    .map(|one| if one.kind() == "expression_list" { one.named_child(0).unwrap_or(one) } else { one });
                // A variable that is only declared gets its value later.
                given.map(Assigned::Value)
            }
            "let_declaration" => field("pattern").filter(|one| is_it(*one)).and_then(|_| value(field("value"))),
            // `words << "x"`
            "binary" if field("left").is_some_and(is_it) && self.source.field(node, "operator") == "<<" => {
                Some(Assigned::Adds(vec![Argument { name: "", value: field("right")?, is_spread: false }]))
            }
            // Patterns and statements that bind a name to a value that is not followed.
            kind if PATTERNS.contains(&kind) && self.binds_in(node, name) => Some(Assigned::Unknown),
            _ => {
                let call = self.source.call(node)?;
                let root = std::iter::successors(call.receiver, |one| self.source.call(*one)?.receiver).last()?;
                let method = self.source.name(&call);
                if is_it(root) && CHANGING.contains(&method) {
                    return Some(Assigned::Unknown);
                }
                if !is_it(root) || !ADDING.contains(&method) {
                    return None;
                }
                let mut arguments = self.source.arguments(&call);
                // `words.add(0, "x")`
                if method == "add" && arguments.len() > 1 {
                    return Some(Assigned::Unknown);
                }
                for one in &mut arguments {
                    one.is_spread |= ["extend", "addAll", "args", "concat"].contains(&self.source.name(&call));
                }
                Some(Assigned::Adds(arguments))
            }
        }
    }

    /// Returns whether the head of a statement or a pattern has a name.
    fn binds_in(&self, node: Node<'t>, name: &str) -> bool {
        let body = node.child_by_field_name("body").map(|body| body.start_byte());
        let mut cursor = node.walk();
        let mut head = node.children(&mut cursor).filter(|one| body.is_none_or(|body| one.start_byte() < body));
        head.any(|one| self.source.has_name(one, name))
    }

    /// Returns the text of a string, with marks for the code in it.
    pub(super) fn string(&self, node: Node<'t>) -> String {
        let mut text = String::new();
        self.add_string(node, &mut text);
        text
    }

    /// Returns the text of code in a string, if it has only one.
    fn interpolated(&self, node: Node<'t>) -> String {
        let inner = node
            .named_child(0)
            .filter(|_| node.kind().contains("interpolation") || node.kind().contains("substitution"));
        match self.values(inner.unwrap_or(node), MAX_DEPTH / 2).as_slice() {
            [Value::Text(text)] => text.to_string(),
            _ => UNKNOWN.to_string(),
        }
    }

    fn add_string(&self, node: Node<'t>, text: &mut String) {
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
                    self.add_string(child, text);
                }
                _ => text.push_str(&self.interpolated(child)),
            }
        }
        text.push_str(whole.get(at..).unwrap_or_default());
    }
}

/// A part of a file in which the values of a name are searched.
#[derive(Clone, Copy)]
struct Place<'t> {
    part: Node<'t>,
    /// The place before which the assignments count, in their order. Without one, each of them can be the last.
    before: Option<Node<'t>>,
    /// Whether variables of the functions in the part are other ones.
    outside_functions: bool,
}

/// What a statement gives to a variable.
enum Assigned<'t> {
    /// A value.
    Value(Node<'t>),
    /// A further text or list.
    Plus(Node<'t>),
    /// Further words.
    Adds(Vec<Argument<'t>>),
    /// A value that is not known.
    Unknown,
}

/// Returns whether an argument can be words of a list, and not its size or the type of its elements.
fn is_value(node: Node<'_>) -> bool {
    !(node.kind().contains("type")
        || node.kind().contains("integer")
        || node.kind().contains("int_literal")
        || node.kind() == "number")
}

fn is_string(kind: &str) -> bool {
    kind.contains("string") && !kind.contains("array")
        || ["heredoc", "nowdoc", "heredoc_body", "subshell", "shell_command_expression"].contains(&kind)
}

fn joined(left: &Value, right: &Value) -> Value {
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

/// Returns a format with marks in the place of the values that it is filled with.
fn filled(format: &str) -> String {
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
