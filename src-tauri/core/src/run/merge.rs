//! The answers to the parts of one change, as one answer.

use super::attempts::Answered;
use crate::finding::AgentFinding;
use crate::review::TokenUsage;

/// Joins answers in the order of their parts. None if there are none.
pub(super) fn merge(answers: Vec<Answered>) -> Option<Answered> {
    let parts = answers.len();
    let mut answers = answers.into_iter();
    let mut whole = answers.next()?;
    if parts == 1 {
        return Some(whole);
    }
    whole.answer.output.summary_markdown = part_summary(1, parts, &whole.answer.output.summary_markdown);
    for (index, part) in answers.enumerate() {
        let said = part.answer.output;
        whole.answer.output.summary_markdown += "\n\n";
        whole.answer.output.summary_markdown += &part_summary(index + 2, parts, &said.summary_markdown);
        for finding in said.findings {
            if !whole.answer.output.findings.iter().any(|known| is_same(known, &finding)) {
                whole.answer.output.findings.push(finding);
            }
        }
        whole.answer.read_as = whole.answer.read_as.max(part.answer.read_as);
        whole.attempts = whole.attempts.max(part.attempts);
        whole.usage = sum(whole.usage, part.usage);
    }
    Some(whole)
}

fn part_summary(part: usize, parts: usize, summary: &str) -> String {
    format!("**Part {part} of {parts}.** {}", summary.trim())
}

/// Whether two parts say the same of the same lines.
fn is_same(a: &AgentFinding, b: &AgentFinding) -> bool {
    let words = |finding: &AgentFinding| {
        let text = finding.title.as_deref().unwrap_or(&finding.body_markdown);
        let letters = text.chars().filter(|char| char.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    a.path == b.path
        && a.side == b.side
        && a.line_start <= b.line_end
        && b.line_start <= a.line_end
        && a.category == b.category
        && words(a) == words(b)
}

fn sum(a: Option<TokenUsage>, b: Option<TokenUsage>) -> Option<TokenUsage> {
    match (a, b) {
        (Some(a), Some(b)) => Some(TokenUsage {
            input: a.input + b.input,
            cached_input: a.cached_input + b.cached_input,
            output: a.output + b.output,
        }),
        (one, other) => one.or(other),
    }
}
