//! Keys: a finding gets a key when it is first seen, and keeps it over rounds, rebases, edits and postings.
//!
//! A new key is a digest of the finding's content, so that two machines assign the same key to the same finding. A finding that matches one
//! of an earlier review takes its key.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::matching::bounded_match;
use crate::finding::{Finding, Side};
use crate::merge::near::{is_near, range};
use crate::merge::words::quoted;

/// The note of a finding that was not compared with every earlier one.
const NOT_COMPARED: &str = "not compared with all earlier findings: too many of them are almost the same";

/// Assigns a key to each finding without a valid one. A review from a file may contain any text as a key.
///
/// `known` are the findings of earlier reviews of the same change, each key once. Findings that the reviewer wrote match nothing and are
/// kept unchanged. Keys are unique among `known` and `findings` together, except where two of them match.
pub fn assign_keys(findings: &mut [Finding], known: &[Finding]) {
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
    let mut candidates: Vec<&Finding> = known
        .iter()
        .filter(|finding| !finding.is_own() && is_key(&finding.key) && !given.contains(&finding.key))
        .collect();
    for &at in &new {
        // The same content is the same finding, wherever its lines are now.
        let content = content_key(&findings[at]);
        if let Some(same) = candidates.iter().position(|known| known.key == content) {
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
    let is_here = |known: &Finding, found: &Finding| {
        let same = |one: Option<&str>, other: Option<&str>| one.is_some() && one == other;
        is_near(range(known), range(found))
            || same(known.code.as_deref(), found.code.as_deref())
            || same(quoted(known).as_deref(), quoted(found).as_deref())
    };
    // A finding that says the same about other code, elsewhere in the file, is another one.
    let pairs = pairs.into_iter().filter(|&(known, at)| is_here(candidates[known], &findings[new[at]]));
    let matched: HashMap<usize, usize> = pairs.map(|(known, at)| (at, known)).collect();
    let mut taken: HashSet<String> = known.iter().map(|finding| finding.key.clone()).chain(given).collect();
    for (position, at) in new.into_iter().enumerate() {
        let key = match matched.get(&position) {
            Some(&known) => candidates[known].key.clone(),
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

    fn keys(mut findings: Vec<Finding>, known: &[Finding]) -> Vec<String> {
        assign_keys(&mut findings, known);
        findings.into_iter().map(|finding| finding.key).collect()
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
