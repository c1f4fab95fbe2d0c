//! The words by which a key is recognised as naming a secret, and values that are clearly not secrets: `config/redaction/words.toml`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::RedactError;
use super::key_words::{Endings, KeyWords, Pairs, split};
use super::rules::Source;

pub(super) const SOURCE: Source =
    Source { file: "config/redaction/words.toml", text: include_str!("../../../../config/redaction/words.toml") };

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    keys: Keys,
    values: Values,
    prompts: Prompts,
    options: Options,
    users: Users,
}

/// The names of users, and of the fields with them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Users {
    tables: Vec<String>,
    labels: FxHashSet<String>,
    accounts: Vec<String>,
}

/// The names by which programs declare an option with a default.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    calls: FxHashSet<String>,
    positional: FxHashSet<String>,
    defaults: FxHashSet<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    secret: FxHashSet<String>,
    last: FxHashSet<String>,
    pairs: Pairs,
    endings: Endings,
    weak: FxHashSet<String>,
    weak_ends: FxHashSet<String>,
    objects: FxHashSet<String>,
    harmless_ends: FxHashSet<String>,
    harmless: FxHashSet<String>,
    harmless_keys: FxHashSet<String>,
    passwords: FxHashSet<String>,
    password_endings: Vec<String>,
    harmless_pairs: Pairs,
    key_ids: Vec<String>,
    caches: Pairs,
    signing: Pairs,
    forms: Pairs,
    qualifiers: FxHashSet<String>,
    containers: FxHashSet<String>,
    fields: FxHashSet<String>,
    weak_pairs: Pairs,
    beside_secrets: FxHashSet<String>,
    certain_pairs: Pairs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    exact: FxHashSet<String>,
    chosen: FxHashSet<String>,
    parts: Vec<String>,
    ends: Vec<String>,
    references: Vec<String>,
    made_up: Vec<String>,
    examples: FxHashSet<String>,
    techniques: FxHashSet<String>,
    names: FxHashSet<String>,
    sentence: FxHashSet<String>,
    messages: FxHashSet<String>,
    fillers: FxHashSet<String>,
}

/// The words of values that tell a reader to put a secret there.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompts {
    instructions: FxHashSet<String>,
    whose: FxHashSet<String>,
    nouns: FxHashSet<String>,
}

impl Prompts {
    /// Returns whether a value in lower case tells the reader to put a secret there: `dein-passwort`.
    fn contain(&self, lower: &str) -> bool {
        let words = || lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        words().nth(1).is_some()
            && (words().any(|word| self.instructions.contains(word))
                || [words().next(), words().next_back()].into_iter().flatten().any(|word| self.whose.contains(word))
                    && words().any(|word| self.nouns.contains(word)))
    }
}

/// The tables of words.
#[derive(Default)]
pub(super) struct Words {
    keys: Keys,
    exact: FxHashSet<String>,
    /// The placeholders that people choose as passwords.
    chosen: FxHashSet<String>,
    parts: Option<AhoCorasick>,
    ends: Vec<String>,
    references: Option<AhoCorasick>,
    made_up: Vec<String>,
    examples: FxHashSet<String>,
    techniques: FxHashSet<String>,
    prompts: Prompts,
    options: Options,
    users: Users,
    /// The words of names in code.
    names: FxHashSet<String>,
    /// The words of sentences and labels.
    sentence: FxHashSet<String>,
    /// The words of messages that passphrases may have, too.
    messages: FxHashSet<String>,
    /// The words of sentences that tell nothing about a password.
    fillers: FxHashSet<String>,
}

static TABLE: LazyLock<Result<Words, RedactError>> = LazyLock::new(|| load(SOURCE));

/// Returns the tables, or the reason why they cannot be read. Without them no engine can be created.
pub(super) fn table() -> Result<&'static Words, RedactError> {
    TABLE.as_ref().map_err(Clone::clone)
}

/// The tables, for the functions of an engine. They are empty only if no engine exists, because [`table`] has failed.
pub(super) static WORDS: LazyLock<&'static Words> = LazyLock::new(|| {
    static NONE: LazyLock<Words> = LazyLock::new(Words::default);
    table().unwrap_or(&NONE)
});

