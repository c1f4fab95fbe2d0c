//! Converts domain types to wire types.

use std::collections::HashMap;

use diffsan_app::{App, ChangeHandle, KnownAgent, KnownAgents, SavedReview, Viewed, image_type};
use diffsan_change::{FileChange, Status, Target};
use diffsan_git::Repo;
use diffsan_pipeline::agents::{Checked, choose_agent};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::{PromptRequest, build_prompt, estimate_cost, expected_room, kept_answers, relocate};
use diffsan_prepare::Batch;
use diffsan_prepare::tokens;
use diffsan_prepare::types::CoverageMap;
use diffsan_review::finding::CAPABILITY_REVIEWER;
use diffsan_store::files::prompts::skill_names;

use super::pages;
use super::wire::{
    AgentCheck, AgentView, AgentsView, AppInfo, BatchView, BranchItem, ChangeView, CommitItem, Decision, FileView,
    FindingView, LastCheckView, LocalChange, PreparedView, PromptParams, PromptSource, PromptView, RecentRepo,
    RepoView, ReviewView, RunItem,
};

/// The maximum numbers of branches and of commits that the change picker offers.
const OFFERED: usize = 200;

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

pub(super) fn app_info(app: &App) -> Result<AppInfo> {
    let recent = app.recent_repositories()?;
    let start_repo = match &app.options().start_repo {
        None if app.options().start_sample => Some(app.sample_repository()?),
        named => named.clone(),
    };
    Ok(AppInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: app.places().data.display().to_string(),
        start_repo: start_repo.map(|path| path.display().to_string()),
        start_target: app.options().start_target.clone(),
        recent: recent
            .iter()
            .map(|path| RecentRepo { path: path.display().to_string(), name: file_name(path) })
            .collect(),
        sample: true,
        notices: app.start_notices(),
        read_only: app.is_read_only(),
    })
}

pub(super) fn repository(repo: &Repo) -> Result<RepoView> {
    let counts = repo.local_counts()?;
    let branch = repo.head_branch();
    let default_branch = repo.default_branch();
    let local = [
        (Target::All { untracked: true }, counts.all),
        (Target::Unstaged, counts.unstaged),
        (Target::Staged, counts.staged),
    ];
    let local: Vec<LocalChange> =
        local.into_iter().map(|(target, files)| LocalChange { title: target.title(), target, files }).collect();
    let commits = repo.commits(OFFERED);
    // Suggest the change that the reviewer most likely wants: the local changes, else the checked-out branch, else the
    // last commit.
    let on_topic = branch.is_some() && default_branch.is_some() && branch != default_branch;
    let suggested = if local[0].files > 0 {
        Some(local[0].target.clone())
    } else if on_topic {
        Some(Target::Branch { name: None, base: None })
    } else {
        commits.first().map(|commit| Target::Commit { rev: commit.id.clone() })
    };
    Ok(RepoView {
        path: repo.root().display().to_string(),
        name: repo.name(),
        branch,
        default_branch,
        local,
        branches: repo
            .branches(OFFERED)
            .into_iter()
            .map(|branch| BranchItem {
                name: branch.name,
                ahead: branch.ahead,
                time: branch.time,
                subject: branch.subject,
            })
            .collect(),
        commits: commits
            .into_iter()
            .map(|commit| CommitItem {
                id: commit.id.chars().take(10).collect(),
                subject: commit.subject,
                author: commit.author,
                time: commit.time,
            })
            .collect(),
        suggested,
        notice: repo.notice().map(str::to_owned),
    })
}

pub(super) fn change(app: &App, handle: &ChangeHandle) -> Result<ChangeView> {
    let opened = &handle.opened;
    let counts = opened.change.line_counts();
    let kept = app.latest_review(opened)?;
    let viewed = app.viewed(opened)?;
    let interrupted = app.interrupted(opened, kept.as_ref().map(|kept| kept.created_at.as_str()));
    let short = |id: &Option<String>| id.as_ref().map(|id| id.chars().take(10).collect());
    Ok(ChangeView {
        change_id: handle.id.clone(),
        title: opened.title(),
        target: opened.target.clone(),
        fingerprint: opened.fingerprint.value.clone(),
        base: short(&opened.change.base),
        head: short(&opened.change.head),
        added: counts.added,
        removed: counts.removed,
        files: opened.plan.order().iter().map(|&index| file(opened, index, &viewed)).collect(),
        whole_files: opened.root.is_some() && opened.tree.is_some(),
        first: pages::first(opened),
        review: kept.map(|kept| review(&kept, Some(opened))),
        request: super::requests::of_change(app, handle),
        trust: super::settings::trust_view(&opened.trust, &mut opened.fresh_session()),
        interrupted: interrupted
            .into_iter()
            .map(|(path, record)| RunItem {
                run_id: record.run_id,
                agent: record.agent.unwrap_or_default(),
                started_at: record.started_at,
                answers: kept_answers(&path),
                run_dir: path.display().to_string(),
            })
            .collect(),
    })
}

