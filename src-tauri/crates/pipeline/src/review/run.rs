//! Runs one review.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::attempts::{AcceptedAnswer, AgentAttempts, Part};
use super::capability::{self, CapabilityAnalysis};
use super::chapters::checked_chapters;
use super::intent::checked_intent;
use super::log::{Log, Shared, folder_error};
use super::output::{AgentOutcome, Answers, Checked};
use super::placing::{ClaimCheck, place_checked};
use super::prompt::{BuiltPrompt, PromptRequest, build_prompt, estimate_cost, with_record};
use super::record;
use super::room::{PreparedRoom, room_of};
use super::runs::{RunFindings, Runs, check_runs};
use crate::agents::{AgentChoice, choose_agent, choose_agents};
use crate::blocking;
use crate::error::{Error, ErrorCode, Result};
use crate::open::{OpenChange, millis};
use crate::review::resume;
use crate::review::skip;
use crate::run_start::{StartedRun, new_run_id, start_run};
use diffsan_agent::SearchPath;
use diffsan_change::Fingerprint;
use diffsan_change::print_change;
use diffsan_config::{Room, Verify};
use diffsan_prepare::prompt::Prior;
use diffsan_prepare::tokens;
use diffsan_redact::Session;
use diffsan_review::finding::Finding;
use diffsan_review::{ReviewOutput, TokenUsage};
use diffsan_store::event::EventName;
use diffsan_store::files::artifacts::{RunRequest, now};
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::symbols::READER_VERSION;

/// The place of a run folder.
#[derive(Clone, Debug, Default)]
pub enum RunLocation {
    /// Under the data folder, named after the run.
    #[default]
    Data,
    /// Exactly this folder.
    Folder(PathBuf),
}

/// The options of a review.
#[derive(Clone, Debug, Default)]
pub struct ReviewRequest {
    /// The identifier of the run; `None` for a new one.
    pub run_id: Option<String>,
    /// The agents, which are asked in parallel; empty for the configured one.
    pub agents: Vec<String>,
    /// The model; `None` for the configured one or the agent's own.
    pub model: Option<String>,
    /// Additional instructions for this review.
    pub instructions: Option<String>,
    /// The selected skills, which replace the configured ones.
    pub skills: Option<Vec<String>>,
    /// Earlier findings and comments on the change.
    pub prior: Option<Prior>,
    /// A text about its track record for each agent that gets one, by agent.
    pub records: BTreeMap<String, String>,
    /// Findings of earlier reviews of the change, each key once. New findings that match them take their keys.
    pub known: Vec<Finding>,
    /// The fingerprint of the latest diff whose review was posted.
    pub posted: Option<Fingerprint>,
    /// Whether to review even if the settings say to skip the change.
    pub anyway: bool,
    /// The findings that get a second opinion; `None` for the setting.
    pub verify: Option<Verify>,
    /// The place of the run folder.
    pub place: RunLocation,
    /// How often each agent is asked the same prompt; 0 and 1 mean once. Agents that are built in are always asked once.
    pub runs: u32,
    /// The folder of an interrupted run. Its answers are reused as far as they are still valid.
    pub resume: Option<PathBuf>,
}

/// A progress event of a run. Texts are masked.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// The agents are known.
    Agents {
        /// The names of the agents.
        agents: Vec<String>,
    },
    /// A new step started.
    Step {
        /// The step: `prepare`, `room`, `prompt`, `agent`, `validate`, `verify`.
        step: &'static str,
        /// A text for people.
        message: String,
    },
    /// A progress message of an agent.
    Progress {
        /// The name of the agent.
        agent: String,
        /// A text for people.
        message: String,
        /// The time since the start of the run, in milliseconds.
        elapsed_ms: u64,
    },
    /// The usage of an agent so far.
    Usage {
        /// The name of the agent.
        agent: String,
        /// The number of tokens, if reported.
        usage: Option<TokenUsage>,
        /// The reported cost in US dollars.
        cost_usd: Option<f64>,
    },
}

/// A finished review.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The identifier of the run.
    pub run_id: String,
    /// The time at which it finished (RFC 3339).
    pub created_at: String,
    /// The validated result.
    pub output: ReviewOutput,
}

/// The successful end of a run.
#[derive(Clone, Debug)]
pub enum Outcome<T = Reviewed> {
    /// The change was reviewed.
    Reviewed(T),
    /// The change was skipped.
    Skipped {
        /// The first reason, such as `NO_DIFF`.
        reason: &'static str,
        /// All reasons, as text for people.
        message: String,
    },
}

