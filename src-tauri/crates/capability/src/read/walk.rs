//! The walk over a syntax tree that all languages share: it records imports, definitions, bindings, exports and uses.

use std::collections::HashSet;

use smol_str::SmolStr;
use tree_sitter::Node;

use super::line_of;
use crate::facts::{Binding, Chain, Export, Facts, Import, NAMELESS, Unit, UnitKind, Use, UseKind};
use diffsan_syntax::language::Language;
use diffsan_syntax::symbols;

/// The maximum nesting of code that is read. Deeper code is not written by people, and would overflow the stack.
const DEEPEST: usize = 400;

/// A function that examines a node and the nodes inside it.
pub(super) type Visit = for<'t> fn(&mut Walk<'_>, Node<'t>);

/// The result of a first pass over a syntax tree.
pub(super) struct Survey<'t> {
    /// The nodes with too many levels below them.
    pub(super) tall: HashSet<usize>,
    /// The nodes of the wanted kinds, in the order of the text.
    pub(super) wanted: Vec<Node<'t>>,
}

/// Surveys a syntax tree. Does not recurse, because the tree can be as deep as the file is long.
pub(super) fn survey<'t>(root: Node<'t>, kinds: &[u16]) -> Survey<'t> {
    let mut cursor = root.walk();
    let mut found = Survey { tall: HashSet::new(), wanted: Vec::new() };
    // The heights of the nodes from the root to the current one, as far as they are known.
    let mut heights: Vec<(usize, usize)> = vec![(root.id(), 0)];
    let enter = |node: Node<'t>, wanted: &mut Vec<Node<'t>>| {
        if kinds.contains(&node.kind_id()) {
            wanted.push(node);
        }
        (node.id(), 0)
    };
    loop {
        if cursor.goto_first_child() {
            heights.push(enter(cursor.node(), &mut found.wanted));
            continue;
        }
        loop {
            let Some((id, height)) = heights.pop() else { return found };
            if height > DEEPEST {
                found.tall.insert(id);
            }
            match heights.last_mut() {
                Some(parent) => parent.1 = parent.1.max(height + 1),
                None => return found,
            }
            if cursor.goto_next_sibling() {
                heights.push(enter(cursor.node(), &mut found.wanted));
                break;
            }
            cursor.goto_parent();
        }
    }
}

/// The maximum number of arguments of a call whose chains are recorded.
const MAX_GIVEN: usize = 6;
/// The maximum number of names in the chain of an argument.
const MAX_GIVEN_NAMES: usize = 4;

/// The kinds of nodes that pass their children on: arguments, lists, tables.
const HANDS: &[&str] = &[
    "argument_list",
    "arguments",
    "argument",
    "keyword_argument",
    "list",
    "array",
    "array_expression",
    "tuple",
    "pair",
    "dictionary",
    "object",
    "literal_element",
    "field_initializer",
    "jsx_expression",
];

/// The kinds of functions without a body that an interface declares.
const DECLARATIONS: &[&str] = &[
    "method_declaration",
    "method_elem",
    "method_spec",
    "method_signature",
    "abstract_method_signature",
    "function_signature_item",
];

/// A walk over a syntax tree, and the facts that it has found.
pub(super) struct Walk<'a> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) facts: Facts,
    /// The index of the current unit.
    pub(super) unit: usize,
    /// The current class.
    pub(super) class: Option<SmolStr>,
    pub(super) depth: usize,
    /// Nodes with too many levels below them. Only their children are visited.
    pub(super) tall: HashSet<usize>,
    /// The numbers of [`block_kinds`] in the grammar.
    pub(super) block_ids: HashSet<u16>,
    /// The static fields of Java that were declared so far.
    pub(super) statics: HashSet<String>,
    /// The first and last lines of the blocks around the current node, outermost first.
    pub(super) blocks: Vec<(u32, u32)>,
}