fn load(source: Source) -> Result<Words, RedactError> {
    let file: File = source.read()?;
    let values = file.values;
    let search = |words: &[String]| short_search().build(words).map(Some).map_err(|error| source.error(&error));
    Ok(Words {
        keys: file.keys,
        exact: values.exact,
        chosen: values.chosen,
        parts: search(&values.parts)?,
        references: search(&values.references)?,
        ends: values.ends,
        made_up: values.made_up,
        examples: values.examples,
        techniques: values.techniques,
        prompts: file.prompts,
        options: file.options,
        users: file.users,
        names: values.names,
        sentence: values.sentence,
        messages: values.messages,
        fillers: values.fillers,
    })
}

/// Returns how a search for words in short texts is built: such a search takes no time to start, and little memory for few words.
pub(super) fn short_search() -> aho_corasick::AhoCorasickBuilder {
    let mut builder = AhoCorasick::builder();
    builder.kind(Some(AhoCorasickKind::DFA)).prefilter(false);
    builder
}

/// The maximum length of the words that people choose as passwords, in bytes.
const LONGEST_CHOSEN: usize = 16;

/// The maximum length of the name of an algorithm in bytes.
const LONGEST_TECHNIQUE: usize = 24;

/// The certainty that a key names a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// The value is a secret.
    Secret,
    /// The value is a secret if it looks like one.
    Weak,
    /// The key describes a secret without containing it, or has nothing to do with secrets.
    None,
}

impl Words {
    /// Returns the words of which a key must contain one to be read, as a whole word. Other keys are skipped fast. [`Self::endings`] may
    /// also be part of a longer word.
    pub(super) fn words(&self) -> impl Iterator<Item = &String> {
        self.keys.secret.iter().chain(&self.keys.last).chain(&self.keys.weak).chain(self.keys.pairs.seconds())
    }

    /// Returns the endings of words that name a secret.
    pub(super) fn endings(&self) -> impl Iterator<Item = &String> {
        self.keys.endings.all.iter()
    }

    /// Returns the worth of a key.
    pub(super) fn worth(&self, key: &[u8]) -> Worth {
        let keys = &self.keys;
        let mut words = split(key);
        words.drop_form(&keys.forms);
        let Some(last) = words.last() else { return Worth::None };
        // `<credential-reference clear-text="…" />`
        if words.len() == 2 && keys.forms.contains(words.word(0), last) && words.word(0) == "clear" {
            return Worth::Secret;
        }
        let password = keys.passwords.contains(last);
        let harmless = |word: &str| keys.harmless.contains(word) || !password && keys.harmless_keys.contains(word);
        let has_pair = |from: usize, pairs: &Pairs| {
            words.iter_from(from).zip(words.iter_from(from + 1)).any(|(one, two)| pairs.contains(one, two))
        };
        if words.iter().any(harmless)
            || has_pair(0, &keys.harmless_pairs)
            || words.len() > 1 && keys.harmless_ends.contains(last)
        {
            return if words.len() < 4 && has_pair(0, &keys.weak_pairs) { Worth::Weak } else { Worth::None };
        }
        // A key of many words is a sentence; only its last words can name a secret.
        let from = if words.len() > 4 { words.len() - 3 } else { 0 };
        let names = |word: &str| {
            keys.last.contains(word) && word == last || keys.secret.contains(word) || keys.endings.contain_end_of(word)
        };
        if has_pair(from, &keys.certain_pairs) {
            return Worth::Secret;
        }
        if words.iter_from(from).any(names) || has_pair(from, &keys.pairs) {
            let is_weak = self.ends_weakly(&words) || self.is_constant_about_one(key, &words);
            return if is_weak { Worth::Weak } else { Worth::Secret };
        }
        if words.iter_from(from).any(|word| keys.weak.contains(word)) { Worth::Weak } else { Worth::None }
    }

    /// Returns whether a key is the name of a constant in the style of C++ and Objective-C that only begins with a secret: `kSecretMenuSequence`.
    fn is_constant_about_one(&self, key: &[u8], words: &KeyWords) -> bool {
        let mut name = words.iter().rev().skip_while(|word| self.keys.qualifiers.contains(*word));
        matches!(key, [b'k', second, ..] if second.is_ascii_uppercase())
            && name.next().is_some_and(|last| self.worth(last.as_bytes()) == Worth::None)
            && words.len() > 2
    }

