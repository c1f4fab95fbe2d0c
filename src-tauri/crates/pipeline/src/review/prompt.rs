//! Builds the exact prompt of a review, and reports its sources.

use std::path::Path;

use crate::error::{Error, ErrorCode, Result};
use crate::prices::{self, Prices};
use crate::random_marker;
use diffsan_agent::Agent;
use diffsan_config::{Origin, PromptConfig, RepositoryRules, StartIn};
use diffsan_prepare::prompt::rules::{self, Rules};
use diffsan_prepare::prompt::{Prior, ReviewPrompt, render_review, skills_for_extensions};
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::answer;
use diffsan_store::files::places::Places;
use diffsan_store::files::prompts::{PromptFile, build_system_prompt, load_skills};
use diffsan_store::files::settings::REPOSITORY_FILE;

use super::callers::callers_text;
use super::chapters::chapters_text;
use super::facts::facts_text;
use super::intent::intent_of;
use super::room::copies_folder;
use crate::open::OpenChange;

/// The maximum size of an instructions file in bytes.
const INSTRUCTIONS_LIMIT: u64 = 64 * 1024;

/// The maximum number of files in the list of edited lines, and of runs of lines of one file.
const EDITS_LIMIT: usize = 60;

/// The inputs of a prompt besides the change.
#[derive(Clone, Copy, Debug)]
pub struct PromptRequest<'a> {
    /// The agent that it is for.
    pub agent: &'a Agent,
    /// Additional instructions for this review.
    pub instructions: Option<&'a str>,
    /// The selected skills, which replace the configured ones.
    pub skills: Option<&'a [String]>,
    /// The index of the batch, from 0.
    pub batch: usize,
    /// The room that the agent may read, if any.
    pub room: Option<&'a Path>,
    /// Earlier findings and comments on the change.
    pub prior: Option<&'a Prior>,
}

/// A prompt with its sources.
#[derive(Clone, Debug)]
pub struct BuiltPrompt {
    /// The text, masked.
    pub text: Redacted<String>,
    /// The prompt files that it was built from.
    pub files: Vec<PromptFile>,
    /// The names of its skills.
    pub skills: Vec<String>,
    /// The unchanged callers of changed signatures, masked. Empty if it has none.
    pub callers: String,
    /// The marker that fences untrusted text.
    pub marker: String,
}

