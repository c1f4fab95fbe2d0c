//! The description of a sandbox: the files that an agent sees, the hosts that it can reach, its limits.
//!
//! In: a request and the command that it was made to. Out: a [`SandboxPlan`], which does not depend on the mechanism. It reads links and
//! first lines of files, and changes nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use super::hosts::HostRule;
use super::paths::{installation, interpreter, resolve};
use crate::command::Names;
use crate::process::Command;
use crate::request::AgentRequest;
use diffsan_config::AgentConfig;

/// The port of the proxy inside of the sandbox, unless an address of the agent has it.
const PROXY_PORTS: [u16; 2] = [3128, 3129];
/// Folders that every sandbox has for temporary files.
const TEMPORARY_FOLDERS: [&str; 2] = ["/tmp", "/dev/shm"];
/// Variables that name the user's folders.
const USER_FOLDERS: [&str; 5] = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
/// Variables that a sandboxed agent does not get, or that are replaced.
const REMOVED_VARIABLES: [&str; 9] = [
    "XDG_RUNTIME_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// The variable without which Node ignores those of proxies.
const NODE_PROXY: &str = "NODE_USE_ENV_PROXY";

/// The limits of an agent and its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Memory, in bytes.
    pub(crate) memory: u64,
    /// Processes and threads.
    pub(crate) processes: u64,
    /// The size of a writable folder and of a file, in bytes.
    pub(crate) written: u64,
}

impl Limits {
    pub(crate) fn of(config: &AgentConfig) -> Self {
        let mebibytes = |count: u64| count.saturating_mul(1024 * 1024);
        Self {
            memory: mebibytes(config.max_memory_mb),
            processes: config.max_processes,
            written: mebibytes(config.max_written_mb),
        }
    }
}

/// A file or folder in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mount {
    /// The same file or folder of the system, read-only.
    Readable,
    /// The same socket of the system.
    Socket,
    /// A new, empty folder in memory.
    Writable,
    /// A folder that a path only passes.
    Passed,
    /// A symbolic link.
    Link(PathBuf),
}

/// A description of a sandbox.
#[derive(Clone, Debug)]
pub(crate) struct SandboxPlan {
    /// The mounts by path.
    pub(super) mounts: BTreeMap<PathBuf, Mount>,
    /// Files and folders that are copied into writable folders: their source, and their place in the sandbox.
    pub(super) copies: Vec<(PathBuf, PathBuf)>,
    /// The home and the temporary folder of this run. They exist on the disk, and are removed after the run.
    pub(super) private: [PathBuf; 2],
    /// Whether the program cannot run without `/proc`.
    pub(super) needs_proc: bool,
    /// Symbolic links in the private home to files of the state, and their targets.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
    /// Files whose content is taken back after the run.
    pub(super) saves: Vec<PathBuf>,
    /// The hosts that the agent can reach.
    pub(super) hosts: Vec<HostRule>,
    /// The port of the proxy.
    pub(super) proxy_port: u16,
    /// The ports of addresses on this machine that the agent can reach.
    pub(super) local_ports: Vec<u16>,
    /// The agent's whole environment.
    pub(super) environment: Vec<(String, OsString)>,
    pub(super) limits: Limits,
}

/// The parts of the system that a sandbox shows: `config/sandbox.toml`.
#[derive(Deserialize)]
pub(super) struct System {
    system: Vec<PathBuf>,
    settings: Vec<PathBuf>,
    programs: Vec<PathBuf>,
    pub(super) devices: Vec<PathBuf>,
    pub(super) kernel: Vec<PathBuf>,
    certificate_variables: Vec<String>,
}

pub(super) static SYSTEM: LazyLock<System> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a test reads this file of the program")]
    toml::from_str(include_str!("../../../../../config/sandbox.toml")).expect("the file of the program")
});

