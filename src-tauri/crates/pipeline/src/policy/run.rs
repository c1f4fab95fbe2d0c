//! Implements `diffsan policy`: checks a change against its contracts or compares it with its base, in its own run
//! folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::examine;
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use crate::run_start::{StartedRun, new_run_id, start_run};
use diffsan_capability::diff::{Novelty, chain_text};
use diffsan_capability::judge::{Judgment, PolicyFinding};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::Bounds;
use diffsan_capability::reach::Hop;
use diffsan_config::CapabilityConfig;
use diffsan_contracts::Contracts;
use diffsan_policy::{
    Ask, Examined, Mode, check as check_contracts, judgment_text, named_contracts, stored_facts_read_only, summary,
};
use diffsan_redact::Session;
use diffsan_review::finding::CAPABILITY_REVIEWER;
use diffsan_store::event::{EventName, Level};
use diffsan_store::files::artifacts::{RunFolder, RunRecord, RunState, now};
use diffsan_store::files::places::Places;

/// The options of a policy run. Missing bounds are taken from the settings.
#[derive(Clone, Debug, Default)]
pub struct PolicyRequest {
    /// A file with a contract that replaces the repository's.
    pub contract: Option<PathBuf>,
    /// The maximum number of files that are read.
    pub max_files: Option<usize>,
    /// The maximum number of definitions in a chain.
    pub max_follow_depth: Option<usize>,
    /// The maximum number of candidates that one search examines.
    pub max_search_results: Option<usize>,
    /// The maximum duration in seconds.
    pub max_runtime_seconds: Option<u64>,
    /// The run folder; `None` for a new one in the data folder.
    pub folder: Option<PathBuf>,
}

/// The result of a policy run. Every text is masked.
#[derive(Clone, Debug)]
pub struct PolicyOutcome {
    /// The report in the form of `policy.json` and of machine-readable output.
    pub report: Value,
    /// The report as text for people.
    pub text: String,
    /// Whether a contract is violated, or may be.
    pub violated: bool,
    /// Whether a contract could not be judged.
    pub unknown: bool,
    /// The run folder.
    pub folder: PathBuf,
}

#[derive(Serialize)]
struct NewEffect<'a> {
    file: &'a str,
    line: u32,
    action: &'a str,
    resource: &'a str,
    novelty: &'static str,
    chain: String,
    evidence: Vec<Value>,
    /// The places in other changed files that call this one.
    callers: Vec<Value>,
}

/// Returns the bounds of the settings. A comparison has its own limit on the number of files, because it examines the
/// whole change.
pub(crate) fn bounds(config: &CapabilityConfig, mode: Mode) -> Bounds {
    Bounds {
        max_files: if mode == Mode::Compare { config.review_max_files } else { config.max_files },
        max_follow_depth: config.max_follow_depth,
        max_search_results: config.max_search_results,
        max_runtime_seconds: config.max_runtime_seconds,
    }
}

/// Loads the built-in tables, with those of a trusted repository and of the user as overrides. Blocks.
pub(crate) fn knowledge(places: &Places, opened: &OpenChange) -> Result<Knowledge> {
    let folder = places.config.join("capabilities");
    let mut tables = opened.trust.tables();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
        let text = diffsan_bounded::read_to_string(&path, diffsan_bounded::MAX_SETTINGS_BYTES).map_err(|error| {
            Error::new(ErrorCode::ConfigParseError, format!("The table {} cannot be read: {error}.", path.display()))
        })?;
        tables.push((path.display().to_string(), text));
    }
    Knowledge::load(&tables).map_err(|error| {
        Error::new(ErrorCode::ConfigParseError, format!("{error}.")).hint(
            "Correct the table. config/capabilities in the source has examples; its effects.toml lists all effects.",
        )
    })
}

