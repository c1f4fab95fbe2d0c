//! Reads Go.

use smol_str::SmolStr;
use tree_sitter::Node;

use super::Walk;
use crate::facts::{Chain, NAMELESS};
use diffsan_syntax::symbols::go_package_names;

/// The names in the tables of statements that have an effect.
const GOROUTINE: &str = "goroutine";
const RECEIVE: &str = "chan_receive";

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "import_spec" => {
            walk.imports(node);
            // Without a name in the statement, the package can have each of its probable names.
            if let (Some(path), None) = (walk.field(node, "path"), node.child_by_field_name("name")) {
                let path = path.trim_matches(['"', '`']);
                go_package_names(path).iter().skip(1).for_each(|name| walk.import(name, path, None, node));
            }
        }
        "function_declaration" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            function(walk, &name, None, node);
        }
        "method_declaration" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            let receiver = node.child_by_field_name("receiver").and_then(|list| list.named_child(0));
            let class = receiver.and_then(|one| type_chain(walk, one.child_by_field_name("type")?));
            function(walk, &name, class.map(|chain| chain.text().into()), node);
        }
        "type_spec" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            let mut unit = walk.class_unit(&name, node);
            walk.add_bases(&mut unit, node, type_chain);
            let kind = node.child_by_field_name("type");
            walk.unit(unit, None, None, visit);
            if let Some(interface) = kind.filter(|kind| kind.kind() == "interface_type") {
                walk.children(interface, visit);
            }
            if let Some(fields) = kind.filter(|kind| kind.kind() == "struct_type").and_then(|kind| kind.named_child(0))
            {
                let mut cursor = fields.walk();
                let all: Vec<Node<'_>> = fields.named_children(&mut cursor).collect();
                for field in all {
                    let typed = field.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
                    let mut names = field.walk();
                    let names: Vec<Node<'_>> = field.children_by_field_name("name", &mut names).collect();
                    for one in &names {
                        walk.bind_field(&name, walk.text(*one), typed.clone(), *one);
                    }
                    if let (true, Some(embedded)) = (names.is_empty(), typed) {
                        let short = embedded.segs.last().map(|seg| seg.name.clone()).unwrap_or_default();
                        walk.bind_field(&name, &short, Some(embedded), field);
                    }
                }
            }
        }
        "method_elem" | "method_spec" => {
            let class = node.parent().and_then(|kind| kind.parent()).and_then(|spec| walk.field(spec, "name"));
            let class = class.map(str::to_owned);
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            function(walk, &name, class.map(SmolStr::from), node);
        }
        "short_var_declaration" | "assignment_statement" => {
            pairs(walk, node);
            walk.children(node, visit);
        }
        "var_spec" | "const_spec" => {
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let value = node.child_by_field_name("value").and_then(|list| list.named_child(0));
            let source = value.and_then(|value| chain(walk, value)).or(typed);
            let mut cursor = node.walk();
            let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                if let Some(body) = value.filter(|value| value.kind() == "func_literal") {
                    function(walk, walk.text(name), None, body);
                } else {
                    walk.declare(walk.text(name), source.clone(), name);
                }
            }
            walk.children(node, visit);
        }
        // `switch value := value.(type)`
        "type_switch_statement" => {
            let alias = node.child_by_field_name("alias").and_then(|list| list.named_child(0));
            if let Some(alias) = alias {
                walk.declare(walk.text(alias), None, alias);
            }
            walk.children(node, visit);
        }
        "range_clause" | "receive_statement" => {
            let mut cursor = node.walk();
            let declares = node.children(&mut cursor).any(|child| child.kind() == ":=");
            if let Some(list) = node.child_by_field_name("left").filter(|_| declares) {
                let mut cursor = list.walk();
                let names: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
                names.into_iter().for_each(|name| walk.declare(walk.text(name), None, name));
            }
            walk.children(node, visit);
        }
        "func_literal" => {
            parameters(walk, node.child_by_field_name("parameters"));
            if let Some(body) = node.child_by_field_name("body") {
                walk.children(body, visit);
            }
        }
        "go_statement" => {
            walk.call(Chain::name(GOROUTINE), node, Vec::new());
            walk.children(node, visit);
        }
        "unary_expression" if walk.field(node, "operator") == Some("<-") => {
            walk.call(Chain::name(RECEIVE), node, Vec::new());
            walk.children(node, visit);
        }
        "call_expression" => {
            if let Some(function) = node.child_by_field_name("function") {
                let args = walk.args(node.child_by_field_name("arguments"), ("", "", ""));
                if let Some(found) = chain(walk, function) {
                    walk.call(found, last_name(function), args);
                }
                inside(walk, function);
            }
            if let Some(list) = node.child_by_field_name("arguments") {
                walk.children(list, visit);
            }
        }
        "selector_expression" => {
            if let Some(found) = chain(walk, node).filter(|chain| chain.segs.len() > 1) {
                walk.read(found, node, Vec::new());
            }
            inside(walk, node);
        }
        "composite_literal" => {
            // The type names fields, which are not uses. `&http.Server{}` is a value of the type.
            if let Some(found) = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind)) {
                walk.read(found, node, Vec::new());
            }
            if let Some(body) = node.child_by_field_name("body") {
                walk.children(body, visit);
            }
        }
        "return_statement" => {
            let what = node
                .named_child(0)
                .map(|list| if list.kind() == "expression_list" { list.named_child(0).unwrap_or(list) } else { list });
            let what = what.and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        "identifier" => {
            if node.parent().is_some_and(|parent| ["argument_list", "literal_element"].contains(&parent.kind())) {
                let name = Chain::name(walk.text(node));
                walk.read(name, node, Vec::new());
            }
        }
        _ => walk.children(node, visit),
    }
}