/// Builds the prompt. Blocks.
pub fn build_prompt(
    places: &Places,
    opened: &OpenChange,
    request: PromptRequest<'_>,
    session: &mut Session,
) -> Result<BuiltPrompt> {
    let files = opened.trust.prompts(places);
    let prepared = opened.prepared();
    let config = &opened.settings.config.prompt;
    let (system, mut used) = build_system_prompt(&files)?;
    let template = files.require("review.md")?;
    let names = skill_names(request.skills.unwrap_or(&config.skills), opened);
    let (skills, skill_files): (Vec<_>, Vec<_>) = load_skills(&files, &names)?.into_iter().unzip();
    let instructions = instructions(config, opened, request.instructions)?;
    let marker = random_marker()?;
    let schema = answer::described_schema();
    let masked = prepared.prepared.change.get();
    let rules = repository_rules(opened);
    let prior = request.prior.map(|prior| prior.digest(config.max_prior_chars as usize)).unwrap_or_default();
    let diffs = prepared.prepared.diffs();
    let Some(diff) = diffs.get(request.batch) else {
        let message = format!("There is no batch {}; the number of batches is {}.", request.batch + 1, diffs.len());
        return Err(Error::new(ErrorCode::InvalidInput, message).hint("Batches are numbered from 1."));
    };
    let elsewhere = elsewhere(opened, request.batch);
    let part =
        prepared.prepared.batches.get(request.batch).map_or(&prepared.prepared.change, |batch| &batch.change).get();
    let edits = opened.edits.as_ref().map(|edits| {
        let mut edits = edits.listed(prepared.masked.get());
        let is_here = |path: &str| part.files.iter().any(|file| file.path().to_text() == path);
        edits.files.retain(|file| diffs.len() == 1 || is_here(&file.path));
        edits
    });
    let callers = callers_text(opened, places, (part, diff.as_str()), session);
    let facts = facts_text(opened, part, &[diff.as_str(), &callers], session);
    let chapters = chapters_text(opened, part);
    let intent = intent_of(opened, session);
    // An agent that is started in another folder needs the path of the files.
    let room = request.room.map(|room| match request.agent.spec.start_in {
        StartIn::Room => ".".to_owned(),
        StartIn::Empty => room.display().to_string(),
    });
    let text = render_review(
        &template.text,
        &ReviewPrompt {
            system: &system,
            structured: request.agent.spec.structured,
            room: room.as_deref(),
            copies: copies_folder(opened),
            schema: &schema,
            verbosity: config.verbosity,
            skills: &skills,
            instructions: &instructions,
            rules: &rules,
            prior: &prior,
            since: edits.as_ref().map_or("", |edits| edits.since.as_str()),
            edits: &edits.as_ref().map(|edits| edits.list(EDITS_LIMIT)).unwrap_or_default(),
            truncation: &prepared.prepared.truncation,
            redacted: prepared.redaction.found,
            ignored: &prepared.prepared.ignored,
            folded: &prepared.prepared.folded,
            messages: &masked.messages,
            intent: &intent,
            diff: diff.as_str(),
            callers: &callers,
            facts: &facts,
            chapters: &chapters,
            batch: request.batch + 1,
            batches: diffs.len(),
            elsewhere: &elsewhere,
            marker: &marker,
        },
    )?;
    used.push(template);
    used.extend(skill_files);
    used.extend(rules.into_iter().map(|rules| PromptFile {
        path: Some(format!("{} (of the repository)", rules.name).into()),
        name: rules.name,
        text: rules.text,
    }));
    let callers = session.text("prompt", &callers).into_inner();
    Ok(BuiltPrompt { text: session.text("prompt", &text), files: used, skills: names, callers, marker })
}

