//! The question for the classifier, and the strict check of its answer: one invalid value makes the whole answer invalid.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::judge::{EffectName, Judgment, Place, PolicyFinding};
use diffsan_contracts::contract::ContractEffect;

/// The `source` of the classifier's findings.
pub const SOURCE: &str = "agentic_reviewer";
/// The maximum number of places in a question.
const MAX_PLACES: usize = 60;

/// Returns the question: the contract's effects, the language, the places and the known findings. Returns `None` where nothing is
/// ambiguous.
pub fn question(contracts: &[ContractEffect], target: &str, findings: &[PolicyFinding]) -> Option<Value> {
    let open = |finding: &&PolicyFinding| matches!(finding.judgment, Judgment::Unknown | Judgment::LikelyViolation);
    let mut observed: Vec<&Place> = Vec::new();
    for place in findings.iter().filter(open).flat_map(|finding| &finding.evidence) {
        if observed.len() < MAX_PLACES && !observed.contains(&place) {
            observed.push(place);
        }
    }
    if observed.is_empty() {
        return None;
    }
    let effects: Vec<Value> = contracts
        .iter()
        .map(|effect| json!({ "modal": effect.modal, "action": effect.action, "resource": effect.resource }))
        .collect();
    let known: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({ "judgment": finding.judgment, "confidence": finding.confidence, "effect": finding.effect,
                    "message": finding.message })
        })
        .collect();
    Some(
        json!({ "contract_effects": effects, "target": target, "observed_evidence": observed, "deterministic_findings": known }),
    )
}

