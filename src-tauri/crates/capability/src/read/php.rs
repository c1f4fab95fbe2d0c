//! Reads PHP.

mod comments;

use tree_sitter::Node;

use super::Walk;
use crate::endpoints::ON_CLASS;
use crate::facts::{Chain, NAMELESS, SUPER, THIS};

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "namespace_definition" => {
            walk.facts.package = walk.field(node, "name").unwrap_or_default().replace('\\', ".");
            walk.children(node, visit);
        }
        "namespace_use_declaration" => walk.imports(node),
        "require_expression" | "require_once_expression" | "include_expression" | "include_once_expression" => {
            let path = literal_path(walk, node);
            match path {
                Some(path) => walk.import("*", &path, None, node),
                None => walk.call(Chain::name("include"), node, Vec::new()),
            }
            walk.children(node, visit);
        }
        "class_declaration" | "interface_declaration" | "trait_declaration" | "enum_declaration" => class(walk, node),
        "function_definition" | "method_declaration" => function(walk, node),
        "anonymous_function" | "anonymous_function_creation_expression" | "arrow_function" => {
            parameters(walk, node);
            if let Some(body) = node.child_by_field_name("body") {
                visit(walk, body);
            }
        }
        "property_declaration" => {
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let typed = typed.or_else(|| {
                let comment = doc_comment(walk, node)?;
                let (_, typed) = comments::declared(comment, &["@var"]).into_iter().next()?;
                documented(walk, typed)
            });
            let mut cursor = node.walk();
            let all: Vec<Node<'_>> =
                node.named_children(&mut cursor).filter(|one| one.kind() == "property_element").collect();
            for one in all {
                let name = one.named_child(0).map(|name| walk.text(name).trim_start_matches('$')).unwrap_or_default();
                if let Some(class) = walk.class.clone() {
                    walk.bind_field(&class, name, typed.clone(), one);
                }
            }
        }
        "assignment_expression" => {
            let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
            let source = right.and_then(|right| chain(walk, right));
            let target = left.and_then(|left| chain(walk, left));
            let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
            if let Some(target) = target {
                let name = target.segs.last().map(|seg| seg.name.clone()).unwrap_or_default();
                match (target.root(), target.segs.len(), class) {
                    (THIS, 2, Some(class))
                        if source.as_ref().is_some_and(|chain| chain.segs.iter().any(|seg| seg.called)) =>
                    {
                        walk.bind_field(&class, &name, source, node);
                    }
                    (_, 1, _) => walk.bind(&name, source, node),
                    _ => {}
                }
            }
            walk.children(node, visit);
        }
        "foreach_statement" | "catch_clause" => {
            let (list, body) = (node.named_child(0), node.child_by_field_name("body"));
            let is_catch = node.kind() == "catch_clause";
            let mut cursor = node.walk();
            let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            for part in parts.into_iter().filter(|part| Some(*part) != body && (is_catch || Some(*part) != list)) {
                variables(walk, part);
            }
            walk.children(node, visit);
        }
        "function_call_expression"
        | "scoped_call_expression"
        | "member_call_expression"
        | "nullsafe_member_call_expression" => {
            let args = walk.args(node.child_by_field_name("arguments"), ("", "", ""));
            if let Some(found) = callee(walk, node) {
                let given = walk.given(node.child_by_field_name("arguments"), ("", ""), chain);
                walk.call_with(found, node.child_by_field_name("name").unwrap_or(node), (args, given));
            }
            for field in ["object", "scope", "function"] {
                if let Some(part) = node.child_by_field_name(field)
                    && !["variable_name", "name", "qualified_name", "relative_scope", "member_access_expression"]
                        .contains(&part.kind())
                {
                    visit(walk, part);
                }
            }
            if let Some(list) = node.child_by_field_name("arguments") {
                walk.children(list, visit);
            }
        }
        "object_creation_expression" => {
            if let Some(found) = chain(walk, node) {
                let mut cursor = node.walk();
                let list = node.named_children(&mut cursor).find(|child| child.kind() == "arguments");
                let given = walk.given(list, ("", ""), chain);
                walk.call_with(found, node, (Vec::new(), given));
            }
            walk.children(node, visit);
        }
        "subscript_expression" => {
            let key = node.named_child(1).and_then(|key| walk.literal(key));
            if let Some(found) = chain(walk, node) {
                walk.read(found.then("[]"), node, key.into_iter().collect());
            }
            walk.children(node, visit);
        }
        "shell_command_expression" => {
            walk.call(Chain::name("`"), node, Vec::new());
            walk.children(node, visit);
        }
        // `exit` is a statement, and so is a `die` without arguments.
        "exit_statement" | "name" if node.kind() == "exit_statement" || is_die(walk, node) => {
            walk.call(Chain::name("exit"), node, Vec::new());
            walk.children(node, visit);
        }
        "attribute" => attribute(walk, node),
        "return_statement" => {
            let what = node.named_child(0).and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        _ => walk.children(node, visit),
    }
}

