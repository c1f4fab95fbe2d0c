//! Reads an agent's compaction. The format is strict, and repeated user messages must be verbatim.

use serde::{Deserialize, Serialize};

use super::{Plan, Spoken};

const REQUEST: [&str; 2] = ["<VERBATIM_REQUEST_START>", "<VERBATIM_REQUEST_END>"];
const RECENT: [&str; 2] = ["<RECENT_USER_CONTEXT_START>", "<RECENT_USER_CONTEXT_END>"];
const RESUME: &str = "RESUME_AT:";
/// The maximum number of tokens of the agent's own text; the agent is asked for about 4000.
const MAX_TOKENS: u64 = 4400;
/// The maximum size of an answer in bytes; a longer one is not read.
const MAX_BYTES: usize = 256 * 1024;
/// The minimum similarity by which an altered request is recognised.
const ALIKE: f64 = 0.6;

/// The JSON object that an agent must answer with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    intent_user_message: String,
    summary: String,
}

/// The origin of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The agent's answer without changes.
    Agent,
    /// The agent's answer, with missing or altered parts corrected.
    Repaired,
    /// No agent was used; the newest messages are repeated.
    Fallback,
}

/// The result of a compaction, which replaces the messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// The text in the user's name, with the verbatim user messages.
    pub intent: String,
    /// The context for the agent.
    pub summary: String,
    /// The origin.
    pub how: How,
    /// The corrections that were made, or why there was no usable answer.
    pub notes: Vec<String>,
    /// The number of the message that defined the active task.
    pub task: i64,
}

/// Reads an agent's answer. `messages` are all messages of the conversation up to the cut, including those that an earlier compaction
/// replaced; `recent` are indices into them.
pub fn check(
    answer: &str,
    messages: &[Spoken<'_>],
    recent: &[usize],
    guess: usize,
    count: impl Fn(&str) -> u64,
) -> Result<Compacted, String> {
    if answer.len() > MAX_BYTES {
        return Err(format!("it has {} bytes", answer.len()));
    }
    if answer.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let answer: Answer =
        serde_json::from_str(answer.trim()).map_err(|error| format!("it is not the expected object: {error}"))?;
    let (machine, request, said_recent) = parts(&answer.intent_user_message);
    let mut notes = Vec::new();

    let users = || messages.iter().enumerate().filter(|(_, message)| message.by_user);
    let exact = users().find(|(_, message)| request == Some(message.text)).map(|(at, _)| at);
    // The tags inside a request end its block too early. The whole request can still be found.
    let whole = || {
        users()
            .find(|(_, message)| {
                let block = format!("{}\n{}\n{}", REQUEST[0], message.text, REQUEST[1]);
                message.text.contains(REQUEST[1]) && answer.intent_user_message.contains(&block)
            })
            .map(|(at, _)| at)
    };
    let task = match exact.or_else(whole) {
        Some(at) => at,
        None => {
            notes.push(match request {
                Some(_) => "the original request was changed; it was restored".to_owned(),
                None => "the original request was missing; it was added".to_owned(),
            });
            let alike = |text: &str| request.map_or(0.0, |request| strsim::sorensen_dice(start(request), start(text)));
            let best = users().map(|(at, message)| (at, alike(message.text)));
            let best = best.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, alike)| *alike >= ALIKE);
            best.map_or(guess, |(at, _)| at)
        }
    };
    let wanted = joined(messages, recent);
    if said_recent != Some(wanted.as_str()) {
        notes.push(match said_recent {
            Some(_) => "the recent messages were changed; they were restored".to_owned(),
            None => "the recent messages were missing; they were added".to_owned(),
        });
    }
    let machine = without_tags(&machine);
    let mut summary = without_tags(&answer.summary).trim().to_owned();
    let written = count(&machine) + count(&summary);
    if written > MAX_TOKENS {
        return Err(format!("it has {written} tokens"));
    }
    if summary.is_empty() {
        return Err("its summary is empty".to_owned());
    }
    let last = summary.lines().last().unwrap_or_default().trim();
    if last.strip_prefix(RESUME).is_none_or(|rest| rest.trim().is_empty()) {
        notes.push("the summary had no next step; the latest message was used".to_owned());
        summary.push_str(&format!("\n{RESUME} the reviewer's latest message"));
    }
    let task_text = messages.get(task).map(|message| message.text).unwrap_or_default();
    let intent = intent(&machine, task_text, &wanted);
    let how = if notes.is_empty() { How::Agent } else { How::Repaired };
    Ok(Compacted { intent, summary, how, notes, task: messages.get(task).map_or(0, |message| message.number) })
}

