//! Conversations. Every message is on disk before it is sent, and an answer is saved while it grows.
//!
//! Input and output are masked texts. A message is never removed and, once it is done, never changed. A compaction is saved
//! beside the messages that it replaces in later requests. Several processes may use conversations, but only one at a time uses a
//! given one.

use rusqlite::{OptionalExtension, TransactionBehavior, params};

use super::{Store, StoreError};

/// A saved conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The conversation's ID.
    pub id: String,
    /// The repository's path; empty for a patch without one.
    pub repository: String,
    /// The target, as JSON.
    pub target: String,
    /// The title: the beginning of the first message.
    pub title: String,
    /// The fingerprint of the raw diff that the context was made from.
    pub fingerprint: String,
    /// The exact text that follows the system prompt.
    pub context: String,
    /// The word that delimits untrusted text.
    pub marker: String,
    /// The agent that was asked last.
    pub agent: String,
    /// The model that was requested last.
    pub model: Option<String>,
    /// The creation time, RFC 3339.
    pub created_at: String,
    /// The time of the last change, RFC 3339.
    pub updated_at: String,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageState {
    /// The message is complete.
    Done,
    /// The message is being written.
    Streaming,
    /// The user stopped the answer.
    Stopped,
    /// The agent failed.
    Failed,
    /// The program ended while the message was being written.
    Interrupted,
}

impl MessageState {
    /// Returns the name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Streaming => "streaming",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    fn of(name: &str) -> Self {
        let all = [Self::Done, Self::Streaming, Self::Stopped, Self::Failed];
        all.into_iter().find(|state| state.name() == name).unwrap_or(Self::Interrupted)
    }
}

/// A saved message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// The position in the conversation, from 1.
    pub number: i64,
    /// `user`, `assistant`, or `note` for a message from diffsan itself.
    pub role: String,
    /// The state.
    pub state: MessageState,
    /// The text that the user typed or the agent wrote.
    pub text: String,
    /// The sent text of a user's message, including attachments. Empty for other roles.
    pub sent: String,
    /// The attachments, as JSON.
    pub attached: String,
    /// Facts to display, as JSON: agent, tokens, tools, failure.
    pub facts: String,
    /// Whether an edited message replaces this one.
    pub superseded: bool,
    /// The creation time, RFC 3339.
    pub created_at: String,
}

/// A summary that replaces earlier messages in later requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// The compaction's ID.
    pub id: i64,
    /// The number of the last message that it replaces.
    pub through: i64,
    /// The directive, on behalf of the user.
    pub intent: String,
    /// The context for the agent.
    pub summary: String,
    /// The facts of the compaction, as JSON.
    pub facts: String,
    /// The creation time, RFC 3339.
    pub created_at: String,
}

const CONVERSATION: &str = "SELECT id, repository, target, title, fingerprint, context, marker, agent, model, created_at, \
                            updated_at FROM conversation";

fn read_conversation(row: &rusqlite::Row<'_>) -> rusqlite::Result<Conversation> {
    Ok(Conversation {
        id: row.get(0)?,
        repository: row.get(1)?,
        target: row.get(2)?,
        title: row.get(3)?,
        fingerprint: row.get(4)?,
        context: row.get(5)?,
        marker: row.get(6)?,
        agent: row.get(7)?,
        model: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
    })
}

