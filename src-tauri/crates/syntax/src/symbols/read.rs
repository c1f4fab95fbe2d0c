//! Runs a language's query over a file and collects its matches.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, QueryCursor, QueryMatch, StreamingIterator};

use super::query::{self, Tag};
use super::{
    FileSymbols, Import, Kind, MAX_FILE_BYTES, NameId, Position, Receiver, Use, bases, bind, chain_of, imports,
    type_name,
};
use crate::language::Language;

/// The maximum number of unfinished matches. The cursor drops the oldest ones, so that hostile nesting cannot use all memory.
const MATCH_LIMIT: u32 = 4096;

/// Reads a file. Returns `None` if it is too large or binary.
pub fn read(language: Language, bytes: &[u8]) -> Option<FileSymbols> {
    if bytes.len() > MAX_FILE_BYTES || bytes.contains(&0) {
        return None;
    }
    let compiled = query::of(language)?;
    let tree = language.parse(bytes)?;
    let root = tree.root_node();
    let mut raw = Raw::new(language, bytes);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let mut matches = cursor.matches(&compiled.query, root, bytes);
    while let Some(one) = matches.next() {
        raw.collect(one, &compiled.tags);
    }
    Some(bind::bind(raw, root.has_error()))
}

/// A definition before its place among the others is known.
pub(super) struct RawDefinition {
    pub name: NameId,
    pub kind: Kind,
    pub at: Position,
    pub start: u32,
    pub end: u32,
    pub last_line: u32,
    pub body: Option<u32>,
    pub owner: Option<NameId>,
    pub bases: Vec<NameId>,
    pub result: Option<NameId>,
    pub exported: bool,
    /// A member that is defined by an assignment to the own object: its container is the type, not the method.
    pub assigned: bool,
}

pub(super) struct RawLocal {
    pub name: NameId,
    pub at: Position,
    pub until: u32,
    pub value: Option<NameId>,
    /// A parameter of a type, not a variable.
    pub is_type: bool,
}

pub(super) struct RawReference {
    pub name: NameId,
    pub kind: Use,
    pub at: Position,
    pub receiver: Receiver,
    /// A variable in a language where variables have names of their own.
    pub variable: bool,
    /// Of several matches for one name, the highest wins.
    pub priority: u8,
}

/// Everything that the query has found.
pub(super) struct Raw<'t> {
    pub language: Language,
    bytes: &'t [u8],
    pub package: Option<NameId>,
    pub names: Vec<String>,
    ids: FxHashMap<String, NameId>,
    /// By the first byte of the name.
    pub definitions: FxHashMap<u32, RawDefinition>,
    pub locals: FxHashMap<u32, RawLocal>,
    pub references: Vec<RawReference>,
    pub imports: Vec<Import>,
    /// Start, end, and whether it is a function.
    pub scopes: Vec<(u32, u32, bool)>,
    pub globals: Vec<(u32, NameId)>,
    /// Imports and package names, start and end. Only the imported names in them are references.
    pub statements: Vec<(u32, u32)>,
    /// Names that are no references, by their first byte.
    pub ignored: FxHashSet<u32>,
}

