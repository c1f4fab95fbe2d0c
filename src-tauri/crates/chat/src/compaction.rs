//! Compaction: decides when earlier messages of a conversation are replaced by a summary, and creates the summary.

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::history::{about_word, active, facts_of, in_force, spoken};
use super::single_request::ask_once;
use super::{ChatContext, ChatEvent};
use diffsan_pipeline::agents::AgentChoice;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_prepare::compact::{self, Compacted};
use diffsan_prepare::tokens;
use diffsan_store::files::artifacts::now;
use diffsan_store::files::prompts::build_system_prompt;
use diffsan_store::{Compaction, Conversation, StoredMessage};

/// The part of the agent's context at which a conversation is compacted.
const MAX_FILL: f64 = 0.8;
/// The part of the context up to which the newest messages are preserved.
const RECENT_PART: f64 = 0.25;
/// The assumed context of an unknown agent, in tokens.
const DEFAULT_CONTEXT: u64 = 128_000;
/// The assumed number of characters in a token.
const CHARS_PER_TOKEN: usize = 4;

/// Returns the size of the context of an agent's model, in tokens: the last reported one, else the one in the agent's
/// settings, else the default.
pub(super) fn limit(choice: &AgentChoice, messages: &[StoredMessage]) -> u64 {
    let facts =
        messages.iter().rev().map(facts_of).find(|facts| facts.agent == choice.agent.name && facts.limit.is_some());
    let known = Some(choice.agent.spec.context_tokens).filter(|tokens| *tokens > 0);
    facts.and_then(|facts| facts.limit).or(known).unwrap_or(DEFAULT_CONTEXT)
}

/// Returns the number of tokens at which a conversation is compacted.
pub fn threshold(limit: u64) -> u64 {
    (limit as f64 * MAX_FILL) as u64
}

/// Estimates the tokens of a request. It is fast, because it runs before every message.
fn estimate(chat_context: ChatContext<'_>, conversation: &Conversation, messages: &[StoredMessage]) -> Result<u64> {
    let compactions = chat_context.store.compactions(&conversation.id)?;
    let one = in_force(&compactions, messages);
    let from = one.map_or(0, |one| one.through);
    let kept = active(messages).into_iter().filter(|message| message.number > from);
    let chars: usize = kept.map(|message| message.text.len().max(message.sent.len())).sum();
    let before = one.map_or(0, |one| one.intent.len() + one.summary.len());
    let system = build_system_prompt(&chat_context.prompts())?.0.len();
    Ok(((system + conversation.context.len() + before + chars) / CHARS_PER_TOKEN) as u64)
}

/// Compacts a conversation that is nearly full, or a long one whose agent changes. Returns whether it did.
pub(super) async fn compact_if_due(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    choice: &AgentChoice,
    before: i64,
    cancel: &CancellationToken,
) -> Result<bool> {
    let all = chat_context.store.messages(&conversation.id)?;
    let messages: Vec<StoredMessage> = all.into_iter().filter(|message| message.number < before).collect();
    let Some(last) = active(&messages).into_iter().rfind(|message| message.role == "assistant").map(facts_of) else {
        return Ok(false);
    };
    let limit = limit(choice, &messages);
    let used = estimate(chat_context, conversation, &messages)?;
    let reported = last.usage.filter(|_| last.agent == choice.agent.name).map_or(0, |usage| usage.input + usage.output);
    // The report is about the previous request. A later compaction may have made the next one smaller.
    let compacted = chat_context.store.compactions(&conversation.id)?;
    let reported = if in_force(&compacted, &messages).is_some() { 0 } else { reported };
    let switched = !last.agent.is_empty() && last.agent != choice.agent.name && used > limit / 4;
    if used.max(reported) < threshold(limit) && !switched {
        return Ok(false);
    }
    chat_context
        .chats
        .publish(&conversation.id, ChatEvent::Step("Summarising earlier messages to make room".to_owned()));
    let limits = Limits { keep: (limit as f64 * RECENT_PART) as u64, requested: false };
    compact(chat_context, conversation, choice, &messages, limits, cancel).await
}

/// Compacts because the model rejected the request as too long. Returns whether there was anything to compact.
pub(super) async fn make_room(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    choice: &AgentChoice,
    before: i64,
    cancel: &CancellationToken,
) -> Result<bool> {
    let all = chat_context.store.messages(&conversation.id)?;
    let messages: Vec<StoredMessage> = all.into_iter().filter(|message| message.number < before).collect();
    chat_context
        .chats
        .publish(&conversation.id, ChatEvent::Step("Summarising earlier messages to make room".to_owned()));
    compact(chat_context, conversation, choice, &messages, Limits { keep: 0, requested: false }, cancel).await
}

