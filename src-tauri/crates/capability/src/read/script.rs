//! Reads JavaScript and TypeScript, with JSX.

use tree_sitter::Node;

use super::Walk;
use crate::facts::{COMPUTED, Chain, GLOBAL_PROPERTIES, NAMELESS, SUPER, Seg, THIS, Unit};
use diffsan_syntax::symbols::specifier;

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
            function(walk, &name, if is_nameless { Some(String::new()) } else { class }, node);
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

fn function(walk: &mut Walk<'_>, name: &str, class: Option<String>, node: Node<'_>) {
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
        visit(walk, body);
    }
}

/// Declares the type parameters of a function or class, each as another name of the type that limits it.
fn type_parameters(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(list) = node.child_by_field_name("type_parameters") else { return };
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|one| one.kind() == "type_parameter").collect();
    for one in all {
        let name = walk.field(one, "name").unwrap_or_default().to_owned();
        let limit = one.child_by_field_name("constraint").and_then(|limit| limit.named_child(0));
        let limit = limit.and_then(|limit| type_chain(walk, limit)).filter(|limit| limit.root() != name);
        walk.bind(&name, limit, one);
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
                let part = if part.kind() == "object_assignment_pattern" {
                    part.child_by_field_name("left").unwrap_or(part)
                } else {
                    part
                };
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
        "array_pattern" | "rest_pattern" | "assignment_pattern" => {
            let mut cursor = pattern.walk();
            let parts: Vec<Node<'_>> = pattern.named_children(&mut cursor).collect();
            for part in parts {
                pattern_names(walk, part, None, parameter);
            }
        }
        _ => {}
    }
}

fn class(walk: &mut Walk<'_>, name: &str, node: Node<'_>) {
    let mut unit = walk.class_unit(name, node);
    walk.add_bases(&mut unit, node, parent_chain);
    let index = walk.unit(unit, node.child_by_field_name("body"), Some(name.to_owned()), visit);
    let outer = std::mem::replace(&mut walk.unit, index);
    type_parameters(walk, node);
    walk.unit = outer;
}

fn parent_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    chain(walk, node).or_else(|| type_chain(walk, node))
}

/// Adds a type alias: of an object type as an interface, of another type as another name of it.
fn alias(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(value) = node.child_by_field_name("value") else { return };
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    if value.kind() == "object_type" {
        let unit = walk.class_unit(&name, node);
        let index = walk.unit(unit, None, None, visit);
        members(walk, &name, index, value);
    } else if let Some(typed) = type_chain(walk, value).filter(|typed| typed.root() != name) {
        walk.bind(&name, Some(typed), node);
    } else {
        // It is unknown which function or value of several types a value of the type is.
        walk.bind(&name, None, node);
    }
}

/// Adds an interface as a class of methods without a body.
fn interface(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let mut unit = walk.class_unit(&name, node);
    walk.add_bases(&mut unit, node, parent_chain);
    let index = walk.unit(unit, None, None, visit);
    if let Some(body) = node.child_by_field_name("body") {
        members(walk, &name, index, body);
    }
}

