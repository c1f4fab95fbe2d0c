//! Selects how comments become public: as drafts that are published together with one notification if that is safe,
//! else one by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Posting;
use diffsan_config::PostingWay;
use diffsan_forge::gitlab::ServerVersion;
use diffsan_forge::post_plan::PlannedItem;

/// The selected method, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryMethod {
    /// Whether comments are drafts first.
    pub drafts: bool,
    /// Whether the drafts are published together.
    pub together: bool,
    /// Whether the summary is published together with the drafts.
    #[serde(default)]
    pub summary_along: bool,
    /// The reason, for display.
    pub reason: String,
}

impl DeliveryMethod {
    pub(super) fn unknown() -> Self {
        Self {
            drafts: false,
            together: false,
            summary_along: false,
            reason: "Everything was already posted".to_owned(),
        }
    }

    fn discussions(reason: &str) -> Self {
        Self { drafts: false, together: false, summary_along: false, reason: format!("Posted one by one: {reason}") }
    }
}

impl Posting<'_> {
    /// Selects a safe method. Reads the existing drafts from GitLab, and deletes those of earlier postings that are not
    /// wanted now.
    pub(super) async fn choose_delivery(&mut self, missing: &[PlannedItem]) -> DeliveryMethod {
        let request = self.request;
        if request.mode == PostingWay::Discussions {
            return DeliveryMethod::discussions("this is set in the settings");
        }
        let drafts = match request.client.drafts(request.project, request.iid).await {
            Ok(Some(drafts)) => self.sort_drafts(drafts).await,
            Ok(None) => return DeliveryMethod::discussions("this GitLab does not support drafts"),
            Err(_) => return DeliveryMethod::discussions("the drafts cannot be read"),
        };
        let (left, others) = (drafts.by_key.len(), drafts.others);
        if others > 0 {
            let noun =
                if others == 1 { "of your own drafts is unpublished" } else { "of your own drafts are unpublished" };
            // Publish only the drafts of an interrupted posting; drafts of a person stay drafts.
            return DeliveryMethod {
                drafts: left > 0,
                together: false,
                summary_along: false,
                reason: format!("Posted one by one: {others} {noun} in GitLab and would be published as well"),
            };
        }
        if missing.len() < 2 && left == 0 && request.mode == PostingWay::Auto {
            return DeliveryMethod::discussions("there is only one inline comment");
        }
        DeliveryMethod {
            drafts: true,
            together: true,
            summary_along: request.client.version().await.is_some_and(ServerVersion::publishes_summary),
            reason: "Published together, with one notification: you have no other unpublished drafts".to_owned(),
        }
    }
}
