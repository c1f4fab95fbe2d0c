//! The rules: formats of secrets as data, tried only where one of their keywords occurs.
//!
//! In: the tables of `config/redaction` and the user's patterns. Out: rules, and the automaton that finds their keywords. A rule is
//! compiled when its keyword is first found, because most of the hundreds of rules are never needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use serde::Deserialize;

use super::RedactError;
use super::calls::Call;
use super::keywords::KeywordSearch;
use super::programs::Program;
use super::words::{self, Words};
use diffsan_config::ExtraPattern;

/// Returns the sources of all built-in rules.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().chain([&COMMANDS, &words::SOURCE]).map(|source| source.text)
}

/// A file of built-in rules.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// The path in the source of diffsan.
    pub(super) file: &'static str,
    pub(super) text: &'static str,
}

impl Source {
    /// Reads the tables of the file.
    pub(super) fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, RedactError> {
        toml::from_str(self.text).map_err(|error| self.error(&error))
    }

    /// Returns the error for a file that cannot be used.
    pub(super) fn error(&self, message: &dyn std::fmt::Display) -> RedactError {
        RedactError::Rules { file: self.file, message: message.to_string() }
    }
}

const COMMANDS: Source =
    Source { file: "config/redaction/commands.toml", text: include_str!("../../../../config/redaction/commands.toml") };

const BUILT_IN: &[Source] = &[
    Source { file: "config/redaction/rules.toml", text: include_str!("../../../../config/redaction/rules.toml") },
    Source { file: "config/redaction/gitleaks.toml", text: include_str!("../../../../config/redaction/gitleaks.toml") },
    Source {
        file: "config/redaction/betterleaks.toml",
        text: include_str!("../../../../config/redaction/betterleaks.toml"),
    },
    Source {
        file: "config/redaction/noseyparker.toml",
        text: include_str!("../../../../config/redaction/noseyparker.toml"),
    },
    Source {
        file: "config/redaction/kingfisher.toml",
        text: include_str!("../../../../config/redaction/kingfisher.toml"),
    },
];
/// The memory limit of a compiled pattern in bytes. Some formats have long counted repetitions.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;
/// The memory limit of a pattern's cache in bytes. Hundreds of patterns may be in use.
const CACHE: usize = 128 * 1024;
/// The usual maximum distance in bytes between a keyword and a secret that does not begin with it.
const REACH: usize = 512;
/// The maximum length of a match in bytes.
const MAX_MATCH_BYTES: usize = 8 * 1024;

/// The maximum number of bytes that a name continues behind the part that a pattern matches.
const MAX_NAME_REST: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    program: Vec<Program>,
    call: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    keywords: Vec<String>,
    /// A pattern that begins where a keyword begins.
    token: Option<String>,
    /// A pattern that matches somewhere around a keyword.
    pattern: Option<String>,
    /// A pattern for the whole value of an assignment whose key contains a keyword.
    value: Option<String>,
    #[serde(default)]
    entropy: f64,
    /// Whether the secret is `user:password` in base64.
    #[serde(default)]
    base64: bool,
    /// The maximum distance in bytes between a keyword and a `pattern` around it, if it is not the usual one.
    reach: Option<usize>,
    /// Whether the secret must not be a word or a name, because the pattern has no other mark of it than the words beside it.
    #[serde(default)]
    random: bool,
}

/// The position of a rule's secret, relative to its keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Token,
    Near,
    Value,
}

