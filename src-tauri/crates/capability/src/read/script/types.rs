//! Reads the types of TypeScript: interfaces, aliases, type parameters and the names that types stand for.

use tree_sitter::Node;

use super::{function, parent_chain, visit};
use crate::facts::Chain;
use crate::read::Walk;

/// Declares the type parameters of a function or class, each as another name of the type that limits it.
pub(super) fn type_parameters(walk: &mut Walk<'_>, node: Node<'_>) {
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

/// Adds a type alias: of an object type as an interface, of another type as another name of it.
pub(super) fn alias(walk: &mut Walk<'_>, node: Node<'_>) {
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
pub(super) fn interface(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let mut unit = walk.class_unit(&name, node);
    walk.add_bases(&mut unit, node, parent_chain);
    let index = walk.unit(unit, None, None, visit);
    if let Some(body) = node.child_by_field_name("body") {
        members(walk, &name, index, body);
    }
}

/// Adds the members of the body of an interface, or of an object type.
pub(super) fn members(walk: &mut Walk<'_>, name: &str, index: usize, body: Node<'_>) {
    let outer = std::mem::replace(&mut walk.unit, index);
    let mut cursor = body.walk();
    let members: Vec<Node<'_>> = body.named_children(&mut cursor).collect();
    for member in members {
        let member_name = walk.field(member, "name").unwrap_or_default().to_owned();
        let kind = member.child_by_field_name("type").and_then(|annotation| annotation.named_child(0));
        match (member.kind(), kind) {
            ("method_signature", _) => function(walk, &member_name, Some(name.into()), member),
            ("property_signature", Some(kind)) if kind.kind() == "function_type" => {
                let mut unit = walk.function(&member_name, Some(name.into()), member);
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

pub(super) fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
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
    .map(Chain::object_of)
}
