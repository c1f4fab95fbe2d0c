//! Reads the recorded answers, and joins those of one agent.

use serde::Deserialize;

use crate::record::{AnswerForm, PlacingRecord, RecordedAnswer};
use crate::{PlacingError, ReadFile};
use diffsan_review::UnreadableFinding;
use diffsan_review::answer::{self, ReadAs};
use diffsan_review::finding::AgentReviewOutput;
use diffsan_review::stability::run_source;

/// The answers of one run of an agent, joined in the order of the record.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentAnswer {
    /// The name of the agent.
    pub agent: String,
    /// The number of the run, if the agent was asked several times.
    pub run: Option<u32>,
    /// The joined answer.
    pub output: AgentReviewOutput,
    /// The way in which the answers were found in the output; the least strict one of all.
    pub read_as: ReadAs,
    /// The findings that cannot be read.
    pub unreadable: Vec<UnreadableFinding>,
}

/// An answer that was masked field by field.
#[derive(Deserialize)]
struct AcceptedAnswer {
    read_as: String,
    #[serde(default)]
    unreadable: Vec<UnreadableFinding>,
    output: AgentReviewOutput,
}

/// Reads the answers of a record, by agent and run in the order of their first answers.
pub fn answers(record: &PlacingRecord, read: ReadFile<'_>) -> Result<Vec<AgentAnswer>, PlacingError> {
    let mut all: Vec<AgentAnswer> = Vec::new();
    for recorded in &record.answers {
        let text = read(&recorded.path).ok_or_else(|| PlacingError::Missing(recorded.path.clone()))?;
        let mut answer = one(recorded, &text)?;
        answer.output.summary_markdown = part_summary(recorded, &answer.output.summary_markdown);
        match all.iter_mut().find(|known| (&known.agent, known.run) == (&recorded.agent, recorded.run)) {
            Some(known) => known.join(answer),
            None => all.push(answer),
        }
    }
    if all.is_empty() { Err(PlacingError::Empty) } else { Ok(all) }
}

fn one(recorded: &RecordedAnswer, text: &str) -> Result<AgentAnswer, PlacingError> {
    let unreadable = |problem: String| PlacingError::Unreadable { path: recorded.path.clone(), problem };
    let (agent, run) = (recorded.agent.clone(), recorded.run);
    match recorded.form {
        AnswerForm::Output => {
            let answer = answer::read(text)
                .map_err(|invalid| unreadable(invalid.problems.into_iter().next().unwrap_or_default()))?;
            let answer::Answer { output, read_as, unreadable, .. } = answer;
            Ok(AgentAnswer { agent, run, output, read_as, unreadable })
        }
        AnswerForm::Accepted => {
            let accepted: AcceptedAnswer =
                serde_json::from_str(text).map_err(|error| unreadable(format!("not an answer: {error}")))?;
            let AcceptedAnswer { read_as, unreadable, output } = accepted;
            Ok(AgentAnswer { agent, run, output, read_as: ReadAs::of(&read_as), unreadable })
        }
    }
}

impl AgentAnswer {
    /// Returns the name of the answer's source while findings are merged.
    pub(super) fn source(&self) -> String {
        self.run.map_or_else(|| self.agent.clone(), |run| run_source(&self.agent, run))
    }

    /// Adds the answer for another part.
    fn join(&mut self, other: Self) {
        self.output.summary_markdown += "\n\n";
        self.output.summary_markdown += &other.output.summary_markdown;
        self.output.findings.extend(other.output.findings);
        self.unreadable.extend(other.unreadable);
        self.read_as = self.read_as.max(other.read_as);
    }
}

/// Returns the summary of an answer, with the number of its part if there are several.
fn part_summary(recorded: &RecordedAnswer, summary: &str) -> String {
    match recorded.parts {
        0 | 1 => summary.to_owned(),
        parts => format!("**Part {} of {parts}.** {}", recorded.part, summary.trim()),
    }
}
