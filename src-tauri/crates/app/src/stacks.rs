//! The stack of an opened change, and the findings that belong to its lower layers.

use std::collections::HashMap;
use std::sync::Arc;

use super::App;
use diffsan_change::Target;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::Finding;
use diffsan_stacks::{LayerOfFinding, Stack};

impl App {
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
