//! Finds where a conversation changed its topic, without a model: by attachments, common words, pauses and typical phrases.

use std::collections::HashSet;

use serde::Serialize;

use super::Spoken;

/// The minimum length of a pause that counts, in seconds.
const PAUSE: i64 = 45 * 60;

/// The last change of the topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Boundary {
    /// The index of the message that begins the current topic.
    pub index: usize,
    /// The reason for assuming a change of topic.
    pub reason: String,
    /// The certainty, from 0 to 1.
    pub confidence: f32,
    /// The first line of the conversation's first user message, at most 120 characters.
    pub summary: String,
}

/// Returns the last boundary. Its index and confidence are 0 if the topic never changed.
pub fn boundary(messages: &[Spoken<'_>]) -> Boundary {
    let users: Vec<usize> = (0..messages.len()).filter(|at| messages[*at].by_user).collect();
    let mut best = Boundary { index: 0, reason: "one topic".to_owned(), confidence: 0.0, summary: String::new() };
    for pair in users.windows(2) {
        let (before, here) = (&messages[pair[0]], &messages[pair[1]]);
        let (mut reasons, mut confidence) = (Vec::new(), 0.0_f32);
        if before.about != here.about && !here.about.is_empty() {
            reasons.push("another place was attached");
            confidence += 0.45;
        }
        let shared = overlap(&messages[pair[0]..pair[1]], here.text);
        if shared < 0.1 && here.text.split_whitespace().count() > 3 {
            reasons.push("different words");
            confidence += 0.3;
        }
        if here.at - before.at > PAUSE {
            reasons.push("a pause");
            confidence += 0.2;
        }
        let opening = here.text.trim_start().to_lowercase();
        if ["next", "now ", "another", "different question", "let's move", "moving on", "new topic"]
            .iter()
            .any(|word| opening.starts_with(word))
        {
            reasons.push("the message says so");
            confidence += 0.25;
        }
        // Of several equally certain boundaries, take the last one.
        if confidence > 0.0 && confidence >= best.confidence {
            let summary = messages[users[0]].text.lines().next().unwrap_or_default().chars().take(120).collect();
            let confidence = confidence.min(1.0);
            best = Boundary { index: pair[1], reason: reasons.join(", "), confidence, summary };
        }
    }
    best
}

/// Returns the share of a message's words that were used before, from 0 to 1. Short words are not counted.
fn overlap(before: &[Spoken<'_>], text: &str) -> f32 {
    let words = |text: &str| -> HashSet<String> {
        text.split(|char: char| !char.is_alphanumeric() && char != '_')
            .filter(|word| word.chars().count() > 3)
            .map(str::to_lowercase)
            .collect()
    };
    let here = words(text);
    if here.is_empty() {
        return 1.0;
    }
    let known: HashSet<String> = before.iter().flat_map(|message| words(message.text)).collect();
    here.iter().filter(|word| known.contains(*word)).count() as f32 / here.len() as f32
}
