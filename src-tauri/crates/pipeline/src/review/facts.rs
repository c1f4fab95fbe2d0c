//! The facts of the pipeline and of reports, as text for an agent.

use std::collections::{BTreeMap, BTreeSet};

use super::prompt_budget::{fit, room};
use crate::facts::added_lines;
use crate::open::OpenChange;
use diffsan_change::Change;
use diffsan_facts::agent_entries;
use diffsan_redact::Session;

/// Returns the facts about a part of the change, at most as long as the limits and the settings allow. `texts` are those that have used the
/// limits before. Empty if no facts are known, or if the settings leave them out.
pub(super) fn facts_text(opened: &OpenChange, part: &Change, texts: &[&str], session: &mut Session) -> String {
    let config = &opened.settings.config;
    let Some(facts) = opened.facts().filter(|_| config.prompt.facts) else { return String::new() };
    let paths = part.files.iter().map(|file| file.path().to_text().into_owned());
    let added: BTreeMap<String, BTreeSet<u32>> = paths.map(|path| (path.clone(), added_lines(opened, &path))).collect();
    let entries: Vec<String> =
        agent_entries(&facts, &added).iter().map(|entry| session.text("report", entry).into_inner()).collect();
    fit(&entries, 0, room(&config.limits, config.prompt.max_facts_chars, texts), &|more| match more {
        1 => "- One further result is not listed.".to_owned(),
        more => format!("- {more} further results are not listed."),
    })
}
