//! Asks one agent until its answer is valid, up to the allowed number of attempts.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::log::{Log, Shared, folder_error};
use super::reading::QuestionWatch;
use super::request::RunEvent;
use crate::agents::{AgentChoice, Waits, agent_folders, folders_with_room, no_answer, wait};
use crate::blocking::blocking;
use crate::error::{Error, ErrorCode, Result, to_json_value};
use crate::open::OpenChange;
use diffsan_agent::{ANSWER_FILE, Question, Reply, SCHEMA_FILE, SearchPath};
use diffsan_evidence::AgentReading;
use diffsan_placing::RecordedAnswer;
use diffsan_prepare::prompt::render_repair;
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::TokenUsage;
use diffsan_review::answer::{self, Answer};
use diffsan_review::sandbox::SandboxReceipt;
use diffsan_store::event::{EventName, Level};
use diffsan_store::files::places::Places;
use diffsan_store::files::prompts::PromptFiles;

/// The maximum number of characters of a refused answer that are sent back to the agent.
const PREVIOUS_LIMIT: usize = 40_000;

/// The result of the attempts.
pub(super) struct AcceptedAnswer {
    pub(super) answer: Answer,
    pub(super) attempts: u32,
    pub(super) usage: Option<TokenUsage>,
    pub(super) cost: Option<f64>,
    pub(super) sandbox: Option<SandboxReceipt>,
    /// The saved answers; empty before that.
    pub(super) recorded: Vec<RecordedAnswer>,
    /// The files that the agent opened. Empty for the capability reviewer.
    pub(super) reading: AgentReading,
}

/// The inputs of the attempts.
pub(super) struct AgentAttempts<'a> {
    pub(super) choice: &'a AgentChoice,
    pub(super) opened: &'a Arc<OpenChange>,
    pub(super) prompts: &'a PromptFiles,
    pub(super) marker: &'a str,
    pub(super) search: &'a SearchPath,
    pub(super) cancel: &'a CancellationToken,
    pub(super) notify: &'a (dyn Fn(RunEvent) + Send + Sync),
    pub(super) started: std::time::Instant,
    /// The application folders, in which the agent gets private folders.
    pub(super) places: &'a Places,
    /// The room that the agent may read, if any.
    pub(super) room: Option<&'a Path>,
    pub(super) part: Part,
}

/// The part of the change that is asked about, for one agent.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) index: usize,
    pub(super) of: usize,
    /// The folder of the agent and its run inside the run folder; empty if only one agent is asked once.
    pub(super) folder: String,
}

impl Part {
    /// Returns the folder of an agent and its run. If several agents are asked, each has its own folder; if an agent is asked several
    /// times, each run has.
    pub(super) fn folder(several: bool, choice: &AgentChoice, run: Option<u32>) -> String {
        let name = &choice.agent.name;
        match (several, run) {
            (false, None) => String::new(),
            (false, Some(run)) => format!("run-{run}"),
            (true, None) => name.clone(),
            (true, Some(run)) => format!("{name}-run-{run}"),
        }
    }

    /// Returns the file name for this part: `prompt.txt`, or `prompt.2.txt` if there are several parts.
    pub(super) fn file(&self, name: &str) -> String {
        let name = match name.rsplit_once('.') {
            Some((stem, ending)) if self.of > 1 => format!("{stem}.{}.{ending}", self.index + 1),
            _ => name.to_owned(),
        };
        self.inside(&name)
    }

    /// Returns the path of a file or folder of this agent.
    fn inside(&self, name: &str) -> String {
        if self.folder.is_empty() { name.to_owned() } else { format!("{}/{name}", self.folder) }
    }

    /// Returns the part as text for people; empty if there is only one.
    pub(super) fn label(&self) -> String {
        if self.of > 1 { format!(" part {} of {}", self.index + 1, self.of) } else { String::new() }
    }
}

