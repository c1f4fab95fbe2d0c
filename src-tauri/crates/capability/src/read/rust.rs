//! Reads Rust.

mod tokens;

use tree_sitter::Node;

use self::tokens::tokens_of;
use super::Walk;
use crate::facts::{Chain, NAMELESS, THIS, UnitKind};

/// The keyword of code that the compiler does not check.
const UNSAFE: &str = "unsafe";
/// The module of the functions in an `extern` block.
const FOREIGN: &str = "extern";

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "use_declaration" | "extern_crate_declaration" => walk.imports(node),
        "mod_item" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            let tests = node.prev_named_sibling().is_some_and(|before| walk.text(before).contains("cfg(test)"));
            match node.child_by_field_name("body") {
                // Tests are not part of the program.
                Some(_) if tests => {}
                Some(body) => {
                    let unit = walk.class_unit(&name, node);
                    walk.unit(unit, Some(body), None, visit);
                }
                None => walk.import(&name, &format!("self::{name}"), None, node),
            }
        }
        "struct_item" | "enum_item" | "union_item" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            let mut unit = walk.class_unit(&name, node);
            unit.interfaces.extend(derives(walk, node));
            walk.unit(unit, None, None, visit);
            let Some(body) = node.child_by_field_name("body") else { return };
            let mut cursor = body.walk();
            let parameters = parameter_names(walk, node);
            let is_given = |typed: &Chain| parameters.iter().any(|name| typed.root() == name);
            // The fields of a tuple have their places as names: `self.0`.
            let kinds: Vec<Node<'_>> = body.children_by_field_name("type", &mut cursor).collect();
            for (place, kind) in kinds.into_iter().enumerate() {
                let typed = type_chain(walk, kind).filter(|typed| !is_given(typed));
                walk.bind_field(&name, &place.to_string(), typed, kind);
            }
            let fields: Vec<Node<'_>> = body.named_children(&mut cursor).collect();
            for field in fields {
                let typed = field.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
                let typed = typed.filter(|typed| !is_given(typed));
                if let Some(field_name) = walk.field(field, "name") {
                    walk.bind_field(&name, field_name, typed, field);
                }
            }
        }
        "impl_item" | "trait_item" => {
            let field = if node.kind() == "impl_item" { "type" } else { "name" };
            let of = node.child_by_field_name(field);
            let name = of.and_then(|of| type_chain(walk, of)).map(|chain| chain.text()).unwrap_or_default();
            if is_unsafe(walk, node) {
                walk.mark(Chain::name(UNSAFE), walk.unit, node, Vec::new());
            }
            let mut unit = walk.class_unit(&name, node);
            walk.add_bases(&mut unit, node, type_chain);
            let is_impl = node.kind() == "impl_item";
            let known = walk.facts.units.iter_mut().find(|one| one.kind == UnitKind::Class && one.name == name);
            if let Some(known) = known.filter(|_| is_impl) {
                known.interfaces.append(&mut unit.interfaces);
            } else if !is_impl || !unit.interfaces.is_empty() {
                walk.unit(unit, None, None, visit);
            }
            let outer = walk.class.replace(name.into());
            if let Some(body) = node.child_by_field_name("body") {
                walk.children(body, visit);
            }
            walk.class = outer;
        }
        "function_item" | "function_signature_item" => function(walk, node),
        "let_declaration" | "let_condition" => {
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let source = typed.or_else(|| node.child_by_field_name("value").and_then(|value| chain(walk, value)));
            if let Some(pattern) = node.child_by_field_name("pattern") {
                pattern_names(walk, pattern, source);
            }
            if let Some(value) = node.child_by_field_name("value") {
                visit(walk, value);
            }
            if let Some(other) = node.child_by_field_name("alternative") {
                visit(walk, other);
            }
        }
        "const_item" | "static_item" => {
            let name = walk.field(node, "name").unwrap_or_default().to_owned();
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            let source = node.child_by_field_name("value").and_then(|value| chain(walk, value)).or(typed);
            walk.bind(&name, source, node);
            if let Some(value) = node.child_by_field_name("value") {
                visit(walk, value);
            }
        }
        "closure_expression" => {
            if let Some(body) = node.child_by_field_name("body") {
                visit(walk, body);
            }
        }
        "call_expression" => {
            if let Some(function) = node.child_by_field_name("function") {
                let mut args = walk.args(node.child_by_field_name("arguments"), ("", "", ""));
                let handler = node.child_by_field_name("arguments").and_then(|list| list.named_child(1));
                if let Some(handler) = handler.filter(|_| walk.field(function, "field") == Some("route")) {
                    args.push(format!("methods={}", http_methods(walk.text(handler))));
                }
                if let Some(found) = chain(walk, function) {
                    walk.call(found, last_name(function), args);
                }
                inside(walk, function);
            }
            if let Some(list) = node.child_by_field_name("arguments") {
                walk.children(list, visit);
            }
        }
        "macro_definition" => {
            let name = format!("{}!", walk.field(node, "name").unwrap_or_default());
            let unit = walk.function(&name, None, node);
            let index = walk.unit(unit, None, None, visit);
            let outer = (std::mem::replace(&mut walk.unit, index), walk.class.take());
            let mut cursor = node.walk();
            let rules: Vec<Node<'_>> =
                node.named_children(&mut cursor).filter(|child| child.kind() == "macro_rule").collect();
            for body in rules.into_iter().filter_map(|rule| rule.child_by_field_name("right")) {
                tokens_of(walk, body);
            }
            (walk.unit, walk.class) = outer;
        }
        "macro_invocation" => {
            if let Some(found) = node.child_by_field_name("macro").and_then(|name| chain(walk, name)) {
                let mut found = found;
                if let Some(last) = found.segs.last_mut() {
                    last.name = format!("{}!", last.name).into();
                }
                walk.call(found, node, Vec::new());
            }
            let mut cursor = node.walk();
            if let Some(tokens) = node.named_children(&mut cursor).find(|child| child.kind() == "token_tree") {
                tokens_of(walk, tokens);
            }
        }
        "field_expression" | "scoped_identifier" => {
            let parent = node.parent().map_or("", |parent| parent.kind());
            if ["arguments", "field_initializer", "array_expression"].contains(&parent)
                && let Some(found) = chain(walk, node).filter(|chain| chain.segs.len() > 1)
            {
                walk.read(found, node, Vec::new());
            }
            inside(walk, node);
        }
        "identifier" => {
            if node.parent().is_some_and(|parent| parent.kind() == "arguments") {
                let name = Chain::name(walk.text(node));
                walk.read(name, node, Vec::new());
            }
        }
        "return_expression" => {
            let what = node.named_child(0).and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        "attribute_item" => attribute(walk, node),
        "inner_attribute_item" => {}
        "unsafe_block" => {
            walk.mark(Chain::name(UNSAFE), walk.unit, node, Vec::new());
            walk.children(node, visit);
        }
        // Functions of another language. The linker finds them.
        "foreign_mod_item" => {
            let Some(body) = node.child_by_field_name("body") else { return };
            let mut cursor = body.walk();
            let names: Vec<Node<'_>> =
                body.named_children(&mut cursor).filter_map(|one| one.child_by_field_name("name")).collect();
            for name in names {
                let text = walk.text(name).to_owned();
                walk.import(&text, FOREIGN, Some(&text), name);
            }
        }
        _ => walk.children(node, visit),
    }
}

