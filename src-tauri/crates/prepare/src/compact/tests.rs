use super::*;

fn said(texts: &[(bool, &'static str)]) -> Vec<Spoken<'static>> {
    let number = |at: usize| i64::try_from(at).expect("small") + 1;
    texts
        .iter()
        .enumerate()
        .map(|(at, (by_user, text))| Spoken { number: number(at), by_user: *by_user, text, about: "", at: number(at) })
        .collect()
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

const TALK: [(bool, &str); 6] = [
    (true, "Why is  the token\nnot checked?"),
    (false, "Because decode ignores it."),
    (true, "And in the tests?"),
    (false, "Nowhere."),
    (true, "Write a fix."),
    (false, "Here it is."),
];

fn answer(intent: &str, summary: &str) -> String {
    serde_json::json!({ "intent_user_message": intent, "summary": summary }).to_string()
}

const GOOD: &str = "src/session.rs\n\n<VERBATIM_REQUEST_START>\nWhy is  the token\nnot checked?\n<VERBATIM_REQUEST_END>\n\n\
                    <RECENT_USER_CONTEXT_START>\nAnd in the tests?\n\nWrite a fix.\n<RECENT_USER_CONTEXT_END>";
const SUMMARY: &str = "STATUS: fixing\nRESUME_AT: apply the fix";

#[test]
fn a_valid_answer_is_used_unchanged() {
    let messages = said(&TALK);
    let read = check(&answer(GOOD, SUMMARY), &messages, &[2, 4], 0, words).expect("good");
    assert_eq!((read.intent.as_str(), read.summary.as_str(), read.how, read.task), (GOOD, SUMMARY, How::Agent, 1));
}

#[test]
fn missing_or_changed_parts_are_restored_from_the_store() {
    let messages = said(&TALK);
    for intent in [
        "",
        "src/session.rs",
        // The answer has one blank less than the user's message.
        &GOOD.replace("is  the", "is the"),
        &GOOD.replace("Write a fix.", "Write a fix please."),
        &GOOD.replace("<VERBATIM_REQUEST_END>", "  <VERBATIM_REQUEST_END>"),
        &GOOD.replace("<RECENT_USER_CONTEXT_END>", ""),
    ] {
        let read = check(&answer(intent, SUMMARY), &messages, &[2, 4], 0, words).expect("repaired");
        assert_eq!(read.how, How::Repaired, "{intent}");
        assert!(
            read.intent.contains("<VERBATIM_REQUEST_START>\nWhy is  the token\nnot checked?\n<VERBATIM_REQUEST_END>")
        );
        assert!(
            read.intent.ends_with("\nAnd in the tests?\n\nWrite a fix.\n<RECENT_USER_CONTEXT_END>"),
            "{}",
            read.intent
        );
    }
    let read = check(&answer(GOOD, "STATUS: fixing"), &messages, &[2, 4], 0, words).expect("repaired");
    assert!(read.summary.ends_with("\nRESUME_AT: the reviewer's latest message"));
}

#[test]
fn the_agents_choice_of_task_is_used_if_it_is_clear() {
    let messages = said(&TALK);
    let other = GOOD.replace("Why is  the token\nnot checked?", "And in the tests?");
    assert_eq!(check(&answer(&other, SUMMARY), &messages, &[2, 4], 0, words).expect("good").task, 3);
    let altered = GOOD.replace("Why is  the token\nnot checked?", "And in all the tests?");
    let read = check(&answer(&altered, SUMMARY), &messages, &[2, 4], 0, words).expect("repaired");
    assert_eq!((read.task, read.how), (3, How::Repaired));
}

#[test]
fn hostile_answers_are_refused() {
    let messages = said(&TALK);
    let of = |answer: &str| check(answer, &messages, &[2, 4], 0, words).expect_err("refused");
    of("");
    of("Sure! Here is the object.");
    of("{");
    of(&format!("```json\n{}\n```", answer(GOOD, SUMMARY)));
    of(&format!("{} and more", answer(GOOD, SUMMARY)));
    of(&serde_json::json!({ "intent_user_message": GOOD, "summary": SUMMARY, "note": "x" }).to_string());
    of(&serde_json::json!({ "intent_user_message": GOOD }).to_string());
    of(&serde_json::json!({ "intent_user_message": GOOD, "summary": 5 }).to_string());
    of(&answer(GOOD, ""));
    of(&answer(GOOD, &"word ".repeat(20_000)));
    of(&answer(GOOD, &"x".repeat(300_000)));
}

#[test]
fn a_request_that_contains_the_tags_is_preserved_exactly() {
    let messages = said(&[(true, "What does\n<VERBATIM_REQUEST_END>\nmean?"), (false, "A tag."), (true, "Fine.")]);
    let intent = "<VERBATIM_REQUEST_START>\nWhat does\n<VERBATIM_REQUEST_END>\nmean?\n<VERBATIM_REQUEST_END>\n\n\
                  <RECENT_USER_CONTEXT_START>\nFine.\n<RECENT_USER_CONTEXT_END>";
    let read = check(&answer(intent, SUMMARY), &messages, &[2], 0, words).expect("good");
    assert_eq!((read.intent.as_str(), read.task, read.how), (intent, 1, How::Agent));
}

#[test]
fn the_newest_messages_stay_and_a_clear_boundary_decides() {
    let mut messages = said(&TALK);
    let plan = super::plan(&messages, 8, words).expect("a plan");
    assert_eq!((plan.count, plan.recent.clone()), (4, vec![0, 2]));
    assert_eq!(super::plan(&messages, 1000, words), None);
    assert_eq!(super::plan(&messages, 0, words).expect("a plan").count, 6);
    messages[2].about = "finding:f3";
    messages[2].text = "Next: what about races here?";
    let plan = super::plan(&messages, 1000, words).expect("a plan");
    assert_eq!((plan.count, plan.boundary.index), (2, 2));
    assert!(plan.boundary.confidence >= 0.5, "{:?}", plan.boundary);
}

#[test]
fn without_an_agent_the_users_messages_are_preserved() {
    let messages = said(&TALK);
    let kept = fallback(&messages, &[2, 4], 0, "it is empty");
    assert_eq!(kept.how, How::Fallback);
    assert!(kept.intent.contains("\nWhy is  the token\nnot checked?\n") && kept.summary.contains("RESUME_AT:"));
}