/// Reviews an opened change, and passes the review to `keep` for storage, which may block. The run folder records the
/// progress and the end of the run in any case.
pub async fn review<T: Send + 'static>(
    places: &Places,
    opened: Arc<OpenChange>,
    request: ReviewRequest,
    cancel: CancellationToken,
    notify: &(dyn Fn(RunEvent) + Send + Sync),
    keep: impl FnOnce(&Path, Reviewed) -> Result<T> + Send + 'static,
) -> (PathBuf, Result<Outcome<T>>) {
    let started = Instant::now();
    let given = match &request.place {
        RunLocation::Data => None,
        RunLocation::Folder(path) => Some(path.clone()),
    };
    let run_id = request.run_id.clone().unwrap_or_else(new_run_id);
    let StartedRun { id: run_id, path, folder, record } =
        match start_run(places, &opened, run_id, given, &request.agents.join(",")) {
            Ok(started) => started,
            Err((path, error)) => return (path, Err(error)),
        };
    let log = Shared::new(Log { folder: &folder, record, session: opened.fresh_session() });
    let run = Run {
        places,
        opened: &opened,
        request: &request,
        cancel: &cancel,
        notify,
        run_id: &run_id,
        started,
        looked: capability::Shared::new(),
    };
    let result = run.go(&log).await;
    log.lock().record.timings.total_ms = millis(started);
    let kept = match result {
        Ok(Outcome::Skipped { reason, message }) => Ok(Ok(Outcome::Skipped { reason, message })),
        Ok(Outcome::Reviewed(reviewed)) => {
            let folder = path.clone();
            Ok(blocking(move || keep(&folder, reviewed)).await.map(Outcome::Reviewed))
        }
        Err(error) => Err(error),
    };
    let result = log.lock().end(kept, matches!(request.place, RunLocation::Data));
    (path, result)
}

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

/// The inputs of a run.
struct Run<'a> {
    places: &'a Places,
    opened: &'a Arc<OpenChange>,
    request: &'a ReviewRequest,
    cancel: &'a CancellationToken,
    notify: &'a (dyn Fn(RunEvent) + Send + Sync),
    run_id: &'a str,
    started: Instant,
    /// The result of the capability reviewer, once computed.
    looked: capability::Shared,
}

