//! The rules: formats of secrets as data, tried only where one of their keywords occurs.
//!
//! In: the tables of `config/redaction`, which the build script has checked, and the user's patterns. Out: rules, and the search for their
//! keywords. A rule is compiled when its first bytes are first found, because most of the hundreds of rules are never needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::RedactError;
use super::calls::Call;
use super::keywords::{ByteSet, Keyword, KeywordSearch};
use super::programs::Program;
use super::prose::{self, Noun, Prose};
use super::words::{self, Words};
use diffsan_config::ExtraPattern;

include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// A format of `config/redaction`, as the build script writes it.
pub(super) struct Format {
    name: &'static str,
    keywords: &'static [&'static str],
    shape: Shape,
    pattern: &'static str,
    /// The bytes that a match can begin with, as indexes into [`BYTE_SETS`].
    head: &'static [u16],
    /// The number of bytes in which one of [`NOUNS`] must begin. Zero if the pattern has no such part.
    noun_within: usize,
    boundary: bool,
    reach: usize,
    entropy: f64,
    base64: bool,
    random: bool,
}

/// Adds everything that decides what the built-in rules mask to a digest.
pub(super) fn add_to(digest: &mut Sha256) {
    for format in FORMATS {
        // Fields end with a byte that none of them has.
        for text in [format.name, format.pattern].iter().chain(format.keywords) {
            digest.update(text);
            digest.update([0]);
        }
        digest.update(format.entropy.to_le_bytes());
        digest.update(format.reach.to_le_bytes());
        digest.update([format.shape as u8, u8::from(format.base64), u8::from(format.random)]);
    }
    for source in [&COMMANDS, &words::SOURCE, &prose::SOURCE] {
        digest.update(source.text);
    }
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

/// The memory limit of a compiled pattern in bytes. Some formats have long counted repetitions.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;
/// The memory limit of a pattern's cache in bytes. Hundreds of patterns may be in use.
const CACHE: usize = 128 * 1024;
/// The distance in bytes around a keyword that is read for a pattern without keywords of its own.
const REACH: usize = 512;
/// The maximum length of a match in bytes.
const MAX_MATCH_BYTES: usize = 8 * 1024;

/// The maximum number of bytes that a name continues behind the part that a pattern matches.
const MAX_NAME_REST: usize = 64;

/// The length of the longest of [`NOUNS`] in bytes.
const LONGEST_NOUN: usize = 7;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    program: Vec<Program>,
    call: Vec<Call>,
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
    /// The bytes that a match can begin with. The pattern need not be tried where others are.
    head: &'static [u16],
    /// The number of bytes in which a word such as `key` must begin. Zero if no such word is needed.
    noun_within: usize,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(self.pattern).ok()).as_ref()
    }

    /// Returns whether a match can begin with these bytes. This is much faster than the pattern, and mostly decides.
    pub(super) fn can_begin(&self, text: &[u8]) -> bool {
        text.len() >= self.head.len()
            && self.head.iter().zip(text).all(|(set, byte)| is_in_set(*set, *byte))
            && (self.noun_within == 0 || has_noun(&text[..text.len().min(self.noun_within + LONGEST_NOUN)]))
    }

    /// Returns the secret that begins at a place.
    pub(super) fn at(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        if !self.can_begin(&text[at..]) {
            return None;
        }
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
        self.can_begin(value)
            && self.regex().is_none_or(|regex| regex.is_match(Input::new(value).anchored(Anchored::Yes)))
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
    Rule(usize),
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
    /// The string that becomes an array of characters is read.
    CharArray,
    /// The numbers that are assigned to the name around the keyword are read.
    Bytes,
    /// The rows of a statement are read.
    Insert,
    /// The rows in an annotation are read.
    Rows,
    /// The sentence around the keyword is read.
    Prose(Noun),
    /// The password behind a user and a slash or colon is read.
    BesideUser,
}

/// All rules, with their keywords.
pub(super) struct Rules {
    pub(super) all: Vec<Rule>,
    pub(super) programs: Vec<Program>,
    pub(super) calls: Vec<Call>,
    pub(super) prose: Prose,
    pub(super) keywords: KeywordSearch,
    /// The actions of each keyword, by its index in `keywords`.
    pub(super) actions: Vec<Vec<Action>>,
}

/// Returns the built-in rules, which are loaded once.
pub(super) fn built_in() -> Result<&'static Rules, RedactError> {
    static RULES: OnceLock<Result<Rules, RedactError>> = OnceLock::new();
    RULES.get_or_init(|| load(COMMANDS, words::table()?)).as_ref().map_err(Clone::clone)
}

