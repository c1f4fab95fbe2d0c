//! The files that are never in a room under their own name, and the names of their copies.
//!
//! In: paths of the repository. Out: whether a path is left out, and where its masked copy lies. Two names that some file system
//! takes for one are the same name here: they are compared after folding. This module must not touch the disk.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::RoomError;

const SETTINGS: &str = include_str!("../../../../../config/room.toml");
/// The folder of a room that holds the copies of left out files.
pub const COPIES: &str = "diffsan-copies";
/// The longest name of a file or folder, in bytes, on the file systems that are in use.
const MAX_NAME: usize = 255;

/// `config/room.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    left_out: Vec<String>,
    hides_files: Vec<String>,
    largest_file: u64,
    most_files: usize,
}

/// The rules by which files are left out of a room.
#[derive(Debug)]
pub struct Names {
    configures: Gitignore,
    /// Those of `configures`, and the others.
    left_out: Gitignore,
    /// Larger files are left out, in bytes.
    pub(super) largest_file: u64,
    /// The most files that a room has.
    pub(super) most_files: usize,
}

impl Names {
    /// Reads the built-in rules.
    pub fn load() -> Result<Self, RoomError> {
        let wrong = |error: &dyn std::fmt::Display| RoomError::Settings(error.to_string());
        let settings: Settings = toml::from_str(SETTINGS).map_err(|error| wrong(&error))?;
        let matcher = |patterns: &[String]| {
            let mut builder = GitignoreBuilder::new("");
            for pattern in patterns {
                builder.add_line(None, &pattern.to_lowercase()).map_err(|error| wrong(&error))?;
            }
            builder.build().map_err(|error| wrong(&error))
        };
        // A folder of the repository with the name of the copies' folder must not pass for it.
        let own = format!("/{COPIES}/");
        Ok(Self {
            configures: matcher(&settings.left_out)?,
            left_out: matcher(&[settings.left_out.as_slice(), &settings.hides_files, &[own]].concat())?,
            largest_file: settings.largest_file,
            most_files: settings.most_files,
        })
    }

    /// Names this version of the rules. A room that was made by other rules is made anew.
    pub(super) fn version() -> String {
        hex::encode(&Sha256::digest(SETTINGS)[..8])
    }

    /// Whether a file configures an agent, one of its libraries, or a program that it starts.
    pub fn configures(&self, path: &str) -> bool {
        self.configures.matched_path_or_any_parents(folded(path), false).is_ignore()
    }

    /// Whether a folder has a name of a folder that configures agents.
    pub(super) fn configures_folder(&self, path: &str) -> bool {
        self.configures.matched_path_or_any_parents(folded(path), true).is_ignore()
    }

    /// Whether a file never lies in a room under its own name.
    pub(super) fn is_left_out(&self, path: &str) -> bool {
        self.left_out.matched_path_or_any_parents(folded(path), false).is_ignore()
    }

    /// Returns the path of a repository's file in a room: its own, or that of its copy. None if it has no
    /// place in a room.
    pub(super) fn place(&self, path: &str) -> Option<String> {
        if is_plain_path(path) {
            if self.is_left_out(path) { copy_path(path) } else { Some(path.to_owned()) }
        } else {
            None
        }
    }
}

/// Whether a file never lies in a room under its own name.
pub fn is_left_out(path: &str) -> Result<bool, RoomError> {
    Ok(Names::load()?.is_left_out(path))
}

/// Returns the path of the copy of a file that is left out. Each part of the path gets a character in front of it and the file
/// another ending, so that no program takes a part for a name that it knows, and two files never share a copy.
pub fn copy_path(path: &str) -> Option<String> {
    let copy = path.split('/').fold(COPIES.to_owned(), |all, part| format!("{all}/_{part}")) + ".txt";
    copy.split('/').all(|part| part.len() <= MAX_NAME).then_some(copy)
}

/// The path in the repository of a file that lies at `place` in a room.
pub fn path_of(place: &str) -> String {
    let copy =
        place.strip_prefix(COPIES).and_then(|rest| rest.strip_prefix('/')).and_then(|rest| rest.strip_suffix(".txt"));
    let parts = copy.and_then(|copy| copy.split('/').map(|part| part.strip_prefix('_')).collect::<Option<Vec<_>>>());
    parts.map_or_else(|| place.to_owned(), |parts| parts.join("/"))
}

/// Whether a path stays inside, and is none that git itself would refuse.
fn is_plain_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

