//! The values of variables and fields: those that their function, class or file gives to them.
//!
//! A name that is set in a way that is not read has an unknown value besides the others.

use tree_sitter::Node;

use diffsan_syntax::language::Language;

use super::syntax::{Argument, is_function};
use super::values::{MAX_VALUES, Value, Values, joined};

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

/// A part of a file in which the values of a name are searched.
#[derive(Clone, Copy)]
struct Place<'t> {
    part: Node<'t>,
    /// The place before which the assignments count, in their order. Without one, each of them can be the last.
    before: Option<Node<'t>>,
    /// Whether variables of the functions in the part are other ones.
    outside_functions: bool,
}

/// A change of a variable by a statement.
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

impl<'t> Values<'t> {
    /// Returns the values of a variable: those that the function gives to it before the place, or the file.
    pub(super) fn variable(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
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
    pub(super) fn member(&self, node: Node<'t>, depth: u8) -> Vec<Value> {
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
    pub(super) fn with_added(&self, values: &mut Vec<Value>, added: Vec<Value>, is_certain: bool) -> Vec<Value> {
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
    pub(super) fn is_certain(&self, assignment: Node<'t>, part: Node<'t>) -> bool {
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
}
