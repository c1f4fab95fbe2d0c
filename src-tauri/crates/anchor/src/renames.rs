//! Finds the current path of a file that was renamed since a review.
//!
//! The difference of base and head shows a rename only where both files are alike. After a push, the reviewed text shows more: a file that
//! is new since the review and has most of its lines is the same file.

use std::collections::HashMap;
use std::sync::Arc;

use crate::files::Lookup;
use diffsan_review::finding::{Anchor, Finding, Side};

/// The minimum share, in percent, of lines that a renamed file has in common with its earlier text, as in git.
const MIN_COMMON: usize = 50;

/// The current path of a reviewed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CurrentPath {
    /// As the change says.
    Known,
    /// Another path.
    Renamed(String),
    /// The file does not exist any more. The change has another file under its name.
    Removed,
}

/// Finds the current path of a finding's file. `before` returns the reviewed text of the file of a finding.
pub(super) fn current_path(
    finding: &Finding,
    before: &mut dyn FnMut(&Finding) -> Option<Arc<str>>,
    lookup: &Lookup<'_>,
) -> CurrentPath {
    let path = &finding.anchor.path;
    let new_path = lookup.new_path(path);
    if finding.anchor.side == Side::Old || new_path.as_ref() == Some(path) || lookup.is_unchanged(path) {
        return CurrentPath::Known;
    }
    let Some(earlier) = before(finding) else { return CurrentPath::Known };
    let mut had = |path: &str| {
        let anchor = Anchor { path: path.to_owned(), side: Side::New, ..finding.anchor.clone() };
        before(&Finding { anchor, ..finding.clone() }).is_some()
    };
    // The change names the file by its path in the base. A file that both heads have was not renamed since the review.
    let is_other = new_path.as_ref().is_some_and(|new_path| had(new_path));
    if new_path.is_some() && !is_other {
        return CurrentPath::Known;
    }
    let new = lookup.new_files().into_iter().filter(|(path, _)| !had(path));
    match renamed_file(&earlier, new) {
        Some(path) => CurrentPath::Renamed(path),
        None if is_other => CurrentPath::Removed,
        None => CurrentPath::Known,
    }
}

/// Returns the path of the file that has most of the lines of an earlier text, if one has enough. `files` are paths and texts.
pub fn renamed_file<T: AsRef<str>>(earlier: &str, files: impl IntoIterator<Item = (String, T)>) -> Option<String> {
    let wanted = counted(earlier);
    let shares = files.into_iter().map(|(path, text)| (common(&wanted, text.as_ref()), path));
    shares.max().filter(|(share, _)| *share >= MIN_COMMON).map(|(_, path)| path)
}

fn counted(text: &str) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *lines.entry(line).or_default() += 1;
    }
    lines
}

/// Returns the share of lines of the longer text that both have, in percent.
fn common(wanted: &HashMap<&str, usize>, text: &str) -> usize {
    let found = counted(text);
    let both: usize = wanted.iter().filter_map(|(line, count)| Some(*found.get(line)?.min(count))).sum();
    let longer = wanted.values().sum::<usize>().max(found.values().sum());
    both * 100 / longer.max(1)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use diffsan_change::{Change, parse_patch};

    use super::*;
    use crate::files::Files;
    use crate::place::place_all;
    use diffsan_review::finding::{AgentFinding, Category, Severity};

    const TEXT: &str = "fn one() {}\nfn two() {}\nfn three() {}\nfn four() {}\n";

    /// Returns the current path of `old.rs`, of a change that says nothing of a rename or renames it from the base.
    fn found(patch: &str, current: &str, had: &[&str]) -> CurrentPath {
        let content = AgentFinding::new(Severity::Low, Category::Other, "old.rs", (2, 2));
        let mut files = Files::default();
        files.insert("old.rs", Side::New, TEXT);
        let finding = place_all(vec![content], "agent", &Change::default(), &files, None).remove(0);
        let change = parse_patch(Bytes::from(patch.to_owned())).expect("a patch");
        let mut files = Files::default();
        files.insert("new.rs", Side::New, current);
        let mut before = |finding: &Finding| had.contains(&finding.anchor.path.as_str()).then(|| Arc::from(TEXT));
        current_path(&finding, &mut before, &Lookup::new(&change, &files))
    }

    const ADDED: &str = "diff --git a/new.rs b/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+fn one() {}\n";
    const RENAMED: &str = "diff --git a/old.rs b/new.rs\nsimilarity index 90%\nrename from old.rs\nrename to new.rs\n";

    #[test]
    fn a_new_file_with_most_of_the_lines_is_the_renamed_one() {
        let renamed = CurrentPath::Renamed("new.rs".into());
        assert_eq!(found(ADDED, &TEXT.replace("two", "2"), &["old.rs"]), renamed);
        assert_eq!(found(ADDED, "fn one() {}\nother\nlines\n", &["old.rs"]), CurrentPath::Known);
        assert_eq!(found(ADDED, TEXT, &["old.rs", "new.rs"]), CurrentPath::Known, "both heads have it");
        assert_eq!(found(ADDED, TEXT, &[]), CurrentPath::Known, "the reviewed text is not available");
    }

    #[test]
    fn a_rename_that_both_heads_have_does_not_follow_a_removed_file() {
        assert_eq!(found(RENAMED, TEXT, &["old.rs"]), CurrentPath::Known);
        assert_eq!(found(RENAMED, TEXT, &["old.rs", "new.rs"]), CurrentPath::Removed);
    }
}