/// A path in the form in which names are compared.
fn folded(path: &str) -> String {
    path.split('/').map(folded_name).collect::<Vec<_>>().join("/")
}

/// A name as the most lenient file systems compare it: letter case and Unicode forms do not count (APFS, NTFS), invisible
/// characters are skipped (HFS+), and trailing dots, trailing spaces and a stream's name are dropped (Windows).
fn folded_name(name: &str) -> String {
    let folded = if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        let visible = name.chars().filter(|letter| !is_invisible(*letter));
        icu_normalizer::uts46::Uts46MapperBorrowed::new().map_normalize(visible).collect()
    };
    let whole =
        folded.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).replace(['/', '\\'], "\u{fffd}");
    // A name of invisible characters alone is still a name.
    if whole.is_empty() { "\u{fffd}".to_owned() } else { whole }
}

/// The characters that HFS+ skips when it compares names, and others that nobody sees.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_copy_leads_back_to_its_file() {
        for path in ["CLAUDE.md", "src/.cursor/rules", "_a/_b.txt"] {
            assert_eq!(path_of(&copy_path(path).expect("a place")), path);
            assert_eq!(path_of(path), path);
        }
    }

    fn names() -> &'static Names {
        static NAMES: std::sync::LazyLock<Names> = std::sync::LazyLock::new(|| Names::load().expect("the rules"));
        &NAMES
    }

    #[test]
    fn names_that_a_file_system_treats_as_equal_are_equal() {
        let names = names();
        for path in [
            ".env",
            ".env.local",
            ".ENV",
            "deep/er/.Env.Production",
            ".env.",
            ".env. ",
            ".env::$DATA",
            ".e\u{200c}nv",
            ".\u{feff}env",
            "\u{ff0e}env",
            ".\u{ff45}nv",
            ".Claude/settings.json",
            ".CLAUDE./settings.json",
            ".\u{212a}iro/x",
            "Gemini.md",
            "agents.local.MD",
            "AGENT\u{17f}.md",
            ".GitModules",
            ".git\u{200d}/config",
            ".GIT /config",
            ".envrc",
            "a/.npmrc",
            "BUNFIG.toml",
            "sub/Opencode.json",
            ".gitignore",
            "src/.RgIgnore",
            "Diffsan-Copies/_.env.txt",
        ] {
            assert!(names.is_left_out(path), "{path:?}");
        }
        for path in [
            "src/env.rs",
            "environment",
            "package.json",
            "tsconfig.json",
            "docs/agents.txt",
            "x.env",
            "head/index.ts",
            "a:b",
        ] {
            assert!(!names.is_left_out(path), "{path:?}");
            assert_eq!(names.place(path).as_deref(), Some(path));
        }
    }

    #[test]
    fn ignore_rules_need_no_trust() {
        let names = names();
        assert!(names.is_left_out(".gitignore") && !names.configures(".gitignore"));
        assert!(names.configures(".env"));
    }

    #[test]
    fn a_name_that_becomes_too_long_has_no_copy() {
        let long = "x".repeat(MAX_NAME);
        assert_eq!(copy_path(&format!(".env.{long}")), None);
        assert_eq!(copy_path("a/.env").as_deref(), Some("diffsan-copies/_a/_.env.txt"));
    }

    fn part() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => prop::sample::select(vec![
                ".env", ".ENV", "CLAUDE.md", ".claude", ".git", ".gitignore", "_.env", "_", "diffsan-copies", "a", "a.txt",
                "..", ".", "", "\u{ff0f}", "\u{200c}", "mise", "config.toml", ".github", "agents", "\\",
            ]).prop_map(str::to_owned),
            1 => any::<String>().prop_map(|text| text.replace('/', "")),
        ]
    }

    fn path() -> impl Strategy<Value = String> {
        prop::collection::vec(part(), 1..5).prop_map(|parts| parts.join("/"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn files_in_a_room_have_names_that_no_agent_reads(path in path()) {
            let names = names();
            if let Some(place) = names.place(&path) {
                let inner = place.strip_prefix("diffsan-copies/").unwrap_or(&place);
                prop_assert!(!names.is_left_out(inner), "{path:?} lies at {place:?}");
                prop_assert!(is_plain_path(&place));
            }
        }

        #[test]
        fn two_files_never_share_a_place(one in path(), other in path()) {
            let names = names();
            if one != other && let (Some(a), Some(b)) = (names.place(&one), names.place(&other)) {
                prop_assert_ne!(a, b);
            }
        }
    }
}
