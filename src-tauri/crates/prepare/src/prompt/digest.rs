//! Summarises earlier findings and comments on a change, so that a review does not repeat them.

use serde::{Deserialize, Serialize};

/// Earlier findings, summaries and comments, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prior {
    /// Findings of earlier reviews.
    pub findings: Vec<PriorFinding>,
    /// Summaries of earlier reviews.
    pub summaries: Vec<String>,
    /// Comments on lines, by any author.
    pub comments: Vec<PriorComment>,
}

/// A finding of an earlier review, in short form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorFinding {
    /// The key of the finding.
    #[serde(default)]
    pub key: String,
    /// The path of the file.
    pub path: String,
    /// The last line, if the finding has lines.
    pub line: Option<u32>,
    /// The name of the severity.
    pub severity: String,
    /// The headline.
    pub title: String,
    /// The reviewer's decision: `open`, `accepted`, `dismissed`.
    pub state: String,
    /// The reason of the decision, if one was given.
    pub reason: Option<String>,
}

/// A comment on a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorComment {
    /// The path of the file.
    pub path: String,
    /// The line, if the comment has one.
    pub line: Option<u32>,
    /// The text of the comment.
    pub body: String,
    /// The state: `open` or `resolved`.
    pub state: String,
}

/// The maximum number of characters of one text.
const OF_ONE: usize = 600;

impl Prior {
    /// Returns whether nothing is known from earlier reviews.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.summaries.is_empty() && self.comments.is_empty()
    }

    /// Returns a list of at most `most` characters, followed by the number of entries that do not fit.
    pub fn digest(&self, most: usize) -> String {
        let place = |path: &str, line: Option<u32>| match line {
            Some(line) => format!("{path}:{line}"),
            None => path.to_owned(),
        };
        let findings = self.findings.iter().map(|one| {
            let reason = one.reason.as_deref().map(|reason| format!(" ({})", short(reason))).unwrap_or_default();
            format!(
                "- finding, {}{reason}: {} [{}] {}",
                one.state,
                place(&one.path, one.line),
                one.severity,
                short(&one.title)
            )
        });
        let comments = self
            .comments
            .iter()
            .map(|one| format!("- comment, {}: {} {}", one.state, place(&one.path, one.line), short(&one.body)));
        let summaries = self.summaries.iter().map(|text| format!("- summary: {}", short(text)));
        let all: Vec<String> = findings.chain(comments).chain(summaries).collect();
        let mut lines: Vec<&str> = Vec::new();
        let mut used = 0;
        for line in &all {
            used += line.chars().count() + 1;
            if used > most {
                break;
            }
            lines.push(line);
        }
        let left = all.len() - lines.len();
        let mut text = lines.join("\n");
        if left > 0 {
            text += &format!("\n- and {left} more that do not fit here");
        }
        text
    }
}

/// Returns the text as one line with at most [`OF_ONE`] characters.
fn short(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(OF_ONE).collect();
    if cut.len() < words.len() { cut + "…" } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_bounded_and_counts_omitted_findings() {
        let finding = |number: u32| PriorFinding {
            key: String::new(),
            path: "a.rs".into(),
            line: Some(number),
            severity: "high".into(),
            title: "Off by one".into(),
            state: "dismissed".into(),
            reason: Some("by design".into()),
        };
        let comment = PriorComment { path: "b.rs".into(), line: None, body: "Why\nthis?".into(), state: "open".into() };
        let prior = Prior {
            findings: (1..=3).map(finding).collect(),
            summaries: vec!["Fine.".into()],
            comments: vec![comment],
        };
        let whole = prior.digest(10_000);
        assert!(whole.starts_with("- finding, dismissed (by design): a.rs:1 [high] Off by one\n"), "{whole}");
        assert!(whole.ends_with("- comment, open: b.rs Why this?\n- summary: Fine."), "{whole}");
        assert!(
            prior.digest(130).ends_with("a.rs:2 [high] Off by one\n- and 3 more that do not fit here"),
            "{}",
            prior.digest(130)
        );
    }
}
