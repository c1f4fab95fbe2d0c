//! Resumes an interrupted run: answers that it already received are not requested again.
//!
//! An answer is reused if its question is the same: the prompt (except for its random marker and the path of the room), the agent and the
//! model. All other questions are asked again. [`plan_resume`] predicts which.

use schemars::JsonSchema;
use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::attempts::{AcceptedAnswer, Part};
use super::log::{Log, folder_error};
use super::prompt::{BuiltPrompt, PromptRequest, build_prompt, with_record};
use super::room::expected_room;
use crate::agents::{AgentChoice, choose_agents};
use crate::error::{Error, Result, to_json_value};
use crate::open::OpenChange;
use diffsan_evidence::AgentReading;
use diffsan_prepare::prompt::Prior;
use diffsan_redact::types::Redacted;
use diffsan_review::answer::{Answer, ReadAs};
use diffsan_review::finding::AgentReviewOutput;
use diffsan_review::sandbox::SandboxReceipt;
use diffsan_review::{TokenUsage, UnreadableFinding};
use diffsan_store::files::artifacts::RunRequest;
use diffsan_store::files::places::Places;

/// The file of an accepted answer; `answer.2.json` for the second part.
pub(super) const ANSWER: &str = "answer.json";

/// An answer in a run folder, masked.
#[derive(Serialize, Deserialize)]
struct SavedAnswer {
    digest: String,
    agent: String,
    model: Option<String>,
    attempts: u32,
    usage: Option<TokenUsage>,
    cost_usd: Option<f64>,
    read_as: String,
    #[serde(default)]
    unreadable: Vec<UnreadableFinding>,
    #[serde(default)]
    sandbox: Option<SandboxReceipt>,
    #[serde(default)]
    reading: AgentReading,
    output: AgentReviewOutput,
}

/// Returns a digest of a prompt without its random parts.
pub(super) fn digest(prompt: &BuiltPrompt, room: Option<&Path>) -> String {
    let mut text = prompt.text.as_str().replace(&prompt.marker, "MARKER");
    if let Some(room) = room {
        text = text.replace(&room.display().to_string(), "ROOM");
    }
    hex::encode(Sha256::digest(text))
}

/// Stores a masked answer, so that it is available if the run is interrupted.
pub(super) fn save_answer(
    log: &mut Log<'_>,
    part: &Part,
    choice: &AgentChoice,
    digest: &str,
    (one, answer): (&AcceptedAnswer, &Redacted<Answer>),
) -> Result<()> {
    let saved = SavedAnswer {
        digest: digest.to_owned(),
        agent: choice.agent.name.clone(),
        model: choice.model.clone(),
        attempts: one.attempts,
        usage: one.usage,
        cost_usd: one.cost,
        read_as: answer.get().read_as.name().to_owned(),
        unreadable: answer.get().unreadable.clone(),
        sandbox: one.sandbox.clone(),
        reading: one.reading.clone(),
        output: answer.get().output.clone(),
    };
    let name = part.file(ANSWER);
    let saved = to_json_value(&saved)?;
    // The answer is masked already. Masking it again, with the names of its fields, could change it.
    let masked = log.session.value(&name, saved.clone()).narrow(|masked| {
        let mut value = masked.clone();
        for field in ["output", "unreadable"] {
            value[field].clone_from(&saved[field]);
        }
        value
    });
    log.folder.write_report(&name, &masked).map_err(|error| folder_error(log.folder, &error))
}

/// Returns the answer of an earlier run, if its question is the same.
pub(super) fn take(folder: &Path, part: &Part, choice: &AgentChoice, digest: &str) -> Option<AcceptedAnswer> {
    let saved: SavedAnswer = serde_json::from_slice(
        &diffsan_bounded::read(&folder.join(part.file(ANSWER)), diffsan_bounded::MAX_PATCH_BYTES).ok()?,
    )
    .ok()?;
    let same = saved.digest == digest && saved.agent == choice.agent.name && saved.model == choice.model;
    same.then(|| AcceptedAnswer {
        answer: Answer {
            read_as: ReadAs::of(&saved.read_as),
            unreadable: saved.unreadable,
            ..Answer::valid(saved.output)
        },
        attempts: saved.attempts,
        usage: saved.usage,
        cost: saved.cost_usd,
        sandbox: saved.sandbox,
        recorded: Vec::new(),
        reading: saved.reading,
    })
}

/// Returns the number of answers in a run folder.
pub fn saved_answers(folder: &Path) -> u32 {
    let is_answer = |name: &str| name.starts_with("answer.") && name.ends_with(".json");
    let count = |folder: &Path| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.filter(|entry| is_answer(&entry.file_name().to_string_lossy())).count()
    };
    let inner = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
    let all = count(folder) + inner.map(|entry| count(&entry.path())).sum::<usize>();
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// One question of a run that is resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResumePart {
    /// The display name of the agent.
    pub agent: String,
    /// The number of the part, from 1.
    pub part: u32,
    /// The number of parts.
    pub of: u32,
    /// The number of the run, from 1, if the agent is asked several times.
    pub run: Option<u32>,
    /// The files of the part, masked.
    pub files: Vec<String>,
    /// Whether the stored answer is reused; otherwise the agent is asked.
    pub reused: bool,
}

/// Predicts which questions of a resumed run are asked again, as far as this can be known. Blocks.
pub fn plan_resume(
    places: &Places,
    opened: &OpenChange,
    folder: &Path,
    request: &RunRequest,
    prior: Option<&Prior>,
    records: &BTreeMap<String, String>,
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
        let record = records.get(&choice.agent.name).map(String::as_str);
        let instructions = with_record(request.instructions.as_deref(), record);
        // Agents that are built in are asked once.
        let runs =
            if choice.is_built_in() || request.runs < 2 { vec![None] } else { (1..=request.runs).map(Some).collect() };
        for run in runs {
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
                        instructions: instructions.as_deref(),
                        skills: request.skills.as_deref(),
                        batch: index,
                        room: room.as_deref(),
                        prior,
                    };
                    let prompt = build_prompt(places, opened, request, &mut session)?;
                    let part = Part { index, of, folder: Part::folder(several, choice, run) };
                    take(folder, &part, choice, &digest(&prompt, room.as_deref())).is_some()
                };
                parts.push(ResumePart {
                    agent: choice.agent.title().to_owned(),
                    part: u32::try_from(index + 1).unwrap_or(u32::MAX),
                    of: u32::try_from(of).unwrap_or(u32::MAX),
                    run,
                    files: files.get().files.iter().map(|file| file.path().to_text().into_owned()).collect(),
                    reused,
                });
            }
        }
    }
    Ok(parts)
}

/// Returns the error for a run that cannot be resumed.
pub fn no_such_run() -> Error {
    Error::new(crate::error::ErrorCode::NotFound, "The run no longer exists, or was not interrupted.")
        .hint("Review the change again.")
}
