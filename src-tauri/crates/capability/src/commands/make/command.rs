//! Follows the command `make` into the makefile of its folder.

use smol_str::SmolStr;

use super::super::effects::Spot;
use super::super::folders;
use super::super::programs::Command;
use super::super::step::{SPLIT, is_unknown, shown};
use super::super::words::is_name;
use crate::follow::Follow;
use crate::found::Below;

/// The names of a makefile, in the order in which make looks for them.
const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
/// Options with which make only tells something about itself.
const QUESTIONS: &[&str] = &["--version", "-v", "--help", "-h"];

/// Variables that change how make works.
const SETTINGS: &[&str] = &["SHELL", ".SHELLFLAGS", "MAKEFILES", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKE"];
/// Words before a command in a recipe.
const BEFORE_COMMANDS: &[&str] = &[
    "sudo", "env", "exec", "time", "nice", "nohup", "xargs", "command", "then", "do", "else", "if", "while", "until",
    "eval", "-exec", "-c",
];

/// The arguments of a command of make.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    folder: SmolStr,
    files: Vec<SmolStr>,
    targets: Vec<SmolStr>,
    /// The variables that the command sets, and whose value can be the name of a program.
    variables: Vec<SmolStr>,
    is_question: bool,
    /// Whether a part is known only when the command runs, or is code.
    is_unknown: bool,
}

impl Arguments {
    fn of(words: &[SmolStr], folder: &str) -> Self {
        let mut found = Self { folder: folder.into(), ..Self::default() };
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            found.is_unknown |= word.starts_with(SPLIT);
            found.is_question |= QUESTIONS.contains(&word.as_str());
            if let Some((name, value)) = word.split_once('=').filter(|_| !word.starts_with('-')) {
                let name = name.trim_end_matches([':', '+', '?']);
                // These change what make reads and how it runs commands, and such a value can hold commands.
                found.is_unknown |=
                    SETTINGS.contains(&name) || value.contains([';', '&', '|', '$', '`', '\n', '<', '>']);
                found.variables.extend(Some(name).filter(|name| is_name(name)).map(SmolStr::new));
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(SmolStr::new(value))));
                match name {
                    "directory" => found.change(value.or_else(|| words.next().cloned())),
                    "file" | "makefile" => found.files.extend(value.or_else(|| words.next().cloned())),
                    "eval" => found.is_unknown = true,
                    "include-dir" | "old-file" | "assume-old" | "what-if" | "new-file" | "assume-new"
                        if value.is_none() =>
                    {
                        words.next();
                    }
                    _ => {}
                }
            } else if let Some(letters) = word.strip_prefix('-') {
                let Some(at) = letters.find(['C', 'f', 'I', 'o', 'W', 'j', 'l', 'E']) else { continue };
                let rest = Some(SmolStr::new(&letters[at + 1..])).filter(|rest| !rest.is_empty());
                match letters.as_bytes()[at] {
                    b'C' => found.change(rest.or_else(|| words.next().cloned())),
                    b'f' => found.files.extend(rest.or_else(|| words.next().cloned())),
                    b'E' => found.is_unknown = true,
                    // The value of these is a number, or there is none.
                    b'j' | b'l' if rest.is_none() => {
                        words.next_if(|next| is_unknown(next) || next.starts_with(|char: char| char.is_ascii_digit()));
                    }
                    b'j' | b'l' => {}
                    _ if rest.is_none() => _ = words.next(),
                    _ => {}
                }
            } else {
                found.targets.push(word.clone());
            }
        }
        found
    }

    fn change(&mut self, folder: Option<SmolStr>) {
        self.folder = folder.map_or_else(folders::unknown, |path| folders::in_folder(&self.folder, &path));
    }
}

impl Follow<'_> {
    /// Adds the effects of the targets that a command makes. Returns `false` if the makefile is not known.
    pub(in crate::commands) fn make(&self, spot: &Spot<'_>, command: &Command<'_>, below: &mut Below) -> bool {
        let arguments = Arguments::of(command.words.get(1..).unwrap_or_default(), spot.folder);
        if arguments.is_question {
            return true;
        }
        let there = spot.in_folder(&arguments.folder);
        let Some(makefiles) = self.makefiles(&there, &arguments) else { return false };
        for makefile in &makefiles {
            self.follow_file(spot, makefile, below);
            let tasks = self.tasks(makefile);
            let targets = if arguments.targets.is_empty() { &tasks.defaults } else { &arguments.targets };
            for target in targets {
                if !self.target(spot, makefile, target, below) {
                    let target = shown(target);
                    self.open(spot, "make", format!("no rule of `{makefile}` makes `{target}`"), below);
                }
            }
            if targets.is_empty() {
                self.open(spot, "make", format!("`{makefile}` has no first target"), below);
            }
            let text = self.names.project.text(makefile).unwrap_or_default();
            for name in arguments.variables.iter().filter(|name| starts_commands(&text, name)) {
                self.open(spot, &format!("make {name}=…"), format!("the command sets the program in `{name}`"), below);
            }
        }
        if arguments.is_unknown {
            self.open(spot, "make …", "the arguments of `make` are chosen when the script runs".to_owned(), below);
        }
        true
    }

    /// Returns the makefiles that a command can mean, or `None` if they are not known.
    fn makefiles(&self, spot: &Spot<'_>, arguments: &Arguments) -> Option<Vec<String>> {
        if is_unknown(spot.folder) {
            return None;
        }
        let named = |name: &str| -> Vec<String> { self.own_files(spot, name) };
        if arguments.files.is_empty() {
            return NAMES.iter().map(|name| named(name)).find(|found| !found.is_empty());
        }
        let found: Vec<Vec<String>> = arguments.files.iter().map(|file| named(file)).collect();
        found.iter().all(|files| !files.is_empty()).then(|| found.concat())
    }
}

/// Returns whether a recipe has a command that begins with a variable: `$(RUN) x`.
fn starts_commands(makefile: &str, name: &str) -> bool {
    [format!("$({name})"), format!("${{{name}}}")].iter().any(|written| {
        memchr::memmem::find_iter(makefile.as_bytes(), written.as_bytes()).any(|at| {
            let before = makefile[..at].trim_end_matches([' ', '@', '-', '+', '"', '\'']);
            let is_first = before.ends_with(['\t', '\n', ';', '&', '|', '(', '`', ':', '=', '}', ')']);
            is_first || before.split_whitespace().next_back().is_some_and(|word| BEFORE_COMMANDS.contains(&word))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_targets_options_and_variables() {
        for (line, folder, targets, variables) in [
            ("a b", "", "a b", ""),
            ("-C lib -s a", "lib", "a", ""),
            ("-Clib --directory=in a", "lib/in", "a", ""),
            ("-j a", "", "a", ""),
            ("-j 4 -l2 a", "", "a", ""),
            ("-sj4 CC=gcc a X:=y", "", "a", "CC X"),
            ("-I x --old-file y a", "", "a", ""),
        ] {
            let words: Vec<SmolStr> = line.split(' ').map(SmolStr::new).collect();
            let found = Arguments::of(&words, "");
            let all = |words: &[SmolStr]| words.join(" ");
            assert_eq!(
                (found.folder.as_str(), all(&found.targets), all(&found.variables)),
                (folder, targets.into(), variables.into()),
                "{line}"
            );
        }
    }
}
