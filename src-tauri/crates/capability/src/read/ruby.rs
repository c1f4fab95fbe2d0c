//! Reads Ruby.

use smol_str::SmolStr;
use tree_sitter::Node;

use super::Walk;
use crate::facts::{Chain, NAMELESS, SUPER, THIS};

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "call" => call(walk, node),
        "class" | "module" => class(walk, node),
        "method" | "singleton_method" => function(walk, node),
        "alias" => {
            let name = |field| walk.field(node, field).map(|name| name.trim_start_matches(':').to_owned());
            if let (Some(name), Some(old)) = (name("name"), name("alias")) {
                other_name(walk, &name, &old, node);
            }
        }
        "assignment" if made_class(walk, node).is_some() => {
            let Some((name, body)) = made_class(walk, node) else { return };
            let unit = walk.class_unit(&name, node);
            walk.unit(unit, Some(body), Some(name.into()), visit);
        }
        "assignment" | "operator_assignment" => {
            let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
            let source = right.and_then(|right| chain(walk, right));
            if let Some(left) = left {
                let name = walk.text(left).to_owned();
                match left.kind() {
                    "identifier" | "constant" => walk.bind(&name, source, left),
                    "instance_variable" | "class_variable" => {
                        let class = enclosing_class(walk);
                        walk.bind_field(&class, name.trim_start_matches('@'), source, left);
                    }
                    _ => visit(walk, left),
                }
            }
            if let Some(right) = right {
                visit(walk, right);
            }
        }
        "element_reference" => {
            let key = node.named_child(1).and_then(|key| walk.literal(key));
            if let Some(found) = chain(walk, node) {
                walk.read(found.then("[]"), node, key.into_iter().collect());
            }
            walk.children(node, visit);
        }
        "subshell" => {
            walk.call(Chain::name("`"), node, Vec::new());
            walk.children(node, visit);
        }
        "scope_resolution" | "constant" => {
            if node.parent().is_some_and(|parent| ["argument_list", "pair", "array"].contains(&parent.kind()))
                && let Some(found) = chain(walk, node)
            {
                walk.read(found, node, Vec::new());
            }
        }
        "identifier" => {
            // A bare word may be a call of a method without arguments.
            let parent = node.parent();
            let declares = parent.is_some_and(|parent| {
                [
                    "method_parameters",
                    "block_parameters",
                    "keyword_parameter",
                    "optional_parameter",
                    "superclass",
                    "method",
                ]
                .contains(&parent.kind())
            });
            let name = walk.text(node);
            let is_variable = walk.facts.bindings.iter().any(|one| one.unit == walk.unit && one.name == name);
            if !declares && !is_variable {
                let name = Chain::name(walk.text(node));
                walk.call(name, node, Vec::new());
            }
        }
        "return" => {
            let what = node.named_child(0).and_then(|list| list.named_child(0)).and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        "symbol_array" | "hash_key_symbol" => {}
        _ => walk.children(node, visit),
    }
}

/// Returns the name and the body of a class that a call makes: `Photo = Struct.new(:path) do`. One without a body has the call as its body.
fn made_class<'t>(walk: &Walk<'_>, node: Node<'t>) -> Option<(String, Node<'t>)> {
    let left = node.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
    let right = node.child_by_field_name("right").filter(|right| right.kind() == "call")?;
    let receiver = walk.field(right, "receiver").filter(|name| ["Struct", "Data", "Class", "Module"].contains(name))?;
    let method = walk.field(right, "method")?;
    let makes = method == if receiver == "Data" { "define" } else { "new" };
    let body = right.child_by_field_name("block").unwrap_or(right);
    makes.then(|| (walk.text(left).to_owned(), body))
}

fn enclosing_class(walk: &Walk<'_>) -> SmolStr {
    let own = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
    own.or_else(|| walk.class.clone()).unwrap_or_default()
}

fn class(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default();
    let name = name.rsplit("::").next().unwrap_or(name).to_owned();
    let mut unit = walk.class_unit(&name, node);
    walk.add_bases(&mut unit, node, chain);
    walk.unit(unit, node.child_by_field_name("body"), Some(name.into()), visit);
}

