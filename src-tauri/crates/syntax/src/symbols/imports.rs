//! Reads import statements. Each language has a form of its own.

use tree_sitter::Node;

use super::read::{Raw, RawReference, position};
use super::{Import, Receiver, Use};
use crate::language::Language;

pub(super) fn collect(raw: &mut Raw<'_>, node: Node<'_>) {
    match raw.language {
        Language::Python => python(raw, node),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script(raw, node),
        Language::Go => go(raw, node),
        Language::Rust => rust(raw, node),
        Language::Java | Language::Kotlin => jvm(raw, node),
        Language::Ruby => ruby(raw, node),
        Language::Php => php(raw, node),
        Language::C | Language::Cpp => c(raw, node),
        Language::CSharp => c_sharp(raw, node),
        Language::Swift => swift(raw, node),
    }
}

/// One imported name: its node in this file, the module, the name in the module and its node.
struct Item<'t> {
    local: Option<Node<'t>>,
    module: String,
    name: Option<Node<'t>>,
    all: bool,
    exported: bool,
}

impl<'t> Item<'t> {
    fn new(local: Node<'t>, module: &str, name: Option<Node<'t>>) -> Self {
        Self { local: Some(local), module: module.to_owned(), name, all: false, exported: false }
    }

    fn all(module: &str) -> Self {
        Self { local: None, module: module.to_owned(), name: None, all: true, exported: false }
    }
}

fn add(raw: &mut Raw<'_>, statement: Node<'_>, item: &Item<'_>) {
    let local = item.local.map_or("", |node| raw.text(node)).trim_matches(['"', '\'']);
    let local = raw.id(if local == "_" { "" } else { local });
    let module = raw.id(&item.module);
    let name = item.name.map(|node| raw.text(node).trim_matches(['"', '\'']).to_owned());
    let name = name.map(|name| raw.id(&name));
    let at = position(item.local.unwrap_or(statement));
    raw.imports.push(Import { local, module, name, all: item.all, exported: item.exported, at });
    for node in [item.local, item.name].into_iter().flatten() {
        let name = if item.local == Some(node) { local } else { name.unwrap_or(local) };
        // The name in the module is not a name of this file, so it has no binding.
        let receiver = if item.local == Some(node) { Receiver::None } else { Receiver::Other };
        let at = position(node);
        raw.references.push(RawReference { name, kind: Use::Import, at, receiver, variable: false, priority: 8 });
    }
}

fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`', '<', '>']).to_owned()
}

fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.named_children(&mut node.walk()).collect()
}

fn first_identifier(node: Node<'_>) -> Node<'_> {
    node.named_child(0).unwrap_or(node)
}

fn last_identifier(node: Node<'_>) -> Node<'_> {
    let count = u32::try_from(node.named_child_count()).unwrap_or(0);
    count.checked_sub(1).and_then(|last| node.named_child(last)).unwrap_or(node)
}

fn python(raw: &mut Raw<'_>, node: Node<'_>) {
    if let Some(module) = node.child_by_field_name("module_name") {
        let module = raw.text(module).to_owned();
        for child in node.children_by_field_name("name", &mut node.walk()) {
            let (name, local) = match child.child_by_field_name("alias") {
                Some(alias) => (child.child_by_field_name("name").map(last_identifier), alias),
                None => (Some(last_identifier(child)), last_identifier(child)),
            };
            add(raw, node, &Item::new(local, &module, name));
        }
        if children(node).iter().any(|child| child.kind() == "wildcard_import") {
            add(raw, node, &Item::all(&module));
        }
        return;
    }
    for child in node.children_by_field_name("name", &mut node.walk()) {
        if let (Some(alias), Some(name)) = (child.child_by_field_name("alias"), child.child_by_field_name("name")) {
            let module = raw.text(name).to_owned();
            add(raw, node, &Item::new(alias, &module, None));
        } else {
            // `import a.b` gives the name `a`, and the path `a.b` below it.
            let first = first_identifier(child);
            let module = raw.text(first).to_owned();
            add(raw, node, &Item::new(first, &module, None));
        }
    }
}

fn script(raw: &mut Raw<'_>, node: Node<'_>) {
    if node.kind() == "variable_declarator" {
        return required(raw, node);
    }
    let Some(source) = node.child_by_field_name("source") else { return };
    let module = unquoted(raw.text(source));
    let exported = node.kind() == "export_statement";
    let mut named = false;
    for clause in children(node) {
        let parts = if clause.kind() == "import_clause" { children(clause) } else { vec![clause] };
        for part in parts {
            let item = match part.kind() {
                "identifier" => Item::new(part, &module, None),
                "namespace_import" | "namespace_export" => Item::new(first_identifier(part), &module, None),
                "named_imports" | "export_clause" => {
                    for one in children(part) {
                        let Some(name) = one.child_by_field_name("name") else { continue };
                        let local = one.child_by_field_name("alias").unwrap_or(name);
                        add(raw, node, &Item { exported, ..Item::new(local, &module, Some(name)) });
                    }
                    named = true;
                    continue;
                }
                _ => continue,
            };
            named = true;
            // A default import is the module's name `default`.
            let default = part.kind() == "identifier";
            add(raw, node, &Item { exported, ..item });
            if default && let Some(last) = raw.imports.len().checked_sub(1) {
                let id = raw.id("default");
                raw.imports[last].name = Some(id);
            }
        }
    }
    if exported && !named {
        add(raw, node, &Item { exported, ..Item::all(&module) });
    }
}

/// Reads `export default name` and `export { name as other }`: an import from the file itself, under another name.
pub(super) fn export(raw: &mut Raw<'_>, node: Node<'_>) {
    let name = node.child_by_field_name("name").unwrap_or(node);
    let local = match node.child_by_field_name("alias") {
        Some(alias) => raw.text(alias).to_owned(),
        None if node.kind() == "export_specifier" => return,
        None => "default".to_owned(),
    };
    let (local, module, name) = (raw.id(&local), raw.id(""), raw.id(raw.text(name)));
    raw.imports.push(Import { local, module, name: Some(name), all: false, exported: true, at: position(node) });
}

/// Reads `const x = require('y')`, also with a pattern and a member.
fn required(raw: &mut Raw<'_>, node: Node<'_>) {
    let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return;
    };
    let member = value.child_by_field_name("property");
    let call = value.child_by_field_name("object").unwrap_or(value);
    let argument = call.child_by_field_name("arguments").and_then(|list| list.named_child(0));
    let Some(argument) = argument.filter(|one| one.kind() == "string") else { return };
    let module = unquoted(raw.text(argument));
    if name.kind() == "identifier" {
        add(raw, node, &Item::new(name, &module, member));
        return;
    }
    for one in children(name) {
        let key = one.child_by_field_name("key");
        let local = one.child_by_field_name("value").unwrap_or(one);
        add(raw, node, &Item::new(local, &module, Some(key.unwrap_or(local))));
    }
}

fn go(raw: &mut Raw<'_>, node: Node<'_>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let module = unquoted(raw.text(path));
    match node.child_by_field_name("name") {
        Some(name) if name.kind() == "dot" => add(raw, node, &Item::all(&module)),
        Some(name) => add(raw, node, &Item::new(name, &module, None)),
        None => {
            // The package's name is the last segment, without a major version.
            let mut segments = module.rsplit('/');
            let last = segments.next().unwrap_or_default();
            let version =
                last.len() > 1 && last.starts_with('v') && last[1..].bytes().all(|byte| byte.is_ascii_digit());
            let name = if version { segments.next().unwrap_or(last) } else { last };
            let name = name.split('.').next().unwrap_or(name).trim_start_matches("go-").replace('-', "_");
            let (local, module) = (raw.id(&name), raw.id(&module));
            raw.imports.push(Import { local, module, name: None, all: false, exported: false, at: position(path) });
        }
    }
}

fn rust(raw: &mut Raw<'_>, node: Node<'_>) {
    let exported = children(node).first().is_some_and(|child| child.kind() == "visibility_modifier");
    if let Some(name) = node.child_by_field_name("name") {
        let local = node.child_by_field_name("alias").unwrap_or(name);
        let module = raw.text(name).to_owned();
        add(raw, node, &Item { exported, ..Item::new(local, &module, None) });
    }
    if let Some(argument) = node.child_by_field_name("argument") {
        rust_tree(raw, node, argument, "", exported, 0);
    }
}

fn rust_tree(raw: &mut Raw<'_>, statement: Node<'_>, node: Node<'_>, prefix: &str, exported: bool, depth: u8) {
    if depth > 20 {
        return;
    }
    let join = |text: &str| if prefix.is_empty() { text.to_owned() } else { format!("{prefix}::{text}") };
    match node.kind() {
        "identifier" | "crate" | "super" => {
            add(raw, statement, &Item { exported, ..Item::new(node, prefix, Some(node)) });
        }
        "self" if !prefix.is_empty() => {
            let local = raw.id(prefix.rsplit("::").next().unwrap_or(prefix));
            let module = raw.id(prefix);
            raw.imports.push(Import { local, module, name: None, all: false, exported, at: position(node) });
        }
        "scoped_identifier" => {
            let (Some(path), Some(name)) = (node.child_by_field_name("path"), node.child_by_field_name("name")) else {
                return;
            };
            let module = join(raw.text(path));
            add(raw, statement, &Item { exported, ..Item::new(name, &module, Some(name)) });
        }
        "use_as_clause" => {
            let (Some(path), Some(alias)) = (node.child_by_field_name("path"), node.child_by_field_name("alias"))
            else {
                return;
            };
            let whole = path.child_by_field_name("name").unwrap_or(path);
            let outer =
                path.child_by_field_name("path").map_or_else(|| prefix.to_owned(), |outer| join(raw.text(outer)));
            if whole.kind() == "self" {
                add(raw, statement, &Item { exported, ..Item::new(alias, prefix, None) });
            } else {
                add(raw, statement, &Item { exported, ..Item::new(alias, &outer, Some(whole)) });
            }
        }
        "use_wildcard" => {
            let module = node.named_child(0).map_or_else(|| prefix.to_owned(), |path| join(raw.text(path)));
            add(raw, statement, &Item { exported, ..Item::all(&module) });
        }
        "scoped_use_list" | "use_list" => {
            let module =
                node.child_by_field_name("path").map_or_else(|| prefix.to_owned(), |path| join(raw.text(path)));
            let list = node.child_by_field_name("list").unwrap_or(node);
            for child in children(list) {
                rust_tree(raw, statement, child, &module, exported, depth + 1);
            }
        }
        _ => {}
    }
}

/// Java and Kotlin: `import a.b.C`, `import a.b.*`, `import static a.b.C.m`, `import a.b.C as D`.
fn jvm(raw: &mut Raw<'_>, node: Node<'_>) {
    let Some(path) = children(node).into_iter().find(|child| child.kind().ends_with("identifier")) else { return };
    let text: String = raw.text(path).split_whitespace().collect();
    if raw.text(node).trim_end_matches(';').trim_end().ends_with('*') {
        return add(raw, node, &Item::all(&text));
    }
    let Some((module, _)) = text.rsplit_once('.') else { return };
    let name = last_identifier(path);
    let alias = children(node).into_iter().rfind(|child| child.kind() == "identifier" && *child != path);
    add(raw, node, &Item::new(alias.unwrap_or(name), module, Some(name)));
}

fn ruby(raw: &mut Raw<'_>, node: Node<'_>) {
    let (Some(method), Some(list)) = (node.child_by_field_name("method"), node.child_by_field_name("arguments")) else {
        return;
    };
    let Some(argument) = list.named_child(0) else { return };
    let path = unquoted(raw.text(argument));
    let module = if raw.text(method) == "require_relative" { format!("./{path}") } else { path };
    add(raw, node, &Item::all(&module));
}

fn php(raw: &mut Raw<'_>, node: Node<'_>) {
    let mut prefix = String::new();
    for child in children(node) {
        match child.kind() {
            "namespace_name" => prefix = raw.text(child).replace('\\', "."),
            "namespace_use_group" => {
                for clause in children(child) {
                    php_clause(raw, node, clause, &prefix);
                }
            }
            "namespace_use_clause" => php_clause(raw, node, child, ""),
            _ => {}
        }
    }
}

fn php_clause(raw: &mut Raw<'_>, statement: Node<'_>, clause: Node<'_>, prefix: &str) {
    let Some(path) = children(clause).into_iter().find(|child| matches!(child.kind(), "qualified_name" | "name"))
    else {
        return;
    };
    let name = if path.kind() == "qualified_name" { last_identifier(path) } else { path };
    let text = raw.text(path).trim_start_matches('\\').replace('\\', ".");
    let outer = text.rsplit_once('.').map_or("", |(outer, _)| outer);
    let module = [prefix, outer].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(".");
    let alias = clause.child_by_field_name("alias");
    add(raw, statement, &Item::new(alias.unwrap_or(name), &module, Some(name)));
}

fn c(raw: &mut Raw<'_>, node: Node<'_>) {
    if let Some(path) = node.child_by_field_name("path") {
        let text = raw.text(path);
        // A header in angle brackets is usually not part of the project; its name alone decides.
        let module = unquoted(text);
        add(raw, node, &Item::all(&module));
    } else if let Some(name) = node.named_child(0) {
        let text = raw.text(name).replace("::", ".");
        match text.rsplit_once('.') {
            Some((module, _)) if !raw.text(node).contains("namespace") => {
                add(raw, node, &Item::new(last_identifier(name), module, Some(last_identifier(name))));
            }
            _ => add(raw, node, &Item::all(&text)),
        }
    }
}

fn c_sharp(raw: &mut Raw<'_>, node: Node<'_>) {
    let Some(path) = children(node).into_iter().next_back() else { return };
    let text = raw.text(path).to_owned();
    match node.child_by_field_name("name") {
        Some(alias) if alias != path => {
            let module = text.rsplit_once('.').map_or("", |(module, _)| module).to_owned();
            add(raw, node, &Item::new(alias, &module, Some(last_identifier(path))));
        }
        _ => add(raw, node, &Item::all(&text)),
    }
}

fn swift(raw: &mut Raw<'_>, node: Node<'_>) {
    if let Some(path) = children(node).into_iter().find(|child| child.kind() == "identifier") {
        let module = raw.text(path).to_owned();
        add(raw, node, &Item::all(&module));
    }
}
