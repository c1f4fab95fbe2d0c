//! Posts comments as drafts first. Nobody sees an incomplete posting, GitLab reports for each draft whether its line is
//! known, and all become public together. Only diffsan's own drafts are published or deleted.

use std::collections::HashMap;

use super::delivery::DeliveryMethod;
use super::posted::PostedComments;
use super::send::position;
use super::{ItemState, Posting};
use diffsan_forge::gitlab::{Draft, GitlabError, Landing, Position, RangeForm};
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
        // Publishing together would also publish other drafts.
        let together = delivery.together && own.others == 0 && !self.board.together_broke;
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
            if result == Err(GitlabError::Stopped) {
                wanted.iter().for_each(|item| self.refused(&item.key, GitlabError::Stopped));
                return;
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
            Ok(draft.id)
        };
        self.send_each("Preparing", items, true, make, |posting, key, draft| {
            posting.created.insert(draft);
            posting.notify_item_as(key, ItemState::Prepared);
        })
        .await;
    }

    /// Lists the drafts of the items that are not sent yet, by the key of their finding.
    pub(super) async fn own_drafts(&mut self) -> Option<OwnDrafts> {
        match self.request.client.drafts(self.request.project, self.request.iid).await {
            Ok(drafts) => Some(self.sort_drafts(drafts.unwrap_or_default()).await),
            Err(error) => {
                self.board.ask_wait(None);
                self.step(&format!("The drafts cannot be read: {error}"));
                None
            }
        }
    }

    /// Sorts drafts. Deletes diffsan's own ones that must not be published: copies, drafts of comments that are already
    /// public, and those of an earlier posting with another finding, text or place than the plan.
    pub(super) async fn sort_drafts(&self, drafts: Vec<Draft>) -> OwnDrafts {
        let mut own = OwnDrafts::default();
        for draft in drafts {
            let Some(key) = marks::read(&draft.note, self.request.markers).findings.into_iter().next() else {
                own.others += 1;
                continue;
            };
            let wanted = self.board.missing_item(&key).filter(|_| !own.by_key.contains_key(&key));
            // GitLab may store another form of the text, so drafts of this posting are known by their numbers.
            if wanted.is_some_and(|item| self.created.contains(&draft.id) || shows(&draft, item)) {
                own.by_key.insert(key, draft.id);
            } else if self.request.client.delete_draft(self.request.project, self.request.iid, draft.id).await.is_err()
            {
                own.others += 1;
            }
        }
        own
    }
}

/// Whether a draft has the text and the place of an item.
fn shows(draft: &Draft, item: &PlannedItem) -> bool {
    // GitLab removes these characters.
    let stored = |text: &str| text.replace('\r', "").trim_end().to_owned();
    stored(&draft.note) == stored(&item.body) && position(item).is_some_and(|position| position.is(&draft.position))
}

#[derive(Default)]
pub(super) struct OwnDrafts {
    pub(super) by_key: HashMap<String, u64>,
    /// The number of drafts that are not diffsan's own, or that could not be deleted.
    pub(super) others: usize,
}
