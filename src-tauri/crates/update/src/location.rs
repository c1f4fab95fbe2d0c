//! Finds the file of the running program, if the user can replace it. A package of a distribution is never replaced.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::Replaceable;

/// The reason why a program cannot replace its own file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum NotOffered {
    #[error("diffsan was not started as an AppImage. Update it with the package manager that installed it.")]
    NoAppImage,
    #[error("{} cannot be replaced: {reason}.", path.display())]
    NotReplaceable { path: PathBuf, reason: String },
}

/// The facts about a running program.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The value of `APPIMAGE`: the path of the AppImage.
    pub app_image: Option<PathBuf>,
    /// The value of `APPDIR`: the folder in which the AppImage is mounted.
    pub mounted: Option<PathBuf>,
    /// The path of the running program.
    pub program: Option<PathBuf>,
}

impl Location {
    /// Returns the facts about this process.
    pub fn of_this_process() -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self { app_image: path("APPIMAGE"), mounted: path("APPDIR"), program: std::env::current_exe().ok() }
    }

    /// Returns the file that an update replaces. Programs that another AppImage started inherit its variables, so the running program
    /// must be in the mounted folder.
    pub fn replaceable(&self) -> Result<Replaceable, NotOffered> {
        let (Some(image), Some(mounted), Some(program)) = (&self.app_image, &self.mounted, &self.program) else {
            return Err(NotOffered::NoAppImage);
        };
        if !image.is_absolute() || !within(program, mounted) || !is_app_image(image) {
            return Err(NotOffered::NoAppImage);
        }
        let fault = |reason: String| NotOffered::NotReplaceable { path: image.clone(), reason };
        // A link keeps its place; the file that it names is replaced.
        let path = image.canonicalize().map_err(|error| fault(error.to_string()))?;
        check_replaceable(&path).map_err(fault)?;
        Ok(Replaceable::new(path))
    }
}

fn within(program: &Path, folder: &Path) -> bool {
    match (program.canonicalize(), folder.canonicalize()) {
        (Ok(program), Ok(folder)) => folder.parent().is_some() && program.starts_with(folder),
        _ => false,
    }
}

/// Whether a file has the mark of an AppImage of type 2.
fn is_app_image(path: &Path) -> bool {
    let mut head = [0; 11];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(b"\x7fELF") && head.ends_with(b"AI\x02")
}

#[cfg(unix)]
fn check_replaceable(path: &Path) -> Result<(), String> {
    use nix::unistd::{AccessFlags, Uid, access};
    use std::os::unix::fs::MetadataExt as _;

    let meta = path.metadata().map_err(|error| error.to_string())?;
    if !meta.is_file() {
        return Err("it is not a file".to_owned());
    }
    if meta.uid() != Uid::effective().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|_| "its folder cannot be written".to_owned())
}

#[cfg(not(unix))]
fn check_replaceable(_: &Path) -> Result<(), String> {
    Err("this system has no AppImages".to_owned())
}
