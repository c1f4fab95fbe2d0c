//! Asks an agent for its opinions, prompt by prompt, and checks its answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::check::{Source, check};
use crate::plan::{OpinionPlan, OpinionPrompt};
use diffsan_agent::{Question, Reply, SearchPath};
use diffsan_pipeline::agents::{AgentChoice, Waits, agent_folders, folders_with_room, no_answer, wait, write_schema};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_prepare::prompt::render_repair;
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::answer::{described_opinions_schema, opinions_schema, read_opinions};
use diffsan_review::opinion::{AgentOpinion, Opinion, SecondOpinion};
use diffsan_store::files::artifacts::{now, write_text_result};
use diffsan_store::files::places::Places;

/// The folder of the prompts and answers inside a run folder. Later ones have a number.
const FOLDER: &str = "second-opinion";
/// The maximum number of such folders of one run.
const MAX_FOLDERS: u32 = 1_000;
/// The maximum number of characters of a refused answer that are sent back to the agent.
const MAX_PREVIOUS_CHARS: usize = 20_000;

/// The inputs of a question.
pub struct Asked<'a> {
    /// The application folders.
    pub places: &'a Places,
    /// The change.
    pub opened: &'a Arc<OpenChange>,
    /// The agent.
    pub choice: &'a AgentChoice,
    /// The folder that the agent may read, if any.
    pub room: Option<PathBuf>,
    /// The run folder, in which the prompts and answers are saved. `None` for a review without a run.
    pub run_dir: Option<&'a Path>,
    /// Cancels it.
    pub cancel: &'a CancellationToken,
    /// Receives the progress as text for people, masked.
    pub notify: &'a (dyn Fn(String) + Send + Sync),
}

/// Sends the prompts of a plan, one after the other. It ends at the first failure: the opinions until then are kept, and the error is returned
/// beside them.
pub async fn ask(asked: &Asked<'_>, plan: OpinionPlan, session: &mut Session) -> (SecondOpinion, Option<Error>) {
    let count = plan.prompts.len();
    let mut all = SecondOpinion { left_out: number(plan.left_out.len()), ..SecondOpinion::default() };
    let folder = asked.run_dir.and_then(new_folder);
    let search = {
        let opened = Arc::clone(asked.opened);
        blocking(move || Ok(opened.search_path())).await
    };
    let (mut unanswered, mut failure) = (0, None);
    for (at, prompt) in plan.prompts.iter().enumerate() {
        let part = if count > 1 { format!(" (part {} of {count})", at + 1) } else { String::new() };
        (asked.notify)(format!("{} is giving a second opinion{part}", asked.choice.agent.title()));
        let artifacts = Artifacts { folder: folder.as_deref(), part: (at, count) };
        let answered = match &search {
            Ok(search) => ask_until_valid(asked, prompt, search, &artifacts, &mut all, session).await,
            Err(error) => Err(error.clone()),
        };
        match answered {
            Ok(answers) => {
                let opinions = checked(asked, prompt, answers, session).await;
                unanswered += prompt.findings.len() - opinions.len();
                all.opinions.extend(opinions);
            }
            Err(error) => {
                let error = error.masked(session);
                all.error = Some(error.message.clone());
                failure = Some(error);
                unanswered += plan.prompts[at..].iter().map(|prompt| prompt.findings.len()).sum::<usize>();
                break;
            }
        }
    }
    all.unanswered = number(unanswered);
    (all, failure)
}

async fn checked(
    asked: &Asked<'_>,
    prompt: &OpinionPrompt,
    answers: Vec<AgentOpinion>,
    session: &mut Session,
) -> Vec<Opinion> {
    let (opened, keys, mut own) = (Arc::clone(asked.opened), prompt.findings.clone(), session.clone());
    let (agent, model) = (asked.choice.agent.name.clone(), asked.choice.model.clone());
    let checking = blocking(move || {
        let source = Source { agent: &agent, model: model.as_deref(), at: &now() };
        Ok(check(&opened, &keys, answers, source, &mut own))
    });
    checking.await.unwrap_or_default()
}

