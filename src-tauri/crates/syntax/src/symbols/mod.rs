//! Reads the symbols of a file: definitions, references, imports and local bindings.
//!
//! In: a language and bytes. Out: `FileSymbols`, compact and serialisable, so that it can be stored by the blob's id. One file only:
//! `resolve` connects files. The queries in `queries/*.scm` describe the languages;
//! `imports` and `bases` read single nodes, also for other readers of a tree.

mod bases;
mod bind;
mod imports;
mod manifest;
mod names;
mod query;
mod read;
mod types;

use serde::{Deserialize, Serialize};

use crate::language::Language;

pub use bases::{Base, bases};
pub use imports::{Imported, go_package_names, imports, specifier};
pub use manifest::read_manifest;
pub use names::{FileNames, NameKey, NameUse};
pub(crate) use names::{any_package, package_hash};
pub use read::read;
pub use types::{chain_of, type_name};

/// The version of the reader. Stored symbols of another version are read again.
pub const READER_VERSION: u32 = 7;

/// The size in bytes above which a file is not read.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// The index of a name in `FileSymbols::names`.
pub type NameId = u32;

/// The kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    Function,
    Method,
    Constructor,
    /// A class, structure, enumeration, record or object.
    Class,
    /// An interface, trait or protocol.
    Interface,
    /// A type alias or another named type.
    Type,
    Module,
    Macro,
    Constant,
    Variable,
    Field,
    /// A value of an enumeration.
    Variant,
    /// A block that adds members to the type of its name, such as `impl` in Rust. It is a container, not a target.
    Extension,
}

impl Kind {
    /// Returns whether a value of this kind can have members.
    pub fn has_members(self) -> bool {
        matches!(self, Self::Class | Self::Interface | Self::Module | Self::Extension | Self::Type)
    }

    /// Returns whether it can be called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Class | Self::Macro | Self::Variant)
    }

    /// Returns the name in tables and the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Module => "module",
            Self::Macro => "macro",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Variant => "variant",
            Self::Extension => "extension",
        }
    }
}

/// The position of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Bytes from the start of the file.
    pub byte: u32,
    /// From 1.
    pub line: u32,
    /// Bytes from the start of the line.
    pub column: u32,
}

/// A definition that other places can refer to. Local variables are in `FileSymbols::locals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The name, without its containers.
    pub name: NameId,
    /// The kind.
    pub kind: Kind,
    /// The position of the name.
    pub at: Position,
    /// The first byte of the whole definition.
    pub start: u32,
    /// The byte after the whole definition.
    pub end: u32,
    /// The last line of the whole definition, from 1.
    pub last_line: u32,
    /// The byte at which the signature ends and the body begins.
    pub body: u32,
    /// The index of the enclosing definition.
    pub container: Option<u32>,
    /// The name of the type that it is a member of.
    pub owner: Option<NameId>,
    /// The names of the base types.
    pub bases: Vec<NameId>,
    /// The name of the type of its value: the result of a function, the type of a field.
    pub result: Option<NameId>,
    /// Visible to other files, as far as its text says.
    pub exported: bool,
    /// Inside a function, so that only this function sees it.
    pub local: bool,
    /// Has a body or a value. A prototype has none.
    pub complete: bool,
}

/// The way in which a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Use {
    Call,
    Macro,
    Type,
    Read,
    /// The target of an assignment.
    Write,
    /// In an import or an export.
    Import,
    /// Read and written by the same statement, whose value nothing else takes: `count += 1`.
    Update,
}

/// The expression before a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Receiver {
    /// The name stands alone.
    None,
    /// Names joined by dots, such as `self.client`. Calls and punctuation are removed.
    Chain(NameId),
    /// An expression that has no name.
    Other,
}

/// The definition in the same file that a name refers to by the rules of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binding {
    /// None: another file, a member, or undefined.
    Free,
    /// An index in `locals`.
    Local(u32),
    /// An index in `definitions`.
    Definition(u32),
    /// An index in `imports`.
    Import(u32),
}

