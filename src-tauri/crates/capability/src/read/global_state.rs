//! Finds the places that change state of the whole program: variables of a file, a package or a class.
//!
//! In: a node, and the names that the walk has bound before it. Out: uses of the kind [`UseKind::Write`]. Whether a file has the variable
//! at all is `global_writes`' business, because it can be declared below.

use tree_sitter::Node;

use super::{Walk, go, java, php, python, ruby, rust, script};
use crate::facts::{Chain, UnitKind, UseKind};
use diffsan_syntax::language::Language;

/// The kinds of functions whose uses can belong to the unit around them.
const NAMELESS_FUNCTIONS: &[&str] = &[
    "arrow_function",
    "function_expression",
    "generator_function",
    "lambda",
    "func_literal",
    "closure_expression",
    "lambda_expression",
    "anonymous_function",
    "anonymous_function_creation_expression",
];

/// Methods that change a collection, or a value that is shared between threads.
const CHANGING_METHODS: &[&str] = &[
    "append",
    "appendleft",
    "extend",
    "insert",
    "add",
    "addAll",
    "update",
    "pop",
    "popleft",
    "popitem",
    "remove",
    "discard",
    "clear",
    "setdefault",
    "push",
    "shift",
    "unshift",
    "splice",
    "set",
    "delete",
    "put",
    "putAll",
    "putIfAbsent",
    "computeIfAbsent",
    "merge",
    "offer",
    "poll",
    "store",
    "concat",
    "merge!",
    "concat!",
    "delete_if",
    "replace",
    "Store",
    "LoadOrStore",
    "LoadAndDelete",
    "Delete",
    "Add",
    "Swap",
    "CompareAndSwap",
    "incrementAndGet",
    "getAndIncrement",
    "addAndGet",
    "compareAndSet",
    "lock",
    "write",
    "borrow_mut",
    "fetch_add",
    "fetch_sub",
    "swap",
    "compare_exchange",
];

/// Parts of the types of Rust whose values change although they are not declared so.
const CHANGING_TYPES: &[&str] = &["Mutex", "RwLock", "Atomic", "RefCell", "Cell<", "DashMap", "UnsafeCell"];

/// The global objects of scripts.
const SCRIPT_OBJECTS: &[&str] = &["window", "globalThis", "global"];

/// Returns the field of a node that names what it writes to; empty for its first child.
fn written(language: Language, kind: &str) -> Option<&'static str> {
    Some(match (language, kind) {
        (Language::Python, "assignment" | "augmented_assignment") => "left",
        (_, "assignment_expression" | "augmented_assignment_expression" | "compound_assignment_expr") => "left",
        (Language::Go, "assignment_statement") | (Language::Ruby, "assignment" | "operator_assignment") => "left",
        (language, "update_expression") if language.is_script() => "argument",
        (Language::Go, "inc_statement" | "dec_statement") | (Language::Java | Language::Php, "update_expression") => "",
        _ => return None,
    })
}

fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match walk.language {
        Language::Python => python::chain(walk, node),
        Language::Go => go::chain(walk, node),
        Language::Rust => rust::chain(walk, node),
        Language::Java => java::chain(walk, node),
        Language::Ruby => ruby::chain(walk, node),
        Language::Php => php::chain(walk, node),
        _ => script::chain(walk, node),
    }
}

