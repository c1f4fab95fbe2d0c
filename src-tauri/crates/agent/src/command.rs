//! From an agent's entry to the program's arguments, variables and home: pure, except that files of the private home are
//! written.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Agent, Request};
use diffsan_config::{Argument, Condition};
use diffsan_review::answer;

/// The schema file's name in the run folder.
pub const SCHEMA_FILE: &str = "codex-output-schema.json";
/// The answer file's name in the run folder, for agents that write one.
pub const ANSWER_FILE: &str = "codex-output.json";
/// The variable that holds a proxy's key.
pub const PROXY_KEY: &str = "DIFFSAN_OPENAI_API_KEY";

/// Variables that every agent gets, if they are set.
const COMMON_ENVIRONMENT: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// What names in braces stand for; empty ones stand for nothing.
struct Names(Vec<(&'static str, String)>);

impl Names {
    fn new(request: &Request<'_>) -> Self {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        Self(vec![
            ("{room}", path(request.room)),
            ("{empty}", path(request.empty)),
            ("{home}", path(request.home)),
            ("{temporary}", path(request.temporary)),
            ("{schema}", answer::described_schema()),
            ("{schema_file}", path(&request.run_dir.join(SCHEMA_FILE))),
            ("{answer_file}", path(&request.run_dir.join(ANSWER_FILE))),
            ("{model}", text(request.model)),
            ("{key}", text(request.key)),
            ("{proxy_url}", request.config.proxy_url.clone()),
            ("{user_home}", path(&std::env::home_dir().unwrap_or_default())),
            ("{codex_home}", codex_home().map(|folder| path(&folder)).unwrap_or_default()),
            ("{user_config}", user_config().map(|folder| path(&folder)).unwrap_or_default()),
        ])
    }

    /// The text with its names replaced; none where one of them stands for nothing. Behind a double quote, the value is
    /// escaped as in JSON and TOML.
    fn fill(&self, text: &str) -> Option<String> {
        let mut out = text.to_owned();
        for (name, value) in &self.0 {
            if !out.contains(name) {
                continue;
            }
            if value.is_empty() {
                return None;
            }
            let quoted = serde_json::Value::from(value.as_str()).to_string();
            out = out.replace(&format!("\"{name}"), &format!("\"{}", &quoted[1..quoted.len() - 1]));
            out = out.replace(name, value);
        }
        Some(out)
    }
}

/// Where Codex keeps who is signed in.
fn codex_home() -> Option<PathBuf> {
    let named = std::env::var_os("CODEX_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    named.or_else(|| Some(std::env::home_dir()?.join(".codex")))
}

/// Where the user's programs keep their settings.
fn user_config() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    named.or_else(|| Some(std::env::home_dir()?.join(".config")))
}

/// The arguments behind the program's name.
pub(super) fn arguments(agent: &Agent, request: &Request<'_>) -> Vec<OsString> {
    let names = Names::new(request);
    let spec = &agent.spec;
    if let Some((_, custom)) = spec.command.split_first() {
        let mut args: Vec<String> = custom.to_vec();
        for flag in &spec.command_flags {
            match &flag.value {
                Some(value) => {
                    if let Some(value) = names.fill(value) {
                        set_flag(&mut args, &flag.names, &value);
                    }
                }
                None if flag.last => {
                    args.retain(|arg| !flag.names.contains(arg));
                    args.extend(flag.names.first().cloned());
                }
                None if args.iter().any(|arg| flag.names.contains(arg)) => {}
                None => args.extend(flag.names.first().cloned()),
            }
        }
        if let Some(proxy) = proxy_arguments(agent, &names) {
            let end = args.len() - usize::from(args.last().is_some_and(|last| last == "-"));
            args.splice(end..end, proxy);
        }
        return args.into_iter().map(OsString::from).collect();
    }
    let filled = |args: &[String]| args.iter().map(|arg| names.fill(arg)).collect::<Option<Vec<String>>>();
    let mut args = Vec::new();
    for argument in &spec.args {
        match argument {
            Argument::One(arg) => args.extend(names.fill(arg)),
            Argument::Group(group) => args.extend(filled(group).unwrap_or_default()),
            Argument::Where { when: Condition::Isolated, args: group } => {
                if !request.config.user_config {
                    args.extend(filled(group).unwrap_or_default());
                }
            }
        }
    }
    args.into_iter().map(OsString::from).collect()
}

