//! The words of sentences: a sentence as words, and the tables of words by which contracts speak.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::contract::Modal;

/// The tables of `config/capabilities/sentences.toml`, which describes them.
pub(crate) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    // `Vocabulary::load` rejects tables that cannot be parsed, so nothing reads a contract without them.
    PARSED.clone().unwrap_or_default()
});
static PARSED: LazyLock<Result<Grammar, String>> =
    LazyLock::new(|| toml::from_str(TABLES).map_err(|error| error.message().to_owned()));
const TABLES: &str = include_str!("../../../../config/capabilities/sentences.toml");

/// The place of an effect in a clause with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// A verb after it: "must not send email".
    Verb,
    /// A noun after it: "is free of network access".
    Noun,
    /// Before it: "Sending email is forbidden".
    Before,
    /// Before it, with the only code that may have it after it: "HTTP goes through `client.py`".
    Confined,
    /// After it, with the only code that may have it before it: "`client.py` is the only module that …".
    Sole,
}

/// Words that forbid, demand or allow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Predicate {
    pub(crate) modal: Modal,
    pub(crate) form: Form,
    /// Whether the words are usual in prose, too.
    #[serde(default)]
    pub(crate) weak: bool,
    words: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Headings {
    pub(crate) prose: Vec<String>,
    pub(crate) rules: Vec<String>,
    pub(crate) forbidding: Vec<String>,
    pub(crate) allowing: Vec<String>,
}

/// The words of statements about what a change adds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Additions {
    pub(crate) verbs: BTreeSet<String>,
    pub(crate) words: BTreeSet<String>,
    pub(crate) changes: BTreeSet<String>,
}

type Set = BTreeSet<String>;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grammar {
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) never: Vec<String>,
    pub(crate) only: Set,
    pub(crate) exceptions: Vec<String>,
    pub(crate) confining: Set,
    pub(crate) away: Vec<String>,
    pub(crate) delegations: Vec<String>,
    pub(crate) places: Vec<String>,
    pub(crate) none: Set,
    pub(crate) determiners: Set,
    pub(crate) generic: Set,
    pub(crate) all_code: Set,
    pub(crate) nouns: Set,
    pub(crate) roles: Set,
    pub(crate) people: Set,
    pub(crate) work: Set,
    pub(crate) edits: Set,
    pub(crate) development: Set,
    pub(crate) capability: Set,
    pub(crate) things: Set,
    pub(crate) adverbs: Set,
    pub(crate) conditions: Vec<String>,
    pub(crate) alone: Vec<String>,
    pub(crate) prose: Set,
    pub(crate) additions: Additions,
    short_forms: BTreeMap<String, ShortForm>,
    paraphrases: BTreeMap<String, String>,
    pub(crate) modules: BTreeMap<String, Vec<String>>,
    pub(crate) headings: Headings,
}

/// A word that stands for several.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShortForm {
    /// The verbs after which it does.
    after: Set,
    means: String,
}

/// A word of a sentence. Marks (`,`, `;`, `:`) are words, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) lower: String,
    /// Whether it is written as code: between backticks.
    pub(crate) is_code: bool,
}

impl Word {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), lower: text.to_lowercase(), is_code: false }
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.lower == word && !self.is_code
    }

    pub(crate) fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(crate) fn is_in(&self, words: &Set) -> bool {
        !self.is_code && words.contains(&self.lower)
    }

    pub(crate) fn is_mark(&self) -> bool {
        matches!(self.lower.as_str(), "," | ";" | ":")
    }

    /// Returns whether a part of a sentence can end before the word.
    pub(crate) fn is_joint(&self) -> bool {
        self.is_mark() || self.is_one_of(&["and", "but", "or", "nor", "so", "because"])
    }
}

/// A predicate of a sentence: its words are `start..end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) modal: Modal,
    pub(crate) form: Form,
    pub(crate) is_weak: bool,
}

impl Grammar {
    /// Returns why the tables cannot be parsed.
    pub(crate) fn error() -> Option<&'static str> {
        PARSED.as_ref().err().map(String::as_str)
    }

    /// Returns the longest predicate that begins at a word.
    pub(crate) fn predicate(&self, words: &[Word], start: usize) -> Option<Mark> {
        let rest = words.get(start..)?;
        let found = self.predicates.iter().flat_map(|one| {
            let ends = one.words.iter().filter_map(|phrase| begins(rest, phrase));
            ends.map(|count| Mark { start, end: start + count, modal: one.modal, form: one.form, is_weak: one.weak })
        });
        found.max_by_key(|mark| mark.end)
    }
}

/// Returns whether the word at a place is one of some words.
pub(crate) fn is(words: &[Word], at: usize, all: &[&str]) -> bool {
    words.get(at).is_some_and(|word| word.is_one_of(all))
}

