//! Follows the commands of package managers into the scripts of the package of their folder: `npm run x`, `yarn x`.

use smol_str::SmolStr;

use super::super::effects::Spot;
use super::super::folders;
use super::super::programs::Command;
use super::super::step::{Functions, Input, ROOT, SPLIT, Step, is_unknown, shown};
use crate::follow::Follow;
use crate::found::Below;
use crate::project::folder;

/// The package managers that run scripts.
const MANAGERS: &[&str] = &["npm", "yarn", "pnpm", "bun"];
/// Options that name the folder of the package.
const FOLDER_OPTIONS: &[&str] = &["--prefix", "-C", "--dir", "--cwd"];
/// Options that select other packages of the project.
const FILTERS: &[&str] = &[
    "-w",
    "--workspace",
    "--workspaces",
    "-ws",
    "--filter",
    "--filter-prod",
    "-F",
    "-r",
    "--recursive",
    "--workspace-root",
    "--include-workspace-root",
    "-g",
    "--global",
];
/// Other options with a value in the next word.
const VALUE_OPTIONS: &[&str] = &[
    "-w",
    "--workspace",
    "--filter",
    "--filter-prod",
    "-F",
    "--loglevel",
    "--registry",
    "--userconfig",
    "--cache",
    "--script-shell",
    "--config",
];
/// The scripts that a manager runs itself when it installs the packages of a project.
const INSTALL: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "pnpm:devPreinstall",
];
/// The scripts that a manager runs itself when it publishes a package.
const PUBLISH: &[&str] = &[
    "prepublishOnly",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "prepack",
    "postpack",
    "publish",
    "postpublish",
    "preversion",
    "version",
    "postversion",
];

/// Commands of the managers behind which options are their own.
const OWN_COMMANDS: &[&str] =
    &["run", "run-script", "install", "i", "ci", "clean-install", "publish", "pack", "version"];

/// The scripts that a command runs.
#[derive(Debug, PartialEq, Eq)]
enum Scripts {
    /// None: it lists them.
    None,
    /// A script by its name.
    Named(SmolStr),
    /// Those with these names that the package has.
    Own(&'static [&'static str]),
    /// It is not known which.
    Unknown,
}

/// The arguments of a command of a package manager.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    folder: SmolStr,
    scripts: Scripts,
    /// The arguments of the script.
    rest: Vec<SmolStr>,
    /// Whether the command selects other packages of the project.
    is_filtered: bool,
}

impl Arguments {
    fn of(words: &[SmolStr], folder: &str) -> Self {
        let mut found = Self { folder: folder.into(), scripts: Scripts::Unknown, rest: Vec::new(), is_filtered: false };
        let manager = words.first().map_or("", SmolStr::as_str);
        let mut operands: Vec<SmolStr> = Vec::new();
        let mut at = 1;
        while let Some(word) = words.get(at) {
            at += 1;
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            let is_named =
                operands.len() > 1 || operands.first().is_some_and(|first| !OWN_COMMANDS.contains(&first.as_str()));
            // The words behind the script are its own, but npm reads options up to `--`.
            if word == "--" || is_named && (manager != "npm" || !word.starts_with('-')) {
                let from = if word == "--" { at } else { at - 1 };
                found.rest.extend(words[from..].iter().filter(|word| *word != "--").cloned());
                break;
            }
            found.is_filtered |= FILTERS.contains(&name) || word.starts_with(SPLIT);
            if FOLDER_OPTIONS.contains(&name) {
                let value = value.map(SmolStr::new).or_else(|| words.get(at).cloned());
                at += usize::from(!word.contains('='));
                found.folder = value.map_or_else(folders::unknown, |path| folders::in_folder(&found.folder, &path));
            } else if word.starts_with('-') {
                at += usize::from(value.is_none() && VALUE_OPTIONS.contains(&name));
            } else {
                operands.push(word.clone());
            }
        }
        found.scripts = scripts(manager, &operands);
        found
    }
}

/// Returns the scripts that a manager runs, by the words that are no options.
fn scripts(manager: &str, operands: &[SmolStr]) -> Scripts {
    let named = |name: &str| Scripts::Named(name.into());
    match (manager, operands.first().map(SmolStr::as_str)) {
        (_, Some("run" | "run-script")) => operands.get(1).map_or(Scripts::None, |name| named(name)),
        ("yarn", None) => Scripts::Own(INSTALL),
        // With a package, the scripts of the project do not run.
        (_, Some("install" | "i" | "ci" | "clean-install")) if operands.len() == 1 => Scripts::Own(INSTALL),
        (_, Some("install" | "i" | "ci" | "clean-install")) => Scripts::Unknown,
        (_, Some("publish" | "pack" | "version")) => Scripts::Own(PUBLISH),
        ("npm" | "pnpm", Some("t" | "tst")) => named("test"),
        ("npm", Some(name @ ("test" | "start" | "stop"))) => named(name),
        ("npm", _) | ("bun", Some("test")) | (_, None) => Scripts::Unknown,
        ("yarn", Some("workspace" | "workspaces" | "node")) => Scripts::Unknown,
        (_, Some(name)) => named(name),
    }
}

