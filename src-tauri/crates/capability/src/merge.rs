//! Merges findings that say the same about several places of a file.

use std::collections::HashMap;

use super::judge::PolicyFinding;

/// Merges findings with the same contract's line, file, judgment and message. The first keeps its place, and lists the others.
pub(crate) fn merged(findings: Vec<PolicyFinding>) -> Vec<PolicyFinding> {
    let mut all: Vec<PolicyFinding> = Vec::new();
    let mut known: HashMap<(String, String, u8, String), usize> = HashMap::new();
    for finding in findings {
        let Some(file) = finding.evidence.first().map(|place| place.file.clone()) else {
            all.push(finding);
            continue;
        };
        let key = (finding.contract.clone(), file, finding.judgment as u8, finding.message.clone());
        match known.get(&key) {
            Some(&at) => all[at].also.push(finding.evidence),
            None => {
                known.insert(key, all.len());
                all.push(finding);
            }
        }
    }
    for finding in all.iter_mut().filter(|finding| !finding.also.is_empty()) {
        let places = format!(" ({} places)", finding.also.len() + 1);
        // After the sentence about the places, which the one about the contract follows.
        let at = finding.message.find(". ").unwrap_or(finding.message.len());
        finding.message.insert_str(at, &places);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{EffectName, Judgment, Place};

    fn finding(message: &str, file: &str, line: u32) -> PolicyFinding {
        let place = Place { file: file.into(), line, excerpt: "env('X')".into(), symbol: "env".into() };
        PolicyFinding {
            source: "capability_reviewer",
            severity: "warning",
            judgment: Judgment::Violation,
            confidence: 0.95,
            modal: "MUST NOT",
            effect: EffectName { action: "read".into(), resource: "environment".into() },
            statement: String::new(),
            message: message.into(),
            evidence: vec![place],
            also: Vec::new(),
            agent_steps: Vec::new(),
            contract: "c.json:1".into(),
        }
    }

    #[test]
    fn equal_findings_about_other_lines_become_one() {
        let message = "a.php can read environment variables: `env`. The contract says: MUST NOT read environment.";
        let findings = vec![
            finding(message, "a.php", 3),
            finding("Another.", "a.php", 4),
            finding(message, "b.php", 5),
            finding(message, "a.php", 6),
            finding(message, "a.php", 7),
        ];
        let found = merged(findings);
        let places = |finding: &PolicyFinding| {
            let lines = |places: &Vec<Place>| places.iter().map(|place| place.line).collect::<Vec<_>>();
            (lines(&finding.evidence), finding.also.iter().flat_map(lines).collect::<Vec<_>>())
        };
        assert_eq!(
            found.iter().map(places).collect::<Vec<_>>(),
            [(vec![3], vec![6, 7]), (vec![4], vec![]), (vec![5], vec![])]
        );
        assert!(
            found[0].message.starts_with("a.php can read environment variables: `env` (3 places). The"),
            "{:?}",
            found[0]
        );
        assert_eq!(found[1].message, "Another.");
    }
}