impl AgentAttempts<'_> {
    fn title(&self) -> &str {
        self.choice.agent.title()
    }

    fn step(&self, step: &'static str, message: String) {
        (self.notify)(RunEvent::Step { step, message });
    }

    /// Asks the agent until an answer is valid, each time with the problems of the previous answer.
    pub(super) async fn run(
        &self,
        log: &Shared<'_>,
        prompt: Redacted<String>,
        facts: &mut Vec<serde_json::Value>,
    ) -> Result<AcceptedAnswer> {
        let agent = &self.choice.agent;
        let config = &self.opened.settings.config.agent;
        self.check_length(&prompt)?;
        let most = if agent.spec.structured { 1 } else { config.max_json_retries.max(1) };
        let schema = format!("{:#}", answer::strict_schema());
        log.lock().write(&self.part.inside(SCHEMA_FILE), &schema)?;
        let mut usage: Option<TokenUsage> = None;
        let mut cost: Option<f64> = None;
        let mut sandbox: Option<SandboxReceipt> = None;
        let mut reading: Option<AgentReading> = None;
        let mut prompt = prompt;
        let mut problems = Vec::new();
        // The best answer with problems so far. It is used if no answer is valid.
        let mut usable: Option<(u32, Answer)> = None;
        for attempt in 1..=most {
            let message = if attempt == 1 {
                format!("{} is reviewing{}", self.title(), self.part.label())
            } else {
                format!("{} is correcting its answer (attempt {attempt} of {most})", self.title())
            };
            self.step("agent", message);
            let reply = match self.ask_patiently(log, &prompt, (attempt, most), facts, &mut reading).await {
                Err(error) if usable.is_none() || self.cancel.is_cancelled() => return Err(error),
                Err(_) => break,
                Ok(reply) => reply,
            };
            log.lock().write(&self.part.file("agent.stderr.txt"), &reply.stderr)?;
            if let Some(one) = reply.facts.usage {
                usage = Some(usage.unwrap_or_default().plus(one));
            }
            if let Some(one) = reply.facts.cost_usd {
                cost = Some(cost.unwrap_or_default() + one);
            }
            if let Some(one) = &reply.facts.sandbox {
                sandbox = Some(match sandbox.take() {
                    Some(earlier) => earlier.plus(one.clone()),
                    None => one.clone(),
                });
            }
            if usage.is_some() || cost.is_some() {
                (self.notify)(RunEvent::Usage { agent: agent.name.clone(), usage, cost_usd: cost });
            }
            let text = match reply.answer {
                Ok(text) => text,
                Err(failure) if usable.is_none() || self.cancel.is_cancelled() => {
                    let session = &mut log.lock().session;
                    let error = no_answer(agent, config, "review", session, failure);
                    return Err(with_receipt(error, sandbox.as_ref(), session));
                }
                Err(_) => break,
            };
            {
                let mut log = log.lock();
                log.write(&self.part.file(&format!("agent.raw.attempt{attempt}.txt")), &text)?;
                log.write(&self.part.file("agent.raw.txt"), &text)?;
            }
            self.step("validate", format!("Checking the answer of {}", self.title()));
            match answer::read(&text) {
                Ok(answer) if answer.problems.is_empty() => {
                    usable = Some((attempt, answer));
                    break;
                }
                Ok(answer) => {
                    problems.clone_from(&answer.problems);
                    let is_better = |known: &Answer| answer.output.findings.len() >= known.output.findings.len();
                    if usable.as_ref().is_none_or(|(_, known)| is_better(known)) {
                        usable = Some((attempt, answer));
                    }
                }
                Err(invalid) => problems = invalid.problems,
            }
            let mut log = log.lock();
            let data = json!({ "agent": agent.name, "attempt": attempt, "problems": problems });
            log.event(Level::Warn, EventName::ReviewValidated, data);
            if attempt < most {
                prompt = self.repair_prompt(&mut log, &problems, &text)?;
                let name = self.part.file(&format!("prompt.attempt{}.txt", attempt + 1));
                log.folder.write(&name, &prompt).map_err(|error| folder_error(log.folder, &error))?;
            }
        }
        let Some((attempts, answer)) = usable else {
            let error = invalid(self.title(), most, &problems);
            return Err(with_receipt(error, sandbox.as_ref(), &mut log.lock().session));
        };
        if !answer.unreadable.is_empty() || answer.unknown_categories > 0 {
            let data = json!({ "agent": agent.name, "attempt": attempts, "findings": answer.output.findings.len(),
                               "unreadable": answer.unreadable.len(), "unknown_categories": answer.unknown_categories });
            log.lock().event(Level::Warn, EventName::ReviewValidated, data);
        }
        Ok(AcceptedAnswer {
            answer,
            attempts,
            usage,
            cost,
            sandbox,
            recorded: Vec::new(),
            reading: reading.unwrap_or_default(),
        })
    }

    fn check_length(&self, prompt: &Redacted<String>) -> Result<()> {
        let (chars, most) = (prompt.as_str().chars().count() as u64, self.choice.agent.spec.max_prompt_chars);
        if most == 0 || chars <= most {
            return Ok(());
        }
        let message =
            format!("The prompt has {chars} characters; the limit of {} is {most}. Nothing was sent.", self.title());
        Err(Error::new(ErrorCode::AgentExecFailed, message)
            .hint("Lower limits.max_diff_chars, or exclude files with prepare.ignore_globs."))
    }

    /// Asks the agent, and asks again after a wait if the provider failed temporarily.
    async fn ask_patiently(
        &self,
        log: &Shared<'_>,
        prompt: &Redacted<String>,
        (attempt, most): (u32, u32),
        facts: &mut Vec<serde_json::Value>,
        reading: &mut Option<AgentReading>,
    ) -> Result<Reply> {
        let name = &self.choice.agent.name;
        let mut waits = Waits::new(self.opened.settings.config.agent.max_retries);
        for retry in 0.. {
            let data = json!({ "attempt": attempt, "of": most, "agent": name, "part": self.part.index + 1,
                               "parts": self.part.of, "retry": retry });
            log.lock().info(EventName::AgentAttempt, data);
            let (reply, opened) = self.ask_once(log, prompt).await?;
            *reading = Some(match reading.take() {
                Some(earlier) => earlier.plus(opened),
                None => opened,
            });
            facts.push(to_json_value(&reply.facts)?);
            log.lock().report(&self.part.inside("agent.run.json"), &*facts)?;
            let Some(time) = waits.after(&reply) else { return Ok(reply) };
            let seconds = time.as_secs_f64().ceil();
            self.step("agent", format!("{} failed; retrying in {seconds} s", self.title()));
            if let Some(cancelled) = wait(time, reply, self.cancel).await {
                return Ok(cancelled);
            }
        }
        Err(Error::new(ErrorCode::AgentExecFailed, "The agent was not called."))
    }

    /// Asks the agent once, and observes its room meanwhile.
    async fn ask_once(&self, log: &Shared<'_>, prompt: &Redacted<String>) -> Result<(Reply, AgentReading)> {
        let (run_dir, session) = {
            let log = log.lock();
            let folder = self.part.inside("");
            (log.folder.path().join(folder), std::sync::Mutex::new(log.session.clone()))
        };
        let private = {
            let (places, opened, answer) = (self.places.clone(), Arc::clone(self.opened), run_dir.join(ANSWER_FILE));
            blocking(move || {
                // Remove the file of an earlier question. Most agents write none.
                let _ = std::fs::remove_file(answer);
                agent_folders(&places, &opened)
            })
            .await?
        };
        let config = &self.opened.settings.config.agent;
        let (agent, room, kind) = (self.choice.agent.clone(), self.room.map(Path::to_owned), config.room);
        let watch = blocking(move || Ok(QuestionWatch::start(&agent, room.as_deref(), kind))).await?;
        let request = self.choice.request(config, folders_with_room(&private, self.room), self.search);
        let question = Question { prompt, run_dir: &run_dir, schema: None };
        let reply = diffsan_agent::ask(&request, &question, self.cancel, |message| {
            let mut session = session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let message = session.contract("agent output", message).into_inner();
            let agent = self.choice.agent.name.clone();
            (self.notify)(RunEvent::Progress { agent, message, elapsed_ms: crate::open::millis(self.started) });
        })
        .await;
        drop(private);
        let reported = reply.reported.clone();
        let reading = blocking(move || Ok(watch.stop(&reported))).await?;
        mask_file(&mut log.lock(), &self.part.inside(ANSWER_FILE))?;
        Ok((reply, reading))
    }

    fn repair_prompt(&self, log: &mut Log<'_>, problems: &[String], previous: &str) -> Result<Redacted<String>> {
        let template = self.prompts.require("repair.md").map_err(|error| {
            Error::new(ErrorCode::ConfigParseError, format!("{error}.")).hint("Restore the prompt file.")
        })?;
        let previous: String = log.masked("agent output", previous).as_str().chars().take(PREVIOUS_LIMIT).collect();
        let text = render_repair(&template.text, &answer::described_schema(), problems, &previous, self.marker)?;
        Ok(log.masked("prompt", &text))
    }
}

fn invalid(title: &str, attempts: u32, problems: &[String]) -> Error {
    let times = if attempts == 1 { "its answer was".to_owned() } else { format!("all {attempts} answers were") };
    Error::new(ErrorCode::AgentOutputInvalid, format!("{title} did not return a valid review: {times} invalid."))
        .hint("No review was saved; every answer is in the run folder. Try again, or use another agent or model.")
        .with("problems", problems.to_vec())
        .retryable()
}

/// Adds how the agent was confined to the details of an error, masked.
fn with_receipt(error: Error, sandbox: Option<&SandboxReceipt>, session: &mut Session) -> Error {
    let Some(sandbox) = sandbox else { return error };
    error.with("sandbox", session.contract("agent output", &sandbox.summary()).into_inner())
}

/// Masks the answer file of an agent that writes the file itself.
fn mask_file(log: &mut Log<'_>, name: &str) -> Result<()> {
    match diffsan_bounded::read_to_string(&log.folder.path().join(name), diffsan_bounded::MAX_PATCH_BYTES) {
        Ok(text) => log.write(name, &text),
        Err(_) => Ok(()),
    }
}
