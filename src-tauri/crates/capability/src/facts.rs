//! The facts about a file's code, in one form for all languages: imports, definitions, bindings, exports and uses.
//!
//! `read` creates them from the syntax alone. `resolve` resolves the names.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The version of the reader. Stored facts of another version are read again.
pub const READER_VERSION: u32 = 16;

/// A segment of a chain: a name, and whether it is called (or created with `new`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seg {
    /// The name; see also [`THIS`], [`SUPER`], [`NAMELESS`] and [`MODULE`].
    pub name: SmolStr,
    /// Whether the segment is called.
    pub called: bool,
    /// Whether the name is a type, and an object of the type is meant.
    pub is_type: bool,
}

impl Seg {
    fn new(name: impl Into<SmolStr>) -> Self {
        Self { name: name.into(), called: false, is_type: false }
    }
}

/// A chain of names such as `client.emails.send(…)`, from the left. The first can be one of the constants below, or an inline
/// module.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Chain {
    /// The segments. Never empty in a finished chain.
    pub segs: Vec<Seg>,
}

/// The name of the object that a method belongs to.
pub const THIS: &str = "this";
/// The name of the parent of [`THIS`].
pub const SUPER: &str = "super";
/// The name of a value without one: a literal, an index, the result of an operator.
pub const NAMELESS: &str = "";
/// The name of a member whose name is computed.
pub const COMPUTED: &str = "[]";
/// The class of the properties that a file gives to all components of an application.
pub const GLOBAL_PROPERTIES: &str = "globalProperties";
/// The prefix of a module that is imported inline: `require("x")`.
pub const MODULE: char = '#';

impl Chain {
    /// Creates a chain of a single name.
    pub fn name(name: impl Into<SmolStr>) -> Self {
        Self { segs: vec![Seg::new(name)] }
    }

    /// Creates a chain for a value without a name.
    pub fn nameless() -> Self {
        Self::name(NAMELESS)
    }

    /// Creates a chain for a module that is imported inline.
    pub fn module(name: &str) -> Self {
        Self::name(format!("{MODULE}{name}"))
    }

    /// Creates a chain from a path of names.
    pub fn path<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { segs: names.into_iter().map(Seg::new).collect() }
    }

    /// Appends a member.
    #[must_use]
    pub fn then(mut self, name: impl Into<SmolStr>) -> Self {
        self.segs.push(Seg::new(name));
        self
    }

    /// Marks the last segment as called.
    #[must_use]
    pub fn called(mut self) -> Self {
        if let Some(last) = self.segs.last_mut() {
            last.called = true;
        }
        self
    }

    /// Returns whether the last segment is called.
    pub fn is_called(&self) -> bool {
        self.segs.last().is_some_and(|last| last.called)
    }

    /// Marks the last segment as a type of which an object is meant.
    #[must_use]
    pub fn object_of(mut self) -> Self {
        if let Some(last) = self.segs.last_mut() {
            last.is_type = true;
        }
        self
    }

    /// Returns whether the chain is a type of which an object is meant.
    pub fn is_object(&self) -> bool {
        self.segs.last().is_some_and(|last| last.is_type)
    }

    /// Returns the first name.
    pub fn root(&self) -> &str {
        self.segs.first().map_or(NAMELESS, |seg| &seg.name)
    }

    /// Returns the chain as it is written in code.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.segs.iter().map(|seg| seg.name.trim_start_matches(MODULE)).collect();
        names.iter().filter(|name| !name.is_empty()).copied().collect::<Vec<_>>().join(".")
    }
}

/// The way in which code uses a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UseKind {
    /// The code calls it.
    Call,
    /// The code reads it.
    Read,
    /// The code passes it to something that may call it.
    Hand,
    /// The code changes it, and it can be state of the whole program.
    Write,
    /// An annotation or attribute, or a keyword with an effect. Only tables say what it does.
    Mark,
    /// A step of a script of a shell, which [`commands`](crate::commands) reads.
    Step,
}

/// A call, or a read of a member.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Use {
    /// The chain that is used.
    pub chain: Chain,
    /// The kind of use.
    pub kind: UseKind,
    /// The line, from 1.
    pub line: u32,
    /// The index of the unit that contains the use.
    pub unit: usize,
    /// The text of the literal arguments; empty for other arguments, `name=text` for named ones.
    pub args: Vec<SmolStr>,
    /// The chains of the arguments, in a language in which a parameter needs no type. Empty if no argument has a name.
    pub given: Vec<Chain>,
}

