//! The calls and functions in a syntax tree, in one form for all languages.

use std::cell::Cell;

use tree_sitter::{Node, Tree};

use diffsan_syntax::embedded::Format;
use diffsan_syntax::language::Language;

use crate::facts::Unit;

/// The name of a call of a text of a shell in backticks.
pub(super) const BACKTICK: &str = "`";

/// The kinds of functions and methods.
const FUNCTIONS: &[&str] = &[
    "function_definition",
    "lambda",
    "function_declaration",
    "function_expression",
    "generator_function_declaration",
    "generator_function",
    "arrow_function",
    "method_definition",
    "method_declaration",
    "constructor_declaration",
    "func_literal",
    "function_item",
    "closure_expression",
    "lambda_expression",
    "method",
    "singleton_method",
    "anonymous_function",
];

/// The kinds of arguments that stand for any number of others.
const SPREADS: &[&str] = &["list_splat", "spread_element", "splat_argument", "variadic_argument", "variadic_unpacking"];

/// The maximum number of nodes that are visited in a file.
const MAX_STEPS: usize = 4_000_000;
/// The number of nodes that a search for the nodes around another one counts as.
const STEPS_AROUND: usize = 200;

/// The syntax tree of a file.
pub(crate) struct Source {
    pub(super) language: Language,
    text: String,
    tree: Tree,
    /// The number of nodes that may still be visited.
    steps: Cell<usize>,
}

/// A call: its name, the object whose method it is, and the node with its arguments.
#[derive(Clone, Copy)]
pub(super) struct Call<'t> {
    pub(super) node: Node<'t>,
    pub(super) name: Node<'t>,
    pub(super) receiver: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
}

/// An argument of a call.
#[derive(Clone, Copy)]
pub(super) struct Argument<'t> {
    /// The name, or an empty text.
    pub(super) name: &'t str,
    pub(super) value: Node<'t>,
    pub(super) is_spread: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(super) name: String,
    /// Whether it takes all further arguments.
    pub(super) is_rest: bool,
    pub(super) default: Default,
}

/// The default value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Default {
    None,
    Text(String),
    /// A value that is no literal text.
    Other,
}

impl Source {
    /// Parses the code of a file.
    pub(super) fn of(path: &str, language: Language, text: &str) -> Option<Self> {
        let embedded = Format::of(path).map(|format| format.code(path, text));
        let (language, text) =
            embedded.map_or_else(|| (language, text.to_owned()), |code| (code.language, code.text.to_string()));
        let tree = language.parse(&text)?;
        Some(Self { language, text, tree, steps: Cell::new(MAX_STEPS) })
    }

    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    pub(super) fn field(&self, node: Node<'_>, field: &str) -> &str {
        node.child_by_field_name(field).map_or("", |node| self.text(node))
    }

