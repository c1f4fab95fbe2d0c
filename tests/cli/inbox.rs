//! A refresh of the inbox that is killed.

use diffsan_test_support::gitlab::{FakeGitlab, MergeRequest, ReviewerState, TOKEN, Version, days_ago};
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::serve::{Tab, serve, wait_until};
use crate::support::Installation;

/// Starts a server with many merge requests for the reader.
fn gitlab(runtime: &tokio::runtime::Runtime) -> FakeGitlab {
    let origin = TestRepo::new();
    origin.write("a.rs", "one\n");
    origin.commit("base");
    origin.git(["checkout", "-q", "-b", "topic"]);
    origin.write("a.rs", "two\n");
    origin.commit("change");
    let gitlab = runtime.block_on(FakeGitlab::start(&origin.path().join(".git")));
    gitlab.merge_request(7, "topic", "main");
    gitlab.with(|state| {
        let id = state.project("a/b");
        for iid in 1..=40 {
            let request = MergeRequest {
                iid,
                state: "opened".into(),
                reviewers: vec![(1, ReviewerState::Unreviewed)],
                versions: vec![Version { id: iid, ..Version::default() }],
                ..MergeRequest::default()
            };
            state.add_merge_request(id, 7, request);
        }
    });
    gitlab
}

fn marks(view: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = view["rows"].as_array().expect("rows").iter();
    let mut marks: Vec<_> =
        rows.filter(|row| !row["mark"].is_null()).map(|row| (text(&row["key"]), text(&row["mark"]))).collect();
    marks.sort();
    marks
}

#[test]
fn a_killed_refresh_loses_no_row_and_no_mark() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let gitlab = gitlab(&runtime);
    let installation = Installation::new()
        .with("DIFFSAN_GITLAB_TOKEN", TOKEN)
        .with("DIFFSAN_GITLAB__BASE_URL", gitlab.url())
        .with("DIFFSAN_INBOX__PREFETCH", "0")
        .with("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    let mut serving = serve(&installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    let view = tab.result("inbox.refresh", &json!({}));
    let rows = view["rows"].as_array().expect("rows").clone();
    assert_eq!(rows.len(), 41);
    for (row, mark) in rows.iter().zip(["done", "snoozed", "muted", "done"]) {
        tab.result("inbox.mark", &json!({ "key": row["key"], "mark": mark }));
    }
    let before = marks(&tab.result("inbox.list", &Value::Null));
    assert_eq!(before.len(), 4);

    // Every merge request is read again, slowly, and the reader marks a row meanwhile.
    gitlab.with(|state| {
        for iid in 1..=40 {
            state.change("a/b", iid, |request| request.updated_at = days_ago(1));
        }
        state.switches.latency = 30;
    });
    let asked = gitlab.requests().len();
    tab.ask("inbox.refresh", &json!({}));
    wait_until("the details are read", || gitlab.requests().len() > asked + 40);
    let key = &rows[5]["key"];
    tab.result("inbox.mark", &json!({ "key": key, "mark": "muted" }));
    serving.child.kill().expect("killed");
    serving.child.wait().expect("ended");
    assert!(gitlab.requests().len() < asked + 200, "it was killed in the middle");

    let serving = serve(&installation);
    let mut tab = Tab::open(&serving, &serving.enter());
    let view = tab.result("inbox.list", &Value::Null);
    assert_eq!(view["rows"].as_array().map(Vec::len), Some(41));
    assert!(view["refreshing"] == false && !view["accounts"][0]["refreshed_at"].is_null());
    let mut expected = before.clone();
    expected.push((key.as_str().unwrap_or_default().to_owned(), "muted".to_owned()));
    expected.sort();
    assert_eq!(marks(&view), expected);
    let undone = tab.result("inbox.undo", &json!({}));
    assert_eq!((&undone["key"], marks(&undone["inbox"])), (key, before));
    gitlab.with(|state| state.switches.latency = 0);
    let view = tab.result("inbox.refresh", &json!({}));
    assert!(
        view["rows"].as_array().is_some_and(|rows| rows.len() == 41 && rows.iter().all(|row| row["problem"].is_null()))
    );
}
