//! The effects that the words of a contract name, and the words that were probably meant.

use std::collections::{BTreeMap, BTreeSet};

use crate::vocabulary::{Effect, Vocabulary};
use crate::wording::{SMALL, base_forms, normal, singulars};

/// Words that stand for a thing that is named before.
const PRONOUNS: &[&str] = &["any", "it", "one", "ones", "them", "these", "those"];

/// The maximum number of suggestions for words that name no effect.
const MAX_SUGGESTIONS: usize = 3;
/// The similarity from which a word is probably a misspelling of another one, from 0 to 1.
const SIMILAR: f64 = 0.88;
/// Resources that things are moved to or from.
const PLACES: &[&str] = &["object storage", "queue", "database", "nosql", "browser storage"];
/// Words that begin a restriction.
const LIMITS: &[&str] = &[
    "for",
    "outside",
    "inside",
    "under",
    "below",
    "beyond",
    "within",
    "without",
    "that",
    "which",
    "by",
    "about",
    "unless",
    "except",
    "if",
    "when",
    "while",
    "before",
    "after",
    "until",
    "other than",
    "besides",
    "during",
    "containing",
    "named",
    "through",
    "using",
    "as",
];
/// Words that join the parts of a list.
const JOINTS: &[&str] = &["or", "and", "nor", "and/or", "&", "plus"];
/// Words after which the means of an action follow, which say more than the things: "send data over the network".
const MEANS: &[&str] = &["over", "via", "through", "across", "by", "using"];
/// Words after which a place follows.
const TOWARDS: &[&str] = &["to", "from", "in", "into", "on", "onto", "off", "of", "at", "with", "out"];
/// Nouns of actions that name no verb of their own.
const USES: &[&str] = &[
    "access",
    "usage",
    "use",
    "traffic",
    "activity",
    "connectivity",
    "interaction",
    "interactions",
    "operation",
    "operations",
    "i/o",
    "io",
    "communication",
];

/// The effects that the words of a contract name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedEffects {
    /// The effects that the words name, each with the words that restrict its resource, such as `temporary` of `temporary files`. Code does
    /// not show whether they apply.
    pub effects: BTreeMap<String, Option<String>>,
    /// The symbols that have the effects, by effect. Where there are some, other symbols do not count.
    pub symbols: BTreeMap<String, BTreeSet<String>>,
    /// The parts of a list that name no effect.
    pub unknown: Vec<String>,
}

impl NamedEffects {
    fn new(effects: BTreeSet<String>, restriction: Option<String>) -> Self {
        let effects = effects.into_iter().map(|effect| (effect, restriction.clone())).collect();
        Self { effects, ..Self::default() }
    }

    /// Adds the effects of another part of a list. An effect without a restriction stays without one.
    fn add(&mut self, mut other: Self) {
        for (effect, restriction) in other.effects {
            let is_new = !self.effects.contains_key(&effect);
            match other.symbols.remove(&effect) {
                Some(symbols) if is_new || self.symbols.contains_key(&effect) => {
                    self.symbols.entry(effect.clone()).or_default().extend(symbols);
                }
                _ => drop(self.symbols.remove(&effect)),
            }
            let known = self.effects.entry(effect).or_insert_with(|| restriction.clone());
            if restriction.is_none() {
                *known = None;
            }
        }
        self.unknown.extend(other.unknown);
    }
}

impl Vocabulary {
    /// Returns whether a contract's words name an effect.
    pub fn names_effect(&self, action: &str, resource: &str) -> bool {
        !self.named_effects(action, resource).effects.is_empty()
    }

