//! Finds the files that a git settings file includes, before libgit2 reads it. In: a text. Out: paths.
//!
//! The search prefers false positives: every `path` of a file with any include counts, whatever its section and condition, and a
//! path that is not written literally counts as unknown.

/// An included file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Included {
    /// The value as written.
    pub(super) text: String,
    /// The path. `None` if it is not written literally or starts with the home folder.
    pub(super) path: Option<String>,
}

/// Returns the files that a settings file includes.
pub(super) fn named_in(text: &str) -> Vec<Included> {
    if !text.to_ascii_lowercase().contains("[include") {
        return Vec::new();
    }
    text.lines().flat_map(values_of).map(included).collect()
}

/// Returns the conditions in the quotes of `[includeIf "…"]`.
pub(super) fn conditions(text: &str) -> Vec<String> {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let lines = text.lines().map(|line| line.trim_start_matches(['\u{feff}', ' ', '\t']));
    lines
        .filter(|line| line.get(..10).is_some_and(|begin| begin.eq_ignore_ascii_case("[includeif")))
        .map(|line| match (line.find('"'), line.rfind('"')) {
            (Some(start), Some(end)) if start < end => line[start + 1..end].to_owned(),
            _ => line.to_owned(),
        })
        .collect()
}

/// Returns the values that a line assigns to `path`. The assignment may follow a section header on the same line.
fn values_of(line: &str) -> Vec<&str> {
    let lower = line.to_ascii_lowercase();
    let value = |(at, word): (usize, &str)| {
        let begins = line[..at].chars().next_back().is_none_or(|before| before == ']' || before.is_whitespace());
        let rest = line[at + word.len()..].trim_start();
        rest.strip_prefix('=').filter(|_| begins)
    };
    lower.match_indices("path").filter_map(value).collect()
}

fn included(value: &str) -> Included {
    let text = value.trim_ascii().to_owned();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text);
    let plain = !inner.contains(['"', '\\', ';', '#']) && !inner.starts_with(['~', '%']);
    let path = plain.then(|| inner.to_owned());
    Included { text, path }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<Option<String>> {
        named_in(text).into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn conditions_are_read_from_quotes() {
        let text = "[core]\n[IncludeIf \"gitdir:**/x*\"]\npath = four\n [includeIf.onbranch:*]\n";
        assert_eq!(conditions(text), ["gitdir:**/x*", "[includeIf.onbranch:*]"]);
    }

    #[test]
    fn every_way_to_include_is_found() {
        let some = |path: &str| vec![Some(path.to_owned())];
        assert_eq!(paths("[core]\n\tbare = false\n[difftool]\n\tpath = /usr/bin/x\n"), []);
        assert_eq!(paths("[include]\n\tpath = ../a\n"), some("../a"));
        assert_eq!(paths("[INCLUDE] PATH=\"/etc/x y\""), some("/etc/x y"));
        assert_eq!(paths("[includeIf \"gitdir:a]b\"]path = x"), some("x"));
        assert_eq!(paths("[includeif.onbranch:main]\npath\t=\tx\r\n"), some("x"));
        // `[core]` continues the value of the line before and is not a section.
        assert_eq!(paths("[include]\n x = a\\\n[core]\n path = /etc/passwd\n"), some("/etc/passwd"));
        for unclear in ["~/x", "%(prefix)/x", "a\\tb", "\"a\" b", "a;b", "a\\"] {
            assert_eq!(paths(&format!("[include]\npath = {unclear}\n")), [None], "{unclear}");
        }
    }
}
