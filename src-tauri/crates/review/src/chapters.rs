//! Sentences of agents about the chapters of the reading order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quotes::{CheckedQuote, CodeQuote};

/// A sentence about a chapter as an agent answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentChapter {
    /// What the change does in this chapter, in one sentence.
    pub sentence: String,
    /// Code of the chapter's hunks that shows it.
    pub evidence: Vec<CodeQuote>,
}

/// A sentence about a chapter with its checked evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChapterSentence {
    /// The sentence.
    pub sentence: String,
    /// The code in hunks of the change. The sentence belongs to the chapter of the first one.
    pub evidence: Vec<CheckedQuote>,
    /// The name of the agent.
    pub source: String,
}

impl ChapterSentence {
    /// Calls `each` with every text.
    pub fn for_each_text(&mut self, each: &mut dyn FnMut(&mut String)) {
        let Self { sentence, evidence, source } = self;
        each(sentence);
        evidence.iter_mut().for_each(|quote| quote.for_each_text(each));
        each(source);
    }
}
