//! The effects of a command: of a function, of a file of the project, or of a program that the table lists, and of the code that it runs.

use smol_str::SmolStr;

use super::Commands;
use super::effects::Spot;
use super::folders;
use super::sed::{self, SEDS};
use super::settings;
use super::shell::{self, Lines};
use super::step::{Functions, Input, OWN_FOLDER, ROOT, SPLIT, Step, UNKNOWN, is_unknown, shown};
use super::table::{Known, Runs, has_option};
use super::words::SHELLS;
use crate::facts::UnitKind;
use crate::follow::Follow;
use crate::found::Below;
use crate::read::language_of;

/// The maximum nesting of commands in the arguments of others.
const MAX_NESTING: usize = 6;
/// Folders of programs, of which only the name of a program tells what it does.
const PROGRAM_FOLDERS: &[&str] =
    &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/opt/homebrew/bin/"];
/// Declarations of variables, which have no effect unless the table lists one.
const DECLARATIONS: &[&str] = &["declare", "typeset", "local", "readonly", "export", "unset", "unsetenv"];
/// A command in a script, and the number of commands around it.
#[derive(Clone, Copy)]
pub(super) struct Command<'c> {
    pub(super) words: &'c [SmolStr],
    pub(super) input: &'c Input,
    pub(super) functions: &'c Functions,
    pub(super) nesting: usize,
}

impl Command<'_> {
    fn name(&self) -> &str {
        self.words.first().map_or("", SmolStr::as_str)
    }
}

/// Shells that are not read.
const OTHER_SHELLS: &[&str] = &["fish", "csh", "tcsh", "elvish", "nu", "xonsh"];

/// Programs whose first argument is a program of AWK.
const AWKS: &[&str] = &["awk", "gawk", "mawk", "nawk", "goawk", "frawk"];

/// Returns whether a program of AWK runs commands: `system("…")`, `"…" | getline`, `print | "…"`.
fn runs_commands(program: &str) -> bool {
    program.contains("system(") || program.contains("getline") || program.contains("| \"") || program.contains("|\"")
}

/// Returns whether a command of the table is a shell whose texts are read: `bash`, `busybox sh`.
pub(crate) fn is_shell(name: &str) -> bool {
    let last = name.rsplit([' ', '/']).next().unwrap_or(name);
    SHELLS.contains(&last)
}

