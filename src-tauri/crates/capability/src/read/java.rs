//! Reads Java.

use tree_sitter::Node;

use super::Walk;
use crate::endpoints::ON_CLASS;
use crate::facts::{Chain, NAMELESS, SUPER, THIS};

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "import_declaration" => walk.imports(node),
        "class_declaration" | "interface_declaration" | "enum_declaration" | "record_declaration" => class(walk, node),
        "enum_constant" => {
            if let (Some(class), Some(name)) = (walk.class.clone(), walk.field(node, "name")) {
                let object = Chain::name(class.clone()).object_of();
                walk.bind_field(&class, name, Some(object), node);
            }
            walk.children(node, visit);
        }
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => function(walk, node),
        "field_declaration" => {
            declare(walk, node, true);
        }
        "local_variable_declaration" => declare(walk, node, false),
        "resource" | "enhanced_for_statement" => {
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let source = node.child_by_field_name("value").and_then(|value| chain(walk, value));
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            walk.declare(&name, typed.or(source), node);
            walk.children(node, visit);
        }
        "method_invocation" => {
            let args = walk.args(node.child_by_field_name("arguments"), ("", "", ""));
            if let (Some(found), Some(name)) = (callee(walk, node), node.child_by_field_name("name")) {
                walk.call(found, name, args);
            }
            inside(walk, node);
            if let Some(list) = node.child_by_field_name("arguments") {
                walk.children(list, visit);
            }
        }
        "object_creation_expression" => {
            let args = walk.args(node.child_by_field_name("arguments"), ("", "", ""));
            if let Some(found) = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind)) {
                walk.call(found, node, args);
            }
            walk.children(node, visit);
        }
        "field_access" => {
            if let Some(found) = chain(walk, node).filter(|chain| chain.segs.len() > 1) {
                walk.read(found, node, Vec::new());
            }
            inside(walk, node);
        }
        "method_reference" => {
            let mut cursor = node.walk();
            let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            if let [object, name] = parts.as_slice()
                && let Some(found) = chain(walk, *object)
            {
                let name_text = walk.text(*name);
                walk.call(found.then(name_text), *name, Vec::new());
            }
        }
        "assignment_expression" => {
            let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
            let source = right.and_then(|right| chain(walk, right));
            let target = left.and_then(|left| chain(walk, left));
            let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
            if let (Some(target), Some(class), Some(source)) = (target, class, source)
                && source.segs.iter().any(|seg| seg.called)
            {
                let name = target.segs.last().map(|seg| seg.name.clone()).unwrap_or_default();
                // A declared type says more than a call whose result is not known.
                let is_typed = source.segs.len() > 1
                    && walk
                        .facts
                        .bindings
                        .iter()
                        .any(|one| one.name == name && one.source.is_some() && one.class.as_ref() == Some(&class));
                match (target.root(), target.segs.len()) {
                    (THIS, 2) if is_typed => {}
                    (THIS, 2) => walk.bind_field(&class, &name, Some(source), node),
                    (_, 1) => walk.bind(&name, Some(source), node),
                    _ => {}
                }
            }
            if let Some(right) = right {
                visit(walk, right);
            }
        }
        "lambda_expression" => {
            if let Some(body) = node.child_by_field_name("body") {
                visit(walk, body);
            }
        }
        "return_statement" => {
            let what = node.named_child(0).and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        "marker_annotation" | "annotation" => {}
        _ => walk.children(node, visit),
    }
}

fn inside(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "field_access" | "method_invocation" => {
            if let Some(object) = node.child_by_field_name("object") {
                match object.kind() {
                    "identifier" | "this" | "super" => {}
                    "field_access" => inside(walk, object),
                    _ => visit(walk, object),
                }
            }
        }
        _ => visit(walk, node),
    }
}

fn class(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let mut unit = walk.class_unit(&name, node);
    walk.add_bases(&mut unit, node, type_chain);
    unit.interfaces.extend(annotations(walk, node));
    marks(walk, node, true);
    if let Some(list) = node.child_by_field_name("parameters") {
        // The components of a record are its fields.
        let mut cursor = list.walk();
        let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
        for one in all {
            let typed = one.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let field = walk.field(one, "name").unwrap_or_default().to_owned();
            walk.bind_field(&name, &field, typed, one);
        }
    }
    walk.unit(unit, node.child_by_field_name("body"), Some(name.into()), visit);
}