/// The captures of one match.
#[derive(Default)]
struct Captures<'t> {
    whole: Option<(Node<'t>, Tag)>,
    name: Option<Node<'t>>,
    body: Option<Node<'t>>,
    result: Option<Node<'t>>,
    owner: Option<Node<'t>>,
    guard: Option<(Node<'t>, Tag)>,
    local: Option<Node<'t>>,
    local_type: Option<Node<'t>>,
    until: Option<Node<'t>>,
    import: Option<Node<'t>>,
    reference: Option<(Node<'t>, Tag)>,
    receiver: Option<Node<'t>>,
}

impl<'t> Raw<'t> {
    fn new(language: Language, bytes: &'t [u8]) -> Self {
        Self {
            language,
            bytes,
            package: None,
            names: Vec::new(),
            ids: FxHashMap::default(),
            definitions: FxHashMap::default(),
            locals: FxHashMap::default(),
            references: Vec::new(),
            imports: Vec::new(),
            scopes: Vec::new(),
            globals: Vec::new(),
            statements: Vec::new(),
            ignored: FxHashSet::default(),
        }
    }

    pub fn text(&self, node: Node<'_>) -> &'t str {
        self.bytes.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    pub fn id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    fn collect(&mut self, one: &QueryMatch<'_, 't>, tags: &[Tag]) {
        let mut found = Captures::default();
        for capture in one.captures() {
            let node = capture.node;
            match tags[capture.index as usize] {
                tag @ (Tag::Definition(_) | Tag::Attribute) => found.whole = Some((node, tag)),
                Tag::Name => found.name = Some(node),
                Tag::Body => found.body = Some(node),
                Tag::Result => found.result = Some(node),
                Tag::Owner => found.owner = Some(node),
                tag @ (Tag::OwnObject | Tag::Require | Tag::Accessor | Tag::New) => found.guard = Some((node, tag)),
                Tag::Local => found.local = Some(node),
                Tag::LocalType => found.local_type = Some(node),
                Tag::Until => found.until = Some(node),
                Tag::Import => found.import = Some(node),
                Tag::Receiver => found.receiver = Some(node),
                tag @ (Tag::Reference(_) | Tag::Member | Tag::Variable) => found.reference = Some((node, tag)),
                Tag::Scope(function) => {
                    self.scopes.push((offset(node.start_byte()), offset(node.end_byte()), function))
                }
                Tag::Ignore => {
                    self.ignored.insert(offset(node.start_byte()));
                }
                Tag::Global => {
                    let id = self.id(self.text(node));
                    self.globals.push((offset(node.start_byte()), id));
                }
                Tag::Package => {
                    self.statements.push((offset(node.start_byte()), offset(node.end_byte())));
                    let name = self.text(node).replace('\\', ".");
                    self.package = Some(self.id(&name));
                }
                Tag::Default | Tag::Exported => self.export(node),
                Tag::Other => {}
            }
        }
        if found.guard.is_some_and(|(node, tag)| !self.holds(node, tag)) {
            return;
        }
        if let Some(node) = found.import {
            self.statements.push((offset(node.start_byte()), offset(node.end_byte())));
            self.import(node);
        } else if let (Some((whole, tag)), Some(name)) = (found.whole, found.name) {
            self.definition(&found, whole, tag, name);
        } else if let Some(local) = found.local {
            let until = found.until.map_or(0, |node| offset(node.end_byte()));
            let value = found.local_type.and_then(|node| self.type_of(node));
            self.local(local, until, value, 0);
        } else if let Some((node, tag)) = found.reference {
            self.reference(node, tag, found.receiver);
        }
    }

    /// Returns whether the text of a capture is one that its match needs.
    fn holds(&self, node: Node<'_>, tag: Tag) -> bool {
        let text = self.text(node);
        match tag {
            Tag::OwnObject => matches!(text, "self" | "cls" | "this"),
            Tag::Require => {
                text == "require" || self.language == Language::Ruby && matches!(text, "require_relative" | "load")
            }
            Tag::Accessor => {
                matches!(text, "attr_reader" | "attr_accessor" | "attr_writer" | "define_method" | "scope" | "delegate")
            }
            Tag::New => text == "new",
            _ => true,
        }
    }

    fn import(&mut self, statement: Node<'t>) {
        for one in imports::imports(self.language, statement, self.bytes) {
            let (local, module) = (self.id(&one.local), self.id(&one.module));
            let name = one.name.map(|name| self.id(&name));
            let at = position(one.at);
            self.imports.push(Import { local, module, name, all: one.all, exported: one.exported, at });
            // The name in the module is not a name of this file, so it has no binding.
            let (here, there) = one.written;
            let there = there.filter(|node| here != Some(*node));
            for (node, name, receiver) in
                [(here, local, Receiver::None), (there, name.unwrap_or(local), Receiver::Other)]
            {
                let Some(at) = node.map(position) else { continue };
                self.references.push(RawReference {
                    name,
                    kind: Use::Import,
                    at,
                    receiver,
                    variable: false,
                    priority: 8,
                });
            }
        }
    }

    /// Reads `export default name` and `export { name as other }`: an import from the file itself, under another name.
    fn export(&mut self, node: Node<'t>) {
        let (local, name) = match imports::specifier(node) {
            Some((alias, name)) if alias != name => (self.id(self.text(alias)), name),
            Some(_) => return,
            None => (self.id("default"), node),
        };
        let (module, name, at) = (self.id(""), Some(self.id(self.text(name))), position(node));
        self.imports.push(Import { local, module, name, all: false, exported: true, at });
    }

    /// Returns the name of a type, or of the function that makes a value.
    fn type_of(&mut self, node: Node<'_>) -> Option<NameId> {
        let text = self.text(node);
        if matches!(text, "var" | "auto" | "val" | "let") {
            return None;
        }
        let name = type_name(text).or_else(|| chain_of(text))?;
        Some(self.id(&name))
    }

    fn definition(&mut self, found: &Captures<'t>, whole: Node<'t>, tag: Tag, name: Node<'t>) {
        let mut kind = match tag {
            Tag::Definition(kind) => kind,
            _ => Kind::Method,
        };
        let text = self.text(name);
        let extended = if kind == Kind::Extension { type_name(text).unwrap_or_default() } else { String::new() };
        let text = match tag {
            Tag::Attribute => text.trim_start_matches(':'),
            _ if kind == Kind::Extension => extended.rsplit('.').next().unwrap_or_default(),
            _ => text.rsplit("::").next().unwrap_or(text),
        };
        if text.is_empty() || text.len() > 200 {
            return;
        }
        let mut whole = whole;
        let mut owner = found.owner.and_then(|node| type_name(self.text(node)));
        if matches!(self.language, Language::C | Language::Cpp) && kind == Kind::Function {
            let Some(declaration) = declaration_of(whole) else { return };
            whole = declaration;
        }
        if self.language == Language::Cpp && owner.is_some() {
            kind = Kind::Method;
        }
        whole = with_decorators(whole);
        if let Some(name) = owner.as_mut()
            && let Some(last) = name.rsplit('.').next()
        {
            *name = last.to_owned();
        }
        let (id, owner) = (self.id(text), owner.map(|owner| self.id(&owner)));
        let result = found.result.and_then(|node| self.type_of(node));
        let body = found.body.or_else(|| whole.child_by_field_name("body")).map(|node| offset(node.start_byte()));
        let bases = if kind.has_members() {
            self.bases(found.body.and_then(|body| body.parent()).unwrap_or(whole))
        } else {
            Vec::new()
        };
        let at = position(name);
        let exported = self.is_exported(whole, text);
        let assigned = matches!(found.guard, Some((_, Tag::OwnObject)));
        let known = self.definitions.entry(at.byte).or_insert_with(|| RawDefinition {
            name: id,
            kind,
            at,
            start: offset(whole.start_byte()),
            end: offset(whole.end_byte()),
            last_line: offset(whole.end_position().row) + u32::from(whole.end_position().column > 0),
            body: None,
            owner: None,
            bases,
            result: None,
            exported,
            assigned,
        });
        // A more general pattern can match the same name: a type that is also a class.
        if known.kind != kind && matches!(known.kind, Kind::Type | Kind::Field | Kind::Variable | Kind::Function) {
            known.kind = kind;
        }
        known.body = known.body.or(body);
        known.owner = known.owner.or(owner);
        known.result = known.result.or(result);
    }

    /// Returns the names of the parents of a type.
    fn bases(&mut self, definition: Node<'t>) -> Vec<NameId> {
        let mut names = Vec::new();
        // A call makes a type, and does not name it.
        for base in bases(definition).into_iter().filter(|base| !base.node.kind().starts_with("call")) {
            let name = type_name(self.text(base.node)).map(|name| self.id(&name));
            names.extend(name.filter(|name| !names.contains(name)));
        }
        names
    }

    fn is_exported(&self, whole: Node<'_>, name: &str) -> bool {
        let head =
            self.bytes.get(whole.start_byte()..whole.end_byte().min(whole.start_byte() + 200)).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let has = |word: &str| head.split(|char: char| !char.is_alphanumeric()).take(8).any(|part| part == word);
        match self.language {
            Language::Python => !name.starts_with('_'),
            Language::Go => name.starts_with(char::is_uppercase),
            Language::Rust => has("pub"),
            Language::Java | Language::CSharp => has("public") || has("protected"),
            Language::Kotlin | Language::Php => !has("private"),
            Language::Swift => !has("private") && !has("fileprivate"),
            Language::C | Language::Cpp => !has("static"),
            Language::Ruby => true,
            Language::TypeScript | Language::Tsx | Language::JavaScript => {
                let mut node = Some(whole);
                for _ in 0..3 {
                    if node.is_some_and(|node| node.kind() == "export_statement") {
                        return true;
                    }
                    node = node.and_then(|node| node.parent());
                }
                false
            }
        }
    }

    /// Adds the local names of a pattern.
    fn local(&mut self, node: Node<'t>, until: u32, value: Option<NameId>, depth: u8) {
        if depth > 12 {
            return;
        }
        if node.named_child_count() == 0 || node.kind() == "variable_name" {
            let leaf = [
                "identifier",
                "simple_identifier",
                "shorthand_property_identifier_pattern",
                "shorthand_field_identifier",
                "name",
                "type_identifier",
                "implicit_parameter",
            ];
            if !leaf.contains(&node.kind()) {
                return;
            }
            let text = self.text(node);
            // In Rust, a name with a capital letter in a pattern is a constant or a variant.
            if self.language == Language::Rust && node.kind() == "identifier" && text.starts_with(char::is_uppercase) {
                return;
            }
            if matches!(text, "_" | "self" | "this") || text.is_empty() {
                return;
            }
            let (id, at) = (self.id(text), position(node));
            let is_type = node.kind() == "type_identifier";
            let known = self.locals.entry(at.byte).or_insert(RawLocal { name: id, at, until: 0, value: None, is_type });
            known.until = known.until.max(until);
            known.value = known.value.or(value);
            return;
        }
        if NOT_PATTERNS.contains(&node.kind()) {
            return;
        }
        // A type holds for a name, not for the parts of a pattern.
        let value = value.filter(|_| PLAIN_PATTERNS.contains(&node.kind()));
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        for (index, child) in children.into_iter().enumerate() {
            let field = node.field_name_for_named_child(u32::try_from(index).unwrap_or(0)).unwrap_or_default();
            let value_is_pattern = node.kind() == "pair_pattern" && field == "value";
            if value_is_pattern
                || !["type", "value", "right", "key", "size", "parameters", "default_value", "condition"]
                    .contains(&field)
            {
                self.local(child, until, value, depth + 1);
            }
        }
    }

    fn reference(&mut self, node: Node<'t>, tag: Tag, receiver: Option<Node<'t>>) {
        let text = self.text(node);
        if text.is_empty() || text.len() > 200 {
            return;
        }
        let (kind, priority) = match tag {
            Tag::Reference(Use::Update) => (Use::Update, 10),
            Tag::Reference(Use::Write) => (Use::Write, 6),
            Tag::Reference(kind) => (kind, if receiver.is_some() { 3 } else { 1 } + u8::from(kind == Use::Call)),
            Tag::Member => (Use::Read, 2),
            _ => (Use::Read, 5),
        };
        let receiver = match receiver {
            Some(receiver) => {
                let bytes = receiver.byte_range();
                let chain = if bytes.len() > 200 { None } else { chain_of(self.text(receiver)) };
                chain.map_or(Receiver::Other, |chain| Receiver::Chain(self.id(&chain)))
            }
            None if tag == Tag::Member || self.after_member_operator(node) => Receiver::Other,
            None => Receiver::None,
        };
        let reference = RawReference {
            name: self.id(text),
            kind,
            at: position(node),
            receiver,
            variable: tag == Tag::Variable || matches!(kind, Use::Update | Use::Write),
            priority,
        };
        self.references.push(reference);
    }

    /// Returns whether the token before a name is `.`, `::` or `->`, for places where the query does not say it, such as macros.
    fn after_member_operator(&self, node: Node<'_>) -> bool {
        let mut siblings = std::iter::successors(node.prev_sibling(), Node::prev_sibling);
        let before = siblings.find(|node| !node.kind().contains("comment"));
        before.is_some_and(|before| match before.kind() {
            "." => self.language != Language::Php,
            "->" => matches!(self.language, Language::C | Language::Cpp | Language::Php),
            kind => kind == "::",
        })
    }
}

/// Nodes in patterns that are expressions or types.
const NOT_PATTERNS: &[&str] = &[
    "attribute",
    "subscript",
    "member_expression",
    "subscript_expression",
    "scoped_identifier",
    "scoped_type_identifier",
    "call",
    "call_expression",
    "type_annotation",
    "dotted_name",
    "function_declarator",
    "abstract_pointer_declarator",
    "range_pattern",
    "decorator",
    "accessibility_modifier",
    "value_binding_pattern",
    "user_type",
    "string",
];

/// Nodes around one name that keep its type.
const PLAIN_PATTERNS: &[&str] = &[
    "pointer_declarator",
    "reference_declarator",
    "array_declarator",
    "init_declarator",
    "mut_pattern",
    "pattern",
    "typed_parameter",
    "as_pattern_target",
];

/// Returns the declaration around the declarator of a function in C, or `None` if it is a parameter, a variable or a local declaration.
fn declaration_of(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator.parent()?;
    loop {
        match node.kind() {
            "function_definition" | "field_declaration" => break,
            "declaration" => {
                let parent = node.parent()?;
                if matches!(parent.kind(), "compound_statement" | "case_statement" | "if_statement") {
                    return None;
                }
                break;
            }
            "pointer_declarator" | "reference_declarator" | "attributed_declarator" => node = node.parent()?,
            _ => return None,
        }
    }
    Some(node.parent().filter(|parent| parent.kind() == "template_declaration").unwrap_or(node))
}

/// Returns the node with its decorators, and in scripts with the keyword of its declaration.
fn with_decorators(whole: Node<'_>) -> Node<'_> {
    match whole.parent() {
        Some(parent)
            if parent.kind() == "decorated_definition"
                || whole.kind() == "variable_declarator"
                    && parent.named_child_count() == 1
                    && matches!(parent.kind(), "lexical_declaration" | "variable_declaration") =>
        {
            parent
        }
        _ => whole,
    }
}

pub(super) fn offset(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

pub(super) fn position(node: Node<'_>) -> Position {
    let start = node.start_position();
    Position { byte: offset(node.start_byte()), line: offset(start.row) + 1, column: offset(start.column) }
}
