//! The effects that the words of a contract name, and the words that were probably meant.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::{Effect, Knowledge};
use crate::wording::{SMALL, base_forms, normal, singulars};

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
pub(crate) struct NamedEffects {
    /// The effects that the words name, each with the words that restrict its resource, such as `temporary` of `temporary files`. Code does
    /// not show whether they apply.
    pub(crate) effects: BTreeMap<String, Option<String>>,
    /// The parts of a list that name no effect.
    pub(crate) unknown: Vec<String>,
}

impl NamedEffects {
    fn new(effects: BTreeSet<String>, restriction: Option<String>) -> Self {
        let effects = effects.into_iter().map(|effect| (effect, restriction.clone())).collect();
        Self { effects, unknown: Vec::new() }
    }

    /// Adds the effects of another part of a list. An effect without a restriction stays without one.
    fn add(&mut self, other: Self) {
        for (effect, restriction) in other.effects {
            let known = self.effects.entry(effect).or_insert_with(|| restriction.clone());
            if restriction.is_none() {
                *known = None;
            }
        }
        self.unknown.extend(other.unknown);
    }
}

impl Knowledge {
    /// Returns whether a contract's words name an effect.
    pub(crate) fn names_effect(&self, action: &str, resource: &str) -> bool {
        !self.named_effects(action, resource).effects.is_empty()
    }

