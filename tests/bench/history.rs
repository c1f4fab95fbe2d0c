//! Thousands of reviews and a thousand conversations: the times for saving, opening, listing and searching, and the size
//! of the file. `cargo bench --bench benchmarks -- history`

use std::time::{Duration, Instant};

use super::row::{Compared, row};
use diffsan_store::{Conversation, HistoryCursor, HistoryQuery, MessageState, Store, StoredMessage, StoredReview};
use serde_json::json;

const CONVERSATIONS: usize = 1_000;
const ROUNDS: usize = 15;

/// The numbers of reviews, and of findings of each.
#[derive(Clone, Copy)]
struct Scale {
    reviews: usize,
    findings: usize,
}

impl Scale {
    fn usual() -> Self {
        match std::env::var_os("FULL") {
            Some(_) => Self { reviews: 5_000, findings: 100 },
            None => Self { reviews: 2_000, findings: 10 },
        }
    }
}

pub(super) fn run(_: &[String]) {
    let Scale { reviews, findings } = Scale::usual();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state.sqlite3");
    let store = Store::open(&path).expect("opened");
    let began = Instant::now();
    (0..reviews).for_each(|number| store.add_review(&review(number, findings)).expect("kept"));
    println!("keep a review: {:.2} ms", began.elapsed().as_secs_f64() * 1000.0 / reviews as f64);
    (0..CONVERSATIONS).for_each(|number| talk(&store, number));
    drop(store);
    let size = std::fs::metadata(&path).expect("there").len() as f64 / 1e6;
    println!("{reviews} reviews and {CONVERSATIONS} conversations: {size:.1} MB");
    let size = format!("{} findings", reviews * findings);

    let open = |label: &str, check: bool| {
        let took = median(|| {
            let store = Store::open(&path).expect("opened");
            if check {
                store.set_state("store.checked", None).expect("a check is due");
            }
        });
        println!("{label}: {took:.2} ms");
        row(&format!("history: {label}"), &size, took, "ms", &Compared::AtMost(if check { 5_000.0 } else { 50.0 }));
    };
    open("open", false);
    open("open and look through the whole file (once a day)", true);

    let store = Store::open(&path).expect("opened");
    let ask = |label: &str, words: &str, after: Option<HistoryCursor>, place: Option<&str>| {
        let query = HistoryQuery {
            words: words.into(),
            after,
            place: place.map(str::to_owned),
            limit: 101,
            ..HistoryQuery::default()
        };
        let mut found = 0;
        let took = median(|| found = store.history(&query).expect("listed").len());
        println!("{label}: {took:.2} ms, {found} rows");
        row(&format!("history: {label}"), &size, took, "ms", &Compared::AtMost(50.0));
    };
    ask("first page", "", None, None);
    ask(
        "a page in the middle",
        "",
        Some(HistoryCursor { at: time(reviews / 2), id: format!("r{}", reviews / 2) }),
        None,
    );
    ask("one repository", "", None, Some("/srv/shop-3"));
    ask("search, a word that one review has", "needle1234", None, None);
    ask("search, words that every review has", "overflow loop", None, None);
    ask("search, the beginning of a common word", "o", None, None);
    let took = median(|| drop(store.history_places().expect("listed")));
    println!("repositories: {took:.2} ms");
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2].as_secs_f64() * 1000.0
}

fn time(number: usize) -> String {
    format!("2026-01-01T{:02}:{:02}:{:02}.000Z", number / 3600 % 24, number / 60 % 60, number % 60)
}

fn review(number: usize, findings: usize) -> StoredReview {
    let findings: Vec<_> = (0..findings)
        .map(|at| {
            json!({ "id": format!("f{at}"), "severity": "medium", "category": "correctness", "path": format!("src/module{at}.rs"),
                "line_start": at, "line_end": at, "title": format!("The loop of step {at} may overflow needle{number}"),
                "body_markdown": "The counter is read before it is checked, so that the last element is taken twice when two threads come at once. "
                    .repeat(5),
                "anchor": { "state": "verified", "path": format!("src/module{at}.rs"), "side": "new", "line_start": at, "line_end": at,
                    "in_change": true }, "sources": ["codex"] })
        })
        .collect();
    let output = json!({ "summary_markdown": "Adds refunds and a retry. ".repeat(30), "findings": findings,
        "meta": { "agent": "codex", "token_usage": { "input": 40_000, "output": 1_200, "cached_input": 0 } } });
    StoredReview {
        id: format!("r{number}"),
        repository: format!("/srv/shop-{}", number % 20),
        target: json!({ "kind": "branch", "name": format!("topic/{}", number % 300), "base": null }).to_string(),
        fingerprint: "f".into(),
        created_at: time(number),
        run_dir: format!("/runs/{number}"),
        output: output.to_string(),
        facts: r#"{"masked":0,"cut_files":0}"#.into(),
    }
}

fn talk(store: &Store, number: usize) {
    let id = format!("c{number}");
    let conversation = Conversation {
        id: id.clone(),
        repository: format!("/srv/shop-{}", number % 20),
        target: json!({ "kind": "all", "untracked": true }).to_string(),
        title: "Why does the worker hang?".into(),
        fingerprint: "f".into(),
        context: "x".repeat(4_000),
        marker: "m".into(),
        agent: "codex".into(),
        model: None,
        created_at: time(number),
        updated_at: time(number),
    };
    store.add_conversation(&conversation).expect("kept");
    let message = |role: &str, text: String| StoredMessage {
        number: 0,
        role: role.into(),
        state: MessageState::Done,
        text,
        sent: String::new(),
        attached: "[]".into(),
        facts: "{}".into(),
        superseded: false,
        created_at: time(number),
    };
    let said = [
        message("user", "Why does the worker hang?".into()),
        message("assistant", "Because the retry counter is reset in every round of the outer loop. ".repeat(12)),
    ];
    store.add_messages(&id, &said, None).expect("kept");
}
