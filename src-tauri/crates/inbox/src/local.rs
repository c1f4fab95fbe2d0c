//! Determines whose turn it is with local work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reason::{Group, Placement, ReasonCode};
use crate::words::amount;
use crate::{Mark, MarkKind};

/// The facts of a branch or a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocalFacts {
    /// The number of files with changes that are not committed. Always 0 for a branch that is not checked out.
    pub uncommitted: usize,
    /// The number of commits that are not in the default branch.
    pub commits: usize,
    /// Whether a review of the branch is saved.
    pub reviewed: bool,
    /// The number of commits since the last review. `None` if there is no review, or the history was rewritten since.
    pub new_commits: Option<usize>,
    /// The head commit and a digest of the changes: a text that changes with them.
    pub activity: String,
}

/// Returns the place of local work. `None` if there is nothing to review.
pub fn place_local(facts: &LocalFacts, mark: Option<&Mark>, now: jiff::Timestamp) -> Option<Placement> {
    let new = match (facts.reviewed, facts.new_commits) {
        (true, Some(0)) => None,
        (true, Some(count)) => Some((ReasonCode::NewCommits, format!("{} since your review", amount(count, "commit")))),
        (true, None) => Some((ReasonCode::NewCommits, "rewritten since your review".to_owned())),
        (false, _) if facts.commits == 0 => None,
        (false, _) => {
            Some((ReasonCode::Unreviewed, format!("{} that nobody reviewed", amount(facts.commits, "commit"))))
        }
    };
    let uncommitted =
        (facts.uncommitted > 0).then(|| format!("{} not committed", amount(facts.uncommitted, "changed file")));
    let placement = match (new, uncommitted) {
        (Some((code, text)), more) => Placement::new(Group::YourTurn, code, text).and(more),
        (None, Some(text)) => Placement::new(Group::YourTurn, ReasonCode::Uncommitted, text),
        (None, None) if facts.reviewed && facts.commits > 0 => {
            Placement::new(Group::Waiting, ReasonCode::LocalReviewed, "you reviewed it")
        }
        (None, None) => return None,
    };
    Some(match mark.filter(|mark| mark.holds(&facts.activity, now)) {
        Some(mark) => crate::turn::marked(mark, now),
        None => placement,
    })
}

impl MarkKind {
    /// Returns whether the mark hides a row.
    pub fn hides(self) -> bool {
        self != Self::Done
    }
}
