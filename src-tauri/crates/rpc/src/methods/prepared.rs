//! Shows what would be sent to an agent: the prepared change, the prompt, and the effects of limits and masking.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::ChangeIdParams;
use super::program::Done;
use crate::registry::{Table, opened};
use diffsan_app::App;
use diffsan_config::{Limits, Verify};
use diffsan_pipeline::agents::choose_agent;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::{PromptRequest, build_prompt, estimate_cost, expected_room, with_record};
use diffsan_prepare::types::{CoverageMap, FoldedHunk, IgnoredFile, TruncationItem, TruncationReport};
use diffsan_prepare::{Batch, tokens};
use diffsan_redact::types::RedactionReport;
use diffsan_store::AllowedValue;
use diffsan_store::files::prompts::skill_names;

/// Limits to preview.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct LimitsParams {
    /// The opened change.
    pub change_id: String,
    /// The limits.
    pub limits: Limits,
}

/// The prepared change with other limits, in numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LimitsPreview {
    /// The number of files that would be sent.
    pub files: u32,
    /// The number of files in the change.
    pub files_of: u32,
    /// The number of characters.
    pub chars: u64,
    /// The number of tokens, counted with a common tokenizer.
    pub tokens: u64,
    /// The number of prompts.
    pub parts: u32,
    /// The parts that would be cut.
    pub cut: Vec<TruncationItem>,
    /// The number of ignored files, which does not depend on the limits.
    pub ignored: u32,
    /// One line about the coverage.
    pub summary: String,
}

/// Asks for the ways to review a change that exceeds the limits.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct BudgetParams {
    /// The opened change.
    pub change_id: String,
    /// The agent. The configured agent if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
}

/// The prepared change: the part that would be sent, and reports about the rest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PreparedView {
    /// The report about cut parts.
    pub truncation: TruncationReport,
    /// The report about masked values.
    pub redaction: RedactionReport,
    /// The ignored files.
    pub ignored: Vec<IgnoredFile>,
    /// The hunks that are not sent because their changed lines have no new meaning.
    pub folded: Vec<FoldedHunk>,
    /// The coverage of every line.
    pub coverage: CoverageMap,
    /// The values that the reviewer marked as not secret in this repository.
    pub allowed: Vec<AllowedValue>,
}

/// Marks a value as not secret in the change's repository, or removes the mark. It takes effect when the change is
/// opened again.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AllowParams {
    /// The opened change.
    pub change_id: String,
    /// The value as its digest, with the details from the report.
    pub secret: AllowedValue,
    /// Whether the value is sent without masking.
    pub allowed: bool,
}

/// A text to test masking with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TryParams {
    /// The opened change whose settings apply. The user's own settings if absent.
    #[serde(default)]
    pub change_id: Option<String>,
    /// The path of the file that the text is assumed to be in.
    #[serde(default)]
    pub path: String,
    /// The text to mask.
    pub text: String,
}

/// The result of masking a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TriedView {
    /// The masked text.
    pub text: String,
    /// The report about masked values.
    pub redaction: RedactionReport,
}

/// Asks for the exact prompt.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PromptParams {
    /// The opened change.
    pub change_id: String,
    /// The agent that the prompt is for. The configured agent if absent.
    pub agent: Option<String>,
    /// The model to ask for. The configured model or the agent's default if absent.
    #[serde(default)]
    pub model: Option<String>,
    /// Instructions that this review adds.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The skills that were selected for this review. The configured skills if absent.
    #[serde(default)]
    pub skills: Option<Vec<String>>,
    /// The index of the batch, from 0.
    #[serde(default)]
    pub batch: u32,
}

/// One batch of a change that is sent in several prompts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BatchView {
    /// The paths of its files, masked.
    pub files: Vec<String>,
    /// The number of characters of its diff.
    pub chars: u64,
    /// The number of tokens of its diff.
    pub tokens: u64,
}