/// A use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name.
    pub name: NameId,
    /// The way of its use.
    pub kind: Use,
    /// The position of the name.
    pub at: Position,
    /// The expression before it.
    pub receiver: Receiver,
    /// Its target inside this file.
    pub binding: Binding,
    /// The index of the innermost definition around it.
    pub enclosing: Option<u32>,
}

/// An imported name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The name in this file. Empty for an import of every name, and for a module that gives no name.
    pub local: NameId,
    /// The module as it is written, such as `./api`, `a.b`, `crate::x`.
    pub module: NameId,
    /// The imported name in the module, or `None` for the module itself.
    pub name: Option<NameId>,
    /// Every name of the module is imported.
    pub all: bool,
    /// Other files can import it from this file.
    pub exported: bool,
    /// The position of the local name, or of the import.
    pub at: Position,
}

/// A local variable or a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// The name.
    pub name: NameId,
    /// The position of its first definition.
    pub at: Position,
    /// The first byte at which it is visible.
    pub from: u32,
    /// The byte after its scope.
    pub to: u32,
    /// The type in its declaration, or the function or constructor that makes its value.
    pub value: Option<NameId>,
}

/// The symbols of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSymbols {
    /// The language. `None` for a manifest.
    pub language: Option<Language>,
    /// The package or namespace that the file declares. Of a manifest, the name of its module.
    pub package: Option<NameId>,
    /// All names, each once.
    pub names: Vec<String>,
    /// By position. A container is before its members.
    pub definitions: Vec<Definition>,
    /// By position.
    pub references: Vec<Reference>,
    /// By position.
    pub imports: Vec<Import>,
    /// By position.
    pub locals: Vec<Local>,
    /// The text has syntax errors, so that symbols can be missing.
    pub partial: bool,
}

impl FileSymbols {
    /// Returns a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id as usize).map_or("", String::as_str)
    }

    /// Returns the path of names of a definition, outermost first: `["Server", "start"]`.
    pub fn path_of(&self, definition: &Definition) -> Vec<&str> {
        let mut names = vec![self.name(definition.name)];
        let mut owner = definition.owner;
        let mut container = definition.container;
        while let Some(at) = container.and_then(|at| self.definitions.get(at as usize)) {
            if owner.is_none() || !at.kind.has_members() {
                names.push(self.name(at.name));
            } else if let Some(id) = owner.take() {
                names.push(self.name(id));
            }
            container = at.container;
            owner = owner.or(at.owner.filter(|_| at.container.is_none()));
        }
        names.extend(owner.map(|id| self.name(id)));
        names.reverse();
        names
    }

    /// Returns the index of the innermost definition that contains a byte.
    pub fn enclosing(&self, byte: u32) -> Option<u32> {
        let before = self.definitions.partition_point(|one| one.start <= byte);
        let found = self.definitions[..before].iter().rposition(|one| byte < one.end)?;
        u32::try_from(found).ok()
    }

    /// Returns the reference whose name contains a position.
    pub fn reference_at(&self, line: u32, column: u32) -> Option<&Reference> {
        let before = self.references.partition_point(|one| (one.at.line, one.at.column) <= (line, column));
        let found = self.references[..before].last()?;
        self.covers(found.at, found.name, line, column).then_some(found)
    }

    /// Returns the definition whose name contains a position.
    pub fn definition_at(&self, line: u32, column: u32) -> Option<u32> {
        let found = self.definitions.iter().position(|one| self.covers(one.at, one.name, line, column))?;
        u32::try_from(found).ok()
    }

    /// Returns the local variable whose first definition contains a position.
    pub fn local_at(&self, line: u32, column: u32) -> Option<u32> {
        let found = self.locals.iter().position(|one| self.covers(one.at, one.name, line, column))?;
        u32::try_from(found).ok()
    }

    // A name also covers the column after its end, so that a caret behind a word counts.
    fn covers(&self, at: Position, name: NameId, line: u32, column: u32) -> bool {
        at.line == line && (at.column..=at.column + self.name(name).len() as u32).contains(&column)
    }
}

#[cfg(test)]
mod tests;
