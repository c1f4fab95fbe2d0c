//! Wire types of the history, of rounds and of interrupted runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConversationItem, FindingView, RepoView};
use diffsan_change::Target;

/// Asks for a page of the history.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryParams {
    /// Words that must all occur in one text, each at the beginning of a word. Empty matches everything.
    #[serde(default)]
    pub words: String,
    /// The path of a repository or the name of a project, as in `HistoryView.places`.
    #[serde(default)]
    pub place: Option<String>,
    /// Returns only reviews or only conversations.
    #[serde(default)]
    pub kind: Option<HistoryOf>,
    /// The end of the previous page.
    #[serde(default)]
    pub after: Option<HistoryCursor>,
    /// The maximum number of rows, 1 to 500. 100 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// The kinds of entries in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryOf {
    /// A review.
    Review,
    /// A conversation.
    Conversation,
    /// An interrupted run.
    Run,
}

/// The end of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryCursor {
    /// The time of the last row.
    pub at: String,
    /// The id of the last row.
    pub id: String,
}

/// A page of the history, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryView {
    /// The rows.
    pub items: Vec<HistoryItem>,
    /// The start of the next page. None at the end.
    pub next: Option<HistoryCursor>,
    /// The interrupted runs, latest first. Only in the first page.
    pub interrupted: Vec<InterruptedItem>,
    /// The repositories and projects in the history, those with the most entries first. Only in the first page.
    pub places: Vec<HistoryPlaceView>,
}

/// A summary of a review or conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryItem {
    /// The kind of the entry.
    pub kind: HistoryOf,
    /// The id of the review or conversation.
    pub id: String,
    /// The name of the repository or project, for display; empty for a patch without one.
    pub place: String,
    /// The path of the repository; empty if there is none.
    pub repository: String,
    /// The title of the change, for display.
    pub change: String,
    /// The title of the conversation; empty for a review.
    pub title: String,
    /// The time when it was made or last continued, RFC 3339.
    pub at: String,
    /// The agent that reviewed, or that was asked last.
    pub agent: String,
    /// The model, if one was named.
    pub model: Option<String>,
    /// The number of findings by severity: critical, high, medium, low, info.
    pub severities: Vec<u32>,
    /// The number of accepted findings.
    pub accepted: u32,
    /// The number of dismissed findings.
    pub dismissed: u32,
    /// The number of items that were posted to GitLab.
    pub posted: u32,
    /// The number of tokens, if it was reported.
    pub tokens: Option<u64>,
    /// The cost in US dollars, if it was reported.
    pub cost_usd: Option<f64>,
    /// The number of messages of the conversation.
    pub messages: u32,
    /// The place where the search words were found.
    pub hit: Option<HitView>,
}

/// The place where the search words were found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HitView {
    /// The key of the finding or number of the message, or `summary`, or `change`.
    pub part: String,
    /// The text around the match. Each matching word is between U+0001 and U+0002.
    pub text: String,
    /// The number of texts that match.
    pub count: u32,
}

/// A repository or project in the history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryPlaceView {
    /// Its path or name, as `HistoryParams.place` expects it.
    pub place: String,
    /// The name for display.
    pub name: String,
    /// The number of its entries.
    pub count: u32,
}

/// An interrupted run: the program or the machine stopped before it ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InterruptedItem {
    /// The run's id.
    pub run_id: String,
    /// The name of the repository or project, for display.
    pub place: String,
    /// The title of the change, for display.
    pub change: String,
    /// The agent.
    pub agent: String,
    /// The start of the run, RFC 3339.
    pub started_at: String,
    /// The run folder.
    pub run_dir: String,
    /// The number of answers that were already received.
    pub answers: u32,
}

/// Identifies an entry of the history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryName {
    /// The kind of the entry.
    pub kind: HistoryOf,
    /// The id of the entry.
    pub id: String,
}

/// The change of an entry of the history. The client opens it with `change.open` and the same values.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReopenedView {
    /// The repository. None if the change needs none.
    pub repo: Option<RepoView>,
    /// The target to open.
    pub target: Target,
    /// The commit since which changes were sent, if not all of them were.
    pub since: Option<String>,
    /// The review to show with the change, if it is not the latest.
    pub review_id: Option<String>,
    /// The conversation.
    pub conversation: Option<ConversationItem>,
    /// A note for display if something differs from then.
    pub note: Option<String>,
    /// The change as it is now, if it differs.
    pub now: Option<Target>,
}

/// Identifies a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewName {
    /// The review's id.
    pub review_id: String,
}

/// The reviews of a change, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RoundsView {
    /// The summaries of the reviews.
    pub reviews: Vec<HistoryItem>,
}

/// Identifies two reviews of the same change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompareParams {
    /// The id of one review.
    pub one: String,
    /// The id of the other review.
    pub other: String,
}

/// Two reviews, compared.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedView {
    /// The id of the earlier review.
    pub earlier: String,
    /// The id of the later review.
    pub later: String,
    /// Every finding of both reviews, once: first new ones, then those still present, fixed, gone.
    pub findings: Vec<ComparedFinding>,
}

/// A finding in a comparison of two reviews.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFinding {
    /// `new`, `still`, `fixed` (its code was edited and the later review does not contain it) or `gone` (not found
    /// again for another reason).
    pub round: String,
    /// Facts about the status of its code, for display.
    pub why: String,
    /// The finding in the earlier review.
    pub earlier: Option<FindingView>,
    /// The finding in the later review.
    pub later: Option<FindingView>,
}

/// Asks for the plan of resuming an interrupted run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumeParams {
    /// The opened change.
    pub change_id: String,
    /// The run's id.
    pub run_id: String,
}

/// The plan for resuming an interrupted run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumeView {
    /// The names of the agents.
    pub agents: Vec<String>,
    /// The model, if one was named.
    pub model: Option<String>,
    /// Instructions that the review adds.
    pub instructions: Option<String>,
    /// Every request to an agent, in order.
    pub parts: Vec<ResumePartView>,
}

/// One request of a run that can be resumed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumePartView {
    /// The title of the agent, for display.
    pub agent: String,
    /// The number of the batch, from 1.
    pub part: u32,
    /// The number of batches.
    pub of: u32,
    /// The paths of its files, masked.
    pub files: Vec<String>,
    /// Whether a valid answer is already there. Otherwise the agent is asked.
    pub reused: bool,
}
