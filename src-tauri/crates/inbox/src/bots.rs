//! Recognises the users of programs by their names. GitLab's notes do not say whether their author is one.

/// The users of tokens of projects and groups, and of service accounts: `project_7_bot`, `group_7_bot_0a1b`, `service_account_…`.
const GENERATED: [&str; 3] = ["project_", "group_", "service_account_"];
/// Programs whose names do not say that they are one.
const KNOWN: [&str; 6] = ["ghost", "support-bot", "alert-bot", "renovate", "dependabot", "gitlab-duo"];

/// Returns whether a user name is the name of a program.
pub fn is_bot(username: &str) -> bool {
    let name = username.to_ascii_lowercase();
    let generated = GENERATED.iter().any(|start| {
        name.strip_prefix(start).is_some_and(|rest| {
            *start == "service_account_"
                || rest.trim_start_matches(|char: char| char.is_ascii_digit()).starts_with("_bot")
        })
    });
    let ends = ["-bot", "_bot", "[bot]", ".bot"].iter().any(|end| name.ends_with(end));
    generated || ends || KNOWN.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::is_bot;

    #[test]
    fn programs_are_recognised_by_their_names() {
        for bot in [
            "project_7_bot",
            "project_12_bot_0a1b2c",
            "group_3_bot1",
            "renovate-bot",
            "GitLab-Bot",
            "service_account_x",
            "x[bot]",
        ] {
            assert!(is_bot(bot), "{bot}");
        }
        for person in ["alice", "abbot", "robot", "bottom", "project_lead", "group_7", "talbot"] {
            assert!(!is_bot(person), "{person}");
        }
    }
}
