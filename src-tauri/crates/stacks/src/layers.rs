//! The layers of a stack with their states.

use diffsan_change::Target;
use diffsan_forge::gitlab::{ListedMergeRequest, RequestStatus};
use diffsan_git::Repo;
use diffsan_inbox::PipelineState;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_store::{LatestReview, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::order::{Link, Placed, stack_of};

/// A stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stack {
    /// The layers, the lowest one first. Empty if the change is not part of a stack.
    pub layers: Vec<Layer>,
}

/// A layer of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Layer {
    /// The target that opens the layer's own change.
    pub target: Target,
    /// The branch.
    pub source: String,
    /// The branch that it builds on.
    pub onto: String,
    /// The number of the merge request. None for a local branch.
    pub iid: Option<u64>,
    /// The title of the merge request, or the subject of the branch's last commit.
    pub title: String,
    /// The number of layers below it.
    pub depth: u32,
    /// Whether it is the opened one.
    pub current: bool,
    /// The full id of the head, if it is known.
    pub head: Option<String>,
    /// The state of the review.
    pub review: LayerReview,
    /// Whether the merge request is a draft.
    pub draft: bool,
    /// Whether it has conflicts with the branch that it builds on.
    pub conflicts: bool,
    /// Whether the layer below has commits that this one does not have, so that it must be rebased. False if that is not known.
    pub behind: bool,
    /// The state of the head's pipeline, if it is known.
    pub pipeline: Option<PipelineState>,
    /// The names of the users who have approved the merge request, as far as they are known.
    pub approved_by: Vec<String>,
}

impl Layer {
    /// Adds the state that the list of merge requests does not have.
    pub fn add_status(&mut self, status: RequestStatus) {
        self.pipeline = status.pipeline.as_deref().map(PipelineState::parse);
        self.approved_by = status.approved_by;
    }
}

/// The state of the review of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayerReview {
    /// It was not reviewed.
    None,
    /// Its head was reviewed.
    Current,
    /// An earlier head was reviewed.
    Outdated,
}

/// Returns the stack of a merge request among the open ones of its project. `base` and `project` are the address of the server and the
/// path of the project. Blocks.
pub fn of_requests(
    requests: &[ListedMergeRequest],
    (base, project, iid): (&str, &str, u64),
    repo: Option<&Repo>,
    store: &Store,
) -> Result<Stack> {
    let open: Vec<&ListedMergeRequest> =
        requests.iter().filter(|one| one.state == "opened" && one.is_internal()).collect();
    let links: Vec<Link<'_>> =
        open.iter().map(|one| Link { source: &one.source_branch, target: &one.target_branch }).collect();
    let Some(current) = open.iter().position(|one| one.iid == iid) else { return Ok(Stack::default()) };
    let placed = stack_of(&links, current);
    let reviews = store.latest_reviews()?;
    let layer = |one: &Placed| {
        let request = open[one.index];
        let target = Target::MergeRequest { base: base.to_owned(), project: project.to_owned(), iid: request.iid };
        let is_of_target = |review: &&LatestReview| {
            serde_json::from_str::<Target>(&review.target).is_ok_and(|reviewed| reviewed == target)
        };
        Layer {
            review: review_state(reviews.iter().find(is_of_target), request.sha.as_deref()),
            source: request.source_branch.clone(),
            onto: request.target_branch.clone(),
            iid: Some(request.iid),
            title: request.title.clone(),
            depth: one.depth,
            current: request.iid == iid,
            head: request.sha.clone(),
            draft: request.draft,
            conflicts: request.has_conflicts,
            behind: false,
            pipeline: None,
            approved_by: Vec::new(),
            target,
        }
    };
    Ok(finished(placed.iter().map(layer).collect(), repo))
}

/// Returns the stack of an opened local branch among the branches of its repository. Blocks.
pub fn of_branch(repo: &Repo, store: &Store, opened: &OpenChange) -> Result<Stack> {
    let Target::Branch { name: Some(name), .. } = &opened.target else { return Ok(Stack::default()) };
    let Some(default) = repo.default_branch() else { return Ok(Stack::default()) };
    let branches = repo.stacked_branches()?;
    let links: Vec<Link<'_>> = branches
        .iter()
        .map(|branch| Link { source: &branch.name, target: branch.below.as_deref().unwrap_or(&default) })
        .collect();
    let Some(current) = branches.iter().position(|branch| branch.name == *name) else { return Ok(Stack::default()) };
    let placed = stack_of(&links, current);
    let reviews = store.latest_reviews()?;
    let home = opened.repository_name();
    let layer = |one: &Placed| {
        let branch = &branches[one.index];
        let is_of_branch = |review: &&LatestReview| {
            let target = serde_json::from_str::<Target>(&review.target).ok();
            review.repository == home
                && matches!(target, Some(Target::Branch { name: Some(name), .. }) if name == branch.name)
        };
        let latest = reviews.iter().filter(is_of_branch).max_by(|one, other| one.created_at.cmp(&other.created_at));
        Layer {
            target: Target::Branch { name: Some(branch.name.clone()), base: branch.below.clone() },
            source: branch.name.clone(),
            onto: branch.below.clone().unwrap_or_else(|| default.clone()),
            iid: None,
            title: branch.subject.clone(),
            depth: one.depth,
            current: branch.name == *name,
            head: Some(branch.tip.clone()),
            review: review_state(latest, Some(&branch.tip)),
            draft: false,
            conflicts: false,
            behind: false,
            pipeline: None,
            approved_by: Vec::new(),
        }
    };
    Ok(finished(placed.iter().map(layer).collect(), None))
}

fn review_state(review: Option<&LatestReview>, head: Option<&str>) -> LayerReview {
    match review {
        None => LayerReview::None,
        Some(review) if review.head.is_none() || review.head.as_deref() == head => LayerReview::Current,
        Some(_) => LayerReview::Outdated,
    }
}

/// Adds which layers are behind the one below them. A single layer is no stack.
fn finished(mut layers: Vec<Layer>, repo: Option<&Repo>) -> Stack {
    if layers.len() < 2 {
        return Stack::default();
    }
    let heads: Vec<(String, Option<String>)> =
        layers.iter().map(|layer| (layer.source.clone(), layer.head.clone())).collect();
    if let Some(repo) = repo {
        for layer in &mut layers {
            let below = heads.iter().find(|(source, _)| *source == layer.onto).and_then(|(_, head)| head.as_deref());
            let has = below.zip(layer.head.as_deref()).and_then(|(below, head)| repo.contains(head, below));
            layer.behind = has == Some(false);
        }
    }
    Stack { layers }
}
