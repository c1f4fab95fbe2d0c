//! Asks for commit messages, and checks and formats them.
//!
//! In: a prepared diff, and an agent's answer. Out: the request, and the message, or a list of problems. Words are never cut: a message that is too long goes back to the agent.

use serde_json::json;

use super::{PromptError, dropped_list, folded_list, render};
use crate::types::{FoldedHunk, TruncationReport};

/// The maximum number of characters of the first line.
pub const SUBJECT: usize = 50;
/// The maximum number of characters of a line of the body.
pub const BODY: usize = 72;

const TYPES: [&str; 11] =
    ["feat", "fix", "refactor", "perf", "docs", "test", "build", "ci", "style", "chore", "revert"];

/// Renders the request for a commit message. Returns its system prompt and its message. `refused` is the previous answer with its problems.
pub fn render_commit(
    template: &str,
    diff: &str,
    (truncation, folded): (&TruncationReport, &[FoldedHunk]),
    refused: Option<(&str, &[String])>,
    marker: &str,
) -> Result<(String, String), PromptError> {
    let (previous, problems) = refused.unwrap_or_default();
    let text = render(
        "commit.md",
        template,
        &json!({
            "subject": SUBJECT,
            "body": BODY,
            "problems": problems,
            "previous": previous,
            "truncation": truncation.truncated,
            "dropped": dropped_list(truncation),
            "folded": folded_list(folded),
            "diff": diff.trim_end_matches('\n'),
            "marker": marker,
        }),
    )?;
    match text.split_once("\n---\n") {
        Some((system, message)) => Ok((system.trim().to_owned(), message.trim().to_owned())),
        None => Err(PromptError {
            name: "commit.md".to_owned(),
            message: "the line `---` between system prompt and message is missing".to_owned(),
        }),
    }
}

/// Removes what agents add around a message: a fence, blank lines, blanks at line ends.
pub fn tidy(answer: &str) -> String {
    let mut lines: Vec<&str> = answer.trim().lines().map(str::trim_end).collect();
    if lines.len() > 2 && lines[0].starts_with("```") && lines.last().is_some_and(|last| last.trim() == "```") {
        lines.pop();
        lines.remove(0);
    }
    lines.join("\n").trim().to_owned()
}

/// Returns the problems of a message, for its author. The list is empty if the message is valid.
pub fn problems(message: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut lines = message.lines();
    let subject = lines.next().unwrap_or_default();
    let long = subject.chars().count();
    if subject.is_empty() {
        return vec!["the message is empty".to_owned()];
    }
    if long > SUBJECT {
        problems.push(format!("the first line has {long} characters; the limit is {SUBJECT}"));
    }
    match subject.split_once(':') {
        Some((kind, rest)) => {
            let name = kind.trim_end_matches('!');
            let name = name.split_once('(').map_or(name, |(name, scope)| if scope.ends_with(')') { name } else { "" });
            if !TYPES.contains(&name) {
                problems.push(format!("`{kind}` is not a type; the types are {}", TYPES.join(", ")));
            }
            if !rest.starts_with(' ') || rest.trim().is_empty() {
                problems.push("the subject is missing after the type: `type: subject`".to_owned());
            }
        }
        None => problems.push("the first line has no type: `type: subject`".to_owned()),
    }
    if subject.ends_with('.') {
        problems.push("the first line ends with a full stop".to_owned());
    }
    let rest: Vec<&str> = lines.collect();
    if rest.first().is_some_and(|line| !line.is_empty()) {
        problems.push("the second line is not blank".to_owned());
    }
    for (at, line) in rest.iter().enumerate() {
        let long = line.chars().count();
        // An address cannot be wrapped.
        if long > BODY && line.trim().contains(' ') {
            problems.push(format!("line {} has {long} characters; the limit is {BODY}", at + 2));
        }
    }
    if message.lines().any(|line| line.trim_start().starts_with("```")) {
        problems.push("it contains a code fence; only the message is allowed".to_owned());
    }
    problems.truncate(10);
    problems
}

/// Wraps long lines of the body between words. Lists and indented lines keep their form, and the first line stays as it is.
pub fn wrap(message: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for (at, line) in message.lines().enumerate() {
        let indented = line.starts_with([' ', '\t']);
        if at == 0 || indented || line.chars().count() <= BODY {
            out.push(line.to_owned());
            continue;
        }
        let hang = if line.starts_with("- ") || line.starts_with("* ") { "  " } else { "" };
        let mut current = String::new();
        for word in line.split(' ') {
            if !current.trim().is_empty() && current.chars().count() + 1 + word.chars().count() > BODY {
                out.push(std::mem::replace(&mut current, hang.to_owned() + word));
            } else {
                if !current.is_empty() {
                    current.push(' ');
                }
                current.push_str(word);
            }
        }
        out.push(current);
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_message_has_no_problems() {
        for message in ["fix: stop at the last line", "feat(parser)!: read patches\n\nBecause they come.\n- one"] {
            assert_eq!(problems(message), Vec::<String>::new(), "{message}");
        }
    }

    #[test]
    fn problems_of_a_message_are_listed() {
        let long = "x".repeat(60);
        assert_eq!(problems(""), ["the message is empty"]);
        assert_eq!(problems(&format!("fix: {long}"))[0], "the first line has 65 characters; the limit is 50");
        assert_eq!(problems("Add things"), ["the first line has no type: `type: subject`"]);
        assert!(problems("bugfix: it")[0].starts_with("`bugfix` is not a type"));
        assert_eq!(
            problems("fix: it.\nmore"),
            ["the first line ends with a full stop", "the second line is not blank"]
        );
        assert_eq!(
            problems(&format!("fix: it\n\n{} a", "y".repeat(80))),
            ["line 3 has 82 characters; the limit is 72"]
        );
        assert_eq!(problems(&format!("fix: it\n\nhttps://{}", "y".repeat(80))), Vec::<String>::new());
    }

    #[test]
    fn fences_are_removed_and_long_lines_are_wrapped() {
        assert_eq!(tidy("```text\nfix: it\n\nbody  \n```\n"), "fix: it\n\nbody");
        let words = vec!["word"; 30].join(" ");
        let wrapped = wrap(&format!("fix: it\n\n- {words}"));
        assert!(wrapped.lines().all(|line| line.chars().count() <= BODY));
        assert_eq!(wrapped.replace("\n  ", " "), format!("fix: it\n\n- {words}"));
    }
}
