//! Asks an agent about ambiguous results of the capability reviewer. This is optional, masked and limited in time, and a failure has no
//! effect.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::agents::{AgentChoice, agent_folders, choose_agent, folders_with_room, write_schema};
use crate::blocking::blocking;
use crate::open::OpenChange;
use diffsan_agent::{Question, SearchPath};
use diffsan_capability::classifier::{question, read, schema};
use diffsan_capability::judge::PolicyFinding;
use diffsan_policy::Examined;
use diffsan_redact::Session;
use diffsan_store::files::places::{Places, random_word};
use diffsan_syntax::language::Language;

/// Returns the answer of the configured agent. Returns nothing if this is disabled, if the agent is not available or too late, or if its
/// answer is not valid.
pub(crate) async fn classify(
    places: &Places,
    opened: &Arc<OpenChange>,
    examined: &Examined,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Vec<PolicyFinding> {
    let config = &opened.settings.config;
    if !config.capability.classifier {
        return Vec::new();
    }
    let change = Arc::clone(opened);
    let choosing = blocking(move || {
        let search = change.search_path();
        choose_agent(None, None, &change.settings.config, &search).map(|choice| (choice, search))
    });
    let Some((choice, search)) = choosing.await.ok().filter(|(choice, _)| !choice.is_built_in()) else {
        return Vec::new();
    };
    let cancel = cancel.child_token();
    let time = Duration::from_secs(config.capability.classifier_timeout_seconds.max(1));
    let asking = ask(places, opened, examined, session, &choice, &search, &cancel);
    match tokio::time::timeout(time, asking).await {
        Ok(found) => found.unwrap_or_default(),
        Err(_) => {
            cancel.cancel();
            Vec::new()
        }
    }
}

async fn ask(
    places: &Places,
    opened: &Arc<OpenChange>,
    examined: &Examined,
    session: &mut Session,
    choice: &AgentChoice,
    search: &SearchPath,
    cancel: &CancellationToken,
) -> Option<Vec<PolicyFinding>> {
    let language = examined.targets.iter().find_map(|path| Language::of(path)).map_or("unknown", Language::name);
    let asked = question(&examined.contracts.effects, language, &examined.findings)?;
    // The question is masked, and so is the text that the answer is compared with.
    let asked = session.value("policy", asked).into_inner();
    let template = opened.trust.prompts(places).load("classify.md").ok().flatten()?.text;
    let marker = format!("data-{}", random_word(6).ok()?);
    let input = serde_json::to_string_pretty(&asked).ok()?;
    let text = template.replace("{{ marker }}", &marker).replace("{{ input }}", &input);
    let prompt = session.text("prompt", &text);
    let schema = schema();
    let private = {
        let (places, opened, schema) = (places.clone(), Arc::clone(opened), schema.clone());
        let preparing = blocking(move || {
            let private = agent_folders(&places, &opened)?;
            write_schema(&private, &schema)?;
            Ok(private)
        });
        preparing.await.ok()?
    };
    let request = choice.request(&opened.settings.config.agent, folders_with_room(&private, None), search);
    let question = Question { prompt: &prompt, run_dir: &private.temporary, schema: Some(&schema) };
    let reply = diffsan_agent::ask(&request, &question, cancel, |_| {}).await;
    let mut shown = examined.findings.clone();
    for place in
        shown.iter_mut().flat_map(|finding| finding.evidence.iter_mut().chain(finding.also.iter_mut().flatten()))
    {
        for text in [&mut place.file, &mut place.excerpt, &mut place.symbol] {
            *text = session.contract("policy", text).into_inner();
        }
    }
    read(&reply.answer.ok()?, &examined.contracts.effects, &shown)
}
