//! Redaction on a labelled corpus: the share of secrets that is masked completely, and the share of other text that stays.

use diffsan_redact::Redactor;
use diffsan_test_support::secrets::{Case, Group, negatives, positives};
use std::collections::BTreeMap;
use std::sync::Arc;

fn redactor() -> Arc<Redactor> {
    let settings = diffsan_config::resolve(Vec::new(), false).expect("defaults").config;
    Arc::new(Redactor::new(&settings.redaction, [7; 32]).expect("an engine"))
}

fn mask(redactor: &Arc<Redactor>, case: &Case) -> String {
    let mut session = redactor.session();
    let masked =
        if case.diff { session.diff_text("", &case.text) } else { session.text(&case.path, &case.text) }.into_inner();
    assert_eq!(masked.matches('\n').count(), case.text.matches('\n').count(), "lines stay: {case:?}");
    masked
}

fn without_marks(masked: &str) -> String {
    let mark = regex::Regex::new(r"\[REDACTED:[^\]]*\]").expect("a pattern");
    mark.replace_all(masked, "").into_owned()
}

/// Returns whether any part of six bytes of a secret survives. Five equal bytes may occur in any text.
fn survives(masked: &str, secret: &str) -> bool {
    let bare = without_marks(masked);
    secret.len() >= 6 && secret.as_bytes().windows(6).any(|part| bare.as_bytes().windows(6).any(|there| there == part))
        || secret.len() < 6 && bare.contains(secret)
}

struct Score {
    right: usize,
    all: usize,
    /// The number of masked characters outside of secrets, and the number of all characters outside of secrets.
    destroyed: (usize, usize),
    wrong: BTreeMap<String, (usize, String)>,
}

impl Score {
    fn of(cases: &[Case], right: impl Fn(&Case, &str) -> bool) -> Self {
        let redactor = redactor();
        let mut score = Self { right: 0, all: cases.len(), destroyed: (0, 0), wrong: BTreeMap::new() };
        for case in cases {
            let masked = mask(&redactor, case);
            let secret: usize =
                case.secrets.iter().map(|secret| secret.len() * case.text.matches(secret.as_str()).count()).sum();
            let harmless = case.text.len() - secret;
            score.destroyed.0 += harmless.saturating_sub(without_marks(&masked).len());
            score.destroyed.1 += harmless;
            if right(case, &masked) {
                score.right += 1;
            } else {
                let name = format!("{} / {}", case.class, case.notation);
                let entry = score.wrong.entry(name).or_insert((0, format!("{}\n=>\n{masked}", case.text)));
                entry.0 += 1;
            }
        }
        score
    }

    fn percent(&self) -> f64 {
        100.0 * self.right as f64 / self.all as f64
    }

    fn print(&self, what: &str) {
        let (lost, of) = self.destroyed;
        println!(
            "{what}: {} of {} ({:.2} %); characters destroyed that are no secret: {lost} of {of} ({:.2} %)",
            self.right,
            self.all,
            self.percent(),
            100.0 * lost as f64 / of as f64
        );
        for (name, (count, example)) in &self.wrong {
            println!("  {count} {name}\n{example}");
        }
    }
}

fn gone(case: &Case, masked: &str) -> bool {
    case.secrets.iter().all(|secret| !survives(masked, secret))
}

#[test]
fn secrets_with_a_known_format_are_masked() {
    let cases = positives(Group::Ruled);
    assert!(cases.len() >= 2_000, "{}", cases.len());
    let score = Score::of(&cases, gone);
    score.print("recall, secrets with a form, in diffs");
    assert!(score.percent() >= 98.0);
}

#[test]
fn weak_secrets_are_masked() {
    let cases = positives(Group::Weak);
    assert!(cases.len() >= 1_500, "{}", cases.len());
    let score = Score::of(&cases, gone);
    score.print("recall, weak values and files of credentials");
    assert!(score.percent() >= 90.0);
}

#[test]
fn text_without_a_secret_is_unchanged() {
    let cases = negatives();
    assert!(cases.len() >= 3_000, "{}", cases.len());
    let score = Score::of(&cases, |case, masked| case.text == masked);
    score.print("untouched, hard negatives");
    assert!(score.percent() > 99.0);
}
