//! From a plan to the arguments of `bwrap`, which creates the sandbox with namespaces of Linux.

use std::ffi::OsString;
use std::path::Path;

use super::plan::{Mount, SandboxPlan};
use super::{INPUT_FOLDER, LAUNCHER_PATH};

/// The size of the folder for shared memory, in bytes.
const SHARED_MEMORY: u64 = 64 * 1024 * 1024;

/// The arguments before the command. `launcher` is the program that starts the agent inside.
pub(super) fn arguments(plan: &SandboxPlan, launcher: &Path) -> Vec<OsString> {
    let mut args = Arguments(Vec::new());
    // New namespaces for everything, no capability, and no further user namespace, which would bring them back.
    for flag in ["user", "pid", "ipc", "uts", "net"] {
        args.add([format!("--unshare-{flag}")]);
    }
    args.add(["--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--cap-drop", "ALL"]);
    args.add(["--hostname", "sandbox"]);
    args.add(["--proc", "/proc", "--dev", "/dev"]);
    args.writable(Path::new("/dev/shm"), SHARED_MEMORY.min(plan.limits.written));
    args.writable(Path::new("/tmp"), plan.limits.written);
    // The map is sorted, so a folder comes before its content.
    for (path, mount) in &plan.mounts {
        let is_shown = plan.around(path) == Some(&Mount::Readable);
        match mount {
            Mount::Readable | Mount::Passed | Mount::Link(_) if is_shown => {}
            Mount::Passed => args.add([OsString::from("--dir"), path.into()]),
            Mount::Readable => args.bind("--ro-bind", path, path),
            Mount::Socket => args.bind("--bind-try", path, path),
            Mount::Writable => args.writable(path, plan.limits.written),
            Mount::Link(target) => args.bind("--symlink", target, path),
        }
    }
    for (index, (source, _)) in plan.copies.iter().enumerate() {
        args.bind("--ro-bind", source, &Path::new(INPUT_FOLDER).join(index.to_string()));
    }
    args.bind("--ro-bind", launcher, Path::new(LAUNCHER_PATH));
    // In /proc are settings of the kernel, whose owner needs no capability to write them.
    args.add(["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]);
    args.0
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn add<T: Into<OsString>>(&mut self, words: impl IntoIterator<Item = T>) {
        self.0.extend(words.into_iter().map(Into::into));
    }

    fn bind(&mut self, flag: &str, from: &Path, to: &Path) {
        self.add([OsString::from(flag), from.into(), to.into()]);
    }

    fn writable(&mut self, path: &Path, size: u64) {
        self.add([OsString::from("--size"), size.to_string().into(), "--tmpfs".into(), path.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Limits;
    use super::*;

    #[test]
    fn folders_come_before_what_is_in_them() {
        let plan = SandboxPlan {
            mounts: [
                ("/home/a", Mount::Writable),
                ("/home/a/.nvm", Mount::Readable),
                ("/home/a/.nvm/bin/node", Mount::Link("x".into())),
                ("/bin", Mount::Link("usr/bin".into())),
            ]
            .map(|(path, mount)| (path.into(), mount))
            .into(),
            copies: vec![("/home/a/.codex/auth.json".into(), "/home/a/.codex/auth.json".into())],
            private: Default::default(),
            needs_proc: false,
            links: Vec::new(),
            saves: Vec::new(),
            hosts: Vec::new(),
            proxy_port: 3128,
            local_ports: Vec::new(),
            environment: Vec::new(),
            limits: Limits { memory: 1, processes: 1, written: 9 },
        };
        let args = arguments(&plan, Path::new("/opt/diffsan"));
        let args: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let text = args.join(" ");
        assert!(
            text.ends_with(
                "--size 9 --tmpfs /tmp --symlink usr/bin /bin --size 9 --tmpfs /home/a --ro-bind /home/a/.nvm /home/a/.nvm \
                 --ro-bind /home/a/.codex/auth.json /run/diffsan/input/0 \
                 --ro-bind /opt/diffsan /run/diffsan/launcher --remount-ro /proc --remount-ro /dev --remount-ro /"
            ),
            "{text}"
        );
    }
}