/// Returns the replacement of the messages if no agent's answer can be used: the user's own words, and a note that the rest is left out.
pub fn fallback(messages: &[Spoken<'_>], recent: &[usize], guess: usize, why: &str) -> Compacted {
    let task = messages.get(guess).map_or("", |message| message.text);
    let recent = joined(messages, recent);
    let left = messages.len();
    Compacted {
        intent: intent("", task, &recent),
        summary: format!(
            "STATUS: {left} earlier messages were removed to make room; the answers of the agent in them are UNKNOWN here.\n\
             {RESUME} the reviewer's latest message"
        ),
        how: How::Fallback,
        notes: vec![format!("the agent returned no usable summary ({why})")],
        task: messages.get(guess).map_or(0, |message| message.number),
    }
}

/// Returns the index of the message that most likely defined the active task: the first user message of the current topic.
pub fn guess(messages: &[Spoken<'_>], plan: &Plan) -> usize {
    let users = || (0..messages.len()).filter(|at| messages[*at].by_user);
    let from = if plan.boundary.confidence >= super::CONFIDENT { plan.boundary.index } else { 0 };
    let first = users().find(|at| *at >= from && *at < plan.count);
    first.or_else(|| users().rfind(|at| *at < plan.count)).unwrap_or(0)
}

fn intent(machine: &str, task: &str, recent: &str) -> String {
    let mut text = machine.trim().to_owned();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text + &format!("{}\n{task}\n{}\n\n{}\n{recent}\n{}", REQUEST[0], REQUEST[1], RECENT[0], RECENT[1])
}

fn joined(messages: &[Spoken<'_>], recent: &[usize]) -> String {
    let texts: Vec<&str> = recent.iter().filter_map(|at| messages.get(*at)).map(|message| message.text).collect();
    texts.join("\n\n")
}

/// Returns the text of the agent, and the content of the two blocks.
fn parts(intent: &str) -> (String, Option<&str>, Option<&str>) {
    let line = |tag: &str, from: usize| {
        let mut at = from;
        while let Some(found) = intent[at..].find(tag).map(|found| found + at) {
            let end = found + tag.len();
            let begins = found == 0 || intent.as_bytes()[found - 1] == b'\n';
            if begins && intent[end..].chars().next().is_none_or(|char| char == '\n') {
                return Some((found, end));
            }
            at = end;
        }
        None
    };
    let block = |tags: [&str; 2]| {
        let (start, begin) = line(tags[0], 0)?;
        let (end, after) = line(tags[1], begin)?;
        let inside = intent[begin..end].strip_prefix('\n').unwrap_or_default();
        Some((start, after, inside.strip_suffix('\n').unwrap_or(inside)))
    };
    let (request, recent) = (block(REQUEST), block(RECENT));
    let first = [request, recent].into_iter().flatten().map(|block| block.0).min().unwrap_or(intent.len());
    (intent[..first].to_owned(), request.map(|block| block.2), recent.map(|block| block.2))
}

fn without_tags(text: &str) -> String {
    let tag = |line: &&str| !REQUEST.iter().chain(&RECENT).any(|tag| line.trim() == *tag);
    text.lines().filter(tag).collect::<Vec<_>>().join("\n")
}

fn start(text: &str) -> &str {
    let end = (0..=text.len().min(2000)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}