/// A name that is bound to a value: a variable, a parameter or a field.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: SmolStr,
    /// The index of the unit in which the name is visible.
    pub unit: usize,
    /// The class of a field.
    pub class: Option<SmolStr>,
    /// The value. `None` where the syntax does not show it.
    pub source: Option<Chain>,
    /// The line, from 1.
    pub line: u32,
    /// The first and last line of the block in which the name is visible. `None` if it is visible in the whole unit.
    pub block: Option<(u32, u32)>,
}

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitKind {
    /// The whole file.
    File,
    /// A function or method.
    Function,
    /// A class, struct, trait, module or object with members.
    Class,
    /// A task of the project that a command runs by its name: a target of a makefile, a script of a package, a service of a compose file.
    Task,
}

/// A definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// The name. Empty for the file.
    pub name: SmolStr,
    /// The class that the definition belongs to.
    pub class: Option<SmolStr>,
    /// The kind of the definition.
    pub kind: UnitKind,
    /// The first line, from 1.
    pub line: u32,
    /// The last line, from 1.
    pub end: u32,
    /// The index of the enclosing unit.
    pub parent: usize,
    /// The classes that a class inherits from or mixes in.
    pub bases: Vec<Chain>,
    /// The interfaces that a class implements, as far as they are not in `bases`.
    pub interfaces: Vec<Chain>,
    /// The values that a function returns, and its declared result.
    pub returns: Vec<Chain>,
    /// The names of the parameters that have no type, in a language in which they need none. Empty for the others.
    pub parameters: Vec<String>,
    /// Whether this is a literal object. Code can call any of its members by a computed name.
    pub is_object: bool,
    /// Whether this is a method that an interface only declares.
    pub is_abstract: bool,
    /// Whether this is an optional property that holds a function, which the code that makes the object can give to it.
    pub is_callback: bool,
    /// Whether this is a property of an object type that holds a function, not a method.
    pub is_property: bool,
    /// Whether reading the member runs this method: a getter, or a method that stands for all members.
    pub is_getter: bool,
}

impl Unit {
    /// Creates a definition outside of classes, of which nothing else is known.
    pub(crate) fn new(name: &str, kind: UnitKind, (line, end): (u32, u32), parent: usize) -> Self {
        Self {
            name: SmolStr::new(name),
            class: None,
            kind,
            line,
            end,
            parent,
            bases: Vec::new(),
            interfaces: Vec::new(),
            returns: Vec::new(),
            parameters: Vec::new(),
            is_object: false,
            is_abstract: false,
            is_callback: false,
            is_property: false,
            is_getter: false,
        }
    }
}

/// An imported name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The local name; `*` for an import of all names. Empty for a module that is only loaded.
    pub local: String,
    /// The module, as it is written.
    pub module: String,
    /// The name in the module. `None` for the module itself.
    pub name: Option<String>,
    /// The line, from 1.
    pub line: u32,
}

/// A name that is written with its namespace: `crate::view::Page`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenName {
    /// The name.
    pub name: SmolStr,
    /// The line, from 1.
    pub line: u32,
}

/// A name that is exported under another name, or from another module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Export {
    /// The exported name; `*` where all names are exported.
    pub name: String,
    /// The module that the name comes from, if any.
    pub module: Option<String>,
    /// The name in that module, or in this file.
    pub source: Option<Chain>,
    /// The line, from 1.
    pub line: u32,
}

/// The facts about a file's code.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The namespace of the file in PHP, with `.` as the separator.
    pub package: String,
    /// The imported names.
    pub imports: Vec<Import>,
    /// The exported names.
    pub exports: Vec<Export>,
    /// The definitions. The first is the file itself.
    pub units: Vec<Unit>,
    /// The variables, parameters and fields.
    pub bindings: Vec<Binding>,
    /// The calls and reads.
    pub uses: Vec<Use>,
    /// The names that are written with their namespace, and need no import.
    pub written: Vec<WrittenName>,
    /// Whether parts were skipped because they are nested too deeply.
    pub partial: bool,
    /// Whether a text without its end, or an error, hides code that was not read.
    pub hides_code: bool,
    /// The parts of the file with code that is not read: scripts in templates, code of another language, or the whole of an encoded file.
    pub other_code: Vec<String>,
    /// The text of the file.
    #[serde(skip)]
    pub text: Arc<str>,
    /// The offsets of the lines, in bytes.
    #[serde(skip)]
    pub starts: Vec<u32>,
    /// Whether the text includes another file, once that is asked.
    #[serde(skip)]
    includes: OnceLock<bool>,
    /// The bindings by name, once a file with several of them is asked for one.
    #[serde(skip)]
    bindings_by_name: OnceLock<ByName>,
    /// The units by name, once a file with several of them is asked for one.
    #[serde(skip)]
    units_by_name: OnceLock<ByName>,
}

/// Indices by name, in order.
type ByName = HashMap<SmolStr, Vec<usize>>;

/// The number of bindings or units from which they are looked up by name.
const MIN_INDEXED: usize = 16;