/// Examines a change and writes the result to the run folder.
pub async fn policy(
    places: &Places,
    opened: Arc<OpenChange>,
    request: PolicyRequest,
    cancel: &CancellationToken,
) -> Result<PolicyOutcome> {
    let started = Instant::now();
    let mut session = opened.fresh_session();
    let (folder, mut record) = start(places, &opened, &request, &mut session)?;
    let looking = {
        let (places, opened, cancel) = (places.clone(), Arc::clone(&opened), cancel.clone());
        tokio::task::spawn_blocking(move || look(&places, &opened, &request, &|| cancel.is_cancelled())).await
    };
    let mut result = looking.unwrap_or_else(|error| {
        Err(Error::new(ErrorCode::Internal, "The code analysis ended unexpectedly.").cause(error))
    });
    if cancel.is_cancelled() {
        result = Err(Error::new(ErrorCode::Cancelled, "The code analysis was cancelled."));
    }
    if let Ok((_, examined, _)) = &mut result {
        let classified = super::classify(places, &opened, examined, &mut session, cancel).await;
        examined.findings.extend(classified);
    }
    record.timings.total_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    record.finished_at = Some(now());
    match result {
        Ok((knowledge, examined, bounds)) => {
            let report = session.value("policy", report_of(&knowledge, &examined, bounds));
            let text = session.contract("policy", &text_of(&knowledge, &examined)).into_inner();
            let failed = |error: std::io::Error| {
                Error::new(ErrorCode::IoFailed, format!("The run folder cannot be written: {error}."))
            };
            folder.write_report("policy.json", &report).map_err(failed)?;
            event(&folder, &mut session, EventName::ReviewValidated, json!({ "findings": examined.findings.len() }));
            record.state = RunState::Done;
            event(&folder, &mut session, EventName::RunFinished, json!({ "state": record.state }));
            folder.record(&record).map_err(failed)?;
            let broken =
                |finding: &PolicyFinding| matches!(finding.judgment, Judgment::Violation | Judgment::LikelyViolation);
            let violated = examined.findings.iter().any(broken);
            // Without a line that was read, nothing is known about compliance.
            let unknown = examined.contracts.effects.is_empty()
                || examined.findings.iter().any(|finding| finding.judgment == Judgment::Unknown);
            Ok(PolicyOutcome { report: report.into_inner(), text, violated, unknown, folder: folder.path().to_owned() })
        }
        Err(mut error) => {
            error.message = session.contract("error", &error.message).into_inner();
            record.state = RunState::Failed;
            record.error = Some(error.info());
            // The first error is more important than one of writing the record.
            let _ = folder.record(&record);
            Err(error.with("run_dir", folder.path().display().to_string()))
        }
    }
}

fn look(
    places: &Places,
    opened: &OpenChange,
    request: &PolicyRequest,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Knowledge, Examined, Bounds)> {
    let knowledge = knowledge(places, opened)?;
    let contracts = request.contract.as_deref().map(|path| named_contracts(path, &knowledge)).transpose()?;
    let config = &opened.settings.config.capability;
    let ask = |mode: Mode| {
        let usual = bounds(config, mode);
        let bounds = Bounds {
            max_files: request.max_files.unwrap_or(usual.max_files),
            max_follow_depth: request.max_follow_depth.unwrap_or(usual.max_follow_depth),
            max_search_results: request.max_search_results.unwrap_or(usual.max_search_results),
            max_runtime_seconds: request.max_runtime_seconds.unwrap_or(usual.max_runtime_seconds),
        };
        // `diffsan policy` writes nothing but its run folder, so it stores no facts.
        Ask { bounds, contracts: contracts.clone(), mode, stored_facts: stored_facts_read_only(places) }
    };
    // With a contract, its violations matter; without one, the new effects. A contract about what a change adds needs both sides.
    let needs_base = contracts.as_ref().is_none_or(Contracts::are_about_additions);
    let first = ask(if needs_base { Mode::Compare } else { Mode::Now });
    let examined = examine(opened, &knowledge, &first, stop)?;
    check_contracts(&examined.contracts)?;
    Ok((knowledge, examined, first.bounds))
}

/// Starts the run, and records the change that it examines.
fn start(
    places: &Places,
    opened: &OpenChange,
    request: &PolicyRequest,
    session: &mut Session,
) -> Result<(RunFolder, RunRecord)> {
    let started = start_run(places, opened, new_run_id(), request.folder.clone(), CAPABILITY_REVIEWER)
        .map_err(|(_, error)| error)?;
    let StartedRun { id, folder, record, .. } = started;
    event(&folder, session, EventName::RunStarted, json!({ "run_id": id, "version": env!("CARGO_PKG_VERSION") }));
    let counts = opened.change.line_counts();
    let facts = json!({ "files": opened.change.files.len(), "added": counts.added, "removed": counts.removed });
    event(&folder, session, EventName::DiffFetched, facts);
    Ok((folder, record))
}

fn event(folder: &RunFolder, session: &mut Session, name: EventName, data: Value) {
    // Events are only informative, so a failure is ignored.
    let _ = folder.event(Level::Info, name, &session.value("event", data));
}

