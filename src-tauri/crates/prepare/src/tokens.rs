//! Counts tokens with a common tokenizer (o200k), which is loaded at first use. The count of an agent differs a little.

/// Returns the number of tokens of a text.
pub fn count(text: &str) -> u64 {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64
}
