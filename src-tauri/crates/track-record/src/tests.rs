use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Finding};

use super::*;

fn decided(agent: &str, category: Category, accepted: bool) -> DecidedFinding {
    DecidedFinding {
        agent: agent.to_owned(),
        model: None,
        category,
        severity: Severity::Medium,
        decision: Some(match accepted {
            true => FindingDecision::Accepted,
            false => FindingDecision::Dismissed { reason: Some(" as wanted ".to_owned()) },
        }),
        posted: accepted,
        resolved: false,
    }
}

fn many(agent: &str, category: Category, accepted: usize, dismissed: usize) -> Vec<DecidedFinding> {
    let one = |accepted| move |_| decided(agent, category, accepted);
    (0..accepted).map(one(true)).chain((0..dismissed).map(one(false))).collect()
}

#[test]
fn a_share_is_given_from_ten_decisions_on() {
    let nine = TrackRecord::of(&many("one", Category::Style, 8, 1));
    assert_eq!(nine.agents[0].total.accepted_share, None);
    assert_eq!(
        nine.agents[0].total.sentence(),
        "8 accepted, 1 dismissed; a share needs 10 decisions, 8 posted, 0 resolved by an edit"
    );
    assert_eq!(nine.agents[0].prompt_text(), None);
    let ten = TrackRecord::of(&many("one", Category::Style, 8, 2));
    assert_eq!(ten.agents[0].total.accepted_share, Some(Interval::wilson(8, 10)));
    assert_eq!(
        ten.agents[0].total.sentence(),
        "49% to 94% accepted (8 of 10 decisions), 8 posted, 0 resolved by an edit"
    );
    let text = ten.agents[0].prompt_text().expect("a text");
    assert!(text.contains("8 of 10 were accepted (likely share 49% to 94%)"), "{text}");
    assert!(
        text.contains("style 8 of 10 (49% to 94%)") && text.contains("\u{201c}as wanted\u{201d} (2 times)"),
        "{text}"
    );
}

#[test]
fn counts_are_kept_apart_by_model_category_and_severity() {
    let mut findings = many("one", Category::Style, 1, 2);
    findings.extend(many("one", Category::Security, 3, 0));
    findings[0].model = Some("large".to_owned());
    findings[1].severity = Severity::Critical;
    findings[1].resolved = true;
    findings.push(DecidedFinding { decision: None, posted: true, ..findings[0].clone() });
    let record = TrackRecord::of(&findings);
    let one = &record.agents[0];
    assert_eq!((one.total.accepted, one.total.dismissed, one.total.posted, one.total.resolved), (4, 2, 5, 1));
    let categories: Vec<_> = one.categories.iter().map(|one| (one.category, one.tally.decided())).collect();
    assert_eq!(categories, [(Category::Security, 3), (Category::Style, 3)]);
    let severities: Vec<_> = one.severities.iter().map(|one| (one.severity, one.tally.decided())).collect();
    assert_eq!(severities, [(Severity::Critical, 1), (Severity::Medium, 5)]);
    let models: Vec<_> = record.models.iter().map(|one| (one.model.as_deref(), one.total.decided())).collect();
    assert_eq!(models, [(None, 5), (Some("large"), 1)]);
    assert_eq!(one.reasons, [ReasonCount { reason: "as wanted".to_owned(), count: 2 }]);
}

fn finding(key: &str, source: &str, severity: Severity, category: Category) -> Finding {
    let content = AgentFinding::new(severity, category, "a", (1, 1));
    let anchor = Anchor::new(AnchorState::File, "a", None, false);
    Finding { key: key.to_owned(), sources: vec![source.to_owned()], ..Finding::new(content, anchor) }
}

#[test]
fn findings_of_equal_severity_are_ordered_by_the_record() {
    let mut all = many("good", Category::Style, 19, 1);
    all.extend(many("good", Category::Docs, 0, 20));
    all.extend(many("bad", Category::Style, 1, 19));
    all.extend(many("new", Category::Style, 1, 0));
    let record = TrackRecord::of(&all);
    let mut findings = vec![
        finding("bad style", "bad", Severity::Low, Category::Style),
        finding("unknown", "new", Severity::Low, Category::Style),
        finding("good docs", "good", Severity::Low, Category::Docs),
        finding("good style", "good", Severity::Low, Category::Style),
        finding("bad but severe", "bad", Severity::High, Category::Style),
    ];
    record.order(&mut findings);
    let keys: Vec<&str> = findings.iter().map(|finding| finding.key.as_str()).collect();
    assert_eq!(keys, ["bad but severe", "good style", "unknown", "bad style", "good docs"]);
}
