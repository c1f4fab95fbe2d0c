//! Reads JavaScript and TypeScript, with JSX.

mod chains;
mod types;
mod values;

use tree_sitter::Node;

pub(super) use self::chains::chain;
use self::chains::{is_promise_call, is_require};
use self::types::{alias, interface, type_chain, type_parameters};
use self::values::{assign, object};
use super::Walk;
use crate::endpoints::ON_CLASS;
use crate::facts::Chain;
use diffsan_syntax::symbols::specifier;
use smol_str::SmolStr;

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "import_statement" => walk.imports(node),
        "export_statement" => exports(walk, node),
        "function_declaration" | "generator_function_declaration" | "method_definition" => {
            let name = walk.field(node, "name").unwrap_or_default().trim_matches(['"', '\'', '#']).to_owned();
            let class = walk.class.clone().filter(|_| node.kind() == "method_definition");
            // `this` in a method of an object without a name is that object, not the class around it.
            let is_nameless = node.parent().is_some_and(|parent| parent.kind() == "object")
                && walk.facts.units.get(walk.unit).is_none_or(|unit| !unit.is_object);
            function(walk, &name, if is_nameless { Some(SmolStr::default()) } else { class }, node);
        }
        "function_expression" | "arrow_function" | "generator_function" => {
            // The uses in a function without a name belong to the unit around it.
            parameters(walk, node);
            body(walk, node);
        }
        "class_declaration" | "class" | "abstract_class_declaration" => {
            let name = walk.field(node, "name").unwrap_or("default").to_owned();
            class(walk, &name, node);
        }
        "variable_declarator" => declare(walk, node),
        "assignment_expression" => assign(walk, node),
        "for_in_statement" => {
            let declares = node.child_by_field_name("kind").is_some();
            if let Some(pattern) = node.child_by_field_name("left").filter(|_| declares) {
                pattern_names(walk, pattern, None, false);
            }
            walk.children(node, visit);
        }
        "catch_clause" => {
            if let Some(pattern) = node.child_by_field_name("parameter") {
                pattern_names(walk, pattern, None, false);
            }
            walk.children(node, visit);
        }
        "public_field_definition" | "field_definition" => {
            let name = walk.field(node, "name").or_else(|| walk.field(node, "property")).unwrap_or_default();
            let name = name.trim_start_matches('#').to_owned();
            let value = node.child_by_field_name("value");
            let Some(class) = walk.class.clone() else { return walk.children(node, visit) };
            if let Some(value) = value.filter(|value| is_function(*value)) {
                function(walk, &name, Some(class), value);
                return;
            }
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let source = value.and_then(|value| chain(walk, value)).or(typed);
            walk.bind_field(&class, &name, source, node);
            if let Some(value) = value {
                visit(walk, value);
            }
        }
        "call_expression" => call(walk, node),
        "new_expression" => {
            if let Some(constructor) = node.child_by_field_name("constructor") {
                let args = walk.args(node.child_by_field_name("arguments"), ("", "", ""));
                if let Some(found) = chain(walk, constructor) {
                    let given = walk.given(node.child_by_field_name("arguments"), ("", ""), chain);
                    walk.call_with(found, last_name(constructor), (args, given));
                }
                inside(walk, constructor);
            }
            if let Some(list) = node.child_by_field_name("arguments") {
                walk.children(list, visit);
            }
        }
        "member_expression" | "subscript_expression" => {
            if let Some(found) = chain(walk, node).filter(|chain| chain.segs.len() > 1) {
                walk.read(found, node, Vec::new());
            }
            inside(walk, node);
        }
        "jsx_self_closing_element" | "jsx_opening_element" => {
            if let Some(name) = node.child_by_field_name("name")
                && walk.text(name).starts_with(char::is_uppercase)
                && let Some(found) = chain(walk, name)
            {
                walk.call(found, name, Vec::new());
            }
            walk.children(node, visit);
        }
        "return_statement" => {
            let what = node.named_child(0).and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        "decorator" => {
            if let Some(what) = node.named_child(0).filter(|what| what.kind() != "call_expression")
                && let Some(found) = chain(walk, what)
            {
                walk.call(found, node, Vec::new());
            }
            walk.children(node, visit);
        }
        "identifier" | "shorthand_property_identifier" => {
            let parent = node.parent().map_or("", |parent| parent.kind());
            if ["arguments", "array", "pair", "object", "jsx_expression"].contains(&parent) {
                let name = Chain::name(walk.text(node));
                walk.read(name, node, Vec::new());
            }
        }
        "interface_declaration" => interface(walk, node),
        "abstract_method_signature" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            function(walk, &name, walk.class.clone(), node);
        }
        "type_alias_declaration" => alias(walk, node),
        "type_annotation" | "type_arguments" => {}
        _ => walk.children(node, visit),
    }
}