impl Follow<'_> {
    /// Adds the effects of the scripts that a package manager runs. Returns `false` if they are not known.
    pub(in crate::commands) fn package(&self, spot: &Spot<'_>, command: &Command<'_>, below: &mut Below) -> bool {
        if !command.words.first().is_some_and(|name| MANAGERS.contains(&name.as_str())) {
            return false;
        }
        let arguments = Arguments::of(command.words, spot.folder);
        let manifests = match is_unknown(&arguments.folder) {
            true => Vec::new(),
            false => self.own_files(&spot.in_folder(&arguments.folder), "package.json"),
        };
        match &arguments.scripts {
            Scripts::None => true,
            Scripts::Unknown => false,
            _ if arguments.is_filtered => false,
            Scripts::Named(name) if is_unknown(name) => false,
            Scripts::Named(name) => {
                let mut is_known = !manifests.is_empty();
                for manifest in &manifests {
                    is_known &= self.script(spot, command, (manifest, name, &arguments.rest), below);
                }
                is_known
            }
            Scripts::Own(names) => {
                for manifest in &manifests {
                    names.iter().for_each(|name| self.enter_script(spot, manifest, name, below));
                }
                !manifests.is_empty()
            }
        }
    }

    /// Adds the effects of the scripts that run when the packages of the project are installed, if the command does that.
    pub(in crate::commands) fn install_scripts(&self, spot: &Spot<'_>, command: &Command<'_>, below: &mut Below) {
        let is_manager = command.words.first().is_some_and(|name| MANAGERS.contains(&name.as_str()));
        let arguments = is_manager.then(|| Arguments::of(command.words, spot.folder));
        let Some(arguments) = arguments.filter(|arguments| arguments.scripts == Scripts::Own(INSTALL)) else { return };
        if arguments.is_filtered {
            let name = command.words.join(" ");
            self.open(
                spot,
                &name,
                format!("the scripts of the packages that `{}` selects are not read", shown(&name)),
                below,
            );
        } else {
            self.package(spot, command, below);
        }
    }

    fn enter_script(&self, spot: &Spot<'_>, manifest: &str, name: &str, below: &mut Below) {
        for (file, unit) in self.tasks(manifest).named(name) {
            self.enter_from((spot.path, spot.facts, spot.one, spot.depth), (file, *unit), below);
        }
    }

    /// Adds the effects of a script with those that run before and after it. Returns `false` if the package has none of this name.
    fn script(
        &self,
        spot: &Spot<'_>,
        command: &Command<'_>,
        (manifest, name, arguments): (&str, &str, &[SmolStr]),
        below: &mut Below,
    ) -> bool {
        let tasks = self.tasks(manifest);
        let Some((_, unit)) = tasks.named(name).first() else { return false };
        for name in [format!("pre{name}"), name.to_owned(), format!("post{name}")] {
            self.enter_script(spot, manifest, &name, below);
        }
        if arguments.is_empty() {
            return true;
        }
        // The arguments are those of the last command.
        let Some(facts) = self.names.project.facts(manifest) else { return false };
        let steps = facts.uses.iter().rev().filter(|one| one.unit == *unit).filter_map(Step::of);
        let last = steps.into_iter().find_map(|step| match step {
            Step::Command { words, folder, .. } => Some((words, folder)),
            _ => None,
        });
        let Some((mut words, own)) = last else {
            let shown = shown(name);
            self.open(spot, &shown, format!("the arguments of the script `{shown}` are not followed"), below);
            return true;
        };
        words.extend(arguments.iter().cloned());
        let start = format!("{ROOT}/{}", folder(manifest));
        let there = folders::in_folder(&start, &own);
        let functions = Functions::default();
        let nesting = command.nesting + 1;
        let command = Command { words: &words, input: &Input::Inherited, functions: &functions, nesting };
        self.command(&spot.in_folder(&there), &command, below);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_the_script_and_the_folder() {
        let named = |name: &str| Scripts::Named(name.into());
        for (line, scripts, folder, rest) in [
            ("npm run x", named("x"), "", ""),
            ("npm --prefix lib run x", named("x"), "lib", ""),
            ("npm run --silent x --prefix=lib -- -a b", named("x"), "lib", "-a b"),
            ("npm run x a", named("x"), "", "a"),
            ("npm t", named("test"), "", ""),
            ("npm run", Scripts::None, "", ""),
            ("npm ci", Scripts::Own(INSTALL), "", ""),
            ("npm install --no-audit", Scripts::Own(INSTALL), "", ""),
            ("npm install left-pad", Scripts::Unknown, "", ""),
            ("npm run x -w y", named("x"), "", ""),
            ("yarn", Scripts::Own(INSTALL), "", ""),
            ("yarn --cwd lib x -r", named("x"), "lib", "-r"),
            ("yarn workspace a x", Scripts::Unknown, "", "a x"),
            ("pnpm -C lib x", named("x"), "lib", ""),
            ("pnpm --filter a x", named("x"), "", ""),
            ("pnpm -r run x", named("x"), "", ""),
            ("yarn install --cwd lib", Scripts::Own(INSTALL), "lib", ""),
            ("bun run x", named("x"), "", ""),
            ("bun test", Scripts::Unknown, "", ""),
        ] {
            let words: Vec<SmolStr> = line.split(' ').map(SmolStr::new).collect();
            let found = Arguments::of(&words, "");
            assert_eq!(
                (&found.scripts, found.folder.as_str(), found.rest.join(" ")),
                (&scripts, folder, rest.to_owned()),
                "{line}"
            );
        }
    }
}