/// A format of secrets.
pub(super) struct Rule {
    pub(super) name: Cow<'static, str>,
    pub(super) shape: Shape,
    /// Whether the secret must not follow a word character. Derived from the pattern, it saves most attempts.
    pub(super) boundary: bool,
    /// The maximum distance in bytes between the keyword and the secret.
    pub(super) reach: usize,
    entropy: f64,
    base64: bool,
    random: bool,
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.source).ok()).as_ref()
    }

    /// Returns the secret that begins at a place.
    pub(super) fn at(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        let input = Input::new(text).range(at..text.len().min(at + MAX_MATCH_BYTES)).anchored(Anchored::Yes);
        self.secret(text, input)
    }

    /// Returns the secrets within a part of a text.
    pub(super) fn within(&self, text: &[u8], from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut at = from;
        while at < to
            && let Some((start, end)) = self.secret(text, Input::new(text).range(at..to))
        {
            found.push((start, end));
            at = end.max(at + 1);
        }
        found
    }

    /// Returns whether a value is a secret of this format.
    pub(super) fn is(&self, value: &[u8]) -> bool {
        self.regex().is_none_or(|regex| regex.is_match(Input::new(value).anchored(Anchored::Yes)))
            && entropy(value) >= self.entropy
    }

    fn secret(&self, text: &[u8], input: Input<'_>) -> Option<(usize, usize)> {
        // The pattern was read when the rules were loaded. If it is still not usable, everything that it could match is masked.
        let Some(regex) = self.regex() else { return Some((input.start(), input.end())) };
        // Finding the end of a match is cheap, and mostly there is no match. Groups are only searched within a match.
        let whole = regex.find(input.clone())?;
        let input = input.span(whole.range()).anchored(Anchored::Yes);
        let mut groups = regex.create_captures();
        regex.search_captures(&input, &mut groups);
        let secret = (1..groups.group_len())
            .find_map(|group| groups.get_group(group))
            .filter(|span| !span.is_empty())
            .or_else(|| groups.get_group(0))?;
        let strong = self.entropy <= 0.0 || entropy(&text[secret.range()]) >= self.entropy;
        if self.base64 && !super::encoded::is_user_and_password(&text[secret.range()]) {
            return None;
        }
        if self.random && !is_made_up(&text[secret.range()]) {
            return None;
        }
        // A format of random characters has no name in it: `s.provisionUnderscoreHeaders`.
        // The format may end inside the name.
        let more =
            text[secret.end..].iter().take(MAX_NAME_REST).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = &text[secret.start..secret.end + more];
        let name = name.strip_suffix(b"=").unwrap_or(name);
        let named = self.entropy > 0.0 && super::code::is_name(name);
        (strong && !named && !secret.is_empty()).then_some((secret.start, secret.end))
    }
}

/// The action for a keyword that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A rule is tried.
    Rule(u16),
    /// The key around the keyword is read.
    Key,
    /// The key around the keyword is read if the keyword is a whole word of it.
    Word,
    /// The text has a key block that begins or ends here.
    Block,
    /// A command of this program is read.
    Program(usize),
    /// The arguments of a call are read.
    Call(usize),
}

/// All rules, with their keywords.
pub(super) struct Rules {
    pub(super) all: Vec<Rule>,
    pub(super) programs: Vec<Program>,
    pub(super) calls: Vec<Call>,
    pub(super) keywords: KeywordSearch,
    /// The actions of each keyword, by its index in `keywords`.
    pub(super) actions: Vec<Vec<Action>>,
}

/// Returns the built-in rules, which are loaded once.
pub(super) fn built_in() -> Result<&'static Rules, RedactError> {
    static RULES: OnceLock<Result<Rules, RedactError>> = OnceLock::new();
    RULES.get_or_init(|| load(BUILT_IN, COMMANDS, words::table()?)).as_ref().map_err(Clone::clone)
}

