//! The history with real repositories: local changes that no longer exist, rounds of these, and removal.

use std::path::PathBuf;
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ChangeHandle, ChangeRequest, EntryKind, Reopened, ReviewOutcome};
use diffsan_change::Target;
use diffsan_pipeline::review::ReviewRequest;
use diffsan_review::rounds::Round;
use diffsan_store::HistoryQuery;
use diffsan_test_support::repo::TestRepo;
use tokio_util::sync::CancellationToken;

struct Case {
    app: Arc<App>,
    repo: TestRepo,
    data: tempfile::TempDir,
}

const LOCAL: Target = Target::All { untracked: true };

impl Case {
    fn new() -> Self {
        let repo = TestRepo::new();
        repo.write("pay.py", "import os\n\n\ndef pay():\n    return 1\n");
        repo.commit("first");
        let data = tempfile::tempdir().expect("a folder");
        let app = App::start(AppOptions {
            data_dir: Some(data.path().join("data")),
            config_dir: Some(data.path().join("config")),
            ..AppOptions::default()
        });
        Self { app: app.expect("started"), repo, data }
    }

    /// Reviews with the capability reviewer. Returns the review's id.
    async fn review(&self, target: Target) -> String {
        let handle = self.open(Some(self.repo.path().to_owned()), target).await;
        let request = ReviewRequest { agents: vec!["capability".into()], ..ReviewRequest::default() };
        let (_, outcome) = self.app.review(&handle, request, CancellationToken::new(), &|_| ()).await;
        match outcome.expect("reviewed") {
            ReviewOutcome::Saved(kept) => kept.id,
            ReviewOutcome::Skipped { message, .. } => panic!("{message}"),
        }
    }

    async fn open(&self, repo: Option<PathBuf>, target: Target) -> ChangeHandle {
        self.app.open_change(ChangeRequest::new(repo, target), &CancellationToken::new()).await.expect("opened")
    }