/// Records an attribute with its arguments: `#[Route('/a', methods: ['GET'])]`.
fn attribute(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(found) = node.named_child(0).and_then(|name| chain(walk, name)) else { return };
    let mut args = Vec::new();
    if let Some(list) = node.child_by_field_name("parameters") {
        let mut cursor = list.walk();
        for one in list.named_children(&mut cursor).filter(|one| one.kind() == "argument") {
            let name = one.child_by_field_name("name");
            let value = one.named_child(u32::from(name.is_some())).map(|value| walk.list_text(value));
            let value = value.unwrap_or_default();
            args.push(name.map_or(value.clone(), |name| format!("{}={value}", walk.text(name))));
        }
    }
    let definition =
        std::iter::successors(node.parent(), |one| one.parent()).find(|one| one.kind().ends_with("_declaration"));
    if definition.is_some_and(|definition| definition.kind() == "class_declaration") {
        args.push(ON_CLASS.to_owned());
    }
    walk.mark(found, 0, node, args);
}

/// Binds the variables of a pattern: `$key => $value`, `[$a, $b]`.
fn variables(walk: &mut Walk<'_>, node: Node<'_>) {
    if node.kind() == "variable_name" {
        let name = walk.text(node).trim_start_matches('$').to_owned();
        return walk.bind(&name, None, node);
    }
    let mut cursor = node.walk();
    let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    if ["pair", "by_ref", "list_literal", "array_creation_expression", "array_element_initializer"]
        .contains(&node.kind())
    {
        parts.into_iter().for_each(|part| variables(walk, part));
    }
}

fn literal_path(walk: &Walk<'_>, node: Node<'_>) -> Option<String> {
    let text = walk.text(node);
    let mut quoted = text.split(['"', '\'']);
    let (before, path) = (quoted.next()?, quoted.next()?);
    let here = before.contains("__DIR__") || path.starts_with("./") || path.starts_with("../");
    let plain = !path.contains('$') && path.contains('.');
    plain.then(|| format!("./{}", path.trim_start_matches(if here { "/" } else { "./" })))
}

fn class(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let mut unit = walk.class_unit(&name, node);
    walk.add_bases(&mut unit, node, chain);
    attributes(walk, node);
    walk.unit(unit, node.child_by_field_name("body"), Some(name.clone().into()), visit);
    documented_properties(walk, &name, node);
}

/// Binds the properties that only the comment of a class declares: `@property Request $request`.
fn documented_properties(walk: &mut Walk<'_>, class: &str, node: Node<'_>) {
    let Some(comment) = doc_comment(walk, node) else { return };
    for (name, typed) in comments::declared(comment, &["@property", "@property-read", "@property-write"]) {
        let is_field = walk.facts.bindings.iter().any(|one| one.class.as_deref() == Some(class) && one.name == name);
        if let Some(typed) = documented(walk, typed).filter(|_| !is_field) {
            walk.bind_field(class, name, Some(typed), node);
        }
    }
}

/// Returns the comment that documents a definition.
fn doc_comment<'t>(walk: &Walk<'t>, node: Node<'_>) -> Option<&'t str> {
    let comment = node.prev_named_sibling().filter(|before| before.kind() == "comment")?;
    Some(walk.text(comment)).filter(|text| text.starts_with("/**"))
}

/// Returns the chain of the class that a comment names, of which an object is meant.
fn documented(walk: &Walk<'_>, class: &str) -> Option<Chain> {
    let own = || walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone()).or_else(|| walk.class.clone());
    let chain = match class {
        "self" | "static" | "$this" => Chain::name(own()?),
        class => qualified(class),
    };
    Some(chain.object_of())
}

