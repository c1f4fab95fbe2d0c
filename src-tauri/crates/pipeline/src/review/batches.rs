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
    for (index, part) in answers.enumerate() {
        let output = part.answer.output;
        whole.answer.output.summary_markdown += "\n\n";
        whole.answer.output.summary_markdown += &part_summary(index + 2, parts, &output.summary_markdown);
        whole.answer.output.findings.extend(output.findings);
        whole.answer.output.intent.extend(output.intent);
        whole.answer.unreadable.extend(part.answer.unreadable);
        whole.answer.read_as = whole.answer.read_as.max(part.answer.read_as);
        whole.attempts = whole.attempts.max(part.attempts);
        whole.usage = match (whole.usage, part.usage) {
            (Some(a), Some(b)) => Some(a.plus(b)),
            (one, other) => one.or(other),
        };
        whole.sandbox = match (whole.sandbox, part.sandbox) {
            (Some(a), Some(b)) => Some(a.plus(b)),
            (one, other) => one.or(other),
        };
        whole.cost = match (whole.cost, part.cost) {
            (Some(a), Some(b)) => Some(a + b),
            (one, other) => one.or(other),
        };
    }
    Some(whole)
}

fn part_summary(part: usize, parts: usize, summary: &str) -> String {
    format!("**Part {part} of {parts}.** {}", summary.trim())
}
