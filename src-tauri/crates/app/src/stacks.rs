//! The stack of an opened change, and the findings that belong to its lower layers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{App, SavedReview};
use diffsan_anchor::Relocated;
use diffsan_change::Target;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::relocate;
use diffsan_review::finding::{Decision, Finding};
use diffsan_review::rounds::match_findings;
use diffsan_stacks::{Layer, LayerOfFinding, Stack};

/// The maximum number of layers whose pipeline and approvals are read.
const MAX_STATES: usize = 20;

/// The result of moving findings to a lower layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedFindings {
    /// The target that opens the layer.
    pub target: Target,
    /// The number of findings that its review has now, and did not have before.
    pub added: u32,
    /// The number of findings that its review had already.
    pub known: u32,
}

impl App {
    /// Adds findings of a review to the latest review of the lower layer that introduced their lines, to be posted there. A finding
    /// that the layer's review has already is not added again.
    pub async fn move_to_layer(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        review_id: &str,
        keys: Vec<String>,
        target: Target,
    ) -> Result<MovedFindings> {
        let saved = self.review_by_id(review_id)?;
        let found = |key: &String| saved.output.findings.iter().find(|finding| finding.key == *key).cloned();
        let findings: Vec<Finding> = keys.iter().filter_map(found).collect();
        let layers = self.lower_layers(opened, findings.clone()).await?;
        let of_target = |finding: &&Finding| layers.get(&finding.key).is_some_and(|layer| layer.target == target);
        if findings.is_empty() || !findings.iter().all(|finding| of_target(&finding)) {
            return Err(Error::new(ErrorCode::InvalidInput, "Not all of these findings belong to that layer.")
                .hint("Open the posting view again."));
        }
        let layer = self.open_merge_request(opened.root.clone(), &target, Vec::new(), None).await?;
        let app = Arc::clone(self);
        blocking(move || app.add_to_layer(&layer.opened, &saved, &findings, target)).await
    }

    fn add_to_layer(
        &self,
        layer: &OpenChange,
        from: &SavedReview,
        findings: &[Finding],
        target: Target,
    ) -> Result<MovedFindings> {
        if let Some(latest) = self.latest_review(layer)?.filter(|latest| latest.is_outdated(layer)) {
            // The findings are placed on the current head, so the others must be, too.
            self.reanchor(layer, &latest.id)?;
        }
        let mut session = layer.prepared().session();
        let placed = relocate(layer, Some(&from.output.meta), findings, &mut session);
        let placed: Vec<Finding> = placed.into_iter().map(Relocated::with_proven_lines).collect();
        let there = self.latest_review(layer)?.map(|latest| latest.output.findings).unwrap_or_default();
        let mut known: HashSet<usize> = match_findings(&there, &placed).into_iter().map(|(_, new)| new).collect();
        known.extend((0..placed.len()).filter(|at| there.iter().any(|finding| finding.key == placed[*at].key)));
        let fresh = placed.iter().enumerate().filter(|(at, _)| !known.contains(at)).map(|(_, finding)| finding.clone());
        let fresh: Vec<Finding> = fresh.collect();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let moved = MovedFindings { target, added: count(fresh.len()), known: count(known.len()) };
        if !fresh.is_empty() {
            let keys: HashSet<String> = fresh.iter().map(|finding| finding.key.clone()).collect();
            let review = self.append_findings(layer, fresh)?;
            for decided in from.decisions.iter().filter(|decided| keys.contains(&decided.finding_key)) {
                let (key, decision) = ([decided.finding_key.clone()], Decision::of(&decided.decision));
                self.decide(&review.id, &key, decision, decided.reason.as_deref())?;
            }
        }
        Ok(moved)
    }

    /// Returns the stack of an opened merge request or local branch. It has no layers if the change is not part of a stack.
    pub async fn stack(self: &Arc<Self>, opened: &Arc<OpenChange>) -> Result<Stack> {
        let (app, change) = (Arc::clone(self), Arc::clone(opened));
        if opened.merge_request.is_none() {
            return blocking(move || match &change.root {
                Some(_) => diffsan_stacks::of_branch(&diffsan_versions::repository(&change)?, &app.store, &change),
                None => Ok(Stack::default()),
            })
            .await;
        }
        let (client, project, iid, _) = self.reach(opened).await?;
        let requests = client.project_requests(project).await?;
        blocking(move || {
            let Target::MergeRequest { base, project, .. } = &change.target else { return Ok(Stack::default()) };
            let repo = diffsan_versions::repository(&change).ok();
            diffsan_stacks::of_requests(&requests, (base, project, iid), repo.as_ref(), &app.store)
        })
        .await
    }

    /// Returns the stack as [`Self::stack`] does, with the pipelines and approvals of its merge requests. A layer whose state cannot be
    /// read has none.
    pub async fn stack_with_states(self: &Arc<Self>, opened: &Arc<OpenChange>) -> Result<Stack> {
        let mut stack = self.stack(opened).await?;
        if opened.merge_request.is_none() || stack.layers.is_empty() {
            return Ok(stack);
        }
        let (client, project, ..) = self.reach(opened).await?;
        let client = &client;
        let read = |layer: &Layer| {
            let iid = layer.iid.unwrap_or_default();
            async move { client.request_status(project, iid).await.ok() }
        };
        let found = futures::future::join_all(stack.layers.iter().take(MAX_STATES).map(read)).await;
        for (layer, status) in stack.layers.iter_mut().zip(found) {
            if let Some(status) = status {
                layer.add_status(status);
            }
        }
        Ok(stack)
    }

    /// Returns the lower layer of the stack that introduced the lines of each finding, by its key. Findings on lines of the opened merge
    /// request are left out.
    pub async fn lower_layers(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        findings: Vec<Finding>,
    ) -> Result<HashMap<String, LayerOfFinding>> {
        let stack = self.stack(opened).await?;
        let lowest = stack.layers.first().filter(|layer| !layer.current).and_then(|layer| layer.iid);
        let (Some(lowest), true) = (lowest, opened.tree.is_some()) else { return Ok(HashMap::new()) };
        let (client, project, _, request) = self.reach(opened).await?;
        let Some(refs) = client.merge_request(project, lowest).await?.diff_refs else { return Ok(HashMap::new()) };
        let (change, head) = (Arc::clone(opened), request.refs.head_sha.clone());
        blocking(move || {
            let repo = diffsan_versions::repository(&change)?;
            diffsan_stacks::layers_of_findings(&repo, &stack, (&refs.base_sha, &head), &change.change, &findings)
        })
        .await
    }
}
