//! Finds the real place of a path, and the symbolic links on the way to it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The maximum number of links in one path.
const MAX_LINKS: usize = 40;

/// A path and the links that lead to its real place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Each link with its target, in the order in which they are followed.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
    /// The folders that the path leaves again by `..`.
    pub(super) passed: Vec<PathBuf>,
    /// The place without links.
    pub(super) real: PathBuf,
}

/// Follows the links of an absolute path. Fails where it does not exist. Blocks.
pub(super) fn resolve(path: &Path) -> io::Result<Resolved> {
    let parts = |path: &Path| -> VecDeque<OsString> {
        let names = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        names.map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut rest = parts(path);
    let mut resolved = Resolved { links: Vec::new(), passed: Vec::new(), real: PathBuf::from("/") };
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            resolved.passed.push(resolved.real.clone());
            resolved.real.pop();
            continue;
        }
        let next = resolved.real.join(part);
        if !next.symlink_metadata()?.is_symlink() {
            resolved.real = next;
            continue;
        }
        let target = std::fs::read_link(&next)?;
        if resolved.links.len() == MAX_LINKS {
            return Err(io::Error::other("it has too many links"));
        }
        if target.is_absolute() {
            resolved.real = PathBuf::from("/");
        }
        let mut parts = parts(&target);
        parts.append(&mut rest);
        rest = parts;
        resolved.links.push((next, target));
    }
    Ok(resolved)
}

/// The part of the file system that belongs to a program: its tree of packages, or the program alone. `private` are folders that no part
/// may contain.
pub(super) fn installation(real: &Path, private: &[&Path]) -> PathBuf {
    let is_open = |part: &Path| !private.iter().any(|folder| folder.starts_with(part));
    let packages = real.ancestors().filter(|part| part.file_name().is_some_and(|name| name == "node_modules")).last();
    if let Some(packages) = packages.filter(|part| is_open(part)) {
        return packages.to_owned();
    }
    let Some(folder) = real.parent() else { return real.to_owned() };
    let at_home = private.iter().any(|folder| real.starts_with(folder));
    let shared = at_home || folder.file_name().is_none_or(|name| name == "bin" || name == "sbin" || name == "tmp");
    if shared || !is_open(folder) { real.to_owned() } else { folder.to_owned() }
}

/// The interpreter in the first line of a script: a path, or the name of a program behind `env`.
pub(super) fn interpreter(script: &Path) -> Option<String> {
    let start = {
        use std::io::Read;
        let mut start = Vec::new();
        std::fs::File::open(script).ok()?.take(256).read_to_end(&mut start).ok()?;
        start
    };
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let program = words.next()?;
    if !program.ends_with("/env") {
        return Some(program.to_owned());
    }
    words.find(|word| !word.starts_with('-') && !word.contains('=')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_link_of_a_path_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        std::fs::create_dir_all(root.join("real/lib")).expect("folders");
        std::fs::write(root.join("real/lib/program"), "").expect("written");
        symlink("real", root.join("alias")).expect("a link");
        symlink("../alias/lib/program", root.join("real/name")).expect("a link");
        let resolved = resolve(&root.join("alias/name")).expect("there");
        assert_eq!(resolved.real, root.join("real/lib/program"));
        let links: Vec<&Path> =
            resolved.links.iter().map(|(link, _)| link.strip_prefix(&root).expect("below")).collect();
        assert_eq!(links, [Path::new("alias"), Path::new("real/name"), Path::new("alias")]);
        let resolved = resolve(&root.join("real/lib/../lib/program")).expect("there");
        assert_eq!((resolved.passed, resolved.real), (vec![root.join("real/lib")], root.join("real/lib/program")));
        symlink("loop", root.join("loop")).expect("a link");
        assert!(resolve(&root.join("loop")).is_err() && resolve(&root.join("missing")).is_err());
    }

    #[test]
    fn a_program_brings_its_packages_and_nothing_of_the_home() {
        let home = Path::new("/home/a");
        for (real, expected) in [
            ("/home/a/.nvm/v20/lib/node_modules/@x/y/node_modules/z/cli.js", "/home/a/.nvm/v20/lib/node_modules"),
            ("/home/a/Downloads/agent", "/home/a/Downloads/agent"),
            ("/home/a/agent", "/home/a/agent"),
            ("/home/agent", "/home/agent"),
            ("/opt/agent/agent", "/opt/agent"),
            ("/usr/bin/agent", "/usr/bin/agent"),
            ("/agent", "/agent"),
            ("/tmp/agent", "/tmp/agent"),
        ] {
            assert_eq!(installation(Path::new(real), &[home]), Path::new(expected), "{real}");
        }
    }

    #[test]
    fn interpreters_are_read_from_the_first_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script");
        for (line, expected) in [
            ("#!/usr/bin/env node\n", Some("node")),
            ("#!/usr/bin/env -S FOO=1 node --x\n", Some("node")),
            ("#! /bin/sh -e\n", Some("/bin/sh")),
            ("\u{7f}ELF", None),
        ] {
            std::fs::write(&script, line).expect("written");
            assert_eq!(interpreter(&script).as_deref(), expected, "{line}");
        }
    }
}