/// Adds the members of the body of an interface, or of an object type.
fn members(walk: &mut Walk<'_>, name: &str, index: usize, body: Node<'_>) {
    let outer = std::mem::replace(&mut walk.unit, index);
    let mut cursor = body.walk();
    let members: Vec<Node<'_>> = body.named_children(&mut cursor).collect();
    for member in members {
        let member_name = walk.field(member, "name").unwrap_or_default().to_owned();
        let kind = member.child_by_field_name("type").and_then(|annotation| annotation.named_child(0));
        match (member.kind(), kind) {
            ("method_signature", _) => function(walk, &member_name, Some(name.to_owned()), member),
            ("property_signature", Some(kind)) if kind.kind() == "function_type" => {
                let mut unit = walk.function(&member_name, Some(name.to_owned()), member);
                unit.is_abstract = true;
                unit.is_property = true;
                // A member that can be missing is an option, not what the object is for.
                let mut cursor = member.walk();
                unit.is_callback = member.children(&mut cursor).any(|child| child.kind() == "?");
                walk.unit(unit, None, None, visit);
            }
            ("property_signature", Some(kind)) => {
                let typed = type_chain(walk, kind);
                walk.bind_field(name, &member_name, typed, member);
            }
            _ => {}
        }
    }
    walk.unit = outer;
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

/// Adds an object with members as a class.
fn object(walk: &mut Walk<'_>, name: &str, node: Node<'_>) {
    let unit = Unit { is_object: true, ..walk.class_unit(name, node) };
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.replace(name.to_owned()));
    let mut cursor = node.walk();
    let members: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    for member in members {
        match member.kind() {
            "method_definition" => {
                walk.unit = index;
                visit(walk, member);
                walk.unit = outer.0;
            }
            "pair" => {
                let key = walk.field(member, "key").unwrap_or_default().trim_matches(['"', '\'']).to_owned();
                let Some(value) = member.child_by_field_name("value") else { continue };
                if is_function(value) {
                    function(walk, &key, Some(name.to_owned()), value);
                } else {
                    let source = chain(walk, value);
                    walk.bind_field(name, &key, source, member);
                    walk.class = None;
                    visit(walk, value);
                    walk.class = Some(name.to_owned());
                }
            }
            // The members of another object are members of this one too.
            "spread_element" => {
                let other = member.named_child(0).and_then(|other| chain(walk, other));
                walk.facts.units[index].bases.extend(other.filter(|other| !other.root().is_empty()));
                visit(walk, member);
            }
            "shorthand_property_identifier" => {
                let key = walk.text(member).to_owned();
                walk.bind_field(name, &key, Some(Chain::name(key.clone())), member);
            }
            _ => visit(walk, member),
        }
    }
    (walk.unit, walk.class) = outer;
}