/// Records an attribute with a path: `#[get("/a")]`.
fn attribute(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(attribute) = node.named_child(0) else { return };
    let Some(name) = attribute.named_child(0).filter(|name| ["identifier", "scoped_identifier"].contains(&name.kind()))
    else {
        return;
    };
    let Some(tokens) = attribute.child_by_field_name("arguments") else { return };
    let mut cursor = tokens.walk();
    let first = tokens.named_children(&mut cursor).next().filter(|first| first.kind() == "string_literal");
    if let (Some(found), Some(path)) = (chain(walk, name), first.and_then(|first| walk.literal(first))) {
        walk.mark(found, 0, node, vec![path]);
    }
}

/// Returns the methods of HTTP that a handler of a path is registered for: `GET,POST` of `get(list).post(create)`.
fn http_methods(text: &str) -> String {
    let words = text.split_inclusive(|char: char| !char.is_alphanumeric() && char != '_');
    let called = words.filter_map(|word| word.strip_suffix('('));
    let methods = called.filter(|word| ["get", "post", "put", "patch", "delete", "head", "options"].contains(word));
    methods.collect::<Vec<_>>().join(",")
}

/// Returns the names in the attributes `#[derive(…)]` of a type. A derive can add methods, and other names beside the type.
fn derives(walk: &Walk<'_>, node: Node<'_>) -> Vec<Chain> {
    let before = std::iter::successors(node.prev_named_sibling(), |one| one.prev_named_sibling());
    let attributes = before.take_while(|one| ["attribute_item", "line_comment", "block_comment"].contains(&one.kind()));
    let lists = attributes.filter_map(|one| walk.text(one).trim().strip_prefix("#[derive(")?.strip_suffix(")]"));
    let names = lists.flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| Chain::path(name.split("::").map(str::trim))).collect()
}