impl<'a> Walk<'a> {
    /// Returns the text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text of a node's field.
    pub(super) fn field(&self, node: Node<'_>, field: &str) -> Option<&'a str> {
        node.child_by_field_name(field).map(|child| self.text(child))
    }

    /// Returns the first line of a node, from 1.
    pub(super) fn line(&self, node: Node<'_>) -> u32 {
        line_of(node.start_position().row)
    }

    /// Visits the named children of a node.
    pub(super) fn children(&mut self, node: Node<'_>, visit: Visit) {
        if self.depth >= DEEPEST {
            self.facts.partial = true;
            return;
        }
        self.depth += 1;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let block = self.block_ids.contains(&child.kind_id());
            if block {
                self.blocks.push((self.line(child), line_of(child.end_position().row)));
            }
            self.global_state(child);
            if self.tall.contains(&child.id()) {
                self.children(child, visit)
            } else {
                visit(self, child)
            }
            if block {
                self.blocks.pop();
            }
        }
        self.depth -= 1;
    }

    /// Adds a definition and visits its body. `class` is the class of its members.
    pub(super) fn unit(&mut self, unit: Unit, inside: Option<Node<'_>>, class: Option<SmolStr>, visit: Visit) -> usize {
        let index = self.facts.units.len();
        self.facts.units.push(unit);
        let (outer, outer_class) = (self.unit, std::mem::replace(&mut self.class, class));
        self.unit = index;
        if let Some(node) = inside {
            self.children(node, visit);
        }
        (self.unit, self.class) = (outer, outer_class);
        index
    }

    /// Creates a function's definition without adding it.
    pub(super) fn function(&self, name: &str, class: Option<SmolStr>, node: Node<'_>) -> Unit {
        self.new_unit(name, class, UnitKind::Function, node)
    }

    /// Creates a class's definition without adding it.
    pub(super) fn class_unit(&self, name: &str, node: Node<'_>) -> Unit {
        self.new_unit(name, None, UnitKind::Class, node)
    }

    fn new_unit(&self, name: &str, class: Option<SmolStr>, kind: UnitKind, node: Node<'_>) -> Unit {
        Unit {
            name: name.into(),
            class,
            kind,
            line: self.line(node),
            end: line_of(node.end_position().row),
            parent: self.unit,
            bases: Vec::new(),
            interfaces: Vec::new(),
            returns: Vec::new(),
            parameters: Vec::new(),
            is_object: false,
            is_abstract: kind == UnitKind::Function && self.is_abstract(node),
            is_callback: false,
            is_property: false,
            is_getter: false,
        }
    }

    /// Returns whether a method is only declared: it has no body, or one that says so.
    fn is_abstract(&self, node: Node<'_>) -> bool {
        match node.child_by_field_name("body") {
            None => DECLARATIONS.contains(&node.kind()),
            Some(body) if node.kind() == "function_definition" && body.kind() == "block" => {
                let mut cursor = body.walk();
                let mut statements =
                    body.named_children(&mut cursor).filter(|one| !one.is_extra()).map(|one| self.text(one));
                // A documentation string says nothing about the body.
                let first = statements.find(|text| !text.starts_with(['"', '\'']));
                let declares = |text: &str| text == "..." || text.starts_with("raise NotImplementedError");
                self.class.is_some() && first.is_none_or(declares) && statements.next().is_none()
            }
            Some(_) => false,
        }
    }

    /// Binds a name in the current unit.
    pub(super) fn bind(&mut self, name: &str, source: Option<Chain>, node: Node<'_>) {
        self.bind_within(None, name, source, node);
    }

    /// Declares a name in the current block.
    pub(super) fn declare(&mut self, name: &str, source: Option<Chain>, node: Node<'_>) {
        self.bind_within(self.blocks.last().copied(), name, source, node);
    }

    fn bind_within(&mut self, block: Option<(u32, u32)>, name: &str, source: Option<Chain>, node: Node<'_>) {
        let (name, line) = (name.into(), self.line(node));
        self.facts.bindings.push(Binding { name, unit: self.unit, class: None, source, line, block });
    }

    /// Declares names in the whole unit, such as those of JavaScript's `var`.
    pub(super) fn without_blocks(&mut self, declare: impl FnOnce(&mut Self)) {
        let blocks = std::mem::take(&mut self.blocks);
        declare(self);
        self.blocks = blocks;
    }

    /// Binds a field of a class.
    pub(super) fn bind_field(&mut self, class: &str, name: &str, source: Option<Chain>, node: Node<'_>) {
        let (class, line) = (Some(class.into()), self.line(node));
        let binding = Binding { name: name.into(), unit: self.unit, class, source, line, block: None };
        self.facts.bindings.push(binding);
    }

    /// Records a call.
    pub(super) fn call(&mut self, chain: Chain, node: Node<'_>, args: Vec<String>) {
        self.changing_call(&chain, node);
        self.note(chain.called(), UseKind::Call, node, args);
    }

