//! Findings about the message of a commit. Their path names the commit; their lines are those of the message.

use crate::finding::{AgentFinding, Anchor, AnchorState, Side};

/// The beginning of the path of a finding about a message.
const PREFIX: &str = "message of commit ";
/// The number of digits of the commit's id in the path.
const DIGITS: usize = 12;

/// Returns the path of findings about the message of a commit, which is given by its full id.
pub fn message_path(commit: &str) -> String {
    format!("{PREFIX}{}", commit.get(..DIGITS).unwrap_or(commit))
}

/// Returns the beginning of the id of the commit whose message a finding is about. `None` for other findings.
pub fn commit_of_message(path: &str) -> Option<&str> {
    let id = path.strip_prefix(PREFIX)?;
    let is_id = id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

/// Returns the anchor of a finding about a message. It has no place in the files of the change, so it is posted in the summary.
pub fn message_anchor(content: &AgentFinding) -> Anchor {
    Anchor {
        state: AnchorState::Unplaced,
        path: content.path.clone(),
        side: Side::New,
        line_start: Some(content.line_start),
        line_end: Some(content.line_end.max(content.line_start)),
        in_change: false,
        notes: vec!["it is about a commit message, so it is posted in the summary".to_owned()],
    }
}

/// Returns lines of a message, numbered from 1. `None` if it has none of them.
pub fn message_lines(message: &str, start: u32, end: u32) -> Option<String> {
    let lines = (1..).zip(message.lines()).filter(|(number, _)| (start..=end.max(start)).contains(number));
    let found: Vec<&str> = lines.map(|(_, line)| line).collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_names_the_commit() {
        let id = "832b6eaefa979df18758832b6eaefa979df18758";
        let path = message_path(id);
        assert!(commit_of_message(&path).is_some_and(|found| id.starts_with(found)));
        for other in
            ["src/message of commit 832b6eaefa97", "message of commit", "message of commit x32b6eaefa97", "a.rs"]
        {
            assert_eq!(commit_of_message(other), None, "{other}");
        }
    }

    #[test]
    fn lines_of_a_message_are_numbered_from_one() {
        let message = "Subject\n\nFirst\nSecond\n";
        assert_eq!(message_lines(message, 1, 1).as_deref(), Some("Subject"));
        assert_eq!(message_lines(message, 3, 9).as_deref(), Some("First\nSecond"));
        assert_eq!(message_lines(message, 9, 9), None);
    }
}
