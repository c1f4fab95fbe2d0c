use super::*;
use diffsan_facts::{LineRun, TestCoverage};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Severity};

fn finding(body: &str, start: u32, end: u32) -> Finding {
    let content = AgentFinding {
        body_markdown: body.into(),
        ..AgentFinding::new(Severity::Low, Category::Testing, "a.py", (start, end))
    };
    let anchor = Anchor::new(AnchorState::Verified, "a.py", Some((start, end)), true);
    Finding::new(content, anchor)
}

/// Lines 1 to 3 are covered, 4 is partly covered, 5 to 6 are not covered, 7 is not measured. All are added but 3.
fn checked(body: &str, start: u32, end: u32, stale: bool) -> (Verdict, Option<u32>) {
    let run = |start, end, state| LineRun { start, end, state };
    let runs = vec![run(1, 3, LineState::Covered), run(4, 4, LineState::Partial), run(5, 6, LineState::Uncovered)];
    let coverage = vec![TestCoverage { path: "a.py".into(), runs, stale, sources: Vec::new() }];
    let facts = Facts { coverage, ..Facts::default() };
    let lines = [1, 2, 4, 5, 6, 7].map(|line| (line, format!("line {line}")));
    let added = AddedLines::from([("a.py".to_owned(), lines.into())]);
    let mut findings = [finding(body, start, end)];
    check_coverage(&mut findings, Some(&facts), &added);
    let [finding] = findings;
    let claim = finding.claims.first();
    assert!(claim.is_none_or(|claim| claim.verdict == finding.verdict));
    (finding.verdict, claim.and_then(|claim| Some(claim.evidence.as_ref()?.line)))
}

#[test]
fn a_plain_claim_is_decided_by_the_measured_added_lines() {
    for body in [
        "This function is untested.",
        "No test covers this function.",
        "The new code is not covered by any test.",
        "`parse` has no tests.",
        "The helper is never exercised by the tests.",
        "It lacks test coverage.",
    ] {
        assert_eq!(checked(body, 5, 7, false), (Verdict::Verified, Some(5)), "{body}");
        assert_eq!(checked(body, 1, 3, false), (Verdict::Contradicted, Some(1)), "{body}");
        assert_eq!(checked(body, 1, 6, false), (Verdict::Unchecked, None), "{body}");
        assert_eq!(checked(body, 4, 4, false), (Verdict::Unchecked, None), "{body}");
        assert_eq!(checked(body, 7, 7, false), (Verdict::Unchecked, None), "{body}");
        assert_eq!(checked(body, 3, 3, false), (Verdict::Unchecked, None), "{body}");
        assert_eq!(checked(body, 5, 6, true), (Verdict::Unchecked, None), "stale: {body}");
    }
}

#[test]
fn a_claim_about_a_case_is_not_decided_by_coverage() {
    for body in [
        "No test covers the empty list.",
        "This is untested when the rate is zero.",
        "The error branch is not tested.",
        "No test checks the result; the function has no tests that assert it.",
        "This seems untested.",
        "Is this untested?",
        "There are no integration tests, so it is not covered by any integration test.",
    ] {
        assert_eq!(checked(body, 5, 6, false), (Verdict::Unchecked, None), "{body}");
        assert_eq!(checked(body, 1, 2, false), (Verdict::Unchecked, None), "{body}");
    }
    let nothing = finding("The order of the arguments is wrong.", 5, 6);
    assert_eq!(states_untested(&nothing), None);
    assert_eq!(states_untested(&finding("Not covered by the warranty.", 5, 6)), None);
    assert_eq!(states_untested(&finding("```\nuntested\n```", 5, 6)), None);
}

#[test]
fn a_contradicted_finding_stays_contradicted() {
    let facts = Facts::default();
    let mut findings = [finding("This is untested.", 5, 6)];
    findings[0].verdict = Verdict::Contradicted;
    check_coverage(&mut findings, Some(&facts), &AddedLines::new());
    assert_eq!(findings[0].verdict, Verdict::Contradicted);
}
