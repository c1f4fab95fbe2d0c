//! Opens a file of the work tree in the editor that `$VISUAL` or `$EDITOR` names.
//!
//! The program is started directly, never through a shell, and is searched only outside of the repository. An editor that needs a
//! terminal is refused, because there is none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::App;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::OpenChange;

/// Editors that need a terminal.
const IN_TERMINAL: &[&str] =
    &["ed", "ex", "vi", "vim", "nvim", "nano", "pico", "micro", "hx", "helix", "kak", "joe", "ne", "mg"];

/// The form in which an editor takes a line number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineArgument {
    /// `--goto PATH:LINE`
    Goto,
    /// `PATH:LINE`
    Suffix,
    /// `--line LINE PATH`
    Option,
    /// `+LINE PATH`
    Plus,
    /// The editor cannot be told; only the path is given.
    None,
}

impl LineArgument {
    fn of(program: &str) -> Self {
        match program {
            "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => Self::Goto,
            "subl" | "sublime_text" | "zed" | "zeditor" | "lapce" => Self::Suffix,
            "idea" | "pycharm" | "webstorm" | "phpstorm" | "goland" | "clion" | "rider" | "rubymine" | "rustrover"
            | "fleet" | "kate" | "kwrite" => Self::Option,
            "gvim" | "mvim" | "gedit" | "pluma" | "xed" | "gnome-text-editor" | "emacs" | "emacsclient" | "geany"
            | "mousepad" | "neovide" => Self::Plus,
            _ => Self::None,
        }
    }

    fn arguments(self, path: &Path, line: u32) -> Vec<OsString> {
        let with_line = || {
            let mut text = path.as_os_str().to_owned();
            text.push(format!(":{line}"));
            text
        };
        match self {
            Self::Goto => vec!["--goto".into(), with_line()],
            Self::Suffix => vec![with_line()],
            Self::Option => vec!["--line".into(), line.to_string().into(), path.into()],
            Self::Plus => vec![format!("+{line}").into(), path.into()],
            Self::None => vec![path.into()],
        }
    }
}

impl App {
    /// Opens a file of a change's work tree at a line. `path` is relative to the root, and must not lead outside of it. Blocks.
    pub fn open_in_editor(&self, opened: &OpenChange, path: &str, line: u32) -> Result<()> {
        let file = file_in(opened, path)?;
        let named = ["VISUAL", "EDITOR"].into_iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
        let named = named.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "Neither $VISUAL nor $EDITOR is set.")
                .hint("Set one of them before diffsan starts, or select an editor in the settings (Appearance).")
        })?;
        let named = named.to_string_lossy().into_owned();
        let (name, arguments) = split(&named);
        let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_text_emacs = stem.starts_with("emacs") && arguments.iter().any(|one| matches!(*one, "-nw" | "-t"));
        if IN_TERMINAL.contains(&stem.as_str()) || is_text_emacs {
            let message = format!("{named} needs a terminal, so it cannot be opened from here.");
            return Err(Error::new(ErrorCode::InvalidInput, message)
                .hint("Set $VISUAL to an editor with a window, or select an editor in the settings (Appearance)."));
        }
        let search = opened.search_path();
        let program = search.find(name).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("{name} was not found, or is inside the repository."))
                .hint("Correct $VISUAL or $EDITOR.")
        })?;
        let mut command = Command::new(program);
        command.args(arguments).args(LineArgument::of(&stem).arguments(&file, line.max(1)));
        command.env("PATH", search.joined()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The editor outlives diffsan, and a Ctrl-C in diffsan's terminal does not reach it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .spawn()
            .map_err(|error| Error::new(ErrorCode::IoFailed, format!("{name} could not be started.")).cause(error))?;
        // An ended program that nobody waits for would stay in the process table.
        std::thread::spawn(move || child.wait());
        Ok(())
    }
}

/// Splits the value of a variable into the program and its arguments. A value that is the path of a file is the program.
fn split(value: &str) -> (&str, Vec<&str>) {
    if Path::new(value).is_file() {
        return (value, Vec::new());
    }
    let mut words = value.split_whitespace();
    (words.next().unwrap_or_default(), words.collect())
}

/// Returns the real path of a file of the work tree.
fn file_in(opened: &OpenChange, path: &str) -> Result<PathBuf> {
    let missing = || {
        Error::new(ErrorCode::NotFound, format!("{path} is not a file of the work tree."))
            .hint("Check out the branch of the change, and try again.")
    };
    let root = opened.root.as_ref().and_then(|root| root.canonicalize().ok()).ok_or_else(missing)?;
    let file = root.join(path).canonicalize().map_err(|_| missing())?;
    if file.starts_with(&root) && file.is_file() { Ok(file) } else { Err(missing()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_line_in_its_way() {
        let shown = |program: &str| {
            let arguments = LineArgument::of(program).arguments(Path::new("/a b/c.rs"), 7);
            arguments.iter().map(|one| one.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(shown("code"), ["--goto", "/a b/c.rs:7"]);
        assert_eq!(shown("zed"), ["/a b/c.rs:7"]);
        assert_eq!(shown("idea"), ["--line", "7", "/a b/c.rs"]);
        assert_eq!(shown("gvim"), ["+7", "/a b/c.rs"]);
        assert_eq!(shown("something"), ["/a b/c.rs"]);
    }

    #[test]
    fn arguments_of_the_variable_are_words() {
        assert_eq!(split("code --wait"), ("code", vec!["--wait"]));
        assert_eq!(split("  emacsclient   -c "), ("emacsclient", vec!["-c"]));
        assert_eq!(split(""), ("", Vec::new()));
    }
}
