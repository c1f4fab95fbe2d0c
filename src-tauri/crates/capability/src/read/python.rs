//! Reads Python.

use tree_sitter::Node;

use super::Walk;
use crate::facts::{COMPUTED, Chain, NAMELESS, THIS};

pub(super) fn visit(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "import_statement" | "import_from_statement" => walk.imports(node),
        "function_definition" => function(walk, node),
        "class_definition" => class(walk, node),
        "assignment" | "named_expression" | "augmented_assignment" => {
            let left = node.child_by_field_name("left").or_else(|| node.child_by_field_name("name"));
            let right = node.child_by_field_name("right").or_else(|| node.child_by_field_name("value"));
            let typed = node.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
            if let Some(left) = left {
                assign(walk, left, right, typed);
            }
            walk.children(node, visit);
        }
        "with_item" => {
            if let Some(value) = node.child_by_field_name("value").filter(|value| value.kind() == "as_pattern")
                && let (Some(what), Some(alias)) = (value.named_child(0), value.child_by_field_name("alias"))
            {
                let source = chain(walk, what);
                let name = walk.text(alias).to_owned();
                walk.bind(&name, source, node);
            }
            let value = node.child_by_field_name("value").and_then(|value| match value.kind() {
                "as_pattern" => value.named_child(0),
                _ => Some(value),
            });
            implicit(walk, value, &["__enter__", "__exit__"], node);
            walk.children(node, visit);
        }
        "for_statement" | "for_in_clause" => {
            if let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) {
                implicit(walk, Some(right), &["__iter__", "__next__"], right);
                let source = chain(walk, right).filter(|chain| chain.segs.iter().any(|seg| seg.called));
                // `for index, item in …` gives each name a part of the value.
                let source = source.filter(|_| left.kind() == "identifier");
                for name in names_of(left) {
                    match node.kind() {
                        "for_in_clause" => walk.declare(walk.text(name), source.clone(), node),
                        _ => walk.bind(walk.text(name), source.clone(), node),
                    }
                }
            }
            walk.children(node, visit);
        }
        "lambda" => {
            if let Some(list) = node.child_by_field_name("parameters") {
                parameters(walk, list, None);
            }
            walk.children(node, visit);
        }
        "except_clause" => {
            let mut cursor = node.walk();
            let caught = node.named_children(&mut cursor).find(|child| child.kind() == "as_pattern");
            if let Some(alias) = caught.and_then(|caught| caught.child_by_field_name("alias")) {
                walk.declare(walk.text(alias), None, alias);
            }
            walk.children(node, visit);
        }
        "call" => {
            if let Some(function) = node.child_by_field_name("function") {
                let args = walk.args(node.child_by_field_name("arguments"), ("keyword_argument", "name", "value"));
                let given = walk.given(node.child_by_field_name("arguments"), ("keyword_argument", "value"), chain);
                if let Some(found) = chain(walk, function) {
                    walk.call_with(found, last_name(function), (args, given));
                }
                inside(walk, function);
            }
            if let Some(list) = node.child_by_field_name("arguments") {
                walk.children(list, visit);
            }
        }
        "attribute" | "subscript" => {
            if let Some(found) = chain(walk, node).filter(|chain| chain.segs.len() > 1) {
                let args = node.child_by_field_name("subscript").and_then(|key| walk.literal(key));
                walk.read(found, node, args.into_iter().collect());
            }
            inside(walk, node);
        }
        "return_statement" => {
            let what = node.named_child(0).and_then(|what| chain(walk, what));
            walk.returns(what);
            walk.children(node, visit);
        }
        "decorator" => {
            if let Some(found) =
                node.named_child(0).filter(|what| what.kind() != "call").and_then(|what| chain(walk, what))
            {
                walk.call(found, node, Vec::new());
            }
            walk.children(node, visit);
        }
        // A class that is raised is called: `raise SystemExit`.
        "raise_statement" => {
            let raised = node.named_child(0).filter(|raised| raised.kind() != "call");
            if let Some(found) = raised.and_then(|raised| chain(walk, raised)) {
                walk.call(found, node, Vec::new());
            }
            walk.children(node, visit);
        }
        // Names that are passed on unchanged: `retry(send)`.
        "identifier" => {
            let parent = node.parent().map_or("", |parent| parent.kind());
            if ["argument_list", "keyword_argument", "list", "dictionary", "pair", "tuple"].contains(&parent) {
                let name = Chain::name(walk.text(node));
                walk.read(name, node, Vec::new());
            }
        }
        _ => walk.children(node, visit),
    }
}