    /// Returns the effects that a contract's words name: those of each part of a list, "read files or environment variables".
    pub fn named_effects(&self, action: &str, resource: &str) -> NamedEffects {
        let is_phrase = || self.phrases.contains_key(&normal(&format!("{action} {resource}")));
        if ["*", "anything", "everything"].contains(&resource) && !is_phrase() {
            return NamedEffects::new(self.with_action(action, None), None);
        }
        let parts = self.parts(action, resource);
        if parts.len() == 1 {
            let named = self.named_part(action, resource);
            let unknown = || NamedEffects { unknown: vec![format!("{action} {resource}")], ..NamedEffects::default() };
            return if named.effects.is_empty() { unknown() } else { named };
        }
        let mut all = NamedEffects::default();
        let mut is_tail = false;
        let mut before: Vec<String> = Vec::new();
        let head = parts.last().and_then(|(_, words, _)| words.last()).cloned().unwrap_or_default();
        for (verb, words, has_verb) in &parts {
            let text = words.join(" ");
            let mut named = self.named_part(verb, &text);
            if named.effects.is_empty() {
                named = self.named_part(verb, &format!("{text} {head}"));
            }
            // "Database reads or writes": the thing stands before the first noun.
            if let ([noun], true) = (&words[..], named.effects.is_empty()) {
                let things = before.iter().map(String::as_str).chain([noun.as_str()]);
                named = self.named_part(verb, &things.collect::<Vec<_>>().join(" "));
            }
            before = words.split_last().map(|(_, before)| before.to_vec()).unwrap_or_default();
            // "Email to customers or partners": the last word belongs to the restriction before it.
            if named.effects.is_empty() && (*has_verb || !is_tail) {
                named.unknown.push(format!("{verb} {text}"));
            }
            is_tail = words.iter().any(|word| TOWARDS.contains(&word.as_str()) || LIMITS.contains(&word.as_str()));
            all.add(named);
        }
        all
    }

    /// Splits a list of things and actions. Each part has its verb, its other words, and whether the verb is its own.
    fn parts(&self, action: &str, resource: &str) -> Vec<(String, Vec<String>, bool)> {
        let spaced = resource.to_lowercase().replace([',', ';', ':'], " , ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let segments: Vec<&[&str]> = words
            .split(|word| *word == "," || JOINTS.contains(word))
            .enumerate()
            .filter(|(at, part)| *at == 0 || !part.is_empty())
            .map(|(_, part)| part)
            .collect();
        let mut verb = action.to_lowercase();
        let mut parts: Vec<(String, Vec<String>, bool)> = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            let own = segment.first().filter(|first| {
                let is_participle = first.ends_with("ed") && base_forms(&verb).len() > 1;
                at > 0
                    && (segment.len() > 1 || at + 1 < segments.len() || is_participle)
                    && self.is_verb_like(first, &verb)
                    && !self.is_resource(&segment.join(" "))
            });
            let rest = if own.is_some() { &segment[1..] } else { segment };
            if let Some(own) = own {
                verb = (*own).to_owned();
            }
            parts.push((verb.clone(), rest.iter().map(|word| (*word).to_owned()).collect(), at == 0 || own.is_some()));
        }
        // "Read or write files": the thing follows the last verb.
        for at in (0..parts.len().saturating_sub(1)).rev() {
            if parts[at].1.is_empty() {
                parts[at].1 = parts[at + 1].1.clone();
            }
        }
        // "Created files or deleted": the thing stands behind the first verb.
        if let [.., before, last] = &mut parts[..]
            && last.1.is_empty()
        {
            last.1 = before.1.clone();
        }
        parts
    }

    /// Returns whether a word is the infinitive of a known verb, or has the ending of another verb: "writes files and sends mail".
    fn is_verb_like(&self, word: &str, other: &str) -> bool {
        let same_end = ["s", "ing", "ed"].iter().any(|end| word.ends_with(end) && other.ends_with(end));
        self.is_verb(word) || same_end && self.is_verb_form(word)
    }

    /// Returns whether a word is a form of a known verb.
    pub(crate) fn is_verb_form(&self, word: &str) -> bool {
        base_forms(word).iter().any(|form| self.is_verb(form))
    }

    /// Returns whether a word is the infinitive of a known verb.
    pub(crate) fn is_verb(&self, word: &str) -> bool {
        let is_plural = word.ends_with('s') && !["access", "process"].contains(&word);
        !is_plural && (self.action_of(word).is_some() || self.alternatives.contains_key(word))
    }

    /// Returns whether words name the resource of an effect.
    pub fn is_resource(&self, words: &str) -> bool {
        self.resources_of(words).iter().any(|name| self.effects.iter().any(|effect| effect.resource == *name))
    }

