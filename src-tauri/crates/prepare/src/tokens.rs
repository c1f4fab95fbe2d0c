//! Counting tokens with a common tokenizer (o200k), loaded at first use. An agent's own count differs a little.

/// Tokens of a text.
pub fn count(text: &str) -> u64 {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64
}
