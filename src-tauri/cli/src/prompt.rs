//! `diffsan prompt`: prints the exact prompt of a review.

use std::process::ExitCode;

use diffsan_pipeline::agents::choose_agent;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::review::{PromptRequest, build_prompt, estimate_cost, expected_room, with_record};
use diffsan_prepare::tokens;
use diffsan_store::files::prompts::{PromptFiles, build_system_prompt};

use crate::args::{PromptArgs, PromptPart};
use crate::{output, prepare, snippets};

/// Prints the prompt.
pub async fn run(args: PromptArgs) -> Result<ExitCode> {
    if args.part == Some(PromptPart::System) {
        return system(args.json);
    }
    if args.part == Some(PromptPart::Snippets) {
        return snippets::run(&args);
    }
    if args.import.is_some() {
        return Err(Error::new(ErrorCode::InvalidInput, "--import is only valid with `diffsan prompt snippets`."));
    }
    let (app, handle) = prepare::open(&args.source).await?;
    prepare::facts(&app, &handle, &args.source).await?;
    let config = &handle.opened.settings.config;
    // The prompt can be read before any agent is installed.
    let mut model = args.model.clone();
    let search = handle.opened.search_path();
    let agent = match choose_agent(args.agent.as_deref(), model.as_deref(), config, &search) {
        // The built-in reviewer gets no prompt, so the prompt of another agent is shown.
        Ok(choice) if choice.is_built_in() => {
            let first = diffsan_agent::known(config).into_iter().next();
            first.ok_or_else(|| Error::new(ErrorCode::AgentNotFound, "No agent is configured."))?
        }
        Ok(choice) => {
            model = choice.model;
            choice.agent
        }
        Err(error) if error.code == ErrorCode::AgentNotFound => {
            let wanted = args.agent.as_deref().unwrap_or(&config.agent.name);
            let mut all = diffsan_agent::known(config).into_iter();
            all.find(|agent| agent.name == wanted || wanted == "auto").ok_or(error)?
        }
        Err(error) => return Err(error),
    };
    let mut session = handle.opened.prepared().session();
    let batches = handle.opened.prepared().prepared.diffs().len();
    let room = expected_room(app.places(), &handle.opened, &agent);
    let prior = app.prior(&handle.opened)?;
    let records = app.record_texts(&handle.opened)?;
    let instructions = with_record(args.instructions.as_deref(), records.get(&agent.name).map(String::as_str));
    let mut build = |batch: usize| {
        let request = PromptRequest {
            agent: &agent,
            instructions: instructions.as_deref(),
            skills: None,
            batch,
            room: room.as_deref(),
            prior: prior.as_ref(),
        };
        build_prompt(app.places(), &handle.opened, request, &mut session)
    };
    let one = args.batch.map(|batch| batch.get() as usize - 1);
    if !args.json && one.is_none() && batches > 1 {
        for batch in 0..batches {
            let built = build(batch)?;
            output::text(&format!("===== part {} of {batches} =====\n{}\n", batch + 1, built.text), None)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let built = build(one.unwrap_or_default())?;
    let text = built.text.as_str();
    if args.json {
        let sources: Vec<_> = built
            .files
            .iter()
            .map(|file| {
                let place = file.path.as_ref().map_or("built in".to_owned(), |path| path.display().to_string());
                serde_json::json!({ "name": file.name, "place": place })
            })
            .collect();
        let tokens = tokens::count(text);
        let value = serde_json::json!({
            "text": text,
            "chars": text.chars().count(),
            "tokens": tokens,
            "model": model,
            "cost_usd": estimate_cost(app.places(), model.as_deref(), tokens)?,
            "batch": one.unwrap_or_default() + 1,
            "batches": batches,
            "skills": built.skills,
            "sources": sources,
        });
        output::result(&output::json(&value)?, None)?;
    } else {
        output::text(text, None)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn system(json: bool) -> Result<ExitCode> {
    let places = diffsan_store::files::places::Places::find(None, None)
        .ok_or_else(|| Error::new(ErrorCode::ConfigParseError, "There is no home folder for prompts."))?;
    let (text, files) = build_system_prompt(&PromptFiles::new(std::collections::BTreeMap::new(), &places.config))
        .map_err(|error| Error::new(ErrorCode::ConfigParseError, format!("{error}.")))?;
    if json {
        let names: Vec<_> = files.iter().map(|file| &file.name).collect();
        output::result(&output::json(&serde_json::json!({ "text": text, "files": names }))?, None)?;
    } else {
        output::text(&(text + "\n"), None)?;
    }
    Ok(ExitCode::SUCCESS)
}
