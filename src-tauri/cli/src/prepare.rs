//! `diffsan prepare`, and opening a change for all commands.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ChangeHandle};
use diffsan_change::{Fingerprint, Target};
use diffsan_config::{Layer, command_line_layer};
use diffsan_facts::Facts;
use diffsan_git::Repo;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{OpenRequest, Source, Trust, TrustState, last_reviewed_head};
use diffsan_pipeline::review::{SkipCode, nothing_to_send};
use diffsan_prepare::types::{CoverageMap, FoldedHunk, IgnoredFile, TruncationReport};
use diffsan_redact::types::RedactionReport;
use serde::Serialize;

use crate::args::{PrepareArgs, SourceArgs};
use crate::{output, reports};

/// Opens the change that the options name.
pub async fn open(source: &SourceArgs) -> Result<(Arc<App>, ChangeHandle)> {
    let options = options(source)?;
    let app = blocking(move || output::start(options)).await?;
    let handle = open_in(&app, source).await?;
    Ok((app, handle))
}

/// Returns the options for starting the application with such a change.
pub fn options(source: &SourceArgs) -> Result<AppOptions> {
    Ok(match &source.ci {
        Some(pipeline) => AppOptions { layers: pipeline.layers()?, trusted: true, ..AppOptions::default() },
        None => AppOptions::default(),
    })
}

/// Opens the change in an application that is already started.
pub async fn open_in(app: &Arc<App>, source: &SourceArgs) -> Result<ChangeHandle> {
    let handle = open_silently(app, source).await?;
    print_trust_notes(&handle.opened.trust);
    Ok(handle)
}

/// Opens the change. The versions that `--since` can name are known only when the change is open, so then it is opened twice. This also
/// fetches the commits that a shallow clone does not have.
async fn open_silently(app: &Arc<App>, source: &SourceArgs) -> Result<ChangeHandle> {
    let Some(since) = &source.since else { return open_once(app, source).await };
    let whole = open_once(app, &SourceArgs { since: None, ..source.clone() }).await?;
    if whole.opened.change.head.is_none() {
        // Local changes have no versions, which the error says.
        return open_once(app, source).await;
    }
    // For a merge request, `last` is the latest posted review.
    let posted = match since.as_str() {
        "last" if source.target.mr.is_some() => match last_reviewed_head(&whole.opened) {
            None => return open_once(app, source).await,
            posted => posted,
        },
        _ => None,
    };
    let commit = app.since_commit(&whole.opened, posted.as_deref().unwrap_or(since)).await?;
    open_once(app, &SourceArgs { since: Some(commit), ..source.clone() }).await
}

async fn open_once(app: &Arc<App>, source: &SourceArgs) -> Result<ChangeHandle> {
    let overrides = source.settings.iter().map(|text| setting(text)).collect::<Result<Vec<_>>>()?;
    let (repo, since, source) = (repository_path(source), source.since.clone(), source.clone());
    let target = blocking(move || target(&source)).await?;
    if let Target::MergeRequest { .. } = &target {
        let handle = app.open_merge_request(Some(repo), &target, overrides, since).await?;
        if let Some(why) = handle.opened.merge_request.as_ref().and_then(|request| request.commits.as_ref()) {
            output::say(&format!("note: the commits could not be fetched ({why}); whole files are not available"));
        }
        return Ok(handle);
    }
    let app = Arc::clone(app);
    blocking(move || {
        let source = local_source(&target, repo)?;
        app.open(OpenRequest { source, target, overrides, trusted: false, since, selected: None })
    })
    .await
}

/// Returns the source of a change that is not a merge request. Reads the patch, if it is one. Blocks.
fn local_source(target: &Target, repo: PathBuf) -> Result<Source> {
    Ok(match target {
        Target::Patch { path, .. } if path == "-" => {
            let read = diffsan_bounded::read_stream(std::io::stdin().lock(), diffsan_bounded::MAX_PATCH_BYTES);
            let bytes = read.map_err(|error| {
                Error::new(ErrorCode::DiffFetchFailed, format!("Standard input cannot be read: {error}."))
            })?;
            Source::Patch(bytes.into(), Some(repo))
        }
        Target::Patch { path, .. } => {
            let bytes = diffsan_bounded::read(path.as_ref(), diffsan_bounded::MAX_PATCH_BYTES).map_err(|error| {
                Error::new(ErrorCode::DiffFetchFailed, format!("The patch {path} cannot be read: {error}."))
                    .hint("Check the path. `-` reads standard input.")
            })?;
            Source::Patch(bytes.into(), Some(repo))
        }
        _ => Source::Repository(repo),
    })
}

/// Prints the repository's requests that are ignored.
pub fn print_trust_notes(trust: &Trust) {
    for note in &trust.notes {
        output::say(&format!("note: {note}"));
    }
    let why = match trust.state {
        TrustState::NotNeeded | TrustState::Trusted => return,
        TrustState::Untrusted => "only a trusted repository may",
        TrustState::Changed => "only a trusted repository may; it has changed since it was trusted",
    };
    for wanted in &trust.wants.settings {
        output::say(&format!(
            "note: the repository's .diffsan.toml sets {}, which {why}; the setting is ignored",
            wanted.key
        ));
    }
    for file in &trust.wants.files {
        output::say(&format!("note: the repository has its own {}, which {why} use; the file is ignored", file.path));
    }
    if !trust.wants.settings.is_empty() || !trust.wants.files.is_empty() {
        output::say("note: `diffsan config trust` shows the requests of the repository and asks");
    }
}

