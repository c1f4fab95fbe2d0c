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
                    function(walk, &key, Some(name.into()), value);
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
    (walk.unit, walk.class) = outer;
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
