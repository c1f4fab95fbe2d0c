//! Reads import statements. Each language has a form of its own.
//!
//! In: the node of a statement. Out: the names that it imports. It does not know where the names are used.

use tree_sitter::Node;

use crate::language::Language;

/// A name that a statement imports, or exports from another module.
#[derive(Debug)]
pub struct Imported<'t> {
    /// The name in this file. Empty for an import of every name, and for a module that gives no name.
    pub local: String,
    /// The module as it is written, with `.` as the separator of PHP.
    pub module: String,
    /// The name in the module. `None` for the module itself.
    pub name: Option<String>,
    /// Every name of the module is imported.
    pub all: bool,
    /// Other files can import it from this file.
    pub exported: bool,
    /// The local name, or the statement if the name is not written.
    pub at: Node<'t>,
    /// The nodes of the local name and of the name in the module, if they are written.
    pub(super) written: (Option<Node<'t>>, Option<Node<'t>>),
}

/// Returns the names that a statement imports.
pub fn imports<'t>(language: Language, node: Node<'t>, bytes: &'t [u8]) -> Vec<Imported<'t>> {
    let mut statement = Statement { language, node, bytes, exported: false, found: Vec::new() };
    match language {
        Language::Python => statement.python(),
        Language::TypeScript | Language::Tsx | Language::JavaScript => statement.script(),
        Language::Go => statement.go(),
        Language::Rust => statement.rust(),
        Language::Java | Language::Kotlin => statement.jvm(),
        Language::Ruby => statement.ruby(),
        Language::Php => statement.php(),
        Language::C | Language::Cpp => statement.c(),
        Language::CSharp => statement.c_sharp(),
        Language::Swift => statement.swift(),
    }
    statement.found
}

/// Returns the names behind and before `as` of an `import_specifier` or `export_specifier`. Without `as` they are the same.
pub fn specifier(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let name = node.child_by_field_name("name")?;
    Some((node.child_by_field_name("alias").unwrap_or(name), name))
}

/// Returns the probable names of a package in Go, the most probable first. Its path does not say the name.
pub fn go_package_names(path: &str) -> Vec<String> {
    // The first major version has no segment.
    let is_version = |part: &&str| {
        let digits = part.strip_prefix('v').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        digits.is_some_and(|digits| !digits.is_empty() && !matches!(digits, "0" | "1"))
    };
    let mut segments = path.rsplit('/');
    let last = segments.next().unwrap_or(path);
    let last = if is_version(&last) { segments.next().unwrap_or(last) } else { last };
    // For example `gopkg.in/yaml.v3`, `github.com/nats-io/nats.go`, `github.com/stripe/stripe-go/v76`.
    let plain = last.split('.').next().unwrap_or(last);
    let short = plain.strip_prefix("go-").or_else(|| plain.strip_suffix("-go")).unwrap_or(plain);
    let mut names = vec![short.replace('-', "_")];
    let others = [short.replace('-', ""), plain.replace('-', "_"), plain.replace('-', "")];
    let bare = plain.strip_prefix("go").filter(|rest| !rest.starts_with('-')).map(str::to_owned);
    for name in others.into_iter().chain(bare).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A statement that is read.
struct Statement<'t> {
    language: Language,
    node: Node<'t>,
    bytes: &'t [u8],
    exported: bool,
    found: Vec<Imported<'t>>,
}

