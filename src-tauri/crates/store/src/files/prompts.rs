//! Prompt files: those of a trusted repository, then the user's, then the built-in ones.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::places::write_private;
use diffsan_prepare::prompt::snippets::{self, Snippets};
use diffsan_prepare::prompt::{Skill, join_system};

/// The name of the snippets file.
pub const SNIPPETS: &str = "prompt-snippets.json";

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../../config/prompts");

/// The sources of prompt files, in order of precedence.
#[derive(Clone, Debug)]
pub struct PromptFiles {
    /// The prompt files of a trusted repository, by name, with the content that the user consented to.
    repository: BTreeMap<String, String>,
    folders: Vec<PathBuf>,
    built_in: bool,
}

/// A prompt file and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFile {
    /// The name, such as `review.md` or `skills/rust.md`.
    pub name: String,
    /// The path. `None` for a built-in file.
    pub path: Option<PathBuf>,
    /// The text.
    pub text: String,
}

/// A prompt file that is not available.
#[derive(Debug, thiserror::Error)]
pub enum PromptFileError {
    /// No source has the file.
    #[error("the prompt file {name} was not found; searched: {}", .places.join(", "))]
    Missing {
        /// The name.
        name: String,
        /// The sources that were searched.
        places: Vec<String>,
    },
    /// The file exists but cannot be read.
    #[error("{}: {error}", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The name is not that of a prompt file.
    #[error("there is no prompt file {name}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The user's copy cannot be written or removed.
    #[error("the prompt file {name} cannot be saved: {error}")]
    NotKept {
        /// The name.
        name: String,
        /// The cause.
        error: io::Error,
    },
}

impl PromptFiles {
    /// Returns the sources for a run. `repository` has the files of a trusted repository, by name.
    pub fn new(repository: BTreeMap<String, String>, user_config: &Path) -> Self {
        Self { repository, folders: vec![user_config.join("prompts")], built_in: true }
    }

    /// Returns only these folders as sources, without the built-in files.
    pub fn only(folders: Vec<PathBuf>) -> Self {
        Self { repository: BTreeMap::new(), folders, built_in: false }
    }

    /// Reads a file from the first source that has it. Nothing is cached, so edits apply at once.
    pub fn load(&self, name: &str) -> Result<Option<PromptFile>, PromptFileError> {
        if let Some(text) = self.repository.get(name) {
            let path = Some(format!("config/prompts/{name} (of the repository)").into());
            return Ok(Some(PromptFile { name: name.to_owned(), path, text: text.clone() }));
        }
        for folder in &self.folders {
            let path = folder.join(name);
            match diffsan_bounded::read_to_string(&path, diffsan_bounded::MAX_SETTINGS_BYTES) {
                Ok(text) => return Ok(Some(PromptFile { name: name.to_owned(), path: Some(path), text })),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(PromptFileError::Unreadable { path, error }),
            }
        }
        let built_in = BUILT_IN.get_file(name).and_then(|file| file.contents_utf8()).filter(|_| self.built_in);
        Ok(built_in.map(|text| PromptFile { name: name.to_owned(), path: None, text: text.to_owned() }))
    }

    /// Reads a file, and returns an error if it does not exist.
    pub fn require(&self, name: &str) -> Result<PromptFile, PromptFileError> {
        self.load(name)?.ok_or_else(|| {
            let mut places: Vec<String> =
                self.folders.iter().map(|folder| folder.join(name).display().to_string()).collect();
            if self.built_in {
                places.push("the built-in prompts".to_owned());
            }
            PromptFileError::Missing { name: name.to_owned(), places }
        })
    }
}

/// Loads `system.md`.
pub fn load_system_prompt(files: &PromptFiles) -> Result<PromptFile, PromptFileError> {
    files.require("system.md")
}

/// Loads `system_extra.md`, if it exists.
pub fn load_extra_prompt(files: &PromptFiles) -> Result<Option<PromptFile>, PromptFileError> {
    files.load("system_extra.md")
}

/// Joins both system prompts with a blank line; every request begins with the result. Also returns the files that it was made from.
pub fn build_system_prompt(files: &PromptFiles) -> Result<(String, Vec<PromptFile>), PromptFileError> {
    let system = load_system_prompt(files)?;
    let extra = load_extra_prompt(files)?;
    let text = join_system(&system.text, extra.as_ref().map(|file| file.text.as_str()));
    Ok((text, std::iter::once(system).chain(extra).collect()))
}

