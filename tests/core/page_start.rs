//! The start of the page: the requests that are answered in advance, and the sample.

use std::path::PathBuf;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ReviewOutcome};
use diffsan_change::Target;
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_rpc::Server;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::{Desk, by};

/// Returns the names of the page's first requests, which are answered in advance.
async fn initial_calls(desk: &Desk, options: impl FnOnce(&mut AppOptions)) -> Vec<String> {
    let mut started = AppOptions {
        data_dir: Some(desk.app.places().data.clone()),
        config_dir: Some(desk.app.places().config.clone()),
        ..AppOptions::default()
    };
    options(&mut started);
    let names = std::sync::Mutex::new(Vec::new());
    let server = Server::new(App::start(started).expect("a start"));
    server.initial_answers(|name, result| names.lock().expect("no panic").push((name, result))).await;
    let names = names.into_inner().expect("no panic");
    for (name, result) in &names {
        assert!(result.is_object(), "{name}: {result}");
    }
    names.into_iter().map(|(name, _)| name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_calls_that_the_page_has_saved_are_answered_in_advance() {
    let desk = Desk::new();
    let root = desk.repo.path().canonicalize().expect("a folder").display().to_string();
    let info = "app.info".to_owned();
    assert_eq!(initial_calls(&desk, |_| ()).await, [info.as_str()], "nothing to open");

    let open = format!("repo.open {}", json!({ "path": root }));
    let params = |target: Value| json!({ "repo": root, "target": target, "since": null, "review_id": null });
    let change = |target: Value| format!("change.open {}", params(target));
    let all = json!({ "kind": "all", "untracked": true });
    let staged = json!({ "kind": "staged" });
    let at_root = |options: &mut AppOptions| options.start_repo = Some(root.clone().into());
    assert_eq!(initial_calls(&desk, at_root).await, [info.clone(), open.clone(), change(all.clone())]);

    let server = Server::new(Arc::clone(&desk.app));
    let save = async |calls: Value| {
        let params = json!({ "key": "first_calls", "value": calls.to_string() });
        let set = json!({ "jsonrpc": "2.0", "id": 1, "method": "state.set", "params": params });
        let answer = server.call(set.to_string(), |_| ()).await.text;
        assert!(!answer.contains("error"), "{answer}");
    };
    // Any calls may be among them.
    save(json!([
        { "method": "state.get", "params": { "key": "x" } },
        { "method": "repo.open", "params": { "path": root } },
        { "method": "change.open", "params": params(staged.clone()) },
    ]))
    .await;
    let state = r#"state.get {"key":"x"}"#.to_owned();
    let saved = [info.clone(), state.clone(), open.clone(), change(staged)];
    assert_eq!(initial_calls(&desk, |_| ()).await, saved);
    assert_eq!(initial_calls(&desk, at_root).await, saved, "the same repository");
    let unstaged = initial_calls(&desk, |options| {
        at_root(options);
        options.start_target = Some(Target::Unstaged);
    });
    assert_eq!(unstaged.await, [info.clone(), state.clone(), open.clone(), change(json!({ "kind": "unstaged" }))]);

    save(json!([
        { "method": "repo.open", "params": { "path": "/another" } },
        { "method": "change.open", "params": { "repo": "/another", "target": { "kind": "staged" } } },
    ]))
    .await;
    assert_eq!(initial_calls(&desk, at_root).await, [info.clone(), open, change(all)], "another repository");
    save(json!({ "of": "another version" })).await;
    assert_eq!(initial_calls(&desk, |_| ()).await, [info]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_suggests_a_change_in_which_the_offline_review_finds_something() {
    let desk = Desk::new();
    let server = Server::new(Arc::clone(&desk.app));
    let call = async |method: &str, params: Value| -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer: Value = serde_json::from_str(&server.call(request.to_string(), |_| ()).await.text).expect("JSON");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    };
    let sample = call("repo.sample", json!({})).await;
    let branch = json!({ "kind": "branch", "name": "topic/refunds", "base": null });
    assert_eq!(sample["suggested"], branch);
    assert_eq!(call("repo.open", json!({ "path": sample["path"] })).await["suggested"], branch);

    let path = PathBuf::from(sample["path"].as_str().expect("a path"));
    let target = Target::Branch { name: Some("topic/refunds".to_owned()), base: None };
    let source = Source::Repository(path);
    let request = OpenRequest { source, target, overrides: Vec::new(), trusted: false, since: None, selected: None };
    let handle = desk.app.open(request).expect("opened");
    let reviewed = desk.app.review(&handle, by("capability"), CancellationToken::new(), &|_| ()).await.1;
    let Ok(ReviewOutcome::Saved(review)) = reviewed else { panic!("{:?}", reviewed.err()) };
    assert!(!review.output.findings.is_empty());
}