impl Walk<'_> {
    /// Records the state of the whole program that a node declares or changes.
    pub(super) fn global_state(&mut self, node: Node<'_>) {
        let kind = node.kind();
        match (self.language, kind) {
            (Language::Python, "global_statement") | (Language::Php, "global_declaration") => {
                let mut cursor = node.walk();
                let names: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                names.into_iter().for_each(|name| self.write(Chain::name(self.text(name)), node));
            }
            (Language::Php, "function_static_declaration") => {
                self.write(Chain::name(self.text(node).trim_end_matches(';')), node);
            }
            (Language::Rust, "static_item") => {
                let mut cursor = node.walk();
                let is_mutable = node.children(&mut cursor).any(|child| child.kind() == "mutable_specifier");
                let changes = self.field(node, "type").is_some_and(changes_by_type);
                if let Some(name) = self.field(node, "name").filter(|_| is_mutable || changes) {
                    self.write(Chain::name(name), node);
                }
            }
            (Language::Rust, "macro_invocation") => {
                let name = self.field(node, "macro").unwrap_or_default();
                if ["thread_local", "lazy_static"].contains(&name) && changes_by_type(self.text(node)) {
                    self.write(Chain::name(name), node);
                }
            }
            (Language::Java, "field_declaration") => self.static_fields(node),
            (language, kind) => {
                let Some(field) = written(language, kind) else { return };
                let place = if field.is_empty() { node.named_child(0) } else { node.child_by_field_name(field) };
                let Some(place) = place else { return };
                let list = ["expression_list", "pattern_list", "left_assignment_list"].contains(&place.kind());
                let mut cursor = place.walk();
                let places: Vec<Node<'_>> =
                    if list { place.named_children(&mut cursor).collect() } else { vec![place] };
                for place in places {
                    if let Some(found) = self.global(place) {
                        self.write(found, place);
                    }
                }
            }
        }
    }

    /// Records a call of a method that changes its object, if the object can be one of the whole program.
    pub(super) fn changing_call(&mut self, chain: &Chain, node: Node<'_>) {
        let [object, method] = chain.segs.as_slice() else { return };
        let changes = !object.called && CHANGING_METHODS.contains(&method.name.as_str());
        let is_static = match self.language {
            Language::Rust | Language::Ruby => object.name.starts_with(char::is_uppercase),
            Language::Java => self.statics.contains(object.name.as_str()),
            _ => true,
        };
        if changes && is_static && self.is_in_function(node) && !self.is_local(&object.name, node) {
            self.write(chain.clone().called(), node);
        }
    }

    /// Declares the static fields of Java. Those that are not final are state of the whole program.
    fn static_fields(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let modifiers = node.named_children(&mut cursor).find(|child| child.kind() == "modifiers");
        let words: Vec<&str> = modifiers.map(|list| self.text(list)).unwrap_or_default().split_whitespace().collect();
        if !words.contains(&"static") {
            return;
        }
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for one in names {
            let name = self.field(one, "name").unwrap_or_default().to_owned();
            if !words.contains(&"final") {
                self.write(Chain::name(name.clone()), one);
            }
            self.statics.insert(name);
        }
    }

    /// Returns the chain of a written place that can be state of the whole program.
    fn global(&self, place: Node<'_>) -> Option<Chain> {
        let found = chain(self, place)?;
        let root = found.root();
        let is_plain = found.segs.len() == 1;
        let is_place = match self.language {
            Language::Ruby if place.kind() == "class_variable" => return Some(found),
            Language::Ruby => {
                return (root.starts_with('$') || place.kind() != "constant" && root.starts_with(char::is_uppercase))
                    .then_some(found);
            }
            Language::Php => place.kind() == "scoped_property_access_expression" || root == "GLOBALS",
            Language::Rust => root.len() > 1 && !root.contains(char::is_lowercase),
            Language::Java if is_plain => self.statics.contains(root),
            Language::Java => root.starts_with(char::is_uppercase),
            // A plain name of Python is local, unless the function says otherwise.
            Language::Python => place.kind() != "identifier",
            Language::Go => root != "_",
            _ => {
                let is_page =
                    SCRIPT_OBJECTS.contains(&root) && found.segs.get(1).is_some_and(|seg| seg.name == "location");
                !(is_page || ["module", "exports", "process"].contains(&root))
            }
        };
        let is_named = !root.is_empty() && !found.segs.iter().any(|seg| seg.called);
        (is_place && is_named && self.is_in_function(place) && !self.is_local(root, place)).then_some(found)
    }

    fn is_in_function(&self, node: Node<'_>) -> bool {
        let is_function = |unit: usize| self.facts.units.get(unit).is_some_and(|unit| unit.kind == UnitKind::Function);
        let mut around = std::iter::successors(node.parent(), Node::parent);
        is_function(self.unit) || around.any(|node| NAMELESS_FUNCTIONS.contains(&node.kind()))
    }

    /// Returns whether a function around the node has bound the name.
    fn is_local(&self, name: &str, node: Node<'_>) -> bool {
        let line = self.line(node);
        let parent = |unit: &usize| self.facts.units.get(*unit).map(|one| one.parent).filter(|parent| parent != unit);
        let around: Vec<usize> = std::iter::successors(Some(self.unit), parent).collect();
        let is_function = |unit: usize| self.facts.units.get(unit).is_some_and(|unit| unit.kind == UnitKind::Function);
        self.facts.bindings.iter().any(|one| {
            let here = one.block.is_none_or(|(first, last)| (first..=last).contains(&line));
            one.name == name
                && one.class.is_none()
                && here
                && (one.block.is_some() || is_function(one.unit))
                && around.contains(&one.unit)
        })
    }

    fn write(&mut self, chain: Chain, node: Node<'_>) {
        self.note(chain, UseKind::Write, node, Vec::new());
    }
}

fn changes_by_type(text: &str) -> bool {
    CHANGING_TYPES.iter().any(|part| text.contains(part))
}
