//! Saves the answers of agents in the form in which the review is made from them, and the record of the run.

use super::attempts::{AcceptedAnswer, Part};
use super::log::{Log, folder_error};
use super::resume;
use crate::agents::AgentChoice;
use crate::error::{Error, ErrorCode, Result, to_json_value};
use diffsan_placing::{AnswerForm, PlacingError, PlacingRecord, RecordedAnswer};
use diffsan_redact::types::Redacted;
use diffsan_review::ReviewOutput;
use diffsan_review::answer::{self, Answer};

/// The file with the record from which the review of a run is made.
pub const RECORD_FILE: &str = "placing.json";

/// Masks and saves the answer of an agent. The review is made from the saved answer.
pub(super) fn save_answer(
    log: &mut Log<'_>,
    part: &Part,
    choice: &AgentChoice,
    digest: &str,
    mut accepted: AcceptedAnswer,
) -> Result<AcceptedAnswer> {
    let masked = log.session.texts("agent output", accepted.answer.clone(), Answer::for_each_text);
    resume::save_answer(log, part, choice, digest, (&accepted, &masked))?;
    let output = part.file(&format!("agent.raw.attempt{}.txt", accepted.attempts));
    let is_same = |saved: &Answer| {
        let answer = masked.get();
        (&saved.output, saved.read_as, &saved.unreadable) == (&answer.output, answer.read_as, &answer.unreadable)
    };
    let saved = read_file(log, &output).and_then(|text| answer::read(&text).ok());
    let (path, form) = match saved.filter(is_same) {
        Some(_) => (output, AnswerForm::Output),
        None => (part.file(resume::ANSWER), AnswerForm::Accepted),
    };
    accepted.answer = masked.into_inner();
    accepted.recorded =
        vec![RecordedAnswer { prompt: Some(part.file("prompt.txt")), ..entry(choice, part, path, form) }];
    Ok(accepted)
}

/// Masks and saves the answer of the capability reviewer, which has no prompt and no output.
pub(super) fn save_built_in(
    log: &mut Log<'_>,
    part: &Part,
    choice: &AgentChoice,
    mut accepted: AcceptedAnswer,
) -> Result<AcceptedAnswer> {
    let masked = log.session.texts("agent output", accepted.answer.clone(), Answer::for_each_text);
    let name = part.file("agent.raw.txt");
    let text = serde_json::to_string_pretty(&masked.get().output)?;
    log.folder.write(&name, &masked.narrow(|_| text)).map_err(|error| folder_error(log.folder, &error))?;
    accepted.answer = masked.into_inner();
    accepted.recorded = vec![entry(choice, part, name, AnswerForm::Output)];
    Ok(accepted)
}

fn entry(choice: &AgentChoice, part: &Part, path: String, form: AnswerForm) -> RecordedAnswer {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    RecordedAnswer {
        agent: choice.agent.name.clone(),
        part: number(part.index + 1),
        parts: number(part.of),
        path,
        form,
        prompt: None,
        run: None,
    }
}

fn read_file(log: &Log<'_>, name: &str) -> Option<String> {
    diffsan_bounded::read_to_string(&log.folder.path().join(name), diffsan_bounded::MAX_PATCH_BYTES).ok()
}

/// Makes the review from the record and the saved answers, and saves both. Blocks.
pub(super) fn conclude(log: &mut Log<'_>, record: PlacingRecord) -> Result<ReviewOutput> {
    let record = log.session.texts("agent output", record, PlacingRecord::for_each_text);
    let output = diffsan_placing::review(record.get(), &|name| read_file(log, name)).map_err(no_review)?;
    let masked = log.session.texts("agent output", output.clone(), ReviewOutput::for_each_text);
    let corrections = diffsan_placing::corrections(&output, masked.get());
    let record = record.narrow(|record| PlacingRecord { corrections, ..record.clone() });
    write_masked(log, RECORD_FILE, &record)?;
    write_masked(log, "review.json", &masked)?;
    Ok(masked.into_inner())
}

/// Writes a masked report. Its fields are not masked again, because keys of findings look like secrets.
fn write_masked<T: serde::Serialize>(log: &Log<'_>, name: &str, report: &Redacted<T>) -> Result<()> {
    let value = to_json_value(report.get())?;
    let value = report.narrow(|_| value);
    log.folder.write_report(name, &value).map_err(|error| folder_error(log.folder, &error))
}

fn no_review(error: PlacingError) -> Error {
    Error::new(ErrorCode::Internal, format!("No review can be made from the saved answers: {error}."))
}