impl Run<'_> {
    fn step(&self, step: &'static str, message: &str) {
        (self.notify)(RunEvent::Step { step, message: message.to_owned() });
    }

    /// Returns the request, masked, so that the run can be resumed.
    fn asked(&self, session: &mut Session) -> Option<RunRequest> {
        let request = self.request;
        let asked = json!(RunRequest {
            agents: request.agents.clone(),
            model: request.model.clone(),
            instructions: request.instructions.clone(),
            skills: request.skills.clone(),
            anyway: request.anyway,
            since: self.opened.since.clone(),
            runs: request.runs,
            verify: request.verify,
        });
        serde_json::from_value(session.value("request", asked).into_inner()).ok()
    }

    async fn go(&self, log: &Shared<'_>) -> Result<Outcome> {
        check_runs(self.request.runs)?;
        self.begun(&mut log.lock());
        let opened = self.opened;
        if opened.change.files.is_empty() {
            return skip::no_diff(&mut log.lock(), self.opened, "There is no change to review.".to_owned());
        }
        self.step("prepare", "Masking secrets and fitting the budget");
        let preparing = Arc::clone(opened);
        let (agents, model) = (self.request.agents.clone(), self.request.model.clone());
        let (search, choices) = blocking(move || {
            preparing.prepared();
            let search = preparing.search_path();
            let choices = choose_agents(&agents, model.as_deref(), &preparing.settings.config, &search);
            Ok((search, choices))
        })
        .await?;
        let prepared = opened.prepared();
        let choices = {
            let mut log = log.lock();
            log.session = prepared.session();
            log.record.request = self.asked(&mut log.session);
            log.record.timings.prepare_ms = prepared.milliseconds;
            write_prepared(opened, &mut log)?;
            if prepared.prepared.change.get().files.is_empty() {
                let summary = &prepared.prepared.coverage.summary;
                return skip::no_diff(&mut log, opened, format!("No part of the change would be sent: {summary}."));
            }
            let prior = self.request.prior.as_ref();
            if let Some(prior) = prior {
                log.report("prior_digest.json", prior)?;
            }
            let reasons = skip::decide(opened, self.request.posted.as_ref(), self.request.anyway);
            if !reasons.is_empty() {
                return skip::skipped(&mut log, opened, reasons, prior);
            }
            skip::decided(&mut log, opened, reasons, prior)?;
            check(self.cancel)?;
            let choices = choices?;
            log.record.agent = Some(opened.written("agent", &names(choices.iter())));
            // The record is written again at the end, so a failure is ignored.
            let _ = log.folder.record(&log.record);
            choices
        };
        (self.notify)(RunEvent::Agents { agents: choices.iter().map(|choice| choice.agent.name.clone()).collect() });
        let asked_at = Instant::now();
        let several = choices.len() > 1;
        let rooms = self.rooms(log, &choices).await?;
        let built_in = choices.iter().any(AgentChoice::is_built_in);
        let asking = choices
            .into_iter()
            .zip(&rooms)
            .map(|(choice, room)| self.ask(log, choice, several, room.as_ref(), &search));
        let asking = futures::future::join_all(asking);
        // The findings of agents are checked against the capability reviewer's result. A failure there is not a failure
        // of the agents.
        let corroborates = !built_in && opened.settings.config.capability.corroborate;
        let looking = async {
            if corroborates {
                drop(self.looked().await)
            }
        };
        let (mut asked, ()) = futures::future::join(asking, looking).await;
        if let Some(fallback) = self.fallback(&asked, &search)? {
            let failed = names(asked.iter().map(|one| &one.choice));
            self.step("agent", &format!("{failed} failed; using {} instead", fallback.agent.title()));
            // The rooms of the others are free.
            let room = match rooms.into_iter().flatten().next() {
                Some(room) => Some(room),
                None => self.room(log, &fallback).await?,
            };
            asked.push(self.ask(log, fallback, true, room.as_ref(), &search).await);
        } else {
            drop(rooms);
        }
        log.lock().record.timings.agent_ms = millis(asked_at);
        self.conclude(asked, log).await
    }

    fn begun(&self, log: &mut Log<'_>) {
        let opened = self.opened;
        log.info(EventName::RunStarted, json!({ "run_id": self.run_id, "version": env!("CARGO_PKG_VERSION") }));
        let origins: Vec<String> =
            opened.settings.origins.iter().map(|(key, origin)| format!("{key} from {origin}")).collect();
        let refused: Vec<&str> = opened.settings.refused.iter().map(|wanted| wanted.key.as_str()).collect();
        log.info(EventName::ConfigLoaded, json!({ "set": origins, "refused": refused }));
        let counts = opened.change.line_counts();
        log.info(
            EventName::DiffFetched,
            json!({ "files": opened.change.files.len(), "added": counts.added, "removed": counts.removed,
                    "fingerprint": opened.fingerprint.value }),
        );
    }

    /// Prepares a room for each agent that can read files. Accesses to a room are evidence about one agent only if no other agent uses it.
    async fn rooms(&self, log: &Shared<'_>, choices: &[AgentChoice]) -> Result<Vec<Option<PreparedRoom>>> {
        let mut rooms = Vec::with_capacity(choices.len());
        for choice in choices {
            rooms.push(self.room(log, choice).await?);
        }
        Ok(rooms)
    }

    /// Prepares the room of an agent, if it can read files.
    async fn room(&self, log: &Shared<'_>, choice: &AgentChoice) -> Result<Option<PreparedRoom>> {
        let is_copy = choice.agent.spec.reads_files && self.opened.settings.config.agent.room == Room::Redacted;
        if is_copy {
            self.step("room", "Preparing the files for the agent");
        }
        let (places, opened, session) = (self.places.clone(), Arc::clone(self.opened), log.lock().session.clone());
        let agent = choice.agent.clone();
        let room = blocking(move || room_of(&places, &opened, &agent, session)).await?;
        if let Some(room) = room.as_ref().filter(|_| is_copy) {
            log.lock().report("room.json", &room.facts)?;
        }
        Ok(room)
    }

    /// Returns the fallback agent, if all other agents failed.
    fn fallback(&self, asked: &[AgentOutcome], search: &SearchPath) -> Result<Option<AgentChoice>> {
        let config = &self.opened.settings.config;
        let name = &config.agent.fallback;
        let cancelled = |one: &AgentOutcome| matches!(&one.answered, Err(error) if error.code.is_cancelled());
        let fallback = !name.is_empty()
            && asked.iter().all(|one| one.answered.is_err() && !cancelled(one) && one.choice.agent.name != *name);
        if !fallback {
            return Ok(None);
        }
        choose_agent(Some(name), None, config, search).map(Some)
    }

    /// Returns the result of the capability reviewer, which is computed once.
    async fn looked(&self) -> Result<Arc<CapabilityAnalysis>> {
        let look = || async {
            self.step("agent", "Analysing the effects of the code");
            let (places, opened, cancel) = (self.places.clone(), Arc::clone(self.opened), self.cancel.clone());
            let mut looked = blocking(move || capability::look(&places, &opened, &cancel)).await?;
            looked.classify(self.places, self.opened, &mut self.opened.fresh_session(), self.cancel).await;
            Ok(Arc::new(looked))
        };
        self.looked.get_or_try_init(look).await.map(Arc::clone)
    }

    /// Asks one agent about every part of the change, as often as requested.
    async fn ask(
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

    async fn conclude(&self, asked: Vec<AgentOutcome>, shared: &Shared<'_>) -> Result<Outcome> {
        let mut answers = Answers::of(asked)?;
        let (found, intent, chapters) = (answers.take_findings(), answers.take_intent(), answers.take_chapters());
        let (opened, mut session) = (Arc::clone(self.opened), shared.lock().session.clone());
        let looked = self.looked.get().cloned();
        let check = Some(ClaimCheck { cache: SymbolCache::open(&self.places.symbols(), READER_VERSION) });
        let checked = blocking(move || {
            let intent = checked_intent(&opened, intent, &mut session);
            let chapters = checked_chapters(&opened, chapters, &mut session);
            let (placed, files) = place_checked(&opened, found, check, looked.as_deref(), &mut session);
            Ok(Checked { placed, files, intent, chapters })
        })
        .await?;
        shared.lock().record.timings.total_ms = millis(self.started);
        let timings = shared.lock().record.timings;
        let looked = self.looked.get().map(|looked| &**looked);
        let known = self.request.known.clone();
        let record = answers.record(self.opened, checked, looked, timings, known);
        let output = tokio::task::block_in_place(|| record::conclude(&mut shared.lock(), record))?;
        let mut log = shared.lock();
        if let Some(facts) = self.opened.facts() {
            log.report("facts.json", &*facts)?;
        }
        let places: Vec<_> = output.findings.iter().map(|finding| finding.anchor.state).collect();
        log.info(EventName::ReviewValidated, json!({ "findings": output.findings.len(), "places": places }));
        Ok(Outcome::Reviewed(Reviewed { run_id: self.run_id.to_owned(), created_at: now(), output }))
    }
}