/// Returns whether a function, an implementation or a trait is declared as unsafe.
fn is_unsafe(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let head = walk.text(node).split(['(', '{']).next().unwrap_or_default();
    head.split_whitespace().take_while(|word| !["fn", "impl", "trait"].contains(word)).any(|word| word == UNSAFE)
}

fn last_name(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("field").unwrap_or(node)
}

fn inside(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "field_expression" => {
            if let Some(value) = node.child_by_field_name("value") {
                inside(walk, value);
            }
        }
        "generic_function" => {
            if let Some(function) = node.child_by_field_name("function") {
                inside(walk, function);
            }
        }
        "identifier" | "scoped_identifier" | "self" => {}
        _ => visit(walk, node),
    }
}

fn function(walk: &mut Walk<'_>, node: Node<'_>) {
    let tests = node.prev_named_sibling().is_some_and(|before| {
        before.kind() == "attribute_item" && ["#[test]", "#[tokio::test]"].contains(&walk.text(before))
    });
    if tests {
        return;
    }
    if is_unsafe(walk, node) {
        walk.mark(Chain::name(UNSAFE), walk.unit, node, Vec::new());
    }
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let class = walk.class.clone();
    let mut unit = walk.function(&name, class.clone(), node);
    unit.returns.extend(node.child_by_field_name("return_type").and_then(|kind| {
        let found = type_chain(walk, kind)?;
        Some(if found.root() == "Self" { Chain::name(class.clone()?) } else { found })
    }));
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.take());
    walk.unit = index;
    // The parameters of the types around the function are visible in it.
    let around = node.parent().and_then(|body| body.parent());
    let around = around.filter(|around| ["impl_item", "trait_item"].contains(&around.kind()));
    for generic in around.into_iter().chain([node]) {
        type_parameters(walk, generic);
    }
    if let Some(list) = node.child_by_field_name("parameters") {
        let mut cursor = list.walk();
        let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
        for parameter in all {
            let Some(pattern) = parameter.child_by_field_name("pattern") else { continue };
            let kind = parameter.child_by_field_name("type");
            // `Query(page): Query<Page>` binds what is in it.
            let inner = kind.filter(|kind| pattern.kind() == "tuple_struct_pattern" && kind.kind() == "generic_type");
            let inner = inner.and_then(|kind| kind.child_by_field_name("type_arguments")?.named_child(0));
            let typed = inner.or(kind).and_then(|kind| type_chain(walk, kind));
            pattern_names(walk, pattern, typed);
        }
    }
    if let Some(body) = node.child_by_field_name("body") {
        walk.children(body, visit);
        let count = body.named_child_count();
        let last = count.checked_sub(1).and_then(|at| u32::try_from(at).ok()).and_then(|at| body.named_child(at));
        let what = last.and_then(|last| chain(walk, last));
        walk.returns(what);
    }
    (walk.unit, walk.class) = outer;
}

