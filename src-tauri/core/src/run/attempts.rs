//! Asking the agent until its answer is valid, as often as it may be asked.

use std::path::Path;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::agents::AgentChoice;
use super::log::Log;
use super::opened::Opened;
use super::prompting::template_error;
use super::review::RunEvent;
use crate::agent::{
    self, CODEX_OUTPUT_FILE, CODEX_SCHEMA_FILE, Failure, FailureKind, PROXY_KEY, Reply, Request, SearchPath,
};
use crate::answer::{self, Answer};
use crate::error::{Error, ErrorCode, Result};
use crate::event::{EventName, Level};
use crate::files::prompts::PromptFiles;
use crate::prompt::render_repair;
use crate::redact::types::Redacted;
use crate::review::TokenUsage;

/// How much of a refused answer goes back to the agent, in characters.
const PREVIOUS_LIMIT: usize = 40_000;

/// What the attempts came to.
pub(super) struct Answered {
    pub(super) answer: Answer,
    pub(super) attempts: u32,
    pub(super) usage: Option<TokenUsage>,
}

/// What an attempt needs.
pub(super) struct Asking<'a> {
    pub(super) choice: &'a AgentChoice,
    pub(super) model: Option<&'a str>,
    pub(super) opened: &'a Opened,
    pub(super) prompts: &'a PromptFiles,
    pub(super) marker: &'a str,
    pub(super) search: &'a SearchPath,
    pub(super) cancel: &'a CancellationToken,
    pub(super) notify: &'a (dyn Fn(RunEvent) + Send + Sync),
    pub(super) started: std::time::Instant,
    pub(super) part: Part,
}

/// Which part of the change is asked about.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) index: usize,
    pub(super) of: usize,
}

impl Part {
    /// The name of a file of this part: `prompt.txt`, or `prompt.2.txt` where there are several.
    pub(super) fn file(self, name: &str) -> String {
        match name.rsplit_once('.') {
            Some((stem, ending)) if self.of > 1 => format!("{stem}.{}.{ending}", self.index + 1),
            _ => name.to_owned(),
        }
    }

    /// For people; nothing where there is only one.
    fn words(self) -> String {
        if self.of > 1 { format!(" part {} of {}", self.index + 1, self.of) } else { String::new() }
    }
}

