//! Expands the patterns of report names inside a repository, without following links.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;

/// The maximum number of entries of a folder that are compared with a pattern.
const MAX_ENTRIES: usize = 2_000;
/// The maximum number of files that all patterns find together.
pub(super) const MAX_FILES: usize = 100;

/// Returns the files that a pattern names, sorted, as paths relative to `root`. An error says why the pattern is not used.
pub(super) fn expand(root: &Path, pattern: &str) -> Result<Vec<String>, &'static str> {
    let parts: Vec<&str> = pattern.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    if Path::new(pattern).is_absolute() || pattern.starts_with(['/', '\\']) || parts.contains(&"..") {
        return Err("it is outside of the repository; name it with --facts");
    }
    if parts.contains(&"**") {
        return Err("** is not supported; * matches within one name");
    }
    let mut found = vec![String::new()];
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let mut next = Vec::new();
        for folder in &found {
            step(root, folder, part, last, &mut next);
        }
        next.truncate(MAX_FILES);
        found = next;
    }
    found.sort();
    Ok(if parts.is_empty() { Vec::new() } else { found })
}

/// Adds the entries of a folder that a part of a pattern names.
fn step(root: &Path, folder: &str, part: &str, last: bool, next: &mut Vec<String>) {
    let joined = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    // A link may lead out of the repository.
    let fits =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|about| if last { about.is_file() } else { about.is_dir() });
    if !part.contains(['*', '?', '[', '{']) {
        next.extend(Some(joined(part)).filter(|path| fits(&root.join(path))));
        return;
    }
    let Ok(glob) = GlobBuilder::new(part).literal_separator(true).build() else { return };
    let matcher = glob.compile_matcher();
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return };
    for entry in entries.flatten().take(MAX_ENTRIES) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name != ".git" && matcher.is_match(&name) && fits(&entry.path()) {
            next.push(joined(&name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn patterns_stay_inside_the_repository() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("repo");
        for path in ["reports/b.xml", "reports/a.xml", "web/coverage/lcov.info", "api/coverage/lcov.info", ".git/x.xml"]
        {
            std::fs::create_dir_all(root.join(path).parent().expect("a parent")).expect("made");
            std::fs::write(root.join(path), "x").expect("written");
        }
        std::fs::write(folder.path().join("secret.xml"), "x").expect("written");
        std::os::unix::fs::symlink("../../secret.xml", root.join("reports/link.xml")).expect("linked");
        std::os::unix::fs::symlink("..", root.join("up")).expect("linked");
        let found = |pattern: &str| expand(&root, pattern).map(|files| files.join(" "));
        assert_eq!(found("reports/*.xml"), Ok("reports/a.xml reports/b.xml".into()));
        assert_eq!(found("*/coverage/lcov.info"), Ok("api/coverage/lcov.info web/coverage/lcov.info".into()));
        assert_eq!(found("./reports/a.xml"), Ok("reports/a.xml".into()));
        for nothing in ["up/secret.xml", "*/secret.xml", "*.xml", "*/x.xml", "reports", "reports/link.xml", ""] {
            assert_eq!(found(nothing), Ok(String::new()), "{nothing}");
        }
        for refused in ["../secret.xml", "/etc/passwd", "reports/../../secret.xml", "**/*.xml"] {
            assert!(found(refused).is_err(), "{refused}");
        }
    }
}
