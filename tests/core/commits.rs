//! Reading a change commit by commit: fixups, diffs, the commits of findings, and findings about messages.

use std::sync::Arc;

use crate::desk::Desk;
use diffsan_app::{ChangeHandle, ChangeRequest, NewFinding};
use diffsan_change::Target;
use diffsan_forge::gitlab::DiffRefs;
use diffsan_review::finding::{AnchorState, Category, Severity, Side};
use diffsan_review::message::message_path;
use diffsan_versions::{
    CommitFinding, FindingPlace, RemarkKind, commit_diff, commit_entries, commit_findings, opened_version, repository,
};
use tokio_util::sync::CancellationToken;

/// A repository whose branch `topic` has four commits: an edit, a file, a fixup of the edit, and a removal of a line.
fn series(desk: &Desk) {
    let repo = &desk.repo;
    let lines = crate::desk::lines;
    repo.git(["checkout", "-q", "-f", "main"]);
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", lines(&[(10, "ten();")]));
    repo.commit("Call ten\n\nBecause it is due.");
    repo.write("b.rs", "fn b() {}\nfn c() {}\n");
    repo.commit("Add b");
    repo.write("a.rs", lines(&[(10, "ten();"), (11, "eleven();")]));
    repo.commit("fixup! Call ten");
    repo.git(["mv", "b.rs", "moved.rs"]);
    let text: String = lines(&[(10, "ten();"), (11, "eleven();")])
        .lines()
        .filter(|line| *line != "fn line_50() {}")
        .fold(String::new(), |text, line| text + line + "\n");
    repo.write("a.rs", text);
    repo.commit("Move b, remove fifty");
}

async fn open(desk: &Desk) -> ChangeHandle {
    let target = Target::Branch { name: Some("topic".into()), base: None };
    let repo = Some(desk.repo.path().to_owned());
    Arc::clone(&desk.app)
        .open_change(ChangeRequest::new(repo, target), &CancellationToken::new())
        .await
        .expect("opened")
}

fn place(path: &str, side: Side, line: u32) -> FindingPlace {
    FindingPlace { key: format!("{path}:{line}"), path: path.into(), side, line: Some(line), quote: None }
}