    fn ends_weakly(&self, words: &KeyWords) -> bool {
        words.len() > 1 && words.last().is_some_and(|last| self.keys.weak_ends.contains(last))
    }

    /// Returns whether a key is the name of the hash of a secret: `password_hash`.
    pub(super) fn names_a_hash(&self, key: &[u8]) -> bool {
        self.worth(key) == Worth::Weak && self.ends_weakly(&split(key))
    }

    /// Returns whether a key is the name of a password, by its last word.
    pub(super) fn names_a_password(&self, key: &[u8]) -> bool {
        // The value of `secret` is often the name of one.
        let names =
            |last: &str| self.keys.passwords.iter().any(|word| word != "secret" && last.ends_with(word.as_str()));
        let mut words = split(key);
        words.drop_form(&self.keys.forms);
        while words.len() > 1 && words.last().is_some_and(|last| self.keys.qualifiers.contains(last)) {
            words.drop_last();
        }
        words.last().is_some_and(names) || self.keys.password_endings.iter().any(|end| words.joined().ends_with(end))
    }

    /// Returns whether a name in code is the one of a field for a password: `passwordInput`.
    pub(super) fn names_a_field(&self, name: &[u8]) -> bool {
        let mut words = split(name);
        let is_field = words.len() > 1 && words.last().is_some_and(|last| self.keys.fields.contains(last));
        words.drop_last();
        is_field && words.last().is_some_and(|last| self.names_a_password(last.as_bytes()))
    }

    /// Returns whether a key names bytes that go with a secret and are none: the initial vector of a cipher.
    pub(super) fn goes_with_a_secret(&self, key: &[u8]) -> bool {
        split(key).last().is_some_and(|last| self.keys.beside_secrets.contains(last))
    }

    /// Returns whether a text in lower case is the name of a field or a label with the name of a user.
    pub(super) fn names_a_user(&self, lower: &str) -> bool {
        self.users.labels.contains(lower)
    }

    /// Returns the words with which the key of a table of users and their passwords ends.
    pub(super) fn tables_of_users(&self) -> &[String] {
        &self.users.tables
    }

    /// Returns the names of users that most systems have.
    pub(super) fn accounts(&self) -> &[String] {
        &self.users.accounts
    }

    /// Returns whether a text is the name of a user that most systems have.
    pub(super) fn is_account(&self, name: &str) -> bool {
        let is_same = |account: &String| account == name || account.eq_ignore_ascii_case(name);
        self.users.accounts.iter().any(is_same)
    }

    /// Returns whether a function or macro declares an option of a program, by its name in lower case.
    pub(super) fn declares_option(&self, name: &str) -> bool {
        self.options.calls.contains(name) || self.options.positional.contains(name)
    }

    /// Returns whether the default of an option is the argument behind its name.
    pub(super) fn declares_by_position(&self, name: &str) -> bool {
        self.options.positional.contains(name)
    }

    /// Returns whether an argument or a method has the default of an option, by its name in lower case.
    pub(super) fn is_default(&self, name: &str) -> bool {
        self.options.defaults.contains(name)
    }

    /// Returns whether a key names the secrets of several users or services.
    pub(super) fn names_a_container(&self, key: &[u8]) -> bool {
        split(key).last().is_some_and(|last| self.keys.containers.contains(last))
    }

    /// Returns whether a word is one of those that names in code consist of. A plural counts as its singular.
    pub(super) fn is_of_names(&self, word: &str) -> bool {
        self.names.contains(word) || word.strip_suffix('s').is_some_and(|one| self.names.contains(one))
    }

    /// Returns whether a word in lower case is one of a sentence or label about secrets.
    pub(super) fn is_of_sentences(&self, word: &str) -> bool {
        self.sentence.contains(word)
    }

    /// Returns whether a word in lower case is one of a message or an instruction.
    pub(super) fn is_of_messages(&self, word: &str) -> bool {
        self.sentence.contains(word) || self.messages.contains(word)
    }

    /// Returns whether a word in lower case is an article, a preposition or the like, which passphrases have, too.
    pub(super) fn is_filler(&self, word: &str) -> bool {
        self.fillers.contains(word)
    }

