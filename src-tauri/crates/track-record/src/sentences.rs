//! A track record as text, for terminals and for prompts.

use super::{AgentRecord, MIN_DECISIONS, Tally};

impl Tally {
    /// Returns `62% to 91% accepted (20 of 24 decisions), 12 posted, 9 resolved`, or the counts alone for fewer than ten decisions.
    pub fn sentence(&self) -> String {
        let decided = self.decided();
        let share = match self.accepted_share {
            Some(share) => format!("{} accepted ({} of {decided} decisions)", share.text(), self.accepted),
            None => format!(
                "{} accepted, {} dismissed; a share needs {MIN_DECISIONS} decisions",
                self.accepted, self.dismissed
            ),
        };
        format!("{share}, {} posted, {} resolved by an edit", self.posted, self.resolved)
    }
}

impl AgentRecord {
    /// Returns the record for the agent's prompt, or `None` if there are fewer than ten decisions.
    pub fn prompt_text(&self) -> Option<String> {
        let share = self.total.accepted_share?;
        let mut text = format!(
            "How the reviewer decided about your earlier findings: {} of {} were accepted (likely share {}).",
            self.total.accepted,
            self.total.decided(),
            share.text()
        );
        let categories = self.categories.iter().filter_map(|one| {
            let share = one.tally.accepted_share?;
            Some(format!(
                "{} {} of {} ({})",
                one.category.name(),
                one.tally.accepted,
                one.tally.decided(),
                share.text()
            ))
        });
        let categories: Vec<String> = categories.collect();
        if !categories.is_empty() {
            text += &format!(" Accepted by category: {}.", categories.join(", "));
        }
        let reasons = self.reasons.iter().filter(|reason| reason.count > 1);
        let reasons: Vec<String> =
            reasons.map(|one| format!("\u{201c}{}\u{201d} ({} times)", one.reason, one.count)).collect();
        if !reasons.is_empty() {
            text += &format!(" Frequent reasons of dismissals: {}.", reasons.join(", "));
        }
        Some(text + " Report every real problem all the same.")
    }
}