fn read_message(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredMessage> {
    Ok(StoredMessage {
        number: row.get(0)?,
        role: row.get(1)?,
        state: MessageState::of(&row.get::<_, String>(2)?),
        text: row.get(3)?,
        sent: row.get(4)?,
        attached: row.get(5)?,
        facts: row.get(6)?,
        superseded: row.get(7)?,
        created_at: row.get(8)?,
    })
}

impl Store {
    /// Saves a new conversation.
    pub fn add_conversation(&self, one: &Conversation) -> Result<(), StoreError> {
        self.lock().execute(
            "INSERT INTO conversation (id, repository, target, title, fingerprint, context, marker, agent, model, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                one.id,
                one.repository,
                one.target,
                one.title,
                one.fingerprint,
                one.context,
                one.marker,
                one.agent,
                one.model,
                one.created_at,
                one.updated_at
            ],
        )?;
        Ok(())
    }

    /// Returns the conversation with this ID.
    pub fn conversation(&self, id: &str) -> Result<Option<Conversation>, StoreError> {
        let query = format!("{CONVERSATION} WHERE id = ?1");
        Ok(self.lock().query_row(&query, [id], read_conversation).optional()?)
    }

    /// Returns the conversations about a target, latest first.
    pub fn conversations(&self, repository: &str, target: &str) -> Result<Vec<Conversation>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(&format!(
            "{CONVERSATION} WHERE repository = ?1 AND target = ?2 ORDER BY updated_at DESC, rowid DESC LIMIT 200"
        ))?;
        let rows = query.query_map([repository, target], read_conversation)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Saves the fields of a conversation that change while it continues: title, fingerprint, context, agent, model and time.
    pub fn update_conversation(&self, one: &Conversation) -> Result<(), StoreError> {
        self.lock().execute(
            "UPDATE conversation SET title = ?2, fingerprint = ?3, context = ?4, agent = ?5, model = ?6, updated_at = ?7
             WHERE id = ?1",
            params![one.id, one.title, one.fingerprint, one.context, one.agent, one.model, one.updated_at],
        )?;
        Ok(())
    }

    /// Removes a conversation with all its messages.
    pub fn remove_conversation(&self, id: &str) -> Result<(), StoreError> {
        self.lock().execute("DELETE FROM conversation WHERE id = ?1", [id])?;
        Ok(())
    }

    /// Reserves a conversation for `who` until a time (milliseconds since 1970), or extends the reservation. Returns `false` if
    /// another holder has it.
    pub fn occupy(&self, id: &str, who: &str, now: i64, until: i64) -> Result<bool, StoreError> {
        let changed = self.lock().execute(
            "UPDATE conversation SET busy_by = ?2, busy_until = ?4
             WHERE id = ?1 AND (busy_by IS NULL OR busy_by = ?2 OR busy_until < ?3)",
            params![id, who, now, until],
        )?;
        Ok(changed > 0)
    }

    /// Releases a conversation that `who` reserved.
    pub fn leave(&self, id: &str, who: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "UPDATE conversation SET busy_by = NULL, busy_until = 0 WHERE id = ?1 AND busy_by = ?2",
            [id, who],
        )?;
        Ok(())
    }

    /// Returns whether a conversation is reserved at `now` (milliseconds since 1970).
    pub fn is_occupied(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let until: Option<i64> = self
            .lock()
            .query_row("SELECT busy_until FROM conversation WHERE id = ?1 AND busy_by IS NOT NULL", [id], |row| {
                row.get(0)
            })
            .optional()?;
        Ok(until.is_some_and(|until| until >= now))
    }

    /// Marks answers as interrupted whose program ended while it wrote them. The caller must have reserved the conversation.
    pub fn settle_interrupted(&self, id: &str) -> Result<(), StoreError> {
        self.lock().execute(
            "UPDATE message SET state = 'interrupted' WHERE conversation_id = ?1 AND state = 'streaming'",
            [id],
        )?;
        Ok(())
    }

    /// Returns all messages in order, including superseded ones.
    pub fn messages(&self, id: &str) -> Result<Vec<StoredMessage>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT number, role, state, text, sent, attached, facts, superseded, created_at FROM message
             WHERE conversation_id = ?1 ORDER BY number",
        )?;
        let rows = query.query_map([id], read_message)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Appends messages in one transaction and returns the number of the first one. They supersede the existing messages from
    /// `replaces` on.
    pub fn add_messages(&self, id: &str, messages: &[StoredMessage], replaces: Option<i64>) -> Result<i64, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some(from) = replaces {
            transaction.execute(
                "UPDATE message SET superseded = 1 WHERE conversation_id = ?1 AND number >= ?2",
                params![id, from],
            )?;
        }
        let last: Option<i64> =
            transaction
                .query_row("SELECT max(number) FROM message WHERE conversation_id = ?1", [id], |row| row.get(0))?;
        let first = last.unwrap_or(0) + 1;
        for (number, message) in (first..).zip(messages) {
            transaction.execute(
                "INSERT INTO message (conversation_id, number, role, state, text, sent, attached, facts, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    id,
                    number,
                    message.role,
                    message.state.name(),
                    message.text,
                    message.sent,
                    message.attached,
                    message.facts,
                    message.created_at
                ],
            )?;
        }
        if let Some(last) = messages.last() {
            transaction.execute("UPDATE conversation SET updated_at = ?2 WHERE id = ?1", [id, &last.created_at])?;
        }
        transaction.commit()?;
        Ok(first)
    }

    /// Saves the current or final text of an answer. Only a message in the state `streaming` changes.
    pub fn write_answer(
        &self,
        id: &str,
        number: i64,
        text: &str,
        state: MessageState,
        facts: &str,
    ) -> Result<(), StoreError> {
        self.lock().execute(
            "UPDATE message SET text = ?3, state = ?4, facts = ?5
             WHERE conversation_id = ?1 AND number = ?2 AND state = 'streaming'",
            params![id, number, text, state.name(), facts],
        )?;
        Ok(())
    }

    /// Saves a compaction and returns its ID. The messages stay unchanged.
    pub fn add_compaction(&self, id: &str, one: &Compaction) -> Result<i64, StoreError> {
        let connection = self.lock();
        connection.execute(
            "INSERT INTO compaction (conversation_id, through, intent, summary, facts, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![id, one.through, one.intent, one.summary, one.facts, one.created_at],
        )?;
        Ok(connection.last_insert_rowid())
    }

    /// Returns the compactions of a conversation, oldest first.
    pub fn compactions(&self, id: &str) -> Result<Vec<Compaction>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT id, through, intent, summary, facts, created_at FROM compaction WHERE conversation_id = ?1 ORDER BY id",
        )?;
        let rows = query.query_map([id], |row| {
            Ok(Compaction {
                id: row.get(0)?,
                through: row.get(1)?,
                intent: row.get(2)?,
                summary: row.get(3)?,
                facts: row.get(4)?,
                created_at: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the permissions that the user gave the agent in a conversation.
    pub fn allowances(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT what FROM allowance WHERE conversation_id = ?1 ORDER BY what")?;
        let rows = query.query_map([id], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Saves that the user permits a kind of request in a conversation.
    pub fn allow(&self, id: &str, what: &str) -> Result<(), StoreError> {
        self.lock().execute("INSERT OR IGNORE INTO allowance (conversation_id, what) VALUES (?1, ?2)", [id, what])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        Conversation {
            id: "c".into(),
            repository: "/r".into(),
            target: "{}".into(),
            title: "t".into(),
            fingerprint: "f".into(),
            context: "x".into(),
            marker: "m".into(),
            agent: "codex".into(),
            model: None,
            created_at: "1".into(),
            updated_at: "1".into(),
        }
    }

    fn message(role: &str, text: &str, state: MessageState) -> StoredMessage {
        StoredMessage {
            number: 0,
            role: role.into(),
            state,
            text: text.into(),
            sent: String::new(),
            attached: "[]".into(),
            facts: "{}".into(),
            superseded: false,
            created_at: "2".into(),
        }
    }

    #[test]
    fn a_finished_answer_never_changes_and_an_edited_message_is_superseded() {
        let store = Store::in_memory().expect("opened");
        store.add_conversation(&conversation()).expect("kept");
        let two = [message("user", "q", MessageState::Done), message("assistant", "", MessageState::Streaming)];
        assert_eq!(store.add_messages("c", &two, None).expect("kept"), 1);
        store.write_answer("c", 2, "a", MessageState::Streaming, "{}").expect("kept");
        store.write_answer("c", 2, "ab", MessageState::Done, "{}").expect("kept");
        store.write_answer("c", 2, "other", MessageState::Done, "{}").expect("no change");
        store.write_answer("c", 1, "other", MessageState::Done, "{}").expect("no change");
        assert_eq!(store.add_messages("c", &two[..1], Some(1)).expect("kept"), 3);
        let all = store.messages("c").expect("read");
        let seen: Vec<_> = all.iter().map(|one| (one.number, one.text.as_str(), one.superseded)).collect();
        assert_eq!(seen, [(1, "q", true), (2, "ab", true), (3, "q", false)]);
    }

    #[test]
    fn one_process_holds_a_conversation_until_it_ends_or_dies() {
        let store = Store::in_memory().expect("opened");
        store.add_conversation(&conversation()).expect("kept");
        assert!(store.occupy("c", "a", 100, 200).expect("asked"));
        assert!(!store.occupy("c", "b", 150, 250).expect("asked"));
        assert!(store.is_occupied("c", 150).expect("asked"));
        assert!(store.occupy("c", "a", 150, 250).expect("lengthened"));
        assert!(store.occupy("c", "b", 251, 300).expect("taken over"));
        store.leave("c", "a").expect("not theirs");
        assert!(!store.occupy("c", "a", 260, 300).expect("asked"));
        store.leave("c", "b").expect("left");
        assert!(!store.is_occupied("c", 260).expect("asked"));
        store.add_messages("c", &[message("assistant", "par", MessageState::Streaming)], None).expect("kept");
        store.settle_interrupted("c").expect("settled");
        assert_eq!(store.messages("c").expect("read")[0].state, MessageState::Interrupted);
    }
}
