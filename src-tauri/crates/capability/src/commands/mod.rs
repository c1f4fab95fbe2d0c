//! Files of commands: shell scripts, Dockerfiles, workflows of GitHub, pipelines of GitLab, makefiles,
//! scripts of packages and compose files.
//!
//! In: the text of a file. Out: facts whose uses are [`steps`](step::Step) of a shell, which `follow` follows like the uses of code. A format
//! finds the texts of a shell in its files, and `shell` reads these. `effects` and `programs` say what a step does, by the table of commands.

mod compose;
mod docker;
mod effects;
mod folders;
mod github;
mod gitlab;
mod interpreters;
mod make;
mod of_code;
mod package;
mod programs;
mod project_files;
mod sed;
mod settings;
mod shell;
mod step;
mod survey;
pub(crate) mod table;
pub(crate) mod tasks;
mod variables;
mod words;
mod yaml;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use crate::facts::{Facts, Unit, UnitKind, Use};
pub(crate) use of_code::OWN_TEXT;
pub(crate) use programs::is_shell;
use step::Step;
pub(crate) use step::{SPLIT, UNKNOWN, is_unknown};

/// The maximum size in bytes of a file of commands. Larger ones are generated, and their commands are not read.
const MAX_BYTES: usize = 1_000_000;

/// Extensions of files whose name begins with `Makefile` and that are none: inputs of Automake and Perl, documents, makefiles of other makes.
const NO_MAKEFILES: &[&str] = &[
    "am",
    "in",
    "pl",
    "py",
    "rb",
    "md",
    "txt",
    "rst",
    "vc",
    "msc",
    "msvc",
    "nmake",
    "bcc",
    "dockerfile",
    "orig",
    "rej",
];

/// A format of files that contain commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A script of a POSIX shell, Bash or Zsh.
    Shell,
    /// A `Dockerfile`.
    Dockerfile,
    /// A workflow, or an action, of GitHub.
    GitHub,
    /// A pipeline of GitLab.
    GitLab,
    /// A makefile.
    Makefile,
    /// The scripts of a `package.json`.
    Package,
    /// A compose file of Docker.
    Compose,
}

impl Format {
    /// Returns the format of a file by its path, or `None` if the path does not tell it.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.to_ascii_lowercase();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        if name == "package.json" {
            return Some(Self::Package);
        }
        let is_yaml = matches!(extension, Some("yml" | "yaml"));
        let is_in = |end: &str| folder == end || folder.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
        let stem = name.split('.').next().unwrap_or(name);
        if ["dockerfile", "containerfile"].contains(&stem) && extension != Some("dockerignore")
            || matches!(extension, Some("dockerfile" | "containerfile"))
        {
            return Some(Self::Dockerfile);
        }
        if is_yaml {
            let is_action = ["action.yml", "action.yaml"].contains(&name);
            if is_action || is_in(".github/workflows") {
                return Some(Self::GitHub);
            }
            if stem == "compose" || stem.starts_with("docker-compose") {
                return Some(Self::Compose);
            }
            let is_pipeline = name.trim_end_matches(".yaml").trim_end_matches(".yml").ends_with(".gitlab-ci");
            let is_part = [".gitlab/ci", ".gitlab-ci"].iter().any(|part| {
                folder.split_once(part).is_some_and(|(before, after)| {
                    (before.is_empty() || before.ends_with('/')) && (after.is_empty() || after.starts_with('/'))
                })
            });
            return (is_pipeline || is_part).then_some(Self::GitLab);
        }
        let is_makefile = match stem {
            "makefile" | "gnumakefile" => !extension.is_some_and(|extension| NO_MAKEFILES.contains(&extension)),
            _ => matches!(extension, Some("mk" | "mak")),
        };
        match extension {
            _ if is_makefile => Some(Self::Makefile),
            Some(
                "sh" | "bash" | "dash" | "ash" | "zsh" | "envrc" | "bashrc" | "zshrc" | "bash_profile" | "zprofile"
                | "zshenv" | "profile" | "bash_aliases",
            ) => Some(Self::Shell),
            None if ["gradlew", "mvnw"].contains(&name) => Some(Self::Shell),
            _ => None,
        }
    }

    /// Returns the format of a file by the first line of its text: `#!/bin/sh`. Hooks of Husky have none.
    pub fn of_first_line(path: &str, text: &str) -> Option<Self> {
        let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
        let Some(words) = first.strip_prefix("#!") else {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let is_hook = folder.rsplit('/').next() == Some(".husky") && !name.contains('.');
            return is_hook.then_some(Self::Shell);
        };
        let mut words = words.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
        words::SHELLS.contains(&program).then_some(Self::Shell)
    }

    /// Returns whether the first line of a file can tell that it is a script, because its name tells nothing.
    pub fn may_tell_in_first_line(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        !name.contains('.')
    }

    /// Returns the facts about the commands of a file with this text.
    pub fn facts(self, text: &Arc<str>) -> Facts {
        let mut found = Commands::new(text);
        if text.len() > MAX_BYTES {
            found.hides_code = true;
            return found.facts(text);
        }
        match self {
            Self::Shell => shell::read(&mut found, &shell::Text::of_file(text)),
            Self::Dockerfile => docker::read(&mut found, text),
            Self::GitHub => github::read(&mut found, text),
            Self::GitLab => gitlab::read(&mut found, text),
            Self::Makefile => make::read(&mut found, text),
            Self::Package => package::read(&mut found, text),
            Self::Compose => compose::read(&mut found, text),
        }
        found.facts(text)
    }
}

