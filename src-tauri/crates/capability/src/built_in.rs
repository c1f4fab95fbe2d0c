//! Reads the tables that are part of the program. `Knowledge::load` reports those that cannot be parsed.

use regex::Regex;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Parses a table. Returns the reason if that is not possible.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

/// A regular expression in a table.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(pub(crate) Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        Regex::new(&text).map(Self).map_err(serde::de::Error::custom)
    }
}