/// Declares the type parameters of a definition. One of the type `S: Sink` has the methods of `Sink`; of another one, nothing is known.
fn type_parameters(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(list) = node.child_by_field_name("type_parameters") else { return };
    let mut cursor = node.walk();
    let limits = node.named_children(&mut cursor).find(|child| child.kind() == "where_clause");
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    for one in all {
        let Some(name) = walk.field(one, "name").map(str::to_owned) else { continue };
        let own = one.child_by_field_name("bounds");
        let later = || {
            let limits = limits?;
            let mut cursor = limits.walk();
            let of_name = limits.named_children(&mut cursor).find(|limit| walk.field(*limit, "left") == Some(&name))?;
            of_name.child_by_field_name("bounds")
        };
        let bound = own.or_else(later).and_then(|bounds| bounds.named_child(0));
        let bound = bound.and_then(|bound| type_chain(walk, bound));
        walk.bind(&name, bound.filter(|bound| bound.root() != name), one);
    }
}

/// Returns the type parameters of a type whose names look like those of types: a field of the type `Data` in `Record<Data>` can have any type.
fn parameter_names(walk: &Walk<'_>, node: Node<'_>) -> Vec<String> {
    let Some(list) = node.child_by_field_name("type_parameters") else { return Vec::new() };
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    let names = all.into_iter().filter_map(|one| walk.field(one, "name"));
    names.filter(|name| name.len() > 1).map(str::to_owned).collect()
}

fn pattern_names(walk: &mut Walk<'_>, pattern: Node<'_>, source: Option<Chain>) {
    match pattern.kind() {
        "identifier" => {
            let name = walk.text(pattern).to_owned();
            walk.declare(&name, source, pattern);
        }
        "mut_pattern" | "ref_pattern" | "reference_pattern" => {
            let count = pattern.named_child_count();
            for at in 0..u32::try_from(count).unwrap_or(0) {
                if let Some(inner) = pattern.named_child(at) {
                    pattern_names(walk, inner, source.clone());
                }
            }
        }
        // For example `Ok(client)` or `Some(client)`.
        "tuple_struct_pattern" => {
            let mut cursor = pattern.walk();
            let inner: Vec<Node<'_>> = pattern.named_children(&mut cursor).skip(1).collect();
            for one in inner {
                pattern_names(walk, one, source.clone());
            }
        }
        // The types of the parts are not known, but the names hide those of other variables.
        "tuple_pattern" | "slice_pattern" | "captured_pattern" => {
            let mut cursor = pattern.walk();
            let inner: Vec<Node<'_>> = pattern.named_children(&mut cursor).collect();
            for one in inner {
                pattern_names(walk, one, Some(Chain::nameless()));
            }
        }
        "struct_pattern" => {
            let mut cursor = pattern.walk();
            let fields: Vec<Node<'_>> = pattern.named_children(&mut cursor).collect();
            for field in fields.into_iter().filter(|field| field.kind() == "field_pattern") {
                let Some(name) = walk.field(field, "name").map(str::to_owned) else { continue };
                let source = source.clone().map(|source| source.then(name.clone()));
                match field.child_by_field_name("pattern") {
                    Some(inner) => pattern_names(walk, inner, source),
                    None => walk.declare(&name, source, field),
                }
            }
        }
        _ => {}
    }
}

fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "type_identifier" | "identifier" => {
            let name = walk.text(node);
            let plain = ["String", "Vec", "HashMap", "str"];
            if name == "Self" {
                return walk.class.clone().map(Chain::name).or(Some(Chain::name("Self")));
            }
            (!plain.contains(&name)).then(|| Chain::name(name))
        }
        "scoped_type_identifier" | "scoped_identifier" => Some(Chain::path(walk.text(node).split("::"))),
        "reference_type" | "pointer_type" => type_chain(walk, node.child_by_field_name("type")?),
        "generic_type" => {
            let outer = type_chain(walk, node.child_by_field_name("type")?);
            let name = outer.as_ref().and_then(|chain| chain.segs.last()).map(|seg| seg.name.clone());
            // A value of these has the methods of the value in it.
            let wrapper = [
                "Arc",
                "Rc",
                "Box",
                "Option",
                "Result",
                "Mutex",
                "RwLock",
                "RefCell",
                "Pin",
                "Cow",
                "Lazy",
                "LazyLock",
                "LazyCell",
                "OnceCell",
                "OnceLock",
                "MutexGuard",
                "RwLockReadGuard",
                "RwLockWriteGuard",
                "Form",
                "Json",
                "Query",
                "State",
                "Data",
                "Extension",
                "Weak",
                "Cell",
                "ManuallyDrop",
            ];
            if name.is_some_and(|name| wrapper.contains(&name.as_str())) {
                let list = node.child_by_field_name("type_arguments")?;
                let mut cursor = list.walk();
                let inner = list.named_children(&mut cursor).find(|one| one.kind() != "lifetime")?;
                return type_chain(walk, inner);
            }
            outer
        }
        "dynamic_type" | "abstract_type" => type_chain(walk, node.child_by_field_name("trait")?),
        _ => None,
    }
    .map(Chain::object_of)
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" | "crate" | "super" | "primitive_type" => Some(Chain::name(walk.text(node))),
        "self" => Some(Chain::name(THIS)),
        "scoped_identifier" => {
            let text = walk.text(node);
            let path = text.split('<').next().unwrap_or(text);
            let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
            let found = Chain::path(path.trim_end_matches("::").split("::").map(str::trim));
            Some(match (found.root(), class) {
                ("Self", Some(class)) => {
                    let mut found = found;
                    found.segs[0].name = class;
                    found
                }
                _ => found,
            })
        }
        "field_expression" => {
            let value = chain(walk, node.child_by_field_name("value")?).unwrap_or_else(Chain::nameless);
            Some(value.then(walk.field(node, "field")?))
        }
        "call_expression" => {
            let found = chain(walk, node.child_by_field_name("function")?)?.called();
            // A method that only unwraps or shares a value returns the same value.
            let same = [
                "unwrap",
                "expect",
                "clone",
                "as_ref",
                "as_mut",
                "borrow",
                "to_owned",
                "lock",
                "read",
                "write",
                "await",
                "context",
                "unwrap_or_default",
            ];
            match found.segs.as_slice() {
                [before @ .., last] if before.len() > 1 && same.contains(&last.name.as_str()) => {
                    Some(Chain { segs: before.to_vec() })
                }
                [first, _, inner @ ..]
                    if inner.is_empty() && ["Arc", "Rc", "Box", "Some", "Ok"].contains(&first.name.as_str()) =>
                {
                    chain(walk, node.child_by_field_name("arguments")?.named_child(0)?)
                }
                [only] if ["Some", "Ok"].contains(&only.name.as_str()) => {
                    chain(walk, node.child_by_field_name("arguments")?.named_child(0)?)
                }
                _ => Some(found),
            }
        }
        "generic_function" => chain(walk, node.child_by_field_name("function")?),
        "struct_expression" => type_chain(walk, node.child_by_field_name("name")?),
        "await_expression" | "try_expression" | "parenthesized_expression" | "unary_expression" => {
            chain(walk, node.named_child(0)?)
        }
        "reference_expression" => chain(walk, node.child_by_field_name("value")?),
        "string_literal" | "raw_string_literal" => Some(Chain::name(NAMELESS)),
        "expression_statement" => None,
        _ => None,
    }
}
