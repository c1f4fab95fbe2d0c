//! Keys: a finding gets a key when it is first seen, and keeps it over rounds, rebases, edits and postings.
//!
//! A new key is a digest of the finding's content, so that two machines assign the same key to the same finding. A finding that matches one
//! of an earlier review takes its key.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::CodeStatus;
use super::matching::{PlaceRule, bounded_match};
use crate::finding::{Finding, Side};
use crate::message::commit_of_message;

/// The note of a finding that was not compared with every earlier one.
const NOT_COMPARED: &str = "not compared with all earlier findings: too many of them are almost the same";

/// A finding of an earlier review, at the current place of its code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownFinding {
    /// The finding. Its place is the reviewed one if the status is unknown.
    #[serde(flatten)]
    pub finding: Finding,
    /// The status of its code.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub code_status: CodeStatus,
}

fn is_unknown(status: &CodeStatus) -> bool {
    *status == CodeStatus::Unknown
}

impl From<Finding> for KnownFinding {
    /// Nothing is known of its code.
    fn from(finding: Finding) -> Self {
        Self { finding, code_status: CodeStatus::Unknown }
    }
}

impl KnownFinding {
    fn rule(&self) -> PlaceRule {
        // The code of a finding about a message is not compared.
        if commit_of_message(&self.finding.anchor.path).is_some() {
            return PlaceRule::Unknown;
        }
        match self.code_status {
            CodeStatus::Unchanged | CodeStatus::Moved { .. } => PlaceRule::AtLines,
            CodeStatus::Edited | CodeStatus::Removed | CodeStatus::FileRemoved => PlaceRule::Replaced,
            CodeStatus::Unknown => PlaceRule::Unknown,
        }
    }
}

/// Assigns a key to each finding without a valid one. A review from a file may contain any text as a key.
///
/// `known` are the findings of earlier reviews of the same change, each key once. A finding takes the key of one that says the same, if it
/// is at the place to which the code of that one moved. Findings that the reviewer wrote match nothing and are kept unchanged. Keys are
/// unique among `known` and `findings` together, except where two of them match.
pub fn assign_keys(findings: &mut [Finding], known: &[KnownFinding]) {
    let mut given = HashSet::new();
    for finding in findings.iter_mut() {
        if !is_key(&finding.key) || !given.insert(finding.key.clone()) {
            finding.key.clear();
        }
    }
    let new: Vec<usize> = (0..findings.len()).filter(|&at| findings[at].key.is_empty()).collect();
    if new.is_empty() {
        return;
    }
    let is_candidate = |finding: &Finding| !finding.is_own() && is_key(&finding.key) && !given.contains(&finding.key);
    let mut candidates: Vec<(&Finding, PlaceRule)> =
        known.iter().filter(|known| is_candidate(&known.finding)).map(|known| (&known.finding, known.rule())).collect();
    for &at in &new {
        let (content, found) = (content_key(&findings[at]), &findings[at]);
        // The same content is the same finding, wherever its lines are, unless something is known of them.
        let is_same = |(known, rule): &(&Finding, PlaceRule)| {
            known.key == content && (*rule == PlaceRule::Unknown || rule.allows(known, found))
        };
        if let Some(same) = candidates.iter().position(is_same) {
            candidates.remove(same);
            given.insert(content.clone());
            findings[at].key = content;
        }
    }
    let new: Vec<usize> = new.into_iter().filter(|&at| findings[at].key.is_empty()).collect();
    let (pairs, complete) = {
        let new: Vec<&Finding> = new.iter().map(|&at| &findings[at]).collect();
        bounded_match(&candidates, &new)
    };
    let matched: HashMap<usize, usize> = pairs.into_iter().map(|(known, at)| (at, known)).collect();
    let mut taken: HashSet<String> = known.iter().map(|known| known.finding.key.clone()).chain(given).collect();
    for (position, at) in new.into_iter().enumerate() {
        let key = match matched.get(&position) {
            Some(&known) => candidates[known].0.key.clone(),
            None => {
                if !complete {
                    findings[at].anchor.notes.push(NOT_COMPARED.to_owned());
                }
                new_key(&findings[at], &taken)
            }
        };
        taken.insert(key.clone());
        findings[at].key = key;
    }
}

/// Returns whether a text has the form of a key. Keys become part of comments, so no other text is accepted.
pub fn is_key(text: &str) -> bool {
    let (digest, number) = text.split_once('-').unwrap_or((text, "0"));
    let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digest.len() == 16 && digest.bytes().all(hex) && number.len() < 8 && number.parse::<u32>().is_ok()
}

