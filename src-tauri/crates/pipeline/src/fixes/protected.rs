//! Protected files configure git, an agent or a tool. They are only written if the user confirms them by name.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use crate::error::{Error, ErrorCode, Result};
use diffsan_agent::room;
use diffsan_change::WorkPath;

const SETTINGS: &str = include_str!("../../../../../config/protected.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    files: Vec<String>,
}

/// Returns whether a file configures git, an agent or a tool, ignoring case.
///
/// # Errors
///
/// Fails if a built-in list cannot be read. Then nothing may be written.
pub(super) fn is_protected(path: &WorkPath) -> Result<bool> {
    // Both spellings are checked: the matcher folds ASCII letters only, and folding the path can change other letters,
    // which a pattern may contain.
    let patterns = patterns()?;
    let matches = |path: &str| patterns.matched_path_or_any_parents(path, false).is_ignore();
    let agents = room::Names::load().map_err(|error| unreadable("room.toml", &error))?;
    Ok(matches(path.as_str()) || matches(&path.folded()) || agents.configures(path.as_str()))
}

fn patterns() -> Result<Gitignore> {
    let settings: Settings = toml::from_str(SETTINGS).map_err(|error| unreadable("protected.toml", &error))?;
    let mut builder = GitignoreBuilder::new("");
    builder.case_insensitive(true).map_err(|error| unreadable("protected.toml", &error))?;
    for pattern in &settings.files {
        builder.add_line(None, pattern).map_err(|error| unreadable("protected.toml", &error))?;
    }
    builder.build().map_err(|error| unreadable("protected.toml", &error))
}

fn unreadable(file: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorCode::Internal, format!("The fix was not applied: config/{file} cannot be read."))
        .hint("This is a bug in diffsan. Reinstall diffsan, or report the bug.")
        .cause(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_configure_something_are_protected_in_every_case() {
        let is = |path: &str| is_protected(&WorkPath::parse(path).expect(path)).expect("the lists are readable");
        for path in [
            ".gitattributes",
            "sub/.GitAttributes",
            ".gitmodules",
            ".gitconfig",
            ".husky/pre-commit",
            ".hus\u{212a}y/pre-commit",
            ".githooks/x/y",
            ".envrc",
            ".env",
            ".env.local",
            "CLAUDE.md",
            "docs/claude.MD",
            ".claude/settings.json",
            ".mcp.json",
            ".vscode/tasks.json",
            ".v\u{17f}code/tasks.json",
            "AGENTS.md",
            ".diffsan.toml",
            "a/.cargo/config.toml",
            "mise.toml",
            ".pre-commit-config.yaml",
        ] {
            assert!(is(path), "{path}");
        }
        for path in
            ["a.rs", "src/env.rs", "git/attributes.rs", "docs/README.md", "husky.ts", "src/claude.rs", "environment/x"]
        {
            assert!(!is(path), "{path}");
        }
    }
}