/// Records calls of methods that a statement runs without naming them, if the project defines them.
fn implicit(walk: &mut Walk<'_>, value: Option<Node<'_>>, methods: &[&str], node: Node<'_>) {
    let Some(value) = value.and_then(|value| chain(walk, value)).filter(|value| !value.root().is_empty()) else {
        return;
    };
    for method in methods {
        walk.call(value.clone().then(*method), node, Vec::new());
    }
}

/// Visits the part left of the last name of a chain: calls, their arguments, indexes.
fn inside(walk: &mut Walk<'_>, node: Node<'_>) {
    match node.kind() {
        "attribute" => {
            if let Some(object) = node.child_by_field_name("object") {
                inside(walk, object);
            }
        }
        "subscript" => {
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            for (at, child) in children.into_iter().enumerate() {
                if at == 0 { inside(walk, child) } else { visit(walk, child) }
            }
        }
        "identifier" => {}
        _ => visit(walk, node),
    }
}

/// Returns the names of a pattern.
fn names_of(pattern: Node<'_>) -> Vec<Node<'_>> {
    match pattern.kind() {
        "identifier" => vec![pattern],
        "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
            pattern.named_children(&mut pattern.walk()).flat_map(names_of).collect()
        }
        _ => Vec::new(),
    }
}

fn last_name(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("attribute").unwrap_or(node)
}

fn function(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let class = walk.class.clone();
    let mut unit = walk.function(&name, class.clone(), node);
    unit.returns.extend(node.child_by_field_name("return_type").and_then(|kind| type_chain(walk, kind)));
    unit.is_getter =
        class.is_some() && (is_property(walk, node) || ["__getattr__", "__getattribute__"].contains(&&*name));
    let index = walk.unit(unit, None, None, visit);
    let outer = (walk.unit, walk.class.take());
    walk.unit = index;
    if let Some(list) = node.child_by_field_name("parameters") {
        parameters(walk, list, class.as_deref());
    }
    if let Some(body) = node.child_by_field_name("body") {
        // Methods belong to their class; functions inside methods belong to no class.
        walk.children(body, visit);
    }
    (walk.unit, walk.class) = outer;
}

/// Returns whether a decorator makes a method a property.
fn is_property(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let Some(definition) = node.parent().filter(|parent| parent.kind() == "decorated_definition") else { return false };
    let mut cursor = definition.walk();
    let mut decorators = definition.named_children(&mut cursor).filter(|child| child.kind() == "decorator");
    decorators.any(|decorator| {
        let name = walk.text(decorator).trim_start_matches('@').trim();
        let name = name.split('(').next().unwrap_or(name);
        name.rsplit('.').next().unwrap_or(name).ends_with("property")
    })
}