/// Returns a key for a finding that matches no other. The same words at another place are another finding.
pub fn new_key(finding: &Finding, taken: &HashSet<String>) -> String {
    let key = content_key(finding);
    if !taken.contains(&key) {
        return key;
    }
    let numbered = (1_u64..).map(|number| format!("{key}-{number}")).find(|key| !taken.contains(key));
    numbered.unwrap_or(key)
}

/// Returns a digest of a finding's file, side, category, title, text and quote, in hexadecimal. Released versions wrote it into comments,
/// so it must not change.
pub fn content_key(finding: &Finding) -> String {
    let content = &finding.content;
    short_digest([
        finding.anchor.path.as_str(),
        if finding.anchor.side == Side::Old { "old" } else { "new" },
        content.category.name(),
        content.title.as_deref().unwrap_or_default(),
        &content.body_markdown,
        content.quote.as_deref().unwrap_or_default(),
    ])
}

/// Returns the first eight bytes of the SHA-256 of texts, in hexadecimal. Each text is hashed with its length, so that `ab` and `c` differ
/// from `a` and `bc`.
pub fn short_digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    hex::encode(&digest.finalize()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{AgentFinding, Anchor, AnchorState, Category, Severity};

    fn finding(line: u32, title: &str, code: &str) -> Finding {
        Finding {
            sources: vec!["codex".into()],
            code: Some(code.into()),
            ..Finding::new(
                AgentFinding {
                    title: Some(title.into()),
                    ..AgentFinding::new(Severity::High, Category::Correctness, "a.rs", (line, line))
                },
                Anchor::new(AnchorState::Verified, "a.rs", Some((line, line)), true),
            )
        }
    }

    /// Returns the keys of findings if nothing is known of the code of the earlier ones.
    fn keys(findings: Vec<Finding>, known: &[Finding]) -> Vec<String> {
        keys_at(findings, &known.iter().cloned().map(KnownFinding::from).collect::<Vec<_>>())
    }

    fn keys_at(mut findings: Vec<Finding>, known: &[KnownFinding]) -> Vec<String> {
        assign_keys(&mut findings, known);
        findings.into_iter().map(|finding| finding.key).collect()
    }

    #[test]
    fn a_key_stays_with_the_code_of_its_finding() {
        let mut finding = finding(3, "The error is ignored", "1:a");
        finding.key = content_key(&finding);
        let found = |line: u32, path: &str, code: &str| {
            let mut found = Finding { key: String::new(), code: Some(code.into()), ..finding.clone() };
            (found.anchor.line_start, found.anchor.line_end) = (Some(line), Some(line));
            (found.anchor.path, found.content.path) = (path.into(), path.into());
            found
        };
        let takes = |code_status: CodeStatus, found: Finding| {
            let known = [KnownFinding { finding: finding.clone(), code_status }];
            keys_at(vec![found], &known) == std::slice::from_ref(&finding.key)
        };
        for status in [CodeStatus::Unchanged, CodeStatus::Moved { line: Some(3) }] {
            assert!(takes(status, found(3, "a.rs", "1:a")));
            assert!(takes(status, found(4, "a.rs", "1:b")), "the agent names a line beside it");
            assert!(!takes(status, found(4, "a.rs", "1:a")), "the same code on the next line");
            assert!(!takes(status, found(70, "a.rs", "1:a")), "the same code elsewhere in the file");
            assert!(!takes(status, found(3, "b.rs", "1:a")), "the same code in another file");
        }
        for status in [CodeStatus::Edited, CodeStatus::Removed] {
            assert!(takes(status, found(4, "a.rs", "1:b")), "the lines that replaced it");
            assert!(!takes(status, found(70, "a.rs", "1:a")), "the same code elsewhere in the file");
            assert!(takes(status, found(70, "b.rs", "1:a")), "its code is in another file now");
            assert!(!takes(status, found(3, "b.rs", "1:b")), "other code in another file");
        }
        assert!(takes(CodeStatus::Unknown, found(70, "a.rs", "1:a")));
        // Of two, the one at its place is the earlier one, whatever their order is.
        let known = [KnownFinding { finding: finding.clone(), code_status: CodeStatus::Unchanged }];
        let both = keys_at(vec![found(70, "a.rs", "1:a"), found(3, "a.rs", "1:a")], &known);
        assert_eq!(both, [format!("{}-1", finding.key), finding.key.clone()]);
    }

    #[test]
    fn a_key_depends_on_the_content_and_is_unique() {
        let all = vec![finding(1, "Unchecked index", "1:a"), finding(9, "Unchecked index", "1:b")];
        let found = keys(all.clone(), &[]);
        assert_eq!(found, keys(all, &[]));
        assert_eq!(found[1], format!("{}-1", found[0]));
        assert_ne!(keys(vec![finding(1, "A password is logged", "1:a")], &[]), found[..1]);
    }

    #[test]
    fn a_matching_finding_takes_the_key_of_the_earlier_one() {
        let known = |key: &str, finding: Finding| Finding { key: key.into(), ..finding };
        let first = known("00000000000000a1", finding(3, "The loop misses the last element", "1:a"));
        let again = finding(40, "Last element is missed by the loop", "1:a");
        assert_eq!(keys(vec![again.clone()], std::slice::from_ref(&first)), ["00000000000000a1"]);

        // The reviewer's edit does not change the finding's identity.
        let mut edited = first.clone();
        edited.original = Some(Box::new(std::mem::replace(
            &mut edited.content,
            AgentFinding { title: Some("Use inclusive bounds".into()), ..first.content.clone() },
        )));
        assert_eq!(keys(vec![again.clone()], &[edited]), ["00000000000000a1"]);

        let own = Finding { sources: vec![crate::finding::REVIEWER.into()], ..first };
        assert_ne!(keys(vec![again], &[own]), ["00000000000000a1"]);
    }

    #[test]
    fn findings_match_in_other_words_on_other_lines_and_in_renamed_files() {
        let first = Finding { key: "00000000000000a1".into(), ..finding(3, "The loop misses the last element", "1:a") };
        let matches = |path: &str, line, title: &str, code: &str| {
            let mut later = finding(line, title, code);
            (later.anchor.path, later.content.path) = (path.into(), path.into());
            keys(vec![later], std::slice::from_ref(&first)) == ["00000000000000a1"]
        };
        assert!(matches("a.rs", 40, "Last element is missed by the loop", "1:a"), "its code moved");
        assert!(matches("a.rs", 4, "The loop misses its last element", "1:b"), "its line was edited");
        assert!(!matches("a.rs", 90, "The loop misses the last element", "1:c"), "other code elsewhere in the file");
        assert!(matches("b.rs", 3, "The loop misses the last element", "1:a"), "the file was renamed");
        assert!(!matches("a.rs", 3, "A password is logged", "1:a"), "another remark on the same line");
        assert!(!matches("b.rs", 3, "The loop misses the last element", "1:d"), "other code in another file");
    }

    #[test]
    fn the_same_content_has_the_same_key_on_other_lines() {
        let mut posted = finding(3, "The loop misses the last element", "1:a");
        (posted.key, posted.code) = (content_key(&posted), None);
        let again = finding(90, "The loop misses the last element", "1:c");
        assert_eq!(keys(vec![again.clone()], std::slice::from_ref(&posted)), [posted.key.clone()]);
        // Of two, one is the earlier one.
        let both = keys(vec![again.clone(), again], std::slice::from_ref(&posted));
        assert_eq!(both, [posted.key.clone(), posted.key + "-1"]);
    }

    #[test]
    fn a_key_is_given_once() {
        let known = Finding { key: "00000000000000a1".into(), ..finding(3, "Unchecked index", "1:a") };
        let found = keys(vec![known.clone(), known.clone()], std::slice::from_ref(&known));
        assert_eq!(found[0], known.key);
        assert_ne!(found[1], known.key);
    }

    #[test]
    fn a_key_of_another_form_is_replaced() {
        let given = |key: &str| Finding { key: key.into(), ..finding(3, "Unchecked index", "1:a") };
        let made = content_key(&given(""));
        for key in ["f1", "x -->\n/approve", "00000000000000A1", "00000000000000a1-", "00000000000000a1-x"] {
            assert_eq!(keys(vec![given(key)], &[]), std::slice::from_ref(&made), "{key}");
        }
        for key in ["00000000000000a1", "00000000000000a1-12"] {
            assert_eq!(keys(vec![given(key), given(key)], &[]), [key.to_owned(), made.clone()], "{key}");
        }
    }

    #[test]
    fn a_new_finding_never_takes_a_key_that_another_one_has() {
        let mut own = finding(3, "Unchecked index", "1:a");
        (own.key, own.sources) = (content_key(&own), vec![crate::finding::REVIEWER.into()]);
        let key = own.key.clone();
        assert_eq!(keys(vec![own.clone(), finding(3, "Unchecked index", "1:a")], &[own]), [key.clone(), key + "-1"]);
    }
}
