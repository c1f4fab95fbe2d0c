//! Asks another agent the prompts of a bundle, and compares its findings with those of the sealed review.

use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use diffsan_agent::SearchPath;
use diffsan_config::Config;
use diffsan_pipeline::agents::{PromptRequest, ask_prompt};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::Session;
use diffsan_review::answer::{self, Answer};
use diffsan_review::finding::Finding;
use diffsan_review::rounds::match_findings;
use diffsan_store::files::places::Places;

use crate::replay::Opened;

/// A finding of the sealed review, and the same finding of the other agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Same {
    /// The finding of the sealed review.
    pub sealed: Finding,
    /// The finding of the other agent.
    pub other: Finding,
}

/// The findings of the sealed review beside those of another agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The names of the agents of the sealed review.
    pub sealed_agent: String,
    /// The name of the other agent.
    pub other_agent: String,
    /// The model that was requested from the other agent.
    pub other_model: Option<String>,
    /// The findings that both have.
    pub same: Vec<Same>,
    /// The findings that only the sealed review has.
    pub only_sealed: Vec<Finding>,
    /// The findings that only the other agent has.
    pub only_other: Vec<Finding>,
    /// The number of findings of the other agent that cannot be read.
    pub unreadable: u32,
}

/// Asks an agent every prompt of the bundle once, without the repository, and compares the findings.
pub async fn ask_other(
    places: &Places,
    bundle: &Opened,
    (config, name, model): (&Config, &str, Option<&str>),
    mut session: Session,
    (search, cancel): (&SearchPath, &CancellationToken),
) -> Result<Comparison> {
    let record = bundle.record()?;
    let (review, _) = bundle.replay()?;
    let mut prompts: Vec<&String> = Vec::new();
    for answer in &record.answers {
        if let Some(prompt) = &answer.prompt
            && answer.agent == first_asked(&record.answers)
            && !prompts.contains(&prompt)
        {
            prompts.push(prompt);
        }
    }
    if prompts.is_empty() {
        return Err(Error::new(
            ErrorCode::InvalidInput,
            "The sealed run sent no prompt, so no other agent can be asked.",
        )
        .hint("Seal a run of an agent; the capability reviewer reads the files itself."));
    }
    let (mut findings, mut unreadable, mut other_model) = (Vec::new(), 0, None);
    for prompt in prompts {
        let text = bundle.text(prompt).unwrap_or_default();
        let request = PromptRequest { config, name, model, search, prompt: &text };
        let reply = ask_prompt(places, request, &mut session, cancel).await?;
        other_model = reply.model;
        let answer = answer::read(&reply.text).map_err(|invalid| {
            Error::new(ErrorCode::AgentOutputInvalid, format!("{} did not return a valid review.", reply.title))
                .with("problems", invalid.problems)
        })?;
        let answer = session.texts("agent output", answer, Answer::for_each_text).into_inner();
        unreadable += u32::try_from(answer.unreadable.len()).unwrap_or(u32::MAX);
        findings.extend(answer.output.findings);
    }
    let mut others = diffsan_placing::place_other(&record, name, findings);
    for finding in &mut others {
        finding.for_each_text(&mut |text| *text = session.contract("agent output", text).into_inner());
    }
    Ok(compared(review.meta.agent, (name, other_model), review.findings, others, unreadable))
}

/// Returns the first agent of the run that was asked a prompt.
fn first_asked(answers: &[diffsan_placing::RecordedAnswer]) -> &str {
    answers.iter().find(|answer| answer.prompt.is_some()).map(|answer| answer.agent.as_str()).unwrap_or_default()
}

fn compared(
    sealed_agent: String,
    (other_agent, other_model): (&str, Option<String>),
    sealed: Vec<Finding>,
    others: Vec<Finding>,
    unreadable: u32,
) -> Comparison {
    let mut pairs = match_findings(&sealed, &others);
    pairs.sort_unstable();
    let (first, second): (Vec<usize>, Vec<usize>) = pairs.iter().copied().unzip();
    let rest = |findings: &[Finding], taken: &[usize]| {
        findings.iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(_, one)| one.clone()).collect()
    };
    Comparison {
        sealed_agent,
        other_agent: other_agent.to_owned(),
        other_model,
        only_sealed: rest(&sealed, &first),
        only_other: rest(&others, &second),
        same: pairs.into_iter().map(|(a, b)| Same { sealed: sealed[a].clone(), other: others[b].clone() }).collect(),
        unreadable,
    }
}