fn about(path: String, line_start: u32, line_end: u32) -> NewFinding {
    NewFinding {
        severity: Severity::Low,
        category: Category::Docs,
        path,
        side: Side::New,
        line_start,
        line_end,
        title: "The reason is missing".into(),
        body: "Say since when.".into(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_have_their_messages_their_fixups_and_their_own_diffs() {
    let desk = Desk::new();
    series(&desk);
    let opened = open(&desk).await.opened;
    let repo = repository(&opened).unwrap();
    let commits = commit_entries(&repo, &opened_version(&opened).unwrap()).unwrap();
    let shown: Vec<(&str, Option<u32>)> =
        commits.iter().map(|commit| (commit.message.as_str(), commit.fixes)).collect();
    let wanted = [
        ("Call ten\n\nBecause it is due.", None),
        ("Add b", None),
        ("fixup! Call ten", Some(1)),
        ("Move b, remove fifty", None),
    ];
    assert_eq!(shown, wanted);
    let paths = |commit: usize, until: Option<usize>| -> Vec<String> {
        let until = until.map(|until| commits[until].id.as_str());
        let diff = commit_diff(&repo, &commits[commit].id, until).unwrap();
        diff.files.into_iter().map(|file| file.path).collect()
    };
    assert_eq!(paths(0, None), ["a.rs"]);
    assert_eq!(paths(1, None), ["b.rs"]);
    assert_eq!(paths(3, None), ["a.rs", "moved.rs"]);
    // A range of commits, as one diff.
    assert_eq!(paths(0, Some(1)), ["a.rs", "b.rs"]);
    let lines = commit_diff(&repo, &commits[2].id, None).unwrap().files.remove(0).hunks.remove(0).lines;
    let edits: Vec<(char, &str)> =
        lines.iter().filter(|line| line.sign != ' ').map(|line| (line.sign, line.text.as_str())).collect();
    assert_eq!(edits, [('-', "fn line_11() {}"), ('+', "eleven();")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_is_on_the_commit_that_introduced_or_removed_its_line() {
    let desk = Desk::new();
    series(&desk);
    let opened = open(&desk).await.opened;
    let (repo, version) = (repository(&opened).unwrap(), opened_version(&opened).unwrap());
    let commits = commit_entries(&repo, &version).unwrap();
    let places = [
        place("a.rs", Side::New, 10),
        place("a.rs", Side::New, 11),
        // The commit that moved the file did not introduce its lines.
        place("moved.rs", Side::New, 2),
        place("a.rs", Side::Old, 50),
        place("a.rs", Side::Old, 11),
        // Older than the change.
        place("a.rs", Side::New, 30),
    ];
    let found = commit_findings(&repo, &version, &opened.change, &places).unwrap();
    let number = |finding: &CommitFinding| commits.iter().find(|commit| commit.id == finding.commit).unwrap().number;
    let shown: Vec<(u32, &str, u32)> =
        found.iter().map(|one| (number(one), one.path.as_deref().unwrap(), one.line)).collect();
    assert_eq!(shown, [(1, "a.rs", 10), (3, "a.rs", 11), (2, "b.rs", 2), (4, "a.rs", 50), (3, "a.rs", 11)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_about_a_message_is_posted_in_the_summary_and_survives_a_rebase() {
    let desk = Desk::new();
    series(&desk);
    let opened = open(&desk).await.opened;
    let (repo, version) = (repository(&opened).unwrap(), opened_version(&opened).unwrap());
    let first = commit_entries(&repo, &version).unwrap().remove(0);
    assert_eq!(first.message_path, message_path(&first.id));
    let unknown = desk.app.add_finding(&opened, about(message_path(&"0".repeat(40)), 1, 1), None);
    assert!(unknown.is_err(), "the change has no such commit");
    assert!(desk.app.add_finding(&opened, about(first.message_path.clone(), 9, 9), None).is_err(), "no such line");
    let saved = desk.app.add_finding(&opened, about(first.message_path.clone(), 3, 3), None).unwrap();
    let finding = &saved.output.findings[0];
    assert_eq!(finding.content.quote.as_deref(), Some("Because it is due."));
    assert_eq!((finding.anchor.state, finding.anchor.line_start), (AnchorState::Unplaced, Some(3)));
    // It has no line of GitLab's diff, so it lands in the summary.
    let landing = diffsan_forge::gitlab::landing(None, &finding.anchor, &DiffRefs::default());
    assert_eq!(landing, diffsan_forge::gitlab::Landing::Summary);
    // After a rebase, it is on the commit with the same words.
    desk.repo.git(["checkout", "-q", "main"]);
    desk.repo.write("other.rs", "fn other() {}\n");
    desk.repo.commit("upstream");
    desk.repo.git(["checkout", "-q", "topic"]);
    desk.repo.git(["rebase", "-q", "main"]);
    let opened = open(&desk).await.opened;
    let (repo, version) = (repository(&opened).unwrap(), opened_version(&opened).unwrap());
    let now = desk.app.latest_review(&opened).unwrap().unwrap();
    // The diff is equal, so the saved places hold.
    let finding = &now.output.findings[0];
    let anchor = &finding.anchor;
    let place = FindingPlace {
        key: "k".into(),
        path: anchor.path.clone(),
        side: anchor.side,
        line: anchor.line_start,
        quote: finding.content.quote.clone(),
    };
    let found = commit_findings(&repo, &version, &opened.change, &[place]).unwrap();
    let commits = commit_entries(&repo, &version).unwrap();
    assert_eq!((found[0].commit.as_str(), found[0].path.as_deref()), (commits[0].id.as_str(), None));
    assert_ne!(commits[0].id, first.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn earlier_findings_are_beside_the_edit_that_answered_them() {
    let desk = Desk::new();
    series(&desk);
    let opened = open(&desk).await.opened;
    let old = opened_version(&opened).unwrap();
    let text = crate::desk::lines(&[(10, "ten(1);"), (11, "eleven();")]).replace("fn line_50() {}\n", "");
    desk.repo.write("a.rs", text);
    desk.repo.commit("Answer");
    let opened = open(&desk).await.opened;
    let (repo, new) = (repository(&opened).unwrap(), opened_version(&opened).unwrap());
    let compared = diffsan_versions::compare(&repo, &old, &new, diffsan_versions::CompareOptions::default()).unwrap();
    let remark = |path: &str, line: u32| diffsan_versions::Remark {
        kind: RemarkKind::Finding,
        id: format!("{path}:{line}"),
        commit: old.head.clone(),
        path: path.into(),
        lines: (line, line),
    };
    let remarks = [remark("a.rs", 10), remark("a.rs", 70), remark("moved.rs", 1), remark("gone.rs", 1)];
    let found = diffsan_versions::remarks(&repo, &compared, &remarks);
    let status = |at: usize| serde_json::to_value(found[at].status).unwrap()["status"].clone();
    assert_eq!((found[0].path.as_deref(), found[0].hunk, status(0)), (Some("a.rs"), Some(0), "edited".into()));
    assert_eq!((found[1].hunk, status(1)), (None, "unchanged".into()));
    assert_eq!((found[2].path.as_deref(), found[2].hunk, status(2)), (None, None, "unchanged".into()));
    assert_eq!(found.len(), 3, "the old version has no such file");
}
