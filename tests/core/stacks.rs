//! Stacks of three layers: merge requests and local branches. A finding belongs to the layer that introduced its lines, and is posted
//! there, once.

use std::sync::Arc;

use crate::desk::Desk;
use crate::rounds::start_with_token;
use diffsan_app::{App, ChangeHandle, ChangeRequest, NewFinding, Posting, SavedReview};
use diffsan_change::Target;
use diffsan_posting::{FindingElsewhere, PlanOptions, PostVerdict, plan_posting};
use diffsan_stacks::{Layer, LayerReview, Stack};
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT};
use diffsan_test_support::repo::TestRepo;
use tokio_util::sync::CancellationToken;

/// A text of 30 lines, some of which have another content.
fn text(changed: &[(u32, &str)]) -> String {
    let line = |number| match changed.iter().find(|(at, _)| *at == number) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("let value_{number} = {number};\n"),
    };
    (1..=30).map(line).collect()
}

const ONE: (u32, &str) = (10, "one();");
const TWO: (u32, &str) = (12, "two();");
const THREE: (u32, &str) = (14, "three();");

/// A repository with three branches, each with a commit on top of the one before.
fn layers() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.rs", text(&[]));
    repo.commit("base");
    for (branch, changed) in [("one", &[ONE][..]), ("two", &[ONE, TWO]), ("three", &[ONE, TWO, THREE])] {
        repo.git(["checkout", "-q", "-b", branch]);
        repo.write("a.rs", text(changed));
        repo.commit(&format!("add {branch}"));
    }
    repo
}

struct Case {
    app: Arc<App>,
    gitlab: FakeGitlab,
    clone: TestRepo,
    _data: tempfile::TempDir,
}

impl Case {
    async fn new() -> Self {
        let origin = layers();
        origin.git(["checkout", "-q", "main"]);
        let gitlab = FakeGitlab::start(origin.path()).await;
        for (iid, source, target) in [(7, "one", "main"), (8, "two", "one"), (9, "three", "two")] {
            gitlab.merge_request(iid, source, target);
        }
        let clone = TestRepo::clone_of(&origin, &["--single-branch", "-b", "main"]);
        clone.git(["remote", "set-url", "origin", &format!("{}/{PROJECT}.git", gitlab.url())]);
        let (app, data) = start_with_token(&gitlab);
        Self { app, gitlab, clone, _data: data }
    }

    async fn open(&self, iid: u64) -> ChangeHandle {
        let target = Target::MergeRequest { base: self.gitlab.url(), project: PROJECT.into(), iid };
        let repo = Some(self.clone.path().to_owned());
        self.app.open_merge_request(repo, &target, Vec::new(), None).await.expect("opened")
    }

    async fn stack(&self, iid: u64) -> Stack {
        self.app.stack(&self.open(iid).await.opened).await.expect("a stack")
    }

    /// Posts the latest review of an opened merge request, and returns the findings that are not posted there.
    async fn post(&self, handle: &ChangeHandle, review: &SavedReview) -> Vec<FindingElsewhere> {
        let elsewhere =
            self.app.lower_layers(&handle.opened, review.output.findings.clone()).await.expect("the layers");
        let options = PlanOptions { elsewhere, ..PlanOptions::default() };
        let planned = plan_posting(&handle.opened, &review.output, &options).expect("a plan");
        let posting = Posting {
            opened: &handle.opened,
            plan: &planned.plan,
            review_id: Some(&review.id),
            folder: None,
            degrade: false,
            verdict: PostVerdict::Comment,
        };
        let posted = self.app.post(&posting, &CancellationToken::new(), &|_| ()).await.expect("posted");
        assert!(posted.complete, "{posted:?}");
        planned.elsewhere
    }

