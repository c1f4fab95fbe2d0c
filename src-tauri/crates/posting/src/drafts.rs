//! Posts comments as drafts first. Nobody sees an incomplete posting, GitLab reports for each draft whether its line is
//! known, and all become public together. Only diffsan's own drafts are published or deleted.

use std::collections::HashMap;

use super::delivery::DeliveryMethod;
use super::posted::PostedComments;
use super::{ItemState, Posting};
use diffsan_forge::gitlab::{GitlabError, Landing, Position, RangeForm};
use diffsan_forge::post_plan::{PlannedItem, marks};

impl Posting<'_> {
    /// Creates the missing drafts and publishes them.
    pub(super) async fn send_as_drafts(
        &mut self,
        missing: &[PlannedItem],
        delivery: &DeliveryMethod,
        landed: &PostedComments,
    ) {
        let Some(mut own) = self.own_drafts().await else { return };
        let without = missing.iter().filter(|item| !own.by_key.contains_key(&item.key));
        let (dropped, without): (Vec<_>, Vec<_>) = without.partition(|item| self.board.published.contains(&item.key));
        if !dropped.is_empty() {
            self.send_discussions(&dropped).await;
        }
        if delivery.together {
            self.make(&without).await;
            // List the drafts again: a person may have begun one meanwhile, and a lost connection may have left one.
            let Some(now) = self.own_drafts().await else { return };
            own = now;
        }
        let wanted: Vec<&PlannedItem> = missing.iter().filter(|item| own.by_key.contains_key(&item.key)).collect();
        if wanted.is_empty() || self.board.stopped() || self.context.cancel.is_cancelled() {
            if !delivery.together {
                self.send_discussions(&without).await;
            }
            return;
        }
        self.step(&format!("Publishing {} comments", wanted.len()));
        // Publishing together would also publish drafts of an earlier posting that are not wanted now.
        let only_these = own.others == 0 && own.by_key.len() == wanted.len();
        let together = delivery.together && only_these && !self.board.together_broke;
        if together {
            // The summary is published with the same notification if the version supports that and the summary is
            // complete.
            let whole = self.board.refused().is_empty() && wanted.len() == self.board.missing().len();
            let summary = self.request.plan.summary.as_ref();
            let summary = summary
                .filter(|one| delivery.summary_along && whole && one.replaces.is_none() && landed.summary.is_none());
            let body = summary.map(|summary| summary.body(&[], self.request.markers));
            for item in &wanted {
                self.journal(&item.key, "publishing", None, None);
            }
            let (project, iid) = (self.request.project, self.request.iid);
            let result = self.request.client.publish_all(project, iid, body.as_deref()).await;
            if result.is_ok() {
                self.board.published.extend(wanted.iter().map(|item| item.key.clone()));
            }
            if let Err(error) = result {
                // Some drafts may be public. The next round finds them, and publishes the others one by one.
                self.board.together_broke = true;
                self.step(&format!("Publishing together failed ({error}); posting one by one"));
                self.board.ask_wait(None);
            }
            return;
        }
        let all = wanted.len();
        for (done, item) in wanted.into_iter().enumerate() {
            if self.board.stopped() || self.context.cancel.is_cancelled() {
                return;
            }
            let Some(draft) = own.by_key.get(&item.key) else { continue };
            if done > 0 {
                self.progress("Publishing", done, all);
            }
            self.sending(&item.key);
            match self.request.client.publish_draft(self.request.project, self.request.iid, *draft).await {
                Ok(()) | Err(GitlabError::NotFound(_)) => {
                    self.board.published.insert(item.key.clone());
                }
                Err(error) => self.refused(&item.key, error),
            }
        }
        if !delivery.together {
            self.send_discussions(&without).await;
        }
    }

    /// Creates drafts. Deletes a draft again if GitLab finds no line for it, because it would disappear when it is
    /// published.
    async fn make(&mut self, items: &[&PlannedItem]) {
        if items.is_empty() {
            return;
        }
        let (client, project, iid) = (self.request.client, self.request.project, self.request.iid);
        let make = async |item: &PlannedItem, position: &Position, form: RangeForm| {
            let draft = client.draft(project, iid, &item.body, position, form).await?;
            if draft.line_code.is_none() && matches!(item.landing, Landing::Line { .. }) {
                // The next listing of drafts finds it if it cannot be deleted now.
                let _ = client.delete_draft(project, iid, draft.id).await;
                return Err(GitlabError::Position("the draft's line was not found".to_owned()));
            }
            Ok(())
        };
        self.send_each("Preparing", items, true, make, |posting, key, ()| {
            posting.notify_item_as(key, ItemState::Prepared)
        })
        .await;
    }

    /// Lists diffsan's own drafts by the key of their finding. Deletes copies, and drafts of comments that are already
    /// public.
    pub(super) async fn own_drafts(&mut self) -> Option<OwnDrafts> {
        let (client, project, iid) = (self.request.client, self.request.project, self.request.iid);
        let drafts = match client.drafts(project, iid).await {
            Ok(drafts) => drafts.unwrap_or_default(),
            Err(error) => {
                self.board.ask_wait(None);
                self.step(&format!("The drafts cannot be read: {error}"));
                return None;
            }
        };
        let mut own = OwnDrafts::default();
        for draft in drafts {
            let Some(key) = marks::read(&draft.note, self.request.markers).findings.into_iter().next() else {
                own.others += 1;
                continue;
            };
            let public = self.board.get(&key).is_some_and(|result| result.url.is_some());
            if public || own.by_key.contains_key(&key) {
                if client.delete_draft(project, iid, draft.id).await.is_err() {
                    own.others += 1;
                }
                continue;
            }
            own.by_key.insert(key, draft.id);
        }
        Some(own)
    }
}

#[derive(Default)]
pub(super) struct OwnDrafts {
    by_key: HashMap<String, u64>,
    /// The number of drafts that are not diffsan's own, or that could not be deleted.
    others: usize,
}
