//! A merge request on the fake GitLab, and a posting to it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use diffsan_change::{Change, Fingerprint, Target};
use diffsan_config::PostingWay;
use diffsan_forge::gitlab::DiffRefs;
use diffsan_forge::gitlab::{Client, Token};
use diffsan_forge::post_plan::{ChosenFinding, MarkerKeys, OwnNote, PlanInput, PostPlan, marks, plan};
use diffsan_git::{ReadOptions, Repo};
use diffsan_pipeline::error::Error;
use diffsan_posting::{PostEvent, PostOutcome, PostRequest, PostVerdict, PostingContext, post};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Finding, Severity};
use diffsan_review::unsent::UnsentFiles;
use diffsan_review::{ReviewMeta, ReviewOutput, Timings};
use diffsan_store::Store;
use diffsan_test_support::gitlab::{FakeGitlab, Fault, PROJECT, ServerVersion, State, TOKEN, versions};
use diffsan_test_support::repo::TestRepo;
use tokio_util::sync::CancellationToken;

/// A merge request and the plan of a posting.
pub struct Case {
    pub gitlab: FakeGitlab,
    pub plan: PostPlan,
    pub client: Client,
    pub(super) machine: Machine,
    /// The state of the server before the first posting.
    start: State,
}

/// A data folder with the journal and the locks of postings.
pub(super) struct Machine {
    pub(super) store: Store,
    pub(super) locks: tempfile::TempDir,
}

impl Machine {
    pub(super) fn new() -> Self {
        Self { store: Store::in_memory().expect("a store"), locks: tempfile::tempdir().expect("a folder") }
    }
}

const LINES: u32 = 120;

/// Returns a repository whose branch `topic` changes every line of `a.rs`.
pub fn origin() -> TestRepo {
    let repo = TestRepo::new();
    let text = |word: &str| (1..=LINES).map(|line| format!("{word} {line}\n")).collect::<String>();
    repo.write("a.rs", text("old"));
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", text("new"));
    repo.commit("topic");
    repo.git(["checkout", "-q", "main"]);
    repo
}

pub fn review(change: &Change, count: u32) -> ReviewOutput {
    let finding = |number: u32| Finding {
        key: format!("{number:016x}"),
        sources: vec!["codex".into()],
        ..Finding::new(
            AgentFinding {
                title: Some(format!("Finding {number}")),
                body_markdown: format!("Line {number} is wrong.\n/approve\n@author"),
                ..AgentFinding::new(Severity::High, Category::Correctness, "a.rs", (number, number))
            },
            Anchor::new(AnchorState::Verified, "a.rs", Some((number, number)), true),
        )
    };
    let mut findings: Vec<Finding> = (1..=count).map(finding).collect();
    // A finding without a line in the change.
    let mut elsewhere = finding(count + 1);
    elsewhere.anchor.path = "elsewhere.rs".into();
    findings.push(elsewhere);
    ReviewOutput {
        summary_markdown: "It is fine.\n\n/merge".into(),
        findings,
        intent: Vec::new(),
        chapters: Vec::new(),
        second_opinion: None,
        meta: ReviewMeta {
            fingerprint: Fingerprint { algo: "sha256".into(), value: "ab".repeat(32) },
            agent: "codex".into(),
            agents: Vec::new(),
            model: None,
            timings: Timings::default(),
            token_usage: None,
            cost_usd: None,
            truncated: false,
            redaction_found: false,
            base_sha: change.base.clone(),
            head_sha: change.head.clone(),
            coverage: "all 2 lines sent".into(),
            attempts: 1,
            batches: 1,
            read_as: "strict".into(),
            unreadable: Vec::new(),
            facts: None,
            reading: None,
            unsent: UnsentFiles::default(),
            reviewed: None,
        },
    }
}

/// Returns the keys that the user's token gives for merge request 7.
pub fn marker_keys() -> MarkerKeys {
    MarkerKeys::new(&[TOKEN.as_bytes()], "https://gitlab.example.com", 1, 7)
}

