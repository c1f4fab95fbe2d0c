//! The rooms: disposable folders with the files that an agent may read.
//!
//! In: which files there are and how each is read and masked. Out: a folder that holds exactly those, locked for one run. A
//! room stays for the next run and is brought up to date by what differs, so that its cost follows the change; whatever an
//! agent did to it is undone. It must never write outside its folder and never follow a link.

mod agent_files;
mod disk;
mod names;
mod parents;
mod watch;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use agent_files::instruction_files;
use diffsan_redact::types::Redacted;
use disk::Stamp;
pub use disk::make_boundary;
pub use names::Names;
pub use names::{COPIES, copy_path, is_left_out, path_of};
pub use parents::hostile_parents;
pub use watch::RoomWatch;

const MANIFEST: &str = "manifest.json";
/// Runs at once in one repository; more would be a mistake.
const SLOTS: usize = 16;

/// A file that may come into a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomFile {
    /// Its path in the repository, `/` between folders.
    pub path: String,
    /// Names its content: equal names, equal contents.
    pub id: String,
}

/// The outcome of preparing a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoomFacts {
    /// Files in it under their own names.
    pub files: usize,
    /// Files in it under the name of a copy only, because agents read them under their own.
    pub copies: usize,
    /// Files that were written anew.
    pub written: usize,
    /// Files that were removed.
    pub removed: usize,
    /// Files of the repository that are not in it.
    pub left_out: usize,
}

/// The reason why there is no room.
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// The folder.
    #[error("the room cannot be created: {0}")]
    Io(#[from] io::Error),
    /// Too many files.
    #[error("the repository has {files} files; the limit of a room is {most}")]
    TooLarge {
        /// Of the repository.
        files: usize,
        /// Of a room.
        most: usize,
    },
    /// Too many runs at once.
    #[error("{SLOTS} reviews of this repository are already running")]
    Busy,
    /// The built-in settings.
    #[error("config/room.toml cannot be read: {0}")]
    Settings(String),
}

/// The files of a room: their sources and their metadata on the disk. `None` was left out.
#[derive(Default, Serialize, Deserialize)]
struct Manifest {
    /// The version of the rules that masked them or left them out.
    version: String,
    files: BTreeMap<String, (String, Option<Stamp>)>,
}

/// A room that is ours until this is dropped.
#[derive(Debug)]
pub struct Room {
    folder: PathBuf,
    lock: File,
    names: Names,
}

impl Room {
    /// The first room under `rooms` of that name that nobody uses.
    pub fn open(rooms: &Path, name: &str) -> Result<Self, RoomError> {
        let names = Names::load()?;
        for slot in 0..SLOTS {
            let folder = rooms.join(name).join(slot.to_string());
            disk::private_folder(&folder)?;
            let lock = File::create(folder.join("lock"))?;
            if lock.try_lock().is_ok() {
                return Ok(Self { folder, lock, names });
            }
        }
        Err(RoomError::Busy)
    }

    /// Its files.
    pub fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Makes the room contain exactly `files`; those that configure agents become copies under another name. `version` names the
    /// rules of masking; `read` returns the masked content of a file, or none to leave it out; `again` masks files that stay from
    /// an earlier run once more, where that run knew fewer secrets.
    pub fn update(
        &self,
        version: &str,
        files: &[RoomFile],
        mut read: impl FnMut(&RoomFile, u64) -> Option<Redacted<Vec<u8>>>,
        mut again: Option<impl FnMut(&str, &[u8]) -> Option<Redacted<Vec<u8>>>>,
    ) -> Result<RoomFacts, RoomError> {
        if files.len() > self.names.most_files {
            return Err(RoomError::TooLarge { files: files.len(), most: self.names.most_files });
        }
        let root = self.files();
        disk::private_folder(&root)?;
        let version = format!("{version} {}", Names::version());
        let before = self.manifest(&version);
        // Until it is up to date, nothing is known of it: a run may be killed here.
        let _ = fs::remove_file(self.folder.join(MANIFEST));
        let wanted: BTreeMap<String, &RoomFile> =
            files.iter().filter_map(|file| Some((self.names.place(&file.path)?, file))).collect();
        let stays = |path: &str, stamp: &Stamp| {
            let known = before.files.get(path).filter(|_| wanted.contains_key(path));
            known.is_some_and(|(_, known)| known.as_ref() == Some(stamp))
        };
        let mut facts = RoomFacts { removed: disk::clean(&root, &stays)?, ..RoomFacts::default() };
        disk::make_boundary(&root)?;
        let mut manifest = Manifest { version, files: BTreeMap::new() };
        for (path, file) in wanted {
            let known = before.files.get(&path).filter(|(id, _)| *id == file.id);
            let full = root.join(&path);
            let stamp = match known {
                Some((_, None)) => None,
                Some((_, Some(stamp))) if disk::stamp(&full).as_ref() == Some(stamp) => {
                    let masked = again.as_mut().and_then(|again| again(&file.path, &fs::read(&full).ok()?));
                    match masked {
                        Some(content) => Some(self.write(&full, &content, &mut facts)?),
                        None => Some(*stamp),
                    }
                }
                _ => match read(file, self.names.largest_file) {
                    Some(content) => Some(self.write(&full, &content, &mut facts)?),
                    None => {
                        // There is usually no file. A stale one stays masked.
                        let _ = fs::remove_file(&full);
                        None
                    }
                },
            };
            let count = if path == file.path { &mut facts.files } else { &mut facts.copies };
            *count += usize::from(stamp.is_some());
            manifest.files.insert(path, (file.id.clone(), stamp));
        }
        facts.left_out = files.len() - facts.files - facts.copies;
        fs::write(self.folder.join(MANIFEST), serde_json::to_vec(&manifest).map_err(io::Error::other)?)?;
        Ok(facts)
    }

    fn write(&self, path: &Path, content: &Redacted<Vec<u8>>, facts: &mut RoomFacts) -> io::Result<Stamp> {
        facts.written += 1;
        disk::write(path, content.get())?;
        disk::stamp(path).ok_or_else(|| io::Error::other("a file that was just written is missing"))
    }

    fn manifest(&self, version: &str) -> Manifest {
        let read = fs::read(self.folder.join(MANIFEST)).ok();
        let manifest: Option<Manifest> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        manifest.filter(|manifest| manifest.version == version).unwrap_or_default()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Closing the file unlocks it too.
        let _ = self.lock.unlock();
    }
}

#[cfg(test)]
mod tests;
