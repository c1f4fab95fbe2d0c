//! Methods of conversations.

use std::sync::Arc;

use jsonrpsee::SubscriptionSink;
use jsonrpsee::core::SubscriptionResult;
use tokio::sync::broadcast::error::RecvError;

use super::registry::{Fault, Table, opened};
use super::view;
use super::wire::{
    AddFindingParams, ApplyParams, AssembledMessage, AssembledView, Cancelled, ChangeIdParams, ChatBeginParams,
    ChatNews, ChatOfChangeParams, ChatParams, ChatSendParams, ChatSent, ChatView, CodeParams, CommitParams, CommitView,
    CompactionView, ConversationItem, ConversationsView, Done, FixBlockView, FixView, HighlightView, MessageView,
    PermissionView, PermitAnswer, PermitParams, ReviewView, ToolView, UndoParams,
};
use diffsan_app::App;
use diffsan_app::chat::{ChatEvent, Draft, LiveTool, Permission, Permit, facts_of};
use diffsan_pipeline::error::Result;
use diffsan_prepare::prompt::fix;
use diffsan_store::{Compaction, Conversation, StoredFix, StoredMessage};
use diffsan_syntax::highlight;

/// The size in bytes above which code is not highlighted.
const LONGEST_CODE: usize = 200 * 1024;

pub(super) fn register(table: &mut Table) {
    conversations(table);
    talking(table);
    table.method("chat.apply", "Applies a fix block to the work tree", |app, params: ApplyParams| {
        let handle = opened(app, &params.change_id)?;
        let block = (params.number, params.line as usize);
        let fix = app.apply_fix(&handle, &params.conversation_id, block, params.allow_protected.as_deref())?;
        Ok::<FixView, Fault>(fix_view(&fix))
    });
    table.method("chat.undo", "Takes a fix back", |app, params: UndoParams| {
        let handle = opened(app, &params.change_id)?;
        Ok::<FixView, Fault>(fix_view(&app.undo_fix(&handle.opened, params.fix)?))
    });
    table.method("code.highlight", "Colours of code in a message", |_, params: CodeParams| {
        let classes = highlight::class_names();
        let path = file_name(&params.language);
        let lines = match params.text.len() <= LONGEST_CODE && highlight::is_known(&path) {
            true => highlight::highlight(&path, params.text.lines()),
            false => Vec::new(),
        };
        Ok::<HighlightView, Fault>(HighlightView { lines, classes })
    });
    let summary = "Writes a commit message for a change";
    table.async_method("commit.message", summary, async |app, params: CommitParams, ask| {
        let handle = opened(&app, &params.change_id)?;
        let (agent, model) = (params.agent.as_deref(), params.model.as_deref());
        let written = app.commit_message(&handle, agent, model, &ask.cancel).await?;
        Ok::<CommitView, Fault>(CommitView { message: written.message, problems: written.problems })
    });
    table.method("finding.add", "Adds a finding to the latest review of a change", |app, params: AddFindingParams| {
        let handle = opened(app, &params.change_id)?;
        let kept = app.add_finding(&handle.opened, params.finding.into(), params.again.as_deref())?;
        Ok::<ReviewView, Fault>(view::review(&kept, Some(&handle.opened)))
    });
}

/// Returns a file name with the usual extension of a language.
fn file_name(language: &str) -> String {
    let name = language.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase();
    let ending = match name.as_str() {
        "rust" => "rs",
        "python" => "py",
        "typescript" => "ts",
        "javascript" | "node" => "js",
        "shell" | "bash" | "console" | "zsh" => "sh",
        "golang" => "go",
        "ruby" => "rb",
        "csharp" | "c#" => "cs",
        "c++" => "cpp",
        "markdown" => "md",
        "kotlin" => "kt",
        "yml" => "yaml",
        _ if name.contains('.') || name.contains('/') => return language.to_owned(),
        other => other,
    };
    format!("code.{ending}")
}