/// Records the annotations of a definition, with their arguments. One without a path has that of another one: `@GET @Path("/a")`.
fn marks(walk: &mut Walk<'_>, node: Node<'_>, on_class: bool) {
    let all: Vec<Node<'_>> = annotation_nodes(node);
    let args = |walk: &Walk<'_>, mark: &Node<'_>| -> Vec<String> {
        let Some(list) = mark.child_by_field_name("arguments") else { return Vec::new() };
        let mut cursor = list.walk();
        let arg = |one: Node<'_>| match one.kind() {
            "element_value_pair" => {
                let value = one.child_by_field_name("value");
                // A constant: `method = RequestMethod.PUT`.
                let constant = |value: Node<'_>| match value.kind() {
                    "field_access" => walk.field(value, "field").unwrap_or_default().to_owned(),
                    _ => walk.list_text(value),
                };
                format!("{}={}", walk.field(one, "key").unwrap_or_default(), value.map(constant).unwrap_or_default())
            }
            _ => walk.list_text(one),
        };
        list.named_children(&mut cursor).map(arg).collect()
    };
    let path = all.iter().find(|mark| walk.field(**mark, "name") == Some("Path")).map(|mark| args(walk, mark));
    for mark in all {
        let Some(name) = walk.field(mark, "name") else { continue };
        let own = args(walk, &mark);
        let mut found = if own.is_empty() { path.clone().unwrap_or_default() } else { own };
        if on_class {
            found.push(ON_CLASS.to_owned());
        }
        walk.mark(Chain::path(name.split('.')), 0, mark, found);
    }
}

/// Returns the names of a definition's annotations. A framework can implement an interface by them.
fn annotations(walk: &Walk<'_>, node: Node<'_>) -> Vec<Chain> {
    let marks = annotation_nodes(node).into_iter();
    marks.filter_map(|mark| Some(Chain::path(walk.field(mark, "name")?.split('.')))).collect()
}

fn annotation_nodes(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let Some(list) = node.named_children(&mut cursor).find(|child| child.kind() == "modifiers") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    let marks = list.named_children(&mut cursor);
    marks.filter(|mark| ["annotation", "marker_annotation"].contains(&mark.kind())).collect()
}

fn function(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let class = walk.class.clone();
    let mut unit = walk.function(&name, class, node);
    unit.interfaces.extend(annotations(walk, node));
    marks(walk, node, false);
    unit.returns.extend(node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind)));
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.take());
    walk.unit = index;
    if let Some(list) = node.child_by_field_name("parameters") {
        let mut cursor = list.walk();
        let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
        for one in all {
            let typed = one.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let parameter = walk.field(one, "name").unwrap_or_default().to_owned();
            walk.bind(&parameter, typed, one);
        }
    }
    if let Some(body) = node.child_by_field_name("body") {
        walk.children(body, visit);
    }
    (walk.unit, walk.class) = outer;
}

fn declare(walk: &mut Walk<'_>, node: Node<'_>, field: bool) {
    let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
    let mut cursor = node.walk();
    let all: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
    for one in all {
        let name = walk.field(one, "name").unwrap_or_default().to_owned();
        let value = one.child_by_field_name("value");
        // A created object is more precise than an interface.
        let made = value.and_then(|value| chain(walk, value)).filter(|chain| chain.segs.iter().any(|seg| seg.called));
        let is_new = value.is_some_and(|value| value.kind() == "object_creation_expression");
        let source = if is_new || typed.is_none() { made.or(typed.clone()) } else { typed.clone().or(made) };
        match walk.class.clone().filter(|_| field) {
            Some(class) => walk.bind_field(&class, &name, source, one),
            None => walk.declare(&name, source, one),
        }
        if let Some(value) = value {
            visit(walk, value);
        }
    }
}

fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "type_identifier" => {
            let name = walk.text(node);
            (!["var", "String", "Object", "Integer", "Long"].contains(&name)).then(|| Chain::name(name))
        }
        "scoped_type_identifier" => Some(Chain::path(walk.text(node).split('.'))),
        "generic_type" | "array_type" => {
            let outer = type_chain(walk, node.named_child(0)?);
            let name = outer.as_ref().map(|chain| chain.text()).unwrap_or_default();
            if ["Optional", "CompletableFuture", "Supplier"].contains(&name.as_str()) {
                return type_chain(walk, node.named_child(1)?.named_child(0)?);
            }
            outer
        }
        _ => None,
    }
    .map(Chain::object_of)
}

/// Returns the chain that a method call calls.
fn callee(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    let name = walk.field(node, "name")?;
    match node.child_by_field_name("object") {
        Some(object) => Some(chain(walk, object).unwrap_or_else(Chain::nameless).then(name)),
        None => Some(Chain::name(name)),
    }
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" => Some(Chain::name(walk.text(node))),
        "this" => Some(Chain::name(THIS)),
        "super" => Some(Chain::name(SUPER)),
        "field_access" => {
            let object = chain(walk, node.child_by_field_name("object")?).unwrap_or_else(Chain::nameless);
            Some(object.then(walk.field(node, "field")?))
        }
        "method_invocation" => callee(walk, node).map(Chain::called),
        "object_creation_expression" => type_chain(walk, node.child_by_field_name("type")?).map(Chain::called),
        "cast_expression" => type_chain(walk, node.child_by_field_name("type")?),
        "parenthesized_expression" => chain(walk, node.named_child(0)?),
        "array_access" => chain(walk, node.child_by_field_name("array")?),
        "string_literal" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
}