impl Asking<'_> {
    fn title(&self) -> &str {
        &self.choice.known.title
    }

    /// Asks, and asks again with what was wrong, until an answer is valid.
    pub(super) async fn run(
        &self,
        log: &mut Log<'_>,
        prompt: Redacted<String>,
        facts: &mut Vec<serde_json::Value>,
    ) -> Result<Answered> {
        let known = &self.choice.known;
        let config = &self.opened.settings.config.agent;
        self.check_length(&prompt)?;
        let most = if known.structured { 1 } else { config.max_json_retries.max(1) };
        let schema = serde_json::to_string_pretty(&answer::strict_schema()).unwrap_or_default();
        log.write(CODEX_SCHEMA_FILE, &schema)?;
        let mut usage: Option<TokenUsage> = None;
        let mut prompt = prompt;
        let mut problems = Vec::new();
        for attempt in 1..=most {
            let message = if attempt == 1 {
                format!("{} is reviewing{}", self.title(), self.part.words())
            } else {
                format!("{} is correcting its answer (attempt {attempt} of {most})", self.title())
            };
            (self.notify)(RunEvent::Step { step: "agent", message });
            log.info(
                EventName::AgentAttempt,
                json!({ "attempt": attempt, "of": most, "agent": known.name, "part": self.part.index + 1, "parts": self.part.of }),
            );
            let reply = self.ask_once(log, &prompt).await?;
            facts.push(serde_json::to_value(&reply.facts).unwrap_or_default());
            log.report("agent.run.json", &*facts)?;
            log.write(&self.part.file("agent.stderr.txt"), &reply.stderr)?;
            if let Some(one) = reply.facts.usage {
                let sum = usage.get_or_insert_default();
                sum.input += one.input;
                sum.cached_input += one.cached_input;
                sum.output += one.output;
            }
            let text = reply.answer.map_err(|failure| self.failure(log, failure))?;
            log.write(&self.part.file(&format!("agent.raw.attempt{attempt}.txt")), &text)?;
            log.write(&self.part.file("agent.raw.txt"), &text)?;
            (self.notify)(RunEvent::Step { step: "validate", message: "Checking the answer against the code".into() });
            match answer::read(&text) {
                Ok(answer) => return Ok(Answered { answer, attempts: attempt, usage }),
                Err(invalid) => {
                    problems = invalid.problems;
                    let data = json!({ "attempt": attempt, "problems": problems });
                    log.event(Level::Warn, EventName::ReviewValidated, data);
                    prompt = self.repair_prompt(log, &problems, &text)?;
                }
            }
        }
        Err(invalid(self.title(), most, &problems))
    }

    fn check_length(&self, prompt: &Redacted<String>) -> Result<()> {
        let (chars, most) = (prompt.as_str().chars().count() as u64, self.choice.known.max_prompt_chars);
        if chars <= most {
            return Ok(());
        }
        let message =
            format!("The prompt has {chars} characters; {} takes at most {most}. Nothing was sent.", self.title());
        Err(Error::new(ErrorCode::AgentExecFailed, message)
            .hint("Lower limits.max_diff_chars, or leave out files with prepare.ignore_globs."))
    }

    async fn ask_once(&self, log: &mut Log<'_>, prompt: &Redacted<String>) -> Result<Reply> {
        let key = (self.choice.known.name == "cursor").then(|| std::env::var("CURSOR_API_KEY").ok()).flatten();
        let folder = |name: &str| log.folder.folder(name).map_err(|error| super::log::folder_error(log.folder, &error));
        // The room is empty: everything that the agent needs is in the prompt, and nothing of the repository can run.
        let (room, temporary) = (folder("room")?, folder("tmp")?);
        let request = Request {
            program: &self.choice.program,
            config: &self.opened.settings.config.agent,
            model: self.model,
            key: key.as_deref().filter(|key| !key.is_empty()),
            run_dir: log.folder.path(),
            room: &room,
            temporary: &temporary,
            prompt,
            search: self.search,
        };
        let session = std::sync::Mutex::new(log.session.clone());
        let reply = agent::ask(&self.choice.known, &request, self.cancel, |sign| {
            let mut session = session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let message = session.contract("agent output", &sign.message).into_inner();
            (self.notify)(RunEvent::Progress { message, elapsed_ms: super::opened::millis(self.started) });
        })
        .await;
        log.folder.remove_folder("tmp");
        log.folder.remove_folder("room");
        mask_file(log, &request.run_dir.join(CODEX_OUTPUT_FILE))?;
        Ok(reply)
    }

    fn failure(&self, log: &mut Log<'_>, failure: Failure) -> Error {
        let known = &self.choice.known;
        match failure {
            Failure::Cancelled => Error::new(ErrorCode::AgentCancelled, "The review was cancelled."),
            Failure::Timeout(which) => {
                let which = log.session.contract("agent output", &which).into_inner();
                Error::new(ErrorCode::AgentTimeout, format!("{} was given up: {which}.", known.title))
                    .hint("Check the network and the agent, or raise the agent's timeouts in the settings.")
                    .retryable()
            }
            Failure::Said { kind, message } => {
                let message = log.session.contract("agent output", &message).into_inner();
                let mut error = agent::failure(&known.title, &known.sign_in, kind, &message);
                if kind == FailureKind::NotSignedIn && !self.opened.settings.config.agent.proxy_url.is_empty() {
                    error.hint = Some(format!("Check the key in {PROXY_KEY} and agent.proxy_url, then review again."));
                }
                error
            }
        }
    }

    fn repair_prompt(&self, log: &mut Log<'_>, problems: &[String], previous: &str) -> Result<Redacted<String>> {
        let template = self.prompts.require("repair.md").map_err(|error| {
            Error::new(ErrorCode::ConfigParseError, format!("{error}.")).hint("Restore the prompt file.")
        })?;
        let previous: String = log.masked("agent output", previous).as_str().chars().take(PREVIOUS_LIMIT).collect();
        let text = render_repair(&template.text, &answer::described_schema(), problems, &previous, self.marker)
            .map_err(template_error)?;
        Ok(log.masked("prompt", &text))
    }
}

fn invalid(title: &str, attempts: u32, problems: &[String]) -> Error {
    let times = if attempts == 1 { "its answer was".to_owned() } else { format!("all {attempts} answers were") };
    Error::new(
        ErrorCode::AgentOutputInvalid,
        format!("{title} did not give a valid review: {times} not what was asked for."),
    )
    .hint("Nothing was kept as a review; every answer is in the run's folder. Try again, or another agent or model.")
    .with("problems", problems.to_vec())
    .retryable()
}

/// Codex writes its answer file itself; what is kept of it is masked like everything else.
fn mask_file(log: &mut Log<'_>, path: &Path) -> Result<()> {
    match std::fs::read_to_string(path) {
        Ok(text) => log.write(CODEX_OUTPUT_FILE, &text),
        Err(_) => Ok(()),
    }
}
