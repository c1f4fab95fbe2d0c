//! The effects that code reaches, and the uses that could not be followed, each with its chain of places.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::import_rules::ImportedModule;
use crate::programs::Given;

/// A place on the way to an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The used symbol, as it is written.
    pub symbol: String,
    /// The text of the line.
    pub excerpt: String,
}

/// An effect that a use reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The index of the effect in [`Knowledge::effects`](crate::knowledge::Knowledge::effects).
    pub effect: usize,
    /// The symbol that has the effect: `resend.emails.send`.
    pub sink: String,
    /// The definition that contains the use. Empty at the top level of a file.
    pub unit: String,
    /// The places from the use to the effect. Never empty.
    pub chain: Vec<Hop>,
    /// Whether no table lists the symbol, and the effect is the one that its library exists for.
    pub likely: bool,
    /// Whether a program has the effect that the code starts. It counts for contracts, and the start of the program is the new effect.
    pub of_program: bool,
}

/// A use that could not be followed: a foreign module that no table lists, or a receiver of unknown type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The names of the use.
    pub symbol: String,
    /// The foreign module, if it is one.
    pub module: Option<String>,
    /// The places from the use in the target onwards.
    pub chain: Vec<Hop>,
    /// The effects of methods with this name in files that are named like the receiver, or of those that a library can call.
    pub alike: Vec<Reach>,
    /// Whether this is a method of a library that can call methods of a class of the project.
    pub is_hook: bool,
    /// The effect that the library exists for, which does not list this member.
    pub library: Option<usize>,
    /// Whether a table lists other members of the library, which has several effects. Only the name of the member says what it does.
    pub is_unlisted: bool,
    /// The place where the project declares the method, if it only declares it: a path and a line.
    pub declaration: Option<(String, u32)>,
    /// The reason why the use can have any effect: it is not known which code runs.
    pub gap: Option<String>,
    /// Whether this stands for code that no reader reads, so that its imports are not known either.
    pub is_unread: bool,
    /// Whether this is a program that runs beside the code, so that it only has effects outside of it.
    pub is_program: bool,
    /// The program, if the callers of the definition choose it.
    pub(crate) given: Option<Arc<Given>>,
}

impl Open {
    pub(super) fn new(symbol: &[String], module: Option<String>) -> Self {
        Self {
            symbol: symbol.join("."),
            module,
            chain: Vec::new(),
            alike: Vec::new(),
            is_hook: false,
            library: None,
            is_unlisted: false,
            declaration: None,
            gap: None,
            is_unread: false,
            is_program: false,
            given: None,
        }
    }
}

/// The effects of a target.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The effects that were found.
    pub effects: Vec<Reach>,
    /// Further places with an effect that is in `effects` for the same line.
    pub others: Vec<Reach>,
    /// The effects of code that runs when the file's imports are loaded, and of methods that a library implements for it. They count for contracts, and are not new effects of the file.
    pub imported: Vec<Reach>,
    /// The uses that could not be followed. Of several with the same symbol, one, or one of each definition.
    pub open: Vec<Open>,
    /// The numbers of places in the file that lead out of the changed files to an open use with a symbol.
    pub open_places: BTreeMap<String, usize>,
    /// The modules that the file imports.
    pub imports: Vec<ImportedModule>,
}
