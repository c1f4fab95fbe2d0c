//! A row of the inbox, as it is shown.

use diffsan_change::Target;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reason::{Group, Placement, Reason, ReasonCode};
use crate::words::amount;
use crate::{Item, LocalItem, Mark, MarkKind, Now, PipelineState, Role, place, place_local};

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InboxRowKind")]
pub enum RowKind {
    /// A merge request.
    MergeRequest,
    /// A branch or a work tree of a local repository.
    Local,
}

/// The latest review of a row in diffsan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InboxReview")]
pub struct RowReview {
    /// The ID of the review.
    pub id: String,
    /// The time of the review, RFC 3339.
    pub created_at: String,
    /// The head commit that was reviewed.
    pub head: Option<String>,
    /// Whether the head is still the same.
    pub current: bool,
    /// The numbers of findings by severity: critical, high, medium, low, info.
    pub severities: [u32; 5],
    /// Whether something of it was posted.
    pub posted: bool,
}

/// A row of the inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InboxRow")]
pub struct Row {
    /// The key of the row. It stays the same for as long as the merge request or branch exists.
    pub key: String,
    /// The kind.
    pub kind: RowKind,
    /// The group.
    pub group: Group,
    /// The reason for the group.
    pub reason: Reason,
    /// Whether the reader snoozed or muted the row.
    pub hidden: bool,
    /// The mark of the reader, if it still holds.
    pub mark: Option<MarkKind>,
    /// The end of a snooze, RFC 3339.
    pub snoozed_until: Option<String>,
    /// The target that opens it.
    pub target: Target,
    /// The path of a local repository of the project.
    pub repository: Option<String>,
    /// The address of the GitLab server. Empty for local work.
    pub host: String,
    /// The path of the project, or the name of the local repository's folder.
    pub project: String,
    /// The number of the merge request in its project.
    pub iid: Option<u64>,
    /// The title of the merge request, or the branch.
    pub title: String,
    /// The user name of the author. Empty for local work.
    pub author: String,
    /// The relation of the reader to it.
    pub role: Role,
    /// The address of the web page.
    pub web_url: Option<String>,
    /// The names of the labels.
    pub labels: Vec<String>,
    /// The time of creation, RFC 3339.
    pub created_at: Option<String>,
    /// The time of the last update or commit, RFC 3339.
    pub updated_at: Option<String>,
    /// The number of changed files. `1000+` if GitLab did not count them all.
    pub changed_files: Option<String>,
    /// The numbers of added and removed lines, if they are known.
    pub lines: Option<[u64; 2]>,
    /// Whether GitLab shows only a part of the diff, because it is too large.
    pub too_large: bool,
    /// The state of the pipeline.
    pub pipeline: Option<PipelineState>,
    /// The user names of those who approved.
    pub approved_by: Vec<String>,
    /// The number of missing approvals, if it is known.
    pub approvals_left: Option<u32>,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether it has conflicts with the target branch.
    pub conflicts: bool,
    /// Whether it needs a rebase.
    pub needs_rebase: bool,
    /// The number of unresolved threads.
    pub open_threads: usize,
    /// The head commit.
    pub head: Option<String>,
    /// The latest review in diffsan.
    pub review: Option<RowReview>,
    /// Why the row is incomplete or old.
    pub problem: Option<String>,
}

impl Row {
    /// Returns the row of a merge request.
    pub fn of_request(item: &Item, mark: Option<&Mark>, now: Now) -> Self {
        let facts = &item.facts;
        let placement = match item.gone {
            true => Placement::new(Group::Done, ReasonCode::Gone, "does not exist any more, or you have no access"),
            false => place(facts, mark, now),
        };
        let mark = mark.filter(|mark| mark.holds(&facts.activity(), now.local));
        Self {
            target: Target::MergeRequest { base: item.host.clone(), project: item.project.clone(), iid: item.iid },
            host: item.host.clone(),
            project: item.project.clone(),
            iid: Some(item.iid),
            author: facts.author.clone(),
            role: facts.role,
            web_url: item.web_url.clone(),
            labels: item.labels.clone(),
            created_at: facts.created_at.map(|time| time.to_string()),
            updated_at: item.updated_at.clone(),
            changed_files: item.changed_files.clone(),
            lines: item.lines,
            too_large: item.changed_files.as_deref().is_some_and(|count| count.ends_with('+')),
            pipeline: facts.pipeline,
            approved_by: facts.approvals.by.clone(),
            approvals_left: facts.approvals.left,
            draft: facts.draft,
            conflicts: facts.conflicts,
            needs_rebase: facts.needs_rebase,
            open_threads: facts.open_threads(),
            head: facts.head.clone(),
            problem: item.problem.clone(),
            ..Self::new(&item.key, RowKind::MergeRequest, &item.title, placement, mark)
        }
    }

    /// Returns the row of local work. `None` if there is nothing to review.
    pub fn of_local(item: &LocalItem, mark: Option<&Mark>, now: Timestamp) -> Option<Self> {
        let placement = place_local(&item.facts, mark, now)?;
        let mark = mark.filter(|mark| mark.holds(&item.facts.activity, now));
        let target = match item.facts.commits {
            0 => Target::All { untracked: true },
            _ => Target::Branch { name: item.branch.clone(), base: None },
        };
        let folder = item.repository.rsplit(['/', '\\']).next().unwrap_or(&item.repository);
        let title = item.branch.as_deref().unwrap_or("detached head");
        Some(Self {
            target,
            repository: Some(item.repository.clone()),
            project: folder.to_owned(),
            role: Role::Author,
            updated_at: item.committed_at.map(|time| time.to_string()),
            changed_files: (item.facts.uncommitted > 0).then(|| item.facts.uncommitted.to_string()),
            ..Self::new(&item.key, RowKind::Local, title, placement, mark)
        })
    }

    /// Adds to the reason that files of the branch are not committed here.
    pub fn add_uncommitted(&mut self, files: usize) {
        if files > 0 {
            self.reason.text = format!("{}, {} not committed", self.reason.text, amount(files, "changed file"));
        }
    }

    fn new(key: &str, kind: RowKind, title: &str, placement: Placement, mark: Option<&Mark>) -> Self {
        let Placement { group, reason, hidden } = placement;
        Self {
            key: key.to_owned(),
            kind,
            group,
            reason,
            hidden,
            mark: mark.map(|mark| mark.kind),
            snoozed_until: mark.and_then(|mark| mark.until).map(|time| time.to_string()),
            target: Target::Unstaged,
            repository: None,
            host: String::new(),
            project: String::new(),
            iid: None,
            title: title.to_owned(),
            author: String::new(),
            role: Role::Participant,
            web_url: None,
            labels: Vec::new(),
            created_at: None,
            updated_at: None,
            changed_files: None,
            lines: None,
            too_large: false,
            pipeline: None,
            approved_by: Vec::new(),
            approvals_left: None,
            draft: false,
            conflicts: false,
            needs_rebase: false,
            open_threads: 0,
            head: None,
            review: None,
            problem: None,
        }
    }
}
