//! Posts to GitLab, with the journal and with artifacts in the run folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{App, SavedReview};
use diffsan_change::Target;
use diffsan_forge::post_plan::PostPlan;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::random_id;
use diffsan_posting::{
    ItemState, PlanOptions, Planned, PostEvent, PostOutcome, PostRequest, PostVerdict, PostingContext,
};
use diffsan_store::event::{EventName, Level};
use diffsan_store::files::artifacts::{append_event, write_result};
use diffsan_store::{PostingPlace, StoredPosting};

/// The input of a posting.
pub struct Posting<'a> {
    /// The opened merge request.
    pub opened: &'a OpenChange,
    /// The plan that was shown.
    pub plan: &'a PostPlan,
    /// The review's id, if the review is saved.
    pub review_id: Option<&'a str>,
    /// The run folder for artifacts. `None` for a review without a run.
    pub folder: Option<PathBuf>,
    /// Whether a finding whose line GitLab rejects is posted elsewhere without asking.
    pub degrade: bool,
    /// The verdict to give after the comments.
    pub verdict: PostVerdict,
}

/// The maximum number of plans that wait to be posted.
const PLANS: usize = 8;

/// A plan that was shown. Exactly this plan is posted.
pub struct ShownPlan {
    /// The opened merge request.
    pub opened: Arc<OpenChange>,
    /// The review's id. `None` for a plan without comments.
    pub review_id: Option<String>,
    /// The folder of the review's run.
    pub folder: Option<PathBuf>,
    /// The plan, and the items that are already posted.
    pub planned: Planned,
}

impl App {
    /// Plans the posting of a saved review, and keeps the plan under an id until it is posted. Without a review, the
    /// plan has no comments and only a verdict can be posted. Blocks.
    pub fn plan_posting(
        &self,
        opened: &Arc<OpenChange>,
        review_id: Option<&str>,
        options: &PlanOptions,
    ) -> Result<(String, Arc<ShownPlan>)> {
        let saved = review_id.map(|id| self.review_by_id(id)).transpose()?;
        let planned = match &saved {
            Some(saved) => diffsan_posting::plan_posting(opened, &saved.output, options)?,
            None => diffsan_posting::plan_verdict(opened)?,
        };
        let (review_id, run_dir) = saved.map(|saved| (saved.id, saved.run_dir)).unzip();
        // A review with only the reviewer's or moved findings has no run. Its empty path would be the current folder.
        let folder = run_dir.filter(|path| !path.is_empty()).map(PathBuf::from);
        let saved = Arc::new(ShownPlan { opened: Arc::clone(opened), review_id, folder, planned });
        let id = random_id(8)?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= PLANS {
            plans.remove(0);
        }
        plans.push((id.clone(), Arc::clone(&saved)));
        Ok((id, saved))
    }

    /// Returns a plan that was shown.
    pub fn plan(&self, id: &str) -> Option<Arc<ShownPlan>> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().find(|(name, _)| name == id).map(|(_, plan)| Arc::clone(plan))
    }

    /// Relocates a saved review to the current state of its change. Saves the result as a separate review with
    /// the same decisions. Blocks.
    pub fn reanchor(&self, opened: &OpenChange, review_id: &str) -> Result<SavedReview> {
        self.save_relocated(opened, review_id, |review| diffsan_posting::relocate_review(opened, review))
    }

    /// Posts the items that are not posted yet.
    pub async fn post(
        &self,
        posting: &Posting<'_>,
        cancel: &CancellationToken,
        notify: &(dyn Fn(PostEvent) + Send + Sync),
    ) -> Result<PostOutcome> {
        let Target::MergeRequest { base, project, iid } = &posting.opened.target else {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                "This change is not a merge request, so comments cannot be posted.",
            ));
        };
        let client = {
            let (access, base) = (self.gitlab()?, base.clone());
            blocking(move || access.client(&base)).await?
        };
        let request = PostRequest {
            client: &client,
            host: base,
            project,
            iid: *iid,
            plan: posting.plan,
            markers: &diffsan_posting::request_of(posting.opened)?.markers,
            review_id: posting.review_id,
            mode: posting.opened.settings.config.gitlab.posting,
            degrade: posting.degrade,
            verdict: posting.verdict,
        };
        let locks = self.places.data.join("posting");
        let pause = Duration::from_millis(posting.opened.settings.config.gitlab.retry_pause_ms);
        let around = PostingContext { store: &self.store, locks: &locks, cancel, notify, pause };
        let folder = posting.folder.as_deref();
        trace(folder, posting, "post_plan.json", &json!(posting.plan));
        log_event(
            folder,
            posting,
            EventName::PostPlanBuilt,
            Level::Info,
            &json!({ "items": posting.plan.items.len() }),
        );
        let outcome = diffsan_posting::post(&request, &around).await;
        match &outcome {
            Ok(outcome) => {
                trace(folder, posting, "post_results.json", &json!(outcome));
                for item in &outcome.items {
                    let name =
                        if item.is_summary() { EventName::GitlabPostSummary } else { EventName::GitlabPostDiscussion };
                    let level = if item.state == ItemState::Failed { Level::Error } else { Level::Info };
                    let facts = json!({ "key": item.key, "state": item.state, "url": item.url, "error": item.error });
                    log_event(folder, posting, name, level, &facts);
                }
                if let Some(verdict) = &outcome.verdict {
                    let level = if verdict.is_given() { Level::Info } else { Level::Error };
                    log_event(folder, posting, EventName::GitlabPostVerdict, level, &json!(verdict));
                }
            }
            Err(error) => log_event(folder, posting, EventName::ErrorRaised, Level::Error, &json!(error.info())),
        }
        outcome
    }

    /// Returns the latest posting to a merge request, if it was interrupted. Blocks.
    pub fn interrupted_posting(&self, target: &Target) -> Result<Option<StoredPosting>> {
        let Target::MergeRequest { base, project, iid } = target else { return Ok(None) };
        let place = PostingPlace { host: base, project, iid: *iid };
        let latest = self.store.latest_posting(place)?;
        Ok(latest.filter(|posting| posting.ended_at.is_none()))
    }
}

/// Writes an artifact of a posting. It is masked like all others, and an error while writing is ignored.
fn trace(folder: Option<&Path>, posting: &Posting<'_>, name: &str, value: &serde_json::Value) {
    let Some(folder) = folder else { return };
    let masked = posting.opened.fresh_session().value("posting", value.clone());
    // The comments are already posted. A missing record must not fail the posting.
    let _ = write_result(folder, name, &masked);
}

fn log_event(folder: Option<&Path>, posting: &Posting<'_>, name: EventName, level: Level, data: &serde_json::Value) {
    let Some(folder) = folder else { return };
    let masked = posting.opened.fresh_session().value("posting", data.clone());
    // Events are only informative.
    let _ = append_event(folder, level, name, &masked);
}
