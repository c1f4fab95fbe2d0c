//! A step of a shell, and its form as a use of the facts about a file.

use smol_str::SmolStr;

use crate::facts::{Chain, Use, UseKind};

/// A part of a word that is known only when the script runs.
pub(crate) const UNKNOWN: char = '\0';
/// A part of a word that is known only when the script runs, and can become several words with options.
pub(crate) const SPLIT: char = '\u{1}';
/// The folder of the script, at the start of a word.
pub(crate) const OWN_FOLDER: char = '\u{2}';
/// The root of the repository, at the start of a word.
pub(crate) const ROOT: char = '\u{3}';

/// The source of the standard input of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// That of the script.
    Inherited,
    /// The output of another command.
    Pipe,
    /// A file, by its name.
    File(SmolStr),
    /// A text in the script.
    Text(SmolStr),
}

/// The functions of a script that the name of a command stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Functions {
    /// Their indexes among the units of the file.
    pub(crate) units: Vec<usize>,
    /// Whether they are defined on every way to the command, so that a program of this name does not run.
    pub(crate) certain: bool,
}

/// A step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A command: its words without quotes, the first of which is its name.
    Command {
        /// The words. Never empty.
        words: Vec<SmolStr>,
        /// The standard input.
        input: Input,
        /// The functions that run.
        functions: Functions,
        /// The folder in which it runs, as `folders` describes it.
        folder: SmolStr,
    },
    /// A redirection into a file.
    Write(SmolStr),
    /// A redirection from a file.
    Read(SmolStr),
    /// A read of a variable of the environment.
    Variable(SmolStr),
    /// A read of a secret of the service that runs the script.
    Secret(SmolStr),
    /// An image of a container.
    Image(SmolStr),
    /// An action of GitHub, without its version.
    Action(SmolStr),
    /// The download of an address into a file.
    Download(SmolStr),
    /// A file of the project that runs or belongs to the file, relative to the root.
    File(SmolStr),
    /// A target that make makes before that of the unit.
    Prerequisite(SmolStr),
    /// A file that is read as a part of the file, relative to its folder: an included makefile, the Dockerfile of a service.
    Include(SmolStr),
    /// The tasks of such a file, which belong to this one, too.
    IncludeTasks(SmolStr),
    /// The task that runs if none is named.
    Default(SmolStr),
    /// A file that is copied, and its name in the image.
    Copy(SmolStr, SmolStr),
    /// An effect of a setting: the name of the effect, and the setting.
    Effect(SmolStr, SmolStr),
    /// A part that is not read: its name, and the reason.
    Unread(SmolStr, SmolStr),
}

impl Step {
    /// Creates a command that begins with the standard input and in the folder of the script.
    pub(crate) fn command(words: Vec<SmolStr>) -> Self {
        let (functions, folder) = (Functions::default(), SmolStr::default());
        Self::Command { words, input: Input::Inherited, functions, folder }
    }

    /// Returns the step as a use of a unit.
    pub(crate) fn encoded(&self, unit: usize, line: u32) -> Use {
        let one = |kind: &str, text: &SmolStr| (shown(text), vec![kind.into(), text.clone()]);
        let (name, args) = match self {
            Self::Command { words, input, functions, folder } => {
                let units: Vec<String> = functions.units.iter().map(ToString::to_string).collect();
                let certain = if functions.certain { "!" } else { "" };
                let (kind, source) = match input {
                    Input::Inherited => ("-", SmolStr::default()),
                    Input::Pipe => ("|", SmolStr::default()),
                    Input::File(path) => ("<", path.clone()),
                    Input::Text(text) => ("<<", text.clone()),
                };
                let mut args: Vec<SmolStr> = vec!["command".into(), kind.into(), source];
                args.push(format!("{}{certain}", units.join(" ")).into());
                args.push(folder.clone());
                args.extend(words.iter().cloned());
                (shown(words.first().map_or("", SmolStr::as_str)), args)
            }
            Self::Write(path) => one("write", path),
            Self::Read(path) => one("read", path),
            Self::Variable(name) => one("variable", name),
            Self::Secret(name) => one("secret", name),
            Self::Image(name) => one("image", name),
            Self::Action(name) => one("action", name),
            Self::Download(address) => one("download", address),
            Self::File(path) => one("file", path),
            Self::Prerequisite(name) => one("prerequisite", name),
            Self::Include(path) => one("include", path),
            Self::IncludeTasks(path) => one("include tasks", path),
            Self::Default(name) => one("default", name),
            Self::Copy(from, to) => (shown(from), vec!["copy".into(), from.clone(), to.clone()]),
            Self::Effect(id, name) => (shown(name), vec!["effect".into(), id.clone(), name.clone()]),
            Self::Unread(name, reason) => (shown(name), vec!["unread".into(), name.clone(), reason.clone()]),
        };
        Use { chain: Chain::name(name).called(), kind: UseKind::Step, line, unit, args, given: Vec::new() }
    }

    /// Returns the step that a use stands for, or `None` for a use of code.
    pub(crate) fn of(one: &Use) -> Option<Self> {
        let (kind, rest) = one.args.split_first().filter(|_| one.kind == UseKind::Step)?;
        let text = || rest.first().cloned();
        Some(match kind.as_str() {
            "command" => {
                let [input, source, functions, folder, words @ ..] = rest else { return None };
                let input = match input.as_str() {
                    "|" => Input::Pipe,
                    "<" => Input::File(source.clone()),
                    "<<" => Input::Text(source.clone()),
                    _ => Input::Inherited,
                };
                let units = functions.trim_end_matches('!').split_whitespace();
                let units = units.filter_map(|unit| unit.parse().ok()).collect();
                let functions = Functions { units, certain: functions.ends_with('!') };
                Self::Command { words: words.to_vec(), input, functions, folder: folder.clone() }
            }
            "write" => Self::Write(text()?),
            "read" => Self::Read(text()?),
            "variable" => Self::Variable(text()?),
            "secret" => Self::Secret(text()?),
            "image" => Self::Image(text()?),
            "action" => Self::Action(text()?),
            "download" => Self::Download(text()?),
            "file" => Self::File(text()?),
            "prerequisite" => Self::Prerequisite(text()?),
            "include" => Self::Include(text()?),
            "include tasks" => Self::IncludeTasks(text()?),
            "default" => Self::Default(text()?),
            "copy" => Self::Copy(text()?, rest.get(1).cloned()?),
            "effect" => Self::Effect(text()?, rest.get(1).cloned()?),
            "unread" => Self::Unread(text()?, rest.get(1).cloned()?),
            _ => return None,
        })
    }
}

/// Returns a word as a person would write it.
pub(crate) fn shown(word: &str) -> SmolStr {
    let text: String = word
        .chars()
        .filter(|char| !matches!(*char, OWN_FOLDER | ROOT))
        .map(|char| if matches!(char, UNKNOWN | SPLIT) { '…' } else { char })
        .take(100)
        .collect();
    let text = text.strip_prefix('/').filter(|_| word.starts_with([OWN_FOLDER, ROOT])).unwrap_or(&text);
    SmolStr::new(text)
}

/// Returns whether a part of a word is known only when the script runs.
pub(crate) fn is_unknown(word: &str) -> bool {
    word.contains([UNKNOWN, SPLIT])
}
