//! Selects findings, and writes the prompts about them within the budget.

use std::path::{Path, PathBuf};

use crate::callers::Callers;
use crate::material::{MaskedFiles, material};
use diffsan_agent::Agent;
use diffsan_config::{StartIn, Verify};
use diffsan_pipeline::agents::{AgentChoice, choose_agent};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::random_marker;
use diffsan_prepare::prompt::{VerifyFinding, VerifyPrompt, render_verify};
use diffsan_redact::Session;
use diffsan_redact::types::Redacted;
use diffsan_review::answer::described_opinions_schema;
use diffsan_review::finding::{CAPABILITY_REVIEWER, Finding, Severity};
use diffsan_store::files::places::Places;
use diffsan_store::files::prompts::build_system_prompt;

/// A prompt about some findings.
#[derive(Clone, Debug)]
pub struct OpinionPrompt {
    /// The text, masked.
    pub text: Redacted<String>,
    /// The keys of its findings.
    pub findings: Vec<String>,
    /// The marker that fences untrusted text.
    pub marker: String,
}

/// The prompts of a second opinion, before they are sent.
#[derive(Clone, Debug)]
pub struct OpinionPlan {
    /// The prompts. Empty if there is no finding.
    pub prompts: Vec<OpinionPrompt>,
    /// The keys of the findings that are over the limits.
    pub left_out: Vec<String>,
}

/// Returns the findings that the setting selects, the most severe first. Findings that only the reviewer wrote are not among them.
pub fn selected(findings: &[Finding], verify: Verify) -> Vec<Finding> {
    let is_wanted = |finding: &&Finding| match verify {
        Verify::Off => false,
        Verify::High => finding.content.severity >= Severity::High,
        Verify::All => true,
    };
    let mut wanted: Vec<Finding> =
        findings.iter().filter(is_wanted).filter(|finding| !finding.is_own()).cloned().collect();
    wanted.sort_by_key(|finding| std::cmp::Reverse(finding.content.severity));
    wanted
}

/// Selects the agent that gives the opinion: the configured one, otherwise one that reviewed.
pub fn choose(opened: &OpenChange, reviewed_by: &[String], model: Option<&str>) -> Result<AgentChoice> {
    let config = &opened.settings.config;
    let own = Some(config.review.verify_agent.as_str()).filter(|name| !name.is_empty());
    let reviewer = reviewed_by.iter().map(String::as_str).find(|name| *name != CAPABILITY_REVIEWER);
    // The model of the review belongs to its agent.
    let model = model.filter(|_| own.is_none());
    let choice = choose_agent(own.or(reviewer), model, config, &opened.search_path())?;
    if choice.is_built_in() {
        let message = "The capability reviewer gives no second opinion, and no other agent is configured.";
        return Err(
            Error::new(ErrorCode::AgentNotFound, message).hint("Install an agent, or name one in review.verify_agent.")
        );
    }
    Ok(choice)
}

/// Writes the prompts about findings, as many as the settings allow. `room` is the folder that the agent may read. Blocks.
pub fn plan(
    places: &Places,
    opened: &OpenChange,
    agent: &Agent,
    findings: &[Finding],
    room: Option<&Path>,
    session: &mut Session,
) -> Result<OpinionPlan> {
    let config = &opened.settings.config.review;
    let max_chars = limit(config.max_verify_chars);
    let max_prompts = limit(config.max_verify_prompts.into());
    let callers = Callers::read(opened, places, findings);
    let mut files = MaskedFiles::new(opened);
    let mut groups: Vec<Vec<VerifyFinding>> = Vec::new();
    let (mut used, mut left_out) = (0, Vec::new());
    for finding in findings {
        let text = material(finding, &callers, &mut files, session);
        let chars = text.chars().count();
        let fits = groups.last().is_some_and(|group| !group.is_empty() && used + chars <= max_chars);
        if !fits {
            if groups.len() >= max_prompts {
                left_out.push(finding.key.clone());
                continue;
            }
            groups.push(Vec::new());
            used = 0;
        }
        used += chars;
        if let Some(group) = groups.last_mut() {
            group.push(VerifyFinding { key: finding.key.clone(), text });
        }
    }
    let prompts =
        groups.iter().map(|group| prompt(places, opened, agent, group, (room, !left_out.is_empty()), session));
    Ok(OpinionPlan { prompts: prompts.collect::<Result<_>>()?, left_out })
}

fn prompt(
    places: &Places,
    opened: &OpenChange,
    agent: &Agent,
    findings: &[VerifyFinding],
    (room, left_out): (Option<&Path>, bool),
    session: &mut Session,
) -> Result<OpinionPrompt> {
    let files = opened.trust.prompts(places);
    let (system, _) = build_system_prompt(&files)?;
    let template = files.require("verify.md")?;
    let marker = random_marker()?;
    let room = room.map(|room| match agent.spec.start_in {
        StartIn::Room => PathBuf::from("."),
        StartIn::Empty => room.to_owned(),
    });
    let room = room.map(|room| room.display().to_string());
    let text = render_verify(
        &template.text,
        &VerifyPrompt {
            system: &system,
            structured: agent.spec.structured,
            schema: &described_opinions_schema(),
            room: room.as_deref(),
            findings,
            left_out,
            marker: &marker,
        },
    )?;
    let findings = findings.iter().map(|finding| finding.key.clone()).collect();
    Ok(OpinionPrompt { text: session.text("prompt", &text), findings, marker })
}

/// Returns a limit; 0 means none.
fn limit(limit: u64) -> usize {
    if limit == 0 { usize::MAX } else { usize::try_from(limit).unwrap_or(usize::MAX) }
}
