//! Asks an agent one finished prompt, without a change and without a room.

use tokio_util::sync::CancellationToken;

use super::choice::named_agent;
use super::error::no_answer;
use super::folders::{folders_for_review, folders_with_room};
use crate::error::{Error, ErrorCode, Result};
use diffsan_agent::{Question, SearchPath};
use diffsan_config::Config;
use diffsan_redact::Session;
use diffsan_store::files::places::Places;

/// A prompt for an agent.
pub struct PromptRequest<'a> {
    /// The settings for the agent.
    pub config: &'a Config,
    /// The name of the agent.
    pub name: &'a str,
    /// The model to request.
    pub model: Option<&'a str>,
    /// The folders in which its program is searched.
    pub search: &'a SearchPath,
    /// The prompt. It is masked before it is sent.
    pub prompt: &'a str,
}

/// The answer to a prompt.
pub struct PromptReply {
    /// The agent's display name.
    pub title: String,
    /// The requested model, if any.
    pub model: Option<String>,
    /// The answer, not masked.
    pub text: String,
}

/// Asks an agent once for a review in answer to a prompt.
pub async fn ask_prompt(
    places: &Places,
    request: PromptRequest<'_>,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Result<PromptReply> {
    let PromptRequest { config, name, model, search, prompt } = request;
    let choice = named_agent(name, model, config, search).await?;
    if choice.is_built_in() {
        return Err(Error::new(ErrorCode::InvalidInput, "The capability reviewer answers no prompts.")
            .hint("Name another agent; `diffsan agents` lists them."));
    }
    let private = folders_for_review(places).await?;
    let prompt = session.text("prompt", prompt);
    let title = choice.agent.title().to_owned();
    let request = choice.request(&config.agent, folders_with_room(&private, None), search);
    let question = Question { prompt: &prompt, run_dir: &private.temporary, schema: None };
    let reply = diffsan_agent::ask(&request, &question, cancel, |_| {}).await;
    let text = reply.answer.map_err(|failure| no_answer(&choice.agent, &config.agent, "question", session, failure))?;
    Ok(PromptReply { title, model: choice.model, text })
}
