//! Posted notes with hostile and ordinary texts in every field, interpreted as GitLab does.

use std::collections::BTreeSet;
use std::thread;

use bytes::Bytes;
use diffsan_change::Fingerprint;
use diffsan_change::{Change, parse_patch};
use diffsan_evidence::{AgentReading, FileAccess, FileReading, Reading};
use diffsan_forge::gitlab::{DiffRefs, Landing};
use diffsan_forge::post_plan::{ChosenFinding, MarkerKeys, PlanInput, marks, plan};
use diffsan_prepare::types::{TruncationItem, TruncationKind, TruncationReport};
use diffsan_review::finding::{
    AgentFinding, Anchor, AnchorState, Category, Claim, Edit, Evidence, Finding, Fix, PatchFormat, Severity, Side,
    SuggestedPatch, Verdict,
};
use diffsan_review::stability::{RunCount, RunsResult};
use diffsan_review::unsent::UnsentFiles;
use diffsan_review::{AgentResult, ReviewMeta, ReviewOutput, Timings, UnreadableFinding};
use diffsan_test_support::gitlab::corpus::{hostile, readable};
use diffsan_test_support::gitlab::hostile::{Fields, Generator};
use diffsan_test_support::gitlab::markdown::{NoteEffects, effects_of};

const HEAD: &str = "one\ntwo\nthree\n";
const GENERATED_REVIEWS: u64 = 50_000;

/// A posted note, and the active parts that diffsan intends.
struct Posted {
    text: String,
    suggestion: bool,
    markers: usize,
}

pub fn change() -> Change {
    let patch = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n one\n-2\n+two\n three\n";
    parse_patch(Bytes::from(patch)).expect("a patch")
}

fn keys() -> MarkerKeys {
    MarkerKeys::new(&[b"installation", b"token"], "https://gitlab.example.com", 1, 7)
}

fn finding(fields: &Fields, number: usize, path: &str) -> Finding {
    let line = 2;
    let patch = (!fields.patch.is_empty())
        .then(|| SuggestedPatch { format: PatchFormat::Replacement, content: fields.patch.clone() });
    Finding {
        key: format!("{number:016x}"),
        content: AgentFinding {
            title: (!fields.title.is_empty()).then(|| fields.title.clone()),
            body_markdown: fields.body.clone(),
            suggested_patch: patch,
            ..AgentFinding::new(Severity::High, Category::Security, path.to_owned(), (line, line))
        },
        anchor: Anchor::new(AnchorState::Verified, path.to_owned(), Some((line, line)), true),
        sources: vec![fields.agent.clone()],
        verdict: Verdict::Contradicted,
        claims: vec![Claim {
            claim: fields.claim.clone(),
            verdict: Verdict::Contradicted,
            evidence: Some(Evidence { path: fields.path.clone(), line, text: String::new() }),
        }],
        chain: Vec::new(),
        fix: (!fields.patch.is_empty()).then(|| Fix {
            path: path.to_owned(),
            edits: vec![Edit {
                line_start: line,
                lines: 1,
                text: format!("{}\n", fields.patch.trim_end_matches('\n')),
            }],
        }),
        code: None,
        runs: vec![RunCount { agent: fields.agent.clone(), found: 2, of: 3, failed: 0 }],
        original: None,
        unedited_since: None,
    }
}