/// Asks until an answer is valid, each time with the problems of the previous answer.
async fn ask_until_valid(
    asked: &Asked<'_>,
    prompt: &OpinionPrompt,
    search: &SearchPath,
    artifacts: &Artifacts<'_>,
    all: &mut SecondOpinion,
    session: &mut Session,
) -> Result<Vec<AgentOpinion>> {
    let (agent, config) = (&asked.choice.agent, &asked.opened.settings.config.agent);
    let most = if agent.spec.structured { 1 } else { config.max_json_retries.max(1) };
    let mut text = prompt.text.clone();
    let (mut problems, mut usable) = (Vec::new(), None);
    for attempt in 1..=most {
        artifacts.write("prompt", attempt, &text);
        let reply = ask_patiently(asked, &text, search, session).await?;
        let spent = SecondOpinion {
            token_usage: reply.facts.usage,
            cost_usd: reply.facts.cost_usd,
            ..SecondOpinion::default()
        };
        all.add(spent);
        let answer = match reply.answer {
            Ok(answer) => answer,
            Err(failure) => return Err(no_answer(agent, config, "second opinion", session, failure)),
        };
        let masked = session.text("agent output", &answer);
        artifacts.write("agent.raw", attempt, &masked);
        match read_opinions(&answer) {
            Ok(read) if read.problems.is_empty() => return Ok(read.output.opinions),
            Ok(read) => {
                problems.clone_from(&read.problems);
                usable = Some(read.output.opinions);
            }
            Err(invalid) => problems = invalid.problems,
        }
        if attempt < most {
            text = repair(asked, &problems, masked.as_str(), prompt, session)?;
        }
    }
    usable.ok_or_else(|| {
        let message = format!("{} did not return valid opinions.", agent.title());
        Error::new(ErrorCode::AgentOutputInvalid, message).with("problems", problems).retryable()
    })
}

fn repair(
    asked: &Asked<'_>,
    problems: &[String],
    previous: &str,
    prompt: &OpinionPrompt,
    session: &mut Session,
) -> Result<Redacted<String>> {
    let template = asked.opened.trust.prompts(asked.places).require("repair.md")?;
    let previous: String = previous.chars().take(MAX_PREVIOUS_CHARS).collect();
    let text = render_repair(&template.text, &described_opinions_schema(), problems, &previous, &prompt.marker)?;
    Ok(session.text("prompt", &text))
}

/// Asks the agent, and asks again after a wait if the provider failed temporarily.
async fn ask_patiently(
    asked: &Asked<'_>,
    prompt: &Redacted<String>,
    search: &SearchPath,
    session: &mut Session,
) -> Result<Reply> {
    let mut waits = Waits::new(asked.opened.settings.config.agent.max_retries);
    loop {
        let reply = ask_once(asked, prompt, search, session).await?;
        let Some(time) = waits.after(&reply) else { return Ok(reply) };
        if let Some(cancelled) = wait(time, reply, asked.cancel).await {
            return Ok(cancelled);
        }
    }
}

async fn ask_once(
    asked: &Asked<'_>,
    prompt: &Redacted<String>,
    search: &SearchPath,
    session: &Session,
) -> Result<Reply> {
    let schema = opinions_schema();
    let private = {
        let (places, opened, schema) = (asked.places.clone(), Arc::clone(asked.opened), schema.clone());
        let preparing = blocking(move || {
            let private = agent_folders(&places, &opened)?;
            write_schema(&private, &schema)?;
            Ok(private)
        });
        preparing.await?
    };
    let config = &asked.opened.settings.config.agent;
    let request = asked.choice.request(config, folders_with_room(&private, asked.room.as_deref()), search);
    // The private folder is removed afterwards, so an answer file in it needs no masking.
    let question = Question { prompt, run_dir: &private.temporary, schema: Some(&schema) };
    let mut own = session.clone();
    let progress = |message: &str| (asked.notify)(own.contract("agent output", message).into_inner());
    Ok(diffsan_agent::ask(&request, &question, asked.cancel, progress).await)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Creates the folder for prompts and answers. `None` if the run folder is gone or cannot be written, which must not prevent an opinion.
fn new_folder(run_dir: &Path) -> Option<PathBuf> {
    let name = |number: u32| if number == 1 { FOLDER.to_owned() } else { format!("{FOLDER}-{number}") };
    let free = (1..=MAX_FOLDERS).map(|number| run_dir.join(name(number))).find(|path| !path.exists())?;
    std::fs::create_dir(&free).ok().map(|()| free)
}

/// The files of one prompt, named as those of a review.
struct Artifacts<'a> {
    folder: Option<&'a Path>,
    /// The index of the prompt, and their number.
    part: (usize, usize),
}

impl Artifacts<'_> {
    /// Writes a text. A failure is ignored, because the opinion is more important than its record.
    fn write(&self, stem: &str, attempt: u32, text: &Redacted<String>) {
        let Some(folder) = self.folder else { return };
        // The first prompt is `prompt.txt`; answers always name their attempt.
        let attempt = if attempt == 1 && stem == "prompt" { String::new() } else { format!(".attempt{attempt}") };
        let part = if self.part.1 > 1 { format!(".{}", self.part.0 + 1) } else { String::new() };
        let _ = write_text_result(folder, &format!("{stem}{attempt}{part}.txt"), text);
    }
}