/// The commands that a reader has found in a file.
pub(crate) struct Commands {
    /// The file and the functions of its scripts.
    units: Vec<Unit>,
    uses: Vec<Use>,
    /// Whether a part was skipped because it is nested too deeply.
    partial: bool,
    /// Whether an error hides a part.
    hides_code: bool,
}

impl Commands {
    fn new(text: &str) -> Self {
        let lines = u32::try_from(memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1).unwrap_or(u32::MAX);
        let mut found = Self { units: Vec::new(), uses: Vec::new(), partial: false, hides_code: false };
        found.define("", UnitKind::File, (1, lines), 0);
        found
    }

    /// Adds a definition, and returns its index.
    fn define(&mut self, name: &str, kind: UnitKind, lines: (u32, u32), parent: usize) -> usize {
        self.units.push(Unit::new(name, kind, lines, parent));
        self.units.len() - 1
    }

    /// Adds a step of the file itself.
    fn add(&mut self, step: Step, line: u32) {
        self.add_in(0, step, line);
    }

    /// Adds a step of a definition.
    fn add_in(&mut self, unit: usize, step: Step, line: u32) {
        self.uses.push(step.encoded(unit, line));
    }

    /// Adds the variables of a file that change the commands and code of other programs.
    fn settings(&mut self, variables: &[(String, Rc<yaml::Value>)], unit: usize) {
        for (name, value) in variables {
            self.setting((name, value.text().unwrap_or_default()), unit, value.line);
        }
    }

    /// Adds a variable if it changes the commands or code of other programs.
    fn setting(&mut self, (name, value): (&str, &str), unit: usize, line: u32) {
        let unknown = step::UNKNOWN.to_string();
        let value = if value.contains('$') { &unknown } else { value };
        if let Some(step) = settings::set(name, value) {
            self.add_in(unit, step, line);
        }
    }

    /// Adds the commands of a text of a shell. An error leaves its definition open, not the whole file.
    fn script(&mut self, text: shell::Text<'_>) {
        let hides_code = std::mem::replace(&mut self.hides_code, false);
        shell::read(self, &text);
        if std::mem::replace(&mut self.hides_code, hides_code) {
            let (shell::Lines::From(line) | shell::Lines::At(line)) = text.lines;
            self.unread_in(text.unit, ("script", &text.code), "an error hides a part of it", line);
        }
    }

    /// Adds a file that is a part of this one. Its tasks can be run by themselves, so they have a definition that nothing calls.
    fn include(&mut self, path: &str, line: u32) {
        self.add(Step::Include(path.into()), line);
        let unit = self.define("", UnitKind::Task, (line, line), 0);
        self.add_in(unit, Step::IncludeTasks(path.into()), line);
    }

    /// Adds code that is not read. A use that was there before is not new, so the name has a digest that tells other code apart.
    fn unread(&mut self, name: &str, code: &str, reason: &str, line: u32) {
        self.unread_in(0, (name, code), reason, line);
    }

    /// Adds code of a definition that is not read.
    fn unread_in(&mut self, unit: usize, (name, code): (&str, &str), reason: &str, line: u32) {
        let mut content = DefaultHasher::new();
        code.hash(&mut content);
        let name = format!("{name} ({:016x})", content.finish());
        self.add_in(unit, Step::Unread(name.into(), reason.into()), line);
    }

    fn facts(self, text: &Arc<str>) -> Facts {
        let Self { mut units, mut uses, partial, hides_code } = self;
        // An ending of a line that only one of the readers knows would move what is behind it.
        let last = units.first().map_or(1, |file| file.end);
        for unit in &mut units {
            (unit.line, unit.end) = (unit.line.min(last), unit.end.min(last));
        }
        for one in &mut uses {
            one.line = one.line.min(last);
        }
        let mut facts = Facts::default();
        (facts.units, facts.uses, facts.partial, facts.hides_code) = (units, uses, partial, hides_code);
        facts.shrink();
        facts.with_text(Arc::clone(text))
    }
}

/// Names of variables that a file gives to its scripts.
type Names = BTreeSet<String>;

#[cfg(test)]
mod tests;