/// The exact prompt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptView {
    /// The unchanged callers of changed signatures as its text lists them. Empty if it has none.
    pub callers: String,
    /// The agent that the prompt is for.
    pub agent: String,
    /// The text, masked as it will be sent.
    pub text: String,
    /// The number of characters.
    pub chars: u64,
    /// The number of tokens, counted with a common tokenizer. An agent's own count differs slightly.
    pub tokens: u64,
    /// The model that will be requested, if one is named.
    pub model: Option<String>,
    /// The estimated cost by the price table, in US dollars. None if the model or its price is unknown.
    pub cost_usd: Option<f64>,
    /// The index of the batch that the prompt is for, from 0.
    pub batch: u32,
    /// The batches, if the change is sent in several prompts; else empty.
    pub batches: Vec<BatchView>,
    /// The source of each prompt file.
    pub sources: Vec<PromptSource>,
    /// The names of the skills in the prompt.
    pub skills: Vec<String>,
    /// The names of all available skills.
    pub known_skills: Vec<String>,
    /// The findings that get a second opinion after the review.
    pub verify: Verify,
    /// The name of the agent that gives it. Empty for the agent of the review.
    pub verify_agent: String,
    /// The prepared change.
    pub prepared: PreparedView,
}

/// The source of a prompt file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptSource {
    /// The file's name, such as `system.md`.
    pub name: String,
    /// Its path, or `built in`.
    pub place: String,
}

pub(super) fn register(table: &mut Table) {
    table.query("change.prepared", "Returns the prepared change", |app, params: ChangeIdParams| {
        let handle = opened(app, &params.change_id)?;
        Ok(prepared_view(&handle.opened))
    });
    table.method("redaction.allow", "Marks a value as not secret in this repository", |app, params: AllowParams| {
        let handle = opened(app, &params.change_id)?;
        app.allow_secret(&handle.opened, &params.secret, params.allowed)?;
        Ok(Done {})
    });
    table.query("redaction.try", "Masks a text, for testing", |app, params: TryParams| {
        let redactor = match &params.change_id {
            Some(id) => Arc::clone(opened(app, id)?.opened.redactor()),
            None => Arc::new(app.redactor()?),
        };
        let mut session = redactor.session();
        let text = session.text(&params.path, &params.text).into_inner();
        Ok(TriedView { text, redaction: session.report() })
    });
    table.async_query("prompt.preview", "Returns the exact prompt of a review", |app, params, ask| async move {
        let params: PromptParams = params;
        let handle = opened(&app, &params.change_id)?;
        app.ensure_facts(&handle.opened, &ask.cancel).await;
        Ok(blocking(move || prompt_view(&app, &handle.opened, &params)).await?)
    });
    table.async_query(
        "change.budget",
        "Returns the ways to review a change that exceeds the limits",
        |app, params, ask| async move {
            let params: BudgetParams = params;
            let handle = opened(&app, &params.change_id)?;
            app.ensure_facts(&handle.opened, &ask.cancel).await;
            let asked = PromptParams {
                change_id: params.change_id,
                agent: params.agent,
                model: params.model,
                instructions: None,
                skills: None,
                batch: 0,
            };
            Ok(blocking(move || {
                let prompt = prompt_view(&app, &handle.opened, &asked)?;
                app.budget(&handle.opened, prompt.tokens, prompt.model.as_deref())
            })
            .await?)
        },
    );
    table.query("limits.preview", "Previews the prepared change with other limits", |app, params: LimitsParams| {
        let handle = opened(app, &params.change_id)?;
        let (change, prepared) = app.preview(&handle.opened, &params.limits)?;
        let diffs = prepared.diffs();
        let sent: std::collections::BTreeSet<String> = prepared
            .batches
            .iter()
            .flat_map(|batch| batch.change.get().files.iter().map(|file| file.path().to_text().into_owned()))
            .chain(
                prepared
                    .change
                    .get()
                    .files
                    .iter()
                    .filter(|_| diffs.len() == 1)
                    .map(|file| file.path().to_text().into_owned()),
            )
            .collect();
        Ok(LimitsPreview {
            files: count(sent.len()),
            files_of: count(change.change.files.len()),
            chars: diffs.iter().map(|diff| diff.as_str().chars().count() as u64).sum(),
            tokens: diffs.iter().map(|diff| tokens::count(diff.as_str())).sum(),
            parts: count(diffs.len()),
            cut: prepared.truncation.items.clone(),
            ignored: count(prepared.ignored.len()),
            summary: prepared.coverage.summary.clone(),
        })
    });
}

