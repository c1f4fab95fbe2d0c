//! Files of a repository that its settings name: programs, files that programs are told to read, certificates, and instructions. Trust in
//! such a setting is trust in the content of these files, so they are part of the trust request.
//!
//! Programs are started in the work tree, so their files are read there, through links. The instructions are read from the target side.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use diffsan_config::{RequestedFile, RequestedSetting, SettingEffect};
use diffsan_git::Repo;
use ignore::WalkBuilder;
use sha2::{Digest, Sha256};

/// A larger file, in bytes, is identified by size and time, because reading it at each opening would take too long.
const MAX_DIGEST_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum size in bytes of a file that is kept for display or for a prompt.
const MAX_TEXT_BYTES: u64 = 1_000_000;
/// The characters that separate a path from other text: in a command line, a list of folders, or a flag with a value.
const BETWEEN: &[char] = &['=', ':', ',', ';', '|', '&', '(', ')', '<', '>', '"', '\'', '`', '@'];
const INSTRUCTIONS: &str = "prompt.instructions_file";

/// The named files, and the texts of the text files, by path.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) files: Vec<RequestedFile>,
    pub(super) texts: BTreeMap<String, String>,
}

/// Returns the files of the repository that the settings name. Blocks.
pub(super) fn named(repo: &Repo, rev: Option<&str>, settings: &[RequestedSetting]) -> Named {
    let mut named = Named::default();
    let mut paths = BTreeMap::new();
    for wanted in settings {
        if wanted.key == INSTRUCTIONS {
            named.instructions(repo, rev, wanted.value.as_str().unwrap_or_default());
        } else if wanted.key == "gitlab.ca_file" || SettingEffect::of(&wanted.key) == SettingEffect::Runs {
            each_text(&wanted.value, &mut |text| collect(repo.root(), text, &mut paths));
        }
    }
    for (path, place) in paths {
        if let Ok(text) = diffsan_bounded::read_to_string(&place, MAX_TEXT_BYTES) {
            named.texts.entry(path.clone()).or_insert(text);
        }
        named.files.push(RequestedFile { sha256: digest(&place), path });
    }
    named
}

impl Named {
    fn instructions(&mut self, repo: &Repo, rev: Option<&str>, path: &str) {
        if path.is_empty() {
            return;
        }
        let content = repo.read_at(rev.unwrap_or("HEAD"), path).ok().flatten();
        self.files.push(match &content {
            Some(content) => RequestedFile::new(path, content),
            None => RequestedFile { path: path.to_owned(), sha256: "missing".to_owned() },
        });
        let text = content.filter(|bytes| bytes.len() as u64 <= MAX_TEXT_BYTES);
        if let Some(text) = text.and_then(|bytes| String::from_utf8(bytes).ok()) {
            self.texts.insert(path.to_owned(), text);
        }
    }
}

fn each_text(value: &serde_json::Value, each: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => each(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| each_text(item, each)),
        serde_json::Value::Object(inner) => inner.iter().for_each(|(key, value)| {
            each(key);
            each_text(value, each);
        }),
        _ => {}
    }
}

/// Collects the paths inside the repository that a text names, with their places on the disk.
fn collect(root: &Path, text: &str, paths: &mut BTreeMap<String, PathBuf>) {
    let home = std::env::home_dir().unwrap_or_default().display().to_string();
    let text = text.replace("{user_home}", &home).replace("${HOME}", &home).replace("$HOME", &home);
    let words = text.split(|char: char| char.is_whitespace() || BETWEEN.contains(&char));
    for word in std::iter::once(text.as_str()).chain(words).filter(|word| !word.is_empty()) {
        let several = word.contains(char::is_whitespace);
        let word = word.strip_prefix("~/").map_or_else(|| word.to_owned(), |rest| format!("{home}/{rest}"));
        // A path may directly follow a flag: `-I/a/b`.
        let behind = word.find('/').map(|at| &word[at..]);
        for place in std::iter::once(word.as_str()).chain(behind).map(Path::new) {
            let whole = root.join(place);
            // Ignore words that only look like a path, and relative names of folders such as `src`. Several words are one path only if that
            // path exists.
            if (place.is_relative() && !whole.is_file()) || (several && !whole.exists()) {
                continue;
            }
            if let Some(path) = inside(root, &whole) {
                paths.insert(path, whole);
            }
        }
    }
}

