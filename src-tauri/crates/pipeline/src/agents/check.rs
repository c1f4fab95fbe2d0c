//! Tests an agent with a short question: whether it is installed, signed in and reachable.

use schemars::JsonSchema;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::choice::named_agent;
use super::error::no_answer;
use super::folders::{folders_for_review, folders_with_room};
use crate::error::Result;
use crate::open::millis;
use diffsan_agent::{Question, SearchPath};
use diffsan_config::Config;
use diffsan_review::answer;
use diffsan_store::files::places::Places;

use diffsan_redact::Session;
use diffsan_review::TokenUsage;

const PROMPT: &str = "This is a test of the connection; there is nothing to review. Answer with exactly this JSON object and nothing else:\n\n\
                      {\"summary_markdown\": \"ok\", \"findings\": []}\n";

/// The result of testing an agent that works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentCheck {
    /// The agent's display name.
    pub title: String,
    /// The path of the program, or the address, masked.
    pub place: String,
    /// The version that the agent reports.
    pub version: Option<String>,
    /// The requested model, if any.
    pub model: Option<String>,
    /// The time until the answer, in milliseconds.
    pub milliseconds: u64,
    /// The number of tokens that the agent reported, if any.
    pub usage: Option<TokenUsage>,
    /// A problem that did not prevent the answer.
    pub note: Option<String>,
}

/// The request to test an agent.
pub struct CheckRequest<'a> {
    /// The settings for the agent.
    pub config: &'a Config,
    /// The name of the agent.
    pub name: &'a str,
    /// The model to request.
    pub model: Option<&'a str>,
    /// The folders in which its program is searched.
    pub search: &'a SearchPath,
}

/// Asks an agent a short question and returns facts about the answer.
pub async fn check_agent(
    places: &Places,
    request: CheckRequest<'_>,
    mut session: Session,
    cancel: &CancellationToken,
) -> Result<AgentCheck> {
    let CheckRequest { config, name, model, search } = request;
    let choice = named_agent(name, model, config, search).await?;
    if choice.is_built_in() {
        return Ok(AgentCheck {
            title: choice.agent.title().to_owned(),
            place: "built in".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            model: None,
            milliseconds: 0,
            usage: None,
            note: None,
        });
    }
    let private = folders_for_review(places).await?;
    let prompt = session.text("prompt", PROMPT);
    let request = choice.request(&config.agent, folders_with_room(&private, None), search);
    let version = diffsan_agent::version(&request, cancel).await;
    let started = Instant::now();
    let question = Question { prompt: &prompt, run_dir: &private.temporary, schema: None };
    let reply = diffsan_agent::ask(&request, &question, cancel, |_| {}).await;
    let title = choice.agent.title().to_owned();
    let text =
        reply.answer.map_err(|failure| no_answer(&choice.agent, &config.agent, "check", &mut session, failure))?;
    let note = answer::read(&text).is_err().then(|| "it answered, but not in the requested form".to_owned());
    let place = match &choice.program {
        Some(program) => program.display().to_string(),
        // An address may contain a key.
        None => session.contract("agent", &choice.agent.spec.url).into_inner(),
    };
    Ok(AgentCheck {
        title,
        place,
        version: version.map(|version| session.contract("agent output", &version).into_inner()),
        model: choice.model,
        milliseconds: millis(started),
        usage: reply.facts.usage,
        note,
    })
}
