//! Joins the answers for the batches of a change: their findings, and the facts about them. The summaries are joined when the review is
//! made from the record of the run.

use super::attempts::AcceptedAnswer;

/// Joins answers in the order of their batches. Returns `None` if there are none.
pub(super) fn join(answers: Vec<AcceptedAnswer>) -> Option<AcceptedAnswer> {
    let mut answers = answers.into_iter();
    let mut whole = answers.next()?;
    for mut part in answers {
        whole.answer.output.findings.append(&mut part.answer.output.findings);
        whole.answer.output.intent.append(&mut part.answer.output.intent);
        whole.answer.output.chapters.append(&mut part.answer.output.chapters);
        add_facts(&mut whole, part);
    }
    Some(whole)
}

/// Adds the usage, the cost and the other facts of another answer of the same agent. Its summary and its findings are not added.
pub(super) fn add_facts(whole: &mut AcceptedAnswer, part: AcceptedAnswer) {
    whole.recorded.extend(part.recorded);
    whole.attempts = whole.attempts.max(part.attempts);
    whole.usage = match (whole.usage, part.usage) {
        (Some(a), Some(b)) => Some(a.plus(b)),
        (one, other) => one.or(other),
    };
    whole.reading = std::mem::take(&mut whole.reading).plus(part.reading);
    whole.sandbox = match (whole.sandbox.take(), part.sandbox) {
        (Some(a), Some(b)) => Some(a.plus(b)),
        (one, other) => one.or(other),
    };
    whole.cost = match (whole.cost, part.cost) {
        (Some(a), Some(b)) => Some(a + b),
        (one, other) => one.or(other),
    };
}