/// Returns the number of words of a phrase that the words begin with. `be` at the start of the phrase stands for its forms.
pub(crate) fn begins(words: &[Word], phrase: &str) -> Option<usize> {
    let mut count = 0;
    for (at, wanted) in phrase.split(' ').enumerate() {
        let word = words.get(at)?;
        let is_be = at == 0 && wanted == "be" && word.is_one_of(&["is", "are"]);
        if !is_be && !word.is(wanted) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// Returns the longest of the phrases that the words begin with, as its number of words.
pub(crate) fn longest(words: &[Word], phrases: &[String]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| begins(words, phrase)).max()
}

/// Returns whether a phrase is among the words.
pub(crate) fn has(words: &[Word], phrase: &str) -> bool {
    (0..words.len()).any(|at| begins(&words[at..], phrase).is_some())
}

/// Removes marks, joining words and adverbs from both ends.
pub(crate) fn trimmed(words: &[Word]) -> &[Word] {
    let is_end = |word: &Word| word.is_joint() || word.is("–");
    let start = words.iter().position(|word| !is_end(word)).unwrap_or(words.len());
    let end = words.iter().rposition(|word| !is_end(word)).map_or(start, |at| at + 1);
    &words[start..end]
}

/// Returns the text of words.
pub(crate) fn text_of(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ").replace(" ,", ",")
}

/// Returns the words of a sentence. Short forms are written out, and a part in brackets is put between commas.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    let mut in_code = false;
    for word in text.replace('’', "'").split_whitespace() {
        let ticks = word.matches('`').count();
        let is_code = in_code || ticks > 0;
        in_code ^= ticks % 2 == 1;
        if !is_code && word.chars().all(|char| matches!(char, '-' | '–' | '—')) {
            all.push(Word::new(";"));
            continue;
        }
        if !is_code && word.starts_with('(') && !all.is_empty() {
            all.push(Word::new(","));
        }
        // `__main__.py` keeps its marks.
        let word = match word.split_once('`') {
            Some((before, code)) if is_code && before.chars().all(|char| !char.is_alphanumeric()) => code,
            _ if in_code => word,
            _ => word.trim_start_matches(['"', '\'', '(', '[', '*', '_', '`', '“']),
        };
        let bare = word.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '”', '.', '!', '?', ',', ';', ':']);
        // The brackets of a function are part of its name: `getenv()`.
        let has_brackets = bare.ends_with('(') && word[bare.len()..].starts_with(')');
        let bare = if has_brackets { &word[..=bare.len()] } else { bare };
        // `src/**` and `..domain..` are whole.
        let bare = if is_code { word.rsplit_once('`').map_or(word, |(code, _)| code) } else { bare };
        let mark = word[bare.len()..].chars().find(|char| matches!(char, ',' | ';' | ':' | ')'));
        let lower = bare.to_lowercase();
        let short =
            GRAMMAR.short_forms.get(&lower).filter(|form| all.last().is_some_and(|last| last.is_in(&form.after)));
        let written_out = match short {
            _ if is_code => None,
            Some(form) => Some(form.means.clone()),
            None => written_out(&lower),
        };
        if let Some(written_out) = written_out {
            all.extend(written_out.split(' ').map(Word::new));
        } else if !bare.is_empty() {
            all.push(Word { is_code, ..Word::new(bare) });
        }
        all.extend(mark.map(|mark| Word::new(&if mark == ')' { ','.to_string() } else { mark.to_string() })));
    }
    while all.last().is_some_and(Word::is_mark) {
        all.pop();
    }
    paraphrased(all)
}

/// Replaces phrases by the words that they mean: "on a read-only file system".
fn paraphrased(mut all: Vec<Word>) -> Vec<Word> {
    let mut at = 0;
    while at < all.len() {
        let fits = |(phrase, means): (&String, &String)| Some((begins(&all[at..], phrase)?, means.clone()));
        if let Some((count, means)) = GRAMMAR.paraphrases.iter().filter_map(fits).max_by_key(|(count, _)| *count) {
            all.splice(at..at + count, means.split(' ').map(Word::new));
        }
        at += 1;
    }
    all
}

/// Returns the words that a short form stands for: `does not` of `doesn't`, `must not` of `MUST_NOT`.
fn written_out(lower: &str) -> Option<String> {
    match lower {
        "can't" => return Some("can not".to_owned()),
        "won't" => return Some("will not".to_owned()),
        "shan't" => return Some("shall not".to_owned()),
        "zero" => return Some("no".to_owned()),
        _ => {}
    }
    let pronoun = ["it", "that", "there", "here"].into_iter().find(|word| lower.strip_suffix("'s") == Some(word));
    if let Some(pronoun) = pronoun {
        return Some(format!("{pronoun} is"));
    }
    let modal = ["must", "shall", "should", "may"]
        .into_iter()
        .find(|modal| lower.strip_prefix(modal).is_some_and(|rest| rest == "_not" || rest == "-not"));
    modal.or_else(|| lower.strip_suffix("n't")).map(|verb| format!("{verb} not"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_can_be_parsed() {
        assert_eq!(Grammar::error(), None);
        assert!(!GRAMMAR.predicates.is_empty());
    }
}