fn names<'a>(choices: impl Iterator<Item = &'a AgentChoice>) -> String {
    choices.map(|choice| choice.agent.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn check(cancel: &CancellationToken) -> Result<()> {
    if cancel.is_cancelled() {
        return Err(Error::new(ErrorCode::AgentCancelled, "The review was cancelled."));
    }
    Ok(())
}

fn write_prepared(opened: &OpenChange, log: &mut Log<'_>) -> Result<()> {
    let prepared = opened.prepared();
    let written = |error: std::io::Error| folder_error(log.folder, &error);
    if opened.settings.config.artifacts.raw_diff {
        log.folder.write_unmasked("diff.raw.patch", &print_change(&opened.change)).map_err(written)?;
    } else {
        let raw = prepared.masked.narrow(|change| String::from_utf8_lossy(&print_change(change)).into_owned());
        log.folder.write("diff.raw.patch", &raw).map_err(written)?;
    }
    log.folder.write("diff.prepared.patch", &prepared.prepared.diff).map_err(written)?;
    log.report("truncation.json", &prepared.prepared.truncation)?;
    log.report("redaction.json", &prepared.redaction)?;
    log.report("coverage.json", &prepared.prepared.coverage)?;
    let settings = &opened.settings;
    let origins: BTreeMap<_, _> = settings.origins.iter().map(|(key, origin)| (key, origin.to_string())).collect();
    log.report(
        "settings.json",
        &json!({ "values": settings.config, "origins": origins, "redaction": opened.redactor().version() }),
    )?;
    let report = &prepared.prepared.truncation;
    log.info(
        EventName::DiffPrepared,
        json!({ "chars": report.final_chars, "files": report.final_files, "truncated": report.truncated,
                "masked": prepared.redaction.matches.len(), "ignored": prepared.prepared.ignored.len(),
                "coverage": prepared.prepared.coverage.summary }),
    );
    Ok(())
}