fn parameters(walk: &mut Walk<'_>, list: Node<'_>, class: Option<&str>) {
    let mut cursor = list.walk();
    let all: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    let mut names = Vec::new();
    for (at, parameter) in all.into_iter().enumerate() {
        let is_place = ["identifier", "default_parameter"].contains(&parameter.kind());
        let name_node = parameter
            .child_by_field_name("name")
            .or_else(|| if parameter.kind() == "identifier" { Some(parameter) } else { parameter.named_child(0) });
        let Some(name) = name_node.map(|name| walk.text(name).to_owned()) else { continue };
        let own = at == 0 && class.is_some() && (name == "self" || name == "cls");
        let typed = parameter.child_by_field_name("type").and_then(|kind| type_chain(walk, kind));
        let value = parameter.child_by_field_name("value").and_then(|value| chain(walk, value));
        let typed = typed.or(value).or_else(|| decorated(walk, list, &name));
        if !own {
            names.push(if is_place && typed.is_none() { name.clone() } else { String::new() });
        }
        let source = if own { class.map(Chain::name) } else { typed };
        walk.declare(&name, source, parameter);
        if let Some(value) = parameter.child_by_field_name("value") {
            visit(walk, value);
        }
    }
    if list.parent().is_some_and(|parent| parent.kind() == "function_definition") {
        walk.set_parameters(walk.unit, names);
    }
}

/// Returns the type that a decorator gives to a parameter: `@click.argument("output", type=click.File("w"))`.
fn decorated(walk: &Walk<'_>, list: Node<'_>, name: &str) -> Option<Chain> {
    let definition = list.parent()?.parent().filter(|node| node.kind() == "decorated_definition")?;
    let mut cursor = definition.walk();
    let mut decorators = definition.named_children(&mut cursor).filter(|child| child.kind() == "decorator");
    decorators.find_map(|decorator| {
        let arguments =
            decorator.named_child(0).filter(|call| call.kind() == "call")?.child_by_field_name("arguments")?;
        let names = walk.args(Some(arguments), ("keyword_argument", "name", "value"));
        names.iter().any(|one| one.trim_start_matches('-') == name).then_some(())?;
        let mut cursor = arguments.walk();
        let typed = arguments
            .named_children(&mut cursor)
            .find(|one| one.kind() == "keyword_argument" && walk.field(*one, "name") == Some("type"))?;
        chain(walk, typed.child_by_field_name("value")?)
    })
}

fn class(walk: &mut Walk<'_>, node: Node<'_>) {
    let name = walk.field(node, "name").unwrap_or_default().to_owned();
    let mut unit = walk.class_unit(&name, node);
    walk.add_bases(&mut unit, node, chain);
    if let Some(list) = node.child_by_field_name("superclasses") {
        walk.children(list, visit);
    }
    let body = node.child_by_field_name("body");
    walk.unit(unit, body, Some(name.into()), visit);
}

fn assign(walk: &mut Walk<'_>, left: Node<'_>, right: Option<Node<'_>>, typed: Option<Chain>) {
    let source = typed.or_else(|| right.and_then(|right| chain(walk, right)));
    match left.kind() {
        "identifier" => {
            let name = walk.text(left).to_owned();
            match walk.class.clone() {
                Some(class) => walk.bind_field(&class, &name, source, left),
                None => {
                    // `send = lambda …` defines a function.
                    if let Some(body) = right.filter(|right| right.kind() == "lambda") {
                        let unit = walk.function(&name, None, body);
                        walk.unit(unit, None, None, visit);
                    }
                    walk.bind(&name, source, left);
                }
            }
        }
        "attribute" => {
            let object = walk.field(left, "object").unwrap_or_default();
            let name = walk.field(left, "attribute").unwrap_or_default();
            let class = walk.facts.units.get(walk.unit).and_then(|unit| unit.class.clone());
            if let (true, Some(class)) = (object == "self" || object == "cls", class) {
                walk.bind_field(&class, name, source, left);
            } else if object.chars().all(|char| char.is_alphanumeric() || char == '_') && source.is_some() {
                // A member of an object of another module: `g.db = sqlite3.connect(path)`.
                walk.bind(&format!("{object}.{name}"), source, left);
            }
        }
        "pattern_list" | "tuple_pattern" => {
            let mut cursor = left.walk();
            let names: Vec<Node<'_>> = left.named_children(&mut cursor).collect();
            // `self.a, self.b = a, b`
            let values = right.filter(|right| ["expression_list", "tuple"].contains(&right.kind()));
            if let Some(values) = values.filter(|values| values.named_child_count() == names.len()) {
                let mut cursor = values.walk();
                let values: Vec<Node<'_>> = values.named_children(&mut cursor).collect();
                names.into_iter().zip(values).for_each(|(name, value)| assign(walk, name, Some(value), None));
                return;
            }
            // `(point,) = points` binds the only member.
            let source = source.filter(|_| names.len() == 1);
            for name in names.into_iter().filter(|name| name.kind() == "identifier") {
                let text = walk.text(name).to_owned();
                walk.bind(&text, source.clone(), name);
            }
        }
        _ => {}
    }
}

