//! Going on with a run that was cut off: answers that it already had are not asked for again.
//!
//! An answer holds where everything that it answers is the same: the prompt (but for its random marker and the room's place), the agent and the
//! model. Everything else is asked anew; what can be known of that beforehand is told by [`plan_resume`].

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::attempts::{AcceptedAnswer, Part};
use super::log::Log;
use super::prompt::{BuiltPrompt, PromptRequest, build_prompt};
use super::room::expected_room;
use crate::agents::{AgentChoice, choose_agents};
use crate::error::{Error, Result};
use crate::open::OpenChange;
use diffsan_prepare::prompt::Prior;
use diffsan_review::TokenUsage;
use diffsan_review::answer::{Answer, ReadAs};
use diffsan_review::finding::AgentReviewOutput;
use diffsan_store::files::artifacts::RunRequest;
use diffsan_store::files::places::Places;

/// The file of an answer that was accepted; of a part `answer.2.json`.
const ANSWER: &str = "answer.json";

/// An answer as a run's folder has it, masked.
#[derive(Serialize, Deserialize)]
struct KeptAnswer {
    digest: String,
    agent: String,
    model: Option<String>,
    attempts: u32,
    usage: Option<TokenUsage>,
    cost_usd: Option<f64>,
    read_as: String,
    output: AgentReviewOutput,
}

/// A prompt's digest: of everything but what is random in it.
pub(super) fn digest(prompt: &BuiltPrompt, room: Option<&Path>) -> String {
    let mut text = prompt.text.as_str().replace(&prompt.marker, "MARKER");
    if let Some(room) = room {
        text = text.replace(&room.display().to_string(), "ROOM");
    }
    hex::encode(Sha256::digest(text))
}

/// Keeps an answer, so that it is there if the run is cut off.
pub(super) fn keep(
    log: &mut Log<'_>,
    part: &Part,
    choice: &AgentChoice,
    digest: &str,
    one: &AcceptedAnswer,
) -> Result<()> {
    let kept = KeptAnswer {
        digest: digest.to_owned(),
        agent: choice.agent.name.clone(),
        model: choice.model.clone(),
        attempts: one.attempts,
        usage: one.usage,
        cost_usd: one.cost,
        read_as: one.answer.read_as.name().to_owned(),
        output: one.answer.output.clone(),
    };
    log.report(&part.file(ANSWER), &kept)
}

/// An answer of an earlier run, if it answers the same.
pub(super) fn take(folder: &Path, part: &Part, choice: &AgentChoice, digest: &str) -> Option<AcceptedAnswer> {
    let kept: KeptAnswer = serde_json::from_slice(
        &diffsan_bounded::read(&folder.join(part.file(ANSWER)), diffsan_bounded::MAX_PATCH_BYTES).ok()?,
    )
    .ok()?;
    let same = kept.digest == digest && kept.agent == choice.agent.name && kept.model == choice.model;
    let read_as =
        [ReadAs::Strict, ReadAs::Fenced, ReadAs::Recovered].into_iter().find(|one| one.name() == kept.read_as);
    same.then(|| AcceptedAnswer {
        answer: Answer { output: kept.output, read_as: read_as.unwrap_or(ReadAs::Recovered) },
        attempts: kept.attempts,
        usage: kept.usage,
        cost: kept.cost_usd,
    })
}

/// How many answers a run's folder has.
pub fn kept_answers(folder: &Path) -> u32 {
    let is_answer = |name: &str| name.starts_with("answer.") && name.ends_with(".json");
    let count = |folder: &Path| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.filter(|entry| is_answer(&entry.file_name().to_string_lossy())).count()
    };
    let inner = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
    let all = count(folder) + inner.map(|entry| count(&entry.path())).sum::<usize>();
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// One question of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumePart {
    /// Who is asked, for people.
    pub agent: String,
    /// Which part, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// Its files, masked.
    pub files: Vec<String>,
    /// Whether its answer is there and holds; else it is asked.
    pub reused: bool,
}

/// What comes of going on with a run, as far as it can be known. Blocking.
pub fn plan_resume(
    places: &Places,
    opened: &OpenChange,
    folder: &Path,
    request: &RunRequest,
    prior: Option<&Prior>,
) -> Result<Vec<ResumePart>> {
    let search = opened.search_path();
    let config = &opened.settings.config;
    let choices = choose_agents(&request.agents, request.model.as_deref(), config, &search)?;
    let prepared = opened.prepared();
    let batches = &prepared.prepared.batches;
    let (several, of) = (choices.len() > 1, prepared.prepared.diffs().len());
    let mut session = prepared.session();
    let mut parts = Vec::new();
    for choice in &choices {
        let room = expected_room(places, opened, &choice.agent);
        for index in 0..of {
            let files = match batches.get(index) {
                Some(batch) => &batch.change,
                None => &prepared.prepared.change,
            };
            let reused = if choice.is_built_in() {
                false
            } else {
                let request = PromptRequest {
                    agent: &choice.agent,
                    instructions: request.instructions.as_deref(),
                    skills: request.skills.as_deref(),
                    batch: index,
                    room: room.as_deref(),
                    prior,
                };
                let prompt = build_prompt(places, opened, request, &mut session)?;
                let part = Part::new(index, of, several, choice);
                take(folder, &part, choice, &digest(&prompt, room.as_deref())).is_some()
            };
            parts.push(ResumePart {
                agent: choice.agent.title().to_owned(),
                part: u32::try_from(index + 1).unwrap_or(u32::MAX),
                of: u32::try_from(of).unwrap_or(u32::MAX),
                files: files.get().files.iter().map(|file| file.path().to_text().into_owned()).collect(),
                reused,
            });
        }
    }
    Ok(parts)
}

/// A run that cannot be gone on with.
pub fn no_such_run() -> Error {
    Error::new(crate::error::ErrorCode::NotFound, "That run is not there any more, or was not interrupted.")
        .hint("Review the change again.")
}
