//! Reviews: runs them, saves them, and stores decisions about them.

use diffsan_pipeline::open;
use diffsan_pipeline::review;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::carry_over::{CurrentPlaces, carry_over, known_findings, posted_keys, resolved_by_edits};
use super::runs::{FollowedRuns, RunEnd, RunFailure};
use super::saved_review::{Facts, SavedReview, file_digests, read_output, target_text};
use super::{App, ChangeHandle};
use diffsan_pipeline::error::{Error, ErrorCode, Result, redacted, to_json};
use diffsan_pipeline::open::{OpenChange, review_key};
use diffsan_pipeline::review::{Outcome, ResumePart, ReviewRequest, Reviewed, RunEvent, new_run_id};
use diffsan_pipeline::{blocking, random_id};
use diffsan_review::ReviewOutput;
use diffsan_review::finding::Decision;
use diffsan_store::files::artifacts::{RunRecord, RunRequest, interrupted_runs, now, settle_interrupted};
use diffsan_store::{FixSource, Reviews, StoredDecision, StoredFix, StoredReview};

/// The outcome of a review that did not fail.
#[derive(Clone, Debug)]
pub enum ReviewOutcome {
    /// The review is saved.
    Saved(Box<SavedReview>),
    /// There was nothing to review.
    Skipped {
        /// The first reason: `NO_DIFF`, `NOTHING_SENT`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
        reason: &'static str,
        /// The reason as text for display.
        message: String,
    },
}

/// The answer to a request for a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StartedReview {
    /// The run's id.
    pub run_id: String,
    /// Whether the run is new. Otherwise the change was already being reviewed.
    pub new: bool,
}

impl App {
    /// Reviews an opened change in the background. If the change is already being reviewed, returns that run.
    /// [`Self::follow_reviews`] reports the progress and the end. Must be called in a tokio runtime.
    pub fn start_review(self: &Arc<Self>, handle: ChangeHandle, mut request: ReviewRequest) -> StartedReview {
        let cancel = self.cancellation();
        let run_id = new_run_id();
        if let Err(run_id) = self.runs.begin(&run_id, &handle.opened, &request.agents, &cancel) {
            return StartedReview { run_id, new: false };
        }
        request.run_id = Some(run_id.clone());
        let (app, work) = (Arc::clone(self), self.work.begin(&cancel));
        // The review continues when every page is closed, because the agent's answer is paid for.
        tokio::runtime::Handle::current().spawn(async move {
            // The registry records the result.
            let _ = app.run_review(&handle, request, cancel, &|_| ()).await;
            drop(work);
        });
        StartedReview { run_id, new: true }
    }

    /// Reviews an opened change and saves the result. Always returns the run folder as well. The request may name the run.
    pub async fn review(
        self: &Arc<Self>,
        handle: &ChangeHandle,
        mut request: ReviewRequest,
        cancel: CancellationToken,
        notify: &(dyn Fn(RunEvent) + Send + Sync),
    ) -> (PathBuf, Result<ReviewOutcome>) {
        let _work = self.work.begin(&cancel);
        let run_id = request.run_id.take().unwrap_or_else(new_run_id);
        if self.runs.begin(&run_id, &handle.opened, &request.agents, &cancel).is_err() {
            let error = Error::new(ErrorCode::Busy, "The change is already being reviewed.");
            return (PathBuf::new(), Err(error.hint("Wait for that review, or cancel it.")));
        }
        request.run_id = Some(run_id);
        self.run_review(handle, request, cancel, notify).await
    }

    /// Runs a registered review, and records its progress and its end.
    async fn run_review(
        self: &Arc<Self>,
        handle: &ChangeHandle,
        request: ReviewRequest,
        cancel: CancellationToken,
        notify: &(dyn Fn(RunEvent) + Send + Sync),
    ) -> (PathBuf, Result<ReviewOutcome>) {
        let run_id = request.run_id.clone().unwrap_or_default();
        let watch = |event: RunEvent| {
            self.runs.progress(&run_id, &event);
            notify(event);
        };
        let (folder, result) = self.review_and_save(handle, request, cancel, &watch).await;
        let end = match &result {
            Ok(ReviewOutcome::Saved(saved)) => {
                RunEnd::Done { findings: u32::try_from(saved.output.findings.len()).unwrap_or(u32::MAX) }
            }
            Ok(ReviewOutcome::Skipped { reason, message }) => {
                RunEnd::Skipped { reason: (*reason).to_owned(), message: message.clone() }
            }
            Err(error) if error.code.is_cancelled() => RunEnd::Cancelled,
            Err(error) => RunEnd::Failed {
                failure: RunFailure { error: redacted(error.clone()).info(), run_dir: folder.display().to_string() },
            },
        };
        self.runs.end(&run_id, &handle.opened.review_key(), end);
        (folder, result)
    }