    /// Returns the effects of one action with one thing.
    fn named_part(&self, action: &str, resource: &str) -> NamedEffects {
        // "A dependency on the clock" is about the clock.
        if let Some((before, rest)) = resource.split_once(" on ")
            && before.split(' ').next_back().is_some_and(|last| singulars(last).iter().any(|one| one == "dependency"))
        {
            return self.named_part("use", rest);
        }
        // "It must not add any" is about what another sentence names.
        if !resource.is_empty() && resource.split(' ').all(|word| PRONOUNS.contains(&word)) {
            return NamedEffects::default();
        }
        let symbols = self.symbols_in(action, resource);
        if !symbols.is_empty() {
            let mut named = NamedEffects::default();
            for (symbol, effects) in symbols {
                for effect in effects.into_iter().filter_map(|effect| self.effects.get(effect)) {
                    named.effects.insert(effect.id.clone(), None);
                    named.symbols.entry(effect.id.clone()).or_default().insert(symbol.clone());
                }
            }
            return named;
        }
        let whole = format!("{action} {resource}");
        let plain = self.without_neutral(&normal(&whole));
        let by_phrase = |phrase: &str| self.phrases.get(phrase).cloned();
        for form in base_forms(action) {
            let whole = format!("{form} {resource}");
            let canonical = format!("{} {resource}", self.action(&form));
            let texts = [whole, canonical].map(|text| normal(&text));
            let found =
                texts.iter().find_map(|text| by_phrase(text).or_else(|| by_phrase(&self.without_neutral(text))));
            if let Some(effects) = found {
                return NamedEffects::new(effects, None);
            }
        }
        // "Access", "writes" and "deletion" are nouns of actions: "file writes", "access to the network".
        if self.action(action) == "use"
            && let Some((verb, thing)) = self.nominal(resource)
        {
            let named = self.of_readings(&verb, &thing);
            if !named.effects.is_empty() {
                return named;
            }
        }
        let named = self.of_readings(action, resource);
        if !named.effects.is_empty() {
            return named;
        }
        // "Email users" names the resource by its action.
        let own = base_forms(action).into_iter().find(|form| self.is_resource(form)).unwrap_or_default();
        let by_action = self.of_readings(&own, &own);
        if !by_action.effects.is_empty() {
            let others = self.restriction(
                &plain.split(' ').skip(1).collect::<Vec<_>>(),
                &by_action.effects.keys().cloned().collect(),
            );
            return NamedEffects::new(by_action.effects.into_keys().collect(), others);
        }
        // A phrase and more words: "shell out at night".
        let starts = base_forms(action).into_iter().find_map(|form| {
            let plain = self.without_neutral(&normal(&format!("{form} {resource}")));
            let words: Vec<&str> = plain.split(' ').collect();
            let (end, effects) =
                (2..words.len()).rev().find_map(|end| Some((end, by_phrase(&words[..end].join(" "))?)))?;
            let others = self.restriction(&words[end..], &effects);
            Some(NamedEffects::new(effects, others))
        });
        if let Some(named) = starts {
            return named;
        }
        // "JVM-wide state such as system properties"
        let example = ["such as ", "for example ", "e.g. "].iter().find_map(|mark| resource.split_once(mark));
        example.map(|(_, example)| self.named_part(action, example)).unwrap_or_default()
    }

    /// Returns the verb and the thing of a noun of an action.
    fn nominal(&self, resource: &str) -> Option<(String, String)> {
        let words: Vec<&str> = resource.split_whitespace().collect();
        let (last, before) = words.split_last()?;
        if before.is_empty() {
            return None;
        }
        if USES.contains(last) {
            return Some(("use".to_owned(), before.join(" ")));
        }
        let verb = |word: &str| -> Option<String> {
            if USES.contains(&word) {
                return Some("use".to_owned());
            }
            let known = |form: &String| self.action_of(form).is_some() || self.alternatives.contains_key(form);
            base_forms(word).into_iter().find(known)
        };
        let first = words[0];
        let follows = |word: &&str| TOWARDS.contains(word) || MEANS.contains(word);
        if words.get(1).is_some_and(follows) || first.ends_with("ing") {
            return verb(first).map(|verb| (verb, words[1..].join(" ")));
        }
        if self.is_resource(resource) {
            return None;
        }
        verb(last).map(|verb| (verb, before.join(" ")))
    }