    async fn reopen(&self, id: &str) -> Reopened {
        self.app.reopen_review(id, &CancellationToken::new()).await.expect("found")
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce(&App) -> T + Send + 'static) -> T {
        let app = Arc::clone(&self.app);
        tokio::task::spawn_blocking(move || work(&app)).await.expect("ended")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_of_local_changes_are_compared_by_saved_diffs() {
    let case = Case::new();
    let two = "import os\n\n\ndef pay():\n    os.remove('a')\n    return 1\n\n\ndef log():\n    os.system('ls')\n";
    case.repo.write("pay.py", two);
    let first = case.review(LOCAL).await;
    case.repo.write("pay.py", two.replace("os.remove('a')", "os.getenv('a')"));
    let second = case.review(LOCAL).await;
    let told = case.blocking(move |app| {
        let rounds = app.compare_rounds(&second, &first).expect("compared");
        assert!(rounds.earlier.created_at <= rounds.later.created_at, "whichever is named first");
        rounds.findings.iter().map(|one| one.round).collect::<Vec<_>>()
    });
    let told = told.await;
    // The new read of the environment is a new finding, the remaining call is still there, and the removed one is fixed.
    assert_eq!(told, [Round::New, Round::Still, Round::Fixed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_file_is_followed_by_rounds_and_relocation() {
    let case = Case::new();
    let lines: String = (0..30).map(|at| format!("    value_{at} = {at}\n")).collect();
    case.repo.write("pay.py", format!("import os\n\n\ndef pay():\n{lines}    return 1\n"));
    case.repo.commit("more");
    case.repo.git(["checkout", "-q", "-b", "topic"]);
    let text = format!("import os\n\n\ndef pay():\n    os.remove('a')\n{lines}    os.system('ls')\n    return 1\n");
    case.repo.write("pay.py", &text);
    case.repo.commit("second");
    let branch = Target::Branch { name: Some("topic".into()), base: None };
    let first = case.review(branch.clone()).await;
    case.repo.git(["mv", "pay.py", "billing.py"]);
    case.repo.write("billing.py", format!("# Moved.\n{}", text.replace("    os.remove('a')\n", "    print('a')\n")));
    case.repo.commit("third");
    let handle = case.open(Some(case.repo.path().to_owned()), branch.clone()).await;
    let opened = Arc::clone(&handle.opened);
    let of_first = first.clone();
    let (placed, exported) = case
        .blocking(move |app| {
            let saved = app.review_by_id(&of_first).expect("saved");
            let format = diffsan_export::Format::of("json").expect("a format");
            let exported = app.export(&saved, &opened, format).expect("exported").text;
            (app.reanchor(&opened, &of_first).expect("relocated").output.findings, exported)
        })
        .await;
    let system = placed.iter().find(|one| one.content.body_markdown.contains("os.system")).expect("the finding");
    assert_eq!((system.anchor.path.as_str(), system.anchor.line_start), ("billing.py", Some(37)));
    let line = exported.lines().find(|line| line.contains("\"line_start\": 37"));
    assert!(line.is_some() && exported.contains("billing.py"), "an export is placed like the window: {exported}");
    let second = case.review(branch).await;
    let told = case.blocking(move |app| {
        let rounds = app.compare_rounds(&first, &second).expect("compared");
        rounds.findings.iter().filter(|one| one.later.is_none()).map(|one| one.why).collect::<Vec<_>>()
    });
    assert_eq!(told.await, ["its code was edited, and the later review does not report it"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_that_is_renamed_later_is_followed_by_rounds() {
    let case = Case::new();
    case.repo.git(["checkout", "-q", "-b", "topic"]);
    let lines: String = (0..30).map(|at| format!("    value_{at} = {at}\n")).collect();
    let text = format!("import os\n\n\ndef refund():\n    os.remove('a')\n{lines}    return 1\n");
    case.repo.write("refund.py", &text);
    case.repo.commit("second");
    let branch = Target::Branch { name: Some("topic".into()), base: None };
    let first = case.review(branch.clone()).await;
    case.repo.git(["mv", "refund.py", "back.py"]);
    case.repo.write("back.py", text.replace("    os.remove('a')\n", "    print('a')\n"));
    case.repo.commit("third");
    let second = case.review(branch).await;
    let told = case.blocking(move |app| {
        let rounds = app.compare_rounds(&first, &second).expect("compared");
        rounds.findings.iter().filter(|one| one.later.is_none()).map(|one| one.why).collect::<Vec<_>>()
    });
    assert_eq!(told.await, ["its code was edited, and the later review does not report it"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_of_lost_local_changes_is_shown_from_its_run_folder() {
    let case = Case::new();
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    os.remove('a')\n    return 1\n");
    let id = case.review(LOCAL).await;
    let same = case.reopen(&id).await;
    assert_eq!((same.target, same.note, same.review), (LOCAL, None, None), "as long as they are as they were");
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    return 2\n");
    let then = case.reopen(&id).await;
    assert!(
        matches!(&then.target, Target::Patch { path, .. } if path.ends_with("diff.raw.patch")),
        "{:?}",
        then.target
    );
    assert_eq!((then.review.as_deref(), then.now), (Some(id.as_str()), Some(LOCAL)));
    let handle = case.open(then.repo, then.target).await;
    handle.opened.pin(then.review);
    let shown = case.blocking(move |app| app.latest_review(&handle.opened).expect("read").expect("it").id);
    assert_eq!(shown.await, id);
    // Without the folder, the review is shown on the current change; without the repository, by itself.
    std::fs::remove_dir_all(case.data.path().join("data/runs")).expect("removed");
    let now = case.reopen(&id).await;
    assert!(now.target == LOCAL && now.note.expect("it says so").contains("the current version"));
    std::fs::remove_dir_all(case.repo.path()).expect("removed");
    let alone = case.reopen(&id).await;
    assert!(alone.repo.is_none() && alone.note.expect("it says so").contains("shown without code"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_of_commits_is_opened_at_them_when_the_branch_moved() {
    let case = Case::new();
    case.repo.git(["checkout", "-q", "-b", "topic"]);
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    os.remove('a')\n    return 1\n");
    let head = case.repo.commit("second");
    let branch = Target::Branch { name: Some("topic".into()), base: None };
    let id = case.review(branch.clone()).await;
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    return 3\n");
    case.repo.commit("third");
    let then = case.reopen(&id).await;
    assert!(
        matches!(&then.target, Target::Range { head: at, merge_base: false, .. } if *at == head),
        "{:?}",
        then.target
    );
    assert_eq!(then.now, Some(branch));
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_of_the_current_branch_are_saved_for_the_branch() {
    const CURRENT: Target = Target::Branch { name: None, base: None };
    let case = Case::new();
    let open = async |target: Target| {
        let handle = case.open(Some(case.repo.path().to_owned()), target).await;
        let opened = Arc::clone(&handle.opened);
        let latest = move |app: &App| app.latest_review(&opened).expect("read").map(|kept| kept.id);
        (handle, case.blocking(latest).await)
    };
    let moved = |handle: &ChangeHandle| {
        let opened = Arc::clone(&handle.opened);
        case.blocking(move |app| app.has_moved(&opened).expect("looked"))
    };
    case.repo.git(["checkout", "-q", "-b", "topic"]);
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    os.remove('a')\n    return 1\n");
    let head = case.repo.commit("second");
    let of_topic = case.review(CURRENT).await;
    let (topic, review) = open(CURRENT).await;
    assert_eq!((topic.opened.title().as_str(), review.as_ref()), ("Branch topic", Some(&of_topic)));
    assert!(!moved(&topic).await);

    // The same diff on another branch: the open change is outdated, and the new one has no review.
    case.repo.git(["checkout", "-q", "-b", "other"]);
    assert!(moved(&topic).await);
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    os.system('ls')\n    return 1\n");
    case.repo.commit("third");
    let (other, review) = open(CURRENT).await;
    assert_eq!((other.opened.title().as_str(), review), ("Branch other", None));
    let of_other = case.review(CURRENT).await;

    // Each review is found under its branch, however the branch is named, and in the history. A tag of the same name is something
    // else.
    case.repo.git(["tag", "topic", "other"]);
    let named = |name: &str| Target::Branch { name: Some(name.to_owned()), base: None };
    assert_eq!(open(named("other")).await.1, Some(of_other));
    let (topic, review) = open(named("topic")).await;
    assert_eq!((topic.opened.change.head.as_ref(), review.as_ref()), (Some(&head), Some(&of_topic)));
    let id = of_topic.clone();
    let reopened = case.reopen(&id).await;
    assert_eq!((reopened.target, reopened.note, reopened.review), (named("topic"), None, None));
    case.repo.git(["checkout", "-q", "heads/topic"]);
    case.repo.git(["symbolic-ref", "HEAD", "refs/heads/topic"]);
    assert_eq!(open(CURRENT).await.1, Some(of_topic));

    case.repo.git(["checkout", "-q", "--detach"]);
    let (commits, review) = open(CURRENT).await;
    assert_eq!((commits.opened.title(), review), (format!("Commits up to {}", &head[..10]), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_a_review_removes_its_run_folder() {
    let case = Case::new();
    case.repo.write("pay.py", "import os\n\n\ndef pay():\n    os.remove('a')\n    return 1\n");
    let id = case.review(LOCAL).await;
    let runs = case.data.path().join("data/runs");
    assert_eq!(std::fs::read_dir(&runs).expect("listed").count(), 1);
    let removed = id.clone();
    case.blocking(move |app| {
        let id = removed;
        app.remove_from_history(EntryKind::Review, &id).expect("removed");
        app.remove_from_history(EntryKind::Review, &id).expect("nothing to do");
        assert!(app.history(&HistoryQuery { limit: 9, ..HistoryQuery::default() }).expect("listed").is_empty());
    })
    .await;
    case.app.reopen_review(&id, &CancellationToken::new()).await.err().expect("it is gone");
    assert_eq!(std::fs::read_dir(&runs).expect("listed").count(), 0);
}
