//! What a file of git settings may include, found without following anything.
//!
//! In: the text. Out: every value that could be an `include.path`, and every condition. This is no full reader of settings: it takes
//! more than git would (the path of a submodule, too), never less, because what it finds is only looked at.

/// How deep files of settings may include each other; libgit2's own bound.
pub(super) const MAX_DEPTH: usize = 10;
/// Stars of one condition. libgit2 compares it in exponential time.
pub(super) const MAX_STARS: usize = 8;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Includes {
    /// Values of `path`, unquoted.
    pub(super) paths: Vec<String>,
    /// What stands in the quotes of a section.
    pub(super) conditions: Vec<String>,
}

/// Finds the paths and conditions.
pub(super) fn includes(text: &[u8]) -> Includes {
    let text = String::from_utf8_lossy(text).replace("\\\r\n", "").replace("\\\n", "");
    let mut found = Includes::default();
    for line in text.lines() {
        let line = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        if line.len() > 9 && line.as_bytes()[..10].eq_ignore_ascii_case(b"[includeif") {
            found.conditions.push(condition(line));
        }
        found.paths.extend(paths(line));
    }
    found
}

fn condition(line: &str) -> String {
    let (Some(start), Some(end)) = (line.find('"'), line.rfind('"')) else { return line.to_owned() };
    line.get(start + 1..end).unwrap_or_default().to_owned()
}

/// The values behind each `path =` of a line; a section's heading may stand before it on the same line.
fn paths(line: &str) -> Vec<String> {
    let lower = line.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, word) in lower.match_indices("path") {
        let starts =
            lower[..at].chars().next_back().is_none_or(|before| !before.is_ascii_alphanumeric() && before != '-');
        let rest = line[at + word.len()..].trim_start();
        if let Some(rest) = rest.strip_prefix('=').filter(|_| starts) {
            found.push(value(rest));
        }
    }
    found
}

/// A value without its quotes, escapes and comment.
fn value(text: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut chars = text.trim_start().chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => quoted = !quoted,
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => value.push('\u{8}'),
                Some(other) => value.push(other),
                None => {}
            },
            '#' | ';' if !quoted => break,
            other => value.push(other),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_an_include_is_found() {
        let text = b"[core]\n\tbare = false\n[include]\n\tpath = one\n\tPATH=\"t\\\"wo\" ; comment\n[include] path = three # x\n\
            [IncludeIf \"gitdir:**/x*\"]\npath = fo\\\nur\n[submodule \"x\"]\n\tpath = sub\n\tsshpath = no\n";
        let found = includes(text);
        assert_eq!(found.paths, ["one", "t\"wo", "three", "four", "sub"]);
        assert_eq!(found.conditions, ["gitdir:**/x*"]);
    }
}