/// Returns the snippets of the first source that has any (a trusted repository, the user, built in), with their path. A file that
/// cannot be read is skipped with a notice.
pub fn load_snippets(files: &PromptFiles) -> (Snippets, Option<PathBuf>) {
    let mut notices = Vec::new();
    let own = PromptFiles { folders: Vec::new(), built_in: false, ..files.clone() };
    let folders = files.folders.iter().map(|folder| PromptFiles::only(vec![folder.clone()]));
    let built_in = PromptFiles { built_in: files.built_in, ..PromptFiles::only(Vec::new()) };
    for place in std::iter::once(own).chain(folders).chain([built_in]) {
        let file = match place.load(SNIPPETS) {
            Ok(Some(file)) => file,
            Ok(None) => continue,
            Err(error) => {
                notices.push(error.to_string());
                continue;
            }
        };
        match snippets::read(&file.text) {
            Ok(mut read) => {
                notices.append(&mut read.notices);
                return (Snippets { snippets: read.snippets, notices }, file.path);
            }
            Err(wrong) => {
                let name = file.path.map_or_else(|| SNIPPETS.to_owned(), |path| path.display().to_string());
                notices.push(format!("{name} was skipped: {wrong}"));
            }
        }
    }
    (Snippets { snippets: Vec::new(), notices }, None)
}

/// The names of all prompt files except skills and snippets.
pub const NAMES: [&str; 10] = [
    "system.md",
    "system_extra.md",
    "review.md",
    "repair.md",
    "verify.md",
    "chat.md",
    "room.md",
    "commit.md",
    "classify.md",
    "skills/compaction.md",
];

/// Returns whether this is the name of a prompt file, a skill or the snippets file.
pub fn is_known(name: &str) -> bool {
    NAMES.contains(&name) || name == SNIPPETS || skill_name(name).is_some()
}

/// Returns the name of the skill whose file has this name.
fn skill_name(name: &str) -> Option<&str> {
    let skill = name.strip_prefix("skills/")?.strip_suffix(".md")?;
    is_skill_name(skill).then_some(skill)
}

fn is_skill_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "-_".contains(char))
}

/// Writes the user's copy of a prompt file, atomically. `None` removes it, so that the next source applies again.
pub fn save_own(user_config: &Path, name: &str, text: Option<&str>) -> Result<(), PromptFileError> {
    if !is_known(name) {
        return Err(PromptFileError::Unknown { name: name.to_owned() });
    }
    let path = user_config.join("prompts").join(name);
    let kept = match text {
        Some(text) => std::fs::create_dir_all(path.parent().unwrap_or(user_config))
            .and_then(|()| write_private(&path, text.as_bytes())),
        None => match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    };
    kept.map_err(|error| PromptFileError::NotKept { name: name.to_owned(), error })
}

/// Returns the names of all available skills.
pub fn skill_names(files: &PromptFiles) -> Vec<String> {
    skill_files(files).iter().filter_map(|name| skill_name(name).map(str::to_owned)).collect()
}

/// Returns the files of all available skills, by name: built in, the user's and those of a trusted repository.
pub fn skill_files(files: &PromptFiles) -> Vec<String> {
    let built_in = built_in_skills().into_iter().map(|name| format!("skills/{name}.md"));
    let entries =
        files.folders.iter().filter_map(|folder| std::fs::read_dir(folder.join("skills")).ok()).flatten().flatten();
    let own = entries.filter_map(|entry| Some(format!("skills/{}", entry.file_name().to_str()?)));
    let names = built_in.filter(|_| files.built_in).chain(own).chain(files.repository.keys().cloned());
    let known: std::collections::BTreeSet<String> =
        names.filter(|name| skill_name(name).is_some() && !NAMES.contains(&name.as_str())).collect();
    known.into_iter().collect()
}

/// Loads skills by name. The error for an unknown name lists the existing ones.
pub fn load_skills(files: &PromptFiles, names: &[String]) -> Result<Vec<(Skill, PromptFile)>, PromptFileError> {
    names
        .iter()
        .map(|name| {
            let file = if is_skill_name(name) { files.load(&format!("skills/{name}.md"))? } else { None };
            match file {
                Some(file) => Ok((Skill { name: name.clone(), text: file.text.trim().to_owned() }, file)),
                None => Err(PromptFileError::Missing {
                    name: format!("skills/{name}.md"),
                    places: vec![format!("available skills: {}", built_in_skills().join(", "))],
                }),
            }
        })
        .collect()
}

