//! Variables that change what other programs run: `GIT_SSH_COMMAND`, `LD_PRELOAD`.

use smol_str::SmolStr;

use super::step::{Step, is_unknown};

/// Variables whose value is a command that another program runs.
const COMMANDS: &[&str] = &[
    "AR",
    "BROWSER",
    "CC",
    "CVS_RSH",
    "CXX",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LD",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "RSYNC_RSH",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SVN_SSH",
    "VISUAL",
];
/// Variables whose value names code that other programs load.
const CODE: &[&str] = &[
    "BASH_ENV",
    "DYLD_INSERT_LIBRARIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "LD_AUDIT",
    "LD_PRELOAD",
    "LUA_INIT",
    "MAKEFILES",
    "PERL5DB",
    "PHP_INI_SCAN_DIR",
    "PYTHONSTARTUP",
    "ZDOTDIR",
];
/// Variables with options of other programs, and the beginnings of options that load code or run commands.
const OPTIONS: &[(&str, &[&str])] = &[
    ("GNUMAKEFLAGS", &["-f", "-E", "-I", "--file", "--makefile", "--eval", "--include", "SHELL"]),
    ("MAKEFLAGS", &["-f", "-E", "-I", "--file", "--makefile", "--eval", "--include", "SHELL"]),
    ("JAVA_TOOL_OPTIONS", &["-javaagent", "-agent", "-XX:OnError", "-XX:OnOutOfMemory", "@"]),
    ("JDK_JAVA_OPTIONS", &["-javaagent", "-agent", "-XX:OnError", "-XX:OnOutOfMemory", "@"]),
    ("_JAVA_OPTIONS", &["-javaagent", "-agent", "-XX:OnError", "-XX:OnOutOfMemory", "@"]),
    ("NODE_OPTIONS", &["-r", "--require", "--import", "--loader", "--experimental-loader", "-e", "--eval"]),
    ("PERL5OPT", &["-M", "-m", "-I", "-d", "M", "m", "I", "d"]),
    ("RUBYOPT", &["-r", "-I", "-C", "r", "I", "C"]),
    ("TAR_OPTIONS", &["-I", "-F", "--use-compress", "--to-command", "--checkpoint-action", "--info-script"]),
];
/// Commands that only show their input.
const VIEWERS: &[&str] = &["", "cat", "/bin/cat", "less", "more", "true", "/bin/true", ":", "echo"];

/// Returns the step that stands for a variable that is set, if it changes what other programs run. Its value is a word of a script. Which
/// command runs it, and whether one does, is not known.
pub(super) fn set(name: &str, value: &str) -> Option<Step> {
    let is_option = |value: &str| value.starts_with('-') && !value.contains([';', '&', '|', '$', '`', '(', '<', '>']);
    let options = OPTIONS.iter().find(|(variable, _)| *variable == name).map(|(_, options)| *options);
    let changes = match options {
        Some(options) => {
            is_unknown(value) || value.split_whitespace().any(|word| options.iter().any(|one| word.starts_with(one)))
        }
        // The name of a program alone, `CC=gcc`, chooses among those that are installed.
        None if COMMANDS.contains(&name) => {
            let mut words = value.split_whitespace();
            let is_name = |word: &str| word.chars().all(|char| char.is_ascii_alphanumeric() || "-_.+:".contains(char));
            let first = words.next().unwrap_or_default();
            !is_name(first) && !VIEWERS.contains(&first)
                || words.clone().next().is_some() && !(VIEWERS.contains(&first) && words.all(is_option))
        }
        None => CODE.contains(&name) && !value.is_empty() && value != "/dev/null",
    };
    changes.then(|| Step::Unread(name.into(), format!("`{name}` changes the code that other programs run").into()))
}

/// Returns the steps of the assignments among the words before a command: `env PAGER=x git log`.
pub(super) fn assignments(words: &[SmolStr]) -> impl Iterator<Item = Step> {
    words.iter().filter_map(|word| word.split_once('=')).filter_map(|(name, value)| set(name, value))
}
