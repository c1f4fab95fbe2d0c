//! The corpus and the rules of versions, each checked against the other.

use axum::http::Method;
use serde_json::{Value, json};

use super::super::{FakeGitlab, Placement, Position, ReviewerState, ServerVersion, VerdictKind, diff};
use super::{Case, Line, PostedAs, cases, for_each_version, origin, start};

const REQUEST: &str = "projects/42/merge_requests/7";

/// The position of a line without a range.
fn position(gitlab: &FakeGitlab, case: &Case, line: Line) -> Position {
    let version = gitlab.look(7).versions.last().cloned().expect("a version");
    Position {
        base_sha: version.base,
        start_sha: version.start,
        head_sha: version.head,
        position_type: "text".into(),
        old_path: Some(case.old_path.clone()),
        new_path: Some(case.new_path.clone()),
        old_line: line.old,
        new_line: line.new,
        line_range: None,
    }
}

/// Returns an end of a range. `None` for a line that cannot be commented.
fn end(gitlab: &FakeGitlab, case: &Case, line: Line, numbers: bool) -> Option<Value> {
    let code = diff::resolve(&gitlab.repository(), &position(gitlab, case, line), Some(super::PATCH_LIMIT)).ok()?;
    let kind = match (line.old, line.new) {
        (None, _) => Some("new"),
        (_, None) => Some("old"),
        _ => None,
    };
    Some(match (numbers, kind) {
        (true, _) => json!({ "line_code": code, "type": kind, "old_line": line.old, "new_line": line.new }),
        (false, Some(kind)) => json!({ "line_code": code, "type": kind }),
        // Versions before 17.8 refuse null.
        (false, None) => json!({ "line_code": code }),
    })
}

/// Returns the position of a case at a placement. `None` if the case has no such place, and `Some(None)` for no position.
fn placed(gitlab: &FakeGitlab, case: &Case, placement: Placement) -> Option<Option<Value>> {
    let line = position(gitlab, case, case.end.unwrap_or(Line { old: None, new: None }));
    match placement {
        Placement::Summary => Some(None),
        Placement::File => {
            Some(Some(json!(Position { position_type: "file".into(), old_line: None, new_line: None, ..line })))
        }
        Placement::Line => case.end.map(|_| Some(json!(line))),
        Placement::Range | Placement::RangeCodes => {
            let numbers = placement == Placement::Range;
            let (start, last) = (end(gitlab, case, case.start?, numbers)?, end(gitlab, case, case.end?, numbers)?);
            Some(Some(json!(Position { line_range: Some(json!({ "start": start, "end": last })), ..line })))
        }
    }
}

/// Posts a comment and returns whether it was stored. A draft counts only if publishing does not lose it.
async fn post(gitlab: &FakeGitlab, posted_as: PostedAs, body: &str, position: Option<Value>) -> bool {
    let before = gitlab.posted(7).len();
    let status = match posted_as {
        PostedAs::Discussion => {
            let body = json!({ "body": body, "position": position });
            gitlab.ask(Method::POST, &format!("{REQUEST}/discussions"), &body).await.0
        }
        PostedAs::Draft => {
            let body = json!({ "note": body, "position": position });
            let drafts = format!("{REQUEST}/draft_notes");
            let created = gitlab.ask(Method::POST, &drafts, &body).await.0;
            gitlab.ask(Method::POST, &format!("{drafts}/bulk_publish"), &json!({})).await;
            created
        }
    };
    assert!([201, 400, 404].contains(&status), "{body}: {status}");
    gitlab.posted(7).len() > before
}