    /// Returns the calls of a name in a line, from 1.
    pub(super) fn calls(&self, line: u32, name: &str) -> Vec<Call<'_>> {
        let row = line.saturating_sub(1) as usize;
        let is_around = |node: Node<'_>| node.start_position().row <= row && row <= node.end_position().row;
        let calls = self.nodes(self.root(), is_around).into_iter().filter_map(|node| self.call(node));
        let is_it = |call: &Call<'_>| {
            self.name(call) == name && (call.node.start_position().row == row || call.name.start_position().row == row)
        };
        calls.filter(is_it).collect()
    }

    /// Returns the calls of a symbol: those with its last name, and with the name before it as their object if they have one.
    pub(super) fn all_calls(&self, symbol: &str) -> Vec<Call<'_>> {
        let (before, name) = symbol.rsplit_once('.').unwrap_or(("", symbol));
        let before = before.rsplit(['.', '/']).next().unwrap_or_default();
        let calls = self.nodes(self.root(), |_| true).into_iter().filter_map(|node| self.call(node));
        let is_it = |call: &Call<'_>| {
            self.name(call) == name && call.receiver.is_none_or(|object| self.text(object).ends_with(before))
        };
        calls.filter(is_it).collect()
    }

    /// Returns the last name of a call.
    pub(super) fn name(&self, call: &Call<'_>) -> &str {
        if call.name == call.node { BACKTICK } else { self.text(call.name).trim_start_matches('\\') }
    }

    /// Returns a node as a call, if it is one.
    pub(super) fn call<'t>(&'t self, node: Node<'t>) -> Option<Call<'t>> {
        let field = |name: &str| node.child_by_field_name(name);
        let arguments = field("arguments");
        let of = |function: Node<'t>| {
            let (name, receiver) = named(function)?;
            Some(Call { node, name, receiver, arguments })
        };
        match node.kind() {
            "call" => match (field("function"), field("method")) {
                (Some(function), _) => of(function),
                (None, Some(name)) => Some(Call { node, name, receiver: field("receiver"), arguments }),
                (None, None) => None,
            },
            "call_expression" | "function_call_expression" => of(field("function")?),
            "new_expression" => of(field("constructor")?),
            "method_invocation" | "member_call_expression" | "nullsafe_member_call_expression" => {
                Some(Call { node, name: field("name")?, receiver: field("object"), arguments })
            }
            "scoped_call_expression" => Some(Call { node, name: field("name")?, receiver: field("scope"), arguments }),
            "object_creation_expression" => {
                let class = field("type").or_else(|| node.named_child(0))?;
                let mut cursor = node.walk();
                let arguments =
                    arguments.or_else(|| node.named_children(&mut cursor).find(|one| one.kind() == "arguments"));
                let (name, _) = named(class)?;
                Some(Call { node, name, receiver: None, arguments })
            }
            "subshell" | "shell_command_expression" => {
                Some(Call { node, name: node, receiver: None, arguments: Some(node) })
            }
            _ => None,
        }
    }

    /// Returns the arguments of a call, in their order.
    pub(super) fn arguments<'t>(&'t self, call: &Call<'t>) -> Vec<Argument<'t>> {
        let Some(list) = call.arguments else { return Vec::new() };
        let plain = |value: Node<'t>| Argument { name: "", value, is_spread: false };
        if list == call.node || list.kind() == "template_string" {
            return vec![plain(list)];
        }
        let argument = |child: Node<'t>| {
            let last = || child.named_child(u32::try_from(child.named_child_count().saturating_sub(1)).unwrap_or(0));
            Some(match child.kind() {
                "keyword_argument" | "pair" => {
                    let name = child.child_by_field_name("name").or_else(|| child.child_by_field_name("key"))?;
                    let name = self.text(name).trim_matches([':', '"', '\'']);
                    Argument { name, value: child.child_by_field_name("value")?, is_spread: false }
                }
                "argument" => {
                    let value = last()?;
                    let name = self.field(child, "name");
                    match SPREADS.contains(&value.kind()) {
                        true => Argument { name, value: value.named_child(0)?, is_spread: true },
                        false => Argument { name, value, is_spread: false },
                    }
                }
                kind if SPREADS.contains(&kind) => Argument { name: "", value: child.named_child(0)?, is_spread: true },
                _ => plain(child),
            })
        };
        let mut cursor = list.walk();
        let children: Vec<Node<'t>> = list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
        children.into_iter().filter_map(argument).collect()
    }

    /// Returns an argument as the list of a program's arguments, which can be a setting: `{ args: ["x"] }`. Returns `None` if it has none.
    pub(super) fn words_argument<'t>(&'t self, argument: Argument<'t>) -> Option<Argument<'t>> {
        if argument.value.kind() != "object" {
            let is_function = argument.value.kind().contains("function");
            return (!is_function).then_some(argument);
        }
        let mut cursor = argument.value.walk();
        let pairs: Vec<Node<'t>> = argument.value.named_children(&mut cursor).collect();
        let args = pairs.into_iter().find(|pair| self.field(*pair, "key") == "args")?;
        Some(Argument { value: args.child_by_field_name("value")?, ..argument })
    }

    /// Returns the function of a definition of the file.
    pub(super) fn function(&self, unit: &Unit) -> Option<Node<'_>> {
        let first = unit.line.saturating_sub(1) as usize;
        let is_around = |node: Node<'_>| node.start_position().row <= first && first <= node.end_position().row;
        let is_it = |node: &Node<'_>| {
            FUNCTIONS.contains(&node.kind()) && node.start_position().row == first && {
                let name = self.field(*node, "name");
                name.is_empty() || name == unit.name
            }
        };
        self.nodes(self.root(), is_around).into_iter().find(is_it)
    }

    /// Returns the parameters of a function, without its object.
    pub(super) fn parameters(&self, function: Node<'_>) -> Vec<Parameter> {
        let Some(list) = function.child_by_field_name("parameters") else {
            let single = function.child_by_field_name("parameter").map(|one| self.text(one).to_owned());
            let of = |name| Parameter { name, is_rest: false, default: Default::None };
            return single.into_iter().map(of).collect();
        };
        let mut cursor = list.walk();
        let children: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
        let mut found: Vec<Parameter> = children.into_iter().flat_map(|child| self.parameter(child)).collect();
        // A method of Python has its object as the first parameter.
        if self.language == Language::Python && self.is_method(function) && !found.is_empty() {
            found.remove(0);
        }
        found
    }

    /// Returns whether a function of Python is a method that gets its object.
    fn is_method(&self, function: Node<'_>) -> bool {
        let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition");
        let around = decorated.unwrap_or(function).parent().and_then(|block| block.parent());
        let is_static = decorated.is_some_and(|one| self.text(one).trim_start().starts_with("@staticmethod"));
        !is_static && around.is_some_and(|one| one.kind() == "class_definition")
    }

    fn parameter(&self, node: Node<'_>) -> Vec<Parameter> {
        let text = self.text(node);
        let is_rest = text.starts_with('*')
            || text.contains("...")
            || ["rest_pattern", "variadic_parameter", "spread_parameter"].contains(&node.kind());
        let default = ["value", "default_value", "right"].iter().find_map(|field| node.child_by_field_name(field));
        let default = match default.map(|value| self.text(value)) {
            None => Default::None,
            Some(text) if is_literal(text) => Default::Text(text.trim_matches(['"', '\'', '`']).to_owned()),
            Some(_) => Default::Other,
        };
        if ["self_parameter", "keyword_separator", "positional_separator", "block_parameter"].contains(&node.kind()) {
            return Vec::new();
        }
        // `name, dir string` of Go has two of them.
        let mut cursor = node.walk();
        let several: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        let of = |name: Node<'_>| {
            let name = self.text(name);
            let start = |char: char| !char.is_alphanumeric() && char != '_' && char != '$';
            let name = name.trim_start_matches("mut ").trim_start_matches(start);
            let name: String = name.chars().take_while(|char| char.is_alphanumeric() || "_$".contains(*char)).collect();
            Parameter { name, is_rest, default: default.clone() }
        };
        if several.is_empty() {
            let inner = ["pattern", "left", "declarator"].iter().find_map(|field| node.child_by_field_name(field));
            return vec![of(inner.unwrap_or(node))];
        }
        several.into_iter().map(of).collect()
    }

    /// Returns a node and the nodes inside it, in the order of the text, as far as they fulfil a condition. Does not recurse, because a tree
    /// can be as deep as the file is long.
    pub(super) fn nodes<'t>(&self, root: Node<'t>, is_wanted: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        let mut cursor = root.walk();
        loop {
            if !self.spend(1) {
                return Vec::new();
            }
            let node = cursor.node();
            if is_wanted(node) {
                found.push(node);
                if cursor.goto_first_child() {
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    /// Returns whether too many nodes were visited, so that what is found is not complete.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Counts visited nodes, and returns whether more may be visited.
    pub(super) fn spend(&self, count: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(count));
        !self.is_exhausted()
    }

    /// Returns whether a part of the code has a name.
    pub(super) fn has_name(&self, part: Node<'_>, name: &str) -> bool {
        let name = name.trim_start_matches('$');
        let is_it = |node: &Node<'_>| node.child_count() == 0 && self.text(*node) == name;
        self.nodes(part, |_| true).iter().any(is_it)
    }

    /// Returns whether the parameters of a function bind a name.
    pub(super) fn binds(&self, function: Node<'_>, name: &str) -> bool {
        let list = function.child_by_field_name("parameters").or_else(|| function.child_by_field_name("parameter"));
        list.is_some_and(|list| self.has_name(list, name))
    }

    /// Returns the nodes around a node, from the inside.
    pub(super) fn ancestors<'t>(&self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
        self.spend(STEPS_AROUND);
        std::iter::successors(node.parent(), |node| node.parent())
    }

    /// Returns the innermost function around a node.
    pub(super) fn around<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.ancestors(node).find(|node| is_function(*node))
    }
}

/// Returns the last name of a function that is called, and the object before it.
fn named(function: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let field = |name: &str| function.child_by_field_name(name);
    Some(match function.kind() {
        "attribute" => (field("attribute")?, field("object")),
        "member_expression" => (field("property")?, field("object")),
        "selector_expression" => (field("field")?, field("operand")),
        "field_expression" => (field("field")?, field("value")),
        "scoped_identifier" => (field("name")?, field("path")),
        "generic_function" => return named(field("function")?),
        "qualified_name" | "scoped_type_identifier" | "generic_type" => {
            let at = if function.kind() == "generic_type" { 0 } else { function.named_child_count().checked_sub(1)? };
            return named(function.named_child(u32::try_from(at).ok()?)?);
        }
        "parenthesized_expression" => return named(function.named_child(0)?),
        _ => (function, None),
    })
}

fn is_literal(text: &str) -> bool {
    text.len() > 1 && text.starts_with(['"', '\'', '`']) && !text.contains(['$', '{', '+'])
}

/// Returns whether a node is a function, a method or a closure.
pub(super) fn is_function(node: Node<'_>) -> bool {
    FUNCTIONS.contains(&node.kind())
}
