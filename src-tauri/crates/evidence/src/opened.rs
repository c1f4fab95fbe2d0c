//! Judges which files an agent opened.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AgentReading;

/// The maximum number of listed paths of one agent outside of the change.
const MAX_LISTED: usize = 500;

/// The access of an agent to files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// It got no files.
    #[default]
    None,
    /// It got files, and the file system was observed.
    Observed,
    /// It got files, and the file system was not observed, or not completely. Only the agent's reports are known.
    NotObserved,
}

/// The files of one question to an agent. Paths are relative to the room, with `/` between folders; paths outside are as the agent wrote
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionFiles {
    /// Whether the agent reports the files that it opens.
    pub events: bool,
    /// Whether it could read files, and whether the file system was observed.
    pub access: FileAccess,
    /// The reason why the file system was not observed.
    pub reason: Option<String>,
    /// The files that the agent reported as opened.
    pub reported: BTreeSet<String>,
    /// The files that the file system saw opened.
    pub observed: BTreeSet<String>,
}

/// Judges which files an agent opened while it answered one question. Where the file system is observed, a report counts only together
/// with an access. An agent without reports is judged by the accesses alone, which include searches.
pub fn judge(agent: &str, files: QuestionFiles) -> AgentReading {
    let QuestionFiles { events, access, reason, reported, observed } = files;
    let (opened, not_confirmed, not_reported) = match (access, events) {
        (FileAccess::None, _) => (BTreeSet::new(), reported, 0),
        (FileAccess::NotObserved, _) => (reported, BTreeSet::new(), 0),
        (FileAccess::Observed, false) => (observed, BTreeSet::new(), 0),
        (FileAccess::Observed, true) => {
            let both = reported.intersection(&observed).cloned().collect();
            let more = observed.difference(&reported).count();
            (both, reported.difference(&observed).cloned().collect(), more)
        }
    };
    AgentReading {
        agent: agent.to_owned(),
        title: String::new(),
        events,
        access,
        reason,
        opened: opened.into_iter().collect(),
        not_confirmed: not_confirmed.into_iter().collect(),
        not_reported: u32::try_from(not_reported).unwrap_or(u32::MAX),
        not_listed: 0,
    }
}

impl AgentReading {
    /// Adds the files of another question to the same agent.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.events |= other.events;
        self.access = self.access.max(other.access);
        self.reason = self.reason.or(other.reason);
        let union = |own: Vec<String>, more: Vec<String>| -> BTreeSet<String> { own.into_iter().chain(more).collect() };
        let opened = union(self.opened, other.opened);
        let mut not_confirmed = union(self.not_confirmed, other.not_confirmed);
        // A report that was confirmed in one question was only repeated in the other.
        not_confirmed.retain(|path| !opened.contains(path));
        self.opened = opened.into_iter().collect();
        self.not_confirmed = not_confirmed.into_iter().collect();
        // The same search in several parts opens the same files.
        self.not_reported = self.not_reported.max(other.not_reported);
        self.not_listed += other.not_listed;
        self
    }

    /// Shortens the lists. Files of the change are always listed.
    pub fn limit(&mut self, is_changed: impl Fn(&str) -> bool) {
        let (before, mut others) = (self.opened.len(), 0);
        self.opened.retain(|path| {
            others += usize::from(!is_changed(path));
            is_changed(path) || others <= MAX_LISTED
        });
        self.not_listed += u32::try_from(before - self.opened.len()).unwrap_or(u32::MAX);
        self.not_confirmed.truncate(MAX_LISTED);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn files(events: bool, access: FileAccess, reported: &[&str], observed: &[&str]) -> QuestionFiles {
        QuestionFiles { events, access, reason: None, reported: paths(reported), observed: paths(observed) }
    }

    #[test]
    fn a_report_counts_only_together_with_an_access() {
        let reading = judge("one", files(true, FileAccess::Observed, &["a", "b", "lie"], &["a", "b", "searched"]));
        assert_eq!(reading.opened, ["a", "b"]);
        assert_eq!(reading.not_confirmed, ["lie"]);
        assert_eq!(reading.not_reported, 1);
    }

    #[test]
    fn without_reports_the_accesses_count_and_without_observation_the_reports() {
        let reading = judge("one", files(false, FileAccess::Observed, &[], &["a"]));
        assert_eq!((reading.opened, reading.events), (vec!["a".to_owned()], false));
        let reading = judge("one", files(true, FileAccess::NotObserved, &["a"], &[]));
        assert_eq!((reading.opened, reading.access), (vec!["a".to_owned()], FileAccess::NotObserved));
        let reading = judge("one", files(true, FileAccess::None, &["a"], &[]));
        assert_eq!((reading.opened.len(), reading.not_confirmed), (0, vec!["a".to_owned()]), "it got no files");
    }

    #[test]
    fn a_question_without_observation_makes_the_whole_agent_not_observed() {
        let one = judge("one", files(true, FileAccess::Observed, &["a", "b"], &["a"]));
        let two = judge("one", files(true, FileAccess::NotObserved, &["b"], &[]));
        let both = one.plus(two);
        assert_eq!(
            (both.access, both.opened, both.not_confirmed.len()),
            (FileAccess::NotObserved, vec!["a".to_owned(), "b".to_owned()], 0)
        );
    }

    #[test]
    fn long_lists_are_shortened_except_for_files_of_the_change() {
        let mut reading =
            AgentReading { opened: (0..700).map(|n| format!("{n:04}")).collect(), ..AgentReading::default() };
        reading.limit(|path| path >= "0650");
        assert_eq!((reading.opened.len(), reading.not_listed), (550, 150));
        assert!(reading.opened.contains(&"0699".to_owned()));
    }

    proptest! {
        #[test]
        fn nothing_counts_that_the_file_system_did_not_see(
            reported in prop::collection::btree_set("[a-f]", 0..6),
            observed in prop::collection::btree_set("[a-f]", 0..6),
            events: bool,
        ) {
            let question = QuestionFiles {
                events, access: FileAccess::Observed, reason: None, reported: reported.clone(), observed: observed.clone(),
            };
            let reading = judge("one", question);
            prop_assert!(reading.opened.iter().all(|path| observed.contains(path)));
            prop_assert!(!events || reading.opened.iter().chain(&reading.not_confirmed).all(|path| reported.contains(path)));
        }
    }
}