impl Follow<'_> {
    /// Adds the effects of a command.
    pub(super) fn command(&self, spot: &Spot<'_>, command: &Command<'_>, below: &mut Below) {
        let name = command.name();
        if name.is_empty() {
            return;
        }
        if command.nesting > MAX_NESTING {
            return self.open(spot, name, "commands are nested too deeply to be read".to_owned(), below);
        }
        for &unit in &command.functions.units {
            self.enter_from((spot.path, spot.facts, spot.one, spot.depth), (spot.path, unit), below);
        }
        if command.functions.certain {
            return;
        }
        let loaded = self.loaded_functions(spot, name);
        for (file, unit) in loaded.iter() {
            self.enter_from((spot.path, spot.facts, spot.one, spot.depth), (file, *unit), below);
        }
        let is_function = !loaded.is_empty() || !command.functions.units.is_empty();
        let name_at = name.strip_prefix([OWN_FOLDER, ROOT]).unwrap_or(name);
        if is_unknown(name_at) {
            return self.unknown_command(spot, name, below);
        }
        let program = PROGRAM_FOLDERS.iter().find_map(|folder| name.strip_prefix(folder));
        let program = program.filter(|program| !program.contains('/'));
        let mut words = command.words.to_vec();
        words[0] = program.map_or_else(|| words[0].clone(), SmolStr::new);
        let known = self.names.knowledge.commands().command(&words);
        let is_file = name.contains(['/', OWN_FOLDER, ROOT]);
        // A folder of an image can have programs of the project.
        let has_file = is_file && self.files(spot, name).is_some_and(|files| !files.is_empty());
        if has_file || is_file && known.is_none() {
            self.run_file(spot, name, below);
        }
        let command = &Command { words: &words, ..*command };
        if self.built_in(spot, command, known.as_ref(), below) {
            return;
        }
        match known {
            Some(known) => self.known(spot, command, &known, below),
            None if is_file || is_function || DECLARATIONS.contains(&name) => {}
            // A program that is asked for its version or its help does nothing else.
            None if matches!(&words[1..], [option] if ["--version", "--help", "-version"].contains(&option.as_str())) =>
                {}
            None if self.package(spot, command, below) => self.effect(spot, "process.run", name, below),
            None => {
                let listed = self.names.knowledge.commands().with_subcommand(&words);
                let name = shown(listed.as_deref().unwrap_or(name));
                self.open(spot, &name, format!("no table lists the command `{name}`"), below);
            }
        }
    }

    /// Adds the effects of a command of the shell that runs texts or files, and returns whether it is one.
    fn built_in(&self, spot: &Spot<'_>, command: &Command<'_>, known: Option<&Known>, below: &mut Below) -> bool {
        let rest = &command.words[1..];
        let text = match command.name() {
            "." | "source" => {
                self.load(spot, command, below);
                None
            }
            "eval" => Some(rest.join(" ")),
            // The first argument is the text, unless the signals are reset.
            "trap" => {
                let text = rest.iter().find(|word| *word != "--").filter(|word| rest.len() > 1 && *word != "-");
                Some(text.map(ToString::to_string).unwrap_or_default())
            }
            "alias" => {
                let texts: Vec<&str> =
                    rest.iter().filter_map(|word| word.split_once('=')).map(|(_, text)| text).collect();
                Some(texts.join("\n"))
            }
            _ => return false,
        };
        for effect in known.iter().flat_map(|known| &known.effects) {
            below.add(*effect, command.name(), false, spot.hop(command.name()));
        }
        if let Some(text) = text {
            self.texts(spot, command, &text, below);
        }
        true
    }

    /// Adds a command whose name is known only when the script runs.
    fn unknown_command(&self, spot: &Spot<'_>, name: &str, below: &mut Below) {
        let line = spot.facts.line(spot.one.line);
        let symbol: String =
            if name.chars().count() > 3 { shown(name).to_string() } else { line.chars().take(60).collect() };
        self.open(spot, &symbol, format!("the command in `{symbol}` is chosen when the script runs"), below);
    }

    /// Adds the effects of a command that the table lists, and of the code that it runs.
    fn known(&self, spot: &Spot<'_>, command: &Command<'_>, known: &Known, below: &mut Below) {
        for effect in &known.effects {
            below.add(*effect, &known.name, false, spot.hop(&known.name));
        }
        if AWKS.contains(&known.name.as_str()) && command.words.iter().any(|word| runs_commands(word)) {
            let gap = format!("the program in the arguments of `{}` runs commands that are not read", known.name);
            self.open(spot, &known.name, gap, below);
        }
        if SEDS.contains(&known.name.as_str()) {
            self.sed(spot, command, below);
        }
        if known.has_unknown_options {
            let gap = format!("the options of `{}` are chosen when the script runs", known.name);
            self.open(spot, &format!("{} …", known.name), gap, below);
        }
        if known.runs.is_empty() {
            self.install_scripts(spot, command, below);
        }
        if is_shell(&known.name) && !known.runs.is_empty() {
            self.shell(spot, command, known, below);
        }
        for (runs, options) in &known.runs {
            match runs {
                Runs::Arguments if options.is_empty() => self.arguments(spot, command, known, below),
                Runs::Arguments => self.option_commands(spot, command, options, below),
                Runs::Text | Runs::Program if is_shell(&known.name) => {}
                Runs::Text if OTHER_SHELLS.contains(&known.name.as_str()) => {
                    self.open(
                        spot,
                        &known.name,
                        format!("the code in the arguments of `{}` is not read", known.name),
                        below,
                    );
                }
                Runs::Text => self.option_texts(spot, command, known, options, below),
                Runs::Program => self.program(spot, command, known, below),
                Runs::Tasks if self.run_tasks(spot, command, known, below) => {}
                Runs::Tasks => {
                    let task = command
                        .words
                        .get(known.rest..)
                        .and_then(|rest| rest.iter().find(|word| !word.starts_with('-')));
                    let task =
                        task.map_or_else(|| known.name.clone(), |task| format!("{} {}", known.name, shown(task)));
                    self.open(spot, &task, format!("the tasks that `{task}` runs are not read"), below);
                }
            }
        }
    }

    /// Adds the effects of tasks of the project, and returns whether they are known.
    fn run_tasks(&self, spot: &Spot<'_>, command: &Command<'_>, known: &Known, below: &mut Below) -> bool {
        match known.name.as_str() {
            "make" | "gmake" => self.make(spot, command, below),
            _ => self.package(spot, command, below),
        }
    }

    /// Adds the effects of the program of a command of sed, which can run commands and write files.
    fn sed(&self, spot: &Spot<'_>, command: &Command<'_>, below: &mut Below) {
        let name = command.name();
        let program = sed::program(command.words);
        for file in &program.writes {
            self.effect(spot, "file.write", &format!("{name} > {}", shown(file)), below);
        }
        if program.runs_text || !program.commands.is_empty() {
            self.effect(spot, "shell.run", name, below);
        }
        if program.runs_text {
            self.effect(spot, "code.execute", name, below);
        }
        for text in &program.commands {
            self.texts(spot, command, text, below);
        }
        if program.is_unread {
            self.open(spot, name, format!("the program of `{name}` is not understood"), below);
        }
    }

    /// Adds the effects of the command in the arguments of another one: `sudo -u root rm x`.
    fn arguments(&self, spot: &Spot<'_>, command: &Command<'_>, known: &Known, below: &mut Below) {
        let name = command.name();
        let mut rest = command.words.get(known.inner..).unwrap_or_default().to_vec();
        if rest.is_empty() {
            return;
        }
        // Options of these set the folder.
        let own = command.words.get(1..known.inner).unwrap_or_default();
        for step in settings::assignments(own) {
            self.step(spot, step, command.nesting + 1, below);
        }
        let sets_folder =
            |word: &SmolStr| word.starts_with("-C") || word.starts_with("-D") || word.starts_with("--chdir");
        let unknown = folders::unknown();
        let is_elsewhere = matches!(name, "env" | "sudo") && own.iter().any(sets_folder) || name == "chroot";
        let spot = &if is_elsewhere { spot.in_folder(&unknown) } else { *spot };
        let is_from_input = matches!(name, "xargs" | "gxargs" | "parallel");
        if is_from_input {
            rest.push(UNKNOWN.to_string().into());
        }
        let input = if is_from_input { &Input::Inherited } else { command.input };
        self.nested(spot, command, &rest, input, below);
    }

    /// Adds the effects of the commands behind options: `find . -exec rm {} \;`.
    fn option_commands(&self, spot: &Spot<'_>, command: &Command<'_>, options: &[SmolStr], below: &mut Below) {
        let words = command.words;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            at += 1;
            if options.contains(word) {
                let rest = words.get(at..).unwrap_or_default();
                if let Some(file) =
                    rest.first().filter(|_| word == "-m").and_then(|module| self.module_file(spot, module))
                {
                    return self.follow_file(spot, &file, below);
                }
                let length = rest.iter().position(|word| word == ";" || word == "+").unwrap_or(rest.len());
                // `find -execdir` runs it in the folder of each file.
                let unknown = folders::unknown();
                let spot = if word.ends_with("dir") { spot.in_folder(&unknown) } else { *spot };
                self.nested(&spot, command, &rest[..length], &Input::Inherited, below);
                at += length;
            }
        }
    }

    /// Adds the effects of a command inside of another one. A function of the script can be meant, or a program of this name.
    fn nested(&self, spot: &Spot<'_>, outer: &Command<'_>, words: &[SmolStr], input: &Input, below: &mut Below) {
        let Some(name) = words.first() else { return };
        // A command that code starts is no function of the code.
        let is_script = language_of(spot.path).is_none();
        let is_function = |unit: usize| {
            is_script
                && spot.facts.units.get(unit).is_some_and(|unit| unit.kind == UnitKind::Function && unit.name == *name)
        };
        let units: Vec<usize> = (1..spot.facts.units.len()).filter(|unit| is_function(*unit)).collect();
        let functions = Functions { units, certain: false };
        self.command(spot, &Command { words, input, functions: &functions, nesting: outer.nesting + 1 }, below);
    }

    /// Adds the effects of a text of a shell in the arguments.
    fn option_texts(
        &self,
        spot: &Spot<'_>,
        command: &Command<'_>,
        known: &Known,
        options: &[SmolStr],
        below: &mut Below,
    ) {
        let words = command.words;
        if options.is_empty() {
            let texts = words.get(known.rest..).unwrap_or_default();
            return self.texts(spot, command, &texts.join(" "), below);
        }
        for (at, word) in words.iter().enumerate().skip(1) {
            let Some(option) = options.iter().find(|option| has_option(word, option)) else { continue };
            let value = word.strip_prefix(option.as_str()).and_then(|rest| rest.strip_prefix('=')).map(SmolStr::new);
            match value.or_else(|| words.get(at + 1).cloned()) {
                Some(text) => return self.texts(spot, command, &text, below),
                None => return self.open(spot, &known.name, format!("`{}` has no text", known.name), below),
            }
        }
    }

    /// Adds the effects of a text of a shell that a command runs.
    pub(super) fn texts(&self, spot: &Spot<'_>, command: &Command<'_>, text: &str, below: &mut Below) {
        let name = command.name();
        if is_unknown(text) {
            self.effect(spot, "code.execute", name, below);
        }
        // The values of variables are words of their own.
        let code = text.replace([UNKNOWN, SPLIT], "$_").replace([OWN_FOLDER, ROOT], ".");
        if code.trim().is_empty() || text.chars().all(|char| char == UNKNOWN || char == SPLIT) {
            return;
        }
        if command.nesting >= MAX_NESTING {
            return self.open(spot, name, "commands are nested too deeply to be read".to_owned(), below);
        }
        let mut found = Commands::new(&code);
        let text = shell::Text::new(&*code, Lines::At(spot.one.line));
        shell::read(&mut found, &shell::Text { folder: spot.folder.into(), ..text });
        if found.hides_code || found.partial {
            self.open(spot, name, format!("an error hides a part of the text of `{name}`"), below);
        }
        for one in &found.uses {
            let Some(step) = Step::of(one) else { continue };
            match step {
                // The functions of the text are read as a part of it.
                Step::Command { functions, .. } if functions.certain => {}
                Step::Command { words, input, folder, .. } => {
                    self.nested(&spot.in_folder(&folder), command, &words, &input, below);
                }
                step => self.step(spot, step, command.nesting + 1, below),
            }
        }
    }

    /// Adds the effects of a script that a script loads.
    fn load(&self, spot: &Spot<'_>, command: &Command<'_>, below: &mut Below) {
        if let Some(word) = command.words.get(1) {
            self.run_file(spot, word, below);
        }
    }
}