    /// Returns whether a key names a secret that people choose as several words: a password, or one of which nothing else is said.
    pub(super) fn names_a_phrase(&self, key: &[u8]) -> bool {
        self.names_a_password(key) || split(key).last() == Some("secret")
    }

    /// Returns whether a value is the name of a secret, by its last word: `DB_PASSWORD`, `github-token`.
    pub(super) fn names_a_secret(&self, value: &[u8]) -> bool {
        split(value).last().is_some_and(|last| self.keys.passwords.contains(last) || self.keys.objects.contains(last))
    }

    /// Returns whether a value is the name of a secret in a form of writing: `TimeOtp-Secret-Base32`, `x-api-key-sha256`.
    pub(super) fn names_the_form_of_a_secret(&self, value: &[u8]) -> bool {
        const FORMS: &[&str] = &["base", "hex", "utf", "ascii", "sha", "md", "jwt", "der", "pem"];
        if !value.is_ascii() || value.iter().any(|byte| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte)) {
            return false;
        }
        let mut words = split(value);
        if words.len() < 3 || !words.last().is_some_and(|last| FORMS.contains(&last)) {
            return false;
        }
        words.drop_last();
        words.last().is_some_and(|last| self.keys.passwords.contains(last) || self.keys.objects.contains(last))
    }

    /// Returns whether a word may name an object: `token`.
    pub(super) fn is_object(&self, word: &str) -> bool {
        self.keys.objects.contains(word)
    }

    /// Returns whether a key can also name an object, such as a cache, so that its value may be a name: `shared-key`.
    pub(super) fn names_an_object(&self, key: &[u8]) -> bool {
        !self.names_a_password(key) && split(key).last().is_some_and(|last| self.keys.objects.contains(last))
    }

    /// Returns whether a key of source code can also name an entry of a store: `storageKey`.
    pub(super) fn names_an_entry(&self, key: &[u8]) -> bool {
        !self.signs(key) && split(key).last().is_some_and(|last| last == "key")
    }

    /// Returns whether a key names a cache of builds, whose value is a name also if it has only two words.
    pub(super) fn names_a_cache(&self, key: &[u8]) -> bool {
        let words = split(key);
        words.len() == 2 && words.iter().zip(words.iter_from(1)).any(|(one, two)| self.keys.caches.contains(one, two))
    }

    /// Returns whether a key names a secret by which a program signs or encrypts, by its last words.
    pub(super) fn signs(&self, key: &[u8]) -> bool {
        let words = split(key);
        let from = words.len().saturating_sub(2);
        words.iter_from(from).zip(words.iter_from(from + 1)).any(|(one, two)| self.keys.signing.contains(one, two))
    }

    /// Returns the words that made-up secrets of tests consist of.
    pub(super) fn made_up(&self) -> &[String] {
        &self.made_up
    }

    /// Returns whether a key names a password and its value is a word that people choose as one.
    pub(super) fn is_chosen(&self, key: &[u8], value: &[u8]) -> bool {
        let chosen = || std::str::from_utf8(value).is_ok_and(|value| self.chosen.contains(&value.to_ascii_lowercase()));
        value.len() <= LONGEST_CHOSEN && chosen() && self.names_a_password(key)
    }

    /// Returns whether a standard publishes a value as an example.
    pub(super) fn is_example(&self, value: &[u8]) -> bool {
        std::str::from_utf8(value).is_ok_and(|value| self.examples.contains(value))
    }

    /// Returns whether a value is the name of an algorithm, a format or a store of secrets.
    pub(super) fn is_technique(&self, value: &[u8]) -> bool {
        value.len() <= LONGEST_TECHNIQUE
            && std::str::from_utf8(value).is_ok_and(|value| self.techniques.contains(&value.to_ascii_lowercase()))
    }

    /// Returns whether a key can hold the number of a public key.
    pub(super) fn names_a_key_id(&self, key: &[u8]) -> bool {
        let words = split(key);
        self.keys.key_ids.iter().any(|word| words.joined().contains(word.as_str()))
    }

    /// Returns whether a value, in lower case, ends like a placeholder: `a_token_here>`.
    fn ends_like_one(&self, lower: &str) -> bool {
        let value = lower.trim_end_matches(|char: char| !char.is_alphanumeric());
        self.ends.iter().any(|end| value.ends_with(end))
    }

    /// Returns whether a value, in lower case, refers to a secret elsewhere: `!vault |`, but not `0perator!vault`.
    fn refers_to_one(&self, lower: &str) -> bool {
        let begins_word = |at: usize| !lower[..at].ends_with(|char: char| char.is_alphanumeric());
        let mut found = self.references.iter().flat_map(|references| references.find_overlapping_iter(lower));
        found.any(|found| begins_word(found.start()))
    }

    /// Returns whether a value, in lower case, is a placeholder.
    pub(super) fn stands_for_one(&self, lower: &str) -> bool {
        self.exact.contains(lower)
            || self.chosen.contains(lower)
            || self.prompts.contain(lower)
            || self.parts.as_ref().is_some_and(|parts| parts.is_match(lower))
            || self.ends_like_one(lower)
            || self.refers_to_one(lower)
    }
}