    /// Records a call with the chains of its arguments.
    pub(super) fn call_with(&mut self, chain: Chain, node: Node<'_>, (args, given): (Vec<String>, Vec<Chain>)) {
        let count = self.facts.uses.len();
        self.call(chain, node, args);
        if let Some(one) = self.facts.uses.get_mut(count) {
            one.given = given;
        }
    }

    /// Returns the chains of the first arguments of a call. Empty if none has a name.
    pub(super) fn given(
        &self,
        list: Option<Node<'_>>,
        (pair, value): (&str, &str),
        chain: fn(&Walk<'_>, Node<'_>) -> Option<Chain>,
    ) -> Vec<Chain> {
        let Some(list) = list else { return Vec::new() };
        let mut cursor = list.walk();
        let children = list.named_children(&mut cursor).filter(|child| !child.is_extra()).take(MAX_GIVEN);
        let found: Vec<Chain> = children
            .map(|child| {
                let inner = match child.kind() {
                    kind if kind == pair => child.child_by_field_name(value),
                    "argument" => child.named_child(0),
                    _ => Some(child),
                };
                let found = inner.and_then(|inner| chain(self, inner));
                found.filter(|chain| chain.segs.len() <= MAX_GIVEN_NAMES).unwrap_or_else(Chain::nameless)
            })
            .collect();
        if found.iter().all(|chain| chain.root() == NAMELESS) { Vec::new() } else { found }
    }

    /// Records the parameters of a function that have no type, in their order. The others have no name in the list.
    pub(super) fn set_parameters(&mut self, unit: usize, names: Vec<String>) {
        if let Some(unit) = self.facts.units.get_mut(unit).filter(|_| names.iter().any(|name| !name.is_empty())) {
            unit.parameters = names;
        }
    }

    /// Records a read. A value in arguments or a list is recorded as passed on.
    pub(super) fn read(&mut self, chain: Chain, node: Node<'_>, args: Vec<String>) {
        let parent = node.parent().map_or("", |parent| parent.kind());
        let kind = if HANDS.contains(&parent) { UseKind::Hand } else { UseKind::Read };
        // A function in another form is not called yet.
        let call = node.parent().filter(|_| kind == UseKind::Hand).and_then(|list| list.parent());
        if call.and_then(|call| self.field(call, "function")).is_some_and(|name| name.ends_with("promisify")) {
            return;
        }
        self.note(chain, kind, node, args);
    }

    pub(super) fn note(&mut self, chain: Chain, kind: UseKind, node: Node<'_>, args: Vec<String>) {
        // The line of the last name: a chain over several lines is called where it ends.
        if chain.segs.iter().all(|seg| seg.name == NAMELESS) {
            return;
        }
        let line = self.line(node);
        let args = args.into_iter().map(SmolStr::from).collect();
        self.facts.uses.push(Use { chain, kind, line, unit: self.unit, args, given: Vec::new() });
    }

    /// Records an annotation or attribute of the file, or a keyword of the current unit.
    pub(super) fn mark(&mut self, chain: Chain, unit: usize, node: Node<'_>, args: Vec<String>) {
        let (line, args) = (self.line(node), args.into_iter().map(SmolStr::from).collect());
        self.facts.uses.push(Use { chain, kind: UseKind::Mark, line, unit, args, given: Vec::new() });
    }

    /// Returns the texts of a literal list, or of a single literal: `GET,POST` of `["GET", "POST"]`.
    pub(super) fn list_text(&self, node: Node<'_>) -> String {
        let lists = ["list", "tuple", "array", "set", "array_creation_expression", "element_value_array_initializer"];
        // `%i[index show]` and `%w[GET POST]` of Ruby
        let words = ["symbol_array", "string_array"];
        if ["bare_symbol", "bare_string"].contains(&node.kind()) {
            return self.text(node).to_owned();
        }
        let is_list = lists.contains(&node.kind()) || words.contains(&node.kind());
        if !is_list && node.kind() != "array_element_initializer" {
            return self.literal(node).unwrap_or_default();
        }
        let mut cursor = node.walk();
        let texts = node.named_children(&mut cursor).map(|child| self.list_text(child));
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(",")
    }

