//! Converts between paths of the repository (bytes, separated by `/`) and paths of the operating system.

use std::path::{Component, Path, PathBuf};

/// Converts a path of the repository to a path of the operating system. Returns `None` if that is impossible or the path would
/// leave the work tree.
#[cfg(unix)]
pub(super) fn os_path(path: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    inside(Path::new(std::ffi::OsStr::from_bytes(path)))
}

/// Converts a path of the repository to a path of the operating system. Returns `None` if that is impossible or the path would
/// leave the work tree.
#[cfg(not(unix))]
pub(super) fn os_path(path: &[u8]) -> Option<PathBuf> {
    inside(Path::new(std::str::from_utf8(path).ok()?))
}

/// Converts a path of the operating system to a path of the repository.
#[cfg(unix)]
pub(super) fn repo_path(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    Some(path.as_os_str().as_bytes().to_vec())
}

/// Converts a path of the operating system to a path of the repository.
#[cfg(not(unix))]
pub(super) fn repo_path(path: &Path) -> Option<Vec<u8>> {
    Some(path.to_str()?.replace('\\', "/").into_bytes())
}

/// Accepts relative paths without `.` and `..`. Git tracks nothing below a `.git` in any case, and files there may contain credentials.
fn inside(path: &Path) -> Option<PathBuf> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    let normal = path.components().all(plain);
    (normal && path.components().next().is_some()).then(|| path.to_owned())
}