fn last_name(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("field").unwrap_or(node)
}

fn inside(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "selector_expression" => {
            if let Some(operand) = node.child_by_field_name("operand") {
                inside(walk, operand);
            }
        }
        "identifier" => {}
        _ => visit(walk, node),
    }
}

fn function(walk: &mut Walk<'_>, name: &str, class: Option<SmolStr>, node: Node<'_>) {
    let mut unit = walk.function(name, class, node);
    if let Some(result) = node.child_by_field_name("result") {
        let first = if result.kind() == "parameter_list" {
            result.named_child(0).and_then(|one| one.child_by_field_name("type"))
        } else {
            Some(result)
        };
        unit.returns.extend(first.and_then(|kind| type_chain(walk, kind)));
    }
    let index = walk.unit(unit, None, None, visit);
    let outer = std::mem::replace(&mut walk.unit, index);
    parameters(walk, node.child_by_field_name("receiver"));
    parameters(walk, node.child_by_field_name("parameters"));
    parameters(walk, node.child_by_field_name("result").filter(|result| result.kind() == "parameter_list"));
    if let Some(body) = node.child_by_field_name("body") {
        walk.children(body, visit);
    }
    walk.unit = outer;
}

fn parameters(walk: &mut Walk<'_>, list: Option<Node<'_>>) {
    let Some(list) = list else { return };
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    for parameter in all {
        let typed = parameter.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
        let mut names = parameter.walk();
        let names: Vec<Node<'_>> = parameter.children_by_field_name("name", &mut names).collect();
        for name in names {
            walk.declare(walk.text(name), typed.clone(), name);
        }
    }
}

/// Binds the names of `a, err := f()` to their values. The first name gets the result of a call with several results.
fn pairs(walk: &mut Walk<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let declares = node.kind() == "short_var_declaration";
    let (mut one, mut two) = (left.walk(), right.walk());
    let names: Vec<Node<'_>> = left.named_children(&mut one).collect();
    let values: Vec<Node<'_>> = right.named_children(&mut two).collect();
    for (at, name) in names.into_iter().enumerate() {
        let value = values.get(at).copied();
        if name.kind() != "identifier" {
            continue;
        }
        let text = walk.text(name).to_owned();
        if let Some(body) = value.filter(|value| value.kind() == "func_literal") {
            function(walk, &text, None, body);
            continue;
        }
        let source = value.and_then(|value| chain(walk, value));
        if declares { walk.declare(&text, source, name) } else { walk.bind(&text, source, name) }
    }
}

fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "type_identifier" => {
            let name = walk.text(node);
            let plain = ["string", "int", "int64", "bool", "error", "byte", "float64", "any"];
            (!plain.contains(&name)).then(|| Chain::name(name))
        }
        "pointer_type" | "parenthesized_type" | "slice_type" | "array_type" => {
            let count = node.named_child_count();
            type_chain(walk, node.named_child(u32::try_from(count.checked_sub(1)?).ok()?)?)
        }
        "qualified_type" => Some(Chain::name(walk.field(node, "package")?).then(walk.field(node, "name")?)),
        "generic_type" => type_chain(walk, node.child_by_field_name("type")?),
        _ => None,
    }
    .map(Chain::object_of)
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" => Some(Chain::name(walk.text(node))),
        "selector_expression" => {
            let operand = chain(walk, node.child_by_field_name("operand")?).unwrap_or_else(Chain::nameless);
            Some(operand.then(walk.field(node, "field")?))
        }
        "call_expression" => {
            let function = node.child_by_field_name("function")?;
            if walk.text(function) == "new" {
                let list = node.child_by_field_name("arguments")?;
                let first = list.named_child(0)?;
                return type_chain(walk, first).or_else(|| chain(walk, first));
            }
            chain(walk, function).map(Chain::called)
        }
        "composite_literal" => type_chain(walk, node.child_by_field_name("type")?),
        "unary_expression" => chain(walk, node.child_by_field_name("operand")?),
        "parenthesized_expression" => chain(walk, node.named_child(0)?),
        "index_expression" => chain(walk, node.child_by_field_name("operand")?),
        "type_assertion_expression" => type_chain(walk, node.child_by_field_name("type")?),
        "interpreted_string_literal" | "raw_string_literal" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
}