fn conversations(table: &mut Table) {
    table.method("chat.list", "The conversations about a change", |app, params: ChangeIdParams| {
        let handle = opened(app, &params.change_id)?;
        let conversations = app.conversations(&handle.opened)?;
        Ok::<ConversationsView, Fault>(ConversationsView {
            conversations: conversations.into_iter().map(item).collect(),
        })
    });
    table.method("chat.begin", "Begins a conversation about a change", |app, params: ChatBeginParams| {
        let handle = opened(app, &params.change_id)?;
        let begun = app.new_conversation(&handle, params.agent.as_deref(), params.model.as_deref())?;
        Ok::<ConversationItem, Fault>(item(begun))
    });
    table.method("chat.remove", "Removes a conversation", |app, params: ChatParams| {
        app.remove_conversation(&params.conversation_id)?;
        Ok::<Done, Fault>(Done {})
    });
    table.method("chat.assembled", "What would go out with the next message", |app, params: ChatOfChangeParams| {
        let handle = opened(app, &params.change_id)?;
        let all = app.assembled(&handle, &params.conversation_id, params.agent.as_deref())?;
        let messages = all.messages.into_iter().map(|(role, text)| AssembledMessage { role, text }).collect();
        Ok::<AssembledView, Fault>(AssembledView { messages, tokens: all.tokens })
    });
    let summary = "Sums up the earlier messages now";
    table.async_method("chat.compact", summary, async |app, params: ChatOfChangeParams, ask| {
        let handle = opened(&app, &params.change_id)?;
        let done = app.compact(&handle, &params.conversation_id, &ask.cancel).await?;
        Ok::<CompactionView, Fault>(compaction(&done))
    });
}

fn talking(table: &mut Table) {
    table.method("chat.send", "Sends a message; its answer comes by chat.follow", |app, params: ChatSendParams| {
        let handle = opened(app, &params.change_id)?;
        let draft = Draft {
            text: params.text,
            attached: params.attached,
            agent: params.agent.filter(|name| !name.is_empty()),
            model: params.model.filter(|model| !model.trim().is_empty()),
            replaces: params.replaces,
            tip: params.tip.unwrap_or_default(),
        };
        let begun = app.begin_turn(&handle, &params.conversation_id, draft)?;
        let number = begun.number;
        let app = Arc::clone(app);
        // The turn continues when every window is closed, so that the answer is saved.
        tokio::runtime::Handle::current().spawn(async move { app.run_turn(&handle.opened, begun).await });
        Ok::<ChatSent, Fault>(ChatSent { number })
    });
    table.method("chat.stop", "Stops an answer", |app, params: ChatParams| {
        Ok::<Cancelled, Fault>(Cancelled { cancelled: app.stop_chat(&params.conversation_id) })
    });
    table.method("chat.permit", "Answers an agent's request for permission", |app, params: PermitParams| {
        let permit = match params.answer {
            PermitAnswer::Refuse => Permit::Refuse,
            PermitAnswer::Once => Permit::Once,
            PermitAnswer::Always => Permit::Always,
        };
        app.permit(&params.conversation_id, &params.id, permit);
        Ok::<Done, Fault>(Done {})
    });
    table.subscription::<ChatParams, ChatNews, _, _>(
        ["chat.follow", "chat.news", "chat.unfollow"],
        "Listens to a conversation: how it stands, and everything that follows",
        |app, params| {
            app.conversation(&params.conversation_id)?;
            Ok(params.conversation_id)
        },
        follow,
    );
}