pub fn client(gitlab: &FakeGitlab) -> Client {
    let client = Client::new(&gitlab.url(), &Token::new(TOKEN), None).expect("a client");
    client.with_pause(Duration::from_millis(5))
}

impl Case {
    /// Starts a server of a version, and plans a review with several findings on lines and one elsewhere.
    pub async fn new(version: ServerVersion, origin: &TestRepo, count: u32) -> Self {
        let gitlab = versions::start(version, origin).await;
        let plan = planned(origin.path(), &gitlab, count);
        Self::with_plan(gitlab, plan)
    }

    pub fn with_plan(gitlab: FakeGitlab, plan: PostPlan) -> Self {
        let (client, start) = (client(&gitlab), gitlab.with(|state| state.clone()));
        Self { gitlab, plan, client, machine: Machine::new(), start }
    }

    /// Undoes all postings on the server.
    pub(super) fn reset(&self) {
        self.gitlab.with(|state| state.clone_from(&self.start));
    }

    pub async fn post(&self, way: PostingWay) -> Result<PostOutcome, Error> {
        self.post_from(&self.machine, way, false, &|_| ()).await
    }

    pub(super) async fn post_and_notify(
        &self,
        way: PostingWay,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome, Error> {
        self.post_from(&self.machine, way, false, notify).await
    }

    /// Posts the plan. A finding whose line is refused is posted on its file or in the summary.
    pub async fn post_degrading(&self, way: PostingWay) -> Result<PostOutcome, Error> {
        self.post_from(&self.machine, way, true, &|_| ()).await
    }

    pub(super) async fn post_from(
        &self,
        machine: &Machine,
        way: PostingWay,
        degrade: bool,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome, Error> {
        self.run(machine, (way, degrade), &CancellationToken::new(), notify).await
    }

    /// Posts the plan until it is stopped.
    pub(super) async fn post_until(
        &self,
        machine: &Machine,
        cancel: &CancellationToken,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome, Error> {
        self.run(machine, (PostingWay::Auto, false), cancel, notify).await
    }

    async fn run(
        &self,
        machine: &Machine,
        (way, degrade): (PostingWay, bool),
        cancel: &CancellationToken,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome, Error> {
        let request = PostRequest {
            client: &self.client,
            host: &self.gitlab.url(),
            project: PROJECT,
            iid: 7,
            plan: &self.plan,
            markers: &marker_keys(),
            review_id: None,
            mode: way,
            degrade,
            verdict: PostVerdict::Comment,
        };
        let context = PostingContext {
            store: &machine.store,
            locks: machine.locks.path(),
            cancel,
            notify,
            pause: Duration::from_millis(5),
        };
        post(&request, &context).await
    }

    /// Returns the number of copies of each finding and of the summary.
    pub(super) fn copies(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for note in self.gitlab.look(7).threads.iter().flat_map(|thread| &thread.notes) {
            let marks = marks::read(&note.body, &marker_keys());
            for key in marks.findings.into_iter().chain(marks.review) {
                *counts.entry(key).or_insert(0) += 1;
            }
        }
        counts
    }

    /// Checks that everything is posted once, no draft of ours is left, and no text had an effect.
    pub(super) fn check(&self, what: &str) {
        let summary = self.plan.summary.as_ref().expect("a summary");
        let wanted = self.plan.items.iter().chain(&summary.folded).map(|item| &item.key).chain([&summary.key]);
        let copies = self.copies();
        for key in wanted {
            assert_eq!(copies.get(key), Some(&1), "{what}: {key} of {copies:?}");
        }
        for draft in self.gitlab.look(7).drafts {
            assert!(
                marks::read(&draft.note, &marker_keys()).findings.is_empty(),
                "{what}: a draft of ours was left: {draft:?}"
            );
        }
        let (executed, mentioned) = self.gitlab.with(|state| (state.executed.clone(), state.mentioned.clone()));
        assert!(executed.is_empty() && mentioned.is_empty(), "{what}: {executed:?} {mentioned:?}");
        let asked = self.gitlab.requests();
        assert!(asked.iter().all(|one| one.token == "header" && !one.path.contains(TOKEN)), "{what}");
    }

    pub(super) fn fail(&self, method: &str, part: &str, after: usize, fault: Fault) {
        self.gitlab.with(|state| state.faults.push((method.into(), part.into(), after, fault)));
    }

    pub(super) fn writes(&self) -> usize {
        self.gitlab.requests().iter().filter(|one| one.method != "GET").count()
    }

    /// Returns the reviewer's comments with their markers, oldest first.
    pub(super) fn own_notes(&self) -> Vec<OwnNote> {
        let threads = self.gitlab.look(7).threads;
        let notes = threads.into_iter().flat_map(|thread| thread.notes).filter(|note| !note.system);
        let mut own: Vec<OwnNote> = notes
            .map(|note| OwnNote { id: note.id, marks: marks::read(&note.body, &marker_keys()), body: note.body })
            .collect();
        own.sort_by_key(|note| note.id);
        own
    }

    /// Adds a draft of a person.
    pub(super) fn human_draft(&self) {
        self.gitlab.with(|state| state.human_draft(7, "I am still thinking"));
    }

    pub(super) fn human_drafts(&self) -> usize {
        self.gitlab.look(7).drafts.iter().filter(|draft| draft.note == "I am still thinking").count()
    }
}

pub(super) fn reviewed_change(repo: &Path, gitlab: &FakeGitlab) -> (Change, DiffRefs) {
    let version = gitlab.look(7).versions.last().cloned().expect("a version");
    let refs = DiffRefs { base_sha: version.base.clone(), start_sha: version.start, head_sha: version.head.clone() };
    let target = Target::Range { base: version.base, head: version.head, merge_base: false };
    let options = ReadOptions { renames: 30, ..ReadOptions::default() };
    (Repo::open(repo).expect("a repository").change(&target, &options).expect("a change"), refs)
}

pub(super) fn all_of(review: &ReviewOutput) -> Vec<ChosenFinding> {
    review.findings.iter().map(|one| ChosenFinding { finding: one.key.clone(), body: None }).collect()
}

pub(super) fn planned(repo: &Path, gitlab: &FakeGitlab, count: u32) -> PostPlan {
    let (change, refs) = reviewed_change(repo, gitlab);
    let review = review(&change, count);
    let chosen = all_of(&review);
    plan_of(&review, &chosen, &change, &refs, gitlab.version().has_file_positions())
}

/// Plans the posting of a review with its summary.
pub fn plan_of(
    review: &ReviewOutput,
    chosen: &[ChosenFinding],
    change: &Change,
    refs: &DiffRefs,
    file_comments: bool,
) -> PostPlan {
    plan(&PlanInput { refs, file_comments, ..input(review, chosen, change) }).expect("serialisable")
}

/// Plans the posting of a review with its summary, with the texts of whole files.
pub fn plan_of_files(
    review: &ReviewOutput,
    chosen: &[ChosenFinding],
    change: &Change,
    head: &dyn Fn(&str) -> Option<String>,
) -> PostPlan {
    plan(&PlanInput { head, ..input(review, chosen, change) }).expect("serialisable")
}

static NO_REFS: LazyLock<DiffRefs> = LazyLock::new(DiffRefs::default);
static MARKERS: LazyLock<MarkerKeys> = LazyLock::new(marker_keys);

pub(super) fn input<'a>(review: &'a ReviewOutput, chosen: &'a [ChosenFinding], change: &'a Change) -> PlanInput<'a> {
    PlanInput {
        review,
        chosen,
        change,
        refs: &NO_REFS,
        file_comments: true,
        summary: true,
        summary_text: None,
        requirements: false,
        tag: "ai-reviewer",
        own: &[],
        idempotent_summary: false,
        truncation: None,
        pipeline: None,
        warn_of_secrets: true,
        markers: &MARKERS,
        head: &|_| None,
    }
}