/// Returns the path relative to the repository. Returns `None` for places outside, and for the root itself. A link inside that leads
/// outside is included, because another commit may contain another link.
fn inside(root: &Path, place: &Path) -> Option<String> {
    let mut plain = PathBuf::new();
    for part in place.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    // A missing file is resolved by its nearest existing parent folder.
    let there = place.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let real = there.and_then(|(above, real)| Some(real.join(place.strip_prefix(above).ok()?)));
    let below = |path: &Path| Some(path.strip_prefix(root).ok()?.display().to_string()).filter(|path| !path.is_empty());
    below(&plain).or_else(|| below(&real?))
}

/// Returns a digest of the content, or a text that says why there is none.
fn digest(place: &Path) -> String {
    let digested = match fs::metadata(place) {
        Ok(about) if about.is_file() => digest_of_file(place),
        Ok(about) if about.is_dir() => Ok(digest_of_folder(place)),
        Ok(_) => Ok("no file".to_owned()),
        Err(error) => Err(error),
    };
    digested.unwrap_or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "missing".to_owned(),
        kind => format!("unreadable: {kind}"),
    })
}

fn digest_of_file(place: &Path) -> io::Result<String> {
    let (file, about) = diffsan_bounded::open(place, true)?;
    if about.len() > MAX_DIGEST_BYTES {
        return Ok(format!("{} bytes of {:?}", about.len(), about.modified()?));
    }
    let mut hash = Hash(Sha256::new());
    io::copy(&mut file.take(MAX_DIGEST_BYTES), &mut hash)?;
    Ok(hex::encode(hash.0.finalize()))
}

/// Returns a digest of everything below a folder: names, contents and targets of links.
fn digest_of_folder(place: &Path) -> String {
    let walk = WalkBuilder::new(place)
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut hash = Hash(Sha256::new());
    for entry in walk.flatten().skip(1) {
        let path = entry.path().strip_prefix(place).unwrap_or(entry.path()).display().to_string();
        let content = match fs::read_link(entry.path()) {
            Ok(target) => format!("link to {}", target.display()),
            Err(_) if entry.file_type().is_some_and(|kind| kind.is_dir()) => "folder".to_owned(),
            Err(_) => digest(entry.path()),
        };
        hash.0.update(format!("{path}\0{content}\0"));
    }
    hex::encode(hash.0.finalize())
}

struct Hash(Sha256);

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_however_a_setting_names_them() {
        let beside = tempfile::tempdir().expect("a folder");
        let top = beside.path().canonicalize().expect("a path");
        let root = top.join("repo");
        fs::create_dir_all(root.join("tools/inner")).expect("made");
        fs::write(root.join("tools/run.sh"), "x").expect("written");
        fs::write(top.join("own.sh"), "x").expect("written");
        std::os::unix::fs::symlink("../own.sh", root.join("led-out.sh")).expect("linked");
        std::os::unix::fs::symlink("repo", top.join("alias")).expect("linked");
        let place = root.display().to_string();
        let found = |text: &str| {
            let mut paths = BTreeMap::new();
            collect(&root, text, &mut paths);
            paths.into_keys().collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            (format!("{place}/tools/run.sh"), "tools/run.sh"),
            ("tools/run.sh".to_owned(), "tools/run.sh"),
            ("./tools/../tools/run.sh".to_owned(), "tools/run.sh"),
            (format!("cat x | '{place}/tools/run.sh' > y"), "tools/run.sh"),
            (format!("--use={place}/tools/run.sh"), "tools/run.sh"),
            (format!("-I{place}/tools/run.sh"), "tools/run.sh"),
            (format!("/usr/bin:{place}/tools"), "tools"),
            (format!("{}/alias/tools/run.sh", top.display()), "tools/run.sh"),
            (format!("{place}/led-out.sh"), "led-out.sh"),
            (format!("{place}/not/there"), "not/there"),
            (format!("{}/alias/not/there", top.display()), "not/there"),
            (format!("{}/own.sh", top.display()), ""),
            (place.clone(), ""),
            ("tools".to_owned(), ""),
            ("gpt/large".to_owned(), ""),
        ] {
            assert_eq!(found(&text), expected, "{text}");
        }
    }

    #[test]
    fn another_content_is_another_digest_and_so_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("inner/file");
        let both = || (digest(&file), digest(folder.path()));
        let mut seen = vec![both()];
        assert_eq!(seen[0].0, "missing");
        fs::create_dir(folder.path().join("inner")).expect("made");
        for text in ["a", "b"] {
            fs::write(&file, text).expect("written");
            seen.push(both());
        }
        fs::remove_file(&file).expect("removed");
        std::os::unix::fs::symlink("../other", &file).expect("linked");
        seen.push((String::new(), digest(folder.path())));
        for (index, one) in seen.iter().enumerate() {
            assert!(seen[..index].iter().all(|other| other.0 != one.0 && other.1 != one.1), "{seen:?}");
        }
    }
}
