//! Two reviews of the same change, one after the other: which findings are new, which are still there, and what became of the rest.
//!
//! In: both reviews' findings, and what became of the code of each earlier one. Out: every finding of both, once. Two findings are the
//! same where they mean the same and sit on the same code, on the same lines, or carry the same headline in the same file.

use super::pairs::all_pairs;
use crate::finding::Finding;

/// What is said of a finding where the reviews were too large to be compared whole.
const NOT_COMPARED: &str = "not compared with all others: the reviews have too many findings that are nearly the same";

/// What became of the code that an earlier finding sits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It stands as it was, there or elsewhere in its file.
    Stands,
    /// It was edited.
    Edited,
    /// Its lines are not there any more.
    Removed,
    /// Its file is no part of the change any more.
    NoFile,
    /// That cannot be told: the code of then is not at hand.
    Unknown,
}

/// What became of a finding from one review to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Only the later review has it.
    New,
    /// Both have it.
    Still,
    /// The code at its place was edited, and the later review does not have it.
    Fixed,
    /// The later review does not have it, although its code was not edited: its lines or its file are no part of the change any
    /// more, or it was not found again although its code stands, or that cannot be told.
    Gone,
}

impl Round {
    /// Its wire name.
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
    /// What became of it.
    pub round: Round,
    /// Which one of the earlier review.
    pub earlier: Option<usize>,
    /// Which one of the later.
    pub later: Option<usize>,
    /// What is known of its code, in words.
    pub why: &'static str,
}

/// Compares. New ones come first, then those that are still there, then the fixed and the gone ones; each in its review's order.
pub fn compare(earlier: &[Finding], later: &[Finding], became: impl Fn(&Finding) -> Became) -> Vec<Compared> {
    let (mut of_earlier, mut of_later) = (vec![None; earlier.len()], vec![None; later.len()]);
    let (pairs, complete) = all_pairs(earlier, later);
    for (a, b) in pairs {
        (of_earlier[a], of_later[b]) = (Some(b), Some(a));
    }
    let new = (0..later.len()).filter(|&at| of_later[at].is_none()).map(|at| Compared {
        round: Round::New,
        earlier: None,
        later: Some(at),
        why: if complete { "not in the earlier review" } else { NOT_COMPARED },
    });
    let still = (0..earlier.len()).filter_map(|at| Some((at, of_earlier[at]?))).map(|(a, b)| Compared {
        round: Round::Still,
        earlier: Some(a),
        later: Some(b),
        why: moved(&earlier[a], &later[b]),
    });
    let lost: Vec<Compared> = (0..earlier.len())
        .filter(|&at| of_earlier[at].is_none())
        .map(|at| {
            let (round, why) = match became(&earlier[at]) {
                Became::Edited => (Round::Fixed, "its code was edited, and the later review does not have it"),
                Became::Removed => (Round::Gone, "its lines are not there any more"),
                Became::NoFile => (Round::Gone, "its file is no part of the change any more"),
                Became::Stands => (Round::Gone, "not found again, although its code stands"),
                Became::Unknown => (Round::Gone, "not found again; the code of then is not at hand"),
            };
            Compared { round, earlier: Some(at), later: None, why: if complete { why } else { NOT_COMPARED } }
        })
        .collect();
    let of = |round: Round| lost.iter().filter(move |one| one.round == round).copied();
    new.chain(still).chain(of(Round::Fixed)).chain(of(Round::Gone)).collect()
}

fn moved(a: &Finding, b: &Finding) -> &'static str {
    match () {
        () if a.anchor.path != b.anchor.path => "in another file now",
        () if a.anchor.line_start != b.anchor.line_start => "on other lines now",
        () => "where it was",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{AgentFinding, Anchor, AnchorState, Category, Severity, Side, Verdict};

    fn finding(path: &str, line: u32, title: &str, code: &str) -> Finding {
        Finding {
            id: title.into(),
            said: AgentFinding {
                finding_id: None,
                severity: Severity::High,
                category: Category::Correctness,
                path: path.into(),
                line_start: line,
                line_end: line,
                title: Some(title.into()),
                body_markdown: String::new(),
                side: None,
                quote: None,
                confidence: None,
                suggested_patch: None,
            },
            anchor: Anchor {
                state: AnchorState::Verified,
                path: path.into(),
                side: Side::New,
                line_start: Some(line),
                line_end: Some(line),
                in_change: true,
                notes: Vec::new(),
            },
            sources: Vec::new(),
            verdict: Verdict::Unchecked,
            claims: Vec::new(),
            chain: Vec::new(),
            fix: None,
            code: Some(code.into()),
            original: None,
        }
    }

    fn told(earlier: &[Finding], later: &[Finding], became: Became) -> Vec<(Round, Option<usize>, Option<usize>)> {
        compare(earlier, later, |_| became).into_iter().map(|one| (one.round, one.earlier, one.later)).collect()
    }

    #[test]
    fn the_same_remark_is_known_on_its_code_in_other_words_and_on_other_lines() {
        let earlier = [finding("a", 3, "The loop misses the last element", "1:a")];
        let still = [(Round::Still, Some(0), Some(0))];
        let again = |path: &str, line, title: &str, code: &str| {
            told(&earlier, &[finding(path, line, title, code)], Became::Stands)
        };
        assert_eq!(again("a", 40, "Last element is missed by the loop", "1:a"), still, "its code moved");
        assert_eq!(again("a", 4, "The loop misses its last element", "1:b"), still, "its line was edited");
        assert_eq!(again("a", 90, "The loop misses the last element", "1:c"), still, "the same headline in the file");
        assert_eq!(again("b", 3, "The loop misses the last element", "1:a"), still, "the file was renamed");
        let other = [(Round::New, None, Some(0)), (Round::Gone, Some(0), None)];
        assert_eq!(again("a", 3, "A password is logged", "1:a"), other, "another remark on the same line");
        assert_eq!(again("b", 3, "The loop misses the last element", "1:d"), other, "the like of it elsewhere");
    }

    #[test]
    fn what_is_not_found_again_is_told_by_its_code() {
        let earlier = [finding("a", 3, "The loop misses the last element", "1:a")];
        let lost = |became| compare(&earlier, &[], |_| became)[0];
        assert_eq!(lost(Became::Edited).round, Round::Fixed);
        for became in [Became::Stands, Became::Removed, Became::NoFile, Became::Unknown] {
            assert_eq!(lost(became).round, Round::Gone, "{became:?}");
        }
        assert_eq!(lost(Became::Stands).why, "not found again, although its code stands");
    }

    #[test]
    fn each_finding_is_told_once_and_the_surest_pair_wins() {
        let earlier = [finding("a", 3, "Unchecked index", "1:a"), finding("a", 9, "Unchecked index", "1:b")];
        let later = [finding("a", 11, "Unchecked index", "1:b"), finding("a", 30, "Unchecked index", "1:z")];
        let told = told(&earlier, &later, Became::Edited);
        assert_eq!(told, [(Round::Still, Some(0), Some(1)), (Round::Still, Some(1), Some(0))]);
        assert_eq!(compare(&[], &later, |_| Became::Unknown).len(), 2);
    }
}
