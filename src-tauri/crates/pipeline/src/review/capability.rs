//! The capability reviewer inside a review: it is one of the agents, and checks the findings of the others.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::attempts::AcceptedAnswer;
use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use crate::policy::{self, examine};
use diffsan_capability::join::join;
use diffsan_capability::knowledge::Knowledge;
use diffsan_evidence::AgentReading;
use diffsan_policy::{Ask, Examined, Mode, findings, stored_facts, summary};
use diffsan_redact::Session;
use diffsan_review::answer::Answer;
use diffsan_review::finding::CAPABILITY_REVIEWER;
use diffsan_review::finding::{AgentReviewOutput, ChainHop, Finding};
use diffsan_store::files::places::Places;

/// The result of the capability reviewer, for its own answer and for checking the others.
pub(super) struct CapabilityAnalysis {
    knowledge: Knowledge,
    examined: Examined,
}

/// Examines the change and its base. Blocks. Ends early if cancelled.
pub(super) fn look(places: &Places, opened: &OpenChange, cancel: &CancellationToken) -> Result<CapabilityAnalysis> {
    let knowledge = policy::knowledge(places, opened)?;
    let bounds = policy::bounds(&opened.settings.config.capability, Mode::Compare);
    let ask = Ask { bounds, contracts: None, mode: Mode::Compare, stored_facts: stored_facts(places) };
    let examined = examine(opened, &knowledge, &ask, &|| cancel.is_cancelled())?;
    if cancel.is_cancelled() {
        return Err(Error::new(ErrorCode::AgentCancelled, "The review was cancelled."));
    }
    Ok(CapabilityAnalysis { knowledge, examined })
}

impl CapabilityAnalysis {
    /// Returns the result in the form of an agent's answer.
    pub(super) fn answered(&self) -> AcceptedAnswer {
        let findings = findings(&self.knowledge, &self.examined).into_iter().map(|(finding, _)| finding).collect();
        let summary_markdown = summary(&self.knowledge, &self.examined);
        let answer =
            Answer::valid(AgentReviewOutput { summary_markdown, findings, intent: Vec::new(), chapters: Vec::new() });
        AcceptedAnswer {
            answer,
            attempts: 1,
            usage: None,
            cost: None,
            sandbox: None,
            recorded: Vec::new(),
            reading: AgentReading::default(),
        }
    }

    /// Returns the chains of its findings, by `finding_id`.
    pub(super) fn chains(&self) -> HashMap<String, Vec<ChainHop>> {
        let all = findings(&self.knowledge, &self.examined).into_iter();
        all.filter_map(|(finding, chain)| Some((finding.finding_id?, chain))).collect()
    }

    /// Adds the result of a classifier, if the user enabled it.
    pub(super) async fn classify(
        &mut self,
        places: &Places,
        opened: &Arc<OpenChange>,
        session: &mut Session,
        cancel: &CancellationToken,
    ) {
        let classified = policy::classify(places, opened, &self.examined, session, cancel).await;
        self.examined.findings.extend(classified);
    }

    /// Checks the findings of the other agents.
    pub(super) fn check(&self, findings: &mut [Finding]) {
        join(&self.knowledge, &self.examined.reached, CAPABILITY_REVIEWER, findings);
    }

    /// Returns whether it examined code of the change.
    pub(super) fn has_examined(&self) -> bool {
        !self.examined.reached.is_empty()
    }

    /// Returns the coverage as a sentence.
    pub(super) fn coverage(&self) -> String {
        let files = self.examined.code_files();
        let examined = self.examined.reached.len();
        format!("{examined} of {files} code files of the change examined, nothing sent")
    }
}

/// The result, computed once and shared by the agents of one run.
pub(super) type Shared = tokio::sync::OnceCell<Arc<CapabilityAnalysis>>;
