//! The forms of words: the base forms of verbs, and phrases in one form.

use std::collections::BTreeSet;

use crate::vocabulary::{Effect, Vocabulary};

/// Words without a meaning for the effect.
pub(crate) const SMALL: &[&str] = &[
    "a", "an", "the", "any", "to", "from", "in", "into", "with", "on", "onto", "of", "all", "over", "via", "out", "at",
    "off", "up", "its", "their", "for", "by", "no", "such", "this", "that", "these", "those",
];

/// Returns a phrase without small words, in lower case, with its words in the singular.
pub(crate) fn normal(phrase: &str) -> String {
    let phrase = phrase.to_lowercase().replace(['-', '_', '/'], " ");
    let words = phrase.split_whitespace().filter(|word| !SMALL.contains(word));
    words.map(|word| singulars(word).pop().unwrap_or_default()).collect::<Vec<_>>().join(" ")
}

/// Returns the possible base forms of a verb, itself first: `write` of `writes`, `writing` and `written`.
pub fn base_forms(word: &str) -> Vec<String> {
    let word = word.to_lowercase();
    let irregular = IRREGULAR
        .iter()
        .filter(|(_, forms)| forms.split(' ').any(|form| form == word))
        .map(|(base, _)| (*base).to_owned());
    let mut all: Vec<String> = std::iter::once(word.clone()).chain(irregular).collect();
    for end in ["ing", "ed", "es", "s", "ion", "ation", "al", "ment"] {
        let Some(stem) = word.strip_suffix(end).filter(|stem| stem.len() > 1) else { continue };
        all.push(stem.to_owned());
        all.push(format!("{stem}e"));
        let mut chars = stem.chars().rev();
        // "running", "dropped"
        if let (Some(last), true) = (chars.next(), chars.next() == stem.chars().last()) {
            all.push(stem[..stem.len() - last.len_utf8()].to_owned());
        }
        if let Some(stem) = stem.strip_suffix('i') {
            all.push(format!("{stem}y"));
        }
    }
    all
}

/// Forms of verbs without a rule.
const IRREGULAR: &[(&str, &str)] = &[
    ("write", "written writing wrote"),
    ("send", "sent"),
    ("make", "made"),
    ("run", "ran"),
    ("speak", "spoken"),
    ("delete", "deletion deletions"),
    ("remove", "removal removals"),
    ("create", "creation"),
    ("modify", "modification modifications"),
    ("execute", "execution"),
    ("evaluate", "evaluation"),
    ("resolve", "resolution"),
    ("read", "reads"),
    ("hold", "held"),
    ("keep", "kept"),
    ("put", "puts"),
    ("take", "taken"),
];

/// Returns a word or phrase, and its possible singular forms, the best one last.
pub fn singulars(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    if let Some(rest) = word.strip_suffix("ies") {
        all.push(format!("{rest}y"));
    } else if let Some(rest) = word.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s')) {
        all.extend(rest.strip_suffix('e').filter(|rest| rest.ends_with("ss")).map(str::to_owned));
        if all.len() == 1 {
            all.push(rest.to_owned());
        }
    }
    all
}

impl Vocabulary {
    /// Returns the action that a word names, itself or as its synonym.
    pub fn action_of<'s>(&'s self, word: &'s str) -> Option<&'s str> {
        let is_one = self.effects.iter().any(|effect| effect.action == word);
        if is_one { Some(word) } else { self.actions.get(word).map(String::as_str) }
    }

    /// Returns the words that people use for an effect: for its action, and for its resource.
    pub fn words_of(&self, effect: &Effect) -> (BTreeSet<String>, BTreeSet<String>) {
        let verbs = self.actions.iter().filter(|(_, word)| **word == effect.action).map(|(synonym, _)| synonym.clone());
        let things =
            self.resources.iter().filter(|(_, all)| all.contains(&effect.resource)).map(|(synonym, _)| synonym.clone());
        (
            verbs.chain([effect.action.clone()]).collect(),
            things.chain([effect.resource.clone()]).filter(|word| word.len() > 2).collect(),
        )
    }
}
