//! `diffsan prompt snippets`: lists the snippets with their source, and imports the user's own.

use std::process::ExitCode;

use diffsan_app::AppOptions;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use serde_json::json;

use crate::args::PromptArgs;
use crate::output;

/// Lists the snippets. Imports those of a file first if one is named.
pub fn run(args: &PromptArgs) -> Result<ExitCode> {
    let app = output::start(AppOptions::default())?;
    if let Some(path) = &args.import {
        let read = match path.to_str() {
            Some("-") => diffsan_bounded::read_stream_to_string(std::io::stdin(), diffsan_bounded::MAX_SETTINGS_BYTES),
            _ => diffsan_bounded::read_to_string(path, diffsan_bounded::MAX_SETTINGS_BYTES),
        };
        let text = read
            .map_err(|error| Error::new(ErrorCode::IoFailed, format!("{} cannot be read: {error}.", path.display())))?;
        app.import_snippets(&text)?;
    }
    let (read, path) = app.snippets();
    for notice in &read.notices {
        output::say(&format!("note: {notice}"));
    }
    let place = path.map_or_else(|| "built in".to_owned(), |path| path.display().to_string());
    if args.json {
        let list: Vec<_> = read
            .snippets
            .iter()
            .map(|one| json!({ "name": one.name(), "icon": one.icon, "tooltip": one.tooltip, "message": one.message }))
            .collect();
        let value = json!({ "snippets": list, "place": place, "notices": read.notices });
        output::result(&output::json(&value)?, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{place}\n\n");
    for snippet in &read.snippets {
        text += &format!("{}  /{}: {}\n", snippet.icon, snippet.name(), snippet.tooltip);
        for line in snippet.message.lines() {
            text += &format!("    {line}\n");
        }
    }
    output::text(&text, None)?;
    Ok(ExitCode::SUCCESS)
}
