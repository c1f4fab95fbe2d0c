//! The names of code in statements: "the auth package", "`client.py`", "`Mailer`".
//!
//! In: words of a statement. Out: names. Which code has them is for those to find who know the project.

use diffsan_syntax::embedded::Format;
use diffsan_syntax::language::Language;

use crate::grammar::{GRAMMAR, Word, longest};
use crate::wording::{SMALL, singulars};

/// A name of code in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeName {
    /// The name, without articles.
    pub text: String,
    /// Whether it is written as code.
    pub is_written_as_code: bool,
    /// Whether all code of the name is meant but the one that the statement is about.
    pub is_other: bool,
    /// The code that has the name, which is found later. `None` if it was not found.
    pub found: Option<Found>,
}

/// The code that has a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The files, as globs.
    pub globs: Vec<String>,
    /// Definitions: a path, the first line and the last one.
    pub definitions: Vec<(String, u32, u32)>,
    /// Whether it is the tests.
    pub is_tests: bool,
    /// Whether it is the path of no file.
    pub is_missing: bool,
    /// Whether other code can be meant, too: the name only describes it.
    pub is_open: bool,
    /// Whether its definitions have a role, so that the file around them is something else.
    pub is_role: bool,
}

impl Found {
    /// Adds the code of another name.
    pub fn and(mut self, other: Self) -> Self {
        self.globs.extend(other.globs);
        self.definitions.extend(other.definitions);
        self.is_tests |= other.is_tests;
        self.is_role |= other.is_role;
        self
    }
}

/// Returns the names in words: "controllers and views", "code in `core/`". Names of code in general are left out.
pub(crate) fn names(words: &[Word]) -> Vec<CodeName> {
    let is_joint = |word: &Word| word.is_joint() || word.is("&");
    words.split(is_joint).filter_map(name).collect()
}

fn name(words: &[Word]) -> Option<CodeName> {
    const RELATIVE: &[&str] =
        &["that", "which", "who", "reside", "resides", "residing", "live", "lives", "is", "are", "located", "defined"];
    let is_open =
        |word: &Word| word.is_in(&GRAMMAR.generic) || word.is_in(&GRAMMAR.determiners) || word.is_one_of(RELATIVE);
    // "Code in `core/`": the name follows.
    let place = (0..words.len()).find_map(|at| Some((at, longest(&words[at..], &GRAMMAR.places)?)));
    let is_path_at = |at: usize| matches!(&words[at..], [path] if is_path(&path.text));
    // "Components in app/ui": the path tells more than the word before it.
    let words = match place.filter(|(at, count)| words[..*at].iter().all(is_open) || is_path_at(at + count)) {
        Some((at, count)) => &words[at + count..],
        None => words,
    };
    let code: Vec<&str> = words.iter().filter(|word| word.is_code).map(|word| word.text.as_str()).collect();
    if !code.is_empty() {
        return Some(CodeName { text: code.join(" "), is_written_as_code: true, is_other: false, found: None });
    }
    let start = words.iter().position(|word| !word.is_in(&GRAMMAR.determiners))?;
    // "Retry itself", "handlers themselves"
    let is_end = |word: &Word| word.is_in(&GRAMMAR.adverbs) || word.is_one_of(&["works", "work", "runs", "operates"]);
    let end = words.iter().rposition(|word| !is_end(word)).map_or(words.len(), |at| at + 1);
    let words = &words[start..end.max(start)];
    if is_general(words) {
        return None;
    }
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if is_all_code(&text) {
        return None;
    }
    let is_written_as_code = words.len() == 1 && is_path(&words[0].text) || has_hump(&text);
    Some(CodeName { text, is_written_as_code, is_other: false, found: None })
}

/// Returns whether words name code in general, or none.
pub(crate) fn is_general(words: &[Word]) -> bool {
    // "The repository layer" is a name, although each of its words is general.
    if let [.., role, noun] = words
        && role.is_in(&GRAMMAR.roles)
        && noun.is_in(&GRAMMAR.nouns)
    {
        return false;
    }
    words.iter().all(|word| word.is_in(&GRAMMAR.generic) || word.is_in(&GRAMMAR.determiners) || word.is_mark())
}

/// Returns whether words are written like code, or have a noun for code beside them: "`core/`", "the auth package".
pub(crate) fn is_like_code(words: &[Word]) -> bool {
    let is_noun = |word: Option<&Word>| word.is_some_and(|word| word.is_in(&GRAMMAR.nouns));
    let is_own = |word: &Word| {
        word.is_code && !is_data(&word.text) || !word.is_code && (is_path(&word.text) || has_hump(&word.text))
    };
    words.iter().any(is_own)
        || words.len() > 1 && !is_general(words) && (is_noun(words.last()) || is_noun(words.first()))
}