/// The arguments that point an agent at a proxy, which a command of the user's own gets, too.
fn proxy_arguments(agent: &Agent, names: &Names) -> Option<Vec<String>> {
    agent.spec.args.iter().find_map(|argument| match argument {
        Argument::Group(group) if group.iter().any(|arg| arg.contains("{proxy_url}")) => {
            group.iter().map(|arg| names.fill(arg)).collect()
        }
        _ => None,
    })
}

/// Gives a flag its value, in place of the one it has under any of its names.
fn set_flag(args: &mut Vec<String>, names: &[String], value: &str) {
    for index in 0..args.len() {
        for name in names {
            if args[index] == *name && index + 1 < args.len() {
                value.clone_into(&mut args[index + 1]);
                return;
            }
            if args[index].strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('=')) {
                args[index] = format!("{name}={value}");
                return;
            }
        }
    }
    args.extend(names.first().cloned());
    args.push(value.to_owned());
}

/// The whole environment: what is allowed of this process's, and what the entry sets.
pub(super) fn environment(agent: &Agent, request: &Request<'_>) -> Vec<(String, OsString)> {
    let spec = &agent.spec;
    let names = Names::new(request);
    let mut allowed: Vec<&str> = COMMON_ENVIRONMENT.to_vec();
    allowed.extend(spec.environment.iter().map(String::as_str));
    if !request.config.proxy_url.is_empty() {
        allowed.push(PROXY_KEY);
    }
    let mut variables: Vec<(String, OsString)> =
        allowed.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?))).collect();
    variables.push(("PATH".to_owned(), request.search.joined()));
    variables.push(("TERM".to_owned(), "xterm-256color".into()));
    variables.push(("NO_COLOR".to_owned(), "1".into()));
    // A folder of the reviewed tree that has the layout of a bare repository must not give git its settings.
    for (name, value) in
        [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.bareRepository"), ("GIT_CONFIG_VALUE_0", "explicit")]
    {
        variables.push((name.to_owned(), value.into()));
    }
    for name in ["TMPDIR", "TMP", "TEMP"] {
        variables.push((name.to_owned(), request.temporary.into()));
    }
    if !spec.home.is_empty() {
        variables.retain(|(name, _)| *name != spec.home);
        variables.push((spec.home.clone(), request.home.into()));
    }
    for (name, value) in &spec.set {
        // What the reviewer sets for the same purpose stays theirs.
        variables.retain(|(known, _)| known != name);
        variables.extend(names.fill(value).map(|value| (name.clone(), value.into())));
    }
    variables
}

/// Fills the home of its own that an agent gets.
pub(super) fn furnish_home(agent: &Agent, request: &Request<'_>) -> std::io::Result<()> {
    let spec = &agent.spec;
    let names = Names::new(request);
    for (name, text) in &spec.files {
        let Some(text) = names.fill(text) else { continue };
        write(&request.home.join(name), text.as_bytes())?;
    }
    for (to, from) in &spec.link {
        if let Some(from) = names.fill(from).map(PathBuf::from).filter(|from| from.is_file()) {
            link(&from, &request.home.join(to))?;
        }
    }
    for (to, from) in &spec.copy {
        if let Some(from) = names.fill(from).map(PathBuf::from).filter(|from| from.is_file()) {
            write(&request.home.join(to), &diffsan_bounded::read(&from, diffsan_bounded::MAX_SETTINGS_BYTES)?)?;
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// A link and no copy: what is secret stays in one place.
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(from, to);
    #[cfg(not(unix))]
    return std::fs::copy(from, to).map(drop);
}

/// Arguments for the record: the value of anything that looks like a credential is left out.
pub(super) fn without_secrets(args: &[OsString]) -> Vec<String> {
    let mut hide_next = false;
    args.iter()
        .map(|arg| {
            let text = arg.to_string_lossy();
            if std::mem::take(&mut hide_next) {
                return "[REDACTED]".to_owned();
            }
            let flag = text.split('=').next().unwrap_or_default().to_lowercase();
            let sensitive = flag.starts_with('-')
                && (flag == "-a"
                    || ["key", "token", "secret", "password", "header"].iter().any(|word| flag.contains(word)));
            match (sensitive, text.split_once('=')) {
                (true, Some((name, _))) => format!("{name}=[REDACTED]"),
                (true, None) => {
                    hide_next = true;
                    text.into_owned()
                }
                _ => text.into_owned(),
            }
        })
        .collect()
}
