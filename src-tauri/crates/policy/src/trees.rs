//! The files of the sides of a change: from its repository, or from the hunks of a patch without a repository.
//!
//! Nothing outside the root is read. A link is resolved by its text only, and only to a file of the same side.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::facts_cache::FactsCache;
use diffsan_capability::commands::Format;
use diffsan_capability::facts::Facts;
use diffsan_capability::project::{Content, Files, folder, join};
use diffsan_capability::read;
use diffsan_capability::words::FileWords;
use diffsan_change::{Change, RepoPath, Target};
use diffsan_git::{Repo, RepoError, WorkFile};
use diffsan_review::finding::Side;
use diffsan_syntax::language::Language;

/// The maximum size in bytes of a file that is read. Larger files are data or generated.
const MAX_FILE_BYTES: u64 = 1_000_000;
const TOO_LARGE: &str = "it is larger than a megabyte";
const BINARY: &str = "it is binary";
const NOT_TEXT: &str = "its text is neither UTF-8 nor UTF-16";
const MISSING: &str = "it cannot be read";
const OUTSIDE: &str = "it is a link to a place outside the project";

/// A change, and where the files of its sides are.
#[derive(Clone, Copy)]
pub struct ChangeFiles<'a> {
    /// The root of the repository, if there is one.
    pub root: Option<&'a Path>,
    /// The target in the repository. `None` if only the hunks of the change are known.
    pub target: Option<&'a Target>,
    /// The change.
    pub change: &'a Change,
}

/// The files of one side of a change.
pub struct Tree {
    paths: BTreeSet<String>,
    reader: Reader,
    facts: Option<Arc<FactsCache>>,
    scripts: Scripts,
}

/// The languages of files whose names do not tell it, by their paths.
pub(crate) type Scripts = BTreeMap<String, Language>;

/// Reads files of a side. Each thread needs its own, because libgit2's handles cannot be shared.
pub struct Reader {
    repo: Option<Repo>,
    places: Arc<HashMap<String, Place>>,
}

impl Reader {
    /// Returns the id of the object with a file's content, or `None` if the content is only in the work tree or a patch.
    pub fn object_id(&self, path: &str) -> Option<&str> {
        match self.places.get(path)? {
            Place::Object(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the content of a regular file of at most `largest` bytes.
    pub fn bytes(&self, path: &str, largest: u64) -> Option<Vec<u8>> {
        match (self.places.get(path)?, &self.repo) {
            (Place::Text(text), _) => Some(text.clone().into_bytes()),
            (Place::Object(id), Some(repo)) => repo.object(id, largest),
            (Place::Work, Some(repo)) => match repo.work_file(path, largest) {
                WorkFile::Bytes(bytes) => Some(bytes),
                _ => None,
            },
            _ => None,
        }
    }
}

enum Place {
    Object(String),
    Work,
    Text(String),
    Link(String),
    Outside,
}

impl Tree {
    /// Opens a side of a change. Blocks. Opens the repository again, because libgit2's handles cannot be shared between threads.
    pub fn open(files: ChangeFiles<'_>, side: Side) -> Result<Self, RepoError> {
        let ChangeFiles { root, target, change } = files;
        let (Some(root), Some(target)) = (root, target) else {
            return Ok(Self::of_patch(change, side));
        };
        let repo = Repo::open(root)?;
        let names = repo.side_names(target, side == Side::Old)?;
        let mut places: HashMap<String, Place> =
            names.files.into_iter().map(|(path, id)| (path, Place::Object(id))).collect();
        let mut links: BTreeMap<String, String> = BTreeMap::new();
        for (path, id) in names.links {
            let text = repo.object(&id, 4096).unwrap_or_default();
            links.insert(path, String::from_utf8_lossy(&text).into_owned());
        }
        let work = matches!(target, Target::Unstaged | Target::All { .. });
        if side == Side::New && work {
            work_tree(&repo, change, &mut places, &mut links);
        }
        let links: Vec<(String, Place)> = links
            .into_iter()
            .map(|(path, text)| {
                let inside = (!text.starts_with('/')).then(|| join(folder(&path), &text)).flatten();
                let place = match inside {
                    Some(target) if places.contains_key(&target) => Place::Link(target),
                    _ => Place::Outside,
                };
                (path, place)
            })
            .collect();
        places.extend(links);
        Ok(Self::new(Some(repo), places))
    }

    /// Returns the files of a patch, as far as its hunks contain them, each line at its number.
    fn of_patch(change: &Change, side: Side) -> Self {
        let mut places = HashMap::new();
        for file in &change.files {
            let path = if side == Side::New { &file.new_path } else { &file.old_path };
            let Some(path) = path.as_ref().and_then(utf8) else { continue };
            let text = file.known_text(|line| if side == Side::New { line.new } else { line.old });
            places.insert(path, Place::Text(text));
        }
        Self::new(None, places)
    }

    fn new(repo: Option<Repo>, places: HashMap<String, Place>) -> Self {
        let reader = Reader { repo, places: Arc::new(places) };
        Self { paths: reader.places.keys().cloned().collect(), reader, facts: None, scripts: Scripts::new() }
    }

    /// Sets the cache of the facts about objects.
    #[must_use]
    pub(crate) fn with_facts(mut self, facts: Arc<FactsCache>) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Sets the files that are scripts by their first line.
    #[must_use]
    pub(crate) fn with_scripts(mut self, scripts: Scripts) -> Self {
        self.scripts = scripts;
        self
    }

    /// Returns the language that the first line of a file names.
    pub(crate) fn language_of_script(&self, path: &str) -> Option<Language> {
        let bytes = self.reader.bytes(path, MAX_FILE_BYTES)?;
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        Language::of_first_line(std::str::from_utf8(line).ok()?)
    }

    /// Returns whether the first line of a file says that it is a script of a shell.
    pub(crate) fn is_shell_script(&self, path: &str) -> bool {
        let bytes = self.reader.bytes(path, MAX_FILE_BYTES).unwrap_or_default();
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        std::str::from_utf8(line).is_ok_and(|line| Format::of_first_line(path, line).is_some())
    }

    /// Returns a reader for another thread.
    pub fn another_reader(&self) -> Result<Reader, RepoError> {
        let repo = self.reader.repo.as_ref().map(|repo| Repo::open(repo.root())).transpose()?;
        Ok(Reader { repo, places: Arc::clone(&self.reader.places) })
    }

    /// Returns the reader of this tree.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }
}

/// Applies the changes of the work tree to the files of the index.
fn work_tree(repo: &Repo, change: &Change, places: &mut HashMap<String, Place>, links: &mut BTreeMap<String, String>) {
    for file in &change.files {
        if let Some(old) = file.old_path.as_ref().filter(|_| file.old_path != file.new_path).and_then(utf8) {
            places.remove(&old);
            links.remove(&old);
        }
        let Some(path) = file.new_path.as_ref().and_then(utf8) else { continue };
        places.remove(&path);
        links.remove(&path);
        if file.new_mode.is_some_and(|mode| mode & 0o170_000 == 0o120_000) {
            if let WorkFile::Link(text) = repo.work_file(&path, MAX_FILE_BYTES) {
                links.insert(path, String::from_utf8_lossy(&text).into_owned());
            }
        } else if file.new_path.is_some() && file.status != diffsan_change::Status::Deleted {
            places.insert(path, Place::Work);
        }
    }
}

/// Returns a path as text, or `None` if it is not UTF-8; such files are not examined.
pub fn utf8(path: &RepoPath) -> Option<String> {
    std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned)
}

/// Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark.
fn content(bytes: Vec<u8>) -> Content {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16(&units).map_or(Content::Unreadable(NOT_TEXT), Content::Text)
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ if bytes[..bytes.len().min(8000)].contains(&0) => Content::Unreadable(BINARY),
        _ => String::from_utf8(bytes).map_or_else(
            |error| Content::Partial(String::from_utf8_lossy(error.as_bytes()).into_owned(), NOT_TEXT),
            Content::Text,
        ),
    }
}

impl Files for Tree {
    fn paths(&self) -> &BTreeSet<String> {
        &self.paths
    }

