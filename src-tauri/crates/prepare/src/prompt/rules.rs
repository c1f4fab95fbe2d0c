//! Review rules that a repository already contains for other tools: which files contain rules, and which of their rules apply to the files
//! of a change.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

/// Files with rules for reviews.
pub const FOR_REVIEWS: &[&str] = &["REVIEW.md", DUO, ".cursor/BUGBOT.md"];
/// Files with rules for work in general, which reviews can apply.
pub const FOR_WORK: &[&str] = &["AGENTS.md", ".github/copilot-instructions.md"];
const DUO: &str = ".gitlab/duo/mr-review-instructions.yaml";

/// The maximum number of characters of one file; the rest is cut.
const MAX_FILE_CHARS: usize = 16_000;

/// The maximum size in bytes of a file of GitLab Duo. Its globs are limited too, because each is compared with every path of the change.
const MAX_DUO_BYTES: usize = 1_000_000;
const MAX_DUO_GLOBS: usize = 2_000;

/// The rules of a repository.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Rules {
    /// The name of the file with the rules.
    pub name: String,
    /// The text of the rules.
    pub text: String,
}

#[derive(Deserialize)]
struct DuoFile {
    #[serde(default)]
    instructions: Vec<DuoEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DuoEntry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    file_filters: Vec<String>,
    #[serde(default)]
    instructions: String,
}

/// Returns the rules of a file for a change with the given paths, or `None` if there are none.
pub fn rules(name: &str, text: &str, paths: &[String]) -> Option<Rules> {
    let found = if name == DUO { duo(text, paths) } else { text.trim().to_owned() };
    if found.is_empty() {
        return None;
    }
    let mut cut: String = found.chars().take(MAX_FILE_CHARS).collect();
    if cut.len() < found.len() {
        cut += "\n(cut)";
    }
    Some(Rules { name: name.to_owned(), text: cut })
}

/// Returns the entries of GitLab Duo whose globs match one of the paths. A glob with `!` excludes paths.
fn duo(text: &str, paths: &[String]) -> String {
    if text.len() > MAX_DUO_BYTES {
        return format!("(not used: the file has more than {MAX_DUO_BYTES} bytes)");
    }
    // An invalid file is skipped, because it belongs to another tool.
    let Ok(file) = serde_saphyr::from_str::<DuoFile>(text) else { return String::new() };
    if file.instructions.iter().map(|entry| entry.file_filters.len()).sum::<usize>() > MAX_DUO_GLOBS {
        return format!("(not used: the file has more than {MAX_DUO_GLOBS} file filters)");
    }
    let set = |globs: &[&String]| -> GlobSet {
        let glob =
            |glob: &&String| GlobBuilder::new(glob.trim_start_matches('!')).literal_separator(false).build().ok();
        let mut set = GlobSetBuilder::new();
        for glob in globs.iter().filter_map(glob) {
            set.add(glob);
        }
        set.build().unwrap_or_default()
    };
    let fits = |entry: &DuoEntry| {
        let (without, with): (Vec<&String>, Vec<&String>) =
            entry.file_filters.iter().partition(|glob| glob.starts_with('!'));
        let (out, all) = (set(&without), with.is_empty());
        let with = set(&with);
        paths.iter().any(|path| (all || with.is_match(path)) && !out.is_match(path))
    };
    let entries = file.instructions.iter().filter(|entry| !entry.instructions.trim().is_empty() && fits(entry));
    let found = entries.map(|entry| match entry.name.trim() {
        "" => entry.instructions.trim().to_owned(),
        name => format!("{name}:\n{}", entry.instructions.trim()),
    });
    found.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "instructions:\n  - name: Ruby\n    fileFilters:\n      - \"*.rb\"\n      - \"!spec/**\"\n    instructions: |\n      Use keyword arguments.\n  - name: All\n    instructions: Be kind.\n  - name: Go\n    fileFilters: ['**/*.go']\n    instructions: Wrap errors.\n";

    fn rules_text(paths: &[&str]) -> Option<String> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        rules(DUO, TEXT, &paths).map(|rules| rules.text)
    }

    #[test]
    fn entries_apply_to_the_paths_that_they_name() {
        assert_eq!(rules_text(&["lib/a.rb"]).as_deref(), Some("Ruby:\nUse keyword arguments.\n\nAll:\nBe kind."));
        assert_eq!(rules_text(&["spec/a.rb"]).as_deref(), Some("All:\nBe kind."));
        assert_eq!(rules_text(&["a/b.go", "x.py"]).as_deref(), Some("All:\nBe kind.\n\nGo:\nWrap errors."));
        assert_eq!(rules(DUO, ": : [", &["a".to_owned()]), None);
    }

    #[test]
    fn a_file_with_too_many_globs_is_ignored_with_a_note() {
        let filters = format!("['a'{}]", ", '*[a-z]*b'".repeat(MAX_DUO_GLOBS));
        let text = format!("instructions:\n  - fileFilters: {filters}\n    instructions: Be kind.\n");
        let found = rules(DUO, &text, &["a".to_owned()]).expect("rules").text;
        assert_eq!(found, "(not used: the file has more than 2000 file filters)");
    }

    #[test]
    fn plain_files_are_used_completely_up_to_a_limit() {
        assert_eq!(rules("REVIEW.md", " \n", &[]), None);
        let long = rules("REVIEW.md", &"x".repeat(MAX_FILE_CHARS + 1), &[]).expect("rules");
        assert!(long.text.ends_with("x\n(cut)"));
    }
}