    /// Returns the effects of the first reading of the resource that fits the action.
    fn of_readings(&self, action: &str, resource: &str) -> NamedEffects {
        for (resources, others) in self.readings(action, resource) {
            let effects = self.with_action(action, Some(&resources));
            if !effects.is_empty() {
                let restriction = self.restriction(&others.iter().map(String::as_str).collect::<Vec<_>>(), &effects);
                return NamedEffects::new(effects, restriction);
            }
        }
        NamedEffects::default()
    }

    /// Returns the effects with one of these resources, and this action or one that includes all actions.
    fn with_action(&self, action: &str, resources: Option<&BTreeSet<String>>) -> BTreeSet<String> {
        let of = |actions: &BTreeSet<String>| -> BTreeSet<String> {
            let all = actions.contains("use") || actions.contains("*");
            let fits = |effect: &&Effect| {
                resources.is_none_or(|resources| resources.contains(&effect.resource))
                    && (all || actions.contains(&effect.action) || effect.action == "use")
            };
            self.effects.iter().filter(fits).map(|effect| effect.id.clone()).collect()
        };
        let forms = base_forms(action);
        let known: BTreeSet<String> = forms.iter().map(|form| self.action(form)).collect();
        let found = of(&known);
        if !found.is_empty() {
            return found;
        }
        of(&forms.iter().filter_map(|form| self.alternatives.get(form)).flatten().cloned().collect())
    }

    /// Returns the ways to read the resource of an action: the common words for it, and the other words.
    fn readings(&self, action: &str, resource: &str) -> Vec<(BTreeSet<String>, Vec<String>)> {
        let forms = base_forms(action);
        let lower = resource.to_lowercase().replace("'s ", " ");
        let words: Vec<&str> = lower.split([' ', '-', '_', '/']).filter(|word| !word.is_empty()).collect();
        let known = |words: &[&str]| -> Option<BTreeSet<String>> {
            let text = words.iter().filter(|word| !SMALL.contains(word)).copied().collect::<Vec<_>>().join(" ");
            let known = self.resources_of(&text);
            // "Execute code" is an effect, "write code" is not.
            let verbs = singulars(&text).iter().find_map(|one| self.verbs.get(one));
            if verbs.is_some_and(|verbs| !forms.iter().any(|form| verbs.contains(form))) {
                return None;
            }
            let unlike = forms.iter().filter_map(|form| self.unlike.get(form)).flatten();
            if unlike.into_iter().any(|resource| known.contains(resource)) {
                return None;
            }
            (!text.is_empty() && known.iter().any(|name| self.effects.iter().any(|effect| effect.resource == *name)))
                .then_some(known)
        };
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let mut all: Vec<(BTreeSet<String>, Vec<String>)> = Vec::new();
        // "Files to S3" and "data over the network" name the place or the means, "files for customers" restricts the files.
        for (at, word) in words.iter().enumerate() {
            let is_means = MEANS.contains(word);
            if !is_means && !TOWARDS.contains(word) {
                continue;
            }
            let rest = &words[at + 1..];
            let longest = (1..=rest.len()).rev().find_map(|end| Some((end, known(&rest[..end])?)));
            let skipping = || (1..rest.len()).find_map(|start| Some((rest.len(), known(&rest[start..])?)));
            if let Some((end, place)) = longest.or_else(skipping)
                && (is_means || place.iter().any(|name| PLACES.contains(&name.as_str())))
            {
                let things = ["file", "object", "document", "image", "data"];
                let is_other = |word: &&&str| !singulars(word).iter().any(|one| things.contains(&one.as_str()));
                // What is moved does not matter where the means are known: the network is used for any data.
                let before: Vec<&str> =
                    if is_means { Vec::new() } else { words[..at].iter().filter(is_other).copied().collect() };
                all.push((place, owned(&[&before[..], &rest[end..]].concat())));
                break;
            }
        }
        let ends = |word: &&str| TOWARDS.contains(word) || MEANS.contains(word) || LIMITS.contains(word);
        // "Outside requests": the first word restricts nothing.
        let end = words.iter().skip(1).position(ends).map_or(words.len(), |end| end + 1);
        // The longest known words count, and the whole text before a part of it.
        let parts = std::iter::once((0, words.len())).chain((0..end).map(|start| (start, end)));
        let cut = (1..end).rev().map(|end| (0, end));
        for (start, end) in parts.chain(cut) {
            if let Some(resources) = known(&words[start..end]) {
                all.push((resources, owned(&[&words[..start], &words[end..]].concat())));
            }
        }
        // "Load data from a server", "anything on disk": the thing before has no effect of its own.
        for (at, _) in words.iter().enumerate().filter(|(_, word)| TOWARDS.contains(word)) {
            let rest = &words[at + 1..];
            for start in 0..rest.len() {
                if let Some(resources) = known(&rest[start..]) {
                    all.push((resources, owned(&[&words[..at], &rest[..start]].concat())));
                }
            }
        }
        all
    }

