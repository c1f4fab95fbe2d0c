//! The inbox over real servers: every row against a truth table, the number of requests, and bad input.

mod prefetch;
mod truth;

use std::sync::Arc;
use std::time::Duration;

use diffsan_forge::gitlab::{Client, Token};
use diffsan_inbox::{Group, MarkKind, Row};
use diffsan_store::Store;
use diffsan_sync::{Account, Inbox, InboxView, MarkParams};
use diffsan_test_support::gitlab::{
    FakeGitlab, Fault, MergeRequest, PROJECT, ReviewerState, TOKEN, Token as FakeToken, Version, days_ago,
};
use diffsan_test_support::repo::TestRepo;

async fn fake() -> FakeGitlab {
    let repo = TestRepo::new();
    repo.write("a.rs", "one\n");
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", "two\n");
    repo.commit("change");
    repo.git(["checkout", "-q", "main"]);
    let gitlab = FakeGitlab::start(&repo.path().join(".git")).await;
    gitlab.merge_request(7, "topic", "main");
    // The first merge request only lends its commits.
    gitlab.unassign_reviewer(7);
    gitlab
}

fn account(gitlab: &FakeGitlab) -> Account {
    let client = Client::new(&gitlab.url(), &Token::new(TOKEN), None).expect("a client");
    Account { host: gitlab.url(), name: String::new(), client: Ok(client.with_pause(Duration::from_millis(5))) }
}

fn inbox() -> Arc<Inbox> {
    Arc::new(Inbox::new(Arc::new(Store::in_memory().expect("a store"))))
}

async fn refreshed(inbox: &Arc<Inbox>, accounts: &[&FakeGitlab]) -> InboxView {
    let accounts = accounts.iter().map(|gitlab| account(gitlab)).collect();
    inbox.refresh(accounts, Vec::new()).await.expect("refreshed");
    inbox.view().expect("a view")
}

/// Returns a reason without its age.
fn without_age(row: &Row) -> String {
    let age = regex::Regex::new(r" (\d+ \w+ ago|just now)").expect("a pattern");
    age.replace_all(&row.reason.text, "").into_owned()
}

/// Adds merge requests for the reader's review to a new project.
fn add_asked(gitlab: &FakeGitlab, project: &str, count: u64) {
    gitlab.with(|state| {
        let id = state.project(project);
        for iid in 1..=count {
            let reviewers = vec![(1, ReviewerState::Unreviewed)];
            let versions = vec![Version { id: iid, ..Version::default() }];
            let state_name = "opened".to_owned();
            let request = MergeRequest { iid, state: state_name, reviewers, versions, ..MergeRequest::default() };
            state.add_merge_request(id, 7, request);
        }
    });
}

