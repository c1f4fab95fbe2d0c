//! A rule: one format of secrets with its compiled pattern. It is compiled when its first bytes are first found, because most of the
//! hundreds of rules are never needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::RedactError;
use super::formats::{Format, Run, Shape};
use diffsan_config::ExtraPattern;

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

/// The search for the secrets of one format.
pub(super) struct Rule {
    pub(super) name: Cow<'static, str>,
    pub(super) format: &'static Format,
    compiled: OnceLock<Option<Regex>>,
}

/// The format of the user's patterns, whose names and patterns are in their rules.
static EXTRA: Format = Format {
    name: "",
    keywords: &[],
    shape: Shape::Near,
    pattern: "",
    head: &[],
    run: Run { least: 0, within: 0, has_data: false },
    noun_within: 0,
    boundary: false,
    reach: REACH,
    entropy: 0.0,
    base64: false,
    random: false,
};

impl Rule {
    pub(super) fn new(format: &'static Format) -> Self {
        Self { name: Cow::Borrowed(format.name), format, compiled: OnceLock::new() }
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(self.format.pattern).ok()).as_ref()
    }

    /// Returns the secret that begins at a place.
    pub(super) fn at(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        if !self.format.can_begin(&text[at..]) {
            return None;
        }
        let end = text.len().min(at + MAX_MATCH_BYTES);
        if !self.format.run.is_in(&text[at..end.min(at.saturating_add(self.format.run.within))]) {
            return None;
        }
        self.secret(text, Input::new(text).range(at..end).anchored(Anchored::Yes))
    }

    /// Returns the secrets within a part of a text.
    pub(super) fn within(&self, text: &[u8], from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        if !self.format.run.is_in(&text[from..to]) {
            return found;
        }
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
        self.format.can_begin(value)
            && self.format.run.is_in(value)
            && self.regex().is_none_or(|regex| regex.is_match(Input::new(value).anchored(Anchored::Yes)))
            && entropy(value) >= self.format.entropy
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
        let strong = self.format.entropy <= 0.0 || entropy(&text[secret.range()]) >= self.format.entropy;
        if self.format.base64 && !super::encoded::is_user_and_password(&text[secret.range()]) {
            return None;
        }
        if self.format.random && !is_made_up(&text[secret.range()]) {
            return None;
        }
        // A format of random characters has no name in it: `s.provisionUnderscoreHeaders`.
        // The format may end inside the name.
        let more =
            text[secret.end..].iter().take(MAX_NAME_REST).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = &text[secret.start..secret.end + more];
        let name = name.strip_suffix(b"=").unwrap_or(name);
        let named = self.format.entropy > 0.0 && super::code::is_name(name);
        (strong && !named && !secret.is_empty()).then_some((secret.start, secret.end))
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
        // Most patterns are tried at few places, so what makes a search faster takes longer to build than it saves.
        .auto_prefilter(false)
        .onepass(false)
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
            Ok(Rule { name: Cow::Owned(extra.name.clone()), format: &EXTRA, compiled: OnceLock::from(Some(compiled)) })
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
    use regex_syntax::hir::{Class, Hir, HirKind};

    use super::*;
    use crate::formats::{FORMATS, is_in_set};

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

    /// Adds a text that a part of a pattern matches, but for the places that it looks at.
    fn add_sample(hir: &Hir, random: &mut impl FnMut(usize) -> usize, text: &mut Vec<u8>) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Unicode(_)) => {}
            HirKind::Literal(literal) => text.extend_from_slice(&literal.0),
            HirKind::Class(Class::Bytes(class)) => {
                let range = class.ranges()[random(class.ranges().len())];
                let width = usize::from(range.end() - range.start()) + 1;
                text.push(range.start() + random(width) as u8);
            }
            HirKind::Capture(capture) => add_sample(&capture.sub, random, text),
            HirKind::Concat(parts) => parts.iter().for_each(|part| add_sample(part, random, text)),
            HirKind::Alternation(choices) => add_sample(&choices[random(choices.len())], random, text),
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(repetition.min + 3).min(repetition.min + 40);
                for _ in 0..repetition.min as usize + random((most - repetition.min) as usize + 1) {
                    add_sample(&repetition.sub, random, text);
                }
            }
        }
    }

    #[test]
    fn every_match_of_a_format_has_its_run() {
        let mut state = 7u64;
        let mut random = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        let parser = || regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
        let (mut matches, mut known) = (0, 0);
        for format in FORMATS.iter().filter(|format| format.run.least > 0) {
            known += 1;
            let regex = compile(format.pattern).expect("a pattern");
            let hir = parser().parse(format.pattern).expect("a pattern");
            for _ in 0..12 {
                let mut text = Vec::new();
                add_sample(&hir, &mut random, &mut text);
                let Some(found) = regex.find(Input::new(&text).anchored(Anchored::Yes)) else { continue };
                matches += 1;
                let found = &text[..found.end()];
                let head = &found[..found.len().min(format.run.within)];
                let shown = String::from_utf8_lossy(found).into_owned();
                assert!(format.run.is_in(head), "{}: {:?} in {shown:?}", format.name, format.run);
            }
        }
        assert!(known > 900 && matches > 8_000, "{known} formats, {matches} matches");
    }

    #[test]
    fn a_rule_that_finds_no_secret_is_not_applied() {
        assert!(FORMATS.iter().any(|format| format.name == "plivo-auth-token"), "a rule of the same table");
        assert!(FORMATS.iter().all(|format| format.name != "plivo-auth-id"), "it is listed in not-masked.toml");
    }

    #[test]
    fn a_pattern_that_cannot_be_compiled_masks_all_that_it_could_match() {
        let rule = Rule { name: Cow::Borrowed("x"), format: &EXTRA, compiled: OnceLock::from(None) };
        assert_eq!(rule.at(b"a secret", 2), Some((2, 8)));
        assert_eq!(rule.within(b"a secret", 2, 8), [(2, 8)]);
        assert!(rule.is(b"secret"));
    }
}