impl SandboxPlan {
    /// Plans the sandbox of a command. `run_dir` is the folder of schema and answer file. Blocks.
    pub(crate) fn new(request: &AgentRequest, names: &Names, run_dir: &Path, command: &Command) -> Self {
        let spec = &request.agent.spec;
        let mut plan = Self {
            mounts: BTreeMap::new(),
            copies: Vec::new(),
            private: [request.folders.home.clone(), request.folders.temporary.clone()],
            needs_proc: spec.needs_proc,
            links: Vec::new(),
            saves: Vec::new(),
            hosts: hosts(request, names, &command.environment),
            proxy_port: PROXY_PORTS[0],
            local_ports: Vec::new(),
            environment: command.environment.clone(),
            limits: Limits::of(&request.config),
        };
        plan.local_ports = plan.hosts.iter().filter_map(HostRule::local_port).collect();
        plan.local_ports.sort_unstable();
        plan.local_ports.dedup();
        plan.proxy_port = PROXY_PORTS.into_iter().find(|port| !plan.local_ports.contains(port)).unwrap_or(3130);

        let variable =
            |name: &str| variable(&command.environment, name).map(PathBuf::from).filter(|path| path.is_absolute());
        let user_home = variable("HOME").or_else(std::env::home_dir).unwrap_or_else(|| "/nonexistent".into());
        plan.show_system(&user_home);
        for name in &SYSTEM.certificate_variables {
            variable(name).iter().for_each(|path| plan.show(path));
        }
        plan.show_program(&command.program, request, &[&user_home, &request.folders.temporary]);
        let settings = names.fill("{settings_folder}").map(PathBuf::from).filter(|path| path.is_absolute());
        for folder in USER_FOLDERS.into_iter().filter_map(variable).chain(settings).chain([run_dir.to_owned()]) {
            plan.make_writable(&folder);
        }
        plan.show(&request.folders.room);
        plan.show(&request.folders.empty);
        for folder in [&request.folders.home, &request.folders.temporary] {
            plan.make_writable(folder);
            plan.copies.push((folder.clone(), folder.clone()));
        }
        plan.copy_state(request, names, &command.environment);
        let link = |(to, from): (&String, &String)| Some((request.folders.home.join(to), names.fill(from)?.into()));
        plan.links =
            spec.link.iter().filter_map(link).filter(|(link, _): &(PathBuf, PathBuf)| link.is_symlink()).collect();
        for name in [crate::SCHEMA_FILE, crate::ANSWER_FILE] {
            let file = run_dir.join(name);
            if name == crate::ANSWER_FILE {
                plan.saves.push(file);
            } else if file.is_file() && run_dir != request.folders.temporary {
                plan.copies.push((file.clone(), file));
            }
        }
        for socket in spec.sockets.iter().filter_map(|path| names.fill(path)) {
            plan.mounts.insert(socket.into(), Mount::Socket);
        }
        plan.set_variables();
        plan
    }

    fn show_system(&mut self, user_home: &Path) {
        let programs = SYSTEM.programs.iter().map(|path| user_home.join(path));
        for path in SYSTEM.system.iter().chain(&SYSTEM.settings).cloned().chain(programs) {
            self.show(&path);
        }
    }

    /// Makes a file or folder readable at its own path, with the links that lead to it. Ignores one that does not exist.
    fn show(&mut self, path: &Path) {
        if let Ok(real) = self.lead_to(path) {
            self.mounts.insert(real, Mount::Readable);
        }
    }

    /// Adds the links and folders that lead to a path, and returns its real place.
    fn lead_to(&mut self, path: &Path) -> std::io::Result<PathBuf> {
        let resolved = resolve(path)?;
        for folder in resolved.passed {
            self.mounts.entry(folder).or_insert(Mount::Passed);
        }
        self.mounts.extend(resolved.links.into_iter().map(|(link, target)| (link, Mount::Link(target))));
        Ok(resolved.real)
    }

    /// Shows a program, what was installed with it, and its interpreter.
    fn show_program(&mut self, program: &Path, request: &AgentRequest, private: &[&Path]) {
        let mut next = Some(program.to_owned());
        // A script, and the program that runs it.
        for _ in 0..3 {
            let Some(Ok(real)) = next.take().map(|program| self.lead_to(&program)) else { return };
            self.mounts.insert(installation(&real, private), Mount::Readable);
            next = interpreter(&real).and_then(|name| request.search.find(&name));
        }
    }

    /// Makes a folder writable, unless a folder above it is.
    fn make_writable(&mut self, folder: &Path) {
        let real = self.lead_to(folder).unwrap_or_else(|_| folder.to_owned());
        if real.parent().is_none() {
            // A program whose home is the root folder has none to write to.
            return;
        }
        if self.around(&real) == Some(&Mount::Writable) {
            self.mounts.entry(real).or_insert(Mount::Passed);
        } else {
            self.mounts.insert(real, Mount::Writable);
        }
    }

    /// The nearest readable or writable folder that contains a path.
    pub(super) fn around(&self, path: &Path) -> Option<&Mount> {
        let above = path.ancestors().skip(1).filter_map(|above| self.mounts.get(above));
        above.into_iter().find(|mount| matches!(mount, Mount::Readable | Mount::Writable))
    }

