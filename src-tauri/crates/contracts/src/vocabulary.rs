//! The effects that contracts are about, and the words that people use for them: `config/capabilities/effects.toml`.
//!
//! In: that table, and the symbols and modules of libraries with their effects. Out: the effects, and the common words of synonyms.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::grammar::Grammar;
use crate::phrases::phrases;
use crate::symbol_names::{SymbolEffects, symbol_names};
use crate::wording::singulars;

const EFFECTS: &str = include_str!("../../../../config/capabilities/effects.toml");

/// The effect of writing to state of the whole program. The reader finds it in the syntax, so no table lists it.
pub const STATE_CHANGE: &str = "state.change";
/// The effect of another package in a manifest.
pub const PACKAGE_ADD: &str = "package.need";
/// The effect of answering an HTTP request at an address.
pub const ENDPOINT: &str = "http.endpoint";

/// The amount of attention that an effect needs in a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Risk {
    Info,
    Low,
    Medium,
    High,
}

/// Something that code can do to the outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The name in tables: `email.send`.
    pub id: String,
    /// The action: `send`.
    pub action: String,
    /// The resource: `email`.
    pub resource: String,
    /// The text for people, after "can": `send email`.
    pub title: String,
    /// The amount of attention that the effect needs.
    pub risk: Risk,
    /// The wider effects that this one includes: sending email uses the network.
    #[serde(default)]
    pub also: Vec<String>,
    /// Parts of names that suggest the effect where no table lists the symbol.
    #[serde(default)]
    pub hints: Vec<String>,
    /// Words in the names of objects that have the effect, such as `session` for HTTP requests.
    #[serde(default)]
    pub receivers: Vec<String>,
    /// Words in the paths of packages that exist for the effect, one after the other.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Whether the effect is so usual that all its places are told in one line.
    #[serde(default)]
    folded: bool,
    /// Whether libraries have the effect besides what they exist for.
    #[serde(default)]
    pub incidental: bool,
    /// Whether each symbol is an effect of its own: another endpoint does not replace one.
    #[serde(default)]
    pub distinct: bool,
    /// The effects that can include this one, although code does not show whether they do: reading a file can block.
    #[serde(default)]
    pub possibly: Vec<String>,
    /// Whether any program that runs beside the code can have the effect: deleting a file, but not changing global state of the code.
    #[serde(default)]
    pub of_programs: bool,
}

impl Effect {
    /// Returns whether the effect is so usual that all its places are told in one line.
    pub fn is_folded(&self) -> bool {
        self.folded
    }

    /// Returns whether the effect is one that a service's library exists for.
    pub fn is_outward(&self) -> bool {
        ["email.send", "sms.send", "message.send", "payment.charge", "ai.request", "queue.publish"]
            .contains(&self.id.as_str())
    }

    /// Returns whether a client of such a service does nothing but the effect: each command of a key-value store uses the store.
    pub fn is_only_purpose(&self) -> bool {
        ["nosql.use", "secret.read"].contains(&self.id.as_str())
    }