    /// Returns the first lines of the comments on a merge request, with the lines that they are on.
    fn posted(&self, iid: u64) -> Vec<(Option<u32>, String)> {
        let line = |body: &str| body.lines().find(|line| line.contains("line")).unwrap_or_default().to_owned();
        let comments = self.gitlab.posted(iid);
        let mut posted: Vec<_> =
            comments.iter().map(|one| (one.position.as_ref().and_then(|at| at.new_line), line(&one.body))).collect();
        posted.sort();
        posted
    }
}

fn finding(line: u32) -> NewFinding {
    crate::desk::finding(line, &format!("line {line} is wrong"))
}

/// Returns the layers as `depth:name<onto`, with `*` for the opened one.
fn names(stack: &Stack) -> Vec<String> {
    let name = |layer: &Layer| {
        let here = if layer.current { "*" } else { "" };
        format!("{}:{}<{}{here}", layer.depth, layer.onto, layer.source)
    };
    stack.layers.iter().map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn open_merge_requests_on_each_other_are_a_stack() {
    let case = Case::new().await;
    assert_eq!(names(&case.stack(8).await), ["0:main<one", "1:one<two*", "2:two<three"]);
    assert_eq!(names(&case.stack(7).await)[0], "0:main<one*");
    // Each layer shows its own change.
    let opened = case.open(9).await.opened;
    assert_eq!(opened.change.line_counts().added, 1);
    // A layer that is merged is none any more. One alone is no stack.
    case.gitlab.with(|state| {
        for iid in [7, 8] {
            state.change(PROJECT, iid, |request| request.state = "merged".into());
        }
    });
    assert_eq!(case.stack(9).await, Stack::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_layer_has_the_state_of_its_review_and_of_the_layer_below() {
    let case = Case::new().await;
    let handle = case.open(7).await;
    case.app.add_finding(&handle.opened, finding(10), None).expect("added");
    let states = |stack: &Stack| -> Vec<(LayerReview, bool)> {
        stack.layers.iter().map(|layer| (layer.review, layer.behind)).collect()
    };
    let (none, current) = ((LayerReview::None, false), (LayerReview::Current, false));
    assert_eq!(states(&case.stack(9).await), [current, none, none]);
    // A push to the lowest layer, which the others are not rebased onto.
    case.gitlab.commit("one", "a.rs", &text(&[ONE, (20, "more();")]));
    case.gitlab.pushed(7);
    case.open(7).await;
    let behind = (LayerReview::None, true);
    assert_eq!(states(&case.stack(9).await), [(LayerReview::Outdated, false), behind, none]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_is_posted_once_on_the_layer_that_introduced_its_lines() {
    let case = Case::new().await;
    let top = case.open(9).await;
    let mut review = None;
    // Lines of the three layers, and one that is older than the stack.
    for line in [10, 12, 14, 16] {
        review = Some(case.app.add_finding(&top.opened, finding(line), None).expect("added"));
    }
    let review = review.expect("a review");
    let elsewhere = case.post(&top, &review).await;
    let named: Vec<(&str, &str)> = elsewhere.iter().map(|one| (one.place.as_str(), one.layer.name.as_str())).collect();
    assert_eq!(named, [("a.rs:10", "!7"), ("a.rs:12", "!8")]);
    let own = [(Some(14), "line 14 is wrong".to_owned()), (Some(16), "line 16 is wrong".to_owned())];
    assert_eq!(case.posted(9), own);
    // They are moved to their layers, and posted there.
    for (at, iid, line) in [(0, 7, 10), (1, 8, 12)] {
        let FindingElsewhere { key, layer, .. } = &elsewhere[at];
        let moving = || case.app.move_to_layer(&top.opened, &review.id, vec![key.clone()], layer.target.clone());
        let moved = moving().await.expect("moved");
        assert_eq!((moved.added, moved.known), (1, 0));
        let again = moving().await.expect("moved");
        assert_eq!((again.added, again.known), (0, 1), "it is there already");
        let lower = case.open(iid).await;
        let saved = case.app.latest_review(&lower.opened).expect("read").expect("a review");
        for _ in 0..2 {
            assert_eq!(case.post(&lower, &saved).await, []);
        }
        assert_eq!(case.posted(iid), [(Some(line), format!("line {line} is wrong"))]);
    }
    assert_eq!(case.posted(9), own);
    // A layer that the finding does not belong to is refused.
    let other = elsewhere[0].layer.target.clone();
    let refused = case.app.move_to_layer(&top.opened, &review.id, vec![elsewhere[1].key.clone()], other).await;
    assert!(refused.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_belongs_to_its_layer_after_that_was_rewritten() {
    let case = Case::new().await;
    let top = case.open(8).await;
    let review = case.app.add_finding(&top.opened, finding(10), None).expect("added");
    // The commit of the lowest layer gets another id, and the layer above keeps the old one.
    let origin = case.gitlab.repository();
    let run = |arguments: &[&str]| {
        let mut command = diffsan_test_support::repo::git(&origin);
        let done = command.args(arguments).output().expect("git");
        assert!(done.status.success(), "{done:?}");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    };
    let (tree, author) =
        (run(&["rev-parse", "one^{tree}"]), run(&["log", "-1", "--format=%an|%ae|%ad", "--date=raw", "one"]));
    let parts: Vec<&str> = author.split('|').collect();
    let mut command = diffsan_test_support::repo::git(&origin);
    command.args(["commit-tree", &tree, "-p", "main", "-m", "add one\n\nWith a reason."]);
    command.env("GIT_AUTHOR_NAME", parts[0]).env("GIT_AUTHOR_EMAIL", parts[1]).env("GIT_AUTHOR_DATE", parts[2]);
    let made = command.output().expect("git");
    let id = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    run(&["update-ref", "refs/heads/one", &id]);
    case.gitlab.pushed(7);
    case.open(7).await;
    let layers = case.app.lower_layers(&top.opened, review.output.findings.clone()).await.expect("the layers");
    let names: Vec<&str> = layers.values().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["!7"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_branches_in_a_row_are_a_stack() {
    let desk = Desk::new();
    desk.repo.git(["checkout", "-q", "-f", "main"]);
    for (branch, changed) in [("one", 10), ("two", 20), ("three", 30)] {
        desk.repo.git(["checkout", "-q", "-b", branch]);
        desk.repo.write("a.rs", crate::desk::lines(&[(changed, branch)]));
        desk.repo.commit(branch);
    }
    desk.repo.git(["branch", "other", "main"]);
    let open = |name: &str, base: Option<&str>| {
        let target = Target::Branch { name: Some(name.into()), base: base.map(str::to_owned) };
        let repo = Some(desk.repo.path().to_owned());
        let app = Arc::clone(&desk.app);
        async move { app.open_change(ChangeRequest::new(repo, target), &CancellationToken::new()).await.expect("opened") }
    };
    let two = open("two", None).await;
    let stack = desk.app.stack(&two.opened).await.expect("a stack");
    assert_eq!(names(&stack), ["0:main<one", "1:one<two*", "2:two<three"]);
    // The target of a layer shows only its own commits.
    let layer = &stack.layers[2];
    assert_eq!(layer.target, Target::Branch { name: Some("three".into()), base: Some("two".into()) });
    let three = open("three", Some("two")).await;
    assert_eq!(three.opened.change.messages, ["three"]);
    desk.app.add_finding(&three.opened, finding(30), None).expect("added");
    let stack = desk.app.stack(&three.opened).await.expect("a stack");
    let reviews: Vec<LayerReview> = stack.layers.iter().map(|layer| layer.review).collect();
    assert_eq!(reviews, [LayerReview::None, LayerReview::None, LayerReview::Current]);
    // A branch without commits of its own is in no stack.
    let other = open("other", None).await;
    assert_eq!(desk.app.stack(&other.opened).await.expect("a stack"), Stack::default());
}