/// The limits of a compaction.
#[derive(Clone, Copy)]
struct Limits {
    /// The number of tokens of the newest messages that are preserved.
    keep: u64,
    /// Whether the user requested it. Then an unusable summary is an error, and nothing changes.
    requested: bool,
}

/// Compacts at the user's request.
pub async fn compact_now(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    choice: &AgentChoice,
    cancel: &CancellationToken,
) -> Result<Compaction> {
    let messages = chat_context.store.messages(&conversation.id)?;
    if !compact(chat_context, conversation, choice, &messages, Limits { keep: 0, requested: true }, cancel).await? {
        return Err(Error::new(ErrorCode::InvalidInput, "There is nothing to summarise yet.")
            .hint("Continue the conversation first; the first messages are not summarised."));
    }
    let compactions = chat_context.store.compactions(&conversation.id)?;
    compactions.into_iter().next_back().ok_or_else(super::errors::unknown_conversation)
}

async fn compact(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    choice: &AgentChoice,
    messages: &[StoredMessage],
    limits: Limits,
    cancel: &CancellationToken,
) -> Result<bool> {
    let compactions = chat_context.store.compactions(&conversation.id)?;
    let earlier = in_force(&compactions, messages);
    let from = earlier.map_or(0, |one| one.through);
    let active = active(messages);
    let abouts: Vec<String> = active.iter().map(|message| about_word(message)).collect();
    let all = spoken(&active, &abouts);
    let first = all.iter().position(|message| message.number > from).unwrap_or(all.len());
    let Some(mut plan) = compact::plan(&all[first..], limits.keep, tokens::count) else { return Ok(false) };
    let count = first + plan.count;
    let Some(through) = count.checked_sub(1).and_then(|at| all.get(at)).map(|message| message.number) else {
        return Ok(false);
    };
    plan.recent.iter_mut().for_each(|at| *at += first);
    plan.boundary.index += first;
    plan.count = count;
    let guess = compact::guess(&all, &plan);
    let mut session = chat_context.opened.prepared().session();
    let asked = async {
        let prompt = chat_context.prompts().require("skills/compaction.md")?;
        let before = earlier.map(|one| (one.intent.as_str(), one.summary.as_str()));
        let text = compact::material(before, &all[first..count], &conversation.marker);
        let system = session.text("prompt", &prompt.text);
        let message = session.contract("chat", &text);
        ask_once(chat_context, choice, system, &message, &mut session, cancel).await
    }
    .await;
    let compacted = match asked {
        Ok(answer) => {
            let answer = masked(chat_context, &answer);
            compact::check(&answer, &all[..count], &plan.recent, guess, tokens::count)
        }
        Err(error) if error.code.is_cancelled() => return Err(error),
        Err(error) => Err(error.message),
    };
    let compacted = match compacted {
        Ok(compacted) => compacted,
        Err(why) if limits.requested => {
            let message =
                format!("The summary by {} cannot be used: {why}. Nothing was changed.", choice.agent.title());
            return Err(Error::new(ErrorCode::AgentOutputInvalid, message)
                .hint("Try again, or continue: earlier messages are summarised when necessary.")
                .retryable());
        }
        Err(why) => compact::fallback(&all[..count], &plan.recent, guess, &why),
    };
    store_compaction(chat_context, conversation, &compacted, &plan, through, &all[..count])
}

/// Masks each text of a JSON answer separately, so that the answer stays valid JSON.
fn masked(chat_context: ChatContext<'_>, answer: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(answer.trim()) {
        Ok(value) => {
            let mut session = chat_context.opened.prepared().session();
            session.value("agent output", value).into_inner().to_string()
        }
        Err(_) => answer.to_owned(),
    }
}

fn store_compaction(
    chat_context: ChatContext<'_>,
    conversation: &Conversation,
    compacted: &Compacted,
    plan: &compact::Plan,
    through: i64,
    covered: &[compact::Spoken<'_>],
) -> Result<bool> {
    let numbers: Vec<i64> = covered.iter().map(|message| message.number).collect();
    let facts = json!({
        "numbers": numbers, "how": compacted.how, "notes": compacted.notes, "task": compacted.task,
        "boundary": plan.boundary,
    });
    let mut one = Compaction {
        id: 0,
        through,
        intent: compacted.intent.clone(),
        summary: compacted.summary.clone(),
        facts: facts.to_string(),
        created_at: now(),
    };
    one.id = chat_context.store.add_compaction(&conversation.id, &one)?;
    chat_context.chats.publish(&conversation.id, ChatEvent::Compacted(one));
    Ok(true)
}