    /// Records the names that a statement imports, and those that other files can import from this one.
    pub(super) fn imports(&mut self, node: Node<'_>) {
        for one in symbols::imports(self.language, node, self.text.as_bytes()) {
            let local = if one.all { "*" } else { &one.local };
            // In Python, every import is also a name for others.
            if !local.is_empty() && (one.exported || self.language == Language::Python) {
                self.export(local, Some(&one.module), one.name.clone().map(Chain::name), one.at);
            }
            // A script can only export a name of another module, without a name of its own.
            if !(one.exported && self.language.is_script()) {
                self.import(local, &one.module, one.name.as_deref(), one.at);
            }
        }
    }

    /// Records an import.
    pub(super) fn import(&mut self, local: &str, module: &str, name: Option<&str>, node: Node<'_>) {
        let (local, module, name) = (local.to_owned(), module.to_owned(), name.map(str::to_owned));
        self.facts.imports.push(Import { local, module, name, line: self.line(node) });
    }

    /// Adds the parents that a definition names to its unit.
    pub(super) fn add_bases(&self, unit: &mut Unit, node: Node<'_>, chain: fn(&Walk<'_>, Node<'_>) -> Option<Chain>) {
        for base in symbols::bases(node) {
            // An interface of Java can have methods with a body.
            let is_interface = base.is_interface && self.language != Language::Java;
            let list = if is_interface { &mut unit.interfaces } else { &mut unit.bases };
            list.extend(chain(self, base.node));
        }
    }

    /// Records an export.
    pub(super) fn export(&mut self, name: &str, module: Option<&str>, source: Option<Chain>, node: Node<'_>) {
        let export = Export { name: name.to_owned(), module: module.map(str::to_owned), source, line: self.line(node) };
        self.facts.exports.push(export);
    }

    /// Records a returned value of the current function.
    pub(super) fn returns(&mut self, chain: Option<Chain>) {
        if let (Some(chain), Some(unit)) = (chain, self.facts.units.get_mut(self.unit))
            && unit.returns.len() < 8
        {
            unit.returns.push(chain);
        }
    }

    /// Returns the literal arguments of a call.
    pub(super) fn args(&self, list: Option<Node<'_>>, named: (&str, &str, &str)) -> Vec<String> {
        let Some(list) = list else { return Vec::new() };
        let mut cursor = list.walk();
        let children: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
        children
            .into_iter()
            .take(6)
            .map(|child| {
                if child.kind() == named.0 {
                    let name = self.field(child, named.1).unwrap_or_default();
                    let name = name.trim_matches(':');
                    let value = child.child_by_field_name(named.2).map(|value| self.list_text(value));
                    return format!("{name}={}", value.unwrap_or_default());
                }
                self.literal(child).unwrap_or_default()
            })
            .collect()
    }

    /// Returns a string without its quotes, or another short literal.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<String> {
        let text = self.text(node);
        match node.kind() {
            kind if kind.contains("string") || kind == "simple_symbol" => {
                if contains_code(node) {
                    return None;
                }
                let text = text.trim_start_matches(|char: char| char.is_ascii_alphabetic() && char != '"');
                let text = text.trim_start_matches([':', '#']);
                Some(text.trim_matches(['"', '\'', '`']).chars().take(200).collect())
            }
            "true" | "false" | "True" | "False" | "integer" | "number" | "name" | "identifier" | "boolean" => {
                Some(text.chars().take(40).collect())
            }
            "class_literal" => Some(text.to_owned()),
            // The beginning of a URL says what is read: `"https://example.org/" . $name`.
            "binary_expression" | "binary_operator" | "binary" => {
                let start = node.child_by_field_name("left").and_then(|left| self.literal(left))?;
                start.contains("://").then_some(start)
            }
            // A variable of PHP, with its mark: its name can say what it holds.
            "variable_name" => Some(text.chars().take(40).collect()),
            // A created object names its class: an event that is published.
            "object_creation_expression" => {
                let class = node.child_by_field_name("type").or_else(|| node.named_child(0))?;
                Some(format!("new {}", self.text(class)))
            }
            "argument" | "literal_element" | "encapsed_string" => {
                node.named_child(0).and_then(|child| self.literal(child))
            }
            _ => None,
        }
    }
}

/// Returns whether a string contains interpolated code.
fn contains_code(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        ["interpolation", "template_substitution", "variable_name"].contains(&child.kind()) || contains_code(child)
    })
}