fn is_function(node: Node<'_>) -> bool {
    ["arrow_function", "function_expression", "generator_function"].contains(&node.kind())
}

fn last_name(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("property").unwrap_or(node)
}

fn inside(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "member_expression" => {
            if let Some(object) = node.child_by_field_name("object") {
                inside(walk, object);
            }
        }
        "subscript_expression" => {
            if let Some(object) = node.child_by_field_name("object") {
                inside(walk, object);
            }
            if let Some(index) = node.child_by_field_name("index") {
                visit(walk, index);
            }
        }
        "identifier" | "this" | "super" | "import" => {}
        _ => visit(walk, node),
    }
}

fn exports(walk: &mut Walk<'_>, node: Node<'_>) {
    if node.child_by_field_name("source").is_some() {
        return walk.imports(node);
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    for clause in children.iter().filter(|child| child.kind() == "export_clause") {
        let mut cursor = clause.walk();
        for (shown, name) in clause.named_children(&mut cursor).filter_map(specifier) {
            walk.export(walk.text(shown), None, Some(Chain::name(walk.text(name))), shown);
        }
    }
    // The decorators of an exported class stand before the keyword.
    for decorator in children.iter().filter(|child| child.kind() == "decorator") {
        let Some(made) = decorator.named_child(0).filter(|made| made.kind() == "call_expression") else { continue };
        let name = made.child_by_field_name("function").and_then(|function| chain(walk, function));
        let mut args = walk.args(made.child_by_field_name("arguments"), ("", "", ""));
        args.push(ON_CLASS.to_owned());
        if let Some(name) = name {
            walk.mark(name, 0, *decorator, args);
        }
    }
    let is_default = children.iter().any(|child| child.kind() == "default");
    if let Some(declaration) = node.child_by_field_name("declaration") {
        if is_default {
            let name = walk.field(declaration, "name").unwrap_or("default");
            walk.export("default", None, Some(Chain::name(name)), node);
        }
        visit(walk, declaration);
    }
    if let Some(value) = node.child_by_field_name("value") {
        if is_function(value) {
            let name = walk.field(value, "name").unwrap_or("default").to_owned();
            walk.export("default", None, Some(Chain::name(name.clone())), node);
            function(walk, &name, None, value);
        } else if value.kind() == "object" {
            walk.export("default", None, Some(Chain::name("default")), node);
            object(walk, "default", value);
        } else {
            let source = if value.kind() == "class" {
                Some(Chain::name(walk.field(value, "name").unwrap_or("default")))
            } else {
                chain(walk, value)
            };
            walk.export("default", None, source, node);
            visit(walk, value);
        }
    }
}

fn function(walk: &mut Walk<'_>, name: &str, class: Option<SmolStr>, node: Node<'_>) {
    let mut unit = walk.function(name, class, node);
    unit.returns.extend(node.child_by_field_name("return_type").and_then(|kind| type_chain(walk, kind)));
    let mut cursor = node.walk();
    unit.is_getter =
        node.kind() == "method_definition" && node.children(&mut cursor).any(|child| child.kind() == "get");
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.take());
    walk.unit = index;
    let names = parameters(walk, node);
    walk.set_parameters(index, names);
    body(walk, node);
    (walk.unit, walk.class) = outer;
}

fn body(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(body) = node.child_by_field_name("body") else { return };
    if body.kind() == "statement_block" {
        walk.children(body, visit);
    } else {
        let what = chain(walk, body);
        walk.returns(what);
        walk.global_state(body);
        visit(walk, body);
    }
}

/// Declares the parameters of a function, and returns the names of those without a type.
fn parameters(walk: &mut Walk<'_>, node: Node<'_>) -> Vec<String> {
    type_parameters(walk, node);
    if let Some(only) = node.child_by_field_name("parameter") {
        let name = walk.text(only).to_owned();
        walk.declare(&name, None, only);
        return vec![name];
    }
    let Some(list) = node.child_by_field_name("parameters") else { return Vec::new() };
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    let mut names = Vec::new();
    for parameter in all {
        let pattern = parameter
            .child_by_field_name("pattern")
            .or_else(|| parameter.child_by_field_name("left"))
            .unwrap_or(parameter);
        let typed = parameter.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
        let value = parameter.child_by_field_name("value").or_else(|| parameter.child_by_field_name("right"));
        let source = typed.or_else(|| value.and_then(|value| chain(walk, value)));
        let has_type = parameter.child_by_field_name("type").is_some() || source.is_some();
        let is_open = pattern.kind() == "identifier" && !has_type;
        names.push(if is_open { walk.text(pattern).to_owned() } else { String::new() });
        if let Some(value) = value {
            visit(walk, value);
        }
        let mut words = parameter.walk();
        let is_field =
            parameter.children(&mut words).any(|child| ["accessibility_modifier", "readonly"].contains(&child.kind()));
        let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
        if let (true, Some(class)) = (is_field, class) {
            let name = walk.text(pattern).to_owned();
            walk.bind_field(&class, &name, source.clone(), parameter);
        }
        pattern_names(walk, pattern, source, true);
    }
    names
}