    /// Returns the effects that a contract's words name: those of each part of a list, "read files or environment variables".
    pub(crate) fn named_effects(&self, action: &str, resource: &str) -> NamedEffects {
        if ["*", "anything", "everything"].contains(&resource) {
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
        let head = parts.last().and_then(|(_, words, _)| words.last()).cloned().unwrap_or_default();
        for (verb, words, has_verb) in &parts {
            let text = words.join(" ");
            let mut named = self.named_part(verb, &text);
            if named.effects.is_empty() {
                named = self.named_part(verb, &format!("{text} {head}"));
            }
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
                at > 0
                    && (segment.len() > 1 || at + 1 < segments.len())
                    && self.is_verb(first)
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
        parts
    }

    /// Returns whether a word is the infinitive of a known verb.
    fn is_verb(&self, word: &str) -> bool {
        let is_plural = word.ends_with('s') && !["access", "process"].contains(&word);
        !is_plural && (self.action_of(word).is_some() || self.alternatives.contains_key(word))
    }

    fn is_resource(&self, words: &str) -> bool {
        self.resources_of(words).iter().any(|name| self.effects.iter().any(|effect| effect.resource == *name))
    }

    /// Returns the effects of one action with one thing.
    fn named_part(&self, action: &str, resource: &str) -> NamedEffects {
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
        let by_action = self.of_readings(action, action);
        if !by_action.effects.is_empty() && self.is_resource(action) {
            let others = self.restriction(
                &plain.split(' ').skip(1).collect::<Vec<_>>(),
                &by_action.effects.keys().cloned().collect(),
            );
            return NamedEffects::new(by_action.effects.into_keys().collect(), others);
        }
        // A phrase and more words: "shell out at night".
        let words: Vec<&str> = plain.split(' ').collect();
        let start = (2..words.len()).rev().find_map(|end| Some((end, by_phrase(&words[..end].join(" "))?)));
        start
            .map(|(end, effects)| {
                let others = self.restriction(&words[end..], &effects);
                NamedEffects::new(effects, others)
            })
            .unwrap_or_default()
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
        for (resources, others) in self.readings(resource) {
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

    /// Returns the ways to read a resource: the common words for it, and the other words.
    fn readings(&self, resource: &str) -> Vec<(BTreeSet<String>, Vec<String>)> {
        let lower = resource.to_lowercase().replace("'s ", " ");
        let words: Vec<&str> = lower.split([' ', '-', '_', '/']).filter(|word| !word.is_empty()).collect();
        let known = |words: &[&str]| -> Option<BTreeSet<String>> {
            let text = words.iter().filter(|word| !SMALL.contains(word)).copied().collect::<Vec<_>>().join(" ");
            let known = self.resources_of(&text);
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
        let end = words.iter().position(ends).unwrap_or(words.len());
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

    /// Returns a phrase without the words that change nothing.
    fn without_neutral(&self, phrase: &str) -> String {
        phrase.split(' ').filter(|word| !self.neutral.contains(*word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the titles of effects that were probably meant by words that name none: with the same or a similar resource, otherwise with
    /// the same action.
    pub(crate) fn suggestions(&self, action: &str, resource: &str) -> Vec<&str> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::contracts::{ContractEffect, Reading, parse};
    use crate::knowledge::Knowledge;

    /// Returns the effects that a line of a contract names.
    fn named(knowledge: &Knowledge, line: &str) -> Vec<String> {
        let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"));
        assert!(contracts.warnings.is_empty(), "{line}: {:?}", contracts.warnings);
        let contract = &contracts.effects[0];
        knowledge.named_effects(&contract.action, &contract.resource).effects.into_keys().collect()
    }

    #[test]
    fn phrases_that_contracts_use_name_their_effect() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let mut wrong = Vec::new();
        for (phrase, effect) in [
            ("make HTTP requests", "http.request"),
            ("make any HTTP request", "http.request"),
            ("perform HTTP calls", "http.request"),
            ("issue web requests", "http.request"),
            ("call external APIs", "http.request"),
            ("call external services", "http.request"),
            ("call third-party APIs", "http.request"),
            ("invoke webhooks", "http.request"),
            ("make network calls", "network.use"),
            ("perform network I/O", "network.use"),
            ("connect to the internet", "network.use"),
            ("open network connections", "network.use"),
            ("contact external servers", "network.use"),
            ("phone home", "network.use"),
            ("open sockets", "socket.open"),
            ("listen on a port", "http.serve"),
            ("serve HTTP", "http.serve"),
            ("send emails to customers", "email.send"),
            ("send e-mail", "email.send"),
            ("email users", "email.send"),
            ("text customers", "sms.send"),
            ("send push notifications", "message.send"),
            ("post to Slack", "message.send"),
            ("charge credit cards", "payment.charge"),
            ("process payments", "payment.charge"),
            ("issue refunds", "payment.charge"),
            ("call an LLM", "ai.request"),
            ("prompt a language model", "ai.request"),
            ("query the database", "database.use"),
            ("write to the database", "database.use"),
            ("modify database records", "database.use"),
            ("execute raw SQL", "sql.execute"),
            ("run queries", "sql.execute"),
            ("enqueue jobs", "queue.publish"),
            ("publish events", "queue.publish"),
            ("upload files to S3", "object.write"),
            ("write to disk", "file.write"),
            ("modify files", "file.write"),
            ("create temporary files", "file.write"),
            ("touch the file system", "filesystem.use"),
            ("delete files", "file.delete"),
            ("remove directories", "file.delete"),
            ("read configuration files", "file.read"),
            ("spawn child processes", "process.run"),
            ("spawn subprocesses", "process.run"),
            ("execute external commands", "process.run"),
            ("execute shell commands", "shell.run"),
            ("shell out", "shell.run"),
            ("use eval", "code.execute"),
            ("evaluate dynamic code", "code.execute"),
            ("load native libraries", "native.load"),
            ("deserialize untrusted data", "data.deserialise"),
            ("unpickle data", "data.deserialise"),
            ("read the current time", "clock.read"),
            ("depend on the system clock", "clock.read"),
            ("use random numbers", "random.generate"),
            ("generate random values", "random.generate"),
            ("read environment variables", "env.read"),
            ("access secrets", "secret.read"),
            ("read credentials", "secret.read"),
            ("log personal data", "log.write"),
            ("write logs", "log.write"),
            ("print to stdout", "log.write"),
            ("send analytics", "telemetry.send"),
            ("track users", "telemetry.send"),
            ("change file permissions", "permission.change"),
            ("escalate privileges", "permission.change"),
        ] {
            let found = named(&knowledge, &format!("MUST NOT {phrase}"));
            if !found.iter().any(|id| id == effect) {
                wrong.push(format!("{phrase} names {found:?}, not {effect}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn each_form_of_a_prohibition_forbids_the_effect_for_all_code() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let mut wrong = Vec::new();
        // The infinitive, the gerund, the thing and the participle.
        for (verb, gerund, thing, done, effect) in [
            ("start", "starting", "processes", "started", "process.run"),
            ("run", "running", "other programs", "run", "process.run"),
            ("send", "sending", "email", "sent", "email.send"),
            ("delete", "deleting", "files", "deleted", "file.delete"),
            ("write", "writing", "files", "written", "file.write"),
            ("make", "making", "HTTP requests", "made", "http.request"),
        ] {
            let be = if thing == "email" { "is" } else { "are" };
            for line in [
                format!("Nothing here may {verb} {thing}."),
                format!("Nothing must {verb} {thing}."),
                format!("Nothing is allowed to {verb} {thing}"),
                format!("Nobody may {verb} {thing} from here."),
                format!("No one may {verb} {thing}"),
                format!("No code here may {verb} {thing}."),
                format!("No module shall {verb} {thing}"),
                format!("No code in this package is allowed to {verb} {thing}"),
                format!("None of the handlers may {verb} {thing}"),
                format!("Neither the parser nor the printer may {verb} {thing}"),
                format!("Not a single handler may {verb} {thing}"),
                format!("No {thing} may be {done}."),
                format!("No {thing} must be {done} here"),
                format!("No {thing} can be {done}"),
                format!("No {thing} are allowed to be {done}"),
                format!("No {thing} {be} {done}"),
                format!("No {thing} {be} ever {done} from here"),
                format!("No {thing} {be} allowed"),
                format!("The code never {verb}s {thing}"),
                format!("The code must not {verb} {thing} here"),
                format!("The code may not {verb} {thing}"),
                format!("The code cannot {verb} {thing}"),
                format!("The code can't {verb} {thing}"),
                format!("The code is not allowed to {verb} {thing}"),
                format!("The code isn't permitted to {verb} {thing}"),
                format!("The code is forbidden to {verb} {thing}"),
                format!("The code is forbidden from {gerund} {thing}"),
                format!("It is forbidden to {verb} {thing}"),
                format!("{gerund} {thing} is forbidden"),
                format!("{gerund} {thing} is not allowed here"),
                format!("The code must work without {gerund} {thing}"),
                format!("The code works without {gerund} {thing}"),
                format!("The code must neither {verb} {thing} nor fail"),
                format!("{thing} {be} never {done}"),
                format!("{thing} must not be {done}"),
                format!("{thing} may never be {done} in this module"),
                format!("{thing} cannot be {done}"),
                format!("{thing} {be} not allowed to be {done}"),
            ] {
                let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"));
                let contract = &contracts.effects[0];
                let named = knowledge.named_effects(&contract.action, &contract.resource);
                let is_right = contracts.effects.len() == 1
                    && contract.modal.forbids()
                    && contract.reading == Reading::Statement
                    && named.effects.get(effect).is_some_and(Option::is_none);
                if !is_right {
                    wrong.push(format!("{line}: {contract:?} {named:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_negation_that_is_not_understood_is_no_permission() {
        for line in [
            "Under no circumstances may the parser write files",
            "At no time may files be deleted",
            "Nothing but the mailer may send email",
            "No code except the mailer may send email",
            "Nothing must not send email",
            "The parser may write files, but not to disk",
        ] {
            let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"));
            let is_understood = |one: &ContractEffect| one.reading != Reading::NotUnderstood && !one.modal.forbids();
            assert!(!contracts.effects.iter().any(is_understood), "{line}: {:?}", contracts.effects);
        }
    }

    #[test]
    fn words_around_a_resource_restrict_it() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        for (action, resource, qualifier) in [
            ("write", "temporary files", Some("temporary")),
            ("send", "emails to customers", Some("customers")),
            ("send", "external http requests", None),
            ("read", "environment variables", None),
            ("send", "notification emails", None),
            ("call", "remote http services", None),
            ("listen", "network port", None),
            ("delete", "files or folders", None),
            ("upload", "s3 or other object storage", None),
            ("read", "files from disk", None),
            ("evaluate", "code at run time", None),
            ("execute", "dynamically generated code", None),
            ("enqueue", "background jobs", None),
            ("send", "e-mail to anyone", None),
            ("write", "files unless asked", Some("unless asked")),
            ("delete", "files outside the temporary folder", Some("temporary folder")),
        ] {
            let named = knowledge.named_effects(action, resource);
            let found: BTreeSet<Option<&str>> = named.effects.values().map(Option::as_deref).collect();
            assert_eq!(found, BTreeSet::from([qualifier]), "{action} {resource}");
        }
    }

    #[test]
    fn each_part_of_a_list_counts() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        for (action, resource, effects, unknown) in [
            ("read", "or write files", &["file.read", "file.write"][..], 0),
            ("read", "secrets or environment variables", &["env.read", "secret.read"], 0),
            ("open", "sockets to other hosts or make network requests", &["http.request", "socket.open"], 0),
            ("write", "files, send email or run programs", &["email.send", "file.write", "process.run"], 0),
            ("use", "file writes", &["file.write"], 0),
            ("written", "uploads to disk", &["file.write"], 0),
            ("send", "email or frobnicate xyzzy", &["email.send"], 1),
            ("send", "email to customers or partners", &["email.send"], 0),
        ] {
            let named = knowledge.named_effects(action, resource);
            assert_eq!(named.effects.keys().collect::<Vec<_>>(), effects, "{action} {resource}");
            assert_eq!(named.unknown.len(), unknown, "{action} {resource}: {:?}", named.unknown);
        }
    }

    #[test]
    fn words_that_name_nothing_have_suggestions() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        for (action, resource, wanted) in [
            ("frobnicate", "blobs", "write object storage"),
            ("send", "emial", "send email"),
            ("delete", "xyzzy", "delete files"),
        ] {
            assert!(!knowledge.names_effect(action, resource));
            let found = knowledge.suggestions(action, resource);
            assert!(found.contains(&wanted), "{action} {resource}: {found:?}");
        }
        assert!(knowledge.suggestions("frobnicate", "xyzzy").is_empty());
    }
}