fn file(opened: &OpenChange, index: usize, viewed: &Viewed) -> FileView {
    let file = &opened.change.files[index];
    let path = file.path().to_text().into_owned();
    let counts = file.line_counts();
    let old_path = file.old_path.as_ref().filter(|old| *old != file.path()).map(|old| old.to_text().into_owned());
    FileView {
        old_path,
        status: status_name(file.status).to_owned(),
        notes: notes(file),
        added: counts.added,
        removed: counts.removed,
        hunks: u32::try_from(file.hunks().len()).unwrap_or(u32::MAX),
        lines: file.hunks().iter().map(|hunk| u32::try_from(hunk.lines.len()).unwrap_or(u32::MAX)).sum(),
        binary: file.is_binary(),
        ignored: opened.plan.ignored(index).map(|ignored| ignored.details.clone()),
        image: image_type(&path).is_some() && (file.is_binary() || path.to_lowercase().ends_with(".svg")),
        viewed: viewed.of(file),
        path,
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified => "modified",
        Status::Renamed => "renamed",
        Status::Copied => "copied",
        Status::TypeChanged => "type_changed",
        Status::Unmerged => "unmerged",
    }
}

fn notes(file: &FileChange) -> Vec<String> {
    let mut notes = Vec::new();
    let kind = |mode: Option<u32>| match mode {
        Some(0o120_000) => Some("symlink"),
        Some(0o160_000) => Some("submodule"),
        _ => None,
    };
    notes.extend(kind(file.new_mode.or(file.old_mode)).map(str::to_owned));
    if let (Some(old), Some(new)) = (file.old_mode, file.new_mode)
        && old != new
    {
        notes.push(format!("mode {old:06o} → {new:06o}"));
    }
    if file.is_binary() {
        notes.push("binary".to_owned());
    }
    if let Some(similarity) = file.similarity {
        notes.push(format!("{similarity} % similar"));
    }
    if file.status == Status::Unmerged {
        notes.push("in conflict".to_owned());
    }
    notes
}

pub(super) fn prepared(opened: &OpenChange) -> PreparedView {
    let prepared = opened.prepared();
    let coverage = &prepared.prepared.coverage;
    // In display order, so that an index means the same file everywhere.
    let files = opened.plan.order().iter().filter_map(|&index| coverage.files.get(index).cloned()).collect();
    PreparedView {
        truncation: prepared.prepared.truncation.clone(),
        redaction: prepared.redaction.clone(),
        ignored: prepared.prepared.ignored.clone(),
        coverage: CoverageMap { summary: coverage.summary.clone(), files },
        allowed: opened.allowed.clone(),
    }
}

pub(super) fn prompt(app: &App, opened: &OpenChange, params: &PromptParams) -> Result<PromptView> {
    let config = &opened.settings.config;
    let search = opened.search_path();
    // The prompt can be read before any agent is installed. It is then the prompt for an agent that enforces the
    // schema.
    let named = params.model.as_deref().filter(|model| !model.trim().is_empty());
    let mut model = named.map(str::to_owned);
    let agent = match choose_agent(params.agent.as_deref(), named, config, &search) {
        // The built-in reviewer gets no prompt, so the prompt of another agent is shown.
        Ok(choice) if choice.is_built_in() => diffsan_agent::known(config).into_iter().next(),
        Ok(choice) => {
            model = choice.model;
            Some(choice.agent)
        }
        Err(error) if error.code == ErrorCode::AgentNotFound => {
            let wanted = params.agent.as_deref().unwrap_or(&config.agent.name);
            diffsan_agent::known(config).into_iter().find(|agent| agent.name == wanted || wanted == "auto")
        }
        Err(error) => return Err(error),
    };
    let Some(agent) = agent else {
        return Err(Error::new(ErrorCode::AgentNotFound, "There is no such agent."));
    };
    let mut session = opened.prepared().session();
    let batch = params.batch as usize;
    let room = expected_room(app.places(), opened, &agent);
    let prior = app.prior(opened)?;
    let request = PromptRequest {
        agent: &agent,
        instructions: params.instructions.as_deref(),
        skills: params.skills.as_deref(),
        batch,
        room: room.as_deref(),
        prior: prior.as_ref(),
    };
    let built = build_prompt(app.places(), opened, request, &mut session)?;
    let text = built.text.into_inner();
    let tokens = tokens::count(&text);
    Ok(PromptView {
        cost_usd: estimate_cost(app.places(), model.as_deref(), tokens)?,
        model,
        agent: agent.name,
        chars: text.chars().count() as u64,
        tokens,
        batch: params.batch,
        batches: opened.prepared().prepared.batches.iter().map(batch_view).collect(),
        text,
        sources: built
            .files
            .into_iter()
            .map(|file| PromptSource {
                name: file.name,
                place: file.path.map_or_else(|| "built in".to_owned(), |path| path.display().to_string()),
            })
            .collect(),
        skills: built.skills,
        known_skills: skill_names(&opened.trust.prompts(app.places())),
        prepared: prepared(opened),
    })
}

