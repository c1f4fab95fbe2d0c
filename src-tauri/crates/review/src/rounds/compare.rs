//! Compares two successive reviews of the same change: which findings are new, which are still there, and which are not.
//!
//! In: the findings of both reviews, and the status of the code of each earlier one. Out: every finding of both, once. Two findings are the
//! same if they have the same key.

use std::collections::HashMap;

use super::CodeStatus;
use crate::finding::Finding;

/// The fate of a finding from one review to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Only the later review has the finding.
    New,
    /// Both reviews have the finding.
    Still,
    /// The code at its place was edited, and the later review does not have it.
    Fixed,
    /// The later review does not have it, although its code was not edited.
    Gone,
}

impl Round {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Still => "still",
            Self::Fixed => "fixed",
            Self::Gone => "gone",
        }
    }
}

/// A finding of one review or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The finding's fate.
    pub round: Round,
    /// The index in the earlier review, if it has the finding.
    pub earlier: Option<usize>,
    /// The index in the later review, if it has the finding.
    pub later: Option<usize>,
    /// A short text about the finding's code or place.
    pub why: &'static str,
}

/// Compares two reviews. New findings come first, then those that are still there, then the fixed and the gone ones, each in the order of
/// its review.
pub fn compare(earlier: &[Finding], later: &[Finding], status: impl Fn(&Finding) -> CodeStatus) -> Vec<Compared> {
    let position = |findings: &[Finding]| -> HashMap<String, usize> {
        findings.iter().enumerate().map(|(at, finding)| (finding.key.clone(), at)).collect()
    };
    let (in_earlier, in_later) = (position(earlier), position(later));
    let new = (0..later.len()).filter(|&at| !in_earlier.contains_key(&later[at].key)).map(|at| Compared {
        round: Round::New,
        earlier: None,
        later: Some(at),
        why: "not in the earlier review",
    });
    let still = (0..earlier.len()).filter_map(|a| Some((a, *in_later.get(&earlier[a].key)?))).map(|(a, b)| Compared {
        round: Round::Still,
        earlier: Some(a),
        later: Some(b),
        why: moved(&earlier[a], &later[b]),
    });
    let lost = |at: usize| {
        let (round, why) = match status(&earlier[at]) {
            CodeStatus::Edited => (Round::Fixed, "its code was edited, and the later review does not report it"),
            CodeStatus::Removed => (Round::Gone, "its lines were removed"),
            CodeStatus::FileRemoved => (Round::Gone, "its file is no longer part of the change"),
            CodeStatus::Unchanged | CodeStatus::Moved { .. } => {
                (Round::Gone, "not found again, although its code is unchanged")
            }
            CodeStatus::Unknown => (Round::Gone, "not found again; the earlier code is not available"),
        };
        Compared { round, earlier: Some(at), later: None, why }
    };
    let lost: Vec<Compared> =
        (0..earlier.len()).filter(|&at| !in_later.contains_key(&earlier[at].key)).map(lost).collect();
    let of = |round: Round| lost.iter().filter(move |one| one.round == round).copied();
    new.chain(still).chain(of(Round::Fixed)).chain(of(Round::Gone)).collect()
}

fn moved(a: &Finding, b: &Finding) -> &'static str {
    match () {
        () if a.anchor.path != b.anchor.path => "now in another file",
        () if a.anchor.line_start != b.anchor.line_start => "now on other lines",
        () => "at the same place",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{AgentFinding, Anchor, AnchorState, Category, Severity};

    fn finding(path: &str, line: u32, title: &str, code: &str) -> Finding {
        Finding {
            key: title.into(),
            code: Some(code.into()),
            ..Finding::new(
                AgentFinding {
                    title: Some(title.into()),
                    ..AgentFinding::new(Severity::High, Category::Correctness, path, (line, line))
                },
                Anchor::new(AnchorState::Verified, path, Some((line, line)), true),
            )
        }
    }

    #[test]
    fn findings_with_the_same_key_are_still_there() {
        let earlier = [finding("a", 3, "k1", "1:a"), finding("a", 9, "k2", "1:b")];
        let later = [finding("b", 3, "k2", "1:b"), finding("a", 4, "k3", "1:a")];
        let all = compare(&earlier, &later, |_| CodeStatus::Edited);
        let found: Vec<_> = all.iter().map(|one| (one.round, one.earlier, one.later, one.why)).collect();
        assert_eq!(
            found,
            [
                (Round::New, None, Some(1), "not in the earlier review"),
                (Round::Still, Some(1), Some(0), "now in another file"),
                (Round::Fixed, Some(0), None, "its code was edited, and the later review does not report it"),
            ]
        );
        assert_eq!(compare(&[], &later, |_| CodeStatus::Unknown).len(), 2);
    }

    #[test]
    fn the_code_status_explains_a_missing_finding() {
        let earlier = [finding("a", 3, "k1", "1:a")];
        let lost = |status| compare(&earlier, &[], |_| status)[0];
        assert_eq!(lost(CodeStatus::Edited).round, Round::Fixed);
        for status in [CodeStatus::Unchanged, CodeStatus::Removed, CodeStatus::FileRemoved, CodeStatus::Unknown] {
            assert_eq!(lost(status).round, Round::Gone, "{status:?}");
        }
        assert_eq!(lost(CodeStatus::Moved { line: None }).why, "not found again, although its code is unchanged");
    }
}
