//! The flow of one review.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::agents::{AgentChoice, choose_agent};
use super::attempts::{Answered, Asking, Part};
use super::log::{Log, folder_error};
use super::merge::merge;
use super::opened::{Opened, millis};
use super::prompting::{PromptRequest, build_prompt};
use crate::agent::SearchPath;
use crate::anchor::{self, Files, Resolved};
use crate::change::{RepoPath, print_change};
use crate::error::{Error, ErrorCode, Result};
use crate::event::EventName;
use crate::files::artifacts::{RunFolder, RunRecord, RunState, now};
use crate::files::places::{Places, random_word};
use crate::files::prompts::PromptFiles;
use crate::finding::{AgentFinding, Finding, Side};
use crate::prompt::with_disclosures;
use crate::review::{ReviewMeta, ReviewOutput, Timings};

/// Whole files larger than this are not read to check a finding's place; its hunks still are.
const FILE_LIMIT: usize = 8 * 1024 * 1024;

/// Where a run's folder is made.
#[derive(Clone, Debug, Default)]
pub enum Where {
    /// Under the data folder, named by the run.
    #[default]
    Data,
    /// Exactly here.
    Folder(PathBuf),
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct ReviewRequest {
    /// Which agent; the configured one if absent.
    pub agent: Option<String>,
    /// Which model; the configured or the agent's own one if absent.
    pub model: Option<String>,
    /// What this review adds to the instructions.
    pub instructions: Option<String>,
    /// Where the run's folder is made.
    pub place: Where,
}

/// What a run tells while it goes on. Texts are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// It began.
    Started {
        /// The run.
        run_id: String,
        /// Who reviews.
        agent: String,
    },
    /// A new step began.
    Step {
        /// `prepare`, `prompt`, `agent`, `validate`.
        step: &'static str,
        /// For people.
        message: String,
    },
    /// A sign of life from the agent.
    Progress {
        /// For people.
        message: String,
        /// Since the run began.
        elapsed_ms: u64,
    },
}

/// A finished review.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The run.
    pub run_id: String,
    /// When it was finished, RFC 3339.
    pub created_at: String,
    /// The result.
    pub output: ReviewOutput,
    /// How many places were masked in the change.
    pub masked: u32,
    /// How many files were cut or partly cut.
    pub cut_files: u32,
}

/// How a run ended well.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With a review.
    Reviewed(Box<Reviewed>),
    /// There was nothing to review.
    Skipped {
        /// `NO_DIFF`.
        reason: &'static str,
        /// For people.
        message: String,
    },
}

/// Reviews an opened change. The run's folder tells the rest, whatever comes.
pub async fn review(
    places: &Places,
    opened: Arc<Opened>,
    request: ReviewRequest,
    cancel: CancellationToken,
    notify: &(dyn Fn(RunEvent) + Send + Sync),
) -> (PathBuf, Result<Outcome>) {
    let started = Instant::now();
    let (run_id, path, folder, record) = match begin(places, &opened, &request) {
        Ok(begun) => begun,
        Err((path, error)) => return (path, Err(error)),
    };
    let mut log = Log { folder: &folder, record, session: opened.fresh_session() };
    let result = run(places, &opened, &request, &cancel, notify, &run_id, started, &mut log).await;
    log.record.timings.total_ms = millis(started);
    let result = match result {
        Ok(outcome) => {
            let state = if matches!(outcome, Outcome::Skipped { .. }) { RunState::Skipped } else { RunState::Done };
            log.finish(state, None);
            Ok(outcome)
        }
        Err(error) => {
            let error = log.mask(error).with("run_dir", path.display().to_string());
            let state = if error.code == ErrorCode::AgentCancelled { RunState::Cancelled } else { RunState::Failed };
            log.finish(state, Some(&error));
            Err(error)
        }
    };
    (path, result)
}

type Begun = (String, PathBuf, RunFolder, RunRecord);

