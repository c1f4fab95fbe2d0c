//! `diffsan history`: lists the reviews and conversations of every repository.

use diffsan_pipeline::blocking;
use std::path::Path;
use std::process::ExitCode;

use diffsan_app::{AppOptions, EntryKind, HistoryItem, HistoryParams, HistoryView};
use diffsan_git::Repo;
use diffsan_pipeline::error::Result;

use crate::history_args::{HistoryArgs, HistoryKind};
use crate::output;

/// Lists the history, latest first.
pub async fn run(args: HistoryArgs) -> Result<ExitCode> {
    let listed = blocking(move || {
        let app = output::start(AppOptions::default())?;
        let inside = |path: &str| Repo::open(Path::new(path)).map(|repo| repo.root().display().to_string());
        let params = HistoryParams {
            words: args.words.join(" "),
            place: args.repo.map(|place| inside(&place).unwrap_or(place)),
            kind: args.kind.map(|kind| match kind {
                HistoryKind::Reviews => EntryKind::Review,
                HistoryKind::Conversations => EntryKind::Conversation,
            }),
            after: None,
            limit: Some(args.limit),
        };
        Ok((app.history_page(&params)?, args.json))
    });
    let (view, json) = listed.await?;
    if json {
        output::result(&output::json(&view)?, None)?
    } else {
        output::text(&text(&view), None)?
    }
    Ok(ExitCode::SUCCESS)
}

fn text(view: &HistoryView) -> String {
    let mut out = String::new();
    for run in &view.interrupted {
        out += &format!(
            "{}  {:<24} {}  interrupted · {} · {} answers saved\n",
            stamp(&run.run.started_at),
            run.place,
            run.change,
            run.run.agent,
            run.run.answers
        );
    }
    for item in &view.items {
        out += &format!("{}  {:<24} {}  {}\n", stamp(&item.at), item.place, item.change, facts(item));
        if let Some(hit) = &item.hit {
            let text: String = hit.text.chars().filter(|char| !char.is_control()).collect();
            out += &format!("                  {}: {text}\n", hit.part);
        }
    }
    if out.is_empty() {
        out += "Nothing was found.\n";
    } else if view.next.is_some() {
        out += "There are more; use --limit N.\n";
    }
    out
}

fn stamp(at: &str) -> String {
    at.chars().take(16).map(|char| if char == 'T' { ' ' } else { char }).collect()
}

fn facts(item: &HistoryItem) -> String {
    let mut facts = Vec::new();
    if item.kind == EntryKind::Conversation {
        facts.push(format!("\u{201c}{}\u{201d}", item.title));
        facts.push(format!("{} messages", item.messages));
    } else {
        let names = ["critical", "high", "medium", "low", "info"];
        let found = item.severities.iter().zip(names).filter(|(count, _)| **count > 0);
        let found: Vec<String> = found.map(|(count, name)| format!("{count} {name}")).collect();
        facts.push(if found.is_empty() { "no findings".to_owned() } else { found.join(", ") });
        let decided = [(item.accepted, "accepted"), (item.dismissed, "dismissed"), (item.posted, "posted")];
        facts.extend(decided.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")));
    }
    facts.push(item.agent.clone());
    facts.extend(item.tokens.map(|tokens| format!("{tokens} tokens")));
    facts.retain(|fact| !fact.is_empty());
    facts.join(" · ")
}