fn review(fields: &Fields) -> ReviewOutput {
    let failed = AgentResult {
        name: fields.agent.clone(),
        model: None,
        findings: None,
        attempts: 1,
        token_usage: None,
        cost_usd: None,
        error: Some(fields.error.clone()),
        sandbox: None,
        runs: Some(RunsResult {
            answered: 3,
            failed: vec![fields.error.clone()],
            findings: 3,
            in_every_run: 0,
            agreement: Some(4.0 / 9.0),
        }),
    };
    let reading = Reading {
        files: vec![FileReading { path: fields.path.clone(), ..FileReading::default() }],
        agents: vec![AgentReading {
            agent: fields.agent.clone(),
            title: fields.title.clone(),
            events: true,
            access: FileAccess::NotObserved,
            reason: Some(fields.error.clone()),
            opened: vec![fields.claim.clone()],
            not_confirmed: vec![fields.path.clone()],
            ..AgentReading::default()
        }],
    };
    ReviewOutput {
        summary_markdown: fields.summary.clone(),
        // One finding on its line, one in the summary with its hostile path, and one that the user edited.
        findings: vec![finding(fields, 1, "a.rs"), finding(fields, 2, &fields.path), finding(fields, 3, "b.rs")],
        intent: Vec::new(),
        chapters: Vec::new(),
        second_opinion: None,
        meta: ReviewMeta {
            fingerprint: Fingerprint { algo: "sha256".into(), value: "ab".repeat(32) },
            agent: fields.agent.clone(),
            agents: vec![failed],
            model: Some(fields.model.clone()),
            timings: Timings::default(),
            token_usage: None,
            cost_usd: None,
            truncated: true,
            redaction_found: true,
            base_sha: None,
            head_sha: Some("cd".repeat(20)),
            coverage: fields.coverage.clone(),
            attempts: 1,
            batches: 1,
            read_as: "strict".into(),
            unreadable: vec![UnreadableFinding {
                agent: fields.agent.clone(),
                problems: vec![fields.claim.clone()],
                text: fields.body.clone(),
            }],
            facts: None,
            reading: Some(reading),
            unsent: UnsentFiles { paths: vec![fields.path.clone()], more: true },
            reviewed: None,
        },
    }
}

/// Returns the notes of a review: a comment on a line, and the summary with the findings that have no line.
fn posted(change: &Change, fields: &Fields) -> Vec<Posted> {
    let review = review(fields);
    let edited = |number: usize| (number == 3 && !fields.edited.is_empty()).then(|| fields.edited.clone());
    let chosen: Vec<ChosenFinding> =
        (1..=3).map(|number| ChosenFinding { finding: format!("{number:016x}"), body: edited(number) }).collect();
    let items = fields.dropped.iter().map(|path| TruncationItem {
        kind: TruncationKind::File,
        path: path.clone(),
        details: fields.coverage.clone(),
    });
    let truncation = TruncationReport { truncated: true, items: items.collect(), ..TruncationReport::default() };
    let sha = "ef".repeat(20);
    let refs = DiffRefs { base_sha: sha.clone(), start_sha: sha.clone(), head_sha: sha };
    let made = plan(&PlanInput {
        review: &review,
        chosen: &chosen,
        change,
        refs: &refs,
        file_comments: true,
        summary: true,
        summary_text: None,
        requirements: true,
        tag: "ai-reviewer",
        own: &[],
        idempotent_summary: false,
        truncation: Some(&truncation),
        pipeline: Some(&fields.category),
        warn_of_secrets: true,
        markers: &keys(),
        head: &|path| (path == "a.rs").then(|| HEAD.to_owned()),
    })
    .expect("serialisable");
    let summary = made.summary.as_ref().expect("a summary");
    let whole = Posted { text: summary.body(&[], &keys()), suggestion: false, markers: summary.folded.len() + 6 };
    let items = made.items.into_iter().map(|item| Posted { text: item.body, suggestion: item.suggestion, markers: 2 });
    items.chain([whole]).collect()
}

/// Describes an active part of a note that is not diffsan's own. Returns `None` if there is none.
fn foreign(note: &Posted) -> Option<String> {
    const OWN_TAGS: &[&str] = &[
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "<sub>",
        "</sub>",
        "<code>",
        "</code>",
        "<strong>",
        "</strong>",
    ];
    // Names of standards, which no issue tracker has as a project.
    const STANDARDS: &[&str] =
        &["UTF-", "SHA-", "ISO-", "RFC-", "CVE-", "CWE-", "AES-", "ES-", "PEP-", "BASE-", "HTTP-", "IEEE-"];
    let NoteEffects {
        executed,
        mentioned,
        references,
        mut external_issues,
        images,
        mut html,
        includes,
        suggestions,
        other_active_blocks,
        markers,
        stored: _,
    } = effects_of(&note.text);
    html.retain(|tag| !OWN_TAGS.contains(&tag.as_str()));
    external_issues.retain(|key| !STANDARDS.iter().any(|name| key.starts_with(name)));
    let mut found = BTreeSet::new();
    let mut add = |name: &str, what: &dyn std::fmt::Debug, empty: bool| {
        if !empty {
            found.insert(format!("{name}: {what:?}"));
        }
    };
    add("executes", &executed, executed.is_empty());
    add("mentions", &mentioned, mentioned.is_empty());
    add("refers", &references, references.is_empty());
    add("refers outside", &external_issues, external_issues.is_empty());
    add("shows", &images, images.is_empty());
    add("HTML", &html, html.is_empty());
    add("includes", &includes, includes.is_empty());
    add("suggests", &suggestions, suggestions.len() == usize::from(note.suggestion));
    add("draws", &other_active_blocks, other_active_blocks.is_empty());
    let own = markers.len() == note.markers && markers.iter().all(|marker| marker.comment && marker.at_end);
    add("marks", &markers, own);
    let sealed = marks::read(&note.text, &keys());
    add("has no seal", &sealed, sealed != marks::Marks::default());
    (!found.is_empty()).then(|| found.into_iter().collect::<Vec<_>>().join("\n"))
}

