//! One summary and fifty comments against the fake GitLab, which answers after 30 ms: the number of requests and the time, compared with
//! the time of the writes alone, one after another. `cargo bench --bench benchmarks -- posting`

use std::time::{Duration, Instant};

use super::row::{Compared, row};
use diffsan_change::Target;
use diffsan_config::PostingWay;
use diffsan_forge::gitlab::DiffRefs;
use diffsan_forge::gitlab::{Client, Token};
use diffsan_forge::post_plan::{ChosenFinding, MarkerKeys, PlanInput, PostPlan, plan};
use diffsan_git::{ReadOptions, Repo};
use diffsan_posting::{PostRequest, PostVerdict, PostingContext, post};
use diffsan_review::ReviewOutput;
use diffsan_store::Store;
use diffsan_test_support::gitlab::{FakeGitlab, PROJECT, TOKEN};
use diffsan_test_support::repo::TestRepo;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const COMMENTS: u32 = 50;
const LATENCY: u64 = 30;
const ROUNDS: usize = 5;

pub(super) fn run(_: &[String]) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for (name, way) in [("drafts, one notification", PostingWay::Auto), ("discussions", PostingWay::Discussions)] {
        let mut rounds: Vec<_> = (0..ROUNDS).map(|_| runtime.block_on(once(way))).collect();
        rounds.sort();
        let (took, requests, writes) = rounds[ROUNDS / 2];
        let alone = Duration::from_millis(LATENCY) * u32::try_from(writes).expect("few");
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let compared = Compared::Peer("the writes alone", milliseconds(alone), Some(1.0));
        row(&format!("posting as {name}"), &format!("{COMMENTS} comments"), milliseconds(took), "ms", &compared);
        println!(
            "{name}: {requests} requests ({writes} writes) in {} ms; the writes one after another {} ms ({:.2})",
            took.as_millis(),
            alone.as_millis(),
            took.as_secs_f64() / alone.as_secs_f64()
        );
    }
}

fn marker_keys() -> MarkerKeys {
    MarkerKeys::new(&[TOKEN.as_bytes()], "https://gitlab.example.com", 1, 7)
}

async fn once(way: PostingWay) -> (Duration, usize, usize) {
    let repo = TestRepo::new();
    repo.write("a.rs", "");
    repo.commit("base");
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.write("a.rs", (0..200).map(|line| format!("line {line}\n")).collect::<String>());
    repo.commit("topic");
    repo.git(["checkout", "-q", "main"]);
    let gitlab = FakeGitlab::start(&repo.path().join(".git")).await;
    gitlab.merge_request(7, "topic", "main");
    gitlab.with(|state| state.switches.latency = LATENCY);
    let plan = planned(&repo, &gitlab);
    let client = Client::new(&gitlab.url(), &Token::new(TOKEN), None).expect("a client");
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("state.sqlite3")).expect("a store");
    let host = gitlab.url();
    let request = PostRequest {
        client: &client,
        host: &host,
        project: PROJECT,
        iid: 7,
        plan: &plan,
        markers: &marker_keys(),
        review_id: None,
        mode: way,
        degrade: false,
        verdict: PostVerdict::Comment,
    };
    let cancel = CancellationToken::new();
    let around = PostingContext {
        store: &store,
        locks: folder.path(),
        cancel: &cancel,
        notify: &|_| (),
        pause: Duration::from_secs(1),
    };
    let begun = Instant::now();
    let outcome = post(&request, &around).await.expect("posted");
    let took = begun.elapsed();
    assert!(outcome.complete, "{outcome:?}");
    let asked = gitlab.requests();
    (took, asked.len(), asked.iter().filter(|one| one.method != "GET").count())
}

fn planned(repo: &TestRepo, gitlab: &FakeGitlab) -> PostPlan {
    let version = gitlab.look(7).versions.last().cloned().expect("a version");
    let refs = DiffRefs { base_sha: version.base.clone(), start_sha: version.start, head_sha: version.head.clone() };
    let target = Target::Range { base: version.base, head: version.head, merge_base: false };
    let change =
        Repo::open(repo.path()).expect("a repository").change(&target, &ReadOptions::default()).expect("a change");
    let findings: Vec<_> = (1..=COMMENTS)
        .map(|line| {
            json!({ "id": format!("f{line}"), "severity": "high", "category": "correctness", "path": "a.rs", "line_start": line,
                "line_end": line, "body_markdown": format!("Line {line} is wrong."), "sources": ["codex"],
                "anchor": { "state": "verified", "path": "a.rs", "side": "new", "line_start": line, "line_end": line, "in_change": true } })
        })
        .collect();
    let review: ReviewOutput = serde_json::from_value(json!({
        "summary_markdown": "Fine.", "findings": findings,
        "meta": { "fingerprint": { "algo": "sha256", "value": "ab" }, "agent": "codex", "model": null, "token_usage": null,
            "timings": { "fetch_ms": 0, "prepare_ms": 0, "agent_ms": 0, "total_ms": 0 }, "truncated": false, "redaction_found": false,
            "base_sha": change.base, "head_sha": change.head, "coverage": "all", "attempts": 1, "batches": 1, "read_as": "strict" }
    }))
    .expect("a review");
    let chosen: Vec<ChosenFinding> =
        review.findings.iter().map(|one| ChosenFinding { finding: one.key.clone(), body: None }).collect();
    plan(&PlanInput {
        review: &review,
        chosen: &chosen,
        change: &change,
        refs: &refs,
        file_comments: true,
        summary: true,
        summary_text: None,
        requirements: false,
        tag: "ai-reviewer",
        own: &[],
        idempotent_summary: false,
        truncation: None,
        pipeline: None,
        warn_of_secrets: false,
        markers: &marker_keys(),
        head: &|_| None,
    })
    .expect("serialisable")
}