fn function(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let class = walk.class.clone();
    let unit = walk.function(&name, class, node);
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.take());
    walk.unit = index;
    if let Some(list) = node.child_by_field_name("parameters") {
        let mut cursor = list.walk();
        let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
        let name_of = |one: &Node<'_>| match one.kind() {
            "identifier" => walk.text(*one).to_owned(),
            "keyword_parameter" if one.child_by_field_name("value").is_none() => {
                walk.field(*one, "name").unwrap_or_default().to_owned()
            }
            _ => String::new(),
        };
        let names = all.iter().map(name_of).collect();
        walk.set_parameters(index, names);
        for one in all {
            let parameter = walk.field(one, "name").unwrap_or_else(|| walk.text(one)).to_owned();
            let value = one.child_by_field_name("value");
            let source = value.and_then(|value| chain(walk, value));
            walk.bind(&parameter, source, one);
            if let Some(value) = value {
                visit(walk, value);
            }
        }
    }
    if let Some(body) = node.child_by_field_name("body") {
        if body.kind() == "body_statement" {
            walk.children(body, visit)
        } else {
            visit(walk, body)
        }
        let count = body.named_child_count();
        let last = count.checked_sub(1).and_then(|at| u32::try_from(at).ok()).and_then(|at| body.named_child(at));
        let what = match last {
            Some(last) if last.kind() == "assignment" || last.kind() == "operator_assignment" => {
                last.child_by_field_name("right").and_then(|right| chain(walk, right))
            }
            Some(last) => chain(walk, last),
            None => chain(walk, body),
        };
        walk.returns(what);
    }
    (walk.unit, walk.class) = outer;
}

/// Records a method that is another name of one.
fn other_name(walk: &mut Walk<'_>, name: &str, old: &str, node: Node<'_>) {
    let class = walk.class.clone();
    let unit = walk.function(name, class, node);
    let index = walk.unit(unit, None, None, visit);
    let outer = std::mem::replace(&mut walk.unit, index);
    walk.call(Chain::name(old), node, Vec::new());
    walk.returns(Some(Chain::name(old).called()));
    walk.unit = outer;
}