/// Returns whether a path is one of a file that holds no code: `config.yml`.
fn is_data(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["yml", "yaml", "json", "toml", "env", "ini", "txt", "md", "csv", "xml", "log"].contains(&extension)
}

/// Returns whether a name is clearly one of files, and not two words with a slash: "`src/lib/kafka.ts`", "`notifications/`", but not "TCP/IP".
pub(crate) fn is_file(text: &str) -> bool {
    is_path(text)
        && (has_code_ending(text) || text.ends_with('/') || text.contains('*') || text.matches('/').count() > 1)
}

/// Returns whether a name is written like a path of files or packages.
pub(crate) fn is_path(text: &str) -> bool {
    !text.contains(' ') && has_path_sign(text)
}

fn has_path_sign(text: &str) -> bool {
    text.contains(['/', '*', '\\'])
        || text.contains("::")
        || text.contains("..")
        || has_code_ending(text)
        || text.split('.').filter(|part| !part.is_empty()).count() > 2
}

fn has_hump(text: &str) -> bool {
    let mut chars = text.chars().skip_while(|char| !char.is_lowercase());
    !text.contains(' ') && chars.any(char::is_uppercase)
}

impl CodeName {
    /// Returns whether the name is written like code.
    pub fn is_code(&self) -> bool {
        self.is_written_as_code || is_path(&self.text) || has_hump(&self.text)
    }

    /// Returns whether the name is one of a module: it is written like code, or has a noun beside it that says so.
    pub fn is_module(&self) -> bool {
        let nouns = ["package", "module", "crate", "folder", "directory", "namespace"];
        self.is_other || self.is_code() || self.text.rsplit(' ').next().is_some_and(|last| nouns.contains(&last))
    }

    /// Returns whether some code has the name, or the name can be one of code that does not exist.
    pub fn is_certain(&self) -> bool {
        self.found.as_ref().is_some_and(|found| !found.is_open)
            || self.is_code()
            || self.is_dotted()
            || !modules_of(&self.without_nouns()).is_empty()
    }

    /// Returns whether the name is written like the path of a module: `app.worker`.
    pub fn is_dotted(&self) -> bool {
        let is_part = |part: &str| {
            part.starts_with(char::is_lowercase) && part.chars().all(|char| char.is_alphanumeric() || char == '_')
        };
        self.text.contains('.') && !has_code_ending(&self.text) && self.text.split('.').all(is_part)
    }

    /// Returns whether the name is written like a path of files or packages.
    pub fn is_path(&self) -> bool {
        is_path(&self.text)
    }

    /// Returns the name without the nouns that stand beside it: `auth` of "the auth package".
    pub fn without_nouns(&self) -> String {
        let is_noun = |word: &&str| GRAMMAR.nouns.contains(&word.to_lowercase());
        let words: Vec<&str> = self.text.split(' ').skip_while(is_noun).collect();
        let end = words.iter().rposition(|word| !is_noun(word)).map_or(0, |at| at + 1);
        words[..end].join(" ")
    }

    /// Returns the words that describe the code, in lower case: `placing` and `order` of "placing an order".
    pub fn description(&self) -> Vec<String> {
        let lower = self.text.to_lowercase();
        let is_open = |word: &&str| {
            [&GRAMMAR.determiners, &GRAMMAR.nouns, &GRAMMAR.generic].iter().any(|set| set.contains(*word))
                || SMALL.contains(word)
        };
        lower.split([' ', '-', '/']).filter(|word| !is_open(word)).map(str::to_owned).collect()
    }
}

/// Returns whether a name stands for all code: "library code".
fn is_all_code(name: &str) -> bool {
    singulars(&name.to_lowercase()).iter().any(|form| GRAMMAR.all_code.contains(form))
}

/// Returns whether a file with the name can hold code.
fn has_code_ending(name: &str) -> bool {
    Language::of(name).is_some() || Format::of(name).is_some()
}

/// Returns the modules that a name in a contract stands for: `java.sql` of "JDBC". Empty where it stands for itself.
pub fn modules_of(name: &str) -> &'static [String] {
    GRAMMAR.modules.get(&name.to_lowercase()).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::words;

    #[test]
    fn names_of_all_code_are_none() {
        assert_eq!(names(&words("library code")), []);
        let names: Vec<String> =
            names(&words("the auth package and `client.py`")).into_iter().map(|name| name.text).collect();
        assert_eq!(names, ["auth package", "client.py"]);
    }
}