fn load(commands: Source, words: &Words) -> Result<Rules, RedactError> {
    let mut all = Vec::with_capacity(FORMATS.len());
    let mut keywords = Keywords::default();
    for (index, format) in FORMATS.iter().enumerate() {
        for keyword in format.keywords {
            keywords.add(keyword, Action::Rule(index));
        }
        all.push(Rule {
            name: Cow::Borrowed(format.name),
            shape: format.shape,
            boundary: format.boundary,
            reach: format.reach,
            entropy: format.entropy,
            base64: format.base64,
            random: format.random,
            head: format.head,
            noun_within: format.noun_within,
            pattern: format.pattern,
            compiled: OnceLock::new(),
        });
    }
    let commands: Commands = commands.read()?;
    for (index, program) in commands.program.iter().enumerate() {
        program.names.iter().for_each(|name| keywords.add(name, Action::Program(index)));
    }
    for (index, call) in commands.call.iter().enumerate() {
        call.keywords().for_each(|name| keywords.add(&name, Action::Call(index)));
    }
    for word in words.endings().flat_map(|word| words::forms(word)) {
        keywords.add(&word, Action::Key);
    }
    for word in words.words().flat_map(|word| words::forms(word)) {
        keywords.add(&word, Action::Word);
    }
    let prose = prose::read()?;
    for (word, noun) in prose.keywords() {
        keywords.add(&word, Action::Prose(noun));
    }
    for words in prose.users_with_sign() {
        keywords.add(&words, Action::BesideUser);
    }
    keywords.add(super::calls::CHAR_ARRAY, Action::CharArray);
    for word in super::bytes::KEYWORDS {
        keywords.add(word, Action::Bytes);
    }
    for words in super::inserts::KEYWORDS {
        keywords.add(words, Action::Insert);
    }
    for word in super::tables::ANNOTATIONS {
        keywords.add(word, Action::Rows);
    }
    for mark in super::blocks::MARKS {
        keywords.add(mark, Action::Block);
    }
    let begins: Vec<Vec<ByteSet>> = keywords.actions.iter().map(|actions| begins(actions, &all)).collect();
    let words = keywords.words.into_iter().zip(begins).map(|(text, begins)| Keyword { text, begins });
    let search = KeywordSearch::new(words.collect());
    Ok(Rules {
        all,
        programs: commands.program,
        calls: commands.call,
        prose,
        keywords: search,
        actions: keywords.actions,
    })
}

/// The maximum number of first bytes that are tested when a keyword is found. Few bytes decide nearly always.
const MAX_BEGINS: usize = 4;

/// Returns the bytes that a text must begin with so that one of the actions of a keyword can find something. The list is empty if an action
/// does not depend on them.
fn begins(actions: &[Action], rules: &[Rule]) -> Vec<ByteSet> {
    let mut begins: Option<Vec<ByteSet>> = None;
    for action in actions {
        let Action::Rule(index) = *action else { return Vec::new() };
        let rule = &rules[index];
        if rule.shape != Shape::Token {
            return Vec::new();
        }
        let head = rule.head.iter().take(MAX_BEGINS).map(|set| BYTE_SETS[usize::from(*set)]);
        match &mut begins {
            None => begins = Some(head.collect()),
            Some(begins) => {
                begins.truncate(rule.head.len());
                for (all, set) in begins.iter_mut().zip(head) {
                    all.iter_mut().zip(set).for_each(|(all, bits)| *all |= bits);
                }
            }
        }
    }
    begins.unwrap_or_default()
}

#[derive(Default)]
struct Keywords {
    words: Vec<String>,
    actions: Vec<Vec<Action>>,
    places: FxHashMap<String, usize>,
}

impl Keywords {
    fn add(&mut self, word: &str, action: Action) {
        let at = match self.places.get(word) {
            Some(at) => *at,
            None => {
                self.places.insert(word.to_owned(), self.words.len());
                self.words.push(word.to_owned());
                self.actions.push(Vec::new());
                self.words.len() - 1
            }
        };
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
                head: &[],
                noun_within: 0,
                pattern: "",
                compiled: OnceLock::from(Some(compiled)),
            })
        })
        .collect()
}

/// Returns whether one of [`BYTE_SETS`] contains a byte.
fn is_in_set(set: u16, byte: u8) -> bool {
    BYTE_SETS[usize::from(set)][usize::from(byte >> 6)] & 1 << (byte & 63) != 0
}

