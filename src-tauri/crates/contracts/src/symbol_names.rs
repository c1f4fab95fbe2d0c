//! Symbols of libraries that contracts name: "must not call `time.sleep`".

use std::collections::{BTreeSet, HashMap};

use crate::vocabulary::Vocabulary;

/// The effects of symbols, by their name in contracts.
pub(crate) type SymbolEffects = HashMap<String, BTreeSet<usize>>;

/// Verbs after which a plain word is a function: "call eval".
const CALLS: &[&str] = &["call", "calls", "called", "calling", "invoke", "invoked"];

/// Returns a symbol in the form of all languages: `process.exit` of `std::process::exit()`.
pub fn plain_symbol(text: &str) -> String {
    let text = text.trim_end_matches("()").trim_end_matches('!').to_lowercase();
    text.replace("::", ".").replace(['/', '\\'], ".")
}

/// Returns whether a symbol is one that a contract names, or a member of it: `std.process.exit` is `process.exit`, and `process.env.HOME`
/// belongs to `process.env`. A constructor has the name of its class in code that was read: `Thread` is `Thread.new`.
pub fn is_symbol(sink: &str, name: &str) -> bool {
    let sink = format!(".{}.", plain_symbol(sink));
    let is_made = |class: &str| sink.ends_with(&format!(".{class}."));
    sink.contains(&format!(".{name}.")) || name.strip_suffix(".new").is_some_and(is_made)
}

/// Returns the names of a symbol, with its whole module and with the last part of it. None for a pattern.
pub(crate) fn symbol_names(module: &str, pattern: &[String]) -> Vec<String> {
    if pattern.iter().any(|part| part.starts_with('*') || part == "()") {
        return Vec::new();
    }
    let members = plain_symbol(&pattern.join("."));
    let module = plain_symbol(module);
    if module.is_empty() {
        return vec![members];
    }
    let last = module.rsplit('.').next().unwrap_or(&module);
    vec![format!("{module}.{members}"), format!("{last}.{members}")]
}

impl Vocabulary {
    /// Returns the symbols among the words of a contract, each with its effects.
    pub(crate) fn symbols_in(&self, action: &str, resource: &str) -> Vec<(String, BTreeSet<usize>)> {
        let is_call = CALLS.contains(&action.to_lowercase().as_str());
        let is_symbol = |word: &&str| {
            let inner = word.trim_matches('.');
            is_call || inner.contains('.') || word.contains("::") || word.ends_with("()") || word.ends_with('!')
        };
        // "Use getenv": a name that is no word of contracts.
        let is_name = |word: &str| {
            self.action(&action.to_lowercase()) == "use"
                && word == resource
                && !self.is_verb_form(word)
                && !self.is_resource(word)
        };
        let words = resource.split([' ', ',', ';']).filter(|word| word.len() > 2);
        let words = words.filter(|word| is_symbol(word) || is_name(word));
        let found = words.filter_map(|word| {
            let name = plain_symbol(word);
            Some((name.clone(), self.symbols.get(&name)?.clone()))
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_has_the_same_name_in_all_spellings() {
        assert_eq!(plain_symbol("std::process::exit()"), "std.process.exit");
        assert!(is_symbol("std.process.exit", "process.exit"));
        assert!(is_symbol("os.Exit", "os.exit"));
        assert!(is_symbol("process.env.HOME", "process.env"));
        assert!(is_symbol("Thread", "thread.new"));
        assert!(!is_symbol("Thread.join", "thread.new"));
        assert!(!is_symbol("process.environment", "process.env"));
        assert!(!is_symbol("asyncio.sleep", "time.sleep"));
        assert!(!is_symbol("runtime.sleep", "time.sleep"));
    }
}