/// Returns the JSON schema of an answer, for agents that enforce one.
pub fn schema() -> Value {
    let object = |properties: Value| {
        let required: Vec<String> = properties.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    };
    let text = json!({ "type": "string" });
    let effect = object(json!({ "action": text, "resource": text }));
    let place = object(json!({ "file": text, "line": { "type": "integer" }, "excerpt": text }));
    let finding = object(json!({
        "judgment": { "type": "string", "enum": ["violation", "likely_violation", "unknown", "no_violation"] },
        "confidence": { "type": "number" },
        "effect": effect,
        "message": text,
        "evidence": { "type": "array", "items": place },
    }));
    object(json!({ "findings": { "type": "array", "items": finding } }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    findings: Vec<AnswerFinding>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerFinding {
    judgment: AnswerJudgment,
    confidence: f64,
    effect: AnswerEffect,
    message: String,
    evidence: Vec<AnswerPlace>,
}

#[derive(Deserialize, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum AnswerJudgment {
    Violation,
    LikelyViolation,
    Unknown,
    NoViolation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerEffect {
    action: String,
    resource: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerPlace {
    file: String,
    line: u32,
    excerpt: String,
}

/// Parses an answer. Returns `None` if any part of it is invalid, or if its evidence was not part of the question.
pub fn read(answer: &str, contracts: &[ContractEffect], findings: &[PolicyFinding]) -> Option<Vec<PolicyFinding>> {
    let answer: Answer = serde_json::from_str(answer.trim()).ok()?;
    let observed: Vec<&Place> = findings.iter().flat_map(PolicyFinding::places).collect();
    answer
        .findings
        .into_iter()
        .map(|found| {
            let same_effect = |contract: &&ContractEffect| {
                contract.action == found.effect.action && contract.resource == found.effect.resource
            };
            let contract = contracts.iter().find(same_effect)?;
            if !(0.0..=1.0).contains(&found.confidence) || found.message.trim().is_empty() {
                return None;
            }
            let evidence = found.evidence.iter().map(|place| {
                let same = |known: &&&Place| {
                    known.file == place.file && known.line == place.line && known.excerpt == place.excerpt
                };
                observed.iter().find(same).map(|known| (**known).clone())
            });
            let evidence: Vec<Place> = evidence.collect::<Option<_>>()?;
            let judgment = match found.judgment {
                AnswerJudgment::Violation => Judgment::Violation,
                AnswerJudgment::LikelyViolation => Judgment::LikelyViolation,
                AnswerJudgment::Unknown => Judgment::Unknown,
                AnswerJudgment::NoViolation => Judgment::NoViolation,
            };
            // A violation without a place is a guess.
            if evidence.is_empty() && matches!(judgment, Judgment::Violation | Judgment::LikelyViolation) {
                return None;
            }
            let sure = if judgment == Judgment::Unknown { found.confidence.min(0.49) } else { found.confidence };
            Some(PolicyFinding {
                source: SOURCE,
                severity: "warning",
                judgment,
                confidence: sure,
                modal: contract.modal.name(),
                effect: EffectName { action: found.effect.action, resource: found.effect.resource },
                statement: contract.text(),
                message: found.message,
                evidence,
                also: Vec::new(),
                agent_steps: vec!["asked the configured agent about the ambiguous files".to_owned()],
                contract: format!("{}:{}", contract.path, contract.line),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_contracts::parse;

    fn known() -> (Vec<ContractEffect>, Vec<PolicyFinding>) {
        let knowledge = crate::knowledge::Knowledge::load(&[]).expect("tables");
        let contracts =
            parse("c.json", r#"[{"modal":"MUST NOT","action":"send","resource":"email"}]"#, &knowledge.vocabulary)
                .effects;
        let place = Place { file: "a.ts".into(), line: 3, excerpt: "mailer.go(x)".into(), symbol: "mailer.go".into() };
        let finding = PolicyFinding {
            source: "capability_reviewer",
            severity: "warning",
            judgment: Judgment::Unknown,
            confidence: 0.4,
            modal: "MUST NOT",
            effect: EffectName { action: "send".into(), resource: "email".into() },
            statement: String::new(),
            message: "Insufficient evidence".into(),
            evidence: vec![place],
            also: Vec::new(),
            agent_steps: Vec::new(),
            contract: "c.json:1".into(),
        };
        (contracts, vec![finding])
    }

    const GOOD: &str = r#"{"findings":[{"judgment":"likely_violation","confidence":0.7,"effect":{"action":"send","resource":"email"},"message":"It mails.","evidence":[{"file":"a.ts","line":3,"excerpt":"mailer.go(x)"}]}]}"#;

    #[test]
    fn a_strict_answer_is_taken() {
        let (contracts, findings) = known();
        let found = read(GOOD, &contracts, &findings).expect("an answer");
        assert_eq!(
            (found[0].source, found[0].judgment, found[0].severity),
            (SOURCE, Judgment::LikelyViolation, "warning")
        );
        assert_eq!(read("{\"findings\":[]}", &contracts, &findings), Some(Vec::new()));
    }

    #[test]
    fn an_invalid_answer_classifies_nothing() {
        let (contracts, findings) = known();
        let wrong = [
            GOOD[..GOOD.len() - 9].to_owned(),
            "I think that it sends email.".to_owned(),
            format!("```json\n{GOOD}\n```"),
            format!("{GOOD} trailing"),
            GOOD.replace("0.7", "7"),
            GOOD.replace("email\"}", "sms\"}"),
            GOOD.replace("\"line\":3", "\"line\":4"),
            GOOD.replace("\"message\"", "\"note\""),
            GOOD.replace("{\"file\":\"a.ts\",\"line\":3,\"excerpt\":\"mailer.go(x)\"}", ""),
            GOOD.replace("{\"findings\"", "{\"more\":1,\"findings\""),
            String::new(),
            "null".to_owned(),
        ];
        for text in wrong {
            assert_eq!(read(&text, &contracts, &findings), None, "{text}");
        }
    }

    #[test]
    fn only_ambiguous_files_are_classified() {
        let (contracts, mut findings) = known();
        let asked = question(&contracts, "typescript", &findings).expect("a question");
        assert_eq!(asked["target"], "typescript");
        assert_eq!(asked["observed_evidence"][0]["file"], "a.ts");
        findings[0].judgment = Judgment::Violation;
        assert_eq!(question(&contracts, "typescript", &findings), None);
    }
}