/// Returns a word with its letters in lower case, with a capital, and in upper case. Those of ASCII stay in lower case, because the search
/// for keywords ignores their case.
pub(super) fn forms(word: &str) -> [String; 3] {
    let upper = |char: char| if char.is_ascii() { char.to_string() } else { char.to_uppercase().to_string() };
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().map(upper).collect();
    [word.to_owned(), first + letters.as_str(), word.chars().map(upper).collect()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        assert!(table().expect("words").keys.secret.contains("password"));
        assert!(WORDS.words().any(|word| word == "pass"));
    }

    #[test]
    fn a_table_that_cannot_be_read_is_named() {
        let Err(error) = load(Source { text: "[keys]\nsecret = 3", ..SOURCE }) else { panic!("the table was read") };
        let message = error.to_string();
        assert!(message.contains("words.toml"), "{message}");
    }

    #[test]
    fn keys_are_judged_by_their_words() {
        for (key, worth) in [
            ("password", Worth::Secret),
            ("DB_PASSWORD", Worth::Secret),
            ("dbPassword2", Worth::Secret),
            ("spring.datasource.password", Worth::Secret),
            ("clientsecret", Worth::Secret),
            ("X-Api-Key", Worth::Secret),
            ("PasswordInClearText", Worth::Secret),
            ("passwordText", Worth::None),
            ("clear-text", Worth::Secret),
            ("security_answer", Worth::Secret),
            ("stripeApiKey", Worth::Secret),
            ("key", Worth::Weak),
            ("server.ssl.key-store-password", Worth::Secret),
            ("primary_db_password", Worth::Secret),
            ("primary_key", Worth::None),
            ("aws_session", Worth::Weak),
            ("password_length", Worth::None),
            ("public_key", Worth::None),
            ("max_tokens", Worth::None),
            ("tokenType", Worth::None),
            ("compass", Worth::None),
            ("monkey", Worth::None),
            ("author", Worth::None),
            ("SUPublicEDKey", Worth::None),
            ("DBPassword", Worth::Secret),
            ("password_hash", Worth::Weak),
            ("token_rotation_v2", Worth::None),
            ("apiKeyV2", Worth::Secret),
            ("SecretsFilter", Worth::None),
            ("motDePasse", Worth::Secret),
            ("db_contraseña", Worth::Secret),
            ("ПАРОЛЬ_БД", Worth::Secret),
            ("用户密码", Worth::Secret),
            ("palabras_clave", Worth::None),
            ("kSecretMenuSequence", Worth::Weak),
            ("kSecretMenuCombo", Worth::None),
            ("kApiKey", Worth::Secret),
            ("kPasswordProd", Worth::Secret),
            ("password_encryption", Worth::Weak),
        ] {
            assert_eq!(WORDS.worth(key.as_bytes()), worth, "{key}");
        }
    }

    #[test]
    fn the_last_word_of_a_key_names_a_password_before_qualifiers() {
        for key in ["password", "PasswordInClearText", "DB_PASSWORD_PROD", "smtp_pass", "mysqli.default_pw"] {
            assert!(WORDS.names_a_password(key.as_bytes()), "{key}");
        }
        for key in ["prod", "token", "password_field", "passport"] {
            assert!(!WORDS.names_a_password(key.as_bytes()), "{key}");
        }
    }
}