/// Returns the names of the built-in skills.
pub fn built_in_skills() -> Vec<String> {
    let Some(folder) = BUILT_IN.get_dir("skills") else { return Vec::new() };
    let names = folder.files().filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()));
    // `compaction` is used to compact conversations, not for reviews.
    names.filter(|name| name != "compaction").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_show_at_once_and_a_reset_goes_back() {
        let user = tempfile::tempdir().expect("folder");
        let files = PromptFiles::new(BTreeMap::new(), user.path());
        let built_in = load_system_prompt(&files).expect("built in");
        save_own(user.path(), "system.md", Some("mine")).expect("kept");
        assert_eq!(build_system_prompt(&files).expect("built").0.lines().next(), Some("mine"));
        save_own(user.path(), "system.md", None).expect("removed");
        save_own(user.path(), "system.md", None).expect("still fine");
        assert_eq!(load_system_prompt(&files).expect("built in"), built_in);
        assert!(save_own(user.path(), "../config.toml", Some("x")).is_err());
    }

    #[test]
    fn snippets_come_from_the_first_place_that_has_a_readable_file() {
        let user = tempfile::tempdir().expect("folder");
        let repository = |text: &str| PromptFiles::new([(SNIPPETS.to_owned(), text.to_owned())].into(), user.path());
        let files = PromptFiles::new(BTreeMap::new(), user.path());
        let (built_in, place) = load_snippets(&files);
        assert_eq!((built_in.snippets.len(), place, built_in.notices.len()), (11, None, 0));
        save_own(user.path(), SNIPPETS, Some(r#"{"snippets": [{"icon": "u", "message": "user's"}]}"#)).expect("kept");
        assert_eq!(load_snippets(&files).0.snippets[0].message, "user's");
        let files = repository(r#"{"snippets": [{"icon": "r", "message": "repository's"}, {}]}"#);
        let (read, place) = load_snippets(&files);
        assert_eq!((read.snippets[0].message.as_str(), read.notices.len()), ("repository's", 1));
        assert!(place.expect("a place").display().to_string().ends_with("(of the repository)"));
        let (read, _) = load_snippets(&repository("{"));
        assert_eq!(read.snippets[0].message, "user's");
        assert!(read.notices[0].contains("was skipped"));
    }

    #[test]
    fn the_first_place_that_has_a_file_wins() {
        let user = tempfile::tempdir().expect("folder");
        let untrusted = PromptFiles::new(BTreeMap::new(), user.path());
        assert_eq!(untrusted.require("review.md").expect("built in").path, None);
        std::fs::create_dir_all(user.path().join("prompts")).expect("folder");
        std::fs::write(user.path().join("prompts/review.md"), "user's").expect("written");
        assert_eq!(untrusted.require("review.md").expect("user's").text, "user's");
        let trusted = PromptFiles::new([("review.md".to_owned(), "repository's".to_owned())].into(), user.path());
        assert_eq!(trusted.require("review.md").expect("repository's").text, "repository's");
    }

    #[test]
    fn own_skills_are_listed_and_saved() {
        let user = tempfile::tempdir().expect("folder");
        save_own(user.path(), "skills/cobol.md", Some("mine")).expect("kept");
        let names = skill_files(&PromptFiles::new([("skills/team.md".to_owned(), "t".to_owned())].into(), user.path()));
        for name in ["skills/cobol.md", "skills/team.md", "skills/rust.md"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        assert!(!names.iter().any(|known| known == "skills/compaction.md"));
        assert!(save_own(user.path(), "skills/../x.md", Some("x")).is_err());
    }

    #[test]
    fn a_missing_system_prompt_names_the_searched_places() {
        let folder = tempfile::tempdir().expect("folder");
        let error = build_system_prompt(&PromptFiles::only(vec![folder.path().to_owned()])).expect_err("missing");
        let expected =
            format!("the prompt file system.md was not found; searched: {}", folder.path().join("system.md").display());
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn the_extra_prompt_is_optional_and_joined_by_a_blank_line() {
        let folder = tempfile::tempdir().expect("folder");
        let files = PromptFiles::only(vec![folder.path().to_owned()]);
        std::fs::write(folder.path().join("system.md"), "one\n").expect("written");
        assert_eq!(build_system_prompt(&files).expect("built").0, "one");
        std::fs::write(folder.path().join("system_extra.md"), "two\n").expect("written");
        assert_eq!(build_system_prompt(&files).expect("built").0, "one\n\ntwo");
    }

    #[test]
    fn at_least_nine_skills_are_built_in_and_names_cannot_leave_the_folder() {
        assert!(built_in_skills().len() >= 9);
        let files = PromptFiles::new(BTreeMap::new(), Path::new("/nowhere"));
        assert!(load_skills(&files, &["rust".into(), "sql".into()]).is_ok());
        assert!(load_skills(&files, &["../system".into()]).is_err());
    }
}
