//! Second opinions on the findings of saved reviews, and the memory of refuted findings, which later reviews of the same code are told.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::carry_over::prior_finding;
use super::{App, SavedReview};
use diffsan_change::Target;
use diffsan_config::Verify;
use diffsan_pipeline::agents::AgentChoice;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json, to_json_value};
use diffsan_pipeline::open::OpenChange;
use diffsan_pipeline::review::{PreparedRoom, RunEvent, estimate_cost, expected_room, relocate, room_of};
use diffsan_prepare::prompt::PriorFinding;
use diffsan_prepare::tokens;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::Finding;
use diffsan_review::opinion::{Opinion, OpinionVerdict, SecondOpinion};
use diffsan_review::rounds::CodeStatus;
use diffsan_store::StoredRefutation;
use diffsan_store::event::{EventName, Level};
use diffsan_store::files::artifacts::{append_event, now, write_result};
use diffsan_verification::{Asked, OpinionPlan, ask, choose, plan, selected};

/// The state of a refuted finding, as a prompt names it.
const REFUTED: &str = "refuted by a second opinion";

/// The prompts of a second opinion, before they are sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpinionPreview {
    /// The name of the agent.
    pub agent: String,
    /// The display name of the agent.
    pub title: String,
    /// The requested model, if one is named.
    pub model: Option<String>,
    /// The prompts, masked as they will be sent.
    pub prompts: Vec<String>,
    /// The number of tokens of all prompts, counted with a common tokenizer.
    pub tokens: u64,
    /// The estimated cost of the prompts by the price table, in US dollars. None if the model or its price is unknown.
    pub cost_usd: Option<f64>,
    /// The number of findings that are over the limits.
    pub left_out: u32,
}

impl App {
    /// Returns the prompts of a second opinion on findings of a saved review. Blocks.
    pub fn preview_opinion(&self, opened: &OpenChange, review_id: &str, keys: &[String]) -> Result<OpinionPreview> {
        let saved = self.review_by_id(review_id)?;
        let findings = named(&saved, opened, keys)?;
        let choice = choice_of(opened, &saved)?;
        let room = expected_room(&self.places, opened, &choice.agent);
        let mut session = opened.prepared().session();
        let plan = plan(&self.places, opened, &choice.agent, &findings, room.as_deref(), &mut session)?;
        let prompts: Vec<String> = plan.prompts.iter().map(|prompt| prompt.text.as_str().to_owned()).collect();
        let tokens = prompts.iter().map(|prompt| tokens::count(prompt)).sum();
        Ok(OpinionPreview {
            cost_usd: estimate_cost(&self.places, choice.model.as_deref(), tokens)?,
            agent: choice.agent.name.clone(),
            title: choice.agent.title().to_owned(),
            model: choice.model,
            prompts,
            tokens,
            left_out: u32::try_from(plan.left_out.len()).unwrap_or(u32::MAX),
        })
    }

    /// Asks for a second opinion on findings of a saved review, and saves it. Fails if there is none.
    pub async fn ask_opinion(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        review_id: &str,
        keys: &[String],
        cancel: &CancellationToken,
    ) -> Result<SavedReview> {
        let _work = self.work.begin(cancel);
        let (app, change, id, keys) = (Arc::clone(self), Arc::clone(opened), review_id.to_owned(), keys.to_vec());
        let (saved, findings) = blocking(move || {
            let saved = app.review_by_id(&id)?;
            let findings = named(&saved, &change, &keys)?;
            Ok((saved, findings))
        })
        .await?;
        let (given, failure) = self.opinions_on(opened, &saved, findings, cancel, &|_| ()).await?;
        match failure {
            Some(error) if given.opinions.is_empty() => Err(error),
            _ => self.save_opinions(opened, &saved, given).await,
        }
    }

