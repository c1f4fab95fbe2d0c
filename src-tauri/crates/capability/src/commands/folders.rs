//! The folder in which the commands of a script run, as far as its text shows it: `cd lib && ./a.sh`.
//!
//! A folder is relative to the one in which the script starts, begins with one of the known places, or is not known.

use smol_str::SmolStr;
use tree_sitter::Node;

use super::step::{OWN_FOLDER, ROOT, UNKNOWN, is_unknown};

/// The maximum number of commands that change the folder. Beyond, no folder is known behind a statement with a condition.
const MAX_CHANGES: usize = 500;
/// The maximum length in bytes of the path of a folder. A longer one is not known.
const MAX_FOLDER_BYTES: usize = 1000;

/// Returns a folder that is not known.
pub(crate) fn unknown() -> SmolStr {
    let mut buffer = [0; 4];
    SmolStr::new(UNKNOWN.encode_utf8(&mut buffer))
}

/// Returns whether a path names the same file in every folder.
pub(crate) fn is_fixed(path: &str) -> bool {
    path.starts_with([OWN_FOLDER, ROOT, '/', '~'])
}

/// Returns a path in a folder, or the path itself if it does not depend on the folder.
pub(crate) fn in_folder(folder: &str, path: &str) -> SmolStr {
    if is_unknown(path) || !is_fixed(path) && is_unknown(folder) {
        return unknown();
    }
    let joined = match () {
        () if is_fixed(path) || folder.is_empty() => SmolStr::new(path),
        () if path.is_empty() || path == "." => SmolStr::new(folder),
        () => SmolStr::new(format!("{folder}/{path}")),
    };
    if joined.len() > MAX_FOLDER_BYTES { unknown() } else { joined }
}

/// Returns whether a command can change the folder of the script, by its words.
pub(crate) fn changes_folder(words: &[SmolStr]) -> bool {
    let words = without_wrapper(words);
    match words.first().map(SmolStr::as_str) {
        Some("cd" | "chdir" | "pushd" | "popd") => true,
        Some("eval") => words[1..].iter().any(|word| word.contains("cd ") || word.contains("pushd ")),
        _ => false,
    }
}

fn without_wrapper(words: &[SmolStr]) -> &[SmolStr] {
    let is_wrapped = matches!(words.first().map(SmolStr::as_str), Some("builtin" | "command"));
    if is_wrapped { &words[1..] } else { words }
}

/// A command that can change the folder.
struct Change {
    at: usize,
    /// The offset behind the start of the shell or function around it, where the change ends.
    around: usize,
}

/// The commands of a text that change the folder, in order.
#[derive(Default)]
pub(crate) struct Changes {
    all: Vec<Change>,
    /// Whether a function changes the folder of its caller.
    in_functions: bool,
    /// The offset of the first change in a function, also of those in a shell of its own.
    first_in_function: Option<usize>,
}

/// The context of a node of a text: the statements around it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// Whether every run of the script reaches the node.
    pub(crate) always: bool,
    /// The offset behind the start of the innermost shell or function.
    start: usize,
    is_in_function: bool,
    /// Whether there is a shell between the node and the function around it.
    is_in_shell: bool,
}

impl Context {
    /// Returns the context of the nodes of a whole text.
    pub(crate) fn of_text() -> Self {
        Self { always: true, ..Self::default() }
    }

    /// Returns the context of the children of a node.
    pub(crate) fn inside(self, node: Node<'_>) -> Self {
        let kind = node.kind();
        let always = self.always && matches!(kind, "program" | "declaration_command" | "variable_assignments");
        match kind {
            "function_definition" => {
                Self { always, start: node.start_byte() + 1, is_in_function: true, is_in_shell: false }
            }
            "subshell" | "command_substitution" | "process_substitution" => self.in_shell(node, always),
            _ => Self { always, ..self },
        }
    }

    /// Returns the context of a part of a pipeline, which has a shell of its own.
    pub(crate) fn in_shell(self, node: Node<'_>, always: bool) -> Self {
        Self { always, start: node.start_byte() + 1, is_in_shell: true, ..self }
    }
}

impl Changes {
    /// Records a command that changes the folder.
    pub(crate) fn add(&mut self, node: Node<'_>, around: Context) {
        let at = node.start_byte();
        self.all.push(Change { at, around: around.start });
        self.in_functions |= around.is_in_function && !around.is_in_shell;
        if around.is_in_function {
            self.first_in_function.get_or_insert(at);
        }
    }

    /// Returns whether functions change the folder of their callers.
    pub(crate) fn are_in_functions(&self) -> bool {
        self.in_functions
    }

    /// Returns whether the folder can be another one behind a part of the text.
    pub(crate) fn are_in(&self, node: Node<'_>) -> bool {
        if self.in_functions || self.all.len() > MAX_CHANGES {
            return true;
        }
        let from = self.all.partition_point(|change| change.at < node.start_byte());
        let inside = self.all[from..].iter().take_while(|change| change.at < node.end_byte());
        inside.into_iter().any(|change| change.around <= node.start_byte())
    }

    /// Returns whether a function can be called in another folder than that at its definition.
    pub(crate) fn are_around_calls(&self, function: Node<'_>) -> bool {
        self.in_functions
            || self.all.last().is_some_and(|change| change.at >= function.end_byte())
            || self.first_in_function.is_some_and(|at| at < function.start_byte())
    }
}

/// The folders at a place of a script.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    pub(crate) current: SmolStr,
    /// The folder before the last change.
    previous: Option<SmolStr>,
    /// The folders that `popd` returns to.
    pushed: Vec<SmolStr>,
    /// The folders of the shells around.
    saved: Vec<SmolStr>,
}

impl Folders {
    /// Begins in a folder.
    pub(crate) fn new(start: &SmolStr) -> Self {
        Self { current: start.clone(), ..Self::default() }
    }

    /// Begins a shell of its own.
    pub(crate) fn save(&mut self) {
        self.saved.push(self.current.clone());
    }

    /// Ends a shell.
    pub(crate) fn restore(&mut self) {
        if let Some(saved) = self.saved.pop() {
            self.current = saved;
        }
    }

    /// Records that the folder is not known.
    pub(crate) fn forget(&mut self) {
        self.set(unknown());
        self.pushed.clear();
    }

    fn set(&mut self, folder: SmolStr) {
        self.previous = Some(std::mem::replace(&mut self.current, folder));
    }

    /// Applies a command that changes the folder.
    pub(crate) fn apply(&mut self, words: &[SmolStr]) {
        let words = without_wrapper(words);
        let name = words.first().map_or("", SmolStr::as_str);
        let is_option = |word: &&SmolStr| word.len() > 1 && word.starts_with('-');
        let operand = words.iter().skip(1).find(|word| !is_option(word));
        match (name, operand.map(SmolStr::as_str)) {
            ("popd", None) => {
                let folder = self.pushed.pop().unwrap_or_else(unknown);
                self.set(folder);
            }
            ("cd" | "chdir", Some("-")) => {
                let folder = self.previous.clone().unwrap_or_else(unknown);
                self.set(folder);
            }
            ("pushd", Some(path)) if !path.starts_with(['+', '-']) => {
                self.pushed.push(self.current.clone());
                self.set(in_folder(&self.current, path));
            }
            ("cd" | "chdir", Some(path)) => self.set(in_folder(&self.current, path)),
            _ => self.forget(),
        }
    }
}
