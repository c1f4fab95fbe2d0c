//! The facts about a change: failed tests, coverage, findings of tools.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::App;
use diffsan_change::Target;
use diffsan_facts::Facts;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::{blocking, facts};

impl App {
    /// Collects the facts about a change and keeps them with it. `named` are reports that the user names.
    pub async fn collect_facts(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        named: Vec<PathBuf>,
        cancel: &CancellationToken,
    ) -> Result<Arc<Facts>> {
        let access = match &opened.target {
            Target::MergeRequest { .. } => {
                let app = Arc::clone(self);
                Some(blocking(move || app.gitlab()).await?)
            }
            _ => None,
        };
        facts::collect(opened, named, access, cancel).await
    }

    /// Collects the facts about a change unless they are known. A review and a prompt continue without them.
    pub async fn ensure_facts(self: &Arc<Self>, opened: &Arc<OpenChange>, cancel: &CancellationToken) {
        if opened.facts().is_none() {
            // The next step notices a cancellation.
            let _ = self.collect_facts(opened, Vec::new(), cancel).await;
        }
    }
}
