//! `diffsan config trust`, `untrust` and `trusted`: shows a repository's requests before they take effect.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use diffsan_app::App;
use diffsan_config::{SettingEffect, TrustRequest};
use diffsan_pipeline::error::{Error, ErrorCode, Result, to_json_value};
use diffsan_pipeline::open::TrustState;
use diffsan_store::files::settings::REPOSITORY_FILE;

use crate::config_args::TrustArgs;
use crate::{output, prepare};

/// Shows the requests of a repository, asks, and saves the answer.
pub async fn trust(args: &TrustArgs) -> Result<ExitCode> {
    let (app, handle) = prepare::open_quietly(&args.source).await?;
    let opened = &handle.opened;
    let trust = &opened.trust;
    let digest = trust.digest.clone();
    let mut session = opened.fresh_session();
    if args.json {
        let hidden = trust.hidden(&mut opened.fresh_session());
        let wants = session.clone().value("trust", to_json_value(&trust.wants)?).into_inner();
        let value = serde_json::json!({ "repository": trust.repository, "place": trust.place, "stand": state_name(trust.state),
            "digest": digest, "wants": wants, "hidden": hidden, "notes": trust.notes });
        output::result(&output::json(&value)?, None)?;
    } else {
        // Mask each line separately, as `Trust::hidden` does for settings.
        let text = request_text(&trust.repository, &trust.place, &trust.wants);
        let lines = text.lines().map(|line| session.text(REPOSITORY_FILE, line).into_inner() + "\n");
        output::text(&lines.collect::<String>(), None)?;
        for note in &trust.notes {
            output::say(&format!("note: {note}"));
        }
    }
    match trust.state {
        TrustState::NotNeeded => return Ok(ExitCode::SUCCESS),
        TrustState::Trusted => {
            output::say("These requests are trusted. `diffsan config untrust` revokes the trust.");
            return Ok(ExitCode::SUCCESS);
        }
        TrustState::Changed => {
            output::say("The repository was trusted before, but its requests have changed since then.")
        }
        TrustState::Untrusted => {}
    }
    let given = args.yes || args.digest.as_ref().is_some_and(|named| *named == digest);
    if let (Some(_), false) = (&args.digest, given) {
        return Err(Error::new(
            ErrorCode::ConfigUntrusted,
            format!("The digest does not match: the digest of the repository's requests is {digest}."),
        )
        .hint("Check the requests again, then decide."));
    }
    if !given && args.json {
        return Ok(ExitCode::SUCCESS);
    }
    trust.must_be_shown(&mut opened.fresh_session())?;
    if !given && !confirmed()? {
        output::say("The repository is not trusted; its requests are ignored.");
        return Ok(ExitCode::SUCCESS);
    }
    app.trust(trust, &digest, &mut opened.fresh_session())?;
    output::say(&format!(
        "{} is trusted with exactly these requests. If one of them changes, diffsan asks again.",
        trust.repository
    ));
    Ok(ExitCode::SUCCESS)
}

/// Asks the user. Fails if standard input is not a terminal.
fn confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Error::new(
            ErrorCode::ConfigUntrusted,
            "Standard input is not a terminal, so the trust cannot be confirmed.",
        )
        .hint("Check the requests above, then confirm with --yes, or with --digest for exactly these requests."));
    }
    output::say("Trust the repository with these requests? Type yes:");
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Error::new(ErrorCode::ConfigUntrusted, format!("The answer cannot be read: {error}.")))?;
    Ok(line.trim().eq_ignore_ascii_case("yes"))
}

/// Revokes the trust in a repository.
pub fn untrust(app: &App, repository: &str) -> Result<ExitCode> {
    if !app.distrust(repository)? {
        return Err(Error::new(ErrorCode::ConfigUntrusted, format!("{repository} is not trusted."))
            .hint("`diffsan config trusted` lists those that are."));
    }
    output::say("The repository is no longer trusted; its requests are ignored.");
    Ok(ExitCode::SUCCESS)
}

/// Lists the trusted repositories.
pub fn trusted(app: &App, json: bool) -> Result<ExitCode> {
    let all = app.trusted()?;
    if json {
        let mut list = Vec::new();
        for one in &all {
            let given =
                one.given.iter().map(|(at, wants)| Ok(serde_json::json!({ "at": at, "digest": wants.digest()? })));
            let given = given.collect::<Result<Vec<_>>>()?;
            list.push(serde_json::json!({ "repository": one.repository, "given": given }));
        }
        output::result(&output::json(&list)?, None)?;
    } else if all.is_empty() {
        output::say("No repository is trusted.");
    } else {
        let line = |one: &diffsan_app::TrustedRepository| {
            let since = one.given.iter().map(|(at, _)| at.as_str()).min().unwrap_or_default();
            format!("{}  (since {})\n", one.repository, since.get(..10).unwrap_or(since))
        };
        output::text(&all.iter().map(line).collect::<String>(), None)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn state_name(state: TrustState) -> &'static str {
    match state {
        TrustState::NotNeeded => "not_needed",
        TrustState::Untrusted => "untrusted",
        TrustState::Changed => "changed",
        TrustState::Trusted => "trusted",
    }
}

/// Formats the requests of a repository as text.
fn request_text(repository: &str, place: &str, wants: &TrustRequest) -> String {
    if wants.is_empty() {
        return format!("{repository} has no requests that need trust.\n");
    }
    let mut text = format!("{repository}\nrequests settings that only a trusted repository may have:\n\n");
    if !wants.settings.is_empty() {
        text += &format!("Settings ({place}):\n");
        for wanted in &wants.settings {
            text += &format!("  {} = {}\n      {}\n", wanted.key, wanted.value, SettingEffect::of(&wanted.key).words());
        }
    }
    if !wants.files.is_empty() {
        text += "\nIts own prompts and tables, which change the instructions for agents and the code analysis:\n";
        for file in &wants.files {
            text += &format!("  {}\n", file.path);
        }
    }
    if !wants.named.is_empty() {
        text += "\nFiles in the repository that these settings name; if one changes, diffsan asks again:\n";
        for file in &wants.named {
            let missing = if file.sha256 == "missing" { " (missing)" } else { "" };
            text += &format!("  {}{missing}\n", file.path);
        }
    }
    if wants.starts_inside {
        text += "\nAgents started inside it (agent.room = \"repository\"): they read every file there, including \
            secrets, and follow and run\nthese files:\n";
        for file in &wants.room {
            text += &format!("  {}\n", file.path);
        }
    }
    text
}
