//! Runs one review.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::capability::{self, CapabilityAnalysis};
use super::chapters::checked_chapters;
use super::intent::checked_intent;
use super::log::{Log, Shared, folder_error};
use super::output::{AgentOutcome, Answers, Checked};
use super::placing::{ClaimCheck, place_checked};
use super::record;
use super::request::{Outcome, ReviewRequest, Reviewed, RunEvent, RunLocation};
use super::room::{PreparedRoom, room_of};
use super::runs::check_runs;
use super::skip::{self, SkipCode};
use crate::agents::{AgentChoice, choose_agent, choose_agents};
use crate::blocking;
use crate::error::{Error, ErrorCode, Result};
use crate::open::{OpenChange, millis};
use crate::run_start::{StartedRun, new_run_id, start_run};
use diffsan_agent::SearchPath;
use diffsan_change::print_change;
use diffsan_config::Room;
use diffsan_redact::Session;
use diffsan_store::event::EventName;
use diffsan_store::files::artifacts::{RunRequest, now};
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::symbols::READER_VERSION;

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

/// The inputs of a run.
pub(super) struct Run<'a> {
    pub(super) places: &'a Places,
    pub(super) opened: &'a Arc<OpenChange>,
    pub(super) request: &'a ReviewRequest,
    pub(super) cancel: &'a CancellationToken,
    pub(super) notify: &'a (dyn Fn(RunEvent) + Send + Sync),
    pub(super) run_id: &'a str,
    pub(super) started: Instant,
    /// The result of the capability reviewer, once computed.
    pub(super) looked: capability::Shared,
}

impl Run<'_> {
    pub(super) fn step(&self, step: &'static str, message: &str) {
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
            let reasons = skip::nothing_to_send(opened).into_iter().collect();
            return skip::skipped(&mut log.lock(), opened, reasons, None);
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
        let nothing_to_send = match skip::nothing_to_send(opened) {
            Some(reason) if reason.code == SkipCode::NothingSent && self.examines_alone(&choices).await? => None,
            reason => reason,
        };
        let choices = {
            let mut log = log.lock();
            log.session = prepared.session();
            log.record.request = self.asked(&mut log.session);
            log.record.timings.prepare_ms = prepared.milliseconds;
            write_prepared(opened, &mut log)?;
            if let Some(reason) = nothing_to_send {
                return skip::skipped(&mut log, opened, vec![reason], None);
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

    /// Returns whether the capability reviewer is the only agent and examines code of the change. It reads the files itself, also generated
    /// ones.
    async fn examines_alone(&self, choices: &Result<Vec<AgentChoice>>) -> Result<bool> {
        let is_alone = choices.as_ref().is_ok_and(|choices| choices.iter().all(AgentChoice::is_built_in));
        Ok(is_alone && self.looked().await?.has_examined())
    }

    /// Returns the result of the capability reviewer, which is computed once.
    pub(super) async fn looked(&self) -> Result<Arc<CapabilityAnalysis>> {
        let look = || async {
            self.step("agent", "Analysing the effects of the code");
            let (places, opened, cancel) = (self.places.clone(), Arc::clone(self.opened), self.cancel.clone());
            let mut looked = blocking(move || capability::look(&places, &opened, &cancel)).await?;
            looked.classify(self.places, self.opened, &mut self.opened.fresh_session(), self.cancel).await;
            Ok(Arc::new(looked))
        };
        self.looked.get_or_try_init(look).await.map(Arc::clone)
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

pub(super) fn check(cancel: &CancellationToken) -> Result<()> {
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