/// Returns the additional instructions of a review, with the text about the agent's track record if it gets one.
pub fn with_record(instructions: Option<&str>, record: Option<&str>) -> Option<String> {
    let texts: Vec<&str> = [instructions, record].into_iter().flatten().filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Estimates the cost of a prompt with `tokens` tokens, by the user's price table or the built-in one. Returns `None` if the model or its
/// price is not known.
pub fn estimate_cost(places: &Places, model: Option<&str>, tokens: u64) -> Result<Option<f64>> {
    let Some(model) = model else { return Ok(None) };
    let own = places.config.join("prices.toml");
    let text = diffsan_bounded::read_to_string(&own, diffsan_bounded::MAX_SETTINGS_BYTES)
        .unwrap_or_else(|_| prices::BUILT_IN.to_owned());
    let prices = Prices::parse(&text).map_err(|message| {
        Error::new(ErrorCode::ConfigParseError, format!("{}: {message}", own.display()))
            .hint("Correct the table, or remove it so that the built-in one is used.")
    })?;
    Ok(prices.estimate(model, tokens))
}

/// Returns the repository's rules for reviewers, from the target side.
fn repository_rules(opened: &OpenChange) -> Vec<Rules> {
    let wanted: Vec<&str> = match opened.settings.config.prompt.repository_rules {
        RepositoryRules::None => Vec::new(),
        RepositoryRules::Review => rules::FOR_REVIEWS.to_vec(),
        RepositoryRules::All => rules::FOR_REVIEWS.iter().chain(rules::FOR_WORK).copied().collect(),
    };
    let paths: Vec<String> = opened.change.files.iter().map(|file| file.path().to_text().into_owned()).collect();
    let read = |name: &&str| rules::rules(name, &opened.target_side(name)?, &paths);
    let own = repository_instructions(opened).and_then(|text| rules::rules(REPOSITORY_FILE, text, &paths));
    wanted.iter().filter_map(read).chain(own).collect()
}

/// Returns the files that only other batches contain.
fn elsewhere(opened: &OpenChange, batch: usize) -> Vec<String> {
    let batches = &opened.prepared().prepared.batches;
    let names = |batch: &diffsan_prepare::Batch| -> Vec<String> {
        batch.change.get().files.iter().map(|file| file.path().to_text().into_owned()).collect()
    };
    let here = batches.get(batch).map(names).unwrap_or_default();
    let mut others: Vec<String> = batches.iter().flat_map(names).filter(|name| !here.contains(name)).collect();
    let mut seen = std::collections::HashSet::new();
    others.retain(|name| seen.insert(name.clone()));
    others
}

fn skill_names(wanted: &[String], opened: &OpenChange) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in wanted {
        if name == "auto" {
            let sent = opened.prepared().prepared.change.get();
            let extensions: Vec<String> = sent.files.iter().filter_map(|file| file.path().extension()).collect();
            names.extend(skills_for_extensions(extensions.iter().map(String::as_str)).into_iter().map(str::to_owned));
        } else {
            names.push(name.clone());
        }
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Returns the instructions in the repository's own settings, unless the repository is trusted. Then they are treated like other rules of
/// the repository, and not as the user's instructions.
fn repository_instructions(opened: &OpenChange) -> Option<&str> {
    let path = ["prompt", "instructions"].map(str::to_owned);
    let values = opened.settings.values_of(&path);
    let own = values.into_iter().find(|(origin, _)| matches!(origin, Origin::Repository(_)));
    own.filter(|_| !opened.trust.is_given()).and_then(|(_, value)| value.as_str())
}

/// Returns the instructions from the file, then from the settings, then those added for this review.
fn instructions(config: &PromptConfig, opened: &OpenChange, added: Option<&str>) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    if !config.instructions_file.is_empty() {
        texts.push(instructions_file(&config.instructions_file, opened)?);
    }
    if repository_instructions(opened).is_none() {
        texts.push(config.instructions.clone());
    } else {
        // The repository's instructions do not replace the user's.
        let path = ["prompt", "instructions"].map(str::to_owned);
        let mut values = opened.settings.values_of(&path);
        values.retain(|(origin, _)| !matches!(origin, Origin::Repository(_)));
        texts.extend(values.last().and_then(|(_, value)| value.as_str()).map(str::to_owned));
    }
    texts.extend(added.map(str::to_owned));
    Ok(texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect())
}

/// Reads a file of instructions. A relative path is inside the repository, and never leads out through a link. If the repository's own
/// settings name the file, its trusted content from the target side is used.
fn instructions_file(name: &str, opened: &OpenChange) -> Result<String> {
    let wrong = |reason: String| {
        Error::new(ErrorCode::ConfigParseError, format!("The instructions file {name} {reason}."))
            .hint("Correct prompt.instructions_file.")
    };
    let by_repository = matches!(opened.settings.origin("prompt.instructions_file"), Some(Origin::Repository(_)));
    if by_repository {
        return opened.trust.named(name).map(str::to_owned).ok_or_else(|| wrong("is not in the repository".to_owned()));
    }
    let root = opened.root.clone().unwrap_or_default();
    let path = root.join(name);
    let unreadable = |error: std::io::Error| wrong(format!("cannot be read: {error}"));
    let real = path.canonicalize().map_err(unreadable)?;
    let inside = || root.canonicalize().is_ok_and(|root| real.starts_with(root));
    if Path::new(name).is_relative() && opened.root.is_some() && !inside() {
        return Err(wrong("is a link to a place outside the repository".to_owned()));
    }
    diffsan_bounded::read_to_string(&real, INSTRUCTIONS_LIMIT).map_err(unreadable)
}