/// Returns the items with a name, with their indices, in their order.
fn named<'a, T>(
    all: &'a [T],
    by_name: &OnceLock<ByName>,
    name_of: impl Fn(&T) -> &SmolStr,
    name: &str,
) -> Vec<(usize, &'a T)> {
    if all.len() < MIN_INDEXED {
        return all.iter().enumerate().filter(|(_, one)| name_of(one) == name).collect();
    }
    let by_name = by_name.get_or_init(|| {
        let mut by_name = ByName::new();
        for (at, one) in all.iter().enumerate() {
            by_name.entry(name_of(one).clone()).or_default().push(at);
        }
        by_name
    });
    by_name.get(name).into_iter().flatten().filter_map(|at| Some((*at, all.get(*at)?))).collect()
}

impl Facts {
    /// Returns the bindings with a name, in their order.
    pub(crate) fn bindings_named(&self, name: &str) -> Vec<&Binding> {
        let found = named(&self.bindings, &self.bindings_by_name, |one| &one.name, name);
        found.into_iter().map(|(_, one)| one).collect()
    }

    /// Returns the units with a name and their indices, in their order.
    pub(crate) fn units_named(&self, name: &str) -> Vec<(usize, &Unit)> {
        named(&self.units, &self.units_by_name, |unit| &unit.name, name)
    }

    /// Returns whether the text includes another file of Rust, which can define names.
    pub(crate) fn includes(&self) -> bool {
        *self.includes.get_or_init(|| self.text.contains("include!("))
    }

    /// Sets the text that the facts are about. It is not part of their serialised form.
    #[must_use]
    pub fn with_text(mut self, text: Arc<str>) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).filter_map(|at| u32::try_from(at + 1).ok());
        self.starts = std::iter::once(0).chain(ends).collect();
        self.starts.shrink_to_fit();
        self.text = text;
        self
    }

    /// Gives back the room that the lists do not use. The facts of many files are held for a whole examination, and most lists are short.
    pub(crate) fn shrink(&mut self) {
        let Self { package: _, imports, exports, units, bindings, uses, written, .. } = self;
        imports.shrink_to_fit();
        exports.shrink_to_fit();
        units.shrink_to_fit();
        bindings.shrink_to_fit();
        uses.shrink_to_fit();
        written.shrink_to_fit();
        let in_units = units.iter_mut().flat_map(|unit| [&mut unit.bases, &mut unit.interfaces, &mut unit.returns]);
        let in_units = in_units.flat_map(|chains| {
            chains.shrink_to_fit();
            chains.iter_mut()
        });
        let in_exports = exports.iter_mut().filter_map(|export| export.source.as_mut());
        let in_bindings = bindings.iter_mut().filter_map(|binding| binding.source.as_mut());
        let in_uses = uses.iter_mut().flat_map(|one| {
            one.args.shrink_to_fit();
            one.given.shrink_to_fit();
            std::iter::once(&mut one.chain).chain(&mut one.given)
        });
        for chain in in_units.chain(in_exports).chain(in_bindings).chain(in_uses) {
            chain.segs.shrink_to_fit();
        }
    }

    /// Returns the trimmed text of a line, cut where it is long.
    pub fn line(&self, number: u32) -> String {
        let at = number.saturating_sub(1) as usize;
        let start_of = |at: usize| self.starts.get(at).map_or(self.text.len(), |start| *start as usize);
        let start = start_of(at);
        let end = start_of(at + 1);
        let line = self.text.get(start..end).unwrap_or_default().trim();
        if line.chars().count() > 200 { line.chars().take(199).chain(['…']).collect() } else { line.to_owned() }
    }

    /// Returns the names of a unit and of the units around it, from the outermost: `Mailer.send`.
    pub fn unit_name(&self, unit: usize) -> String {
        match self.units.get(unit) {
            Some(Unit { name, class: Some(class), .. }) if !class.is_empty() => format!("{class}.{name}"),
            Some(unit) => unit.name.to_string(),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_among_few_and_many_bindings() {
        let binding = |line: u32| Binding {
            name: format!("name_{}", line % 7).into(),
            unit: 0,
            class: None,
            source: None,
            line,
            block: None,
        };
        for count in [MIN_INDEXED - 1, MIN_INDEXED * 2] {
            let count = u32::try_from(count).unwrap_or(0);
            let facts = Facts { bindings: (1..=count).map(binding).collect(), ..Facts::default() };
            let lines: Vec<u32> = facts.bindings_named("name_3").iter().map(|one| one.line).collect();
            let expected: Vec<u32> = (3..=count).step_by(7).collect();
            assert_eq!(lines, expected);
            assert!(facts.bindings_named("other").is_empty());
        }
    }
}