fn titles(view: &InboxView, group: Group) -> Vec<String> {
    let rows = view.rows.iter().filter(|row| row.group == group && !row.hidden);
    let mut names: Vec<String> = rows.map(|row| format!("{}!{}", row.project, row.iid.unwrap_or(0))).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_merge_requests_on_three_servers_are_where_the_truth_table_says() {
    let servers = [fake().await, fake().await, fake().await];
    let expected: Vec<_> = servers.iter().enumerate().map(|(at, gitlab)| truth::fill(gitlab, at)).collect();
    assert_eq!((truth::PROJECTS.iter().sum::<usize>(), truth::REQUESTS.iter().sum::<usize>()), (40, 200));
    let inbox = inbox();
    let all: Vec<&FakeGitlab> = servers.iter().collect();
    let view = refreshed(&inbox, &all).await;
    let mut wrong = Vec::new();
    for (gitlab, expected) in servers.iter().zip(&expected) {
        let rows: Vec<&Row> = view.rows.iter().filter(|row| row.host == gitlab.url()).collect();
        assert_eq!(rows.len(), expected.len(), "{}", gitlab.version());
        for (project, iid, group, reason) in expected {
            let found = rows.iter().find(|row| row.project == *project && row.iid == Some(*iid)).expect("a row");
            if (found.group, without_age(found).as_str()) != (*group, reason) || found.problem.is_some() {
                wrong.push(format!(
                    "{} {project}!{iid}: expected {group:?} {reason}; found {:?} {} {:?}",
                    gitlab.version(),
                    found.group,
                    found.reason.text,
                    found.problem
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
    let cold: usize = view.accounts.iter().map(|account| account.requests).sum();
    let unchanged = refreshed(&inbox, &all).await;
    assert_eq!(unchanged.rows, view.rows);
    let second: usize = unchanged.accounts.iter().map(|account| account.requests).sum();
    let not_modified: usize =
        servers.iter().map(|one| one.requests().iter().filter(|one| one.status == 304).count()).sum();
    println!("requests for 200 merge requests: {cold} cold, {second} unchanged, {not_modified} of these answered 304");
    assert!(cold <= 200 * 5 + 30, "{cold} requests");
    let approvals =
        servers.iter().flat_map(FakeGitlab::requests).filter(|one| one.path.ends_with("/approvals")).count();
    assert_eq!(approvals, 0, "GraphQL has answered");
    assert!(second <= 20, "{second} requests");
    assert_eq!(not_modified, second, "nothing is sent twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_one_merge_request_reads_only_that_one() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 150);
    let inbox = inbox();
    assert_eq!(refreshed(&inbox, &[&gitlab]).await.rows.len(), 150, "the list has two pages");
    gitlab.with(|state| {
        state.change("a/b", 3, |request| {
            request.approved_by = vec![1];
            request.updated_at = days_ago(1);
        });
    });
    let before = gitlab.requests().len();
    let view = refreshed(&inbox, &[&gitlab]).await;
    assert_eq!(titles(&view, Group::ReadyToMerge), ["a/b!3"]);
    assert!(gitlab.requests().len() - before <= 12, "{}", gitlab.requests().len() - before);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_server_that_fails_does_not_stop_the_others() {
    let (good, bad) = (fake().await, fake().await);
    add_asked(&good, "a/b", 3);
    add_asked(&bad, "c/d", 2);
    let inbox = inbox();
    assert_eq!(refreshed(&inbox, &[&good, &bad]).await.rows.len(), 5);
    bad.with(|state| state.tokens.insert(TOKEN.into(), FakeToken { expired: true, user: 1, ..FakeToken::default() }));
    add_asked(&good, "a/more", 1);
    let view = refreshed(&inbox, &[&bad, &good]).await;
    assert_eq!(view.rows.len(), 6, "the rows of the failed server stay");
    let problem = |gitlab: &FakeGitlab| {
        let account = view.accounts.iter().find(|one| one.host == gitlab.url()).expect("an account");
        (account.problem.as_ref().map(|problem| problem.message.clone()), account.refreshed_at.is_some())
    };
    assert_eq!(problem(&good), (None, true));
    let (message, refreshed_before) = problem(&bad);
    assert!(message.as_deref().is_some_and(|text| text.contains("Token is expired")), "{message:?}");
    assert!(refreshed_before, "it says how old its rows are");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_the_scope_is_a_message() {
    let gitlab = fake().await;
    gitlab.with(|state| {
        let scopes = vec!["read_user".to_owned()];
        state.tokens.insert(TOKEN.into(), FakeToken { user: 1, scopes, ..FakeToken::default() });
    });
    let view = refreshed(&inbox(), &[&gitlab]).await;
    let problem = view.accounts[0].problem.clone().expect("a problem");
    assert!(problem.message.contains("insufficient_scope"), "{problem:?}");
    assert!(problem.hint.is_some_and(|hint| hint.contains("scope api")));
    assert_eq!(view.accounts[0].username.as_deref(), Some("reviewer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_request_that_cannot_be_read_is_a_row_with_a_message() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 3);
    let fault = Fault::Status(403, "403 Forbidden - the repository is disabled".into());
    gitlab.with(|state| state.faults.push(("GET".into(), "merge_requests/2/discussions".into(), 0, fault)));
    let inbox = inbox();
    let view = refreshed(&inbox, &[&gitlab]).await;
    let problems: Vec<_> = view.rows.iter().filter_map(|row| Some((row.iid?, row.problem.clone()?))).collect();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].0 == 2 && problems[0].1.contains("repository is disabled"), "{problems:?}");
    assert_eq!(view.rows.len(), 3);
    let again = refreshed(&inbox, &[&gitlab]).await;
    assert!(again.rows.iter().all(|row| row.problem.is_none()), "it is read again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_merged_or_vanished_meanwhile_is_done() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 2);
    add_asked(&gitlab, "gone/soon", 1);
    let inbox = inbox();
    refreshed(&inbox, &[&gitlab]).await;
    gitlab.with(|state| {
        state.change("a/b", 1, |request| request.state = "merged".into());
        state.remove_project("gone/soon");
    });
    let view = refreshed(&inbox, &[&gitlab]).await;
    assert_eq!(titles(&view, Group::YourTurn), ["a/b!2"]);
    let done: Vec<String> = view.rows.iter().filter(|row| row.group == Group::Done).map(without_age).collect();
    assert_eq!(done, ["merged", "does not exist any more, or you have no access"]);
    assert_eq!(refreshed(&inbox, &[&gitlab]).await.rows, view.rows);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong_by_a_day_is_reported_and_changes_no_age() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 1);
    gitlab.with(|state| {
        state.switches.clock_ahead = 24 * 3600;
        state.change("a/b", 1, |request| request.changes_count = "1000+".into());
    });
    let inbox = inbox();
    let view = refreshed(&inbox, &[&gitlab]).await;
    assert!((view.accounts[0].clock_ahead - 24 * 3600).abs() < 60, "{}", view.accounts[0].clock_ahead);
    assert!(view.rows[0].too_large && view.rows[0].changed_files.as_deref() == Some("1000+"));
    let day_later = view.rows[0].reason.text.clone();
    gitlab.with(|state| state.switches.clock_ahead = 0);
    let view = refreshed(&inbox, &[&gitlab]).await;
    assert_eq!(view.accounts[0].clock_ahead, 0);
    assert_ne!(view.rows[0].reason.text, day_later, "the age follows the server's clock");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_requests_are_waited_for() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 2);
    gitlab.with(|state| {
        state.faults.push(("GET".into(), "merge_requests?scope".into(), 0, Fault::RackAttack(1)));
        state.faults.push(("GET".into(), "discussions".into(), 0, Fault::Limited));
    });
    let view = refreshed(&inbox(), &[&gitlab]).await;
    assert_eq!((view.rows.len(), view.accounts[0].problem.clone()), (2, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_hide_rows_until_something_happens_and_can_be_undone() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 3);
    let inbox = inbox();
    let view = refreshed(&inbox, &[&gitlab]).await;
    let key = |iid| view.rows.iter().find(|row| row.iid == Some(iid)).expect("a row").key.clone();
    let mark = |iid, kind, until: Option<&str>| {
        let params = MarkParams { key: key(iid), mark: Some(kind), until: until.map(str::to_owned) };
        inbox.mark(&params).expect("marked");
    };
    mark(1, MarkKind::Done, None);
    mark(2, MarkKind::Snoozed, None);
    mark(3, MarkKind::Muted, None);
    let now = inbox.view().expect("a view");
    assert_eq!((titles(&now, Group::YourTurn).len(), titles(&now, Group::Done)), (0, vec!["a/b!1".to_owned()]));
    for iid in 1..=3 {
        gitlab.with(|state| {
            state.change("a/b", iid, |request| {
                let mut version = request.versions[0].clone();
                version.head = format!("{iid:040}");
                request.versions.push(version);
                request.updated_at = days_ago(1);
            });
        });
    }
    let now = refreshed(&inbox, &[&gitlab]).await;
    assert_eq!(titles(&now, Group::YourTurn), ["a/b!1", "a/b!2"], "a muted row stays hidden");
    assert_eq!(inbox.undo().expect("undone"), Some(key(3)));
    assert_eq!(titles(&inbox.view().expect("a view"), Group::YourTurn).len(), 3);
    mark(2, MarkKind::Snoozed, Some("2099-01-01T00:00:00Z"));
    assert_eq!(titles(&inbox.view().expect("a view"), Group::YourTurn), ["a/b!1", "a/b!3"]);
    mark(2, MarkKind::Snoozed, Some("2001-01-01T00:00:00Z"));
    assert_eq!(titles(&inbox.view().expect("a view"), Group::YourTurn).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_that_is_cut_off_loses_nothing_and_is_continued() {
    let gitlab = fake().await;
    add_asked(&gitlab, "a/b", 60);
    gitlab.with(|state| state.switches.latency = 20);
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Arc::new(Inbox::new(Arc::new(Store::open(&folder.path().join("s.sqlite3")).expect("a store"))));
    let read = {
        let inbox = open();
        let running = tokio::spawn({
            let (inbox, accounts) = (Arc::clone(&inbox), vec![account(&gitlab)]);
            async move { inbox.refresh(accounts, Vec::new()).await }
        });
        while inbox.view().expect("a view").rows.len() < 10 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        running.abort();
        let _ = running.await;
        assert!(!inbox.view().expect("a view").refreshing, "a cancelled refresh does not run for ever");
        inbox.view().expect("a view").rows.len()
    };
    let inbox = open();
    let rows = inbox.view().expect("a view").rows;
    assert!(rows.len() >= read && rows.len() < 60, "{} rows", rows.len());
    let before = gitlab.requests().len();
    let view = refreshed(&inbox, &[&gitlab]).await;
    assert_eq!(view.rows.len(), 60);
    let again = gitlab.requests().len() - before;
    assert!(again <= 4 + (60 - read) * 5, "{again} requests although {read} rows were there");
}

#[tokio::test(flavor = "multi_thread")]
async fn local_branches_and_changes_are_rows() {
    let repo = TestRepo::new();
    repo.write("a.rs", "one\n");
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", "two\n");
    repo.commit("change");
    // The commits of the test repository are old, so only the branch that is checked out is listed.
    repo.git(["branch", "abandoned"]);
    repo.write("b.rs", "new\n");
    let inbox = inbox();
    inbox.refresh(Vec::new(), vec![repo.path().display().to_string(), "/nowhere".into()]).await.expect("refreshed");
    let view = inbox.view().expect("a view");
    let reasons: Vec<_> = view.rows.iter().map(|row| (row.title.as_str(), row.reason.text.as_str())).collect();
    assert_eq!(reasons, [("topic", "1 commit that nobody reviewed, 1 changed file not committed")]);
    repo.commit("more");
    inbox.refresh(Vec::new(), vec![repo.path().display().to_string()]).await.expect("refreshed");
    assert_eq!(inbox.view().expect("a view").rows[0].reason.text, "2 commits that nobody reviewed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_is_an_open_merge_request_is_one_row() {
    let gitlab = fake().await;
    gitlab.with(|state| {
        state.change(PROJECT, 7, |request| request.reviewers = vec![(1, ReviewerState::Unreviewed)]);
    });
    let repo = TestRepo::new();
    repo.write("a.rs", "one\n");
    repo.commit("base");
    repo.git(["remote", "add", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
    for branch in ["topic", "other"] {
        repo.git(["checkout", "-q", "-b", branch, "main"]);
        repo.write("a.rs", branch);
        repo.commit(branch);
    }
    repo.git(["checkout", "-q", "topic"]);
    repo.write("b.rs", "new\n");
    let inbox = inbox();
    let refresh = || async {
        let paths = vec![repo.path().display().to_string()];
        inbox.refresh(vec![account(&gitlab)], paths).await.expect("refreshed");
        let rows = inbox.view().expect("a view").rows;
        rows.iter().map(|row| (row.title.clone(), without_age(row))).collect::<Vec<_>>()
    };
    let rows = refresh().await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].1, "review requested, 1 changed file not committed");
    gitlab.with(|state| state.change(PROJECT, 7, |request| request.state = "merged".into()));
    let rows = refresh().await;
    assert!(rows.iter().any(|(title, _)| title == "topic"), "a merged one does not stand for its branch: {rows:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_tells_lines_and_approvals_and_rest_where_it_does_not_answer() {
    let fill = |gitlab: &FakeGitlab| {
        add_asked(gitlab, "a/b", 130);
        gitlab.with(|state| {
            state.change("a/b", 120, |request| {
                request.approved_by = vec![1];
                request.approvals_required = 2;
            });
        });
    };
    let mut results = Vec::new();
    for kind in ["whole", "community", "refused", "absent", "broken page"] {
        let gitlab = fake().await;
        fill(&gitlab);
        let fault = |status: u16, after: usize, text: &str| {
            let fault = Fault::Status(status, text.to_owned());
            gitlab.with(|state| state.faults.push(("POST".into(), "/api/graphql".into(), after, fault)));
        };
        match kind {
            "community" => gitlab.with(|state| state.switches.community = true),
            "refused" => fault(403, 0, "403 Forbidden"),
            "absent" => fault(404, 0, "404 Not Found"),
            "broken page" => fault(500, 2, "500 Internal Server Error"),
            _ => {}
        }
        let inbox = inbox();
        let view = refreshed(&inbox, &[&gitlab]).await;
        let row = view.rows.iter().find(|row| row.iid == Some(120)).expect("a row").clone();
        let asked = |part: &str| gitlab.requests().iter().filter(|one| one.path.contains(part)).count();
        results.push((kind, row.lines, row.approvals_left, asked("/approvals"), asked("/api/graphql")));
        assert_eq!(
            (view.rows.len(), view.accounts[0].problem.clone(), row.approved_by.len()),
            (130, None, 1),
            "{kind}"
        );
        let before = gitlab.requests().len();
        let again = refreshed(&inbox, &[&gitlab]).await;
        assert_eq!(gitlab.requests().len() - before, 5, "the user, and three lists with two pages of one: {kind}");
        assert_eq!(again.rows, view.rows, "{kind}");
    }
    assert_eq!(
        results,
        [
            ("whole", Some([1, 1]), Some(1), 0, 3),
            ("community", Some([1, 1]), None, 0, 3),
            ("refused", None, Some(1), 130, 1),
            ("absent", None, Some(1), 130, 1),
            ("broken page", None, Some(1), 130, 3),
        ]
    );
}
