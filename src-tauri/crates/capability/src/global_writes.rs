//! The effect of writing to state of the whole program.

use super::facts::{Binding, Facts, UnitKind};
use super::follow::Follow;
use super::found::Below;
use super::resolve::Resolution;
use super::uses::Site;
use diffsan_contracts::vocabulary::STATE_CHANGE;
use diffsan_syntax::language::Language;

/// The types of collections, and of values that threads share.
const COLLECTIONS: &[&str] = &[
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "Array",
    "dict",
    "list",
    "set",
    "defaultdict",
    "deque",
    "OrderedDict",
    "Counter",
    "collections.defaultdict",
    "collections.deque",
    "collections.OrderedDict",
    "collections.Counter",
    "HashMap",
    "ArrayList",
    "ConcurrentHashMap",
    "HashSet",
    "LinkedList",
    "Hash",
    "Concurrent.Map",
    "sync.Map",
    "atomic.Int32",
    "atomic.Int64",
    "atomic.Uint64",
    "atomic.Bool",
    "atomic.Value",
];

impl Follow<'_> {
    /// Adds the effect of a write, if what is written to belongs to the whole program.
    pub(super) fn of_write(&self, site: &Site<'_>, below: &mut Below) {
        let Site { path, facts, one, language, .. } = *site;
        let root = one.chain.root();
        let is_call = one.chain.segs.last().is_some_and(|last| last.called);
        let is_global = match language {
            // The reader knows by the name.
            Language::Rust | Language::Java => true,
            Language::Ruby | Language::Php if !is_call => true,
            _ if is_call => static_bindings(facts, root).any(holds_collection),
            // A variable of the package can be in another file. A name that nothing defines is one that the reader does not see.
            Language::Go => {
                let root = super::facts::Chain::name(root);
                let found = self.names.resolve(path, one.unit, one.line, &root);
                let import = facts.imports.iter().any(|import| import.local == root.root());
                !import && !matches!(found, Resolution::Foreign { builtin: true, .. })
            }
            _ => self.is_of_file(site, root),
        };
        if is_global && let Some(effect) = self.names.knowledge.vocabulary.effect_index(STATE_CHANGE) {
            below.add(effect, &one.chain.text(), false, self.hop_of(site));
        }
    }

    /// Returns whether a name stands for a variable, a class or an object of this file, or for one of another file of the project.
    fn is_of_file(&self, site: &Site<'_>, root: &str) -> bool {
        let Site { path, facts, one, language, .. } = *site;
        let is_class =
            |unit: &super::facts::Unit| unit.kind == UnitKind::Class && unit.name == root && unit.parent == 0;
        let is_own = static_bindings(facts, root).next().is_some()
            || facts.units.iter().any(is_class)
            || language == Language::Python && root == "cls"
            || language.is_script() && super::hidden_code::SCRIPT_GLOBALS.contains(&root) && root != "self";
        let Some(import) = facts.imports.iter().find(|import| import.local == root) else { return is_own };
        // Of a library, only a module as such is known to be one for all: `json.encoder = …`.
        let is_module = import.name.is_none() && language == Language::Python;
        let found = self.names.resolve(path, one.unit, one.line, &super::facts::Chain::name(root));
        is_module || !matches!(found, Resolution::Foreign { .. })
    }
}

/// Returns the variables with a name that live as long as the program.
fn static_bindings<'f>(facts: &'f Facts, name: &str) -> impl Iterator<Item = &'f Binding> {
    let is_static = |one: &&Binding| {
        let unit = facts.units.get(one.unit);
        one.class.is_none() && one.block.is_none() && unit.is_some_and(|unit| unit.kind != UnitKind::Function)
    };
    facts.bindings_named(name).into_iter().filter(is_static)
}

fn holds_collection(one: &Binding) -> bool {
    one.source.as_ref().is_none_or(|source| source.root().is_empty() || COLLECTIONS.contains(&source.text().as_str()))
}
