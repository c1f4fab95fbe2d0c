//! The ways to review a change that exceeds the limits of one prompt, with the cost of each.

use schemars::JsonSchema;
use serde::Serialize;

use super::App;
use diffsan_change::{Change, LineCounts, print_change};
use diffsan_config::{Limits, Strategy};
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::estimate_cost;
use diffsan_prepare::tokens;

/// A way to review a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetChoice {
    /// As many prompts as needed.
    Split,
    /// One prompt without limits.
    Whole,
    /// One prompt with the part that fits.
    Truncate,
}

/// A way to review a change, with its cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BudgetOption {
    /// The way.
    pub choice: BudgetChoice,
    /// The limits that select it.
    pub limits: Limits,
    /// The number of prompts.
    pub prompts: u32,
    /// The number of tokens of all prompts, counted with a common tokenizer.
    pub tokens: u64,
    /// The number of added and removed lines that are sent.
    pub lines: u64,
    /// The estimated cost by the price table, in US dollars. None if the model or its price is unknown.
    pub cost_usd: Option<f64>,
}

/// The ways to review a change, and the size of each file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Budget {
    /// The number of added and removed lines, without ignored files.
    pub lines: u64,
    /// The limits in effect.
    pub limits: Limits,
    /// The number of tokens that every prompt has in addition to its diff.
    pub overhead: u64,
    /// The number of characters of the whole diff.
    pub chars: u64,
    /// The ways, the recommended one first.
    pub options: Vec<BudgetOption>,
    /// The number of tokens of each file's diff, in the order of the files that are shown. 0 for an ignored file.
    pub file_tokens: Vec<u64>,
    /// The number of characters of each file's diff, in the same order.
    pub file_chars: Vec<u64>,
}

impl App {
    /// Returns the ways to review a change. `prompt` is the number of tokens of its first prompt. Blocks.
    pub fn budget(&self, opened: &OpenChange, prompt: u64, model: Option<&str>) -> Result<Budget> {
        let limits = opened.settings.config.limits.clone();
        let now = &opened.prepared().prepared;
        let first = now.diffs().first().map_or(0, |diff| tokens::count(diff.as_str()));
        let overhead = prompt.saturating_sub(first);
        let sendable = opened.sendable(&limits);
        let sizes = file_sizes(opened, sendable.get());
        let whole: u64 = sizes.iter().map(|size| size.tokens).sum();
        let truncated = Limits { strategy: Strategy::Truncate, ..limits.clone() };
        let split = Limits { strategy: Strategy::Split, ..limits.clone() };
        let unlimited =
            Limits { max_diff_chars: 0, max_diff_tokens: 0, max_files: 0, max_hunks_per_file: 0, ..truncated.clone() };
        let lines = total(opened.plan.sent().map(|file| opened.change.files[file].line_counts()).sum());
        let sent = total(opened.plan.sent().map(|file| sendable.get().files[file].line_counts()).sum());
        let cost = |tokens: u64, prompts: u32| -> Result<Option<f64>> {
            // The cost of a prompt includes the cost of its answer.
            let one = estimate_cost(self.places(), model, tokens)?;
            let answer = estimate_cost(self.places(), model, 0)?;
            Ok(one.zip(answer).map(|(one, answer)| one + f64::from(prompts.saturating_sub(1)) * answer))
        };
        let option = |choice, limits, prompts: u32, diff: u64, lines| -> Result<BudgetOption> {
            let tokens = diff + u64::from(prompts) * overhead;
            Ok(BudgetOption { choice, limits, prompts, tokens, lines, cost_usd: cost(tokens, prompts)? })
        };
        // The change is already prepared in one of the two ways.
        let other = opened.prepared_with(if limits.strategy == Strategy::Split { &truncated } else { &split });
        let (parts, fitting) = if limits.strategy == Strategy::Split { (now, &other) } else { (&other, now) };
        let parts = u32::try_from(parts.diffs().len()).unwrap_or(u32::MAX);
        Ok(Budget {
            lines,
            overhead,
            chars: sizes.iter().map(|size| size.chars).sum(),
            options: vec![
                option(BudgetChoice::Split, split, parts, whole, sent)?,
                option(BudgetChoice::Whole, unlimited, 1, whole, sent)?,
                option(
                    BudgetChoice::Truncate,
                    truncated,
                    1,
                    tokens::count(fitting.diff.as_str()),
                    total(fitting.change.get().line_counts()),
                )?,
            ],
            limits,
            file_tokens: sizes.iter().map(|size| size.tokens).collect(),
            file_chars: sizes.iter().map(|size| size.chars).collect(),
        })
    }
}

/// The size of the diff of one file.
#[derive(Clone, Copy, Default)]
struct FileSize {
    tokens: u64,
    chars: u64,
}

/// Returns the sizes of all files in display order. An ignored file has the size 0. `sendable` is the change without folded lines.
fn file_sizes(opened: &OpenChange, sendable: &Change) -> Vec<FileSize> {
    let size = |&index: &usize| {
        // A file whose hunks are all folded is not sent, too.
        let is_folded = sendable.files[index].hunks().is_empty() && !opened.change.files[index].hunks().is_empty();
        if is_folded || opened.plan.ignored(index).is_some() {
            return FileSize::default();
        }
        let file = Change { files: vec![sendable.files[index].clone()], ..Change::default() };
        let text = String::from_utf8_lossy(&print_change(&file)).into_owned();
        FileSize { tokens: tokens::count(&text), chars: text.chars().count() as u64 }
    };
    opened.plan.order().iter().map(size).collect()
}

fn total(counts: LineCounts) -> u64 {
    u64::from(counts.added) + u64::from(counts.removed)
}
