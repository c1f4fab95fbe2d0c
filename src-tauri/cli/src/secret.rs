//! `diffsan secret`: tokens and keys in the keyring. A secret is read from a terminal without echo or from standard
//! input, never from an argument, which others could see.

use diffsan_pipeline::blocking;
use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use diffsan_app::{App, AppOptions};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::TokenPlace;
use diffsan_store::secrets::{Secret, SecretName, SecretPlace};

use crate::config_args::{SecretArgs, SecretCommand};
use crate::output;

pub async fn run(args: SecretArgs) -> Result<ExitCode> {
    let app = output::start(AppOptions::default())?;
    match args.command {
        SecretCommand::Set { name } => {
            let name = named(&name)?;
            let secret = read(&name)?;
            let (owner, stored) = (app.clone(), name.clone());
            blocking(move || owner.save_secret(&stored, &secret, false)).await?;
            output::say(&format!("{name} is saved in the keyring."));
            if let SecretName::Gitlab { origin, .. } = &name {
                return check(&app, origin, false).await;
            }
        }
        SecretCommand::List { json } => {
            let saved = blocking(move || app.saved_secrets()).await?;
            if json {
                let list: Vec<_> = saved
                    .iter()
                    .map(|one| serde_json::json!({ "name": one.name.to_string(), "there": one.place.is_some() }))
                    .collect();
                output::result(&output::json(&list)?, None)?;
            } else if saved.is_empty() {
                output::say("No token or key is saved. Save one with `diffsan secret set https://gitlab.example.com`.");
            } else {
                let line = |one: &diffsan_app::SavedSecret| {
                    format!("{}{}\n", one.name, if one.place.is_some() { "" } else { "  (no longer in the keyring)" })
                };
                output::text(&saved.iter().map(line).collect::<String>(), None)?;
            }
        }
        SecretCommand::Remove { name } => {
            let name = named(&name)?;
            let gone = name.clone();
            if !blocking(move || app.remove_secret(&gone)).await? {
                return Err(Error::new(ErrorCode::NotFound, format!("There is no {name} in the keyring."))
                    .hint("`diffsan secret list` lists the saved names."));
            }
            output::say(&format!("{name} was removed."));
        }
        SecretCommand::Check { url, json } => return check(&app, &url, json).await,
    }
    Ok(ExitCode::SUCCESS)
}

async fn check(app: &std::sync::Arc<App>, url: &str, json: bool) -> Result<ExitCode> {
    let found = app.check_token(url).await?;
    let place = match &found.place {
        TokenPlace::Variable(name) => name.clone(),
        TokenPlace::Kept(SecretPlace::Keyring) => "the keyring".to_owned(),
        TokenPlace::Kept(SecretPlace::Session) => "this session".to_owned(),
    };
    if json {
        let value = serde_json::json!({ "username": found.username, "scopes": found.scopes, "expires_at": found.expires_at,
            "can_post": found.can_post, "place": place });
        output::result(&output::json(&value)?, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let scopes = found.scopes.map_or("unknown".to_owned(), |scopes| scopes.join(", "));
    let until = found.expires_at.map(|date| format!(", until {date}")).unwrap_or_default();
    output::say(&format!("{url}: {} (scopes {scopes}{until}; from {place})", found.username));
    if found.can_post == Some(false) {
        output::say("This token can only read. Posting needs a token with the scope api.");
    }
    Ok(ExitCode::SUCCESS)
}

fn named(text: &str) -> Result<SecretName> {
    SecretName::parse(text).ok_or_else(|| {
        Error::new(ErrorCode::InvalidInput, format!("`{text}` is not the name of a secret.")).hint(
            "Use the address of a GitLab server (https://gitlab.example.com), or a key with its variable (key:OPENAI_API_KEY).",
        )
    })
}

fn read(name: &SecretName) -> Result<Secret> {
    let failed =
        |error: std::io::Error| Error::new(ErrorCode::IoFailed, format!("The secret cannot be read: {error}."));
    if std::io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("{name}: ")).map(|text| Secret::new(&text)).map_err(failed);
    }
    let mut text = String::new();
    std::io::stdin().lock().take(100_000).read_to_string(&mut text).map_err(failed)?;
    Ok(Secret::new(&text))
}