fn batch_view(batch: &Batch) -> BatchView {
    let diff = batch.diff.as_str();
    let files = &batch.change.get().files;
    BatchView {
        files: files.iter().map(|file| file.path().to_text().into_owned()).collect(),
        chars: diff.chars().count() as u64,
        tokens: tokens::count(diff),
    }
}

pub(super) fn agents(known: KnownAgents) -> AgentsView {
    let looked_in: Vec<String> = known.search.folders.iter().map(|folder| folder.display().to_string()).collect();
    let view = |KnownAgent { found, address, checked }: KnownAgent| AgentView {
        name: found.agent.name.clone(),
        title: found.agent.title().to_owned(),
        program: found.program.as_ref().map(|path| path.display().to_string()),
        url: address,
        missing: found.missing,
        needs_model: found.needs_model,
        looked_for: found.agent.programs().into_iter().map(str::to_owned).collect(),
        looked_in: looked_in.clone(),
        install: found.agent.spec.install.clone(),
        sign_in: found.agent.spec.sign_in.clone(),
        structured: found.agent.spec.structured,
        reads_files: found.agent.spec.reads_files,
        built_in: found.agent.name == CAPABILITY_REVIEWER,
        checked: checked.map(|last| LastCheckView { at: last.at, found: last.found.map(check), error: last.error }),
    };
    AgentsView { default: known.default, agents: known.agents.into_iter().map(view).collect() }
}

/// Converts the answer of a tested agent.
pub(super) fn check(checked: Checked) -> AgentCheck {
    AgentCheck {
        place: checked.place,
        version: checked.version,
        milliseconds: checked.milliseconds,
        tokens: checked.usage,
        note: checked.note,
    }
}

pub(super) fn decision_name(decision: Decision) -> Option<&'static str> {
    match decision {
        Decision::Open => None,
        Decision::Accepted => Some("accepted"),
        Decision::Dismissed => Some("dismissed"),
    }
}

/// Converts a saved review. With the open change, the findings get the indices of their files and the current places of
/// their code, and the review is marked as outdated if the change differs.
pub(super) fn review(kept: &SavedReview, opened: Option<&OpenChange>) -> ReviewView {
    let files: HashMap<_, u32> = opened
        .into_iter()
        .flat_map(|opened| {
            let paths = opened.plan.order().iter().map(|&index| opened.change.files[index].path().to_text());
            paths.zip(0..)
        })
        .collect();
    let decisions: HashMap<&str, _> = kept.decisions.iter().map(|one| (one.finding_key.as_str(), one)).collect();
    let moved_on = opened.filter(|opened| opened.fingerprint.value != kept.fingerprint);
    let outdated = moved_on.is_some_and(|opened| opened.pinned().as_ref() != Some(&kept.id));
    // A change that is shown from its run folder has no whole files, so the saved places are better.
    let placed = moved_on.filter(|opened| outdated || opened.tree.is_some()).map(|opened| {
        let mut session = opened.prepared().session();
        let placed = relocate(opened, Some(&kept.output.meta), &kept.output.findings, &mut session);
        placed.into_iter().map(|one| one.finding).collect::<Vec<_>>()
    });
    let findings = placed.as_ref().unwrap_or(&kept.output.findings).iter().map(|finding| {
        let stored = decisions.get(finding.key.as_str());
        FindingView {
            finding: finding.clone(),
            file: files.get(finding.anchor.path.as_str()).copied(),
            decision: match stored.map(|stored| stored.decision.as_str()) {
                Some("accepted") => Decision::Accepted,
                Some("dismissed") => Decision::Dismissed,
                _ => Decision::Open,
            },
            reason: stored.and_then(|stored| stored.reason.clone()),
            applied: kept.applied.iter().find(|(key, _)| *key == finding.key).map(|(_, fix)| *fix),
        }
    });
    ReviewView {
        review_id: kept.id.clone(),
        created_at: kept.created_at.clone(),
        earlier: kept.earlier,
        // A change that is opened for an earlier review shows the reviewed state, as far as it still exists.
        outdated,
        summary_markdown: kept.output.summary_markdown.clone(),
        findings: findings.collect(),
        meta: kept.output.meta.clone(),
        run_dir: kept.run_dir.clone(),
        tokens: kept.output.meta.token_usage,
        masked: kept.masked,
        cut_files: kept.cut_files,
    }
}