fn report_of(knowledge: &Knowledge, examined: &Examined, bounds: Bounds) -> Value {
    let place = |hop: &Hop| json!({ "file": hop.path, "line": hop.line, "excerpt": hop.excerpt, "symbol": hop.symbol });
    let new: Vec<NewEffect<'_>> = examined
        .diff
        .reaches
        .iter()
        .flat_map(|new| new.reaches.iter().map(move |reach| (new, reach)))
        .filter_map(|(new, reach)| {
            let effect = knowledge.vocabulary.effects.get(new.effect)?;
            Some(NewEffect {
                file: &new.path,
                line: reach.chain.first()?.line,
                action: &effect.action,
                resource: &effect.resource,
                novelty: novelty(new.novelty),
                chain: chain_text(reach),
                evidence: reach.chain.iter().map(place).collect(),
                callers: new.callers.iter().map(place).collect(),
            })
        })
        .collect();
    let packages: Vec<Value> = examined
        .diff
        .packages
        .iter()
        .map(|new| {
            json!({ "file": new.path, "line": new.package.line, "package": new.package.name, "dev": new.package.dev,
                           "effects": new.effects })
        })
        .collect();
    let gone: Vec<Value> = examined
        .diff
        .gone
        .iter()
        .flat_map(|(path, effects)| effects.iter().map(move |effect| (path, *effect)))
        .filter_map(|(path, effect)| {
            let effect = knowledge.vocabulary.effects.get(effect)?;
            Some(json!({ "file": path, "action": effect.action, "resource": effect.resource }))
        })
        .collect();
    json!({
        "contracts": examined.contracts.effects,
        "contract_warnings": examined.contracts.warnings,
        "findings": examined.findings,
        "capabilities": { "new": new, "dependencies": packages, "gone": gone },
        "targets": examined.targets,
        "left_out": examined.left_out,
        "unreadable": examined.unreadable,
        "files_read": examined.files_read,
        "bounds": { "max_files": bounds.max_files, "max_follow_depth": bounds.max_follow_depth,
                    "max_search_results": bounds.max_search_results, "max_runtime_seconds": bounds.max_runtime_seconds,
                    "hit": examined.hits },
        "steps": examined.steps,
    })
}

fn novelty(novelty: Novelty) -> &'static str {
    match novelty {
        Novelty::Change => "change",
        Novelty::File => "file",
        Novelty::Means => "means",
        Novelty::Place => "place",
    }
}

fn text_of(knowledge: &Knowledge, examined: &Examined) -> String {
    let mut out = String::new();
    if examined.contracts.effects.is_empty() {
        out += "No contract was found, so nothing is judged.\n\n";
    }
    for finding in &examined.findings {
        out += &format!(
            "{} ({:.0}%): {}  [{}]\n  {}\n",
            judgment_text(finding.judgment).to_uppercase(),
            finding.confidence * 100.0,
            finding.statement,
            finding.contract,
            finding.message,
        );
        for place in &finding.evidence {
            out += &format!("  {}:{}  {}\n", place.file, place.line, place.excerpt);
        }
        for place in finding.also.iter().filter_map(|places| places.first()) {
            out += &format!("  also {}:{}  {}\n", place.file, place.line, place.excerpt);
        }
        out.push('\n');
    }
    for new in &examined.diff.reaches {
        let Some(effect) = knowledge.vocabulary.effects.get(new.effect).filter(|effect| !effect.is_folded()) else {
            continue;
        };
        for reach in &new.reaches {
            out += &format!("NEW {}: {}:{}\n  {}\n", effect.title, new.path, reach.chain[0].line, chain_text(reach));
            for hop in &reach.chain {
                out += &format!("  {}:{}  {}\n", hop.path, hop.line, hop.excerpt);
            }
            out.push('\n');
        }
    }
    for new in &examined.diff.packages {
        let effects = match &new.effects {
            None => "unknown effects".to_owned(),
            Some(all) => all
                .iter()
                .filter_map(|id| knowledge.vocabulary.effect(id))
                .map(|effect| effect.title.clone())
                .collect::<Vec<_>>()
                .join(", "),
        };
        out += &format!("NEW DEPENDENCY {}: {}:{}  {effects}\n", new.package.name, new.path, new.package.line);
    }
    out += &summary(knowledge, examined).replace("\n\n", "\n");
    out.push('\n');
    out
}
