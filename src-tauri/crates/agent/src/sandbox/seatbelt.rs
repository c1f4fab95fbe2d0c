//! From a plan to the profile and the arguments of `sandbox-exec`, which confines a process on macOS.
//!
//! As with Landlock, nothing can be mounted over the user's folders, so the agent's writable folders are in its private temporary folder.
//! The profile has only been checked as text: nobody has run it on macOS yet.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::plan::{Mount, SYSTEM, SandboxPlan};

/// The program. Its place is fixed, so PATH cannot name another one.
pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// The limits of this mechanism, for the receipt.
pub(super) const NOT_COVERED: [&str; 5] = [
    "this mechanism is new, and was not run on macOS before its release",
    "metadata: the agent can find out whether a path exists, its size and times",
    "processes: one that leaves the agent's process group can outlive the run, but not leave the sandbox",
    "memory and the number of processes; written bytes are measured, not bounded by the kernel",
    "addresses on this machine: connections to those of the agent's entry are not recorded",
];

/// The services that programs need to find the name and the home folder of the user. Keychain, pasteboard and launch services are not
/// among them.
const SERVICES: [&str; 1] = ["com.apple.system.opendirectoryd.libinfo"];

/// The permissions of a profile. Everything else is refused.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    /// Files and folders that can be read and started.
    readable: Vec<PathBuf>,
    /// Folders that can be written to, also.
    writable: Vec<PathBuf>,
    /// Devices that can be read and written.
    devices: Vec<PathBuf>,
    /// Sockets in the file system that can be connected to.
    sockets: Vec<PathBuf>,
    /// Ports of this machine that can be connected to. The first one is the proxy's.
    ports: Vec<u16>,
}

impl Profile {
    /// The text in the language of the sandbox. It begins with Apple's rules for libraries of the system.
    fn text(&self) -> String {
        let mut text = "(version 1)\n(deny default)\n(import \"system.sb\")\n(allow process-fork)\n\
                        (allow signal process-info* (target same-sandbox))\n(allow sysctl-read)\n(allow file-read-metadata)\n\
                        (allow file-read-data (literal \"/\"))\n"
            .to_owned();
        let services = SERVICES.map(|name| format!("(global-name {})", quoted(name)));
        text += &rule("mach-lookup", services);
        let below = |paths: &[PathBuf]| paths.iter().filter_map(|path| filter("subpath", path)).collect::<Vec<_>>();
        let (readable, writable) = (below(&self.readable), below(&self.writable));
        text += &rule("file-read* file-map-executable process-exec", [readable, writable.clone()].concat());
        text += &rule("file-write*", writable);
        let exactly = |paths: &[PathBuf]| paths.iter().filter_map(|path| filter("literal", path)).collect::<Vec<_>>();
        text += &rule("file-read* file-write-data file-ioctl", exactly(&self.devices));
        text += &rule("network-outbound", exactly(&self.sockets));
        text += &rule("network-outbound", self.ports.iter().map(|port| format!("(remote ip \"localhost:{port}\")")));
        text
    }
}

/// A rule that allows operations for any of these objects; without objects, none, because a rule without filters would allow everything.
fn rule(operations: &str, filters: impl IntoIterator<Item = String>) -> String {
    let filters: Vec<String> = filters.into_iter().collect();
    if filters.is_empty() { String::new() } else { format!("(allow {operations}\n  {})\n", filters.join("\n  ")) }
}

/// A filter for a path; `None` for one that is no text. Such a path stays refused.
fn filter(kind: &str, path: &Path) -> Option<String> {
    Some(format!("({kind} {})", quoted(path.to_str()?)))
}

/// A string of the profile's language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl SandboxPlan {
    /// The permissions of the agent and of the launcher inside. Blocks.
    fn profile(&self, launcher: &Path) -> Profile {
        // The kernel compares paths without links.
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let readable = self.mounts.iter().filter(|(_, mount)| **mount == Mount::Readable).map(|(path, _)| path);
        let state = self.copies.iter().map(|(from, _)| from);
        Profile {
            readable: readable.chain(state).chain([&launcher.to_owned()]).map(real).collect(),
            writable: self.private.iter().map(real).collect(),
            devices: SYSTEM.devices.clone(),
            sockets: self.sockets().map(|path| real(&path.to_owned())).collect(),
            ports: std::iter::once(self.proxy_port).chain(self.local_ports.iter().copied()).collect(),
        }
    }

    /// The arguments of `sandbox-exec` before the command. Blocks.
    pub(super) fn seatbelt_arguments(&self, launcher: &Path) -> Vec<OsString> {
        vec!["-p".into(), self.profile(launcher).text().into(), launcher.into()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_profile_allows_only_its_own_paths_and_ports() {
        let profile = Profile {
            readable: vec!["/usr".into(), "/Users/a/.nvm".into()],
            writable: vec!["/Users/a/Library/Application Support/diffsan/private/1".into()],
            devices: vec!["/dev/null".into()],
            sockets: Vec::new(),
            ports: vec![50123, 11434],
        };
        expect![[r#"
            (version 1)
            (deny default)
            (import "system.sb")
            (allow process-fork)
            (allow signal process-info* (target same-sandbox))
            (allow sysctl-read)
            (allow file-read-metadata)
            (allow file-read-data (literal "/"))
            (allow mach-lookup
              (global-name "com.apple.system.opendirectoryd.libinfo"))
            (allow file-read* file-map-executable process-exec
              (subpath "/usr")
              (subpath "/Users/a/.nvm")
              (subpath "/Users/a/Library/Application Support/diffsan/private/1"))
            (allow file-write*
              (subpath "/Users/a/Library/Application Support/diffsan/private/1"))
            (allow file-read* file-write-data file-ioctl
              (literal "/dev/null"))
            (allow network-outbound
              (remote ip "localhost:50123")
              (remote ip "localhost:11434"))
        "#]]
        .assert_eq(&profile.text());
    }

    #[test]
    fn an_empty_list_allows_nothing() {
        let text = Profile::default().text();
        for operation in ["file-write*", "network-outbound", "process-exec", "file-read*"] {
            assert!(!text.contains(&format!("{operation})")) && !text.contains(&format!("{operation}\n")), "{text}");
        }
    }

    /// Splits a profile into its lists, words and strings, by the rules of Scheme. Returns the strings; fails if a list is left open.
    fn strings(text: &str) -> Result<Vec<String>, String> {
        let (mut depth, mut found, mut chars) = (0_i32, Vec::new(), text.chars());
        while let Some(char) = chars.next() {
            match char {
                '(' => depth += 1,
                ')' => depth -= 1,
                '"' => {
                    let mut string = String::new();
                    loop {
                        match chars.next().ok_or("an open string")? {
                            '"' => break,
                            '\\' => string.push(chars.next().ok_or("an open string")?),
                            other => string.push(other),
                        }
                    }
                    found.push(string);
                }
                _ => {}
            }
            if depth < 0 {
                return Err("a list that was not opened".to_owned());
            }
        }
        if depth == 0 { Ok(found) } else { Err(format!("{depth} open lists")) }
    }

    proptest::proptest! {
        #[test]
        fn no_path_can_change_the_rules(path in "/[ -~\\n\"\\\\()]{0,40}") {
            let profile = Profile { readable: vec![path.clone().into()], writable: vec![path.clone().into()], ..Profile::default() };
            let read = strings(&profile.text());
            let expected = ["system.sb", "/", SERVICES[0], &path, &path, &path].map(str::to_owned).to_vec();
            proptest::prop_assert_eq!(read, Ok(expected));
        }
    }
}