    async fn review_and_save(
        self: &Arc<Self>,
        handle: &ChangeHandle,
        mut request: ReviewRequest,
        cancel: CancellationToken,
        notify: &(dyn Fn(RunEvent) + Send + Sync),
    ) -> (PathBuf, Result<ReviewOutcome>) {
        let (app, opened) = (Arc::clone(self), Arc::clone(&handle.opened));
        let cut_off;
        (request, cut_off) = match blocking(move || app.with_earlier(&opened, request)).await {
            Ok(known) => known,
            Err(error) => return (PathBuf::new(), Err(error)),
        };
        self.ensure_facts(&handle.opened, &cancel).await;
        let (verify, verify_cancel) = (request.verify, cancel.clone());
        let (app, opened) = (Arc::clone(self), Arc::clone(&handle.opened));
        let keep = move |folder: &Path, reviewed: Reviewed| app.save_reviewed(&opened, folder, reviewed);
        let opened = Arc::clone(&handle.opened);
        let (folder, result) = review::review(&self.places, opened, request, cancel, notify, keep).await;
        let outcome = match result {
            Ok(Outcome::Skipped { reason, message }) => Ok(ReviewOutcome::Skipped { reason, message }),
            Ok(Outcome::Reviewed(kept)) => {
                let (app, opened) = (Arc::clone(self), Arc::clone(&handle.opened));
                blocking(move || app.finish_review(&opened, kept, cut_off)).await
            }
            Err(error) => Err(error),
        };
        let outcome = match outcome {
            Ok(ReviewOutcome::Saved(saved)) => {
                let verified = self.verify_saved(&handle.opened, *saved, verify, &verify_cancel, notify).await;
                Ok(ReviewOutcome::Saved(Box::new(verified)))
            }
            other => other,
        };
        (folder, outcome)
    }

    /// Adds the results of earlier reviews to a request. Returns the interrupted runs of the change as well. Blocks.
    fn with_earlier(
        &self,
        opened: &OpenChange,
        mut request: ReviewRequest,
    ) -> Result<(ReviewRequest, Vec<(PathBuf, RunRecord)>)> {
        let earlier = self.earlier_findings(opened)?;
        if request.prior.is_none() {
            request.prior = self.prior_of(opened, &earlier)?;
        }
        request.known = known_findings(opened, &earlier);
        request.records = self.record_texts(opened)?;
        request.posted = open::earlier(opened).1;
        Ok((request, self.interrupted(opened, None)))
    }

    /// Settles the interrupted runs that a saved review replaces. Blocks.
    fn finish_review(
        &self,
        opened: &OpenChange,
        stored: StoredReview,
        cut_off: Vec<(PathBuf, RunRecord)>,
    ) -> Result<ReviewOutcome> {
        opened.pin(None);
        // The interrupted runs need not be offered to the user any more.
        for (folder, record) in cut_off {
            // If this fails, the run is offered once more.
            let _ = settle_interrupted(&folder, record);
        }
        self.load_review(stored).map(|saved| ReviewOutcome::Saved(Box::new(saved)))
    }

    /// Saves the result of a run with the reviewer's work on earlier reviews. Blocks.
    fn save_reviewed(&self, opened: &OpenChange, folder: &Path, reviewed: Reviewed) -> Result<StoredReview> {
        self.add_reviewed(opened, folder, reviewed).map_err(|error| {
            let message = format!("The review is finished, but it could not be saved. {}", error.message);
            let first = error.hint.unwrap_or_default();
            Error::new(ErrorCode::StoreFailed, message).hint(format!(
                "{first} The answers are in the run folder. Resume the interrupted run; the agents \
                    are not called again."
            ))
        })
    }

    fn add_reviewed(&self, opened: &OpenChange, folder: &Path, reviewed: Reviewed) -> Result<StoredReview> {
        let Reviewed { run_id, created_at, mut output } = reviewed;
        self.recall_refutations(opened, &mut output)?;
        let (record, posted) = (self.record_for_order(opened)?, posted_keys(opened));
        // Findings are searched before the transaction. In it, only those that were written meanwhile are new.
        let mut places = CurrentPlaces::new(opened);
        self.store.read_reviews(|reviews| places.earlier_findings(reviews))?;
        self.store.edit_reviews(|reviews| {
            let earlier = places.earlier_findings(reviews)?;
            let decisions = carry_over(&earlier, &posted, &mut output);
            if let Some(record) = record {
                record.order(&mut output.findings);
            }
            let stored = StoredReview {
                id: run_id,
                repository: opened.review_home(),
                target: target_text(opened),
                fingerprint: opened.fingerprint.value.clone(),
                created_at,
                run_dir: folder.display().to_string(),
                output: to_json(&output)?,
                facts: to_json(&Facts::of(opened, &output, resolved_by_edits(&earlier, &output)))?,
            };
            add_decided(reviews, &stored, &decisions)?;
            Ok(stored)
        })
    }