    /// Returns the words that restrict effects: not those that belong to the effects themselves.
    fn restriction(&self, words: &[&str], effects: &BTreeSet<String>) -> Option<String> {
        let effects: Vec<usize> = effects.iter().filter_map(|id| self.effect_index(id)).collect();
        let own: BTreeSet<String> = effects
            .iter()
            .flat_map(|effect| self.with_wider(*effect))
            .flat_map(|effect| {
                let (verbs, things) = self.words_of(effect);
                verbs.into_iter().chain(things)
            })
            .filter(|phrase| !phrase.contains(' '))
            .collect();
        let is_own = |word: &str| base_forms(word).iter().chain(&singulars(word)).any(|form| own.contains(form));
        let limits = |word: &&str| LIMITS.contains(word) && !MEANS.contains(word) && !["for", "as"].contains(word);
        // Words of the effect after "unless" are a condition all the same.
        let limit = words.iter().position(limits).unwrap_or(words.len());
        let is_other = |(at, word): &(usize, &&str)| {
            !self.neutral.contains(**word) && !SMALL.contains(*word) && (*at >= limit || !is_own(word))
        };
        let others: Vec<&str> = words.iter().enumerate().filter(is_other).map(|(_, word)| *word).collect();
        (!others.is_empty()).then(|| others.join(" "))
    }

    /// Returns whether a word does not restrict a resource.
    pub(crate) fn is_neutral(&self, word: &str) -> bool {
        self.neutral.contains(word)
    }

    /// Returns a phrase without the words that change nothing.
    fn without_neutral(&self, phrase: &str) -> String {
        phrase.split(' ').filter(|word| !self.neutral.contains(*word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the titles of effects that were probably meant by words that name none: with the same or a similar resource, otherwise with
    /// the same action.
    pub fn suggestions(&self, action: &str, resource: &str) -> Vec<&str> {
        let same = self.resources_of(resource);
        let similar = self.similar_resources(resource);
        let action = self.action(action);
        let any = |fits: &dyn Fn(&Effect) -> bool| -> Vec<&str> {
            self.effects.iter().filter(|effect| fits(effect)).map(|effect| effect.title.as_str()).collect()
        };
        let ways: [&dyn Fn(&Effect) -> bool; 3] =
            [&|effect| same.contains(&effect.resource), &|effect| similar.contains(&effect.resource), &|effect| {
                effect.action == action
            }];
        let found = ways.into_iter().map(any).find(|titles| !titles.is_empty());
        found.into_iter().flatten().take(MAX_SUGGESTIONS).collect()
    }

    /// Returns the resources with a word that is similar to one of the words.
    fn similar_resources(&self, resource: &str) -> BTreeSet<String> {
        let parts: Vec<&str> = resource.split_whitespace().chain([resource]).collect();
        let is_similar = |known: &str| parts.iter().any(|part| strsim::jaro_winkler(part, known) >= SIMILAR);
        let by_synonym = self.resources.iter().filter(|(word, _)| is_similar(word)).flat_map(|(_, all)| all.clone());
        let own = self.effects.iter().map(|effect| effect.resource.clone()).filter(|word| is_similar(word));
        by_synonym.chain(own).collect()
    }
}

/// Maps each phrase to the effects that it names.
pub(crate) fn phrases(table: BTreeMap<String, Vec<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (effect, phrases) in table {
        for phrase in phrases {
            all.entry(normal(&phrase)).or_default().insert(effect.clone());
        }
    }
    all
}
