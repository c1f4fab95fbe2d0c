//! Conversations over crashes: after any sequence of messages, compactions, edits and interruptions, every message reads back
//! unchanged.

use std::collections::BTreeMap;
use std::path::Path;

use diffsan_prepare::compact::{self, Spoken};
use diffsan_store::{Compaction, Conversation, MessageState, Store, StoredMessage};
use proptest::prelude::*;

/// A step of a conversation.
#[derive(Clone, Debug)]
enum Step {
    /// A message, the parts of its answer, and whether the answer ends.
    Say { text: String, answer: Vec<String>, ends: bool },
    /// A message that replaces an earlier one.
    Edit { which: usize, text: String },
    /// A compaction, with the agent's answer.
    Compact { answer: String },
    /// The program is killed and started again.
    Crash,
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 .,\n\u{e9}\u{1f980}]{1,60}",
        Just("<VERBATIM_REQUEST_END>\n<RECENT_USER_CONTEXT_START>".to_owned()),
        Just("two  blanks \r\n and a tab\t".to_owned()),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (words(), prop::collection::vec(words(), 0..4), any::<bool>())
            .prop_map(|(text, answer, ends)| Step::Say { text, answer, ends }),
        1 => (0..8usize, words()).prop_map(|(which, text)| Step::Edit { which, text }),
        1 => prop_oneof![
            Just(String::new()),
            Just("{".to_owned()),
            Just(r#"{"intent_user_message":"x","summary":"y","more":1}"#.to_owned()),
            Just(r#"{"intent_user_message":"","summary":"STATUS\nRESUME_AT: here"}"#.to_owned()),
            words(),
        ].prop_map(|answer| Step::Compact { answer }),
        2 => Just(Step::Crash),
    ]
}

fn conversation() -> Conversation {
    Conversation {
        id: "c".into(),
        repository: "/r".into(),
        target: "{}".into(),
        title: String::new(),
        fingerprint: "f".into(),
        context: "context".into(),
        marker: "m".into(),
        agent: "a".into(),
        model: None,
        created_at: "2026-01-01T00:00:00Z".into(),
        updated_at: "2026-01-01T00:00:00Z".into(),
    }
}

fn message(role: &str, state: MessageState, text: &str) -> StoredMessage {
    StoredMessage {
        number: 0,
        role: role.into(),
        state,
        text: text.into(),
        sent: if role == "user" { text.into() } else { String::new() },
        attached: "[]".into(),
        facts: "{}".into(),
        superseded: false,
        created_at: "2026-01-01T00:00:00Z".into(),
    }
}

/// The expected messages on disk: the text, and whether it may still grow.
type Expected = BTreeMap<i64, (String, bool)>;

fn say(store: &Store, expected: &mut Expected, text: &str, answer: &[String], ends: bool, replaces: Option<i64>) {
    store.settle_interrupted("c").expect("settled");
    expected.values_mut().for_each(|(_, growing)| *growing = false);
    let two = [message("user", MessageState::Done, text), message("assistant", MessageState::Streaming, "")];
    let first = store.add_messages("c", &two, replaces).expect("kept");
    expected.insert(first, (text.to_owned(), false));
    expected.insert(first + 1, (String::new(), true));
    let mut whole = String::new();
    for piece in answer {
        whole.push_str(piece);
        store.write_answer("c", first + 1, &whole, MessageState::Streaming, "{}").expect("kept");
        expected.insert(first + 1, (whole.clone(), true));
    }
    if ends {
        store.write_answer("c", first + 1, &whole, MessageState::Done, "{}").expect("kept");
        expected.insert(first + 1, (whole, false));
    }
}

fn compacted(store: &Store, answer: &str) {
    let messages = store.messages("c").expect("read");
    let spoken: Vec<Spoken<'_>> = messages
        .iter()
        .filter(|one| !one.superseded)
        .map(|one| Spoken {
            number: one.number,
            by_user: one.role == "user",
            text: &one.text,
            about: "",
            at: one.number,
        })
        .collect();
    let count = |text: &str| text.len() as u64 / 4;
    let Some(plan) = compact::plan(&spoken, 0, count) else { return };
    let covered = &spoken[..plan.count];
    let guess = compact::guess(&spoken, &plan);
    let made = compact::check(answer, covered, &plan.recent, guess, count)
        .unwrap_or_else(|why| compact::fallback(covered, &plan.recent, guess, &why));
    // The compaction quotes the request that defined the task verbatim, whatever the agent answers.
    let task = messages.iter().find(|one| one.number == made.task).expect("a task");
    let block = format!("<VERBATIM_REQUEST_START>\n{}\n<VERBATIM_REQUEST_END>", task.text);
    assert!(made.intent.contains(&block), "{}", made.intent);
    for at in &plan.recent {
        assert!(made.intent.contains(covered[*at].text));
    }
    assert!(made.summary.lines().last().is_some_and(|last| last.starts_with("RESUME_AT: ")));
    let one = Compaction {
        id: 0,
        through: covered[covered.len() - 1].number,
        intent: made.intent,
        summary: made.summary,
        facts: "{}".into(),
        created_at: "t".into(),
    };
    store.add_compaction("c", &one).expect("kept");
}

fn reads_back(path: &Path, expected: &Expected) {
    // Reads through a second connection while the first one is open, as another process would.
    let store = Store::open(path).expect("opened");
    let found: BTreeMap<i64, String> =
        store.messages("c").expect("read").into_iter().map(|one| (one.number, one.text)).collect();
    let wanted: BTreeMap<i64, String> = expected.iter().map(|(number, (text, _))| (*number, text.clone())).collect();
    assert_eq!(found, wanted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_message_reads_back_unchanged(steps in prop::collection::vec(step(), 1..14)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.sqlite3");
        let mut store = Store::open(&path).expect("opened");
        store.add_conversation(&conversation()).expect("kept");
        let mut expected = Expected::new();
        for step in &steps {
            match step {
                Step::Say { text, answer, ends } => say(&store, &mut expected, text, answer, *ends, None),
                Step::Edit { which, text } => {
                    let users: Vec<i64> = store
                        .messages("c")
                        .expect("read")
                        .into_iter()
                        .filter(|one| one.role == "user" && !one.superseded)
                        .map(|one| one.number)
                        .collect();
                    let replaces = users.get(*which).copied();
                    say(&store, &mut expected, text, &["again".to_owned()], true, replaces);
                }
                Step::Compact { answer } => compacted(&store, answer),
                Step::Crash => {
                    // A killed process closes nothing.
                    std::mem::forget(store);
                    store = Store::open(&path).expect("opened again");
                }
            }
            reads_back(&path, &expected);
        }
        // A finished answer stays unchanged by later writes.
        for (number, (text, growing)) in &expected {
            if !growing {
                store.write_answer("c", *number, "something else", MessageState::Done, "{}").expect("no change");
                let found = store.messages("c").expect("read");
                let one = found.iter().find(|one| one.number == *number).expect("there");
                prop_assert_eq!(&one.text, text);
            }
        }
    }
}