    /// Returns whether the effect only says that the network is used, not what for.
    pub fn is_transport(&self) -> bool {
        ["http.request", "network.use", "socket.open"].contains(&self.id.as_str())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectsFile {
    effect: Vec<Effect>,
    #[serde(default)]
    actions: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    resources: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    phrases: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    alternatives: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    verbs: BTreeMap<String, BTreeSet<String>>,
    #[serde(default)]
    unlike: BTreeMap<String, BTreeSet<String>>,
    #[serde(default)]
    neutral: BTreeSet<String>,
}

/// A table of words that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{table}: {message}")]
pub struct VocabularyError {
    /// The name of the table.
    pub table: &'static str,
    /// A description of the problem.
    pub message: String,
}

/// The effects, and the words for them.
#[derive(Debug)]
pub struct Vocabulary {
    /// All effects, in the order of the table.
    pub effects: Vec<Effect>,
    pub(crate) actions: BTreeMap<String, String>,
    pub(crate) resources: BTreeMap<String, BTreeSet<String>>,
    /// The effects of whole phrases.
    pub(crate) phrases: BTreeMap<String, BTreeSet<String>>,
    /// Further actions that a verb can mean.
    pub alternatives: BTreeMap<String, BTreeSet<String>>,
    /// The verbs that go with a word of many meanings.
    pub(crate) verbs: BTreeMap<String, BTreeSet<String>>,
    /// The resources that a verb does not go with.
    pub(crate) unlike: BTreeMap<String, BTreeSet<String>>,
    /// Words that do not restrict a resource.
    pub(crate) neutral: BTreeSet<String>,
    /// The effects of symbols of libraries, by their name in contracts.
    pub(crate) symbols: SymbolEffects,
    /// The names of the modules of libraries.
    modules: BTreeSet<String>,
}

impl Vocabulary {
    /// Loads the tables.
    pub fn load() -> Result<Self, VocabularyError> {
        let wrong = |table, message: &str| VocabularyError { table, message: message.to_owned() };
        let file: EffectsFile = toml::from_str(EFFECTS).map_err(|error| wrong("effects.toml", error.message()))?;
        if let Some(message) = Grammar::error() {
            return Err(wrong("sentences.toml", message));
        }
        Ok(Self {
            effects: file.effect,
            actions: words(file.actions),
            resources: several(file.resources),
            phrases: phrases(file.phrases),
            alternatives: several(file.alternatives),
            verbs: file.verbs,
            unlike: file.unlike,
            neutral: file.neutral,
            symbols: SymbolEffects::new(),
            modules: BTreeSet::new(),
        })
    }

    /// Adds a module of a library, so that contracts can name it.
    pub fn add_module(&mut self, name: &str) {
        self.modules.insert(name.to_owned());
    }

    /// Adds a symbol of a module, the names of its members, with its effect.
    pub fn add_symbol(&mut self, module: &str, members: &[String], effect: usize) {
        for name in symbol_names(module, members) {
            self.symbols.entry(name).or_default().insert(effect);
        }
    }

    /// Returns the names of the effects of all phrases.
    pub fn effects_of_phrases(&self) -> impl Iterator<Item = &String> {
        self.phrases.values().flatten()
    }

    /// Returns whether a library has a module with the name.
    pub fn names_module(&self, name: &str) -> bool {
        self.modules.contains(name)
    }

    /// Returns the place of an effect among all.
    pub fn effect_index(&self, id: &str) -> Option<usize> {
        self.effects.iter().position(|effect| effect.id == id)
    }

    /// Returns an effect by its name.
    pub fn effect(&self, id: &str) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.id == id)
    }

    /// Returns the common word for an action.
    pub fn action(&self, word: &str) -> String {
        let word = word.to_lowercase();
        self.actions.get(&word).cloned().unwrap_or(word)
    }

    /// Returns the common words for a resource: the word itself and the words that it is a synonym of.
    pub fn resources_of(&self, word: &str) -> BTreeSet<String> {
        let word = word.to_lowercase().replace(['-', '_'], " ");
        let forms = singulars(&word);
        let found = forms.iter().find_map(|form| self.resources.get(form)).cloned();
        let is_own = |name: &&String| self.effects.iter().any(|effect| effect.resource == **name);
        let own = forms.iter().find(is_own).unwrap_or(&word).to_owned();
        found.into_iter().flatten().chain([own]).collect()
    }

    /// Returns an effect and all wider effects that it includes.
    pub fn with_wider(&self, effect: usize) -> Vec<&Effect> {
        let mut all: Vec<&Effect> = self.effects.get(effect).into_iter().collect();
        let mut at = 0;
        while let Some(next) = all.get(at) {
            let wider = next.also.iter().filter_map(|id| self.effect(id));
            let wider: Vec<&Effect> = wider.filter(|wider| !all.contains(wider)).collect();
            all.extend(wider);
            at += 1;
        }
        all
    }
}

/// Maps each synonym to its word.
fn words(table: BTreeMap<String, Vec<String>>) -> BTreeMap<String, String> {
    table.into_iter().flat_map(|(word, all)| all.into_iter().map(move |other| (other, word.clone()))).collect()
}

/// Maps each synonym to all words that it can mean.
fn several(table: BTreeMap<String, Vec<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (word, others) in table {
        for other in others {
            all.entry(other).or_default().insert(word.clone());
        }
    }
    all
}