    /// Cancels a running review. Returns `false` if it has ended.
    pub fn cancel(&self, run_id: &str) -> bool {
        self.runs.cancel(run_id)
    }

    /// Removes the error of a failed review.
    pub fn close_failed_review(&self, run_id: &str) {
        self.runs.close(run_id);
    }

    /// Returns the running reviews, and follows them and the edits of saved reviews.
    pub fn follow_reviews(&self) -> FollowedRuns {
        self.runs.follow()
    }

    /// Reports to all pages that a saved review was edited, except to the connection that did it. A page with an earlier review is told in
    /// any case, so that it shows the latest one. Blocks.
    pub fn report_edited_review(&self, review_id: &str, by: Option<u64>) {
        // Without the review, there is nothing to show.
        let Ok(stored) = self.stored(review_id) else { return };
        let latest = self.store.latest_review_id(&stored.repository, &stored.target).ok().flatten();
        let by = by.filter(|_| latest.is_none_or(|latest| latest == review_id));
        self.runs.edited(review_key(&stored.repository, &stored.target), by);
    }

    /// Returns the latest review of a change, or the review that the change was opened with. Blocks.
    pub fn latest_review(&self, opened: &OpenChange) -> Result<Option<SavedReview>> {
        if let Some(pinned) = opened.pinned()
            && let Some(stored) = self.store.review(&pinned)?
        {
            return self.load_review(stored).map(Some);
        }
        let stored = self.store.latest_review(&opened.review_home(), &target_text(opened))?;
        stored.map(|stored| self.load_review(stored)).transpose()
    }

    /// Returns the interrupted runs of a change, latest first. Leaves out those that began before `since`. Blocks.
    pub fn interrupted(&self, opened: &OpenChange, since: Option<&str>) -> Vec<(PathBuf, RunRecord)> {
        let target = opened.written_target();
        let repository = opened.written_root();
        let mut runs = interrupted_runs(&self.places.runs());
        runs.retain(|(_, record)| {
            record.repository == repository
                && record.target == *target
                && since.is_none_or(|since| record.started_at.as_str() > since)
        });
        runs
    }

    /// Returns the folder and the settings of an interrupted run, to resume it. Blocks.
    pub fn resume(&self, run_id: &str) -> Result<(PathBuf, RunRequest)> {
        let (folder, record) = self.interrupted_run(run_id)?;
        let mut request = record.request.unwrap_or_default();
        if request.agents.is_empty() {
            // The agents that the run asked, whatever the settings are now.
            let names = record.agent.unwrap_or_default();
            request.agents = names.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect();
        }
        Ok((folder, request))
    }

    /// Returns the requests of an interrupted run, and which of them need not be sent again. Blocks.
    pub fn plan_resume(&self, opened: &OpenChange, run_id: &str) -> Result<(RunRequest, Vec<ResumePart>)> {
        let (folder, request) = self.resume(run_id)?;
        let (prior, records) = (self.prior(opened)?, self.record_texts(opened)?);
        let parts = review::plan_resume(&self.places, opened, &folder, &request, prior.as_ref(), &records)?;
        Ok((request, parts))
    }

    /// Saves a decision about findings. If the review is not the latest one of its change, the decision also applies to the latest one, as
    /// far as that has the same findings about the same code. Blocks.
    pub fn decide(&self, review_id: &str, findings: &[String], decision: Decision, reason: Option<&str>) -> Result<()> {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        self.store.edit_reviews(|reviews| {
            let named = existing(reviews.review(review_id)?)?;
            let codes = codes_of(&named)?;
            if let Some(unknown) = findings.iter().find(|key| !codes.contains_key(*key)) {
                return Err(Error::new(ErrorCode::NotFound, format!("The review has no finding `{unknown}`.")));
            }
            reviews.decide(review_id, findings, decision.name(), reason, &now())?;
            if let Some(latest) = later_than(reviews, &named)? {
                let latest_codes = codes_of(&latest)?;
                let is_same = |key: &&String| latest_codes.get(*key).is_some_and(|code| *code == codes[*key]);
                let same: Vec<String> = findings.iter().filter(is_same).cloned().collect();
                reviews.decide(&latest.id, &same, decision.name(), reason, &now())?;
            }
            Ok(())
        })
    }

    /// Returns a saved review. Blocks.
    pub fn review_by_id(&self, review_id: &str) -> Result<SavedReview> {
        self.load_review(self.stored(review_id)?)
    }

