//! Shapes of the history, of rounds and of runs that were cut off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConversationItem, FindingView, RepoView};
use diffsan_change::Target;

/// Asks for a page of the history.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryParams {
    /// Words that must all occur in one text, each as it begins; empty: everything.
    #[serde(default)]
    pub words: String,
    /// A repository's path or a project's name, as `HistoryView.places` has it.
    #[serde(default)]
    pub place: Option<String>,
    /// Only reviews or only conversations.
    #[serde(default)]
    pub kind: Option<HistoryOf>,
    /// Where the last page ended.
    #[serde(default)]
    pub after: Option<HistoryCursor>,
    /// At most so many, 1 to 500; 100 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// What the history holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryOf {
    /// A review.
    Review,
    /// A conversation.
    Conversation,
    /// A run that was cut off.
    Run,
}

/// Where a page ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryCursor {
    /// The last row's time.
    pub at: String,
    /// The last row's name.
    pub id: String,
}

/// A page of the history, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryView {
    /// The rows.
    pub items: Vec<HistoryItem>,
    /// Where the next page starts; none at the end.
    pub next: Option<HistoryCursor>,
    /// Runs that were cut off, latest first; only with the first page.
    pub interrupted: Vec<InterruptedItem>,
    /// Repositories and projects that there is a history of, the most first; only with the first page.
    pub places: Vec<HistoryPlaceView>,
}

/// A review or conversation, in short.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryItem {
    /// Which of both.
    pub kind: HistoryOf,
    /// Its name.
    pub id: String,
    /// The repository's or project's name, for people; empty for a patch without one.
    pub place: String,
    /// The repository's path; empty where there is none.
    pub repository: String,
    /// The change, for people.
    pub change: String,
    /// The conversation's headline; empty of a review.
    pub title: String,
    /// When it was made, or gone on with last; RFC 3339.
    pub at: String,
    /// Who reviewed, or was asked last.
    pub agent: String,
    /// With which model, if one was named.
    pub model: Option<String>,
    /// Findings: critical, high, medium, low, info.
    pub severities: Vec<u32>,
    /// How many were accepted.
    pub accepted: u32,
    /// How many were dismissed.
    pub dismissed: u32,
    /// How many pieces landed in GitLab.
    pub posted: u32,
    /// Tokens, if they were reported.
    pub tokens: Option<u64>,
    /// In US dollars, if that was reported.
    pub cost_usd: Option<f64>,
    /// How many messages the conversation has.
    pub messages: u32,
    /// Where the words were found.
    pub hit: Option<HitView>,
}

/// Where words were found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HitView {
    /// The finding's or message's name, `summary`, or `change`.
    pub part: String,
    /// The text around; each word that was found stands between U+0001 and U+0002.
    pub text: String,
    /// In how many texts.
    pub count: u32,
}

/// A repository or project of the history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryPlaceView {
    /// Its path or name, as it is asked for.
    pub place: String,
    /// For people.
    pub name: String,
    /// How much there is.
    pub count: u32,
}

/// A run that was cut off: the program ended, or the machine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InterruptedItem {
    /// The run.
    pub run_id: String,
    /// The repository's or project's name, for people.
    pub place: String,
    /// The change, for people.
    pub change: String,
    /// Who reviewed.
    pub agent: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Its folder.
    pub run_dir: String,
    /// How many answers it has already.
    pub answers: u32,
}

/// Names something of the history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryName {
    /// Which kind.
    pub kind: HistoryOf,
    /// Its name.
    pub id: String,
}

/// Where something of the history is: its change is opened next, by `change.open` with the same words.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReopenedView {
    /// The repository; none where the change needs none.
    pub repo: Option<RepoView>,
    /// The change as it is to be opened.
    pub target: Target,
    /// The commit since which it was sent, if not all of it was.
    pub since: Option<String>,
    /// The review that it is looked at with, where that is not its latest.
    pub review_id: Option<String>,
    /// The conversation.
    pub conversation: Option<ConversationItem>,
    /// What is not as it was, for people.
    pub note: Option<String>,
    /// The change as it is now, where that is another one.
    pub now: Option<Target>,
}

/// Names a review.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewName {
    /// The review.
    pub review_id: String,
}

/// The reviews of a change, latest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RoundsView {
    /// In short.
    pub reviews: Vec<HistoryItem>,
}

/// Names two reviews of the same change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompareParams {
    /// One.
    pub one: String,
    /// The other.
    pub other: String,
}

/// Two reviews, compared.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedView {
    /// The earlier one.
    pub earlier: String,
    /// The later one.
    pub later: String,
    /// Every finding of both, once: new ones first, then those still there, fixed, gone.
    pub findings: Vec<ComparedFinding>,
}

/// What became of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFinding {
    /// `new`, `still`, `fixed` (its code was edited and the later review does not have it), or `gone` (not found again for another
    /// reason).
    pub round: String,
    /// What is known of its code, for people.
    pub why: String,
    /// As the earlier review has it.
    pub earlier: Option<FindingView>,
    /// As the later review has it.
    pub later: Option<FindingView>,
}

/// Asks what comes of going on with a run that was cut off.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumeParams {
    /// The opened change.
    pub change_id: String,
    /// The run.
    pub run_id: String,
}

/// What comes of going on with it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumeView {
    /// Which agents, by name.
    pub agents: Vec<String>,
    /// Which model, if one was named.
    pub model: Option<String>,
    /// What the review adds to the instructions.
    pub instructions: Option<String>,
    /// Every question, in order.
    pub parts: Vec<ResumePartView>,
}

/// One question.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumePartView {
    /// Who is asked, for people.
    pub agent: String,
    /// Which part, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// Its files, masked.
    pub files: Vec<String>,
    /// Whether its answer is there and holds; else it is asked.
    pub reused: bool,
}