/// Binds the names of a pattern.
fn pattern_names(walk: &mut Walk<'_>, pattern: Node<'_>, source: Option<Chain>, parameter: bool) {
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            let name = walk.text(pattern).to_owned();
            walk.declare(&name, source, pattern);
        }
        "object_pattern" => {
            let mut cursor = pattern.walk();
            let parts: Vec<Node<'_>> = pattern.named_children(&mut cursor).collect();
            for part in parts {
                let part = without_default(walk, part, "object_assignment_pattern");
                let (key, value) = match part.kind() {
                    "pair_pattern" => (walk.field(part, "key").unwrap_or_default(), part.child_by_field_name("value")),
                    _ => (walk.text(part), Some(part)),
                };
                let member = source.clone().filter(|_| !parameter || source.is_some()).map(|chain| chain.then(key));
                if let Some(value) = value {
                    pattern_names(walk, value, member, parameter);
                }
            }
        }
        "assignment_pattern" => {
            let part = without_default(walk, pattern, "assignment_pattern");
            pattern_names(walk, part, None, parameter);
        }
        "array_pattern" | "rest_pattern" => {
            let mut cursor = pattern.walk();
            let parts: Vec<Node<'_>> = pattern.named_children(&mut cursor).collect();
            for part in parts {
                pattern_names(walk, part, None, parameter);
            }
        }
        _ => {}
    }
}

/// Returns the part of a pattern that is bound, and reads its default value: `generator` of `{ generator = () => randomUUID() }`.
fn without_default<'t>(walk: &mut Walk<'_>, part: Node<'t>, kind: &str) -> Node<'t> {
    if part.kind() != kind {
        return part;
    }
    if let Some(value) = part.child_by_field_name("right") {
        visit(walk, value);
    }
    part.child_by_field_name("left").unwrap_or(part)
}

fn class(walk: &mut Walk<'_>, name: &str, node: Node<'_>) {
    let mut unit = walk.class_unit(name, node);
    walk.add_bases(&mut unit, node, parent_chain);
    let index = walk.unit(unit, node.child_by_field_name("body"), Some(name.into()), visit);
    let outer = std::mem::replace(&mut walk.unit, index);
    type_parameters(walk, node);
    walk.unit = outer;
}

fn parent_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    chain(walk, node).or_else(|| type_chain(walk, node))
}

fn declare(walk: &mut Walk<'_>, node: Node<'_>) {
    let (Some(pattern), value) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else { return };
    let name = walk.text(pattern).to_owned();
    match value {
        Some(value) if is_function(value) && pattern.kind() == "identifier" => function(walk, &name, None, value),
        Some(value) if value.kind() == "class" => class(walk, &name, value),
        Some(value) if value.kind() == "object" && pattern.kind() == "identifier" => object(walk, &name, value),
        _ => {
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let source = value.and_then(|value| chain(walk, value)).or(typed);
            if node.parent().is_some_and(|parent| parent.kind() == "variable_declaration") {
                walk.without_blocks(|walk| pattern_names(walk, pattern, source, false));
            } else {
                pattern_names(walk, pattern, source, false);
            }
            if let Some(value) = value {
                visit(walk, value);
            }
        }
    }
}

fn call(walk: &mut Walk<'_>, node: Node<'_>) {
    if let Some(function) = node.child_by_field_name("function") {
        let list = node.child_by_field_name("arguments");
        let args = walk.args(list, ("", "", ""));
        let module = is_require(walk, node);
        match module {
            Some(_) => {}
            None => {
                let found = chain(walk, function);
                if let Some(found) = found.filter(|found| !is_promise_call(found)) {
                    let given = walk.given(list, ("", ""), chain);
                    walk.call_with(found, last_name(function), (args, given));
                }
                inside(walk, function);
            }
        }
        if let Some(list) = list {
            walk.children(list, visit);
        }
    }
}