fn type_chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    let text = walk.text(node).trim_matches(['"', '\'']);
    let inner = ["Optional[", "Annotated[", "Type[", "type[", "Final["]
        .iter()
        .find_map(|outer| text.trim_start_matches("typing.").strip_prefix(outer))
        .unwrap_or(text);
    let name = inner.split([',', '[', ']', '|', ' ']).next().unwrap_or_default().trim_matches(['"', '\'']);
    let plain = ["str", "int", "float", "bool", "bytes", "dict", "list", "None", "Any", "set", "tuple", "object"];
    (!name.is_empty() && !plain.contains(&name)).then(|| Chain::path(name.split('.')).object_of())
}

pub(super) fn chain(walk: &Walk<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "identifier" => Some(Chain::name(walk.text(node))),
        "attribute" => {
            let object = chain(walk, node.child_by_field_name("object")?).unwrap_or_else(Chain::nameless);
            Some(object.then(walk.field(node, "attribute")?))
        }
        "call" => {
            let function = node.child_by_field_name("function")?;
            let name = walk.text(function);
            if name == "super" {
                return Some(Chain::name(crate::facts::SUPER));
            }
            if ["importlib.import_module", "import_module", "__import__"].contains(&name) {
                let args = walk.args(node.child_by_field_name("arguments"), ("keyword_argument", "name", "value"));
                return args.first().filter(|module| !module.is_empty()).map(|module| Chain::module(module));
            }
            if name == "getattr" {
                return attribute(walk, node);
            }
            chain(walk, function).map(Chain::called)
        }
        // `Session = Annotated[Db, Depends(get)]` is another name of a type.
        // `folder / name` is a path too.
        "binary_operator" if walk.field(node, "operator") == Some("/") => {
            chain(walk, node.child_by_field_name("left")?)
        }
        "subscript" if ["Annotated", "Optional"].contains(&walk.field(node, "value").unwrap_or_default()) => {
            type_chain(walk, node)
        }
        "subscript" => chain(walk, node.child_by_field_name("value")?),
        "await" | "parenthesized_expression" => chain(walk, node.named_child(0)?),
        "conditional_expression" => chain(walk, node.named_child(0)?),
        "boolean_operator" => {
            let left = node.child_by_field_name("left").and_then(|left| chain(walk, left));
            let right = node.child_by_field_name("right").and_then(|right| chain(walk, right));
            // In `client or Client()`, the created object is more precise than a parameter.
            right.filter(|chain| chain.segs.iter().any(|seg| seg.called)).or(left)
        }
        "string" | "concatenated_string" => Some(Chain::name(NAMELESS)),
        _ => None,
    }
    .map(|chain| if chain.root() == "self" { with_this(chain) } else { chain })
}

/// Returns the chain of a member whose name is a value: `getattr(module, name)`.
fn attribute(walk: &Walk<'_>, call: Node<'_>) -> Option<Chain> {
    let arguments = call.child_by_field_name("arguments")?;
    let object = chain(walk, arguments.named_child(0)?)?;
    let name = arguments.named_child(1).filter(|name| name.kind() == "string").and_then(|name| walk.literal(name));
    Some(object.then(name.as_deref().unwrap_or(COMPUTED)))
}

fn with_this(mut chain: Chain) -> Chain {
    if let Some(first) = chain.segs.first_mut() {
        first.name = THIS.into();
    }
    chain
}