fn check(change: &Change, name: &str, fields: &Fields) -> usize {
    let notes = posted(change, fields);
    for note in &notes {
        if let Some(found) = foreign(note) {
            panic!("{name}: {found}\n\nfrom {fields:#?}\n\nposted as\n{}", note.text);
        }
    }
    notes.len()
}

#[test]
fn hand_written_attacks_do_nothing_when_they_are_posted() {
    let change = change();
    let cases = hostile();
    assert!(cases.len() > 300);
    for case in cases {
        check(&change, &case.name, &case.fields);
    }
}

#[test]
fn a_hundred_thousand_generated_notes_do_nothing_when_they_are_posted() {
    let part = GENERATED_REVIEWS.div_ceil(2);
    let run = move |from: u64| {
        let change = change();
        let seeds = from..(from + part).min(GENERATED_REVIEWS);
        seeds.map(|seed| check(&change, &format!("seed {seed}"), &Generator::new(seed).fields())).sum::<usize>()
    };
    let other = thread::spawn(move || run(part));
    let notes = run(0) + other.join().expect("no note is active");
    assert!(notes >= 100_000, "{notes} notes");
}

#[test]
fn ordinary_reviews_stay_readable() {
    let change = change();
    let mut lost = Vec::new();
    for case in readable() {
        let notes = posted(&change, &case.fields);
        let all = notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n\n");
        for what in case.lost(&all) {
            lost.push(format!("{}: {what}", case.name));
        }
    }
    // Code that older versions of GitLab could execute is indented by one space.
    assert_eq!(lost, ["command-in-code: the block of code \"/approve\\n@all\""]);
}

#[test]
fn a_suggestion_that_would_execute_something_is_shown_as_code() {
    let fields =
        Fields { patch: "/merge now\n".into(), title: "Title".into(), body: "Body".into(), ..Fields::default() };
    let notes = posted(&change(), &fields);
    assert!(!notes[0].suggestion && notes[0].text.contains("```\n /merge now\n```"), "{}", notes[0].text);
    let fields = Fields { patch: "```\n>>>\nx\n>>>\n".into(), ..fields };
    assert!(!posted(&change(), &fields)[0].suggestion, "versions before 17 change it");
    let fields = Fields { patch: "TWO\n".into(), ..fields };
    let notes = posted(&change(), &fields);
    assert!(notes[0].suggestion && notes[0].text.contains("```suggestion:-0+0\nTWO\n```"), "{}", notes[0].text);
}

#[test]
fn evidence_of_reading_and_stability_are_posted() {
    let fields = Fields {
        agent: "codex".into(),
        title: "Codex".into(),
        body: "Body".into(),
        path: "b.rs".into(),
        claim: "c.rs".into(),
        ..Fields::default()
    };
    let notes = posted(&change(), &fields);
    let summary = &notes.last().expect("a summary").text;
    assert!(summary.contains("Evidence of reading") && summary.contains("Codex reports 1 file as opened"), "{summary}");
    assert!(summary.contains("Not reviewed, neither delivered nor opened: b.rs"), "{summary}");
    assert!(summary.contains("pairwise agreement 44%"), "{summary}");
    assert!(notes[0].text.contains("codex · 2 of 3 runs"), "{}", notes[0].text);
}

