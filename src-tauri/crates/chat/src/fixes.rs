//! Applies fix blocks of messages. A block must match exactly once.

use super::ChatContext;
use super::errors::unknown_conversation;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::fixes;
use diffsan_prepare::prompt::fix;
use diffsan_store::{FixSource, StoredFix};

/// Applies the fix block of a message that begins at a line. `allow_protected` names the protected file that the
/// reviewer confirmed. Blocks.
pub fn apply_fix(
    chat_context: ChatContext<'_>,
    conversation: &str,
    (number, line): (i64, usize),
    allow_protected: Option<&str>,
) -> Result<StoredFix> {
    let messages = chat_context.store.messages(conversation)?;
    let message = messages.iter().find(|message| message.number == number).ok_or_else(unknown_conversation)?;
    let found = fix::find(&message.text).into_iter().find(|found| found.line == line);
    let block = found
        .ok_or_else(|| fixes::refused("the message does not contain this fix"))?
        .block
        .map_err(|why| fixes::refused(&why))?;
    let standing = chat_context.store.fixes(conversation)?;
    if standing.iter().any(|one| one.is_of_block(number, line as i64)) {
        return Err(fixes::refused("it was already applied"));
    }
    let source = FixSource::Message { conversation: conversation.to_owned(), number, line: line as i64 };
    let request = fixes::FixRequest { source, path: &block.path, allow_protected };
    fixes::apply_fix(chat_context.opened, chat_context.store, request, |before| fix::apply(&block, before))
}
