//! The values that the user declared harmless: by the digest of a value, by path, by rule, or by a combination of
//! these.

use globset::{Glob, GlobMatcher};

use super::RedactError;
use diffsan_config::AllowedSecret;

/// The list of allowed values.
pub(super) struct Allow {
    entries: Vec<Entry>,
}

struct Entry {
    value: Option<String>,
    path: Option<GlobMatcher>,
    rule: Option<String>,
}

impl Allow {
    pub(super) fn new(allowed: &[AllowedSecret]) -> Result<Self, RedactError> {
        let entry = |allowed: &AllowedSecret| {
            let glob = |pattern: &String| {
                Glob::new(pattern)
                    .map(|glob| glob.compile_matcher())
                    .map_err(|error| RedactError::Allow { glob: pattern.clone(), message: error.kind().to_string() })
            };
            Ok(Entry {
                value: allowed.value.as_ref().map(|value| value.to_lowercase()),
                path: allowed.path.as_ref().map(glob).transpose()?,
                rule: allowed.rule.clone(),
            })
        };
        Ok(Self { entries: allowed.iter().map(entry).collect::<Result<_, _>>()? })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether one entry matches in all its conditions. An entry without conditions allows nothing.
    pub(super) fn allows(&self, path: &str, rule: &str, digest: impl Fn() -> String) -> bool {
        self.entries.iter().any(|entry| {
            (entry.value.is_some() || entry.path.is_some() || entry.rule.is_some())
                && entry.rule.as_ref().is_none_or(|wanted| wanted == rule)
                && entry.path.as_ref().is_none_or(|glob| glob.is_match(path))
                && entry.value.as_ref().is_none_or(|value| *value == digest())
        })
    }
}