fn load(sources: &[Source], commands: Source, words: &Words) -> Result<Rules, RedactError> {
    let mut all = Vec::new();
    let mut keywords = Keywords::default();
    for source in sources {
        let file: File = source.read()?;
        for entry in file.rule {
            let index = u16::try_from(all.len()).map_err(|error| source.error(&error))?;
            let (shape, pattern) = match (entry.token, entry.pattern, entry.value) {
                (Some(pattern), None, None) => (Shape::Token, pattern),
                (None, Some(pattern), None) => (Shape::Near, pattern),
                (None, None, Some(pattern)) => (Shape::Value, format!("(?:{pattern})$")),
                _ => return Err(source.error(&format!("the rule `{}` has not one pattern", entry.name))),
            };
            // A pattern is compiled when it is first needed. Whether it is valid must be known before anything is sent.
            syntax::parse_with(&pattern, &as_bytes())
                .map_err(|error| source.error(&format!("the pattern of the rule `{}`: {error}", entry.name)))?;
            for keyword in entry.keywords {
                keywords.add(keyword, Action::Rule(index));
            }
            all.push(Rule {
                name: Cow::Owned(entry.name),
                shape,
                boundary: pattern.starts_with(r"\b") || pattern.starts_with(r"(?i:\b"),
                reach: entry.reach.unwrap_or(REACH),
                entropy: entry.entropy,
                base64: entry.base64,
                random: entry.random,
                source: pattern,
                compiled: OnceLock::new(),
            });
        }
    }
    let commands: Commands = commands.read()?;
    for (index, program) in commands.program.iter().enumerate() {
        program.names.iter().for_each(|name| keywords.add(name.clone(), Action::Program(index)));
    }
    for (index, call) in commands.call.iter().enumerate() {
        call.keywords().for_each(|name| keywords.add(name, Action::Call(index)));
    }
    for word in words.endings() {
        keywords.add(word.clone(), Action::Key);
    }
    for word in words.words() {
        keywords.add(word.clone(), Action::Word);
    }
    for mark in super::blocks::MARKS {
        keywords.add((*mark).to_owned(), Action::Block);
    }
    let search = KeywordSearch::new(keywords.words).map_err(|error| RedactError::Engine(error.to_string()))?;
    Ok(Rules { all, programs: commands.program, calls: commands.call, keywords: search, actions: keywords.actions })
}

#[derive(Default)]
struct Keywords {
    words: Vec<String>,
    actions: Vec<Vec<Action>>,
    places: std::collections::HashMap<String, usize>,
}

impl Keywords {
    fn add(&mut self, word: String, action: Action) {
        let at = *self.places.entry(word).or_insert_with_key(|word| {
            self.words.push(word.clone());
            self.actions.push(Vec::new());
            self.words.len() - 1
        });
        if !self.actions[at].contains(&action) {
            self.actions[at].push(action);
        }
    }
}

/// Returns how the patterns of the built-in rules are read: as bytes.
fn as_bytes() -> syntax::Config {
    syntax::Config::new().unicode(false).utf8(false)
}

/// Compiles a pattern.
fn compile(pattern: &str) -> Result<Regex, String> {
    let config = Regex::config()
        .nfa_size_limit(Some(SIZE_LIMIT))
        .which_captures(WhichCaptures::All)
        .utf8_empty(false)
        .hybrid_cache_capacity(CACHE)
        .dfa(false);
    Regex::builder().configure(config).syntax(as_bytes()).build(pattern).map_err(|error| match error.syntax_error() {
        Some(syntax) => syntax.to_string(),
        None => error.to_string(),
    })
}

/// Builds rules from the user's patterns, which are tried everywhere.
pub(super) fn extra(patterns: &[ExtraPattern]) -> Result<Vec<Rule>, RedactError> {
    patterns
        .iter()
        .map(|extra| {
            // These are compiled with Unicode and at once, so that the user learns about an invalid pattern before anything is sent.
            let compiled = Regex::builder()
                .configure(Regex::config().nfa_size_limit(Some(SIZE_LIMIT)))
                .syntax(syntax::Config::new().utf8(false))
                .build(&extra.pattern)
                .map_err(|error| RedactError::Pattern {
                    name: extra.name.clone(),
                    message: error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string),
                })?;
            Ok(Rule {
                name: Cow::Owned(extra.name.clone()),
                shape: Shape::Near,
                boundary: false,
                reach: REACH,
                entropy: 0.0,
                base64: false,
                random: false,
                source: extra.pattern.clone(),
                compiled: OnceLock::from(Some(compiled)),
            })
        })
        .collect()
}

/// Returns whether a value that only its neighbours mark as a secret is neither a word nor a name nor a placeholder.
fn is_made_up(value: &[u8]) -> bool {
    (value.iter().any(u8::is_ascii_digit) || super::values::is_mixed(value))
        && !super::values::is_placeholder(value)
        && !super::code::is_reference(value)
        && !super::code::is_long_name(value, 3)
}