/// Returns whether a text contains one of the words that many patterns need near the name of a product.
fn has_noun(text: &[u8]) -> bool {
    let begins = |at: usize| {
        NOUNS
            .iter()
            .any(|noun| text.get(at..at + noun.len()).is_some_and(|part| part.eq_ignore_ascii_case(noun.as_bytes())))
    };
    // The first two letters of the words, in lower case, decide nearly always.
    let may_begin = |two: &[u8]| {
        matches!(
            [two[0] | 0x20, two[1] | 0x20],
            [b's', b'e'] | [b'p', b'r'] | [b'a', b'c'] | [b'k', b'e'] | [b't', b'o']
        )
    };
    text.windows(2).enumerate().any(|(at, two)| may_begin(two) && begins(at))
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
    fn all_built_in_rules_compile() {
        assert!(FORMATS.len() > 1_300);
        for format in FORMATS {
            if let Err(error) = compile(format.pattern) {
                panic!("{}: {error}", format.name);
            }
        }
    }

    #[test]
    fn the_first_bytes_of_a_format_are_those_of_its_pattern() {
        for format in FORMATS.iter().filter(|format| !format.head.is_empty()) {
            let regex = compile(format.pattern).expect("a pattern");
            let (mut head, mut other) = (Vec::new(), Vec::new());
            for &set in format.head {
                let contains = |byte: &u8| is_in_set(set, *byte);
                head.extend((0..=255u8).find(contains));
                other.push((0..=255u8).find(|byte| !contains(byte)));
            }
            // Bytes that the head allows may begin a match. Bytes that it refuses may not.
            for (at, byte) in other.iter().enumerate().filter_map(|(at, byte)| byte.map(|byte| (at, byte))) {
                let mut text = head.clone();
                text[at] = byte;
                text.extend([b'a'; 64]);
                let found = regex.find(Input::new(&text).anchored(Anchored::Yes));
                assert_eq!(found, None, "{}: {:?}", format.name, String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn a_rule_that_finds_no_secret_is_not_applied() {
        assert!(FORMATS.iter().any(|format| format.name == "plivo-auth-token"), "a rule of the same table");
        assert!(FORMATS.iter().all(|format| format.name != "plivo-auth-id"), "it is listed in not-masked.toml");
    }

    #[test]
    fn secrets_are_found_beside_their_identifier() {
        crate::testing::check(
            "notes.txt",
            &[
                "new Api(\"⟦rzp_live_7192BOpueFNxZ5⟧\", \"⟦vXZYKWy56v5P0Bh24v949bRt⟧\")",
                "Client(\"AC0b9c8d7e6f5a41328190a7b6c5d4e3f2\", \"⟦0b9c8d7e6f5a41328190a7b6c5d4e3f3⟧\")",
                "user exporter on >⟦ingwer-roh⟧ ~* +info",
                "secure_link_md5 \"$secure_link_expires$uri ⟦Feder-Kiel-1⟧\";",
                "cache_peer parent.example parent 3128 0 login=filiale:⟦Tinten-Fisch⟧",
                "Backup code: ⟦7195 1043⟧",
                "<apikeys><add key=\"https://nuget.example\" value=\"⟦2QOTJ94o6qUehcrPS5K98G2lx⟧\" /></apikeys>",
                "Recovery codes are shown once. Backup code: see the wiki",
            ],
        );
    }

    #[test]
    fn formats_are_found_by_their_prefix() {
        crate::testing::check(
            "notes.txt",
            &[
                "⟦aio_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5D⟧",
                "⟦cs_0b9c8d7e6f5a41328190a7b6c5d4e3f20b9c8d7e⟧",
                "⟦FLWSECK-0b9c8d7e6f5a41328190a7b6c5d4e3f2-X⟧",
                "x = \"⟦SEC0a6eb47276a67fb1288d5e2cfe4db3c179440086c0bc1b4ea26af300bb7684ec⟧\"",
                "url: \"https://sepolia.infura.io/v3/⟦7ca86849683028641c486dc839710e49⟧\"",
                "url: \"https://eth-sepolia.g.alchemy.com/v2/⟦aEyz9EjxVAk_npyyvCH6jp6u3p5⟧\"",
                "url: \"https://eth-sepolia.g.alchemy.com/v2/your-alchemy-api-key-goes-here\"",
                "⟦live_Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsA⟧",
                "live_reload_of_the_whole_configuration_file",
                "⟦sdk-0b9c8d7e-6f5a-4132-8190-a7b6c5d4e3f2⟧",
                "⟦re_Kr7Zq2Vw_9Xb4Nc6Mf8Lh1Jt3Gy5DsAeU⟧",
                "const k = \"Basic ⟦Kr7Zq2Vw9Xb4Nc6Mf8Lh1Jt3Gy5DsAeUoPiR⟧\";",
                "asana ⟦1/9125365478325238:d16ccd6b9ccc6c4ae12725b8efa9b555⟧",
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
            head: &[],
            noun_within: 0,
            pattern: "",
            compiled: OnceLock::from(None),
        };
        assert_eq!(rule.at(b"a secret", 2), Some((2, 8)));
        assert_eq!(rule.within(b"a secret", 2, 8), [(2, 8)]);
        assert!(rule.is(b"secret"));
    }

    #[test]
    fn a_table_that_cannot_be_read_is_named() {
        let words = words::table().expect("words");
        let Err(error) = load(Source { text: "[[program]]\n", ..COMMANDS }, words) else {
            panic!("the table was read")
        };
        let message = error.to_string();
        assert!(message.contains("commands.toml") && message.contains("names"), "{message}");
    }
}