impl<'t> Statement<'t> {
    fn text(&self, node: Node<'_>) -> &'t str {
        self.bytes.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// Returns the text of a path without white space.
    fn path(&self, node: Node<'_>) -> String {
        self.text(node).split_whitespace().collect()
    }

    fn unquoted(&self, node: Node<'_>) -> String {
        self.text(node).trim_matches(['"', '\'', '`', '<', '>']).to_owned()
    }

    /// Adds a name that is written.
    fn add(&mut self, local: Node<'t>, module: &str, name: Option<Node<'t>>) {
        let text = |node| self.text(node).trim_matches(['"', '\'']).to_owned();
        // In these languages, the name `_` binds nothing.
        let is_unbound = self.text(local) == "_" && matches!(self.language, Language::Go | Language::Rust);
        self.found.push(Imported {
            local: if is_unbound { String::new() } else { text(local) },
            module: module.to_owned(),
            name: name.map(text),
            all: false,
            exported: self.exported,
            at: local,
            written: (Some(local), name),
        });
    }

    /// Adds a module whose local name is not written.
    fn add_module(&mut self, local: &str, module: &str, at: Node<'t>) {
        self.found.push(Imported {
            local: local.to_owned(),
            module: module.to_owned(),
            name: None,
            all: false,
            exported: self.exported,
            at,
            written: (None, None),
        });
    }

    /// Adds every name of a module.
    fn add_all(&mut self, module: &str, at: Node<'t>) {
        self.add_module("", module, at);
        if let Some(last) = self.found.last_mut() {
            last.all = true;
        }
    }

    fn python(&mut self) {
        let names: Vec<Node<'t>> = self.node.children_by_field_name("name", &mut self.node.walk()).collect();
        let module = self.node.child_by_field_name("module_name").map(|module| self.path(module));
        for one in names {
            let name = one.child_by_field_name("name").unwrap_or(one);
            match (&module, one.child_by_field_name("alias")) {
                (Some(module), alias) => {
                    let name = last_child(name);
                    self.add(alias.unwrap_or(name), module, Some(name));
                }
                (None, Some(alias)) => self.add(alias, &self.path(name), None),
                (None, None) => {
                    // `import a.b` gives the name `a`, and loads the module `a.b`.
                    let first = first_child(name);
                    self.add(first, self.text(first), None);
                    if name.named_child_count() > 1 {
                        self.add_module("", &self.path(name), name);
                    }
                }
            }
        }
        if let Some(module) = module.filter(|_| children(self.node).iter().any(|one| one.kind() == "wildcard_import")) {
            self.add_all(&module, self.node);
        }
    }

    fn script(&mut self) {
        if self.node.kind() == "variable_declarator" {
            return self.required();
        }
        let clauses = children(self.node);
        // `import name = require("module")`.
        let required = clauses.iter().copied().find(|one| one.kind() == "import_require_clause");
        let Some(source) = required.unwrap_or(self.node).child_by_field_name("source") else { return };
        let module = self.unquoted(source);
        if let Some(name) = required.and_then(|one| one.named_child(0)) {
            return self.add(name, &module, None);
        }
        self.exported = self.node.kind() == "export_statement";
        for clause in clauses {
            let parts = if clause.kind() == "import_clause" { children(clause) } else { vec![clause] };
            for part in parts {
                match part.kind() {
                    "identifier" => {
                        self.add(part, &module, None);
                        if let Some(last) = self.found.last_mut() {
                            last.name = Some("default".to_owned());
                        }
                    }
                    "namespace_import" | "namespace_export" => self.add(first_child(part), &module, None),
                    "named_imports" | "export_clause" => {
                        for (local, name) in children(part).into_iter().filter_map(specifier) {
                            self.add(local, &module, Some(name));
                        }
                    }
                    _ => {}
                }
            }
        }
        let is_wild = self.node.children(&mut self.node.walk()).any(|child| child.kind() == "*");
        if self.exported && is_wild {
            self.add_all(&module, self.node);
        } else if self.found.is_empty() && !self.exported {
            self.add_module("", &module, self.node);
        }
    }

    /// Reads `const x = require('y')`, also with a pattern or a member.
    fn required(&mut self) {
        let (Some(name), Some(value)) = (self.node.child_by_field_name("name"), self.node.child_by_field_name("value"))
        else {
            return;
        };
        let member = value.child_by_field_name("property");
        let call = value.child_by_field_name("object").unwrap_or(value);
        let argument = call.child_by_field_name("arguments").and_then(|list| list.named_child(0));
        let Some(argument) = argument.filter(|one| one.kind() == "string") else { return };
        let module = self.unquoted(argument);
        let parts = match name.kind() {
            "identifier" => return self.add(name, &module, member),
            "object_pattern" if member.is_none() => children(name),
            _ => return,
        };
        let without_default = |node: Node<'t>| node.child_by_field_name("left").unwrap_or(node);
        for part in parts.into_iter().map(without_default) {
            let key = part.child_by_field_name("key");
            let local = part.child_by_field_name("value").map_or(part, without_default);
            if matches!(local.kind(), "identifier" | "shorthand_property_identifier_pattern") {
                self.add(local, &module, Some(key.unwrap_or(local)));
            }
        }
    }

    fn go(&mut self) {
        let Some(path) = self.node.child_by_field_name("path") else { return };
        let module = self.unquoted(path);
        match self.node.child_by_field_name("name") {
            Some(name) if name.kind() == "dot" => self.add_all(&module, self.node),
            Some(name) => self.add(name, &module, None),
            None => {
                let names = go_package_names(&module);
                self.add_module(names.first().map_or("", String::as_str), &module, path);
            }
        }
    }

    fn rust(&mut self) {
        self.exported = self.node.named_child(0).is_some_and(|child| child.kind() == "visibility_modifier");
        if let Some(name) = self.node.child_by_field_name("name") {
            let module = Some(self.text(name)).filter(|name| *name != "self").unwrap_or("crate");
            self.add(self.node.child_by_field_name("alias").unwrap_or(name), module, None);
        }
        if let Some(argument) = self.node.child_by_field_name("argument") {
            self.rust_tree(argument, "", 0);
        }
    }

    fn rust_tree(&mut self, node: Node<'t>, prefix: &str, depth: u8) {
        let join = |path: Option<Node<'_>>| {
            let text = path.map(|path| self.path(path)).unwrap_or_default();
            let parts = [prefix, text.trim_start_matches("::")];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("::")
        };
        match node.kind() {
            "identifier" | "crate" | "super" | "self" | "scoped_identifier" | "use_as_clause" => {
                let alias = node.child_by_field_name("alias");
                let path = if alias.is_some() { node.child_by_field_name("path").unwrap_or(node) } else { node };
                let last = path.child_by_field_name("name").unwrap_or(path);
                // `self` in a list is the module before the list.
                let is_outer = path.kind() == "self" && !prefix.is_empty();
                let whole = if is_outer { prefix.to_owned() } else { join(Some(path)) };
                match (alias, whole.rsplit_once("::")) {
                    (None, _) if is_outer => self.add_module(whole.rsplit("::").next().unwrap_or(&whole), &whole, node),
                    (_, Some((module, _))) if !is_outer => self.add(alias.unwrap_or(last), module, Some(last)),
                    _ => self.add(alias.unwrap_or(last), &whole, None),
                }
            }
            "use_wildcard" => self.add_all(&join(node.named_child(0)), node),
            "scoped_use_list" | "use_list" if depth < 20 => {
                let prefix = join(node.child_by_field_name("path"));
                for child in children(node.child_by_field_name("list").unwrap_or(node)) {
                    self.rust_tree(child, &prefix, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Java and Kotlin: `import a.b.C`, `import a.b.*`, `import static a.b.C.m`, `import a.b.C as D`.
    fn jvm(&mut self) {
        let parts = children(self.node);
        let Some(path) = parts.iter().copied().find(|child| child.kind().ends_with("identifier")) else { return };
        let text = self.path(path);
        if self.text(self.node).trim_end_matches(';').trim_end().ends_with('*') {
            return self.add_all(&text, self.node);
        }
        let Some((module, _)) = text.rsplit_once('.') else { return };
        let name = last_child(path);
        let alias = parts.into_iter().rfind(|child| child.kind() == "identifier" && *child != path);
        self.add(alias.unwrap_or(name), module, Some(name));
    }

    fn ruby(&mut self) {
        let argument = self.node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
        let (Some(method), Some(argument)) = (self.node.child_by_field_name("method"), argument) else { return };
        let is_text = argument.kind() == "string" && children(argument).iter().all(|one| one.kind() != "interpolation");
        if is_text {
            let path = self.unquoted(argument);
            let is_relative = self.text(method) == "require_relative";
            self.add_all(&if is_relative { format!("./{path}") } else { path }, self.node);
        }
    }

    fn php(&mut self) {
        let mut prefix = String::new();
        for child in children(self.node) {
            match child.kind() {
                "namespace_name" => prefix = self.php_name(child),
                "namespace_use_group" => {
                    for clause in children(child) {
                        self.php_clause(clause, &prefix);
                    }
                }
                "namespace_use_clause" => self.php_clause(child, ""),
                _ => {}
            }
        }
    }

    fn php_name(&self, node: Node<'_>) -> String {
        self.text(node).trim_start_matches('\\').replace('\\', ".")
    }

    fn php_clause(&mut self, clause: Node<'t>, prefix: &str) {
        let path = children(clause).into_iter().find(|child| matches!(child.kind(), "qualified_name" | "name"));
        let Some(path) = path else { return };
        let text = self.php_name(path);
        let outer = text.rsplit_once('.').map_or("", |(outer, _)| outer);
        let module = [prefix, outer].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        let name = if path.kind() == "qualified_name" { last_child(path) } else { path };
        self.add(clause.child_by_field_name("alias").unwrap_or(name), &module, Some(name));
    }

    fn c(&mut self) {
        if let Some(path) = self.node.child_by_field_name("path") {
            // A header in angle brackets is usually not part of the project; its name alone decides.
            self.add_all(&self.unquoted(path), self.node);
        } else if let Some(name) = self.node.named_child(0) {
            let text = self.text(name).replace("::", ".");
            match text.rsplit_once('.') {
                Some((module, _)) if !self.text(self.node).contains("namespace") => {
                    self.add(last_child(name), module, Some(last_child(name)));
                }
                _ => self.add_all(&text, self.node),
            }
        }
    }

    fn c_sharp(&mut self) {
        let Some(path) = children(self.node).into_iter().next_back() else { return };
        let text = self.text(path);
        match self.node.child_by_field_name("name") {
            Some(alias) if alias != path => {
                let module = text.rsplit_once('.').map_or("", |(module, _)| module);
                self.add(alias, module, Some(last_child(path)));
            }
            _ => self.add_all(text, self.node),
        }
    }

    fn swift(&mut self) {
        if let Some(path) = children(self.node).into_iter().find(|child| child.kind() == "identifier") {
            self.add_all(self.text(path), self.node);
        }
    }
}

pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

fn first_child(node: Node<'_>) -> Node<'_> {
    node.named_child(0).unwrap_or(node)
}

fn last_child(node: Node<'_>) -> Node<'_> {
    let count = u32::try_from(node.named_child_count()).unwrap_or(0);
    count.checked_sub(1).and_then(|last| node.named_child(last)).unwrap_or(node)
}
