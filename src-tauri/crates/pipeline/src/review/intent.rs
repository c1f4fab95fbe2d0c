//! The intent of the authors of a change: as text for an agent, and the agent's answer about it.

use super::placing::read_files;
use crate::open::OpenChange;
use diffsan_anchor::check_intent;
use diffsan_forge::gitlab::ClosedIssue;
use diffsan_prepare::prompt::intent::{IntentIssue, IntentSource, IntentText, intent_text};
use diffsan_redact::Session;
use diffsan_review::intent::{AgentRequirement, Requirement};

/// Returns the title, description, commit messages and closed issues of a change, masked and at most as long as the settings allow. Empty if
/// the settings leave them out.
pub fn intent_of(opened: &OpenChange, session: &mut Session) -> IntentText {
    let config = &opened.settings.config.prompt;
    if !config.intent {
        return IntentText::default();
    }
    let request = opened.merge_request.as_deref();
    let mut mask = |text: &str| session.text("intent", text).into_inner();
    let title = request.map(|request| mask(&request.title)).unwrap_or_default();
    let description = request.and_then(|request| request.description.as_deref()).map(&mut mask).unwrap_or_default();
    let all = request.map(|request| request.issues.as_slice()).unwrap_or_default();
    // The text of a confidential issue must not reach a note that more people may read.
    let (confidential, open): (Vec<&ClosedIssue>, Vec<&ClosedIssue>) = all.iter().partition(|issue| issue.confidential);
    let issue = |issue: &&ClosedIssue| IntentIssue {
        reference: match (issue.references.relative.as_str(), issue.iid) {
            ("", Some(iid)) => format!("#{iid}"),
            (relative, _) => mask(relative),
        },
        title: mask(&issue.title),
        description: issue.description.as_deref().map(&mut mask).unwrap_or_default(),
    };
    let issues: Vec<IntentIssue> = open.iter().map(issue).collect();
    let source = IntentSource {
        title: &title,
        description: &description,
        issues: &issues,
        confidential: confidential.len(),
        messages: &opened.prepared().prepared.change.get().messages,
    };
    intent_text(&source, config.max_intent_chars)
}

/// Parts of the answers of agents, by the name of the agent.
pub type ByAgent<T> = Vec<(String, Vec<T>)>;

/// Checks the requirements that agents name, and their evidence. Blocks.
pub fn checked_intent(
    opened: &OpenChange,
    found: ByAgent<AgentRequirement>,
    session: &mut Session,
) -> Vec<Requirement> {
    let quotes = found.iter().flat_map(|(_, all)| all).flat_map(|one| &one.evidence);
    let files = read_files(opened, quotes.map(|quote| quote.path.as_str()), session);
    check_intent(found, opened.prepared().masked.get(), &files)
}