/// Returns the Shannon entropy in bits per byte.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0usize; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let length = bytes.len() as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| count as f64 / length)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_built_in_rules_compile_and_every_keyword_is_lower_case() {
        let rules = load(BUILT_IN, COMMANDS, words::table().expect("words")).expect("rules");
        assert!(rules.all.len() > 450);
        for rule in &rules.all {
            if let Err(error) = compile(&rule.source) {
                panic!("{}: {error}", rule.name);
            }
        }
        for source in BUILT_IN {
            let file: File = source.read().expect("TOML");
            for entry in file.rule {
                assert!(!entry.keywords.is_empty(), "{}", entry.name);
                assert!(
                    entry.keywords.iter().all(|word| word.len() > 1 && *word == word.to_lowercase()),
                    "{}",
                    entry.name
                );
            }
        }
    }

    #[test]
    fn each_rule_that_is_not_applied_has_a_reason() {
        let text = include_str!("../../../../config/redaction/not-masked.toml");
        let table: toml::Table = toml::from_str(text).expect("TOML");
        for entry in table["not_masked"].as_array().expect("entries") {
            assert!(!entry["rules"].as_array().expect("rules").is_empty());
            assert!(entry["reason"].as_str().is_some_and(|reason| reason.len() > 20), "{entry}");
        }
    }

    #[test]
    fn formats_are_found_by_their_prefix() {
        crate::testing::check(
            "notes.txt",
            &[
                "⟦aio_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5D⟧",
                "⟦dp.st.dev.Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiRtYuW⟧",
                "⟦odt_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeU⟧",
                "⟦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⟧",
                "⟦NRIQ-Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeU⟧",
                "⟦sk_0b9c8d7e6f5a41328190a7b6c5d4e3f20b9c8d7e6f5a4132⟧",
                "Authorization: SSWS ⟦00Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiRtYuW⟧",
                "https://thingsboard.example/api/v1/⟦kr7zq2vw9xb4nc6mf8lh⟧/telemetry",
                "\"auth.login_with_api_key\", \"params\": [\"⟦8-Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiRtYuWKr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3⟧\"]",
            ],
        );
    }

    #[test]
    fn a_pattern_that_cannot_be_compiled_masks_all_that_it_could_match() {
        let rule = Rule {
            name: Cow::Borrowed("x"),
            shape: Shape::Token,
            boundary: false,
            reach: REACH,
            entropy: 0.0,
            base64: false,
            random: false,
            source: String::new(),
            compiled: OnceLock::from(None),
        };
        assert_eq!(rule.at(b"a secret", 2), Some((2, 8)));
        assert_eq!(rule.within(b"a secret", 2, 8), [(2, 8)]);
        assert!(rule.is(b"secret"));
    }

    #[test]
    fn a_rule_set_that_cannot_be_read_is_named() {
        let words = words::table().expect("words");
        let error = |sources: &[Source], commands: Source| match load(sources, commands, words) {
            Ok(_) => panic!("the rules were read"),
            Err(error) => error.to_string(),
        };
        let broken = |text| Source { file: "config/redaction/betterleaks.toml", text };
        let message = error(&[BUILT_IN[0], broken("[[rule]]\nname = 7")], COMMANDS);
        assert!(message.contains("betterleaks.toml"), "{message}");
        assert!(message.contains("string"), "{message}");
        let message = error(&[broken("[[rule]]\nname = \"x\"\nkeywords = [\"ab\"]")], COMMANDS);
        assert!(message.contains("betterleaks.toml") && message.contains("the rule `x`"), "{message}");
        let invalid = broken("[[rule]]\nname = \"x\"\nkeywords = [\"ab\"]\ntoken = 'ab('");
        let message = error(&[invalid], COMMANDS);
        assert!(message.contains("betterleaks.toml") && message.contains("the rule `x`"), "{message}");
        assert!(message.contains("unclosed group"), "{message}");
        let message = error(BUILT_IN, Source { text: "[[program]]\n", ..COMMANDS });
        assert!(message.contains("commands.toml") && message.contains("names"), "{message}");
    }
}
