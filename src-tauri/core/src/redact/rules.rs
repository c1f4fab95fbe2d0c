//! The rules: formats of secrets as data, tried only where one of their keywords stands.
//!
//! In: `config/redaction/rules.toml` and the user's patterns. Out: compiled rules. They are compiled at first use.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::RedactError;
use crate::config::ExtraPattern;

const BUILT_IN: &str = include_str!("../../../../config/redaction/rules.toml");
/// A compiled pattern may take this much memory; some formats have long counted repetitions.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    keywords: Vec<String>,
    pattern: String,
    #[serde(default)]
    entropy: f64,
}

/// A format.
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) pattern: Regex,
    pub(super) entropy: f64,
}

/// Formats, found by keywords.
pub(super) struct Rules {
    pub(super) all: Vec<Rule>,
    /// Finds keywords, also the ones inside longer ones.
    pub(super) keywords: AhoCorasick,
    /// The rules of each keyword.
    pub(super) by_keyword: Vec<Vec<usize>>,
}

/// The built-in rules.
pub(super) fn built_in() -> Result<&'static Rules, RedactError> {
    static RULES: OnceLock<Result<Rules, RedactError>> = OnceLock::new();
    RULES.get_or_init(|| load(BUILT_IN)).as_ref().map_err(Clone::clone)
}

fn load(text: &str) -> Result<Rules, RedactError> {
    let file: File = toml::from_str(text).map_err(|error| RedactError::Rules(error.to_string()))?;
    let mut keywords: Vec<String> = Vec::new();
    let mut by_keyword: Vec<Vec<usize>> = Vec::new();
    let mut all = Vec::new();
    for (index, entry) in file.rule.into_iter().enumerate() {
        for keyword in entry.keywords {
            let at = keywords.iter().position(|known| *known == keyword).unwrap_or_else(|| {
                keywords.push(keyword);
                by_keyword.push(Vec::new());
                keywords.len() - 1
            });
            by_keyword[at].push(index);
        }
        all.push(Rule { pattern: compile(&entry.name, &entry.pattern)?, name: entry.name, entropy: entry.entropy });
    }
    let keywords = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(keywords)
        .map_err(|error| RedactError::Rules(error.to_string()))?;
    Ok(Rules { all, keywords, by_keyword })
}

fn compile(name: &str, pattern: &str) -> Result<Regex, RedactError> {
    RegexBuilder::new(pattern)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| RedactError::Pattern { name: name.to_owned(), message: error.to_string() })
}

/// The user's own patterns; they are tried everywhere.
pub(super) fn extra(patterns: &[ExtraPattern]) -> Result<Vec<Rule>, RedactError> {
    patterns
        .iter()
        .map(|extra| {
            Ok(Rule { name: extra.name.clone(), pattern: compile(&extra.name, &extra.pattern)?, entropy: 0.0 })
        })
        .collect()
}

/// Shannon entropy in bits a byte.
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
        let rules = load(BUILT_IN).expect("rules");
        assert!(rules.all.len() > 40);
        let file: File = toml::from_str(BUILT_IN).expect("TOML");
        for entry in file.rule {
            assert!(!entry.keywords.is_empty(), "{}", entry.name);
            assert!(entry.keywords.iter().all(|word| *word == word.to_lowercase()), "{}", entry.name);
        }
    }
}