    /// Asks for second opinions on a review that was just saved, as far as the setting or the request wants them. The review stays as it is if
    /// there are none; it then tells why.
    pub(super) async fn verify_saved(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        saved: SavedReview,
        verify: Option<Verify>,
        cancel: &CancellationToken,
        notify: &(dyn Fn(RunEvent) + Send + Sync),
    ) -> SavedReview {
        let verify = verify.unwrap_or(opened.settings.config.review.verify);
        let mut wanted = selected(&saved.output.findings, verify);
        // A refutation on the same code is still known.
        let known = saved.output.second_opinion.clone().unwrap_or_default();
        wanted.retain(|finding| known.of(&finding.key).is_none());
        if wanted.is_empty() {
            return saved;
        }
        let count = wanted.len();
        let given = match self.opinions_on(opened, &saved, wanted, cancel, notify).await {
            Ok((given, _)) => given,
            Err(error) => {
                let error = error.masked(&mut opened.fresh_session());
                let unanswered = u32::try_from(count).unwrap_or(u32::MAX);
                SecondOpinion { error: Some(error.message), unanswered, ..SecondOpinion::default() }
            }
        };
        // The review is already saved and paid for, so it is returned in any case.
        self.save_opinions(opened, &saved, given).await.unwrap_or(saved)
    }

    async fn opinions_on(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        saved: &SavedReview,
        findings: Vec<Finding>,
        cancel: &CancellationToken,
        notify: &(dyn Fn(RunEvent) + Send + Sync),
    ) -> Result<(SecondOpinion, Option<Error>)> {
        let step = |message: String| notify(RunEvent::Step { step: "verify", message });
        step("Preparing the second opinion".to_owned());
        let (app, change, review) = (Arc::clone(self), Arc::clone(opened), saved.clone());
        let (choice, room, plan, mut session) = blocking(move || {
            let choice = choice_of(&change, &review)?;
            let mut session = change.prepared().session();
            let room = room_of(&app.places, &change, &choice.agent, session.clone())?;
            let folder = room.as_ref().map(PreparedRoom::folder);
            let plan: OpinionPlan =
                plan(&app.places, &change, &choice.agent, &findings, folder.as_deref(), &mut session)?;
            Ok((choice, room, plan, session))
        })
        .await?;
        let run_dir = Some(Path::new(&saved.run_dir)).filter(|path| path.is_dir());
        let asked = Asked {
            places: &self.places,
            opened,
            choice: &choice,
            room: room.as_ref().map(PreparedRoom::folder),
            run_dir,
            cancel,
            notify: &step,
        };
        Ok(ask(&asked, plan, &mut session).await)
    }

    async fn save_opinions(
        self: &Arc<Self>,
        opened: &Arc<OpenChange>,
        saved: &SavedReview,
        given: SecondOpinion,
    ) -> Result<SavedReview> {
        let (app, opened, saved) = (Arc::clone(self), Arc::clone(opened), saved.clone());
        blocking(move || {
            let opinions = given.opinions.clone();
            let edited = app.edit_output(&saved.id, |output| {
                let known: HashSet<&str> = output.findings.iter().map(|finding| finding.key.as_str()).collect();
                let mut given = given;
                given.opinions.retain(|opinion| known.contains(opinion.finding.as_str()));
                output.second_opinion.get_or_insert_default().add(given);
                Ok(())
            })?;
            app.remember(&opened, &edited.output, &opinions)?;
            record(&opened, &edited);
            Ok(edited)
        })
        .await
    }

    /// Remembers the refuted findings among those with new opinions, and forgets the others. Blocks.
    fn remember(&self, opened: &OpenChange, output: &ReviewOutput, opinions: &[Opinion]) -> Result<()> {
        let scope = scope_of(opened);
        for opinion in opinions {
            let finding = output.findings.iter().find(|finding| finding.key == opinion.finding);
            let Some((finding, code)) = finding.and_then(|finding| Some((finding, finding.code.as_ref()?))) else {
                continue;
            };
            if opinion.verdict != OpinionVerdict::Refuted {
                self.store.forget_refutation(&scope, &finding.key, code)?;
                continue;
            }
            let refutation = StoredRefutation {
                scope: scope.clone(),
                finding_key: finding.key.clone(),
                code: code.clone(),
                finding: to_json(finding)?,
                opinion: to_json(opinion)?,
            };
            self.store.remember_refutation(&refutation, &now())?;
        }
        Ok(())
    }