    /// Saves a copy of a review with relocated findings, with its decisions and the reviewer's work on other reviews. Blocks.
    pub(super) fn save_relocated(
        &self,
        opened: &OpenChange,
        review_id: &str,
        relocate: impl FnOnce(&ReviewOutput) -> Result<ReviewOutput>,
    ) -> Result<SavedReview> {
        let word = random_id(8)?;
        let posted = posted_keys(opened);
        let mut places = CurrentPlaces::new(opened);
        self.store.read_reviews(|reviews| places.earlier_findings(reviews))?;
        let stored = self.store.edit_reviews(|reviews| {
            let saved = existing(reviews.review(review_id)?)?;
            let mut output = relocate(&readable(&saved)?)?;
            let mut decisions = reviews.decisions(review_id)?;
            if later_than(reviews, &saved)?.is_some() {
                // The copy becomes the latest review. It must not lose the work on the one that was the latest.
                let carried = carry_over(&places.earlier_findings(reviews)?, &posted, &mut output);
                decisions.retain(|one| carried.iter().all(|other| other.finding_key != one.finding_key));
                decisions.extend(carried);
            }
            let facts: Facts = serde_json::from_str(&saved.facts).map_err(damaged)?;
            let stored = StoredReview {
                id: format!("{review_id}-{word}"),
                repository: opened.review_home(),
                target: target_text(opened),
                // The findings are placed on this diff, whatever diff was reviewed.
                fingerprint: opened.fingerprint.value.clone(),
                created_at: now(),
                run_dir: saved.run_dir,
                facts: to_json(&Facts {
                    resolved: Vec::new(),
                    files: file_digests(opened, &output.findings),
                    ..facts
                })?,
                output: to_json(&output)?,
            };
            add_decided(reviews, &stored, &decisions)?;
            Ok::<_, Error>(stored)
        })?;
        opened.pin(None);
        self.load_review(stored)
    }

    pub(super) fn stored(&self, review_id: &str) -> Result<StoredReview> {
        existing(self.store.review(review_id)?)
    }

    pub(super) fn load_review(&self, stored: StoredReview) -> Result<SavedReview> {
        let output = readable(&stored)?;
        let facts: Facts = serde_json::from_str(&stored.facts).map_err(damaged)?;
        let latest = self.store.latest_review_id(&stored.repository, &stored.target)?;
        Ok(SavedReview {
            earlier: latest.is_some_and(|latest| latest != stored.id),
            decisions: self.store.decisions(&stored.id)?,
            applied: self.store.fixes_of_review(&stored.id)?.into_iter().filter_map(applied).collect(),
            id: stored.id,
            created_at: stored.created_at,
            fingerprint: stored.fingerprint,
            run_dir: stored.run_dir,
            output,
            masked: facts.masked,
            cut_files: facts.cut_files,
        })
    }
}

/// Returns a review that must exist.
pub(super) fn existing(stored: Option<StoredReview>) -> Result<StoredReview> {
    stored.ok_or_else(|| Error::new(ErrorCode::NotFound, "The review no longer exists.").hint("Open the change again."))
}

/// Returns the output of a review that must be readable.
pub(super) fn readable(stored: &StoredReview) -> Result<ReviewOutput> {
    read_output(&stored.output).map_err(damaged)
}

fn damaged(error: serde_json::Error) -> Error {
    Error::new(ErrorCode::StoreFailed, "A saved review cannot be read.")
        .hint("Review the change again. The old review is still in its run folder.")
        .cause(error)
}

/// Returns the latest review of the change of a review, if it is another one.
pub(super) fn later_than(reviews: &Reviews<'_>, stored: &StoredReview) -> Result<Option<StoredReview>> {
    Ok(reviews.latest(&stored.repository, &stored.target)?.filter(|latest| latest.id != stored.id))
}

/// Returns the digest of the code of each finding, by key.
fn codes_of(stored: &StoredReview) -> Result<HashMap<String, Option<String>>> {
    Ok(readable(stored)?.findings.into_iter().map(|finding| (finding.key, finding.code)).collect())
}

fn add_decided(reviews: &Reviews<'_>, stored: &StoredReview, decisions: &[StoredDecision]) -> Result<()> {
    reviews.add(stored)?;
    for StoredDecision { finding_key, decision, reason } in decisions {
        reviews.decide(&stored.id, std::slice::from_ref(finding_key), Some(decision), reason.as_deref(), &now())?;
    }
    Ok(())
}

fn applied(fix: StoredFix) -> Option<(String, i64)> {
    match fix.source {
        FixSource::Finding { finding, .. } => Some((finding, fix.id)),
        FixSource::Message { .. } => None,
    }
}
