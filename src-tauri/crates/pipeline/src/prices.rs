//! Estimates the cost of a prompt, by a table of list prices that the user can replace. Discounts, caches and the length of the answer are
//! not known.

use serde::Deserialize;

/// The built-in table of prices.
pub const BUILT_IN: &str = include_str!("../../../../config/prices.toml");

/// A table of prices by model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The assumed length of an answer, in tokens.
    answer_tokens: u64,
    #[serde(default, rename = "model")]
    models: Vec<Price>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    name: String,
    input: f64,
    output: f64,
}

impl Prices {
    /// Parses a table. Fails if it is not valid TOML or contains an invalid pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        let prices: Self = toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())?;
        match prices.models.iter().find(|price| globset::Glob::new(&price.name).is_err()) {
            Some(wrong) => Err(format!("`{}` is not a valid pattern", wrong.name)),
            None => Ok(prices),
        }
    }

    /// Returns the cost in US dollars of a prompt with `tokens` tokens and its answer, or `None` if the table does not contain the model.
    pub fn estimate(&self, model: &str, tokens: u64) -> Option<f64> {
        // The name of a provider may come before the model's: `openrouter/openai/gpt-5`.
        let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
        let fits =
            |price: &&Price| globset::Glob::new(&price.name).is_ok_and(|glob| glob.compile_matcher().is_match(&name));
        let price = self.models.iter().find(fits)?;
        Some((tokens as f64 * price.input + self.answer_tokens as f64 * price.output) / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_found_by_pattern() {
        let prices = Prices::parse(BUILT_IN).expect("the table");
        let cents = |model: &str| prices.estimate(model, 100_000).map(|dollars| (dollars * 100.0).round());
        assert_eq!(cents("gpt-5.1-codex"), Some(14.0));
        assert_eq!(cents("openai/gpt-5-mini"), Some(3.0));
        assert_eq!(cents("claude-sonnet-4-5"), Some(32.0));
        assert_eq!(cents("qwen3-coder"), None);
        assert!(Prices::parse("answer_tokens = 1\n[[model]]\nname = '['\ninput = 1.0\noutput = 1.0").is_err());
    }
}
