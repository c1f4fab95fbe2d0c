//! Asks the agents of a run: writes the prompts of each part, sends them as often as requested, and joins the answers.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::attempts::{AcceptedAnswer, AgentAttempts, Part};
use super::log::{Shared, folder_error};
use super::output::AgentOutcome;
use super::prompt::{BuiltPrompt, PromptRequest, build_prompt, estimate_cost, with_record};
use super::room::PreparedRoom;
use super::run::{Run, check};
use super::runs::{RunFindings, Runs};
use super::{record, resume};
use crate::agents::AgentChoice;
use crate::blocking;
use crate::error::{Error, ErrorCode, Result};
use diffsan_agent::SearchPath;
use diffsan_prepare::tokens;
use diffsan_store::event::EventName;

/// The question to an agent, which is the same in each of its runs.
#[derive(Clone, Copy)]
struct AgentQuestion<'a> {
    choice: &'a AgentChoice,
    /// The prompt of each part of the change.
    prompts: &'a [BuiltPrompt],
    /// The room that the agent may read, if any.
    room: Option<&'a Path>,
    search: &'a SearchPath,
}

impl Run<'_> {
    /// Asks one agent about every part of the change, as often as requested.
    pub(super) async fn ask(
        &self,
        log: &Shared<'_>,
        choice: AgentChoice,
        several: bool,
        room: Option<&PreparedRoom>,
        search: &SearchPath,
    ) -> AgentOutcome {
        let (answered, runs) = match choice.is_built_in() {
            true => (self.ask_built_in(log, &choice, several).await, None),
            false => match self.ask_agent(log, &choice, several, room, search).await {
                Ok((answer, runs)) => (Ok(answer), runs),
                Err(error) => (Err(error), None),
            },
        };
        if let (Err(error), true) = (&answered, several) {
            self.step("agent", &format!("{}: {}", choice.agent.title(), error.message));
        }
        AgentOutcome { choice, answered, runs }
    }

    /// Returns the answer of the capability reviewer, which is saved like those of agents.
    async fn ask_built_in(&self, log: &Shared<'_>, choice: &AgentChoice, several: bool) -> Result<AcceptedAnswer> {
        let looked = self.looked().await?;
        let part = Part { index: 0, of: 1, folder: Part::folder(several, choice, None) };
        record::save_built_in(&mut log.lock(), &part, choice, looked.answered())
    }

    async fn ask_agent(
        &self,
        log: &Shared<'_>,
        choice: &AgentChoice,
        several: bool,
        room: Option<&PreparedRoom>,
        search: &SearchPath,
    ) -> Result<(AcceptedAnswer, Option<RunFindings>)> {
        let room = room.filter(|_| choice.agent.spec.reads_files).map(PreparedRoom::folder);
        self.step("prompt", "Writing the prompt");
        let prompts = self.prompts(log, choice, room.as_deref()).await?;
        let question = AgentQuestion { choice, prompts: &prompts, room: room.as_deref(), search };
        if self.request.runs < 2 {
            let answer = self.ask_parts(log, question, Part::folder(several, choice, None)).await?;
            return Ok((answer, None));
        }
        self.tell_cost(choice, &prompts)?;
        let mut runs = Runs::default();
        for run in 1..=self.request.runs {
            let title = choice.agent.title();
            self.step("agent", &format!("{title}: run {run} of {}", self.request.runs));
            let mut result = self.ask_parts(log, question, Part::folder(several, choice, Some(run))).await;
            check(self.cancel)?;
            if let Ok(answer) = &mut result {
                answer.recorded.iter_mut().for_each(|one| one.run = Some(run));
            }
            if let Err(error) = &result {
                self.step("agent", &format!("{title}: run {run} failed: {}", error.message));
            }
            runs.add(run, result);
        }
        runs.join().map(|(answer, findings)| (answer, Some(findings)))
    }

    /// Reports the number of requests, tokens and the estimated cost of all runs of an agent, before anything is sent.
    fn tell_cost(&self, choice: &AgentChoice, prompts: &[BuiltPrompt]) -> Result<()> {
        let runs = u64::from(self.request.runs);
        let (requests, mut tokens, mut cost) = (prompts.len() as u64 * runs, 0, Some(0.0));
        for prompt in prompts {
            let of_prompt = tokens::count(prompt.text.as_str());
            tokens += of_prompt * runs;
            let of_prompt = estimate_cost(self.places, choice.model.as_deref(), of_prompt)?;
            cost = cost.zip(of_prompt).map(|(sum, one)| sum + one * runs as f64);
        }
        let cost = cost.map(|cost| format!(", about ${cost:.2}")).unwrap_or_default();
        let title = choice.agent.title();
        self.step("prompt", &format!("{title}: {runs} runs, {requests} requests with {tokens} tokens{cost}"));
        Ok(())
    }

    /// Builds the prompts of all parts, once for all runs.
    async fn prompts(&self, log: &Shared<'_>, choice: &AgentChoice, room: Option<&Path>) -> Result<Vec<BuiltPrompt>> {
        let (places, opened, agent) = (self.places.clone(), Arc::clone(self.opened), choice.agent.clone());
        let record = self.request.records.get(&choice.agent.name).map(String::as_str);
        let instructions = with_record(self.request.instructions.as_deref(), record);
        let skills = self.request.skills.clone();
        let (prior, room) = (self.request.prior.clone(), room.map(Path::to_owned));
        let mut session = log.lock().session.clone();
        blocking(move || {
            let build = |batch| {
                let request = PromptRequest {
                    agent: &agent,
                    instructions: instructions.as_deref(),
                    skills: skills.as_deref(),
                    batch,
                    room: room.as_deref(),
                    prior: prior.as_ref(),
                };
                build_prompt(&places, &opened, request, &mut session)
            };
            (0..opened.prepared().prepared.diffs().len()).map(build).collect()
        })
        .await
    }

    /// Puts the prompts of all parts to an agent, once.
    async fn ask_parts(
        &self,
        log: &Shared<'_>,
        AgentQuestion { choice, prompts, room, search }: AgentQuestion<'_>,
        folder: String,
    ) -> Result<AcceptedAnswer> {
        let parts = prompts.len();
        let (mut answers, mut facts) = (Vec::with_capacity(parts), Vec::new());
        for (index, prompt) in prompts.iter().enumerate() {
            let part = Part { index, of: parts, folder: folder.clone() };
            let digest = resume::digest(prompt, room);
            {
                let mut log = log.lock();
                let written = log.folder.write(&part.file("prompt.txt"), &prompt.text);
                written.map_err(|error| folder_error(log.folder, &error))?;
                log.info(
                    EventName::PromptWritten,
                    json!({ "chars": prompt.text.as_str().chars().count(), "skills": prompt.skills, "part": index + 1,
                            "parts": parts, "agent": choice.agent.name }),
                );
            }
            let asking = AgentAttempts {
                choice,
                opened: self.opened,
                prompts: &self.opened.trust.prompts(self.places),
                marker: &prompt.marker,
                search,
                cancel: self.cancel,
                notify: self.notify,
                started: self.started,
                places: self.places,
                room,
                part,
            };
            let known = self.request.resume.as_deref().and_then(|of| resume::take(of, &asking.part, choice, &digest));
            let answered = match known {
                Some(known) => {
                    let title = choice.agent.title();
                    self.step("agent", &format!("{title}’s answer{} is already saved", asking.part.label()));
                    let data = json!({ "agent": choice.agent.name, "part": index + 1, "parts": parts, "reused": true });
                    log.lock().info(EventName::AgentAttempt, data);
                    known
                }
                None => asking.run(log, prompt.text.clone(), &mut facts).await?,
            };
            answers.push(record::save_answer(&mut log.lock(), &asking.part, choice, &digest, answered)?);
        }
        super::batches::join(answers).ok_or_else(|| Error::new(ErrorCode::AgentOutputInvalid, "No agent was called."))
    }
}
