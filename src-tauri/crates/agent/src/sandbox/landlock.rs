//! From a plan to the restriction of a launcher, where there are no namespaces.
//!
//! Nothing can be mounted over the user's folders, so the agent's writable folders are in its private temporary folder, at the same paths
//! below it. Variables and arguments that name the user's folders name these instead.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::plan::{Mount, SYSTEM, SandboxPlan};
use crate::launcher::Restriction;

/// The limits of this mechanism, for the receipt.
pub(super) const NOT_COVERED: [&str; 4] = [
    "metadata: the agent can find out whether a path exists, its size and times, and watch for changes of names",
    "processes: the agent can find out which process ids exist",
    "written bytes and processes are measured, not bounded by the kernel",
    "the kernel: it is shared without namespaces, but system calls are filtered",
];

/// The addition for a program that needs `/proc`.
pub(super) const NOT_COVERED_WITH_PROC: &str = "processes: the agent can read names and command lines of all processes";

/// The folder of the agent's writable folders, in its temporary folder.
const MOVED_FOLDER: &str = "moved";

impl SandboxPlan {
    /// The place of a path of the user for the agent. Only what is in writable folders is moved.
    pub(super) fn moved(&self, path: &Path) -> PathBuf {
        // A file that does not exist yet has no links.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_private = self.private.iter().any(|folder| path.starts_with(folder));
        let nearest = real.ancestors().find_map(|above| match self.mounts.get(above) {
            Some(mount @ (Mount::Readable | Mount::Writable)) => Some(mount),
            _ => None,
        });
        if is_private || nearest != Some(&Mount::Writable) {
            return path.to_owned();
        }
        self.private[1].join(MOVED_FOLDER).join(real.strip_prefix("/").unwrap_or(&real))
    }

    /// An argument: a path, or a path behind `=`.
    pub(super) fn moved_argument(&self, arg: &OsStr) -> OsString {
        let bytes = arg.as_bytes();
        let start = bytes.iter().position(|&byte| byte == b'=').map_or(0, |equals| equals + 1);
        let start = if bytes.starts_with(b"/") { 0 } else { start };
        let (flag, value) = bytes.split_at(start);
        if !value.starts_with(b"/") {
            return arg.to_owned();
        }
        let moved = self.moved(Path::new(OsStr::from_bytes(value)));
        OsString::from_vec([flag, moved.as_os_str().as_bytes()].concat())
    }

    pub(super) fn moved_environment(&self) -> Vec<(String, OsString)> {
        let moved = |(name, value): &(String, OsString)| {
            let is_path = name != "PATH" && value.as_bytes().starts_with(b"/");
            let value = if is_path { self.moved(Path::new(value)).into() } else { value.clone() };
            (name.clone(), value)
        };
        self.environment.iter().map(moved).collect()
    }

    /// The files that are copied into the agent's folders. Those in its private folders are there already.
    pub(super) fn moved_copies(&self) -> Vec<(PathBuf, PathBuf)> {
        let copies = self.copies.iter().filter(|(from, _)| !self.private.contains(from));
        copies.map(|(from, to)| (from.clone(), self.moved(to))).filter(|(from, to)| from != to).collect()
    }

    /// The preparations of a launcher for the agent. `confined` tells whether it need not restrict itself.
    pub(super) fn restriction(&self, directory: &Path, confined: bool) -> Restriction {
        let of_kind =
            |kind: &'static Mount| self.mounts.iter().filter(move |(_, mount)| *mount == kind).map(|(path, _)| path);
        let moved_links = of_kind(&Mount::Readable).filter(|path| self.around(path) == Some(&Mount::Writable));
        let in_moved = |path: &PathBuf| {
            let folder = self.around(path).is_some().then(|| path.parent()).flatten()?;
            let place = self.moved(folder).join(path.file_name()?);
            (place != *path).then(|| (place, path.clone()))
        };
        // A program that looks for its files in the folders above finds these, and fails if it cannot read them.
        let state = self.copies.iter().map(|(from, _)| from).filter(|from| !self.private.contains(from));
        // Landlock still refuses memory, environment and open files of processes outside of the sandbox.
        let proc = PathBuf::from("/proc");
        let processes = self.needs_proc.then_some(&proc);
        let links = self.links.iter().map(|(link, target)| (link.clone(), self.moved(target)));
        Restriction {
            directory: directory.to_owned(),
            readable: of_kind(&Mount::Readable).chain(&SYSTEM.kernel).chain(state).chain(processes).cloned().collect(),
            devices: SYSTEM.devices.clone(),
            writable: self
                .private
                .iter()
                .cloned()
                .chain(of_kind(&Mount::Writable).chain(of_kind(&Mount::Passed)).map(|path| self.moved(path)))
                .filter(|path| self.private.iter().any(|folder| path.starts_with(folder)))
                .collect(),
            links: moved_links.filter_map(in_moved).chain(links).collect(),
            with_unix_sockets: self.sockets().next().is_some(),
            confined,
        }
    }
}