/// Opens the change that the options name, without messages about trust.
pub async fn open_quietly(source: &SourceArgs) -> Result<(Arc<App>, ChangeHandle)> {
    let options = options(source)?;
    let app = blocking(move || App::start(options)).await?;
    let handle = open_silently(&app, source).await?;
    Ok((app, handle))
}

/// Returns the path of the repository, absolute for messages.
fn repository_path(source: &SourceArgs) -> PathBuf {
    let given = source.repo.clone().unwrap_or_else(|| PathBuf::from("."));
    std::path::absolute(&given).unwrap_or(given)
}

/// Parses `limits.max_files=10` to a layer.
fn setting(text: &str) -> Result<Layer> {
    let wrong = |reason: &str| {
        Error::new(ErrorCode::ConfigParseError, format!("--set {text}: {reason}."))
            .hint("Write --set SECTION.KEY=VALUE, such as --set limits.max_files=10.")
    };
    command_line_layer(text).map_err(|reason| wrong(&reason))
}

fn target(source: &SourceArgs) -> Result<Target> {
    match source.target.target(&repository_path(source))? {
        Some(Target::Patch { path, .. }) => Ok(Target::Patch { path, partial: source.partial }),
        Some(target) => Ok(target),
        None => default_target(source),
    }
}

/// Returns the unstaged changes if there are any, else the staged ones, else the branch.
fn default_target(source: &SourceArgs) -> Result<Target> {
    let Ok(repo) = Repo::open(&repository_path(source)) else { return Ok(Target::Unstaged) };
    let Ok(counts) = repo.local_counts() else { return Ok(Target::Unstaged) };
    let branch = repo.head_branch();
    Ok(if counts.unstaged > 0 {
        Target::Unstaged
    } else if counts.staged > 0 {
        Target::Staged
    } else if branch.is_some() && repo.default_branch().is_some() && branch != repo.default_branch() {
        Target::Branch { name: None, base: None }
    } else {
        Target::Unstaged
    })
}

/// The result of `diffsan prepare --json`. It has an entry for each hunk, so it is written without a tree of values.
#[derive(Serialize)]
struct PreparedJson<'a> {
    title: String,
    fingerprint: &'a Fingerprint,
    skip: Option<&'static str>,
    diff: &'a str,
    batches: Vec<&'a str>,
    truncation: &'a TruncationReport,
    redaction: &'a RedactionReport,
    ignored: &'a [IgnoredFile],
    folded: &'a [FoldedHunk],
    coverage: &'a CoverageMap,
    facts: &'a Facts,
}

/// Prints the prepared change.
pub async fn run(args: PrepareArgs) -> Result<ExitCode> {
    let (app, handle) = open(&args.source).await?;
    let opened = &handle.opened;
    let facts = facts(&app, &handle, &args.source).await?;
    // The process ends soon, which frees a large change faster than its lines are freed one by one.
    std::mem::forget(Arc::clone(opened));
    let prepared = opened.prepared();
    let parts = &prepared.prepared;
    if args.json {
        let skip = nothing_to_send(opened).map(|reason| reason.code.name());
        output::result(
            &output::json(&PreparedJson {
                title: opened.written_title().into_inner(),
                fingerprint: &opened.fingerprint,
                skip,
                diff: parts.diff.as_str(),
                batches: parts.batches.iter().map(|batch| batch.diff.as_str()).collect(),
                truncation: &parts.truncation,
                redaction: &prepared.redaction,
                ignored: &parts.ignored,
                folded: &parts.folded,
                coverage: &parts.coverage,
                facts: &facts,
            })?,
            None,
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    output::text(parts.diff.as_str(), None)?;
    if opened.change.files.is_empty() {
        output::say("There is no change (NO_DIFF).");
        return Ok(ExitCode::SUCCESS);
    }
    output::say(&parts.coverage.summary);
    if nothing_to_send(opened).is_some_and(|reason| reason.code == SkipCode::NothingSent) {
        output::say("No part of the change would be sent (NOTHING_SENT).");
    }
    reports::say_batches(&parts.batches, args.verbose);
    reports::say_left_out(opened, args.verbose);
    reports::say_facts(&facts, &diffsan_pipeline::facts::summary(opened, &facts), args.verbose);
    Ok(ExitCode::SUCCESS)
}

/// Collects the facts about a change. A report that the user names must be readable.
pub async fn facts(app: &Arc<App>, handle: &ChangeHandle, source: &SourceArgs) -> Result<Arc<Facts>> {
    let cancel = app.cancellation();
    let facts = app.collect_facts(&handle.opened, source.facts.clone(), &cancel).await?;
    for named in &source.facts {
        let name = named.display().to_string();
        let problem = facts.sources.iter().find(|one| one.name == name).and_then(|one| one.problem.as_ref());
        if let Some(problem) = problem {
            return Err(Error::new(ErrorCode::InvalidInput, format!("The report {name} cannot be read: {problem}."))
                .hint("Name a JUnit, Cobertura, LCOV, code quality or SARIF report."));
        }
    }
    Ok(facts)
}