/// Records the attributes of a definition.
fn attributes(walk: &mut Walk<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let lists: Vec<Node<'_>> = node.named_children(&mut cursor).filter(|one| one.kind() == "attribute_list").collect();
    lists.into_iter().for_each(|list| walk.children(list, visit));
}

fn function(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let class = walk.class.clone().filter(|_| node.kind() == "method_declaration");
    let mut unit = walk.function(&name, class, node);
    unit.returns.extend(node.child_by_field_name("return_type").and_then(|kind| type_chain(walk, kind)));
    attributes(walk, node);
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.take());
    walk.unit = index;
    parameters(walk, node);
    if let Some(body) = node.child_by_field_name("body") {
        walk.children(body, visit);
    }
    (walk.unit, walk.class) = outer;
}

fn parameters(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(list) = node.child_by_field_name("parameters") else { return };
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    let mut names = Vec::new();
    for one in all {
        let name = walk.field(one, "name").unwrap_or_default().trim_start_matches('$').to_owned();
        let typed = one.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
        let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
        if let (Some(class), "property_promotion_parameter") = (class, one.kind()) {
            walk.bind_field(&class, &name, typed.clone(), one);
        }
        names.push(if one.child_by_field_name("type").is_none() { name.clone() } else { String::new() });
        walk.declare(&name, typed, one);
    }
    if ["function_definition", "method_declaration"].contains(&node.kind()) {
        walk.set_parameters(walk.unit, names);
    }
}

fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "named_type" | "optional_type" | "union_type" => type_chain(walk, node.named_child(0)?),
        "name" => {
            let name = walk.text(node);
            let class =
                walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone()).or_else(|| walk.class.clone());
            if name == "self" || name == "static" { class.map(Chain::name) } else { Some(Chain::name(name)) }
        }
        "qualified_name" => Some(qualified(walk.text(node))),
        _ => None,
    }
    .map(Chain::object_of)
}

/// Parses a name such as `\Aws\S3\S3Client`. A leading backslash becomes an empty first name.
fn qualified(text: &str) -> Chain {
    Chain::path(text.trim_start_matches('\\').split('\\'))
}

fn callee(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "function_call_expression" => chain(walk, node.child_by_field_name("function")?),
        "scoped_call_expression" => {
            Some(chain(walk, node.child_by_field_name("scope")?)?.then(walk.field(node, "name")?))
        }
        _ => {
            let object = chain(walk, node.child_by_field_name("object")?).unwrap_or_else(Chain::nameless);
            Some(object.then(walk.field(node, "name")?))
        }
    }
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "variable_name" => {
            let name = walk.text(node).trim_start_matches('$');
            Some(Chain::name(if name == "this" { THIS } else { name }))
        }
        "name" => Some(Chain::name(walk.text(node))),
        "qualified_name" => Some(qualified(walk.text(node))),
        "relative_scope" => Some(Chain::name(if walk.text(node) == "parent" { SUPER } else { THIS })),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            let object = chain(walk, node.child_by_field_name("object")?).unwrap_or_else(Chain::nameless);
            Some(object.then(walk.field(node, "name")?))
        }
        "class_constant_access_expression" | "scoped_property_access_expression" => {
            let mut cursor = node.walk();
            let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            match parts.as_slice() {
                [scope, name, ..] => Some(chain(walk, *scope)?.then(walk.text(*name).trim_start_matches('$'))),
                _ => None,
            }
        }
        "function_call_expression"
        | "scoped_call_expression"
        | "member_call_expression"
        | "nullsafe_member_call_expression" => callee(walk, node).map(Chain::called),
        "object_creation_expression" => {
            let mut cursor = node.walk();
            let made = node
                .named_children(&mut cursor)
                .find(|one| ["name", "qualified_name", "relative_scope"].contains(&one.kind()));
            chain(walk, made?).map(Chain::called)
        }
        "parenthesized_expression" => chain(walk, node.named_child(0)?),
        "subscript_expression" => chain(walk, node.named_child(0)?),
        "binary_expression" | "conditional_expression" => {
            let mut cursor = node.walk();
            let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            let mut found = parts.into_iter().filter_map(|part| chain(walk, part));
            found.next()
        }
        "string" | "encapsed_string" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
}

fn is_die(walk: &Walk<'_>, node: Node<'_>) -> bool {
    walk.text(node).eq_ignore_ascii_case("die")
        && node.parent().is_some_and(|parent| parent.kind() == "expression_statement")
}