#[tokio::test]
async fn each_version_accepts_the_best_place_of_each_case_and_nothing_better() {
    let origin = origin();
    for_each_version(&origin, async |gitlab| {
        for case in cases() {
            for posted_as in [PostedAs::Discussion, PostedAs::Draft] {
                let what = format!("GitLab {}, {posted_as:?}, {}", gitlab.version(), case.name);
                let Some(best) = case.best(gitlab.version(), posted_as) else {
                    assert!(!gitlab.version().has_draft_notes() && !post(gitlab, posted_as, "x", None).await, "{what}");
                    continue;
                };
                let position = placed(gitlab, &case, best).unwrap_or_else(|| panic!("{what}: no {best:?}"));
                assert!(post(gitlab, posted_as, &case.name, position).await, "{what}: {best:?} is refused");
                let posted = gitlab.posted(7).pop().expect("a comment");
                assert_eq!((posted.placement, posted.drafted), (best, posted_as == PostedAs::Draft), "{what}");
                // GitLab stores a comment on any file, but shows only those of changed files.
                let better = Placement::ALL.into_iter().filter(|better| *better < best);
                for better in better.filter(|_| case.name != "unchanged-file") {
                    if let Some(position) = placed(gitlab, &case, better) {
                        assert!(!post(gitlab, posted_as, "x", position).await, "{what}: {better:?} is accepted");
                    }
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn each_version_has_its_own_endpoints() {
    let origin = origin();
    let endpoints = [
        ("version", "15.0"),
        ("user", "15.0"),
        ("metadata", "15.2"),
        ("personal_access_tokens/self", "15.5"),
        ("projects/42/merge_requests/7/changes", "15.0"),
        ("projects/42/merge_requests/7/versions", "15.0"),
        ("projects/42/merge_requests/7/diffs", "15.7"),
        ("projects/42/merge_requests/7/draft_notes", "15.10"),
        ("projects/42/merge_requests/7/raw_diffs", "17.9"),
        ("projects/42/merge_requests/7/reviewers", "15.0"),
    ];
    let gitlab = start(ServerVersion::NEWEST, &origin).await;
    for (path, since) in endpoints {
        let since: ServerVersion = since.parse().expect("a version");
        let before = ServerVersion::new(since.major, since.minor.saturating_sub(1));
        gitlab.set_version(since);
        assert_eq!(gitlab.ask(Method::GET, path, &Value::Null).await.0, 200, "{path} on {since}");
        if before < since && since > ServerVersion::TESTED[0] {
            gitlab.set_version(before);
            let (status, answer) = gitlab.ask(Method::GET, path, &Value::Null).await;
            assert_eq!((status, &answer["error"]), (404, &json!("404 Not Found")), "{path} on {before}");
        }
    }
}

#[tokio::test]
async fn wrong_ranges_are_refused_in_the_words_of_each_endpoint() {
    let gitlab = start(ServerVersion::new(17, 7), &origin()).await;
    let case = cases().into_iter().find(|case| case.name == "new-lines").expect("the case");
    let position = placed(&gitlab, &case, Placement::Range).flatten().expect("a range");
    let thread = json!({ "body": "x", "position": position });
    let refused = gitlab.ask(Method::POST, &format!("{REQUEST}/discussions"), &thread).await;
    let message = "400 Bad request - Note {:position=>[\"must be a valid json schema\"]}";
    assert_eq!(refused, (400, json!({ "message": message })));
    let draft = json!({ "note": "x", "position": position });
    let refused = gitlab.ask(Method::POST, &format!("{REQUEST}/draft_notes"), &draft).await;
    assert_eq!(refused, (400, json!({ "message": { "position": ["must be a valid json schema"] } })));
    // A wrong line is named as well.
    let mut both = thread.clone();
    both["position"]["new_line"] = json!(4000);
    let (_, refused) = gitlab.ask(Method::POST, &format!("{REQUEST}/discussions"), &both).await;
    let message = refused["message"].as_str().expect("a message");
    assert!(message.contains(":line_code=>[\"can't be blank\", ") && message.contains("json schema"), "{message}");
    gitlab.set_version(ServerVersion::new(16, 3));
    let file = json!({ "body": "x", "position": placed(&gitlab, &case, Placement::File).flatten() });
    let refused = gitlab.ask(Method::POST, &format!("{REQUEST}/discussions"), &file).await;
    assert_eq!(refused, (400, json!({ "error": "position[position_type] does not have a valid value" })));
    // Some clients report that discussions had the same defect as drafts.
    gitlab.set_version(ServerVersion::new(18, 5));
    assert_eq!(gitlab.ask(Method::POST, &format!("{REQUEST}/discussions"), &thread).await.0, 201);
    gitlab.with(|state| state.switches.text_in_discussion_ranges = true);
    assert_eq!(gitlab.ask(Method::POST, &format!("{REQUEST}/discussions"), &thread).await.0, 400);
}

#[tokio::test]
async fn diffs_have_the_fields_of_each_version() {
    let gitlab = start(ServerVersion::NEWEST, &origin()).await;
    let file = async |path: &str, query: &str| {
        let (status, json) = gitlab.ask(Method::GET, &format!("{REQUEST}/changes{query}"), &Value::Null).await;
        assert_eq!(status, 200);
        let files = json["changes"].as_array().expect("files").clone();
        files.into_iter().find(|file| file["new_path"] == path).expect("the file")
    };
    let (collapsed, large) = (file("collapsed.txt", "").await, file("large.txt", "").await);
    assert_eq!(
        (&collapsed["collapsed"], &collapsed["too_large"], &collapsed["diff"]),
        (&json!(true), &json!(false), &json!(""))
    );
    assert_eq!((&large["collapsed"], &large["too_large"], &large["diff"]), (&json!(false), &json!(true), &json!("")));
    let whole = file("collapsed.txt", "?access_raw_diffs=true").await;
    assert!(whole["diff"].as_str().is_some_and(|diff| diff.len() > 20_000));
    let script = file("script.sh", "").await;
    assert_eq!((&script["a_mode"], &script["b_mode"]), (&json!("100644"), &json!("100755")));
    let unified = file("added.rs", "?unidiff=true").await;
    assert!(unified["diff"].as_str().is_some_and(|diff| diff.starts_with("--- /dev/null\n+++ b/added.rs\n@@ ")));
    let (_, raw) = gitlab.ask(Method::GET, &format!("{REQUEST}/raw_diffs"), &Value::Null).await;
    let raw = raw.as_str().expect("a patch");
    assert!(
        raw.contains("+++ b/large.txt")
            && !raw.contains("a longer line of a large file")
            && raw.contains("longer collapsed")
    );
    gitlab.set_version(ServerVersion::new(15, 5));
    let old = file("large.txt", "?unidiff=true").await;
    for field in ["collapsed", "too_large", "generated_file"] {
        assert!(old.get(field).is_none(), "{field}");
    }
    assert_eq!(
        file("added.rs", "?unidiff=true").await["diff"].as_str().map(|diff| diff.starts_with("@@ ")),
        Some(true)
    );
    let (_, request) = gitlab.ask(Method::GET, REQUEST, &Value::Null).await;
    assert!(request.get("detailed_merge_status").is_none() && request["merge_status"] == "can_be_merged");
    let id = gitlab.look(7).versions[0].id;
    let (_, version) = gitlab.ask(Method::GET, &format!("{REQUEST}/versions/{id}"), &Value::Null).await;
    assert!(
        version["diffs"].as_array().is_some_and(|diffs| diffs.len() > 10) && version["commits"][0]["title"] == "topic"
    );
}

#[tokio::test]
async fn verdicts_are_given_as_each_version_takes_them() {
    let origin = origin();
    for_each_version(&origin, async |gitlab| {
        let version = gitlab.version();
        let post = async |path: &str, body: Value| gitlab.ask(Method::POST, &format!("{REQUEST}/{path}"), &body).await;
        let state =
            async || gitlab.ask(Method::GET, &format!("{REQUEST}/reviewers"), &Value::Null).await.1[0]["state"].clone();
        assert_eq!(state().await, "unreviewed");
        assert_eq!(post("approve", json!({ "sha": "0".repeat(40) })).await.0, 409);
        assert_eq!(post("approve", json!({})).await.0, 201);
        assert_eq!(post("approve", json!({})).await.0, 401);
        assert_eq!(state().await, ReviewerState::Approved.shown(version));
        let (_, approvals) = gitlab.ask(Method::GET, &format!("{REQUEST}/approvals"), &Value::Null).await;
        assert_eq!((&approvals["approved"], &approvals["user_has_approved"]), (&json!(true), &json!(true)));
        let mutation = "mutation($path: ID!, $iid: String!) {
            mergeRequestRequestChanges(input: { projectPath: $path, iid: $iid }) { errors } }";
        let ask = json!({ "query": mutation, "variables": { "path": super::super::PROJECT, "iid": "7" } });
        let (status, answer) = gitlab.ask(Method::POST, "/api/graphql", &ask).await;
        assert_eq!(status, 200);
        let mut wanted = vec![VerdictKind::Approved];
        if version >= ServerVersion::new(17, 0) {
            assert_eq!(answer, json!({ "data": { "mergeRequestRequestChanges": { "errors": [] } } }), "{version}");
            assert_eq!(state().await, "requested_changes");
            assert_eq!(post("unapprove", json!({})).await.0, 404, "requested changes remove the approval");
            wanted.push(VerdictKind::RequestedChanges);
        } else {
            let words = "Field 'mergeRequestRequestChanges' doesn't exist on type 'Mutation'";
            assert_eq!(answer["errors"][0]["message"], words, "{version}");
            assert_eq!(post("unapprove", json!({})).await.0, 201);
            wanted.push(VerdictKind::Unapproved);
        }
        assert_eq!(gitlab.verdicts(7), wanted);
        // Before 19.2, bulk publishing ignores the state.
        if version >= ServerVersion::new(15, 10) {
            let newest = version >= ServerVersion::new(19, 2);
            let body = json!({ "reviewer_state": "requested_changes", "note": "summary" });
            assert_eq!(post("draft_notes/bulk_publish", body).await.0, 204);
            let summary = gitlab.posted(7).iter().any(|posted| posted.body == "summary");
            assert_eq!(summary, newest, "{version}");
            let wrong = post("draft_notes/bulk_publish", json!({ "reviewer_state": "approved" })).await.0;
            assert_eq!(wrong, if newest { 400 } else { 204 });
        }
    })
    .await;
}

#[tokio::test]
async fn only_reviewers_request_changes_but_the_system_note_appears() {
    let gitlab = start(ServerVersion::NEWEST, &origin()).await;
    gitlab.unassign_reviewer(7);
    let ask = async |query: &str| gitlab.ask(Method::POST, "/api/graphql", &json!({ "query": query })).await.1;
    let path = super::super::PROJECT;
    let mutation = |iid: &str, fields: &str| {
        format!(
            "mutation {{ mergeRequestRequestChanges(input: {{ projectPath: \"{path}\", iid: {iid} }}) {{ {fields} }} }}"
        )
    };
    let answer = ask(&mutation("\"7\"", "errors")).await;
    assert_eq!(answer["data"]["mergeRequestRequestChanges"]["errors"], json!(["Reviewer not found"]));
    let notes = gitlab.look(7).threads;
    assert!(notes.iter().any(|thread| thread.notes[0].system && thread.notes[0].body == "requested changes"));
    assert_eq!(gitlab.verdicts(7), []);
    let answer = ask(&mutation("\"8\"", "errors")).await;
    assert!(answer["data"]["mergeRequestRequestChanges"].is_null() && answer["errors"][0]["message"].is_string());
    let answer = ask(&mutation("7", "errors")).await;
    assert_eq!(answer["errors"][0]["extensions"]["argumentName"], "iid", "the number is text");
    let answer = ask(&mutation("\"7\"", "errors nothing")).await;
    assert_eq!(answer["errors"][0]["extensions"]["fieldName"], "nothing");
    let answer = ask("{ __type(name: \"Mutation\") { fields { name } } currentUser { username } }").await;
    let names = answer["data"]["__type"]["fields"].as_array().expect("fields");
    assert!(names.contains(&json!({ "name": "mergeRequestRequestChanges" })));
    assert_eq!(answer["data"]["currentUser"]["username"], "reviewer");
}
