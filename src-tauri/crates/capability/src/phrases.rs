//! The effects that the words of a contract name, and the words that were probably meant.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::{Effect, Knowledge};

/// The maximum number of suggestions for words that name no effect.
const MAX_SUGGESTIONS: usize = 3;
/// The similarity from which a word is probably a misspelling of another one, from 0 to 1.
const SIMILAR: f64 = 0.88;
/// Words before a resource that do not restrict it.
const NEUTRAL: &[&str] = &[
    "external",
    "third",
    "party",
    "remote",
    "outside",
    "outbound",
    "outgoing",
    "new",
    "raw",
    "arbitrary",
    "other",
    "child",
    "current",
    "local",
    "own",
];
/// Resources that things are moved to or from.
const PLACES: &[&str] = &["object storage", "queue", "database", "nosql"];
/// Words that begin a restriction.
const LIMITS: &[&str] =
    &["for", "outside", "inside", "under", "below", "beyond", "within", "without", "that", "which", "by", "about"];
/// Words without a meaning for the effect.
const SMALL: &[&str] =
    &["a", "an", "the", "any", "to", "from", "in", "into", "with", "on", "of", "all", "over", "via", "out", "at"];

/// The effects that the words of a contract name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedEffects {
    /// The effects that the words name. Empty if they name none.
    pub(crate) effects: BTreeSet<String>,
    /// The words that restrict the resource, such as `temporary` of `temporary files`. Code does not show whether they apply.
    pub(crate) qualifier: Option<String>,
}

impl Knowledge {
    /// Returns the effects that a contract's words name: those of a whole phrase, or those with the same resource, and the same action or one that
    /// includes all actions.
    pub(crate) fn named_effects(&self, action: &str, resource: &str) -> NamedEffects {
        if let Some(effects) = self.phrases.get(&normal(&format!("{action} {resource}"))) {
            return NamedEffects { effects: effects.clone(), qualifier: None };
        }
        // "Email users" names the resource by its action.
        let ways = [self.known_resources(resource), self.known_resources(action)];
        let everything = ["*", "anything", "everything"].contains(&resource);
        let action = self.action(action);
        let named = |resources: &BTreeSet<String>| -> BTreeSet<String> {
            let is_named = |effect: &&Effect| {
                (everything || resources.contains(&effect.resource))
                    && (action == effect.action || action == "use" || effect.action == "use" || action == "*")
            };
            self.effects.iter().filter(is_named).map(|effect| effect.id.clone()).collect()
        };
        let readings = ways.into_iter().map(Option::unwrap_or_default);
        let mut readings =
            readings.map(|(resources, qualifier)| NamedEffects { effects: named(&resources), qualifier });
        readings.find(|named| !named.effects.is_empty()).unwrap_or_default()
    }

    /// Returns the common words for a resource, and the words that restrict it: those before or after a known word.
    fn known_resources(&self, resource: &str) -> Option<(BTreeSet<String>, Option<String>)> {
        let words: Vec<&str> = resource.split([' ', '-', '_', '/']).filter(|word| !word.is_empty()).collect();
        // "Files to S3" names the place, "files for customers" restricts the files.
        if let Some(at) = words.iter().position(|word| ["to", "from", "in", "into", "on"].contains(word)) {
            let place = self.resources_of(&words[at + 1..].join(" "));
            if place.iter().any(|name| PLACES.contains(&name.as_str())) {
                let things = ["file", "object", "document", "image", "data"];
                let other = |word: &&str| {
                    !NEUTRAL.contains(word) && !singulars(word).iter().any(|one| things.contains(&one.as_str()))
                };
                let others: Vec<&str> = words[..at].iter().copied().filter(other).collect();
                return Some((place, (!others.is_empty()).then(|| others.join(" "))));
            }
        }
        let ends = |word: &&str| SMALL.contains(word) || LIMITS.contains(word);
        let end = words.iter().position(ends).unwrap_or(words.len());
        // The longest known words count, and the whole text before a part of it.
        let mut parts = std::iter::once((0, words.len())).chain((0..end).map(|start| (start, end)));
        parts.find_map(|(start, end)| {
            let known = self.resources_of(&words[start..end].join(" "));
            let exists = known.iter().any(|name| self.effects.iter().any(|effect| effect.resource == *name));
            let others = words[..start].iter().chain(&words[end..]);
            let others: Vec<&str> =
                others.copied().filter(|word| !NEUTRAL.contains(word) && !SMALL.contains(word)).collect();
            exists.then(|| (known, (!others.is_empty()).then(|| others.join(" "))))
        })
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

/// Returns a phrase without small words, in lower case, with its words in the singular.
fn normal(phrase: &str) -> String {
    let phrase = phrase.to_lowercase().replace(['-', '_', '/'], " ");
    let words = phrase.split_whitespace().filter(|word| !SMALL.contains(word));
    words.map(|word| singulars(word).pop().unwrap_or_default()).collect::<Vec<_>>().join(" ")
}

/// Returns a word or phrase, and its possible singular forms, the best one last.
pub(crate) fn singulars(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    if let Some(rest) = word.strip_suffix("ies") {
        all.push(format!("{rest}y"));
    } else if let Some(rest) = word.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s')) {
        all.extend(rest.strip_suffix('e').filter(|rest| rest.ends_with("ss")).map(str::to_owned));
        if all.len() == 1 {
            all.push(rest.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::contracts::parse;
    use crate::knowledge::Knowledge;

    /// Returns the effects that a line of a contract names.
    fn named(knowledge: &Knowledge, line: &str) -> Vec<String> {
        let contracts = parse("README.md", &format!("<capabilities>\n{line}\n</capabilities>"));
        assert!(contracts.warnings.is_empty(), "{line}: {:?}", contracts.warnings);
        let contract = &contracts.effects[0];
        knowledge.named_effects(&contract.action, &contract.resource).effects.into_iter().collect()
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
    fn words_around_a_resource_restrict_it() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        for (action, resource, qualifier) in [
            ("write", "temporary files", Some("temporary")),
            ("send", "emails to customers", Some("customers")),
            ("send", "external http requests", None),
            ("read", "environment variables", None),
            ("send", "notification emails", None),
        ] {
            let named = knowledge.named_effects(action, resource);
            assert_eq!(named.qualifier.as_deref(), qualifier, "{action} {resource}");
            assert!(!named.effects.is_empty(), "{action} {resource}");
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
            assert_eq!(knowledge.named_effects(action, resource), super::NamedEffects::default());
            let found = knowledge.suggestions(action, resource);
            assert!(found.contains(&wanted), "{action} {resource}: {found:?}");
        }
        assert!(knowledge.suggestions("frobnicate", "xyzzy").is_empty());
    }
}
