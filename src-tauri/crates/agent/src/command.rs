//! From a request to the command of a program: arguments, environment and private home.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lines::MAX_LINE_BYTES;
use super::process::{Command, Deadlines};
use super::request::AgentRequest;
use super::sandbox::Confinement;
use diffsan_config::{AgentSpec, Argument, Condition};
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

/// Prepares a program: fills its private home and returns its command. Schema and answer file are in `run_dir`. Blocks.
pub(crate) fn prepare(request: &AgentRequest, run_dir: &Path, max_output: usize) -> std::io::Result<Command> {
    let names = Names::new(request, run_dir);
    fill_home(request, &names)?;
    let mut command = Command {
        program: request.program.clone().unwrap_or_default(),
        args: arguments(request, &names),
        environment: environment(request, &request.agent.spec, &names),
        directory: request.start_folder().to_owned(),
        deadlines: request.deadlines(),
        max_output,
        confinement: None,
    };
    command.confinement = Some(Confinement::new(request, &names, run_dir, &command));
    Ok(command)
}

/// The command that prints the program's version.
pub(crate) fn version(request: &AgentRequest, total: Duration) -> Command {
    // Printing the version needs none of the entry's variables.
    let names = Names(Vec::new());
    let mut command = Command {
        program: request.program.clone().unwrap_or_default(),
        args: vec!["--version".into()],
        environment: environment(request, &AgentSpec::default(), &names),
        directory: request.folders.empty.clone(),
        deadlines: Deadlines { start: None, silence: None, total },
        max_output: MAX_LINE_BYTES,
        confinement: None,
    };
    command.confinement = Some(Confinement::new(request, &names, &request.folders.temporary, &command));
    command
}

/// Placeholders and their values. An empty value means that there is none.
pub(crate) struct Names(Vec<(&'static str, String)>);

impl Names {
    fn new(request: &AgentRequest, run_dir: &Path) -> Self {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let mut names = Self(vec![
            ("{room}", path(&request.folders.room)),
            ("{empty}", path(&request.folders.empty)),
            ("{home}", path(&request.folders.home)),
            ("{temporary}", path(&request.folders.temporary)),
            ("{schema}", answer::described_schema()),
            ("{schema_file}", path(&run_dir.join(SCHEMA_FILE))),
            ("{answer_file}", path(&run_dir.join(ANSWER_FILE))),
            ("{model}", text(&request.model)),
            ("{key}", text(&request.key)),
            ("{proxy_url}", request.config.proxy_url.clone()),
            ("{user_home}", path(&std::env::home_dir().unwrap_or_default())),
            ("{user_data}", user_data().map(|folder| path(&folder)).unwrap_or_default()),
            ("{user_config}", user_config().map(|folder| path(&folder)).unwrap_or_default()),
        ]);
        let own = &request.agent.spec.settings_folder;
        let folder = variable_folder(&own.variable).map(|folder| path(&folder)).or_else(|| names.fill(&own.default));
        names.0.push(("{settings_folder}", folder.unwrap_or_default()));
        names
    }

    /// Replaces the placeholders of a text; `None` where one of them has no value. Behind a double quote, the value is escaped as
    /// in JSON and TOML.
    pub(crate) fn fill(&self, text: &str) -> Option<String> {
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

/// The absolute folder that a variable names.
fn variable_folder(variable: &str) -> Option<PathBuf> {
    let named = Some(variable).filter(|name| !name.is_empty()).and_then(std::env::var_os);
    named.map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// The folder of the user's settings.
fn user_config() -> Option<PathBuf> {
    variable_folder("XDG_CONFIG_HOME").or_else(|| Some(std::env::home_dir()?.join(".config")))
}

/// The folder of the data of the user's programs.
fn user_data() -> Option<PathBuf> {
    variable_folder("XDG_DATA_HOME").or_else(|| Some(std::env::home_dir()?.join(".local/share")))
}

/// The arguments behind the program's name.
fn arguments(request: &AgentRequest, names: &Names) -> Vec<OsString> {
    let spec = &request.agent.spec;
    let args = match spec.command.split_first() {
        Some((_, custom)) => custom_arguments(spec, custom, names),
        None => entry_arguments(spec, names, !request.config.user_config),
    };
    args.into_iter().map(OsString::from).collect()
}

fn entry_arguments(spec: &AgentSpec, names: &Names, isolated: bool) -> Vec<String> {
    let filled = |args: &[String]| args.iter().map(|arg| names.fill(arg)).collect::<Option<Vec<String>>>();
    let mut args = Vec::new();
    for argument in &spec.args {
        match argument {
            Argument::One(arg) => args.extend(names.fill(arg)),
            Argument::Group(group) => args.extend(filled(group).unwrap_or_default()),
            Argument::Where { when: Condition::Isolated, args: group } => {
                if isolated {
                    args.extend(filled(group).unwrap_or_default());
                }
            }
        }
    }
    args
}

/// The arguments of a command of the user's own, with the flags that it must have.
fn custom_arguments(spec: &AgentSpec, custom: &[String], names: &Names) -> Vec<String> {
    let mut args = custom.to_vec();
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
    if let Some(proxy) = proxy_arguments(spec, names) {
        let end = args.len() - usize::from(args.last().is_some_and(|last| last == "-"));
        args.splice(end..end, proxy);
    }
    args
}

/// The arguments that point an agent at a proxy, which a command of the user's own gets, too.
fn proxy_arguments(spec: &AgentSpec, names: &Names) -> Option<Vec<String>> {
    spec.args.iter().find_map(|argument| match argument {
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

/// The whole environment: the allowed variables of this process, and those that the entry sets.
fn environment(request: &AgentRequest, spec: &AgentSpec, names: &Names) -> Vec<(String, OsString)> {
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
        variables.push((name.to_owned(), request.folders.temporary.clone().into()));
    }
    if !spec.home.is_empty() {
        variables.retain(|(name, _)| *name != spec.home);
        variables.push((spec.home.clone(), request.folders.home.clone().into()));
    }
    for (name, value) in &spec.set {
        variables.retain(|(known, _)| known != name);
        variables.extend(names.fill(value).map(|value| (name.clone(), value.into())));
    }
    variables
}

/// Fills the private home.
fn fill_home(request: &AgentRequest, names: &Names) -> std::io::Result<()> {
    let (spec, home) = (&request.agent.spec, &request.folders.home);
    for (name, text) in &spec.files {
        let Some(text) = names.fill(text) else { continue };
        write(&home.join(name), text.as_bytes())?;
    }
    for (to, from) in &spec.link {
        if let Some(from) = names.fill(from).map(PathBuf::from).filter(|from| from.is_file()) {
            link(&from, &home.join(to))?;
        }
    }
    for (to, from) in &spec.copy {
        if let Some(from) = names.fill(from).map(PathBuf::from).filter(|from| from.is_file()) {
            write(&home.join(to), &diffsan_bounded::read(&from, diffsan_bounded::MAX_SETTINGS_BYTES)?)?;
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

/// Creates a link instead of a copy: a secret stays in one place.
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(from, to);
    #[cfg(not(unix))]
    return std::fs::copy(from, to).map(drop);
}

/// Arguments for the record, without the values of those that look like credentials.
pub(crate) fn without_secrets(args: &[OsString]) -> Vec<String> {
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
