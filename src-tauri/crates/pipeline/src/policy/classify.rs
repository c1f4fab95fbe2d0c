//! Asking an agent about what is ambiguous: only where the user set it, masked, in its time, and without harm when it fails.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::examine::Examined;
use crate::agents::{AgentChoice, agent_folders, choose_agent};
use crate::open::OpenChange;
use diffsan_agent::{Request, SCHEMA_FILE, SearchPath};
use diffsan_capability::classifier::{question, read, schema};
use diffsan_capability::judge::PolicyFinding;
use diffsan_redact::Session;
use diffsan_store::files::places::{Places, random_word};
use diffsan_syntax::language::Language;

/// What the configured agent says; nothing where it is not allowed, not there, late, or says anything else than it was asked.
pub(crate) async fn classify(
    places: &Places,
    opened: &OpenChange,
    examined: &Examined,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Vec<PolicyFinding> {
    let config = &opened.settings.config;
    if !config.capability.classifier {
        return Vec::new();
    }
    let search = opened.search_path();
    let Some(choice) = choose_agent(None, None, config, &search).ok().filter(|choice| !choice.is_built_in()) else {
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
    opened: &OpenChange,
    examined: &Examined,
    session: &mut Session,
    choice: &AgentChoice,
    search: &SearchPath,
    cancel: &CancellationToken,
) -> Option<Vec<PolicyFinding>> {
    let language = examined.targets.iter().find_map(|path| Language::of(path)).map_or("unknown", Language::name);
    let asked = question(&examined.contracts.effects, language, &examined.findings)?;
    // What it is shown is masked, and so is what its answer is compared with.
    let asked = session.value("policy", asked).into_inner();
    let template = opened.trust.prompts(places).load("classify.md").ok().flatten()?.text;
    let marker = format!("data-{}", random_word(6).ok()?);
    let input = serde_json::to_string_pretty(&asked).ok()?;
    let text = template.replace("{{ marker }}", &marker).replace("{{ input }}", &input);
    let prompt = session.text("prompt", &text);
    let private = agent_folders(places, opened).ok()?;
    let schema = schema();
    std::fs::write(private.temporary.join(SCHEMA_FILE), serde_json::to_vec(&schema).ok()?).ok()?;
    let key = choice.key();
    let request = Request {
        program: choice.program.as_deref(),
        config: &opened.settings.config.agent,
        model: choice.model.as_deref(),
        key: key.as_deref(),
        run_dir: &private.temporary,
        room: &private.empty,
        empty: &private.empty,
        home: &private.home,
        temporary: &private.temporary,
        prompt: &prompt,
        schema: Some(&schema),
        search,
    };
    let reply = diffsan_agent::ask(&choice.agent, &request, cancel, |_| {}).await;
    let mut shown = examined.findings.clone();
    for place in shown.iter_mut().flat_map(|finding| &mut finding.evidence) {
        for text in [&mut place.file, &mut place.excerpt, &mut place.symbol] {
            *text = session.contract("policy", text).into_inner();
        }
    }
    read(&reply.answer.ok()?, &examined.contracts.effects, &shown)
}
