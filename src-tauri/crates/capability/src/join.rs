//! Compares agents' findings with the effects of the code at the same place, and verifies or contradicts them.
//!
//! Only an effect that was found is used. The absence of an effect is no evidence.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::diff::chain_text;
use super::judge::reportable;
use super::knowledge::Knowledge;
use super::reach::{Reach, Reached};
use diffsan_contracts::vocabulary::{Effect, Risk};
use diffsan_review::finding::{Claim, Evidence, Finding, Side, Verdict};

/// The maximum distance in lines between a finding and a use.
const NEAR: u32 = 2;

/// Adds the effects near findings that have a source other than `own` to their claims.
pub fn join(knowledge: &Knowledge, reached: &BTreeMap<String, Reached>, own: &str, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.sources.iter().any(|source| source != own)) {
        let Some(here) = reached.get(&finding.anchor.path).filter(|_| finding.anchor.side == Side::New) else {
            continue;
        };
        let (Some(start), Some(end)) = (finding.anchor.line_start, finding.anchor.line_end) else { continue };
        let near = |reach: &&Reach| {
            let line = reach.chain[0].line;
            line + NEAR >= start && line <= end + NEAR
        };
        let mut reported: BTreeSet<usize> = BTreeSet::new();
        for reach in reportable(&here.effects).into_iter().filter(near) {
            let Some(effect) = knowledge.vocabulary.effects.get(reach.effect) else { continue };
            if reported.contains(&reach.effect) {
                continue;
            }
            let Some(verdict) = stated_verdict(knowledge, effect, finding) else { continue };
            reported.insert(reach.effect);
            let end = reach.chain.last();
            finding.claims.push(Claim {
                claim: format!("`{}` can {}", chain_text(reach), effect.title),
                verdict: Verdict::Verified,
                evidence: end.map(|hop| Evidence { path: hop.path.clone(), line: hop.line, text: hop.excerpt.clone() }),
            });
            if verdict == Verdict::Contradicted {
                if let Some(claim) = finding.claims.last_mut() {
                    claim.claim = format!("it does not {}", effect.title);
                    claim.verdict = Verdict::Contradicted;
                }
                finding.verdict = Verdict::Contradicted;
            } else if finding.verdict == Verdict::Unchecked {
                finding.verdict = Verdict::Verified;
            }
        }
    }
}

/// Returns whether a finding states that an effect happens (verified) or never happens (contradicted).
///
/// Returns `None` where the finding does not mention the effect.
fn stated_verdict(knowledge: &Knowledge, effect: &Effect, finding: &Finding) -> Option<Verdict> {
    if effect.risk == Risk::Info && effect.resource != "data" {
        return None;
    }
    let text = format!("{}. {}", finding.content.title.as_deref().unwrap_or_default(), finding.content.body_markdown);
    let (verbs, things) = knowledge.vocabulary.words_of(effect);
    let any = |words: &BTreeSet<String>| words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|");
    let thing = Regex::new(&format!(r"(?i)\b(?:{})(?:s|es)?\b", any(&things))).ok()?;
    let never = format!(
        r"(?i)\b(?:never|no longer|does not|doesn't|do not|don't|cannot|can't)\s+(?:actually\s+|ever\s+)?(?:{})(?:s|es)?\b(?:\W+\w+){{0,3}}?\W+(?:{})(?:s|es)?\b",
        any(&verbs),
        any(&things)
    );
    let never = Regex::new(&never).ok()?;
    let condition = Regex::new(r"(?i)\b(?:when|if|unless|until|while|where|before|after|because|for|once)\b").ok()?;
    let mut found = None;
    for sentence in text.split(['.', '\n', ';']) {
        if never.is_match(sentence) {
            // "never sends the email if …" describes one case, not the whole code.
            if !condition.is_match(sentence) {
                return Some(Verdict::Contradicted);
            }
        } else if thing.is_match(sentence) {
            found = Some(Verdict::Verified);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::Hop;
    use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Severity};

    fn joined(body: &str, line: u32) -> (Verdict, Vec<(String, Verdict)>) {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let effect = knowledge.vocabulary.effect_index("email.send").expect("email");
        let hop = |path: &str, line, symbol: &str| Hop {
            path: path.into(),
            line,
            symbol: symbol.into(),
            excerpt: "x".into(),
        };
        let reach = Reach {
            effect,
            sink: "resend.emails.send".into(),
            unit: "refund".into(),
            chain: vec![hop("a.ts", 4, "client.notice"), hop("b.ts", 9, "resend.emails.send")],
            likely: false,
            of_program: false,
        };
        let reached = BTreeMap::from([("a.ts".to_owned(), Reached { effects: vec![reach], ..Reached::default() })]);
        let mut findings = vec![Finding {
            sources: vec!["codex".into()],
            ..Finding::new(
                AgentFinding {
                    body_markdown: body.into(),
                    ..AgentFinding::new(Severity::High, Category::Security, "a.ts", (line, line))
                },
                Anchor::new(AnchorState::Verified, "a.ts", Some((line, line)), true),
            )
        }];
        join(&knowledge, &reached, "capability", &mut findings);
        let claims = findings[0].claims.iter().map(|claim| (claim.claim.clone(), claim.verdict)).collect();
        (findings[0].verdict, claims)
    }

    #[test]
    fn an_effect_of_the_code_verifies_a_finding() {
        let (verdict, claims) = joined("This sends an email to the customer twice.", 5);
        assert_eq!(verdict, Verdict::Verified);
        assert_eq!(claims[0].0, "`refund → client.notice → resend.emails.send` can send email");
    }

    #[test]
    fn an_effect_of_the_code_contradicts_a_denial() {
        let (verdict, claims) = joined("The refund path never sends an email.", 4);
        assert_eq!((verdict, claims[0].1), (Verdict::Contradicted, Verdict::Contradicted));
    }

    #[test]
    fn other_places_and_topics_leave_a_finding_unchecked() {
        assert_eq!(joined("It never sends the email if the order is empty.", 4).0, Verdict::Unchecked);
        assert_eq!(joined("This sends an email.", 40).0, Verdict::Unchecked);
        assert_eq!(joined("The loop is off by one.", 4).0, Verdict::Unchecked);
    }
}