async fn follow(app: Arc<App>, id: String, sink: SubscriptionSink) -> SubscriptionResult {
    loop {
        let mut following = app.follow(&id);
        let Ok(view) = snapshot(&app, &id, following.live.take()) else { return Ok(()) };
        if !send(&sink, &ChatNews::Snapshot { view: Box::new(view) }).await {
            return Ok(());
        }
        loop {
            let event = tokio::select! {
                () = sink.closed() => return Ok(()),
                event = following.events.recv() => event,
            };
            match event {
                Ok(event) if *event.conversation != *id => {}
                Ok(event) => {
                    if !send(&sink, &news(&app, &id, event.event)).await {
                        return Ok(());
                    }
                }
                // Events were missed, so the whole conversation is sent again.
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }
}

async fn send(sink: &SubscriptionSink, news: &ChatNews) -> bool {
    match serde_json::value::to_raw_value(news) {
        Ok(message) => sink.send(message).await.is_ok(),
        Err(_) => true,
    }
}

fn snapshot(app: &App, id: &str, live: Option<diffsan_app::chat::LiveView>) -> Result<ChatView> {
    let view = app.conversation(id)?;
    let live = live.unwrap_or_default();
    let mut messages: Vec<MessageView> = view.messages.iter().map(|one| message(one, &view.fixes)).collect();
    for one in messages.iter_mut().filter(|one| one.number == live.number && one.state == "streaming") {
        one.text.clone_from(&live.text);
        one.tools = live.tools.iter().map(tool).collect();
    }
    Ok(ChatView {
        conversation: item(view.conversation),
        messages,
        compactions: view.compactions.iter().map(compaction).collect(),
        busy: view.busy,
        step: live.step,
        permissions: live.permissions.into_iter().map(permission).collect(),
    })
}

fn news(app: &App, id: &str, event: ChatEvent) -> ChatNews {
    match event {
        ChatEvent::Messages { messages, superseded_from } => {
            let fixes = app.conversation_fixes(id).unwrap_or_default();
            ChatNews::Messages { messages: messages.iter().map(|one| message(one, &fixes)).collect(), superseded_from }
        }
        ChatEvent::Step(message) => ChatNews::Step { message },
        ChatEvent::Text { number, patch } => ChatNews::Text { number, keep: patch.keep as u64, add: patch.add },
        ChatEvent::Thinking => ChatNews::Thinking,
        ChatEvent::Tool(one) => ChatNews::Tool { tool: tool(&one) },
        ChatEvent::Permission(one) => ChatNews::Permission { permission: permission(one) },
        ChatEvent::Permitted { id } => ChatNews::Permitted { id },
        ChatEvent::Tokens { used, limit } => ChatNews::Tokens { used, limit },
        ChatEvent::Compacted(one) => ChatNews::Compacted { compaction: compaction(&one) },
        ChatEvent::Ended => ChatNews::Ended,
    }
}

pub(super) fn item(one: Conversation) -> ConversationItem {
    ConversationItem { id: one.id, title: one.title, agent: one.agent, model: one.model, updated_at: one.updated_at }
}

fn tool(one: &LiveTool) -> ToolView {
    ToolView { id: one.id.clone(), title: one.title.clone(), done: one.done }
}

fn permission(one: Permission) -> PermissionView {
    PermissionView { id: one.id, what: one.kind, title: one.title }
}

fn message(one: &StoredMessage, fixes: &[StoredFix]) -> MessageView {
    let facts = facts_of(one);
    let applied = |line: usize| fixes.iter().find(|fix| fix.is_of_block(one.number, line as i64)).map(|fix| fix.id);
    let blocks = if one.role == "assistant" { fix::find(&one.text) } else { Vec::new() };
    let blocks = blocks.into_iter().map(|found| {
        let (block, problem) = match found.block {
            Ok(block) => (block, None),
            Err(problem) => {
                (fix::FixBlock { path: String::new(), old: String::new(), new: String::new() }, Some(problem))
            }
        };
        FixBlockView {
            line: u32::try_from(found.line).unwrap_or(u32::MAX),
            lines: u32::try_from(found.lines).unwrap_or(u32::MAX),
            path: block.path,
            old: block.old,
            new: block.new,
            problem,
            applied: applied(found.line),
        }
    });
    let numbered = facts.tools.into_iter().enumerate();
    MessageView {
        number: one.number,
        role: one.role.clone(),
        state: one.state.name().to_owned(),
        text: one.text.clone(),
        attached: serde_json::from_str(&one.attached).unwrap_or_default(),
        agent: facts.title,
        model: facts.model,
        usage: facts.usage,
        limit: facts.limit,
        tools: numbered.map(|(at, tool)| ToolView { id: at.to_string(), title: tool.title, done: tool.done }).collect(),
        error: facts.error,
        milliseconds: facts.total_ms,
        blocks: blocks.collect(),
        superseded: one.superseded,
        created_at: one.created_at.clone(),
    }
}

fn compaction(one: &Compaction) -> CompactionView {
    let facts: serde_json::Value = serde_json::from_str(&one.facts).unwrap_or_default();
    let notes = facts["notes"].as_array().into_iter().flatten();
    CompactionView {
        id: one.id,
        through: one.through,
        intent: one.intent.clone(),
        summary: one.summary.clone(),
        how: facts["how"].as_str().unwrap_or_default().to_owned(),
        notes: notes.filter_map(|note| note.as_str()).map(str::to_owned).collect(),
        created_at: one.created_at.clone(),
    }
}

pub(super) fn fix_view(fix: &StoredFix) -> FixView {
    FixView { id: fix.id, path: fix.path.clone(), applied: fix.undone_at.is_none() }
}