    /// Adds the known refutations of findings on the same code to a new review. Blocks.
    pub(super) fn recall_refutations(&self, opened: &OpenChange, output: &mut ReviewOutput) -> Result<()> {
        let known = self.store.refutations(&scope_of(opened))?;
        let same = |finding: &Finding| {
            let is_same = |one: &&StoredRefutation| {
                one.finding_key == finding.key && finding.code.as_deref() == Some(one.code.as_str())
            };
            let found = known.iter().find(is_same)?;
            let opinion: Opinion = serde_json::from_str(&found.opinion).ok()?;
            Some(Opinion { finding: finding.key.clone(), remembered: true, ..opinion })
        };
        let opinions: Vec<Opinion> = output.findings.iter().filter_map(same).collect();
        if !opinions.is_empty() {
            output.second_opinion.get_or_insert_default().add(SecondOpinion { opinions, ..SecondOpinion::default() });
        }
        Ok(())
    }

    /// Returns the refuted findings whose code is still the same, for a prompt. Blocks.
    pub(super) fn refuted_before(&self, opened: &OpenChange) -> Result<Vec<PriorFinding>> {
        let stored = self.store.refutations(&scope_of(opened))?;
        let read = |one: StoredRefutation| {
            let finding: Finding = serde_json::from_str(&one.finding).ok()?;
            let opinion: Opinion = serde_json::from_str(&one.opinion).ok()?;
            Some((finding, opinion))
        };
        let (findings, opinions): (Vec<Finding>, Vec<Opinion>) = stored.into_iter().filter_map(read).unzip();
        if findings.is_empty() {
            return Ok(Vec::new());
        }
        let now = relocate(opened, None, &findings, &mut opened.prepared().session());
        let is_here = |status: &CodeStatus| matches!(status, CodeStatus::Unchanged | CodeStatus::Moved { .. });
        let valid = opinions.into_iter().zip(now).filter(|(_, now)| is_here(&now.status));
        let reason = |opinion: Opinion| Some(opinion.reason).filter(|reason| !reason.is_empty());
        let prior = valid.map(|(opinion, now)| prior_finding(now.finding, REFUTED, reason(opinion)));
        Ok(prior.collect())
    }
}

/// Returns the findings of a review with these keys, at the current places of their code.
fn named(saved: &SavedReview, opened: &OpenChange, keys: &[String]) -> Result<Vec<Finding>> {
    let placed = saved.relocated(opened).map(|placed| placed.into_iter().map(|one| one.finding).collect::<Vec<_>>());
    let all = placed.as_ref().unwrap_or(&saved.output.findings);
    let mut found = Vec::new();
    for key in keys {
        let finding = all.iter().find(|finding| finding.key == *key).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("The review has no finding `{key}`."))
                .hint("Name findings by their keys, as the review lists them.")
        })?;
        found.push(finding.clone());
    }
    if found.is_empty() {
        return Err(Error::new(ErrorCode::InvalidInput, "No finding is named.").hint("Select a finding first."));
    }
    Ok(found)
}

fn choice_of(opened: &OpenChange, saved: &SavedReview) -> Result<AgentChoice> {
    let meta = &saved.output.meta;
    let answered = meta.agents.iter().filter(|one| one.findings.is_some());
    let names: Vec<String> = answered.map(|one| one.name.clone()).collect();
    choose(opened, &names, meta.model.as_deref())
}

/// Returns the name under which refuted findings are remembered. A merge request is the same with and without a clone.
fn scope_of(opened: &OpenChange) -> String {
    match &opened.target {
        Target::MergeRequest { base, project, .. } => format!("{base}/{project}"),
        _ => opened.repository_name(),
    }
}

/// Writes the review with its opinions to its run folder. A failure is ignored, because the review is saved in the store.
fn record(opened: &OpenChange, saved: &SavedReview) {
    let folder = Path::new(&saved.run_dir);
    if !folder.join("review.json").is_file() {
        return;
    }
    let mut session = opened.prepared().session();
    // Its fields are not masked by their names, because keys of findings look like secrets.
    let masked = session.texts("agent output", saved.output.clone(), ReviewOutput::for_each_text);
    if let Ok(review) = to_json_value(masked.get()) {
        let _ = write_result(folder, "review.json", &masked.narrow(|_| review));
    }
    let given = saved.output.second_opinion.clone().unwrap_or_default();
    let count = |verdict| given.count(verdict);
    let data = json!({
        "holds": count(OpinionVerdict::Holds), "refuted": count(OpinionVerdict::Refuted),
        "unsure": count(OpinionVerdict::Unsure), "unanswered": given.unanswered, "left_out": given.left_out,
        "error": given.error,
    });
    let _ = append_event(folder, Level::Info, EventName::OpinionsChecked, &session.value("event", data));
}
