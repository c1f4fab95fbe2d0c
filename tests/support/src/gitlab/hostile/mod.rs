//! Hostile texts that an attacker could make an agent write, for every field of a review that is part of a posted note.
//!
//! A seed generates the same texts on every machine; [`corpus`](super::corpus) reads handwritten texts. The module knows Markdown
//! and GitLab, but not how diffsan creates notes.

mod atoms;
mod blocks;
mod inlines;

use serde::{Deserialize, Serialize};

use crate::history::Dice;

/// The texts of one review, by field. Fields that a case does not name are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// The title of a finding.
    pub title: String,
    /// The body of a finding, in Markdown.
    pub body: String,
    /// The path of the file.
    pub path: String,
    /// The name of the agent.
    pub agent: String,
    /// The name of the model.
    pub model: String,
    /// The text of a claim.
    pub claim: String,
    /// The category of the finding.
    pub category: String,
    /// The replacement that a finding suggests.
    pub patch: String,
    /// The summary of the review, in Markdown.
    pub summary: String,
    /// The paths of files that were not reviewed.
    pub dropped: Vec<String>,
    /// The line about the coverage.
    pub coverage: String,
    /// The text of an error.
    pub error: String,
    /// Text that the user edited or added.
    pub edited: String,
}

impl Fields {
    /// Returns the fields with their names. Each path of `dropped` is one field.
    pub fn each(&self) -> Vec<(&'static str, &str)> {
        let Self { title, body, path, agent, model, claim, category, patch, summary, dropped, coverage, error, edited } =
            self;
        let mut all = vec![
            ("title", title.as_str()),
            ("body", body),
            ("path", path),
            ("agent", agent),
            ("model", model),
            ("claim", claim),
            ("category", category),
            ("patch", patch),
            ("summary", summary),
            ("coverage", coverage),
            ("error", error),
            ("edited", edited),
        ];
        all.extend(dropped.iter().map(|path| ("dropped", path.as_str())));
        all
    }
}

/// Generates hostile texts from a seed.
pub struct Generator {
    dice: Dice,
    /// The fence that an earlier text opened. A later text often closes it, so that texts of different fields interact.
    fence: Option<String>,
    /// The labels of definitions that earlier texts used.
    labels: Vec<String>,
}

impl Generator {
    /// Creates a generator. The same seed gives the same texts.
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), fence: None, labels: Vec::new() }
    }

    /// Returns the texts of a whole review. About half of the fields are hostile, so that each kind is combined with the other.
    pub fn fields(&mut self) -> Fields {
        self.fence = None;
        self.labels.clear();
        Fields {
            title: self.line_field("Reads past the end"),
            body: self.block_field("The loop reads one item too many.\n\nUse `<` here."),
            path: self.line_field("src/main.rs"),
            agent: self.line_field("claude"),
            model: self.line_field("opus-4.5"),
            claim: self.line_field("The last item is read twice"),
            category: self.line_field("bug"),
            patch: self.block_field("    let end = items.len();\n"),
            summary: self.block_field("Two problems were found.\n\n- one\n- two"),
            dropped: (0..self.dice.roll(4)).map(|_| self.line_field("vendor/big.min.js")).collect(),
            coverage: self.line_field("12 of 14 files were reviewed"),
            error: self.block_field("the agent ended with code 1"),
            edited: self.block_field("I agree with this one."),
        }
    }

    fn one_of(&mut self, things: &[&'static str]) -> &'static str {
        things[self.dice.roll(things.len())]
    }

    fn line_field(&mut self, ordinary: &str) -> String {
        if self.dice.roll(2) == 0 { ordinary.to_owned() } else { self.line() }
    }

    fn block_field(&mut self, ordinary: &str) -> String {
        if self.dice.roll(2) == 0 { ordinary.to_owned() } else { self.block() }
    }

    /// Returns a text for a field that should be one line, but often is not.
    pub fn line(&mut self) -> String {
        let mut text = String::new();
        match self.dice.roll(8) {
            0 => text += &self.fence_line(),
            1 => text += &self.opener(),
            _ => {}
        }
        for _ in 0..self.dice.roll(4) {
            let inline = self.inline(3);
            text += &inline;
            text += self.joint();
        }
        if self.dice.once_in(5) {
            text += self.line_end();
            text += &self.block_start();
        }
        match self.dice.roll(8) {
            0 => text += &self.fence_line(),
            1 => text += &self.opener(),
            2 => text += self.line_end(),
            3 => text.push('\\'),
            _ => {}
        }
        text
    }

    /// Returns a text of several blocks.
    pub fn block(&mut self) -> String {
        let mut text = String::new();
        if self.dice.once_in(1000) {
            return self.enormous();
        }
        if self.dice.once_in(6) {
            text += self.line_end();
        }
        for _ in 0..=self.dice.roll(5) {
            let block = self.one_block(3);
            text += &block;
            match self.dice.roll(6) {
                0 => {}
                1 => text += self.line_end(),
                _ => text += "\n\n",
            }
        }
        if self.dice.once_in(4) {
            // The end of a field is combined with the beginning of the next one.
            let opener = self.opener();
            text = text.trim_end_matches('\n').to_owned() + self.line_end() + &opener;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gitlab::markdown::effects_of;

    #[test]
    fn the_same_seed_gives_the_same_texts() {
        assert_eq!(Generator::new(7).fields(), Generator::new(7).fields());
        assert_ne!(Generator::new(7).fields(), Generator::new(8).fields());
    }

    #[test]
    fn the_texts_do_everything_that_they_should_be_kept_from() {
        let mut generator = Generator::new(1);
        let mut count = [0usize; 9];
        for _ in 0..1000 {
            let effects = effects_of(&generator.block());
            let all = [
                effects.executed.len(),
                effects.mentioned.len(),
                effects.references.len(),
                effects.images.len(),
                effects.html.len(),
                effects.includes.len(),
                effects.suggestions.len(),
                effects.other_active_blocks.len(),
                effects.markers.len(),
            ];
            for (count, found) in count.iter_mut().zip(all) {
                *count += usize::from(found > 0);
            }
        }
        assert!(count.iter().all(|count| *count >= 15), "{count:?}");
    }

    #[test]
    fn texts_are_made_and_read_fast() {
        let mut generator = Generator::new(3);
        let started = std::time::Instant::now();
        let (mut size, mut made) = (0, std::time::Duration::ZERO);
        for _ in 0..1000 {
            let begun = std::time::Instant::now();
            let fields = generator.fields();
            made += begun.elapsed();
            let note = fields.each().into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n\n");
            size += note.len();
            let _ = effects_of(&note);
        }
        println!("1000 notes of {} bytes: made in {made:?}, with reading {:?}", size / 1000, started.elapsed());
        assert!(started.elapsed().as_secs() < 30);
    }
}
