//! The methods of HTTP.

/// The methods, in lower case.
pub const METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/// Returns the methods that the words of a contract name, in upper case.
pub fn http_methods(words: &str) -> Vec<String> {
    let words = words.split(|char: char| !char.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| METHODS.contains(&word.as_str())).map(|word| word.to_uppercase()).collect()
}
