//! Joins the answers for the batches of a change.

use super::attempts::AcceptedAnswer;

/// Joins answers in the order of their batches. Returns `None` if there are none.
pub(super) fn join(answers: Vec<AcceptedAnswer>) -> Option<AcceptedAnswer> {
    let parts = answers.len();
    let mut answers = answers.into_iter();
    let mut whole = answers.next()?;
    if parts == 1 {
        return Some(whole);
    }
    whole.answer.output.summary_markdown = part_summary(1, parts, &whole.answer.output.summary_markdown);
    for (index, mut part) in answers.enumerate() {
        let output = std::mem::take(&mut part.answer.output.findings);
        whole.answer.output.summary_markdown += "\n\n";
        whole.answer.output.summary_markdown += &part_summary(index + 2, parts, &part.answer.output.summary_markdown);
        whole.answer.output.findings.extend(output);
        add_facts(&mut whole, part);
    }
    Some(whole)
}

/// Adds the usage, the cost and the other facts of another answer of the same agent. Its summary and its findings are not added.
pub(super) fn add_facts(whole: &mut AcceptedAnswer, part: AcceptedAnswer) {
    whole.answer.unreadable.extend(part.answer.unreadable);
    whole.answer.read_as = whole.answer.read_as.max(part.answer.read_as);
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

fn part_summary(part: usize, parts: usize, summary: &str) -> String {
    format!("**Part {part} of {parts}.** {}", summary.trim())
}