    /// Copies the files of the entry's state, and those that the private home has links to.
    fn copy_state(&mut self, request: &AgentRequest, names: &Names, environment: &[(String, OsString)]) {
        let spec = &request.agent.spec;
        let needed = |when: &str| when.is_empty() || variable(environment, when).is_some();
        let state = spec.state.iter().filter(|state| needed(&state.when));
        let linked = spec.link.values().map(|path| (path, false));
        for (path, save) in state.map(|state| (&state.path, state.save)).chain(linked) {
            let Some(path) = fill(path, names, environment).map(PathBuf::from).filter(|path| path.is_absolute()) else {
                continue;
            };
            if path.is_dir() {
                self.show(&path);
                continue;
            }
            if let Some(folder) = path.parent().filter(|_| path.is_file() || save) {
                self.make_writable(folder);
            }
            if path.is_file() && !self.copies.iter().any(|(known, _)| *known == path) {
                self.copies.push((path.clone(), path.clone()));
            }
            if save {
                self.saves.push(path);
            }
        }
    }

    /// The same plan with another port of the proxy.
    pub(super) fn with_proxy_port(mut self, port: u16) -> Self {
        self.proxy_port = port;
        self.set_variables();
        self
    }

    /// Replaces the variables of proxies by those of the sandbox.
    fn set_variables(&mut self) {
        let environment = &mut self.environment;
        environment.retain(|(name, _)| name != NODE_PROXY && !REMOVED_VARIABLES.contains(&name.as_str()));
        let proxy = format!("http://127.0.0.1:{}", self.proxy_port);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            environment.push((name.to_owned(), proxy.clone().into()));
            environment.push((name.to_lowercase(), proxy.clone().into()));
        }
        for name in ["NO_PROXY", "no_proxy"] {
            environment.push((name.to_owned(), "localhost,127.0.0.1,::1".into()));
        }
        environment.push((NODE_PROXY.to_owned(), "1".into()));
    }

    pub(super) fn writable_folders(&self) -> impl Iterator<Item = &Path> {
        let own = self.mounts.iter().filter(|(_, mount)| **mount == Mount::Writable).map(|(path, _)| path.as_path());
        own.chain(TEMPORARY_FOLDERS.into_iter().map(Path::new))
    }
}

/// Whether a path belongs to the parts of the system that every sandbox shows.
pub(super) fn is_of_system(path: &Path) -> bool {
    SYSTEM.system.iter().chain(&SYSTEM.settings).any(|part| path.starts_with(part))
}

fn variable<'a>(environment: &'a [(String, OsString)], name: &str) -> Option<&'a OsString> {
    environment.iter().find(|(known, _)| known == name).map(|(_, value)| value).filter(|value| !value.is_empty())
}

/// Replaces the placeholders of a text and `{variable:NAME}`; `None` where one of them has no value.
fn fill(text: &str, names: &Names, environment: &[(String, OsString)]) -> Option<String> {
    const START: &str = "{variable:";
    let mut out = text.to_owned();
    while let Some(start) = out.find(START) {
        let end = start + out[start..].find('}')?;
        let value = variable(environment, &out[start + START.len()..end])?.to_str()?.to_owned();
        out.replace_range(start..=end, &value);
    }
    names.fill(&out)
}

/// The hosts of an entry, those in files of the user, and those of the settings.
fn hosts(request: &AgentRequest, names: &Names, environment: &[(String, OsString)]) -> Vec<HostRule> {
    let spec = &request.agent.spec;
    let mut hosts: Vec<HostRule> =
        spec.hosts.iter().filter_map(|host| HostRule::parse(&fill(host, names, environment)?)).collect();
    for file in spec.hosts_in.iter().filter_map(|file| fill(file, names, environment)) {
        let text = diffsan_bounded::read_to_string(Path::new(&file), diffsan_bounded::MAX_SETTINGS_BYTES);
        hosts.extend(HostRule::of_text(&text.unwrap_or_default()));
    }
    hosts.sort();
    hosts.dedup();
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_system_parts_is_valid() {
        assert!(SYSTEM.system.iter().chain(&SYSTEM.settings).all(|path| path.is_absolute()));
        assert!(SYSTEM.devices.iter().chain(&SYSTEM.kernel).all(|path| path.is_absolute()));
        assert!(SYSTEM.programs.iter().all(|path| path.is_relative()));
    }
}