#[test]
fn a_finding_that_could_not_be_read_is_in_the_summary() {
    let fields = Fields {
        agent: "codex".into(),
        claim: "line_start: no integer".into(),
        body: "{\"title\": \"SQL\"}".into(),
        ..Fields::default()
    };
    let notes = posted(&change(), &fields);
    let summary = &notes.last().expect("a summary").text;
    assert!(summary.contains("`3` of `4`") && summary.contains("1 finding could not be read</sub>"), "{summary}");
    assert!(summary.contains("codex: line_start: no integer") && summary.contains("{\"title\": \"SQL\"}"), "{summary}");
}

#[test]
fn a_comment_on_a_file_names_its_line_and_shows_its_suggestion_as_code() {
    let fields = Fields { title: "Title".into(), body: "Body".into(), patch: "TWO\n".into(), ..Fields::default() };
    let (change, mut review) = (change(), review(&fields));
    review.findings.truncate(1);
    review.findings[0].claims.clear();
    let chosen = ChosenFinding { finding: review.findings[0].key.clone(), body: None };
    let plan = |review: &ReviewOutput| {
        let head = |path: &str| (path == "a.rs").then(|| HEAD.to_owned());
        crate::posting::plan_of_files(review, std::slice::from_ref(&chosen), &change, &head).items.remove(0)
    };
    let item = plan(&review);
    let Landing::Line { position } = &item.landing else { panic!("{item:?}") };
    assert!(item.suggestion && item.body.contains("```suggestion"), "{item:?}");
    let refused = item.on_file((**position).clone(), &crate::posting::marker_keys());
    let text = "**[security/high]** Title\n\nAt `a.rs:2`:\n\nBody\n\nProposed change:\n\n```\nTWO\n```";
    assert!(refused.body.starts_with(text) && !refused.suggestion, "{}", refused.body);
    assert_eq!(marks::read(&refused.body, &crate::posting::marker_keys()).findings, [item.key]);
    // A removed line of a file that was not there before is not in the change.
    review.findings[0].anchor.side = Side::Old;
    review.findings[0].anchor.line_start = Some(90);
    review.findings[0].anchor.line_end = Some(91);
    review.findings[0].anchor.path = "new.rs".into();
    let patch =
        "diff --git a/new.rs b/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+one\n";
    let change = parse_patch(Bytes::from(patch)).expect("a patch");
    let item = crate::posting::plan_of(&review, &[chosen], &change, &DiffRefs::default(), true).items.remove(0);
    assert!(
        matches!(item.landing, Landing::File { .. }) && item.body.contains("At `new.rs:90-91 (before)`:"),
        "{item:?}"
    );
}

#[test]
fn a_contradicted_claim_is_posted_only_as_a_place_to_look_at() {
    let change = change();
    let fields = Fields { title: "Title".into(), body: "Body".into(), path: "b.rs".into(), ..Fields::default() };
    let posted = |claims: Vec<Claim>, edited: Option<&str>| {
        let mut review = review(&fields);
        review.findings.truncate(1);
        review.findings[0].claims = claims;
        let chosen = ChosenFinding { finding: review.findings[0].key.clone(), body: edited.map(str::to_owned) };
        crate::posting::plan_of(&review, &[chosen], &change, &DiffRefs::default(), true).items.remove(0).body
    };
    let claim = |claim: &str, evidence| Claim { claim: claim.into(), verdict: Verdict::Contradicted, evidence };
    let quote = claim("the quoted code is there", None);
    let evidence = Evidence { path: "b.rs".into(), line: 9, text: "refund()".into() };
    let call = claim("`refund` is never called", Some(evidence));
    let text = posted(vec![quote.clone()], None);
    assert!(!text.to_lowercase().contains("contradict") && !text.contains("the quoted code"), "{text}");
    let text = posted(vec![quote, call.clone()], None);
    assert!(text.contains("<sub>The code at `b.rs:9` may contradict this comment.</sub>"), "{text}");
    assert!(!text.contains("never called") && !text.contains("Contradicted"), "{text}");
    let text = posted(vec![call], Some("The reviewer's own words"));
    assert!(text.contains("own words") && !text.contains("b.rs:9"), "{text}");
}
