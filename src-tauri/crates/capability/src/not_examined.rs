//! The changed files that are not examined, and what they mean for the judgment about a contract.

use std::collections::BTreeMap;

use super::kinds::Kind;

/// The maximum number of files that a sentence names.
const NAMED: usize = 3;

/// A changed file that is not examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherFile {
    /// The path.
    pub path: String,
    /// The kind of its content.
    pub kind: Kind,
}

/// Returns the reasons why these files leave a judgment open: code that is not read, and SQL if the contract is about a database.
pub(crate) fn unread(files: &[&OtherFile], of_database: bool) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let reason = match file.kind {
            Kind::Code(reason) => reason,
            Kind::Sql if of_database => "SQL is not read",
            _ => continue,
        };
        by_reason.entry(reason).or_default().push(&file.path);
    }
    by_reason.into_iter().map(|(reason, paths)| format!("{} not examined: {reason}", are(&paths))).collect()
}

/// Returns why a change of nothing but these files is not judged, or `None` if none of them is data.
pub(crate) fn only_data(files: &[&OtherFile]) -> Option<String> {
    let paths: Vec<&str> = files.iter().filter(|file| file.kind == Kind::Data).map(|file| &*file.path).collect();
    (!paths.is_empty()).then(|| format!("{} not examined", are(&paths)))
}

/// Returns the numbers of the files without code: `2 documents, 1 test`.
pub(crate) fn counts(files: &[&OtherFile]) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for file in files {
        let names = match file.kind {
            Kind::Inert(one, several) => (one, several),
            Kind::Sql => ("file of SQL", "files of SQL"),
            _ => continue,
        };
        *counts.entry(names).or_default() += 1;
    }
    let count = |((one, several), number): (&(&str, &str), &usize)| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {several}"),
    };
    counts.iter().map(count).collect::<Vec<_>>().join(", ")
}

/// Returns the names of files with their verb: `a.sh is`, `a.sh, b.sh and 2 more are`.
fn are(paths: &[&str]) -> String {
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if paths.len() > NAMED {
        names.truncate(1);
        return format!("{} and {} more are", names[0], paths.len() - 1);
    }
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { format!("{last} is") } else { format!("{} and {last} are", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::{TEST, kind};
    use super::*;

    #[test]
    fn files_are_grouped_by_the_reason_and_counted_by_their_kind() {
        let mut files: Vec<OtherFile> =
            ["deploy.ps1", "a.kt", "1.sql", "composer.lock", "README.md", "docs/a.md"].map(file).into();
        files.push(OtherFile { path: "tests/a.py".into(), kind: TEST });
        let files: Vec<&OtherFile> = files.iter().collect();
        let code =
            ["`a.kt` is not examined: Kotlin is not read", "`deploy.ps1` is not examined: PowerShell is not read"];
        assert_eq!(unread(&files, false), code);
        assert_eq!(unread(&files, true)[2], "`1.sql` is not examined: SQL is not read");
        assert_eq!(only_data(&files).as_deref(), Some("`composer.lock` is not examined"));
        assert_eq!(counts(&files), "2 documents, 1 file of SQL, 1 test");
        assert_eq!(are(&["a", "b", "c"]), "`a`, `b` and `c` are");
        assert_eq!(are(&["a", "b", "c", "d"]), "`a` and 3 more are");
    }

    fn file(path: &str) -> OtherFile {
        OtherFile { path: path.to_owned(), kind: kind(path, b"") }
    }
}