/// Records the methods that a class passes on to another object: `delegate :name, to: :user`, `def_delegators :@user, :name`. The `delegate` of
/// another library has no `to`. Returns whether the methods are known.
fn delegated(walk: &mut Walk<'_>, node: Node<'_>, method: &str) -> bool {
    let Some(list) = node.child_by_field_name("arguments") else { return false };
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    let option = |name: &str| {
        let is_it = |one: &&Node<'_>| one.kind() == "pair" && walk.field(**one, "key") == Some(name);
        all.iter().find(is_it)?.child_by_field_name("value")
    };
    let symbols: Vec<(&str, Node<'_>)> = all
        .iter()
        .filter(|one| matches!(one.kind(), "simple_symbol" | "string" | "delimited_symbol"))
        .map(|one| (plain(walk.text(*one)), *one))
        .collect();
    let (to, names): (Option<Node<'_>>, Vec<(String, &str)>) = match (method, &symbols[..]) {
        ("delegate", names) => {
            let to = option("to");
            let prefix = option("prefix").map(|prefix| walk.text(prefix)).filter(|prefix| *prefix != "false");
            let before = match (prefix, to) {
                (Some("true"), Some(to)) => format!("{}_", plain(walk.text(to))),
                (Some(prefix), _) => format!("{}_", plain(prefix)),
                (None, _) => String::new(),
            };
            (to, names.iter().map(|(name, _)| (format!("{before}{name}"), *name)).collect())
        }
        ("def_delegator", [(_, to), (old, _), rest @ ..]) => {
            (Some(*to), vec![(rest.first().map_or(*old, |(name, _)| name).to_owned(), *old)])
        }
        ("def_delegators", [(_, to), names @ ..]) => {
            (Some(*to), names.iter().map(|(name, _)| ((*name).to_owned(), *name)).collect())
        }
        _ => return false,
    };
    let target = to.and_then(|to| match to.kind() {
        "simple_symbol" | "string" | "delimited_symbol" => {
            let text = plain(walk.text(to));
            let is_path = text.split('.').all(|part| !part.is_empty() && !part.contains(['#', ' ', '(']));
            is_path.then(|| match text.strip_prefix('@') {
                Some(field) => Chain::path(std::iter::once(THIS).chain(field.split('.'))),
                None => Chain::path(text.split('.')),
            })
        }
        _ => chain(walk, to),
    });
    let Some(target) = target.filter(|target| !["class", "self"].contains(&target.root())) else { return false };
    for (name, old) in names {
        let class = walk.class.clone();
        let unit = walk.function(&name, class, node);
        let index = walk.unit(unit, None, None, visit);
        let outer = std::mem::replace(&mut walk.unit, index);
        let found = target.clone().then(old);
        walk.call(found.clone(), node, Vec::new());
        walk.returns(Some(found.called()));
        walk.unit = outer;
    }
    true
}

/// Returns the text of a symbol or string without its marks.
fn plain(text: &str) -> &str {
    text.trim_start_matches(':').trim_matches(['"', '\''])
}

fn call(walk: &mut Walk<'_>, node: Node<'_>) {
    let args = walk.args(node.child_by_field_name("arguments"), ("pair", "key", "value"));
    let method = walk.field(node, "method").unwrap_or_default();
    let receiver = node.child_by_field_name("receiver");
    match (receiver.is_none(), method) {
        (true, "require" | "require_relative" | "load") => return walk.imports(node),
        (true, "alias_method") => {
            if let [name, old] = &args[..] {
                other_name(walk, name.trim_start_matches(':'), old.trim_start_matches(':'), node);
            }
            return;
        }
        (true, "delegate" | "def_delegator" | "def_delegators") if walk.class.is_some() => {
            let method = method.to_owned();
            if delegated(walk, node, &method) {
                return;
            }
        }
        (true, "include" | "extend" | "prepend") => {
            let mixed = node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
            let base = mixed.and_then(|mixed| chain(walk, mixed));
            if let (Some(base), Some(unit)) = (base, walk.facts.units.get_mut(walk.unit)) {
                unit.bases.push(base);
            }
        }
        _ => {}
    }
    let here = node.child_by_field_name("method").unwrap_or(node);
    if let Some(found) = callee(walk, node) {
        let given = walk.given(node.child_by_field_name("arguments"), ("pair", "value"), chain);
        walk.call_with(found, here, (args, given));
    }
    if let Some(receiver) = receiver {
        match receiver.kind() {
            "identifier" | "constant" | "scope_resolution" | "instance_variable" | "self" => {}
            _ => visit(walk, receiver),
        }
    }
    for field in ["arguments", "block"] {
        if let Some(inner) = node.child_by_field_name(field) {
            walk.children(inner, visit);
        }
    }
}

fn callee(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    let method = walk.field(node, "method");
    match node.child_by_field_name("receiver") {
        Some(receiver) => {
            let found = chain(walk, receiver).unwrap_or_else(Chain::nameless);
            // The result of `Mailer.new` is a `Mailer`.
            Some(match method {
                Some("new") => found.called(),
                // Methods of the own class: `self.class.get`.
                Some("class") if found.root() == THIS => found,
                Some(method) => found.then(method),
                None => found.then("call"),
            })
        }
        None => Some(Chain::name(method?)),
    }
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" | "constant" => Some(Chain::name(walk.text(node))),
        "scope_resolution" => {
            let name = walk.field(node, "name")?;
            match node.child_by_field_name("scope") {
                Some(scope) => Some(chain(walk, scope)?.then(name)),
                None => Some(Chain::name(name)),
            }
        }
        "global_variable" => Some(Chain::name(walk.text(node))),
        "self" => Some(Chain::name(THIS)),
        "super" => Some(Chain::name(SUPER)),
        "instance_variable" | "class_variable" => Some(Chain::name(THIS).then(walk.text(node).trim_start_matches('@'))),
        "call" => callee(walk, node).map(Chain::called),
        "element_reference" => chain(walk, node.child_by_field_name("object")?),
        "parenthesized_statements" => chain(walk, node.named_child(0)?),
        "binary" => {
            let left = node.child_by_field_name("left").and_then(|left| chain(walk, left));
            left.or_else(|| node.child_by_field_name("right").and_then(|right| chain(walk, right)))
        }
        "string" | "array" | "hash" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
}
