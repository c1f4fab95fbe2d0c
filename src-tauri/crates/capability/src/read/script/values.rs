//! Reads objects with members, and assignments.

use smol_str::SmolStr;
use tree_sitter::Node;

use super::chains::chain;
use super::{class, function, is_function, visit};
use crate::facts::{Chain, GLOBAL_PROPERTIES, THIS, Unit};
use crate::read::Walk;

/// Adds an object with members as a class.
pub(super) fn object(walk: &mut Walk<'_>, name: &str, node: Node<'_>) {
    let unit = Unit { is_object: true, ..walk.class_unit(name, node) };
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.replace(name.into()));
    let mut cursor = node.walk();
    let members: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    members_of(walk, (name, index, outer.0), members);
    (walk.unit, walk.class) = outer;
}

/// The parts of a component of Vue whose members are members of the component.
const COMPONENT_PARTS: &[&str] = &["computed", "methods"];

/// Reads the members of an object with a name and an index, inside of a unit.
fn members_of(walk: &mut Walk<'_>, (name, index, around): (&str, usize, usize), members: Vec<Node<'_>>) {
    for member in members {
        match member.kind() {
            "method_definition" => {
                walk.unit = index;
                visit(walk, member);
                walk.unit = around;
            }
            "pair" => {
                let key = walk.field(member, "key").unwrap_or_default().trim_matches(['"', '\'']).to_owned();
                let Some(value) = member.child_by_field_name("value") else { continue };
                if is_function(value) {
                    function(walk, &key, Some(name.into()), value);
                } else if name == "default" && value.kind() == "object" && COMPONENT_PARTS.contains(&key.as_str()) {
                    let mut cursor = value.walk();
                    let inner: Vec<Node<'_>> = value.named_children(&mut cursor).collect();
                    members_of(walk, (name, index, around), inner);
                } else {
                    let source = chain(walk, value);
                    walk.bind_field(name, &key, source, member);
                    walk.class = None;
                    visit(walk, value);
                    walk.class = Some(name.into());
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
}

fn without_parentheses(node: Node<'_>) -> Node<'_> {
    let inner = (node.kind() == "parenthesized_expression").then(|| node.named_child(0)).flatten();
    inner.map_or(node, without_parentheses)
}

pub(super) fn assign(walk: &mut Walk<'_>, node: Node<'_>) {
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
            let members: Vec<(SmolStr, Option<Chain>)> = walk
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
                // A value that other code can give, or else one of its own: `this.lookup = options.lookup || dns.lookup`.
                let other = (right.kind() == "binary_expression").then(|| right.child_by_field_name("right")).flatten();
                let other = other.map(without_parentheses);
                if let Some(own) = other.filter(|other| is_function(*other)) {
                    function(walk, &name, Some(class), own);
                    return right.child_by_field_name("left").into_iter().for_each(|left| visit(walk, left));
                }
                let other = other.and_then(|other| chain(walk, other)).filter(|other| Some(other) != source.as_ref());
                walk.bind_field(&class, &name, source, left);
                if other.is_some() {
                    walk.bind_field(&class, &name, other, left);
                }
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