fn assign(walk: &mut Walk<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let target = chain(walk, left);
    let text = target.as_ref().map(Chain::text).unwrap_or_default();
    let exported = ["module.exports.", "exports."].iter().find_map(|prefix| text.strip_prefix(prefix));
    if let Some(name) = exported.filter(|name| !name.contains('.')) {
        let name = name.to_owned();
        if is_function(right) {
            walk.export(&name, None, Some(Chain::name(name.clone())), node);
            function(walk, &name, None, right);
            return;
        }
        let source = chain(walk, right);
        walk.export(&name, None, source, node);
        visit(walk, right);
        return;
    }
    if text == "module.exports" {
        if is_function(right) || right.kind() == "class" {
            let name = walk.field(right, "name").unwrap_or("default").to_owned();
            walk.export("default", None, Some(Chain::name(name.clone())), node);
            if right.kind() == "class" {
                class(walk, &name, right)
            } else {
                function(walk, &name, None, right)
            }
            return;
        }
        if right.kind() == "object" {
            walk.export("default", None, Some(Chain::name("default")), node);
            object(walk, "default", right);
            let members: Vec<(String, Option<Chain>)> = walk
                .facts
                .bindings
                .iter()
                .filter(|binding| binding.class.as_deref() == Some("default"))
                .map(|binding| (binding.name.clone(), binding.source.clone()))
                .collect();
            for (name, source) in members {
                walk.export(&name, None, source, node);
            }
            return;
        }
        let source = chain(walk, right);
        walk.export("default", None, source, node);
        visit(walk, right);
        return;
    }
    let source = chain(walk, right);
    match (left.kind(), target) {
        ("identifier", _) => {
            let name = walk.text(left).to_owned();
            walk.bind(&name, source, left);
        }
        ("member_expression", Some(target)) if target.segs.len() == 2 && target.root() == THIS => {
            let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
            if let Some(class) = class {
                let name = target.segs[1].name.clone();
                if is_function(right) {
                    function(walk, &name, Some(class), right);
                    return;
                }
                walk.bind_field(&class, &name, source, left);
            }
        }
        // A property of all components: `app.config.globalProperties.$http = axios`, `Vue.prototype.$http = axios`.
        (_, Some(target))
            if target.segs.len() > 2
                && ["globalProperties", "prototype"].contains(&target.segs[target.segs.len() - 2].name.as_str()) =>
        {
            let name = &target.segs[target.segs.len() - 1].name;
            walk.bind_field(GLOBAL_PROPERTIES, name, source, left);
        }
        _ => visit(walk, left),
    }
    visit(walk, right);
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

/// Returns whether a member waits for the promise that the call before it returns.
fn is_promise(before: &[Seg], name: &str) -> bool {
    ["then", "catch", "finally"].contains(&name) && before.last().is_some_and(|seg| seg.called)
}

fn is_promise_call(chain: &Chain) -> bool {
    chain.segs.split_last().is_some_and(|(last, before)| is_promise(before, &last.name))
}

/// Returns the module of `require("x")` or `import("x")`.
fn is_require(walk: &Walk<'_>, node: Node<'_>) -> Option<String> {
    let function = node.child_by_field_name("function")?;
    if !(function.kind() == "import" || walk.text(function) == "require") {
        return None;
    }
    let module = node.child_by_field_name("arguments")?.named_child(0)?;
    // A name is a variable, so its module is not known.
    let is_text = ["string", "template_string"].contains(&module.kind());
    walk.literal(module).filter(|module| is_text && !module.is_empty())
}

fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "type_annotation" => type_chain(walk, node.named_child(0)?),
        "type_identifier" | "identifier" => Some(Chain::name(walk.text(node))),
        "generic_type" => {
            let name = walk.field(node, "name")?;
            let mut cursor = node.walk();
            let arguments = node.named_children(&mut cursor).find(|child| child.kind() == "type_arguments");
            match (name, arguments.and_then(|arguments| arguments.named_child(0))) {
                (
                    "Awaited" | "NonNullable" | "Omit" | "Partial" | "Pick" | "Promise" | "Readonly" | "Required",
                    Some(inner),
                ) => type_chain(walk, inner),
                // The values of a record.
                ("Record", Some(_)) => type_chain(walk, arguments?.named_child(1)?),
                _ => Some(Chain::path(name.split('.'))),
            }
        }
        "nested_type_identifier" => Some(Chain::path(walk.text(node).split('.'))),
        "union_type" | "intersection_type" | "parenthesized_type" => type_chain(walk, node.named_child(0)?),
        _ => None,
    }
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" | "shorthand_property_identifier" | "type_identifier" => Some(Chain::name(walk.text(node))),
        "this" => Some(Chain::name(THIS)),
        "import" => Some(Chain::name("import")),
        "super" => Some(Chain::name(SUPER)),
        "member_expression" | "nested_identifier" => {
            let object = chain(walk, node.child_by_field_name("object")?).unwrap_or_else(Chain::nameless);
            Some(object.then(walk.field(node, "property")?.trim_start_matches('#')))
        }
        "subscript_expression" => {
            let object = chain(walk, node.child_by_field_name("object")?)?;
            match node.child_by_field_name("index").and_then(|index| walk.literal(index)) {
                Some(key) if node.child_by_field_name("index").is_some_and(|index| index.kind() == "string") => {
                    Some(object.then(key))
                }
                // Any global name can be meant.
                _ if ["globalThis", "window", "global", "self"].contains(&object.text().as_str()) => {
                    Some(object.then(COMPUTED))
                }
                _ => Some(object),
            }
        }
        "call_expression" => match is_require(walk, node) {
            Some(module) => Some(Chain::module(&module)),
            None => {
                let function = node.child_by_field_name("function")?;
                let found = chain(walk, function)?;
                // `promisify(execFile)` is the same function in another form.
                if found.segs.last().is_some_and(|last| last.name == "promisify")
                    && let Some(inner) = node.child_by_field_name("arguments").and_then(|list| list.named_child(0))
                {
                    return chain(walk, inner);
                }
                // `send.bind(client)` is the same function. The result of a promise is the same value.
                if let [before @ .., last] = found.segs.as_slice()
                    && (last.name == "bind" || is_promise(before, &last.name))
                    && !before.is_empty()
                {
                    return Some(Chain { segs: before.to_vec() });
                }
                // The injector gives an object of the class: `inject(HttpClient)`.
                if found.segs.len() == 1
                    && found.root() == "inject"
                    && let Some(class) = node.child_by_field_name("arguments").and_then(|list| list.named_child(0))
                    && class.kind() == "identifier"
                    && walk.text(class).starts_with(char::is_uppercase)
                {
                    return chain(walk, class);
                }
                Some(found.called())
            }
        },
        "new_expression" => chain(walk, node.child_by_field_name("constructor")?).map(Chain::called),
        "await_expression"
        | "parenthesized_expression"
        | "non_null_expression"
        | "as_expression"
        | "satisfies_expression" => chain(walk, node.named_child(0)?),
        "binary_expression" => {
            let left = node.child_by_field_name("left").and_then(|left| chain(walk, left));
            let right = node.child_by_field_name("right").and_then(|right| chain(walk, right));
            right.filter(|chain| chain.segs.iter().any(|seg| seg.called)).or(left)
        }
        "ternary_expression" => chain(walk, node.child_by_field_name("consequence")?),
        "string" | "template_string" | "array" | "number" | "regex" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
}