pub(super) fn prepared_view(opened: &OpenChange) -> PreparedView {
    let prepared = opened.prepared();
    let coverage = &prepared.prepared.coverage;
    // In display order, so that an index means the same file everywhere.
    let files = opened.plan.order().iter().filter_map(|&index| coverage.files.get(index).cloned()).collect();
    PreparedView {
        truncation: prepared.prepared.truncation.clone(),
        redaction: prepared.redaction.clone(),
        ignored: prepared.prepared.ignored.clone(),
        folded: prepared.prepared.folded.clone(),
        coverage: CoverageMap { summary: coverage.summary.clone(), files },
        allowed: opened.allowed.clone(),
    }
}

pub(super) fn prompt_view(app: &App, opened: &OpenChange, params: &PromptParams) -> Result<PromptView> {
    let config = &opened.settings.config;
    let search = opened.search_path();
    // The prompt can be read before any agent is installed. It is then the prompt for an agent that enforces the
    // schema.
    let named = params.model.as_deref().filter(|model| !model.trim().is_empty());
    let mut model = named.map(str::to_owned);
    let agent = match choose_agent(params.agent.as_deref(), named, config, &search) {
        // The built-in reviewer gets no prompt, so the prompt of another agent is shown.
        Ok(choice) if choice.is_built_in() => diffsan_agent::known(config).into_iter().next(),
        Ok(choice) => {
            model = choice.model;
            Some(choice.agent)
        }
        Err(error) if error.code == ErrorCode::AgentNotFound => {
            let wanted = params.agent.as_deref().unwrap_or(&config.agent.name);
            diffsan_agent::known(config).into_iter().find(|agent| agent.name == wanted || wanted == "auto")
        }
        Err(error) => return Err(error),
    };
    let Some(agent) = agent else {
        return Err(Error::new(ErrorCode::AgentNotFound, "There is no such agent."));
    };
    let mut session = opened.prepared().session();
    let batch = params.batch as usize;
    let room = expected_room(app.places(), opened, &agent);
    let prior = app.prior(opened)?;
    let records = app.record_texts(opened)?;
    let record = records.get(&agent.name).map(String::as_str);
    let instructions = with_record(params.instructions.as_deref(), record);
    let request = PromptRequest {
        agent: &agent,
        instructions: instructions.as_deref(),
        skills: params.skills.as_deref(),
        batch,
        room: room.as_deref(),
        prior: prior.as_ref(),
    };
    let built = build_prompt(app.places(), opened, request, &mut session)?;
    let text = built.text.into_inner();
    let tokens = tokens::count(&text);
    Ok(PromptView {
        cost_usd: estimate_cost(app.places(), model.as_deref(), tokens)?,
        model,
        agent: agent.name,
        chars: text.chars().count() as u64,
        tokens,
        batch: params.batch,
        batches: opened.prepared().prepared.batches.iter().map(batch_view).collect(),
        text,
        sources: built
            .files
            .into_iter()
            .map(|file| PromptSource {
                name: file.name,
                place: file.path.map_or_else(|| "built in".to_owned(), |path| path.display().to_string()),
            })
            .collect(),
        skills: built.skills,
        callers: built.callers,
        known_skills: skill_names(&opened.trust.prompts(app.places())),
        verify: opened.settings.config.review.verify,
        verify_agent: opened.settings.config.review.verify_agent.clone(),
        prepared: prepared_view(opened),
    })
}

fn batch_view(batch: &Batch) -> BatchView {
    let diff = batch.diff.as_str();
    let files = &batch.change.get().files;
    BatchView {
        files: files.iter().map(|file| file.path().to_text().into_owned()).collect(),
        chars: diff.chars().count() as u64,
        tokens: tokens::count(diff),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