    fn has(&self, path: &str) -> bool {
        self.reader.places.contains_key(path)
    }

    fn language(&self, path: &str) -> Option<Language> {
        self.scripts.get(path).copied().or_else(|| read::language_of(path))
    }

    fn facts(&self, path: &str, language: Language, text: &Arc<str>) -> Arc<Facts> {
        match (&self.facts, self.reader.object_id(path)) {
            (Some(cache), Some(id)) => cache.facts(id, (path, language), text),
            _ => Arc::new(read::facts_of_file(path, language, text)),
        }
    }

    fn words(&self, path: &str, find: &dyn Fn() -> FileWords) -> Arc<FileWords> {
        match (&self.facts, self.reader.object_id(path)) {
            (Some(cache), Some(id)) => cache.words(id, find),
            _ => Arc::new(find()),
        }
    }

    fn read(&self, path: &str) -> Content {
        let Reader { repo, places } = &self.reader;
        match (places.get(path), repo) {
            (Some(Place::Text(text)), _) => Content::Text(text.clone()),
            (Some(Place::Object(id)), Some(repo)) => match repo.object(id, MAX_FILE_BYTES) {
                Some(bytes) => content(bytes),
                None => Content::Unreadable(TOO_LARGE),
            },
            (Some(Place::Work), Some(repo)) => match repo.work_file(path, MAX_FILE_BYTES) {
                WorkFile::Bytes(bytes) => content(bytes),
                WorkFile::TooLarge => Content::Unreadable(TOO_LARGE),
                WorkFile::Link(_) => Content::Unreadable(OUTSIDE),
                WorkFile::Missing => Content::Unreadable(MISSING),
            },
            // Only one step is followed; a link to a link is not code.
            (Some(Place::Link(target)), _) if !matches!(places.get(target), Some(Place::Link(_))) => self.read(target),
            (Some(Place::Link(_) | Place::Outside), _) => Content::Unreadable(OUTSIDE),
            _ => Content::Unreadable(MISSING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_read_and_other_encodings_are_reported() {
        let utf16 = |unit: fn(u16) -> [u8; 2]| "\u{feff}send()".encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        assert_eq!(content(utf16(u16::to_le_bytes)), Content::Text("send()".into()));
        assert_eq!(content(utf16(u16::to_be_bytes)), Content::Text("send()".into()));
        assert_eq!(content(b"send()".to_vec()), Content::Text("send()".into()));
        assert_eq!(content(b"caf\xe9()".to_vec()), Content::Partial("caf\u{fffd}()".into(), NOT_TEXT));
        assert_eq!(content(b"\x7fELF\0".to_vec()), Content::Unreadable(BINARY));
    }
}