fn begin(places: &Places, opened: &Opened, request: &ReviewRequest) -> std::result::Result<Begun, (PathBuf, Error)> {
    let started_at = now();
    let stamp: String = started_at.chars().filter(char::is_ascii_digit).take(14).collect();
    let run_id = format!("{stamp}-{}", random_word(3).unwrap_or_else(|_| std::process::id().to_string()));
    let path = match &request.place {
        Where::Data => places.runs().join(&run_id),
        Where::Folder(path) => path.clone(),
    };
    let record = RunRecord {
        run_id: run_id.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: RunState::Running,
        repository: opened.root.as_ref().map(|root| root.display().to_string()),
        target: opened.written_target(),
        fingerprint: Some(opened.fingerprint.value.clone()),
        agent: request.agent.clone(),
        started_at,
        finished_at: None,
        timings: Timings { fetch_ms: opened.fetch_ms, ..Timings::default() },
        error: None,
    };
    match RunFolder::create(&path, &record) {
        Ok(folder) => Ok((run_id, path, folder, record)),
        Err(error) => {
            let message = format!("The run's folder {} cannot be made: {error}.", path.display());
            let error = Error::new(ErrorCode::FormatFailed, message)
                .hint("Check that the folder can be written and that no other run uses it.");
            Err((path, error))
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "one call, and each is another thing")]
async fn run(
    places: &Places,
    opened: &Arc<Opened>,
    request: &ReviewRequest,
    cancel: &CancellationToken,
    notify: &(dyn Fn(RunEvent) + Send + Sync),
    run_id: &str,
    started: Instant,
    log: &mut Log<'_>,
) -> Result<Outcome> {
    log.info(EventName::RunStarted, json!({ "run_id": run_id, "version": env!("CARGO_PKG_VERSION") }));
    let origins: Vec<String> =
        opened.settings.origins.iter().map(|(key, origin)| format!("{key} from {origin}")).collect();
    log.info(EventName::ConfigLoaded, json!({ "set": origins, "refused": opened.settings.refused }));
    let counts = opened.change.line_counts();
    log.info(
        EventName::DiffFetched,
        json!({ "files": opened.change.files.len(), "added": counts.added, "removed": counts.removed,
                "fingerprint": opened.fingerprint.value }),
    );
    if opened.change.files.is_empty() {
        return skip(log, "There is no change to review.".to_owned());
    }
    notify(RunEvent::Step { step: "prepare", message: "Masking secrets and fitting the budget".into() });
    let preparing = Arc::clone(opened);
    blocking(move || {
        preparing.prepared();
        Ok(())
    })
    .await?;
    let prepared = opened.prepared();
    log.session = prepared.session();
    log.record.timings.prepare_ms = prepared.milliseconds;
    write_prepared(opened, log)?;
    if prepared.prepared.change.get().files.is_empty() {
        return skip(log, format!("Nothing of the change is to be sent: {}.", prepared.prepared.coverage.summary));
    }
    log.report("skip.json", &json!({ "should_skip": false, "reasons": [], "fingerprint": opened.fingerprint }))?;
    log.info(EventName::SkipDecided, json!({ "should_skip": false }));
    check(cancel)?;

    let search = SearchPath::of_this_process();
    let choice = choose_agent(request.agent.as_deref(), &opened.settings.config.agent, &search)?;
    log.record.agent = Some(choice.known.name.clone());
    let _ = log.folder.record(&log.record);
    notify(RunEvent::Started { run_id: run_id.to_owned(), agent: choice.known.name.clone() });
    notify(RunEvent::Step { step: "prompt", message: "Writing the prompt".into() });
    let configured = &opened.settings.config.agent.model;
    let model = request.model.as_deref().or(Some(configured.as_str())).filter(|model| !model.is_empty());
    let asked = Instant::now();
    let parts = prepared.prepared.diffs().len();
    let (mut answers, mut facts) = (Vec::with_capacity(parts), Vec::new());
    for part in 0..parts {
        let prompt = {
            let (places, opened, choice) = (places.clone(), Arc::clone(opened), choice.clone());
            let instructions = request.instructions.clone();
            let mut session = log.session.clone();
            blocking(move || {
                let structured = choice.known.structured;
                let request = PromptRequest { structured, instructions: instructions.as_deref(), batch: part };
                build_prompt(&places, &opened, request, &mut session)
            })
            .await?
        };
        let part = Part { index: part, of: parts };
        let written = log.folder.write(&part.file("prompt.txt"), &prompt.text);
        written.map_err(|error| folder_error(log.folder, &error))?;
        log.info(
            EventName::PromptWritten,
            json!({ "chars": prompt.text.as_str().chars().count(), "skills": prompt.skills, "part": part.index + 1,
                    "parts": parts }),
        );
        let asking = Asking {
            choice: &choice,
            model,
            opened,
            prompts: &PromptFiles::new(None, &places.config),
            marker: &prompt.marker,
            search: &search,
            cancel,
            notify,
            started,
            part,
        };
        answers.push(asking.run(log, prompt.text, &mut facts).await?);
    }
    let answered = merge(answers).ok_or_else(|| Error::new(ErrorCode::AgentOutputInvalid, "Nothing was asked."))?;
    log.record.timings.agent_ms = millis(asked);
    log.record.timings.total_ms = millis(started);
    conclude(opened, &choice, model, run_id, answered, log).await
}

fn check(cancel: &CancellationToken) -> Result<()> {
    if cancel.is_cancelled() {
        return Err(Error::new(ErrorCode::AgentCancelled, "The review was cancelled."));
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(Error::new(ErrorCode::DiffFetchFailed, "A step ended unexpectedly.").cause(error)))
}

fn skip(log: &mut Log<'_>, message: String) -> Result<Outcome> {
    let reasons = json!([{ "code": "NO_DIFF", "message": message }]);
    log.report("skip.json", &json!({ "should_skip": true, "reasons": reasons }))?;
    log.info(EventName::SkipDecided, json!({ "should_skip": true, "reasons": reasons }));
    Ok(Outcome::Skipped { reason: "NO_DIFF", message })
}

fn write_prepared(opened: &Opened, log: &mut Log<'_>) -> Result<()> {
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
    let report = &prepared.prepared.truncation;
    log.info(
        EventName::DiffPrepared,
        json!({ "chars": report.final_chars, "files": report.final_files, "truncated": report.truncated,
                "masked": prepared.redaction.matches.len(), "ignored": prepared.prepared.ignored.len(),
                "coverage": prepared.prepared.coverage.summary }),
    );
    Ok(())
}

async fn conclude(
    opened: &Arc<Opened>,
    choice: &AgentChoice,
    model: Option<&str>,
    run_id: &str,
    answered: Answered,
    log: &mut Log<'_>,
) -> Result<Outcome> {
    let said = answered.answer.output;
    let findings = {
        let (opened, mut session, name) = (Arc::clone(opened), log.session.clone(), choice.known.name.clone());
        let found = said.findings;
        blocking(move || {
            let files = read_files(&opened, &found, &mut session);
            Ok(anchor::place_all(found, &name, opened.prepared().masked.get(), &files))
        })
        .await?
    };
    let prepared = opened.prepared();
    let (report, redacted) = (&prepared.prepared.truncation, prepared.redaction.found);
    let cut: std::collections::HashSet<&str> = report.items.iter().map(|item| item.path.as_str()).collect();
    let output = ReviewOutput {
        summary_markdown: with_disclosures(&said.summary_markdown, report, redacted),
        findings,
        meta: ReviewMeta {
            fingerprint: opened.fingerprint.clone(),
            agent: choice.known.name.clone(),
            model: model.map(str::to_owned),
            timings: log.record.timings,
            token_usage: answered.usage,
            truncated: report.truncated,
            redaction_found: redacted,
            base_sha: opened.change.base.clone(),
            head_sha: opened.change.head.clone(),
            coverage: prepared.prepared.coverage.summary.clone(),
            attempts: answered.attempts,
            batches: u32::try_from(prepared.prepared.diffs().len()).unwrap_or(u32::MAX),
            read_as: answered.answer.read_as.name().to_owned(),
        },
    };
    let output = masked_output(output, log)?;
    log.report("review.json", &output)?;
    let places: Vec<_> = output.findings.iter().map(|finding| finding.anchor.state).collect();
    log.info(EventName::ReviewValidated, json!({ "findings": output.findings.len(), "places": places }));
    Ok(Outcome::Reviewed(Box::new(Reviewed {
        run_id: run_id.to_owned(),
        created_at: now(),
        masked: u32::try_from(prepared.redaction.matches.len()).unwrap_or(u32::MAX),
        cut_files: u32::try_from(cut.len()).unwrap_or(u32::MAX),
        output,
    })))
}

/// What an agent writes may hold a secret that it read elsewhere: every text of the result is masked once more.
fn masked_output(mut output: ReviewOutput, log: &mut Log<'_>) -> Result<ReviewOutput> {
    let mut mask = |text: &mut String| {
        *text = log.session.contract("agent output", text).into_inner();
    };
    mask(&mut output.summary_markdown);
    for Finding { said, anchor, .. } in &mut output.findings {
        mask(&mut said.body_markdown);
        mask(&mut said.path);
        mask(&mut anchor.path);
        anchor.notes.iter_mut().for_each(&mut mask);
        [&mut said.title, &mut said.quote, &mut said.finding_id].into_iter().flatten().for_each(&mut mask);
        if let Some(patch) = &mut said.suggested_patch {
            mask(&mut patch.content);
        }
    }
    Ok(output)
}

/// The whole files that findings speak of, masked as the agent saw them.
fn read_files(opened: &Opened, found: &[AgentFinding], session: &mut crate::redact::Session) -> Files {
    let mut files = Files::default();
    let change = opened.prepared().masked.get();
    let mut done = std::collections::HashSet::new();
    for finding in found {
        let exists = |path: &str| opened.file(&RepoPath::from(path), Side::New).is_some();
        // The masked change has the same files at the same places; the real paths are what a repository knows.
        let wanted: Vec<(String, Side, RepoPath)> = match anchor::resolve_path(&finding.path, change, exists) {
            Some(Resolved::Changed(index)) => {
                let (real, shown) = (&opened.change.files[index], &change.files[index]);
                let one = |real: &Option<RepoPath>, shown: &Option<RepoPath>, side| {
                    Some((shown.as_ref()?.to_text().into_owned(), side, real.clone()?))
                };
                [one(&real.new_path, &shown.new_path, Side::New), one(&real.old_path, &shown.old_path, Side::Old)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Some(Resolved::Other(path)) => vec![(path.clone(), Side::New, RepoPath::from(path.as_str()))],
            None => Vec::new(),
        };
        for (name, side, path) in wanted {
            if !done.insert((name.clone(), side)) {
                continue;
            }
            let Some(bytes) = opened.file(&path, side).filter(|bytes| bytes.len() <= FILE_LIMIT) else { continue };
            let masked = session.bytes(&name, &bytes);
            files.insert(&name, side, &String::from_utf8_lossy(masked.get()));
        }
    }
    files
}
